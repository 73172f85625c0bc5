"""The Application: every handler in one table, the menus, and how an update becomes a move."""

import asyncio
import hashlib
import json
import logging
import random
import time
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from dataclasses import replace
from typing import Any

from telegram import (
    BotCommand,
    BotCommandScope,
    BotCommandScopeAllGroupChats,
    BotCommandScopeAllPrivateChats,
    Message,
    Update,
    User,
)
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

from bot.database import Tx
from bot.delivery import queries as mail
from bot.delivery.arrivals import when
from bot.delivery.inbox import AHEAD, Hearing, Inbox, kept_ahead
from bot.delivery.intake import ASKING, Intake, Windows
from bot.delivery.notices import Apology
from bot.delivery.outbox import Outbox
from bot.delivery.pacing import Pace, Room, aside
from bot.games.daily import commands as daily
from bot.games.known import usual_words
from bot.games.race import commands as race
from bot.games.rounds import answers as answer
from bot.games.rounds import commands as play
from bot.games.rounds import giveaways as giveaway
from bot.games.rounds import hints as hint
from bot.games.rounds import queries as rounds
from bot.games.rounds import secrets
from bot.games.rounds import skips as skip
from bot.games.rounds import view as living
from bot.games.rounds.rules import starting
from bot.games.rounds.scene import scene
from bot.games.twentyfour import inline, solve, why
from bot.groups.doctor import commands as doctor
from bot.groups.settings import commands as settings
from bot.groups.upgrade import commands as migration
from bot.groups.welcome import commands as welcome
from bot.i18n import Words, languages, words
from bot.people import queries as people
from bot.people.leaderboard import commands as boards
from bot.people.privacy import commands as privacy
from bot.people.privacy import farewells
from bot.telegram import messages
from bot.telegram.api import reason, refused
from bot.telegram.context import Context, Effect, Services, asker, context_of, nothing, saying
from bot.telegram.talk import Ear

log = logging.getLogger(__name__)

Handler = Callable[[Context], Awaitable[Effect]]

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
MENU_PAUSE, LONGEST_MENU_PAUSE = 1.0, 300.0
"""Seconds before the command menus are set again when Telegram could not take them."""
ALLOWED = ("message", "callback_query", "my_chat_member", "inline_query")
"""The kinds of updates that the bot asks Telegram for."""


