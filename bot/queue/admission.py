"""What is taken in of all that is said: how much one person may ask in a group, and who waits for whom.

Updates stand in line so that everything keeps its order in its chat. Only what may take seconds has lines of
its own, so that nobody else waits behind it: a person's *searches* wherever they are asked (/solve with its
pages, inline queries) and *lookups* (/doctor). Even these wait for what the same person said there before.

In a group one person has, unhandled,

- at most `ANSWERS` answers: what replies to the bot, is said by /a, or may be an expression;
- at most `COMMANDS` commands, and no more than `commands_a_minute` within a minute;
- at most `PRESSES` presses, whatever they are on;
- at most `TALK` of the rest.

Of *wishes*, deals of a kind that may be rare, one person has one waiting in a group and no more than `WISHES`
in all chats, and `WISHES_HERE` wait in a group, whoever wishes: each may take a second. Of wishes and presses
that deal or give up, one person has at most `DEALS` waiting in a chat.

Of *questions*, commands that only ask for something to be told, at most `QUESTIONS` wait in a group.

What comes on top is noise and is dropped before anything is written, so it can't crowd out anybody else's.
In private there is room for all that a line holds: what fills that one is its person's own.
When a chat is full (`LANE_LIMIT`) only those with hardly anything in it are heard. A press is never just
dropped for coming too often: it is *refused*, that is answered without any work. So is a wish too many, but
in the group that has its share of them it is dropped. A search that has waited for `LATE` seconds is refused,
and an inline query when a later one of the same person waits.
"""

from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, TypeVar

from bot.durations import MINUTE
from bot.queue import updates
from bot.queue.queries import QueuedUpdate

LANE_LIMIT = 500  # Updates of one chat that may wait; of a private one, all its person's
ANSWERS, COMMANDS, PRESSES, TALK = 150, 10, LANE_LIMIT, 50
QUESTIONS = 40
DEALS, WISHES, WISHES_HERE = 2, 3, 2
QUIET = 5  # Updates in a full chat up to which a person is still heard
MAX_SEARCH_WAIT = 2.0  # Seconds for which a search may wait for its turn


Key = TypeVar("Key", bound=Hashable)
LaneKey = int | tuple[str, int, int]  # A chat, or a line beside it


class UpdateKind(StrEnum):
    """What an update is, as far as its place in line goes."""

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
    OTHER = "other"  # Whatever Telegram itself tells of a chat


PRESS_KINDS = {UpdateKind.PRESS, UpdateKind.DEAL_PRESS, UpdateKind.PAGE_PRESS}
QUESTION_KINDS = {UpdateKind.QUESTION, UpdateKind.LOOKUP, UpdateKind.SEARCH}
COMMANDED = {UpdateKind.COMMAND, UpdateKind.DEAL, UpdateKind.RARE_DEAL, *QUESTION_KINDS}
# Deals that may take a second. A plain one is found at once, so all of them that are heard may wait.
SLOW = {UpdateKind.DEAL_PRESS, UpdateKind.RARE_DEAL}
SEARCHES = {UpdateKind.SEARCH, UpdateKind.INLINE, UpdateKind.PAGE_PRESS}
# What each kind is counted with, and how much of that one person may have waiting in a group.
SHARES = {
    UpdateKind.ANSWER: ("answers", ANSWERS),
    UpdateKind.TALK: ("talk", TALK),
    UpdateKind.OTHER: ("other", LANE_LIMIT),
    UpdateKind.INLINE: ("inline", LANE_LIMIT),
    **dict.fromkeys(COMMANDED, ("commands", COMMANDS)),
    **dict.fromkeys(PRESS_KINDS, ("presses", PRESSES)),
}


# The kind of a command, or what makes it of the words that stand behind the command.
CommandKind = UpdateKind | Callable[[Sequence[str]], UpdateKind]


@dataclass(frozen=True, slots=True)
class KindRules:
    """What kind of work each command and each press is; talk, and a mere press, where it isn't named."""

    # What work each command is, by the command's name without its slash.
    commands: Mapping[str, CommandKind] = field(default_factory=dict)
    # What work each press is, by what the button's data begins with, before a colon.
    presses: Mapping[str, UpdateKind] = field(default_factory=dict)
    may_be_answer: Callable[[str], bool] = bool  # Whether a text may be an answer, at a quick look


