"""Dispatches updates: finds the handler of each, and commits its effect with the requests that it caused."""

import asyncio
import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeVar

from telegram import Chat, Message, Update, User
from telegram.ext import (
    BaseHandler,
    CallbackQueryHandler,
    ChatMemberHandler,
    CommandHandler,
    InlineQueryHandler,
    MessageHandler,
    filters,
)

from bot import trace
from bot.database import Store, Tx
from bot.players import queries as people
from bot.players.queries import is_chat_known
from bot.queue import queries, updates
from bot.queue.admission import QUESTION_KINDS, RateLimiter
from bot.queue.inbox import LANE_CHECK_PAUSES, Inbox
from bot.queue.leases import SINGLE_BOT, Leases
from bot.queue.outbox import Outbox
from bot.queue.pacing import Room, is_aside
from bot.telegram.board_replies import NO_BOARD, BoardNotifier, extract_board_reply, is_visible_on_board
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


async def wait_for_old_chat(store: Store, inbox: Inbox, old: int, until: float) -> None:
    """Wait until the old chat has reported it, behind all that was said there and finds its round by it.

    Where it doesn't in time, then at least until all that has come in is handled that was sent no later than
    `until`.
    """
    async with release_slot():  # the old chat needs one for its report
        for pause in LANE_CHECK_PAUSES:
            if not await store.read(lambda tx: is_chat_known(tx, old)):
                break
            await asyncio.sleep(pause)
        await inbox.wait_until_handled(old, until)


def run_update_effect(tx: Tx, update: Update, effect: Effect) -> list[Request]:
    """Run the effect. It finds its chat and person stored; who leaves no trace by it goes again.

    Somebody's private chat is not opened by what they tap on a page: the bot may still not write there.
    """
    chat, who = update.effective_chat, None if effect is do_nothing else find_sender(update)
    store_usernames(tx, update, who)
    if effect is do_nothing:
        return []
    private = chat is None or chat.type == "private"
    if private and read_board_mark(update.effective_message):
        chat = None
    if isinstance(effect, SendOnly) and private:
        return _say(tx, chat, who, effect)
    if chat is not None:
        people.load_or_insert_chat(tx, chat.id, chat.type)
    stranger = who is not None and people.insert_or_update_player(tx, who)
    caused = effect(tx)
    if who is not None and stranger:
        people.delete_inactive_player(tx, who.id)
    return caused


def _say(tx: Tx, chat: Chat | None, who: people.Player | None, effect: SendOnly) -> list[Request]:
    """What is said in private leaves no trace of a stranger, so nothing is stored to be deleted again."""
    known = who is None or people.update_known_player(tx, who)
    if chat is not None and known:
        people.load_or_insert_chat(tx, chat.id, chat.type)
    elif chat is not None:
        people.mark_chat_back(tx, chat.id)
    return effect(tx)


def store_usernames(tx: Tx, update: Update, who: people.Player | None = None) -> None:
    """Store who holds a username now; of `who`, whom the effect keeps, that is stored with the name."""
    for user in _users(update):
        if who is None or user.id != who.id:
            people.clear_username_of_others(tx, user.id, user.username)


def _users(update: Update) -> list[User]:
    """Whoever an update shows with the username that they have now."""
    message = update.effective_message
    replied = message.reply_to_message if isinstance(message, Message) else None
    shown = (update.effective_user, replied.from_user if replied else None)
    return [user for user in shown if user is not None]


# One of the library's handlers: `check_update` says whether an update is its own, its callback makes the
# effect.
Matcher = BaseHandler[Any, Any, Effect]


QUOTED = ("reply_to_message", "external_reply")  # Where a message shows parts of another
Answer = TypeVar("Answer")
NAME = re.compile(r"/([a-z0-9_]+)", re.IGNORECASE)  # A command's name in the message that it begins


