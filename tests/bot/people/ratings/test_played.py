"""Each hand moves ratings once, in order, whether it was played before there were ratings or since."""

import random
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import delete, select, update

from bot.database import Tx
from bot.database.schema import attempts, awards, meta, ratings, rounds
from bot.games.countdown.rules import Draw
from bot.games.daily import queries as daily
from bot.games.daily.rules import Daily, day_of, given_up, solved
from bot.games.known import packed
from bot.games.puzzle import Entry, Kind, Query
from bot.games.rounds import endings, reveals, tries
from bot.games.rounds import entries as handing
from bot.games.rounds import queries as tables
from bot.games.rounds.rules import Award, Round, State, ended, win
from bot.games.twentyfour.hand import Hand
from bot.people import queries as people
from bot.people.leaderboard import queries as boards
from bot.people.ratings import played
from bot.people.ratings import queries as store
from bot.people.ratings.rules import MU, Match, Rating, Result, rated
from tests.bot.databases import Database
from tests.hands import deal, opened
from tests.stories.hours import NOON

ANN, BOB, CEM, DAN = 7, 8, 9, 10
DAY = 86_400.0
DRAW = Draw((25, 50, 7, 3, 9, 1), 555, "(25+50)*7+9*3+3", 555, 800, "hard", 35.0)


def begun(tx: Tx, at: float = NOON, **fields: Any) -> Round:
    """A round of a hand that is on no other table."""
    numbers = (1, 1, 1, 100 + len(tx.execute(select(rounds.c.id)).all()))
    dealt: dict[str, Any] = {"numbers": numbers, "opened": at, "deadline": at + 600.0} | fields
    return opened(tx, deal(**dealt))


def over(tx: Tx, round: Round, winner: int | None, *wrong: int, seconds: float = 20.0) -> Round:
    """The round after `wrong` answered wrong and `winner` right, or after its time, with all that follows."""
    for who in wrong:
        tries.went_wrong(tx, round.id, who)
    if winner is None:
        closed = ended(round, State.EXPIRED, round.opened + 601)
        assert tables.close(tx, closed)
    else:
        result = win(round, winner, "8/(3-8/3)", round.opened + seconds)
        assert result
        closed, award = result
        assert tables.close(tx, closed)
        assert boards.award(tx, closed, award, 1, round.opened + seconds)
    endings.follow(tx, closed, round.opened + seconds)
    return closed


def kept(tx: Tx) -> dict[int, Rating]:
    return store.of(tx, [row.player_id for row in tx.execute(select(ratings))])


async def test_whoever_tried_is_rated_with_the_rounds_end_and_nobody_else(db: Database) -> None:
    def story(tx: Tx) -> None:
        round = begun(tx)
        tries.note(tx, round.id, CEM, "…")  # somebody whom its message names has not tried for that
        over(tx, round, ANN, BOB)
        match = Match([Result(ANN, -1, 20.0), Result(BOB, 1)], expected=14.0)
        assert kept(tx) == rated({}, match, NOON + 20)

    await db(story)


async def test_who_fails_loses_to_the_hand_and_who_is_misread_tried(db: Database) -> None:
    def story(tx: Tx) -> None:
        round = begun(tx)
        tries.was_misread(tx, round.id, CEM)
        over(tx, round, None, BOB)
        after = kept(tx)
        assert set(after) == {BOB, CEM}
        assert after[BOB] == after[CEM]
        assert after[BOB].mu < MU

    await db(story)


@pytest.mark.parametrize("kind", [Kind.LESSON, Kind.CHOSEN])
async def test_lessons_and_chosen_hands_do_not_count(db: Database, kind: Kind) -> None:
    def story(tx: Tx) -> None:
        over(tx, begun(tx, kind=kind), None, BOB)
        assert kept(tx) == {}

    await db(story)


async def test_a_hand_that_was_given_away_does_not_count(db: Database) -> None:
    def story(tx: Tx) -> None:
        round = begun(tx)
        tries.went_wrong(tx, round.id, BOB)
        given = ended(round, State.GIVEN_AWAY, NOON + 5)
        assert tables.close(tx, given)
        played.round_over(tx, given)
        assert kept(tx) == {}

    await db(story)


