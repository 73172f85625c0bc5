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
from bot.i18n import get_words
from bot.players import queries as people
from bot.queue import scheduled
from bot.queue.queries import DRAWN_POST_PREFIX
from bot.queue.timers import TimerContext, TimedTask, make_hourly_cleanup
from bot.standings.weekly import pictures, view
from bot.standings.weekly import queries as weeks
from bot.standings.weekly.rules import Week
from bot.telegram.captions import DescribedPicture
from bot.telegram.messages import Request, add_picture, post_message
from bot.telegram.routes import DeliveredRequest, Routes

WEEKLY_POST = f"{DRAWN_POST_PREFIX}weekly word"
PAGES = 5  # So many times some chats are looked through in one look, where none of them is due anything
PODIUM_PICTURE = "podium"  # The kind of picture


async def _look(running: TimerContext, _: float) -> bool:
    """Claim the word of some groups that are due one, by Telegram's clock; False where there may be more."""
    now = running.inbox.now()
    if not await scheduled.has_capacity(running, now):
        return False
    for _page in range(PAGES):
        behind = running.progress.get(weeks.POST_KIND, scheduled.BEFORE_ALL_CHATS)
        asked = partial(weeks.find_due_groups, now=now, after_chat_id=behind, limit=scheduled.CLAIM_LIMIT)
        due, last = await running.store.read(asked)
        if last is None:
            running.progress.pop(weeks.POST_KIND, None)
            return True
        await scheduled.claim_for_chats(running, due, partial(_claimed, now=now))
        running.progress[weeks.POST_KIND] = last
        if due:
            break
    return False


def _claimed(tx: Tx, chat_id: int, now: float) -> list[Request]:
    week = weeks.find_due_week(tx, chat_id, now)
    claimed = scheduled.claim_post(tx, chat_id, weeks.POST_KIND, week.name, now) if week else None
    return [] if claimed is None else [claimed.make_request(WEEKLY_POST)]


async def render_weekly_post(store: Store, body: dict[str, Any], now: float) -> dict[str, Any] | None:
    """The word as it is said now; None where it is none any more, or the group must not be stirred."""
    asked = scheduled.read_post(weeks.POST_KIND, body)
    week = await store.read(lambda tx: _still_due(tx, asked, now))
    if week is None:
        await store.write(lambda tx: scheduled.release_post(tx, asked))
        return None
    return await store.read(lambda tx: _said(tx, asked, week))


def _still_due(tx: Tx, asked: scheduled.ScheduledPost, now: float) -> Week | None:
    week = weeks.find_due_week(tx, asked.chat_id, now)
    return week if week and week.name == asked.period and scheduled.is_waiting(tx, asked) else None


def _said(tx: Tx, asked: scheduled.ScheduledPost, week: Week) -> dict[str, Any] | None:
    story, place = weeks.load_week_summary(tx, asked.chat_id, week), groups.load_post_target(tx, asked.chat_id)
    if story is None:
        return None
    text = view.render_week_summary(get_words(place.language), story)
    request = post_message(asked.chat_id, text, topic=place.topic, about=asked.about, timed=True)
    if preferences.read_preferences(people.load_chat(tx, asked.chat_id, "supergroup")).pictures is Pictures.ALL:
        request = add_picture(request, PODIUM_PICTURE, place.language, chat=asked.chat_id, week=asdict(week))
    return {**request.body, "began": True}


def load_podium_picture(tx: Tx, asked: Mapping[str, Any], _: float) -> DescribedPicture | None:
    """The podium of a week, and who stands on it below the first."""
    week, speech = Week(**asked["week"]), get_words(asked["language"])
    story = weeks.load_week_summary(tx, asked["chat"], week)
    if story is None:
        return None
    points = weeks.load_week_points(tx, asked["chat"], week)
    names = people.load_names(tx, [*points, *([story.fastest_player_id] if story.fastest_player_id else [])])
    shown = pictures.make_podium_picture(speech, story, points, names)
    return DescribedPicture(shown, [view.render_places(shown)]) if shown else None


def record_delivery(tx: Tx, receipt: DeliveredRequest) -> None:
    """The word arrived; or it came to nothing, and may be sent again."""
    if not receipt.result:
        scheduled.mark_unsent(tx, receipt.about)


ROUTES = Routes(
    renderers={WEEKLY_POST: render_weekly_post},
    picture_finders={PODIUM_PICTURE: load_podium_picture},
    before_send_handlers={weeks.POST_KIND: scheduled.mark_sent},
    delivery_handlers={weeks.POST_KIND: record_delivery},
    timed_tasks=[
        TimedTask("words about weeks", MINUTE, _look),
        make_hourly_cleanup("what was posted unasked long ago", scheduled.delete_old_posts),
    ],
)