class Dispatcher:
    """Hands each update to its handler, and commits the effect together with marking the update done.

    `inbox` gives the queue that keeps the time; it is asked for only once that is there.
    """

    def __init__(
        self,
        services: Services,
        routes: Routes,
        outbox: Outbox,
        ear: MessageFilter,
        inbox: Callable[[], Inbox],
        claims: Leases = SINGLE_BOT,
        boards: BoardNotifier = NO_BOARD,
    ) -> None:
        self._claims = claims
        self._boards = boards
        self._services = replace(services, run_effect_now=self._act_at_once)
        self._matchers = _matchers(routes, services.me.username or "")
        self._refusal = routes.other_updates.get(OtherUpdate.RATE_LIMITED, _ignored)
        self._outbox = outbox
        self._ear = ear
        self._inbox = inbox
        self._told = RateLimiter()
        """Whom a refusal was told in words, so that it isn't said again and again."""

    def is_talk(self, raw: Any) -> bool:
        """Whether it is a group's own talk: nothing of it is kept but how far the chat's messages count, and
        that pages show the group no more to whoever has left it.
        """
        self._boards.notify_departure(raw)
        if not self._ear.is_talk(raw):
            return False
        message = raw["message"]
        place, number = message["chat"].get("id"), message.get("message_id")
        if type(place) is int and type(number) is int:
            self._outbox.record_message(place, number)
        return True

    def note_talk(self, tx: Tx, raw: Any) -> None:
        """Store who holds a username: a group's own talk shows that too."""
        update = None
        with suppress(Exception):  # of whatever shape
            update = Update.de_json(raw, self._services.bot)
        if update is not None:
            store_usernames(tx, update)

    async def handle(self, incoming: queries.QueuedUpdate) -> None:
        """Handle a stored update: one transaction runs its effect, stores its requests and marks it done."""
        update = Update.de_json(_without_polls(json.loads(incoming.body)), self._services.bot)
        if update.my_chat_member and self._services.permissions:
            self._services.permissions.invalidate(update.my_chat_member.chat.id)
        if update.effective_chat and update.effective_message:
            self._outbox.record_message(update.effective_chat.id, update.effective_message.message_id)
        if update.message and (old := update.message.migrate_from_chat_id):
            await wait_for_old_chat(self._services.store, self._inbox(), old, update.message.date.timestamp())
        room = self._outbox.get_room(incoming.lane, incoming.person_id)
        effect = await self._effect(incoming, update, room)
        now, cause = self._inbox().now(), trace.get_current_trace()

        def whole(tx: Tx) -> list[queries.QueuedRequest]:
            self._claims.check_token(tx, incoming.lane, incoming.lease_token)
            if not queries.mark_done(tx, incoming.update_id, now):
                return []
            kept = [
                _marked(_after(o, update), update)
                for o in extract_board_reply(
                    tx, update, run_update_effect(tx, update, effect), self._boards.store_reply, now
                )
                if not update.message or room.accepts(o.lane, o.body)
            ]
            bodies = [(o.lane, trace.add_trace(o.body, cause)) for o in kept]
            return [queries.insert_request(tx, lane, body, now, incoming.person_id) for lane, body in bodies]

        caused = await self._services.store.write(whole)
        self._outbox.enqueue(caused)
        self._boards.notify_press(update)
        self._boards.notify_migration(update)
        self._show(caused)

    async def run_effect(self, effect: Effect) -> None:
        """Run an effect that no update caused, such as a deadline's, and send its requests."""

        def led(tx: Tx) -> tuple[None, list[Request]]:
            self._claims.check_leader(tx)
            return None, effect(tx)

        await self.run_transaction(led)

    async def _act_at_once(self, effect: Effect) -> None:
        """Run an effect of an update's before the update's own, and send its requests."""
        await self.run_transaction(lambda tx: (None, effect(tx)))

    async def run_transaction(self, work: Callable[[Tx], tuple[Answer, list[Request]]]) -> Answer:
        """Run what is asked for by another way than an update, and send its requests; the answer to that."""
        now, cause = self._inbox().now(), trace.get_current_trace()

        def whole(tx: Tx) -> tuple[Answer, list[queries.QueuedRequest]]:
            answer, requests = work(tx)
            return answer, [
                queries.insert_request(tx, o.lane, trace.add_trace(o.body, cause), now) for o in requests
            ]

        answer, caused = await self._services.store.write(whole)
        self._outbox.enqueue(caused)
        self._show(caused)
        return answer

    def _show(self, caused: Iterable[queries.QueuedRequest]) -> None:
        """Wake whoever shows elsewhere what is drawn anew, or what ended in somebody's private chat."""
        for lane in {
            request.lane for request in caused if request.lane > 0 or is_visible_on_board(request.body)
        }:
            self._boards.changes.notify_chat(lane)

    async def _effect(self, incoming: queries.QueuedUpdate, update: Update, room: Room) -> Effect:
        """What the update's handler makes of it; nothing where a question's answer has no room."""
        if incoming.is_refused:
            return await self._refused(incoming, update)
        if incoming.lane < 0 and incoming.kind in QUESTION_KINDS and not room.has_aside_room:
            self._outbox.count_unanswered()
            return do_nothing
        matcher = next((m for m in self._matchers if _matches(m, update)), None)
        if matcher is None:
            return do_nothing
        context = await self._context(update, incoming.accepted_at)
        return await matcher.callback(update, context) if context else _unplaced(update)

    async def _refused(self, incoming: queries.QueuedUpdate, update: Update) -> Effect:
        """Somebody asks for too much: a press is answered, and whoever wrote is told once in a while."""
        wrote, told = update.message is not None, (incoming.lane, incoming.person_id, True)
        if wrote and not self._told.allow(told, 1, self._inbox().now()):
            return do_nothing
        context = await self._context(update, incoming.accepted_at)
        return await self._refusal(context) if context else do_nothing

    async def _context(self, update: Update, arrived: float) -> Context | None:
        """The update as handlers see it, who share the solver out by person."""
        context = await make_context(self._services, update, self._inbox().now(), arrived)
        if context is None:
            return None
        asker = context.player.id if context.player else context.chat.id
        return replace(
            context, services=replace(self._services, solver_pool=self._services.solver_pool.for_asker(asker))
        )


