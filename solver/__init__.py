"""Number games, exactly: 24 with any numbers and any target, Countdown and Yahtzee. Standard library only.

>>> from random import Random
>>> from solver import check, count, deal, hints, ideas, nearest, parse, rate, solve, work_out
>>> [str(expression) for expression in solve([3, 8, 3, 8])]
['8/(3-8/3)']
>>> parse("8/(3-8/3)").steps()
('8/3 = 8/3', '3-8/3 = 1/3', '8/(1/3) = 24')
>>> work_out("2*-1.5").steps()
('2*(-1.5) = -3',)
>>> count([3, 3, 3, 8]), [str(expression) for expression in ideas([3, 3, 3, 8])]
(Count(forms=4, ideas=1), ['3+3*8-3'])
>>> check("8*3 + 3 - 8", [3, 8, 3, 8]).value
Fraction(19, 1)
>>> best = nearest([1, 2, 3, 4, 7, 25], 573)
>>> best.value, best.distance, best.expression.value
(573, 0, Fraction(573, 1))
>>> rate([3, 8, 3, 8]).level, hints([3, 8, 3, 8])[0]
('fiendish', LastOperation(op='/'))
>>> deal(Random(7), level="hard").target
24

Import from this package only: its modules may change. A name is loaded when it is first used.
"""

import sys
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from solver import yahtzee
    from solver.answer import Correct, Unreadable, Verdict, WrongNumbers, WrongValue, check
    from solver.count import Count, count, count_forms
    from solver.deal import Puzzle, deal, draw
    from solver.difficulty import DRAW_SECONDS, Rating, estimate_solved, is_measured, rate, rate_draw
    from solver.equivalence import form, idea, trick
    from solver.expression import Expression, drop_trivial_steps
    from solver.fair import (
        CHAIN_LENGTH,
        Recipe,
        Record,
        Stream,
        compute_link,
        deal_by_recipe,
        derive_seed,
        list_links,
        parse_record,
        spell_seed,
        verify_history,
        verify_record,
    )
    from solver.hint import BOX, KEPT_BACK, Intermediate, LastOperation, Skeleton, hints
    from solver.names import CARDS, LEVELS
    from solver.nearest import CLASSIC, COUNTDOWN, Nearest, Rules, nearest
    from solver.parser import ExpressionError, parse, use_plain_signs
    from solver.search import Family, families, ideas, solve, tricks
    from solver.targets import reachable
    from solver.verdicts import verify_batch
    from solver.working import Working, work_out

__version__ = "1.0.0"

__all__ = [
    "BOX",
    "CARDS",
    "CHAIN_LENGTH",
    "CLASSIC",
    "COUNTDOWN",
    "DRAW_SECONDS",
    "KEPT_BACK",
    "LEVELS",
    "Correct",
    "Count",
    "Expression",
    "ExpressionError",
    "Family",
    "Intermediate",
    "LastOperation",
    "Nearest",
    "Puzzle",
    "Rating",
    "Recipe",
    "Record",
    "Rules",
    "Skeleton",
    "Stream",
    "Unreadable",
    "Verdict",
    "Working",
    "WrongNumbers",
    "WrongValue",
    "check",
    "compute_link",
    "count",
    "count_forms",
    "deal",
    "deal_by_recipe",
    "derive_seed",
    "draw",
    "drop_trivial_steps",
    "estimate_solved",
    "families",
    "form",
    "hints",
    "idea",
    "ideas",
    "is_measured",
    "list_links",
    "nearest",
    "parse",
    "parse_record",
    "rate",
    "rate_draw",
    "reachable",
    "solve",
    "spell_seed",
    "trick",
    "tricks",
    "use_plain_signs",
    "verify_batch",
    "verify_history",
    "verify_record",
    "work_out",
    "yahtzee",
]

_NAMES_BY_MODULE = {
    "answer": ("Correct", "Unreadable", "Verdict", "WrongNumbers", "WrongValue", "check"),
    "count": ("Count", "count", "count_forms"),
    "deal": ("Puzzle", "deal", "draw"),
    "difficulty": ("DRAW_SECONDS", "Rating", "estimate_solved", "is_measured", "rate", "rate_draw"),
    "equivalence": ("form", "idea", "trick"),
    "expression": ("Expression", "drop_trivial_steps"),
    "fair": (
        *("CHAIN_LENGTH", "Recipe", "Record", "Stream", "compute_link", "deal_by_recipe", "derive_seed"),
        *("list_links", "parse_record", "spell_seed", "verify_history", "verify_record"),
    ),
    "hint": ("BOX", "KEPT_BACK", "Intermediate", "LastOperation", "Skeleton", "hints"),
    "names": ("CARDS", "LEVELS"),
    "nearest": ("CLASSIC", "COUNTDOWN", "Nearest", "Rules", "nearest"),
    "parser": ("ExpressionError", "parse", "use_plain_signs"),
    "search": ("Family", "families", "ideas", "solve", "tricks"),
    "targets": ("reachable",),
    "verdicts": ("verify_batch",),
    "working": ("Working", "work_out"),
}
_MODULE_BY_NAME = {name: module for module, names in _NAMES_BY_MODULE.items() for name in names}


def __getattr__(name: str) -> object:
    """Load the module that defines a public name, set all public names of that module here, and return the
    one that was asked for. `yahtzee` is a module itself. Raises AttributeError for any other name.
    """
    if name == "yahtzee":
        return import_module("solver.yahtzee")
    if name not in _MODULE_BY_NAME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module_name = _MODULE_BY_NAME[name]
    module = import_module(f"solver.{module_name}")
    for public_name in _NAMES_BY_MODULE[module_name]:
        globals()[public_name] = getattr(module, public_name)
    return globals()[name]


def __dir__() -> list[str]:
    """Return the public names, whether loaded yet or not."""
    return sorted(__all__)


class _Package(type(sys)):  # type: ignore[misc]  # mypy has no name for the type of a module here
    """A package module in which the functions `count`, `deal` and `nearest` hide their modules.

    After it has loaded `solver.count`, Python sets the package attribute `count` to that module. This class
    sets the function of the same name instead.
    """

    def __setattr__(self, name: str, value: object) -> None:
        """Set an attribute. If `value` is the module `name` and has a function `name`, set the function."""
        is_own_module = _MODULE_BY_NAME.get(name) == name and isinstance(value, type(sys))
        if is_own_module:
            value = getattr(value, name)
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
