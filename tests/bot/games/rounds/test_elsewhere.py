"""What ended in one chat and gives away what is still live in another."""

from dataclasses import replace

import pytest
from sqlalchemy import select, update

from bot.database import Tx
from bot.database.schema import reveals as table
from bot.database.schema import rounds as rounds_table
from bot.games.rounds import queries as rounds
from bot.games.rounds import reveals
from bot.games.rounds.rules import Round, State, ended
from bot.people.privacy import aliases
from tests.bot.databases import Database
from tests.hands import changed, deal, opened
from tests.stories.hours import NOON

ANN, BOB, CID, HERE, THERE = 5_000_000_001, 5_000_000_002, 5_000_000_003, -7, -8
HAND = deal(chat_id=HERE, dealer_id=BOB)
ANNS = replace(HAND, chat_id=THERE, dealer_id=ANN)
"""The same hand in a chat in which Ann plays."""
MANY = changed(ANNS, numbers=(1, 2, 3, 3, 4, 5, 6, 8, 8))
"""One whose solutions may hold the other's, and whose list doesn't tell everybody."""
PARTS = changed(ANNS, numbers=(2, 6, 3, 2, 6, 3), ideas=("(2+6)/(3-(2+6)/3)",))
"""One that gives it away by what is listed at its end."""
SCALED = changed(ANNS, numbers=(6, 8, 6, 16), ideas=("16/(6-16/3)",))
"""One that leads to it only for those who look for it."""
OTHER = changed(ANNS, numbers=(1, 5, 5, 5))


def over(tx: Tx, new: Round, state: State, at: float, winner: int | None = None) -> Round:
    """A round that ended so many seconds after noon."""
    closed = replace(ended(opened(tx, new), state, NOON + at), winner_id=winner)
    assert rounds.close(tx, closed)
    return closed


def sees(tx: Tx, round: Round, at: float) -> bool:
    return reveals.seen(tx, round, ANN, NOON + at)


@pytest.mark.parametrize(
    ("closed", "deadline", "seen"),
    [(0.0, 0.0, True), (20.0, 600.0, True), (21.0, 600.0, True), (21.5, 600.0, False), (-1.0, 600.0, False)],
)
async def test_what_ended_between_the_deal_and_now_counts_by_whole_seconds(
    db: Database, closed: float, deadline: float, seen: bool
) -> None:
    def story(tx: Tx) -> None:
        over(tx, replace(ANNS, opened=NOON - 60, deadline=NOON + deadline), State.EXPIRED, closed)
        assert sees(tx, opened(tx, HAND), 20) is seen

    await db(story)


@pytest.mark.parametrize(
    ("state", "seen"),
    [(State.SKIPPED, [True, True]), (State.EXPIRED, [True, True]), (State.WON, [False, True])],
)
async def test_a_winners_answer_takes_two_seconds_to_be_copied(
    db: Database, state: State, seen: list[bool]
) -> None:
    def story(tx: Tx) -> None:
        round = opened(tx, HAND)
        over(tx, ANNS, state, 10, CID if state is State.WON else None)
        assert [sees(tx, round, at) for at in (11, 12)] == seen

    await db(story)


@pytest.mark.parametrize(
    ("there", "winner", "seen"),
    [
        (ANNS, CID, True),
        (ANNS, ANN, False),  # she knows it by her own answer
        (changed(ANNS, numbers=(8, 8, 3, 3)), ANN, False),
        (changed(ANNS, numbers=(3, 8, 3, 8, 1)), ANN, True),
        (OTHER, CID, False),
        (OTHER, ANN, False),
    ],
)
async def test_the_end_of_a_hand_tells_all_but_who_won_the_very_same(
    db: Database, there: Round, winner: int, seen: bool
) -> None:
    def story(tx: Tx) -> None:
        round = opened(tx, HAND)
        over(tx, there, State.WON, 10, winner)
        assert sees(tx, round, 20) is seen

    await db(story)


@pytest.mark.parametrize(
    ("there", "alone", "among_others"),
    [(MANY, True, False), (PARTS, True, False), (SCALED, False, False), (ANNS, True, True)],
)
async def test_who_is_alone_with_the_bot_reads_all_that_is_listed_at_the_end(
    db: Database, there: Round, alone: bool, among_others: bool
) -> None:
    def story(tx: Tx) -> None:
        round = opened(tx, HAND)
        over(tx, there, State.SKIPPED, 10)
        assert sees(tx, round, 20) is among_others
        over(tx, replace(there, chat_id=ANN), State.SKIPPED, 10)
        assert sees(tx, round, 20) is alone

    await db(story)


async def test_where_a_list_cannot_be_read_what_was_asked_counts_all_the_same(db: Database) -> None:
    def story(tx: Tx) -> None:
        round = opened(tx, HAND)
        over(tx, replace(PARTS, chat_id=ANN), State.SKIPPED, 10)
        over(tx, replace(MANY, chat_id=CID), State.SKIPPED, 10)
        tx.execute(update(rounds_table).where(rounds_table.c.chat_id > 0).values(puzzle="{}"))
        assert reveals.seen_by(tx, round, [ANN, CID], NOON + 20) == {CID}

    await db(story)


async def test_the_hand_before_on_the_same_table_was_over_before_this_was_dealt(db: Database) -> None:
    def story(tx: Tx) -> None:
        over(tx, replace(HAND, dealer_id=ANN), State.SKIPPED, 0)
        round = opened(tx, HAND)
        assert not sees(tx, round, 20)
        in_a_topic = opened(tx, replace(HAND, topic=5))
        assert sees(tx, in_a_topic, 20)

    await db(story)


async def test_a_later_hand_of_another_table_counts_in_the_same_chat(db: Database) -> None:
    def story(tx: Tx) -> None:
        round = opened(tx, replace(HAND, dealer_id=ANN))
        over(tx, replace(HAND, topic=5), State.SKIPPED, 0)
        assert sees(tx, round, 20)

    await db(story)


@pytest.mark.parametrize(
    ("there", "closed", "winner", "kept"),
    [
        (ANNS, 0.0, None, True),
        (ANNS, 10.0, None, True),
        (ANNS, 10.0, CID, True),
        (ANNS, 10.0, ANN, False),
        (ANNS, -1.0, None, False),  # before anything that is live was dealt
        (ANNS, float("inf"), None, False),
        (OTHER, 10.0, None, False),
        (replace(ANNS, dealer_id=CID), 10.0, None, False),
    ],
)
async def test_what_ended_where_a_person_played_stays_with_their_alias(
    db: Database, there: Round, closed: float, winner: int | None, kept: bool
) -> None:
    def story(tx: Tx) -> None:
        opened(tx, HAND)
        opened(tx, changed(HAND, chat_id=-9, numbers=(1, 1, 11, 11), opened=NOON + 5))
        earlier = replace(there, opened=NOON - 60)
        over(tx, earlier, State.WON if winner else State.SKIPPED, closed, winner)
        reveals.carry(tx, ANN)
        assert list(tx.scalars(select(table.c.reader))) == [aliases.alias(tx, ANN)] * kept

    await db(story)


async def test_nothing_that_ended_is_kept_where_nothing_is_live(db: Database) -> None:
    def story(tx: Tx) -> None:
        over(tx, ANNS, State.SKIPPED, 10)
        reveals.carry(tx, ANN)
        assert list(tx.scalars(select(table.c.reader))) == []

    await db(story)
