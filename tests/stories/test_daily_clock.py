"""The daily hand's clock, which starts on delivery, and the secrecy of future daily hands."""

import shutil
from pathlib import Path

import pytest
from sqlalchemy import select

from bot.database.schema import attempts, chains
from bot.rounds.chains import EVERY_CHAT
from solver import derive_seed
from tests.stories.clock import Clock
from tests.stories.conftest import TRIES, LiveBot, run_bot
from tests.telegram import Chat, User, World

pytestmark = pytest.mark.long

SOLUTION = "8/(3-8/3)"


async def _say_in_private(bot: LiveBot, user: User, text: str = SOLUTION) -> str:
    await bot.say(user, bot.world.chat_of(user), text)
    return bot.world.posts(user)[-1].text


async def _request_during_outage(bot: LiveBot, user: User) -> None:
    """Request the daily hand; return once Telegram has refused to send it."""
    before = len(bot.world.calls("sendMessage"))
    bot.world.say(user, user, "/daily")
    await bot.world.wait_until(lambda: [c for c in bot.world.calls("sendMessage")[before:] if c.status != 0])


async def _load_shown_time(bot: LiveBot) -> float | None:
    """Return the start time of the only attempt; None if it has not started."""
    return await bot.services.store.read(lambda tx: tx.scalar(select(attempts.c.shown)))


async def test_delayed_hand_is_timed_from_delivery(
    bot: LiveBot, world: World, clock: Clock, ann: User
) -> None:
    bot.rig(3, 8, 3, 8)
    world.faults.add("sendMessage", status=502)
    await _request_during_outage(bot, ann)
    clock.advance(300)
    world.faults.clear()
    await bot.settle()
    clock.advance(42)
    assert "Solved in 42 s" in await _say_in_private(bot, ann)


async def test_repeated_request_does_not_restart_clock(
    bot: LiveBot, world: World, clock: Clock, ann: User, family: Chat
) -> None:
    bot.rig(3, 8, 3, 8)
    await _say_in_private(bot, ann, "/daily")
    await bot.say(ann, family, f"/daily@{world.bot.username}")
    for _ in range(3):
        clock.advance(10)
        await _say_in_private(bot, ann, "/daily")
        world.open_link(ann, world.posts(family)[-1], 0)
        await bot.settle()
    clock.advance(12)
    assert "Solved in 42 s" in await _say_in_private(bot, ann)
    assert "⏱ 42 s" in world.posts(family)[-1].text


async def test_answer_may_precede_delivery_receipt(
    bot: LiveBot, world: World, clock: Clock, ann: User
) -> None:
    bot.rig(3, 8, 3, 8)
    world.faults.add("sendMessage", effect=True, hang=0.5, count=1)
    world.say(ann, ann, "/daily")
    await world.next_post(ann, "3 8 3 8 → 24")
    clock.advance(42)
    world.say(ann, ann, SOLUTION)
    won = await world.next_post(ann, "Solved")
    assert "Solved in 42 s" in won.text
    await bot.settle()
    assert "Solved in 42 s" in await _say_in_private(bot, ann, "/daily")


async def test_hand_with_unknown_delivery_keeps_its_clock(
    bot: LiveBot, world: World, clock: Clock, ann: User
) -> None:
    bot.rig(3, 8, 3, 8)
    world.faults.add("sendMessage", effect=True, close=True, count=1)
    await _say_in_private(bot, ann, "/daily")
    clock.advance(30)
    await _say_in_private(bot, ann, "/daily")  # a second look is no fresh start
    clock.advance(12)
    assert "Solved in 42 s" in await _say_in_private(bot, ann)


async def test_hand_delivered_despite_error_is_timed_from_then(
    bot: LiveBot, world: World, clock: Clock, ann: User
) -> None:
    bot.rig(3, 8, 3, 8)
    world.faults.add("sendMessage", status=502, effect=True, count=1)
    await _request_during_outage(bot, ann)
    clock.advance(30)
    await bot.settle()
    clock.advance(12)
    assert "Solved in 42 s" in await _say_in_private(bot, ann)
    assert len(world.posts(ann)) == 2


