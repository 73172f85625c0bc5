"""The hand of the day, opened in private and followed by a group."""

import re
from pathlib import Path

import pytest

import solver
from tests.stories.clock import NOON, Clock
from tests.stories.conftest import LiveBot, read_reactions, run_bot
from tests.telegram import Chat, Message, User, World

DAY = 86_400.0


async def invite_to_daily(bot: LiveBot, user: User, chat: Chat) -> Message:
    """Send /daily in a group and return the group's table."""
    await bot.say(user, chat, f"/daily@{bot.world.bot.username}")
    return bot.world.posts(chat)[-1]


async def open_daily(bot: LiveBot, user: User, invitation: Message) -> Message:
    """Open the daily hand by the link of a table and return its private message."""
    bot.world.open_link(user, invitation, 0)
    await bot.settle()
    return bot.world.posts(user)[-1]


async def send_in_private(bot: LiveBot, user: User, text: str) -> Message:
    """Send a text to the bot in private and return the bot's latest message there."""
    await bot.say(user, bot.world.chat_of(user), text)
    return bot.world.posts(user)[-1]


async def give_up(bot: LiveBot, user: User, hand: Message) -> None:
    for button in ("Give up", "Yes, show me"):
        await bot.world.answer_to(bot.world.press(user, hand, button))
        await bot.settle()


def list_results(table: Message) -> list[str]:
    """Return the lines of a table that show a player's result."""
    return [line for line in table.text.splitlines() if re.match(r"\d+\. ", line)]


