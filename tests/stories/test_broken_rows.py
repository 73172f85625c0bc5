"""Errors that cost one chat at most: unreadable rows, and writes that fail."""

import json
import logging
import random
import sqlite3
from contextlib import closing
from itertools import product
from pathlib import Path

import pytest

from bot.queue import dead_letters, queries
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot, OpenBot
from tests.stories.test_race import start_race
from tests.stories.test_secrecy import read_points
from tests.stories.test_yahtzee import parse_ranks, play_turns, start_yahtzee, take_card
from tests.telegram import Chat, Message, User, World

pytestmark = pytest.mark.long

INVALID_UTF8 = "CAST(x'ff80' AS TEXT)"  # as a flipped bit may leave it
BROKEN_ROUNDS = pytest.mark.parametrize(
    "change", ["puzzle = '{}'", f"puzzle = {INVALID_UTF8}", "game = 'unknown'", "standing = '{\"v\": 24}'"]
)


def change_rows(database: Path, table: str, change: str, chat: Chat | None = None) -> None:
    """Set columns in the rows of one chat, or in all rows, behind the bot's back."""
    where = f" WHERE chat_id = {chat.id}" if chat else ""
    with closing(sqlite3.connect(database, timeout=60, isolation_level=None)) as connection:
        assert connection.execute(f"UPDATE {table} SET {change}{where}").rowcount > 0  # noqa: S608 - a test's own


@pytest.fixture
async def deals(bot: LiveBot, world: World, ann: User) -> list[Message]:
    """Deal a hand in each of three groups."""
    groups = [world.group(title, ann) for title in ("Family", "Club", "Office")]
    return [await bot.deal(ann, group, 3, 8, 3, 8) for group in groups]


