"""How much there is of everything: what an operator's graphs are drawn from."""

from dataclasses import dataclass

from sqlalchemy import Column, func, select

from bot.database import Tx
from bot.database.schema import awards, chats, inbox, outbox, players, rounds
from bot.games.rounds.rules import State


@dataclass(frozen=True, slots=True)
class Census:
    """Counts of rows."""

    updates: dict[str, int]
    """By state: waiting, done (within the days for which they are remembered), dead."""
    requests: dict[str, int]
    """Requests to Telegram by state: waiting, dead, and undelivered ones of a wish to be forgotten."""
    rounds: dict[str, int]
    """By how they stand."""
    awards: int
    chats: int
    players: int


def census(tx: Tx) -> Census:
    """The counts as they are now."""
    return Census(
        updates=_by(tx, inbox.c.state, "waiting", "done", "dead"),
        requests=_by(tx, outbox.c.state, "waiting", "dead", "wish"),
        rounds=_by(tx, rounds.c.state, *(state.value for state in State)),
        awards=int(tx.scalar(select(func.count()).select_from(awards)) or 0),
        chats=int(tx.scalar(select(func.count()).select_from(chats)) or 0),
        players=int(tx.scalar(select(func.count()).select_from(players)) or 0),
    )


def _by(tx: Tx, state: "Column[str]", *known: str) -> dict[str, int]:
    counted = {row[0]: row[1] for row in tx.execute(select(state, func.count()).group_by(state))}
    return dict.fromkeys(known, 0) | counted
