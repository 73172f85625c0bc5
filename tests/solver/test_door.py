"""The door: every name is there, and none of its modules gets in the way."""

import doctest
import subprocess
import sys
from types import ModuleType

import pytest

import solver


def test_every_name_is_there() -> None:
    assert all(hasattr(solver, name) for name in solver.__all__)
    assert dir(solver) == sorted(solver.__all__)
    assert solver.yahtzee.best_card.__module__ == "solver.yahtzee"


def test_no_other_name_is() -> None:
    with pytest.raises(AttributeError, match="no attribute 'eval'"):
        _ = solver.eval


@pytest.mark.parametrize("name", ["count", "deal", "nearest"])
def test_a_function_wins_over_its_module(name: str) -> None:
    code = f"import solver.{name}, solver; print(type(solver.{name}).__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "function\n"
    assert not isinstance(getattr(solver, name), ModuleType)


def test_importing_it_loads_nothing_behind_it() -> None:
    code = "import sys, solver; print([name for name in sys.modules if name.startswith('solver.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_tour_is_true() -> None:
    assert doctest.testmod(solver) == (0, 11)
