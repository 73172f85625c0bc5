"""Reads updates as Telegram sent them, and submissions from the board; tracks when all have been received.

No function here raises, whatever the update or the stored submission looks like.
"""

import asyncio
import hmac
import json
import logging
import math
import re
import sys
import threading
import time
import zlib
from collections import deque
from collections.abc import Collection
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any

from bot.database import MAX_INTEGER, UNREADABLE_ERRORS, parse_object
from bot.durations import DAY
from bot.queue.queries import FIRST_SUBMISSION_ID, QueuedUpdate

log = logging.getLogger(__name__)

# Submissions


@dataclass(frozen=True, slots=True)
class Submission:
    """An answer, or a press on a button, by a player at the board."""

    player_id: int
    name: str
    username: str | None
    language: str  # of the page
    chat_id: int  # the player's private chat for hands of the day and for cards
    chat_kind: str
    topic: int  # 0 outside topics
    press_id: str  # by which the page knows it
    # by Telegram's clock, in whole seconds like the date of a message; a guest's is exact
    sent_at: float
    button: str = ""  # the data of the pressed button; "" for an answer
    answer: str = ""
    round_id: int = 0  # the round that the page showed; 0 for the one on the table, and for a hand of the day
    day: str = ""  # the day whose hand the page showed; "" for a round

    @property
    def update_id(self) -> int:
        """An id beyond Telegram's, always the same for one press id of a player, so that it counts once."""
        digest = sha256(f"{self.player_id}:{self.press_id}".encode()).digest()
        number = int.from_bytes(digest[:8]) % FIRST_SUBMISSION_ID  # so that the sum fits in 63 bits
        return FIRST_SUBMISSION_ID + number


def encode_submission(submission: Submission) -> str:
    """Return the submission as JSON, which `decode_submission` reads."""
    return json.dumps(asdict(submission))


def decode_submission(body: str) -> Submission | None:
    """Return the submission in a row of the inbox; None if it can't be read."""
    try:
        raw = json.loads(body)
        if "update_id" in raw:
            return _decode_forged_update(raw)
        return Submission(**raw)
    except UNREADABLE_ERRORS:
        return None


def _decode_forged_update(raw: dict[str, Any]) -> Submission:
    """Return the submission that an earlier version stored in the form of Telegram's updates."""
    query: dict[str, Any] = raw.get("callback_query") or {}
    message = query.get("message") or raw["message"]
    mark = message["board"]
    user = query.get("from") or message["from"]
    answer = str(message.get("text", ""))
    if "entities" in message:  # they mark a command
        answer = answer.removeprefix("/a ")
    return Submission(
        player_id=user["id"],
        name=user["first_name"],
        username=user.get("username"),
        language=user["language_code"],
        chat_id=message["chat"]["id"],
        chat_kind=message["chat"]["type"],
        topic=message.get("message_thread_id", 0),
        press_id=mark["press"],
        sent_at=message["date"],
        button=query.get("data", ""),
        answer=answer,
        round_id=mark.get("round", 0),
        day=mark.get("day", ""),
    )


# Updates

# Telegram's ids of chats and people have 52 significant bits at most
# (https://core.telegram.org/bots/api#chat); lanes beyond that have a meaning of their own, see
# `queue.replicas.queries`.
MAX_CHAT_ID = 2**53


def make_queued_update(raw: Any, now: float, key: bytes) -> QueuedUpdate:
    """Make the row of an update or a submission; `key` hashes the id of Telegram's press.

    Without a usable id it gets a negative one.
    """
    if isinstance(raw, Submission):
        return QueuedUpdate(raw.update_id, raw.chat_id, encode_submission(raw), accepted_at=now)
    try:
        body = json.dumps(raw)
    except (ValueError, RecursionError):
        body = json.dumps({"unreadable": type(raw).__name__})
    update_id = find_update_id(raw)
    if update_id is None:
        negative_id = -1 - zlib.crc32(body.encode())  # the same whenever this update comes again
        return QueuedUpdate(negative_id, lane=0, body=body, accepted_at=now)
    return QueuedUpdate(update_id, find_lane(raw), body, press_hash=_hash_press(raw, key), accepted_at=now)