def _without_polls(raw: Any) -> Any:
    """The update without polls, which nobody answers: the library refuses those of servers before 9.6."""
    message = raw.get("message")
    parts = (message, *(message.get(key) for key in QUOTED)) if isinstance(message, dict) else ()
    for part in parts:
        if isinstance(part, dict):
            part.pop("poll", None)
    return raw


def _matchers(routes: Routes, username: str) -> list[Matcher]:
    """All handlers of the routes; the first that matches an update gets it."""
    new, others = (
        filters.UpdateType.MESSAGE,
        dict.fromkeys(OtherUpdate, _ignored) | dict(routes.other_updates),
    )
    commands = {c.name: c.handler for c in routes.commands}
    presses = {b.prefix: b.handler for b in routes.buttons}
    # one for all names: each update goes past every matcher
    named = _chosen(commands, lambda update: _command(update, commands))
    return [
        CommandHandler(list(commands), named, filters=new),
        MessageHandler(_unmarked(commands, username) & new, named),
        CallbackQueryHandler(_chosen(presses, _prefix), pattern=rf"^(?:{'|'.join(presses)}):"),
        CallbackQueryHandler(_callback(_stale)),
        InlineQueryHandler(_callback(others[OtherUpdate.INLINE_QUERY])),
        ChatMemberHandler(_callback(others[OtherUpdate.BOT_MEMBERSHIP]), ChatMemberHandler.MY_CHAT_MEMBER),
        MessageHandler(filters.StatusUpdate.MIGRATE & new, _callback(others[OtherUpdate.CHAT_MIGRATION])),
        MessageHandler(
            filters.StatusUpdate.FORUM_TOPIC_CLOSED & new, _callback(others[OtherUpdate.TOPIC_CLOSED])
        ),
        MessageHandler(filters.COMMAND & new, _callback(others[OtherUpdate.UNKNOWN_COMMAND])),
        *(MessageHandler(_Form(text.matches) & new, _callback(text.handler)) for text in routes.texts),
        MessageHandler(filters.TEXT & new, _callback(others[OtherUpdate.TEXT])),
    ]


class _Form(filters.MessageFilter):
    """Messages that people write in private, which reply to nothing and whose text has a form."""

    def __init__(self, matches: Callable[[str], bool]) -> None:
        super().__init__()
        self._matches = matches

    def filter(self, message: Message) -> bool:
        """Whether it is one."""
        if message.chat.type != "private" or message.reply_to_message or message.forward_origin:
            return False
        return message.via_bot is None and bool(message.text) and self._matches(message.text or "")


def _unmarked(names: Iterable[str], username: str) -> filters.Regex:
    """Commands that Telegram doesn't mark as such, or by another name, because of the digits behind them."""
    wide = f"(?:@{re.escape(username)})?[{updates.WIDE_DIGITS}]"
    pattern = f"^/(?:{'|'.join(names)})(?:{wide}|{updates.GLUED_DIGITS})"
    return filters.Regex(re.compile(pattern, re.IGNORECASE | re.ASCII))


def _command(update: Update, names: Collection[str]) -> str:
    """The name of the command that a message begins with."""
    written = NAME.match(updates.normalize_command((update.message and update.message.text) or "", names))
    return written[1].lower() if written else ""


def _prefix(update: Update) -> str:
    """What stands before the first colon of a button's data."""
    return str(update.callback_query and update.callback_query.data).partition(":")[0]


def _chosen(handlers: Mapping[str, Handler], key: Callable[[Update], str]) -> Callable[[Update, Any], Any]:
    """The handler that an update names, called as the library calls one."""

    async def callback(update: Update, context: Context) -> Effect:
        return await handlers[key(update)](context)

    return callback


def _callback(handler: Handler) -> Callable[[Update, Any], Any]:
    """The handler as the library calls one: with the update and a context, which is ours."""

    async def callback(_: Update, context: Context) -> Effect:
        return await handler(context)

    return callback


def _matches(matcher: Matcher, update: Update) -> bool:
    found = matcher.check_update(update)
    return found is not None and found is not False


async def _ignored(_: Context) -> Effect:
    return do_nothing


async def _stale(context: Context) -> Effect:
    """A button that no feature knows: answered all the same."""
    return send_only(*context.answer_press(context.words.translate_plain("That button is out of date.")))


def _marked(outgoing: Request, update: Update) -> Request:
    """The request, with the mark that an aside carries so that it is known after a restart."""
    if update.message is None or not is_aside(outgoing.lane, outgoing.body):
        return outgoing
    return Request(outgoing.lane, {**outgoing.body, "aside": True})


def _after(outgoing: Request, update: Update) -> Request:
    """The request with the number of the message below which it will stand, to be looked for there."""
    message = update.effective_message
    if message is None or message.chat_id != outgoing.lane or message.message_id <= 0:
        return outgoing
    return replace(outgoing, body={**outgoing.body, "after": message.message_id})


def _unplaced(update: Update) -> Effect:
    """What belongs to no chat that the bot plays in changes nothing; only a press is answered."""
    press = update.callback_query
    return send_only(answer_press(press.from_user.id, press.id)) if press else do_nothing
