"""Rows that can't be read: each costs its own round, race, day or request, and nobody else's."""

import json
import logging
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bot.database import Tx
from bot.delivery import queries as mail
from tests.stories.conftest import Evening, Opened
from tests.stories.hours import Hours
from tests.telegram import Chat, Message, User, World

NINES = "9e999"
BROKEN_ROUNDS = [
    "puzzle = 'nonsense'",
    "puzzle = '5'",
    "puzzle = '[5]'",
    "puzzle = '{}'",
    "puzzle = json_set(puzzle, '$.v', 24)",
    "puzzle = json_set(puzzle, '$.ideas', 'nonsense')",
    "puzzle = json_set(puzzle, '$.ideas', 5)",
    "puzzle = json_set(puzzle, '$.ideas', json('[5]'))",
    "puzzle = json_set(puzzle, '$.hints', '{')",
    "puzzle = json_set(puzzle, '$.numbers', 'three eight')",
    "standing = 'nonsense'",
    "standing = '[1]'",
    'standing = \'{"hints": "two"}\'',
    "game = 'never heard of'",
    "kind = 'never heard of'",
    "level = 'impossible'",
    f"expected = {NINES}",
    f"opened = {NINES}",
]
BROKEN_HANDS = [
    "nonsense",
    "5",
    "[5]",
    '[{"numbers": 5}]',
    "[{}]",
    '{"a": 1}',
    "[[1, 2]]",
    '[{"game": "24"}]',
    '[{"game": "24", "puzzle": 5, "level": "easy", "expected": 1}]',
    '[{"game": "none", "puzzle": {}, "level": "easy", "expected": 1}]',
    '[{"game": "24", "puzzle": {"v": 1, "numbers": ["x"], "target": 24}, "level": "easy", "expected": 1}]',
    '[{"game": "24", "puzzle": {"v": 1, "numbers": [1, 2], "target": 24}, "level": "none", "expected": 1}]',
]


def spoil(database: Path, table: str, change: str, chat: Chat | None = None) -> None:
    """What a bad disk, a bad hand or an old bug may have left in a table, of one chat or of all."""
    key = "id" if table == "chats" else "chat_id"
    where = f" WHERE {key} = {chat.id}" if chat else ""
    with closing(sqlite3.connect(database, timeout=60, isolation_level=None)) as connection:
        assert connection.execute(f"UPDATE {table} SET {change}{where}").rowcount > 0  # noqa: S608 - a test's own


async def tables(opened: Opened, hours: Hours) -> tuple[World, Evening, User, list[tuple[Chat, Message]]]:
    """Three groups, a hand on the table of each."""
    world = World(clock=hours)
    ann = world.user("Ann")
    evening = await opened(world)
    groups = [world.group(title, ann) for title in ("Family", "Club", "Office")]
    return world, evening, ann, [(group, await evening.dealt(ann, group, 3, 8, 3, 8)) for group in groups]


@pytest.mark.parametrize("broken", BROKEN_ROUNDS)
async def test_a_round_costs_only_itself(
    broken: str, opened: Opened, database: Path, caplog: pytest.LogCaptureFixture
) -> None:
    hours = Hours()
    world, evening, ann, dealt = await tables(opened, hours)
    spoil(database, "rounds", broken, dealt[0][0])
    await evening.says(ann, dealt[1][0], "8/(3-8/3)", reply_to=dealt[1][1])
    assert "🏆" in dealt[1][1].text
    hours.pass_(700)
    with caplog.at_level(logging.WARNING):
        await evening.timers.look()
    await evening.settled()
    assert "8/(3-8/3) = 24" in dealt[2][1].text
    assert any("can't be read" in record.getMessage() for record in caplog.records)
    assert not any(record.exc_info for record in caplog.records if record.levelno > logging.DEBUG)
    deal = await evening.dealt(ann, dealt[0][0], 1, 1, 2, 8)
    await evening.says(ann, dealt[0][0], "1*8*(1+2)", reply_to=deal)
    assert "🏆" in deal.text
    assert not world.violations


@pytest.mark.parametrize("broken", [*BROKEN_ROUNDS, f"deadline = {NINES}"])
async def test_its_chat_need_not_wait_for_the_deadline(broken: str, opened: Opened, database: Path) -> None:
    hours = Hours()
    world, evening, ann, dealt = await tables(opened, hours)
    spoil(database, "rounds", broken, dealt[0][0])
    deal = await evening.dealt(ann, dealt[0][0], 1, 1, 2, 8)
    await evening.says(ann, dealt[0][0], "1*8*(1+2)", reply_to=deal)
    assert "🏆" in deal.text
    await evening.timers.look()
    assert not world.violations


