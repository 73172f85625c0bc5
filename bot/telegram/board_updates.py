"""What is tapped on a page of the bot's own, as the updates that Telegram would send of it.

An answer in a group is a message that nobody but its author and the bot sees (Bot API 10.2), and in private
an ordinary one; to the hand of a day it is a private one, wherever it was tapped. A press is one of a button
below such a message. Each says which tap it is under the key `board`. Nothing of Telegram's does: the inbox
takes that away from all that does not come from the page.
"""

from hashlib import sha256
from typing import Any, Protocol

from bot.queue.queries import FIRST_BOARD_UPDATE_ID
from bot.queue.updates import BOARD_KEY

ANSWER = "/a"  # The command by which a text is an answer wherever the bot is among others
OF_ONES_OWN = ("ct:",)  # How the data of buttons begins that belong to a message in the person's own chat
TOPICAL = ("message_thread_id", "is_topic_message")  # What a message in a topic has


class PagePlace(Protocol):
    """The table that the page shows."""

    @property
    def chat_id(self) -> int:
        """The chat."""

    @property
    def topic(self) -> int:
        """The topic's thread, 0 for none."""


class PageUser(Protocol):
    """Who sits at the page."""

    @property
    def id(self) -> int:
        """Telegram's number of the person."""

    @property
    def name(self) -> str:
        """First name."""

    @property
    def username(self) -> str | None:
        """Without the @."""

    @property
    def language(self) -> str:
        """The tag of the language."""


def make_answer_update(
    place: PagePlace,
    chat_kind: str,
    person: PageUser,
    press_id: str,
    text: str,
    now: float,
    *,
    round_id: int = 0,
) -> dict[str, Any]:
    """The update of an answer that was put together on the page, at `now` by Telegram's clock.

    `round_id` names the round that the page showed; 0 leaves that to what stands on the table.
    """
    private = chat_kind == "private"
    number = _number(person, press_id)
    message = {
        **_message(place, chat_kind, press_id, now, round_id),
        "from": _user(person),
        **({"text": text} if private else _by_command(text)),
        **({} if private else {"ephemeral_message_id": number % 2**31 or 1}),
    }
    return {"update_id": number, "message": message}


def make_daily_answer_update(
    person: PageUser, press_id: str, day: str, text: str, now: float
) -> dict[str, Any]:
    """The update of an answer to the person's hand of that day, in their own chat, whatever place the page
    shows.

    It comes by the command, so that it is an answer whatever the text is: no other command, and no talk.
    """
    message = {
        **_by_command(text),
        **_named(press_id, now, day=day),
        "chat": {"id": person.id, "type": "private"},
        "from": _user(person),
    }
    return {"update_id": _number(person, press_id), "message": message}


def is_daily_answer_update(update: dict[str, Any], day: str) -> bool:
    """Whether that is the update of an answer to the hand of that day."""
    message = update.get("message") or {}
    return bool((message.get(BOARD_KEY) or {}).get("day") == day)


def make_press_update(
    place: PagePlace, chat_kind: str, person: PageUser, press_id: str, data: str, now: float
) -> dict[str, Any]:
    """The update of a button that was pressed on the page; one of the person's own message is there."""
    own = data.startswith(OF_ONES_OWN)
    message = _message(place, chat_kind, press_id, now, 0)
    if own:
        message = {**message, "chat": {"id": person.id, "type": "private"}}
        message = {key: value for key, value in message.items() if key not in TOPICAL}
    query = {
        "id": f"board:{person.id}:{press_id}",
        "from": _user(person),
        "chat_instance": "board",
        "data": data,
        "message": message,
    }
    return {"update_id": _number(person, press_id), "callback_query": query}


def _message(place: PagePlace, chat_kind: str, press_id: str, now: float, round_id: int) -> dict[str, Any]:
    topic = {"message_thread_id": place.topic, "is_topic_message": True} if place.topic else {}
    chat = {"id": place.chat_id, "type": chat_kind}
    return {**_named(press_id, now, **({"round": round_id} if round_id else {})), "chat": chat, **topic}


def _named(press_id: str, now: float, **meant: Any) -> dict[str, Any]:
    """What every tap's message has; `meant` says what the page showed."""
    return {"message_id": 0, "date": int(now), BOARD_KEY: {"press": press_id, **meant}}


def _by_command(text: str) -> dict[str, Any]:
    command = {"type": "bot_command", "offset": 0, "length": len(ANSWER)}
    return {"text": f"{ANSWER} {text}", "entities": [command]}


def _user(person: PageUser) -> dict[str, Any]:
    known = {"id": person.id, "is_bot": False, "first_name": person.name, "language_code": person.language}
    return known | ({"username": person.username} if person.username else {})


def _number(person: PageUser, press_id: str) -> int:
    """The update's: the same for the same tap, and for no other."""
    digest = sha256(f"{person.id}:{press_id}".encode()).digest()
    return FIRST_BOARD_UPDATE_ID + int.from_bytes(digest[:8]) % FIRST_BOARD_UPDATE_ID
