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

from bot.admin import queries as groups
from bot.database import Store, Tx
from bot.durations import MINUTE
from bot.i18n import Html, mention, words
from bot.modes.daily import queries as days
from bot.modes.daily import rules, seats, unasked
from bot.modes.daily import view as words_of
from bot.modes.daily.rules import Attempt
from bot.modes.daily.seats import Followed
from bot.queue import scheduled
from bot.queue.queries import DRAWN_POST
from bot.queue.scheduled import Scheduled
from bot.queue.timers import Running, TimedWork
from bot.telegram.context import Context
from bot.telegram.messages import Keyboard, Request, edit, post
from bot.telegram.routes import Delivered, Lost, Routes

# Kinds of receipts: of a table that somebody asked for, and of one that was posted by itself.
ASKED, POSTED = "daily", unasked.TABLE
METHOD = f"{DRAWN_POST}daily table"
ENDED = "tables of the day"  # Name of the timed work that draws them a last time


@dataclass(frozen=True, slots=True)
class Door:
    """The way from a group to the private chat with the bot."""

    username: str  # The bot's
    secret: str  # With which what names a group is signed

    def payload(self, chat_id: int) -> str:
        """What names a group in a link: its id with a signature."""
        number = chat_id.to_bytes(8, "big", signed=True)
        return urlsafe_b64encode(number + self._signature(number)).decode().rstrip("=")

    def read(self, payload: str) -> int | None:
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


def door(context: Context) -> Door:
    """The bot's own."""
    me, token = context.services.me, context.services.settings.token
    return Door(str(me.username), str(token or me.id))


async def group_of(context: Context) -> int | None:
    """The group that the link led from, if who came with it is in there."""
    group = door(context).read(context.argument)
    if group is None or context.player is None:
        return None
    return group if await context.is_member(group, context.player.id) else None


def invite(context: Context, tx: Tx, game: str) -> list[Request]:
    """A group's table of today, and the way to the hand."""
    day = rules.named(rules.day_of(context.now), game)
    shown = Followed(day, context.chat.id, 0, context.words.language)
    text, keyboard = _table(tx, door(context), shown, context.now)
    about = f"{ASKED}:{day}:{context.chat.id}:{context.words.language}"
    return [context.say(text, keyboard=keyboard, about=about)]


def follow(context: Context, tx: Tx, attempt: Attempt) -> list[Request]:
    """Redraw the tables that list the player."""
    return redrawn(tx, door(context), attempt, context.now)


def redrawn(tx: Tx, way: Door, attempt: Attempt, now: float) -> list[Request]:
    """The same where no update tells of it; their buttons lead that way."""
    tables = seats.followers(tx, attempt.day, attempt.player_id)
    if rules.is_past(attempt.day, now):  # they were drawn a last time, without their buttons
        return [edit(t.chat_id, t.message_id, _drawn(tx, t, now)) for t in tables]
    return [edit(t.chat_id, t.message_id, *_table(tx, way, t, now)) for t in tables]


def _table(tx: Tx, way: Door, shown: Followed, now: float) -> tuple[Html, Keyboard]:
    speech, text = words(shown.language), _drawn(tx, shown, now)
    address = words_of.link(way.username, f"{words_of.door_of(shown.day)}_{way.payload(shown.chat_id)}")
    return text, [[(speech.plain("Solve today’s hand"), address)]]


def _drawn(tx: Tx, shown: Followed, now: float) -> Html:
    """The text of a group's table as it stands at `now`."""
    attempts = seats.seated(tx, shown.day, shown.chat_id)
    ids = [a.player_id for a in attempts]
    streaks = {i: days.streak(tx, i, shown.day) for i in ids}
    names = {i: mention(i) for i in ids}
    return words_of.table(words(shown.language), shown.day, attempts, names, streaks, now)


def followed(tx: Tx, table: Delivered) -> None:
    """A group's table was posted: results change it from now on."""
    _, day, chat_id, language = table.about.split(":")
    seats.follow(tx, Followed(day, int(chat_id), int(table.result["message_id"]), language))


