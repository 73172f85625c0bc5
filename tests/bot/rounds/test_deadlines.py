"""Deadlines of rounds and races."""

import math
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest
from sqlalchemy.exc import OperationalError

from bot.database import Tx
from bot.modes.race import queries as races
from bot.queue.outgoing import Outgoing
from bot.queue.timers import TimerContext
from bot.queue.updates import TRANSIT_GRACE
from bot.rounds import expiry
from bot.rounds import queries as rounds
from bot.rounds.expiry import DEADLINES, close_due_round
from bot.rounds.puzzle import DealtPuzzle
from bot.rounds.rules import Round, State
from tests.bot.databases import Database
from tests.bot.queue.queue_database import FULL_DISK
from tests.sample_rounds import change_round, make_round, store_round
from tests.stories.clock import NOON

OVER = NOON + 700.0
CLUB = -7


def open_race_hand(tx: Tx, message_id: int | None = 5, hands: int = 1) -> Round:
    """Open the first hand of a race with so many hands left."""
    hand = make_round(chat_id=CLUB)
    race_id = races.insert_race(tx, hand, [DealtPuzzle(hand.puzzle)] * hands, seconds=600.0)
    return store_round(tx, replace(hand, race_id=race_id, message_id=message_id))


def is_race_open(tx: Tx, round: Round) -> bool:
    found = races.load_race(tx, round.race_id or 0)
    return found is not None and found.is_open


def list_methods(requests: list[Any]) -> list[str]:
    return [request.method for request in requests]


async def test_due_round_expires_and_is_shown(db: Database) -> None:
    def story(tx: Tx) -> None:
        round = store_round(tx, make_round(message_id=5))
        assert close_due_round(tx, round.id, NOON + 600 - 1) == []
        assert list_methods(close_due_round(tx, round.id, OVER)) == ["show"]
        assert close_due_round(tx, round.id, OVER) == []
        found = rounds.load_round(tx, round.id)
        assert found is not None
        assert (found.state, found.closed) == (State.EXPIRED, OVER)

    await db(story)


async def test_undelivered_round_ends_silently_with_its_race(db: Database) -> None:
    def story(tx: Tx) -> None:
        first = open_race_hand(tx, message_id=None)
        assert close_due_round(tx, first.id, OVER) == []
        assert not is_race_open(tx, first)
        assert rounds.load_open_round(tx, CLUB, 0) is None

    await db(story)


@pytest.mark.parametrize(("message_id", "shown"), [(5, ["show"]), (None, [])])
async def test_round_and_race_end_although_an_error_is_raised(
    db: Database,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    message_id: int | None,
    shown: list[str],
) -> None:
    def failing(round: Round, now: float) -> Any:
        raise AssertionError("unforeseen")

    monkeypatch.setattr(expiry, "expire_if_due", failing)

    def story(tx: Tx) -> None:
        bad, good = open_race_hand(tx, message_id), store_round(tx, make_round(chat_id=-8, message_id=6))
        assert list_methods(close_due_round(tx, bad.id, OVER)) == shown
        assert list_methods(close_due_round(tx, good.id, OVER)) == ["show"]
        assert not is_race_open(tx, bad)
        for each in (bad, good):
            found = rounds.load_round(tx, each.id)
            assert found is not None
            assert found.state is State.EXPIRED

    await db(story)


@pytest.mark.parametrize("nested", [False, True])
async def test_database_failure_ends_no_round(
    db: Database, monkeypatch: pytest.MonkeyPatch, nested: bool
) -> None:
    def failing(round: Round, now: float) -> Any:
        if not nested:
            raise FULL_DISK
        try:
            raise FULL_DISK
        except OperationalError:
            raise ZeroDivisionError  # noqa: B904 - what is raised while it is dealt with names it as its context

    monkeypatch.setattr(expiry, "expire_if_due", failing)

    def story(tx: Tx) -> None:
        round = store_round(tx, make_round(message_id=5))
        with pytest.raises((OperationalError, ZeroDivisionError)):
            close_due_round(tx, round.id, OVER)
        assert change_round(round) == rounds.load_round(tx, round.id)

    await db(story)


class FakeContext:
    """A timer's context: updates have arrived until `through`, and none waits."""

    def __init__(self, db: Database, now: float, through: float) -> None:
        self.requested: list[float] = []
        self.effects: list[list[Outgoing]] = []
        self.arrivals = SimpleNamespace(
            received_until=through, next_deadline=0.0, request_until=self.requested.append
        )
        self.inbox = SimpleNamespace(
            now=lambda: now,
            count_updates_since=lambda *_: 0,
            watermark=self.arrivals,
            has_waiting_answers=return_false,
        )
        self.store = SimpleNamespace(read=db)
        self._db = db

    async def run_effect(self, effect: Callable[[Tx], list[Outgoing]]) -> None:
        self.effects.append(await self._db(effect))


async def return_false(*_: object) -> bool:
    return False


def open_hands(tx: Tx, count: int) -> None:
    """Open hands in chats of their own, with deadlines a second apart."""
    for number in range(count):
        store_round(tx, make_round(chat_id=-100 - number, message_id=5, deadline=NOON + 600 + number))


async def run_deadlines(waits: FakeContext) -> None:
    await DEADLINES.run(cast(TimerContext, waits), 0.0)


async def test_rounds_are_redrawn_eight_and_closed_one_at_a_time(db: Database) -> None:
    # An answer that comes meanwhile must not wait behind all of them.
    await db(lambda tx: open_hands(tx, 20))
    drawn = FakeContext(db, NOON + 500, NOON + 500)
    await run_deadlines(drawn)
    assert [len(requests) for requests in drawn.effects] == [8, 8, 4]
    closed = FakeContext(db, OVER, OVER)
    await run_deadlines(closed)
    assert [len(requests) for requests in closed.effects] == [1] * 20
    assert closed.arrivals.next_deadline == math.inf


async def test_round_waits_for_updates_sent_before_its_deadline(db: Database) -> None:
    await db(lambda tx: open_hands(tx, 3))
    waits = FakeContext(db, OVER, NOON + 600 + TRANSIT_GRACE)
    await run_deadlines(waits)
    assert waits.requested == [NOON + 602 + TRANSIT_GRACE]
    assert [len(requests) for requests in waits.effects] == [1]
