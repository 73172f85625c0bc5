"""Start links, help, the greeting, and chats that remove or block the bot."""

from sqlalchemy import select

from bot.database.schema import chats
from bot.rounds.registry import GAMES
from tests.stories.conftest import LiveBot
from tests.telegram import Chat, User, World


async def load_gone(bot: LiveBot, chat_id: int) -> bool:
    """Return whether the bot has stored that it can't write to a chat any more."""
    query = select(chats.c.gone).where(chats.c.id == chat_id)
    return bool(await bot.services.store.read(lambda tx: tx.scalar(query)))


async def test_start_links_lead_to_their_page_or_to_help(bot: LiveBot, world: World, ann: User) -> None:
    world.start(ann)
    first = await world.next_post(ann)
    assert first.text.startswith("Twenty-Four: I deal four numbers.")
    world.start(ann, "no_such_door-7")
    assert (await world.next_post(ann)).text == first.text
    world.start(ann, "play")
    assert "→ 24" in (await world.next_post(ann)).text
    await bot.settle()


async def test_help_fits_one_screen(bot: LiveBot, world: World, ann: User, family: Chat) -> None:
    lena = world.user("Лена", language_code="ru")
    club = world.group("Клуб", lena)
    for person, chat in ((ann, family), (lena, club)):
        await bot.say(person, chat, f"/help@{world.bot.username}")
        message = world.posts(chat)[-1]
        assert len(message.text.splitlines()) <= 9 + len(GAMES)
        for title in message.labels:
            await world.answer_to(world.press(person, message, title))
            await bot.settle()
            assert len(message.text.splitlines()) <= 12
            await world.answer_to(world.press(person, message, 0))
            await bot.settle()


async def test_help_says_whose_time_zone_is_set(bot: LiveBot, world: World, ann: User, family: Chat) -> None:
    for chat, note in ((world.chat_of(ann), "your time zone"), (family, "this group’s time zone (admins)")):
        await bot.say(ann, chat, f"/help@{world.bot.username}")
        message = world.posts(chat)[-1]
        await world.answer_to(world.press(ann, message, "Settings"))
        await bot.settle()
        assert f"/timezone Madrid — {note}" in message.text


async def test_greeting_is_posted_once(bot: LiveBot, world: World, ann: User) -> None:
    family = world.group("Family", ann, bot=False)
    for _ in range(2):
        world.join(world.bot, family, by=ann)
        await bot.settle()
        assert len(world.posts(family)) == 1
        assert not await load_gone(bot, family.id)
        world.leave(world.bot, family, by=ann)
        await bot.settle()
        assert await load_gone(bot, family.id)
    assert world.posts(family)[0].text.splitlines() == [
        "Hi! Four numbers make 24. Who’s first?",
        "/play — deal a hand",
        "/help shows what else I can do.",
    ]


async def test_muted_bot_posts_no_greeting(bot: LiveBot, world: World, ann: User, family: Chat) -> None:
    world.mute(world.bot, family, by=ann)
    world.promote(world.bot, family, by=ann)
    await bot.settle()
    assert world.posts(family) == []


async def test_block_is_stored_until_the_player_unblocks_the_bot(
    bot: LiveBot, world: World, ann: User
) -> None:
    await bot.deal(ann, world.chat_of(ann))
    await bot.settle()
    world.block(ann)
    await bot.settle()
    assert await load_gone(bot, ann.id)
    world.unblock(ann)
    await bot.settle()
    assert not await load_gone(bot, ann.id)
