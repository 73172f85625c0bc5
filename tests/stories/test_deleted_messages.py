"""Rounds whose message was deleted or can't be edited continue in a new message."""

from pathlib import Path

import pytest

from bot.formats import format_expression
from bot.queue import queries
from bot.rounds.queries import MAX_NEW_MESSAGES
from tests.stories.clock import Clock, read_time_left
from tests.stories.conftest import TRIES, LiveBot, read_reactions, run_bot
from tests.stories.test_race import HANDS, start_race
from tests.telegram import Chat, Message, User, World

pytestmark = pytest.mark.long

LINE = "3 8 3 8 → 24"
SOLUTION = "8/(3-8/3)"
EDIT_ERRORS = (
    "Bad Request: message to edit not found",
    "Bad Request: MESSAGE_ID_INVALID",
    "Bad Request: message can't be edited",
)


async def load_dead_requests(bot: LiveBot) -> list[queries.DeadLetter]:
    """Return the requests that the bot gave up sending."""
    return await bot.services.store.read(queries.load_dead_requests)


def list_deals(bot: LiveBot, chat: Chat, line: str = LINE) -> list[Message]:
    """Return the messages in a chat that show a deal and are not deleted."""
    return [post for post in bot.world.posts(chat) if line in post.text.splitlines()]


