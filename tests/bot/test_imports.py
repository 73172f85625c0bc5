"""Who may import whom. A rule names a module or package and everything of ours that it may reach."""

import ast
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
OURS = ("solver", "bot")

RULES = {
    # Values and rules: they know nothing but numbers.
    "bot.schema": set(),
    "bot.settings": set(),
    "bot.words": set(),
    "bot.logs": set(),
    "bot.wire": set(),
    "bot.arrivals": set(),
    "bot.doubt": {"bot.wire"},
    "bot.gate": set(),
    "bot.round": {"solver"},
    "bot.daily": {"solver", "bot.round"},
    "bot.disguise": {"solver"},
    "bot.pieces": {"solver"},
    "bot.scaling": {"bot.disguise"},
    "bot.cover": {"bot.disguise", "bot.scaling", "solver"},
    "bot.slots": set(),
    "bot.pulse": set(),
    "bot.futile": set(),
    "bot.places": set(),
    "bot.workers": set(),
    "bot.solving": {
        "solver",
        "bot.futile",
        "bot.places",
        "bot.pulse",
        "bot.round",
        "bot.slots",
        "bot.workers",
    },
    # What is kept, and what is made of it.
    "bot.migrations": {"bot.schema", "bot.store"},
    "bot.store": {"bot.cover", "bot.schema", "bot.round", "bot.daily", "bot.migrations", "bot.words"},
    "bot.preferences": {"bot.round", "bot.solving", "bot.store"},
    "bot.options": {"bot.round", "bot.solving"},
    # What is said, and what is done.
    "bot.reply": {"solver", "bot.daily", "bot.preferences", "bot.round", "bot.store", "bot.words"},
    "bot.turn": {
        "bot.arrivals",
        "bot.preferences",
        "bot.reply",
        "bot.settings",
        "bot.solving",
        "bot.store",
        "bot.wire",
        "bot.words",
    },
    "bot.handlers": {
        "solver",
        "bot.cover",
        "bot.daily",
        "bot.intake",
        "bot.options",
        "bot.pieces",
        "bot.preferences",
        "bot.reply",
        "bot.round",
        "bot.solving",
        "bot.store",
        "bot.turn",
        "bot.words",
    },
    # The ways in and out know nothing of the game.
    "bot.contest": set(),
    "bot.intake": {"bot.store"},
    "bot.pacing": {"bot.store"},
    "bot.inbox": {"bot.arrivals", "bot.intake", "bot.logs", "bot.places", "bot.store"},
    "bot.lane": {"bot.doubt", "bot.pacing", "bot.store"},
    "bot.refusals": {"bot.store"},
    "bot.outbox": {
        "bot.doubt",
        "bot.gate",
        "bot.lane",
        "bot.logs",
        "bot.pacing",
        "bot.refusals",
        "bot.reply",
        "bot.store",
        "bot.wire",
    },
    "bot.polling": {"bot.contest", "bot.inbox", "bot.pulse", "bot.store", "bot.wire"},
    "bot.webhook": {"bot.arrivals", "bot.inbox", "bot.pulse", "bot.settings", "bot.store", "bot.wire"},
    "bot.health": {"bot.pulse", "bot.settings", "bot.solving", "bot.store"},
}
SOLVERS_EDGE = {"solver.__main__", "solver.command", "solver.prompt"}
"""Where the solver meets a terminal."""
CLOCKS = {"time", "monotonic", "perf_counter", "now", "utcnow", "today"}
"""Methods of `time` and `datetime` that read one."""


def module_of(path: Path) -> str:
    """The dotted name of a file."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {module_of(path): path for name in OURS for path in sorted((ROOT / name).rglob("*.py"))}


@cache
def nodes(module: str) -> tuple[ast.AST, ...]:
    """All of a module's syntax."""
    return tuple(ast.walk(ast.parse(FILES[module].read_text("utf-8"))))


