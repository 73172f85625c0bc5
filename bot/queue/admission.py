"""Decides which updates are taken in, and in which lane each waits.

An update waits in the lane of its chat, which keeps their order. Updates that may take seconds wait in lanes
of their own, so that nobody else waits behind them: a person's *searches* (/solve with its pages, inline
queries) and *lookups* (/doctor). Even these wait for what the same person sent to the chat before.

Limits for one person in a group, counting updates that wait:

- `MAX_ANSWERS` answers: replies to the bot, /a, and texts that may be an expression;
- `MAX_COMMANDS` commands, and no more than `commands_a_minute` within a minute;
- `MAX_PRESSES` presses;
- `MAX_TALK` of the rest;
- `MAX_DEALS` rare deals and presses that deal or give up;
- one *rare deal*, a deal of a kind that may take a second to find. One person may have `MAX_RARE_DEALS` of
  them in all chats, and a group `MAX_RARE_DEALS_IN_GROUP`, whoever asked.

A group may have `MAX_QUESTIONS` questions waiting, which are commands that only ask for information.

An update beyond a limit is dropped before it is stored, so that it can't crowd out anybody else. In a private
chat only the length of the lane counts. In a full chat only those with hardly anything waiting are heard. A
press that comes too often is *refused*: it is answered without any work. So is a rare deal too many, unless
its group has enough of them. A search that has waited for `MAX_SEARCH_WAIT` seconds is refused, and so is an
inline query if a later one of the same person waits.
"""

from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, NamedTuple

from bot.durations import MINUTE
from bot.queue import updates
from bot.queue.queries import QueuedUpdate
from bot.queue.updates import Submission

MAX_WAITING_IN_LANE = 500
MAX_ANSWERS = 150
MAX_COMMANDS = 10
MAX_PRESSES = MAX_WAITING_IN_LANE
MAX_TALK = 50
MAX_QUESTIONS = 40
MAX_DEALS = 2
MAX_RARE_DEALS = 3
MAX_RARE_DEALS_IN_GROUP = 2
MAX_IN_FULL_CHAT = 5  # Updates of one person in a full chat
MAX_SEARCH_WAIT = 2.0  # Seconds


class UpdateKind(StrEnum):
    """Kinds of updates that are admitted and queued differently."""

    ANSWER = "answer"
    COMMAND = "command"
    DEAL = "deal"
    RARE_DEAL = "wish"
    QUESTION = "question"
    LOOKUP = "lookup"
    SEARCH = "search"
    INLINE = "inline"
    PRESS = "press"
    DEAL_PRESS = "dealing"
    PAGE_PRESS = "page"
    TALK = "talk"
    OTHER = "other"  # Whatever Telegram itself reports of a chat


PRESS_KINDS = {UpdateKind.PRESS, UpdateKind.DEAL_PRESS, UpdateKind.PAGE_PRESS}
QUESTION_KINDS = {UpdateKind.QUESTION, UpdateKind.LOOKUP, UpdateKind.SEARCH}
COMMAND_KINDS = {UpdateKind.COMMAND, UpdateKind.DEAL, UpdateKind.RARE_DEAL, *QUESTION_KINDS}
# A plain deal is found at once, so it is not among the slow ones.
SLOW_DEAL_KINDS = {UpdateKind.DEAL_PRESS, UpdateKind.RARE_DEAL}
SEARCH_KINDS = {UpdateKind.SEARCH, UpdateKind.INLINE, UpdateKind.PAGE_PRESS}

# The kind of a command, or a function that finds it by the words behind the command
CommandKind = UpdateKind | Callable[[Sequence[str]], UpdateKind]


@dataclass(frozen=True, slots=True)
class KindRules:
    """The kinds of commands and presses. Other commands are talk, other presses are a mere PRESS."""

    commands: Mapping[str, CommandKind] = field(default_factory=dict)  # By name, without the slash
    presses: Mapping[str, UpdateKind] = field(default_factory=dict)  # By the button's data before the colon
    may_be_answer: Callable[[str], bool] = bool  # Whether a text may be an answer, at a quick look


def classify_update(raw: dict[str, Any], rules: KindRules, username: str = "") -> tuple[UpdateKind, int]:
    """Return the kind and the sender (0 for nobody) of an update; `username` is the bot's own."""
    press = raw.get("callback_query")
    if isinstance(press, dict):
        return _classify_press(press.get("data"), rules), _find_sender(press)
    query = raw.get("inline_query")
    if isinstance(query, dict):
        return UpdateKind.INLINE, _find_sender(query)
    message = raw.get("message")
    if not isinstance(message, dict):
        return UpdateKind.OTHER, 0
    if isinstance(message.get("text"), str):
        return _classify_text(message, message["text"], rules, username), _find_sender(message)
    kind = UpdateKind.TALK if "caption" in message else UpdateKind.OTHER
    return kind, _find_sender(message)


def _classify_press(data: Any, rules: KindRules) -> UpdateKind:
    """Return the kind by the data before the colon; PRESS if there is no colon or `rules` don't name it."""
    if not isinstance(data, str):
        return UpdateKind.PRESS
    prefix, colon, _ = data.partition(":")
    if not colon:
        return UpdateKind.PRESS
    return rules.presses.get(prefix, UpdateKind.PRESS)


