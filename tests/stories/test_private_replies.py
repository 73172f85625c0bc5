"""Replies for one person of a group: sent by the best open way."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from bot.features import FEATURES
from bot.queue.admission import UpdateKind
from bot.telegram.context import Context, Effect
from bot.telegram.routes import ButtonRoute, CommandRoute, merge_routes
from tests.stories.conftest import LiveBot, run_bot
from tests.telegram import Chat, Message, User, World

pytestmark = pytest.mark.long

ME = "@TwentyFourTestBot"


KEYBOARD = [[("Next", "card:next")]]


async def show_card(context: Context) -> Effect:
    """Handle `/card TEXT`: show the text privately, with a button."""
    return lambda _: [context.tell_privately(context.argument, keyboard=KEYBOARD)]


async def tell_text(context: Context) -> Effect:
    """Handle `/word TEXT`: tell the text privately."""
    return lambda _: [context.tell_privately(context.argument)]


async def open_card(context: Context) -> Effect:
    return lambda _: [context.tell_privately("second", keyboard=KEYBOARD), *context.answer_press()]


async def send_cards(context: Context) -> Effect:
    """Handle `/table`: post a message whose buttons open a card."""
    return lambda _: [context.reply("Cards", keyboard=[[("Card", "card:open")]])]


@pytest.fixture
async def bot(world: World, database: Path) -> AsyncIterator[LiveBot]:
    known = merge_routes(FEATURES)
    commands = [
        CommandRoute("card", show_card, UpdateKind.COMMAND),
        CommandRoute("word", tell_text, UpdateKind.COMMAND),
        CommandRoute("table", send_cards, UpdateKind.COMMAND),
    ]
    buttons = [*known.buttons, ButtonRoute("card", open_card)]
    routes = replace(known, commands=[*known.commands, *commands], buttons=buttons)
    async with run_bot(world, database, routes=routes) as opened:
        yield opened


async def post_cards(bot: LiveBot, user: User, chat: Chat) -> Message:
    await bot.say(user, chat, f"/table{ME}")
    return bot.world.posts(chat)[-1]


async def press_button(bot: LiveBot, user: User, message: Message, label: str) -> None:
    await bot.world.answer_to(bot.world.press(user, message, label))
    await bot.settle()


async def test_reply_to_press_is_ephemeral(
    bot: LiveBot, world: World, bob: User, ann: User, family: Chat
) -> None:
    post = await post_cards(bot, ann, family)
    await press_button(bot, bob, post, "Card")
    _trial, mine = world.told(bob, family)
    assert (mine.text, mine.labels) == ("second", ["Next"])
    world.say_secretly(bob, family, "/card third")
    await bot.settle()
    assert [m.text for m in world.told(bob, family)][1:] == ["second", "third"]
    await press_button(bot, ann, post, "Card")
    assert [m.text for m in world.told(ann, family)] == ["second"]
    assert world.posts(family) == [post]
    assert not world.violations


async def test_old_server_falls_back_to_private_chat(
    bot: LiveBot, world: World, bob: User, ann: User, family: Chat
) -> None:
    world.promote(world.bot, family)
    world.start(bob)
    post = await post_cards(bot, ann, family)
    await press_button(bot, bob, post, "Card")
    world.ephemerals.old = True
    await bot.say(bob, family, f"/card{ME} third")
    assert world.posts(bob)[-1].text == "third"
    assert [m.text for m in family.messages.values() if m.deleted] == ["third"]  # Was withdrawn at once
    assert world.posts(family) == [post]
    assert not world.violations


async def test_player_who_started_the_bot_is_told_in_private(
    bot: LiveBot, world: World, bob: User, family: Chat
) -> None:
    world.start(bob)
    await bot.settle()
    for text in ("one", "two"):
        await bot.say(bob, family, f"/card{ME} {text}")
    assert [(post.text, post.labels) for post in world.posts(bob)][-2:] == [
        ("one", ["Next"]),
        ("two", ["Next"]),
    ]
    assert not world.posts(family)
    assert not world.violations


async def test_unreachable_players_get_one_shared_link(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    await bot.say(bob, family, f"/card{ME} mine")
    await bot.say(ann, family, f"/card{ME} yours")
    (pointer,) = world.posts(family)
    assert not any(word in pointer.text for word in ("mine", "yours"))
    world.open_link(bob, pointer, 0)
    await bot.settle()
    mine = world.posts(bob)[-1]
    assert (mine.text, mine.labels) == ("mine", ["Next"])
    world.open_link(bob, pointer, 0)
    await bot.settle()
    assert world.posts(bob)[-1].text == "No private reply is waiting for you."
    assert world.posts(family) == [pointer]
    assert not world.violations


async def test_replies_without_round_all_wait(bot: LiveBot, world: World, bob: User, family: Chat) -> None:
    for text in ("one", "two"):
        await bot.say(bob, family, f"/word{ME} {text}")
    (pointer,) = world.posts(family)
    world.open_link(bob, pointer, 0)
    await bot.settle()
    assert [post.text for post in world.posts(bob)] == ["one", "two"]


async def test_private_command_gets_an_ordinary_message(bot: LiveBot, world: World, bob: User) -> None:
    chat = world.chat_of(bob)
    await bot.say(bob, chat, "/card one")
    (mine,) = world.posts(bob)
    assert (mine.text, mine.labels) == ("one", ["Next"])
    assert not world.violations
