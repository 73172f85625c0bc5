"""What the bot says: requests to Telegram with their text and keyboard, ready to be stored and sent."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from bot.i18n import Html, Words, find_mentions, format_name, insert_names, strip_tags
from bot.queue import private_delivery
from bot.queue.queries import SHOW_ROUND, TELL_PRIVATELY
from bot.telegram.photo_messages import PHOTO_METHODS

TEXT_LIMIT = 4096
BOARD_REACTION = (
    "mark"  # A request's pseudo-method: what a reaction says, to whoever tapped on a page of the bot's own
)
LONG = 100  # Seconds from which a time is told in minutes

# The address of the page that shows the table of a chat and topic, for the message of a round there: of a
# page within Telegram for a private chat, else of a link. Empty where there is no page.
MakeBoardUrl = Callable[[int, int, int], str]
# What it says, and the data that a press sends (at most 64 bytes) or instead a `Link`, `App` or `Copy`.
Button = tuple[str, str]
Keyboard = Sequence[Sequence[Button]]


def make_no_board_url(_chat_id: int, _topic: int, _round_id: int) -> str:
    """There is no page."""
    return ""


class RoundLike(Protocol):
    """Something that one message shows, as it stands."""

    @property
    def id(self) -> int:
        """Its number."""

    @property
    def chat_id(self) -> int:
        """The chat of its message."""


class Link(str):
    """An address that a button opens."""

    __slots__ = ()


class WebApp(str):
    """The address of a page that a button opens within Telegram, in a private chat."""

    __slots__ = ()


class CopyText(str):
    """A text (at most 256 characters) that a button puts on the clipboard."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Request:
    """One request to Telegram."""

    lane: int  # The chat it goes to, or the person for answers to a press
    # `method`, `params` and, for what must be remembered of the result, `about`. `timed` says that somebody's
    # time runs from when it arrives, and `table` that pages which show the chat's table are to look at it
    # again.
    body: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EphemeralWindow:
    """What somebody did in a group that a bot may answer ephemerally for 15 seconds."""

    until: float  # By this machine's clock, with some seconds to spare
    query_id: str = ""  # The id of the callback query
    ephemeral_id: int = 0  # The id of the ephemeral message, which need not be a command


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
    """A new message."""
    params: dict[str, Any] = {
        "chat_id": chat_id,
        "text": _fit(text),
        "parse_mode": "HTML",
        "link_preview_options": {"is_disabled": True},
    }
    if topic:
        params["message_thread_id"] = topic
    if reply_to is not None:
        params["reply_parameters"] = {"message_id": reply_to, "allow_sending_without_reply": True}
    if keyboard is not None:
        params["reply_markup"] = make_reply_markup(keyboard)
    body = {"method": "sendMessage", "params": params, "about": about}
    return Request(chat_id, body | ({"timed": True} if timed else {}))


def tell_privately(
    chat_id: int,
    player_id: int,
    text: str,
    window: EphemeralWindow,
    *,
    language: str,
    keyboard: Keyboard | None = None,
    topic: int = 0,
    key: str = "",
    round_id: int = 0,
    heading: str = "",
    may_wait: bool = True,
) -> Request:
    """Tell the person `to` of the group `chat_id` what nobody else may read; see `Context.to_one`."""
    short = keyboard is None and not key and len(strip_tags(Html(text))) <= private_delivery.MAX_ALERT_LENGTH
    first = [private_delivery.ALERT] if window.query_id and short else []
    ways = [*first, *(way for way in private_delivery.WAYS if may_wait or way != private_delivery.WAITING)]
    if chat_id == player_id:
        ways = [private_delivery.PRIVATE]
    body = {
        **post_message(chat_id, text, topic=topic, keyboard=keyboard).body,
        "method": TELL_PRIVATELY,
        "ways": ways,
        "to": player_id,
        "until": window.until,
        "press": window.query_id,
        "reply": window.ephemeral_id,
        "key": key,
        "round": round_id,
        "above": heading,
        "language": language,
        "aside": not key,
    }
    return Request(player_id if first else chat_id, body)


def edit_message(chat_id: int, message_id: int, text: str, keyboard: Keyboard | None = None) -> Request:
    """Another text for a message that is there."""
    params: dict[str, Any] = {
        "chat_id": chat_id,
        "message_id": message_id,
        "text": _fit(text),
        "parse_mode": "HTML",
        "link_preview_options": {"is_disabled": True},
    }
    if keyboard is not None:
        params["reply_markup"] = make_reply_markup(keyboard)
    return Request(chat_id, {"method": "editMessageText", "params": params})


def show_round(round: RoundLike, *, new: bool = False) -> Request:
    """Draw the round's message as it stands when its turn comes; `new` says that it will be a post."""
    return Request(round.chat_id, {"method": SHOW_ROUND, "round": round.id, "new": new})


def show_round_by_id(chat_id: int, round_id: int) -> Request:
    """As `show`, for a round known by its number alone that has a message."""
    return Request(chat_id, {"method": SHOW_ROUND, "round": round_id, "new": False})


