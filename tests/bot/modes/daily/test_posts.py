"""Chats that are due a group table or a reminder."""

import json
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import event, insert, select, text

from bot.database import Tx
from bot.database.schema import HAS_CHOSEN_POSTS, HAS_CHOSEN_REMINDER, HAS_CHOSEN_SECRET, chats
from bot.modes.daily import posts, queries
from bot.modes.daily.posts import MAX_POST_DELAY
from bot.modes.daily.rules import format_utc_date
from bot.players import queries as people
from bot.players.choices import StoredChoices
from bot.players.post_hours import POSTS_KEY, REMINDER_KEY
from bot.players.preferences import SECRET_KEY, Preferences, QuietHours
from bot.queue import scheduled_posts
from tests.bot.databases import Database, open_file_database
from tests.sample_rounds import make_daily_hand

MORNING = 1_763_712_000.0  # 21 November 2025, 08:00 UTC
AT_EIGHT, AT_NINE = [8 * 60, "en"], [9 * 60, "en"]
EIGHT, NINE = [1, 1, *AT_EIGHT], [1, 1, *AT_NINE]


def insert_chat(tx: Tx, chat_id: int, kind: str, settings: object, *, gone: int = 0) -> None:
    row = {"id": chat_id, "kind": kind, "settings": json.dumps(settings), "gone": gone}
    tx.execute(insert(chats), row)


async def test_table_is_due_from_its_hour_until_claimed(db: Database) -> None:
    def story(tx: Tx) -> None:
        for chat_id, settings in (
            (-1, {POSTS_KEY: EIGHT}),
            (-2, {POSTS_KEY: EIGHT}),
            (-3, {POSTS_KEY: NINE}),
            (-4, {}),
        ):
            insert_chat(tx, chat_id, "group", settings)
        insert_chat(tx, -5, "group", {POSTS_KEY: EIGHT}, gone=1)
        insert_chat(tx, -6, "group", {POSTS_KEY: [1, 0, *AT_EIGHT]})
        insert_chat(tx, -7, "group", {POSTS_KEY: "nonsense"})
        insert_chat(tx, 8, "private", {POSTS_KEY: EIGHT})
        assert posts.find_due_chats(tx, 8, posts.TABLE, MORNING - 1) == []
        assert sorted(posts.find_due_chats(tx, 8, posts.TABLE, MORNING)) == [-2, -1]
        assert sorted(posts.find_due_chats(tx, 8, posts.TABLE, MORNING + MAX_POST_DELAY)) == [-3, -2, -1]
        assert posts.find_due_chats(tx, 8, posts.TABLE, MORNING + MAX_POST_DELAY + 3601) == []
        scheduled_posts.claim_post(tx, -1, posts.TABLE.name, format_utc_date(MORNING), MORNING)
        assert posts.find_due_chats(tx, 8, posts.TABLE, MORNING) == [-2]

    await db(story)


async def test_only_as_many_chats_as_asked_for_are_found(db: Database) -> None:
    def story(tx: Tx) -> None:
        today = format_utc_date(MORNING)
        for n in range(1, 31):
            insert_chat(tx, -n, "group", {POSTS_KEY: EIGHT})
            insert_chat(tx, n, "private", {REMINDER_KEY: AT_EIGHT})
        for n in range(21, 31):
            queries.store_table_message(tx, queries.TableMessage(today, -n, 9, "en"))
        for n in range(1, 11):
            queries.open_attempt(tx, make_daily_hand(today), n, MORNING)
        assert posts.find_due_chats(tx, 4, posts.TABLE, MORNING) == [-20, -19, -18, -17]
        assert posts.find_due_chats(tx, 4, posts.REMINDER, MORNING) == [11, 12, 13, 14]
        assert posts.find_due_chats(tx, 40, posts.TABLE, MORNING) == [*range(-20, 0)]
        assert posts.find_due_chats(tx, 40, posts.REMINDER, MORNING) == [*range(11, 31)]

    await db(story)


async def test_reminder_is_due_from_its_hour_until_claimed(db: Database) -> None:
    def story(tx: Tx) -> None:
        insert_chat(tx, 1, "private", {REMINDER_KEY: AT_EIGHT})
        insert_chat(tx, 2, "private", {REMINDER_KEY: AT_NINE})
        insert_chat(tx, 3, "private", {REMINDER_KEY: "nonsense"})
        insert_chat(tx, -4, "group", {REMINDER_KEY: AT_EIGHT})
        assert posts.find_due_chats(tx, 8, posts.REMINDER, MORNING - 1) == []
        assert posts.find_due_chats(tx, 8, posts.REMINDER, MORNING) == [1]
        scheduled_posts.claim_post(tx, 1, posts.REMINDER.name, format_utc_date(MORNING), MORNING)
        assert posts.find_due_chats(tx, 8, posts.REMINDER, MORNING) == []

    await db(story)


