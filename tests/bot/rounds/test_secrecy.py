"""Chats in which a player is known to play."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from sqlalchemy import update

from bot.database import Tx
from bot.database.schema import rounds as rounds_table
from bot.modes.duel import queries as duels
from bot.modes.duel.rules import Duel
from bot.rounds import attempts, ledger
from bot.rounds.puzzle import Entry
from bot.rounds.rules import Award, Round
from bot.rounds.secrecy import CHATS_OF_PLAYER, has_played_in_chat
from tests.bot.databases import Database
from tests.sample_rounds import make_round, store_round
from tests.stories.clock import NOON

ANN, BOB, HERE, THERE = 5_000_000_001, 5_000_000_002, -7, -8
HAND = make_round(chat_id=HERE, hint_values=("a", "b", "c"), dealer_id=BOB)


def insert_duel_as_opponent(tx: Tx, round: Round) -> None:
    """Insert a duel in which Ann was challenged."""
    new = Duel(0, round.chat_id, 0, BOB + 2, ANN, "24", NOON)
    duels.begin_duel(tx, duels.insert_challenge(tx, new).id, ANN, race_id=1)


def insert_duel_as_challenger(tx: Tx, round: Round) -> None:
    """Insert a duel in which Ann was the challenger."""
    new = Duel(0, round.chat_id, 0, ANN, BOB + 2, "24", NOON)
    duels.begin_duel(tx, duels.insert_challenge(tx, new).id, BOB + 2, race_id=1)


# What shows that somebody plays in a chat.
TRACES: dict[str, Callable[[Tx, Round], object]] = {
    "dealt": lambda tx, round: tx.execute(update(rounds_table).values(dealer_id=ANN)),
    "tried": lambda tx, round: attempts.count_answer(tx, round.id, ANN, "wrong"),
    "voted": lambda tx, round: attempts.vote_to_skip(tx, round.id, ANN),
    "handed in": lambda tx, round: attempts.store_entry(tx, round.id, Entry(ANN, "1+1", NOON)),
    "was challenged": insert_duel_as_opponent,
    "challenged": insert_duel_as_challenger,
    "scored": lambda tx, round: ledger.insert_award(tx, round, Award(ANN, 1, 1.0, "1+1", ""), 7, NOON),
}


@pytest.mark.parametrize("trace", TRACES)
async def test_player_has_played_only_where_active(db: Database, trace: str) -> None:
    def story(tx: Tx) -> None:
        TRACES[trace](tx, store_round(tx, HAND))
        store_round(tx, replace(HAND, chat_id=THERE))
        assert [has_played_in_chat(tx, ANN, chat) for chat in (HERE, THERE, ANN)] == [True, False, True]
        assert not has_played_in_chat(tx, BOB + 1, HERE)
        assert set(tx.scalars(CHATS_OF_PLAYER, {"player": ANN})) == {HERE}

    await db(story)
