"""Time zones of chats: days, weeks, quiet hours and reminders; choice by button or name."""

from datetime import datetime

import pytest

from bot.i18n import Words, get_words
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot
from tests.telegram import Chat, Message, User, World

pytestmark = pytest.mark.long

LANGUAGES = [("en", "en"), ("es", "es"), ("ru", "ru"), ("zh-hans", "zh_Hans"), ("zh-hant", "zh_Hant")]


def parse_utc(text: str) -> float:
    """Return the timestamp of a time in UTC."""
    return datetime.fromisoformat(f"{text}+00:00").timestamp()


async def send_command(bot: LiveBot, user: User, chat: Chat | User, text: str) -> Message:
    """Send a command; return the answer."""
    command, _, rest = text.partition(" ")
    bot.world.say(user, chat, f"{command}@{bot.world.bot.username} {rest}".rstrip())
    return await bot.world.next_post(chat)


async def press(bot: LiveBot, user: User, message: Message, *buttons: str) -> None:
    for button in buttons:
        await bot.world.answer_to(bot.world.press(user, message, button))
        await bot.settle()


async def win_hand(bot: LiveBot, user: User, chat: Chat) -> Message:
    """Deal a hand and win it; return its message."""
    deal = await bot.deal(user, chat, 1, 2, 3, 4)
    await bot.say(user, chat, "1*2*3*4", reply_to=deal)
    return deal


async def read_leaderboard(bot: LiveBot, user: User, chat: Chat, *buttons: str) -> list[str]:
    """Open a leaderboard, press the buttons, and return its lines of players."""
    message = await send_command(bot, user, chat, "/leaderboard")
    await press(bot, user, message, *buttons)
    return [line for line in message.text.splitlines() if " — " in line]


