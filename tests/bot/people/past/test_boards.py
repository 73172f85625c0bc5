"""Boards of days and weeks of long ago: to the day, and a few lines at a time."""

import json

import pytest
from sqlalchemy import insert, select

from bot.database import Tx, new_rows
from bot.database.schema import best_days, chats, histogram, totals
from bot.durations import DAY
from bot.people import queries as people
from bot.people.leaderboard.queries import periods, within
from bot.people.past import boards as past_boards
from tests.bot.databases import Database
from tests.stories.hours import NOON

KEPT = 365 * DAY
OF_GAME = "countdown"


def scored(tx: Tx, chat: int, back: float) -> None:
    """Somebody scores in a chat, in one game, so many days ago."""
    if not tx.execute(select(chats).where(chats.c.id == chat)).all() and chat:
        tx.execute(insert(chats).values(id=chat, kind="group"))
    for game in (None, OF_GAME):
        for period in periods(NOON - back * DAY)[2:]:
            line = {"chat_id": chat, "period": within(period, game)}
            tx.execute(new_rows(tx.dialect.name, totals), {**line, "player_id": 5, "points": 3, "wins": 1})
            tx.execute(new_rows(tx.dialect.name, histogram), {**line, "points": 3, "players": 1})


def lines(tx: Tx, chat: int) -> set[str]:
    """The periods of which a chat has totals; its histogram has the same."""
    found = set(tx.scalars(select(totals.c.period).where(totals.c.chat_id == chat)))
    assert set(tx.scalars(select(histogram.c.period).where(histogram.c.chat_id == chat))) == found
    return found


def through(tx: Tx, now: float = NOON) -> int:
    """Go through all chats; how many pieces that took."""
    pieces = 1
    while past_boards.age(tx, now, KEPT).more:
        pieces += 1
        assert pieces < 50
    return pieces


async def test_days_go_that_were_over_and_the_last_one_stays(db: Database) -> None:
    def story(tx: Tx) -> None:
        scored(tx, -1, 366)
        scored(tx, -1, 400)
        scored(tx, -2, 365)  # the day is not over yet
        scored(tx, 0, 366)
        scored(tx, 0, 366 + 35)
        through(tx)
        week = periods(NOON - 366 * DAY)[2]
        assert lines(tx, -1) == {week, within(week, OF_GAME)}  # of which later days are still kept
        assert len(lines(tx, -2)) == 4
        assert {line for line in lines(tx, 0) if line.endswith(periods(NOON - 401 * DAY)[3])} == set()
        assert lines(tx, 0) >= set(periods(NOON - 366 * DAY)[2:])
        best = tx.execute(select(best_days)).one()
        assert (best.chat_id, best.points, best.day) == (-1, 3, periods(NOON - 400 * DAY)[3])

    await db(story)


@pytest.mark.long
@pytest.mark.parametrize(("chats_at_once", "lines_at_once"), [(1, 1), (1, 100), (3, 2), (10, 100)])
async def test_all_chats_are_gone_through_piece_by_piece(
    db: Database, chats_at_once: int, lines_at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(past_boards, "CHATS_AT_ONCE", chats_at_once)
    monkeypatch.setattr(past_boards, "LINES_AT_ONCE", lines_at_once)

    def story(tx: Tx) -> None:
        for chat in (-1, -2, -3):
            scored(tx, chat, 400)
        pieces = through(tx)
        assert not lines(tx, -1) | lines(tx, -2) | lines(tx, -3)
        if lines_at_once == 100:
            assert pieces == -(-3 // chats_at_once) + 1  # and one for the boards of all chats

    await db(story)


async def test_the_next_walk_begins_a_day_later_where_the_last_one_ended(db: Database) -> None:
    def story(tx: Tx) -> None:
        scored(tx, -1, 366)
        through(tx)
        assert not past_boards.age(tx, NOON + DAY - 1, KEPT).more
        told = json.loads(people.fact(tx, past_boards.REACHED) or "")
        assert told == {"until": NOON - KEPT, "since": None, "chat": None}
        scored(tx, -1, 500)  # before where it was: nobody looks for it again
        scored(tx, -1, 365)
        through(tx, NOON + DAY)
        told = json.loads(people.fact(tx, past_boards.REACHED) or "")
        assert told == {"until": NOON + DAY - KEPT, "since": NOON - KEPT, "chat": None}
        days = {line for line in lines(tx, -1) if len(line) == len("2024-01-01")}
        assert days == {periods(NOON - 500 * DAY)[3]}

    await db(story)


async def test_it_is_written_nowhere_that_it_came_as_far_as_who_is_forgotten(db: Database) -> None:
    def story(tx: Tx) -> None:
        walk = {"until": NOON - KEPT, "since": None, "chat": 5}
        people.remember(tx, past_boards.REACHED, json.dumps(walk))
        past_boards.forget(tx, 6)
        assert json.loads(people.fact(tx, past_boards.REACHED) or "") == walk
        past_boards.forget(tx, 5)
        told = json.loads(people.fact(tx, past_boards.REACHED) or "")
        assert told == walk | {"chat": past_boards.BEFORE_ALL}

    await db(story)
