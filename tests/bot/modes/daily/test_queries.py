"""Queries of daily hands, attempts and group tables."""

from dataclasses import replace

from sqlalchemy import insert, select, update

from bot.database import Tx
from bot.database.schema import attempts, board_offline, dailies
from bot.games.twentyfour.rules import Hand
from bot.modes.daily import queries
from bot.modes.daily.rules import (
    ATTEMPT_SECONDS,
    Attempt,
    DailyHand,
    format_utc_date,
    make_day_key,
)
from bot.players import aliases
from bot.rounds.registry import DAILY_GAMES
from bot.rounds.rules import State
from tests.bot.databases import Database

NOON = 1_763_726_400.0
DAY = format_utc_date(NOON)
HAND = DailyHand(DAY, "24", Hand((3, 8, 3, 8), 24, "hard", 30.0, ("8/(3-8/3)",)))


def end_attempt(attempt: Attempt, state: State, at: float, answer: str | None = None) -> Attempt:
    """Return the attempt with this end."""
    return replace(attempt, state=state, closed=at, answer=answer)


def load_owners(tx: Tx, day: str) -> list[int]:
    """Return the ids under which the attempts of a day are stored."""
    owners = select(attempts.c.player_id).where(attempts.c.day == day).order_by(attempts.c.player_id)
    return list(tx.scalars(owners))


async def test_first_hand_stored_for_a_day_is_kept(db: Database) -> None:
    def story(tx: Tx) -> None:
        assert queries.load_hand(tx, DAY) is None
        assert queries.insert_hand(tx, HAND) == HAND
        assert queries.insert_hand(tx, replace(HAND, puzzle=Hand((1, 2, 3, 4), 24, "easy", 9.0, ()))) == HAND
        assert queries.load_hand(tx, DAY) == HAND

    await db(story)


async def test_attempt_is_opened_once_and_ended_once(db: Database) -> None:
    def story(tx: Tx) -> None:
        queries.insert_hand(tx, HAND)
        begun = queries.open_attempt(tx, HAND, 7, NOON)
        assert queries.open_attempt(tx, HAND, 7, NOON + 60) == begun
        assert queries.update_open_attempt(tx, replace(begun, wrong_answers=1))
        assert queries.load_open_attempts(tx, 7, NOON + 2) == [replace(begun, wrong_answers=1)]
        assert queries.update_open_attempt(tx, end_attempt(begun, State.WON, NOON + 9, "8/(3-8/3)"))
        assert not queries.update_open_attempt(tx, end_attempt(begun, State.SKIPPED, NOON + 10))
        ended = queries.load_attempt(tx, DAY, 7)
        assert ended
        assert (ended.state, ended.seconds, ended.answer) == (State.WON, 9.0, "8/(3-8/3)")
        assert queries.load_open_attempts(tx, 7, NOON + 11) == []
        assert queries.load_solved_dates(tx, 7) == [DAY]

    await db(story)


async def test_attempts_are_loaded_with_their_offline_answers(db: Database) -> None:
    def story(tx: Tx) -> None:
        queries.insert_hand(tx, HAND)
        other = queries.open_attempt(tx, HAND, 8, NOON)
        before = queries.open_attempt(tx, HAND, 7, NOON)
        queries.add_to_table(tx, DAY, -1, 7)
        queries.add_to_table(tx, DAY, -1, 8)
        row = {"day": DAY, "player_id": 7, "answer": "8/(3-8/3)", "received": NOON, "claimed": NOON}
        tx.execute(insert(board_offline).values(row))
        done = replace(before, state=State.VOID, answer="8/(3-8/3)")
        assert queries.load_attempt(tx, DAY, 7) == queries.open_attempt(tx, HAND, 7, NOON + 1) == done
        assert queries.load_attempts_by_player(tx, DAY, [7, 8, 9]) == {7: done, 8: other}
        assert sorted(queries.load_table_attempts(tx, DAY, -1), key=lambda one: one.player_id) == [
            done,
            other,
        ]
        assert queries.load_open_attempts(tx, 7, NOON) == [done]
        assert [queries.is_solution_secret(tx, who, [3, 8, 3, 8], NOON) for who in (7, 8)] == [False, True]
        assert queries.load_solved_dates(tx, 7) == []

    await db(story)


