"""The chains of secret links from which the hands of chats are dealt: see `solver.fair`.

A chat has a chain for each game, so that a contest of a week holds back the links of no other game. A chain
is made at the first deal, or when somebody asks for its commitment before. The next one follows when its
links are used up, or, to be announced in time, when few are left.
"""

from dataclasses import dataclass
from secrets import token_bytes
from typing import Any

from sqlalchemy import Row, insert, select, update

from bot.database import Tx
from bot.database.schema import chains
from bot.players import queries as people
from bot.rounds.puzzle import Origin
from bot.rounds.rules import Round, State
from solver import CHAIN_LENGTH, compute_link, derive_seed, list_links

EVERY_CHAT = 0  # The chat of the chains of the hands of the day
FAIR_LINK = "fair"  # Of the payload of a link to verify a hand, before an underscore and the round's id


@dataclass(frozen=True, slots=True)
class Chain:
    id: int
    chat_id: int  # As it was when the chain was made, for good: it is part of the seeds
    end: bytes  # The secret last link
    used: int  # Links used so far

    @property
    def commitment(self) -> str:
        return self.compute_link(0).hex()

    def compute_link(self, number: int) -> bytes:
        """Return a link; this takes some milliseconds for a link at the beginning of the chain."""
        return compute_link(self.end, number)

    def list_links(self) -> list[bytes]:
        """Return all links, the commitment first."""
        return list_links(self.end)

    def make_origin(self, message_id: int) -> Origin:
        """Return the origin of the first hand that the message asks for."""
        return Origin(self.id, self.used + 1, message_id)

    def derive_seed(self, link: bytes, origin: Origin) -> int:
        """Return the seed of a hand; `link` is that of its origin."""
        return derive_seed(link, self.chat_id, origin.message_id, origin.ordinal)


def make_fair_link(tx: Tx, round: Round) -> str:
    """Return the link to verify an ended round; empty if it is not over or nobody can verify it."""
    username = people.load_fact(tx, people.USERNAME_FACT)
    if round.origin is None or round.state in (State.OPEN, State.RUNNING) or not username:
        return ""
    return f"https://t.me/{username}?start={FAIR_LINK}_{round.id}"


def load_unused_chains(tx: Tx, chat_id: int, game: str) -> list[Chain]:
    """Return the chains of a chat and game that have links left, the one in use first."""
    has_links = (chains.c.chat_id == chat_id, chains.c.game == game, chains.c.used < CHAIN_LENGTH)
    rows = tx.execute(select(chains).where(*has_links).order_by(chains.c.id))
    return [_read_chain(row) for row in rows]


def load_chain(tx: Tx, chat_id: int, game: str) -> Chain | None:
    """Return the chain in use for a chat and game; None if there is none with links left."""
    return next(iter(load_unused_chains(tx, chat_id, game)), None)


def load_chain_by_id(tx: Tx, chain_id: int) -> Chain | None:
    row = tx.execute(select(chains).where(chains.c.id == chain_id)).first()
    return None if row is None else _read_chain(row)


def _read_chain(row: Row[Any]) -> Chain:
    return Chain(row.id, row.seed_chat_id, bytes.fromhex(row.secret), row.used)


def insert_chain(tx: Tx, chat_id: int, game: str) -> Chain:
    """Store a new chain for a chat and game, with a random secret: its end, from which all links follow."""
    end = token_bytes(32)
    row = {"chat_id": chat_id, "seed_chat_id": chat_id, "game": game, "secret": end.hex()}
    (chain_id,) = tx.execute(insert(chains), row).inserted_primary_key or (0,)  # never empty
    return Chain(int(chain_id), chat_id, end, used=0)


def load_or_insert_chain(tx: Tx, chat_id: int, game: str) -> Chain:
    return load_chain(tx, chat_id, game) or insert_chain(tx, chat_id, game)


def record_use(tx: Tx, origin: Origin) -> None:
    """Store that the link of a hand is used."""
    is_new = (chains.c.id == origin.chain_id, chains.c.used < origin.link)
    tx.execute(update(chains).where(*is_new).values(used=origin.link))
