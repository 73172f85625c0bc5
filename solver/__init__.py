"""Number games, exactly: 24 with any numbers and any target, Countdown and Yahtzee. Standard library only."""

from solver.answer import Correct, Unreadable, Verdict, WrongNumbers, WrongValue, check
from solver.equivalence import form, idea
from solver.expression import Expression, ExpressionError, parse
from solver.search import ideas, solve

__all__ = [
    "Correct",
    "Expression",
    "ExpressionError",
    "Unreadable",
    "Verdict",
    "WrongNumbers",
    "WrongValue",
    "check",
    "form",
    "idea",
    "ideas",
    "parse",
    "solve",
]
