"""The word about its week that a group gets on Monday: once, at its hour, and not in quiet hours."""

import re
from pathlib import Path

import pytest
from sqlalchemy import select

from bot.database.schema import outbox, scheduled_posts
from tests.stories.conftest import Evening, Restarted, evening
from tests.stories.hours import NOON, Hours
from tests.telegram import Chat, Message, User, World

HOUR, DAY = 3600.0, 86_400.0
MONDAY = NOON + 46 * HOUR  # Ten o'clock by UTC
WORDS = {
    "en": [
        "🏆 The week’s winner: \u2068Ann\u2069, 3 points",
        "⚡ The fastest answer: \u2068Ann\u2069, 9 seconds",
        "🤷 Nobody found 3 8 3 8 → 24",
    ],
    "ru": [
        "🏆 Победа недели: \u2068Ann\u2069, 3 очка",
        "⚡ Самый быстрый ответ: \u2068Ann\u2069, 9 секунд",
        "🤷 Никто не решил 3 8 3 8 → 24",
    ],
}


async def _wins(bot: Evening, hours: Hours, user: User, chat: Chat, seconds: float) -> None:
    deal = await bot.dealt(user, chat, 1, 2, 3, 4)
    hours.pass_(seconds)
    await bot.says(user, chat, "1*2*3*4", reply_to=deal)


async def _plays(bot: Evening, hours: Hours, ann: User, bob: User, family: Chat) -> None:
    """Ann wins two hands, Bob one, and one is given up."""
    await _wins(bot, hours, ann, family, 20)
    await _wins(bot, hours, ann, family, 9)
    await _wins(bot, hours, bob, family, 30)
    await bot.dealt(ann, family, 3, 8, 3, 8)
    await bot.says(ann, family, f"/skip@{bot.world.bot.username}")


def _words(chat: Chat, world: World) -> list[Message]:
    """The words about weeks."""
    return [post for post in world.posts(chat) if re.match("🏆 .*\n⚡", post.text)]


@pytest.mark.long
@pytest.mark.parametrize("language", ["en", "ru"])
async def test_a_group_hears_who_won_its_week_whatever_happens_to_the_bot(
    restarted: Restarted, world: World, hours: Hours, ann: User, bob: User, family: Chat, language: str
) -> None:
    bot = await restarted(world)
    await _plays(bot, hours, ann, bob, family)
    hours.now = MONDAY - 1
    await bot.looked()
    assert _words(family, world) == []
    bot = await restarted(world)
    hours.now = MONDAY + 5
    await bot.looked()
    (word,) = _words(family, world)
    assert word.text.splitlines() == WORDS[language]
    assert word.markup is None
    for later in (60, 2 * HOUR, DAY, 3 * DAY):
        bot = await restarted(world)
        hours.now = MONDAY + later
        await bot.looked()
    assert _words(family, world) == [word]
    assert await world.next_post(family, "⚡") is word
    await _wins(bot, hours, bob, family, 4)
    hours.now = MONDAY + 7 * DAY + 5
    await bot.looked()
    assert len(_words(family, world)) == 2
    assert "Bob" in _words(family, world)[1].text


async def test_who_did_not_play_hears_nothing(
    bot: Evening, world: World, hours: Hours, ann: User, bob: User, family: Chat
) -> None:
    club = world.group("Club", ann, bob)
    await bot.says(ann, club, f"/help@{world.bot.username}")
    await bot.dealt(ann, club, 3, 8, 3, 8)
    await bot.says(ann, club, f"/skip@{world.bot.username}")
    await _wins(bot, hours, ann, family, 9)
    await bot.says(ann, world.place(ann), "/play")
    for week in (0, 1):
        hours.now = MONDAY + 7 * DAY * week
        await bot.looked()
    assert _words(club, world) == []
    assert len(_words(family, world)) == 1
    assert len(world.posts(ann)) == 1


@pytest.mark.parametrize(("away", "told"), [(DAY - 60, 1), (DAY + 60, 0)])
async def test_a_bot_that_was_away_for_more_than_a_day_lets_it_be(
    world: World, hours: Hours, ann: User, family: Chat, database: Path, away: float, told: int
) -> None:
    async with evening(world, database) as before:
        await _wins(before, hours, ann, family, 9)
    hours.now = MONDAY + away
    async with evening(world, database) as after:
        await after.looked()
        assert len(_words(family, world)) == told


async def test_what_was_stored_and_could_not_be_sent_for_a_day_is_not_sent(
    world: World, hours: Hours, ann: User, family: Chat, database: Path
) -> None:
    async with evening(world, database) as before:
        await _wins(before, hours, ann, family, 9)
        hours.now = MONDAY
        outage = world.faults.add("sendMessage", status=502)
        await before.timers.look()
        await world.until(lambda: world.calls("sendMessage")[-1].status == 502)
        await before.service.outbox.close()
    world.faults.remove(outage)
    hours.now = MONDAY + DAY + 60
    async with evening(world, database) as after:
        await after.settled()
        await after.looked()
        assert _words(family, world) == []
        waiting = select(outbox).where(outbox.c.state == "waiting")
        assert (await after.services.store.read(lambda tx: tx.execute(waiting).all())) == []


