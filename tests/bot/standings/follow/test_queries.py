"""Those present and the latest hands of a chat, as the level that follows them needs them."""

from collections.abc import Sequence
from typing import Any

import pytest

from bot.database import Tx
from bot.rounds import attempts
from bot.rounds import queries as rounds
from bot.rounds.puzzle import Kind
from bot.rounds.rules import State, mark_ended, win_round
from bot.standings.follow import queries, rules
from bot.standings.ratings.rules import Rating
from bot.standings.ratings.updates import load_ratings
from tests.bot.databases import Database
from tests.bot.standings.ratings.test_queries import insert_player
from tests.sample_rounds import make_round, store_round
from tests.stories.clock import NOON

ANN, BOB, CEM = 7, 8, 9
CHAT = -7
Choice = tuple[set[Rating], list[rules.EndedHand]]


@pytest.fixture
def chosen(monkeypatch: pytest.MonkeyPatch) -> list[Choice]:
    """Return a list that fills with what the rules are asked about."""
    asked: list[Choice] = []

    def choose(present: Sequence[Rating], hands: Sequence[rules.EndedHand]) -> float:
        asked.append((set(present), list(hands)))
        return 0.5

    monkeypatch.setattr(rules, "choose_solved_share", choose)
    return asked


def end_hand(tx: Tx, winner: int | None, *wrong: int, seconds: float = 28.0, **fields: Any) -> None:
    """Store a hand of the chat that ended after so many seconds."""
    round = store_round(tx, make_round(chat_id=CHAT, expected=14.0, **fields))
    for player in wrong:
        attempts.count_answer(tx, round.id, player, "wrong")
    if winner is None:
        rounds.close_round(tx, mark_ended(round, State.EXPIRED, NOON + 601))
        return
    result = win_round(round, winner, "8/(3-8/3)", NOON + seconds)
    assert result
    rounds.close_round(tx, result[0])


async def test_those_who_answered_lately_and_who_asks_are_present(db: Database, chosen: list[Choice]) -> None:
    def story(tx: Tx) -> None:
        for player, mu in ((ANN, 30.0), (BOB, 20.0)):
            insert_player(tx, player, Rating(mu, 2.0, 10, NOON))
        end_hand(tx, ANN, BOB)
        assert queries.choose_solved_percentage(tx, CHAT, "24", CEM) == 50
        assert queries.choose_solved_percentage(tx, CHAT, "24", 0) == 50
        known = set(load_ratings(tx, [ANN, BOB]).values())
        assert [present for present, _ in chosen] == [{*known, Rating()}, known]

    await db(story)


async def test_latest_hands_count_the_earliest_first(db: Database, chosen: list[Choice]) -> None:
    def story(tx: Tx) -> None:
        end_hand(tx, BOB)
        for _ in range(rules.LATEST_HANDS - 2):
            end_hand(tx, None, BOB)
        end_hand(tx, ANN, seconds=7.0)
        end_hand(tx, ANN, kind=Kind.ALL)
        end_hand(tx, ANN, kind=Kind.CHOSEN)
        queries.choose_solved_percentage(tx, CHAT, "24", ANN)
        ((_, hands),) = chosen
        assert [hand.found for hand in hands] == [True, *[False] * (rules.LATEST_HANDS - 2), True]
        assert (hands[0].pace, hands[-1].pace) == (2.0, 0.5)
        end_hand(tx, ANN)
        queries.choose_solved_percentage(tx, CHAT, "24", ANN)
        assert len(chosen[-1][1]) == rules.LATEST_HANDS

    await db(story)


async def test_other_chats_and_games_do_not_count(db: Database, chosen: list[Choice]) -> None:
    def story(tx: Tx) -> None:
        end_hand(tx, ANN)
        queries.choose_solved_percentage(tx, CHAT - 1, "24", BOB)
        queries.choose_solved_percentage(tx, CHAT, "countdown", BOB)
        assert chosen == [({Rating()}, [])] * 2

    await db(story)
