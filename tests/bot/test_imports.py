"""Imports between packages: no cycles, and a solver of the standard library alone."""

import ast
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from bot.rounds import registry

ROOT = Path(__file__).parents[2]
PACKAGES = ("solver", "bot")
# Where the solver meets a terminal.
SOLVERS_EDGE = {"solver.__main__", "solver.command", "solver.prompt", "solver.terminal"}


def get_module_name(path: Path) -> str:
    """Return the dotted name of a file."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {get_module_name(path): path for name in PACKAGES for path in sorted((ROOT / name).rglob("*.py"))}


def read_imports(module: str) -> Iterator[str]:
    """Yield every module that `module` imports, also within functions."""
    for node in ast.walk(ast.parse(FILES[module].read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            source = str(node.module)
            inner = [f"{source}.{alias.name}" for alias in node.names]
            yield from (name if name in FILES else source for name in inner)


IMPORTS = {module: set(read_imports(module)) for module in FILES}


def is_within(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


def test_files_import_each_other_without_circles() -> None:
    TopologicalSorter({m: (IMPORTS[m] & FILES.keys()) - {m} for m in FILES}).prepare()  # raises CycleError


def test_no_game_imports_another_and_only_the_lists_import_games() -> None:
    folders = {type(game).__module__.rpartition(".")[0] for game in registry.GAMES.values()}
    lists = {"bot.rounds.registry", "bot.features"}
    wrong = {
        (module, name)
        for module in FILES
        for name in IMPORTS[module]
        for folder in folders
        if is_within(name, folder) and not is_within(module, folder) and module not in lists
    }
    assert wrong == set()


@pytest.mark.parametrize("module", [m for m in FILES if is_within(m, "solver")])
def test_solver_needs_the_standard_library_alone(module: str) -> None:
    packages = {name.partition(".")[0] for name in IMPORTS[module]}
    assert packages <= sys.stdlib_module_names | {"solver"}
    if module not in SOLVERS_EDGE:
        assert not packages & {"time", "datetime", "os", "socket", "subprocess", "logging"}


def test_bot_imports_the_solvers_public_names_alone() -> None:
    assert [
        (m, n) for m in FILES for n in IMPORTS[m] if is_within(m, "bot") and n.startswith("solver.")
    ] == []