def menu(said: Words, *, group: bool) -> list[tuple[str, str]]:
    """The command menu: names and what they do."""
    commands = [
        ("play", said.plain("deal a hand")),
        ("hint", said.plain("a hint for the hand on the table")),
        ("race", said.plain("ten hands, one after the other")),
        ("daily", said.plain("the hand of the day, the same for everybody who plays with this bot")),
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


async def stale(context_of: Context) -> Effect:
    """A button that nothing here made: answered all the same."""
    return saying(*context_of.answer(context_of.words.plain("That button is out of date.")))


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
        self._moves: dict[int, Effect | Exception] = {}
        self._told = Windows()
        """Whom a refusal was told in words, so that it isn't said again and again."""
        self._farewells = privacy.Farewells(services.store)
        self.outbox = Outbox(
            services.store,
            services.bot,
            self.render,
            self.leaving,
            self.receipt,
            self.gone,
            people.move_chat,
            pace,
            wall,
            copy=self._farewells.copy,
        )
        apology = Apology(services.store, self.outbox, services.me.id, wall)
        usual = usual_words()
        intake = Intake(services.me.username or "", usual, pace.commands_a_minute, pace.presses_a_minute)
        self._ear = Ear(services.me.id, services.me.username or "", COMMANDS)
        key = f"press {services.settings.token or services.me.id}".encode()
        hearing = Hearing(self._is_talk, self._overheard, key)
        self.inbox = Inbox(services.store, self.handle, apology, wall, intake, hearing)
        application.add_error_handler(self._broken)
        for handler in self._handlers():
            application.add_handler(handler)

    def _is_talk(self, raw: Any) -> bool:
        """Whether it is a group's own talk: nothing of it is kept but how far the chat's messages count."""
        if not self._ear.is_talk(raw):
            return False
        place, number = raw["message"]["chat"].get("id"), raw["message"].get("message_id")
        if type(place) is int and type(number) is int:
            self.outbox.heard(place, number)
        return True

    def _overheard(self, tx: Tx, raw: Any) -> None:
        """A group's own talk still shows who holds a username."""
        update = None
        with suppress(Exception):  # of whatever shape
            update = Update.de_json(raw, self._services.bot)
        if update is not None:
            self._renamed(tx, update)

    def _renamed(self, tx: Tx, update: Update) -> None:
        for user in _users(update):
            people.holds(tx, user.id, user.username)

    async def handle(self, incoming: mail.Incoming) -> None:
        """Dispatch one stored update; its effects, its answers and its strike are one transaction."""
        update = Update.de_json(json.loads(incoming.body), self._services.bot)
        if update.effective_chat and update.effective_message:
            self.outbox.heard(update.effective_chat.id, update.effective_message.message_id)
        room = self.outbox.room(incoming.lane, incoming.person)
        effect = await self._move(incoming, update, room)
        now = self._wall()

        def whole(tx: Tx) -> list[mail.QueuedRequest]:
            if not mail.mark_done(tx, incoming.update_id, now):
                return []
            caused = self._seen(tx, update, effect)
            kept = [
                _marked(_after(o, update), update)
                for o in caused
                if not update.message or room.takes(o.lane, o.body)
            ]
            return [mail.post(tx, o.lane, o.body, now, incoming.person) for o in kept]

        self.outbox.send(await self._services.store.write(whole))

    async def _move(self, incoming: mail.Incoming, update: Update, room: Room) -> Effect:
        """What the update's handler makes of it; a question whose answer has no room is only read."""
        if incoming.refused:
            return await self._refused(incoming, update)
        if incoming.lane < 0 and incoming.kind in ASKING and not room.asides:
            self.outbox.dropped += 1
            unanswered = await self._turn(update)
            return await giveaway.overheard(unanswered) if unanswered else nothing
        await self._application.process_update(update)
        effect = self._moves.pop(incoming.update_id, nothing)
        if isinstance(effect, Exception):
            raise effect
        return effect

    async def _refused(self, incoming: mail.Incoming, update: Update) -> Effect:
        """Somebody asks for too much: a press is answered, and whoever wrote is told once in a while."""
        now = self._wall()
        said = update.message is not None
        if said and not self._told.take((incoming.lane, incoming.person, True), 1, now):
            return nothing
        this = await self._turn(update)
        return secrets.turned_away(this) if this else nothing

    async def _turn(self, update: Update) -> Context | None:
        """The update as handlers see it, who share the solver out by person."""
        this = await context_of(self._services, update, self.inbox.now())
        if this is None:
            return None
        asker = this.player.id if this.player else this.chat.id
        return replace(this, services=replace(self._services, solving=self._services.solving.of(asker)))

    def _seen(self, tx: Tx, update: Update, effect: Effect) -> list[messages.Request]:
        """Run the move. It finds its chat and person stored; who leaves no trace by it goes again."""
        self._renamed(tx, update)
        if effect is nothing:
            return []
        chat, who = update.effective_chat, asker(update)
        stranger = who is not None and not people.is_known(tx, who.id)
        if chat is not None:
            people.chat(tx, chat.id, chat.type)
        if who is not None:
            people.saw(tx, who)
        said = effect(tx)
        if who is not None and stranger:
            people.let_strangers_go(tx, who.id)
        return said

    async def act(self, effect: Effect) -> None:
        """Run a move that no update caused, such as a deadline."""
        now = self._wall()
        self.outbox.send(
            await self._services.store.write(
                lambda tx: [mail.post(tx, o.lane, o.body, now) for o in effect(tx)]
            )
        )

    async def render(self, round_id: int) -> dict[str, Any] | None:
        """The request that shows a round as it stands: a post the first time, an edit from then on."""
        now = self.inbox.now()
        drawn = await self._services.store.read(lambda tx: scene(tx, round_id, now))
        if drawn is None:
            return None
        round, around = drawn
        if round.message_id is None and not round.seen:
            round = starting(round, now)
        text, keyboard = living.living(round, words(round.language), around)
        if round.message_id is None:
            about = f"deal:{round.id}"
            return messages.post(
                round.chat_id,
                text,
                topic=round.topic,
                reply_to=round.asked_id,
                keyboard=keyboard,
                about=about,
            ).body
        redrawn = messages.edit(round.chat_id, round.message_id, text, keyboard).body
        return {**redrawn, "about": f"drawn:{round.id}"}

    def receipt(self, tx: Tx, about: str, result: dict[str, Any]) -> None:
        """Remember what came back of a post."""
        kind, _, number = about.partition(":")
        if kind in {"deal", "hand", "drawn"} and result:
            self._compare(tx, result.get("edit_date" if kind == "drawn" else "date"))
        since = result["since"] - self.inbox.arrivals.ahead if "since" in result else None
        if kind == "deal":
            rounds.dealt(tx, int(number), int(result["message_id"]), self._dated(result, since), since)
        if kind == "hand":
            daily.shown(tx, about, self._dated(result, since) if result else None)
        if kind == "drawn":
            rounds.first_shown(tx, int(number), self.inbox.now())
        if kind == "daily":
            daily.followed(tx, about, int(result["message_id"]))
        if kind in {farewells.FILE, farewells.QUESTION, farewells.LAST_WORD}:
            self._farewells.arrived(tx, kind, number, self._wall())

    def _compare(self, tx: Tx, dated: Any) -> None:
        """Telegram has just dated something: see how far this machine's clock is ahead, and keep that."""
        if not isinstance(dated, int | float) or not dated:
            return
        here, arrivals = self.inbox.here(), self.inbox.arrivals
        arrivals.posted(float(dated), here)
        if abs(arrivals.ahead - kept_ahead(people.fact(tx, AHEAD))) > 0.5:
            people.remember(tx, AHEAD, f"{arrivals.ahead:.1f}")

    def _dated(self, result: dict[str, Any], since: float | None) -> float:
        """When a post went out; one that was found after a doubt has no date but its first attempt's."""
        now = self.inbox.now()
        return when(float(result["date"]), now) if "date" in result else now if since is None else since

    def leaving(self, tx: Tx, about: str) -> bool:
        """A post from which somebody's time runs is about to be sent; whether for the first time."""
        return daily.leaving(tx, about, self.inbox.now())

    def gone(self, tx: Tx, body: dict[str, Any], *, unasked: bool) -> bool:
        """A message can't be changed any more; whether the round that it showed is to get a new one."""
        params, (kind, _, _) = body["params"], body.get("about", "").partition(":")
        if kind == "drawn":
            return rounds.lose_message(tx, params["chat_id"], params["message_id"], unasked=unasked)
        daily.unfollowed(tx, params["chat_id"], params["message_id"])
        return False

    def _handlers(self) -> list[BaseHandler[Any, Any, Any]]:
        fresh = filters.UpdateType.MESSAGE
        table: list[BaseHandler[Any, Any, Any]] = [
            CommandHandler(name, self._adapt(giveaway.watched(handler)), filters=fresh)
            for name, handler in COMMANDS.items()
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
            MessageHandler(filters.COMMAND & fresh, self._adapt(giveaway.overheard)),
            MessageHandler(filters.TEXT & fresh, self._adapt(settings.said)),
        ]
        return table

    async def _broken(self, update: object, context: CallbackContext[Any, Any, Any, Any]) -> None:
        """A filter failed before any handler was found: the library would only log that."""
        if isinstance(update, Update) and isinstance(context.error, Exception):
            self._moves[update.update_id] = context.error

    def _adapt(self, handler: Handler) -> Callable[[Update, Any], Coroutine[Any, Any, None]]:
        async def callback(update: Update, _: object) -> None:
            try:
                this = await self._turn(update)
                self._moves[update.update_id] = await handler(this) if this else _unplaced(update)
            except Exception as error:  # noqa: BLE001 - counted and set aside by the inbox
                self._moves[update.update_id] = error

        return callback


def _marked(outgoing: messages.Request, update: Update) -> messages.Request:
    """The request, with the mark that an aside carries so that it is known after a restart."""
    if update.message is None or not aside(outgoing.lane, outgoing.body):
        return outgoing
    return messages.Request(outgoing.lane, {**outgoing.body, "aside": True})


def _after(outgoing: messages.Request, update: Update) -> messages.Request:
    """A request that knows the message that it will stand below, so that it can be looked for there."""
    message = update.effective_message
    if message is None or message.chat_id != outgoing.lane:
        return outgoing
    return replace(outgoing, body={**outgoing.body, "after": message.message_id})


def _users(update: Update) -> list[User]:
    """Whoever an update shows with the username that they have now."""
    message = update.effective_message
    replied = message.reply_to_message if isinstance(message, Message) else None
    shown = (update.effective_user, replied.from_user if replied else None)
    return [user for user in shown if user is not None]


def _unplaced(update: Update) -> Effect:
    """What belongs to no chat that the bot plays in changes nothing; only a press is answered."""
    press = update.callback_query
    return saying(messages.answer_press(press.from_user.id, press.id)) if press else nothing


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
    for lang, group, commands in menus:
        for code in _codes(lang):
            if not await _set_menu(services, commands, scopes[group], code):
                return
    await services.store.write(lambda tx: people.remember(tx, "menus", print_))


async def _set_menu(
    services: Services, commands: list[tuple[str, str]], scope: BotCommandScope, code: str
) -> bool:
    """Give Telegram one menu, waiting out what passes; False when Telegram refuses it."""
    listed = [BotCommand(name, text) for name, text in commands]
    pause = MENU_PAUSE
    while True:
        try:
            await services.bot.set_my_commands(listed, scope=scope, language_code=code)
        except Exception as error:  # noqa: BLE001 - an answer that makes no sense can fail in any way
            log.warning("the command menus could not be set: %s", reason(error))
            if refused(error):
                return False
        else:
            return True
        await asyncio.sleep(pause)
        pause = min(LONGEST_MENU_PAUSE, pause * 2)


def _codes(language: str) -> tuple[str, ...]:
    """The two-letter codes under which Telegram files a language; the source serves everybody else."""
    if language == "zh_Hant":
        return ()  # Telegram knows only `zh`; those who read traditional characters see the simplified menu
    return ("",) if language == "en" else (language.partition("_")[0],)
