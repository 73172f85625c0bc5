"""What `deploy/capacity.md` reckons follows from what it supposes and what was measured."""

import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).parent.parent / "deploy" / "capacity.md").read_text("utf-8")
ROUNDED = 0.05  # Of a figure: as much as rounding may change
DAY, YEAR, GIB = 86_400, 365, 2**30


def figures(heading: str) -> dict[str, float]:
    """What the tables below a heading say, by the words before a colon or the whole first cell."""
    (part,) = re.findall(rf"^## {heading}$(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    rows = re.findall(r"^\| ([^|]+) \| ([0-9.,]+)(?: (%|ms|MiB))? \|", part, re.MULTILINE)
    scales = {"": 1.0, "%": 0.01, "ms": 0.001, "MiB": 1.0}
    return {what.partition(":")[0]: float(n.replace(",", "")) * scales[unit] for what, n, unit in rows}


SUPPOSED, MEASURED, RECKONED = figures("Supposed"), figures("Measured"), figures("Reckoned")


def follows() -> dict[str, float]:
    groups = SUPPOSED["groups"]
    hands = (
        groups * SUPPOSED["share of them that plays on a day"] * SUPPOSED["hands a day in a group that plays"]
    )
    updates = hands * SUPPOSED["updates a hand"]
    posts = hands * SUPPOSED["posts a hand"] / DAY
    peak = SUPPOSED["busiest second, times the average"]
    wins, most = hands * YEAR, updates / DAY * peak
    return {
        "hands a day": hands,
        "updates a day": updates,
        "updates a second, busiest": most,
        "posts a second, average": posts,
        "posts a second, busiest": posts * peak,
        "groups at 30 posts a second": groups * 30 / (posts * peak),
        "groups at 1000 posts a second": groups * 1000 / (posts * peak),
        "cores for bots, busiest": most * MEASURED["CPU of an update, bots"],
        "cores for the database, busiest": most * MEASURED["CPU of an update, database"],
        "groups on one SQLite bot": groups * MEASURED["updates a second of one bot on SQLite"] / most,
        "rows of wins a year": wins,
        "disk a year on PostgreSQL, GiB": wins * MEASURED["bytes a win on PostgreSQL"] / GIB,
        "disk a year on SQLite, GiB": wins * MEASURED["bytes a win on SQLite"] / GIB,
    }


def test_everything_that_is_reckoned_is_held_here() -> None:
    assert set(RECKONED) == set(follows())


@pytest.mark.parametrize("what", follows())
def test_it_adds_up(what: str) -> None:
    assert RECKONED[what] == pytest.approx(follows()[what], rel=ROUNDED)


def test_the_limits_are_the_reckoned_ones() -> None:
    said = PAGE.partition("## The limits")[2]
    for what, unit in (
        ("groups at 30 posts a second", ""),
        ("groups on one SQLite bot", " groups"),
        ("cores for bots, busiest", " cores"),
        ("cores for the database, busiest", " cores"),
        ("disk a year on PostgreSQL, GiB", " GiB a year"),
    ):
        (figure,) = re.findall(rf"^\| {re.escape(what)} \| ([0-9.,]+) \|", PAGE, re.MULTILINE)
        assert f"| {figure}{unit}" in said, what


def test_measured_figures_name_the_command_that_renews_them() -> None:
    commands = re.findall(r"<!-- from: (python -m bench\S* ?[a-z0-9 ]*) -->", PAGE)
    assert commands == [
        "python -m bench replicas",
        "python -m bench bot",
        "python -m bench.years 10000000 20000",
    ]
