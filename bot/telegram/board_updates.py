"""Make the updates that Telegram would send for answers and presses on the board.

An answer in a group becomes an ephemeral message, seen by its author and the bot alone (Bot API 10.2), and in
private an ordinary one; an answer to a day's hand is a private message, whatever the page shows. A press is
one of a button below such a message. The key `board` marks each of them; the inbox removes that key from
everything that comes from Telegram.
"""

from hashlib import sha256
from typing import Any, Protocol

from bot.queue.queries import FIRST_BOARD_UPDATE_ID
from bot.queue.updates import BOARD_KEY


class PagePlace(Protocol):
    """The chat and topic whose table the page shows."""

    @property
    def chat_id(self) -> int: ...

    @property
    def topic(self) -> int:
        """The topic's thread; 0 for none."""


class PageUser(Protocol):
    """The person at the page."""

    @property
    def id(self) -> int: ...

    @property
    def name(self) -> str: ...

    @property
    def username(self) -> str | None: ...

    @property
    def language(self) -> str: ...


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
    """Make the update of an answer, sent at `now` by Telegram's clock, to the round that the page showed.

    `press_id` is the page's id of it. With a `round_id` of 0 the answer is for the round on the table.
    """
    update_id = _compute_update_id(person, press_id)
    message = {**_make_message(place, chat_kind, press_id, now, round_id), "from": _make_user(person)}
    if chat_kind == "private":
        message |= {"text": text}
    else:
        # Telegram's ids have 31 bits, and 0 stands for an ordinary message
        message |= {**_make_answer_command(text), "ephemeral_message_id": update_id % 2**31 or 1}
    return {"update_id": update_id, "message": message}


def make_daily_answer_update(
    person: PageUser, press_id: str, day: str, text: str, now: float
) -> dict[str, Any]:
    """Make the update of a private answer to that day's hand; with /a, so that no text is a command."""
    message = {
        **_make_answer_command(text),
        **_make_mark(press_id, now, day=day),
        "chat": {"id": person.id, "type": "private"},
        "from": _make_user(person),
    }
    return {"update_id": _compute_update_id(person, press_id), "message": message}


def is_daily_answer_update(update: dict[str, Any], day: str) -> bool:
    """Whether the update is an answer on the board to the hand of that day."""
    message = update.get("message") or {}
    return bool((message.get(BOARD_KEY) or {}).get("day") == day)


OWN_CHAT_PREFIXES = ("ct:",)  # Of the data of buttons whose message is in the person's private chat: a card's
TOPIC_KEYS = ("message_thread_id", "is_topic_message")


def make_press_update(
    place: PagePlace, chat_kind: str, person: PageUser, press_id: str, data: str, now: float
) -> dict[str, Any]:
    """Make the update of a press of the button with that data, in the private chat for buttons of a card."""
    message = _make_message(place, chat_kind, press_id, now)
    if data.startswith(OWN_CHAT_PREFIXES):
        message |= {"chat": {"id": person.id, "type": "private"}}
        message = {key: value for key, value in message.items() if key not in TOPIC_KEYS}
    query = {
        "id": f"board:{person.id}:{press_id}",
        "from": _make_user(person),
        "chat_instance": "board",
        "data": data,
        "message": message,
    }
    return {"update_id": _compute_update_id(person, press_id), "callback_query": query}


def _make_message(
    place: PagePlace, chat_kind: str, press_id: str, now: float, round_id: int = 0
) -> dict[str, Any]:
    """Return what all messages in the page's chat and topic have; a `round_id` of 0 is left out."""
    mark = _make_mark(press_id, now, round=round_id) if round_id else _make_mark(press_id, now)
    message = {**mark, "chat": {"id": place.chat_id, "type": chat_kind}}
    if place.topic:
        message |= {"message_thread_id": place.topic, "is_topic_message": True}
    return message


def _make_mark(press_id: str, now: float, **page: Any) -> dict[str, Any]:
    """Return what every message from the board has; `page` has the `round` or `day` that the page shows."""
    # There is no message in the chat, so its id is 0
    return {"message_id": 0, "date": int(now), BOARD_KEY: {"press": press_id, **page}}


ANSWER_COMMAND = "/a"


def _make_answer_command(text: str) -> dict[str, Any]:
    entity = {"type": "bot_command", "offset": 0, "length": len(ANSWER_COMMAND)}
    return {"text": f"{ANSWER_COMMAND} {text}", "entities": [entity]}


def _make_user(person: PageUser) -> dict[str, Any]:
    user = {"id": person.id, "is_bot": False, "first_name": person.name, "language_code": person.language}
    if person.username:
        user["username"] = person.username
    return user


def _compute_update_id(person: PageUser, press_id: str) -> int:
    """Return an update id beyond Telegram's; always the same for the same `press_id`, so it counts once."""
    digest = sha256(f"{person.id}:{press_id}".encode()).digest()
    number = int.from_bytes(digest[:8]) % FIRST_BOARD_UPDATE_ID  # So that the sum fits in 63 bits
    return FIRST_BOARD_UPDATE_ID + number
