"""Dispatch updates: find the handler of each, and commit its effect with the requests that it causes."""

import asyncio
import json
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, TypeVar

from telegram import Chat, Message, Update
from telegram.constants import MessageEntityType

from bot import trace
from bot.database import Store, Tx
from bot.players import queries as people
from bot.queue import queries
from bot.queue.admission import QUESTION_KINDS, RateLimiter
from bot.queue.inbox import LANE_CHECK_PAUSES, Inbox
from bot.queue.leases import Leases
from bot.queue.outbox import Outbox
from bot.queue.pacing import Room, is_aside
from bot.queue.updates import normalize_command
from bot.telegram.board_replies import BoardNotifier, is_visible_on_board, store_board_reply
from bot.telegram.context import (
    Context,
    Effect,
    Handler,
    SendOnly,
    Services,
    do_nothing,
    find_sender,
    make_context,
    read_board_mark,
    send_only,
)
from bot.telegram.message_filter import MessageFilter
from bot.telegram.messages import Request, answer_press
from bot.telegram.routes import OtherUpdate, Routes
from bot.workers.slots import release_slot

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
        message_filter: MessageFilter,
        get_inbox: Callable[[], Inbox],
        leases: Leases,
        board: BoardNotifier,
    ) -> None:
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
        chat_id, message_id = message["chat"].get("id"), message.get("message_id")
        if type(chat_id) is int and type(message_id) is int:  # Not a bool
            self._outbox.record_message(chat_id, message_id)
        return True

    def note_talk(self, tx: Tx, raw: Any) -> None:
        """Take the usernames that a group's own talk shows from the players who had them before."""
        try:
            update = Update.de_json(raw, self._services.bot)
        except Exception:  # noqa: BLE001 - it may have any shape
            return
        clear_usernames_of_others(tx, update)

    async def handle(self, incoming: queries.QueuedUpdate) -> None:
        """Handle a stored update: one transaction runs its effect, stores its requests and marks it done."""
        update = Update.de_json(_remove_polls(json.loads(incoming.body)), self._services.bot)
        await self._follow_chat(update)
        room = self._outbox.get_room(incoming.lane, incoming.person_id)
        effect = await self._make_effect(incoming, update, room)
        now = self._get_inbox().now()
        cause = trace.get_current_trace()

        def commit(tx: Tx) -> list[queries.QueuedRequest]:
            """Run the effect and store its requests, but no replies without room; [] if handled before."""
            self._leases.check_token(tx, incoming.lane, incoming.lease_token)
            if not queries.mark_done(tx, incoming.update_id, now):
                return []  # It was handled before
            requests = run_update_effect(tx, update, effect)
            requests = store_board_reply(tx, update, requests, self._board.store_reply, now)
            bodies = [
                (request.lane, trace.add_trace(_annotate(request, update), cause))
                for request in requests
                if not update.message or room.accepts(request.lane, request.body)
            ]
            return [queries.insert_request(tx, lane, body, now, incoming.person_id) for lane, body in bodies]

        requests = await self._services.store.write(commit)
        self._outbox.enqueue(requests)
        self._board.notify_update(update)
        self._notify_boards(requests)

    async def _follow_chat(self, update: Update) -> None:
        """Forget cached rights that changed, record the latest message, and wait for an upgraded group."""
        if update.my_chat_member and self._services.permissions:
            self._services.permissions.invalidate(update.my_chat_member.chat.id)
        if update.effective_chat and update.effective_message:
            self._outbox.record_message(update.effective_chat.id, update.effective_message.message_id)
        if update.message and update.message.migrate_from_chat_id:
            sent_at = update.message.date.timestamp()
            old = update.message.migrate_from_chat_id
            await wait_for_old_chat(self._services.store, self._get_inbox(), old, sent_at)

    async def _run_effect_now(self, effect: Effect) -> None:
        """Run an effect in a transaction of its own, and send its requests."""
        await self.run_transaction(lambda tx: (None, effect(tx)))

    async def run_effect(self, effect: Effect) -> None:
        """Run an effect that no update caused, and send its requests. Raises LaneLostError if not leader."""

        def run(tx: Tx) -> tuple[None, list[Request]]:
            self._leases.check_leader(tx)
            return None, effect(tx)

        await self.run_transaction(run)

    async def run_transaction(self, work: Callable[[Tx], tuple[Answer, list[Request]]]) -> Answer:
        """Run `work` in a transaction, send the requests that it returns, and return its answer."""
        now = self._get_inbox().now()
        cause = trace.get_current_trace()

        def commit(tx: Tx) -> tuple[Answer, list[queries.QueuedRequest]]:
            answer, requests = work(tx)
            bodies = [(request.lane, trace.add_trace(request.body, cause)) for request in requests]
            return answer, [queries.insert_request(tx, lane, body, now) for lane, body in bodies]

        answer, requests = await self._services.store.write(commit)
        self._outbox.enqueue(requests)
        self._notify_boards(requests)
        return answer

    def _notify_boards(self, requests: Iterable[queries.QueuedRequest]) -> None:
        """Wake the pages of all chats that the requests change; private chats always."""
        changed = {r.lane for r in requests if r.lane > 0 or is_visible_on_board(r.body)}
        for chat_id in changed:
            self._board.changes.notify_chat(chat_id)

    async def _make_effect(self, incoming: queries.QueuedUpdate, update: Update, room: Room) -> Effect:
        """Call the update's handler, or that of refused ones; `do_nothing` without a handler or room."""
        if self._is_ignored(incoming, update, room):
            return do_nothing
        handler = self._handlers.refuse if incoming.is_refused else self._handlers.find(update)
        if handler is None:
            return do_nothing
        context = await make_context(self._services, update, self._get_inbox().now(), incoming.accepted_at)
        if context is None:  # outside the chats where the bot plays a press is answered all the same
            press = update.callback_query
            return send_only(answer_press(press.from_user.id, press.id)) if press else do_nothing
        asker = context.player.id if context.player else context.chat.id
        services = replace(self._services, solver_pool=self._services.solver_pool.for_asker(asker))
        return await handler(replace(context, services=services))

    def _is_ignored(self, incoming: queries.QueuedUpdate, update: Update, room: Room) -> bool:
        """Whether to ignore a refused message soon after another, or a question without room: count that."""
        if incoming.is_refused:
            is_press = not update.message
            key = (incoming.lane, incoming.person_id, True)  # The flag tells limits apart; here is only one
            return not is_press and not self._refusals.allow(key, limit=1, now=self._get_inbox().now())
        is_group_question = incoming.lane < 0 and incoming.kind in QUESTION_KINDS
        if not is_group_question or room.has_aside_room:
            return False
        self._outbox.count_unanswered()
        return True


