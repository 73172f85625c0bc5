"""The game of Countdown: everybody hands in entries until the end, and the nearest wins."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any, cast

import solver
from bot.admin.settings.choices import Setting, make_number_choices
from bot.games.countdown import dealing, rules, steps, view
from bot.games.countdown.rules import Draw, DrawOptions
from bot.games.expressions import answer_parser
from bot.games.expressions.game import ExpressionGame
from bot.games.expressions.view import render_reading_error
from bot.i18n import Html, Words, escape_value
from bot.pictures.values import Node, TilesPicture
from bot.rounds.puzzle import (
    LEVELS,
    Entry,
    Explanation,
    Find,
    Kind,
    Level,
    Options,
    PlayerResult,
    Tiles,
    UnknownWordError,
    Verdict,
    VerdictKind,
    keep_if_allowed,
    parse_number,
    split_argument,
)
from bot.rounds.rules import Award, Round
from bot.standings.ratings.rules import Match, Result
from bot.workers.pool import SolverPool

VERSION = 1
MAX_SEARCH_SECONDS = 2.0  # People wait for the reply


class Countdown(ExpressionGame[Draw]):
    key = command = "countdown"
    aliases = ("numbers",)
    title = "Countdown"
    default_kind, has_levels = Kind.BEST, False
    example_answer = "(25+50)*7+3"
    skills = ("countdown",)

    # Options and deals

    def parse_options(self, words: Words, text: str) -> DrawOptions:
        """Parse the text behind the command: nothing, or a number of large tiles. Raises UnknownWordError."""
        typed = split_argument(text)
        if not typed:
            return DrawOptions(kind=Kind.BEST)
        if len(typed) > 1:
            raise UnknownWordError(typed[1])
        large_tiles = parse_number(typed[0])
        if large_tiles not in rules.LARGE_TILE_COUNTS:
            raise UnknownWordError(typed[0])
        return DrawOptions(kind=Kind.BEST, large_tiles=large_tiles)

    def get_quick_words(self) -> Collection[str]:
        return {str(count) for count in rules.LARGE_TILE_COUNTS}

    def get_daily_options(self, level: Level) -> DrawOptions:
        """Return the same options for every level."""
        return DrawOptions(kind=Kind.BEST)

    def get_similar_options(self, puzzle: Draw, kind: Kind) -> DrawOptions:
        """Return options for a draw with as many large tiles; `kind` is ignored."""
        large_tiles = sum(tile > rules.MAX_SMALL_TILE for tile in puzzle.tiles)
        return DrawOptions(kind=Kind.BEST, large_tiles=large_tiles)

    def pack_options(self, options: Options) -> dict[str, Any]:
        large_tiles = options.large_tiles if isinstance(options, DrawOptions) else None
        return {} if large_tiles is None else {"large": large_tiles}

    def unpack_options(self, packed: Mapping[str, Any], kind: Kind) -> DrawOptions:
        """Return packed options again; their kind is always BEST."""
        large_tiles = keep_if_allowed(packed.get("large"), rules.LARGE_TILE_COUNTS, None)
        return DrawOptions(kind=Kind.BEST, large_tiles=large_tiles)

    def get_time_limit(self, settings: Mapping[str, Any]) -> int:
        """Return the chat's choice if it is one of `ROUND_LENGTHS`, else the default."""
        seconds = settings.get("countdown_seconds")
        return int(keep_if_allowed(seconds, rules.ROUND_LENGTHS, rules.DEFAULT_ROUND_LENGTH))

    def list_settings(self, words: Words, stored: Mapping[str, Any]) -> list[Setting]:
        return [
            Setting(
                key="countdown_seconds",
                title=words.translate_plain("Countdown’s clock"),
                value=words.translate_plain("{n} s", n=self.get_time_limit(stored)),
                explanation=words.translate("How long a round of Countdown lasts."),
                choices=make_number_choices(rules.ROUND_LENGTHS),
            )
        ]

    async def deal(self, pool: SolverPool, settings: Mapping[str, Any], options: Options, seed: int) -> Draw:
        """Deal a draw; only its large tiles depend on the options, and nothing on the settings."""
        large_tiles = options.large_tiles if isinstance(options, DrawOptions) else None
        return await pool.run_task(dealing.deal_draw, seed, large_tiles)

    def pack(self, puzzle: Draw) -> dict[str, Any]:
        packed = {
            "v": VERSION,
            "tiles": list(puzzle.tiles),
            "target": puzzle.target,
            "best": puzzle.best,
            "value": puzzle.best_value,
            "reach": puzzle.reachable_count,
        }
        return packed | {"proof": puzzle.proof} if puzzle.proof else packed

    def unpack(self, packed: Mapping[str, Any], level: str, expected: float) -> Draw:
        if packed.get("v") != VERSION or level not in LEVELS:
            raise ValueError("no draw of a known version and level")
        return Draw(
            tiles=tuple(map(int, packed["tiles"])),
            target=int(packed["target"]),
            best=str(packed["best"]),
            best_value=int(packed["value"]),
            reachable_count=int(packed["reach"]),
            level=level,
            expected=expected,
            proof=packed.get("proof", ""),
        )

    def get_proof(self, puzzle: Draw) -> str:
        return puzzle.proof

    # Entries

    def check(self, puzzle: Draw, text: str) -> Verdict:
        """Judge the expression in a text that is nearest to the target; RIGHT up to `MAX_DISTANCE` away."""
        return _check_entry(puzzle, text, only_best=False)

    def check_daily(self, puzzle: Draw, text: str) -> Verdict:
        """Judge an answer to the daily draw, where only the nearest possible value is right."""
        return _check_entry(puzzle, text, only_best=True)

    def is_valid_entry(self, answer: str) -> bool:
        """Whether the answer can be read, and all its results are whole and not negative."""
        try:
            return rules.find_violation(solver.parse(answer)) is None
        except solver.ExpressionError:
            return False

    def get_early_deadline(self, round: Round, entries: Sequence[Entry], received: float) -> float | None:
        """Return when the round ends early, since an entry is exact; None if no entry is.

        In private, it ends with the first exact entry. In a group, it ends some seconds after `received` and
        after the latest entry.
        """
        target = cast(Draw, round.puzzle).target
        exact_times = [entry.sent_at for entry in entries if rules.evaluate_answer(entry.answer) == target]
        if not exact_times:
            return None
        is_private = round.chat_id > 0
        if is_private:
            return min(exact_times)
        latest_entry = max(entry.sent_at for entry in entries)  # None of them may be late now
        return max(received, latest_entry) + rules.SECONDS_AFTER_EXACT

    def award_entries(self, round: Round, entries: Sequence[Entry]) -> tuple[Award, ...]:
        return rules.compute_awards(cast(Draw, round.puzzle), entries, round.opened)

    def make_rating_match(self, round: Round, played: Sequence[PlayerResult]) -> Match:
        """Rank the players and, as their opponent, the draw itself: a lower place is better.

        A nearer entry has a lower place, and no entry the last one. Only an entry as near as the best
        possible one beats the draw.
        """
        draw = cast(Draw, round.puzzle)
        # Entries have even places, so that the draw's own odd place lies between two of them
        draw_place = 2 * abs(draw.best_value - draw.target) + 1
        last_place = 2 * rules.TARGETS.stop
        results: list[Result] = []
        for player in played:
            place = last_place
            if player.entry:
                place = 2 * abs(rules.evaluate_answer(player.entry) - draw.target)
            results.append(Result(player.player_id, place))
        return Match(results, draw_place, draw.expected)

    # Solutions

    def list_best_answers(self, puzzle: Draw) -> tuple[str, ...]:
        return (puzzle.best,) if puzzle.best else ()

    def is_best_answer(self, puzzle: Draw, answer: str) -> bool:
        """Whether the answer is as near to the target as the best possible one."""
        return abs(rules.evaluate_answer(answer) - puzzle.target) <= abs(puzzle.best_value - puzzle.target)

    def format_answer(self, puzzle: Draw, answer: str) -> str:
        return view.format_answer(answer)

    def solution(self, puzzle: Draw) -> str:
        return view.format_answer(puzzle.best) if puzzle.best else ""

    def get_missed_target(self, puzzle: Draw, answer: str) -> str:
        """Return `→ 573` if the answer has another value than the target, else an empty string."""
        return "" if rules.evaluate_answer(answer) == puzzle.target else f"→ {puzzle.target}"

    def list_steps(self, answer: str) -> list[str]:
        return steps.list_steps(answer)

    def make_solution_tree(self, puzzle: Draw, answer: str) -> Node | None:
        return steps.build_tree(answer)

    def render_solutions(self, words: Words, round: Round, finds: Sequence[Find], limit: int) -> list[Html]:
        """Render the best answer unless a find is exact, and how many targets can be made; ignore `limit`."""
        draw = cast(Draw, round.puzzle)
        lines: list[Html] = []
        is_exact = any(rules.evaluate_answer(find.answer) == draw.target for find in finds)
        if not is_exact and draw.best:  # It is empty where nobody may see it yet
            lines.append(words.translate("Best: <b>{best}</b>", best=view.format_answer(draw.best)))
            lines += [Html(f"   {escape_value(step)}") for step in steps.list_steps(draw.best)]
        reach = draw.reachable_count
        text = words.translate(
            "These tiles reach {reach} of {all} targets.", reach=reach, all=len(rules.TARGETS)
        )
        return [*lines, text]

    # Questions: /why with tiles and a target

    def claims_expression(self, expression: solver.Expression) -> bool:
        """Whether it uses tiles and keeps the rules, with a large tile or a value near a possible target."""
        numbers = expression.numbers
        if not expression.op or not rules.can_be_drawn(numbers):
            return False
        if rules.find_violation(expression) is not None:
            return False
        if max(numbers) > rules.MAX_SMALL_TILE:
            return True
        near_targets = range(
            rules.TARGETS.start - rules.MAX_DISTANCE, rules.TARGETS.stop + rules.MAX_DISTANCE
        )
        return int(expression.value) in near_targets

    def can_explain(self, line: str) -> bool:
        """Whether the line has a possible target, and two or more numbers that can be tiles of one draw."""
        tiles, target = _parse_line(line)
        return target in rules.TARGETS and len(tiles) > 1 and rules.can_be_drawn(tiles)

    def render_question_error(self, words: Words, line: str) -> Html | None:
        """Say which targets are possible, if these are tiles with another target and no cards; else None."""
        tiles, target = _parse_line(line)
        are_tiles = len(tiles) == rules.TILE_COUNT or max(tiles) > rules.MAX_SMALL_TILE
        if target in rules.TARGETS or not are_tiles or not rules.can_be_drawn(tiles):
            return None
        return view.render_invalid_target(words, tiles)

    async def explain(self, pool: SolverPool, line: str) -> Explanation:
        """Return the best answer to the tiles and the target of a line. Raises SolvingError."""
        tiles, target = _parse_line(line)
        limit = min(pool.deadline, MAX_SEARCH_SECONDS)
        answer = await pool.run_task(dealing.find_best, tiles, target, deadline=limit, is_long=True)
        return Explanation(answer, lambda words: view.render_explanation(words, target, answer))

    # Practice

    def get_skill_name(self, words: Words, skill: str) -> str:
        """Return the title of the game: it has one skill, which every draw needs."""
        return self.title

    def get_skills(self, puzzle: Draw) -> tuple[str, ...]:
        return self.skills

    def render_advice(self, words: Words, skill: str) -> Html:
        """Return the same advice for every `skill`: the game has only one."""
        return words.translate(
            "Make a large tile times a small one come near first; the rest mends what is missing."
        )

    async def deal_practice(
        self, pool: SolverPool, skill: str, level: Level, seed: int, excluded: Collection[tuple[int, ...]]
    ) -> Draw:
        return await pool.run_task(dealing.deal_draw_of_level, level, seed, tuple(excluded))

    # Texts and tiles

    def render_menu_line(self, words: Words) -> str:
        return words.translate_plain("six tiles and a target")

    def render_about(self, words: Words) -> Html:
        return words.translate(
            "<b>Countdown</b>: six tiles and a target.\nCome as near as you can, each tile at most once."
        )

    def render_usage(self, words: Words, fragment: str) -> Html:
        return words.translate(
            "“{fragment}”? Behind the command there is room for one number:"
            " how many large tiles, 0 to 4, as in /countdown 2.",
            fragment=fragment,
        )

    def render_deal(self, puzzle: Draw) -> list[Html]:
        return [Html(f"🎯 <b>{puzzle.target}</b>"), Html(escape_value(puzzle.line))]

    def make_deal_picture(self, puzzle: Draw) -> TilesPicture:
        return TilesPicture(puzzle.tiles, puzzle.target)

    def get_tiles(self, puzzle: Draw) -> Tiles:
        numbers = tuple(map(str, puzzle.tiles))
        return Tiles(
            numbers, numbers, str(puzzle.target), uses_all=False, whole_numbers_only=True, accepts_near=True
        )

    def task(self, words: Words, round: Round, finds: Sequence[Find], *, private: bool) -> Html:
        if private:
            return words.translate("Come near: each tile at most once.\nSend as many answers as you like.")
        return words.translate("Come near: each tile at most once.\nReply to answer; your last one counts.")

    def render_rule(self, words: Words, round: Round, finds: Sequence[Find]) -> Html:
        return words.translate("Come near: each tile at most once.")

    def render_daily_task(self, words: Words) -> Html:
        return words.translate("Make the target. Where nobody can, come as near as these tiles allow.")