async def test_win_after_deletion_is_posted_in_a_new_message(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    clock.advance(42)
    world.delete(deal)
    right = await bot.say(bob, family, f"/a@{world.bot.username} {SOLUTION}")
    (post,) = list_deals(bot, family)
    assert "🏆 \u2068Bob\u2069: 8÷(3−8÷3) = 24" in post.text
    assert "⏱ 42 s" in post.text
    assert read_reactions(right) == "🏆"
    bot.rig(1, 1, 2, 8)
    world.press(ann, post, "Next hand")
    await world.next_post(family, "1 1 2 8 → 24")
    await bot.settle()
    assert not await load_dead_requests(bot)


@pytest.mark.long
@pytest.mark.parametrize("error", EDIT_ERRORS)
async def test_open_round_continues_in_a_new_message(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat, error: str
) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    clock.advance(100)
    world.faults.add("editMessageText", status=400, description=error, count=1)
    world.press(ann, deal, "Hint")
    await bot.settle()
    old, new = list_deals(bot, family)
    assert old is deal
    assert "💡" in new.text
    assert new.labels == ["Hint", "Give up"]
    assert read_time_left(new) == 9
    clock.advance(20)
    world.press(bob, old, "Hint")  # the old copy still works
    await bot.settle()
    assert new.text.count("💡") == 2
    await bot.say(bob, family, SOLUTION, reply_to=old)
    assert "⏱ 2 min" in new.text.splitlines()
    assert len(world.posts(family)) == 2
    assert not await load_dead_requests(bot)


async def test_button_press_on_a_deleted_message_counts(
    bot: LiveBot, world: World, ann: User, family: Chat
) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    world.delete(deal)
    for hints in (1, 2):
        press = world.press(ann, deal, "Hint")
        assert await world.answer_to(press) == ""
        await bot.settle()
        (post,) = list_deals(bot, family)
        assert post.text.count("💡") == hints
    await bot.say(ann, family, SOLUTION, reply_to=deal)
    assert format_expression(SOLUTION) in post.text


async def test_time_left_is_reposted_only_once(
    bot: LiveBot, world: World, clock: Clock, ann: User, family: Chat
) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    deals = [deal]
    for _ in range(8):
        world.delete(deals[-1])
        clock.advance(61)
        await bot.run_timers()
        deals += list_deals(bot, family)
    assert len(deals) == 2
    assert read_time_left(deals[1]) == 9
    await bot.say(ann, family, f"/a@{world.bot.username} {SOLUTION}")
    (post,) = list_deals(bot, family)
    assert format_expression(SOLUTION) in post.text
    assert not await load_dead_requests(bot)


async def test_deleted_message_is_replaced_a_limited_number_of_times(
    bot: LiveBot, world: World, ann: User
) -> None:
    crowd = [world.user(f"Player{n}") for n in range(12)]
    family = world.group("Family", ann, *crowd)
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    deals = [deal]
    for player in crowd:  # each answer edits the deal's message
        world.delete(deals[-1])
        await bot.say(player, family, f"/a@{world.bot.username} 8*3-8/3")
        deals += [post for post in list_deals(bot, family) if post not in deals]
    assert len(deals) == 1 + MAX_NEW_MESSAGES
    world.delete(deals[-1])
    await bot.say(ann, family, f"/a@{world.bot.username} {SOLUTION}")
    (post,) = list_deals(bot, family)
    assert format_expression(SOLUTION) in post.text
    world.delete(post)
    await bot.say(crowd[0], family, "8/(3-(8/3))", reply_to=post)
    assert list_deals(bot, family) == []
    assert not await load_dead_requests(bot)


async def test_race_continues_in_a_new_message(bot: LiveBot, world: World, ann: User, family: Chat) -> None:
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
    assert "1. \u2068Ann\u2069 — 7" in end.text
    assert "#3 🏆" in end.text
    assert not await load_dead_requests(bot)


async def test_new_message_does_not_restart_the_clock_of_a_race(
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
    assert "#2 🏆 \u2068Ann\u2069: 2×6+2×6 = 24 · 33 s · +1 point" in below.text.splitlines()


async def test_expired_round_is_posted_in_a_new_message(
    bot: LiveBot, world: World, clock: Clock, ann: User
) -> None:
    deal = await bot.deal(ann, world.chat_of(ann), 3, 8, 3, 8)
    world.delete(deal)
    clock.advance(700)
    await bot.run_timers()
    (over,) = list_deals(bot, world.chat_of(ann))
    assert format_expression(SOLUTION) in over.text
    assert not await load_dead_requests(bot)


async def test_deleted_daily_table_is_not_edited_again(
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
    assert not await load_dead_requests(bot)


async def test_deleted_settings_menu_stops_reading_values(bot: LiveBot, world: World, ann: User) -> None:
    await bot.say(ann, world.chat_of(ann), "/settings")
    (menu,) = world.posts(ann)
    for label in ("Target", "Another…"):
        world.press(ann, menu, label)
        await bot.settle()
    world.delete(menu)
    await bot.say(ann, world.chat_of(ann), "12:34")  # no target, as the menu would say
    await bot.say(ann, world.chat_of(ann), "12:34")
    (post,) = world.posts(ann)
    assert post.text == "No hand is on the table. /play deals a hand."


@pytest.mark.long
@pytest.mark.parametrize(
    "error",
    [
        "",
        "Bad Request: MESSAGE_ID_INVALID",
        "Bad Request: message not found",
    ],
)
async def test_failed_reaction_to_a_deleted_answer_is_ignored(
    bot: LiveBot, world: World, ann: User, family: Chat, error: str
) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    if error:
        world.faults.add("setMessageReaction", status=400, description=error)
    answer = world.say(ann, family, SOLUTION, reply_to=deal)
    if not error:
        world.delete(answer)
    await bot.settle()
    assert "\u2068Ann\u2069" in deal.text
    assert not answer.reactions
    assert not await load_dead_requests(bot)


async def test_forbidden_new_message_is_dropped(bot: LiveBot, world: World, ann: User, family: Chat) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    world.delete(deal)
    world.mute(world.bot, family)
    world.press(ann, deal, "Hint")
    await bot.settle()
    assert not await load_dead_requests(bot)
    assert len([call for call in world.calls("sendMessage") if call.status != 200]) == TRIES


async def test_restart_before_the_new_message_loses_nothing(
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
        (post,) = list_deals(after, family)
        assert "💡" in post.text
        await after.say(ann, family, SOLUTION, reply_to=post)
        assert "⏱ 30 s" in post.text