NO_KINDS = KindRules()


def classify_update(
    raw: dict[str, Any], kinds: KindRules = NO_KINDS, username: str = ""
) -> tuple[UpdateKind, int]:
    """What an update is, and who sent it (0: nobody); `username` is the bot's own."""
    message, press, query = raw.get("message"), raw.get("callback_query"), raw.get("inline_query")
    if isinstance(press, dict):
        data = press.get("data")
        prefix, colon, _ = (data if isinstance(data, str) else "").partition(":")
        return kinds.presses.get(prefix, UpdateKind.PRESS) if colon else UpdateKind.PRESS, _sender(press)
    if isinstance(query, dict):
        return UpdateKind.INLINE, _sender(query)
    if isinstance(message, dict) and isinstance(message.get("text"), str):
        return _said(message, message["text"], kinds, username), _sender(message)
    if isinstance(message, dict) and "caption" in message:
        return UpdateKind.TALK, _sender(message)
    return UpdateKind.OTHER, _sender(message) if isinstance(message, dict) else 0


def _said(message: dict[str, Any], text: str, kinds: KindRules, username: str) -> UpdateKind:
    if text.startswith("/"):
        text = updates.normalize_command(text, kinds.commands)
        name, _, whose = "".join(text[1:].split()[:1]).lower().partition("@")
        ours = bool(whose) and whose == username.lower()
        others = bool(whose and username) and not ours
        unknown = (
            UpdateKind.QUESTION if ours else UpdateKind.TALK
        )  # which command was meant is a question too
        sorting = UpdateKind.TALK if others else kinds.commands.get(name, unknown)
        return sorting if isinstance(sorting, UpdateKind) else sorting(text.split()[1:])
    replied = message.get("reply_to_message")
    author = replied.get("from") if isinstance(replied, dict) else None
    meant = isinstance(author, dict) and bool(author.get("is_bot"))
    return UpdateKind.ANSWER if meant or kinds.may_be_answer(text) else UpdateKind.TALK


def _sender(part: dict[str, Any]) -> int:
    """A person, or the chat in whose name somebody writes."""
    for key in ("sender_chat", "from"):
        who = part.get(key)
        number = who.get("id") if isinstance(who, dict) else None
        if isinstance(number, int):
            return number
    return 0


def find_lane_key(incoming: QueuedUpdate) -> LaneKey:
    """Where the update waits."""
    if incoming.kind in SEARCHES and not incoming.is_refused:
        return "search", incoming.person_id, 0
    apart = incoming.kind == UpdateKind.LOOKUP or incoming.is_refused
    return ("apart", incoming.person_id, incoming.lane) if apart else incoming.lane


def is_search_lane(line: LaneKey) -> bool:
    """Whether it is somebody's line of searches."""
    return isinstance(line, tuple) and line[0] == "search"


def is_overdue(incoming: QueuedUpdate, behind: "deque[QueuedUpdate]", now: float) -> bool:
    """Whether it isn't worth its work when its turn comes; `behind` is its line, itself included."""
    if incoming.kind == UpdateKind.INLINE and any(i.kind == UpdateKind.INLINE for i in list(behind)[1:]):
        return True
    return incoming.kind in SEARCHES and now - incoming.queued_at > MAX_SEARCH_WAIT


@dataclass(slots=True)
class RateLimiter:
    """What happened within the last minute, by whom and where."""

    # Whoever has been silent for longest comes first, so that nobody else is looked at to forget them.
    moments: OrderedDict[tuple[int, int, bool], deque[float]] = field(default_factory=OrderedDict)

    def allow(self, key: tuple[int, int, bool], most: int, now: float) -> bool:
        """Count one more; False when that is over `most`."""
        while self.moments and not 0 <= now - next(iter(self.moments.values()))[-1] < MINUTE:
            self.moments.popitem(last=False)
        recent = self.moments.setdefault(key, deque())
        while recent and not 0 <= now - recent[0] < MINUTE:
            recent.popleft()
        if len(recent) >= most:
            return False
        recent.append(now)
        self.moments.move_to_end(key)
        return True


