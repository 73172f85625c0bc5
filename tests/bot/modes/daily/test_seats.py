"""Which groups follow the hand of a day."""

from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text

from bot.database import Tx
from bot.modes.daily import queries as daily
from bot.modes.daily import seats
from bot.modes.daily.rules import LIFE, day_of, given_up, named
from tests.bot.databases import Database, in_file
from tests.bot.modes.daily.test_queries import DAY, HAND, NOON


async def test_a_table_lists_who_took_a_seat_and_moves_with_its_chat(db: Database) -> None:
    def story(tx: Tx) -> None:
        begun = daily.begin(tx, DAY, 7, NOON)
        daily.begin(tx, DAY, 8, NOON)
        for _ in range(2):
            seats.take_seat(tx, DAY, -1, 7)
        shown = seats.Followed(DAY, -1, 55, "en")
        seats.follow(tx, replace(shown, message_id=44))
        seats.follow(tx, shown)
        assert seats.seated(tx, DAY, -1) == [begun]
        assert seats.followers(tx, DAY, 7) == [shown]
        assert seats.followers(tx, DAY, 8) == []
        seats.move(tx, -1, -2)
        assert seats.seated(tx, DAY, -2) == [begun]
        assert seats.followers(tx, DAY, 7) == []

    await db(story)


async def test_a_table_that_waits_for_somebody_is_told_until_all_are(db: Database) -> None:
    end = NOON - NOON % LIFE + 2 * LIFE

    def told(tx: Tx, now: float, behind: tuple[str, int] = ("", 0)) -> list[int]:
        return [table.chat_id for table in seats.ended(tx, now, behind, 2)]

    def story(tx: Tx) -> None:
        daily.keep_hand(tx, HAND)
        for day in (DAY, named(DAY, "countdown")):
            for player in (7, 8):
                daily.begin(tx, day, player, NOON)
        daily.keep(tx, given_up(daily.begin(tx, DAY, 9, NOON), NOON + 1))
        for chat in (-5, -6, -8):
            seats.follow(tx, seats.Followed(DAY, chat, 9, "en"))
            for player in (7, 8):
                seats.take_seat(tx, DAY, chat, player)
        seats.follow(tx, seats.Followed(DAY, -7, 9, "en"))
        seats.take_seat(tx, DAY, -7, 9)
        seats.follow(tx, seats.Followed(named(DAY, "countdown"), -9, 9, "en"))
        seats.take_seat(tx, named(DAY, "countdown"), -9, 7)
        assert told(tx, end - 1) == []
        for _ in range(2):
            assert told(tx, end) == [-8, -6]
            assert told(tx, end, (DAY, -6)) == [-5, -9]
            assert told(tx, end, (named(DAY, "countdown"), -9)) == []
        seats.all_ended(tx, end)
        assert told(tx, end) == []
        assert told(tx, end + 5 * LIFE) == []
        seats.all_ended(tx, end + 5 * LIFE)
        assert told(tx, end) == [-8, -6]  # the clock was wrong, and has been set back
        seats.all_ended(tx, end)
        assert told(tx, end) == []

    await db(story)


async def test_what_has_ended_is_found_by_its_day(tmp_path: Path) -> None:
    def story(tx: Tx) -> list[str]:
        given = {"day": DAY, "chat": -1, "end": DAY, "most": 8}
        asked = seats.ENDED_TABLES.params(given).compile(tx, compile_kwargs={"literal_binds": True})
        return [row[-1] for row in tx.execute(text(f"EXPLAIN QUERY PLAN {asked}"))]

    async with in_file(tmp_path) as db:
        plan = await db(story)
    assert not [step for step in plan if step.startswith("SCAN")], plan
    assert not [step for step in plan if "TEMP B-TREE" in step], plan


async def test_tables_of_long_ago_are_let_go_of(db: Database) -> None:
    old, kept = day_of(NOON - seats.KEPT - LIFE), day_of(NOON - seats.KEPT)

    def story(tx: Tx) -> None:
        for day in (old, named(old, "countdown"), kept, DAY):
            daily.begin(tx, day, 7, NOON)
            seats.follow(tx, seats.Followed(day, -5, 9, "en"))
            seats.take_seat(tx, day, -5, 7)
        assert not seats.sweep(tx, NOON)
        days = (old, named(old, "countdown"), kept, DAY)
        assert [len(seats.followers(tx, day, 7)) for day in days] == [0, 0, 1, 1]
        assert [len(seats.seated(tx, day, -5)) for day in days] == [0, 0, 1, 1]

    await db(story)


async def test_they_are_let_go_of_a_few_at_a_time(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.database.tx.DELETED_AT_ONCE", 2)
    long_ago = day_of(NOON - seats.KEPT - LIFE)

    def story(tx: Tx) -> None:
        for chat in (-1, -2, -3):
            seats.take_seat(tx, long_ago, chat, 7)
            seats.follow(tx, seats.Followed(long_ago, chat, 9, "en"))
        assert [seats.sweep(tx, NOON) for _ in range(3)] == [True, False, False]
        assert seats.followers(tx, long_ago, 7) == []

    await db(story)


async def test_a_table_that_is_gone_follows_no_more_and_the_others_do(db: Database) -> None:
    def story(tx: Tx) -> None:
        daily.begin(tx, DAY, 7, NOON)
        tables = [seats.Followed(DAY, chat, 55, "en") for chat in (-1, -2, -3)]
        for table in tables:
            seats.follow(tx, table)
            seats.take_seat(tx, DAY, table.chat_id, 7)
        seats.unfollow(tx, -1, 56)
        seats.unfollow(tx, -9, 55)
        assert len(seats.followers(tx, DAY, 7)) == 3
        seats.unfollow(tx, -2, 55)
        assert {table.chat_id for table in seats.followers(tx, DAY, 7)} == {-1, -3}

    await db(story)