def test_conditions_of_indexes_match_stored_settings() -> None:
    for key, condition in ((POSTS_KEY, HAS_CHOSEN_POSTS), (REMINDER_KEY, HAS_CHOSEN_REMINDER)):
        assert json.dumps({key: 1})[1:-4] in condition
    assert json.dumps({SECRET_KEY: True})[1:-1] in HAS_CHOSEN_SECRET


async def test_subscribers_are_found_by_an_index(tmp_path: Path) -> None:
    asked: list[str] = []

    def story(tx: Tx) -> list[str]:
        insert_chat(tx, -1, "group", {POSTS_KEY: EIGHT})
        insert_chat(tx, 1, "private", {REMINDER_KEY: AT_EIGHT})
        event.listen(tx, "before_cursor_execute", lambda *args: asked.append(_fill_in(args[2], args[3])))
        posts.find_due_chats(tx, 8, posts.TABLE, MORNING)
        posts.find_due_chats(tx, 8, posts.REMINDER, MORNING)
        people.load_chats_with_secret_answers(tx)
        through = [statement for statement in asked if "LIKE" in statement and "chats" in statement]
        return [" ".join(row[-1] for row in tx.execute(text(f"EXPLAIN QUERY PLAN {s}"))) for s in through]

    async with open_file_database(tmp_path) as db:
        plans = await db(story)
    assert len(plans) == 5
    for plan in plans:
        assert "USING INDEX chat_that_chose_" in plan or "USING COVERING INDEX chat_that_chose_" in plan, plan


def _fill_in(statement: str, given: tuple[object, ...]) -> str:
    for one in given:
        statement = statement.replace("?", f"'{one}'", 1)
    return statement.replace(":", r"\:")


@pytest.mark.parametrize("which", [HAS_CHOSEN_POSTS, HAS_CHOSEN_REMINDER, HAS_CHOSEN_SECRET])
async def test_condition_of_each_index_works_on_each_database(db: Database, which: str) -> None:
    def story(tx: Tx) -> None:
        insert_chat(tx, -1, "group", {POSTS_KEY: EIGHT, REMINDER_KEY: AT_EIGHT, SECRET_KEY: True})
        insert_chat(tx, -2, "group", {SECRET_KEY: False, "quiet": "posts"})
        found = tx.scalars(select(chats.c.id).where(text(which))).all()
        assert -1 in found

    await db(story)


TODAY = 1_795_219_200.0  # Midnight before 21 November 2026
HOUR = 3600.0


@pytest.mark.parametrize(
    ("minute", "zone", "hours", "expected"),
    [
        (600, "UTC", 9.99, False),
        (600, "UTC", 10, True),
        (600, "UTC", 15.9, True),
        (600, "UTC", 16.1, False),
        (600, "Europe/Helsinki", 8, True),
        (600, "Europe/Helsinki", 7.9, False),
        (1430, "UTC", 23.9, True),
        (1430, "UTC", 24.1, False),
    ],
)
def test_post_is_due_from_its_hour_for_six_hours_on_the_same_day(
    minute: int, zone: str, hours: float, expected: bool
) -> None:
    at = TODAY + hours * HOUR
    chosen = Preferences(zone=ZoneInfo(zone))
    assert posts.is_post_due(chosen, minute, at) is expected


@pytest.mark.parametrize("day", ["2026-03-07", "2026-03-08", "2026-10-31", "2026-11-01"])
def test_post_is_due_at_its_hour_when_clocks_change(day: str) -> None:
    new_york = ZoneInfo("America/New_York")
    eight = datetime.fromisoformat(f"{day}T08:00").replace(tzinfo=new_york).timestamp()
    chosen = Preferences(zone=new_york)
    assert [posts.is_post_due(chosen, 480, at) for at in (eight - 1, eight)] == [False, True]


def test_table_is_due_if_wanted_and_after_the_quiet_hours() -> None:
    night, long = QuietHours(9 * 60, 12 * 60), QuietHours(9 * 60, 20 * 60)
    for daily, quiet, hours, expected in (
        (True, None, 10, True),
        (False, None, 10, False),
        (True, night, 10, False),
        (True, night, 12, True),
        (True, long, 19, False),
        (True, long, 20, True),  # whatever hour lies in them
        (True, long, 23.9, True),
        (True, long, 26.1, False),
    ):
        stored = StoredChoices({"posts": [0, int(daily), 600, "en"]})
        chosen = Preferences(quiet=quiet, stored=stored)
        minute = posts.TABLE.read_minute(chosen)
        assert posts.is_post_due(chosen, minute, TODAY + hours * HOUR) is expected