def _classify_text(message: dict[str, Any], text: str, rules: KindRules, username: str) -> UpdateKind:
    """Return a command's kind, ANSWER for a reply to a bot or what may be an answer, else TALK."""
    if text.startswith("/"):
        return _classify_command(updates.normalize_command(text, rules.commands), rules, username)
    replied = message.get("reply_to_message")
    author = replied.get("from") if isinstance(replied, dict) else None
    replies_to_bot = isinstance(author, dict) and bool(author.get("is_bot"))
    if replies_to_bot or rules.may_be_answer(text):
        return UpdateKind.ANSWER
    return UpdateKind.TALK


def _classify_command(text: str, rules: KindRules, username: str) -> UpdateKind:
    """Return the kind of a command by its name and words; TALK if another bot is addressed."""
    words = text.removeprefix("/").split()
    first_word = words[0] if words else ""  # a mere slash
    name, _, addressee = first_word.lower().partition("@")
    if addressee and username and addressee != username.lower():
        return UpdateKind.TALK
    # An unknown command that names the bot is answered with a question: which one was meant?
    kind_if_unknown = UpdateKind.QUESTION if addressee and username else UpdateKind.TALK
    kind = rules.commands.get(name, kind_if_unknown)  # or a function that finds it by the words after it
    return kind if isinstance(kind, UpdateKind) else kind(text.split()[1:])


def _find_sender(part: dict[str, Any]) -> int:
    """Return the person, or the chat in whose name somebody writes; 0 for nobody."""
    for key in ("sender_chat", "from"):
        sender = part.get(key)
        number = sender.get("id") if isinstance(sender, dict) else None
        if isinstance(number, int):
            return number
    return 0


class PersonLane(NamedTuple):
    """The lane of a person's searches in all chats, or of their lookups and refused updates in one chat."""

    is_for_searches: bool
    person_id: int
    chat_id: int  # 0 for searches


LaneKey = int | PersonLane  # The id of a chat, or a lane beside those of chats


def find_lane_key(update: QueuedUpdate) -> LaneKey:
    """Return the chat; for a search the person's lane; for a lookup or refused update theirs in the chat."""
    if update.kind in SEARCH_KINDS and not update.is_refused:
        return PersonLane(is_for_searches=True, person_id=update.person_id, chat_id=0)
    if update.kind == UpdateKind.LOOKUP or update.is_refused:
        return PersonLane(is_for_searches=False, person_id=update.person_id, chat_id=update.lane)
    return update.lane


def is_overdue(update: QueuedUpdate, lane: "deque[QueuedUpdate]", now: float) -> bool:
    """Whether the first update of a lane is a search that waited too long, or an inline query before more."""
    if update.kind == UpdateKind.INLINE:
        later_updates = [later for later in lane if later is not update]
        if any(later.kind == UpdateKind.INLINE for later in later_updates):
            return True
    return update.kind in SEARCH_KINDS and now - update.queued_at > MAX_SEARCH_WAIT


# The share that each kind counts towards, and how much of it one person may have waiting in a group
SHARES = {
    UpdateKind.ANSWER: ("answers", MAX_ANSWERS),
    UpdateKind.TALK: ("talk", MAX_TALK),
    UpdateKind.OTHER: ("other", MAX_WAITING_IN_LANE),
    UpdateKind.INLINE: ("inline", MAX_WAITING_IN_LANE),
    **dict.fromkeys(COMMAND_KINDS, ("commands", MAX_COMMANDS)),
    **dict.fromkeys(PRESS_KINDS, ("presses", MAX_PRESSES)),
}


class RateKey(NamedTuple):
    """Somebody whose events of one sort are limited."""

    chat_id: int
    person_id: int
    is_command: bool = False  # Else it is a press, whose limit is another


@dataclass(slots=True)
class RateLimiter:
    """Allows so many events within a minute for each key."""

    # Whoever has been silent for longest comes first, so that few are looked at to forget them.
    moments: OrderedDict[RateKey, deque[float]] = field(default_factory=OrderedDict)

    def allow(self, key: RateKey, limit: int, now: float) -> bool:
        """Count one more event and return True; False if `limit` events lie within the last minute."""
        self._forget_silent(now)
        recent = self.moments.setdefault(key, deque())
        while recent and not _is_within_minute(recent[0], now):
            recent.popleft()
        if len(recent) >= limit:
            return False
        recent.append(now)
        self.moments.move_to_end(key)
        return True

    def _forget_silent(self, now: float) -> None:
        """Forget everybody whose latest event lies more than a minute back."""
        while self.moments:
            longest_silent = next(iter(self.moments.values()))
            if _is_within_minute(longest_silent[-1], now):
                return
            self.moments.popitem(last=False)


def _is_within_minute(moment: float, now: float) -> bool:
    """Whether a moment lies within the last minute; False for a future one, after the clock was set back."""
    return 0 <= now - moment < MINUTE


ANY = 0  # In the place of a chat or person in a key of `Admission.waiting`: all of them together


