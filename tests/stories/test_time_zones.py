"""A group's days and weeks go by its time zone, which its admins choose by buttons or by its name."""

from datetime import datetime

import pytest

from bot.i18n import Words, get_words
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot
from tests.telegram import Chat, Message, User, World

LANGUAGES = [("en", "en"), ("es", "es"), ("ru", "ru"), ("zh-hans", "zh_Hans"), ("zh-hant", "zh_Hant")]


def at(text: str) -> float:
    """The instant of a time in UTC."""
    return datetime.fromisoformat(f"{text}+00:00").timestamp()


async def says(bot: LiveBot, user: User, chat: Chat | User, text: str) -> Message:
    """Send a command; the answer."""
    command, _, rest = text.partition(" ")
    bot.world.say(user, chat, f"{command}@{bot.world.bot.username} {rest}".rstrip())
    return await bot.world.next_post(chat)


async def press(bot: LiveBot, user: User, message: Message, *buttons: str) -> None:
    for button in buttons:
        await bot.world.answer_to(bot.world.press(user, message, button))
        await bot.settle()


async def wins(bot: LiveBot, user: User, chat: Chat) -> Message:
    """The deal that the user won."""
    deal = await bot.deal(user, chat, 1, 2, 3, 4)
    await bot.say(user, chat, "1*2*3*4", reply_to=deal)
    return deal


async def board(bot: LiveBot, user: User, chat: Chat, *buttons: str) -> list[str]:
    """The lines of a leaderboard that name players."""
    message = await says(bot, user, chat, "/leaderboard")
    await press(bot, user, message, *buttons)
    return [line for line in message.text.splitlines() if " — " in line]