def _parse_line(line: str) -> tuple[tuple[int, ...], int]:
    """Return the tiles and the target of a line. Raises ValueError for a line of another game."""
    tiles, _, target = line.partition(" → ")
    return tuple(map(int, tiles.split())), int(target)


def _check_entry(draw: Draw, text: str, *, only_best: bool) -> Verdict:
    """Judge the nearest entry in a text; with `only_best`, only the nearest possible value is RIGHT."""
    attempts = answer_parser.find_attempts(text, draw.tiles, draw.target, use_all=False)
    expressions = [expression for expression, _ in attempts]
    if text.strip() in map(str, draw.tiles):  # A single tile is an entry too
        expressions.append(solver.Expression.leaf(int(text)))
    allowed = [e for e in expressions if rules.find_violation(e) is None]
    if not allowed:
        return _check_without_entry(draw, text, expressions)
    entry = min(allowed, key=lambda e: abs(e.value - draw.target))
    value = int(entry.value)
    allowed_distance = abs(draw.best_value - draw.target) if only_best else rules.MAX_DISTANCE
    if abs(value - draw.target) <= allowed_distance:
        return Verdict(VerdictKind.RIGHT, str(entry))

    def render_reason(words: Words) -> Html:
        return view.render_too_far(words, draw, value, only_best=only_best)

    return Verdict(VerdictKind.WRONG, str(entry), render_reason=render_reason)


def _check_without_entry(draw: Draw, text: str, expressions: Sequence[solver.Expression]) -> Verdict:
    """Judge a text without an entry: it breaks the rules, has other numbers, can't be read, or is talk."""
    violation = rules.find_violation(expressions[0]) if expressions else None
    if violation is not None:
        return Verdict(
            VerdictKind.WRONG,
            str(expressions[0]),
            render_reason=lambda words: view.render_violation(words, violation),
        )
    other = answer_parser.find_computation(text) if answer_parser.is_answer(text) else None
    if isinstance(other, solver.Expression):
        extra = sorted((Counter(other.numbers) - Counter(draw.tiles)).elements())
        return Verdict(
            VerdictKind.WRONG_NUMBERS, render_reason=lambda words: view.render_wrong_tiles(words, draw, extra)
        )
    # What remains is unreadable or talk
    error, is_meant = answer_parser.judge_answer(text, draw.tiles, draw.target)
    if not isinstance(error, solver.Unreadable):
        return Verdict(VerdictKind.TALK)
    return Verdict(
        VerdictKind.UNREADABLE if is_meant else VerdictKind.TALK,
        render_reason=lambda words: render_reading_error(words, error.reason, error.fragment),
    )
