"""Dispatch updates: find the handler of each, and commit its effect with the requests that it causes."""

import asyncio
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

from telegram.constants import ChatType

from bot import logs
from bot.database import Store, Tx, call_after_commit
from bot.i18n import Html, RefusalError, choose_language
from bot.players import queries as people
from bot.players.guests import is_guest
from bot.queue import queries
from bot.queue.admission import QUESTION_KINDS, RateKey, RateLimiter
from bot.queue.change_notifier import ChangeNotifier
from bot.queue.inbox import LANE_CHECK_PAUSES, Inbox
from bot.queue.outbox import Outbox
from bot.queue.outgoing import Outgoing
from bot.queue.pacing import Room, is_aside
from bot.queue.queries import Leases
from bot.queue.updates import Submission, normalize_command
from bot.telegram.context import (
    BoardReply,
    Context,
    Effect,
    Handler,
    Response,
    SendOnly,
    Services,
    do_nothing,
    make_context,
    send_only,
)
from bot.telegram.incoming import Incoming, Message, read_queued_update, read_update
from bot.telegram.messages import answer_press
from bot.telegram.routes import OtherUpdate, Routes
from bot.workers.pool import SolvingError, release_slot

# Stores the replies to a submission, at a time.
StoreReplies = Callable[[Tx, Submission, Sequence[BoardReply], float], None]


@dataclass(frozen=True, slots=True)
class BoardNotifier:
    """Stores replies for the pages of the board, and wakes these after changes."""

    store_replies: StoreReplies = lambda *_: None
    changes: ChangeNotifier = field(default_factory=ChangeNotifier)

    def notify_update(self, incoming: Incoming) -> None:
        """Wake the page that a submission came from, or those of a group whose id has changed."""
        submission = incoming.submission
        if submission is not None:
            self.changes.notify_chat(submission.chat_id)
            self.changes.notify_chat(submission.player_id)  # The page may show a hand of the day
        if incoming.migrated_from:
            self.changes.notify_chat(incoming.migrated_from)
        if incoming.migrated_to:
            self.changes.notify_chat(incoming.chat_id)

    def notify_migration(self, tx: Tx, old: int) -> None:
        """Wake the pages of a group that gets a new id after the commit."""
        call_after_commit(tx, partial(self.changes.notify_chat_threadsafe, old))

    def notify_departure(self, raw: Any) -> None:
        """Report who left or was removed from a group, if an update as Telegram sent it says so."""
        with suppress(KeyError, TypeError, ValueError):  # no such update, or garbage
            message = raw["message"]
            chat_id = int(message["chat"]["id"])
            self.changes.report_departure(chat_id, player_id=int(message["left_chat_member"]["id"]))


Answer = TypeVar("Answer")


