"""The game of Countdown: everybody hands in entries until the end, and the nearest wins."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

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
    Entry,
    Explanation,
    Find,
    Kind,
    Level,
    Options,
    PlayerResult,
    Tiles,
    Verdict,
    VerdictKind,
    keep_if_allowed,
)
from bot.rounds.rules import Award, Round
from bot.standings.ratings.rules import Match
from bot.workers.pool import SolverPool


class Countdown(ExpressionGame[Draw]):
    """Countdown's numbers round."""

    key = command = "countdown"
    aliases = ("numbers",)
    title = "Countdown"
    default_kind, has_levels = Kind.BEST, False
    example_answer = "(25+50)*7+3"
    skills = ("countdown",)

    # Options and deals

    def parse_options(self, words: Words, text: str) -> DrawOptions:
        return rules.parse_options(text)

    def get_quick_words(self) -> Collection[str]:
        return {str(count) for count in rules.LARGE_TILE_COUNTS}

    def get_race_options(self, level: Level | None) -> DrawOptions:
        """Return the default options: draws have no levels to choose."""
        return DrawOptions(kind=Kind.BEST)

    def get_daily_options(self, level: Level) -> DrawOptions:
        """Return the default options: draws have no levels to choose."""
        return DrawOptions(kind=Kind.BEST)

    def get_similar_options(self, puzzle: Draw, kind: Kind) -> DrawOptions:
        """Return options for a draw with as many large tiles."""
        large_tiles = sum(tile > rules.MAX_SMALL_TILE for tile in puzzle.tiles)
        return DrawOptions(kind=Kind.BEST, large_tiles=large_tiles)

    def pack_options(self, options: Options) -> dict[str, Any]:
        return rules.pack_options(_get_draw_options(options))

    def unpack_options(self, packed: Mapping[str, Any], kind: Kind) -> DrawOptions:
        return rules.unpack_options(packed)

    def get_time_limit(self, chosen: Mapping[str, Any]) -> float:
        return float(_get_round_length(chosen))

    def list_settings(self, words: Words, stored: Mapping[str, Any]) -> list[Setting]:
        return [
            Setting(
                "countdown_seconds",
                words.translate_plain("Countdown’s clock"),
                words.translate_plain("{n} s", n=_get_round_length(stored)),
                words.translate("How long a round of Countdown lasts."),
                make_number_choices(rules.ROUND_LENGTHS),
            )
        ]

    async def deal(self, pool: SolverPool, chosen: Mapping[str, Any], options: Options, seed: int) -> Draw:
        return await pool.run_task(dealing.deal_draw, seed, _get_draw_options(options).large_tiles)

    def pack(self, puzzle: Draw) -> dict[str, Any]:
        return rules.pack_draw(puzzle)

    def unpack(self, packed: Mapping[str, Any], level: str, expected: float) -> Draw:
        return rules.unpack_draw(packed, level, expected)

    def get_proof(self, puzzle: Draw) -> str:
        return puzzle.proof

    # Entries

    def check(self, puzzle: Draw, text: str) -> Verdict:
        """Judge the expression in a text that is nearest to the target."""
        return _check_entry(puzzle, text, rules.MAX_DISTANCE)

    def check_daily(self, puzzle: Draw, text: str) -> Verdict:
        """Judge an answer to the daily draw, where only the nearest possible value is right."""
        verdict = _check_entry(puzzle, text, abs(puzzle.best_value - puzzle.target))
        if verdict.kind is not VerdictKind.WRONG or not rules.is_valid_entry(verdict.answer):
            return verdict
        value = rules.evaluate_answer(verdict.answer)
        return replace(verdict, render_reason=lambda words: view.render_not_nearest(words, puzzle, value))

    def is_valid_entry(self, answer: str) -> bool:
        return rules.is_valid_entry(answer)

    def get_early_deadline(self, round: Round, entries: Sequence[Entry], told: float) -> float | None:
        return rules.compute_close_time(_get_draw(round), entries, told, alone=round.chat_id > 0)

    def award_entries(self, round: Round, entries: Sequence[Entry]) -> tuple[Award, ...]:
        return rules.compute_awards(_get_draw(round), entries, round.opened)

    def make_rating_match(self, round: Round, played: Sequence[PlayerResult]) -> Match:
        return rules.build_match(_get_draw(round), played)

    # Solutions

    def list_best_answers(self, puzzle: Draw) -> tuple[str, ...]:
        return (puzzle.best,) if puzzle.best else ()

    def is_best_answer(self, puzzle: Draw, answer: str) -> bool:
        return abs(rules.evaluate_answer(answer) - puzzle.target) <= abs(puzzle.best_value - puzzle.target)

    def format_answer(self, puzzle: Draw, answer: str) -> str:
        return view.format_answer(answer)

    def solution(self, puzzle: Draw) -> str:
        return view.format_answer(puzzle.best) if puzzle.best else ""

    def get_missed_target(self, puzzle: Draw, answer: str) -> str:
        return "" if rules.evaluate_answer(answer) == puzzle.target else f"→ {puzzle.target}"

    def list_steps(self, answer: str) -> tuple[str, ...]:
        return steps.list_steps(solver.parse(answer))

    def make_solution_tree(self, puzzle: Draw, answer: str) -> Node | None:
        return steps.build_tree(answer)

    def render_solutions(self, words: Words, round: Round, found: Sequence[Find], most: int) -> list[Html]:
        """Render the best answer unless the target was made, and the number of targets within reach."""
        draw = _get_draw(round)
        exact = any(rules.evaluate_answer(find.answer) == draw.target for find in found)
        return view.render_solutions(words, draw, exact=exact)

    # Questions: /why with tiles and a target

    def claims_expression(self, expression: solver.Expression) -> bool:
        return rules.is_draw_expression(expression)

    def can_explain(self, line: str) -> bool:
        return rules.is_draw_question(*_parse_line(line))

    def render_question_error(self, words: Words, line: str) -> Html | None:
        tiles, target = _parse_line(line)
        return view.render_invalid_target(words, tiles) if rules.has_invalid_target(tiles, target) else None

    async def explain(self, pool: SolverPool, line: str) -> Explanation:
        tiles, target = _parse_line(line)
        answer = await dealing.find_best(pool, tiles, target)
        return Explanation(answer, lambda words: view.render_explanation(words, target, answer))

    # Practice

    def get_skill_name(self, words: Words, skill: str) -> str:
        return self.title

    def get_skills(self, puzzle: Draw) -> tuple[str, ...]:
        return self.skills

    def render_advice(self, words: Words, skill: str) -> Html:
        return words.translate(
            "Make a large tile times a small one come near first; the rest mends what is missing."
        )

    async def deal_practice(
        self, pool: SolverPool, skill: str, level: Level, seed: int, but: Collection[tuple[int, ...]]
    ) -> Draw:
        return await pool.run_task(dealing.deal_draw_of_level, level, seed, tuple(but))

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
        numbers, target = tuple(map(str, puzzle.tiles)), str(puzzle.target)
        return Tiles(numbers, numbers, target, uses_all=False, whole_numbers_only=True, accepts_near=True)

    def task(self, words: Words, round: Round, found: Sequence[Find], *, private: bool) -> Html:
        if private:
            return words.translate("Come near: each tile at most once.\nSend as many answers as you like.")
        return words.translate("Come near: each tile at most once.\nReply to answer; your last one counts.")

    def render_rule(self, words: Words, round: Round, found: Sequence[Find]) -> Html:
        return words.translate("Come near: each tile at most once.")

    def render_daily_task(self, words: Words) -> Html:
        return words.translate("Make the target. Where nobody can, come as near as these tiles allow.")


