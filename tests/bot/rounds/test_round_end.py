"""Awards for entries, and the next hand of a race."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from sqlalchemy.exc import OperationalError

from bot.database import Tx
from bot.games.twentyfour.rules import Hand
from bot.modes.duel import queries as duels
from bot.modes.duel.rules import CHALLENGE_SECONDS, Duel
from bot.modes.race import queries as races
from bot.rounds import attempts, ledger
from bot.rounds import queries as rounds
from bot.rounds.capabilities import Entries
from bot.rounds.puzzle import Entry, Kind
from bot.rounds.registry import GAMES
from bot.rounds.round_end import end_round, record_round_end, show_round_end
from bot.rounds.rules import Award, Round, expire_if_due
from tests.bot.databases import Database
from tests.bot.queue.queue_database import FULL_DISK
from tests.bot.rounds.test_deadlines import CLUB, is_race_open, open_race_hand
from tests.sample_rounds import make_round, store_round
from tests.stories.clock import NOON

UNTIL = NOON + 600


class EqualEntries(Entries[Hand]):
    def award(self, round: Round, entries: Sequence[Entry]) -> tuple[Award, ...]:
        return tuple(Award(entry.player_id, 3, 9.0, entry.answer, "") for entry in entries)


async def test_entry_sent_at_deadline_counts_and_later_one_not(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(GAMES["24"]), "entries", EqualEntries())

    def story(tx: Tx) -> None:
        best = store_round(tx, make_round(kind=Kind.BEST, deadline=UNTIL))
        for who, at, answer in ((1, UNTIL, "8/(3-8/3)"), (2, UNTIL + 1, "8/(3-8/3)")):
            attempts.store_entry(tx, best.id, Entry(who, answer, at))
        over = expire_if_due(best, UNTIL + 5)
        assert end_round(tx, over, UNTIL + 5)
        assert ledger.load_round_points(tx, best.id) == {1: 3}

    await db(story)


async def test_race_ends_if_next_hand_is_blocked(db: Database) -> None:
    def story(tx: Tx) -> None:
        first = open_race_hand(tx, hands=2)
        over = expire_if_due(first, UNTIL + 5)
        assert rounds.close_round(tx, over)
        store_round(
            tx, replace(make_round(), chat_id=CLUB, message_id=9)
        )  # somebody else's, in the race's place
        end = record_round_end(tx, over, UNTIL + 5)
        assert end.next_round is None
        assert [request.method for request in show_round_end(tx, end)] == ["show"]
        assert not is_race_open(tx, first)

    await db(story)


def insert_duel(tx: Tx, race_id: int) -> None:
    """Make the race a duel's."""
    new = Duel(0, CLUB, 0, 1, 2, "24", UNTIL + CHALLENGE_SECONDS)
    duels.begin_duel(tx, duels.insert_challenge(tx, new).id, 2, race_id)


@pytest.mark.parametrize("duel", [False, True], ids=["race", "duel"])
@pytest.mark.parametrize("below", [15, 16])
async def test_race_moves_to_new_message_far_below(db: Database, below: int, duel: bool) -> None:
    def story(tx: Tx) -> None:
        first = open_race_hand(tx, hands=2)
        if duel:
            insert_duel(tx, first.race_id or 0)
        message = first.message_id or 0
        end = end_round(tx, expire_if_due(first, UNTIL + 5), UNTIL + 5, ending_message_id=message + below)
        assert end is not None
        result = show_round_end(tx, end)
        if below == 15:
            assert [request.method for request in result] == ["show"]
            return
        pointer, deal = result
        said = "⚔️ The duel goes on below. ⬇️" if duel else "🏁 The race goes on below. ⬇️"
        assert (pointer.params["message_id"], pointer.params["text"]) == (message, said)
        assert deal.method == "show"

    await db(story)


async def test_database_failure_ends_no_race(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    # The race waits for the database; a hand that can't be read ends it.
    def story(tx: Tx) -> None:
        first = open_race_hand(tx, hands=2)
        over = expire_if_due(first, UNTIL + 5)
        with monkeypatch.context() as patch:
            patch.setattr(races, "unpack_dealt_puzzle", make_failing(FULL_DISK))
            with pytest.raises(OperationalError):
                end_round(tx, over, UNTIL + 5)
        assert is_race_open(tx, first)
        with monkeypatch.context() as patch:
            patch.setattr(races, "unpack_dealt_puzzle", make_failing(ValueError("nonsense")))
            record_round_end(tx, over, UNTIL + 5)
        assert not is_race_open(tx, first)

    await db(story)


def make_failing(trouble: Exception) -> Callable[..., object]:
    def fail(*_: object, **__: object) -> object:
        raise trouble

    return fail
