"""Queries of weekly summaries and due groups."""

from sqlalchemy import update

from bot.database import Tx
from bot.database.schema import awards, chats
from bot.database.schema import rounds as table
from bot.players import queries as people
from bot.queue import scheduled_posts
from bot.rounds import ledger
from bot.rounds.rules import Award
from bot.standings import weekly_post as weeks
from bot.standings.weekly_post import Week, WeekSummary
from tests.bot.databases import Database
from tests.sample_rounds import make_round, store_round

MONDAY = 1_795_392_000.0  # Midnight before 23 November 2026
TEN = MONDAY + 36_000
WEEK = Week("2026-W47", MONDAY - 7 * 86_400, MONDAY)


def insert_round(
    tx: Tx,
    chat: int,
    winner: int | None,
    *,
    at: float = MONDAY - 86_400,
    seconds: float = 9.0,
    points: int = 1,
) -> None:
    """Insert a round that ended at `at`; without a winner it took `seconds` as its difficulty."""
    stored = store_round(
        tx, make_round(chat_id=chat, opened=at - seconds, expected=seconds, numbers=(1, 1, 5, int(seconds)))
    )
    state = {"state": "won" if winner else "expired", "winner_id": winner, "closed": at}
    tx.execute(update(table).where(table.c.id == stored.id).values(state))
    if winner is not None:
        assert ledger.insert_award(tx, stored, Award(winner, points, seconds, "8/(3-8/3)", ""), 7, at)


def load_due_groups(tx: Tx, now: float) -> list[tuple[int, Week | None]]:
    """Return all groups that are due a post, each with its week."""
    found = weeks.find_due_groups(tx, 100, now)
    return [(chat, weeks.find_due_week(tx, chat, now)) for chat in found]


async def test_summary_of_a_week_is_loaded(db: Database) -> None:
    def story(tx: Tx) -> None:
        insert_round(tx, -1, 7, points=3, seconds=20)
        insert_round(tx, -1, 8, points=2, seconds=6)
        insert_round(tx, -1, 8, points=2, seconds=8)
        insert_round(tx, -1, None, seconds=5)
        insert_round(tx, -1, None, seconds=9)
        for at in (WEEK.since - 1, WEEK.until):
            insert_round(tx, -1, 9, at=at, points=50, seconds=1)
            insert_round(tx, -1, None, at=at, seconds=13)
        insert_round(tx, -2, 9, points=50, seconds=1)
        assert weeks.load_week_summary(tx, -1, WEEK) == WeekSummary((8,), 4, 8, 6.0, "1 1 5 9 → 24", "24")

    await db(story)


async def test_winners_may_share_a_week_and_forgotten_players_do_not_count(db: Database) -> None:
    def story(tx: Tx) -> None:
        insert_round(tx, -1, 0, points=9, seconds=1)
        assert weeks.load_week_summary(tx, -1, WEEK) is None
        for player in (8, 7):
            insert_round(tx, -1, player, points=2, seconds=10 + player)
        assert weeks.load_week_summary(tx, -1, WEEK) == WeekSummary((7, 8), 2, 7, 17.0, None, "24")

    await db(story)


async def test_groups_are_due_that_played_and_want_the_post(db: Database) -> None:
    def story(tx: Tx) -> None:
        for chat in (-1, -2, -3, -4, 5):
            insert_round(tx, chat, 7)
        insert_round(tx, -6, None)
        insert_round(tx, -7, 7, at=WEEK.since - 1)
        insert_round(tx, -8, 7, at=WEEK.until)
        people.store_setting(tx, -2, "posts", [0, 0, 600, "en"])
        tx.execute(update(chats).where(chats.c.id == -3).values(gone=1))
        assert scheduled_posts.claim_post(tx, -4, weeks.POST_KIND, "2026-W47", TEN)
        assert load_due_groups(tx, TEN) == [(-1, WEEK)]
        assert load_due_groups(tx, TEN - 1) == []
        assert load_due_groups(tx, TEN + 4 * 86_400) == []

    await db(story)


async def test_limited_number_of_due_groups_is_found(db: Database) -> None:
    def story(tx: Tx) -> None:
        for chat in (-1, -2, -3, -4, -5):
            insert_round(tx, chat, 7)
        assert weeks.find_due_groups(tx, 2, TEN) == [-5, -4]
        assert weeks.find_due_groups(tx, 6, TEN) == [-5, -4, -3, -2, -1]

    await db(story)


async def test_win_in_the_first_second_of_the_week_makes_a_group_due(db: Database) -> None:
    def story(tx: Tx) -> None:
        insert_round(tx, -1, 7, at=WEEK.since)
        assert load_due_groups(tx, TEN) == load_due_groups(tx, TEN + 86_400) == [(-1, WEEK)]
        assert load_due_groups(tx, TEN + 86_401) == []

    await db(story)


async def test_first_second_belongs_to_the_week(db: Database) -> None:
    def story(tx: Tx) -> None:
        insert_round(tx, -1, 7, at=WEEK.since, seconds=6)
        insert_round(tx, -1, None, at=WEEK.since, seconds=5)
        assert weeks.load_week_summary(tx, -1, WEEK) == WeekSummary((7,), 1, 7, 6.0, "1 1 5 5 → 24", "24")
        assert weeks.load_week_points(tx, -1, WEEK, "24") == {7: 1}

    await db(story)


async def test_week_without_valid_times_has_no_fastest_answer(db: Database) -> None:
    def story(tx: Tx) -> None:
        insert_round(tx, -1, 7)
        tx.execute(update(awards).values(seconds=float("inf")))
        assert weeks.load_week_summary(tx, -1, WEEK) == WeekSummary((7,), 1, None, 0.0, None, "24")

    await db(story)