async def test_whoever_was_shown_the_solution_is_left_out(db: Database) -> None:
    def story(tx: Tx) -> None:
        round = begun(tx)
        reveals.remember(tx, [BOB], [Query(round.line)], NOON + 5)
        over(tx, round, None, BOB, CEM)
        assert set(kept(tx)) == {CEM}

    await db(story)


async def test_whoever_was_forgotten_and_no_person_are_left_out(db: Database) -> None:
    def story(tx: Tx) -> None:
        over(tx, begun(tx), None, tries.NO_PERSON, -5)
        assert kept(tx) == {}

    await db(story)


async def test_countdown_is_a_ranking_with_the_best_possible_as_an_opponent(db: Database) -> None:
    def story(tx: Tx) -> None:
        round = begun(tx, kind=Kind.BEST)
        round = replace(round, game="countdown", puzzle=DRAW)
        tx.execute(update(rounds).values(game="countdown"))
        for who, answer in ((ANN, "(25+50)*7+9*3+3"), (BOB, "(25+50)*7+9*3"), (CEM, "(25+50)*7+9*3")):
            handing.hand_in(tx, round.id, Entry(who, answer, NOON + 9))
        over(tx, round, None, BOB)
        after = kept(tx)
        assert after[ANN].mu > MU > after[BOB].mu == after[CEM].mu
        assert [row.points for row in tx.execute(select(awards))] == [10]

    await db(story)


async def test_all_ideas_of_a_hand_are_one_hand(db: Database) -> None:
    def story(tx: Tx) -> None:
        round = begun(tx, kind=Kind.ALL)
        for part, who in (("a", ANN), ("b", ANN), ("c", BOB)):
            boards.award(tx, round, Award(who, 5, 9.0, part, part), 1, NOON + 9)
        over(tx, round, None, CEM)
        after = kept(tx)
        assert {who: rating.hands for who, rating in after.items()} == {ANN: 1, BOB: 1, CEM: 1}
        assert after[ANN].mu > after[BOB].mu > after[CEM].mu

    await db(story)


def dealt(tx: Tx, at: float) -> Daily:
    return daily.keep_hand(tx, Daily(day_of(at), "24", Hand((3, 8, 3, 8), 24, "hard", 30.0, ("8/(3-8/3)",))))


def tried(tx: Tx, who: int, at: float, *, right: bool, live: bool = True) -> None:
    """Somebody opens the hand of a day, and it ends."""
    hand = dealt(tx, at)
    attempt = daily.begin(tx, hand.day, who, at)
    after = solved(attempt, "8/(3-8/3)", at + 30) if right else given_up(attempt, at + 30)
    assert daily.keep(tx, after)
    if live:
        played.attempt_over(tx, hand, after)


async def test_a_daily_hand_is_played_against_the_hand_alone(db: Database) -> None:
    def story(tx: Tx) -> None:
        tried(tx, ANN, NOON, right=True)
        tried(tx, BOB, NOON, right=False)
        after = kept(tx)
        assert after[ANN] == rated({}, Match([Result(ANN, -1, 30.0)], expected=30.0), NOON + 30)[ANN]
        assert after[BOB].mu < MU

    await db(story)


def evening(tx: Tx, seed: int, *, days: int = 3) -> None:
    """Some days of play in several chats, with all that ratings may come from."""
    rng = random.Random(seed)
    for n in range(8 * days):
        at = NOON + n * DAY / 8
        who = rng.sample([ANN, BOB, CEM], 3)
        kind = rng.choice([Kind.FIRST, Kind.FIRST, Kind.CHOSEN])
        round = begun(tx, at, chat_id=-1 - n % 3, kind=kind, expected=rng.uniform(5, 60))
        winner = who[0] if rng.random() < 0.7 and kind is Kind.FIRST else None
        over(tx, round, winner, *who[1 : rng.randint(1, 3)], seconds=rng.uniform(2, 90))
        if n % 8 == 7:
            tried(tx, rng.choice(who), at, right=rng.random() < 0.5)


