"""What the code itself must not hold: pickle, eval, exec, a shell, or SQL put together from strings."""

import ast
import re
from collections.abc import Iterator, Set
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = sorted(path for package in ("bot", "solver") for path in (ROOT / package).rglob("*.py"))
MODULES = {"pickle", "cPickle", "dill", "marshal", "shelve", "cloudpickle", "subprocess", "ctypes", "code"}
CALLS = {"eval", "exec", "compile", "__import__", "breakpoint"}
METHODS = {"os.system", "os.popen", "yaml.load", "builtins.eval", "builtins.exec"}
# What may be imported after all: for starting this very Python on a module of ours, and nothing else.
STARTS_PROCESSES = {"bot/workers/remote.py": {"subprocess"}}
# Calls whose first argument may be SQL.
STATEMENTS = {"text", "exec_driver_sql", "execute", "executemany", "executescript", "scalar", "scalars"}
# SQL with a hole that only this package's own constants fill: SQLite takes no parameters there.
ALLOWED = {"PRAGMA {}"}
SQL = re.compile(
    r"\s*(select|insert|update|delete|replace|create|drop|alter|pragma|attach|vacuum)\b", re.IGNORECASE
)


def trespasses(source: str, allowed: Set[str] = frozenset()) -> Iterator[str]:
    """What is wrong in `source`, with the line; the modules in `allowed` may be imported."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        line = f"line {getattr(node, 'lineno', 0)}"
        if isinstance(node, ast.Import):
            yield from (
                f"{line}: import {a.name}"
                for a in node.names
                if a.name.partition(".")[0] in MODULES - allowed
            )
        elif isinstance(node, ast.ImportFrom) and str(node.module).partition(".")[0] in MODULES - allowed:
            yield f"{line}: from {node.module} import"
        elif isinstance(node, ast.Call):
            yield from (f"{line}: {fault}" for fault in _calls(node))


def _calls(call: ast.Call) -> Iterator[str]:
    name = ast.unparse(call.func)
    if name in CALLS | METHODS:
        yield f"{name}()"
    if name.rpartition(".")[2] in STATEMENTS and call.args and (built := _built(call.args[0])):
        yield f"SQL put together: {built}"
    if any(k.arg == "shell" for k in call.keywords):
        yield "a shell"


def _built(argument: ast.expr) -> str:
    """The SQL that `argument` puts together from parts; empty if it does not."""
    if isinstance(argument, ast.JoinedStr):
        parts = ("{}" if isinstance(v, ast.FormattedValue) else ast.literal_eval(v) for v in argument.values)
        whole = "".join(parts)
        return whole if "{}" in whole and whole not in ALLOWED else ""
    formatted = isinstance(argument, ast.Call) and ast.unparse(argument.func).endswith((".format", ".join"))
    if isinstance(argument, ast.BinOp) or formatted:
        strings = [
            n.value for n in ast.walk(argument) if isinstance(n, ast.Constant) and isinstance(n.value, str)
        ]
        return ast.unparse(argument) if any(map(SQL.match, strings)) else ""
    return ""


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_the_code_holds_nothing_of_the_kind(path: Path) -> None:
    allowed = STARTS_PROCESSES.get(path.relative_to(ROOT).as_posix(), set())
    assert not list(trespasses(path.read_text("utf-8"), allowed))


@pytest.mark.parametrize(
    "source",
    [
        "import pickle",
        "from marshal import loads",
        "import os.path, subprocess",
        "eval(text)",
        "exec(open(x).read())",
        "builtins.eval(x)",
        "__import__(name)",
        "os.system(x)",
        "run(x, shell=True)",
        "tx.execute(f'SELECT * FROM {table}')",
        "tx.execute(text(f'DELETE FROM x WHERE id = {number}'))",
        "tx.execute('SELECT ' + column)",
        "tx.scalar(text('SELECT %s' % x))",
        "tx.exec_driver_sql('DROP TABLE {}'.format(x))",
        "cursor.execute(f'PRAGMA {a} = {b}')",
    ],
)
def test_control_the_search_finds_what_it_looks_for(source: str) -> None:
    assert list(trespasses(source))


@pytest.mark.parametrize(
    "source",
    [
        "tx.execute(select(rounds).where(rounds.c.id == number))",
        "tx.scalar(text('SELECT pg_try_advisory_lock(:key)'), {'key': 1})",
        "cursor.execute(f'PRAGMA {pragma}')",
        "re.compile('eval')",
        "solver.evaluate(x)",
    ],
)
def test_it_finds_nothing_else(source: str) -> None:
    assert not list(trespasses(source))


def test_every_test_that_the_promises_name_is_there() -> None:
    named = re.findall(r"`((?:tests/[a-z]+/)?test_[a-z_]+\.py)`", (ROOT / "SECURITY.md").read_text("utf-8"))
    assert len(named) > 15
    for name in named:
        path = name if "/" in name else f"tests/faults/{name}"
        assert (ROOT / path).is_file(), name
