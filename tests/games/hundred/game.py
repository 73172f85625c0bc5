"""A game as a newcomer would add it: make 100 out of six digits."""

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass

import solver
from bot.formats import format_expression
from bot.games.expressions.game import BareExpressions, check_expression
from bot.i18n import Html, Words
from bot.players.choices import StoredChoices
from bot.rounds.game import Game
from bot.rounds.puzzle import Audience, Find, Options, Verdict
from bot.rounds.rules import Round
from bot.workers.pool import SolverPool

TARGET = 100


@dataclass(frozen=True, slots=True)
class Digits:
    digits: tuple[int, ...]
    solution: str
    level: str = "hard"
    expected: float = 60.0

    @property
    def line(self) -> str:
        return f"{' '.join(map(str, self.digits))} → {TARGET}"


def deal_digits(seed: int) -> Digits:
    """Return six digits that make 100; a task of the workers."""
    rng = random.Random(seed)
    while True:
        digits = tuple(rng.randint(1, 9) for _ in range(6))
        for solution in solver.solve(digits, TARGET, limit=1):
            return Digits(digits, str(solution))


class MakeHundred(Game[Digits]):
    key = command = "hundred"
    title = "Make 100"
    example_answer = "2*(3+6+9+4*8)"
    bare_answers = BareExpressions()

    def render_menu_line(self, words: Words) -> str:
        return words.translate_plain("make 100 out of six digits")

    async def deal(self, pool: SolverPool, settings: StoredChoices, options: Options, seed: int) -> Digits:
        return await pool.run_task(deal_digits, seed)

    def pack(self, puzzle: Digits) -> str:
        return json.dumps({"v": 1, "digits": puzzle.digits, "solution": puzzle.solution})

    def unpack(self, packed: str, level: str, expected: float) -> Digits:
        stored = json.loads(packed)
        return Digits(tuple(stored["digits"]), stored["solution"], level, expected)

    def check(self, puzzle: Digits, text: str) -> Verdict:
        return check_expression(text, puzzle.digits, TARGET)

    def task(self, words: Words, round: Round, finds: Sequence[Find], audience: Audience) -> Html:
        if audience is Audience.HEARD:
            return words.translate("Make 100: each digit once, + − × ÷ ( ). Send your answer.")
        if audience is Audience.GROUP:
            return words.translate("Make 100: each digit once, + − × ÷ ( ). Reply to answer.")
        return words.translate("Make 100: each digit once, + − × ÷ ( ).")

    def solutions(self, puzzle: Digits) -> Sequence[str]:
        return (puzzle.solution,)

    def format_answer(self, puzzle: Digits, answer: str) -> str:
        return f"{format_expression(answer)} = {TARGET}"
