"""Imports between packages: no cycles, and a solver of the standard library alone."""

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from bot.rounds import registry

ROOT = Path(__file__).parents[2]
PACKAGES = ("solver", "bot")
# Where the solver meets a terminal.
SOLVERS_EDGE = {
    *("solver.__main__", "solver.command", "solver.listing", "solver.prompt", "solver.terminal"),
    *("solver.batch_command", "solver.progress"),
}
# Packages of its extras; these modules import them only when they are asked for.
SOLVERS_EXTRAS = {"solver.batch_command": {"distributed"}, "solver.progress": {"tqdm"}}


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


@cache
def load_imports() -> dict[str, set[str]]:
    """Return the modules that each module imports."""
    return {module: set(read_imports(module)) for module in FILES}


def is_within(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


def test_files_import_each_other_without_circles() -> None:
    imports = load_imports()
    TopologicalSorter({m: (imports[m] & FILES.keys()) - {m} for m in FILES}).prepare()  # raises CycleError


# The packages of the bot, the lowest first; files beside them that are not listed are helpers of all.
LAYERS = (
    *("database", "workers", "pictures", "queue", "players", "telegram", "rounds", "games", "modes"),
    *("standings", "admin", "web", "board", "ingress", "page_server", "features", "service"),
    *("console", "checkup", "cli", "__main__"),
)


def get_layer(module: str) -> int:
    """Return the place of a module of the bot in `LAYERS`; -1 for a helper."""
    part = module.split(".")[1]
    return LAYERS.index(part) if part in LAYERS else -1


def test_architecture_page_has_the_layers_highest_first() -> None:
    page = (ROOT / "docs" / "developers" / "architecture.md").read_text("utf-8")
    table = page.partition("the highest first |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| (`.+?) \|", table, re.MULTILINE)
    assert re.findall(r"\w+", "\n".join(rows)) == [*reversed(LAYERS)]


def test_packages_import_only_lower_ones() -> None:
    inner = [(module, name) for module in FILES for name in load_imports()[module] if name.startswith("bot.")]
    modules = [(module, name) for module, name in inner if "." in module]
    assert [(module, name) for module, name in modules if get_layer(name) > get_layer(module)] == []


def test_no_game_imports_another_and_only_the_lists_import_games() -> None:
    folders = {type(game).__module__.rpartition(".")[0] for game in registry.GAMES.values()}
    lists = {"bot.features"}
    wrong = {
        (module, name)
        for module in FILES
        for name in load_imports()[module]
        for folder in folders
        if is_within(name, folder) and not is_within(module, folder) and module not in lists
    }
    assert wrong == set()


@pytest.mark.parametrize("module", [m for m in FILES if is_within(m, "solver")])
def test_solver_needs_the_standard_library_alone(module: str) -> None:
    packages = {name.partition(".")[0] for name in load_imports()[module]}
    assert packages <= sys.stdlib_module_names | {"solver"} | SOLVERS_EXTRAS.get(module, set())
    if module not in SOLVERS_EDGE:
        assert not packages & {"time", "datetime", "os", "socket", "subprocess", "logging"}


def test_bot_imports_the_solvers_public_names_alone() -> None:
    imports = load_imports()
    assert [
        (m, n) for m in FILES for n in imports[m] if is_within(m, "bot") and n.startswith("solver.")
    ] == []
