"""Tells users of failures, in one short sentence, if they have asked the bot for something."""

import time
from collections.abc import Callable, Iterable

from bot.database import Store, Tx
from bot.i18n import Html, choose_language, get_words
from bot.queue import queries
from bot.queue.outbox import Outbox
from bot.queue.outgoing import Outgoing
from bot.queue.queries import SINGLE_BOT, Leases, QueuedRequest, QueuedUpdate
from bot.queue.updates import MAX_CHAT_ID
from bot.telegram.context import BoardReply
from bot.telegram.dispatch import BoardNotifier
from bot.telegram.incoming import Incoming, read_queued_update
from bot.telegram.messages import answer_press, post_message

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
        self.outage_began: float | None = None

    async def report_failure(self, update: QueuedUpdate) -> None:
        """Dead-letter the update, and tell its sender in the chat or on the board. Raises LaneLostError."""
        now = self._wall()
        incoming = self._read_update(update)
        submission = incoming.submission
        words = get_words(choose_language(incoming.language))
        apology = words.translate("Sorry, something went wrong here. It is noted.")
        reply = self._make_reply(update, incoming, apology)

        def store_failure(tx: Tx) -> list[QueuedRequest]:
            self._leases.check_token(tx, update.lane, update.lease_token)
            queries.dead_letter_update(tx, update.update_id, now)
            if submission is not None:
                self._board.store_replies(tx, submission, [BoardReply(apology)], now)
            if reply is None:
                return []
            return [queries.insert_request(tx, reply, now)]

        requests = await self._store.write_with_retries(store_failure)
        self._outbox.enqueue(requests)
        if submission is not None:
            self._board.changes.notify_chat(submission.player_id)  # wakes the player's pages

    def report_delay(self, updates: Iterable[QueuedUpdate]) -> None:
        """Tell the senders, once in each chat, that the database can't be written at the moment.

        A chat that another bot may serve by now is not told: a bot that was cut off knows nothing of it.
        """
        now = self._monotonic()
        if self.outage_began is None:
            self.outage_began = now
            self._told_at = {lane: at for lane, at in self._told_at.items() if at > now - REPLY_INTERVAL}
        if now - self.outage_began < SILENT_SECONDS:
            return
        for update in updates:
            if update.lane in self._told_at or len(self._told_at) >= MAX_CHATS_TOLD:
                continue
            if not self._leases.surely_owns(update.lane):
                continue
            incoming = self._read_update(update)
            words = get_words(choose_language(incoming.language))
            text = words.translate(
                "I can’t store anything at the moment. Your message is not lost: I will answer it."
            )
            reply = self._make_reply(update, incoming, text)
            if reply is not None and not incoming.press:
                self._told_at[update.lane] = now
                self._outbox.send_unstored(reply)

    def _read_update(self, update: QueuedUpdate) -> Incoming:
        """Read a stored update; nothing is known of one that can't be read."""
        try:
            return read_queued_update(update, self._bot_id)
        except Exception:  # noqa: BLE001 - it may have any shape
            return Incoming()

    def _make_reply(self, update: QueuedUpdate, incoming: Incoming, text: Html) -> Outgoing | None:
        """Make the reply to the sender; None if the update came from the board or isn't meant for the bot."""
        if incoming.submission:
            return None
        press = incoming.press
        if press:
            is_usable = abs(press.player_id) < MAX_CHAT_ID  # else it is none that Telegram gives
            return answer_press(press.player_id, press.id, text) if is_usable else None
        message = incoming.message
        if message is None or incoming.sender is None or not update.lane:
            return None
        if update.lane > 0:  # in private
            return post_message(update.lane, text)
        replies_to_bot = message.replied is not None and message.replied.is_own
        if replies_to_bot or message.text.startswith("/"):
            return post_message(update.lane, text, reply_to=message.id)
        return None
