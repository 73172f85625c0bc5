"""A group's table of the day: asked for or posted by itself, followed as its people solve the hand.

Its button leads to the private chat with a payload that names the group. The payload is signed, so that
nobody can make one up, and whoever comes with it is listed only as a member of that group.
"""

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import Any

from bot.admin import topics as groups
from bot.database import Store, Tx
from bot.durations import MINUTE
from bot.i18n import Html, get_words, make_mention
from bot.modes.daily import queries, rules, subscribers
from bot.modes.daily import queries as days
from bot.modes.daily import view as words_of
from bot.modes.daily.queries import TableMessage
from bot.modes.daily.rules import Attempt
from bot.queue import scheduled_posts
from bot.queue.queries import DRAWN_POST_PREFIX
from bot.queue.scheduled_posts import ScheduledPost
from bot.queue.timers import TimedTask, TimerContext
from bot.telegram.context import Context
from bot.telegram.messages import Keyboard, Request, edit_message, post_message
from bot.telegram.routes import DeliveredRequest, LostMessage, Routes

# Kinds of receipts: of a table that somebody asked for, and of one that was posted by itself.
ASKED, POSTED = "daily", subscribers.TABLE_KIND
METHOD = f"{DRAWN_POST_PREFIX}daily table"
ENDED = "tables of the day"  # Name of the timed work that draws them a last time


@dataclass(frozen=True, slots=True)
class GroupLinks:
    """The way from a group to the private chat with the bot."""

    username: str  # The bot's
    secret: str  # With which what names a group is signed

    def make_payload(self, chat_id: int) -> str:
        """What names a group in a link: its id with a signature."""
        number = chat_id.to_bytes(8, "big", signed=True)
        return urlsafe_b64encode(number + self._signature(number)).decode().rstrip("=")

    def read_payload(self, payload: str) -> int | None:
        """The group that the payload names; None for none and for one that was made up."""
        try:
            raw = urlsafe_b64decode(payload + "=" * (-len(payload) % 4))
        except (NotBase64, ValueError):
            return None
        number, signature = raw[:8], raw[8:]
        if not hmac.compare_digest(signature, self._signature(number)):
            return None
        return int.from_bytes(number, "big", signed=True)

    def _signature(self, number: bytes) -> bytes:
        return hmac.digest(f"daily {self.secret}".encode(), number, sha256)[:10]


def get_group_links(context: Context) -> GroupLinks:
    """The bot's own."""
    me, token = context.services.me, context.services.settings.token
    return GroupLinks(str(me.username), str(token or me.id))


async def find_linked_group(context: Context) -> int | None:
    """The group that the link led from, if who came with it is in there."""
    group = get_group_links(context).read_payload(context.argument)
    if group is None or context.player is None:
        return None
    return group if await context.is_member(group, context.player.id) else None


def make_table_message(context: Context, tx: Tx, game: str) -> list[Request]:
    """A group's table of today, and the way to the hand."""
    day = rules.make_day_key(rules.format_utc_date(context.sent_at), game)
    shown = TableMessage(day, context.chat.id, 0, context.words.language)
    text, keyboard = _table(tx, get_group_links(context), shown, context.sent_at)
    about = f"{ASKED}:{day}:{context.chat.id}:{context.words.language}"
    return [context.reply(text, keyboard=keyboard, about=about)]


def redraw_tables(context: Context, tx: Tx, attempt: Attempt) -> list[Request]:
    """Redraw the tables that list the player."""
    return make_table_edits(tx, get_group_links(context), attempt, context.sent_at)


def make_table_edits(tx: Tx, links: GroupLinks, attempt: Attempt, now: float) -> list[Request]:
    """The same where no update tells of it; their buttons lead that way."""
    tables = queries.load_table_messages(tx, attempt.day, attempt.player_id)
    if rules.is_day_expired(attempt.day, now):  # they were drawn a last time, without their buttons
        return [edit_message(t.chat_id, t.message_id, _drawn(tx, t, now)) for t in tables]
    return [edit_message(t.chat_id, t.message_id, *_table(tx, links, t, now)) for t in tables]


def _table(tx: Tx, way: GroupLinks, shown: TableMessage, now: float) -> tuple[Html, Keyboard]:
    speech, text = get_words(shown.language), _drawn(tx, shown, now)
    address = words_of.make_deep_link(
        way.username, f"{words_of.get_day_link_prefix(shown.day)}_{way.make_payload(shown.chat_id)}"
    )
    return text, [[(speech.translate_plain("Solve today’s hand"), address)]]


def _drawn(tx: Tx, shown: TableMessage, now: float) -> Html:
    """The text of a group's table as it stands at `now`."""
    attempts = queries.load_seated_attempts(tx, shown.day, shown.chat_id)
    ids = [a.player_id for a in attempts]
    streaks = {i: days.load_streak(tx, i, shown.day) for i in ids}
    names = {i: make_mention(i) for i in ids}
    return words_of.render_group_table(get_words(shown.language), shown.day, attempts, names, streaks, now)


