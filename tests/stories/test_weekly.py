"""The weekly post in groups on Monday: once, at its hour, and not in quiet hours."""

import re
from pathlib import Path

import pytest
from sqlalchemy import select

from bot.database.schema import outbox, scheduled_posts
from tests.stories.clock import NOON, Clock
from tests.stories.conftest import LiveBot, RestartBot, run_bot
from tests.telegram import Chat, Message, User, World

pytestmark = pytest.mark.long

HOUR, DAY = 3600.0, 86_400.0
MONDAY = NOON + 46 * HOUR  # Ten o'clock by UTC
WEEKLY_POSTS = {
    "en": [
        "🏆 The week’s winner: \u2068Ann\u2069, 3 points",
        "⚡ The fastest answer: \u2068Ann\u2069, 9 s",
        "🤷 Nobody found 3 8 3 8 → 24",
    ],
    "ru": [
        "🏆 Победа недели: \u2068Ann\u2069, 3 очка",
        "⚡ Самый быстрый ответ: \u2068Ann\u2069, 9 с",
        "🤷 Никто не решил 3 8 3 8 → 24",
    ],
}


async def win_hand(bot: LiveBot, clock: Clock, user: User, chat: Chat, seconds: float) -> None:
    deal = await bot.deal(user, chat, 1, 2, 3, 4)
    clock.advance(seconds)
    await bot.say(user, chat, "1*2*3*4", reply_to=deal)


async def play_week(bot: LiveBot, clock: Clock, ann: User, bob: User, family: Chat) -> None:
    """Let Ann win two hands and Bob one, and skip one."""
    await win_hand(bot, clock, ann, family, 20)
    await win_hand(bot, clock, ann, family, 9)
    await win_hand(bot, clock, bob, family, 30)
    await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.say(ann, family, f"/skip@{bot.world.bot.username}")


def list_weekly_posts(chat: Chat, world: World) -> list[Message]:
    """Return the weekly posts in a chat."""
    return [post for post in world.posts(chat) if re.match("🏆 .*\n⚡", post.text)]


@pytest.mark.texts
@pytest.mark.long
@pytest.mark.parametrize("language", ["en", "ru"])
async def test_weekly_post_names_winners_once_despite_restarts(
    restart_bot: RestartBot, world: World, clock: Clock, ann: User, bob: User, family: Chat, language: str
) -> None:
    bot = await restart_bot(world)
    await play_week(bot, clock, ann, bob, family)
    clock.now = MONDAY - 1
    await bot.run_timers()
    assert list_weekly_posts(family, world) == []
    bot = await restart_bot(world)
    clock.now = MONDAY + 5
    await bot.run_timers()
    (post,) = list_weekly_posts(family, world)
    assert post.text.splitlines() == WEEKLY_POSTS[language]
    assert post.markup is None
    for later in (60, 2 * HOUR, DAY, 3 * DAY):
        bot = await restart_bot(world)
        clock.now = MONDAY + later
        await bot.run_timers()
    assert list_weekly_posts(family, world) == [post]
    assert await world.next_post(family, "⚡") is post
    await win_hand(bot, clock, bob, family, 4)
    clock.now = MONDAY + 7 * DAY + 5
    await bot.run_timers()
    assert len(list_weekly_posts(family, world)) == 2
    assert "Bob" in list_weekly_posts(family, world)[1].text