class Dispatcher:
    """Calls the handler of each update, and commits its effect together with marking the update done.

    `get_inbox` returns the queue whose clock is used; it is built after this object.
    """

    def __init__(
        self,
        services: Services,
        routes: Routes,
        outbox: Outbox,
        message_filter: "MessageFilter",
        get_inbox: Callable[[], Inbox],
        leases: Leases,
        board: BoardNotifier,
        render_refusal: Callable[[Context, Tx, Html], Sequence[Response]],
    ) -> None:
        self._render_refusal = render_refusal
        self._services = replace(services, run_effect_now=self._run_effect_now)
        self._handlers = HandlerTable(routes, services.me.username or "")
        self._outbox = outbox
        self._filter = message_filter
        self._get_inbox = get_inbox
        self._leases = leases
        self._board = board
        self._refusals = RateLimiter()  # bounds how often a person gets the message

    def record_talk(self, raw: Any) -> bool:
        """Record the id of a group's own talk, and who left; return whether a raw update is such talk."""
        self._board.notify_departure(raw)
        if not self._filter.is_talk(raw):
            return False
        message = raw["message"]
        chat_id = message["chat"].get("id")
        message_id = message.get("message_id")
        if type(chat_id) is int and type(message_id) is int:  # Not a bool
            self._outbox.record_message(chat_id, message_id)
        return True

    def note_talk(self, tx: Tx, raw: Any) -> None:
        """Take the usernames that a group's own talk shows from the players who had them before."""
        try:
            incoming = read_update(raw, self._services.me.id)
        except Exception:  # noqa: BLE001 - it may have any shape
            return
        clear_usernames_of_others(tx, incoming)

    async def handle(self, queued: queries.QueuedUpdate) -> None:
        """Handle a stored update: one transaction runs its effect, stores its requests and marks it done."""
        incoming = read_queued_update(queued, self._services.me.id)
        await self._follow_chat(incoming)
        room = self._outbox.get_room(queued.lane, queued.person_id)
        effect = await self._make_effect(queued, incoming, room)
        now = self._get_inbox().now()
        cause = logs.current_trace.get()

        def commit(tx: Tx) -> tuple[list[Outgoing], list[queries.QueuedRequest]]:
            """Run the effect and store its requests, but no replies without room; none if handled before."""
            if not self._leases.mark_done(tx, queued, now):
                return [], []
            responses = run_update_effect(tx, incoming, effect)
            replies = [response for response in responses if isinstance(response, BoardReply)]
            if incoming.submission and replies:
                self._board.store_replies(tx, incoming.submission, replies, now)
            requests = [_annotate(request, incoming, cause) for request in _select_requests(responses)]
            is_press = incoming.sent_at is None
            if not is_press:  # the answers to a press need no room
                requests = [request for request in requests if room.accepts(request)]
            return requests, _store_requests(tx, requests, now, queued.person_id)

        requests, stored = await self._services.store.write(commit)
        self._outbox.enqueue(stored)
        self._board.notify_update(incoming)
        self._notify_boards(requests)

    async def _follow_chat(self, incoming: Incoming) -> None:
        """Forget cached rights that changed, record the latest message, and wait for an upgraded group."""
        if incoming.membership and self._services.permissions:
            self._services.permissions.invalidate(incoming.chat_id)
        if incoming.message_id:
            self._outbox.record_message(incoming.chat_id, incoming.message_id)
        if incoming.migrated_from:
            sent_at = incoming.sent_at or 0.0
            await wait_for_old_chat(self._services.store, self._get_inbox(), incoming.migrated_from, sent_at)

    async def _run_effect_now(self, effect: Effect) -> None:
        """Run an effect in a transaction of its own, and send its requests."""
        await self.run_transaction(lambda tx: (None, _select_requests(effect(tx))))

    async def run_effect(self, effect: Effect) -> None:
        """Run an effect that no update caused, and send its requests. Raises LaneLostError if not leader."""

        def run(tx: Tx) -> tuple[None, list[Outgoing]]:
            self._leases.check_leader(tx)
            return None, _select_requests(effect(tx))

        await self.run_transaction(run)

    async def run_transaction(self, work: Callable[[Tx], tuple[Answer, list[Outgoing]]]) -> Answer:
        """Run `work` in a transaction, send the requests that it returns, and return its answer."""
        now = self._get_inbox().now()
        cause = logs.current_trace.get()

        def commit(tx: Tx) -> tuple[Answer, list[Outgoing], list[queries.QueuedRequest]]:
            answer, requests = work(tx)
            traced = [replace(request, cause=cause) for request in requests]
            return answer, traced, _store_requests(tx, traced, now)

        answer, requests, stored = await self._services.store.write(commit)
        self._outbox.enqueue(stored)
        self._notify_boards(requests)
        return answer

    def _notify_boards(self, requests: Iterable[Outgoing]) -> None:
        """Wake the open pages of private chats, and of groups for requests that a page shows."""
        if not self._board.changes.is_watched:
            return
        for request in requests:
            is_private = request.lane > 0
            if is_private or request.is_visible_on_board:
                self._board.changes.notify_chat(request.lane)

    async def _make_effect(self, queued: queries.QueuedUpdate, incoming: Incoming, room: Room) -> Effect:
        """Call the update's handler, or that of refused ones; `do_nothing` without a handler or room.

        If the handler raises RefusalError or SolvingError, return the effect that tells the reason.
        """
        if self._is_ignored(queued, incoming, room):
            return do_nothing
        handler = self._handlers.refuse if queued.is_refused else self._handlers.find(incoming)
        if handler is None:
            return do_nothing
        context = await make_context(self._services, incoming, self._get_inbox().now(), queued.accepted_at)
        if context is None and incoming.press:  # a press is answered also where the bot does not play
            return send_only(answer_press(incoming.press.player_id, incoming.press.id))
        if context is None:
            return do_nothing
        asker = context.player.id if context.player else context.chat.id
        services = replace(self._services, solver_pool=self._services.solver_pool.for_asker(asker))
        try:
            return await handler(replace(context, services=services))
        except RefusalError as error:
            reason = error.render_reason(context.words)
            return lambda tx: self._render_refusal(context, tx, reason)
        except SolvingError:
            text = context.words.translate("Sorry, that took too long. Please try again.")
            return send_only(context.reply(text), *context.answer_press())

    def _is_ignored(self, queued: queries.QueuedUpdate, incoming: Incoming, room: Room) -> bool:
        """Whether to ignore a refused message soon after another, or a question without room (counted)."""
        if queued.is_refused:
            is_press = incoming.sent_at is None
            if is_press:
                return False
            key = RateKey(queued.lane, queued.person_id)
            return not self._refusals.allow(key, limit=1, now=self._get_inbox().now())
        is_group_question = queued.lane < 0 and queued.kind in QUESTION_KINDS
        if not is_group_question or room.has_aside_room:
            return False
        self._outbox.count_unanswered()
        return True


