"""Requests to Telegram that wait in the outbox, and the JSON in which they are stored.

No other module touches the keys of that JSON, except that a person's data is found and deleted in it as text
(`admin.privacy`): the order of the keys and the spaces between them matter there.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any

from bot.database import UNREADABLE_ERRORS, parse_object

# Private replies


class Way(StrEnum):
    """A way to tell one person of a group what nobody else may read. The values are stored.

    If Telegram refuses a way, or its time is over, the reply goes its next one. The text of the refusal does
    not matter, since no documentation names these errors.
    """

    # The answer to a press (`answerCallbackQuery` with `show_alert`), in any chat and on any server
    ALERT = "alert"
    # A message in the group that only its receiver sees (Bot API 10.2; by the parameter
    # `ephemeral_message_parameters` since 10.3). Any bot may send one within 15 seconds of a press, with its
    # `callback_query_id`, or of an incoming ephemeral command, with its `ephemeral_message_id` in
    # `reply_parameters`; an administrator may at any time. A server older than 10.3 ignores the parameter and
    # posts the message for all to read. So the first one in a chat is a *trial* without anything secret, and
    # a result without an `ephemeral_message_id` is deleted at once, or after a crash, see `UncheckedPost`.
    EPHEMERAL = "ephemeral"
    # The person's private chat, where Telegram refuses it (Forbidden) until they have started the bot
    PRIVATE = "private"
    # The text is kept, and the group is shown that one waits, see `telegram.private_replies`
    WAITING = "waiting"


class WayClosedError(Exception):
    """A private reply can't go its present way."""


@dataclass(frozen=True, slots=True)
class PrivateReply:
    """The person to be told something, and the ways to do so."""

    ways: tuple[str, ...]  # Those not tried yet, the present one first
    player_id: int
    until: float  # When an ephemeral answer to the press or message becomes too late
    press_id: str = ""  # Of the press that it answers
    ephemeral_id: int = 0  # Of the ephemeral message that it answers
    shown_key: int = 0  # The `Outgoing.key` of the message that shows that the reply waits; 0 for none
    heading: str = ""  # Above the text in the private chat
    language: str = ""
    server: str = ""  # The Bot API server, once an ephemeral message was tried
    # Whether an ephemeral message may be sent now, as an answer or as an administrator; not stored
    is_open: bool = False
    is_admin: bool = False

    @property
    def way(self) -> str:
        """The present way; "" if none is left."""
        return self.ways[0] if self.ways else ""


# Methods of requests that a renderer makes when their turn comes. All but those of requests with a `key`
# contain a space, unlike those of the Bot API.
TELL_PRIVATELY = "to one"  # Tell one person of a group what nobody else may read, see `Way`
DRAWN_POST_PREFIX = "post "  # Begins those of posts with an argument


@dataclass(frozen=True, slots=True)
class PictureRequest:
    """The picture that a message is to show, found when the message is sent."""

    kind: str  # Names the function that finds it; "" for none, which removes the picture of an edited photo
    language: str
    shown_key: str = ""  # The content key of the picture that the edited photo shows; "" for a text or a post
    arguments: Mapping[str, Any] = field(default_factory=dict)  # Of the function that finds it, as JSON


class DeliveryStatus(StrEnum):
    """The state of a post that met an error, as far as it is known."""

    UNSENT = "unsent"  # Telegram never had it
    REFUSED = "refused"  # An error came back: it is sent again unless it is found
    UNKNOWN = "unknown"  # It was sent and no answer came: it is not sent again
    ARRIVED = "arrived"


@dataclass(frozen=True, slots=True)
class DeliveryCheck:
    """A post to be looked for before it is sent again. The field names are stored."""

    fate: DeliveryStatus
    after: int  # The latest message id known in its chat when it was sent
    at: float  # When it was first sent, in seconds since 1970: it may have been seen since then
    over: bool = False  # It was not found, and may be sent again
    picture: str = ""  # The content key of its picture; empty for a text
    looked: int = 0  # Checks that did not find it


@dataclass(frozen=True, slots=True)
class UncheckedPost:
    """An ephemeral message that was sent and may be public, to be looked for. The field names are stored."""

    after: int  # The latest message id of its chat before it; 0 if unknown
    at: float


@dataclass(frozen=True, slots=True)
class DeliveryState:
    """The outcome of former attempts to send a request."""

    check: DeliveryCheck | None = None  # Of a post that may have arrived
    unchecked: UncheckedPost | None = None  # Until Telegram's answer to an ephemeral message was checked
    goes_without_picture: bool = False  # Since its picture was tried
    is_text: bool = False  # The message to edit is no photo
    picture_checks: int = 0  # How often the photo was to be checked for its picture


