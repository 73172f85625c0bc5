"""The bot in a terminal: the same service and the same database, with a screen in Telegram's place.

Lines are what people say in one group. `@ann TEXT` speaks as Ann, whose username is ann, from then on, `!N`
presses button N as it was printed, `> TEXT` is said to the bot in private, and the end of input ends the
program. A line that is nothing but an expression counts as a reply to the last deal, so that every answer
gets its verdict as it would in a group, and one that a setting waits for as a reply to the settings. A button
that leads to a private chat with the bot opens it; one that passes something on prints it.
"""

import asyncio
import math
import os
import re
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from typing import Any

from bot import logs
from bot.console import asides, pictured
from bot.console.album import Album, Folder, Look, Message
from bot.console.leaving import in_good_order
from bot.console.pictured import Pictured
from bot.console.replies import is_try
from bot.console.requests import BOT, CHAT, HOST, ConsoleRequest, person, player_id, written
from bot.console.screen import Screen
from bot.console.speech import language
from bot.console.streams import BROKEN_PIPE, drop_output, heard
from bot.console.terminal import Paper, Typed, opened
from bot.database import Store, Tx, Use
from bot.delivery.arrivals import Arrivals
from bot.delivery.pacing import Pace
from bot.games.contest import queries as contests
from bot.games.rounds import queries as rounds
from bot.games.rounds.rules import Round
from bot.groups.settings import rules as preferences
from bot.i18n import spoken, words
from bot.people import queries as people
from bot.service import Service, build
from bot.settings import Settings
from bot.supervision import run_unless
from bot.telegram import messages

TOKEN = "24:console"  # noqa: S105 - never leaves the process
Link = Callable[[dict[str, Any], bool], str]
"""Makes the address of a board that opens once, for a person as Telegram describes one: of the group's table,
or where the second argument says so, of that in their private chat.
"""
LINK = re.compile(r"https://t\.me/[A-Za-z0-9_]+\?start=([A-Za-z0-9_-]+)")
RESERVED = 100_000
"""Message numbers set aside at the start, so that none is used twice even after a kill."""