def decode_update(queued: QueuedUpdate) -> dict[str, Any] | Submission:
    """Return the update as it came, or the submission; an empty object if the row can't be read."""
    if queued.update_id >= FIRST_SUBMISSION_ID:
        return decode_submission(queued.body) or {}
    return parse_object(queued.body)


def find_update_id(raw: Any) -> int | None:
    """Return the update's id; None if it has none that Telegram may give."""
    number = raw.get("update_id") if isinstance(raw, dict) else None
    if type(number) is int and 0 <= number < FIRST_SUBMISSION_ID:
        return number
    return None


# The types of updates that name their chat
TYPES_WITH_CHAT = (
    "message",
    "edited_message",
    "channel_post",
    "edited_channel_post",
    "my_chat_member",
    "chat_member",
    "chat_join_request",
    "message_reaction",
)


def find_lane(raw: Any) -> int:
    """Return the chat whose order the update or submission keeps, else its sender, else 0."""
    if isinstance(raw, Submission):
        return raw.chat_id
    if not isinstance(raw, dict):
        return 0
    for key, value in raw.items():  # beside the id an update has one part, named after its type
        if not isinstance(value, dict):
            continue
        if key in TYPES_WITH_CHAT:
            return _get_id(value.get("chat"))
        if key == "callback_query" and isinstance(value.get("message"), dict):
            return _get_id(value["message"].get("chat"))
        if isinstance(value.get("from"), dict):
            return _get_id(value["from"])
    return 0


def _get_id(value: Any) -> int:
    """Return the id of a chat or person; 0 if it has none that Telegram may give."""
    number = value.get("id") if isinstance(value, dict) else None
    if type(number) is int and abs(number) < MAX_CHAT_ID:
        return number
    return 0


def _hash_press(raw: dict[str, Any], key: bytes) -> str | None:
    """Hash the id of a press, since it contains the id of the person; None if the update is no press."""
    query = raw.get("callback_query")
    number = query.get("id") if isinstance(query, dict) else None
    if not isinstance(number, str) or not number.isascii():
        return None
    return hmac.digest(key, number.encode(), "sha256").hex()[:32]


def find_message_date(raw: Any) -> float | None:
    """Return the date of a message, in seconds since 1970; None for any other update."""
    message = raw.get("message") if isinstance(raw, dict) else None
    date = message.get("date") if isinstance(message, dict) else None
    if type(date) is int and abs(date) <= MAX_INTEGER:
        return float(date)
    return None


def find_sent_time(queued: QueuedUpdate) -> float:
    """Return when a message or answer was sent; for others, or a date days off, when it was accepted."""
    update = decode_update(queued)
    if isinstance(update, Submission):
        return queued.accepted_at if update.button else update.sent_at
    date = find_message_date(update)
    if date is None:
        return queued.accepted_at
    return resolve_sent_time(date, queued.accepted_at)


# Commands

# Digits of Chinese and Japanese keyboards. Telegram does not recognise a command with one right behind it.
WIDE_DIGITS = "０-９"
TO_PLAIN = str.maketrans("０１２３４５６７８９　，", "0123456789 ,")
# Digits right behind a command's name, which Telegram takes for a part of the name
GLUED_DIGITS = "[0-9][0-9AJQKajqkxX]*(?![A-Za-z0-9_@])"
COMMAND_NAME = re.compile(r"/[A-Za-z0-9_]{1,32}(?:@[A-Za-z0-9_]{1,32})?")
GLUED_COMMAND = re.compile(f"/(?P<name>[A-Za-z_]{{1,32}})(?={GLUED_DIGITS})")


