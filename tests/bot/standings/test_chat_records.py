"""Records of a chat: the first player who reached each."""

from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import create_engine, text, update

from bot.database import Tx
from bot.database.schema import awards, metadata
from bot.database.schema import rounds as table
from bot.levels import LEVELS
from bot.rounds import ledger
from bot.rounds.puzzle import Kind
from bot.rounds.rules import Award
from bot.standings import chat_records
from bot.standings.chat_records import IDEAS, Record
from tests.bot.databases import Database
from tests.sample_rounds import make_round, store_round
from tests.stories.clock import NOON

DAY = 86_400.0


def insert_win(
    tx: Tx, who: int, *, seconds: float = 9.0, points: int = 1, at: float = NOON, **fields: Any
) -> None:
    streak = fields.pop("streak", 1)
    dealt: dict[str, Any] = {"chat_id": -1, "level": "easy", "opened": at - seconds} | fields
    stored = store_round(tx, make_round(**dealt))
    tx.execute(update(table).where(table.c.id == stored.id).values(state="won"))
    won = replace(stored, winner_id=who, streak=streak)
    assert ledger.insert_award(tx, won, Award(who, points, seconds, "8/(3-8/3)", ""), 7, at)


def load_fastest(tx: Tx) -> dict[str, Record]:
    return {key: held for key, held in chat_records.load_records(tx, -1).items() if key in LEVELS}


async def test_chat_without_a_win_has_no_records(db: Database) -> None:
    def story(tx: Tx) -> None:
        insert_win(tx, 7, chat_id=-2)
        assert chat_records.load_records(tx, -1) == {}

    await db(story)


@pytest.mark.long
async def test_fastest_answer_of_each_level_is_a_record(db: Database) -> None:
    def story(tx: Tx) -> None:
        insert_win(tx, 7, seconds=9)
        insert_win(tx, 8, seconds=4, at=NOON + DAY)
        insert_win(tx, 9, seconds=4, at=NOON + 2 * DAY)
        insert_win(tx, 7, seconds=40, level="fiendish")
        insert_win(tx, 0, seconds=1)
        assert load_fastest(tx) == {
            "easy": Record(8, 4.0, "2026-11-22"),
            "fiendish": Record(7, 40.0, "2026-11-21"),
        }

    await db(story)


async def test_times_of_other_games_are_no_records(db: Database) -> None:
    def story(tx: Tx) -> None:
        insert_win(tx, 7, seconds=9)
        insert_win(tx, 8, seconds=1)
        tx.execute(update(awards).where(awards.c.player_id == 8).values(game="countdown"))
        assert load_fastest(tx) == {"easy": Record(7, 9.0, "2026-11-21")}

    await db(story)


async def test_most_ideas_of_one_hand_are_a_record(db: Database) -> None:
    def story(tx: Tx) -> None:
        for finders in ((7, 8, 7), (8, 8), (0, 0, 0)):
            stored = store_round(tx, make_round(chat_id=-1, kind=Kind.ALL, opened=NOON - 60))
            for n, who in enumerate(finders):
                assert ledger.insert_award(tx, stored, Award(who, 1, 9.0, str(n), str(n)), 7, NOON + n)
            tx.execute(update(table).where(table.c.id == stored.id).values(state="won"))
        assert chat_records.load_records(tx, -1)[IDEAS] == Record(8, 2, "2026-11-21")

    await db(story)


def test_most_ideas_are_counted_with_the_index_of_partial_awards() -> None:
    engine = create_engine("sqlite://")
    metadata.create_all(engine)
    asked = chat_records.MOST_IDEAS.params(chat=-1).compile(engine, compile_kwargs={"literal_binds": True})
    with engine.connect() as connection:
        plan = [row.detail for row in connection.execute(text(f"EXPLAIN QUERY PLAN {asked}"))]
    assert "award_of_part" in plan[0]
