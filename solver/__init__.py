"""Number games, exactly: 24 with any numbers and any target, Countdown and Yahtzee. Standard library only.

Import from here: what lies behind may change. Each name is loaded when it is first used.
"""

import sys
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from solver import yahtzee
    from solver.answer import Correct, Unreadable, Verdict, WrongNumbers, WrongValue, check
    from solver.deal import Puzzle, deal
    from solver.difficulty import LEVELS, Rating, rate
    from solver.equivalence import form, idea
    from solver.expression import Expression
    from solver.hint import Intermediate, LastOperation, Skeleton, hints
    from solver.nearest import CLASSIC, COUNTDOWN, Nearest, Rules, nearest, reachable
    from solver.parser import ExpressionError, parse
    from solver.search import Family, families, ideas, solve

__all__ = [
    "CLASSIC",
    "COUNTDOWN",
    "LEVELS",
    "Correct",
    "Expression",
    "ExpressionError",
    "Family",
    "Intermediate",
    "LastOperation",
    "Nearest",
    "Puzzle",
    "Rating",
    "Rules",
    "Skeleton",
    "Unreadable",
    "Verdict",
    "WrongNumbers",
    "WrongValue",
    "check",
    "deal",
    "families",
    "form",
    "hints",
    "idea",
    "ideas",
    "nearest",
    "parse",
    "rate",
    "reachable",
    "solve",
    "yahtzee",
]

_BEHIND = {
    "answer": ("Correct", "Unreadable", "Verdict", "WrongNumbers", "WrongValue", "check"),
    "deal": ("Puzzle", "deal"),
    "difficulty": ("LEVELS", "Rating", "rate"),
    "equivalence": ("form", "idea"),
    "expression": ("Expression",),
    "hint": ("Intermediate", "LastOperation", "Skeleton", "hints"),
    "nearest": ("CLASSIC", "COUNTDOWN", "Nearest", "Rules", "nearest", "reachable"),
    "parser": ("ExpressionError", "parse"),
    "search": ("Family", "families", "ideas", "solve"),
}
_MODULE_OF = {name: module for module, names in _BEHIND.items() for name in names}


def __getattr__(name: str) -> object:
    """Load the module behind a name, and set all names that it is behind."""
    if name == "yahtzee":
        return import_module("solver.yahtzee")
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(f"solver.{_MODULE_OF[name]}")
    for other in _BEHIND[_MODULE_OF[name]]:
        globals()[other] = getattr(module, other)
    return globals()[name]


def __dir__() -> list[str]:
    return sorted(__all__)


class _Door(type(sys)):  # type: ignore[misc]  # mypy has no name for the type of a module here
    """A package whose functions `deal` and `nearest` win over the modules of that name.

    Python sets a module in its package once it is loaded, which would hide the function.
    """

    def __setattr__(self, name: str, value: object) -> None:
        own = _MODULE_OF.get(name) == name and isinstance(value, type(sys))
        super().__setattr__(name, getattr(value, name) if own else value)


sys.modules[__name__].__class__ = _Door
