"""Tells users of failures, in one short sentence, if they have asked the bot for something."""

import json
import time
from collections.abc import Callable, Iterable
from typing import Any

from bot.database import UNREADABLE_ERRORS, Store, Tx
from bot.i18n import Html, Words, choose_language, get_words, strip_tags
from bot.queue import queries
from bot.queue.leases import SINGLE_BOT, Leases
from bot.queue.outbox import Outbox
from bot.queue.queries import QueuedRequest, QueuedUpdate
from bot.queue.updates import MAX_CHAT_ID, decode_update, find_board_press
from bot.telegram.board_replies import BoardNotifier
from bot.telegram.messages import Request, answer_press, post_message

MAX_CHATS_TOLD = 200  # Chats that are told of one outage
SILENT_SECONDS = 1.0  # An outage that is shorter is not mentioned
REPLY_INTERVAL = 600.0  # Seconds within which a chat is told once, even if one outage follows another


class ErrorReplies:
    """Tells users of failures. `bot_id` identifies replies to the bot's messages."""

    def __init__(
        self,
        store: Store,
        outbox: Outbox,
        bot_id: int,
        wall: Callable[[], float] = time.time,
        board: BoardNotifier | None = None,
        leases: Leases = SINGLE_BOT,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._outbox = outbox
        self._bot_id = bot_id
        self._wall = wall
        self._board = board or BoardNotifier()
        self._leases = leases
        self._monotonic = monotonic
        self._told_at = dict[int, float]()  # When chats were told of an outage
        self._outage_began: float | None = None

    async def report_failure(self, update: QueuedUpdate) -> None:
        """Dead-letter the update, and tell its sender in the chat or on the board. Raises LaneLostError."""
        now = self._wall()
        raw = decode_update(update)
        press = find_board_press(raw)
        reply = self._make_reply(update, _apologize_for_failure)  # None for a press on the board

        def store_failure(tx: Tx) -> list[QueuedRequest]:
            self._leases.check_token(tx, update.lane, update.lease_token)
            queries.dead_letter_update(tx, update.update_id, now)
            if press is not None:
                person_id, press_id = press
                text = strip_tags(_apologize_for_failure(_get_words_for_sender(raw)))
                is_right = None  # the text is no verdict
                self._board.store_reply(tx, person_id, press_id, text, is_right, now)
            if reply is None:
                return []
            return [queries.insert_request(tx, reply.lane, reply.body, now)]

        self._outbox.enqueue(await self._store.write_with_retries(store_failure))
        if press is not None:
            person_id, _ = press
            self._board.changes.notify_chat(person_id)

    def report_delay(self, updates: Iterable[QueuedUpdate]) -> None:
        """Tell the senders, once in each chat, that the database can't be written at the moment.

        A chat that another bot may serve by now is not told: a bot that was cut off knows nothing of it.
        """
        now = self._monotonic()
        if self._outage_began is None:
            self._outage_began = now
        if now - self._outage_began < SILENT_SECONDS:
            return
        for update in updates:
            if update.lane in self._told_at or len(self._told_at) >= MAX_CHATS_TOLD:
                continue
            if not self._leases.surely_owns(update.lane):
                continue
            reply = self._make_reply(update, _announce_delay)
            if reply is not None and reply.body["method"].startswith("send"):  # no answer to a press
                self._told_at[update.lane] = now
                self._outbox.send_unstored(reply)

    def end_outage(self) -> None:
        """Note that the database can be written again; forget who was told, but for the last ten minutes."""
        self._outage_began = None
        since = self._monotonic() - REPLY_INTERVAL
        self._told_at = {lane: at for lane, at in self._told_at.items() if at > since}

    def _make_reply(self, update: QueuedUpdate, say: Callable[[Words], Html]) -> Request | None:
        """Make the reply to the sender; None if the update came from the board or isn't meant for the bot."""
        try:
            raw = json.loads(update.body)
            if find_board_press(raw) is not None:
                return None
            text = say(_get_words_for_sender(raw))
            query = raw.get("callback_query")
            person_id = int(query["from"]["id"]) if query else 0
            if query and abs(person_id) < MAX_CHAT_ID:  # else it is none that Telegram gives
                return answer_press(person_id, str(query["id"]), text)
            message = raw.get("message")
            if message and update.lane and _is_meant_for_bot(message, self._bot_id):
                is_group = update.lane < 0
                reply_to = int(message["message_id"]) if is_group else None
                return post_message(update.lane, text, reply_to=reply_to)
        except UNREADABLE_ERRORS:
            pass
        return None


def _apologize_for_failure(words: Words) -> Html:
    return words.translate("Sorry, something went wrong here. It is noted.")


def _announce_delay(words: Words) -> Html:
    return words.translate(
        "I can't write anything down at the moment. What you sent is kept and will be answered."
    )


def _get_words_for_sender(raw: dict[str, Any]) -> Words:
    """Return the words in the sender's language, as Telegram reports it."""
    sender = (raw.get("callback_query") or raw.get("message") or {}).get("from") or {}
    return get_words(choose_language(sender.get("language_code")))


def _is_meant_for_bot(message: dict[str, Any], bot_id: int) -> bool:
    """Whether a person wrote in private, a command, or a reply to the bot."""
    if (message.get("from") or {}).get("is_bot"):
        return False
    replied = (message.get("reply_to_message") or {}).get("from") or {}
    if message["chat"].get("type") == "private":
        return True
    is_command = str(message.get("text", "")).startswith("/")
    return is_command or replied.get("id") == bot_id
