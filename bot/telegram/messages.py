"""Build requests to Telegram with their text and keyboard, ready to be stored and sent."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from bot.i18n import Html, format_name, strip_tags
from bot.queue.outgoing import TELL_PRIVATELY, Outgoing, PictureRequest, PrivateReply, Way
from bot.queue.rendering import PHOTO_METHODS, truncate_text


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
    rows = [[_make_button(text, data) for text, data in row] for row in keyboard]
    return {"inline_keyboard": rows}


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


MAX_ANSWER_LENGTH = 200  # Characters of the answer to a press
MAX_ALERT_LENGTH = 199  # Telegram says fewer than 200


def post_message(
    chat_id: int,
    text: str,
    *,
    topic: int = 0,
    reply_to: int | None = None,
    keyboard: Keyboard | None = None,
    about: str = "",
    timed: bool = False,
    aside: bool = False,
    silent: bool = False,
) -> Outgoing:
    """Request a new message, with `silent` without a sound; for `about`, `timed`, `aside` see `Outgoing`."""
    params = {"chat_id": chat_id, **_make_text_params(text, keyboard)}
    if topic:
        params["message_thread_id"] = topic
    if silent:
        params["disable_notification"] = True
    if reply_to is not None:
        params["reply_parameters"] = {"message_id": reply_to, "allow_sending_without_reply": True}
    return Outgoing(chat_id, "sendMessage", params, about=about, is_timed=timed, is_aside=aside)


def _make_text_params(text: str, keyboard: Keyboard | None) -> dict[str, Any]:
    """Make the parameters of an HTML text and its keyboard, without a preview of its links."""
    params: dict[str, Any] = {"text": truncate_text(text), "parse_mode": "HTML"}
    params["link_preview_options"] = {"is_disabled": True}
    if keyboard is not None:
        params["reply_markup"] = make_reply_markup(keyboard)
    return params


def edit_message(chat_id: int, message_id: int, text: str, keyboard: Keyboard | None = None) -> Outgoing:
    """Request that a message's text and keyboard be replaced."""
    params = {"chat_id": chat_id, "message_id": message_id, **_make_text_params(text, keyboard)}
    return Outgoing(chat_id, "editMessageText", params)


def delete_message(chat_id: int, message_id: int) -> Outgoing:
    """Request that a message be deleted; others' messages only where the bot is an administrator who may."""
    return Outgoing(chat_id, "deleteMessage", {"chat_id": chat_id, "message_id": message_id})


WIN_REACTION = "🏆"  # To an answer that scores


def react_to_message(chat_id: int, message_id: int, emoji: str, instead: Outgoing | None = None) -> Outgoing:
    """Request a reaction to a message; `instead` is sent where the chat forbids it."""
    reaction = [{"type": "emoji", "emoji": emoji}]
    params = {"chat_id": chat_id, "message_id": message_id, "reaction": reaction}
    is_urgent = emoji == WIN_REACTION
    return Outgoing(chat_id, "setMessageReaction", params, instead=instead, is_urgent=is_urgent)


ANSWER_PRESS = "answerCallbackQuery"


def answer_press(lane: int, query_id: str, text: str = "", *, alert: bool = False, url: str = "") -> Outgoing:
    """Request the answer to a press; `alert` opens a dialog, `url` the bot's chat (`t.me/BOT?start=…`)."""
    params: dict[str, Any] = {"callback_query_id": query_id}
    if url:
        params["url"] = url
    if text:
        params |= {"text": text[:MAX_ANSWER_LENGTH], "show_alert": alert}
    return Outgoing(lane, ANSWER_PRESS, params)


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
) -> Outgoing:
    """Request that one player of the group `chat_id` alone be told, as `Context.tell_privately` describes.

    The press `query_id` or the ephemeral message may be answered ephemerally until `ephemeral_until`.
    """
    fits_alert = len(strip_tags(Html(text))) <= MAX_ALERT_LENGTH
    can_alert = bool(query_id) and fits_alert and keyboard is None
    ways = [Way.EPHEMERAL, Way.PRIVATE]
    if can_alert:
        ways.insert(0, Way.ALERT)
    if may_wait:
        ways.append(Way.WAITING)
    if chat_id == player_id:  # no group, but the player's private chat
        ways = [Way.PRIVATE]
    message = post_message(chat_id, text, topic=topic, keyboard=keyboard)
    private = PrivateReply(
        tuple(ways),
        player_id,
        ephemeral_until,
        press_id=query_id,
        ephemeral_id=ephemeral_id,
        shown_key=round_id,
        heading=heading,
        language=language,
    )
    lane = player_id if can_alert else chat_id  # An answer to a press has the person's lane
    return replace(message, lane=lane, method=TELL_PRIVATELY, private=private, is_aside=True)


SHOW_ROUND = "show"  # Its renderer makes the message of a round in its present state


def show_round(chat_id: int, round_id: int, *, new: bool = False, unasked: bool = False) -> Outgoing:
    """Request that the round's message be rendered and edited at its turn; `new` posts another one.

    An `unasked` edit, for no more than the clock, may be dropped.
    """
    return Outgoing(chat_id, SHOW_ROUND, key=round_id, is_new=new, is_refresh=unasked)


# The kind that finds no picture: of an edited photo only the caption changes, since it can't become a text
NO_PICTURE = ""


def add_picture(
    request: Outgoing, kind: str, language: str, *, shown_key: str = "", **arguments: Any
) -> Outgoing:
    """Return the request with a picture, found at sending by the `PictureFinder` of that kind.

    `shown_key` names the picture that the edited photo shows now; "" for a post. A request that is no text
    message of the chat, such as one for a single person, is returned unchanged.
    """
    if request.method not in PHOTO_METHODS:
        return request
    return replace(request, picture=PictureRequest(kind, language, shown_key, arguments))


def format_player_name(names: Mapping[int, str], player_id: int) -> Html:
    """Format a player's name, also of one who is no longer known."""
    return format_name(names.get(player_id))


OWN_CHAT = 0  # For whoever opens a board: the private chat
# Makes the address of the page that shows the table of a chat, topic and round: of a page within Telegram for
# a private chat, else of a link. "" where there is no page.
MakeBoardUrl = Callable[[int, int, int], str]


def make_no_board_url(_chat_id: int, _topic: int, _round_id: int) -> str:
    """Return "": there is no page."""
    return ""