def unplayed(tx: Tx) -> None:
    """As if there had been no ratings yet."""
    tx.execute(delete(ratings))
    tx.execute(delete(meta).where(meta.c.key == played.REPLAYED))


@pytest.mark.long
@pytest.mark.parametrize("most", [1, 7, 1000])
async def test_the_replay_ends_where_play_did_in_pieces_of_any_size(db: Database, most: int) -> None:
    def story(tx: Tx) -> None:
        evening(tx, 24)
        live = kept(tx)
        unplayed(tx)
        pieces = 1
        while played.replay(tx, most):
            pieces += 1
        assert pieces > 3 or most > 1
        assert {who: rating.hands for who, rating in kept(tx).items()} == {
            who: rating.hands for who, rating in live.items()
        }
        for who, rating in kept(tx).items():
            # a daily hand comes before the rounds of later days, and not among those of its own
            assert rating.mu == pytest.approx(live[who].mu, abs=0.5)
        again = kept(tx)
        assert not played.replay(tx)
        assert kept(tx) == again

    await db(story)


async def test_without_daily_hands_the_replay_is_what_play_was_to_the_last_digit(db: Database) -> None:
    def story(tx: Tx) -> None:
        evening(tx, 7)
        tx.execute(delete(attempts))
        unplayed(tx)
        assert not played.replay(tx, 1000)
        once = kept(tx)
        unplayed(tx)
        while played.replay(tx, 1):
            pass
        assert kept(tx) == once

    await db(story)


async def test_play_goes_on_beside_the_replay_and_each_hand_counts_once(db: Database) -> None:
    def story(tx: Tx) -> None:
        for n in range(4):
            over(tx, begun(tx, NOON + n), ANN, BOB)
        lasting = begun(tx, NOON + 5, chat_id=-2)
        over(tx, begun(tx, NOON + 6), ANN, BOB)
        unplayed(tx)
        assert played.replay(tx, 1)  # all rounds of that day, which is one step: but for the open one
        assert kept(tx)[ANN].hands == 5
        over(tx, lasting, ANN, BOB)
        assert kept(tx)[ANN].hands == 6  # the replay has been there
        over(tx, begun(tx, NOON + 8), ANN, BOB)
        tried(tx, ANN, NOON + 9, right=True)
        assert kept(tx)[ANN].hands == 6  # … and is still to come here
        while played.replay(tx, 1):
            pass
        assert {who: rating.hands for who, rating in kept(tx).items()} == {ANN: 8, BOB: 7}
        over(tx, begun(tx, NOON + 10), ANN, BOB)
        assert kept(tx)[ANN].hands == 9

    await db(story)


async def test_a_piece_of_the_replay_ends_with_the_step_that_did_enough(db: Database) -> None:
    def story(tx: Tx) -> None:
        for n in range(3):
            over(tx, begun(tx, NOON + n * DAY), ANN, BOB)
        unplayed(tx)
        for hands in (1, 2, 3):
            assert played.replay(tx, 1)
            assert kept(tx)[ANN].hands == hands
        assert not played.replay(tx, 1)
        assert kept(tx)[ANN].hands == 3

    await db(story)


async def test_what_was_open_as_the_replay_came_by_is_rated_with_its_end(db: Database) -> None:
    def story(tx: Tx) -> None:
        over(tx, begun(tx, NOON), ANN, BOB)
        lasting = begun(tx, NOON, chat_id=-2)
        tried(tx, ANN, NOON, right=True)
        hand = dealt(tx, NOON)
        late = daily.begin(tx, hand.day, CEM, NOON)
        unplayed(tx)
        assert played.replay(tx, 3)  # the rounds and the attempt of the day, which are two steps
        assert {who: rating.hands for who, rating in kept(tx).items()} == {ANN: 2, BOB: 1}
        over(tx, lasting, BOB, ANN)
        played.attempt_over(tx, hand, given_up(late, NOON + 9))
        assert {who: rating.hands for who, rating in kept(tx).items()} == {ANN: 3, BOB: 2, CEM: 1}

    await db(story)


