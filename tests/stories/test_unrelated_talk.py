"""People who only talk leave no id, name or word in tables, files or logs."""

import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from bot.database.schema import inbox
from tests.stories.clock import NOON, Clock
from tests.stories.conftest import LiveBot, dump_tables, replace_command, run_bot
from tests.telegram import Chat, User, World

NAME, USERNAME, WORDS = "Zwentibold", "zwent_tells", "the-quick-brown-fox"


def read_database_files(database: Path) -> bytes:
    """Return all bytes of the database's files."""
    files = [p for p in database.parent.iterdir() if p.name.startswith(database.name)]
    return b"".join(p.read_bytes() for p in files)


def list_traces(person: User) -> tuple[str, ...]:
    return NAME, USERNAME, str(person.id), WORDS


async def find_stored_texts(bot: LiveBot, *texts: str) -> list[str]:
    """Return the texts that any table contains."""
    stored = await bot.services.store.read(dump_tables)
    return [text for text in texts if text in stored]


@pytest.fixture
def privacy() -> bool:
    return False


@pytest.fixture
def talker(world: World) -> User:
    return world.user(NAME, username=USERNAME)


@pytest.fixture
def club(world: World, bob: User, talker: User) -> Chat:
    return world.group("Club", bob, talker)


async def test_expressions_in_talk_are_not_stored(
    bot: LiveBot, world: World, bob: User, talker: User, club: Chat
) -> None:
    """The bot compares such talk with open hands and then drops it."""
    await bot.deal(bob, club, 3, 8, 3, 8)
    message = await bot.say(talker, club, f"{WORDS} 8+3*8+3+1")
    world.edit(message, f"{WORDS} 8*3*8/3-1")
    photo = {"photo": [{"file_id": "p", "file_unique_id": "u", "width": 1, "height": 1}]}
    world.say(talker, club, f"{WORDS} 8/3/8*3+2", content=photo)
    await bot.settle()
    assert await find_stored_texts(bot, *list_traces(talker)) == []


async def test_talk_is_never_written_to_disk(
    bot: LiveBot,
    world: World,
    bob: User,
    database: Path,
    talker: User,
    club: Chat,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("DEBUG", "bot")
    deal = await bot.deal(bob, club, 3, 8, 3, 8)
    world.join(talker, club)
    for text in (WORDS, f"{WORDS} at 8", "24", "/ban 5", f"@{world.bot.username} {WORDS} 1", "see 8/3 and 5"):
        world.say(talker, club, text)
    message = world.say(talker, club, f"{WORDS} 7")
    world.say(talker, club, WORDS, reply_to=message)
    world.forward(talker, message, club)
    world.edit(message, f"{WORDS} 8 or 9")
    world.react(talker, deal, "👍")
    world.leave(talker, club)
    await bot.settle()
    disk = read_database_files(database)
    assert [n for n in list_traces(talker) if n.encode() in disk] == []
    assert await find_stored_texts(bot, *list_traces(talker)) == []
    assert not any(needle in caplog.text for needle in list_traces(talker))
    assert bot.service.inbox.count_updates_since(club.id, NOON - 1) > 8, "but the updates are counted"


async def test_people_who_do_not_play_are_not_stored(
    bot: LiveBot, world: World, clock: Clock, bob: User, database: Path, talker: User, club: Chat
) -> None:
    me = f"@{world.bot.username}"
    deal = await bot.deal(bob, club, 3, 8, 3, 8)
    await bot.say(bob, club, "8/(3-8/3)", reply_to=deal)
    clock.advance(120)  # a note below a hand that has just ended names its reader
    message = world.say(talker, club, f"{WORDS} 1+1")
    await bot.say(bob, club, f"/stats{me} @{USERNAME}")
    await bot.say(bob, club, f"/stats{me}", reply_to=message)
    await bot.say(bob, club, f"/why{me}", reply_to=message)
    await bot.say(talker, club, "1+1+1+1")
    await bot.say(talker, club, f"/leaderboard{me}")
    await bot.say(talker, club, f"/help{me}")
    await bot.say(talker, club, f"/hint{me}")
    await bot.say(talker, club, f"/settings{me}")
    await bot.say(talker, club, WORDS, reply_to=world.posts(club)[-1])
    for data in ("h:1", "s:1", "h:999", "n:999", "lb:h:a", "x"):
        await world.answer_to(world.press(talker, deal, data=data))
    world.inline(talker, "1 2 3 4")
    world.promote(world.bot, club, by=talker)
    await bot.settle()
    assert await find_stored_texts(bot, *list_traces(talker)) == []
    for text in ("hello", "/start", "/help", "/privacy", "/export", "/solve 1 2 3 4", "/stats", WORDS):
        await bot.say(talker, world.chat_of(talker), text)
    world.block(talker)
    await bot.settle()
    assert await find_stored_texts(bot, *list_traces(talker)) == []
    await bot.timers.run_all()
    disk = read_database_files(database)
    assert [n for n in list_traces(talker) if n.encode() in disk] == [], "the write-ahead log is emptied too"


async def test_players_are_stored_once_they_play(bot: LiveBot, bob: User, talker: User, club: Chat) -> None:
    deal = await bot.deal(bob, club, 3, 8, 3, 8)
    await bot.say(talker, club, "8*3-8/3", reply_to=deal)
    assert await find_stored_texts(bot, *list_traces(talker)) == [NAME, USERNAME, str(talker.id)]


async def test_handled_update_keeps_only_its_number(
    bot: LiveBot, world: World, talker: User, club: Chat
) -> None:
    deal = await bot.deal(talker, club, 3, 8, 3, 8)
    press = world.press(talker, deal, "Hint")
    await world.answer_to(press)
    world.press_again(press)
    await bot.say(talker, world.chat_of(talker), "/help")
    rows = await bot.services.store.read(lambda tx: list(tx.execute(select(inbox)).mappings()))
    assert len(rows) == 3, "the press counts once"
    assert {(r["lane"], r["body"], r["state"], r["trouble"], r["tries"]) for r in rows} == {
        (0, "", "done", None, 0)
    }
    assert not any(press.id in str(value) for row in rows for value in row.values())
    assert sum(row["press"] is not None for row in rows) == 1


async def test_errors_are_logged_without_user_text(
    database: Path, world: World, talker: User, club: Chat, caplog: pytest.LogCaptureFixture
) -> None:
    async def failing(turn: Any) -> Any:
        try:
            raise KeyError(f"{NAME} {turn.player.id}")
        except KeyError as error:
            raise ValueError(f"{WORDS} of {NAME}, {turn.player.id}") from error

    caplog.set_level("DEBUG", "bot")
    async with run_bot(world, database, routes=replace_command("help", failing)) as bot:
        await bot.say(talker, club, f"/help@{world.bot.username} {WORDS}")
        assert "ValueError" in caplog.text
        assert "KeyError" in caplog.text
        assert "in failing" in caplog.text
        assert not any(needle in caplog.text for needle in list_traces(talker))
        dead = await bot.services.store.read(
            lambda tx: tx.execute(select(inbox.c.trouble, inbox.c.body)).one()
        )
        assert WORDS in dead.trouble, "the operator can look it up"
        assert json.loads(dead.body)["message"]["from"]["first_name"] == NAME
