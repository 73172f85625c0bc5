"""Each hand changes ratings once."""

from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import select, update

from bot.database import Tx
from bot.database.schema import FORGOTTEN_PLAYER, awards, ratings, rounds
from bot.games.countdown.rules import Draw
from bot.games.twentyfour.rules import Hand
from bot.modes.daily import queries as daily
from bot.modes.daily.rules import DailyHand, format_utc_date
from bot.rounds import attempts, ledger, round_end, secrecy
from bot.rounds import attempts as handing
from bot.rounds import queries as tables
from bot.rounds.puzzle import Entry, Kind, Match, PlayerResult, Result, parse_hand_numbers
from bot.rounds.registry import pack_puzzle
from bot.rounds.rules import Award, Round, State, mark_ended, win_round
from bot.standings.ratings import updates
from bot.standings.ratings.rules import MU, Rating, rate_match
from tests.bot.databases import Database
from tests.sample_rounds import make_round, store_round
from tests.stories.clock import NOON

ANN, BOB, CEM = 7, 8, 9
DRAW = Draw((25, 50, 7, 3, 9, 1), 555, "(25+50)*7+9*3+3", 555, "hard", 35.0)


def test_solvers_rank_above_those_who_only_tried() -> None:
    round = make_round(expected=14.0, hints=2)
    played = [PlayerResult(7), PlayerResult(8, 3, 9.0), PlayerResult(9)]
    assert updates.make_match(round, played) == Match(
        [Result(7, 1), Result(8, -3, 9.0), Result(9, 1)], 0, expected=14.0, hints=2
    )


def test_finds_are_rated_by_points_not_time() -> None:
    match = updates.make_match(
        make_round(kind=Kind.ALL), [PlayerResult(7, 6, 9.0), PlayerResult(8, 3, 4.0), PlayerResult(9)]
    )
    assert match.results == [Result(7, -6), Result(8, -3), Result(9, 1)]
    assert match.expected is not None


def test_puzzle_is_no_opponent_in_round_of_kind_best() -> None:
    match = updates.make_match(
        make_round(kind=Kind.BEST),
        [PlayerResult(7, 271, 9.0), PlayerResult(8, 180, 9.0), PlayerResult(9, entry="…")],
    )
    assert match == Match([Result(7, -271), Result(8, -180), Result(9, 1)], expected=None)


def open_round(tx: Tx, at: float = NOON, **fields: Any) -> Round:
    """Open a round of a hand that no other round has."""
    numbers = (1, 1, 1, 100 + len(tx.execute(select(rounds.c.id)).all()))
    dealt: dict[str, Any] = {"numbers": numbers, "opened": at, "deadline": at + 600.0} | fields
    return store_round(tx, make_round(**dealt))


def end_round(tx: Tx, round: Round, winner: int | None, *wrong: int, seconds: float = 20.0) -> Round:
    """End the round after these wrong answers, by a winner or by time, and rate it."""
    for who in wrong:
        attempts.count_answer(tx, round.id, who, "wrong")
    if winner is None:
        closed = mark_ended(round, State.EXPIRED, round.opened + 601)
        assert tables.close_round(tx, closed)
    else:
        result = win_round(round, winner, "8/(3-8/3)", round.opened + seconds)
        assert result
        closed, award = result
        assert tables.close_round(tx, closed)
        assert ledger.insert_award(tx, closed, award, 1, round.opened + seconds)
    round_end.record_round_end(tx, closed, round.opened + seconds)
    return closed


def load_ratings(tx: Tx) -> dict[int, Rating]:
    return updates.load_ratings(tx, [row.player_id for row in tx.execute(select(ratings))])


async def test_only_players_who_answered_are_rated(db: Database) -> None:
    def story(tx: Tx) -> None:
        round = open_round(tx)
        attempts.set_note(tx, round.id, CEM, "…")  # somebody whom its message names has not tried for that
        end_round(tx, round, ANN, BOB)
        match = Match([Result(ANN, -1, 20.0), Result(BOB, 1)], expected=14.0)
        assert load_ratings(tx) == rate_match({}, match, NOON + 20)

    await db(story)


async def test_wrong_and_unreadable_answers_lose_to_the_hand(db: Database) -> None:
    def story(tx: Tx) -> None:
        round = open_round(tx)
        attempts.count_answer(tx, round.id, CEM, "misread")
        end_round(tx, round, None, BOB)
        after = load_ratings(tx)
        assert set(after) == {BOB, CEM}
        assert after[BOB] == after[CEM]
        assert after[BOB].mu < MU

    await db(story)