QUOTES = ("reply_to_message", "external_reply")  # where a message quotes another one


def _remove_polls(raw: Any) -> Any:
    """Remove polls from a raw update and return it: the library fails at those of servers before 9.6."""
    message = raw.get("message")
    if not isinstance(message, dict):
        return raw
    message.pop("poll", None)
    for key in QUOTES:
        quoted = message.get(key)
        if isinstance(quoted, dict):
            quoted.pop("poll", None)
    return raw


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


def run_update_effect(tx: Tx, update: Update, effect: Effect) -> list[Request]:
    """Store the update's chat and sender, run the effect, and delete a new sender of whom nothing is kept.

    For `do_nothing` only usernames are updated. Nobody's private chat is marked as open by what they enter on
    the board: the bot may still not write there.
    """
    if effect is do_nothing:
        clear_usernames_of_others(tx, update)
        return []
    chat = update.effective_chat
    sender = find_sender(update)
    clear_usernames_of_others(tx, update, sender)
    is_private = chat is None or chat.type == "private"
    if is_private and read_board_mark(update.effective_message):
        chat = None
    if is_private and isinstance(effect, SendOnly):
        _update_known_sender(tx, chat, sender)
        return effect(tx)
    if chat is not None:
        people.load_or_insert_chat(tx, chat.id, chat.type)
    if sender is None:
        return effect(tx)
    is_new = people.insert_or_update_player(tx, sender)
    requests = effect(tx)
    if is_new:
        people.delete_inactive_player(tx, sender.id)
    return requests


