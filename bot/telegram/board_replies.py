"""What is said to whoever tapped on a page of the bot's own: a word that the page shows, and no request.

Everything else that a tap causes goes its usual way: the round's message, cards, posts for all.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from telegram import Update

from bot.database import Tx, call_after_commit
from bot.i18n import Html, find_mentions, insert_names, strip_tags
from bot.players import queries as people
from bot.queue.change_notifier import ChangeNotifier
from bot.queue.queries import DRAWN_POST_PREFIX, SHOW_ROUND, TELL_PRIVATELY
from bot.telegram.context import find_sender, read_board_mark
from bot.telegram.messages import BOARD_REACTION, Request

# What a reaction to an answer says of it.
COUNTS = {"🏆": True, "👌": True, "👏": True, "🤝": True, "👎": False, "🤔": False, "👀": False}
ANSWER = "answerCallbackQuery"
# What names the message of a tap: there is none to be changed, deleted or reacted to.
NO_MESSAGE = ("message_id", 0)

# Keeps a word for a person: the person, what the page calls the tap, the text, whether what was handed in
# counts, and when.
StoreReply = Callable[[Tx, int, str, str, bool | None, float], None]


def _untold(*_: object) -> None:
    """There is no page that would show it."""


@dataclass(frozen=True, slots=True)
class BoardNotifier:
    """What pages hear of."""

    store_reply: StoreReply = _untold
    changes: ChangeNotifier = field(default_factory=ChangeNotifier)

    def notify_press(self, update: Update) -> None:
        """A tap was handled: its page looks at what came of it."""
        chat, user = update.effective_chat, update.effective_user
        if user is not None and chat is not None and read_board_mark(update.effective_message):
            self.changes.notify_chat(chat.id)
            self.changes.notify_person(user.id)

    def move_chat(self, tx: Tx, old: int, new: int) -> None:
        """A group was found to have another id: all of it is there now, and pages follow."""
        people.move_chat(tx, old, new)
        call_after_commit(tx, partial(self.changes.notify_chat_threadsafe, old))

    def notify_departure(self, raw: Any) -> None:
        """Of an update as Telegram sent it: somebody may have left a group, or been thrown out."""
        message = raw.get("message") if isinstance(raw, dict) else None
        gone = message.get("left_chat_member") if isinstance(message, dict) else None
        chat = message.get("chat") if isinstance(message, dict) else None
        if not isinstance(gone, dict) or not isinstance(chat, dict):
            return
        chat_id, player_id = chat.get("id"), gone.get("id")
        if type(chat_id) is int and type(player_id) is int:
            self.changes.report_departure(chat_id, player_id)

    def notify_migration(self, update: Update) -> None:
        """A group was told to have another id now: pages that show it by the former one follow."""
        message = update.message
        if message is not None and message.migrate_from_chat_id:
            self.changes.notify_chat(message.migrate_from_chat_id)
        if message is not None and message.migrate_to_chat_id:
            self.changes.notify_chat(message.chat.id)


NO_BOARD = BoardNotifier()  # No pages


def is_visible_on_board(body: Mapping[str, Any]) -> bool:
    """Whether a request draws a table or a card, as it stands, or says that it changes what is there."""
    method = str(body.get("method"))
    return method == SHOW_ROUND or method.startswith(DRAWN_POST_PREFIX) or bool(body.get("table"))


def extract_board_reply(
    tx: Tx, update: Update, caused: Sequence[Request], tell: StoreReply, now: float
) -> list[Request]:
    """Keep as one word what a tap's requests say to its author alone; returns all others."""
    tap, who = read_board_mark(update.effective_message), find_sender(update)
    if not tap or who is None:
        return list(caused)
    said = [one for one in caused if _is_for(one, who.id)]
    marks = [COUNTS.get(one.body["emoji"]) for one in said if one.body["method"] == BOARD_REACTION]
    text = "\n".join(filter(None, (_text(tx, one) for one in said)))
    if text or marks:
        tell(tx, who.id, str(tap.get("press", "")), text, marks[0] if marks else None, now)
    return [one for one in caused if one not in said and NO_MESSAGE not in _params(one).items()]


def _is_for(request: Request, player_id: int) -> bool:
    """Whether nobody but that person is to hear of it, and nothing else is changed by it."""
    method = request.body["method"]
    return method in (BOARD_REACTION, ANSWER) or (
        method == TELL_PRIVATELY and request.body["to"] == player_id
    )


def _params(request: Request) -> Mapping[str, Any]:
    return request.body.get("params") or {}


def _text(tx: Tx, request: Request) -> str:
    """What it says, without tags and with all names."""
    text = str(_params(request).get("text", ""))
    if request.body["method"] != TELL_PRIVATELY:
        return text
    wanted = find_mentions(text)
    return strip_tags(insert_names(Html(text), people.load_names(tx, list(wanted)) if wanted else {}))
