"""People who only talk beside the bot leave nothing in it: no id, no name, no word."""

import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from bot.database import Tx
from bot.database.schema import TRANSIENT_TABLES, inbox, metadata
from tests.stories.clock import NOON
from tests.stories.conftest import LiveBot, replace_command, run_bot
from tests.telegram import Chat, User, World

NAME, USERNAME, WORDS = "Zwentibold", "zwent_tells", "the-quick-brown-fox"


def everything(tx: Tx) -> str:
    """Every value of every table."""
    return repr(
        [list(tx.execute(select(table))) for table in metadata.sorted_tables if table not in TRANSIENT_TABLES]
    )


def on_disk(database: Path) -> bytes:
    """All bytes of the database's files."""
    files = [p for p in database.parent.iterdir() if p.name.startswith(database.name)]
    return b"".join(p.read_bytes() for p in files)


def needles(person: User) -> tuple[str, ...]:
    return NAME, USERNAME, str(person.id), WORDS


async def known(bot: LiveBot, *texts: str) -> list[str]:
    """What of the texts is in any table."""
    kept = await bot.services.store.read(everything)
    return [text for text in texts if text in kept]


@pytest.fixture
def privacy() -> bool:
    return False


@pytest.fixture
def talker(world: World) -> User:
    return world.user(NAME, username=USERNAME)


@pytest.fixture
def club(world: World, bob: User, talker: User) -> Chat:
    return world.group("Club", bob, talker)


async def test_of_what_may_tell_a_solution_and_tells_none_nothing_stays(
    bot: LiveBot, world: World, bob: User, talker: User, club: Chat
) -> None:
    """It has to be looked at, with the hands on the table; then it is let go."""
    await bot.deal(bob, club, 3, 8, 3, 8)
    theirs = await bot.say(talker, club, f"{WORDS} 8+3*8+3+1")
    world.edit(theirs, f"{WORDS} 8*3*8/3-1")
    photo = {"photo": [{"file_id": "p", "file_unique_id": "u", "width": 1, "height": 1}]}
    world.say(talker, club, f"{WORDS} 8/3/8*3+2", content=photo)
    await bot.settle()
    assert await known(bot, *needles(talker)) == []


async def test_talk_never_comes_near_the_disk(
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
    theirs = world.say(talker, club, f"{WORDS} 7")
    world.say(talker, club, WORDS, reply_to=theirs)
    world.forward(talker, theirs, club)
    world.edit(theirs, f"{WORDS} 8 or 9")
    world.react(talker, deal, "👍")
    world.leave(talker, club)
    await bot.settle()
    disk = on_disk(database)
    assert [n for n in needles(talker) if n.encode() in disk] == []
    assert await known(bot, *needles(talker)) == []
    assert not any(needle in caplog.text for needle in needles(talker))
    assert bot.service.inbox.count_updates_since(club.id, NOON - 1) > 8, "but they make it a busy group"


async def test_whoever_comes_near_without_playing_is_in_no_table(
    bot: LiveBot, world: World, bob: User, database: Path, talker: User, club: Chat
) -> None:
    me = f"@{world.bot.username}"
    deal = await bot.deal(bob, club, 3, 8, 3, 8)
    await bot.say(bob, club, "8/(3-8/3)", reply_to=deal)
    theirs = world.say(talker, club, f"{WORDS} 1+1")
    await bot.say(bob, club, f"/stats{me} @{USERNAME}")
    await bot.say(bob, club, f"/stats{me}", reply_to=theirs)
    await bot.say(bob, club, f"/why{me}", reply_to=theirs)
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
    assert await known(bot, *needles(talker)) == []
    for text in ("hello", "/start", "/help", "/privacy", "/export", "/solve 1 2 3 4", "/stats", WORDS):
        await bot.say(talker, world.chat_of(talker), text)
    world.block(talker)
    await bot.settle()
    assert await known(bot, *needles(talker)) == []
    await bot.timers.run_all()
    disk = on_disk(database)
    assert [n for n in needles(talker) if n.encode() in disk] == [], "the log beside the file is emptied too"


async def test_who_plays_is_known_from_then_on(bot: LiveBot, bob: User, talker: User, club: Chat) -> None:
    deal = await bot.deal(bob, club, 3, 8, 3, 8)
    await bot.say(talker, club, "8*3-8/3", reply_to=deal)
    assert await known(bot, *needles(talker)) == [NAME, USERNAME, str(talker.id)]


async def test_a_handled_update_leaves_its_number_alone(
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


async def test_what_fails_is_logged_without_its_words(
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
        assert not any(needle in caplog.text for needle in needles(talker))
        dead = await bot.services.store.read(
            lambda tx: tx.execute(select(inbox.c.trouble, inbox.c.body)).one()
        )
        assert WORDS in dead.trouble, "an operator can look it up"
        assert json.loads(dead.body)["message"]["from"]["first_name"] == NAME