def _get_draw_options(options: Options) -> DrawOptions:
    return options if isinstance(options, DrawOptions) else DrawOptions(kind=Kind.BEST)


def _get_draw(round: Round) -> Draw:
    if not isinstance(round.puzzle, Draw):
        raise TypeError(f"a round of another game: {round.game!r}")
    return round.puzzle


def _get_round_length(settings: Mapping[str, Any]) -> int:
    seconds = settings.get("countdown_seconds")
    return int(keep_if_allowed(seconds, rules.ROUND_LENGTHS, rules.DEFAULT_ROUND_LENGTH))


@lru_cache(16_384)
def _parse_line(line: str) -> tuple[tuple[int, ...], int]:
    """Return the tiles and the target of a line. Raises ValueError for a line of another game."""
    tiles, _, target = line.partition(" → ")
    return tuple(int(tile) for tile in tiles.split()), int(target)


def _check_entry(draw: Draw, text: str, max_distance: int) -> Verdict:
    """Judge a text; an expression by the rules is right up to `max_distance` from the target."""
    attempts = answer_parser.find_attempts(text, draw.tiles, draw.target, use_all=False)
    expressions = [expression for expression, _ in attempts]
    expressions += [solver.Expression.leaf(int(text))] if _is_tile(text, draw) else []
    allowed = [e for e in expressions if rules.find_violation(e) is None]
    if not allowed:
        return _check_without_entry(draw, text, expressions)
    entry = min(allowed, key=lambda e: abs(e.value - draw.target))
    value = int(entry.value)
    if abs(value - draw.target) <= max_distance:
        return Verdict(VerdictKind.RIGHT, str(entry))
    return Verdict(
        VerdictKind.WRONG, str(entry), render_reason=lambda words: view.render_too_far(words, draw, value)
    )


def _is_tile(text: str, draw: Draw) -> bool:
    """Whether the text is one of the tiles, which is an entry too."""
    return text.strip() in map(str, draw.tiles)


def _check_without_entry(draw: Draw, text: str, expressions: Sequence[solver.Expression]) -> Verdict:
    """Judge a text in which no expression of the tiles keeps the rules."""
    if expressions and (violation := rules.find_violation(expressions[0])) is not None:
        return Verdict(
            VerdictKind.WRONG,
            str(expressions[0]),
            render_reason=lambda words: view.render_violation(words, violation),
        )
    other = answer_parser.find_computation(text) if answer_parser.is_answer(text) else None
    if isinstance(other, solver.Expression):
        extra = sorted((Counter(other.numbers) - Counter(draw.tiles)).elements())
        return Verdict(
            VerdictKind.WRONG_NUMBERS,
            render_reason=lambda words: view.render_wrong_tiles(words, draw, extra),
        )
    verdict, is_meant = answer_parser.judge_answer(text, draw.tiles, draw.target)
    if not isinstance(verdict, solver.Unreadable):
        return Verdict(VerdictKind.TALK)
    reason, fragment = verdict.reason, verdict.fragment
    return Verdict(
        VerdictKind.UNREADABLE if is_meant else VerdictKind.TALK,
        render_reason=lambda words: render_reading_error(words, reason, fragment),
    )
