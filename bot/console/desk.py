"""The board beside the terminal: for this machine's browsers, and by keys that the terminal prints.

It listens at 127.0.0.1 alone, under that name alone, and a key opens it once. What keys of sessions are made
of is kept in the database, and so is the port: a page that is open finds the next start's bot again.
"""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from telegram import Bot

from bot.database import Store, Tx
from bot.delivery.changes import Changes
from bot.delivery.inbox import Inbox
from bot.games.board.rules import Person, Place
from bot.games.daily.tables import Door
from bot.people import queries as people
from bot.settings import Address
from bot.web.board.authentication import OnceKeys
from bot.web.board.board import Board, Needs
from bot.web.board.entries import Answering
from bot.web.board.tokens import Links, Tokens
from bot.web.server import Server

HOST = "127.0.0.1"
PORT, SECRET = "console.port", "console.board"
"""Facts that are kept."""
BYTES = 32
"""Of the secret."""
ANY = 0
"""The system chooses the port."""


@dataclass(frozen=True, slots=True)
class Desk:
    """A board that is served."""

    board: Board
    server: Server
    keys: OnceKeys
    place: Place
    now: Callable[[], float]

    def link(self, who: dict[str, Any], alone: bool) -> str:
        """An address that opens the board once, as this person, who is described as Telegram does.

        `alone`: that of their private chat, where the day's hand can be asked for, to be tapped there too.
        """
        person = Person(who["id"], who["first_name"], who.get("username"), who.get("language_code", ""))
        place = Place(person.id) if alone else self.place
        return f"{_root(self.server.port)}/#key={self.keys.make(person, place, self.now())}"

    async def close(self) -> None:
        """Serve nothing more."""
        self.board.close()
        await self.server.close()


async def opened(
    store: Store, bot: Bot, changes: Changes, inbox: Inbox, answer: Answering, chat_id: int
) -> Desk | None:
    """The board of a chat, at the port that it had before, or at another; None where none can be had."""
    port, secret = await store.write(_kept)
    server = Server([])
    if not await _listens(server, port):
        return None
    await store.write(lambda tx: people.remember(tx, PORT, str(server.port)))
    keys, links = OnceKeys(), Links(Tokens(secret), _root(server.port), "")
    needs = Needs(
        store=store,
        bot=bot,
        changes=changes,
        accept=partial(inbox.accept, own=True),
        answer=answer,
        way=Door(bot.username, str(bot.id)),
        now=inbox.now,
        token="",  # Telegram opens nothing here
        secret=secret,
        links=links,
        keys=keys,
        hosts=frozenset({f"{HOST}:{server.port}"}),
    )
    board = Board(needs, "", _root(server.port), telegram=False)
    server.also(board.routes)
    return Desk(board, server, keys, Place(chat_id), inbox.now)


async def _listens(server: Server, port: int) -> bool:
    """Whether it listens, at that port or at any other."""
    for wanted in dict.fromkeys((port, ANY)):
        try:
            await server.listen(Address(HOST, wanted))
        except OSError:
            continue
        return True
    return False


def _kept(tx: Tx) -> tuple[int, bytes]:
    """The port of the last time, and the secret, which is made the first time."""
    port, secret = people.fact(tx, PORT) or "", people.fact(tx, SECRET) or ""
    if len(secret) != 2 * BYTES:
        secret = secrets.token_hex(BYTES)
        people.remember(tx, SECRET, secret)
    known = port.isascii() and port.isdecimal() and 1024 <= int(port[:6]) <= 65535
    return int(port) if known else ANY, bytes.fromhex(secret)


def _root(port: int) -> str:
    return f"http://{HOST}:{port}"
