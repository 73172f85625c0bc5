"""Daily tables in groups and daily reminders in private, once a day at the chosen hour."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.stories.clock import NOON, Clock
from tests.stories.conftest import LiveBot, RestartBot, run_bot
from tests.telegram import Chat, Message, User, World

pytestmark = pytest.mark.long

HOUR, DAY = 3600.0, 86_400.0
SIX = NOON + 6 * HOUR  # The evening of the same day, by UTC


async def _choose_setting(bot: LiveBot, user: User, chat: Chat | User, *buttons: str | int) -> None:
    world = bot.world
    world.say(user, chat, f"/settings@{world.bot.username}")
    menu = await world.next_post(chat)
    for button in buttons:
        await world.answer_to(world.press(user, menu, button))
        await bot.settle()


async def _solve_from_table(bot: LiveBot, clock: Clock, user: User, table: Message) -> None:
    """Solve the daily hand by the table's button; the table then lists the user first."""
    bot.rig(3, 8, 3, 8)
    bot.world.open_link(user, table, 0)
    await bot.settle()
    clock.advance(42)
    await bot.say(user, bot.world.chat_of(user), "8/(3-8/3)")
    assert f"1. \u2068{user.first_name}\u2069 · 🟩 ⏱ 42 s 🔥 1" in table.text.splitlines()


def _list_tables(world: World, chat: Chat) -> list[Message]:
    return [post for post in world.posts(chat) if post.text.startswith("🗓")]


def _list_reminders(world: World, user: User) -> list[Message]:
    return [post for post in world.posts(user) if post.text.startswith(("🔔", "No more"))]


async def _press(bot: LiveBot, user: User, message: Message, button: str | int) -> str:
    reply = await bot.world.answer_to(bot.world.press(user, message, button))
    await bot.settle()
    return reply


async def _solve_today(bot: LiveBot, clock: Clock, user: User) -> Message:
    """Solve the daily hand in private in 42 seconds; return the result."""
    place = bot.world.chat_of(user)
    bot.rig(3, 8, 3, 8)
    await bot.say(user, place, "/daily")
    clock.advance(42)
    await bot.say(user, place, "8/(3-8/3)")
    return bot.world.posts(user)[-1]


@pytest.mark.long
@pytest.mark.parametrize(
    ("language", "labels"),
    [
        ("en", ("Regular posts", "the day", "18:00", "Solve today’s hand")),
        ("es", ("Mensajes regulares", "el día", "18:00", "Resolver la mano de hoy")),
    ],
)
async def test_group_gets_daily_table_once_a_day_despite_restarts(
    restart_bot: RestartBot,
    world: World,
    clock: Clock,
    ann: User,
    bob: User,
    family: Chat,
    language: str,
    labels: tuple[str, ...],
) -> None:
    bot = await restart_bot(world)
    await _choose_setting(bot, ann, family, *labels[:3])
    clock.now = SIX - 60
    await bot.run_timers()
    assert _list_tables(world, family) == []
    for later in (5, 65, HOUR, 5 * HOUR):
        bot = await restart_bot(world)
        clock.now = SIX + later
        await bot.run_timers()
    (table,) = _list_tables(world, family)
    assert "21 nov" in table.text.casefold()
    assert table.labels == [labels[3]]
    await _solve_from_table(bot, clock, bob, table)
    clock.now = SIX + DAY + 5
    await bot.run_timers()
    assert len(_list_tables(world, family)) == 2


@pytest.mark.long
@pytest.mark.parametrize("arrives", [True, False])
async def test_table_with_unknown_delivery_is_not_repeated(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat, arrives: bool
) -> None:
    await _choose_setting(bot, ann, family, "Regular posts", "the day", "18:00")
    clock.now = SIX + 5
    world.faults.add("sendMessage", effect=arrives, close=True, count=1)
    for _ in range(3):
        await bot.run_timers()
        clock.advance(61)
    tables = _list_tables(world, family)
    assert len(tables) == arrives
    for table in tables:
        await _solve_from_table(bot, clock, bob, table)


@pytest.mark.long
async def test_no_table_if_unwanted_already_there_or_in_quiet_hours(
    bot: LiveBot, world: World, clock: Clock, ann: User, family: Chat
) -> None:
    club, night, silent = (world.group(title, ann) for title in ("Club", "Night", "Silent"))
    for chat in (family, club, night):
        await _choose_setting(bot, ann, chat, "Regular posts", "the day", "18:00")
    await bot.choose(night, "quiet", [17 * 60, 23 * 60])
    await bot.say(ann, silent, f"/help@{world.bot.username}")
    await bot.say(ann, club, f"/daily@{world.bot.username}")
    clock.now = SIX + 5
    await bot.run_timers()
    assert [len(_list_tables(world, chat)) for chat in (family, club, night, silent)] == [1, 1, 0, 0]
    clock.now = SIX + 5 * HOUR + 5
    await bot.run_timers()
    assert len(_list_tables(world, night)) == 1