@pytest.mark.long
async def test_it_waits_for_the_end_of_quiet_hours_also_when_they_begin_before_it_is_sent(
    world: World, hours: Hours, ann: User, family: Chat, database: Path
) -> None:
    async with evening(world, database) as before:
        await _wins(before, hours, ann, family, 9)
        await before.choose(family, "quiet", [10 * 60 + 1, 13 * 60])
        hours.now = MONDAY
        outage = world.faults.add("sendMessage", status=502)
        await before.timers.look()
        await world.until(lambda: world.calls("sendMessage")[-1].status == 502)
        await before.service.outbox.close()
    world.faults.remove(outage)
    hours.now = MONDAY + 90
    async with evening(world, database) as after:
        await after.settled()
        for later in (90, HOUR, 3 * HOUR - 1):
            hours.now = MONDAY + later
            await after.looked()
        assert _words(family, world) == []
        hours.now = MONDAY + 3 * HOUR + 60
        await after.looked()
        assert len(_words(family, world)) == 1


@pytest.mark.long
@pytest.mark.parametrize("jump", [-9 * DAY, -HOUR, HOUR, 30 * DAY])
async def test_a_clock_that_jumps_tells_it_once(
    bot: Evening, world: World, hours: Hours, ann: User, family: Chat, jump: float
) -> None:
    await _wins(bot, hours, ann, family, 9)
    for now in (MONDAY, MONDAY + jump, MONDAY + 60, MONDAY + jump + 60, MONDAY + 2 * HOUR):
        hours.now = now
        await bot.looked()
    assert len(_words(family, world)) == 1


async def test_a_word_that_went_out_is_not_sent_again_by_a_process_that_never_knew(
    world: World, hours: Hours, ann: User, family: Chat, database: Path
) -> None:
    async with evening(world, database) as before:
        await _wins(before, hours, ann, family, 9)
        hours.now = MONDAY
        world.faults.add("sendMessage", effect=True, hang=60, count=1)
        await before.timers.look()
        await world.until(lambda: _words(family, world))
        await before.service.outbox.close(patience=0.0)
    async with evening(world, database) as after:
        await after.settled()
        hours.pass_(120)
        await after.looked()
        assert len(_words(family, world)) == 1


@pytest.mark.parametrize("refusal", [{"status": 429, "retry_after": 1}, {"status": 502}])
async def test_a_word_that_was_refused_for_a_while_comes_later(
    bot: Evening, world: World, hours: Hours, ann: User, family: Chat, refusal: dict[str, int]
) -> None:
    await _wins(bot, hours, ann, family, 9)
    hours.now = MONDAY
    world.faults.add("sendMessage", count=2, **refusal)
    await bot.looked()
    assert len(_words(family, world)) == 1


@pytest.mark.long
async def test_admins_choose_the_hour_or_to_hear_nothing(
    bot: Evening, world: World, hours: Hours, ann: User, family: Chat
) -> None:
    club = world.group("Club", ann)
    for chat, buttons in (
        (family, ["18:00", "‹ Back", "Time zone", "Europe", "Ljubljana – Tallinn", "Madrid"]),
        (club, ["✓ the week’s winner"]),
    ):
        await _wins(bot, hours, ann, chat, 9)
        world.say(ann, chat, f"/settings@{world.bot.username}")
        menu = await world.next_post(chat, "Unasked posts")
        for button in ("Unasked posts", *buttons):
            await world.answer_to(world.press(ann, menu, button))
            await bot.settled()
    heard: list[int] = []
    for hour in range(10, 20):
        hours.now = MONDAY + (hour - 10) * HOUR
        await bot.looked()
        heard += [hour] * (len(_words(family, world)) - len(heard))
    assert heard == [17]
    assert _words(club, world) == []


async def test_a_supergroup_is_not_told_once_more(
    bot: Evening, world: World, hours: Hours, ann: User, bob: User
) -> None:
    family = world.group("Family", ann, bob, basic=True)
    await _wins(bot, hours, ann, family, 9)
    hours.now = MONDAY
    await bot.looked()
    club = world.migrate(family)
    await bot.settled()
    hours.pass_(120)
    await bot.looked()
    assert (len(_words(family, world)), _words(club, world)) == (1, [])
    kept = select(scheduled_posts.c.chat_id)
    assert await bot.services.store.read(lambda tx: list(tx.scalars(kept))) == [club.id]


async def test_whoever_is_forgotten_is_not_named(
    bot: Evening, world: World, hours: Hours, ann: User, bob: User, family: Chat
) -> None:
    await _wins(bot, hours, bob, family, 9)
    await _wins(bot, hours, bob, family, 8)
    await _wins(bot, hours, ann, family, 30)
    await bot.says(bob, world.place(bob), "/forgetme")
    await world.answer_to(world.press(bob, world.posts(bob)[-1], 0))
    await bot.settled()
    hours.now = MONDAY
    await bot.looked()
    (word,) = _words(family, world)
    assert word.text.splitlines() == [
        "🏆 The week’s winner: \u2068Ann\u2069, 1 point",
        "⚡ The fastest answer: \u2068Ann\u2069, 30 seconds",
    ]
