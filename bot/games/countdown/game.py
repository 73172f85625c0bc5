"""Countdown as a game among others: everybody hands in until the end, and the nearest wins."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import solver
from bot.admin.settings.choices import Setting
from bot.games.countdown import dealing, pictures, rules, view
from bot.games.countdown.rules import Draw, Wanted
from bot.games.countdown.steps import worked
from bot.games.written import reading
from bot.games.written.game import Written
from bot.games.written.wording import unreadable
from bot.i18n import Html, Words
from bot.pictures import values
from bot.rounds.puzzle import (
    Entry,
    Explained,
    Find,
    Fit,
    Kind,
    Level,
    Options,
    Played,
    Tiles,
    Verdict,
    one_of,
)
from bot.rounds.rules import Award, Round
from bot.standings.ratings.rules import Match
from bot.workers.pool import Pool


class Countdown(Written[Draw]):
    """Countdown's numbers round."""

    key = command = "countdown"
    aliases = ("numbers",)
    title = "Countdown"
    kind, levels = Kind.BEST, False
    example = "(25+50)*7+3"
    skills = ("countdown",)

    def menu(self, words: Words) -> str:
        return view.menu(words)

    def about(self, words: Words) -> Html:
        return view.about(words)

    def options(self, words: Words, text: str) -> Wanted:
        """How many large tiles, 0 to 4. Raises UnknownWordError."""
        return rules.wanted(text)

    def usage(self, words: Words, fragment: str) -> Html:
        return view.usage(words, fragment)

    def usual(self) -> Collection[str]:
        return {str(count) for count in rules.LARGE}

    async def deal(self, pool: Pool, chosen: Mapping[str, Any], options: Options, seed: int) -> Draw:
        return await pool.ask(dealing.draw, seed, _wanted(options).large)

    def seconds(self, chosen: Mapping[str, Any]) -> float:
        return float(_seconds(chosen))

    def race(self, level: Level | None) -> Wanted:
        """Every draw is left to chance: a level can't be asked for."""
        return Wanted(kind=Kind.BEST)

    def of_the_day(self, level: Level) -> Wanted:
        """Any draw: a level can't be asked for."""
        return self.race(level)

    def check_of_the_day(self, puzzle: Draw, text: str) -> Verdict:
        """Right is what comes as near as these tiles can; what could come nearer is told so."""
        verdict = self._checked(puzzle, text, abs(puzzle.value - puzzle.target))
        if verdict.fit is not Fit.WRONG or not verdict.answer or rules.barred(solver.parse(verdict.answer)):
            return verdict
        return replace(verdict, why=lambda words: view.nearer(words, puzzle, rules.value_of(verdict.answer)))

    def task_of_the_day(self, words: Words) -> Html:
        return view.task_of_the_day(words)

    def alike(self, puzzle: Draw, kind: Kind) -> Wanted:
        """As many large tiles."""
        return Wanted(kind=Kind.BEST, large=sum(tile > 10 for tile in puzzle.tiles))

    def pack_options(self, options: Options) -> dict[str, Any]:
        return rules.pack_wanted(_wanted(options))

    def unpack_options(self, packed: Mapping[str, Any], kind: Kind) -> Wanted:
        """What was asked again, whatever kind of round it is for: there is one."""
        return rules.unpack_wanted(packed)

    def settings(self, words: Words, stored: Mapping[str, Any]) -> list[Setting]:
        return view.settings(words, _seconds(stored))

    def pack(self, puzzle: Draw) -> dict[str, Any]:
        return rules.pack(puzzle)

    def unpack(self, packed: Mapping[str, Any], level: str, expected: float) -> Draw:
        return rules.unpack(packed, level, expected)

    def proof(self, puzzle: Draw) -> str:
        return puzzle.proof

    def answers(self, puzzle: Draw) -> tuple[str, ...]:
        return (puzzle.best,) if puzzle.best else ()

    # Right answers

    def check(self, puzzle: Draw, text: str) -> Verdict:
        """By the rules of the game; of several expressions in a text the nearest that counts."""
        return self._checked(puzzle, text, rules.REACH)

    def _checked(self, puzzle: Draw, text: str, most: int) -> Verdict:
        """The verdict where what is up to `most` away counts."""
        made = [e for e, _ in reading.tries(text, puzzle.tiles, puzzle.target, every=False)]
        made += [solver.Expression.leaf(int(text))] if _is_tile(text, puzzle) else []
        fine = [e for e in made if rules.barred(e) is None]
        if not fine:
            return self._without(puzzle, text, made)
        entry = min(fine, key=lambda e: abs(e.value - puzzle.target))
        if abs(int(entry.value) - puzzle.target) <= most:
            return Verdict(Fit.RIGHT, str(entry))
        return Verdict(Fit.WRONG, str(entry), why=lambda words: view.too_far(words, puzzle, int(entry.value)))

    def _without(self, puzzle: Draw, text: str, made: Sequence[solver.Expression]) -> Verdict:
        """The verdict on a text in which nothing counts."""
        if made and (why := rules.barred(made[0])) is not None:
            return Verdict(Fit.WRONG, str(made[0]), why=lambda words: view.not_whole(words, why))
        other = reading.first(text) if reading.is_answer(text) else None
        if not isinstance(other, solver.Expression):
            return self._unread(puzzle, text)
        extra = sorted((Counter(other.numbers) - Counter(puzzle.tiles)).elements())
        return Verdict(Fit.OTHER, why=lambda words: view.wrong_tiles(words, puzzle, extra))

    def _unread(self, puzzle: Draw, text: str) -> Verdict:
        """The verdict on a text in which no expression can be read."""
        verdict, is_one = reading.judge(text, puzzle.tiles, puzzle.target)
        if not isinstance(verdict, solver.Unreadable):
            return Verdict(Fit.TALK)
        reason, fragment = verdict.reason, verdict.fragment

        def why(words: Words) -> Html:
            return unreadable(words, reason, fragment)

        return Verdict(Fit.UNREADABLE if is_one else Fit.TALK, why=why)

    def is_entry(self, answer: str) -> bool:
        return rules.is_entry(answer)

    def close(self, round: Round, entries: Sequence[Entry]) -> tuple[Award, ...]:
        return rules.awards(_of(round), entries, round.opened)

    def match(self, round: Round, played: Sequence[Played]) -> Match:
        """The nearer the better; whoever comes as near as anybody can has beaten the draw."""
        return rules.match(_of(round), played)

    def closes(self, round: Round, entries: Sequence[Entry], told: float) -> float | None:
        return rules.closes(_of(round), entries, told, alone=round.chat_id > 0)

    # What is explained

    def steps(self, answer: str) -> tuple[str, ...]:
        return worked(solver.parse(answer))

    def owns(self, expression: solver.Expression) -> bool:
        return rules.is_line(expression)

    def asks(self, line: str) -> bool:
        """Tiles that can be drawn together, and what may be a target."""
        return rules.is_question(*_numbers(line))

    def misasked(self, words: Words, line: str) -> Html | None:
        tiles, target = _numbers(line)
        return view.no_target(words, tiles) if rules.lacks_target(tiles, target) else None

    async def explain(self, pool: Pool, line: str) -> Explained:
        tiles, target = _numbers(line)
        answer = await dealing.best(pool, tiles, target)
        return Explained(answer, lambda words: view.explained(words, target, answer))

    # What can be practised

    def skill_name(self, words: Words, skill: str) -> str:
        return self.title

    def advice(self, words: Words, skill: str) -> Html:
        return view.advice(words)

    def skills_of(self, puzzle: Draw) -> tuple[str, ...]:
        return self.skills

    async def practise(
        self, pool: Pool, skill: str, level: Level, seed: int, but: Collection[tuple[int, ...]]
    ) -> Draw:
        return await dealing.practise(pool, level, seed, but)

    def settles(self, puzzle: Draw, answer: str) -> bool:
        """Whether nothing comes nearer."""
        return abs(rules.value_of(answer) - puzzle.target) <= abs(puzzle.value - puzzle.target)

    # What is said

    def dealt(self, puzzle: Draw) -> list[Html]:
        return view.dealt(puzzle)

    def table(self, puzzle: Draw) -> values.Draw:
        return pictures.of(puzzle)

    def tiles(self, puzzle: Draw) -> Tiles:
        return view.tiles(puzzle)

    def tree(self, puzzle: Draw, answer: str) -> values.Node | None:
        return pictures.tree(answer)

    def missed(self, puzzle: Draw, answer: str) -> str:
        return "" if rules.value_of(answer) == puzzle.target else f"→ {puzzle.target}"

    def task(self, words: Words, round: Round, found: Sequence[Find], *, private: bool) -> Html:
        return view.task(words, private=private)

    def rule(self, words: Words, round: Round, found: Sequence[Find]) -> Html:
        return view.rule(words)

    def shown(self, puzzle: Draw, answer: str) -> str:
        return view.shown(answer)

    def solutions(self, words: Words, round: Round, found: Sequence[Find], most: int) -> list[Html]:
        """The best possible with its steps, and how many targets are within reach."""
        draw = _of(round)
        exact = any(rules.value_of(f.answer) == draw.target for f in found)
        return view.solutions(words, draw, exact=exact)

    def solution(self, puzzle: Draw) -> str:
        return view.shown(puzzle.best) if puzzle.best else ""


def _wanted(options: Options) -> Wanted:
    return options if isinstance(options, Wanted) else Wanted(kind=Kind.BEST)


def _of(round: Round) -> Draw:
    if not isinstance(round.puzzle, Draw):
        raise TypeError(f"a round of another game: {round.game!r}")
    return round.puzzle


def _seconds(stored: Mapping[str, Any]) -> int:
    return int(one_of(stored.get("countdown_seconds"), rules.LENGTHS, rules.SECONDS))


def _is_tile(text: str, draw: Draw) -> bool:
    """Whether the text is one of the tiles: that is the plainest entry there is."""
    written = text.strip()
    return written.isascii() and written.isdigit() and len(written) <= 3 and int(written) in draw.tiles


@lru_cache(16_384)
def _numbers(line: str) -> tuple[tuple[int, ...], int]:
    """The tiles and the target of a line. Raises ValueError for a line of another game."""
    dealt, _, goal = line.partition(" → ")
    return tuple(int(tile) for tile in dealt.split()), int(goal)
