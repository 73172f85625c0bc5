"""Which small changes are made of a module, and that what says of them is up to date."""

import pytest

from tests.mutants.__main__ import JUDGED, MODULES, ROOT, files_of, path_of
from tests.mutants.changes import changes

SOURCE = '''
"""What it is about."""
import os
LIMIT = 3
def wait(now: float = 1.5) -> bool:
    """How long."""
    log.warning("%s", now)
    if not now or now < LIMIT:
        stop(min(now, 2))
        return True
    return False
'''


def test_every_comparison_is_turned_every_statement_dropped_every_constant_moved() -> None:
    assert [change.name for change in changes(SOURCE)] == [
        "module: LIMIT = 3 -> pass",
        "module: 3 -> 4",
        "wait: 1.5 -> 2.5",
        "wait: not now or now < LIMIT -> not now and now < LIMIT",
        "wait: not now -> now",
        "wait: now < LIMIT -> now <= LIMIT",
        "wait: now < LIMIT -> now >= LIMIT",
        "wait: stop(min(now, 2)) -> pass",
        "wait: min -> max",
        "wait: 2 -> 3",
        "wait: return True -> pass",
        "wait: True -> False",
        "wait: return False -> pass",
        "wait: False -> True",
    ]


def test_each_change_is_made_alone() -> None:
    found = {change.name: change.code for change in changes(SOURCE)}
    moved = found["module: 3 -> 4"]
    assert "LIMIT = 4" in moved
    assert moved.replace("LIMIT = 4", "LIMIT = 3") == found["wait: 2 -> 3"].replace("now, 3", "now, 2")


def test_changes_that_read_alike_are_told_apart() -> None:
    names = [change.name for change in changes("def f():\n    a(1)\n    a(1)\n")]
    assert names == ["f: a(1) -> pass", "f: 1 -> 2", "f: a(1) -> pass (2)", "f: 1 -> 2 (2)"]


@pytest.mark.parametrize("module", MODULES)
def test_every_module_and_its_tests_are_there(module: str) -> None:
    assert path_of(module).exists()
    assert files_of(module)
    assert [name for name in files_of(module) if not (ROOT / name).exists()] == []


@pytest.mark.parametrize("module", JUDGED)
def test_what_was_judged_is_still_a_change(module: str) -> None:
    known = {change.name for change in changes(path_of(module).read_text("utf-8"))}
    assert JUDGED[module].keys() <= known
