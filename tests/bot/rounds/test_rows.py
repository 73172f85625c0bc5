"""What is written of a round while it is open, and which rows are no round."""

from dataclasses import replace

import pytest
from sqlalchemy import func, select, update

from bot.database import Tx
from bot.database.schema import awards
from bot.database.schema import rounds as table
from bot.rounds import queries as rounds
from bot.rounds.known import packed
from bot.rounds.puzzle import Kind
from bot.rounds.rules import Award, State, ended, hurried
from bot.standings.leaderboard import queries as boards
from tests.bot.databases import Database
from tests.hands import changed, deal, opened
from tests.stories.hours import NOON

ANN = 1
HAND = deal(hint_values=("a", "b"))
NO_NUMBER = float("inf")


async def test_only_a_round_that_is_open_gets_another_deadline(db: Database) -> None:
    def story(tx: Tx) -> None:
        open_, over, beside = (opened(tx, replace(HAND, chat_id=chat)) for chat in (-1, -2, -3))
        closed = ended(over, State.SKIPPED, NOON + 5)
        assert rounds.close(tx, closed)
        for each in (open_, over):
            rounds.set_deadline(tx, hurried(each, NOON + 60))
        assert rounds.by_id(tx, open_.id) == hurried(open_, NOON + 60)
        assert rounds.by_id(tx, over.id) == closed
        assert rounds.by_id(tx, beside.id) == beside

    await db(story)


async def test_hints_are_shown_in_one_round_alone(db: Database) -> None:
    def story(tx: Tx) -> None:
        helped, beside = (opened(tx, replace(HAND, chat_id=chat)) for chat in (-1, -2))
        rounds.show_hints(tx, changed(helped, hints=2))
        assert rounds.by_id(tx, helped.id) == changed(helped, hints=2)
        assert rounds.by_id(tx, beside.id) == beside

    await db(story)


@pytest.mark.parametrize(("since", "began"), [(None, 9), (4, 4), (12, 9)])
async def test_a_clock_starts_when_the_deal_arrives_and_its_time_from_when_a_copy_was_seen(
    db: Database, since: float | None, began: float
) -> None:
    def story(tx: Tx) -> None:
        round = opened(tx, HAND)
        rounds.dealt(tx, round.id, 5, NOON + 9, None if since is None else NOON + since)
        expected = replace(round, message_id=5, opened=NOON + began, deadline=NOON + 609, seen=True)
        assert rounds.by_id(tx, round.id) == expected
        rounds.dealt(tx, round.id, 6, NOON + 20)
        assert rounds.by_id(tx, round.id) == expected

    await db(story)


async def test_when_a_hand_was_first_shown_is_written_once(db: Database) -> None:
    def story(tx: Tx) -> None:
        round, beside = (opened(tx, replace(HAND, chat_id=chat)) for chat in (-1, -2))
        for at in (3, 9):
            rounds.first_shown(tx, round.id, NOON + at)
        assert list(tx.scalars(select(table.c.shown).order_by(table.c.id))) == [NOON + 3, 0]
        assert [r.seen for r in rounds.such(tx, rounds.in_order(table.c.id.in_([round.id, beside.id])))] == [
            True,
            False,
        ]

    await db(story)


async def test_what_came_nearest_or_stands_on_a_card_was_no_right_answer(db: Database) -> None:
    def story(tx: Tx) -> None:
        for chat, kind in enumerate((Kind.FIRST, Kind.ALL, Kind.BEST), start=-9):
            round = opened(tx, replace(HAND, chat_id=chat, kind=kind))
            boards.award(tx, round, Award(ANN, chat + 12, 1.0, "24", ""), 5, NOON)
        right = select(func.sum(awards.c.points)).where(rounds.RIGHT)
        assert tx.scalar(right) == 3 + 4

    await db(story)


@pytest.mark.parametrize(
    "broken",
    [
        {"standing": "[]"},
        {"standing": "{"},
        {"standing": '{"hints": "1"}'},
        {"standing": '{"hints": true}'},
        {"kind": "contest"},
        {"kind": "unknown"},
        {"state": "unknown"},
        {"opened": NO_NUMBER},
        {"deadline": NO_NUMBER},
        {"closed": NO_NUMBER},
        {"game": "chess"},
        {"game": "yahtzee"},
        packed("24", HAND.puzzle) | {"level": "unknown"},
    ],
)
async def test_a_row_that_nobody_could_play_is_no_round(db: Database, broken: dict[str, object]) -> None:
    def story(tx: Tx) -> None:
        stored, beside = (opened(tx, replace(HAND, chat_id=chat)) for chat in (-1, -2))
        tx.execute(update(table).where(table.c.id == stored.id).values(broken))
        assert rounds.by_id(tx, stored.id) is None
        assert rounds.such(tx, rounds.in_order(table.c.id > 0)) == [beside]

    await db(story)


async def test_where_nothing_is_said_of_hints_none_are_shown_and_nothing_has_no_deadline(
    db: Database,
) -> None:
    def story(tx: Tx) -> None:
        plain = opened(tx, replace(HAND, standing={}, deadline=None))
        found = rounds.by_id(tx, plain.id)
        assert found == plain
        assert found.hints == 0
        assert rounds.by_id(tx, plain.id + 1) is None

    await db(story)
