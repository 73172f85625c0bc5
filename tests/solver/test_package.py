"""The public names of the package, which are loaded when they are first used."""

import doctest
import subprocess
import sys
from types import ModuleType

import pytest

import solver


def test_every_public_name_is_importable() -> None:
    assert all(hasattr(solver, name) for name in solver.__all__)
    assert dir(solver) == sorted(solver.__all__)
    assert solver.yahtzee.best_card.__module__ == "solver.yahtzee"


def test_unknown_name_raises_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'eval'"):
        _ = solver.eval


@pytest.mark.parametrize("name", ["count", "deal", "nearest"])
def test_function_hides_module_of_same_name(name: str) -> None:
    code = f"import solver.{name}, solver; print(type(solver.{name}).__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "function\n"
    assert not isinstance(getattr(solver, name), ModuleType)


def test_import_of_package_loads_no_module() -> None:
    code = "import sys, solver; print([name for name in sys.modules if name.startswith('solver.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_package_doctest_passes() -> None:
    assert doctest.testmod(solver) == (0, 11)