async def test_solution_is_secret_until_the_player_has_finished_the_hand(db: Database) -> None:
    def is_secret(tx: Tx, player: int | None, at: float = NOON) -> bool:
        return queries.is_solution_secret(tx, player, [8, 1, 8, 3, 3], at)

    def story(tx: Tx) -> None:
        assert not is_secret(tx, 7)
        queries.insert_hand(tx, HAND)
        assert is_secret(tx, 7)
        assert is_secret(tx, None)
        assert not queries.is_solution_secret(tx, 7, [8, 8, 3], NOON)
        begun = queries.open_attempt(tx, HAND, 7, NOON)
        assert is_secret(tx, 7)
        assert is_secret(tx, 7, NOON + ATTEMPT_SECONDS)  # the attempt of the day before still runs
        assert not is_secret(tx, 8, NOON + ATTEMPT_SECONDS)
        queries.update_open_attempt(tx, end_attempt(begun, State.SKIPPED, NOON + 5))
        assert not is_secret(tx, 7)
        assert is_secret(tx, None)

    await db(story)


async def test_unreadable_hand_loads_as_none(db: Database) -> None:
    def story(tx: Tx) -> None:
        queries.insert_hand(tx, HAND)
        tx.execute(update(dailies).values(puzzle="{}"))
        assert queries.load_hand(tx, DAY) is None

    await db(story)


async def test_clock_starts_before_sending_and_is_cleared_on_failure(db: Database) -> None:
    def load_shown_at(tx: Tx) -> float | None:
        mine = queries.load_attempt(tx, DAY, 7)
        assert mine
        return mine.shown_at

    def story(tx: Tx) -> None:
        queries.insert_hand(tx, HAND)
        queries.open_attempt(tx, HAND, 7, NOON)
        queries.open_attempt(tx, HAND, 8, NOON)
        assert queries.start_clock_before_sending(tx, DAY, 7, NOON + 1)
        assert not queries.start_clock_before_sending(tx, DAY, 7, NOON + 2)
        assert load_shown_at(tx) == NOON + 1
        queries.update_shown_hand(tx, DAY, 7, shown=NOON + 3)
        assert load_shown_at(tx) == NOON + 3
        queries.update_shown_hand(tx, DAY, 7, shown=None)
        assert load_shown_at(tx) is None
        other = queries.load_attempt(tx, DAY, 8)
        assert other
        assert other.shown_at is None

    await db(story)


async def test_message_and_picture_of_a_hand_are_stored(db: Database) -> None:
    def story(tx: Tx) -> None:
        queries.insert_hand(tx, HAND)
        begun = queries.open_attempt(tx, HAND, 7, NOON)
        assert (begun.message_id, begun.photo) == (None, "")
        for photo in ("cards", ""):
            queries.update_shown_hand(tx, DAY, 7, message_id=55, picture=photo or None)
            assert queries.load_attempt(tx, DAY, 7) == replace(begun, message_id=55, photo=photo)

    await db(story)


async def test_open_attempts_of_all_dates_and_games_are_loaded_in_order(db: Database) -> None:
    names = [
        make_day_key(format_utc_date(NOON - back * ATTEMPT_SECONDS), game)
        for back in range(3)
        for game in DAILY_GAMES
    ]

    def story(tx: Tx) -> None:
        for number, name in enumerate(names):
            hand = queries.insert_hand(tx, replace(HAND, day=name))
            queries.open_attempt(tx, hand, 7, NOON - number)
        assert [attempt.day for attempt in queries.load_open_attempts(tx, 7, NOON)] == names
        first = [attempt.day for attempt in queries.load_open_attempts(tx, 7, NOON + ATTEMPT_SECONDS - 1)]
        assert first == names[:2]  # the second was opened a second before, a day ago now

    await db(story)


async def test_each_game_has_its_own_streak(db: Database) -> None:
    def story(tx: Tx) -> None:
        for back, game in ((0, ""), (1, ""), (2, "countdown"), (3, "")):
            day = make_day_key(format_utc_date(NOON - back * ATTEMPT_SECONDS), game)
            begun = queries.open_attempt(tx, replace(HAND, day=day), 7, NOON)
            assert queries.update_open_attempt(tx, end_attempt(begun, State.WON, NOON + 1, "24"))
        assert queries.load_streak(tx, 7, DAY) == 2
        assert (
            queries.load_streak(tx, 7, make_day_key(format_utc_date(NOON - 2 * ATTEMPT_SECONDS), "countdown"))
            == 1
        )
        assert queries.load_streak(tx, 8, DAY) == 0

    await db(story)


async def test_latest_attempts_move_to_an_alias_and_back(db: Database) -> None:
    days = [format_utc_date(NOON - back * ATTEMPT_SECONDS) for back in range(4)]

    def story(tx: Tx) -> None:
        for day in days:
            queries.open_attempt(tx, replace(HAND, day=day), 7, NOON)
            queries.open_attempt(tx, replace(HAND, day=day), 8, NOON)
        queries.move_attempts_to_alias(tx, 7)
        other = aliases.make_alias(tx, 7)
        held = [load_owners(tx, day) for day in days]
        assert held == [[other, 8], [other, 8], [other, 8], [7, 8]]
        queries.restore_attempts_from_alias(tx, 7)
        assert [load_owners(tx, day) for day in days] == [[7, 8]] * 4
        queries.move_attempts_to_alias(tx, 7)
        queries.open_attempt(tx, replace(HAND, day="2026-12-01"), 7, NOON)
        assert load_owners(tx, DAY) == [7, 8]

    await db(story)


