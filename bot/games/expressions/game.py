"""Answers by an expression anywhere in a message."""

from collections.abc import Sequence

import solver
from bot.games.expressions import answer_parser
from bot.games.expressions.view import render_wrong_answer
from bot.i18n import Html, Words
from bot.rounds.capabilities import BareAnswers
from bot.rounds.puzzle import Verdict, VerdictKind


class BareExpressions(BareAnswers):
    is_answer = staticmethod(answer_parser.is_answer)
    looks_like_answer = staticmethod(answer_parser.looks_like_answer)
    may_contain_answer = staticmethod(answer_parser.may_contain_answer)


def check_expression(text: str, numbers: Sequence[int], target: int) -> Verdict:
    """Judge an answer that uses each number once, by exact fractions; TALK if it is not meant as one."""
    verdict, is_meant = answer_parser.judge_answer(text, numbers, target)
    if isinstance(verdict, solver.Correct):
        return Verdict(VerdictKind.RIGHT, str(verdict.expression))

    def render_reason(words: Words) -> Html:
        return render_wrong_answer(words, verdict, numbers, target)

    if not is_meant:
        return Verdict(VerdictKind.TALK, render_reason=render_reason)
    if isinstance(verdict, solver.WrongValue):
        distance = float(abs(verdict.value - target))
        answer = str(verdict.expression)
        return Verdict(
            VerdictKind.WRONG, answer, value=verdict.value, distance=distance, render_reason=render_reason
        )
    if isinstance(verdict, solver.WrongNumbers):
        return Verdict(VerdictKind.WRONG_NUMBERS, str(verdict.expression), render_reason=render_reason)
    return Verdict(VerdictKind.UNREADABLE, render_reason=render_reason)