async def test_a_win_on_monday_in_shanghai_counts_for_monday(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    await says(bot, ann, family, "/timezone Asia/Shanghai")
    clock.now = at("2026-11-22T15:30")  # half past eleven on Sunday evening, there
    first = await wins(bot, ann, family)
    await wins(bot, ann, family)
    clock.now = at("2026-11-22T16:30")
    second = await wins(bot, bob, family)
    assert all("First of the day" in deal.text for deal in (first, second))
    for button in ("today", "this week"):
        assert await board(bot, bob, family, button) == ["1. \u2068Bob\u2069 — 2"]
    assert len(await board(bot, bob, family, "this month")) == 2
    world_board = await says(bot, ann, family, "/leaderboard")
    await press(bot, ann, world_board, "all chats", "today")
    assert "Days, weeks and months go by UTC." in world_board.text
    clock.now = at("2026-11-23T02:00")  # ten in the morning
    await bot.run_timers()
    (word,) = [post for post in world.posts(family) if "The week’s winner" in post.text]
    assert word.text.startswith("🏆 The week’s winner: \u2068Ann\u2069, 3 points")


async def test_in_new_york_a_day_is_one_when_clocks_change(
    bot: LiveBot, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    await says(bot, ann, family, "/timezone New York")
    await bot.choose(family, "quiet", [22 * 60, 7 * 60])
    for midnight, seven, next_midnight in (
        ("2027-03-14T05:00", "2027-03-14T11:00", "2027-03-15T04:00"),
        ("2027-11-07T04:00", "2027-11-07T12:00", "2027-11-08T05:00"),
    ):
        clock.now = at(midnight) - 3 * 3600
        assert "First of the day" in (await wins(bot, ann, family)).text
        clock.now = at(seven) - 60
        assert (await says(bot, ann, family, "/play")).text == "Quiet hours here until 07:00. See you then!"
        clock.now = at(seven)
        assert "First of the day" in (await wins(bot, bob, family)).text
        clock.now = at(next_midnight) - 2 * 3600 - 60
        assert "First of the day" not in (await wins(bot, ann, family)).text
        assert await board(bot, bob, family, "today") == ["1. \u2068Bob\u2069 — 2", "2. \u2068Ann\u2069 — 1"]
        clock.now = at(next_midnight) - 60
        assert len(await board(bot, bob, family, "today")) == 2
        clock.now = at(next_midnight)
        assert await board(bot, bob, family, "today") == []


async def test_a_group_that_changes_its_zone_sees_its_days_by_the_new_one(
    bot: LiveBot, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    clock.now = at("2026-11-22T15:30")
    await wins(bot, ann, family)
    clock.now = at("2026-11-22T16:30")
    await wins(bot, bob, family)
    by_utc, ever = await board(bot, bob, family, "today"), await board(bot, bob, family)
    assert by_utc == ever == ["1. \u2068Ann\u2069 — 2", "2. \u2068Bob\u2069 — 1"]
    await says(bot, ann, family, "/timezone Asia/Shanghai")
    assert await board(bot, bob, family, "today") == ["1. \u2068Bob\u2069 — 1"]
    assert await board(bot, bob, family) == ever
    await says(bot, ann, family, "/timezone UTC")
    assert await board(bot, bob, family, "today") == by_utc


@pytest.mark.parametrize(("language", "code"), LANGUAGES)
async def test_a_zone_is_chosen_by_buttons_in_every_language(
    bot: LiveBot, world: World, ann: User, family: Chat, code: str
) -> None:
    said: Words = get_words(code)
    menu = await says(bot, ann, family, "/settings")
    back = said.translate_plain("‹ Back")
    await press(bot, ann, menu, said.translate_plain("Time zone"), said.translate_plain("Asia"))
    parts = menu.labels
    await press(bot, ann, menu, "Nicosia")
    assert "Shanghai" in menu.labels
    await press(bot, ann, menu, back)
    assert menu.labels == parts
    await press(bot, ann, menu, back)
    assert said.translate_plain("Europe") in menu.labels
    await press(bot, ann, menu, said.translate_plain("Asia"), "Nicosia", "Shanghai")
    held = menu.text.splitlines()[0]
    assert held.startswith(said.translate_plain("Time zone"))
    assert held.endswith("Asia/Shanghai · 20:00")
    await press(bot, ann, menu, back)
    assert held in menu.text.splitlines()
    assert len(world.posts(family)) == 1


@pytest.mark.parametrize(("language", "code"), LANGUAGES)
async def test_a_mistyped_zone_gets_suggestions_in_every_language(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat, code: str
) -> None:
    said: Words = get_words(code)
    trouble = (
        said.translate_plain("Sorry, I can’t read that."),
        said.translate_plain("Did you mean one of these?"),
    )
    asked = await says(bot, ann, family, "/timezone Europe/Madird")
    assert asked.text.splitlines()[-2:] == list(trouble)
    await press(bot, ann, asked, "Europe/Madrid")
    assert asked.text.splitlines()[0].endswith("Europe/Madrid · 13:00")
    told = await says(bot, ann, family, "/timezone new york")
    assert told.text.splitlines()[0].endswith("America/New York · 7:00")
    await press(bot, ann, told, said.translate_plain("Another…"))
    await bot.say(ann, family, "Shangai", reply_to=told)
    assert all(line in told.text.splitlines() for line in trouble)
    await bot.say(ann, family, "Shanghai", reply_to=told)
    assert told.text.splitlines()[0].endswith("Asia/Shanghai · 20:00")
    refused = await says(bot, bob, family, "/timezone UTC")
    assert refused.text == said.translate_plain("Only admins can change the settings here.")


async def test_a_reminder_in_private_comes_at_its_hour_in_the_persons_zone(
    bot: LiveBot, world: World, clock: Clock, ann: User
) -> None:
    world.say(ann, ann, "/timezone Asia/Tokyo")
    menu = await world.next_post(ann)
    await press(bot, ann, menu, "‹ Back", "Daily reminder")
    assert "a new one comes at 9:00. I go by Asia/Tokyo: it is 21:00 there now." in menu.text
    await press(bot, ann, menu, "20:00")
    for now, reminders in ((at("2026-11-22T10:59"), 0), (at("2026-11-22T11:00"), 1)):
        clock.now = now
        await bot.run_timers()
        assert len([post for post in world.posts(ann) if post.text.startswith("🔔")]) == reminders


@pytest.mark.parametrize(
    ("typed", "held"),
    [
        ("Москва", "Europe/Moscow · 15:00"),
        ("臺北", "Asia/Taipei · 20:00"),
        ("Bogotá", "America/Bogota · 7:00"),
    ],
)
async def test_a_city_is_typed_as_people_write_it(
    bot: LiveBot, world: World, ann: User, family: Chat, typed: str, held: str
) -> None:
    told = await says(bot, ann, family, f"/timezone {typed}")
    assert told.text.splitlines()[0] == f"Time zone: {held}"
    menu = await says(bot, ann, family, "/timezone")
    await press(bot, ann, menu, "Another…")
    await bot.say(ann, family, typed, reply_to=menu)
    assert menu.text.splitlines()[0] == f"Time zone: {held}"


async def test_a_city_typed_wrong_in_private_needs_no_reply(bot: LiveBot, world: World, ann: User) -> None:
    world.say(ann, ann, "/timezone")
    menu = await world.next_post(ann)
    await press(bot, ann, menu, "Another…")
    await bot.say(ann, world.chat_of(ann), "Shangai")
    assert "Asia/Shanghai" in menu.labels
    await bot.say(ann, world.chat_of(ann), "UTC+5")
    assert menu.text.splitlines()[0] == "Time zone: UTC+5 · 17:00"
