"""Rounds of long ago, looked at a few at a time."""

import pytest
from sqlalchemy import select, update

from bot.database import Tx
from bot.database.schema import past, rounds
from bot.durations import DAY
from bot.games.rounds import tries
from bot.people.past import rounds as past_rounds
from tests.bot.databases import Database
from tests.hands import deal, opened
from tests.stories.hours import NOON

KEPT = 365 * DAY


def ended(tx: Tx, back: float, state: str = "skipped", winner: int | None = None, streak: int = 0) -> int:
    """A round that was over so many days ago."""
    at = NOON - back * DAY
    stored = opened(tx, deal(chat_id=-1, dealer_id=5, opened=at, deadline=None))
    over = {"state": state, "closed": at + 60, "winner_id": winner, "streak": streak}
    tx.execute(update(rounds).where(rounds.c.id == stored.id).values(over))
    return stored.id


def left(tx: Tx) -> list[int]:
    return list(tx.scalars(select(rounds.c.id).order_by(rounds.c.id)))


@pytest.mark.parametrize("at_once", [1, 2, 5])
async def test_piece_by_piece_all_of_them_are_looked_at(
    db: Database, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(past_rounds, "AT_ONCE", at_once)

    def story(tx: Tx) -> None:
        odd = ended(tx, 500)
        tx.execute(update(rounds).where(rounds.c.id == odd).values(closed=None))  # never over: it stays
        for back in (499, 498, 497, 496, 495):
            ended(tx, back)
        kept = ended(tx, 10)
        pieces = 1
        while past_rounds.age(tx, NOON, KEPT).more:
            pieces += 1
            assert pieces < 9
        assert left(tx) == [odd, kept]
        assert pieces == 6 // at_once + 1

    await db(story)


async def test_what_is_added_is_what_was_there(db: Database) -> None:
    def story(tx: Tx) -> None:
        tries.went_wrong(tx, ended(tx, 500), 6)
        ended(tx, 450, "won", 7, 3)
        ended(tx, 440, "won", 7, 2)
        ended(tx, 10)
        while past_rounds.age(tx, NOON, KEPT).more:
            pass
        rows = tx.execute(select(past).order_by(past.c.player_id)).all()
        found = [(row.player_id, row.unpaid, row.streak, row.streak_at, row.mornings) for row in rows]
        assert found == [(5, 0, 0, 0.0, 0), (6, 1, 0, 0.0, 0), (7, 0, 3, NOON - 450 * DAY + 60, 0)]

    await db(story)


def test_a_few_are_looked_at_for_whoever_waits() -> None:
    assert past_rounds.AT_ONCE <= 3
