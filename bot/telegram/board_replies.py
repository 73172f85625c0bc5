"""Show on the board what the bot replies to an answer or press there, and what else changed.

What a request would say to that person alone is stored as a board reply instead. Everything else is sent as
usual: the round's message, cards, posts for all.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
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

# Stores a reply for a player: their id, the page's id of the answer or press, the text, whether an answer
# counts (None: it was none), and the time.
StoreReply = Callable[[Tx, int, str, str, bool | None, float], None]


@dataclass(frozen=True, slots=True)
class BoardNotifier:
    """Wakes the pages of the board after changes."""

    store_reply: StoreReply = lambda *_: None
    changes: ChangeNotifier = field(default_factory=ChangeNotifier)

    def notify_update(self, update: Update) -> None:
        """Wake the page that a handled update came from, or those of a group whose id it changed."""
        chat, user, message = update.effective_chat, update.effective_user, update.message
        if user is not None and chat is not None and read_board_mark(update.effective_message):
            self.changes.notify_chat(chat.id)
            self.changes.notify_chat(user.id)  # The page may show a hand of the day
        if message is not None and message.migrate_from_chat_id:
            self.changes.notify_chat(message.migrate_from_chat_id)
        if message is not None and message.migrate_to_chat_id:
            self.changes.notify_chat(message.chat.id)

    def move_chat(self, tx: Tx, old: int, new: int) -> None:
        """Move everything stored of a group to its new id, and wake its pages after the commit."""
        people.move_chat(tx, old, new)
        call_after_commit(tx, partial(self.changes.notify_chat_threadsafe, old))

    def notify_departure(self, raw: Any) -> None:
        """Report who left or was removed from a group, if an update as Telegram sent it says so."""
        with suppress(KeyError, TypeError, ValueError):  # no such update, or garbage
            chat_id, player_id = raw["message"]["chat"]["id"], raw["message"]["left_chat_member"]["id"]
            self.changes.report_departure(int(chat_id), int(player_id))


def is_visible_on_board(body: Mapping[str, Any]) -> bool:
    """Whether a request renders a round or a card, or is marked as changing the table."""
    method = str(body.get("method"))
    return method == SHOW_ROUND or method.startswith(DRAWN_POST_PREFIX) or bool(body.get("table"))


# Whether an answer counts, by the reaction to it; any other reaction tells nothing of that.
IS_RIGHT = {"🏆": True, "👌": True, "👏": True, "🤝": True, "👎": False, "🤔": False, "👀": False}
NO_MESSAGE_ID = 0  # Of the made-up message of an entry on the board, which can't be changed


def store_board_reply(
    tx: Tx, update: Update, requests: Sequence[Request], store_reply: StoreReply, now: float
) -> list[Request]:
    """Store what `requests` say to the sender on the board alone as one reply. Return the other requests.

    Returns all of them for an update that does not come from the board. Requests to change the made-up
    message of an entry are dropped.
    """
    mark = read_board_mark(update.effective_message)
    sender = find_sender(update)
    if not mark or sender is None:
        return list(requests)
    replies = [request for request in requests if _is_board_reply(request, sender.id)]
    texts = [_render_text(tx, reply) for reply in replies]
    text = "\n".join(filter(None, texts))
    reactions = [reply.body["emoji"] for reply in replies if reply.body["method"] == BOARD_REACTION]
    if text or reactions:
        press_id = str(mark.get("press", ""))
        is_right = IS_RIGHT.get(reactions[0]) if reactions else None
        store_reply(tx, sender.id, press_id, text, is_right, now)
    others = [request for request in requests if request not in replies]
    return [request for request in others if _get_params(request).get("message_id") != NO_MESSAGE_ID]


def _is_board_reply(request: Request, sender_id: int) -> bool:
    """Whether a request says something to the sender alone: a reaction, the answer to a press, or a text."""
    if request.body["method"] == TELL_PRIVATELY:
        return bool(request.body["to"] == sender_id)
    return request.body["method"] in (BOARD_REACTION, "answerCallbackQuery")


def _render_text(tx: Tx, request: Request) -> str:
    """Return the request's text without tags, with the names of the players that it mentions."""
    text = str(_get_params(request).get("text", ""))
    if request.body["method"] != TELL_PRIVATELY:
        return text  # Of the answer to a press: it is no HTML
    mentioned = find_mentions(text)
    names = people.load_names(tx, list(mentioned)) if mentioned else {}
    return strip_tags(insert_names(Html(text), names))


def _get_params(request: Request) -> Mapping[str, Any]:
    return request.body.get("params") or {}
