"""The game of Countdown: everybody hands in entries until the end, and the nearest wins."""

import json
from collections import Counter
from collections.abc import Collection, Sequence
from functools import partial
from typing import ClassVar, cast

import solver
from bot.database import parse_object
from bot.formats import format_duration
from bot.games.countdown import rules, view
from bot.games.countdown.rules import Draw, DrawOptions
from bot.games.expressions import answer_parser
from bot.games.expressions.game import BareExpressions
from bot.games.expressions.view import render_reading_error
from bot.i18n import Html, Words, escape_value
from bot.levels import LEVELS
from bot.pictures.values import Node, TilesPicture
from bot.players.choices import Choice, Setting, StoredChoices
from bot.rounds.capabilities import Daily, DealOptions, Entries, GamePictures, Practice, Questions, TileBoard
from bot.rounds.game import Game
from bot.rounds.puzzle import (
    Audience,
    Entry,
    Explanation,
    Find,
    Kind,
    Match,
    Options,
    PlayerResult,
    PracticeWish,
    Result,
    Skill,
    Tiles,
    UnknownWordError,
    Verdict,
    VerdictKind,
    parse_number,
    split_argument,
)
from bot.rounds.rules import Award, Round
from bot.workers.pool import SolverPool

VERSION = 1
TITLE = "Countdown"
MAX_SEARCH_SECONDS = 2.0  # People wait for the reply


def get_round_length(settings: StoredChoices) -> int:
    """Return the chat's choice if it is one of `ROUND_LENGTHS`, else the default."""
    return settings.get_number("countdown_seconds", rules.ROUND_LENGTHS) or rules.DEFAULT_ROUND_LENGTH


class DrawDealOptions(DealOptions[Draw]):
    def parse(self, words: Words, text: str, kind: Kind) -> DrawOptions:
        """Parse the text behind the command: nothing, or a number of large tiles. Raises UnknownWordError."""
        typed = split_argument(text)
        if not typed:
            return DrawOptions(kind=kind)
        if len(typed) > 1:
            raise UnknownWordError(typed[1])
        large_tiles = parse_number(typed[0])
        if large_tiles not in rules.LARGE_TILE_COUNTS:
            raise UnknownWordError(typed[0])
        return DrawOptions(kind=kind, large=large_tiles)

    def unpack(self, packed: str, kind: Kind) -> DrawOptions:
        large = StoredChoices.parse(packed).get_number("large", rules.LARGE_TILE_COUNTS)
        return DrawOptions(kind=kind, large=large)

    def find_similar(self, puzzle: Draw, kind: Kind) -> DrawOptions:
        """Return options for a draw with as many large tiles."""
        large_tiles = sum(tile > rules.MAX_SMALL_TILE for tile in puzzle.tiles)
        return DrawOptions(kind=kind, large=large_tiles)

    def get_quick_words(self) -> Collection[str]:
        return {str(count) for count in rules.LARGE_TILE_COUNTS}

    def render_usage(self, words: Words, command: str, fragment: str) -> Html:
        return words.translate(
            "“{fragment}”? After the command you can write one number:"
            " how many large tiles, 0 to 4, as in /countdown 2.",
            fragment=fragment,
        )

    def list_settings(self, words: Words, stored: StoredChoices) -> list[Setting]:
        return [
            Setting(
                key="countdown_seconds",
                title=words.translate_plain("Countdown’s clock"),
                value=format_duration(words, get_round_length(stored)),
                explanation=words.translate("How long a round of Countdown lasts."),
                choices=[
                    Choice(str(length), format_duration(words, length), length)
                    for length in rules.ROUND_LENGTHS
                ],
            )
        ]


class DrawEntries(Entries[Draw]):
    def award(self, round: Round, entries: Sequence[Entry]) -> tuple[Award, ...]:
        return rules.compute_awards(cast(Draw, round.puzzle), entries, round.opened)

    def is_valid(self, answer: str) -> bool:
        """Whether the answer can be read, and all its results are whole and not negative."""
        try:
            return rules.find_violation(solver.parse(answer)) is None
        except solver.ExpressionError:
            return False

    def is_best(self, puzzle: Draw, answer: str) -> bool:
        """Whether the answer is as near to the target as the best possible one."""
        return self.get_distance(puzzle, answer) <= abs(puzzle.best_value - puzzle.target)

    def get_distance(self, puzzle: Draw, answer: str) -> int:
        return abs(rules.evaluate_answer(answer) - puzzle.target)

    def get_time_limit(self, settings: StoredChoices) -> int:
        return get_round_length(settings)

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


