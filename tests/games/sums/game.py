"""A game for tests: the first player who writes the sum of the numbers wins."""

import json
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from bot.i18n import Html, Words
from bot.players.choices import StoredChoices
from bot.rounds.game import Game
from bot.rounds.puzzle import Audience, Find, Options, Verdict, VerdictKind
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

    def render_menu_line(self, words: Words) -> str:
        return words.translate_plain("add three numbers up")

    async def deal(self, pool: SolverPool, settings: StoredChoices, options: Options, seed: int) -> Addends:
        return await pool.run_task(deal_addends, seed)

    def check(self, puzzle: Addends, text: str) -> Verdict:
        if not re.fullmatch(r"[0-9]{1,4}", text.strip()):
            return Verdict(
                VerdictKind.UNREADABLE, render_reason=lambda words: words.translate("Write a whole number.")
            )
        value = int(text)
        distance = abs(value - sum(puzzle.numbers))
        if distance == 0:
            return Verdict(VerdictKind.RIGHT, str(value))

        def render_reason(words: Words) -> Html:
            return words.translate("{number} is not the sum.", number=value)

        return Verdict(VerdictKind.WRONG, str(value), Fraction(value), distance, render_reason)

    def pack(self, puzzle: Addends) -> str:
        return json.dumps({"v": 1, "numbers": puzzle.numbers})

    def unpack(self, packed: str, level: str, expected: float) -> Addends:
        return Addends(tuple(json.loads(packed)["numbers"]), level, expected)

    def task(self, words: Words, round: Round, finds: Sequence[Find], audience: Audience) -> Html:
        if audience is Audience.HEARD:
            return words.translate("Send the sum of the numbers.")
        if audience is Audience.GROUP:
            return words.translate("Reply with the sum of the numbers.")
        return words.translate("The players add the numbers up.")

    def solutions(self, puzzle: Addends) -> tuple[str, ...]:
        return (str(sum(puzzle.numbers)),)

    def format_answer(self, puzzle: Addends, answer: str) -> str:
        return f"{' + '.join(map(str, puzzle.numbers))} = {answer}"
