"""Expression bombs and SQL, wherever somebody can type: refused in no time, or kept as mere text."""

import contextlib
import random
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from sqlalchemy import inspect, text

from bot.database import Tx
from bot.queue.pacing import Pace
from tests.bot.test_patterns import READERS, REFUSALS, allowed
from tests.faults.conftest import figure, show, within
from tests.faults.stored_state import state
from tests.stories.conftest import LiveBot, run_bot
from tests.telegram import World

pytestmark = pytest.mark.faults
UNPACED = Pace(posts_a_minute=100_000, redraw_gap=0.0)
BOMBS = figure(1_000_000, 20_000)
PIECES = [
    *"0123456789", *"+-*/()", *"×÷−·:（）［］{}", *"AJQKajqk", *"٣³½Ⅷ①五〇９", *" \t\n\x00\u200b\u202e\u0301",
    "**", "//", "9**9**9", "9" * 50, "((((", "))))", "1/0", "0/0", "1e9", "0x10", "1_0", "--", "+-+-", "!",
    "= 24", "==", "=", "→ 24", ".", ",", "%", "^", "√", "sqrt(", "__import__('os')", "{0.__class__}",
    "\ud800", "😀", "\U0010ffff",
]  # fmt: skip
WHOLE = [
    "(" * 4096,
    ")" * 4096,
    "1+" * 2048,
    "(1+" * 1365,
    "-" * 4096,
    "9" * 4096,
    "1/" * 2047 + "0",
    "()" * 2048,
    " " * 4095 + "x",
    "1=" + " " * 4090 + "x",
    "1\n" * 2048,
    "3 " * 2048,
    "3,8," * 1024,
    "=" * 4096,
    "🏳️‍🌈" * 600,
    "e" + "\u0301" * 4095,
    "9**" * 1300 + "9",
]
SQL = [
    "'; DROP TABLE rounds; --",
    '"; DROP TABLE awards; --',
    "' OR '1'='1",
    "1); DELETE FROM totals; --",
    "\\'; UPDATE players SET name='x'; --",
    "%s %(name)s :name ? $1 {0}",
    "x' UNION SELECT body FROM inbox --",
    "\x1a'; VACUUM; --",
]


def bomb(rng: random.Random) -> str:
    """A text of at most 4096 characters, that hopes to cost time."""
    kind = rng.random()
    if kind < 0.02:
        return rng.choice(WHOLE)
    if kind < 0.5:
        return _wellformed(rng, rng.randrange(1, 40))
    return "".join(rng.choices(PIECES, k=rng.choice((3, 10, 30, 200))))[:4096]


def _wellformed(rng: random.Random, numbers: int) -> str:
    """An expression that is all right but for its size."""
    if numbers == 1:
        return str(rng.randrange(10 ** rng.randrange(1, 10)))
    left = rng.randrange(1, numbers)
    sides = _wellformed(rng, left), _wellformed(rng, numbers - left)
    return f"({rng.choice('+-*/').join(sides)})" if rng.random() < 0.4 else rng.choice("+-*/").join(sides)


def cost(reader: Callable[[str], object], line: str) -> float:
    """Milliseconds of this thread's own time that reading the line takes."""
    begun = time.thread_time()
    with contextlib.suppress(*REFUSALS):  # any other fails the test
        reader(line)
    return (time.thread_time() - begun) * 1000


def test_a_million_bombs_are_read_or_refused_at_once() -> None:
    rng = random.Random(24)
    slowest, line, slow, bound = 0.0, "", 0, within(allowed() * 1000)
    readers = READERS["parse"], READERS["check"]
    for number in range(BOMBS):
        thrown = bomb(rng)
        took = cost(readers[number % 2], thrown)
        if took > bound:  # the collector may have come by: the bomb itself is slow each time
            took = min(cost(readers[number % 2], thrown) for _ in range(5))
        slow += took > bound
        if took > slowest:
            slowest, line = took, thrown
    show(f"{BOMBS} bombs: slowest {slowest:.2f} ms of {bound:.1f} allowed ({line[:20]!r}…)")
    assert not slow


@pytest.mark.parametrize("name", READERS)
def test_no_reader_takes_long_or_fails(name: str) -> None:
    reader = READERS[name]
    rng = random.Random(7)
    lines = [*WHOLE, *SQL, *(bomb(rng) for _ in range(BOMBS // 100))]
    slowest = max(lines, key=lambda line: cost(reader, line))
    best = min(cost(reader, slowest) for _ in range(9))
    bound = within(allowed() * 1000)
    show(f"{len(lines)} bombs for {name}: slowest {best:.2f} ms of {bound:.1f} allowed ({slowest[:20]!r}…)")
    assert best < bound


@pytest.fixture
async def opened(tmp_path: Path) -> AsyncIterator[tuple[World, LiveBot]]:
    world = World(privacy=False)
    async with run_bot(world, tmp_path / "twentyfour.sqlite3", UNPACED) as table:
        yield world, table


def _tables(tx: Tx) -> list[tuple[str, str]]:
    """Every column and its type."""
    every = inspect(tx).get_multi_columns().items()
    return sorted(
        (f"{table}.{column['name']}", str(column["type"]))
        for (_, table), columns in every
        for column in columns
    )


def _dead(tx: Tx) -> int:
    return int(tx.scalar(text("SELECT count(*) FROM inbox WHERE state = 'dead'")) or 0)


async def test_sql_is_mere_text_in_every_field(opened: tuple[World, LiveBot]) -> None:
    world, table = opened
    owner = world.user("Owner")
    group = world.group("Group", owner)
    deal = await table.deal(owner, group, 3, 8, 3, 8)
    made = await table.services.store.read(_tables)
    before = await state(table.services.store)
    fields = 0
    for evil in SQL:
        mallory = world.user(evil, username=evil, last_name=evil, language_code=evil)
        group.title = evil
        commands = ("a", "play", "solve", "hint", "why", "leaderboard", "stats", "settings", "skip")
        for line in (evil, *(f"/{name}@{world.bot.username} {evil}" for name in commands)):
            world.say(mallory, group, line, reply_to=deal)
        for data in (evil, f"h:{evil}", f"s:{evil}", f"v:{evil}", f"o:{evil}", f"lb:{evil}", f"dg:{evil}"):
            world.press(mallory, deal, data=data)
        world.say(mallory, mallory, f"/start {evil}")
        world.say(mallory, mallory, "/play")  # only who plays is kept
        await table.settle()
        fields += 4 + 1 + 1 + len(commands) + 7 + 1
    after = await state(table.services.store)
    show(f"SQL in {fields} fields: tables untouched")
    assert await table.services.store.read(_tables) == made
    assert await table.services.store.read(_dead) == 0
    assert after["awards"] == before["awards"]
    assert {r["winner_id"] for r in after["rounds"]} == {r["winner_id"] for r in before["rounds"]} == {None}
    names = await table.services.store.read(lambda tx: list(tx.scalars(text("SELECT name FROM players"))))
    assert sorted(names) == sorted([owner.first_name, *SQL])


async def test_bombs_are_answered_like_anything_else(opened: tuple[World, LiveBot]) -> None:
    world, table = opened
    ann = world.user("Ann")
    await table.deal(ann, world.chat_of(ann), 3, 8, 3, 8)
    for line in WHOLE:
        if line.strip():
            world.say(ann, ann, line)
            world.say(ann, ann, f"/why {line}"[:4096])
            world.say(ann, ann, f"/solve {line}"[:4096])
    await table.settle()
    assert await table.services.store.read(_dead) == 0
    assert all(len(post.text) <= 4096 for post in world.posts(ann))
