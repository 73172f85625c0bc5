"""Serve a class without Telegram: its pages on the local network, until the teacher stops the program.

The class is stored, and goes on when the program is started again within a day.
"""

import io
import json
import socket
import sys
import time
import webbrowser
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import segno
from telegram.request import BaseRequest, RequestData

from bot import logs
from bot.board.classroom.endpoints import ClassNeeds, make_join_url
from bot.board.classroom.keys import ClassKeys, Purpose
from bot.board.endpoints import Board, BoardDependencies
from bot.board.tokens import BoardLinks, PlaceTokens
from bot.console.chat import build_offline_service, run_offline_service
from bot.console.fake_telegram import BOT_USER
from bot.console.local_board import load_secret
from bot.console.streams import print_lines
from bot.database import Tx
from bot.formats import format_date
from bot.i18n import Words, choose_language, get_words
from bot.modes.classroom import lessons
from bot.modes.classroom import queries as classrooms
from bot.modes.classroom.rules import SchoolClass
from bot.modes.daily.group_tables import GroupLinks
from bot.service import Service
from bot.settings import Address, Settings
from bot.supervision import StopSignal
from bot.telegram.startup import StartError
from bot.web.server import Server

FILE_NAME = "class.sqlite3"  # Beside the terminal's file, so that both may run at once
SECRET_KEY = "class.secret"  # noqa: S105 - the key of a stored fact
ALL_ADDRESSES = ("", "0.0.0.0", "::")  # noqa: S104 - pupils connect from other machines
DOCUMENTATION_ADDRESS = "192.0.2.1"  # Nobody has it (RFC 5737)
NO_TELEGRAM = b'{"ok": false, "error_code": 403, "description": "Forbidden: a class has no Telegram"}'


class NoTelegram(BaseRequest):
    """Takes Telegram's place: it knows the bot's name, and refuses everything else."""

    @property
    def read_timeout(self) -> float | None:
        return None

    async def initialize(self) -> None:
        pass

    async def shutdown(self) -> None:
        pass

    async def do_request(
        self, url: str, method: str, request_data: RequestData | None = None, *_: object, **__: object
    ) -> tuple[int, bytes]:
        if url.endswith("/getMe"):
            return 200, json.dumps({"ok": True, "result": BOT_USER.to_dict()}).encode()
        return 403, NO_TELEGRAM


async def run_class(
    settings: Settings, listen: Address, language: str, *, is_new: bool, opens_browser: bool
) -> int:
    """Serve a class until SIGINT or SIGTERM, and return the exit code. Raises StartError or StoreError.

    With `is_new` another class is opened beside those that go on.
    """
    stop = StopSignal()
    logs.configure_logging("WARNING", settings.secrets)  # the log of each step would hide the code
    async with AsyncExitStack() as stack:
        service = await build_offline_service(settings, NoTelegram(), stack)
        run_offline_service(service, stack)
        await service.load_backlog()  # what a former run had not handled when it was killed
        server = Server(routes=[])
        stack.push_async_callback(server.close)
        try:
            server.bind(listen)
        except OSError as error:
            problem = f"--listen {listen.host}:{listen.port}: {error.strerror or error}"
            raise StartError(f"{problem}; another port may be free, as in --listen 0.0.0.0:8025") from None
        secret = await service.services.store.write(lambda tx: load_secret(tx, SECRET_KEY))
        root = f"http://{_find_host(listen)}:{server.port}"
        board = _make_board(service, root, secret)
        stack.callback(board.close)
        server.add_routes(board.routes)
        now = service.inbox.now()
        school_class = await service.services.store.write(lambda tx: open_class(tx, now, is_new=is_new))
        await server.serve()  # not before: a page that comes back after a restart would find nothing
        stored = await service.services.store.read(lambda tx: classrooms.load_classes_of_teacher(tx, None))
        keys = ClassKeys(secret)
        teachers_page = _make_teachers_page(server.port, keys, school_class)
        words = get_words(choose_language(language))
        lines = _list_lines(words, root, keys, school_class, teachers_page)
        lines += [
            _render_other(words, each, _make_teachers_page(server.port, keys, each))
            for each in stored
            if each.id != school_class.id
        ]
        exit_code = print_lines(lines)
        if opens_browser and sys.stdout.isatty():
            webbrowser.open(teachers_page)
        await stop.event.wait()
    return exit_code


def use_own_file(settings: Settings) -> Settings:
    """Return the settings with a file for classes beside the default one."""
    own = Path(settings.database.database or "").with_name(FILE_NAME)
    return replace(settings, database=settings.database.set(database=str(own)))


def open_class(tx: Tx, now: float, *, is_new: bool) -> SchoolClass:
    """Return the latest class that goes on; a new one with `is_new`, or if all are over."""
    lessons.delete_expired_classes(tx, now)
    going_on = [each for each in classrooms.load_classes_of_teacher(tx, None) if each.closed is None]
    return going_on[0] if going_on and not is_new else classrooms.insert_class(tx, None, now)


def _make_board(service: Service, root: str, secret: bytes) -> Board:
    services = service.services
    needs = BoardDependencies(
        store=services.store,
        bot=services.bot,
        changes=service.changes,
        accept_submissions=service.inbox.accept,
        run_transaction=service.dispatcher.run_transaction,
        private_chat_link=GroupLinks(services.bot.username, str(services.bot.id)),
        now=service.inbox.now,
        bot_token="",  # Telegram opens nothing here
        session_secret=secret,
        links=BoardLinks(PlaceTokens(secret), url=root, username=""),
        classes=ClassNeeds(services.solver_pool, services.make_seed, root, is_alone=True),
    )
    # The machine may have several addresses and names
    return Board(needs, path="", origin=None, telegram=False)


def _find_host(listen: Address) -> str:
    """Return the host that others use: this machine's address in the network if all are listened to."""
    if listen.host not in ALL_ADDRESSES:
        return f"[{listen.host}]" if ":" in listen.host else listen.host
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((DOCUMENTATION_ADDRESS, 9))  # sends nothing, but chooses the address to send from
        except OSError:  # no network
            return "127.0.0.1"
        host, _ = probe.getsockname()
    return str(host)


def _make_teachers_page(port: int, keys: ClassKeys, school_class: SchoolClass) -> str:
    return f"http://127.0.0.1:{port}/teacher#key={keys.make_key(Purpose.TEACHER, school_class.id)}"


def _render_other(words: Words, school_class: SchoolClass, teachers_page: str) -> str:
    """Return the line that leads to another class, which goes on or whose report is kept."""
    day = format_date(words, time.strftime("%Y-%m-%d", time.localtime(school_class.opened)))
    code = school_class.code
    return words.translate_plain(
        "Class {code} of {day}: {address}", code=code, day=day, address=teachers_page
    )


def _list_lines(
    words: Words, root: str, keys: ClassKeys, school_class: SchoolClass, teachers_page: str
) -> list[str]:
    """Return the lines that tell the teacher how to begin, with a QR code for pupils."""
    picture = io.StringIO()
    join_url = make_join_url(keys, root, school_class.id, is_alone=True)
    segno.make(join_url, micro=False).terminal(picture, compact=True, border=2)
    code = school_class.code
    return [
        picture.getvalue().rstrip("\n"),
        words.translate_plain(
            "Pupils open {address} and type {code}, or scan this.", address=root, code=code
        ),
        words.translate_plain("Your page: {address}", address=teachers_page),
        words.translate_plain("Ctrl-C ends. Started again within a day, the class goes on."),
    ]