@dataclass(slots=True)
class Admission:
    """Counts the updates that wait. Each one that is admitted must be released once."""

    username: str = ""  # The bot's own
    rules: KindRules = field(default_factory=KindRules)
    commands_a_minute: int = 24  # Of one person in one group, see `Pace`
    presses_a_minute: int = 38
    waiting: Counter[tuple[int, int, str]] = field(default_factory=Counter)  # By chat, person and share
    rate_limiter: RateLimiter = field(default_factory=RateLimiter)

    def classify(self, update: QueuedUpdate, raw: object) -> QueuedUpdate:
        """Return the update with its kind and its sender, found in its JSON or in the submission `raw`."""
        if isinstance(raw, Submission):
            kind = _classify_press(raw.button, self.rules) if raw.button else UpdateKind.ANSWER
            return replace(update, kind=kind, person_id=raw.player_id)
        fields = raw if isinstance(raw, dict) else {}
        kind, person = classify_update(fields, self.rules, self.username)
        return replace(update, kind=kind, person_id=person)

    def admit(self, update: QueuedUpdate, now: float) -> QueuedUpdate | None:
        """Count the update and return it, perhaps refused; None if it is dropped."""
        if not self._has_room(update):
            return None
        admitted = self._limit_rate(update, now)
        if admitted is None:
            return None
        if self._exceeds_slow_deals(admitted):
            admitted = admitted.as_refused()
        self.count(admitted)
        return admitted

    def count(self, update: QueuedUpdate) -> None:
        self.waiting.update(_find_shares(update))

    def release(self, update: QueuedUpdate) -> None:
        """Count an update no longer; its kind and `is_refused` must be as they were counted."""
        for key in _find_shares(update):
            self.waiting[key] -= 1
            if self.waiting[key] <= 0:
                del self.waiting[key]

    def _has_room(self, update: QueuedUpdate) -> bool:
        """Whether one more may wait, by the limits of its kind; a private chat only limits its lane."""
        lane, person = update.lane, update.person_id
        is_full = self.waiting[lane, ANY, "all"] >= MAX_WAITING_IN_LANE
        if lane >= 0:  # a private chat
            return not is_full
        if update.kind == UpdateKind.RARE_DEAL and self.waiting[lane, person, "rare deals"]:
            return False
        if update.kind in QUESTION_KINDS and self.waiting[lane, ANY, "questions"] >= MAX_QUESTIONS:
            return False
        share, limit = SHARES[UpdateKind(update.kind)]
        if is_full:
            limit = MAX_IN_FULL_CHAT  # of this share, so that nobody is shut out by others
        return self.waiting[lane, person, share] < limit

    def _limit_rate(self, update: QueuedUpdate, now: float) -> QueuedUpdate | None:
        """Return the update; if it comes too often in a group, a press is refused, a command becomes None."""
        is_private = update.lane >= 0
        if is_private or update.kind not in COMMAND_KINDS | PRESS_KINDS:
            return update
        # A press that deals counts towards the commands, as /play does.
        is_command = update.kind in COMMAND_KINDS or update.kind == UpdateKind.DEAL_PRESS
        limit = self.commands_a_minute if is_command else self.presses_a_minute
        key = RateKey(update.lane, update.person_id, is_command)
        if self.rate_limiter.allow(key, limit, now):
            return update
        return update.as_refused() if update.kind in PRESS_KINDS else None

    def _exceeds_slow_deals(self, update: QueuedUpdate) -> bool:
        """Whether the update is a slow deal and as many as may wait do already: `MAX_DEALS` slow deals of the
        person in this chat. For a rare deal, also `MAX_RARE_DEALS` of the person in all chats, and in a group
        `MAX_RARE_DEALS_IN_GROUP` of all people. False for any other update, and for one refused before.
        """
        if update.is_refused or update.kind not in SLOW_DEAL_KINDS:
            return False
        lane, person = update.lane, update.person_id
        if self.waiting[lane, person, "deals"] >= MAX_DEALS:
            return True
        if update.kind != UpdateKind.RARE_DEAL:
            return False  # the other limits are for rare deals alone
        if self.waiting[ANY, person, "rare deals"] >= MAX_RARE_DEALS:
            return True
        is_group = lane < 0
        return is_group and self.waiting[lane, ANY, "rare deals"] >= MAX_RARE_DEALS_IN_GROUP


def _find_shares(update: QueuedUpdate) -> list[tuple[int, int, str]]:
    """Return the keys of `Admission.waiting` that an update is counted under."""
    lane, person = update.lane, update.person_id
    share, _ = SHARES[UpdateKind(update.kind)]
    keys = [(lane, ANY, "all"), (lane, person, share)]
    if update.kind in QUESTION_KINDS:
        keys.append((lane, ANY, "questions"))
    if update.kind in SLOW_DEAL_KINDS and not update.is_refused:
        keys.append((lane, person, "deals"))
    if update.kind == UpdateKind.RARE_DEAL and not update.is_refused:
        keys += [(ANY, person, "rare deals"), (lane, ANY, "rare deals"), (lane, person, "rare deals")]
    return keys
