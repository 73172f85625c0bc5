"""Who may import whom. Packages that know no game are named with what they may reach."""

import ast
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from bot.games import known

ROOT = Path(__file__).parent.parent.parent
OURS = ("solver", "bot")

INNER = {
    # Packages that know no game, and what of ours they may reach.
    "bot.database": set(),
    "bot.workers": set(),
    "bot.pictures": set(),
    "bot.delivery": {"bot.database", "bot.telegram.api", "bot.telegram.messages", "bot.workers"}
    | {"bot.pictures", "bot.telegram.captions"},
    "bot.replicas": {"bot.database", "bot.delivery"},
    "bot.telegram": {"bot.database", "bot.delivery", "bot.people.queries", "bot.pictures", "bot.workers"},
}
FEATURES = {"bot.games", "bot.people", "bot.groups"}
DOORS = {
    # By folder: what features may reach of it. How it works behind that is its own affair.
    "bot.database": {"bot.database", "bot.database.schema"},
    "bot.workers": {"bot.workers.pool"},
    "bot.pictures": {"bot.pictures.told", "bot.pictures.values"},
    "bot.delivery": {
        *("bot.database.pools", "bot.database.postgresql"),
        *("bot.delivery.arrivals", "bot.delivery.intake", "bot.delivery.queries", "bot.delivery.scheduled"),
        *("bot.delivery.secret", "bot.delivery.timers", "bot.delivery.uploads"),
    },
    "bot.telegram": {
        *("bot.telegram.captions", "bot.telegram.context", "bot.telegram.menus"),
        *("bot.telegram.messages", "bot.telegram.routes"),
    },
    "bot.replicas": set[str](),
    "bot.web": set[str](),
    "bot.console": set[str](),
}
GAMES = {type(game).__module__.rpartition(".")[0] for game in known.GAMES.values()}  # The folder of each game
# What names games: one line for each, and one for commands that a game has to itself.
LIST_OF_GAMES = {"bot.games.known", "bot.features"}
# Modules that reach nothing of ours, and that everything may reach.
EVERYBODYS = {
    "bot.logs",
    "bot.i18n",
    "bot.metrics",
    "bot.pulse",
    "bot.connectivity",
    "bot.settings",
    "bot.durations",
    "bot.supervision",
    "bot.trace",
    "bot.zones",
}
# Where the solver meets a terminal.
SOLVERS_EDGE = {"solver.__main__", "solver.command", "solver.prompt", "solver.terminal"}
# Methods of `time` and `datetime` that read one.
CLOCKS = {"time", "monotonic", "perf_counter", "now", "utcnow", "today"}


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
    """The modules of ours that it imports."""
    return {name for name in imported(module) if name.partition(".")[0] in OURS}


def within(module: str, packages: set[str]) -> bool:
    """Whether it is in one of them, or is one."""
    return any(module == name or module.startswith(f"{name}.") for name in packages)


@pytest.mark.parametrize("package", INNER)
def test_packages_that_know_no_game(package: str) -> None:
    held = [m for m in FILES if within(m, {package})]
    assert held
    allowed = INNER[package] | EVERYBODYS | {package}
    beyond = {m: sorted(n for n in ours(m) if not within(n, allowed)) for m in held}
    assert {m: names for m, names in beyond.items() if names} == {}


@pytest.mark.parametrize("folder", DOORS)
def test_features_reach_a_folder_by_its_doors(folder: str) -> None:
    features = [m for m in FILES if within(m, FEATURES)]
    reached = {m: {n for n in ours(m) if within(n, {folder})} - DOORS[folder] for m in features}
    assert {m: sorted(names) for m, names in reached.items() if names} == {}
    assert DOORS[folder] <= FILES.keys()


def test_a_game_is_known_to_the_list_of_games_alone() -> None:
    """No game reaches another, and nothing that all games share reaches one."""
    outside = [m for m in FILES if m.startswith("bot.") and m not in LIST_OF_GAMES]
    others = {m: {n for n in ours(m) if within(n, {g for g in GAMES if not within(m, {g})})} for m in outside}
    assert {m: sorted(names) for m, names in others.items() if names} == {}
    assert {n.rpartition(".")[0] for m in LIST_OF_GAMES for n in ours(m)} >= GAMES


@pytest.mark.parametrize("package", OURS)
def test_there_is_no_circle(package: str) -> None:
    """Imports hidden in functions count like all others."""
    inside = {m: {n for n in ours(m) if n in FILES and n != m} for m in FILES if within(m, {package})}
    assert len(inside) > 1
    TopologicalSorter(inside).prepare()  # raises CycleError


# What a start without them is quicker or safer for.
WHEN_NEEDED = {
    *("bot.__main__", "bot.checkup.board", "bot.console.chat", "bot.service"),
    *("solver.__main__", "solver.command"),
}