async def wait_for_old_chat(store: Store, inbox: Inbox, old: int, until: float) -> None:
    """Wait until the old chat of an upgraded group has handled its own update, and so everything before it.

    If that takes too long, wait only for the old chat's updates that were sent up to `until`.
    """
    async with release_slot():  # the old chat needs one for its update
        for pause in LANE_CHECK_PAUSES:
            if not await store.read(lambda tx: people.is_chat_known(tx, old)):
                break
            await asyncio.sleep(pause)
        await inbox.wait_until_handled(old, until)


def run_update_effect(tx: Tx, incoming: Incoming, effect: Effect) -> Sequence[Response]:
    """Store the update's chat and sender, run the effect, and delete a new sender of whom nothing is kept.

    For `do_nothing` only usernames are updated. Nobody's private chat is marked as open by what they enter on
    the board: the bot may still not write there.
    """
    sender = incoming.sender
    if effect is do_nothing:
        clear_usernames_of_others(tx, incoming)
        return []
    clear_usernames_of_others(tx, incoming, sender)
    is_private = incoming.chat_kind in ("", ChatType.PRIVATE)
    is_from_elsewhere = is_private and (incoming.submission or incoming.inline_query_id)
    has_chat = bool(incoming.chat_id) and not is_from_elsewhere  # their private chat may not even be open
    if is_private and isinstance(effect, SendOnly):
        _update_known_sender(tx, incoming, has_chat=has_chat)
        return effect(tx)
    if has_chat:
        chat = people.load_or_insert_chat(tx, incoming.chat_id, incoming.chat_kind)
        if not chat.private and chat.language is None and incoming.language:
            people.store_language(tx, chat.id, choose_language(incoming.language))
    if sender is None:
        return effect(tx)
    is_new = people.insert_or_update_player(tx, sender)
    requests = effect(tx)
    if is_new:
        people.delete_inactive_player(tx, sender.id)
    return requests


def _update_known_sender(tx: Tx, incoming: Incoming, *, has_chat: bool) -> None:
    """Update a known sender and store the private chat; of a new sender only mark a stored chat as back."""
    is_known = incoming.sender is None or people.update_known_player(tx, incoming.sender)
    if not has_chat:
        return
    if is_known:
        people.load_or_insert_chat(tx, incoming.chat_id, incoming.chat_kind)
    else:
        people.mark_chat_back(tx, incoming.chat_id)


def clear_usernames_of_others(tx: Tx, incoming: Incoming, stored: people.Player | None = None) -> None:
    """Take the usernames of the sender (unless `stored`) and the author replied to from all others."""
    for player_id, username in incoming.usernames:
        if stored is None or player_id != stored.id:
            people.clear_username_of_others(tx, player_id, username)


def _select_requests(responses: Iterable[Response]) -> list[Outgoing]:
    return [response for response in responses if isinstance(response, Outgoing)]


def _store_requests(
    tx: Tx, requests: Iterable[Outgoing], now: float, person_id: int = 0
) -> list[queries.QueuedRequest]:
    """Store the requests that go to Telegram; guests have a page, and no chat there."""
    sent = [request for request in requests if not is_guest(request.lane)]
    return [queries.insert_request(tx, request, now, person_id) for request in sent]


def _annotate(request: Outgoing, incoming: Incoming, cause: str) -> Outgoing:
    """Return the request, and what is sent instead of it, with what is needed of the update after a restart.

    `is_aside` marks a reply that may be dropped, and `latest_id` names the message below which it will stand,
    where a request whose delivery is uncertain is looked for.
    """
    is_press = incoming.sent_at is None
    may_be_dropped = not is_press and is_aside(request)
    return replace(
        request,
        cause=cause,
        instead=_annotate(request.instead, incoming, cause) if request.instead else None,
        latest_id=incoming.message_id if incoming.chat_id == request.lane else 0,
        is_aside=request.is_aside or may_be_dropped,
    )


async def _answer_outdated_press(context: Context) -> Effect:
    """Handle a button whose prefix no route has."""
    text = context.words.translate_plain("That button is out of date.")
    return send_only(*context.answer_press(text))


COMMAND = re.compile(r"/([A-Za-z0-9_]+)(?:@([A-Za-z0-9_]+))?")


