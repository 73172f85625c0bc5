"""The Application: every handler in one table, the menus, and how an update becomes a move."""

import hashlib
import json
import logging
import random
import time
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from telegram import BotCommand, BotCommandScopeAllGroupChats, BotCommandScopeAllPrivateChats, Update
from telegram.error import TelegramError
from telegram.ext import (
    Application,
    BaseHandler,
    CallbackContext,
    CallbackQueryHandler,
    ChatMemberHandler,
    CommandHandler,
    InlineQueryHandler,
    MessageHandler,
    filters,
)

from bot import reply
from bot.apology import Apology
from bot.handlers import (
    answer,
    boards,
    daily,
    doctor,
    hint,
    inline,
    migration,
    play,
    privacy,
    race,
    settings,
    skip,
    solve,
    welcome,
    why,
)
from bot.inbox import Inbox
from bot.outbox import Outbox, Pace
from bot.reply import living
from bot.scene import scene
from bot.store import Tx, mail, people, rounds
from bot.turn import Move, Services, Turn, nothing, saying, turn, when
from bot.words import Words, languages, words

log = logging.getLogger(__name__)

Handler = Callable[[Turn], Awaitable[Move]]

COMMANDS: dict[str, Handler] = {
    "start": welcome.start,
    "help": welcome.help_,
    "play": play.play,
    "a": answer.answered,
    "hint": hint.hint,
    "skip": skip.skip_hand,
    "race": race.race,
    "daily": daily.daily,
    "solve": solve.solve,
    "leaderboard": boards.leaderboard,
    "stats": boards.stats,
    "privacy": privacy.privacy,
    "export": privacy.export,
    "forgetme": privacy.forget_me,
    "why": why.why,
    "settings": settings.settings,
    "doctor": doctor.doctor,
    "cancel": settings.cancel,
}
BUTTONS: dict[str, Handler] = {
    "h": hint.hint_pressed,
    "s": skip.skip_pressed,
    "n": play.next_pressed,
    "v": solve.page_pressed,
    "o": settings.pressed,
    "lb": boards.switched,
    "dg": daily.given_up,
    "pv": privacy.chosen,
    "fm": privacy.confirmed,
}
ALLOWED = ("message", "callback_query", "my_chat_member", "inline_query")
"""The kinds of updates that the bot asks Telegram for."""


def menu(said: Words, *, group: bool) -> list[tuple[str, str]]:
    """The command menu: names and what they do."""
    commands = [
        ("play", said.plain("deal a hand")),
        ("hint", said.plain("a hint for the hand on the table")),
        ("race", said.plain("ten hands, one after the other")),
        ("daily", said.plain("the hand of the day, the same all over the world")),
        ("skip", said.plain("give the hand up and see how it is done")),
        ("solve", said.plain("how a hand is done: /solve 3 8 3 8")),
        ("why", said.plain("an expression, step by step: /why 8/(3-8/3)")),
        ("leaderboard", said.plain("who leads here")),
        ("stats", said.plain("your own figures")),
        ("settings", said.plain("how I play here, for admins")),
        ("privacy", said.plain("what is kept of you")),
        ("doctor", said.plain("what keeps me from hearing or dealing, for admins")),
        ("help", said.plain("how to play")),
    ]
    return [("a", said.plain("answer: /a 8/(3-8/3)")), *commands] if group else commands


async def stale(turn: Turn) -> Move:
    """A button that nothing here made: answered all the same."""
    return saying(*turn.answer(turn.words.plain("That button is out of date.")))


