"""The word about its week that a group gets on Monday."""

from functools import partial
from typing import Any

from bot.database import Store, Tx
from bot.delivery import scheduled
from bot.delivery.queries import DRAWN_POST, MINUTE
from bot.delivery.timers import Running, TimedWork, hourly
from bot.groups import queries as groups
from bot.i18n import words
from bot.people.weekly import queries as weeks
from bot.people.weekly import view
from bot.people.weekly.rules import Week
from bot.telegram.messages import Request, post
from bot.telegram.routes import Delivered, Routes

METHOD = f"{DRAWN_POST}weekly word"


async def _look(running: Running, _: float) -> None:
    """Claim the word of each group that is due one, by Telegram's clock."""
    now = running.inbox.now()
    for chat_id, _week in await running.store.read(lambda tx: weeks.waiting(tx, now)):
        await running.act(partial(_claimed, chat_id=chat_id, now=now))


def _claimed(tx: Tx, chat_id: int, now: float) -> list[Request]:
    week = weeks.week_of(tx, chat_id, now)
    claimed = scheduled.claim(tx, chat_id, weeks.WHAT, week.name, now) if week else None
    return [] if claimed is None else [claimed.request(METHOD)]


async def drawn(store: Store, body: dict[str, Any], now: float) -> dict[str, Any] | None:
    """The word as it is said now; None where it is none any more, or the group must not be stirred."""
    asked = scheduled.asked(weeks.WHAT, body)
    week = await store.read(lambda tx: _still_due(tx, asked, now))
    if week is None:
        await store.write(lambda tx: scheduled.release(tx, asked))
        return None
    return await store.read(lambda tx: _said(tx, asked, week))


def _still_due(tx: Tx, asked: scheduled.Scheduled, now: float) -> Week | None:
    week = weeks.week_of(tx, asked.chat_id, now)
    return week if week and week.name == asked.period and scheduled.waits(tx, asked) else None


def _said(tx: Tx, asked: scheduled.Scheduled, week: Week) -> dict[str, Any] | None:
    story, place = weeks.story(tx, asked.chat_id, week), groups.usual_place(tx, asked.chat_id)
    if story is None:
        return None
    text = view.word(words(place.language), story)
    said = post(asked.chat_id, text, topic=place.topic, about=asked.about, timed=True)
    return {**said.body, "began": True}


def settled(tx: Tx, post: Delivered) -> None:
    """The word arrived; or it came to nothing, and may be sent again."""
    if not post.result:
        scheduled.came_to_nothing(tx, post.about)


ROUTES = Routes(
    draws={METHOD: drawn},
    leaving={weeks.WHAT: scheduled.leaving},
    receipts={weeks.WHAT: settled},
    timed=[
        TimedWork("words about weeks", MINUTE, _look),
        hourly("what was posted unasked long ago", scheduled.sweep),
    ],
)
