"""Which groups follow the hand of a day."""

from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text

from bot.database import Tx
from bot.modes.daily import queries
from bot.modes.daily import queries as daily
from bot.modes.daily.rules import ATTEMPT_SECONDS, format_utc_date, make_day_key, mark_given_up
from tests.bot.databases import Database, in_file
from tests.bot.modes.daily.test_queries import DAY, HAND, NOON


async def test_a_table_lists_who_took_a_seat_and_moves_with_its_chat(db: Database) -> None:
    def story(tx: Tx) -> None:
        begun = daily.open_attempt(tx, DAY, 7, NOON)
        daily.open_attempt(tx, DAY, 8, NOON)
        for _ in range(2):
            queries.insert_seat(tx, DAY, -1, 7)
        shown = queries.TableMessage(DAY, -1, 55, "en")
        queries.store_table_message(tx, replace(shown, message_id=44))
        queries.store_table_message(tx, shown)
        assert queries.load_seated_attempts(tx, DAY, -1) == [begun]
        assert queries.load_table_messages(tx, DAY, 7) == [shown]
        assert queries.load_table_messages(tx, DAY, 8) == []
        queries.move_seats(tx, -1, -2)
        assert queries.load_seated_attempts(tx, DAY, -2) == [begun]
        assert queries.load_table_messages(tx, DAY, 7) == []

    await db(story)


async def test_a_table_that_waits_for_somebody_is_told_until_all_are(db: Database) -> None:
    end = NOON - NOON % ATTEMPT_SECONDS + 2 * ATTEMPT_SECONDS

    def told(tx: Tx, now: float, behind: tuple[str, int] = ("", 0)) -> list[int]:
        return [table.chat_id for table in queries.load_ended_tables(tx, now, behind, 2)]

    def story(tx: Tx) -> None:
        daily.insert_hand(tx, HAND)
        for day in (DAY, make_day_key(DAY, "countdown")):
            for player in (7, 8):
                daily.open_attempt(tx, day, player, NOON)
        daily.update_open_attempt(tx, mark_given_up(daily.open_attempt(tx, DAY, 9, NOON), NOON + 1))
        for chat in (-5, -6, -8):
            queries.store_table_message(tx, queries.TableMessage(DAY, chat, 9, "en"))
            for player in (7, 8):
                queries.insert_seat(tx, DAY, chat, player)
        queries.store_table_message(tx, queries.TableMessage(DAY, -7, 9, "en"))
        queries.insert_seat(tx, DAY, -7, 9)
        queries.store_table_message(tx, queries.TableMessage(make_day_key(DAY, "countdown"), -9, 9, "en"))
        queries.insert_seat(tx, make_day_key(DAY, "countdown"), -9, 7)
        assert told(tx, end - 1) == []
        for _ in range(2):
            assert told(tx, end) == [-8, -6]
            assert told(tx, end, (DAY, -6)) == [-5, -9]
            assert told(tx, end, (make_day_key(DAY, "countdown"), -9)) == []
        queries.mark_ended_tables_drawn(tx, end)
        assert told(tx, end) == []
        assert told(tx, end + 5 * ATTEMPT_SECONDS) == []
        queries.mark_ended_tables_drawn(tx, end + 5 * ATTEMPT_SECONDS)
        assert told(tx, end) == [-8, -6]  # the clock was wrong, and has been set back
        queries.mark_ended_tables_drawn(tx, end)
        assert told(tx, end) == []

    await db(story)


async def test_what_has_ended_is_found_by_its_day(tmp_path: Path) -> None:
    def story(tx: Tx) -> list[str]:
        given = {"day": DAY, "chat": -1, "end": DAY, "most": 8}
        asked = queries.ENDED_TABLES.params(given).compile(tx, compile_kwargs={"literal_binds": True})
        return [row[-1] for row in tx.execute(text(f"EXPLAIN QUERY PLAN {asked}"))]

    async with in_file(tmp_path) as db:
        plan = await db(story)
    assert not [step for step in plan if step.startswith("SCAN")], plan
    assert not [step for step in plan if "TEMP B-TREE" in step], plan


async def test_tables_of_long_ago_are_let_go_of(db: Database) -> None:
    old, kept = (
        format_utc_date(NOON - queries.TABLE_SECONDS - ATTEMPT_SECONDS),
        format_utc_date(NOON - queries.TABLE_SECONDS),
    )

    def story(tx: Tx) -> None:
        for day in (old, make_day_key(old, "countdown"), kept, DAY):
            daily.open_attempt(tx, day, 7, NOON)
            queries.store_table_message(tx, queries.TableMessage(day, -5, 9, "en"))
            queries.insert_seat(tx, day, -5, 7)
        assert not queries.delete_old_tables(tx, NOON)
        days = (old, make_day_key(old, "countdown"), kept, DAY)
        assert [len(queries.load_table_messages(tx, day, 7)) for day in days] == [0, 0, 1, 1]
        assert [len(queries.load_seated_attempts(tx, day, -5)) for day in days] == [0, 0, 1, 1]

    await db(story)


async def test_they_are_let_go_of_a_few_at_a_time(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.database.tx.DELETED_AT_ONCE", 2)
    long_ago = format_utc_date(NOON - queries.TABLE_SECONDS - ATTEMPT_SECONDS)

    def story(tx: Tx) -> None:
        for chat in (-1, -2, -3):
            queries.insert_seat(tx, long_ago, chat, 7)
            queries.store_table_message(tx, queries.TableMessage(long_ago, chat, 9, "en"))
        assert [queries.delete_old_tables(tx, NOON) for _ in range(3)] == [True, False, False]
        assert queries.load_table_messages(tx, long_ago, 7) == []

    await db(story)


async def test_a_table_that_is_gone_follows_no_more_and_the_others_do(db: Database) -> None:
    def story(tx: Tx) -> None:
        daily.open_attempt(tx, DAY, 7, NOON)
        tables = [queries.TableMessage(DAY, chat, 55, "en") for chat in (-1, -2, -3)]
        for table in tables:
            queries.store_table_message(tx, table)
            queries.insert_seat(tx, DAY, table.chat_id, 7)
        queries.delete_table_message(tx, -1, 56)
        queries.delete_table_message(tx, -9, 55)
        assert len(queries.load_table_messages(tx, DAY, 7)) == 3
        queries.delete_table_message(tx, -2, 55)
        assert {table.chat_id for table in queries.load_table_messages(tx, DAY, 7)} == {-1, -3}

    await db(story)
