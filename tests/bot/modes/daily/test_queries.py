"""What the database keeps of the daily hand."""

import re
from dataclasses import replace

from sqlalchemy import insert, update

from bot.database import Tx
from bot.database.schema import board_offline, dailies, meta
from bot.games.twentyfour.rules import Hand
from bot.modes.daily import queries
from bot.modes.daily import queries as daily
from bot.modes.daily.rules import (
    ATTEMPT_SECONDS,
    AttemptState,
    DailyHand,
    add_wrong_answer,
    format_utc_date,
    make_day_key,
    mark_given_up,
    mark_solved,
)
from bot.players.privacy import aliases
from bot.rounds.registry import DAILY_GAMES, pack_puzzle
from tests.bot.databases import Database

NOON = 1_763_726_400.0
DAY = format_utc_date(NOON)
HAND = DailyHand(DAY, "24", Hand((3, 8, 3, 8), 24, "hard", 30.0, ("8/(3-8/3)",)))


async def test_the_first_hand_of_a_day_holds(db: Database) -> None:
    def story(tx: Tx) -> None:
        assert daily.load_hand(tx, DAY) is None
        assert daily.insert_hand(tx, HAND) == HAND
        assert daily.insert_hand(tx, replace(HAND, puzzle=Hand((1, 2, 3, 4), 24, "easy", 9.0, ()))) == HAND
        assert daily.load_hand(tx, DAY) == HAND

    await db(story)


async def test_an_attempt_is_begun_once_and_ended_once(db: Database) -> None:
    def story(tx: Tx) -> None:
        daily.insert_hand(tx, HAND)
        begun = daily.open_attempt(tx, DAY, 7, NOON)
        assert daily.open_attempt(tx, DAY, 7, NOON + 60) == begun
        assert daily.update_open_attempt(tx, add_wrong_answer(begun, NOON + 1))
        assert daily.load_open_attempts(tx, 7, NOON + 2) == [(HAND, replace(begun, wrong_answers=1))]
        assert daily.update_open_attempt(tx, mark_solved(begun, "8/(3-8/3)", NOON + 9))
        assert not daily.update_open_attempt(tx, mark_given_up(begun, NOON + 10))
        ended = daily.load_attempt(tx, DAY, 7)
        assert ended
        assert (ended.state, ended.seconds, ended.answer) == (AttemptState.SOLVED, 9.0, "8/(3-8/3)")
        assert daily.load_open_attempts(tx, 7, NOON + 11) == []
        assert daily.load_solved_dates(tx, 7) == [DAY]

    await db(story)


async def test_what_was_solved_offline_is_told_with_every_attempt_and_is_its_players_alone(
    db: Database,
) -> None:
    def story(tx: Tx) -> None:
        daily.insert_hand(tx, HAND)
        other = daily.open_attempt(tx, DAY, 8, NOON)
        before = daily.open_attempt(tx, DAY, 7, NOON)
        queries.insert_seat(tx, DAY, -1, 7)
        queries.insert_seat(tx, DAY, -1, 8)
        row = {"day": DAY, "player_id": 7, "answer": "8/(3-8/3)", "received": NOON, "claimed": NOON}
        tx.execute(insert(board_offline).values(row))
        done = replace(before, offline_answer="8/(3-8/3)")
        assert daily.load_attempt(tx, DAY, 7) == daily.open_attempt(tx, DAY, 7, NOON + 1) == done
        assert daily.load_attempts_by_player(tx, DAY, [7, 8, 9]) == {7: done, 8: other}
        assert daily.load_all_attempts(tx, DAY) == [done, other]
        assert sorted(queries.load_seated_attempts(tx, DAY, -1), key=lambda one: one.player_id) == [
            done,
            other,
        ]
        assert daily.load_open_attempts(tx, 7, NOON) == [(HAND, done)]
        assert [daily.is_solution_secret(tx, who, [3, 8, 3, 8], NOON) for who in (7, 8)] == [False, True]
        assert daily.load_solved_dates(tx, 7) == []

    await db(story)


async def test_the_hand_is_secret_for_whoever_has_not_finished_it(db: Database) -> None:
    def is_secret(tx: Tx, player: int | None, at: float = NOON) -> bool:
        return daily.is_solution_secret(tx, player, [8, 1, 8, 3, 3], at)

    def story(tx: Tx) -> None:
        assert not is_secret(tx, 7)
        daily.insert_hand(tx, HAND)
        assert is_secret(tx, 7)
        assert is_secret(tx, None)
        assert not daily.is_solution_secret(tx, 7, [8, 8, 3], NOON)
        begun = daily.open_attempt(tx, DAY, 7, NOON)
        assert is_secret(tx, 7)
        assert is_secret(tx, 7, NOON + ATTEMPT_SECONDS)  # the attempt of the day before still runs
        assert not is_secret(tx, 8, NOON + ATTEMPT_SECONDS)
        daily.update_open_attempt(tx, mark_given_up(begun, NOON + 5))
        assert not is_secret(tx, 7)
        assert is_secret(tx, None)

    await db(story)


async def test_the_key_of_all_days_is_made_once_and_cannot_be_guessed(db: Database) -> None:
    def story(tx: Tx) -> None:
        tx.execute(insert(meta).values(key="another fact", value="24"))
        made = daily.load_or_create_key(tx)
        assert re.fullmatch(r"[0-9a-f]{64}", made)
        assert daily.load_or_create_key(tx) == made

    await db(story)


