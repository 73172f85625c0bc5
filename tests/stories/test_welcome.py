"""The first word: links, help, and the bot's coming and going."""

from collections.abc import Callable

from sqlalchemy import select

from bot.database import Tx
from bot.database.schema import chats
from tests.stories.conftest import LiveBot
from tests.telegram import Chat, User, World


def gone(chat_id: int) -> Callable[[Tx], bool]:
    def read(tx: Tx) -> bool:
        return bool(tx.scalar(select(chats.c.gone).where(chats.c.id == chat_id)))

    return read


async def test_links_lead_where_they_say_and_unknown_ones_to_help(
    bot: LiveBot, world: World, ann: User
) -> None:
    world.start(ann)
    first, offer = [await world.next_post(ann) for _ in range(2)]
    assert first.text.startswith("Twenty-Four: I deal four numbers.")
    assert offer.text == "First time here? Try an easy hand."
    world.start(ann, "no_such_door-7")
    assert (await world.next_post(ann)).text == first.text
    world.start(ann, "play")
    assert "→ 24" in (await world.next_post(ann)).text
    await bot.settle()


async def test_help_is_one_screen_that_names_every_command(
    bot: LiveBot, world: World, ann: User, family: Chat
) -> None:
    lena = world.user("Лена", language_code="ru")
    club = world.group("Клуб", lena)
    named = ["play", "a", "hint", "skip", "race", "daily", "solve", "why", "leaderboard", "stats"]
    named += ["settings", "doctor", "privacy"]
    for person, chat in ((ann, family), (lena, club)):
        await bot.say(person, chat, f"/help@{world.bot.username}")
        short = world.posts(chat)[-1]
        assert len(short.text.splitlines()) <= 12
        world.press(person, short, 0)
        await bot.settle()
        text = short.text
        assert [name for name in named if f"/{name} " not in f"{text} "] == []
        assert len(text.splitlines()) <= 24


async def test_one_short_greeting_however_often_the_bot_is_added(
    bot: LiveBot, world: World, ann: User
) -> None:
    family = world.group("Family", ann, bot=False)
    for _ in range(2):
        world.join(world.bot, family, by=ann)
        await bot.settle()
        assert len(world.posts(family)) == 1
        assert not await bot.services.store.read(gone(family.id))
        world.leave(world.bot, family, by=ann)
        await bot.settle()
        assert await bot.services.store.read(gone(family.id))
    assert len(world.posts(family)[0].text.splitlines()) == 1


async def test_where_it_may_not_speak_it_says_nothing(
    bot: LiveBot, world: World, ann: User, family: Chat
) -> None:
    world.mute(world.bot, family, by=ann)
    world.promote(world.bot, family, by=ann)
    await bot.settle()
    assert world.posts(family) == []


async def test_a_player_who_blocks_the_bot_is_remembered_until_they_come_back(
    bot: LiveBot, world: World, ann: User
) -> None:
    await bot.deal(ann, world.chat_of(ann))
    await bot.settle()
    world.block(ann)
    await bot.settle()
    assert await bot.services.store.read(gone(ann.id))
    world.unblock(ann)
    await bot.settle()
    assert not await bot.services.store.read(gone(ann.id))
