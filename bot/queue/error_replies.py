"""Tells users of failures: one short sentence, and only to those who asked."""

import json
import time
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from bot.database import UNREADABLE_ERRORS, Store, Tx
from bot.i18n import Html, Words, choose_language, get_words, strip_tags
from bot.queue import queries
from bot.queue.change_notifier import ChangeNotifier
from bot.queue.leases import SINGLE_BOT, Leases
from bot.queue.outbox import Outbox
from bot.queue.updates import MAX_CHAT_ID, decode_update, find_board_press
from bot.telegram.messages import Request, answer_press, post_message

MOST_TOLD = 200  # Chats that are told of one outage
SOON = 1.0  # Seconds of an outage that pass without a word
SELDOM = 600.0  # Seconds in which a chat is told once at most, also where one outage follows another


class BoardReplies(Protocol):
    """Where those read who tapped on a page of the bot's own, and nowhere else."""

    @property
    def store_reply(self) -> Callable[[Tx, int, str, str, bool | None, float], None]:
        """Keeps a word for a person about what they tapped."""

    @property
    def changes(self) -> ChangeNotifier:
        """Wakes their page."""


class ErrorReplies:
    """Tells users of failures. `bot_id` tells which replies are meant for the bot."""

    def __init__(
        self,
        store: Store,
        outbox: Outbox,
        bot_id: int,
        wall: Callable[[], float] = time.time,
        pages: BoardReplies | None = None,
        claims: Leases = SINGLE_BOT,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._pages = pages
        self._claims = claims
        self._store = store
        self._outbox = outbox
        self._bot_id = bot_id
        self._wall = wall
        self._monotonic = monotonic
        self._told = dict[int, float]()
        """When which chats were told."""
        self._since: float | None = None
        """When the outage began."""

    async def report_failure(self, incoming: queries.QueuedUpdate) -> None:
        """Dead-letter the update, and tell whoever sent it. Raises LaneLostError if it is another's now."""
        sorry, tap = self._to(incoming, _noted), find_board_press(decode_update(incoming))
        now = self._wall()

        def effect(tx: Tx) -> list[queries.QueuedRequest]:
            self._claims.check_token(tx, incoming.lane, incoming.lease_token)
            queries.dead_letter_update(tx, incoming.update_id, now)
            if tap is not None and self._pages is not None:
                self._pages.store_reply(
                    tx, *tap, strip_tags(_noted(_speech(decode_update(incoming)))), None, now
                )
            return [queries.insert_request(tx, sorry.lane, sorry.body, now)] if sorry else []

        self._outbox.enqueue(await self._store.write_with_retries(effect))
        if tap is not None and self._pages is not None:
            self._pages.changes.notify_person(tap[0])

    def report_delay(self, updates: Iterable[queries.QueuedUpdate]) -> None:
        """Tell, once in a chat and a while, that these wait: nothing can be written at the moment.

        Nobody is told where another bot may have answered by now: one that was frozen or cut off would say
        what isn't so of the service.
        """
        now = self._monotonic()
        self._since = now if self._since is None else self._since
        if now - self._since < SOON:
            return
        for incoming in updates:
            if incoming.lane in self._told or len(self._told) >= MOST_TOLD:
                continue
            if not self._claims.surely_owns(incoming.lane):
                continue
            sorry = self._to(incoming, _delayed)
            if sorry is not None and sorry.body["method"].startswith("send"):
                self._told[incoming.lane] = now
                self._outbox.send_unstored(sorry)

    def end_outage(self) -> None:
        """Writing works again."""
        self._since = None
        if self._told:
            since = self._monotonic() - SELDOM
            self._told = {lane: when for lane, when in self._told.items() if when > since}

    def _to(self, incoming: queries.QueuedUpdate, sentence: Callable[[Words], str]) -> Request | None:
        """The sentence for the sender of an update that was meant for the bot; whatever shape it has."""
        try:
            reply = _reply(json.loads(incoming.body), incoming.lane, self._bot_id, sentence)
        except UNREADABLE_ERRORS:
            return None
        return reply if reply is not None and abs(reply.lane) < MAX_CHAT_ID else None


def _noted(speech: Words) -> Html:
    return speech.translate("Sorry, something went wrong here. It is noted.")


def _delayed(speech: Words) -> str:
    return speech.translate(
        "I can't write anything down at the moment. What you sent is kept and will be answered."
    )


def _reply(raw: dict[str, Any], lane: int, bot_id: int, sentence: Callable[[Words], str]) -> Request | None:
    if find_board_press(raw) is not None:
        return None  # the page says it
    query, message = raw.get("callback_query"), raw.get("message")
    sender, speech = (query or message or {}).get("from") or {}, _speech(raw)
    if query:
        return answer_press(int(sender["id"]), str(query["id"]), sentence(speech))
    if not message or not lane or sender.get("is_bot") or not _addressed(message, bot_id):
        return None
    return post_message(lane, sentence(speech), reply_to=int(message["message_id"]) if lane < 0 else None)


def _speech(raw: dict[str, Any]) -> Words:
    """The language of whoever sent it."""
    sender = (raw.get("callback_query") or raw.get("message") or {}).get("from") or {}
    return get_words(choose_language(sender.get("language_code")))


def _addressed(message: dict[str, Any], bot_id: int) -> bool:
    """Whether somebody wrote to the bot, and not just beside it."""
    replied = (message.get("reply_to_message") or {}).get("from") or {}
    private = message["chat"].get("type") == "private"
    return private or str(message.get("text", "")).startswith("/") or replied.get("id") == bot_id