async def test_what_is_open_yet_is_nothing_to_replay_and_what_is_over_is(db: Database) -> None:
    def story(tx: Tx) -> None:
        begun(tx, NOON, chat_id=-2)
        daily.begin(tx, dealt(tx, NOON).day, CEM, NOON)
        tried(tx, ANN, NOON, right=True)
        assert set(kept(tx)) == {ANN}
        assert people.fact(tx, played.REPLAYED) == played.ALL
        unplayed(tx)
        over(tx, begun(tx, NOON + 9), ANN, BOB)  # behind an attempt
        assert kept(tx) == {}
        tried(tx, BOB, NOON, right=True)  # behind an attempt, and a round
        tx.execute(delete(rounds).where(rounds.c.state != State.OPEN.value))
        tried(tx, DAN, NOON, right=True)  # behind two attempts
        assert kept(tx) == {}
        while played.replay(tx):
            pass
        assert set(kept(tx)) == {ANN, BOB, DAN}

    await db(story)


async def test_a_round_that_cannot_be_read_is_passed_by(db: Database) -> None:
    def story(tx: Tx) -> None:
        for n in range(3):
            over(tx, begun(tx, NOON + n), ANN, BOB)
        tx.execute(update(rounds).where(rounds.c.id == 2).values(puzzle="?", opened=2.0**40))
        unplayed(tx)
        assert not played.replay(tx)
        assert kept(tx)[ANN].hands == 2

    await db(story)


async def test_an_entry_that_cannot_be_read_costs_its_round_alone(db: Database) -> None:
    def story(tx: Tx) -> None:
        for n in range(2):
            round = begun(tx, NOON + n, kind=Kind.BEST, chat_id=-1 - n)
            tx.execute(update(rounds).values(game="countdown", puzzle=packed("countdown", DRAW)["puzzle"]))
            handing.hand_in(tx, round.id, Entry(ANN, ("?", "25+50")[n], NOON + 9))
            closed = ended(replace(round, game="countdown", puzzle=DRAW), State.EXPIRED, NOON + 60)
            assert tables.close(tx, closed)
            played.round_over(tx, closed)
        assert kept(tx)[ANN].hands == 1
        unplayed(tx)
        assert not played.replay(tx)
        assert kept(tx)[ANN].hands == 1

    await db(story)


async def test_where_nothing_was_played_before_there_is_nothing_to_replay(db: Database) -> None:
    def story(tx: Tx) -> None:
        over(tx, begun(tx), ANN, BOB)
        assert kept(tx)[ANN].hands == 1
        assert people.fact(tx, played.REPLAYED) == played.ALL

    await db(story)


MARKS = [
    "",
    "{",
    "5",
    "null",
    "{}",
    '{"round_id": 2}',
    '{"round_id": "2", "day": ""}',
    '{"round_id": 2, "day": 5}',
]


@pytest.mark.long
@pytest.mark.parametrize(
    "mark", [*MARKS, '{"round_id": -1, "day": ""}', f'{{"round_id": {2**63}, "day": ""}}']
)
async def test_where_nobody_can_tell_how_far_the_replay_is_nothing_is_rated_twice(
    db: Database, mark: str, caplog: pytest.LogCaptureFixture
) -> None:
    def story(tx: Tx) -> None:
        for n in range(3):
            over(tx, begun(tx, NOON + n), ANN, BOB)
        unplayed(tx)
        assert played.replay(tx, 1)
        assert kept(tx)[ANN].hands == 3
        people.remember(tx, played.REPLAYED, mark)
        over(tx, begun(tx, NOON + 9), BOB, ANN)
        assert {who: rating.hands for who, rating in kept(tx).items()} == {ANN: 4, BOB: 4}
        assert people.fact(tx, played.REPLAYED) == played.ALL
        assert not played.replay(tx)
        tried(tx, CEM, NOON + 20, right=True)
        assert {who: rating.hands for who, rating in kept(tx).items()} == {ANN: 4, BOB: 4, CEM: 1}
        assert [line.partition(":")[0] for line in caplog.messages] == [
            "how far the replay of ratings had come can't be read"
        ]

    await db(story)
