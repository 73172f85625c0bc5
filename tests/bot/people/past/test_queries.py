"""What is summed up of long ago: sums grow, and of the best the first is kept."""

from typing import Any

from sqlalchemy import select

from bot.database import Tx
from bot.database.schema import best_days, past
from bot.people.past import queries
from tests.bot.databases import Database


def row(streak: int, at: float, unpaid: int = 0, mornings: int = 0, player: int = 5) -> dict[str, Any]:
    """What is added of a player of 24 in one chat."""
    figures = {"unpaid": unpaid, "streak": streak, "streak_at": at, "mornings": mornings}
    return {"chat_id": -1, "player_id": player, "game": "24", **figures}


def day(points: int, day: str, player: int = 5) -> dict[str, Any]:
    return {"chat_id": -1, "player_id": player, "points": points, "day": day}


async def test_sums_grow_and_the_first_of_the_longest_rows_is_kept(db: Database) -> None:
    def story(tx: Tx) -> None:
        queries.add(tx, [row(2, 50.0, unpaid=1, mornings=3)])
        for more, kept in (
            (row(1, 10.0, 2, 1), 50.0),
            (row(2, 60.0), 50.0),
            (row(2, 40.0), 40.0),
        ):
            queries.add(tx, [more])
            found = tx.execute(select(past)).one()
            assert (found.streak, found.streak_at) == (2, kept)
        queries.add(tx, [row(3, 70.0)])
        found = tx.execute(select(past)).one()
        assert (found.unpaid, found.mornings, found.streak, found.streak_at) == (3, 4, 3, 70.0)

    await db(story)


async def test_nothing_is_added_of_nothing(db: Database) -> None:
    def story(tx: Tx) -> None:
        queries.add(tx, [])
        queries.keep_days(tx, [])
        assert not [*tx.execute(select(past)), *tx.execute(select(best_days))]

    await db(story)


async def test_two_in_a_row_are_a_record_and_one_is_none(db: Database) -> None:
    def story(tx: Tx) -> None:
        queries.add(tx, [row(1, 10.0)])
        assert queries.row_record(tx, -1) is None
        queries.add(tx, [row(2, 30.0, player=6), row(2, 20.0, player=7)])
        record = queries.row_record(tx, -1)
        assert record is not None
        assert (record.player_id, record.streak, record.streak_at) == (7, 2, 20.0)

    await db(story)


async def test_of_equally_good_days_the_first_is_kept(db: Database) -> None:
    def story(tx: Tx) -> None:
        queries.keep_days(tx, [day(5, "2024-03-02"), day(5, "2024-03-01"), day(4, "2024-01-01")])
        known = ["2024-03-01"]
        for points, when in ((5, "2024-03-05"), (5, "2024-02-01"), (4, "2023-01-01"), (6, "2024-09-09")):
            queries.keep_days(tx, [day(points, when)])
            known.append(tx.execute(select(best_days.c.day)).scalar_one())
        assert known == ["2024-03-01", "2024-03-01", "2024-02-01", "2024-02-01", "2024-09-09"]
        record = queries.day_record(tx, -1)
        assert record is not None
        assert (record.points, record.day) == (6, "2024-09-09")

    await db(story)
