"""Contests whose deadline is over."""

from typing import Any

import pytest

from bot.database import Tx
from bot.modes.contest import ending
from bot.modes.contest import queries as contests
from bot.modes.contest.rules import CONTEST_LIFETIME
from bot.rounds import queries as rounds
from bot.rounds.rules import Round, State
from tests.bot.databases import Database
from tests.bot.modes.contest.test_queries import ANN, BOB, make_card, open_contest
from tests.stories.clock import NOON


async def test_a_contest_that_cannot_be_ended_is_closed(
    db: Database, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refused(*_: Any) -> bool:
        raise ValueError("no such board")

    def story(tx: Tx) -> None:
        present = open_contest(tx)
        for who in (ANN, BOB):
            contests.store_card(tx, present, make_card(who, 13))
        monkeypatch.setattr("bot.modes.contest.ending.boards.insert_award", refused)
        assert ending.end_due_contest(tx, _load_round(tx, present), NOON + 2 * CONTEST_LIFETIME) == []
        known = rounds.load_round(tx, present.id)
        assert known is not None
        assert known.state is State.OVER

    await db(story)
    assert "nothing follows it" in caplog.text


async def test_a_contest_with_a_new_player_goes_on(db: Database) -> None:
    def story(tx: Tx) -> None:
        present = open_contest(tx)
        for who in (ANN, BOB):
            contests.store_card(tx, present, make_card(who, 13))
        contests.update_deadline(tx, present)
        due = _load_round(tx, present)
        contests.store_card(tx, present, make_card(13, 0, NOON + 30))
        assert ending.end_due_contest(tx, due, NOON + 3600) == []
        assert contests.load_running_contests(tx, chat_id=present.chat_id) != []
        assert (
            len(ending.end_due_contest(tx, due, NOON + 2 * CONTEST_LIFETIME)) == 2
        )  # the result, and a word to who still plays
        assert ending.end_due_contest(tx, due, NOON + 2 * CONTEST_LIFETIME) == []

    await db(story)


def _load_round(tx: Tx, present: Round) -> Round:
    known = rounds.load_round(tx, present.id)
    assert known is not None
    return known