async def test_group_table_shows_results_of_the_daily_hand(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    bob.language_code = "es"
    bot.rig(3, 8, 3, 8)
    table = await invite_to_daily(bot, ann, family)
    assert "3 8 3 8" not in table.text
    hers = await open_daily(bot, ann, table)
    assert "3 8 3 8 → 24\nUse all four numbers, each once, with + − × ÷ ( )." in hers.text
    assert "8÷(3−8÷3)" not in hers.text
    his = await open_daily(bot, bob, table)
    assert "3 8 3 8 → 24" in his.text.splitlines()
    assert "2 players are still at it." in table.text
    clock.advance(20)
    assert (await send_in_private(bot, ann, "8*3-8/3")).text == "8×3−8÷3 = 21 1/3, not 24."
    clock.advance(22)
    result = await send_in_private(bot, ann, "8/(3-8/3)")
    assert "8÷(3−8÷3) = 24" in result.text
    assert "🟥 1 wrong answer" in result.text.splitlines()
    clock.advance(60)
    await send_in_private(bot, bob, "8/(3-8/3)")
    assert list_results(table) == [
        "1. \u2068Ann\u2069 · 🟥🟩 ⏱ 42 s 🔥 1",
        "2. \u2068Bob\u2069 · 🟩 ⏱ 1 min 42 s 🔥 1",
    ]
    assert len(world.posts(family)) == 1


async def test_shared_result_does_not_show_the_hand(bot: LiveBot, clock: Clock, ann: User) -> None:
    bot.rig(3, 8, 3, 8)
    await send_in_private(bot, ann, "/daily")
    clock.advance(42)
    result = await send_in_private(bot, ann, "8/(3-8/3)")
    copied = result.button("Copy the result")["copy_text"]["text"]
    assert "🟩 ⏱ 42 s 🔥 1" in copied
    assert not any(part in copied for part in ("3 8", "/(", "→"))
    assert len(copied) <= 256
    assert result.button("Share")["url"].startswith("https://t.me/share/url?")
    again = await send_in_private(bot, ann, "/daily")
    assert again.text == result.text


async def test_daily_answer_in_card_letters_is_accepted(bot: LiveBot, world: World, ann: User) -> None:
    bot.rig(1, 1, 11, 13)
    await bot.say(ann, world.chat_of(ann), "/daily")
    assert "🏆 (11+13)×1×1 = 24" in (await send_in_private(bot, ann, "(J+K)*A*A")).text.splitlines()


async def test_daily_hand_is_the_same_for_all_and_timed_for_each(
    bot: LiveBot, clock: Clock, ann: User, bob: User
) -> None:
    hers = await send_in_private(bot, ann, "/daily")
    clock.advance(300)
    his = await send_in_private(bot, bob, "/daily")
    line = next(line for line in hers.text.splitlines() if line.endswith("→ 24"))
    assert line in his.text.splitlines()
    assert (await send_in_private(bot, ann, "/daily")).text == hers.text
    numbers = map(int, line.partition(" →")[0].split())
    idea = str(next(solver.solve(list(numbers))))
    clock.advance(60)
    assert "Solved in 6 min." in (await send_in_private(bot, ann, idea)).text


async def test_daily_hand_is_not_solved_for_players_before_they_finish(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    bot.rig(3, 8, 3, 8)
    hers = await send_in_private(bot, ann, "/daily")
    for user, chat in ((ann, world.chat_of(ann)), (bob, world.chat_of(bob)), (ann, family)):
        await bot.say(user, chat, f"/solve@{world.bot.username} 8 8 3 3")
        assert "8÷(3−8÷3)" not in world.posts(chat)[-1].text
    await give_up(bot, ann, hers)
    assert "8÷(3−8÷3) = 24" in hers.text
    assert "8÷(3−8÷3)" in (await send_in_private(bot, ann, "/solve 8 8 3 3")).text
    assert (
        await send_in_private(bot, ann, "8/(3-8/3)")
    ).text == "No hand is on the table. /play deals a hand."
    assert "Given up" in (await send_in_private(bot, ann, "/daily")).text
    await bot.say(bob, family, f"/solve@{world.bot.username} 8 8 3 3")
    assert "8÷(3−8÷3)" not in world.posts(family)[-1].text


async def test_streak_grows_each_day_and_ends_after_a_missed_day(
    bot: LiveBot, clock: Clock, ann: User
) -> None:
    for days, streak in ((0, "1 day"), (1, "2 days"), (2, "3 days"), (4, "1 day")):
        clock.now = NOON + days * DAY
        bot.rig(1, 2, 3, 4)
        await send_in_private(bot, ann, "/daily")
        clock.advance(5)
        assert f"Your streak: {streak}" in (await send_in_private(bot, ann, "1*2*3*4")).text.splitlines()


async def test_forged_or_borrowed_daily_link_joins_no_group_table(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    eve = world.user("Eve")
    bot.rig(3, 8, 3, 8)
    table = await invite_to_daily(bot, ann, family)
    await open_daily(bot, eve, table)
    real = str(table.button(0)["url"]).partition("daily_")[2]
    forged = ("A" + real[1:], "AAAA", str(family.id), "-" * 24, real[:-1], real + "A")
    for payload in forged:
        world.start(eve, f"daily_{payload}")
        world.start(ann, f"daily_{payload}")
        await bot.settle()
        assert "3 8 3 8 → 24" in world.posts(eve)[-1].text
    assert "still at it" not in (await invite_to_daily(bot, bob, family)).text


async def test_private_round_is_answered_before_the_daily_hand(bot: LiveBot, world: World, ann: User) -> None:
    bot.rig(3, 8, 3, 8)
    await send_in_private(bot, ann, "/daily")
    bot.rig(1, 2, 3, 4)
    await send_in_private(bot, ann, "/play")
    deal = world.posts(ann)[-1]
    await send_in_private(bot, ann, "1*2*3*4")
    assert "1×2×3×4 = 24" in deal.text
    assert "Solved" in (await send_in_private(bot, ann, "8/(3-8/3)")).text


@pytest.mark.parametrize("command", ["/giveup", "/skip"])
async def test_giving_up_the_daily_hand_asks_first(
    bot: LiveBot, world: World, clock: Clock, ann: User, command: str
) -> None:
    bot.rig(1, 2, 3, 4)
    await send_in_private(bot, ann, "/play")
    clock.advance(5)
    bot.rig(3, 8, 3, 8)
    await send_in_private(bot, ann, "/daily")
    asked = await send_in_private(bot, ann, command)
    assert asked.text.endswith("Give up? There is no other until tomorrow.")
    await world.answer_to(world.press(ann, asked, "No"))
    await bot.settle()
    assert asked.labels == ["Hint", "Give up"]
    await give_up(bot, ann, asked)
    assert "8÷(3−8÷3) = 24" in asked.text
    await send_in_private(bot, ann, command)
    assert "1×2×3×4 = 24" in next(post.text for post in world.posts(ann) if "1 2 3 4" in post.text)
    assert (await send_in_private(bot, ann, command)).text == "No hand is on the table. /play deals a hand."


async def test_open_daily_hand_survives_a_restart(
    world: World, clock: Clock, ann: User, family: Chat, database: Path
) -> None:
    async with run_bot(world, database) as before:
        before.rig(3, 8, 3, 8)
        table = await invite_to_daily(before, ann, family)
        await open_daily(before, ann, table)
    async with run_bot(world, database) as after:
        clock.advance(42)
        await send_in_private(after, ann, "8/(3-8/3)")
    assert list_results(table) == ["1. \u2068Ann\u2069 · 🟩 ⏱ 42 s 🔥 1"]


async def test_group_table_lists_players_of_the_group_who_solved_it_in_private(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    granny = world.user("Granny")
    world.join(granny, family)
    deal = await bot.deal(ann, family, 1, 2, 3, 4)
    await bot.say(granny, family, "1+2+3+4", reply_to=deal)
    await bot.say(ann, family, "1*2*3*4", reply_to=deal)
    table = await invite_to_daily(bot, bob, family)
    bot.rig(3, 8, 3, 8)
    for person in (ann, bob, granny):  # Bob has not answered in this group
        await send_in_private(bot, person, "/daily")
        clock.advance(42)
        await send_in_private(bot, person, "8/(3-8/3)")
    lines = [f"1. \u2068{name}\u2069 · 🟩 ⏱ 42 s 🔥 1" for name in ("Ann", "Bob", "Granny")]
    assert list_results(table) == [lines[0], lines[2]]
    assert list_results(await invite_to_daily(bot, bob, family)) == lines
    clock.advance(DAY)
    bot.rig(1, 2, 3, 4)
    table = await invite_to_daily(bot, ann, family)
    await send_in_private(bot, bob, "/daily")
    await send_in_private(bot, bob, "1*2*3*4")
    assert "Bob" in table.text, "he was listed the day before"


async def test_daily_hand_is_not_dealt_in_groups(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    bot.rig(3, 8, 3, 8)
    await send_in_private(bot, ann, "/daily")
    bot.rig(8, 8, 3, 3)
    bot.rig(3, 8, 3, 8)
    bot.rig(1, 2, 3, 4)
    await bot.say(bob, family, f"/play@{world.bot.username}")
    assert "1 2 3 4 → 24" in world.posts(family)[-1].text
    world.start(bob, "hand_3-8-3-8-24")
    await bot.settle()
    assert "no peeking" in world.posts(bob)[-1].text


@pytest.mark.parametrize("language", ["en", "zh-hans", "zh-hant", "es", "ru"])
async def test_reply_answers_the_daily_hand_it_replies_to(
    bot: LiveBot, world: World, clock: Clock, ann: User
) -> None:
    bot.rig(3, 8, 3, 8)
    await send_in_private(bot, ann, "/daily")
    first = world.posts(ann)[-1]
    clock.advance(50_000)
    bot.rig(1, 2, 3, 4)
    await send_in_private(bot, ann, "/daily")
    second = world.posts(ann)[-1]
    bot.rig(2, 4, 8, 10)
    await send_in_private(bot, ann, "/play")
    wrong = await bot.say(ann, world.chat_of(ann), "8*3-8/3", reply_to=first)
    assert read_reactions(wrong) == "👎"
    right = await bot.say(ann, world.chat_of(ann), "8/(3-8/3)", reply_to=first)
    assert read_reactions(right) == "🏆"
    result = world.posts(ann)[-1]
    assert "8÷(3−8÷3) = 24" in result.text
    again = await bot.say(ann, world.chat_of(ann), "8/(3-8/3)", reply_to=first)
    assert not again.reactions
    reply = world.posts(ann)[-1]
    assert reply.reply_to is again
    assert "/daily" in reply.text
    clock.advance(42)
    await bot.say(ann, world.chat_of(ann), "1*2*3*4", reply_to=second)
    assert "1×2×3×4 = 24" in world.posts(ann)[-1].text
    assert "🟥" not in str(world.posts(ann)[-1].markup), "no wrong answer of today's hand"


async def test_reply_after_a_day_is_told_that_the_time_is_over(
    bot: LiveBot, world: World, clock: Clock, ann: User
) -> None:
    bot.rig(3, 8, 3, 8)
    first = await send_in_private(bot, ann, "/daily")
    assert "The clock runs from your first look; answers count for 24 hours." in first.text
    clock.advance(DAY + 1)
    for text in ("8/(3-8/3)", "8*3-8/3"):
        late = await bot.say(ann, world.chat_of(ann), text, reply_to=first)
        assert not late.reactions
        assert "24 hours are over" in world.posts(ann)[-1].text
        assert world.posts(ann)[-1].reply_to is late
        bot.rig(1, 2, 3, 4)
        today = await send_in_private(bot, ann, "/daily")
        assert "wrong answer" not in today.text


async def test_group_table_stops_counting_players_after_24_hours(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    bot.rig(3, 8, 3, 8)
    table = await invite_to_daily(bot, ann, family)
    await open_daily(bot, ann, table)
    clock.advance(36_000)
    hers = await open_daily(bot, bob, table)
    assert "2 players are still at it." in table.text
    clock.advance(DAY - 36_000 + 60)
    await bot.say(bob, world.chat_of(bob), "8/(3-8/3)", reply_to=hers)
    assert "still at it" not in table.text, "Ann's day is over"
    assert "Bob" in table.text


@pytest.mark.long
async def test_group_table_of_a_past_day_is_final(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User
) -> None:
    families = [world.group("Family", ann, bob), world.group("Club", ann, bob)]
    bot.rig(3, 8, 3, 8)
    tables = [await invite_to_daily(bot, ann, family) for family in families]
    hers = await open_daily(bot, ann, tables[0])
    await open_daily(bot, ann, tables[1])
    await open_daily(bot, bob, tables[0])
    clock.advance(36_000)
    await bot.run_timers()
    assert "2 players are still at it." in tables[0].text
    await give_up(bot, ann, hers)
    assert "1 player is still at it." in tables[0].text
    clock.advance(2 * DAY)
    await bot.run_timers()
    assert "still at it" not in tables[0].text
    assert "Nobody here has solved it." in tables[0].text
    edits = [len(table.edits) for table in tables]
    for _ in range(3):
        clock.advance(DAY)
        await bot.run_timers()
    assert [len(table.edits) for table in tables] == edits