class Conversation:
    """People's lines turned into updates."""

    def __init__(
        self,
        service: Service,
        request: ConsoleRequest,
        screen: Screen,
        language: str,
        album: Album | None = None,
        link: Link | None = None,
    ) -> None:
        self._link = link
        self._service = service
        self._album = album
        self._request = request
        self._screen = screen
        self._language = language
        self._speaker = HOST
        self._spoken = {HOST.casefold(): None}
        """Usernames, in the order of their first words."""

    async def begin(self) -> None:
        """Greet, show what a former run could not, and the hands that are on the table."""
        self._tell([*asides.welcome(self._screen.speech), *self._board_here(alone=False)])
        await self._service.resume()
        live = await self._service.services.store.read(_on)
        await self._service.dispatcher.act(lambda _: [messages.show(round) for round in live])
        await self._service.idle()
        await self._pictures_kept()

    @property
    def label(self) -> str:
        """What stands before a line that is to be typed: who speaks."""
        return f"{''.join(c for c in self._name() if c.isprintable())}> "

    def words(self) -> dict[str, str]:
        """What may be completed: commands with their meanings, and who has spoken."""
        speech = self._screen.speech
        commands = self._service.routes.commands
        listed = {f"/{command.name}": command.menu(speech) if command.menu else "" for command in commands}
        board = {asides.BOARD: asides.on_board(speech)} if self._link else {}
        return listed | board | {f"@{name}": "" for name in self._spoken}

    async def line(self, line: str) -> None:
        """Take one line and wait for what the bot makes of it."""
        text = line.strip()
        if text.startswith("@"):
            name, text = re.split(r"\s+", f"{text[1:]} ", maxsplit=1)
            self._speaker = self._meant(name)
            self._spoken[self._speaker.casefold()] = None
            text = text.strip()
        alone = text.startswith(">")
        if text.lstrip("> ") == asides.BOARD:
            self._tell(self._board_here(alone=alone) or [asides.no_board(self._screen.speech)])
            return
        if not text:
            return
        press = re.fullmatch(r"!([0-9]{1,4})", text)
        if press:
            update = self._press(int(press[1]))
        else:
            update = self._say(text.lstrip("> "), player_id(self._speaker) if alone else CHAT)
            if not alone:
                await self._address(update["message"])
        if update is not None:
            await self._service.inbox.accept([update])
            await self._service.idle()
            await self._follow()
            await self._pictures_kept()
            self._tell(asides.own(self._screen.speech, update, board=self._link is not None))

    def _board_here(self, *, alone: bool) -> list[str]:
        """The line with a link that opens a board once, as whoever speaks; nothing without a board."""
        link = self._link(self._person(), alone) if self._link else ""
        return [asides.board(self._screen.speech, self._name(), link, alone=alone)] if link else []

    async def _follow(self) -> None:
        """Go where a press has led: to the private chat of whoever pressed."""
        while self._request.opened:
            link = LINK.fullmatch(self._request.opened.pop(0))
            if link is not None:
                await self._service.inbox.accept([self._say(f"/start {link[1]}", player_id(self._speaker))])
                await self._service.idle()

    async def _pictures_kept(self) -> None:
        """Wait for the pictures of what was shown, so that they are told of in their place."""
        if self._album is not None:
            await self._album.idle()

    def _tell(self, lines: list[str]) -> None:
        if lines:
            self._screen.show("\n".join(lines) + "\n")

    async def run(self, lines: AsyncIterator[str]) -> None:
        """Show what is on the table, then take lines until the end of input."""
        await self.begin()
        async for line in lines:
            await self.line(line)
        await self._service.idle()
        await self._pictures_kept()

    def _meant(self, name: str) -> str:
        """Who speaks after `@name`; the host too is called back by the name that is shown."""
        shown = self._screen.speech.plain("Player")
        return HOST if name.casefold() in ("", shown.casefold()) else name[:1].upper() + name[1:]

    def _name(self) -> str:
        return self._screen.speech.plain("Player") if self._speaker == HOST else self._speaker

    def _person(self) -> dict[str, Any]:
        speaks = person(self._speaker, self._language, self._name())
        self._request.people[speaks["id"]] = speaks
        return speaks

    def _say(self, text: str, chat: int) -> dict[str, Any]:
        message = written(self._request.new_id(), self._person(), text, chat)
        self._request.typed[message["message_id"]] = f"{self._name()}: {text}"
        if text.startswith("/"):
            length = len(text.split(maxsplit=1)[0])
            message["entities"] = [{"type": "bot_command", "offset": 0, "length": length}]
        return {"update_id": message["message_id"], "message": message}

    async def _address(self, message: dict[str, Any]) -> None:
        """Let a line in the group reply to what it is meant for."""
        text, messages = message["text"], self._request.messages
        if text.startswith("/"):
            return
        waits = await self._service.services.store.read(_waiting) if self._speaker == HOST else None
        if waits is not None:
            message["reply_to_message"] = messages.get(waits) or written(waits, BOT, "")
        elif self._request.deal is not None and is_try(text):
            message["reply_to_message"] = messages[self._request.deal]

    def _press(self, number: int) -> dict[str, Any] | None:
        button = self._screen.pressed(number)
        if button is None:
            self._screen.show(self._screen.speech.plain("There is no button {number}.", number=number))
            return None
        link = LINK.fullmatch(button.link)
        if link:
            return self._say(f"/start {link[1]}", player_id(self._speaker))
        if not button.data:
            self._screen.show(f"{button.text or button.link}\n")
            return None
        query = {
            "id": str(self._request.new_id()),
            "from": self._person(),
            "chat_instance": "console",
            "message": self._request.message(button.message_id),
            "data": button.data,
        }
        return {"update_id": int(str(query["id"])), "callback_query": query}


def _on(tx: Tx) -> list[Round]:
    """What is on the table, and the contests beside it."""
    return [*rounds.live_in_chat(tx, CHAT), *contests.running_in_chat(tx, CHAT)]


def _waiting(tx: Tx) -> int | None:
    """The message of the settings that waits for something to be typed."""
    waits = preferences.asked(people.find_chat(tx, CHAT, "group"))
    return waits.message_id if waits else None