INITIAL_STATE = DeliveryState()


@dataclass(frozen=True, slots=True)
class Outgoing:
    """One request to Telegram."""

    lane: int  # The chat it goes to, or the person for answers to a press
    method: str  # Of the Bot API, or of the renderer that makes the request when its turn comes
    params: Mapping[str, Any] = field(default_factory=dict)  # Of the method, as JSON; argument of a renderer
    # Of the message that the renderer shows: its waiting requests are sent as one. 0: each is sent by itself
    key: int = 0
    is_new: bool = False  # With a `key`: the message is posted, not edited
    is_refresh: bool = False  # With a `key`: it would show nothing new but the time
    about: str = ""  # Names the handler of its delivery and, after a colon, what that handler needs
    is_timed: bool = False  # Somebody's time runs from its arrival
    changes_table: bool = False  # Pages that show the chat's table must read it again
    is_aside: bool = False  # It may be dropped when much waits in its group
    is_urgent: bool = False  # It goes before others in its group
    instead: "Outgoing | None" = None  # Sent in the place of a reaction that the chat forbids
    picture: PictureRequest | None = None
    private: PrivateReply | None = None
    latest_id: int = 0  # The latest message of its chat when it was caused; 0 if unknown
    cause: str = ""  # The trace of what caused it
    state: DeliveryState = INITIAL_STATE

    @property
    def is_rendered(self) -> bool:
        """Whether a renderer makes the request when its turn comes."""
        return bool(self.key) or " " in self.method

    @property
    def is_visible_on_board(self) -> bool:
        """Whether it renders a round or a card, or is marked as changing the table."""
        return self.changes_table or (self.is_rendered and self.private is None)

    @property
    def is_post(self) -> bool:
        """Whether it sends a new message; an alert and the edit of a drawn message do not."""
        if self.private:
            return self.private.way != Way.ALERT
        if self.key:
            return self.is_new
        return self.is_rendered or self.method.startswith("send")

    @property
    def about_kind(self) -> str:
        return self.about.partition(":")[0]

    @property
    def text(self) -> str:
        """The text of a message or of the answer to a press; "" for any other request."""
        return str(self.params.get("text", ""))

    @property
    def topic(self) -> int:
        """The topic of a message; 0 for none."""
        return int(self.params.get("message_thread_id", 0))

    @property
    def edited_id(self) -> int | None:
        """The id of the message that the request edits or deletes; None for any other request."""
        if not self.method.startswith(("edit", "delete")):
            return None
        message_id = self.params.get("message_id")
        return message_id if isinstance(message_id, int) else None

    @property
    def emoji(self) -> str:
        """The emoji of a reaction; "" for any other request."""
        reaction = self.params.get("reaction")
        return str(reaction[0]["emoji"]) if reaction else ""

    def move(self, chat_id: int) -> "Outgoing":
        """Return the request for another chat, without message ids of the former one."""
        params = dict(self.params)
        params.pop("reply_parameters", None)
        if not self.key:  # else the renderer knows where the message is
            params["chat_id"] = chat_id
        return replace(self, lane=chat_id, params=params, latest_id=0, state=INITIAL_STATE)

    def take_next_way(self) -> "Outgoing":
        """Return a private reply without its present way, and without what was stored of sending by it."""
        private = replace(self.private, ways=self.private.ways[1:]) if self.private else None
        return replace(self, private=private, latest_id=0, state=INITIAL_STATE)

    def leave_topic(self) -> "Outgoing":
        """Return the request for the chat itself, without a reply, since that would be in the topic."""
        params = dict(self.params)
        params.pop("message_thread_id", None)
        params.pop("reply_parameters", None)
        return replace(self, params=params)


# The stored keys of fields that are left out while they are 0, False or empty
KEYS = {
    "about": "about",
    "is_refresh": "unasked",
    "is_timed": "timed",
    "changes_table": "table",
    "is_aside": "aside",
    "is_urgent": "urgent",
    "latest_id": "after",
    "cause": "cause",
}
STATE_KEYS = {"goes_without_picture": "plain", "is_text": "text", "picture_checks": "owed"}
PICTURE_KEYS = {"kind": "kind", "language": "language", "shown_key": "shown"}
PRIVATE_KEYS = {
    "ways": "ways",
    "player_id": "to",  # `admin.privacy` expects another key after it
    "until": "until",
    "press_id": "press",
    "ephemeral_id": "reply",
    "shown_key": "round",
    "heading": "above",
    "language": "language",
    "server": "server",
}
# All but those of a renderer's argument
KNOWN_KEYS = {
    *("method", "round", "new", "instead", "shows", "doubt", "left"),
    *KEYS.values(),
    *STATE_KEYS.values(),
}