async def test_weekly_post_needs_wins_in_a_group(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    club = world.group("Club", ann, bob)
    await bot.say(ann, club, f"/help@{world.bot.username}")
    await bot.deal(ann, club, 3, 8, 3, 8)
    await bot.say(ann, club, f"/skip@{world.bot.username}")
    await win_hand(bot, clock, ann, family, 9)
    await bot.say(ann, world.chat_of(ann), "/play")
    for week in (0, 1):
        clock.now = MONDAY + 7 * DAY * week
        await bot.run_timers()
    assert list_weekly_posts(club, world) == []
    assert len(list_weekly_posts(family, world)) == 1
    assert len(world.posts(ann)) == 1


@pytest.mark.parametrize(("away", "count"), [(DAY - 60, 1), (DAY + 60, 0)])
async def test_weekly_post_is_dropped_after_a_day_offline(
    world: World, clock: Clock, ann: User, family: Chat, database: Path, away: float, count: int
) -> None:
    async with run_bot(world, database) as before:
        await win_hand(before, clock, ann, family, 9)
    clock.now = MONDAY + away
    async with run_bot(world, database) as after:
        await after.run_timers()
        assert len(list_weekly_posts(family, world)) == count


async def test_stored_weekly_post_is_dropped_after_a_day(
    world: World, clock: Clock, ann: User, family: Chat, database: Path
) -> None:
    async with run_bot(world, database) as before:
        await win_hand(before, clock, ann, family, 9)
        clock.now = MONDAY
        outage = world.faults.add("sendMessage", status=502)
        await before.timers.run_all()
        await world.wait_until(lambda: world.calls("sendMessage")[-1].status == 502)
        await before.service.outbox.close()
    world.faults.remove(outage)
    clock.now = MONDAY + DAY + 60
    async with run_bot(world, database) as after:
        await after.settle()
        await after.run_timers()
        assert list_weekly_posts(family, world) == []
        waiting = select(outbox).where(outbox.c.state == "waiting")
        assert (await after.services.store.read(lambda tx: tx.execute(waiting).all())) == []


@pytest.mark.long
async def test_weekly_post_waits_for_the_end_of_quiet_hours(
    world: World, clock: Clock, ann: User, family: Chat, database: Path
) -> None:
    async with run_bot(world, database) as before:
        await win_hand(before, clock, ann, family, 9)
        await before.choose(family, "quiet", [10 * 60 + 1, 13 * 60])
        clock.now = MONDAY
        outage = world.faults.add("sendMessage", status=502)
        await before.timers.run_all()
        await world.wait_until(lambda: world.calls("sendMessage")[-1].status == 502)
        await before.service.outbox.close()
    world.faults.remove(outage)
    clock.now = MONDAY + 90
    async with run_bot(world, database) as after:
        await after.settle()
        for later in (90, HOUR, 3 * HOUR - 1):
            clock.now = MONDAY + later
            await after.run_timers()
        assert list_weekly_posts(family, world) == []
        clock.now = MONDAY + 3 * HOUR + 60
        await after.run_timers()
        assert len(list_weekly_posts(family, world)) == 1


@pytest.mark.long
@pytest.mark.parametrize("jump", [-9 * DAY, -HOUR, HOUR, 30 * DAY])
async def test_weekly_post_is_sent_once_despite_clock_jumps(
    bot: LiveBot, world: World, clock: Clock, ann: User, family: Chat, jump: float
) -> None:
    await win_hand(bot, clock, ann, family, 9)
    for now in (MONDAY, MONDAY + jump, MONDAY + 60, MONDAY + jump + 60, MONDAY + 2 * HOUR):
        clock.now = now
        await bot.run_timers()
    assert len(list_weekly_posts(family, world)) == 1


async def test_weekly_post_is_not_doubled_after_a_cut_request(
    world: World, clock: Clock, ann: User, family: Chat, database: Path
) -> None:
    async with run_bot(world, database) as before:
        await win_hand(before, clock, ann, family, 9)
        clock.now = MONDAY
        world.faults.add("sendMessage", effect=True, hang=60, count=1)
        await before.timers.run_all()
        await world.wait_until(lambda: list_weekly_posts(family, world))
        await before.service.outbox.close(patience=0.0)
    async with run_bot(world, database) as after:
        await after.settle()
        clock.advance(120)
        await after.run_timers()
        assert len(list_weekly_posts(family, world)) == 1


@pytest.mark.parametrize("refusal", [{"status": 429, "retry_after": 1}, {"status": 502}])
async def test_weekly_post_is_sent_after_temporary_refusals(
    bot: LiveBot, world: World, clock: Clock, ann: User, family: Chat, refusal: dict[str, int]
) -> None:
    await win_hand(bot, clock, ann, family, 9)
    clock.now = MONDAY
    world.faults.add("sendMessage", count=2, **refusal)
    await bot.run_timers()
    assert len(list_weekly_posts(family, world)) == 1


@pytest.mark.long
async def test_admins_choose_hour_of_weekly_post_or_disable_it(
    bot: LiveBot, world: World, clock: Clock, ann: User, family: Chat
) -> None:
    club = world.group("Club", ann)
    for chat, buttons in (
        (family, ["18:00", "‹ Back", "Time zone", "Europe", "Ljubljana – Tallinn", "Madrid"]),
        (club, ["✓ the week"]),
    ):
        await win_hand(bot, clock, ann, chat, 9)
        world.say(ann, chat, f"/settings@{world.bot.username}")
        menu = await world.next_post(chat, "Regular posts")
        for button in ("Regular posts", *buttons):
            await world.answer_to(world.press(ann, menu, button))
            await bot.settle()
    hours: list[int] = []
    for hour in range(10, 20):
        clock.now = MONDAY + (hour - 10) * HOUR
        await bot.run_timers()
        hours += [hour] * (len(list_weekly_posts(family, world)) - len(hours))
    assert hours == [17]
    assert list_weekly_posts(club, world) == []


async def test_weekly_post_is_not_repeated_in_the_supergroup(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User
) -> None:
    family = world.group("Family", ann, bob, basic=True)
    await win_hand(bot, clock, ann, family, 9)
    clock.now = MONDAY
    await bot.run_timers()
    club = world.migrate(family)
    await bot.settle()
    clock.advance(120)
    await bot.run_timers()
    assert (len(list_weekly_posts(family, world)), list_weekly_posts(club, world)) == (1, [])
    stored_chats = select(scheduled_posts.c.chat_id)
    assert await bot.services.store.read(lambda tx: list(tx.scalars(stored_chats))) == [club.id]


async def test_weekly_post_names_no_deleted_player(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    await win_hand(bot, clock, bob, family, 9)
    await win_hand(bot, clock, bob, family, 8)
    await win_hand(bot, clock, ann, family, 30)
    await bot.say(bob, world.chat_of(bob), "/forgetme")
    await world.answer_to(world.press(bob, world.posts(bob)[-1], 0))
    await bot.settle()
    clock.now = MONDAY
    await bot.run_timers()
    (post,) = list_weekly_posts(family, world)
    assert post.text.splitlines() == [
        "🏆 The week’s winner: \u2068Ann\u2069, 1 point",
        "⚡ The fastest answer: \u2068Ann\u2069, 30 s",
    ]