def _update_known_sender(tx: Tx, chat: Chat | None, sender: people.Player | None) -> None:
    """Update a known sender and store the private chat; of a new sender only mark a stored chat as back."""
    is_known = sender is None or people.update_known_player(tx, sender)
    if chat is None:
        return
    if is_known:
        people.load_or_insert_chat(tx, chat.id, chat.type)
    else:
        people.mark_chat_back(tx, chat.id)


def clear_usernames_of_others(tx: Tx, update: Update, sender: people.Player | None = None) -> None:
    """Take the names of an update's user (unless that is `sender`) and author replied to from all others."""
    message = update.effective_message
    replied = message.reply_to_message if isinstance(message, Message) else None
    for user in (update.effective_user, replied.from_user if replied else None):
        if user is not None and (sender is None or user.id != sender.id):
            people.clear_username_of_others(tx, user.id, user.username)


def _annotate(request: Request, update: Update) -> dict[str, Any]:
    """Return the request's body with what is needed of the update after a restart.

    `aside` marks a reply that may be dropped, and `after` names the message below which it will stand, where
    a request whose delivery is uncertain is looked for.
    """
    body = dict(request.body)
    message = update.effective_message
    if message is not None and message.chat_id == request.lane and message.message_id > 0:
        body["after"] = message.message_id
    if update.message is not None and is_aside(request.lane, body):
        body["aside"] = True
    return body


async def _answer_outdated_press(context: Context) -> Effect:
    """Handle a button whose prefix no route has."""
    return send_only(*context.answer_press(context.words.translate_plain("That button is out of date.")))


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

    def find(self, update: Update) -> Handler | None:
        """Return the update's handler; None for an update that is not handled at all."""
        if update.callback_query:
            prefix, colon, _rest = (update.callback_query.data or "").partition(":")
            if not colon:
                return _answer_outdated_press
            return self._buttons.get(prefix, _answer_outdated_press)
        if update.inline_query:
            return self._others.get(OtherUpdate.INLINE_QUERY)
        if update.my_chat_member:
            return self._others.get(OtherUpdate.BOT_MEMBERSHIP)
        return self._find_for_message(update.message) if update.message else None

    def _find_for_message(self, message: Message) -> Handler | None:
        """Return a message's handler; a `TextRoute` only for a private text that is no reply or forward."""
        command = self._find_command(message)
        if command is not None:
            return self._commands[command]
        if message.migrate_to_chat_id or message.migrate_from_chat_id:
            return self._others.get(OtherUpdate.CHAT_MIGRATION)
        if message.forum_topic_closed:
            return self._others.get(OtherUpdate.TOPIC_CLOSED)
        if _is_command(message):
            return self._others.get(OtherUpdate.UNKNOWN_COMMAND)
        if not message.text:
            return None
        is_forward = message.forward_origin is not None or message.via_bot is not None
        if message.chat.type == "private" and not message.reply_to_message and not is_forward:
            for route in self._texts:
                if route.matches(message.text):
                    return route.handler
        return self._others.get(OtherUpdate.TEXT)

    def _find_command(self, message: Message) -> str | None:
        """Return the name of the known command that the message begins with, if it is for this bot.

        Telegram does not mark a command with digits right behind its name, which counts here as well.
        """
        text = message.text or ""
        normal = normalize_command(text, self._commands)
        match = COMMAND.match(normal)
        is_command = _is_command(message) or normal != text
        if match is None or not is_command:
            return None
        name = match[1].lower()
        addressee = (match[2] or self._username).lower()  # A command without a name is for this bot
        if name not in self._commands or addressee != self._username:
            return None
        return name


def _is_command(message: Message) -> bool:
    """Whether Telegram marks the message as a command."""
    first = message.entities[0] if message.entities else None
    return first is not None and first.type == MessageEntityType.BOT_COMMAND and first.offset == 0
