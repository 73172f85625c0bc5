"""Whom the daily hand is posted to unasked is found by what was chosen, however many chats there are."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import event, insert, select, text

from bot.admin.settings.hours import ALONE, GROUPS
from bot.admin.settings.rules import SECRET
from bot.database import Tx
from bot.database.schema import CHOSE_POSTS, CHOSE_REMINDER, CHOSE_SECRET, chats
from bot.modes.daily import queries as days
from bot.modes.daily import seats, unasked
from bot.modes.daily.rules import LATE, day_of
from bot.players import queries as people
from bot.queue import scheduled
from tests.bot.databases import Database, in_file

MORNING = 1_763_712_000.0  # 21 November 2025, 08:00 UTC
AT_EIGHT, AT_NINE = [8 * 60, "en"], [9 * 60, "en"]
EIGHT, NINE = [1, 1, *AT_EIGHT], [1, 1, *AT_NINE]


def chose(tx: Tx, chat_id: int, kind: str, settings: object, *, gone: int = 0) -> None:
    row = {"id": chat_id, "kind": kind, "settings": json.dumps(settings), "gone": gone}
    tx.execute(insert(chats), row)


async def test_groups_are_due_at_the_hour_that_they_chose_until_they_are_told(db: Database) -> None:
    def story(tx: Tx) -> None:
        for chat_id, settings in (
            (-1, {GROUPS: EIGHT}),
            (-2, {GROUPS: EIGHT}),
            (-3, {GROUPS: NINE}),
            (-4, {}),
        ):
            chose(tx, chat_id, "group", settings)
        chose(tx, -5, "group", {GROUPS: EIGHT}, gone=1)
        chose(tx, -6, "group", {GROUPS: [1, 0, *AT_EIGHT]})
        chose(tx, -7, "group", {GROUPS: "nonsense"})
        chose(tx, 8, "private", {GROUPS: EIGHT})
        assert unasked.tables_due(tx, 8, MORNING - 1) == []
        assert sorted(unasked.tables_due(tx, 8, MORNING)) == [-2, -1]
        assert sorted(unasked.tables_due(tx, 8, MORNING + LATE)) == [-3, -2, -1]
        assert unasked.tables_due(tx, 8, MORNING + LATE + 3601) == []
        scheduled.claim(tx, -1, unasked.TABLE, day_of(MORNING), MORNING)
        assert unasked.tables_due(tx, 8, MORNING) == [-2]

    await db(story)


async def test_a_few_are_found_however_many_are_due(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """And nobody is looked at who has the day's hand on the table already."""
    looked = list[int]()
    for wants in ("GROUPS_THAT_WANT", "PEOPLE_WHO_WANT"):
        was = getattr(unasked, wants)

        def due(tx: Tx, chat: int, now: float, was: unasked.Wants = was) -> str | None:
            looked.append(chat)
            return was.due(tx, chat, now)

        monkeypatch.setattr(unasked, wants, replace(was, due=due))

    def story(tx: Tx) -> None:
        today = day_of(MORNING)
        for n in range(1, 31):
            chose(tx, -n, "group", {GROUPS: EIGHT})
            chose(tx, n, "private", {ALONE: AT_EIGHT})
        for n in range(21, 31):
            seats.follow(tx, seats.Followed(today, -n, 9, "en"))
        for n in range(1, 11):
            days.begin(tx, today, n, MORNING)
        assert unasked.tables_due(tx, 4, MORNING) == [-20, -19, -18, -17]
        assert unasked.reminders_due(tx, 4, MORNING) == [11, 12, 13, 14]
        assert looked == [-20, -19, -18, -17, 11, 12, 13, 14]
        assert unasked.tables_due(tx, 40, MORNING) == [*range(-20, 0)]
        assert unasked.reminders_due(tx, 40, MORNING) == [*range(11, 31)]

    await db(story)


async def test_nobody_is_reminded_who_opened_the_hand_before_they_came_back(db: Database) -> None:
    """What they did stands under another number since they asked to be forgotten: a page of such people ends
    no look.
    """

    def story(tx: Tx) -> None:
        for n in range(1, 7):
            chose(tx, n, "private", {ALONE: AT_EIGHT})
        assert unasked.reminders_due(tx, 2, MORNING) == [1, 2]
        monkeypatch.setattr(unasked, "PEOPLE_WHO_WANT", replace(unasked.PEOPLE_WHO_WANT, due=_after_four))
        assert unasked.reminders_due(tx, 2, MORNING) == [5, 6]

    with pytest.MonkeyPatch.context() as monkeypatch:
        await db(story)


def _after_four(_: Tx, chat: int, now: float) -> str | None:
    return day_of(now) if chat > 4 else None


async def test_people_are_reminded_at_the_hour_that_they_chose_until_they_are_told(db: Database) -> None:
    def story(tx: Tx) -> None:
        chose(tx, 1, "private", {ALONE: AT_EIGHT})
        chose(tx, 2, "private", {ALONE: AT_NINE})
        chose(tx, 3, "private", {ALONE: "nonsense"})
        chose(tx, -4, "group", {ALONE: AT_EIGHT})
        assert unasked.reminders_due(tx, 8, MORNING - 1) == []
        assert unasked.reminders_due(tx, 8, MORNING) == [1]
        scheduled.claim(tx, 1, unasked.REMINDER, day_of(MORNING), MORNING)
        assert unasked.reminders_due(tx, 8, MORNING) == []

    await db(story)


def test_the_indexes_hold_what_is_chosen() -> None:
    for key, condition in ((GROUPS, CHOSE_POSTS), (ALONE, CHOSE_REMINDER)):
        assert json.dumps({key: 1})[1:-4] in condition
    assert json.dumps({SECRET: True})[1:-1] in CHOSE_SECRET


async def test_no_chat_is_looked_at_that_chose_nothing(tmp_path: Path) -> None:
    """Each statement that goes through chats goes by an index of those that chose."""
    asked: list[str] = []

    def story(tx: Tx) -> list[str]:
        chose(tx, -1, "group", {GROUPS: EIGHT})
        chose(tx, 1, "private", {ALONE: AT_EIGHT})
        event.listen(tx, "before_cursor_execute", lambda *args: asked.append(_whole(args[2], args[3])))
        unasked.tables_due(tx, 8, MORNING)
        unasked.reminders_due(tx, 8, MORNING)
        unasked.unreachable(tx)
        people.with_secret_answers(tx)
        through = [statement for statement in asked if "LIKE" in statement and "chats" in statement]
        return [" ".join(row[-1] for row in tx.execute(text(f"EXPLAIN QUERY PLAN {s}"))) for s in through]

    async with in_file(tmp_path) as db:
        plans = await db(story)
    assert len(plans) == 8
    for plan in plans:
        assert "USING INDEX chat_that_chose_" in plan or "USING COVERING INDEX chat_that_chose_" in plan, plan


def _whole(statement: str, given: tuple[object, ...]) -> str:
    """The statement with what was given to it."""
    for one in given:
        statement = statement.replace("?", f"'{one}'", 1)
    return statement.replace(":", r"\:")


@pytest.mark.parametrize("which", [CHOSE_POSTS, CHOSE_REMINDER, CHOSE_SECRET])
async def test_what_was_chosen_is_found_on_each_database(db: Database, which: str) -> None:
    def story(tx: Tx) -> None:
        chose(tx, -1, "group", {GROUPS: EIGHT, ALONE: AT_EIGHT, SECRET: True})
        chose(tx, -2, "group", {SECRET: False, "quiet": "posts"})
        found = tx.scalars(select(chats.c.id).where(text(which))).all()
        assert -1 in found

    await db(story)
