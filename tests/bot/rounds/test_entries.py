"""Entries in rounds of the kind best."""

from dataclasses import replace

from bot.database import Tx
from bot.rounds import attempts
from bot.rounds.puzzle import Entry
from tests.bot.databases import Database
from tests.bot.games.countdown.test_game import EXACT, ROUND
from tests.sample_rounds import store_round
from tests.stories.clock import NOON

ANN, BOB, CID = 1, 2, 3
NEAR, FAR = "50*(9+3)-25-1", "50*(9+3)-25"


async def test_entries_are_sorted_by_sending_then_arrival(db: Database) -> None:
    def story(tx: Tx) -> None:
        round = store_round(tx, ROUND)
        beside = store_round(tx, replace(ROUND, chat_id=-2))
        for who, answer, at in ((CID, EXACT, 5), (BOB, NEAR, 5), (ANN, EXACT, 4), (BOB, EXACT, 5)):
            attempts.store_entry(tx, round.id, Entry(who, answer, NOON + at))
        attempts.store_entry(tx, beside.id, Entry(BOB, FAR, NOON + 1))
        # of one second Bob's last came last; what he sent elsewhere is no business of this draw
        expected = [Entry(ANN, EXACT, NOON + 4), Entry(CID, EXACT, NOON + 5), Entry(BOB, EXACT, NOON + 5)]
        assert attempts.load_entries(tx, round) == expected
        assert attempts.load_entries(tx, beside) == [Entry(BOB, FAR, NOON + 1)]

    await db(story)


async def test_entry_sent_earlier_does_not_replace_later_one(db: Database) -> None:
    def story(tx: Tx) -> None:
        round = store_round(tx, ROUND)
        for answer, at in ((NEAR, 5), (FAR, 4)):
            attempts.store_entry(tx, round.id, Entry(ANN, answer, NOON + at))
        assert attempts.load_entries(tx, round) == [Entry(ANN, NEAR, NOON + 5)]

    await db(story)


async def test_unreadable_entry_is_left_out(db: Database) -> None:
    def story(tx: Tx) -> None:
        round = store_round(tx, ROUND)
        for who, answer in ((ANN, "broken"), (BOB, NEAR)):
            attempts.store_entry(tx, round.id, Entry(who, answer, NOON))
        assert attempts.load_entries(tx, round) == [Entry(BOB, NEAR, NOON)]

    await db(story)


async def test_deleted_entries_count_only_in_other_rounds(db: Database) -> None:
    def story(tx: Tx) -> None:
        round, beside = store_round(tx, ROUND), store_round(tx, replace(ROUND, chat_id=-2))
        for each in (round, beside):
            for who in (ANN, BOB, CID):
                attempts.store_entry(tx, each.id, Entry(who, NEAR, NOON))
        attempts.delete_entries(tx, round.id, [ANN, CID])
        assert [entry.player_id for entry in attempts.load_entries(tx, round)] == [BOB]
        assert len(attempts.load_entries(tx, beside)) == 3

    await db(story)