@pytest.mark.parametrize("broken", ["deadline = NULL", "language = 'xx'", "state = 'banana'"])
async def test_what_is_odd_and_can_be_read_stops_nobody(broken: str, opened: Opened, database: Path) -> None:
    hours = Hours()
    _, evening, ann, dealt = await tables(opened, hours)
    spoil(database, "rounds", broken, dealt[0][0])
    await evening.says(ann, dealt[0][0], "/skip@TwentyFourTestBot")
    hours.pass_(700)
    await evening.timers.look()
    await evening.settled()
    assert all("8/(3-8/3) = 24" in deal.text for _, deal in dealt[1:])
    await evening.dealt(ann, dealt[0][0], 1, 1, 2, 8)


BROKEN_SEALS = [
    "line = '4 x 7 7 → 24'",
    "line = ''",
    "line = '4 → 24'",
    "line = '-4 4 7 7 → 24'",
    "game = 'never heard of'",
    f"opened = {NINES}",
    f"opened = -{NINES}",
    f"closed = {NINES}",
]


@pytest.mark.parametrize("over", [False, True], ids=["open", "ended"])
@pytest.mark.parametrize("broken", BROKEN_SEALS)
async def test_a_round_seals_nothing_that_others_ask_or_win(
    broken: str, over: bool, opened: Opened, database: Path
) -> None:
    world = World(clock=Hours())
    ann, bob, cid = world.user("Ann"), world.user("Bob"), world.user("Cid")
    family, club = world.group("Family", ann), world.group("Club", bob, cid)
    evening = await opened(world)
    await evening.says(cid, club, "/stats@TwentyFourTestBot")
    deal = await evening.dealt(bob, club, 3, 8, 3, 8)
    await evening.dealt(ann, family, 4, 4, 7, 7)
    if over:
        await evening.says(ann, family, "/skip@TwentyFourTestBot")
    spoil(database, "rounds", broken, family)
    for user in (ann, cid):
        await evening.says(user, world.place(user), "/solve 4 5 6 7")
        assert "= 24" in world.posts(user)[-1].text
        await evening.says(user, world.place(user), "/why 4*(7-7/7)")
        assert "7/7 = 1" in world.posts(user)[-1].text
    query = world.inline(cid, "1 2 3 4")
    await evening.settled()
    assert query.results
    await evening.says(ann, world.place(ann), "/forgetme")
    await world.answer_to(world.press(ann, world.posts(ann)[-1], "Forget me"))
    await evening.says(bob, club, "8/(3-8/3)", reply_to=deal)
    assert "🏆" in deal.text
    assert await evening.services.store.read(mail.dead_letters) == []
    assert not world.violations


async def raced(opened: Opened, hours: Hours) -> tuple[World, Evening, User, Chat, Message, Message]:
    """A race in one group, a hand in another."""
    world = World(clock=hours)
    ann = world.user("Ann")
    family, club = world.group("Family", ann), world.group("Club", ann)
    evening = await opened(world)
    for numbers in ((1, 1, 2, 8), (2, 2, 6, 6), (3, 8, 3, 8)):
        evening.rig(*numbers)
    world.say(ann, family, f"/race@{world.bot.username} 3")
    race = await world.next_post(family, "1 1 2 8 → 24")
    await evening.settled()
    return world, evening, ann, family, race, await evening.dealt(ann, club, 3, 8, 3, 8)


@pytest.mark.parametrize("won", [True, False])
@pytest.mark.parametrize("hands", BROKEN_HANDS)
async def test_a_race_ends_and_the_others_go_on(
    hands: str, won: bool, opened: Opened, database: Path
) -> None:
    hours = Hours()
    world, evening, ann, family, race, other = await raced(opened, hours)
    spoil(database, "races", f"hands = '{hands}'")
    if won:
        await evening.says(ann, family, "1*8*(1+2)", reply_to=race)
        assert "⁨Ann⁩ — 2" in race.text  # the win before it counts
    hours.pass_(700)
    await evening.timers.look()
    await evening.settled()
    assert "8/(3-8/3) = 24" in other.text
    assert "→ 24" not in race.text
    await evening.dealt(ann, family, 3, 8, 3, 8)
    assert not world.violations


@pytest.mark.parametrize("broken", ["length = -5", "state = 'odd'", f"seconds = {NINES}", "played = 99"])
async def test_a_race_with_odd_figures(broken: str, opened: Opened, database: Path) -> None:
    hours = Hours()
    _, evening, ann, family, _, other = await raced(opened, hours)
    spoil(database, "races", broken)
    for _ in range(4):
        hours.pass_(700)
        await evening.timers.look()
        await evening.settled()
    assert "8/(3-8/3) = 24" in other.text
    await evening.says(ann, family, "/skip@TwentyFourTestBot")
    await evening.dealt(ann, family, 3, 8, 3, 8)