@BROKEN_ROUNDS
async def test_unreadable_round_ends_alone(
    bot: LiveBot,
    clock: Clock,
    ann: User,
    deals: list[Message],
    change: str,
    database: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    change_rows(database, "rounds", change, deals[0].chat)
    await bot.say(ann, deals[1].chat, "8/(3-8/3)", reply_to=deals[1])
    assert "🏆" in deals[1].text
    clock.advance(700)
    with caplog.at_level(logging.WARNING):
        await bot.run_timers()
    assert "8÷(3−8÷3) = 24" in deals[2].text
    logged = [record.getMessage().partition(": ")[0] for record in caplog.records]
    assert logged == ["round 1 can't be read", "round 1 is set aside", "round 1 can't be read"]
    assert not any(record.exc_info for record in caplog.records if record.levelno > logging.DEBUG)


@BROKEN_ROUNDS
async def test_unreadable_round_makes_room_for_the_next_deal(
    bot: LiveBot, ann: User, deals: list[Message], change: str, database: Path
) -> None:
    change_rows(database, "rounds", change, deals[0].chat)
    deal = await bot.deal(ann, deals[0].chat, 1, 1, 2, 8)
    await bot.say(ann, deals[0].chat, "1*8*(1+2)", reply_to=deal)
    assert "🏆" in deal.text


@pytest.mark.parametrize("change", [f"line = {INVALID_UTF8}", "line = ''", "game = 'unknown'"])
async def test_unreadable_round_hides_no_other_solution(
    bot: LiveBot, world: World, ann: User, deals: list[Message], change: str, database: Path
) -> None:
    change_rows(database, "rounds", change, deals[0].chat)
    await bot.say(ann, world.chat_of(ann), "/solve 4 5 6 7")
    assert "= 24" in world.posts(ann)[-1].text


@pytest.mark.parametrize("hands", ["nonsense", "[5]", '[{"game": "unknown", "puzzle": "{}"}]'])
async def test_race_ends_at_an_unreadable_hand(
    bot: LiveBot, world: World, clock: Clock, ann: User, family: Chat, hands: str, database: Path
) -> None:
    race = await start_race(bot, ann, family)
    other = await bot.deal(ann, world.group("Club", ann), 3, 8, 3, 8)
    change_rows(database, "races", f"hands = '{hands}'")
    await bot.say(ann, family, "1*8*(1+2)", reply_to=race)
    assert "⁨Ann⁩ — 1" in race.text  # the win before it counts
    clock.advance(700)
    await bot.run_timers()
    assert "8÷(3−8÷3) = 24" in other.text
    assert "→ 24" not in race.text
    await bot.deal(ann, family, 3, 8, 3, 8)


async def test_duel_ends_at_an_unreadable_hand(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat, database: Path
) -> None:
    await bot.say(ann, family, f"/duel@{world.bot.username}")
    duel = world.posts(family)[-1]
    bot.rig(1, 1, 2, 8)
    world.press(bob, duel, "Accept")
    await bot.settle()
    change_rows(database, "races", "hands = 'nonsense'")
    await bot.say(bob, family, "1*8*(1+2)", reply_to=duel)
    assert "wins the duel" in duel.text
    await bot.deal(ann, family, 3, 8, 3, 8)


async def test_unreadable_hand_of_the_day_is_dealt_again(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat, database: Path
) -> None:
    await bot.say(ann, world.chat_of(ann), "/daily")
    change_rows(database, "dailies", "puzzle = '5'")
    await bot.say(bob, world.chat_of(bob), "/daily")
    assert "→ 24" in world.posts(bob)[-1].text
    await bot.say(ann, family, f"/solve@{world.bot.username} 1 1 2 8")
    assert [post.text for post in world.posts(family)] == ["1 1 2 8 → 24\n1×8×(1+2) = 24\n1 way"]


async def test_unreadable_card_takes_no_part_in_its_contest(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat, database: Path
) -> None:
    cid = world.user("Cid")
    world.join(cid, family)
    game = await start_yahtzee(bot, ann, family)
    cards = {user: await take_card(bot, user, game) for user in (ann, bob, cid)}
    for user in (ann, cid):
        await play_turns(bot, user, cards[user], random.Random(user.id), 13)
    with closing(sqlite3.connect(database, timeout=60, isolation_level=None)) as connection:
        connection.execute("UPDATE entries SET answer = '{' WHERE player_id = ?", (bob.id,))
    clock.advance(8 * 86_400)
    await bot.run_timers()
    totals = {name: total for _, name, total in parse_ranks(world.posts(family)[-1].text)}
    assert totals.keys() == {"Ann", "Cid"}
    for user in (ann, cid):
        assert await read_points(bot, user, family) == totals[user.first_name] // 10 > 0


async def test_unreadable_requests_are_dead_letters(
    world: World, ann: User, open_bot: OpenBot, database: Path
) -> None:
    bodies = ["nonsense", "{}", '{"method": "sendMessage"}', '{"method": "show", "round": "x"}']
    insert = "INSERT INTO outbox (lane, body, state, at) VALUES (?, {}, 'waiting', 0)"
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        for lane, body in product((5, -5), bodies):
            connection.execute(insert.format("?"), (lane, body))
        connection.execute(insert.format(INVALID_UTF8), (5,))
    bot = await open_bot(world)
    await bot.say(ann, world.chat_of(ann), "/help")
    assert [post.text.partition(":")[0] for post in world.posts(ann)] == ["Twenty-Four"]
    dead = await bot.services.store.read(queries.load_dead_requests)
    assert len(dead) == 2 * len(bodies) + 1
    assert {request.reason for request in dead} == {"can't be read"}
    retried = [f"r{dead[0].id}"]
    assert await bot.services.store.write(lambda tx: dead_letters.retry_dead_letters(tx, retried)) == 1
    assert await bot.services.store.write(queries.requeue_marked) == ([], [])


async def test_unreadable_updates_are_skipped(
    world: World, ann: User, open_bot: OpenBot, database: Path
) -> None:
    bodies = ["nonsense", "{}", json.dumps({"update_id": "x", "message": 5})]
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        for number, body in enumerate(bodies):
            connection.execute(
                "INSERT INTO inbox VALUES (?, 5, ?, 'waiting', 0, NULL, 0, NULL)", (number, body)
            )
    bot = await open_bot(world)
    await bot.say(ann, world.chat_of(ann), "/help")
    assert [post.text.partition(":")[0] for post in world.posts(ann)] == ["Twenty-Four"]
    assert await bot.services.store.read(queries.load_waiting_updates) == []


@pytest.mark.exhaustive
@pytest.mark.long
async def test_chat_goes_on_when_counting_a_failure_fails(
    bot: LiveBot, world: World, ann: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures = []

    def fail(*_: object) -> int:
        failures.append(1)
        raise ZeroDivisionError

    with monkeypatch.context() as patched:
        patched.setattr(queries, "count_failure", fail)
        patched.setattr(queries, "insert_request", fail)
        world.say(ann, world.chat_of(ann), "/help")
        await world.wait_until(lambda: len(failures) > 1, 60, "two failures")
    await bot.say(ann, world.chat_of(ann), "/help")
    # On a server the next bot to lease the chat takes up what this one left, without a restart.
    assert {post.text.partition(":")[0] for post in world.posts(ann)} == {"Twenty-Four"}
