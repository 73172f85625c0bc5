"""The bot in a terminal: the same Application and the same database, with this module in Telegram's place.

Lines are what people say in one group. `@ann TEXT` speaks as Ann, whose username is ann, from then on, `!N`
presses button N as it was printed, `> TEXT` is said to the bot in private, and the end of input ends the
program. A line with a digit in it that is no command counts as a reply to the last deal, so that every answer
gets its verdict as it would in a group. A button that leads to a private chat with the bot opens it.
"""

import asyncio
import json
import math
import os
import re
import sys
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from html import unescape
from typing import Any, TextIO

from telegram.request import BaseRequest, RequestData

from bot import logs
from bot.console.speakers import HOST, person, player_id
from bot.console.streams import BROKEN_PIPE, Lines, OutputError, drop_output, fitting
from bot.database import Store, Tx
from bot.delivery.arrivals import Arrivals
from bot.delivery.outbox import Pace
from bot.delivery.timers import Timers
from bot.games.rounds import queries as rounds
from bot.i18n import Words, spoken, words
from bot.people import queries as people
from bot.settings import Settings, SettingsError
from bot.telegram import messages
from bot.telegram.dispatch import Table

CHAT = -24
BOT = {
    "id": 24,
    "is_bot": True,
    "first_name": "Twenty-Four",
    "username": "TwentyFourBot",
    "can_join_groups": True,
    "can_read_all_group_messages": True,
    "supports_inline_queries": False,
}
TOKEN = "24:console"  # noqa: S105 - never leaves the process
NOBODY = (
    "BOT_TOKEN: empty, and nobody types here; set it to the token from @BotFather"
    " (not set at all, a chat opens in the terminal)"
)
SKIP = "s:"
"""Begins the data of the button that only a deal on the table has."""
LINK = re.compile(r"https://t\.me/[A-Za-z0-9_]+\?start=([A-Za-z0-9_-]+)")
ISOLATES = dict.fromkeys((0x2068, 0x2069))
RESERVED = 100_000
"""Message numbers set aside at the start, so that none is used twice even after a kill."""
UNSHOWN = b'{"ok": false, "error_code": 429, "description": "later", "parameters": {"retry_after": 3600}}'
"""The answer to a request that nobody saw: it stays stored and is shown at the next start."""
AT_ONCE = 1.0
"""Seconds within which a file or a closed pipe shows that nobody is there."""
PATIENCE = 20.0
"""Seconds without a first line after which a pipe that stays open counts as nobody."""
UNITS = dict.fromkeys(("setMyCommands", "deleteMyCommands", "deleteWebhook", "sendChatAction"), True)


class Screen:
    """What people see. Buttons are numbered as they appear and keep their number."""

    def __init__(self, out: TextIO, said: Words) -> None:
        self._out = out
        self.said = said
        self._rich = out.isatty()
        self._buttons: list[tuple[int, str]] = []
        self.lost = asyncio.Event()
        """Set once nothing can be shown any more: whoever read has read enough, or the disk is full."""
        self.trouble: OutputError | None = None
        """Why not; None where whoever read has read enough."""

    def show(self, text: str) -> None:
        """Print a paragraph."""
        shown = fitting(text.translate(ISOLATES) if self._rich else text, self._out)
        try:
            print(shown, file=self._out, flush=True)
        except BrokenPipeError:
            self.lost.set()
        except OSError as error:
            self.trouble = OutputError(error)
            self.lost.set()

    def message(self, message: dict[str, Any], *, edited: bool = False) -> None:
        """Print a message of the bot with its buttons."""
        lines = [self._head(message, edited), self._plain(message["text"])]
        rows = message.get("reply_markup", {}).get("inline_keyboard", ())
        lines += ["   ".join(self._button(message["message_id"], b) for b in row) for row in rows]
        self.show("\n".join(lines) + "\n")

    def _head(self, message: dict[str, Any], edited: bool) -> str:
        number = message["message_id"]
        if message["chat"]["id"] > 0:
            return self.said.plain("— Twenty-Four in private, #{number}", number=number)
        if edited:
            return self.said.plain("— Twenty-Four, #{number}, edited", number=number)
        return self.said.plain("— Twenty-Four, #{number}", number=number)

    def pressed(self, number: int) -> tuple[int, str] | None:
        """The message and data of button `number`."""
        return self._buttons[number - 1] if 0 < number <= len(self._buttons) else None

    def _button(self, message_id: int, button: dict[str, Any]) -> str:
        this = (message_id, str(button.get("callback_data") or button.get("url", "")))
        if this not in self._buttons:
            self._buttons.append(this)
        return f"[!{self._buttons.index(this) + 1}] {button['text']}"

    def _plain(self, html: str) -> str:
        bold = "\x1b[1m\\1\x1b[0m" if self._rich else r"\1"
        return unescape(re.sub(r"</?[a-z][^>]*>", "", re.sub(r"<b>(.*?)</b>", bold, html)))


