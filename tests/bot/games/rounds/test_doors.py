"""Whose private chat leads to which round."""

from bot.games.puzzle import Entry
from bot.games.rounds import doors
from bot.games.rounds import entries as handing
from bot.games.rounds import queries as rounds
from bot.games.rounds.doors import HOUR, KEPT
from bot.games.rounds.rules import State, ended
from tests.bot.databases import Database
from tests.hands import deal, opened

ANN, BOB, GROUP, NOW = 1, 2, -100, 1.8e9


async def test_the_last_link_counts_for_each(db: Database) -> None:
    for player, number in ((ANN, 7), (BOB, 7), (ANN, 8)):
        await db(lambda tx, p=player, n=number: doors.opened(tx, p, n, NOW))  # type: ignore[misc]
    assert await db(lambda tx: doors.round_of(tx, ANN)) == 8
    assert await db(lambda tx: doors.players(tx, 7)) == [BOB]
    assert await db(lambda tx: doors.round_of(tx, 3)) is None


async def test_doors_of_rounds_that_are_over_close(db: Database) -> None:
    live = await db(lambda tx: opened(tx, deal(chat_id=GROUP)))
    over = await db(lambda tx: opened(tx, deal(chat_id=GROUP - 1)))
    await db(lambda tx: rounds.close(tx, ended(over, State.SKIPPED, NOW)))
    await db(lambda tx: doors.opened(tx, ANN, live.id, NOW))
    await db(lambda tx: doors.opened(tx, BOB, over.id, NOW))
    await db(lambda tx: doors.sweep(tx, NOW + HOUR))
    assert await db(lambda tx: doors.round_of(tx, BOB)) == over.id
    await db(lambda tx: doors.sweep(tx, NOW + HOUR + 1))
    assert await db(lambda tx: doors.round_of(tx, BOB)) is None
    assert await db(lambda tx: doors.round_of(tx, ANN)) == live.id
    await db(lambda tx: doors.sweep(tx, NOW + KEPT + 1))
    assert await db(lambda tx: doors.round_of(tx, ANN)) is None


async def test_who_answered_there_was_seen_there(db: Database) -> None:
    here = await db(lambda tx: opened(tx, deal(chat_id=GROUP)))
    await db(lambda tx: handing.hand_in(tx, here.id, Entry(ANN, "1+2", NOW)))
    assert await db(lambda tx: doors.played_there(tx, ANN, GROUP))
    assert not await db(lambda tx: doors.played_there(tx, ANN, GROUP - 1))
    assert not await db(lambda tx: doors.played_there(tx, BOB, GROUP))
