"""What is kept of people, seen by them, handed to them and taken away."""

import asyncio
import json
from pathlib import Path

import pytest
from sqlalchemy import select

from bot.database import Tx
from bot.database.schema import players
from bot.rounds import queries as rounds
from tests.on_postgresql import ON_SERVER, rows_of
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot
from tests.telegram import Chat, Message, User, World

START = 1_763_726_400.0
NAME = "Zwentibold"


async def _wins(bot: LiveBot, clock: Clock, user: User, chat: Chat) -> None:
    clock.advance(60)
    deal = await bot.deal(user, chat, 1, 2, 3, 4)
    await bot.say(user, chat, "1*2*3*4", reply_to=deal)


async def _presses(bot: LiveBot, user: User, message: Message, label: str) -> str:
    answer = await bot.world.answer_to(bot.world.press(user, message, label))
    await bot.settle()
    return answer


async def _asks(bot: LiveBot, user: User, text: str) -> Message:
    await bot.say(user, bot.world.chat_of(user), text)
    return bot.world.posts(user)[-1]


async def _world_board(bot: LiveBot, user: User, chat: Chat) -> str:
    await bot.say(user, chat, f"/leaderboard@{bot.world.bot.username}")
    board = bot.world.posts(chat)[-1]
    await _presses(bot, user, board, "all chats")
    return board.text


def uploaded(world: World) -> list[bytes]:
    return world.documents


def _found(database: Path, *needles: bytes) -> dict[str, list[bytes]]:
    """What of the needles is in any file of the database, or in any table of the one on a server."""
    files = [p for p in database.parent.iterdir() if p.name.startswith(database.name)]
    held = rows_of(database) if ON_SERVER else {p.name: p.read_bytes() for p in files}
    hits = {name: [n for n in needles if n in content] for name, content in held.items()}
    return {name: found for name, found in hits.items() if found}


async def test_names_are_masked_until_somebody_wants_otherwise(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User
) -> None:
    cleo = world.user("Cleo")
    club = world.group("Club", ann, bob, cleo)
    for player in (ann, bob, cleo):
        await _wins(bot, clock, player, club)
    assert "Ann" not in await _world_board(bot, bob, club)
    page = await _asks(bot, ann, "/privacy")
    assert "shows your name" in await _presses(bot, ann, page, "Show my name")
    assert "✓ Show my name" in page.labels
    board = await _world_board(bot, bob, club)
    assert "\u2068Ann\u2069" in board
    assert "\u2068B•••\u2069" in board
    await bot.say(bob, club, f"/privacy@{world.bot.username}")
    shared = world.posts(club)[-1]
    await _presses(bot, ann, shared, "Mask my name")
    assert "\u2068A•••\u2069" in await _world_board(bot, bob, club)


