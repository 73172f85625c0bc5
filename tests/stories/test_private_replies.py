"""A text with buttons for one person of a group: told by the way that is open, changed where it stands."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from bot.admin.private_replies import queries as private
from bot.features import FEATURES
from bot.queue.admission import UpdateKind
from bot.telegram.context import Context, Effect
from bot.telegram.routes import ButtonRoute, CommandRoute, merge_routes
from tests.stories.conftest import LiveBot, run_bot
from tests.telegram import Chat, Message, User, World

LONG = "9" * 1100
ME = "@TwentyFourTestBot"


async def card(context: Context) -> Effect:
    """`/card TEXT`: a card for whoever asks, and a button under it that changes it."""
    keyboard = [[("Next", "card:next")]]
    text = context.argument or "first"
    return lambda _: [context.tell_privately(text, keyboard=keyboard, key="card:1"), *context.answer_press()]


async def word(context: Context) -> Effect:
    """`/word TEXT`: a text for whoever asks that is about no round and changes nothing."""
    return lambda _: [context.tell_privately(context.argument)]


async def card_pressed(context: Context) -> Effect:
    keyboard = [[("Next", "card:next")]]
    text = LONG if context.button_data.endswith("long") else "second"
    return lambda _: [context.tell_privately(text, keyboard=keyboard, key="card:1"), *context.answer_press()]


async def open_card(context: Context) -> Effect:
    """`/table`: a public message with the button that opens a card."""
    return lambda _: [context.reply("Cards", keyboard=[[("Card", "card:open"), ("Long", "card:long")]])]


@pytest.fixture
async def bot(world: World, database: Path) -> AsyncIterator[LiveBot]:
    known = merge_routes(FEATURES)
    commands = [
        CommandRoute("card", card, UpdateKind.COMMAND),
        CommandRoute("word", word, UpdateKind.COMMAND),
        CommandRoute("table", open_card, UpdateKind.COMMAND),
    ]
    buttons = [*known.buttons, ButtonRoute("card", card_pressed)]
    routes = replace(known, commands=[*known.commands, *commands], buttons=buttons)
    async with run_bot(world, database, routes=routes) as opened:
        yield opened


async def table(bot: LiveBot, user: User, chat: Chat) -> Message:
    await bot.say(user, chat, f"/table{ME}")
    return bot.world.posts(chat)[-1]


async def pressed(bot: LiveBot, user: User, message: Message, label: str) -> None:
    await bot.world.answer_to(bot.world.press(user, message, label))
    await bot.settle()


async def test_within_the_press_it_is_ephemeral_and_changes_by_its_key(
    bot: LiveBot, world: World, bob: User, ann: User, family: Chat
) -> None:
    shown = await table(bot, ann, family)
    await pressed(bot, bob, shown, "Card")
    _trial, mine = world.told(bob, family)
    assert (mine.text, mine.labels) == ("second", ["Next"])
    world.say_secretly(bob, family, "/card third")
    await bot.settle()
    assert world.told(bob, family)[-1] is mine
    assert mine.text == "third"
    await pressed(bot, bob, mine, "Next")
    assert mine.text == "second"
    await pressed(bot, bob, shown, "Long")  # too long for a change
    assert [m.text for m in world.told(bob, family)][1:] == ["second", LONG]
    await pressed(bot, ann, shown, "Card")
    assert [m.text for m in world.told(ann, family)] == ["second"]
    assert world.posts(family) == [shown]
    assert not world.violations


async def test_what_vanished_is_told_anew(
    bot: LiveBot, world: World, bob: User, ann: User, family: Chat
) -> None:
    shown = await table(bot, ann, family)
    await pressed(bot, bob, shown, "Card")
    mine = world.told(bob, family)[-1]
    mine.deleted = True
    world.say_secretly(bob, family, "/card third")
    await bot.settle()
    assert world.told(bob, family)[-1].text == "third"
    await bot.services.store.write(lambda tx: private.delete_sent_reply(tx, family.id, bob.id, "card:1"))
    world.say_secretly(bob, family, "/card fourth")
    await bot.settle()
    assert [m.text for m in world.told(bob, family)][1:] == ["third", "fourth"]


async def test_a_server_that_grew_old_meanwhile_is_known_by_its_first_no(
    bot: LiveBot, world: World, bob: User, ann: User, family: Chat
) -> None:
    world.promote(world.bot, family)
    world.start(bob)
    shown = await table(bot, ann, family)
    await pressed(bot, bob, shown, "Card")
    world.ephemerals.old = True
    await bot.say(bob, family, f"/card{ME} third")
    assert world.posts(bob)[-1].text == "third"
    assert not any(m.deleted for m in family.messages.values())  # nothing was posted to be taken back
    assert world.posts(family) == [shown]
    assert not world.violations


async def test_it_is_told_and_changed_in_private_where_that_is_the_way(
    bot: LiveBot, world: World, bob: User, family: Chat
) -> None:
    world.start(bob)
    await bot.settle()
    await bot.say(bob, family, f"/card{ME} one")
    mine = world.posts(bob)[-1]
    assert (mine.text, mine.labels) == ("one", ["Next"])
    await bot.say(bob, family, f"/card{ME} two")
    assert world.posts(bob)[-1] is mine
    assert mine.text == "two"
    world.say_secretly(bob, family, "/card three")  # where it stands, although another way is open
    await bot.settle()
    assert mine.text == "three"
    mine.deleted = True
    await bot.say(bob, family, f"/card{ME} four")
    assert world.posts(bob)[-1].text == "four"
    assert not world.posts(family)
    assert not world.violations


async def test_where_no_way_is_open_one_message_leads_to_it(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    await bot.say(bob, family, f"/card{ME} mine")
    await bot.say(ann, family, f"/card{ME} yours")
    await bot.say(bob, family, f"/card{ME} later")
    (pointer,) = world.posts(family)
    assert not any(word in pointer.text for word in ("mine", "yours", "later"))
    world.open_link(bob, pointer, 0)
    await bot.settle()
    mine = world.posts(bob)[-1]
    assert (mine.text, mine.labels) == ("later", ["Next"])
    world.open_link(bob, pointer, 0)
    await bot.settle()
    assert world.posts(bob)[-1].text == "No word waits for you."
    await bot.say(bob, family, f"/card{ME} last")
    assert mine.text == "last"
    assert world.posts(family) == [pointer]
    assert not world.violations


async def test_two_words_about_nothing_in_particular_both_wait(
    bot: LiveBot, world: World, bob: User, family: Chat
) -> None:
    for text in ("one", "two"):
        await bot.say(bob, family, f"/word{ME} {text}")
    (pointer,) = world.posts(family)
    world.open_link(bob, pointer, 0)
    await bot.settle()
    assert [post.text for post in world.posts(bob)] == ["one", "two"]


async def test_in_private_it_is_an_ordinary_message(bot: LiveBot, world: World, bob: User) -> None:
    chat = world.chat_of(bob)
    await bot.say(bob, chat, "/card one")
    (mine,) = world.posts(bob)
    await bot.say(bob, chat, "/card two")
    assert (world.posts(bob), mine.text) == ([mine], "two")
    assert not world.violations