class ConsoleRequest(BaseRequest):
    """Answers the bot's requests as Telegram would, on the screen."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self.next_id = 1
        self.messages: dict[int, dict[str, Any]] = {}
        self.said: dict[int, str] = {}
        self.deal: int | None = None
        """The last message that shows a deal."""

    @property
    def read_timeout(self) -> float | None:
        """Nothing is ever waited for."""
        return None

    async def initialize(self) -> None:
        """Nothing to open."""

    async def shutdown(self) -> None:
        """Nothing to close."""

    async def do_request(
        self,
        url: str,
        method: str,
        request_data: RequestData | None = None,
        read_timeout: object = None,
        write_timeout: object = None,
        connect_timeout: object = None,
        pool_timeout: object = None,
    ) -> tuple[int, bytes]:
        """One request of the bot."""
        name = url.rpartition("/")[2]
        parameters = {}
        if request_data is not None:
            parameters = {k: _value(v) for k, v in request_data.json_parameters.items()}
            for field, (filename, content, _) in (request_data.multipart_data or {}).items():
                text = content if isinstance(content, bytes) else content.read()
                parameters[field] = f"{filename}\n{text.decode('utf-8', 'replace')}"
        result = self.answer(name, parameters)
        if self._screen.lost.is_set():
            return 429, UNSHOWN
        return 200, json.dumps({"ok": True, "result": result}).encode()

    def answer(self, name: str, parameters: dict[str, Any]) -> Any:
        """The result of a method, with what it does to the screen."""
        match name:
            case "getMe":
                return BOT
            case "sendMessage" | "sendDocument":
                return self._post(parameters)
            case "editMessageText":
                return self._edit(parameters)
            case "setMessageReaction":
                emoji = "".join(r.get("emoji", "") for r in parameters.get("reaction", ()))
                self._screen.show(f"{emoji} ← {self.said.get(parameters['message_id'], '…')}")
            case "answerCallbackQuery" if parameters.get("text"):
                self._screen.show(f"({parameters['text']})")
            case "getChatMember":
                status = "creator" if parameters["user_id"] == player_id(HOST) else "member"
                return {
                    "status": status,
                    "user": {"id": parameters["user_id"], "is_bot": False, "first_name": "?"},
                    "is_anonymous": False,
                }
            case "getChat":
                return {
                    "id": CHAT,
                    "type": "group",
                    "title": "Terminal",
                    "accent_color_id": 0,
                    "max_reaction_count": 1,
                    "accepted_gift_types": {},
                    "permissions": {},
                }
        return UNITS.get(name, True)

    def new_id(self) -> int:
        """The next message's number."""
        self.next_id += 1
        return self.next_id - 1

    def _post(self, parameters: dict[str, Any]) -> dict[str, Any]:
        parts = (parameters.get(part) for part in ("text", "document", "caption"))
        text = "\n".join(str(part) for part in parts if part)
        return self._keep(_sent(self.new_id(), text, parameters), edited=False)

    def _edit(self, parameters: dict[str, Any]) -> dict[str, Any]:
        old = self.messages.get(parameters["message_id"], {})
        message = _sent(parameters["message_id"], str(parameters["text"]), parameters)
        if {**old, "date": 0} == {**message, "date": 0}:
            return message
        return self._keep(message, edited=True)

    def _keep(self, message: dict[str, Any], *, edited: bool) -> dict[str, Any]:
        self.messages[message["message_id"]] = message
        if message["chat"]["id"] == CHAT and any(data.startswith(SKIP) for data in _data(message)):
            self.deal = message["message_id"]
        self._screen.message(message, edited=edited)
        return message


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _chat(number: int = CHAT) -> dict[str, Any]:
    if number == CHAT:
        return {"id": CHAT, "type": "group", "title": "Terminal"}
    return {"id": number, "type": "private", "first_name": "…"}