async def test_table_is_skipped_when_far_too_late(
    world: World, clock: Clock, ann: User, family: Chat, database: Path
) -> None:
    async with run_bot(world, database) as before:
        await _choose_setting(before, ann, family, "Regular posts", "the day", "18:00")
    clock.now = SIX + 6 * HOUR + 60
    async with run_bot(world, database) as after:
        await after.run_timers()
        assert _list_tables(world, family) == []


async def test_table_shows_who_gave_up_but_no_solution(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    bot.rig(3, 8, 3, 8)
    await bot.say(ann, family, f"/daily@{world.bot.username}")
    table = world.posts(family)[-1]
    for user in (ann, bob):
        world.open_link(user, table, 0)
        await bot.settle()
    await bot.say(ann, world.chat_of(ann), "8/(3-8/3)")
    await _press(bot, bob, world.posts(bob)[-1], "Give up")
    await _press(bot, bob, world.posts(bob)[-1], "Yes, show me")
    assert table.text.splitlines()[1:] == [
        "1. \u2068Ann\u2069 · 🟩 ⏱ 1 s 🔥 1",
        "\u2068Bob\u2069 · gave up",
    ]
    assert "8÷(3" not in table.text


@pytest.mark.parametrize(
    ("language", "head"),
    [
        ("en", "Twenty-Four 21 Nov · 4 of 10 people find it · 🟩 ⏱ 42 s"),
        ("zh-hans", "二十四点 11月21日 · 10 人中有 4 人能解出 · 🟩 ⏱ 42 秒"),
    ],
)
async def test_result_is_shared_in_one_line(
    bot: LiveBot, clock: Clock, ann: User, language: str, head: str
) -> None:
    result = await _solve_today(bot, clock, ann)
    row = (result.markup or {})["inline_keyboard"]
    line, address = row[1][0]["copy_text"]["text"].splitlines()
    assert line == f"{head} 🔥 1"
    assert address == f"https://t.me/{bot.world.bot.username}?start=daily"


@pytest.mark.long
@pytest.mark.parametrize(
    ("language", "waiting", "streak"),
    [
        ("en", "🔔 Today’s hand is waiting for you.", "Your streak: 1 day"),
        ("ru", "🔔 Раздача дня ждёт вас.", "Ваша серия: 1 день"),
    ],
)
async def test_reminder_comes_at_the_time_of_day_of_the_request(
    restart_bot: RestartBot,
    world: World,
    clock: Clock,
    ann: User,
    language: str,
    waiting: str,
    streak: str,
) -> None:
    bot = await restart_bot(world)
    result = await _solve_today(bot, clock, ann)
    assert result.labels[-1].startswith("🔔")
    before, labels = result.text, result.labels
    assert "/settings" in await _press(bot, ann, result, len(result.labels) - 1)
    assert (result.text, result.labels) == (before, labels[:-1])
    for later in (60, HOUR, DAY - 120):
        bot = await restart_bot(world)
        clock.now = NOON + later
        await bot.run_timers()
    assert _list_reminders(world, ann) == []
    for later in (DAY + 5, DAY + 65, DAY + HOUR):
        bot = await restart_bot(world)
        clock.now = NOON + later
        await bot.run_timers()
    (reminder,) = _list_reminders(world, ann)
    assert reminder.text.splitlines() == [waiting, streak]
    bot.rig(1, 2, 3, 4)
    await _press(bot, ann, reminder, 0)
    assert "1 2 3 4 → 24" in world.posts(ann)[-1].text.splitlines()
    clock.now = NOON + 2 * DAY - 60
    bot.rig(2, 4, 8, 10)
    await bot.say(ann, world.chat_of(ann), "/daily")
    assert len(_list_reminders(world, ann)) == 1


async def test_no_reminder_once_daily_hand_was_opened(
    bot: LiveBot, world: World, clock: Clock, ann: User
) -> None:
    await _choose_setting(bot, ann, ann, "Daily reminder", "18:00")
    await _solve_today(bot, clock, ann)
    clock.now = SIX + 5
    await bot.run_timers()
    assert _list_reminders(world, ann) == []
    clock.now = SIX + DAY + 5
    await bot.run_timers()
    assert len(_list_reminders(world, ann)) == 1


async def test_reminders_end_by_button_or_after_a_week_unanswered(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User
) -> None:
    for user in (ann, bob):
        await _choose_setting(bot, user, user, "Daily reminder", "18:00")
    for day in range(10):
        clock.now = SIX + day * DAY + 5
        await bot.run_timers()
        if day == 1:
            await _press(bot, bob, world.posts(bob)[-1], "No more reminders")
    assert [post.text for post in _list_reminders(world, bob)] == [
        "🔔 Today’s hand is waiting for you.",
        "No more reminders. /settings brings them back.",
    ]
    texts = [post.text.splitlines() for post in _list_reminders(world, ann)]
    assert len(texts) == 7
    assert [len(lines) for lines in texts] == [1] * 6 + [2]
    assert texts[-1][1] == "I won’t remind you again for now. /settings brings reminders back."
    assert _list_reminders(world, ann)[-1].labels == ["Solve today’s hand"]


@pytest.mark.parametrize("notified", [True, False])
async def test_blocking_the_bot_ends_reminders(
    bot: LiveBot, world: World, clock: Clock, ann: User, notified: bool
) -> None:
    await _choose_setting(bot, ann, ann, "Daily reminder", "18:00")
    if notified:
        world.block(ann)
        await bot.settle()
    else:
        world.faults.add("sendMessage", status=403)
    clock.now = SIX + 5
    await bot.run_timers()
    tries = len(world.calls("sendMessage"))
    world.faults.clear()
    if notified:
        world.unblock(ann)
    for day in range(1, 4):
        clock.now = SIX + day * DAY + 5
        await bot.run_timers()
    assert len(world.calls("sendMessage")) == tries
    await bot.say(ann, world.chat_of(ann), "/settings")
    assert "Daily reminder: off" in world.posts(ann)[-1].text


@pytest.mark.long
@pytest.mark.parametrize("refusal", [{"status": 429, "retry_after": 1}, {"status": 502}])
async def test_refused_daily_posts_are_sent_later(
    bot: LiveBot, world: World, clock: Clock, ann: User, family: Chat, refusal: dict[str, int]
) -> None:
    await _choose_setting(bot, ann, ann, "Daily reminder", "18:00")
    await _choose_setting(bot, ann, family, "Regular posts", "the day", "18:00")
    clock.now = SIX + 5
    world.faults.add("sendMessage", count=4, **refusal)
    await bot.run_timers()
    assert (len(_list_reminders(world, ann)), len(_list_tables(world, family))) == (1, 1)


async def test_daily_posts_are_not_repeated_after_restart(
    world: World, clock: Clock, ann: User, family: Chat, database: Path
) -> None:
    def count_posts() -> list[int]:
        return [len(_list_reminders(world, ann)), len(_list_tables(world, family))]

    both = [1, 1]

    async with run_bot(world, database) as before:
        await _choose_setting(before, ann, ann, "Daily reminder", "18:00")
        await _choose_setting(before, ann, family, "Regular posts", "the day", "18:00")
        clock.now = SIX + 5
        world.faults.add("sendMessage", effect=True, hang=60, count=2)
        await before.timers.run_all()
        await world.wait_until(lambda: count_posts() == both)
        await before.service.outbox.close(patience=0.0)
    async with run_bot(world, database) as after:
        await after.settle()
        clock.advance(120)
        await after.run_timers()
        assert count_posts() == both


async def test_reminders_are_exported_and_end_on_forgetme(
    bot: LiveBot, world: World, clock: Clock, ann: User
) -> None:
    await _choose_setting(bot, ann, ann, "Daily reminder", "18:00")
    clock.now = SIX + 5
    await bot.run_timers()
    await bot.say(ann, world.chat_of(ann), "/export")
    export: dict[str, Any] = json.loads(list(world.files.values())[-1])
    assert [row["period"] for row in export["reminders"]] == ["2026-11-21"]
    await bot.say(ann, world.chat_of(ann), "/forgetme")
    await _press(bot, ann, world.posts(ann)[-1], 0)
    clock.now = SIX + DAY + 5
    await bot.run_timers()
    assert len(_list_reminders(world, ann)) == 1


async def test_forged_press_changes_nothing(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User
) -> None:
    result = await _solve_today(bot, clock, ann)
    await bot.say(bob, world.chat_of(bob), "/help")
    help_ = world.posts(bob)[-1]
    for data in ("qr:2026-11-21", "qr:", "qn:", "qs:", "qr:x"):
        assert re.search("out of date", await world.answer_to(world.press(bob, help_, data=data)))
        if data != "qr:2026-11-21":
            assert "out of date" in await world.answer_to(world.press(ann, result, data=data))
    clock.now = NOON + DAY + 60
    await bot.run_timers()
    assert _list_reminders(world, ann) == _list_reminders(world, bob) == []