def test_no_module_of_ours_is_imported_in_secret() -> None:
    def hidden(module: str) -> set[str]:
        functions = [n for n in nodes(module) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
        inner = [i for f in functions for i in ast.walk(f)]
        named = {str(i.module) for i in inner if isinstance(i, ast.ImportFrom)}
        named |= {alias.name for i in inner if isinstance(i, ast.Import) for alias in i.names}
        return {name for name in named if name.partition(".")[0] in OURS}

    assert {m: hidden(m) for m in FILES if m not in WHEN_NEEDED and hidden(m)} == {}


# The four names of a feature's modules, from the ground up: each may reach its own floor and those below.
FLOORS = ("rules", "queries", "view", "commands")
TOP = {"bot.telegram.dispatch", "bot.features", "bot.service", "bot.cli"}  # What puts the features to work
DOOR = "bot.telegram.routes"  # Where features are handed over; only those who hand one over reach it


@pytest.mark.parametrize("floor", FLOORS)
def test_a_feature_is_built_from_the_ground_up(floor: str) -> None:
    higher = set(FLOORS[FLOORS.index(floor) + 1 :])
    beyond = TOP if floor == "commands" else TOP | {DOOR}
    held = [m for m in FILES if m.startswith("bot.") and m.rpartition(".")[2] == floor]
    assert len(held) > 1
    reached = {m: {n for n in ours(m) if n.rpartition(".")[2] in higher or n in beyond} for m in held}
    assert {m: sorted(names) for m, names in reached.items() if names} == {}


OUTSIDE = {"telegram", "aiohttp", "asyncio"}
UNKNOWN_TO = {
    # By floor: what its modules never reach.
    "rules": OUTSIDE | {"sqlalchemy", "bot.database", "bot.delivery", "bot.telegram", "bot.workers"},
    "queries": OUTSIDE | {"bot.telegram", "bot.workers"},
    "view": OUTSIDE | {"sqlalchemy", "bot.delivery", "bot.workers"},
}


@pytest.mark.parametrize("floor", UNKNOWN_TO)
def test_rules_know_no_database_queries_no_telegram_and_views_no_queue(floor: str) -> None:
    held = [m for m in FILES if m.startswith("bot.") and m.rpartition(".")[2] == floor]
    reached = {m: {n for n in imported(m) if within(n, UNKNOWN_TO[floor])} for m in held}
    assert {m: sorted(names) for m, names in reached.items() if names} == {}


@pytest.mark.parametrize("module", sorted(EVERYBODYS))
def test_what_everything_may_reach_reaches_nothing(module: str) -> None:
    assert ours(module) <= EVERYBODYS


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


@pytest.mark.parametrize(
    ("module", "users"),
    [
        ("bot.cli", {"bot.__main__"}),
        ("bot.service", {"bot.cli", "bot.console.chat", "bot.console.conversation"}),
        ("bot.features", {"bot.service"}),
    ],
)
def test_only_what_starts_the_bot_imports_how_it_is_put_together(module: str, users: set[str]) -> None:
    assert {m for m in FILES if module in ours(m)} == users


def clocks_read(module: str) -> list[str]:
    """Calls such as `time.time()` in a module, and clocks that are taken out of their modules."""
    calls = [n.func for n in nodes(module) if isinstance(n, ast.Call)]
    names = [ast.unparse(f) for f in calls if isinstance(f, ast.Attribute) and f.attr in CLOCKS]
    taken = [n for n in nodes(module) if isinstance(n, ast.ImportFrom) and n.module == "time"]
    bare = [alias.name for n in taken for alias in n.names if alias.name in CLOCKS]
    return [name for name in names if name.partition(".")[0] in {"time", "datetime", "date"}] + bare


def test_a_clock_is_seen_where_one_is_read() -> None:
    assert clocks_read("bot.service")


READERS_OF_CLOCKS = {
    *(
        "bot.cli",
        "bot.service",
        "bot.settings",
        "bot.logs",
        "bot.metrics",
        "bot.console.fake_telegram",
        "bot.web.health",
        "bot.web.webhook",
    ),
    *("bot.database.pools", "bot.database.postgresql"),
    *("bot.delivery.arrivals", "bot.telegram.polling", "bot.telegram.startup", "bot.ingress"),
    *(
        "bot.games.twentyfour.dealing",
        "bot.replicas.clock",
        "bot.replicas.replica",
        "bot.workers.pool",
        "bot.workers.worker",
    ),
    *SOLVERS_EDGE,
}


def test_rules_queries_views_and_commands_read_no_clock() -> None:
    assert {m: clocks_read(m) for m in FILES if clocks_read(m) and m not in READERS_OF_CLOCKS} == {}


def test_nobody_is_called_by_a_name_that_says_nothing() -> None:
    empty = {"util", "utils", "helper", "helpers", "manager", "common", "base", "misc"}
    assert [m for m in FILES if empty & set(m.split("."))] == []
