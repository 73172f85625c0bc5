"""Updates of stored rounds, and rows that can't be read."""

from dataclasses import replace

import pytest
from sqlalchemy import func, select, update

from bot.database import Tx
from bot.database.schema import awards
from bot.database.schema import rounds as table
from bot.rounds import ledger
from bot.rounds import queries as rounds
from bot.rounds.puzzle import Kind
from bot.rounds.registry import pack_puzzle
from bot.rounds.rules import Award, State, mark_ended, shorten_deadline
from tests.bot.databases import Database
from tests.sample_rounds import change_round, make_round, store_round
from tests.stories.clock import NOON

ANN = 1
HAND = make_round(hint_values=("a", "b"))


async def test_only_open_round_gets_new_deadline(db: Database) -> None:
    def story(tx: Tx) -> None:
        open_, over, beside = (store_round(tx, replace(HAND, chat_id=chat)) for chat in (-1, -2, -3))
        closed = mark_ended(over, State.SKIPPED, NOON + 5)
        assert rounds.close_round(tx, closed)
        for each in (open_, over):
            rounds.update_game_state(tx, shorten_deadline(each, NOON + 60))
        assert rounds.load_round(tx, open_.id) == shorten_deadline(open_, NOON + 60)
        assert rounds.load_round(tx, over.id) == closed
        assert rounds.load_round(tx, beside.id) == beside

    await db(story)


async def test_hints_are_updated_in_one_round(db: Database) -> None:
    def story(tx: Tx) -> None:
        helped, beside = (store_round(tx, replace(HAND, chat_id=chat)) for chat in (-1, -2))
        rounds.update_game_state(tx, change_round(helped, hints=2))
        assert rounds.load_round(tx, helped.id) == change_round(helped, hints=2)
        assert rounds.load_round(tx, beside.id) == beside

    await db(story)


@pytest.mark.parametrize(("since", "began"), [(None, 9), (4, 4), (12, 9)])
async def test_clock_starts_at_first_delivery(db: Database, since: float | None, began: float) -> None:
    def story(tx: Tx) -> None:
        round = store_round(tx, HAND)
        rounds.record_deal_message(tx, round.id, 5, NOON + 9, None if since is None else NOON + since)
        expected = replace(round, message_id=5, opened=NOON + began, deadline=NOON + 609, was_displayed=True)
        assert rounds.load_round(tx, round.id) == expected
        rounds.record_deal_message(tx, round.id, 6, NOON + 20)
        assert rounds.load_round(tx, round.id) == expected

    await db(story)


async def test_first_display_is_recorded_once(db: Database) -> None:
    def story(tx: Tx) -> None:
        round, beside = (store_round(tx, replace(HAND, chat_id=chat)) for chat in (-1, -2))
        for at in (3, 9):
            rounds.record_first_display(tx, round.id, NOON + at)
        assert list(tx.scalars(select(table.c.shown).order_by(table.c.id))) == [NOON + 3, 0]
        assert [
            r.was_displayed
            for r in rounds.load_rounds(tx, rounds.select_rounds(table.c.id.in_([round.id, beside.id])))
        ] == [
            True,
            False,
        ]

    await db(story)


async def test_entries_and_cards_are_no_right_answers(db: Database) -> None:
    def story(tx: Tx) -> None:
        for chat, kind in enumerate((Kind.FIRST, Kind.ALL, Kind.BEST), start=-9):
            round = store_round(tx, replace(HAND, chat_id=chat, kind=kind))
            ledger.insert_award(tx, round, Award(ANN, chat + 12, 1.0, "24", ""), 5, NOON)
        right = select(func.sum(awards.c.points)).where(rounds.IS_RIGHT_ANSWER)
        assert tx.scalar(right) == 3 + 4

    await db(story)


@pytest.mark.parametrize(
    "broken",
    [
        {"standing": "[]"},
        {"standing": "{"},
        {"kind": "unknown"},
        {"state": "unknown"},
        {"game": "chess"},
        pack_puzzle("24", HAND.puzzle) | {"level": "unknown"},
    ],
)
async def test_unreadable_row_is_no_round(db: Database, broken: dict[str, object]) -> None:
    def story(tx: Tx) -> None:
        stored, beside = (store_round(tx, replace(HAND, chat_id=chat)) for chat in (-1, -2))
        tx.execute(update(table).where(table.c.id == stored.id).values(broken))
        assert rounds.load_round(tx, stored.id) is None
        assert rounds.load_rounds(tx, rounds.select_rounds(table.c.id > 0)) == [beside]

    await db(story)


async def test_missing_hints_and_deadline_have_defaults(
    db: Database,
) -> None:
    def story(tx: Tx) -> None:
        plain = store_round(tx, replace(HAND, deadline=None))
        found = rounds.load_round(tx, plain.id)
        assert found == plain
        assert found.hints_shown == 0
        assert rounds.load_round(tx, plain.id + 1) is None

    await db(story)
