"""Outcomes of a wish to give a hand up."""

from dataclasses import replace

import pytest

from bot.database import Tx
from bot.durations import DAY
from bot.players import queries as people
from bot.rounds import attempts
from bot.rounds import queries as rounds
from bot.rounds.answer import Ignored, NoOpenHand
from bot.rounds.give_up import GivenUp, Voted, Wish, give_up
from bot.rounds.rules import State, mark_ended
from bot.rounds.votes import compute_votes_needed
from tests.bot.databases import Database
from tests.sample_rounds import make_round, store_round
from tests.stories.clock import NOON

ANN, BOB, DEALER = 5, 6, 7
HAND = make_round(message_id=40, dealer_id=DEALER)
PRESS = Wish(DEALER, False, is_command=False, sent_at=NOON + 9, next_hand_at=NOON + 9, message_id=0)
ADMIN_PRESS = replace(PRESS, player_id=ANN, is_admin=True)
ADMIN_COMMAND = replace(ADMIN_PRESS, is_command=True, message_id=50)


@pytest.mark.parametrize(
    ("wish", "others_tried", "ends"),
    [
        (PRESS, False, True),
        (PRESS, True, False),
        (ADMIN_PRESS, False, True),
        (ADMIN_PRESS, True, False),
        (ADMIN_COMMAND, True, True),
        (replace(ADMIN_COMMAND, player_id=None), True, True),
        (replace(PRESS, player_id=ANN), False, False),
    ],
)
async def test_dealer_and_admins_may_end_a_hand_alone(
    db: Database, wish: Wish, others_tried: bool, ends: bool
) -> None:
    def story(tx: Tx) -> None:
        round = store_round(tx, HAND)
        if others_tried:
            attempts.count_answer(tx, round.id, BOB, "wrong")
        outcome = give_up(tx, round, wish)
        stored = rounds.load_round(tx, round.id)
        assert stored is not None
        if not ends:
            assert outcome == Voted(stored, votes=1, needed=2)
            return
        assert isinstance(outcome, GivenUp)
        assert (outcome.end.over, stored.state) == (stored, State.SKIPPED)
        assert give_up(tx, stored, wish) == NoOpenHand(stored)

    await db(story)


async def test_second_vote_ends_a_hand(db: Database) -> None:
    def story(tx: Tx) -> None:
        round = store_round(tx, HAND)
        voted = replace(round, votes_needed=2)
        assert give_up(tx, round, replace(PRESS, player_id=ANN)) == Voted(voted, votes=1, needed=2)
        assert give_up(tx, voted, replace(PRESS, player_id=None)) == Ignored()
        outcome = give_up(tx, voted, replace(PRESS, player_id=BOB))
        assert isinstance(outcome, GivenUp)
        assert not outcome.loses_entry

    await db(story)


async def test_players_of_the_last_hours_decide_how_many_votes_are_needed(db: Database) -> None:
    def story(tx: Tx) -> None:
        for before in range(12):  # the first four are too long ago to count
            opened = NOON - (DAY if before < 4 else 0)
            over = store_round(tx, replace(HAND, message_id=before + 1, opened=opened))
            attempts.count_answer(tx, over.id, 100 + before, "wrong")
            assert rounds.close_round(tx, mark_ended(over, State.SKIPPED, NOON + 20))
        round = store_round(tx, HAND)
        outcome = give_up(tx, round, replace(PRESS, player_id=ANN))
        assert outcome == Voted(replace(round, votes_needed=4), votes=1, needed=4)

    await db(story)


async def test_admins_choose_how_many_votes_are_needed(db: Database) -> None:
    def story(tx: Tx) -> None:
        people.load_or_insert_chat(tx, HAND.chat_id, "supergroup")
        people.store_setting(tx, HAND.chat_id, "giving_up", "one")
        round = store_round(tx, HAND)
        assert isinstance(give_up(tx, round, replace(PRESS, player_id=ANN)), GivenUp)

    await db(story)


@pytest.mark.parametrize(("players", "needed"), [(1, 1), (2, 2), (3, 2), (4, 2), (5, 3), (28, 5), (200, 5)])
def test_two_of_three_and_five_of_28_give_a_hand_up(players: int, needed: int) -> None:
    assert compute_votes_needed(players) == needed