async def test_a_hand_that_cannot_be_read_is_none(db: Database) -> None:
    def story(tx: Tx) -> None:
        daily.insert_hand(tx, HAND)
        tx.execute(update(dailies).values(puzzle="{}"))
        assert daily.load_hand(tx, DAY) is None

    await db(story)


async def test_the_clock_of_a_hand_starts_when_it_leaves_and_stands_where_it_never_arrived(
    db: Database,
) -> None:
    def shown(tx: Tx) -> float | None:
        mine = daily.load_attempt(tx, DAY, 7)
        assert mine
        return mine.shown_at

    def story(tx: Tx) -> None:
        daily.open_attempt(tx, DAY, 7, NOON)
        daily.open_attempt(tx, DAY, 8, NOON)
        assert daily.start_clock_before_sending(tx, DAY, 7, NOON + 1)
        assert not daily.start_clock_before_sending(tx, DAY, 7, NOON + 2)
        assert shown(tx) == NOON + 1
        daily.update_clock(tx, DAY, 7, NOON + 3)
        assert shown(tx) == NOON + 3
        daily.update_clock(tx, DAY, 7, None)
        assert shown(tx) is None
        other = daily.load_attempt(tx, DAY, 8)
        assert other
        assert other.shown_at is None

    await db(story)


async def test_where_a_hand_is_shown_is_kept_with_its_picture_or_without_one(db: Database) -> None:
    def story(tx: Tx) -> None:
        begun = daily.open_attempt(tx, DAY, 7, NOON)
        assert (begun.message_id, begun.photo) == (None, "")
        for photo in ("cards", ""):
            daily.update_hand_message(tx, DAY, 7, 55, photo)
            assert daily.load_attempt(tx, DAY, 7) == replace(begun, message_id=55, photo=photo)

    await db(story)


async def test_the_attempts_of_a_day_are_listed_by_player(db: Database) -> None:
    def story(tx: Tx) -> None:
        begun = [daily.open_attempt(tx, DAY, player, NOON) for player in (8, 7)]
        daily.open_attempt(tx, "2026-11-22", 9, NOON)
        assert daily.load_all_attempts(tx, DAY) == begun[::-1]

    await db(story)


async def test_all_hands_that_can_be_open_lie_before_a_player(db: Database) -> None:
    names = [
        make_day_key(format_utc_date(NOON - back * ATTEMPT_SECONDS), game)
        for back in range(3)
        for game in DAILY_GAMES
    ]

    def story(tx: Tx) -> None:
        for number, name in enumerate(names):
            tx.execute(insert(dailies).values(day=name, **pack_puzzle("24", HAND.puzzle)))
            daily.open_attempt(tx, name, 7, NOON - number)
        assert [dealt.day for dealt, _ in daily.load_open_attempts(tx, 7, NOON)] == names
        first = [dealt.day for dealt, _ in daily.load_open_attempts(tx, 7, NOON + ATTEMPT_SECONDS - 1)]
        assert first == names[:2]  # the second was opened a second before, a day ago now

    await db(story)


async def test_a_streak_is_of_one_game(db: Database) -> None:
    def story(tx: Tx) -> None:
        for back, game in ((0, ""), (1, ""), (2, "countdown"), (3, "")):
            begun = daily.open_attempt(
                tx, make_day_key(format_utc_date(NOON - back * ATTEMPT_SECONDS), game), 7, NOON
            )
            assert daily.update_open_attempt(tx, mark_solved(begun, "24", NOON + 1))
        assert daily.load_streak(tx, 7, DAY) == 2
        assert (
            daily.load_streak(tx, 7, make_day_key(format_utc_date(NOON - 2 * ATTEMPT_SECONDS), "countdown"))
            == 1
        )
        assert daily.load_streak(tx, 8, DAY) == 0

    await db(story)


async def test_who_is_forgotten_leaves_the_latest_attempts_and_finds_them_again(db: Database) -> None:
    days = [format_utc_date(NOON - back * ATTEMPT_SECONDS) for back in range(4)]

    def story(tx: Tx) -> None:
        for day in days:
            daily.open_attempt(tx, day, 7, NOON)
            daily.open_attempt(tx, day, 8, NOON)
        daily.move_attempts_to_alias(tx, 7)
        other = aliases.load_or_create_alias(tx, 7)
        held = [[each.player_id for each in daily.load_all_attempts(tx, day)] for day in days]
        assert held == [[other, 8], [other, 8], [other, 8], [7, 8]]
        daily.restore_attempts_from_alias(tx, 7)
        assert [each.player_id for day in days for each in daily.load_all_attempts(tx, day)] == [7, 8] * 4
        daily.move_attempts_to_alias(tx, 7)
        daily.open_attempt(tx, "2026-12-01", 7, NOON)
        assert [each.player_id for each in daily.load_all_attempts(tx, DAY)] == [7, 8]

    await db(story)


async def test_what_forgotten_people_left_goes_once_nobody_can_solve_it(db: Database) -> None:
    def story(tx: Tx) -> None:
        for player in (7, 8):
            daily.open_attempt(tx, DAY, player, NOON)
        daily.move_attempts_to_alias(tx, 7)
        other = aliases.load_or_create_alias(tx, 7)
        for later, kept in (
            (0.0, [other, 8]),
            (3 * ATTEMPT_SECONDS, [other, 8]),
            (3 * ATTEMPT_SECONDS + 1, [8]),
        ):
            daily.delete_old_alias_attempts(tx, NOON + later)
            assert [each.player_id for each in daily.load_all_attempts(tx, DAY)] == kept

    await db(story)