async def test_a_round_whose_end_fails_for_a_reason_nobody_foresaw(
    opened: Opened, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    hours = Hours()
    _, evening, _, dealt = await tables(opened, hours)

    def follow(tx: Tx, over: object, now: float) -> list[object]:
        if getattr(over, "chat_id", 0) == dealt[1][0].id:
            raise ZeroDivisionError
        return _follow(tx, over, now)  # type: ignore[arg-type, return-value]

    from bot.games.rounds import deadlines

    _follow = deadlines.follow  # type: ignore[attr-defined]
    monkeypatch.setattr(deadlines, "follow", follow)
    hours.pass_(700)
    await evening.timers.look()
    await evening.settled()
    assert all("8/(3-8/3) = 24" in deal.text for _, deal in dealt)
    said = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    assert len([line for line in said if "ZeroDivisionError" in line]) == 1


async def test_a_timer_that_fails_leaves_the_others_alone(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    hours = Hours()
    _, evening, _, dealt = await tables(opened, hours)

    def fail(*_: object) -> None:
        raise ZeroDivisionError

    for name in ("bot.delivery.queries.forget_old", "bot.games.rounds.deadlines.show_time"):
        monkeypatch.setattr(name, fail)
    for _ in range(8):
        hours.pass_(100)
        await evening.timers.look()
    await evening.settled()
    assert all("8/(3-8/3) = 24" in deal.text for _, deal in dealt)


@pytest.mark.parametrize("stored", ["nonsense", "[1]", "5", "null", '{"cards": "many", "quiet": 7}'])
async def test_settings_that_cannot_be_read_are_none(stored: str, opened: Opened, database: Path) -> None:
    _, evening, ann, dealt = await tables(opened, Hours())
    spoil(database, "chats", f"settings = '{stored}'", dealt[0][0])
    await evening.says(ann, dealt[0][0], "8/(3-8/3)", reply_to=dealt[0][1])
    assert "🏆" in dealt[0][1].text
    await evening.choose(dealt[0][0], "cards", 5)
    world = evening.world
    world.say(ann, dealt[0][0], f"/play@{world.bot.username}")
    assert len((await world.next_post(dealt[0][0], "→ 24")).text.splitlines()[1].split()) == 7


@pytest.mark.parametrize(
    "broken", ["puzzle = '5'", "puzzle = '{'", "puzzle = json_set(puzzle, '$.numbers', 'x')", "game = 'none'"]
)
async def test_the_hand_of_the_day(broken: str, opened: Opened, database: Path) -> None:
    world = World(clock=Hours())
    ann, bob = world.user("Ann"), world.user("Bob")
    family = world.group("Family", ann, bob)
    evening = await opened(world)
    await evening.says(ann, world.place(ann), "/daily")
    spoil(database, "dailies", broken)
    await evening.says(bob, world.place(bob), "/daily")
    assert "→ 24" in world.posts(bob)[-1].text
    await evening.says(ann, family, "/solve@TwentyFourTestBot 1 1 2 8")
    assert any("= 24" in post.text for post in world.posts(family))


UNSENDABLE = [
    "nonsense",
    "5",
    "null",
    "[]",
    "{}",
    '{"method": 5}',
    '{"method": "show"}',
    '{"method": "sendMessage"}',
]


async def test_requests_that_cannot_be_sent_are_set_aside(opened: Opened, database: Path) -> None:
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        for body in (*UNSENDABLE, '{"method": "show", "round": "x"}'):
            connection.execute(
                "INSERT INTO outbox (lane, body, state, at) VALUES (5, ?, 'waiting', 0)", (body,)
            )
    world = World()
    evening = await opened(world)
    ann = world.user("Ann")
    await evening.says(ann, world.place(ann), "/help")
    assert world.posts(ann)
    dead = await evening.services.store.read(mail.dead_letters)
    assert len(dead) == len(UNSENDABLE) + 1
    assert {letter.trouble for letter in dead} == {"can't be read"}
    assert await evening.services.store.write(lambda tx: mail.retry(tx, [], [dead[0].id])) == 1
    assert await evening.services.store.write(mail.requeue) == ([], [])
    assert not world.violations


async def test_updates_that_cannot_be_read_are_set_aside(opened: Opened, database: Path) -> None:
    bodies = ["nonsense", "5", "null", "[]", "{}", json.dumps({"update_id": "x", "message": 5})]
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        for number, body in enumerate(bodies):
            connection.execute(
                "INSERT INTO inbox VALUES (?, 5, ?, 'waiting', 0, NULL, 0, NULL)", (number, body)
            )
    world = World()
    evening = await opened(world)
    ann = world.user("Ann")
    await evening.says(ann, world.place(ann), "/help")
    assert world.posts(ann)
    assert await evening.services.store.read(mail.waiting_updates) == []


async def test_a_lane_goes_on_when_even_counting_a_failure_fails(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> int:
        raise ZeroDivisionError

    world = World()
    evening = await opened(world)
    ann = world.user("Ann")
    with monkeypatch.context() as patched:
        patched.setattr(mail, "failed", fail)
        patched.setattr(mail, "mark_done", fail)
        await evening.says(ann, world.place(ann), "/help")
    await evening.says(ann, world.place(ann), "/help")
    assert world.posts(ann)