async def test_win_counts_for_the_local_day(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    await send_command(bot, ann, family, "/timezone Asia/Shanghai")
    clock.now = parse_utc("2026-11-22T15:30")  # half past eleven on Sunday evening, there
    first = await win_hand(bot, ann, family)
    await win_hand(bot, ann, family)
    clock.now = parse_utc("2026-11-22T16:30")
    second = await win_hand(bot, bob, family)
    assert all("first of the day" in deal.text for deal in (first, second))
    for button in ("today", "this week"):
        assert await read_leaderboard(bot, bob, family, button) == ["1. \u2068Bob\u2069 — 2"]
    assert len(await read_leaderboard(bot, bob, family, "this month")) == 2
    world_board = await send_command(bot, ann, family, "/leaderboard")
    await press(bot, ann, world_board, "all chats", "today")
    assert "Days, weeks and months go by UTC." in world_board.text
    clock.now = parse_utc("2026-11-23T02:00")  # ten in the morning
    await bot.run_timers()
    (word,) = [post for post in world.posts(family) if "The week’s winner" in post.text]
    assert word.text.startswith("🏆 The week’s winner: \u2068Ann\u2069, 3 points")


async def test_day_is_one_day_when_clocks_change(
    bot: LiveBot, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    await send_command(bot, ann, family, "/timezone New York")
    await bot.choose(family, "quiet", [22 * 60, 7 * 60])
    for midnight, seven, next_midnight in (
        ("2027-03-14T05:00", "2027-03-14T11:00", "2027-03-15T04:00"),
        ("2027-11-07T04:00", "2027-11-07T12:00", "2027-11-08T05:00"),
    ):
        clock.now = parse_utc(midnight) - 3 * 3600
        assert "first of the day" in (await win_hand(bot, ann, family)).text
        clock.now = parse_utc(seven) - 60
        assert (
            await send_command(bot, ann, family, "/play")
        ).text == "Quiet hours here until 07:00. See you then!"
        clock.now = parse_utc(seven)
        assert "first of the day" in (await win_hand(bot, bob, family)).text
        clock.now = parse_utc(next_midnight) - 2 * 3600 - 60
        assert "first of the day" not in (await win_hand(bot, ann, family)).text
        assert await read_leaderboard(bot, bob, family, "today") == [
            "1. \u2068Bob\u2069 — 2",
            "2. \u2068Ann\u2069 — 1",
        ]
        clock.now = parse_utc(next_midnight) - 60
        assert len(await read_leaderboard(bot, bob, family, "today")) == 2
        clock.now = parse_utc(next_midnight)
        assert await read_leaderboard(bot, bob, family, "today") == []


async def test_answers_make_no_sound_in_quiet_hours(
    bot: LiveBot, world: World, clock: Clock, ann: User, family: Chat
) -> None:
    await bot.choose(family, "quiet", [22 * 60, 7 * 60])
    clock.now = parse_utc("2026-11-21T23:00")
    await bot.say(ann, family, "/solv@TwentyFourTestBot 3 8 3 8")
    assert world.posts(family) == []
    await bot.say(ann, family, "/help@TwentyFourTestBot")
    clock.now = parse_utc("2026-11-22T08:00")
    await bot.say(ann, family, "/help@TwentyFourTestBot")
    by_night, by_day = (call.params for call in world.calls("sendMessage"))
    assert by_night["disable_notification"]
    assert "disable_notification" not in by_day


async def test_leaderboard_follows_changed_time_zone(
    bot: LiveBot, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    clock.now = parse_utc("2026-11-22T15:30")
    await win_hand(bot, ann, family)
    clock.now = parse_utc("2026-11-22T16:30")
    await win_hand(bot, bob, family)
    by_utc, ever = await read_leaderboard(bot, bob, family, "today"), await read_leaderboard(bot, bob, family)
    assert by_utc == ever == ["1. \u2068Ann\u2069 — 2", "2. \u2068Bob\u2069 — 1"]
    await send_command(bot, ann, family, "/timezone Asia/Shanghai")
    assert await read_leaderboard(bot, bob, family, "today") == ["1. \u2068Bob\u2069 — 1"]
    assert await read_leaderboard(bot, bob, family) == ever
    await send_command(bot, ann, family, "/timezone UTC")
    assert await read_leaderboard(bot, bob, family, "today") == by_utc


@pytest.mark.parametrize(("language", "code"), LANGUAGES)
async def test_time_zone_is_chosen_by_buttons(
    bot: LiveBot, world: World, ann: User, family: Chat, code: str
) -> None:
    words: Words = get_words(code)
    menu = await send_command(bot, ann, family, "/settings")
    back = words.translate_plain("‹ Back")
    await press(bot, ann, menu, words.translate_plain("Time zone"), words.translate_plain("Asia"))
    parts = menu.labels
    await press(bot, ann, menu, "Nicosia")
    assert "Shanghai" in menu.labels
    await press(bot, ann, menu, back)
    assert menu.labels == parts
    await press(bot, ann, menu, back)
    assert words.translate_plain("Europe") in menu.labels
    await press(bot, ann, menu, words.translate_plain("Asia"), "Nicosia", "Shanghai")
    zone_line = menu.text.splitlines()[0]
    assert zone_line.startswith(words.translate_plain("Time zone"))
    assert zone_line.endswith("Asia/Shanghai · 20:00")
    await press(bot, ann, menu, back)
    assert zone_line in menu.text.splitlines()
    assert len(world.posts(family)) == 1


@pytest.mark.parametrize(("language", "code"), LANGUAGES)
async def test_mistyped_time_zone_gets_suggestions(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat, code: str
) -> None:
    words: Words = get_words(code)
    trouble = (
        words.translate_plain("Sorry, I can’t read that."),
        words.translate_plain("Did you mean one of these?"),
    )
    suggestions = await send_command(bot, ann, family, "/timezone Europe/Madird")
    assert suggestions.text.splitlines()[-2:] == list(trouble)
    await press(bot, ann, suggestions, "Europe/Madrid")
    assert suggestions.text.splitlines()[0].endswith("Europe/Madrid · 13:00")
    menu = await send_command(bot, ann, family, "/timezone new york")
    assert menu.text.splitlines()[0].endswith("America/New York · 7:00")
    await press(bot, ann, menu, words.translate_plain("Another…"))
    await bot.say(ann, family, "Shangai", reply_to=menu)
    assert all(line in menu.text.splitlines() for line in trouble)
    await bot.say(ann, family, "Shanghai", reply_to=menu)
    assert menu.text.splitlines()[0].endswith("Asia/Shanghai · 20:00")
    refused = await send_command(bot, bob, family, "/timezone UTC")
    assert refused.text == words.translate_plain("Only admins can change the settings here.")


async def test_private_reminder_follows_own_time_zone(
    bot: LiveBot, world: World, clock: Clock, ann: User
) -> None:
    world.say(ann, ann, "/timezone Asia/Tokyo")
    menu = await world.next_post(ann)
    await press(bot, ann, menu, "‹ Back", "Daily reminder")
    assert "The hand changes at 9:00. Now it is 21:00 (Asia/Tokyo)." in menu.text
    await press(bot, ann, menu, "20:00")
    for now, reminders in ((parse_utc("2026-11-22T10:59"), 0), (parse_utc("2026-11-22T11:00"), 1)):
        clock.now = now
        await bot.run_timers()
        assert len([post for post in world.posts(ann) if post.text.startswith("🔔")]) == reminders


@pytest.mark.parametrize(
    ("typed", "zone_line"),
    [
        ("Москва", "Europe/Moscow · 15:00"),
        ("臺北", "Asia/Taipei · 20:00"),
        ("Bogotá", "America/Bogota · 7:00"),
    ],
)
async def test_city_is_understood_in_local_spelling(
    bot: LiveBot, world: World, ann: User, family: Chat, typed: str, zone_line: str
) -> None:
    answer = await send_command(bot, ann, family, f"/timezone {typed}")
    assert answer.text.splitlines()[0] == f"Time zone: {zone_line}"
    menu = await send_command(bot, ann, family, "/timezone")
    await press(bot, ann, menu, "Another…")
    await bot.say(ann, family, typed, reply_to=menu)
    assert menu.text.splitlines()[0] == f"Time zone: {zone_line}"


async def test_private_time_zone_is_typed_without_reply(bot: LiveBot, world: World, ann: User) -> None:
    world.say(ann, ann, "/timezone")
    menu = await world.next_post(ann)
    await press(bot, ann, menu, "Another…")
    await bot.say(ann, world.chat_of(ann), "Shangai")
    assert "Asia/Shanghai" in menu.labels
    await bot.say(ann, world.chat_of(ann), "UTC+5")
    assert menu.text.splitlines()[0] == "Time zone: UTC+5 · 17:00"
