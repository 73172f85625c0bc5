"""The code uses no pickle, eval, exec or shell, and builds no SQL from strings."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = sorted(path for package in ("bot", "solver") for path in (ROOT / package).rglob("*.py"))
MODULES = {"pickle", "cPickle", "dill", "marshal", "shelve", "cloudpickle", "subprocess", "ctypes", "code"}
CALLS = {"eval", "exec", "compile", "__import__", "breakpoint"}
METHODS = {"os.system", "os.popen", "yaml.load", "builtins.eval", "builtins.exec"}
# Calls whose first argument may be SQL.
STATEMENTS = {"text", "exec_driver_sql", "execute", "executemany", "executescript", "scalar", "scalars"}
# Filled with constants only: SQLite takes no parameters in a PRAGMA.
ALLOWED = {"PRAGMA {}"}
SQL = re.compile(
    r"\s*(select|insert|update|delete|replace|create|drop|alter|pragma|attach|vacuum)\b", re.IGNORECASE
)


def find_violations(source: str) -> Iterator[str]:
    """Return forbidden code in `source` with its lines."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        line = f"line {getattr(node, 'lineno', 0)}"
        if isinstance(node, ast.Import):
            yield from (f"{line}: import {a.name}" for a in node.names if a.name.partition(".")[0] in MODULES)
        elif isinstance(node, ast.ImportFrom) and str(node.module).partition(".")[0] in MODULES:
            yield f"{line}: from {node.module} import"
        elif isinstance(node, ast.Call):
            yield from (f"{line}: {fault}" for fault in _check_call(node))


def _check_call(call: ast.Call) -> Iterator[str]:
    name = ast.unparse(call.func)
    if name in CALLS | METHODS:
        yield f"{name}()"
    if name.rpartition(".")[2] in STATEMENTS and call.args and (built := _find_built_sql(call.args[0])):
        yield f"SQL built from parts: {built}"
    if any(k.arg == "shell" for k in call.keywords):
        yield "a shell"


def _find_built_sql(argument: ast.expr) -> str:
    """Return the SQL that `argument` builds from parts; empty if it does not."""
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
def test_module_uses_no_forbidden_code(path: Path) -> None:
    assert not list(find_violations(path.read_text("utf-8")))


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
def test_forbidden_code_is_found(source: str) -> None:
    assert list(find_violations(source))


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
def test_harmless_code_is_not_reported(source: str) -> None:
    assert not list(find_violations(source))