def normalize_command(text: str, names: Collection[str] = ()) -> str:
    """Put a space between a command and its argument, and use plain digits and spaces in the argument.

    `/play１３` and `/play　１３` become `/play 13`, and so does `/play13` if `play` is among the `names`. A
    text that is no command is returned as it is.
    """
    command = GLUED_COMMAND.match(text)
    is_glued = command is not None and command["name"].lower() in names
    if not is_glued:
        command = COMMAND_NAME.match(text)
    if command is None:
        return text
    argument = text[command.end() :]
    needs_space = is_glued or re.match(f"[{WIDE_DIGITS}]", argument)
    gap = " " if needs_space else ""
    return command.group() + gap + argument.translate(TO_PLAIN)


# Times: up to when all updates have been received, and how far this machine's clock is off.
#
# A deadline counts by the time an answer was *sent*, and an answer can be late: the bot or the network was
# down, or Telegram held it back. So a deadline is acted on only once nothing sent before it can still
# arrive. Whoever fetches updates reports the time up to which they are complete. Whoever waits for a time
# requests it, since a long poll that began before the deadline proves nothing.

# Seconds by which a message's date may differ from the present time; beyond that the present time counts.
MAX_DATE_ERROR = 2 * DAY
LAG_SAMPLES = 20  # The latest posts by which the clocks are compared; the quickest of them tells most
DATE_RESOLUTION = 1.0  # Dates are in whole seconds
# Seconds by which this machine's clock may differ from Telegram's. Beyond that the operator is warned, and
# nothing is deleted, ended or announced by the time.
MAX_CLOCK_DIFFERENCE = 60.0
CLOCK_ADVICE = (
    "set it right (timedatectl set-ntp true); until then nothing is deleted and no round ends by the time"
)
MIN_CLOCK_JUMP = 1.0  # Seconds by which a clock must have been set to count as set
# Seconds that an update may need to reach Telegram's queue, or by which clocks may differ unnoticed
TRANSIT_GRACE = 2.0


