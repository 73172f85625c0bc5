"""Build requests to Telegram with their text and keyboard, ready to be stored and sent."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from bot.i18n import Html, Words, find_mentions, format_name, insert_names, strip_tags
from bot.queue import private_delivery
from bot.queue.queries import SHOW_ROUND, TELL_PRIVATELY
from bot.telegram.photo_messages import PHOTO_METHODS, truncate_lines


@dataclass(frozen=True, slots=True)
class Request:
    """One request to Telegram."""

    lane: int  # the chat it goes to, or the person for answers to a press
    # `method`, `params` and, if its delivery must be recorded, `about`. `timed` says that somebody's time
    # runs from its arrival, and `table` that pages which show the chat's table must read it again.
    body: dict[str, Any] = field(default_factory=dict)


class Link(str):
    """An address that a button opens."""

    __slots__ = ()


class WebApp(str):
    """The address of a page that a button opens within Telegram, in a private chat."""

    __slots__ = ()


class CopyText(str):
    """A text (at most 256 characters) that a button puts on the clipboard."""

    __slots__ = ()


# The label, and the data that a press sends (at most 64 bytes) or instead a `Link`, `WebApp` or `CopyText`.
Button = tuple[str, str]
Keyboard = Sequence[Sequence[Button]]


def make_reply_markup(keyboard: Keyboard) -> dict[str, Any]:
    """Return the keyboard as Telegram's JSON."""
    return {"inline_keyboard": [[_make_button(*button) for button in row] for row in keyboard]}


def _make_button(text: str, data: str) -> dict[str, Any]:
    """Make a button for Telegram; a subclass of `str` tells what its `data` is."""
    match data:
        case Link():
            return {"text": text, "url": str(data)}
        case WebApp():
            return {"text": text, "web_app": {"url": str(data)}}
        case CopyText():
            return {"text": text, "copy_text": {"text": str(data)}}
        case _:
            return {"text": text, "callback_data": data}


TEXT_LIMIT = 4096  # UTF-16 units
MAX_ANSWER_LENGTH = 200  # Characters of the answer to a press


