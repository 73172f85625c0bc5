"""The word about its week that a group gets on Monday."""

from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from typing import Any

from bot.admin import queries as groups
from bot.admin.settings import rules as preferences
from bot.admin.settings.rules import Pictures
from bot.database import Store, Tx
from bot.durations import MINUTE
from bot.i18n import words
from bot.players import queries as people
from bot.queue import scheduled
from bot.queue.queries import DRAWN_POST
from bot.queue.timers import Running, TimedWork, hourly
from bot.standings.weekly import pictures, view
from bot.standings.weekly import queries as weeks
from bot.standings.weekly.rules import Week
from bot.telegram.captions import Seen
from bot.telegram.messages import Request, pictured, post
from bot.telegram.routes import Delivered, Routes

METHOD = f"{DRAWN_POST}weekly word"
PAGES = 5  # So many times some chats are looked through in one look, where none of them is due anything
PODIUM = "podium"  # The kind of picture


async def _look(running: Running, _: float) -> bool:
    """Claim the word of some groups that are due one, by Telegram's clock; False where there may be more."""
    now = running.inbox.now()
    if not await scheduled.have_room(running, now):
        return False
    for _page in range(PAGES):
        behind = running.reached.get(weeks.WHAT, scheduled.BEFORE_ALL)
        asked = partial(weeks.waiting, now=now, behind=behind, most=scheduled.A_LOOK)
        due, last = await running.store.read(asked)
        if last is None:
            running.reached.pop(weeks.WHAT, None)
            return True
        await scheduled.claim_each(running, due, partial(_claimed, now=now))
        running.reached[weeks.WHAT] = last
        if due:
            break
    return False


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
    request = post(asked.chat_id, text, topic=place.topic, about=asked.about, timed=True)
    if preferences.of(people.find_chat(tx, asked.chat_id, "supergroup")).pictures is Pictures.ALL:
        request = pictured(request, PODIUM, place.language, chat=asked.chat_id, week=asdict(week))
    return {**request.body, "began": True}


def seen(tx: Tx, asked: Mapping[str, Any], _: float) -> Seen | None:
    """The podium of a week, and who stands on it below the first."""
    week, speech = Week(**asked["week"]), words(asked["language"])
    story = weeks.story(tx, asked["chat"], week)
    if story is None:
        return None
    points = weeks.scores(tx, asked["chat"], week)
    names = people.names(tx, [*points, *([story.fastest] if story.fastest else [])])
    shown = pictures.of(speech, story, points, names)
    return Seen(shown, [view.places(shown)]) if shown else None


def settled(tx: Tx, receipt: Delivered) -> None:
    """The word arrived; or it came to nothing, and may be sent again."""
    if not receipt.result:
        scheduled.came_to_nothing(tx, receipt.about)


ROUTES = Routes(
    draws={METHOD: drawn},
    looks={PODIUM: seen},
    leaving={weeks.WHAT: scheduled.leaving},
    receipts={weeks.WHAT: settled},
    timed=[
        TimedWork("words about weeks", MINUTE, _look),
        hourly("what was posted unasked long ago", scheduled.sweep),
    ],
)
