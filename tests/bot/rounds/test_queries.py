"""Queries of rounds and races."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from sqlalchemy import update
from sqlalchemy.engine import make_url

from bot.database import Store, Tx
from bot.database.schema import rounds as table
from bot.modes.race import queries as races
from bot.modes.race.rules import Race
from bot.rounds import attempts, ledger
from bot.rounds import queries as rounds
from bot.rounds.puzzle import DealtPuzzle, Entry, Find, Kind, Origin
from bot.rounds.rules import Award, Round, State, expire_if_due, win_round
from tests.bot.databases import Database
from tests.metric_counter import MetricCounter
from tests.sample_rounds import change_round, make_round, store_round
from tests.stories.clock import NOON

ANN, BOB, CLUB = 1, 2, -7
HAND = make_round(
    chat_id=CLUB, hint_values=('["last", "/"]',), dealer_id=ANN, options='{"level": "hard", "cards": 5}'
)
SOLVED = "8/(3-8/3)"


def win_round_of(tx: Tx, round: Round, player: int, *, streak: int = 1) -> Round:
    result = win_round(round, player, SOLVED, round.opened + 9, streak=streak)
    assert isinstance(result, tuple)
    assert rounds.close_round(tx, result[0])
    assert ledger.insert_award(tx, result[0], result[1], 99, round.opened + 9)
    return result[0]


async def test_round_is_loaded_as_stored(db: Database) -> None:
    def story(tx: Tx) -> None:
        stored = store_round(tx, HAND)
        assert rounds.load_round(tx, stored.id) == stored == replace(HAND, id=stored.id)
        assert stored.options == HAND.options
        assert rounds.load_open_round(tx, CLUB, 0) == stored
        assert rounds.open_round(tx, HAND) is None
        after = win_round_of(tx, stored, ANN, streak=3)
        assert rounds.load_round(tx, stored.id) == after
        assert not rounds.close_round(tx, expire_if_due(stored, NOON + 700))
        assert rounds.load_open_round(tx, CLUB, 0) is None

    await db(story)


@pytest.mark.parametrize("stored", ["", "[]", "null", "{", '"hard"'])
async def test_round_with_broken_options_is_loaded(db: Database, stored: str) -> None:
    def story(tx: Tx) -> None:
        dealt = store_round(tx, HAND)
        tx.execute(update(table).where(table.c.id == dealt.id).values(options=stored))
        assert rounds.load_round(tx, dealt.id) == replace(dealt, options=stored)

    await db(story)


async def test_previous_scored_round_is_of_kind_first_in_the_chat(db: Database) -> None:
    def story(tx: Tx) -> None:
        first = win_round_of(tx, store_round(tx, HAND), ANN, streak=4)
        every = store_round(tx, replace(HAND, kind=Kind.ALL))
        assert rounds.close_round(tx, expire_if_due(every, NOON + 700))
        store_round(tx, replace(HAND, chat_id=-8))
        present = store_round(tx, HAND)
        assert rounds.load_previous_scored_round(tx, first) is None
        assert rounds.load_previous_scored_round(tx, present) == first

    await db(story)


async def test_end_is_counted_once_after_commit(tmp_path: Path) -> None:
    ended_so = MetricCounter("rounds_ended_total", game="24", end="expired")
    store = await Store.open(make_url(f"sqlite:///{tmp_path}/rounds.sqlite3"))
    stored = await store.write(lambda tx: store_round(tx, HAND))

    def close_and_fail(tx: Tx) -> None:
        assert rounds.close_round(tx, expire_if_due(stored, NOON + 700))
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await store.write(close_and_fail)
    assert ended_so.increase == 0
    assert await store.write(lambda tx: rounds.close_round(tx, expire_if_due(stored, NOON + 700)))
    assert not await store.write(lambda tx: rounds.close_round(tx, expire_if_due(stored, NOON + 700)))
    assert ended_so.increase == 1
    await store.close()


async def test_idea_is_awarded_once(db: Database) -> None:
    def story(tx: Tx) -> None:
        every = store_round(tx, replace(HAND, kind=Kind.ALL))
        award = Award(ANN, 5, 9.0, SOLVED, SOLVED)
        assert ledger.insert_award(tx, every, award, 11, NOON)
        assert not ledger.insert_award(tx, every, replace(award, player_id=BOB), 12, NOON)
        assert rounds.load_finds(tx, every.id) == [Find(ANN, SOLVED, SOLVED, 5)]

    await db(story)


async def test_nearest_miss_keeps_exact_fraction(db: Database) -> None:
    def story(tx: Tx) -> None:
        round = store_round(tx, HAND)
        assert attempts.load_nearest_miss(tx, round.id) is None
        for player, text, value in (
            (ANN, "8*3-8/3", Fraction(64, 3)),
            (BOB, "3*8+3/8", Fraction(195, 8)),
            (BOB, "3+8+3+8", Fraction(22)),
        ):
            attempts.count_answer(tx, round.id, player, "wrong")
            attempts.record_miss(tx, round, attempts.NearMiss(player, text, value), abs(float(value) - 24))
        assert attempts.load_nearest_miss(tx, round.id) == attempts.NearMiss(BOB, "3*8+3/8", Fraction(195, 8))
        assert attempts.has_attempt(tx, round.id)

    await db(story)


async def test_answers_and_entries_are_attempts(db: Database) -> None:
    def story(tx: Tx) -> None:
        wrong, handed_in = (store_round(tx, replace(HAND, chat_id=chat)) for chat in (-1, -2))
        assert not attempts.has_attempt(tx, wrong.id)
        assert not attempts.has_attempt(tx, handed_in.id)
        attempts.count_answer(tx, wrong.id, ANN, "wrong")
        attempts.store_entry(tx, handed_in.id, Entry(ANN, "50", NOON))
        assert attempts.has_attempt(tx, wrong.id)
        assert attempts.has_attempt(tx, handed_in.id)

    await db(story)


async def test_only_outdated_clocks_are_loaded(db: Database) -> None:
    def story(tx: Tx) -> None:
        round = store_round(tx, HAND)
        assert rounds.load_running_clocks(tx, NOON + 100) == []  # not delivered yet
        rounds.record_deal_message(tx, round.id, 5, NOON + 2)
        shown = rounds.RoundClock(round.id, CLUB, NOON + 602, NOON + 2)
        assert rounds.load_running_clocks(tx, NOON + 40) == []
        assert rounds.load_running_clocks(tx, NOON + 62) == [shown]
        rounds.record_redraw(tx, round.id, NOON + 500)
        assert rounds.load_running_clocks(tx, NOON + 514) == []
        assert rounds.load_running_clocks(tx, NOON + 515) == [replace(shown, drawn_at=NOON + 500)]
        assert rounds.load_running_clocks(tx, NOON + 602) == []
        streak = store_round(tx, replace(HAND, chat_id=ANN, kind=Kind.STREAK))
        rounds.record_deal_message(tx, streak.id, 5, NOON + 2)
        assert rounds.load_running_clocks(tx, NOON + 62) == [], "a streak's message shows no clock"

    await db(story)


async def test_race_is_loaded_as_stored(db: Database) -> None:
    def story(tx: Tx) -> None:
        puzzles = [make_round(numbers=numbers).puzzle for numbers in ((3, 8, 3, 8), (1, 2, 3, 4))]
        hands = [DealtPuzzle(puzzles[0], Origin(3, 12, 4711, ordinal=2)), DealtPuzzle(puzzles[1])]
        race = Race(races.insert_race(tx, HAND, hands), HAND.dealer_id, length=3)
        assert races.load_race(tx, race.id) == race
        assert races.load_race(tx, race.id + 1) is None
        taken = [races.take_next_hand(tx, race.id) for _ in range(3)]
        assert taken == [*((HAND.game, hand) for hand in hands), None]
        over = replace(race, hands_played=3, untried_in_a_row=1, is_open=False)
        races.update_race(tx, over)
        assert races.load_race(tx, race.id) == over

    await db(story)


async def test_rounds_of_race_are_in_order(db: Database) -> None:
    def story(tx: Tx) -> None:
        race_id = races.insert_race(tx, HAND, [])
        win_round_of(tx, store_round(tx, HAND), BOB)  # no part of it
        hands = []
        for player in (ANN, BOB, ANN):
            round = store_round(tx, HAND)
            rounds.update_round(tx, round.id, race_id=race_id)
            hands.append(win_round_of(tx, change_round(round, race_id=race_id, hints=player), player))
        assert [hand.id for hand in rounds.load_race_rounds(tx, race_id)] == [hand.id for hand in hands]

    await db(story)


async def test_message_of_race_shows_its_latest_hand(db: Database) -> None:
    def story(tx: Tx) -> None:
        first = store_round(tx, replace(HAND, message_id=5, race_id=1))
        rounds.close_round(tx, expire_if_due(first, NOON + 700))
        second = store_round(tx, replace(HAND, message_id=5, race_id=1))
        assert rounds.load_round_of_message(tx, CLUB, 5) == second
        assert second.state is State.OPEN

    await db(story)


async def test_open_rounds_in_chat_span_topics(db: Database) -> None:
    def story(tx: Tx) -> None:
        over = store_round(tx, HAND)
        assert rounds.close_round(tx, expire_if_due(over, NOON + 700))
        first, second = store_round(tx, HAND), store_round(tx, replace(HAND, topic=4))
        store_round(tx, replace(HAND, chat_id=-8))
        assert rounds.load_open_rounds_in_chat(tx, CLUB) == [first, second]
        assert rounds.load_latest_round(tx, CLUB, 0) == first
        assert rounds.load_latest_round(tx, CLUB, 4) == second
        assert rounds.load_latest_round(tx, CLUB, 5) is None

    await db(story)


async def test_race_shares_limit_of_lost_messages(db: Database) -> None:
    def story(tx: Tx) -> None:
        lone = store_round(tx, replace(HAND, chat_id=-8, message_id=5))
        assert rounds.record_lost_message(tx, -8, 5, clock_only=True)
        rounds.record_deal_message(tx, lone.id, 6, NOON)
        assert not rounds.record_lost_message(tx, -8, 6, clock_only=True)
        first = store_round(tx, replace(HAND, message_id=5, race_id=1))
        assert rounds.record_lost_message(tx, CLUB, 5, clock_only=True)
        assert rounds.close_round(tx, expire_if_due(first, NOON + 700))
        store_round(tx, replace(HAND, message_id=6, race_id=1))
        assert not rounds.record_lost_message(tx, CLUB, 6, clock_only=True)
        assert rounds.record_lost_message(tx, CLUB, 6, clock_only=False)

    await db(story)
