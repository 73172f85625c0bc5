"""The deal's message is deleted, or can't be changed any more: the round goes on in a new one."""

from pathlib import Path

import pytest

from bot.queue import queries
from bot.rounds.queries import MAX_NEW_MESSAGES
from tests.stories.clock import Clock, read_time_left
from tests.stories.conftest import TRIES, LiveBot, read_reactions, run_bot
from tests.stories.test_race import HANDS, start_race
from tests.telegram import Chat, Message, User, World

LINE = "3 8 3 8 → 24"
SOLUTION = "8/(3-8/3)"
GONE = (
    "Bad Request: message to edit not found",
    "Bad Request: MESSAGE_ID_INVALID",
    "Bad Request: message can't be edited",
)


async def dead(bot: LiveBot) -> list[queries.DeadLetter]:
    """What an operator would have to look at."""
    return await bot.services.store.read(queries.load_dead_requests)


def showing(bot: LiveBot, chat: Chat, line: str = LINE) -> list[Message]:
    """The messages still there that show that deal."""
    return [post for post in bot.world.posts(chat) if line in post.text.splitlines()]


async def test_a_win_is_told_in_a_new_message(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    clock.advance(42)
    world.delete(deal)
    right = await bot.say(bob, family, f"/a@{world.bot.username} {SOLUTION}")
    (told,) = showing(bot, family)
    assert "🏆 \u2068Bob\u2069: 8/(3-8/3) = 24" in told.text
    assert "⏱ 42 s" in told.text
    assert read_reactions(right) == "🏆"
    bot.rig(1, 1, 2, 8)
    world.press(ann, told, "Next hand")
    await world.next_post(family, "1 1 2 8 → 24")
    await bot.settle()
    assert not await dead(bot)


@pytest.mark.long
@pytest.mark.parametrize("how", GONE)
async def test_an_open_round_gets_a_new_message_with_its_buttons_and_its_time(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat, how: str
) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    clock.advance(100)
    world.faults.add("editMessageText", status=400, description=how, count=1)
    world.press(ann, deal, "Hint")
    await bot.settle()
    old, new = showing(bot, family)
    assert old is deal
    assert "💡" in new.text
    assert new.labels == ["Hint", "Give up"]
    assert read_time_left(new) == 9
    clock.advance(20)
    world.press(bob, old, "Hint")  # the old copy is believed as well
    await bot.settle()
    assert new.text.count("💡") == 2
    await bot.say(bob, family, SOLUTION, reply_to=old)
    assert "⏱ 2:00" in new.text.splitlines()
    assert len(world.posts(family)) == 2
    assert not await dead(bot)


async def test_a_press_on_a_copy_of_the_deleted_message_counts(
    bot: LiveBot, world: World, ann: User, family: Chat
) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    world.delete(deal)
    for hints in (1, 2):
        press = world.press(ann, deal, "Hint")
        assert await world.answer_to(press) == ""
        await bot.settle()
        (shown,) = showing(bot, family)
        assert shown.text.count("💡") == hints
    await bot.say(ann, family, SOLUTION, reply_to=deal)
    assert SOLUTION in shown.text


async def test_the_time_left_notices_it_once(
    bot: LiveBot, world: World, clock: Clock, ann: User, family: Chat
) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    seen = [deal]
    for _ in range(8):
        world.delete(seen[-1])
        clock.advance(61)
        await bot.run_timers()
        seen += showing(bot, family)
    assert len(seen) == 2
    assert read_time_left(seen[1]) == 9
    await bot.say(ann, family, f"/a@{world.bot.username} {SOLUTION}")
    (told,) = showing(bot, family)
    assert SOLUTION in told.text
    assert not await dead(bot)


async def test_a_message_that_nobody_wants_does_not_come_back_without_end(
    bot: LiveBot, world: World, ann: User
) -> None:
    crowd = [world.user(f"Player{n}") for n in range(12)]
    family = world.group("Family", ann, *crowd)
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    shown = [deal]
    for player in crowd:  # each changes the deal's message: the chat bears no other post
        world.delete(shown[-1])
        await bot.say(player, family, f"/a@{world.bot.username} 8*3-8/3")
        shown += [post for post in showing(bot, family) if post not in shown]
    assert len(shown) == 1 + MAX_NEW_MESSAGES
    world.delete(shown[-1])
    await bot.say(ann, family, f"/play@{world.bot.username}")
    (asked,) = showing(bot, family)  # who asks is told
    await bot.say(ann, family, SOLUTION, reply_to=asked)
    (told,) = [post for post in showing(bot, family) if post is not asked]
    assert SOLUTION in told.text
    world.delete(told)
    await bot.say(crowd[0], family, "8/(3-(8/3))", reply_to=told)
    assert showing(bot, family) == [asked]
    assert not await dead(bot)


async def test_a_race_goes_on_in_a_new_message(bot: LiveBot, world: World, ann: User, family: Chat) -> None:
    race = await start_race(bot, ann, family)
    world.delete(race)
    answer = f"/a@{world.bot.username}"
    await bot.say(ann, family, f"{answer} {HANDS[0][1]}")
    (below,) = world.posts(family)
    assert "2 2 6 6 → 24" in below.text.splitlines()
    assert "#1 🏆" in below.text
    await bot.say(ann, family, HANDS[1][1], reply_to=below)
    world.delete(below)
    await bot.say(ann, family, f"{answer} {HANDS[2][1]}")
    (end,) = world.posts(family)
    assert "1. \u2068Ann\u2069 — 9" in end.text
    assert "#3 🏆" in end.text
    assert not await dead(bot)


async def test_a_new_message_is_no_new_clock_for_a_hand_of_a_race(
    bot: LiveBot, world: World, clock: Clock, ann: User
) -> None:
    club = world.group("Club", ann, forum=True)
    topic = world.topic(club, "Maths", ann)
    for numbers, _ in HANDS:
        bot.rig(*numbers)
    world.say(ann, club, f"/race@{world.bot.username} 3", topic=topic)
    race = await world.next_post(club, "1 1 2 8 → 24")
    await bot.settle()
    await bot.say(ann, club, HANDS[0][1], reply_to=race)
    clock.advance(20)
    world.delete(race)
    await world.answer_to(world.press(ann, race, "Hint"))
    await bot.settle()
    (below,) = world.posts(club)
    assert below.topic is topic
    assert read_time_left(below) == 45
    clock.advance(13)
    await bot.say(ann, club, HANDS[1][1], reply_to=below)
    assert "#2 🏆 \u2068Ann\u2069: 2*6+2*6 = 24 · 33 seconds · +1" in below.text.splitlines()


async def test_a_round_that_ends_by_time_is_told_too(
    bot: LiveBot, world: World, clock: Clock, ann: User
) -> None:
    deal = await bot.deal(ann, world.chat_of(ann), 3, 8, 3, 8)
    world.delete(deal)
    clock.advance(700)
    await bot.run_timers()
    (over,) = showing(bot, world.chat_of(ann))
    assert SOLUTION in over.text
    assert not await dead(bot)


async def test_a_deleted_table_of_the_day_is_forgotten(
    bot: LiveBot, world: World, ann: User, family: Chat
) -> None:
    bot.rig(3, 8, 3, 8)
    await bot.say(ann, family, f"/daily@{world.bot.username}")
    (table,) = world.posts(family)
    world.delete(table)
    world.open_link(ann, table, 0)
    await bot.settle()
    edits = len(world.calls("editMessageText"))
    await bot.say(ann, world.chat_of(ann), SOLUTION)
    assert len(world.calls("editMessageText")) == edits == 1
    await bot.say(ann, family, f"/daily@{world.bot.username}")
    assert "\u2068Ann\u2069 · 🟩" in world.posts(family)[-1].text
    assert not await dead(bot)


async def test_a_deleted_menu_takes_no_more_for_a_setting(bot: LiveBot, world: World, ann: User) -> None:
    await bot.say(ann, world.chat_of(ann), "/settings")
    (menu,) = world.posts(ann)
    for label in ("Target", "Another…"):
        world.press(ann, menu, label)
        await bot.settle()
    world.delete(menu)
    await bot.say(ann, world.chat_of(ann), "12:34")  # no target, as the menu would say
    await bot.say(ann, world.chat_of(ann), "12:34")
    (told,) = world.posts(ann)
    assert told.text == "No hand is on the table. /play deals one."


@pytest.mark.long
@pytest.mark.parametrize(
    "how",
    [
        "",
        "Bad Request: MESSAGE_ID_INVALID",
        "Bad Request: message not found",
    ],
)
async def test_a_reaction_to_a_deleted_message_troubles_nobody(
    bot: LiveBot, world: World, ann: User, family: Chat, how: str
) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    if how:
        world.faults.add("setMessageReaction", status=400, description=how)
    answer = world.say(ann, family, SOLUTION, reply_to=deal)
    if not how:
        world.delete(answer)
    await bot.settle()
    assert "\u2068Ann\u2069" in deal.text
    assert not answer.reactions
    assert not await dead(bot)


async def test_a_new_message_that_may_not_be_posted_is_let_go(
    bot: LiveBot, world: World, ann: User, family: Chat
) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    world.delete(deal)
    world.mute(world.bot, family)
    world.press(ann, deal, "Hint")
    await bot.settle()
    assert not await dead(bot)
    assert len([call for call in world.calls("sendMessage") if call.status != 200]) == TRIES


async def test_a_stop_in_between_loses_nothing(
    world: World, clock: Clock, ann: User, family: Chat, database: Path
) -> None:
    async with run_bot(world, database) as before:
        deal = await before.deal(ann, family, 3, 8, 3, 8)
        await before.settle()
        world.delete(deal)
        world.faults.add("sendMessage", retry_after=3600, count=1)
        world.press(ann, deal, "Hint")
        await world.wait_until(lambda: [call for call in world.calls("sendMessage") if call.status == 429])
    clock.advance(30)
    async with run_bot(world, database) as after:
        await after.settle()
        (shown,) = showing(after, family)
        assert "💡" in shown.text
        await after.say(ann, family, SOLUTION, reply_to=shown)
        assert "⏱ 30 s" in shown.text