async def converse(settings: Settings, folder: Folder | None = None) -> int:
    """Chat until the end of input; pictures go into the folder, if there is one. Returns the exit code."""
    terminal = opened(sys.stdin, sys.stdout)
    source = await _source(settings, terminal)
    tag = language(os.environ)
    screen = Screen(terminal or Paper(sys.stdout), words(spoken(tag)))
    with in_good_order(terminal, screen):
        logs.begin("WARNING" if settings.log_level == "INFO" else settings.log_level, settings.secrets)
        async with AsyncExitStack() as stack:
            talk = await _opened(settings, screen, stack, tag, folder)
            await run_unless(screen.over, talk.run(source(talk)))
    return _lost(screen) if screen.is_lost else 0


async def _source(settings: Settings, terminal: Typed | None) -> Callable[[Conversation], AsyncIterator[str]]:
    """Where lines come from. Raises SettingsError as `heard` does."""
    if terminal is not None:
        return lambda talk: terminal.lines(lambda: talk.label, talk.words)
    piped = await heard(settings)
    return lambda _: piped


async def _opened(
    settings: Settings, screen: Screen, stack: AsyncExitStack, language: str, folder: Folder | None
) -> Conversation:
    """The service behind the screen, with its timers; `stack` closes it again."""
    request = ConsoleRequest(screen)
    pace = Pace(posts_a_minute=10_000, redraw_gap=0.0)
    service = await build(settings, request, stack, token=TOKEN, pace=pace, pictures=False, use=Use.ALONE)
    store = service.services.store
    stack.push_async_callback(_keep_number, store, request)
    request.next_id = await store.write(_reserve_numbers)
    await store.write(hear_all)
    service.inbox.arrivals = Arrivals(math.inf)  # a line that was typed is there: nothing is on its way
    service.inbox.arrivals.compared = True  # with itself: nothing else tells the time here
    stack.push_async_callback(_cancel, asyncio.create_task(service.timers.run()))
    stack.push_async_callback(service.outbox.close)
    stack.push_async_callback(service.inbox.close)
    album = None
    if folder is not None:
        album = Album(folder, screen, service.services.solving, _looking(service, spoken(language)))
        request.shown = album.shown
        stack.push_async_callback(_cancel, asyncio.create_task(album.run()))
    return Conversation(service, request, screen, language, album, await _desk(service, stack))


async def _desk(service: Service, stack: AsyncExitStack) -> Link | None:
    """Serve a board beside the terminal; None where no port can be had, and the chat goes on without."""
    from bot.console import desk  # here: only a chat in the terminal needs it

    services = service.services
    asked = services.store, services.bot, service.changes, service.inbox
    found = await desk.opened(*asked, service.dispatcher.answer, CHAT)
    if found is None:
        return None
    stack.push_async_callback(found.close)
    return found.link


def _looking(service: Service, language: str) -> Look:
    """Sees which picture a message has, once it is known what the message shows."""

    async def look(message: Message) -> Pictured | None:
        await service.outbox.idle()
        now = service.inbox.now()
        return await service.services.store.read(lambda tx: pictured.of(tx, message, now, language))

    return look


def _lost(screen: Screen) -> int:
    """Nothing can be shown any more; returns the exit code."""
    drop_output()
    if screen.trouble:
        print(f"twentyfour-bot: {screen.trouble}", file=sys.stderr)
    return BROKEN_PIPE


def _reserve_numbers(tx: Tx) -> int:
    first = int(people.fact(tx, "console.next") or 1)
    people.remember(tx, "console.next", str(first + RESERVED))
    return first


def hear_all(tx: Tx) -> None:
    """Whoever answers here need not reply: what is typed is heard."""
    people.chat(tx, CHAT, "group")
    people.choose(tx, CHAT, preferences.HEARD, True)


async def _keep_number(store: Store, request: ConsoleRequest) -> None:
    await store.write(lambda tx: people.remember(tx, "console.next", str(request.next_id)))


async def _cancel(task: "asyncio.Task[Any]") -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