class HandlerTable:
    """Finds the handler of an update among the routes."""

    def __init__(self, routes: Routes, username: str) -> None:
        self._commands = {command.name: command.handler for command in routes.commands}
        self._buttons = {button.prefix: button.handler for button in routes.buttons}
        self._texts = routes.texts
        self._others = routes.other_updates
        self._username = username.lower()
        self.refuse = self._others.get(OtherUpdate.RATE_LIMITED)

    def find(self, incoming: Incoming) -> Handler | None:
        """Return the update's handler; None for an update that is not handled at all."""
        if incoming.press:
            prefix, colon, _rest = incoming.press.data.partition(":")
            if not colon:
                return _answer_outdated_press
            return self._buttons.get(prefix, _answer_outdated_press)
        if incoming.inline_query_id:
            return self._others.get(OtherUpdate.INLINE_QUERY)
        if incoming.membership:
            return self._others.get(OtherUpdate.BOT_MEMBERSHIP)
        if incoming.submission:
            return self._others.get(OtherUpdate.BOARD_ANSWER)
        if incoming.message:
            return self._find_for_message(incoming, incoming.message)
        return None

    def _find_for_message(self, incoming: Incoming, message: Message) -> Handler | None:
        """Return a message's handler; a `TextRoute` only for a private text that is no reply or forward.

        A private photo, sticker and the like is handled as an empty text.
        """
        command = self._find_command(incoming, message.text)
        if command is not None:
            return self._commands[command]
        if incoming.migrated_to or incoming.migrated_from:
            return self._others.get(OtherUpdate.CHAT_MIGRATION)
        if incoming.is_topic_closed:
            return self._others.get(OtherUpdate.TOPIC_CLOSED)
        if incoming.is_command:
            return self._others.get(OtherUpdate.UNKNOWN_COMMAND)
        is_private = incoming.chat_kind == ChatType.PRIVATE
        if not message.text and not (is_private and message.has_attachment):
            return None
        if is_private and not message.replied and not message.is_copied:
            for route in self._texts:
                if route.matches(message.text):
                    return route.handler
        return self._others.get(OtherUpdate.TEXT)

    def _find_command(self, incoming: Incoming, text: str) -> str | None:
        """Return the name of the known command that the text begins with, if it is for this bot.

        Telegram does not mark a command with digits right behind its name, which counts here as well.
        """
        normal = normalize_command(text, self._commands)
        match = COMMAND.match(normal)
        is_command = incoming.is_command or normal != text
        if match is None or not is_command:
            return None
        name, addressee = match.groups(default=self._username)  # without an addressee it is for this bot
        if addressee.lower() != self._username or name.lower() not in self._commands:
            return None
        return name.lower()


# A group's own talk

GROUP_TYPES = ("group", "supergroup")
EVENTS = ("migrate_to_chat_id", "migrate_from_chat_id", "forum_topic_closed")  # messages that are handled
COMMAND_WORD = re.compile(r"/([A-Za-z0-9_]{1,32})(?:@([A-Za-z0-9_]*))?(?=\s|$)")


@dataclass(frozen=True, slots=True)
class MessageFilter:
    """Tells a group's own talk from messages that the bot may have to answer.

    The bot may receive all messages of a group. Those that no handler would answer are dropped at once, so
    that neither their words nor their authors reach the disk. In doubt a message is kept.
    """

    bot_id: int
    username: str  # the bot's
    commands: Collection[str]
    may_be_for_bot: Callable[[str], bool]  # whether a text may contain an answer or is a phrase

    def is_talk(self, raw: Any) -> bool:
        """Whether an update, as Telegram sent it, is a group's own talk. Raises nothing, whatever it is."""
        message = raw.get("message") if isinstance(raw, dict) else None
        if not isinstance(message, dict) or not isinstance(message.get("chat"), dict):
            return False
        is_event = any(key in message for key in EVENTS)
        if is_event or message["chat"].get("type") not in GROUP_TYPES:
            return False
        text = message.get("text")
        if not isinstance(text, str):
            return "text" not in message  # Nobody answers a photo or sticker; garbage is kept
        replied = message.get("reply_to_message")
        author = replied.get("from") if isinstance(replied, dict) else None
        if isinstance(author, dict) and author.get("id") == self.bot_id:  # a reply to the bot
            return False
        if not text.startswith("/"):
            return not self.may_be_for_bot(text)
        match = COMMAND_WORD.match(normalize_command(text, self.commands))
        if match is None:  # a slash without a command
            return False
        name, addressee = match.groups()
        if addressee is not None:  # if it is this bot, it says when it does not know the command
            return addressee.lower() != self.username.lower()
        return name.lower() not in self.commands