class DrawQuestions(Questions):
    """/why with tiles and a target."""

    def list_steps(self, answer: str) -> list[str]:
        return view.list_steps(answer)

    def claims_expression(self, expression: solver.Expression) -> bool:
        """Whether it uses tiles and keeps the rules, with a large tile or a value near a possible target."""
        numbers = expression.numbers
        if not expression.op or not rules.can_be_drawn(numbers):
            return False
        if rules.find_violation(expression) is not None:
            return False
        if max(numbers) > rules.MAX_SMALL_TILE:
            return True
        least, stop = rules.TARGETS.start - rules.MAX_DISTANCE, rules.TARGETS.stop + rules.MAX_DISTANCE
        return least <= int(expression.value) < stop

    def can_explain(self, line: str) -> bool:
        """Whether the line has a possible target, and two or more numbers that can be tiles of one draw."""
        tiles, target = _parse_line(line)
        return target in rules.TARGETS and len(tiles) > 1 and rules.can_be_drawn(tiles)

    def render_error(self, words: Words, line: str) -> Html | None:
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
        answer = await pool.run_task(rules.find_best, tiles, target, deadline=limit, is_long=True)
        return Explanation(answer, lambda words: view.render_explanation(words, target, answer))


class DrawPractice(Practice[Draw]):
    skills: ClassVar = {"countdown": Skill()}

    def get_skill_name(self, words: Words, skill: str) -> str:
        """Return the title of the game: it has one skill, which every draw needs."""
        return TITLE

    def find_skills(self, puzzle: Draw) -> Collection[str]:
        return self.skills

    def render_advice(self, words: Words, skill: str) -> Html:
        """Return the same advice for every `skill`: the game has only one."""
        return words.translate(
            "Multiply a large tile by a small one to come near, then reach the target with the rest."
        )

    async def deal(self, pool: SolverPool, wish: PracticeWish, seed: int) -> Draw:
        """Deal a draw of the level nearest to the wish."""
        distances = {
            level: wish.measure_distance(seconds, self.skills)
            for level, seconds in solver.DRAW_SECONDS.items()
        }
        level = min(distances, key=distances.__getitem__)
        return await pool.run_task(rules.deal_draw_of_level, level, seed, tuple(wish.excluded))


class DrawPictures(GamePictures[Draw]):
    def make_deal_picture(self, puzzle: Draw) -> TilesPicture:
        return TilesPicture(puzzle.tiles, puzzle.target)

    def make_solution_tree(self, puzzle: Draw, answer: str) -> Node | None:
        return view.build_tree(answer)


class DrawTiles(TileBoard[Draw]):
    def make_tiles(self, puzzle: Draw) -> Tiles:
        """Return the tiles, which show their numbers; some may be left over, and near answers count."""
        numbers = tuple(map(str, puzzle.tiles))
        target = str(puzzle.target)
        return Tiles(
            numbers, labels=numbers, target=target, uses_all=False, whole_numbers_only=True, accepts_near=True
        )


def check_best_answer(draw: Draw, text: str) -> Verdict:
    """Judge an answer to the daily draw, where only the nearest possible value is right."""
    return _check_entry(draw, text, only_best=True)


def render_daily_task(words: Words) -> Html:
    return words.translate("Make the target. Where nobody can, come as near as these tiles allow.")


