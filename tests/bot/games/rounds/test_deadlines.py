"""How a round ends whose time is over, and what becomes of its race."""

from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError

from bot.database import Tx
from bot.games.known import packed
from bot.games.race import queries as races
from bot.games.race.rules import Race
from bot.games.rounds import deadlines
from bot.games.rounds import queries as rounds
from bot.games.rounds.deadlines import close_due, show_time, stale
from bot.games.rounds.rules import Round, State
from tests.bot.databases import Database
from tests.bot.delivery.rows import FULL_DISK
from tests.hands import changed, deal, opened
from tests.stories.hours import NOON

OVER = NOON + 700.0
CLUB = -7


def racing(tx: Tx, message_id: int | None = 5, hands: int = 1) -> Round:
    """The first hand of a race, with so many to come."""
    hand = deal()
    kept = [packed(hand.game, hand.puzzle)] * hands
    race = races.start(tx, Race(0, CLUB, 0, 1, hands + 1, NOON, 600.0), kept)
    return opened(tx, replace(hand, chat_id=CLUB, race_id=race.id, message_id=message_id))


def goes_on(tx: Tx, round: Round) -> bool:
    found = races.by_id(tx, round.race_id or 0)
    return found is not None and found.open


def methods(requests: list[Any]) -> list[str]:
    return [request.body["method"] for request in requests]


async def test_it_is_over_and_its_message_shows_that(db: Database) -> None:
    def story(tx: Tx) -> None:
        round = opened(tx, deal(message_id=5))
        assert close_due(tx, [round.id], NOON + 600 - 1) == []
        assert methods(close_due(tx, [round.id], OVER)) == ["show"]
        assert close_due(tx, [round.id], OVER) == []
        found = rounds.by_id(tx, round.id)
        assert found is not None
        assert (found.state, found.closed) == (State.EXPIRED, OVER)

    await db(story)


async def test_the_race_goes_on_with_its_next_hand(db: Database) -> None:
    def story(tx: Tx) -> None:
        first = racing(tx)
        assert methods(close_due(tx, [first.id], OVER)) == ["show"]
        assert goes_on(tx, first)
        assert rounds.live(tx, CLUB, 0)

    await db(story)


async def test_nothing_follows_in_a_chat_that_the_deal_never_reached(db: Database) -> None:
    def story(tx: Tx) -> None:
        first = racing(tx, message_id=None)
        assert close_due(tx, [first.id], OVER) == []
        assert not goes_on(tx, first)
        assert rounds.live(tx, CLUB, 0) is None

    await db(story)


@pytest.mark.parametrize(("message_id", "shown"), [(5, ["show"]), (None, [])])
async def test_one_whose_end_fails_is_over_all_the_same_and_so_is_its_race(
    db: Database,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    message_id: int | None,
    shown: list[str],
) -> None:
    def failing(tx: Tx, over: Round, now: float) -> Any:
        raise AssertionError("unforeseen")

    monkeypatch.setattr(deadlines, "_shown", failing)

    def story(tx: Tx) -> None:
        bad, good = racing(tx, message_id), opened(tx, deal(chat_id=-8, message_id=6))
        assert methods(close_due(tx, [bad.id, good.id], OVER)) == [*shown, "show"]
        assert not goes_on(tx, bad)
        for each in (bad, good):
            found = rounds.by_id(tx, each.id)
            assert found is not None
            assert found.state is State.EXPIRED

    await db(story)


@pytest.mark.parametrize("nested", [False, True])
async def test_a_full_disk_ends_no_round(db: Database, monkeypatch: pytest.MonkeyPatch, nested: bool) -> None:
    def failing(tx: Tx, over: Round, now: float) -> Any:
        if not nested:
            raise FULL_DISK
        try:
            raise FULL_DISK
        except OperationalError:
            raise ZeroDivisionError  # noqa: B904 - what is raised while it is dealt with names it as its context

    monkeypatch.setattr(deadlines, "_shown", failing)

    def story(tx: Tx) -> None:
        round = opened(tx, deal(message_id=5))
        with pytest.raises((OperationalError, ZeroDivisionError)):
            close_due(tx, [round.id], OVER)
        assert changed(round) == rounds.by_id(tx, round.id)

    await db(story)


async def test_a_busy_chat_is_spared_the_time_left(db: Database) -> None:
    def story(tx: Tx) -> None:
        for chat in (-7, -8):
            opened(tx, deal(chat_id=chat, message_id=5))
        asked = list[float]()

        def heard(chat: int, since: float) -> int:
            asked.append(since)
            return 20 if chat == -8 else 19

        now = NOON + 400
        assert [clock.chat_id for clock in stale(tx, now, heard)] == [-7]
        assert set(asked) == {now - 60}
        assert [request.lane for request in show_time(tx, now, heard)] == [-7]
        assert stale(tx, now, heard) == []

    await db(story)
