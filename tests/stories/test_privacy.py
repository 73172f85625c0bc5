"""Personal data: /privacy masks names, /export returns the data, /forgetme deletes it."""

import asyncio
import json
from pathlib import Path

import pytest
from sqlalchemy import select

from bot.database import Tx
from bot.database.schema import players
from bot.rounds import queries as rounds
from tests.on_postgresql import ON_POSTGRESQL, read_tables
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot
from tests.telegram import Chat, Message, User, World

NAME = "Zwentibold"


async def win_round(bot: LiveBot, clock: Clock, user: User, chat: Chat) -> None:
    """Deal a hand to a user a minute later and let them solve it."""
    clock.advance(60)
    deal = await bot.deal(user, chat, 1, 2, 3, 4)
    await bot.say(user, chat, "1*2*3*4", reply_to=deal)


async def press_button(bot: LiveBot, user: User, message: Message, label: str) -> str:
    """Press a button and return the alert that the user gets."""
    answer = await bot.world.answer_to(bot.world.press(user, message, label))
    await bot.settle()
    return answer


async def send_in_private(bot: LiveBot, user: User, text: str) -> Message:
    """Send a text to the bot in private and return the bot's latest message there."""
    await bot.say(user, bot.world.chat_of(user), text)
    return bot.world.posts(user)[-1]


async def load_world_leaderboard(bot: LiveBot, user: User, chat: Chat) -> str:
    """Return the text of the leaderboard of all chats, as shown in a chat."""
    await bot.say(user, chat, f"/leaderboard@{bot.world.bot.username}")
    board = bot.world.posts(chat)[-1]
    await press_button(bot, user, board, "all chats")
    return board.text


def find_in_database(database: Path, *needles: bytes) -> dict[str, list[bytes]]:
    """Return the needles found, by file of the database or by table of a server's database."""
    files = [p for p in database.parent.iterdir() if p.name.startswith(database.name)]
    contents = read_tables(database) if ON_POSTGRESQL else {p.name: p.read_bytes() for p in files}
    matches = {name: [n for n in needles if n in content] for name, content in contents.items()}
    return {name: found for name, found in matches.items() if found}


async def test_names_are_masked_unless_the_player_shows_them(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User
) -> None:
    cleo = world.user("Cleo")
    club = world.group("Club", ann, bob, cleo)
    for player in (ann, bob, cleo):
        await win_round(bot, clock, player, club)
    assert "Ann" not in await load_world_leaderboard(bot, bob, club)
    page = await send_in_private(bot, ann, "/privacy")
    assert "shows your name" in await press_button(bot, ann, page, "Show my name")
    assert "✓ Show my name" in page.labels
    board = await load_world_leaderboard(bot, bob, club)
    assert "\u2068Ann\u2069" in board
    assert "\u2068B•••\u2069" in board
    await bot.say(bob, club, f"/privacy@{world.bot.username}")
    shared = world.posts(club)[-1]
    await press_button(bot, ann, shared, "Mask my name")
    assert "\u2068A•••\u2069" in await load_world_leaderboard(bot, bob, club)