def followed(tx: Tx, table: DeliveredRequest) -> None:
    """A group's table was posted: results change it from now on."""
    _, day, chat_id, language = table.about.split(":")
    queries.store_table_message(
        tx, TableMessage(day, int(chat_id), int(table.result["message_id"]), language)
    )


def lost(tx: Tx, message: LostMessage) -> bool:
    """A group's table, if it is one, was deleted: nothing is written into it any more."""
    if not message.about:
        queries.delete_table_message(tx, message.chat_id, message.message_id)
    return False


async def _ended(running: TimerContext, now: float) -> bool:
    """Draw a last time some of the tables that wait for somebody, of days whose hand nobody can solve any
    more; False where there are more.

    Today's hand has a table of its own by then, and a button.
    """
    behind = running.progress.get(ENDED, ("", 0))
    found = await running.store.read(
        lambda tx: queries.load_ended_tables(tx, now, behind, scheduled_posts.CLAIM_LIMIT)
    )
    for table in found:
        await running.run_effect(partial(_a_last_time, shown=table, now=now))
    if len(found) == scheduled_posts.CLAIM_LIMIT:
        running.progress[ENDED] = found[-1].day, found[-1].chat_id
        return False
    running.progress.pop(ENDED, None)
    await running.store.write(lambda tx: queries.mark_ended_tables_drawn(tx, now))
    return True


def _a_last_time(tx: Tx, shown: TableMessage, now: float) -> list[Request]:
    return [edit_message(shown.chat_id, shown.message_id, _drawn(tx, shown, now))]


# Posted by itself


async def _look(running: TimerContext, _: float) -> bool:
    """Claim today's table of some groups that want it at this hour, by Telegram's clock; False where there
    are more.
    """
    now, way = running.inbox.now(), GroupLinks(running.username, running.secret)
    due = partial(subscribers.find_groups_due_a_table, now=now)
    return await scheduled_posts.claim_batch(running, now, due, partial(_claimed, now=now, way=way))


def _claimed(tx: Tx, chat_id: int, now: float, way: GroupLinks) -> list[Request]:
    day = subscribers.get_due_table_day(tx, chat_id, now)
    claimed = scheduled_posts.claim_post(tx, chat_id, POSTED, day, now) if day else None
    more = {"username": way.username, "payload": way.make_payload(chat_id)}
    return [] if claimed is None else [claimed.make_request(METHOD, **more)]


async def drawn(database: Store, body: dict[str, Any], now: float) -> dict[str, Any] | None:
    """The table as it is posted now; None where it is too late, or the group must not be stirred."""
    asked, more = scheduled_posts.read_post(POSTED, body), body["params"]
    address = words_of.make_deep_link(more["username"], f"{words_of.get_link_prefix('')}_{more['payload']}")

    def look(tx: Tx) -> dict[str, Any] | None:
        due = subscribers.get_due_table_day(tx, asked.chat_id, now) == asked.period
        if due and (scheduled_posts.is_being_checked(body) or scheduled_posts.is_waiting(tx, asked)):
            return _posted(tx, asked, address, now)  # what is found where it stands is followed there
        return None

    found = await database.read(look)
    if found is None:
        await database.write(lambda tx: scheduled_posts.release_post(tx, asked))
    return found


def _posted(tx: Tx, asked: ScheduledPost, address: str, now: float) -> dict[str, Any]:
    place = groups.load_post_target(tx, asked.chat_id)
    text = _drawn(tx, TableMessage(asked.period, asked.chat_id, 0, place.language), now)
    keyboard = [[(get_words(place.language).translate_plain("Solve today’s hand"), address)]]
    request = post_message(
        asked.chat_id, text, topic=place.topic, keyboard=keyboard, about=asked.about, timed=True
    )
    return {**request.body, "began": True}


def settled(tx: Tx, table: DeliveredRequest) -> None:
    """A table that was posted by itself has arrived; or it came to nothing, and may be sent again."""
    if not table.result:
        scheduled_posts.mark_unsent(tx, table.about)
        return
    asked = scheduled_posts.parse_about(table.about)
    language = groups.load_post_target(tx, asked.chat_id).language
    queries.store_table_message(
        tx, TableMessage(asked.period, asked.chat_id, int(table.result["message_id"]), language)
    )


ROUTES = Routes(
    renderers={METHOD: drawn},
    before_send_handlers={POSTED: scheduled_posts.mark_sent},
    delivery_handlers={ASKED: followed, POSTED: settled},
    lost_message_handlers=[lost],
    timed_tasks=[
        TimedTask(ENDED, MINUTE, _ended),
        TimedTask("posts of the day", MINUTE, _look),
    ],
)