async def test_undeliverable_hand_starts_no_clock(
    bot: LiveBot, world: World, clock: Clock, ann: User
) -> None:
    bot.rig(3, 8, 3, 8)
    world.faults.add("sendMessage", status=403, count=TRIES)
    await _request_during_outage(bot, ann)
    await bot.settle()
    assert await _load_shown_time(bot) is None
    clock.advance(3600)
    await _say_in_private(bot, ann, "/daily")
    clock.advance(42)
    assert "Solved in 42 s" in await _say_in_private(bot, ann)


async def test_crash_before_receipt_does_not_restart_clock(
    world: World, clock: Clock, ann: User, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.queue.sender.SendAttempt.make_check", lambda *_: None)  # a kill leaves no time
    async with run_bot(world, database) as before:
        before.rig(3, 8, 3, 8)
        world.faults.add("sendMessage", effect=True, hang=60, count=1)
        world.say(ann, ann, "/daily")
        await world.next_post(ann, "3 8 3 8 → 24")
        await before.service.outbox.close(patience=0.0)
    clock.advance(30)
    async with run_bot(world, database) as after:
        await world.next_post(ann, "3 8 3 8 → 24")  # once more: nobody knows that it came
        await after.settle()
        clock.advance(12)
        assert "Solved in 42 s" in await _say_in_private(after, ann)


async def test_stop_before_receipt_does_not_restart_clock(
    world: World, clock: Clock, ann: User, database: Path
) -> None:
    async with run_bot(world, database) as before:
        before.rig(3, 8, 3, 8)
        world.faults.add("sendMessage", effect=True, hang=60, count=1)
        world.say(ann, ann, "/daily")
        await world.next_post(ann, "3 8 3 8 → 24")
        await before.service.outbox.close(patience=0.0)
    clock.advance(30)
    async with run_bot(world, database) as after:
        await after.settle()
        assert len(world.posts(ann)) == 1
        clock.advance(12)
        assert "Solved in 42 s" in await _say_in_private(after, ann)


async def test_restart_during_outage_leaves_no_clock_running(
    world: World, clock: Clock, ann: User, database: Path
) -> None:
    async with run_bot(world, database) as before:
        before.rig(3, 8, 3, 8)
        outage = world.faults.add("sendMessage", status=502)
        await _request_during_outage(before, ann)
        await before.service.outbox.close()
    world.faults.remove(outage)
    clock.advance(3600)
    async with run_bot(world, database) as after:
        await world.next_post(ann, "3 8 3 8 → 24")
        await after.settle()
        clock.advance(42)
        assert "Solved in 42 s" in await _say_in_private(after, ann)


async def _collect_hands(database: Path, days: int) -> list[str]:
    """Return the daily hands of that many days."""
    clock = Clock()
    world = World(clock=clock)
    ann = world.user("Ann")
    hands = []
    async with run_bot(world, database) as bot:
        for _ in range(days):
            text = await _say_in_private(bot, ann, "/daily")
            hands.append(next(line for line in text.splitlines() if line.endswith("→ 24")))
            clock.advance(86_400)
    return hands


@pytest.mark.long
async def test_future_hands_depend_on_the_stored_key(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.rounds.chains.derive_seed", derive_seed)  # in stories seeds are counted up
    copy, other = tmp_path / "copy.sqlite3", tmp_path / "other.sqlite3"
    shutil.copy(database, other)
    (today,) = await _collect_hands(database, 1)
    shutil.copy(database, copy)
    whole = await _collect_hands(database, 5)
    assert whole[0] == today  # a hand that was dealt stays
    assert await _collect_hands(copy, 5) == whole  # who has the database has its days
    assert await _collect_hands(other, 5) != whole


async def test_secret_of_daily_hands_is_long_and_stable_and_nowhere_shown(
    bot: LiveBot, world: World, clock: Clock, ann: User
) -> None:
    keys = set()
    for _ in range(2):
        await _say_in_private(bot, ann, "/daily")
        of_days = select(chains.c.secret).where(chains.c.chat_id == EVERY_CHAT)
        keys |= {await bot.services.store.read(lambda tx: tx.scalar(of_days))}  # noqa: B023
        clock.advance(86_400)
    (key,) = keys
    assert len(bytes.fromhex(str(key))) == 32
    await _say_in_private(bot, ann, "/export")
    assert not any(str(key).encode() in (post.file or b"") for post in world.posts(ann))
    assert not any(str(key) in str(request.params) for request in world.requests)