def _truncate_text(text: str) -> Html:
    return truncate_lines(text, TEXT_LIMIT, lambda part: len(part.encode("utf-16-le")) // 2)


def post_message(
    chat_id: int,
    text: str,
    *,
    topic: int = 0,
    reply_to: int | None = None,
    keyboard: Keyboard | None = None,
    about: str = "",
    timed: bool = False,
) -> Request:
    """Request a new message. `about` and `timed`: see `Request.body`."""
    params = {"chat_id": chat_id, **_make_text_params(text, keyboard)}
    if topic:
        params["message_thread_id"] = topic
    if reply_to is not None:
        params["reply_parameters"] = {"message_id": reply_to, "allow_sending_without_reply": True}
    body: dict[str, Any] = {"method": "sendMessage", "params": params, "about": about}
    if timed:
        body["timed"] = True
    return Request(chat_id, body)


def _make_text_params(text: str, keyboard: Keyboard | None) -> dict[str, Any]:
    """Make the parameters of an HTML text and its keyboard, without a preview of its links."""
    params: dict[str, Any] = {"text": _truncate_text(text), "parse_mode": "HTML"}
    params["link_preview_options"] = {"is_disabled": True}
    if keyboard is not None:
        params["reply_markup"] = make_reply_markup(keyboard)
    return params


def edit_message(chat_id: int, message_id: int, text: str, keyboard: Keyboard | None = None) -> Request:
    """Request that a message's text and keyboard be replaced."""
    params = {"chat_id": chat_id, "message_id": message_id, **_make_text_params(text, keyboard)}
    return Request(chat_id, {"method": "editMessageText", "params": params})


def delete_message(chat_id: int, message_id: int) -> Request:
    """Request that a message be deleted; others' messages only where the bot is an administrator who may."""
    params = {"chat_id": chat_id, "message_id": message_id}
    return Request(chat_id, {"method": "deleteMessage", "params": params})


def react_to_message(chat_id: int, message_id: int, emoji: str, instead: Request | None = None) -> Request:
    """Request a reaction to a message; `instead` is sent where the chat forbids it."""
    reaction = [{"type": "emoji", "emoji": emoji}]
    params = {"chat_id": chat_id, "message_id": message_id, "reaction": reaction}
    body = {"method": "setMessageReaction", "params": params}
    if instead:
        body["instead"] = instead.body
    return Request(chat_id, body)


BOARD_REACTION = "mark"  # pseudo-method of a request: a reaction to what somebody entered on the board


def react_on_board(player_id: int, emoji: str) -> Request:
    """Request a reaction to what the person entered on the board, where no message could bear it."""
    return Request(player_id, {"method": BOARD_REACTION, "emoji": emoji})


def answer_press(lane: int, query_id: str, text: str = "", *, alert: bool = False, url: str = "") -> Request:
    """Request the answer to a press; `alert` opens a dialog, `url` the bot's chat (`t.me/BOT?start=…`)."""
    params: dict[str, Any] = {"callback_query_id": query_id}
    if url:
        params["url"] = url
    if text:
        params |= {"text": text[:MAX_ANSWER_LENGTH], "show_alert": alert}
    return Request(lane, {"method": "answerCallbackQuery", "params": params})


def tell_privately(
    chat_id: int,
    player_id: int,
    text: str,
    ephemeral_until: float,
    *,
    language: str,
    query_id: str = "",
    ephemeral_id: int = 0,
    keyboard: Keyboard | None = None,
    topic: int = 0,
    round_id: int = 0,
    heading: str = "",
    may_wait: bool = True,
) -> Request:
    """Request that one player of the group `chat_id` alone be told; see `Context.tell_privately`.

    The press `query_id` or the ephemeral message may be answered ephemerally until `ephemeral_until`.
    """
    fits_alert = len(strip_tags(Html(text))) <= private_delivery.MAX_ALERT_LENGTH
    can_alert = query_id and fits_alert and keyboard is None
    ways = [way for way in private_delivery.WAYS if may_wait or way != private_delivery.WAITING]
    if chat_id == player_id:
        ways = [private_delivery.PRIVATE]
    elif can_alert:
        ways = [private_delivery.ALERT, *ways]
    body = {
        **post_message(chat_id, text, topic=topic, keyboard=keyboard).body,
        "method": TELL_PRIVATELY,
        "ways": ways,
        "to": player_id,
        "until": ephemeral_until,
        "press": query_id,
        "reply": ephemeral_id,
        "round": round_id,
        "above": heading,
        "language": language,
        "aside": True,  # May be dropped when the group's queue is full
    }
    return Request(player_id if can_alert else chat_id, body)  # An answer to a press has the person's lane


class RoundLike(Protocol):
    """A round, as far as its message needs it."""

    @property
    def id(self) -> int: ...

    @property
    def chat_id(self) -> int: ...


def show_round(round: RoundLike, *, new: bool = False) -> Request:
    """Request that the round's message be rendered and edited at its turn; `new` posts another one."""
    return Request(round.chat_id, {"method": SHOW_ROUND, "round": round.id, "new": new})


def show_round_by_id(chat_id: int, round_id: int, *, unasked: bool = False) -> Request:
    """Request that a round's message be edited; `unasked`, for no more than its clock, may be dropped."""
    body = {"method": SHOW_ROUND, "round": round_id, "new": False}
    if unasked:
        body["unasked"] = True
    return Request(chat_id, body)


NO_PICTURE = ""  # The kind of an empty picture, which removes that of the edited message


def add_picture(
    request: Request, kind: str, language: str, *, shown_key: str = "", **arguments: Any
) -> Request:
    """Return the request with a picture, found at sending by the `PictureFinder` of that kind.

    `shown_key` names the picture that the edited photo shows now; "" for a post. A request that is no text
    message of the chat, such as one for a single person, is returned unchanged.
    """
    if request.body["method"] not in PHOTO_METHODS:
        return request
    shows = {"kind": kind, "language": language, "shown": shown_key, **arguments}
    return replace(request, body=request.body | {"shows": shows})


def find_mentioned_players(body: Mapping[str, Any]) -> set[int]:
    """Return the ids of the players that a stored request mentions; none unless its text is HTML."""
    params = body.get("params", {})
    if params.get("parse_mode") != "HTML":
        return set()
    return find_mentions(str(params.get("text", "")))


def insert_request_names(body: Mapping[str, Any], names: Mapping[int, str]) -> dict[str, Any]:
    """Return a stored request with the players' names in place of the mentions; cut what gets too long."""
    text = _truncate_text(insert_names(body["params"]["text"], names))
    return {**body, "params": {**body["params"], "text": text}}


def format_player_name(names: Mapping[int, str], player_id: int) -> Html:
    """Format a player's name, also of one who is no longer known."""
    return format_name(names.get(player_id))


SHORTEST_IN_MINUTES = 100  # seconds


def format_duration(words: Words, seconds: float) -> Html:
    """Format seconds in words: as seconds, minutes and seconds, or hours and minutes."""
    whole = round(seconds)
    if whole < 1:
        return words.translate("less than a second")
    if whole < SHORTEST_IN_MINUTES:
        return words.translate_plural("{n} second", "{n} seconds", whole)
    minutes, rest = divmod(whole, 60)
    if minutes >= 60:
        return words.translate("{hours} h {minutes} min", hours=minutes // 60, minutes=minutes % 60)
    return words.translate("{minutes} min {seconds} s", minutes=minutes, seconds=rest)


def format_short_duration(words: Words, seconds: float) -> Html:
    """Format seconds in few characters: `23 s`, `2:05` or `1:02:05`."""
    whole = round(seconds)
    if whole < SHORTEST_IN_MINUTES:
        return words.translate("{n} s", n=max(1, whole))
    minutes, rest = divmod(whole, 60)
    if minutes >= 60:
        return Html(f"{minutes // 60}:{minutes % 60:02}:{rest:02}")
    return Html(f"{minutes}:{rest:02}")


# Makes the address of the page that shows the table of a chat, topic and round: of a page within Telegram for
# a private chat, else of a link. "" where there is no page.
MakeBoardUrl = Callable[[int, int, int], str]


def make_no_board_url(_chat_id: int, _topic: int, _round_id: int) -> str:
    """Return "": there is no page."""
    return ""