class Table:
    """Where an update becomes a move, and a move becomes durable, told and struck."""

    def __init__(
        self,
        services: Services,
        application: Application[Any, Any, Any, Any, Any, Any],
        pace: Pace,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._services = services
        self._application = application
        self._wall = wall
        self._moves: dict[int, Move | Exception] = {}
        self.outbox = Outbox(
            services.store, services.bot, self.render, self.receipt, people.move_chat, pace, wall
        )
        apology = Apology(services.store, self.outbox, services.me.id, wall)
        self.inbox = Inbox(services.store, self.handle, apology, wall)
        application.add_error_handler(self._broken)
        for handler in self._handlers():
            application.add_handler(handler)

    async def handle(self, incoming: mail.Incoming) -> None:
        """Dispatch one stored update; its effects, its answers and its strike are one transaction."""
        update = Update.de_json(json.loads(incoming.body), self._services.bot)
        await self._application.process_update(update)
        move = self._moves.pop(incoming.update_id, nothing)
        if isinstance(move, Exception):
            raise move
        now = self._wall()

        def whole(tx: Tx) -> list[mail.Letter]:
            if not mail.strike(tx, incoming.update_id, now):
                return []
            return [mail.post(tx, o.lane, o.body, now) for o in self._seen(tx, update, move)]

        self.outbox.send(await self._services.store.write(whole))

    def _seen(self, tx: Tx, update: Update, move: Move) -> list[reply.Outgoing]:
        """Run the move, with the chat and the person made known to the store if it does anything."""
        if move is nothing:
            return []
        self._know(tx, update)
        return move(tx)

    def _know(self, tx: Tx, update: Update) -> None:
        from bot.turn import person

        chat, who = update.effective_chat, person(update.effective_user)
        if chat is not None:
            people.chat(tx, chat.id, chat.type)
        if who is not None:
            people.saw(tx, who)

    async def act(self, move: Move) -> None:
        """Run a move that no update caused, such as a deadline."""
        now = self._wall()
        self.outbox.send(
            await self._services.store.write(
                lambda tx: [mail.post(tx, o.lane, o.body, now) for o in move(tx)]
            )
        )

    async def render(self, round_id: int) -> dict[str, Any] | None:
        """The request that shows a round as it stands: a post the first time, an edit from then on."""
        now = self._wall()
        drawn = await self._services.store.read(lambda tx: scene(tx, round_id, now))
        if drawn is None:
            return None
        round, around = drawn
        text, keyboard = living.living(round, words(round.language), around)
        if round.message_id is None:
            about = f"deal:{round.id}"
            return reply.post(
                round.chat_id,
                text,
                topic=round.topic,
                reply_to=round.asked_id,
                keyboard=keyboard,
                about=about,
            ).body
        return reply.edit(round.chat_id, round.message_id, text, keyboard).body

    def receipt(self, tx: Tx, about: str, result: dict[str, Any]) -> None:
        """Remember what came back of a post."""
        kind, _, number = about.partition(":")
        if kind == "deal":
            rounds.dealt(
                tx, int(number), int(result["message_id"]), when(float(result.get("date", 0)), self._wall())
            )
        if kind == "daily":
            daily.followed(tx, about, int(result["message_id"]))
        if kind == "forget":
            privacy.handed(tx, int(number))

    def _handlers(self) -> list[BaseHandler[Any, Any, Any]]:
        fresh = filters.UpdateType.MESSAGE
        table: list[BaseHandler[Any, Any, Any]] = [
            CommandHandler(name, self._adapt(handler), filters=fresh) for name, handler in COMMANDS.items()
        ]
        table += [
            CallbackQueryHandler(self._adapt(handler), pattern=rf"^{key}:")
            for key, handler in BUTTONS.items()
        ]
        table += [
            CallbackQueryHandler(self._adapt(stale)),
            InlineQueryHandler(self._adapt(inline.inline)),
            ChatMemberHandler(self._adapt(welcome.came_or_went), ChatMemberHandler.MY_CHAT_MEMBER),
            MessageHandler(filters.StatusUpdate.MIGRATE & fresh, self._adapt(migration.migrated)),
            MessageHandler(filters.TEXT & ~filters.COMMAND & fresh, self._adapt(settings.said)),
        ]
        return table

    async def _broken(self, update: object, context: CallbackContext[Any, Any, Any, Any]) -> None:
        """A filter failed before any handler was found: the library would only log that."""
        if isinstance(update, Update) and isinstance(context.error, Exception):
            self._moves[update.update_id] = context.error

    def _adapt(self, handler: Handler) -> Callable[[Update, Any], Coroutine[Any, Any, None]]:
        async def callback(update: Update, _: object) -> None:
            try:
                this = await turn(self._services, update, self._wall())
                self._moves[update.update_id] = await handler(this) if this else _unplaced(update)
            except Exception as error:  # noqa: BLE001 - counted and set aside by the inbox
                self._moves[update.update_id] = error

        return callback


def _unplaced(update: Update) -> Move:
    """What belongs to no chat that the bot plays in changes nothing; only a press is answered."""
    press = update.callback_query
    return saying(reply.answer_press(press.from_user.id, press.id)) if press else nothing


def fresh_seed() -> int:
    """A seed that nobody can foresee."""
    return random.SystemRandom().getrandbits(48)


async def set_menus(services: Services) -> None:
    """Give Telegram the command menus by scope and language, once for each change of them."""
    scopes = {False: BotCommandScopeAllPrivateChats(), True: BotCommandScopeAllGroupChats()}
    menus = [(lang, group, menu(words(lang), group=group)) for lang in languages() for group in scopes]
    print_ = hashlib.sha256(json.dumps([services.me.id, menus]).encode()).hexdigest()
    if await services.store.read(lambda tx: people.fact(tx, "menus")) == print_:
        return
    try:
        for lang, group, commands in menus:
            for code in _codes(lang):
                listed = [BotCommand(name, text) for name, text in commands]
                await services.bot.set_my_commands(listed, scope=scopes[group], language_code=code)
    except TelegramError as error:
        log.warning("the command menus could not be set: %s", error.message)
        return
    await services.store.write(lambda tx: people.remember(tx, "menus", print_))


def _codes(language: str) -> tuple[str, ...]:
    """The two-letter codes under which Telegram files a language; the source serves everybody else."""
    if language == "zh_Hant":
        return ()  # Telegram knows only `zh`; those who read traditional characters see the simplified menu
    return ("",) if language == "en" else (language.partition("_")[0],)
