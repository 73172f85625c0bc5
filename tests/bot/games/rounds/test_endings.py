"""What follows a round's end: what was handed in earns, a race deals its next hand."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from bot.database import Tx
from bot.games.known import GAMES
from bot.games.puzzle import Entry, Kind
from bot.games.race import queries as races
from bot.games.rounds import entries as handing
from bot.games.rounds import queries as rounds
from bot.games.rounds.endings import end, follow
from bot.games.rounds.rules import Award, Round, expire
from bot.people.leaderboard import queries as boards
from tests.bot.databases import Database
from tests.bot.games.rounds.test_deadlines import CLUB, goes_on, racing
from tests.hands import deal, opened
from tests.stories.hours import NOON

UNTIL = NOON + 600


async def test_what_was_sent_in_the_deadlines_own_second_counts_and_nothing_later(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def close(round: Round, entries: Sequence[Entry]) -> tuple[Award, ...]:
        return tuple(Award(entry.player_id, 3, 9.0, entry.answer, "") for entry in entries)

    monkeypatch.setattr(type(GAMES["24"]), "close", staticmethod(close))

    def story(tx: Tx) -> None:
        best = opened(tx, deal(kind=Kind.BEST, deadline=UNTIL))
        for who, at, answer in ((1, UNTIL, "8/(3-8/3)"), (2, UNTIL + 1, "8/(3-8/3)")):
            handing.hand_in(tx, best.id, Entry(who, answer, at))
        over = expire(best, UNTIL + 5)
        assert end(tx, over, UNTIL + 5)
        assert boards.earned(tx, best.id) == {1: 3}

    await db(story)


async def test_a_race_whose_next_hand_finds_no_room_is_over(db: Database) -> None:
    def story(tx: Tx) -> None:
        first = racing(tx, hands=2)
        over = expire(first, UNTIL + 5)
        assert rounds.close(tx, over)
        opened(tx, replace(deal(), chat_id=CLUB, message_id=9))  # somebody else's, in the race's place
        assert [request.body["method"] for request in follow(tx, over, UNTIL + 5)] == ["show"]
        assert not goes_on(tx, first)

    await db(story)


async def test_a_race_is_over_with_its_last_hand(db: Database) -> None:
    def story(tx: Tx) -> None:
        last = racing(tx, hands=0)
        assert end(tx, expire(last, UNTIL + 5), UNTIL + 5)
        assert not goes_on(tx, last)
        assert races.by_id(tx, last.race_id or 0)

    await db(story)
