"""Countdown as a game among others: everybody hands in until the end, and the nearest wins."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import solver
from bot.admin.settings.choices import Setting
from bot.games.countdown import dealing, rules, steps, view
from bot.games.countdown.rules import Draw, DrawOptions
from bot.games.countdown.steps import list_steps
from bot.games.expressions import answer_parser
from bot.games.expressions.game import ExpressionGame
from bot.games.expressions.view import render_reading_error
from bot.i18n import Html, Words
from bot.pictures import values
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

    def render_menu_line(self, words: Words) -> str:
        return view.render_menu_line(words)

    def render_about(self, words: Words) -> Html:
        return view.render_rules(words)

    def parse_options(self, words: Words, text: str) -> DrawOptions:
        """How many large tiles, 0 to 4. Raises UnknownWordError."""
        return rules.parse_options(text)

    def render_usage(self, words: Words, fragment: str) -> Html:
        return view.render_usage(words, fragment)

    def get_quick_words(self) -> Collection[str]:
        return {str(count) for count in rules.LARGE_TILE_COUNTS}

    async def deal(self, pool: SolverPool, chosen: Mapping[str, Any], options: Options, seed: int) -> Draw:
        return await pool.run_task(dealing.deal_draw, seed, _wanted(options).large_tiles)

    def get_time_limit(self, chosen: Mapping[str, Any]) -> float:
        return float(_seconds(chosen))

    def get_race_options(self, level: Level | None) -> DrawOptions:
        """Every draw is left to chance: a level can't be asked for."""
        return DrawOptions(kind=Kind.BEST)

    def get_daily_options(self, level: Level) -> DrawOptions:
        """Any draw: a level can't be asked for."""
        return self.get_race_options(level)

    def check_daily(self, puzzle: Draw, text: str) -> Verdict:
        """Right is what comes as near as these tiles can; what could come nearer is told so."""
        verdict = self._checked(puzzle, text, abs(puzzle.best_value - puzzle.target))
        if (
            verdict.kind is not VerdictKind.WRONG
            or not verdict.answer
            or rules.find_violation(solver.parse(verdict.answer))
        ):
            return verdict
        return replace(
            verdict,
            render_reason=lambda words: view.render_not_nearest(
                words, puzzle, rules.evaluate_answer(verdict.answer)
            ),
        )

    def render_daily_task(self, words: Words) -> Html:
        return view.render_daily_task(words)

    def get_similar_options(self, puzzle: Draw, kind: Kind) -> DrawOptions:
        """As many large tiles."""
        return DrawOptions(kind=Kind.BEST, large_tiles=sum(tile > 10 for tile in puzzle.tiles))

    def pack_options(self, options: Options) -> dict[str, Any]:
        return rules.pack_options(_wanted(options))

    def unpack_options(self, packed: Mapping[str, Any], kind: Kind) -> DrawOptions:
        """What was asked again, whatever kind of round it is for: there is one."""
        return rules.unpack_options(packed)

    def list_settings(self, words: Words, stored: Mapping[str, Any]) -> list[Setting]:
        return view.list_settings(words, _seconds(stored))

    def pack(self, puzzle: Draw) -> dict[str, Any]:
        return rules.pack_draw(puzzle)

    def unpack(self, packed: Mapping[str, Any], level: str, expected: float) -> Draw:
        return rules.unpack_draw(packed, level, expected)

    def get_proof(self, puzzle: Draw) -> str:
        return puzzle.proof

    def list_best_answers(self, puzzle: Draw) -> tuple[str, ...]:
        return (puzzle.best,) if puzzle.best else ()

    # Right answers

    def check(self, puzzle: Draw, text: str) -> Verdict:
        """By the rules of the game; of several expressions in a text the nearest that counts."""
        return self._checked(puzzle, text, rules.MAX_DISTANCE)

    def _checked(self, puzzle: Draw, text: str, most: int) -> Verdict:
        """The verdict where what is up to `most` away counts."""
        made = [e for e, _ in answer_parser.find_attempts(text, puzzle.tiles, puzzle.target, use_all=False)]
        made += [solver.Expression.leaf(int(text))] if _is_tile(text, puzzle) else []
        fine = [e for e in made if rules.find_violation(e) is None]
        if not fine:
            return self._without(puzzle, text, made)
        entry = min(fine, key=lambda e: abs(e.value - puzzle.target))
        if abs(int(entry.value) - puzzle.target) <= most:
            return Verdict(VerdictKind.RIGHT, str(entry))
        return Verdict(
            VerdictKind.WRONG,
            str(entry),
            render_reason=lambda words: view.render_too_far(words, puzzle, int(entry.value)),
        )

    def _without(self, puzzle: Draw, text: str, made: Sequence[solver.Expression]) -> Verdict:
        """The verdict on a text in which nothing counts."""
        if made and (why := rules.find_violation(made[0])) is not None:
            return Verdict(
                VerdictKind.WRONG, str(made[0]), render_reason=lambda words: view.render_violation(words, why)
            )
        other = answer_parser.find_computation(text) if answer_parser.is_answer(text) else None
        if not isinstance(other, solver.Expression):
            return self._unread(puzzle, text)
        extra = sorted((Counter(other.numbers) - Counter(puzzle.tiles)).elements())
        return Verdict(
            VerdictKind.WRONG_NUMBERS,
            render_reason=lambda words: view.render_wrong_tiles(words, puzzle, extra),
        )

    def _unread(self, puzzle: Draw, text: str) -> Verdict:
        """The verdict on a text in which no expression can be read."""
        verdict, is_one = answer_parser.judge_answer(text, puzzle.tiles, puzzle.target)
        if not isinstance(verdict, solver.Unreadable):
            return Verdict(VerdictKind.TALK)
        reason, fragment = verdict.reason, verdict.fragment

        def why(words: Words) -> Html:
            return render_reading_error(words, reason, fragment)

        return Verdict(VerdictKind.UNREADABLE if is_one else VerdictKind.TALK, render_reason=why)

    def is_valid_entry(self, answer: str) -> bool:
        return rules.is_valid_entry(answer)

    def award_entries(self, round: Round, entries: Sequence[Entry]) -> tuple[Award, ...]:
        return rules.compute_awards(_of(round), entries, round.opened)

    def make_rating_match(self, round: Round, played: Sequence[PlayerResult]) -> Match:
        """The nearer the better; whoever comes as near as anybody can has beaten the draw."""
        return rules.build_match(_of(round), played)

    def get_early_deadline(self, round: Round, entries: Sequence[Entry], told: float) -> float | None:
        return rules.compute_close_time(_of(round), entries, told, alone=round.chat_id > 0)

    # What is explained

    def list_steps(self, answer: str) -> tuple[str, ...]:
        return list_steps(solver.parse(answer))

    def claims_expression(self, expression: solver.Expression) -> bool:
        return rules.is_draw_expression(expression)

    def can_explain(self, line: str) -> bool:
        """Tiles that can be drawn together, and what may be a target."""
        return rules.is_draw_question(*_numbers(line))

    def render_question_error(self, words: Words, line: str) -> Html | None:
        tiles, target = _numbers(line)
        return view.render_invalid_target(words, tiles) if rules.has_invalid_target(tiles, target) else None

    async def explain(self, pool: SolverPool, line: str) -> Explanation:
        tiles, target = _numbers(line)
        answer = await dealing.find_best(pool, tiles, target)
        return Explanation(answer, lambda words: view.render_explanation(words, target, answer))

    # What can be practised

    def get_skill_name(self, words: Words, skill: str) -> str:
        return self.title

    def render_advice(self, words: Words, skill: str) -> Html:
        return view.render_advice(words)

    def get_skills(self, puzzle: Draw) -> tuple[str, ...]:
        return self.skills

    async def deal_practice(
        self, pool: SolverPool, skill: str, level: Level, seed: int, but: Collection[tuple[int, ...]]
    ) -> Draw:
        return await dealing.deal_practice_draw(pool, level, seed, but)

    def is_best_answer(self, puzzle: Draw, answer: str) -> bool:
        """Whether nothing comes nearer."""
        return abs(rules.evaluate_answer(answer) - puzzle.target) <= abs(puzzle.best_value - puzzle.target)

    # What is said

    def render_deal(self, puzzle: Draw) -> list[Html]:
        return view.render_deal(puzzle)

    def make_deal_picture(self, puzzle: Draw) -> values.TilesPicture:
        return steps.build_draw_picture(puzzle)

    def get_tiles(self, puzzle: Draw) -> Tiles:
        return view.build_tiles(puzzle)

    def make_solution_tree(self, puzzle: Draw, answer: str) -> values.Node | None:
        return steps.build_tree(answer)

    def get_missed_target(self, puzzle: Draw, answer: str) -> str:
        return "" if rules.evaluate_answer(answer) == puzzle.target else f"→ {puzzle.target}"

    def task(self, words: Words, round: Round, found: Sequence[Find], *, private: bool) -> Html:
        return view.render_task(words, private=private)

    def render_rule(self, words: Words, round: Round, found: Sequence[Find]) -> Html:
        return view.render_rule(words)

    def format_answer(self, puzzle: Draw, answer: str) -> str:
        return view.format_answer(answer)

    def render_solutions(self, words: Words, round: Round, found: Sequence[Find], most: int) -> list[Html]:
        """The best possible with its steps, and how many targets are within reach."""
        draw = _of(round)
        exact = any(rules.evaluate_answer(f.answer) == draw.target for f in found)
        return view.render_solutions(words, draw, exact=exact)

    def solution(self, puzzle: Draw) -> str:
        return view.format_answer(puzzle.best) if puzzle.best else ""


def _wanted(options: Options) -> DrawOptions:
    return options if isinstance(options, DrawOptions) else DrawOptions(kind=Kind.BEST)


def _of(round: Round) -> Draw:
    if not isinstance(round.puzzle, Draw):
        raise TypeError(f"a round of another game: {round.game!r}")
    return round.puzzle


def _seconds(stored: Mapping[str, Any]) -> int:
    return int(
        keep_if_allowed(stored.get("countdown_seconds"), rules.ROUND_LENGTHS, rules.DEFAULT_ROUND_LENGTH)
    )


def _is_tile(text: str, draw: Draw) -> bool:
    """Whether the text is one of the tiles: that is the plainest entry there is."""
    written = text.strip()
    return written.isascii() and written.isdigit() and len(written) <= 3 and int(written) in draw.tiles


@lru_cache(16_384)
def _numbers(line: str) -> tuple[tuple[int, ...], int]:
    """The tiles and the target of a line. Raises ValueError for a line of another game."""
    dealt, _, goal = line.partition(" → ")
    return tuple(int(tile) for tile in dealt.split()), int(goal)
