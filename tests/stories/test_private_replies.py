"""Replies for one person of a group: sent by the best open way, and updated in place."""

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


async def show_card(context: Context) -> Effect:
    """Handle `/card TEXT`: show the text privately, with a button that changes it."""
    keyboard = [[("Next", "card:next")]]
    text = context.argument or "first"
    return lambda _: [context.tell_privately(text, keyboard=keyboard, key="card:1"), *context.answer_press()]


async def tell_text(context: Context) -> Effect:
    """Handle `/word TEXT`: tell the text privately, without a key."""
    return lambda _: [context.tell_privately(context.argument)]


async def change_card(context: Context) -> Effect:
    keyboard = [[("Next", "card:next")]]
    text = LONG if context.button_data.endswith("long") else "second"
    return lambda _: [context.tell_privately(text, keyboard=keyboard, key="card:1"), *context.answer_press()]


async def send_cards(context: Context) -> Effect:
    """Handle `/table`: post a message whose buttons open a card."""
    return lambda _: [context.reply("Cards", keyboard=[[("Card", "card:open"), ("Long", "card:long")]])]


@pytest.fixture
async def bot(world: World, database: Path) -> AsyncIterator[LiveBot]:
    known = merge_routes(FEATURES)
    commands = [
        CommandRoute("card", show_card, UpdateKind.COMMAND),
        CommandRoute("word", tell_text, UpdateKind.COMMAND),
        CommandRoute("table", send_cards, UpdateKind.COMMAND),
    ]
    buttons = [*known.buttons, ButtonRoute("card", change_card)]
    routes = replace(known, commands=[*known.commands, *commands], buttons=buttons)
    async with run_bot(world, database, routes=routes) as opened:
        yield opened


async def post_cards(bot: LiveBot, user: User, chat: Chat) -> Message:
    await bot.say(user, chat, f"/table{ME}")
    return bot.world.posts(chat)[-1]


async def press_button(bot: LiveBot, user: User, message: Message, label: str) -> None:
    await bot.world.answer_to(bot.world.press(user, message, label))
    await bot.settle()


async def test_reply_to_press_is_ephemeral_and_updated_by_key(
    bot: LiveBot, world: World, bob: User, ann: User, family: Chat
) -> None:
    post = await post_cards(bot, ann, family)
    await press_button(bot, bob, post, "Card")
    _trial, mine = world.told(bob, family)
    assert (mine.text, mine.labels) == ("second", ["Next"])
    world.say_secretly(bob, family, "/card third")
    await bot.settle()
    assert world.told(bob, family)[-1] is mine
    assert mine.text == "third"
    await press_button(bot, bob, mine, "Next")
    assert mine.text == "second"
    await press_button(bot, bob, post, "Long")  # Too long for an edit
    assert [m.text for m in world.told(bob, family)][1:] == ["second", LONG]
    await press_button(bot, ann, post, "Card")
    assert [m.text for m in world.told(ann, family)] == ["second"]
    assert world.posts(family) == [post]
    assert not world.violations


async def test_deleted_reply_is_sent_again(
    bot: LiveBot, world: World, bob: User, ann: User, family: Chat
) -> None:
    post = await post_cards(bot, ann, family)
    await press_button(bot, bob, post, "Card")
    mine = world.told(bob, family)[-1]
    mine.deleted = True
    world.say_secretly(bob, family, "/card third")
    await bot.settle()
    assert world.told(bob, family)[-1].text == "third"
    await bot.services.store.write(lambda tx: private.delete_sent_reply(tx, family.id, bob.id, "card:1"))
    world.say_secretly(bob, family, "/card fourth")
    await bot.settle()
    assert [m.text for m in world.told(bob, family)][1:] == ["third", "fourth"]


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
    assert not any(m.deleted for m in family.messages.values())  # No post had to be withdrawn
    assert world.posts(family) == [post]
    assert not world.violations


async def test_reply_in_private_chat_is_updated_there(
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
    world.say_secretly(bob, family, "/card three")  # Stays where it is, although another way is open
    await bot.settle()
    assert mine.text == "three"
    mine.deleted = True
    await bot.say(bob, family, f"/card{ME} four")
    assert world.posts(bob)[-1].text == "four"
    assert not world.posts(family)
    assert not world.violations


async def test_unreachable_players_get_one_shared_link(
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


async def test_replies_without_key_all_wait(bot: LiveBot, world: World, bob: User, family: Chat) -> None:
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
    await bot.say(bob, chat, "/card two")
    assert (world.posts(bob), mine.text) == ([mine], "two")
    assert not world.violations