@dataclass(slots=True)
class Admission:
    """Counts what waits. Everything that `admit` lets in must be `done` once."""

    username: str = ""  # The bot's own
    kinds: KindRules = NO_KINDS
    commands_a_minute: int = 24  # Of one person in one group; see `Pace`
    presses_a_minute: int = 38
    # Unhandled updates by chat, person and share.
    waiting: Counter[tuple[int, int, str]] = field(default_factory=Counter)
    waiting_by_lane: Counter[int] = field(default_factory=Counter)
    rate_limiter: RateLimiter = field(default_factory=RateLimiter)

    def classify(self, incoming: QueuedUpdate, raw: object) -> QueuedUpdate:
        """The update with its kind and its sender, found in the JSON that it came as."""
        kind, person = classify_update(raw if isinstance(raw, dict) else {}, self.kinds, self.username)
        return replace(incoming, kind=kind, person_id=person)

    def admit(self, incoming: QueuedUpdate, now: float) -> QueuedUpdate | None:
        """The update as it is taken in, perhaps refused; None for one that is dropped."""
        if not self._room(incoming):
            return None
        taken = self._spread(self._paced(incoming, now))
        if taken is not None:
            self.count(taken)
        return taken

    def count(self, incoming: QueuedUpdate) -> None:
        """Count one that waits."""
        self.waiting_by_lane[incoming.lane] += 1
        self.waiting.update(_keys(incoming))

    def release(self, incoming: QueuedUpdate) -> None:
        """It waits no more."""
        _less(self.waiting_by_lane, incoming.lane)
        for key in _keys(incoming):
            _less(self.waiting, key)

    def _room(self, incoming: QueuedUpdate) -> bool:
        full = self.waiting_by_lane[incoming.lane] >= LANE_LIMIT
        if incoming.lane >= 0:
            return not full
        mine = self.waiting[_keys(incoming)[0]]
        if (
            incoming.kind == UpdateKind.RARE_DEAL
            and self.waiting[incoming.lane, incoming.person_id, "wishes"]
        ):
            return False
        if incoming.kind in QUESTION_KINDS and self.waiting[incoming.lane, 0, "questions"] >= QUESTIONS:
            return False
        return mine < (QUIET if full else SHARES[UpdateKind(incoming.kind)][1])

    def _spread(self, taken: QueuedUpdate | None) -> QueuedUpdate | None:
        """Refuse one of too many deals of the same person."""
        if taken is None or taken.is_refused or taken.kind not in SLOW:
            return taken
        many = self.waiting[taken.lane, taken.person_id, "deals"] >= DEALS
        return taken.as_refused() if many or self._too_many_wishes(taken) else taken

    def _too_many_wishes(self, taken: QueuedUpdate) -> bool:
        """Whether it is a wish, and its person or its group has its share of them."""
        mine = self.waiting[0, taken.person_id, "wishes"] >= WISHES
        here = taken.lane < 0 and self.waiting[taken.lane, 0, "wishes"] >= WISHES_HERE
        return taken.kind == UpdateKind.RARE_DEAL and (mine or here)

    def _paced(self, incoming: QueuedUpdate, now: float) -> QueuedUpdate | None:
        if incoming.lane >= 0:
            return incoming
        kind, key = incoming.kind, (incoming.lane, incoming.person_id)
        if kind in COMMANDED:
            return incoming if self.rate_limiter.allow((*key, True), self.commands_a_minute, now) else None
        if kind in PRESS_KINDS:
            dealing = kind == UpdateKind.DEAL_PRESS
            most = self.commands_a_minute if dealing else self.presses_a_minute
            return incoming if self.rate_limiter.allow((*key, dealing), most, now) else incoming.as_refused()
        return incoming


def _keys(incoming: QueuedUpdate) -> list[tuple[int, int, str]]:
    """What it is counted under: its person's share, then the chat's questions, or what either wishes for."""
    lane, person = incoming.lane, incoming.person_id
    keys = [(lane, person, SHARES[UpdateKind(incoming.kind)][0])]
    if incoming.kind in QUESTION_KINDS:
        keys.append((lane, 0, "questions"))
    if incoming.kind in SLOW and not incoming.is_refused:
        keys.append((lane, person, "deals"))
    if incoming.kind == UpdateKind.RARE_DEAL and not incoming.is_refused:
        keys += [(0, person, "wishes"), (lane, 0, "wishes"), (lane, person, "wishes")]
    return keys


def _less(counter: Counter[Key], key: Key) -> None:
    counter[key] -= 1
    if counter[key] <= 0:
        del counter[key]