def imported(module: str) -> Iterator[str]:
    """Every module that `module` imports, anywhere in it."""
    for node in nodes(module):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module} imports by dots"
            source = str(node.module)
            for alias in node.names:
                inner = f"{source}.{alias.name}"
                yield inner if inner in FILES else source


def ours(module: str) -> set[str]:
    """What it imports of ours, by package (`bot.store.mail` is `bot.store`)."""
    found = {name for name in imported(module) if name.partition(".")[0] in OURS}
    return {".".join(name.split(".")[:2]) if name.startswith("bot") else "solver" for name in found} - {"bot"}


def rule(module: str) -> str | None:
    """The rule that holds for a module."""
    return next((name for name in RULES if module == name or module.startswith(f"{name}.")), None)


@pytest.mark.parametrize("name", RULES)
def test_modules_reach_what_they_may(name: str) -> None:
    held = [module for module in FILES if rule(module) == name]
    assert held, f"{name} is gone: take its rule away"
    for module in held:
        beyond = ours(module) - RULES[name] - {name}
        assert not beyond, f"{module} must not import {', '.join(sorted(beyond))}"


@pytest.mark.parametrize("module", [m for m in FILES if m.split(".")[0] == "solver"])
def test_the_solver_needs_the_standard_library_alone(module: str) -> None:
    tops = {name.partition(".")[0] for name in imported(module)}
    assert tops <= sys.stdlib_module_names | {"solver"}
    assert "logging" not in tops
    if module not in SOLVERS_EDGE:
        assert not tops & {"time", "datetime", "os", "socket", "subprocess"}


def test_nothing_reaches_past_the_solvers_door() -> None:
    outside = [m for m in FILES if m.startswith("bot")]
    past = {m: [n for n in imported(m) if n.startswith("solver.")] for m in outside}
    assert {m: names for m, names in past.items() if names} == {}


def test_the_solver_does_not_know_the_bot() -> None:
    assert all(
        "bot" not in {n.partition(".")[0] for n in imported(m)} for m in FILES if m.startswith("solver")
    )


def test_only_the_entry_imports_how_things_are_started() -> None:
    users = {m for m in FILES if "bot.command" in ours(m)}
    assert users <= {"bot.__main__", "bot.console"}


def clocks_read(module: str) -> list[str]:
    """Calls such as `time.time()` in a module."""
    calls = [n.func for n in nodes(module) if isinstance(n, ast.Call)]
    names = [ast.unparse(f) for f in calls if isinstance(f, ast.Attribute) and f.attr in CLOCKS]
    return [name for name in names if name.partition(".")[0] in {"time", "datetime", "date"}]


def test_a_clock_is_seen_where_one_is_read() -> None:
    assert clocks_read("bot.console")


@pytest.mark.parametrize(
    "layer",
    [
        "solver",
        "bot.round",
        "bot.daily",
        "bot.slots",
        "bot.futile",
        "bot.places",
        "bot.workers",
        "bot.contest",
        "bot.pulse",
        "bot.store",
        "bot.intake",
        "bot.pacing",
        "bot.reply",
        "bot.handlers",
    ],
)
def test_rules_queries_and_handlers_read_no_clock(layer: str) -> None:
    inner = [m for m in FILES if m.startswith(layer) and m not in SOLVERS_EDGE]
    assert {m: clocks_read(m) for m in inner if clocks_read(m)} == {}


def test_nobody_is_called_by_a_name_that_says_nothing() -> None:
    empty = {"util", "utils", "helper", "helpers", "manager", "common", "base", "misc"}
    assert [m for m in FILES if empty & set(m.split("."))] == []


def test_no_module_grows_past_its_size() -> None:
    sizes = {m: path.read_text("utf-8").count("\n") for m, path in FILES.items() if "versions" not in m}
    large = {m: size for m, size in sizes.items() if size >= 450}
    assert large == {}