@pytest.mark.parametrize("kind", [Kind.TUTORIAL, Kind.CHOSEN])
async def test_lessons_and_chosen_hands_do_not_count(db: Database, kind: Kind) -> None:
    def story(tx: Tx) -> None:
        end_round(tx, open_round(tx, kind=kind), None, BOB)
        assert load_ratings(tx) == {}

    await db(story)


async def test_void_hand_does_not_count(db: Database) -> None:
    def story(tx: Tx) -> None:
        round = open_round(tx)
        attempts.count_answer(tx, round.id, BOB, "wrong")
        void = mark_ended(round, State.VOID, NOON + 5)
        assert tables.close_round(tx, void)
        updates.rate_round(tx, void)
        assert load_ratings(tx) == {}

    await db(story)


async def test_players_who_were_shown_the_solution_are_left_out(db: Database) -> None:
    def story(tx: Tx) -> None:
        round = open_round(tx)
        secrecy.record_solution_shown(tx, BOB, [*parse_hand_numbers(round.line), 1], NOON + 5)
        end_round(tx, round, None, BOB, CEM)
        assert set(load_ratings(tx)) == {CEM}

    await db(story)


async def test_forgotten_players_and_ids_of_no_person_are_left_out(db: Database) -> None:
    def story(tx: Tx) -> None:
        end_round(tx, open_round(tx), None, FORGOTTEN_PLAYER, -5)
        assert load_ratings(tx) == {}

    await db(story)


async def test_countdown_ranks_players_and_the_best_possible_value(db: Database) -> None:
    def story(tx: Tx) -> None:
        round = open_round(tx, kind=Kind.BEST)
        round = replace(round, game="countdown", puzzle=DRAW)
        tx.execute(update(rounds).values(game="countdown"))
        for who, answer in ((ANN, "(25+50)*7+9*3+3"), (BOB, "(25+50)*7+9*3"), (CEM, "(25+50)*7+9*3")):
            handing.store_entry(tx, round.id, Entry(who, answer, NOON + 9))
        end_round(tx, round, None, BOB)
        after = load_ratings(tx)
        assert after[ANN].mu > MU > after[BOB].mu == after[CEM].mu
        assert [row.points for row in tx.execute(select(awards))] == [10]

    await db(story)


async def test_round_of_all_ideas_counts_as_one_hand(db: Database) -> None:
    def story(tx: Tx) -> None:
        round = open_round(tx, kind=Kind.ALL)
        for part, who in (("a", ANN), ("b", ANN), ("c", BOB)):
            ledger.insert_award(tx, round, Award(who, 5, 9.0, part, part), 1, NOON + 9)
        end_round(tx, round, None, CEM)
        after = load_ratings(tx)
        assert {who: rating.hands for who, rating in after.items()} == {ANN: 1, BOB: 1, CEM: 1}
        assert after[ANN].mu > after[BOB].mu > after[CEM].mu

    await db(story)


def insert_daily_hand(tx: Tx, at: float) -> DailyHand:
    return daily.insert_hand(
        tx, DailyHand(format_utc_date(at), "24", Hand((3, 8, 3, 8), 24, "hard", 30.0, ("8/(3-8/3)",)))
    )


def end_attempt(tx: Tx, who: int, at: float, *, right: bool) -> None:
    """Open the daily hand for a player and end the attempt."""
    hand = insert_daily_hand(tx, at)
    attempt = daily.open_attempt(tx, hand, who, at)
    state = State.WON if right else State.SKIPPED
    after = replace(attempt, state=state, closed=at + 30, answer="8/(3-8/3)")
    assert daily.update_open_attempt(tx, after)
    updates.rate_round(tx, after)


async def test_daily_hand_is_played_against_the_hand_alone(db: Database) -> None:
    def story(tx: Tx) -> None:
        end_attempt(tx, ANN, NOON, right=True)
        end_attempt(tx, BOB, NOON, right=False)
        after = load_ratings(tx)
        assert after[ANN] == rate_match({}, Match([Result(ANN, -1, 30.0)], expected=30.0), NOON + 30)[ANN]
        assert after[BOB].mu < MU

    await db(story)


async def test_unreadable_entry_leaves_only_its_round_unrated(db: Database) -> None:
    def story(tx: Tx) -> None:
        for n in range(2):
            round = open_round(tx, NOON + n, kind=Kind.BEST, chat_id=-1 - n)
            tx.execute(
                update(rounds).values(game="countdown", puzzle=pack_puzzle("countdown", DRAW)["puzzle"])
            )
            handing.store_entry(tx, round.id, Entry(ANN, ("?", "25+50")[n], NOON + 9))
            closed = mark_ended(replace(round, game="countdown", puzzle=DRAW), State.EXPIRED, NOON + 60)
            assert tables.close_round(tx, closed)
            updates.rate_round(tx, closed)
        assert load_ratings(tx)[ANN].hands == 1

    await db(story)