async def test_alias_attempts_are_deleted_when_nobody_can_solve_them(db: Database) -> None:
    def story(tx: Tx) -> None:
        for player in (7, 8):
            queries.open_attempt(tx, HAND, player, NOON)
        queries.move_attempts_to_alias(tx, 7)
        other = aliases.make_alias(tx, 7)
        for later, kept in (
            (0.0, [other, 8]),
            (3 * ATTEMPT_SECONDS, [other, 8]),
            (3 * ATTEMPT_SECONDS + 1, [8]),
        ):
            queries.delete_old_alias_attempts(tx, NOON + later)
            assert load_owners(tx, DAY) == kept

    await db(story)


async def test_table_lists_seated_players_and_seats_move_with_the_chat(db: Database) -> None:
    def story(tx: Tx) -> None:
        queries.insert_hand(tx, HAND)
        begun = queries.open_attempt(tx, HAND, 7, NOON)
        queries.open_attempt(tx, HAND, 8, NOON)
        for _ in range(2):
            queries.add_to_table(tx, DAY, -1, 7)
        shown = queries.TableMessage(DAY, -1, 55, "en")
        queries.store_table_message(tx, replace(shown, message_id=44))
        queries.store_table_message(tx, shown)
        assert queries.load_table_attempts(tx, DAY, -1) == [begun]
        assert queries.load_table_messages(tx, DAY, 7) == [shown]
        assert queries.load_table_messages(tx, DAY, 8) == []
        queries.move_seats(tx, -1, -2)
        assert queries.load_table_attempts(tx, DAY, -2) == [begun]
        assert queries.load_table_messages(tx, DAY, 7) == []

    await db(story)


async def test_tables_of_expired_days_are_loaded_in_order(db: Database) -> None:
    expiry = NOON - NOON % ATTEMPT_SECONDS + 2 * ATTEMPT_SECONDS

    def story(tx: Tx) -> None:
        for day, chat in ((DAY, -5), (make_day_key(DAY, "countdown"), -9), (DAY, -6), ("2026-12-01", -5)):
            queries.store_table_message(tx, queries.TableMessage(day, chat, 9, "en"))
        assert queries.load_expired_tables(tx, expiry - 1, ("", 0), 8) == []
        found = queries.load_expired_tables(tx, expiry, ("", 0), 8)
        assert [table.chat_id for table in found] == [-6, -5, -9]
        assert queries.load_expired_tables(tx, expiry, ("", 0), 2) == found[:2]
        assert queries.load_expired_tables(tx, expiry, (DAY, -5), 2) == found[2:]

    await db(story)


async def test_old_tables_and_seats_are_deleted(db: Database) -> None:
    old = format_utc_date(NOON - queries.TABLE_SECONDS - ATTEMPT_SECONDS)
    days = (old, make_day_key(old, "countdown"), format_utc_date(NOON - queries.TABLE_SECONDS), DAY)

    def story(tx: Tx) -> None:
        for day in days:
            queries.open_attempt(tx, queries.insert_hand(tx, replace(HAND, day=day)), 7, NOON)
            queries.store_table_message(tx, queries.TableMessage(day, -5, 9, "en"))
            queries.add_to_table(tx, day, -5, 7)
        assert not queries.delete_old_tables(tx, NOON)
        assert [len(queries.load_table_messages(tx, day, 7)) for day in days] == [0, 0, 1, 1]
        assert [len(queries.load_table_attempts(tx, day, -5)) for day in days] == [0, 0, 1, 1]

    await db(story)


async def test_deleted_table_message_leaves_the_others(db: Database) -> None:
    def story(tx: Tx) -> None:
        queries.open_attempt(tx, HAND, 7, NOON)
        tables = [queries.TableMessage(DAY, chat, 55, "en") for chat in (-1, -2, -3)]
        for table in tables:
            queries.store_table_message(tx, table)
            queries.add_to_table(tx, DAY, table.chat_id, 7)
        queries.delete_table_message(tx, -1, 56)
        queries.delete_table_message(tx, -9, 55)
        assert len(queries.load_table_messages(tx, DAY, 7)) == 3
        queries.delete_table_message(tx, -2, 55)
        assert {table.chat_id for table in queries.load_table_messages(tx, DAY, 7)} == {-1, -3}

    await db(story)