def refresh_round(chat_id: int, round_id: int) -> Request:
    """Draw a round's message anew, known by its number alone, because of nothing but the time."""
    return Request(chat_id, {"method": SHOW_ROUND, "round": round_id, "new": False, "unasked": True})


def add_picture(request: Request, kind: str, language: str, *, shown_key: str = "", **of: Any) -> Request:
    """The request as one whose message shows a picture, where one can be had: see `routes.Look`.

    `shown` says what the photo that is changed shows by now; for a post it is empty. What is told to one
    person alone stays a text.
    """
    if request.body["method"] not in PHOTO_METHODS:
        return request
    asked = {"kind": kind, "language": language, "shown": shown_key, **of}
    return replace(request, body=request.body | {"shows": asked})


def react_to_message(chat_id: int, message_id: int, emoji: str, instead: Request | None = None) -> Request:
    """A reaction to a message: the quietest word there is. Where the chat forbids it, `instead` is sent."""
    reaction = [{"type": "emoji", "emoji": emoji}]
    params = {"chat_id": chat_id, "message_id": message_id, "reaction": reaction}
    more = {"instead": instead.body} if instead else {}
    return Request(chat_id, {"method": "setMessageReaction", "params": params, **more})


def react_on_board(player_id: int, emoji: str) -> Request:
    """The same to what somebody tapped on a page, where no message could bear it."""
    return Request(player_id, {"method": BOARD_REACTION, "emoji": emoji})


def delete_message(chat_id: int, message_id: int) -> Request:
    """Take a message out of its chat; others' only where the bot is an administrator who may."""
    return Request(
        chat_id, {"method": "deleteMessage", "params": {"chat_id": chat_id, "message_id": message_id}}
    )


def answer_press(lane: int, query_id: str, text: str = "", *, alert: bool = False, url: str = "") -> Request:
    """The answer that every press of a button gets; `url` opens a chat with the bot (`t.me/BOT?start=…`)."""
    params: dict[str, Any] = {"callback_query_id": query_id, **({"url": url} if url else {})}
    if text:
        params |= {"text": text[:200], "show_alert": alert}
    return Request(lane, {"method": "answerCallbackQuery", "params": params})


def make_reply_markup(keyboard: Keyboard) -> dict[str, Any]:
    """The keyboard as Telegram takes it."""
    return {"inline_keyboard": [[_button(*button) for button in row] for row in keyboard]}


def _button(text: str, data: str) -> dict[str, Any]:
    match data:
        case Link():
            return {"text": text, "url": str(data)}
        case WebApp():
            return {"text": text, "web_app": {"url": str(data)}}
        case CopyText():
            return {"text": text, "copy_text": {"text": str(data)}}
        case _:
            return {"text": text, "callback_data": data}


def _fit(text: str) -> str:
    """Cut at a line's end what is over Telegram's limit, so that no tag is torn."""
    if len(text.encode("utf-16-le")) // 2 <= TEXT_LIMIT:
        return text
    lines = text.split("\n")
    while lines and len("\n".join([*lines, "…"]).encode("utf-16-le")) // 2 > TEXT_LIMIT:
        lines.pop()
    cut = "\n".join([*lines, "…"])
    return cut if cut.count("<blockquote") == cut.count("</blockquote") else f"{cut}</blockquote>"


def find_mentioned_players(body: Mapping[str, Any]) -> set[int]:
    """The players whose names a stored request wants."""
    params = body.get("params", {})
    return find_mentions(str(params.get("text", ""))) if params.get("parse_mode") == "HTML" else set()


def insert_request_names(body: Mapping[str, Any], names: Mapping[int, str]) -> dict[str, Any]:
    """A stored request with the names that it wants."""
    params = body["params"]
    return {**body, "params": {**params, "text": _fit(insert_names(params["text"], names))}}


def format_duration(words: Words, amount: float) -> Html:
    """A time that people grasp: seconds, minutes and seconds, or hours and minutes."""
    whole = round(amount)
    if whole < 1:
        return words.translate("less than a second")
    if whole < LONG:
        return words.translate_plural("{n} second", "{n} seconds", whole)
    minutes, rest = divmod(whole, 60)
    if minutes >= 60:
        return words.translate("{hours} h {minutes} min", hours=minutes // 60, minutes=minutes % 60)
    return words.translate("{minutes} min {seconds} s", minutes=minutes, seconds=rest)


def format_short_duration(words: Words, amount: float) -> Html:
    """A time in few characters: `23 s`, or minutes and seconds as `2:05`, with the hours before them."""
    whole = round(amount)
    if whole < LONG:
        return words.translate("{n} s", n=max(1, whole))
    minutes, rest = divmod(whole, 60)
    return Html(f"{minutes // 60}:{minutes % 60:02}:{rest:02}" if minutes >= 60 else f"{minutes}:{rest:02}")


def format_player_name(names: Mapping[int, str], player_id: int) -> Html:
    """A player's name, also for one who is no longer known."""
    return format_name(names.get(player_id))