async def test_export_holds_own_data_only_and_is_sent_in_private(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    ann.username = "ann24"
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.say(ann, family, "8*3-8/3", reply_to=deal)
    await bot.say(ann, family, "8/(3-8/3)", reply_to=deal)
    await win_round(bot, clock, bob, family)
    await bot.say(ann, family, f"/export@{world.bot.username}")
    assert not world.documents
    world.open_link(ann, world.posts(family)[-1], 0)
    await bot.settle()
    (file,) = world.documents
    export = json.loads(file)
    assert export["player"][0]["name"] == "Ann"
    right = [(a["game"], a["line"], a["expression"]) for a in export["right_answers"]]
    assert right == [("24", "3 8 3 8 → 24", "8/(3-8/3)")]
    assert [t["game"] for t in export["wrong_answers"]] == ["24"]
    assert [t["wrong"] for t in export["wrong_answers"]] == [1]
    assert {(p["chat_id"], p["period"]) for p in export["points"]} >= {(family.id, "24 all")}
    assert "Bob" not in file.decode()


async def test_export_of_people_without_answers_is_complete(
    bot: LiveBot, world: World, ann: User, bob: User
) -> None:
    ann.username, bob.username = "ann24", "bob24"
    await send_in_private(bot, ann, "/export")
    assert not any(json.loads(world.documents[0]).values()), "nothing is stored about a stranger"
    await send_in_private(bot, bob, "/play")
    for _ in range(2):
        await send_in_private(bot, bob, "/export")
        export = json.loads(world.documents[-1])
        assert [p["name"] for p in export["player"]] == ["Bob"]
        assert len(export["private_chat"]) == 1
        assert len(export["rounds_dealt"]) == 1


@pytest.mark.long
async def test_forgetme_leaves_no_trace_and_keeps_other_scores(
    bot: LiveBot, world: World, clock: Clock, database: Path
) -> None:
    forgotten, bob, cleo, dan = (world.user(name) for name in (NAME, "Bob", "Cleo", "Dan"))
    club = world.group("Club", forgotten, bob, cleo, dan)
    for player in (forgotten, bob, cleo, dan, forgotten):
        await win_round(bot, clock, player, club)
    await bot.say(forgotten, club, f"/play@{world.bot.username}")
    await send_in_private(bot, forgotten, "/play")
    await send_in_private(bot, forgotten, "1+1")
    await send_in_private(bot, forgotten, "/daily")
    packed_id = () if ON_POSTGRESQL else (forgotten.id.to_bytes(6, "big"),)
    needles = (NAME.encode(), str(forgotten.id).encode(), *packed_id)
    assert set().union(*find_in_database(database, *needles).values()) == set(needles)
    question = await send_in_private(bot, forgotten, "/forgetme")
    await press_button(bot, forgotten, question, "Forget me")
    (copy,) = world.documents
    assert NAME in copy.decode()
    await bot.timers.run_all()
    clock.advance(86_400)
    await bot.timers.run_all()
    assert find_in_database(database, *needles) == {}
    await bot.say(bob, club, f"/leaderboard@{world.bot.username}")
    lines = [line for line in world.posts(club)[-1].text.splitlines() if line[:1].isdigit()]
    assert len(lines) == 3
    assert [line.partition(".")[0] for line in lines] == ["1", "1", "1"]
    assert NAME not in await load_world_leaderboard(bot, bob, club)


async def test_forgetme_removes_waiting_messages_about_the_player(
    bot: LiveBot, world: World, clock: Clock, database: Path
) -> None:
    forgotten, bob = world.user(NAME), world.user("Bob")
    club = world.group("Club", forgotten, bob)
    await bot.choose(club, "pictures", "all")
    await win_round(bot, clock, forgotten, club)
    wait = world.faults.add("send*", chat=club.id, retry_after=3600)
    world.say(bob, club, f"/stats@{world.bot.username}", reply_to=world.say(forgotten, club, "hello"))
    await world.wait_until(lambda: wait.hits)
    home = world.chat_of(forgotten)
    world.say(forgotten, home, "/forgetme")
    question = await world.wait_until(lambda: next((post for post in world.posts(home) if post.markup), None))
    assert question is not None
    world.press(forgotten, question, "Forget me")
    await world.wait_until(lambda: any("Goodbye" in post.text for post in world.posts(home)))
    async with asyncio.timeout(60):  # the farewell is sent before the rows are deleted
        while any(str(forgotten.id) in body for body in await bot.services.store.read(load_waiting_bodies)):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    world.faults.clear()


def load_waiting_bodies(tx: Tx) -> list[str]:
    """Return the waiting requests to groups."""
    return [str(row[0]) for row in tx.exec_driver_sql("SELECT body FROM outbox WHERE lane < 0")]


async def test_forgetme_needs_the_players_own_confirmation(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    await win_round(bot, clock, ann, family)
    question = await send_in_private(bot, ann, "/forgetme")
    await press_button(bot, ann, question, "Keep everything")
    await world.answer_to(world.press(ann, question, data="fm:y"))
    deal = world.posts(family)[0]
    await world.answer_to(world.press(bob, deal, data="fm:y"))
    await world.answer_to(world.press(bob, deal, data="pv:u"))
    await bot.settle()
    assert not world.documents
    await bot.say(bob, family, f"/leaderboard@{world.bot.username}")
    assert "1. \u2068Ann\u2069 — " in world.posts(family)[-1].text


async def test_forgetme_works_if_the_player_blocks_the_bot(
    bot: LiveBot, world: World, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "bot")
    forgotten = world.user(NAME)
    question = await send_in_private(bot, forgotten, "/forgetme")
    world.faults.add("sendDocument", status=403)
    await press_button(bot, forgotten, question, "Forget me")
    clock.advance(3700)
    await bot.timers.run_all()
    assert await bot.services.store.read(lambda tx: load_player(tx, forgotten.id)) == []
    assert "sendDocument to a private chat was refused" in caplog.text
    assert NAME not in caplog.text
    assert str(forgotten.id) not in caplog.text


def load_player(tx: Tx, player_id: int) -> list[object]:
    """Return the stored row of a player, or an empty list."""
    assert rounds.load_open_rounds_in_chat(tx, player_id) == []
    return list(tx.execute(select(players).where(players.c.id == player_id)))


@pytest.mark.parametrize("comment", ["nice one", "quelle belle main", "太难了", "😀"])
async def test_comments_on_a_hand_are_ignored_and_not_stored(
    bot: LiveBot, world: World, ann: User, database: Path, comment: str
) -> None:
    quorra = world.user("Quorra", username="quorra")
    family = world.group("Family", ann, quorra)
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    message = await bot.say(quorra, family, comment, reply_to=deal)
    assert len(world.posts(family)) == 1
    assert not message.reactions
    await bot.services.store.truncate_wal()
    for part in database.parent.glob(f"{database.name}*"):
        content = part.read_bytes()
        assert b"Quorra" not in content
        assert str(quorra.id).encode() not in content