def lost(tx: Tx, message: Lost) -> bool:
    """A group's table, if it is one, was deleted: nothing is written into it any more."""
    if not message.about:
        seats.unfollow(tx, message.chat_id, message.message_id)
    return False


async def _ended(running: Running, now: float) -> bool:
    """Draw a last time some of the tables that wait for somebody, of days whose hand nobody can solve any
    more; False where there are more.

    Today's hand has a table of its own by then, and a button.
    """
    behind = running.reached.get(ENDED, ("", 0))
    found = await running.store.read(lambda tx: seats.ended(tx, now, behind, scheduled.A_LOOK))
    for table in found:
        await running.act(partial(_a_last_time, shown=table, now=now))
    if len(found) == scheduled.A_LOOK:
        running.reached[ENDED] = found[-1].day, found[-1].chat_id
        return False
    running.reached.pop(ENDED, None)
    await running.store.write(lambda tx: seats.all_ended(tx, now))
    return True


def _a_last_time(tx: Tx, shown: Followed, now: float) -> list[Request]:
    return [edit(shown.chat_id, shown.message_id, _drawn(tx, shown, now))]


# Posted by itself


async def _look(running: Running, _: float) -> bool:
    """Claim today's table of some groups that want it at this hour, by Telegram's clock; False where there
    are more.
    """
    now, way = running.inbox.now(), Door(running.username, running.secret)
    due = partial(unasked.tables_due, now=now)
    return await scheduled.claim_some(running, now, due, partial(_claimed, now=now, way=way))


def _claimed(tx: Tx, chat_id: int, now: float, way: Door) -> list[Request]:
    day = unasked.table_due(tx, chat_id, now)
    claimed = scheduled.claim(tx, chat_id, POSTED, day, now) if day else None
    more = {"username": way.username, "payload": way.payload(chat_id)}
    return [] if claimed is None else [claimed.request(METHOD, **more)]


async def drawn(database: Store, body: dict[str, Any], now: float) -> dict[str, Any] | None:
    """The table as it is posted now; None where it is too late, or the group must not be stirred."""
    asked, more = scheduled.asked(POSTED, body), body["params"]
    address = words_of.link(more["username"], f"{words_of.door('')}_{more['payload']}")

    def look(tx: Tx) -> dict[str, Any] | None:
        due = unasked.table_due(tx, asked.chat_id, now) == asked.period
        if due and (scheduled.is_sought(body) or scheduled.waits(tx, asked)):
            return _posted(tx, asked, address, now)  # what is found where it stands is followed there
        return None

    found = await database.read(look)
    if found is None:
        await database.write(lambda tx: scheduled.release(tx, asked))
    return found


def _posted(tx: Tx, asked: Scheduled, address: str, now: float) -> dict[str, Any]:
    place = groups.usual_place(tx, asked.chat_id)
    text = _drawn(tx, Followed(asked.period, asked.chat_id, 0, place.language), now)
    keyboard = [[(words(place.language).plain("Solve today’s hand"), address)]]
    request = post(asked.chat_id, text, topic=place.topic, keyboard=keyboard, about=asked.about, timed=True)
    return {**request.body, "began": True}


def settled(tx: Tx, table: Delivered) -> None:
    """A table that was posted by itself has arrived; or it came to nothing, and may be sent again."""
    if not table.result:
        scheduled.came_to_nothing(tx, table.about)
        return
    asked = scheduled.read(table.about)
    language = groups.usual_place(tx, asked.chat_id).language
    seats.follow(tx, Followed(asked.period, asked.chat_id, int(table.result["message_id"]), language))


ROUTES = Routes(
    draws={METHOD: drawn},
    leaving={POSTED: scheduled.leaving},
    receipts={ASKED: followed, POSTED: settled},
    losing=[lost],
    timed=[
        TimedWork(ENDED, MINUTE, _ended),
        TimedWork("posts of the day", MINUTE, _look),
    ],
)
