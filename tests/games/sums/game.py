"""A game for tests: the first player who writes the sum of the numbers wins."""

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from bot.i18n import Html, Words
from bot.rounds.game import Game
from bot.rounds.puzzle import Find, Options, Verdict, VerdictKind
from bot.rounds.rules import Round
from bot.workers.pool import SolverPool


@dataclass(frozen=True, slots=True)
class Addends:
    """Numbers to add up."""

    numbers: tuple[int, ...]
    level: str = "easy"
    expected: float = 5.0

    @property
    def line(self) -> str:
        return f"{' '.join(map(str, self.numbers))} → +"


def deal_addends(seed: int) -> Addends:
    """Return three numbers; a task of the workers."""
    return Addends(tuple(random.Random(seed).sample(range(1, 100), 3)))


class Sums(Game[Addends]):
    """The first sum wins."""

    key = command = "sum"
    has_levels = False

    def render_menu_line(self, words: Words) -> str:
        return "add three numbers up"

    async def deal(
        self, pool: SolverPool, settings: Mapping[str, Any], options: Options, seed: int
    ) -> Addends:
        return await pool.run_task(deal_addends, seed)

    def check(self, puzzle: Addends, text: str) -> Verdict:
        if not re.fullmatch(r"[0-9]{1,4}", text.strip()):
            return Verdict(VerdictKind.UNREADABLE, render_reason=lambda words: Html("Write a whole number."))
        off = abs(int(text) - sum(puzzle.numbers))
        why = None if not off else lambda words: Html(f"{int(text)} is not the sum.")
        return Verdict(
            VerdictKind.WRONG if off else VerdictKind.RIGHT, text.strip(), Fraction(int(text)), off, why
        )

    def pack(self, puzzle: Addends) -> dict[str, Any]:
        return {"v": 1, "numbers": puzzle.numbers}

    def unpack(self, packed: Mapping[str, Any], level: str, expected: float) -> Addends:
        return Addends(tuple(packed["numbers"]), level, expected)

    def task(self, words: Words, round: Round, finds: Sequence[Find], *, private: bool) -> Html:
        return Html("Write the sum.")

    def list_best_answers(self, puzzle: Addends) -> tuple[str, ...]:
        return (str(sum(puzzle.numbers)),)

    def is_answer(self, text: str) -> bool:
        return text.strip().isdecimal()
