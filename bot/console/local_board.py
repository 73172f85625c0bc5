"""Serve the board beside the terminal, at 127.0.0.1 only. Each link that is printed opens it once.

The port and the secret of sessions are stored, so that an open page finds the bot again after a restart.
"""

import secrets
from collections.abc import Callable
from dataclasses import dataclass

from telegram import User

from bot.board.authentication import OneTimeKeys
from bot.board.endpoints import Board, BoardDependencies
from bot.board.rules import Person, Place
from bot.board.tokens import BoardLinks, PlaceTokens
from bot.database import Tx
from bot.modes.daily.group_tables import GroupLinks
from bot.players import queries as people
from bot.service import Service
from bot.settings import Address
from bot.web.server import Server

HOST = "127.0.0.1"
PORT_KEY, SECRET_KEY = "console.port", "console.board"  # keys of stored facts
ANY_PORT = 0  # the system chooses the port


@dataclass(frozen=True, slots=True)
class LocalBoard:
    board: Board
    server: Server
    keys: OneTimeKeys
    chat_id: int
    now: Callable[[], float]

    def make_link(self, user: User, is_private: bool) -> str:
        """Return an address that opens the board once as this user, in private or in the group."""
        person = Person(user.id, user.first_name, user.username, user.language_code or "")
        place = Place(person.id if is_private else self.chat_id)
        key = self.keys.create_key(person, place, self.now())
        return f"http://{HOST}:{self.server.port}/#key={key}"

    async def close(self) -> None:
        self.board.close()
        await self.server.close()


async def open_board(service: Service, chat_id: int) -> LocalBoard:
    """Serve the board of a chat, at the stored port or another, and store that."""
    store, bot, inbox = service.services.store, service.services.bot, service.inbox
    port, secret = await store.write(_load_port_and_secret)
    server = Server(routes=[])
    try:
        server.bind(Address(HOST, port))
    except OSError:  # taken by another program
        server.bind(Address(HOST, ANY_PORT))
    await store.write(lambda tx: people.store_fact(tx, PORT_KEY, str(server.port)))
    root = f"http://{HOST}:{server.port}"
    keys = OneTimeKeys()
    needs = BoardDependencies(
        store=store,
        bot=bot,
        changes=service.changes,
        accept_submissions=inbox.accept,
        run_transaction=service.dispatcher.run_transaction,
        private_chat_link=GroupLinks(bot.username, str(bot.id)),
        now=inbox.now,
        bot_token="",  # Telegram opens nothing here
        session_secret=secret,
        links=BoardLinks(PlaceTokens(secret), url=root, username=""),
        one_time_keys=keys,
        allowed_hosts=frozenset({f"{HOST}:{server.port}"}),
    )
    board = Board(needs, path="", origin=root, telegram=False)
    server.add_routes(board.routes)
    await server.serve()
    return LocalBoard(board, server, keys, chat_id, inbox.now)


def _load_port_and_secret(tx: Tx) -> tuple[int, bytes]:
    """Return the port of the last run, else ANY_PORT, and the secret."""
    port = int(people.load_fact(tx, PORT_KEY) or ANY_PORT)
    return port, load_secret(tx, SECRET_KEY)


def load_secret(tx: Tx, key: str) -> bytes:
    """Return the secret that is stored under the key; the first run makes it."""
    secret = people.load_fact(tx, key)
    if secret is None:
        secret = secrets.token_hex(32)
        people.store_fact(tx, key, secret)
    return bytes.fromhex(secret)
