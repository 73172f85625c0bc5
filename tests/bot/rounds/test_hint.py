"""Outcomes of a request for a hint."""

from dataclasses import replace

from bot.database import Tx
from bot.players.queries import Chat
from bot.rounds import queries as rounds
from bot.rounds.answer import Ignored, NoOpenHand, OpenElsewhere
from bot.rounds.hint import HintGiven, NoHintLeft, give_hint
from bot.rounds.rules import State, mark_ended
from tests.bot.databases import Database
from tests.sample_rounds import make_round, store_round
from tests.stories.clock import NOON

ANN = 5
HAND = make_round(message_id=40, hint_values=("a", "b"))
GROUP = Chat(HAND.chat_id, "supergroup")


async def test_hints_are_counted_until_none_is_left(db: Database) -> None:
    def story(tx: Tx) -> None:
        round = store_round(tx, HAND)
        given = 0
        while isinstance(outcome := give_hint(tx, round, ANN, GROUP, NOON + 9), HintGiven):
            given += 1
            assert rounds.load_round(tx, round.id) == outcome.round == replace(round, hints_shown=given)
            round = outcome.round
        assert given == 2
        assert outcome == NoHintLeft(has_hints=True)

    await db(story)


async def test_no_hint_without_an_open_hand_or_an_asking_player(db: Database) -> None:
    def story(tx: Tx) -> None:
        round = store_round(tx, HAND)
        over = mark_ended(round, State.SKIPPED, NOON + 9)
        assert give_hint(tx, None, ANN, GROUP, NOON + 9) == NoOpenHand(None)
        assert give_hint(tx, over, ANN, GROUP, NOON + 9) == NoOpenHand(over)
        assert round.deadline is not None
        assert give_hint(tx, round, ANN, GROUP, round.deadline + 1) == NoOpenHand(round)
        assert give_hint(tx, round, None, GROUP, NOON + 9) == Ignored()

    await db(story)


async def test_no_hint_for_a_hand_that_is_open_where_the_player_plays(db: Database) -> None:
    def story(tx: Tx) -> None:
        elsewhere = store_round(tx, replace(HAND, chat_id=-99, dealer_id=ANN))
        round = store_round(tx, HAND)
        assert give_hint(tx, round, ANN, GROUP, NOON + 9) == OpenElsewhere(elsewhere.chat_id)

    await db(story)