def encode(outgoing: Outgoing) -> str:
    """Return the JSON in which the request is stored."""
    return json.dumps(_make_body(outgoing), ensure_ascii=False)


def _make_body(outgoing: Outgoing) -> dict[str, Any]:
    """Return the object that is stored, from which `_read_body` makes the request again."""
    body: dict[str, Any] = {"method": outgoing.method}
    if outgoing.key:
        body |= {"round": outgoing.key, "new": outgoing.is_new}  # "round": at first only rounds were drawn
    elif _has_flat_params(outgoing):
        body |= outgoing.params
    else:
        body["params"] = outgoing.params
    body |= _pack(outgoing, KEYS)
    if outgoing.private:
        body |= _pack(outgoing.private, PRIVATE_KEYS, with_defaults=True)
    if outgoing.instead:
        body["instead"] = _make_body(outgoing.instead)
    if outgoing.picture:
        picture = _pack(outgoing.picture, PICTURE_KEYS, with_defaults=True)
        body["shows"] = {**picture, **outgoing.picture.arguments}
    state = outgoing.state
    body |= _pack(state, STATE_KEYS)
    if state.check:
        body["doubt"] = asdict(state.check)
    if state.unchecked:
        body["left"] = asdict(state.unchecked)
    return body


def _has_flat_params(outgoing: Outgoing) -> bool:
    """Whether the renderer's argument is stored beside the other keys."""
    is_flat = outgoing.is_rendered and not outgoing.method.startswith(DRAWN_POST_PREFIX)
    return is_flat and outgoing.private is None


def _pack(value: object, keys: Mapping[str, str], *, with_defaults: bool = False) -> dict[str, Any]:
    """Return the fields of a dataclass under their stored keys."""
    packed = {key: getattr(value, name) for name, key in keys.items()}
    if with_defaults:
        return packed
    return {key: field for key, field in packed.items() if field}


def _unpack(stored: Mapping[str, Any], keys: Mapping[str, str]) -> dict[str, Any]:
    """Return the stored fields of a dataclass by their names."""
    return {name: stored[key] for name, key in keys.items() if key in stored}


def decode(lane: int, text: str) -> Outgoing | None:
    """Read a stored request; None if it can't be read."""
    try:
        return _read_body(lane, parse_object(text))
    except UNREADABLE_ERRORS:
        return None


def _read_body(lane: int, body: Mapping[str, Any]) -> Outgoing:
    """Read a stored object. Raises one of `UNREADABLE_ERRORS`."""
    method = body["method"]
    params = body.get("params")
    if not isinstance(method, str) or not isinstance(params, dict | None):
        raise TypeError("no method")
    private = _read_private(body) if method == TELL_PRIVATELY else None
    key = 0 if private else int(body.get("round", 0))
    if params is None:  # the argument of a renderer lies beside the other keys
        params = {name: value for name, value in body.items() if name not in KNOWN_KEYS}
        is_renderers_method = " " in method
        has_argument = key or (params and is_renderers_method)
        if private or not has_argument:
            raise ValueError("no parameters")
    instead = body.get("instead")
    picture = body.get("shows")
    return Outgoing(
        lane,
        method,
        params,
        key=key,
        is_new=bool(body.get("new")),
        instead=_read_body(lane, instead) if instead else None,
        picture=_read_picture(picture) if picture else None,
        private=private,
        state=_read_state(body),
        **_unpack(body, KEYS),
    )


def _read_private(body: Mapping[str, Any]) -> PrivateReply:
    """Read a private reply from stored JSON, which has lists instead of tuples."""
    fields = _unpack(body, PRIVATE_KEYS)
    fields["ways"] = tuple(fields["ways"])
    fields["player_id"] = int(fields["player_id"])
    fields["until"] = float(fields["until"])
    return PrivateReply(**fields)


def _read_picture(stored: Mapping[str, Any]) -> PictureRequest:
    arguments = {key: value for key, value in stored.items() if key not in PICTURE_KEYS.values()}
    return PictureRequest(**_unpack(stored, PICTURE_KEYS), arguments=arguments)


def _read_state(body: Mapping[str, Any]) -> DeliveryState:
    """Read the state of delivery; `INITIAL_STATE` itself if nothing of it is stored."""
    state = DeliveryState(**_unpack(body, STATE_KEYS))
    if body.get("doubt"):
        check = DeliveryCheck(**body["doubt"])
        check = replace(check, fate=DeliveryStatus(check.fate))
        state = replace(state, check=check)
    if body.get("left"):
        state = replace(state, unchecked=UncheckedPost(**body["left"]))
    return INITIAL_STATE if state == INITIAL_STATE else state
