"""A chat begins to count and ceases to piece by piece, and the boards agree with the ledger all the while."""

import random
from collections import Counter

import pytest
from sqlalchemy import case, create_engine, delete, select, update

from bot.database import Tx
from bot.database.known import GRACE, SINCE
from bot.database.schema import awards, chats, meta, metadata, totals
from bot.durations import DAY
from bot.people import queries as people
from bot.people.leaderboard import counting
from bot.people.leaderboard import queries as boards
from bot.people.privacy import queries as privacy
from tests.bot.databases import Database
from tests.bot.people.leaderboard.test_queries import START, by_hand, counts, kept, won


@pytest.fixture(autouse=True)
def few_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "AT_ONCE", 6)


def begin(tx: Tx) -> None:
    """All bots know of pieces."""
    people.remember(tx, counting.BY_PIECES, SINCE)


def played(tx: Tx, chat: int = -1, days: int = 20) -> None:
    """Two people won there, day by day."""
    for day in range(days):
        won(tx, chat, 1 + day % 2, 3, START - day * DAY)


def left(tx: Tx, chat: int = -1) -> int:
    """The pieces of the chat that have not changed yet."""
    return len(counting.counting(tx, chat).pieces)


def sweep(tx: Tx, at: float) -> int:
    """How often there was something to do."""
    times = 0
    while counting.sweep(tx, at):
        times += 1
        assert kept(tx) == by_hand(tx)
    return times


async def test_each_transaction_changes_a_few_lines(db: Database) -> None:
    def story(tx: Tx) -> None:
        begin(tx)
        played(tx)
        won(tx, -1, 3, 1, START)
        assert counts(tx, -1)
        many = left(tx)
        assert many > 5
        assert kept(tx) == by_hand(tx)
        assert sweep(tx, START) == many
        assert left(tx) == 0
        assert len(boards.top(tx, boards.ALL_CHATS)) == 3

    await db(story)


@pytest.mark.long
async def test_what_is_won_meanwhile_counts_once(db: Database) -> None:
    def story(tx: Tx) -> None:
        begin(tx)
        played(tx)
        won(tx, -1, 3, 1, START)
        many = left(tx)
        for day in (0, -1, -5, 30):  # on boards that count already, on some that don't yet, and on new ones
            won(tx, -1, 4, 2, START + day * DAY)
            assert kept(tx) == by_hand(tx)
        assert left(tx) == many
        sweep(tx, START)
        assert all(counting.counting(tx, -1).counts_in(board) for board in boards.boards_of("24", START))

    await db(story)


@pytest.mark.long
async def test_who_comes_back_while_it_ceases_to_count_lets_it_count_again_afterwards(db: Database) -> None:
    def story(tx: Tx) -> None:
        begin(tx)
        played(tx)
        won(tx, -1, 3, 1, START)
        sweep(tx, START)
        later = START + counting.WINDOW + 1
        assert counting.sweep(tx, later)
        assert not counts(tx, -1)
        for player in (1, 2, 3):
            won(tx, -1, player, 1, later)
            assert kept(tx) == by_hand(tx)
        assert not counts(tx, -1)
        sweep(tx, later)
        assert counts(tx, -1)
        assert left(tx) == 0

    await db(story)


@pytest.mark.long
async def test_who_is_forgotten_meanwhile_is_on_no_board(db: Database) -> None:
    def story(tx: Tx) -> None:
        begin(tx)
        played(tx)
        won(tx, -1, 3, 1, START)
        of_two = case((awards.c.round_id % 2 == 1, "countdown"), else_="24")
        tx.execute(update(awards).values(game=of_two))  # as if these rounds were summed up
        privacy.forget(tx, 1)
        tx.execute(delete(awards).where(awards.c.player_id == 0))  # which nobody's boards have
        assert kept(tx) == by_hand(tx)
        sweep(tx, START)
        assert not counts(tx, -1)  # two are left
        assert tx.scalar(select(totals.c.points).where(totals.c.chat_id == 0).limit(1)) is None

    await db(story)


@pytest.mark.long
async def test_a_chat_that_moves_meanwhile_is_through_with_it(db: Database) -> None:
    def story(tx: Tx) -> None:
        begin(tx)
        played(tx)
        won(tx, -1, 3, 1, START)
        assert left(tx)
        people.chat(tx, -2, "supergroup")
        boards.move(tx, -1, -2)
        assert (left(tx), counts(tx, -1), counts(tx, -2)) == (0, False, True)
        sweep(tx, START)
        assert kept(tx) == by_hand(tx)

    await db(story)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2))
async def test_the_boards_are_the_ledger_summed_up_at_any_moment(db: Database, seed: int) -> None:
    rng = random.Random(seed)
    done: Counter[str] = Counter()

    def story(tx: Tx) -> None:
        begin(tx)
        at = START
        for _ in range(60):
            at += rng.choice((60.0, DAY / 3, 9 * DAY))
            won(tx, rng.randint(-3, -1), rng.randint(1, 5), rng.randint(1, 3), at)
            done["swept"] += rng.random() < 0.7 and counting.sweep(tx, at)
            done["left"] += any(left(tx, chat) for chat in (-1, -2, -3))
            assert kept(tx) == by_hand(tx)
        sweep(tx, at)
        assert min(done["swept"], done["left"]) > 5

    await db(story)


async def test_all_change_at_once_while_a_version_before_may_be_at_work(db: Database) -> None:
    def story(tx: Tx) -> None:
        played(tx)
        people.remember(tx, "usable from", "0016")
        won(tx, -1, 3, 1, START)
        assert left(tx) == 0
        assert not counting.sweep(tx, START)
        counting.switch(tx, -1, False)
        assert (left(tx), people.fact(tx, "usable from")) == (0, "0016")
        counting.sweep(tx, START + GRACE + 1)
        counting.switch(tx, -1, True)
        assert left(tx) > 5
        assert people.fact(tx, "usable from") == counting.REVISION
        tx.execute(delete(meta))

    await db(story)


@pytest.mark.long
@pytest.mark.parametrize("broken", ["", "{", "7", '["2025-11"]', '{"a": 1}'])
async def test_what_can_not_be_read_holds_up_nothing(db: Database, broken: str) -> None:
    def story(tx: Tx) -> None:
        begin(tx)
        played(tx, days=2)
        tx.execute(update(chats).where(chats.c.id == -1).values(switching=broken))
        won(tx, -1, 2, 1, START)
        assert kept(tx) == by_hand(tx)
        sweep(tx, START)
        won(tx, -1, 3, 1, START)
        sweep(tx, START)
        assert counts(tx, -1)

    await db(story)


def test_what_is_underway_is_found_by_its_index() -> None:
    engine = create_engine("sqlite://")
    metadata.create_all(engine)
    with engine.connect() as connection:
        written = counting.UNDERWAY.compile(engine, compile_kwargs={"literal_binds": True})
        plan = [row[-1] for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {written}")]
    assert ["chat_that_switches" in line for line in plan] == [True]