class Countdown(Game[Draw]):
    key = command = "countdown"
    aliases = ("numbers",)
    title = TITLE
    example_answer = "(25+50)*7+3"

    options = DrawDealOptions()
    bare_answers = BareExpressions()
    entries = DrawEntries()
    daily = Daily(check_best_answer, render_daily_task)
    practice = DrawPractice()
    questions = DrawQuestions()
    pictures = DrawPictures()
    tile_board = DrawTiles()

    async def deal(self, pool: SolverPool, settings: StoredChoices, options: Options, seed: int) -> Draw:
        """Deal a draw; only its large tiles depend on the options, and nothing on the settings."""
        large = options.large if isinstance(options, DrawOptions) else None
        return await pool.run_task(rules.deal_draw, seed, large)

    def pack(self, puzzle: Draw) -> str:
        return json.dumps(
            {
                "v": VERSION,
                "tiles": puzzle.tiles,
                "target": puzzle.target,
                "best": puzzle.best,
                "value": puzzle.best_value,
                "recipe": puzzle.recipe,
            }
        )

    def unpack(self, packed: str, level: str, expected: float) -> Draw:
        stored = parse_object(packed)
        if stored.get("v") != VERSION or level not in LEVELS:
            raise ValueError("no draw of a known version and level")
        return Draw(
            tiles=tuple(map(int, stored["tiles"])),
            target=int(stored["target"]),
            best=str(stored["best"]),
            best_value=int(stored["value"]),
            level=level,
            expected=expected,
            recipe=stored.get("recipe", ""),
        )

    def check(self, puzzle: Draw, text: str) -> Verdict:
        """Judge the expression in a text that is nearest to the target; RIGHT up to `MAX_DISTANCE` away."""
        return _check_entry(puzzle, text, only_best=False)

    def solutions(self, puzzle: Draw) -> tuple[str, ...]:
        return (puzzle.best,) if puzzle.best else ()

    def format_answer(self, puzzle: Draw, answer: str) -> str:
        return view.format_answer(answer)

    def render_solutions(self, words: Words, round: Round, finds: Sequence[Find], limit: int) -> list[Html]:
        """Render the best answer unless a find is as near; with its steps if `limit` is more than 1."""
        draw = cast(Draw, round.puzzle)
        if not draw.best or any(self.entries.is_best(draw, find.answer) for find in finds):
            return []  # It is empty where nobody may see it yet
        steps = view.list_steps(draw.best) if limit > 1 else []
        best = words.translate("Best: <b>{best}</b>", best=view.format_answer(draw.best))
        return [best, *(Html(f"   {escape_value(step)}") for step in steps)]

    def render_menu_line(self, words: Words) -> str:
        return words.translate_plain("six tiles and a target")

    def render_about(self, words: Words) -> Html:
        return words.translate(
            "<b>Countdown</b>: six tiles and a target.\nCome as near as you can, each tile at most once."
        )

    def render_deal(self, puzzle: Draw) -> list[Html]:
        return [Html(f"🎯 <b>{puzzle.target}</b>"), Html(escape_value(puzzle.line))]

    def task(self, words: Words, round: Round, finds: Sequence[Find], audience: Audience) -> Html:
        task = words.translate(
            "Make {target} with + − × ÷ or come within {most}.\nEach tile at most once.",
            target=cast(Draw, round.puzzle).target,
            most=rules.MAX_DISTANCE,
        )
        if audience is Audience.HEARD:
            return Html(f"{task}\n{words.translate('Send as many answers as you like.')}")
        if audience is Audience.GROUP:
            return Html(f"{task}\n{words.translate('Reply to answer; your last one counts.')}")
        return task


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
    render_reason = partial(view.render_too_far, draw=draw, value=value, only_best=only_best)
    return Verdict(VerdictKind.WRONG, str(entry), render_reason=render_reason)


def _check_without_entry(draw: Draw, text: str, expressions: Sequence[solver.Expression]) -> Verdict:
    """Judge a text without a valid entry: it breaks the rules, has other numbers, can't be read, or is talk.

    `expressions` are those of the drawn tiles that were found in it.
    """
    first = expressions[0] if expressions else None
    violation = rules.find_violation(first) if first else None
    if violation is not None:
        render_reason = partial(view.render_violation, part=violation)
        return Verdict(VerdictKind.WRONG, str(first), render_reason=render_reason)
    other = answer_parser.find_computation(text) if answer_parser.is_answer(text) else None
    if isinstance(other, solver.Expression):
        extra = sorted((Counter(other.numbers) - Counter(draw.tiles)).elements())
        render_reason = partial(view.render_wrong_tiles, draw=draw, extra=extra)
        return Verdict(VerdictKind.WRONG_NUMBERS, render_reason=render_reason)
    # What remains is unreadable or talk
    error, is_meant = answer_parser.judge_answer(text, draw.tiles, draw.target)
    if not isinstance(error, solver.Unreadable):
        return Verdict(VerdictKind.TALK)
    render_reason = partial(render_reading_error, reason=error.reason, fragment=error.fragment)
    kind = VerdictKind.UNREADABLE if is_meant else VerdictKind.TALK
    return Verdict(kind, render_reason=render_reason)