def _message(number: int, sender: dict[str, Any], text: str, chat: int = CHAT) -> dict[str, Any]:
    at = int(time.time())
    return {"message_id": number, "date": at, "from": sender, "chat": _chat(chat), "text": text}


def _sent(number: int, text: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """The bot's message that a request makes."""
    message = _message(number, BOT, text, int(parameters["chat_id"]))
    markup = parameters.get("reply_markup")
    return {**message, "reply_markup": markup} if markup else message


def _data(message: dict[str, Any]) -> list[str]:
    """What the message's buttons send."""
    rows = message.get("reply_markup", {}).get("inline_keyboard", ())
    return [str(button.get("callback_data", "")) for row in rows for button in row]


class Conversation:
    """People's lines turned into updates."""

    def __init__(self, table: Table, request: ConsoleRequest, screen: Screen, language: str) -> None:
        self._table = table
        self._request = request
        self._screen = screen
        self._language = language
        self._speaker = HOST

    async def begin(self) -> None:
        """Greet, show what a former run could not, and the hands that are on the table."""
        self._screen.show(_welcome(self._screen.said))
        await self._table.outbox.resume()
        await self._table.inbox.resume()
        await self._table.act(lambda tx: [messages.show(live) for live in rounds.live_in_chat(tx, CHAT)])
        await self.settled()

    async def line(self, line: str) -> None:
        """Take one line and wait for what the bot makes of it."""
        text = line.strip()
        if text.startswith("@"):
            name, _, text = text[1:].partition(" ")
            self._speaker = name[:1].upper() + name[1:] or HOST
            text = text.strip()
        if not text:
            return
        press = re.fullmatch(r"!([0-9]{1,4})", text)
        if press:
            update = self._press(int(press[1]))
        else:
            alone = text.startswith(">")
            update = self._say(text.lstrip("> "), player_id(self._speaker) if alone else CHAT)
        if update is not None:
            await self._table.inbox.accept([update])
            await self.settled()

    async def settled(self) -> None:
        """Wait until nothing is left to handle or to show."""
        await self._table.inbox.idle()
        await self._table.outbox.idle()

    def _person(self) -> dict[str, Any]:
        return person(self._speaker, self._language)

    def _say(self, text: str, chat: int = CHAT) -> dict[str, Any]:
        message = _message(self._request.new_id(), self._person(), text, chat)
        self._request.said[message["message_id"]] = f"{self._speaker}: {text}"
        if text.startswith("/"):
            length = len(text.split(maxsplit=1)[0])
            message["entities"] = [{"type": "bot_command", "offset": 0, "length": length}]
        elif chat == CHAT and self._request.deal is not None and any(c.isdigit() for c in text):
            message["reply_to_message"] = self._request.messages[self._request.deal]
        return {"update_id": message["message_id"], "message": message}

    def _press(self, number: int) -> dict[str, Any] | None:
        button = self._screen.pressed(number)
        if button is None:
            self._screen.show(self._screen.said.plain("There is no button {number}.", number=number))
            return None
        message_id, data = button
        link = LINK.fullmatch(data)
        if link:
            return self._say(f"/start {link[1]}", player_id(self._speaker))
        query = {
            "id": str(self._request.new_id()),
            "from": self._person(),
            "chat_instance": "console",
            "message": self._request.messages[message_id],
            "data": data,
        }
        return {"update_id": int(str(query["id"])), "callback_query": query}


async def converse(settings: Settings) -> int:
    """Chat until the end of input; returns the exit code."""
    from bot.cli import build

    logs.begin("WARNING" if settings.log_level == "INFO" else settings.log_level, settings.secrets)
    heard = await _heard(settings)
    language = os.environ.get("LANG", "").partition(".")[0].replace("_", "-")
    said = words(spoken(None if language in {"C", "POSIX", ""} else language))
    screen = Screen(sys.stdout, said)
    request = ConsoleRequest(screen)
    async with AsyncExitStack() as stack:
        pace = Pace(posts_a_minute=10_000, redraw_gap=0.0)
        table, services = await build(settings, (request, request), stack, token=TOKEN, pace=pace)
        stack.push_async_callback(_keep_number, services.store, request)
        request.next_id = await services.store.write(_reserve_numbers)
        table.inbox.arrivals = Arrivals(math.inf)  # a line that was typed is there: nothing is on its way
        timers = asyncio.create_task(Timers(services.store, table.act, table.inbox).run())
        stack.push_async_callback(_cancel, timers)
        stack.push_async_callback(table.outbox.close)
        stack.push_async_callback(table.inbox.close)
        talk = Conversation(table, request, screen, language or "en")
        talking = asyncio.create_task(_talk(talk, heard))
        lost = asyncio.create_task(screen.lost.wait())
        await asyncio.wait([talking, lost], return_when=asyncio.FIRST_COMPLETED)
        await _cancel(lost)
        if screen.lost.is_set():
            await _cancel(talking)
            drop_output()
            if screen.trouble:
                print(f"twentyfour-bot: {screen.trouble}", file=sys.stderr)
            return BROKEN_PIPE
        await talking
    return 0


async def _talk(talk: "Conversation", heard: AsyncIterator[str]) -> None:
    """Show what is on the table, then take lines until the end of input."""
    await talk.begin()
    async for line in heard:
        await talk.line(line)
    await talk.settled()


async def _heard(settings: Settings) -> AsyncIterator[str]:
    """The lines to come, from a terminal or a pipe.

    Raises SettingsError where BOT_TOKEN was left empty and nobody is there to type: a service is not to sit
    and wait for lines that never come.
    """
    if sys.stdin.isatty() and sys.stdout.isatty():
        return _typed()
    lines = Lines(sys.stdin)
    if not settings.token_left_empty or sys.stdin.isatty():
        return _piped(lines, None)
    try:
        first = await lines.next(AT_ONCE)
    except TimeoutError:
        return _piped(lines, PATIENCE)
    if first is None:
        raise SettingsError(NOBODY)
    return _piped(lines, None, first)


async def _piped(lines: Lines, patience: float | None, first: str | None = None) -> AsyncIterator[str]:
    """Lines from a pipe; the first must come within `patience` seconds, if there is such a limit."""
    try:
        line = first if first is not None else await lines.next(patience)
    except TimeoutError:
        line = None
    if line is None and patience is not None:
        raise SettingsError(NOBODY)
    while line is not None:
        yield line
        line = await lines.next()


def _welcome(said: Words) -> str:
    lines = (
        said.plain(
            "Twenty-Four in the terminal. /play deals a hand; answer with an expression such as 8/(3-8/3)."
        ),
        said.plain(
            "@ann speaks as Ann from then on, !1 presses button 1, > TEXT talks to the bot in private."
        ),
        said.plain("/help tells the rest; Ctrl-D ends."),
    )
    return "\n".join(lines) + "\n"


def _reserve_numbers(tx: Tx) -> int:
    first = int(people.fact(tx, "console.next") or 1)
    people.remember(tx, "console.next", str(first + RESERVED))
    return first


async def _keep_number(store: Store, request: ConsoleRequest) -> None:
    await store.write(lambda tx: people.remember(tx, "console.next", str(request.next_id)))


async def _cancel(task: "asyncio.Task[Any]") -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def _typed() -> AsyncIterator[str]:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.patch_stdout import patch_stdout

    session: PromptSession[str] = PromptSession("> ")
    with patch_stdout(raw=True):
        while True:
            try:
                yield await session.prompt_async()
            except (EOFError, KeyboardInterrupt):
                return
