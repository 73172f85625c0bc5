"""Outcomes of answers: what the referee finds, judges and stores, whatever a chat is told of it."""

from dataclasses import replace
from fractions import Fraction

import pytest

from bot.database import Tx
from bot.games.countdown.rules import Draw
from bot.players.queries import Chat
from bot.rounds import attempts, ledger, secrecy
from bot.rounds import queries as rounds
from bot.rounds.answer import (
    Answer,
    EntryStored,
    FoundBefore,
    Ignored,
    NoOpenHand,
    NotCounted,
    TooLate,
    Won,
    Wrong,
    WrongAndLate,
    referee_answer,
)
from bot.rounds.puzzle import Entry, Kind
from bot.rounds.rules import Round, State, mark_ended
from bot.telegram.incoming import RepliedMessage
from tests.bot.databases import Database
from tests.sample_rounds import SEVERAL_IDEAS, make_round, store_round
from tests.stories.clock import NOON

ANN, BOB = 5, 6
HAND = make_round(message_id=40)
GROUP = Chat(HAND.chat_id, "supergroup")
RIGHT, WRONG, OTHER, TALK = "8/(3-8/3)", "8*3-8/3", "1+2+3+4", "lovely"


def make_answer(text: str, player_id: int = ANN, *, after: float = 9, replies: bool = True) -> Answer:
    """Return an answer sent that many seconds after the deal, in reply to it or to all."""
    sent_at = NOON + after
    replied = RepliedMessage(40, HAND.line, None, True, False, None, False) if replies else None
    return Answer(text, player_id, GROUP, 0, sent_at, sent_at, sent_at, message_id=50, replied=replied)


def load(tx: Tx, round: Round) -> Round:
    loaded = rounds.load_round(tx, round.id)
    assert loaded is not None
    return loaded


async def test_first_right_answer_wins_and_later_one_is_told_once(db: Database) -> None:
    def story(tx: Tx) -> None:
        round = store_round(tx, HAND)
        won = referee_answer(tx, make_answer(RIGHT, BOB))
        assert isinstance(won, Won)
        assert won.end is not None
        assert load(tx, round) == won.round
        assert (won.round.state, won.round.winner_id, won.round.closed) == (State.WON, BOB, NOON + 9)
        assert ledger.load_round_points(tx, round.id) == {BOB: 6}
        late = [referee_answer(tx, make_answer(RIGHT, who, after=12)) for who in (ANN, ANN, BOB)]
        assert late == [TooLate(won.round, RIGHT, is_explained=told) for told in (True, False, False)]
        assert ledger.load_round_points(tx, round.id) == {BOB: 6}

    await db(story)


@pytest.mark.parametrize("replies", [True, False])
async def test_message_to_all_is_judged_only_with_the_hands_numbers(db: Database, replies: bool) -> None:
    def story(tx: Tx) -> None:
        round = store_round(tx, HAND)
        outcomes = [referee_answer(tx, make_answer(text, replies=replies)) for text in (WRONG, OTHER, TALK)]
        wrong, other, talk = outcomes
        assert isinstance(wrong, Wrong)
        assert (wrong.is_secret, wrong.verdict.value) == (False, Fraction(64, 3))
        assert isinstance(other, Wrong if replies else Ignored)
        assert talk == Ignored()
        assert load(tx, round) == round

    await db(story)


async def test_answer_after_the_end_changes_nothing(db: Database) -> None:
    def story(tx: Tx) -> None:
        round = store_round(tx, HAND)
        over = mark_ended(round, State.SKIPPED, NOON + 20)
        assert rounds.close_round(tx, over)
        late = referee_answer(tx, make_answer(WRONG, after=139))
        assert isinstance(late, WrongAndLate)
        assert referee_answer(tx, make_answer(WRONG, after=140, replies=False)) == Ignored()
        assert referee_answer(tx, make_answer(RIGHT, after=140)) == NoOpenHand(over)
        assert load(tx, round) == over
        assert not attempts.has_attempt(tx, round.id)

    await db(story)


async def test_answer_at_the_deadline_wins_and_after_it_is_late(db: Database) -> None:
    def story(tx: Tx) -> None:
        round = store_round(tx, HAND)
        late = referee_answer(tx, make_answer(RIGHT, after=601))
        assert late == TooLate(round, RIGHT, is_explained=True)
        assert isinstance(referee_answer(tx, make_answer(RIGHT, after=600)), Won)

    await db(story)


async def test_player_who_was_shown_the_solution_ends_the_hand_without_points(db: Database) -> None:
    def story(tx: Tx) -> None:
        round = store_round(tx, HAND)
        secrecy.record_solution_shown(tx, ANN, (3, 3, 8, 8), NOON + 5)
        outcome = referee_answer(tx, make_answer(RIGHT))
        assert isinstance(outcome, NotCounted)
        assert (load(tx, round).state, outcome.is_spectator) == (State.VOID, False)
        assert ledger.load_round_points(tx, round.id) == {}

    await db(story)


async def test_each_idea_counts_once(db: Database) -> None:
    def story(tx: Tx) -> None:
        ideas = ("1*2*3*4", "(1+3)*(2+4)")
        round = store_round(tx, replace(make_round(numbers=(1, 2, 3, 4), ideas=ideas), kind=Kind.ALL))
        found = referee_answer(tx, make_answer("1*2*3*4", BOB, replies=False))
        assert found == Won(round, end=None)
        again = referee_answer(tx, make_answer("4*3*2/1", replies=False))
        assert isinstance(again, FoundBefore)
        assert (again.earlier.player_id, again.earlier.answer) == (BOB, "1*2*3*4")
        assert load(tx, round) == round

    await db(story)


async def test_answer_to_the_hand_before_is_late(db: Database) -> None:
    def story(tx: Tx) -> None:
        first = store_round(tx, HAND)
        over = mark_ended(first, State.SKIPPED, NOON + 5)
        assert rounds.close_round(tx, over)
        store_round(tx, make_round(message_id=41, **SEVERAL_IDEAS))
        assert referee_answer(tx, make_answer(RIGHT)) == TooLate(over, RIGHT, is_explained=False)
        assert referee_answer(tx, make_answer(RIGHT, BOB, replies=False)) == Ignored()

    await db(story)


async def test_entries_count_at_the_end(db: Database) -> None:
    def story(tx: Tx) -> None:
        draw = Draw((25, 50, 7, 3, 9, 1), 555, "(25+50)*7+9*3+3", 555, "hard", 35.0)
        near = "(25+50)*7+9*3"
        round = store_round(tx, replace(HAND, kind=Kind.BEST, game="countdown", puzzle=draw))
        for after in (9, 10):
            assert referee_answer(tx, make_answer(near, after=after)) == EntryStored(round, near)
        assert attempts.load_entries(tx, round) == [Entry(ANN, near, NOON + 10)]
        assert ledger.load_round_points(tx, round.id) == {}

    await db(story)