class Watermark:
    """The time up to which all updates have been received, in seconds since 1970 by Telegram's clock."""

    def __init__(self, received_until: float = -math.inf) -> None:
        self.received_until = received_until  # All that was sent `TRANSIT_GRACE` before is stored
        self.requested_until = -math.inf  # The latest time that somebody waits for
        self.next_deadline = math.inf  # Somebody will wait for it; a long poll should not outlast it
        self.clock_ahead = 0.0  # Seconds by which this machine's clock is ahead of Telegram's
        self.is_compared = False  # Whether this machine's clock was ever compared with Telegram's
        self._lags: deque[float] = deque(maxlen=LAG_SAMPLES)
        self._lags_are_of_posts = False
        self._boot_time: float | None = None  # By the clock at the last look; it changes when that is set
        self._has_warned = False
        self._clock_lock = threading.Lock()  # clocks are also compared in the database's thread
        self._requested = asyncio.Event()

    # What has been received

    @property
    def is_awaited(self) -> bool:
        """Whether somebody waits for a time that is not reached."""
        return self.requested_until > self.received_until

    def request_until(self, until: float) -> None:
        """Ask that everything sent before `until` be fetched soon; `received_until` tells when it is."""
        self.requested_until = max(self.requested_until, until)
        if self.is_awaited:
            self._requested.set()

    def mark_received(self, until: float) -> None:
        """Record that everything sent up to `until` is stored.

        That may be earlier than before: then this machine's clock was set.
        """
        self.received_until = until
        if not self.is_awaited:
            self._requested.clear()

    def observe_update(self, dated: float, now: float) -> None:
        """Record that updates sent up to this date are stored; ignore one over a minute in the future."""
        if self.received_until < dated <= now + MAX_CLOCK_DIFFERENCE:
            self.mark_received(dated)  # Telegram hands updates over in their order

    async def wait_for_request(self) -> None:
        """Wait until somebody waits for a time that is not reached."""
        await self._requested.wait()

    # How far this machine's clock is off; `here` is its present time

    @property
    def is_clock_right(self) -> bool:
        """Whether this machine's clock is known to be within a minute of Telegram's."""
        return self.is_compared and abs(self.clock_ahead) <= MAX_CLOCK_DIFFERENCE

    @property
    def clock_error(self) -> str:
        """The difference of the clocks in words, for the operator; empty if none is known."""
        if abs(self.clock_ahead) <= MAX_CLOCK_DIFFERENCE:
            return ""
        side = "ahead of" if self.clock_ahead > 0 else "behind"
        return f"this machine's clock is {abs(self.clock_ahead):.0f} s {side} Telegram's"

    def observe_response(self, dated: float, here: float) -> None:
        """Compare the clocks by the date in the header of a response, unless dates of posts are known."""
        with self._clock_lock:
            if not self._lags_are_of_posts:  # a Bot API server on this machine shows this machine's clock
                self._lags.append(here - dated)
                self._update_clock_ahead()

    def observe_post(self, dated: float, here: float) -> None:
        """Compare the clocks by the date that Telegram gave to a post; from now on responses don't count."""
        with self._clock_lock:
            if not self._lags_are_of_posts:
                self._lags_are_of_posts = True
                self._lags.clear()
            self._lags.append(here - dated)
            self._update_clock_ahead()

    def observe_message(self, dated: float, here: float) -> None:
        """Lower `clock_ahead` to the time between a message's date and now, if that is less.

        A message may have come late, so it never shows that the clock is further ahead.
        """
        with self._clock_lock:
            lag = here - dated  # the seconds that it took to come, and those by which the clock is ahead
            if abs(lag) <= MAX_CLOCK_DIFFERENCE:
                self.is_compared = True
            if -MAX_DATE_ERROR <= lag < self.clock_ahead:  # a date further in the future is nonsense
                self._set_clock_ahead(lag)

    def observe_uptime(self, here: float, uptime: float) -> None:
        """Correct `clock_ahead` if this machine's clock was set, seen by the `uptime` that nobody can set."""
        with self._clock_lock:
            boot_time = here - uptime
            if self._boot_time is None:
                self._boot_time = boot_time
            jump = boot_time - self._boot_time
            if abs(jump) > MIN_CLOCK_JUMP:
                self._boot_time = boot_time
                self._follow_jump(jump)

    def _follow_jump(self, jump: float) -> None:
        """Correct `clock_ahead` after this machine's clock was set by `jump` seconds."""
        log.info("this machine's clock was set by %+.0f s", jump)
        self._lags_are_of_posts = False  # the next response shows whether it was right before or is now
        if self._lags:
            self._lags = deque((lag + jump for lag in self._lags), maxlen=LAG_SAMPLES)
            self._update_clock_ahead()
        else:  # nothing is known of Telegram's clock: assume what ends a round later
            self._set_clock_ahead(max(0.0, self.clock_ahead + jump))

    def _update_clock_ahead(self) -> None:
        """Set `clock_ahead` by the lags, and log when the clock becomes wrong or right."""
        self.is_compared = True
        least = min(self._lags)
        # A lag within 0 and 1 s shows no difference, since dates are cut to whole seconds.
        if least > DATE_RESOLUTION:
            self._set_clock_ahead(least - DATE_RESOLUTION)
        else:
            self._set_clock_ahead(min(least, 0.0))
        if self.clock_error and not self._has_warned:
            log.warning("%s: %s", self.clock_error, CLOCK_ADVICE)
        elif self._has_warned and not self.clock_error:
            log.info("this machine's clock agrees with Telegram's again")
        self._has_warned = bool(self.clock_error)

    def _set_clock_ahead(self, ahead: float) -> None:
        """Set `clock_ahead`; if it grows, lower `received_until`, which came from a clock that was ahead."""
        self.received_until -= max(0.0, ahead - self.clock_ahead)
        self.clock_ahead = ahead


def resolve_sent_time(dated: float, here: float) -> float:
    """Return a message's date, or the present time `here` if the date is days off."""
    is_plausible = abs(dated - here) <= MAX_DATE_ERROR  # Telegram keeps updates for a day
    return dated if is_plausible else here


def read_uptime() -> float:
    """Return seconds by a clock that nobody can set; on Linux it goes on while the machine sleeps."""
    if sys.platform == "linux":
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.monotonic()