async def test_an_export_holds_everything_and_goes_to_nobody_else(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    ann.username = "ann24"
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.say(ann, family, "8*3-8/3", reply_to=deal)
    await bot.say(ann, family, "8/(3-8/3)", reply_to=deal)
    await _wins(bot, clock, bob, family)
    await bot.say(ann, family, f"/export@{world.bot.username}")
    assert not uploaded(world)
    world.open_link(ann, world.posts(family)[-1], 0)
    await bot.settle()
    (file,) = uploaded(world)
    kept = json.loads(file)
    assert kept["player"][0]["name"] == "Ann"
    right = [(a["game"], a["line"], a["expression"]) for a in kept["right_answers"]]
    assert right == [("24", "3 8 3 8 → 24", "8/(3-8/3)")]
    assert [t["game"] for t in kept["wrong_answers"]] == ["24"]
    assert [t["wrong"] for t in kept["wrong_answers"]] == [1]
    assert {(p["chat_id"], p["period"]) for p in kept["points"]} >= {(family.id, "all")}
    assert "Bob" not in file.decode()


async def test_the_export_of_a_stranger_says_what_is_kept_of_them(
    bot: LiveBot, world: World, ann: User, bob: User
) -> None:
    ann.username, bob.username = "ann24", "bob24"
    await _asks(bot, ann, "/export")
    assert not any(json.loads(uploaded(world)[0]).values()), "a stranger: nothing is kept"
    await _asks(bot, bob, "/play")
    for _ in range(2):
        await _asks(bot, bob, "/export")
        kept = json.loads(uploaded(world)[-1])
        assert [p["name"] for p in kept["player"]] == ["Bob"]
        assert len(kept["private_chat"]) == 1
        assert len(kept["rounds_dealt"]) == 1


@pytest.mark.long
async def test_forgetting_leaves_no_trace_and_every_other_score(
    bot: LiveBot, world: World, clock: Clock, database: Path
) -> None:
    gone, bob, cleo, dan = (world.user(name) for name in (NAME, "Bob", "Cleo", "Dan"))
    club = world.group("Club", gone, bob, cleo, dan)
    for player in (gone, bob, cleo, dan, gone):
        await _wins(bot, clock, player, club)
    await bot.say(gone, club, f"/play@{world.bot.username}")
    await _asks(bot, gone, "/play")
    await _asks(bot, gone, "1+1")
    await _asks(bot, gone, "/daily")
    packed = () if ON_SERVER else (gone.id.to_bytes(6, "big"),)
    needles = (NAME.encode(), str(gone.id).encode(), *packed)
    assert set().union(*_found(database, *needles).values()) == set(needles)
    question = await _asks(bot, gone, "/forgetme")
    await _presses(bot, gone, question, "Forget me")
    (copy,) = uploaded(world)
    assert NAME in copy.decode()
    await bot.timers.run_all()
    clock.advance(86_400)
    await bot.timers.run_all()
    assert _found(database, *needles) == {}
    await bot.say(bob, club, f"/leaderboard@{world.bot.username}")
    lines = [line for line in world.posts(club)[-1].text.splitlines() if line[:1].isdigit()]
    assert len(lines) == 3
    assert [line.partition(".")[0] for line in lines] == ["1", "1", "1"]
    assert NAME not in await _world_board(bot, bob, club)


async def test_a_profile_that_still_waits_elsewhere_is_not_said_of_who_is_forgotten(
    bot: LiveBot, world: World, clock: Clock, database: Path
) -> None:
    gone, bob = world.user(NAME), world.user("Bob")
    club = world.group("Club", gone, bob)
    await bot.choose(club, "pictures", "all")
    await _wins(bot, clock, gone, club)
    wait = world.faults.add("send*", chat=club.id, retry_after=3600)
    world.say(bob, club, f"/stats@{world.bot.username}", reply_to=world.say(gone, club, "hello"))
    await world.wait_until(lambda: wait.hits)
    home = world.chat_of(gone)
    world.say(gone, home, "/forgetme")
    question = await world.wait_until(lambda: next((post for post in world.posts(home) if post.markup), None))
    assert question is not None
    world.press(gone, question, "Forget me")
    await world.wait_until(lambda: any("Farewell" in post.text for post in world.posts(home)))
    async with asyncio.timeout(60):  # it is gone once that has arrived
        while any(str(gone.id) in body for body in await bot.services.store.read(bodies)):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    world.faults.clear()


def bodies(tx: Tx) -> list[str]:
    """What waits to be sent to others."""
    return [str(row[0]) for row in tx.exec_driver_sql("SELECT body FROM outbox WHERE lane < 0")]


async def test_nobody_is_forgotten_by_accident(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    await _wins(bot, clock, ann, family)
    question = await _asks(bot, ann, "/forgetme")
    await _presses(bot, ann, question, "Keep everything")
    await world.answer_to(world.press(ann, question, data="fm:y"))
    deal = world.posts(family)[0]
    await world.answer_to(world.press(bob, deal, data="fm:y"))
    await world.answer_to(world.press(bob, deal, data="pv:u"))
    await bot.settle()
    assert not uploaded(world)
    await bot.say(bob, family, f"/leaderboard@{world.bot.username}")
    assert "1. \u2068Ann\u2069 — " in world.posts(family)[-1].text


async def test_whoever_blocks_the_bot_after_asking_is_forgotten_all_the_same(
    bot: LiveBot, world: World, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "bot")
    gone = world.user(NAME)
    question = await _asks(bot, gone, "/forgetme")
    world.faults.add("sendDocument", status=403)
    await _presses(bot, gone, question, "Forget me")
    clock.advance(3700)
    await bot.timers.run_all()
    assert await bot.services.store.read(lambda tx: _known(tx, gone.id)) == []
    assert "sendDocument to a private chat was refused" in caplog.text
    assert NAME not in caplog.text
    assert str(gone.id) not in caplog.text


def _known(tx: Tx, player_id: int) -> list[object]:
    assert rounds.load_open_rounds_in_chat(tx, player_id) == []
    return list(tx.execute(select(players).where(players.c.id == player_id)))


@pytest.mark.parametrize("said", ["nice one", "quelle belle main", "太难了", "😀"])
async def test_words_about_a_hand_are_no_answer_and_leave_nothing(
    bot: LiveBot, world: World, ann: User, database: Path, said: str
) -> None:
    quorra = world.user("Quorra", username="quorra")
    family = world.group("Family", ann, quorra)
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    message = await bot.say(quorra, family, said, reply_to=deal)
    assert len(world.posts(family)) == 1
    assert not message.reactions
    await bot.services.store.truncate_wal()
    for part in database.parent.glob(f"{database.name}*"):
        kept = part.read_bytes()
        assert b"Quorra" not in kept
        assert str(quorra.id).encode() not in kept
