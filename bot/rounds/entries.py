"""What players hand in, in rounds in which everybody may: the last entry of each counts."""

from collections.abc import Collection
from functools import cache
from typing import Any

from sqlalchemy import bindparam, delete, func, select

from bot.database import Tx, build_insert_for
from bot.database.schema import entries
from bot.rounds.known import GAMES
from bot.rounds.puzzle import Entry, Kind
from bot.rounds.rules import Round, restore_deadline
from bot.standings import tallies

OF_ROUND = entries.c.round_id == bindparam("round")
LAST_HEARD = select(func.max(entries.c.heard)).where(OF_ROUND).scalar_subquery()
HANDED_IN = select(entries).where(OF_ROUND).order_by(entries.c.at, entries.c.heard, entries.c.player_id)
WITHDRAW = delete(entries).where(OF_ROUND, entries.c.player_id.in_(bindparam("players", expanding=True)))


@cache
def _handing_in(dialect: str) -> Any:
    """An INSERT of what somebody hands in, in the place of what they sent before. Built once."""
    statement = build_insert_for(dialect, entries).values(heard=func.coalesce(LAST_HEARD, 0) + 1)
    row = {name: statement.excluded[name] for name in ("answer", "at", "heard")}
    newer = entries.c.at <= statement.excluded.at
    key = ["round_id", "player_id"]
    return statement.on_conflict_do_update(index_elements=key, set_=row, where=newer)


def store_entry(tx: Tx, round_id: int, entry: Entry) -> None:
    """Keep what a player handed in, in the place of what they sent before.

    What they sent later may have been heard of first, from another chat: then that stays.
    """
    tallies.count_answered_round(tx, round_id, entry.player_id)
    row = {"round_id": round_id, "player_id": entry.player_id, "answer": entry.answer, "at": entry.sent_at}
    # its place among the others is kept too: Telegram's dates are whole seconds
    tx.execute(_handing_in(tx.dialect.name), row | {"round": round_id})


def load_entries(tx: Tx, round: Round) -> list[Entry]:
    """The last entry of each player, the earliest first; one that can't be read costs only itself."""
    read = [Entry(row.player_id, row.answer, row.at) for row in tx.execute(HANDED_IN, {"round": round.id})]
    return [entry for entry in read if GAMES[round.game].is_valid_entry(entry.answer)]


def delete_entries(tx: Tx, round_id: int, players: Collection[int]) -> None:
    """What these players handed in counts no more."""
    tx.execute(WITHDRAW, {"round": round_id, "players": list(players)})


def is_exact_answer(round: Round, answer: str) -> bool:
    """Whether a right answer is all that can be wanted: one that is only near counts, and is not "right"."""
    if round.kind is not Kind.BEST:
        return True
    alone = Entry(0, answer, 0.0)
    return GAMES[round.game].get_early_deadline(restore_deadline(round), [alone], 0.0) is not None


def format_entry(round: Round, answer: str) -> str:
    """An entry as it is told."""
    return GAMES[round.game].format_answer(round.puzzle, answer)
