"""Storms and streaks in the database."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import case, func, insert, select, union, update

from bot.database import Tx
from bot.database.schema import FORGOTTEN_PLAYER, run_hands, runs, tallies
from bot.modes.runs.rules import Bests, Run, get_day_start, get_week_start
from bot.rounds.puzzle import DealtPuzzle, Kind
from bot.rounds.registry import pack_dealt_puzzle, unpack_dealt_puzzle


@dataclass(frozen=True, slots=True)
class RunHand:
    """The place of a round in its run."""

    run: Run
    number: int  # From 1
    latest_round_id: int  # The run's last hand so far


def insert_run(tx: Tx, new: Run, game: str, hands: Sequence[DealtPuzzle]) -> int:
    """Store a run with all its hands, and return its id."""
    row = {
        "player_id": new.player_id,
        "mode": new.kind.value,
        "group_id": new.group_id,
        "hands": json.dumps([pack_dealt_puzzle(game, dealt) for dealt in hands]),
        "opened": new.opened,
    }
    (run_id,) = tx.execute(insert(runs), row).inserted_primary_key or (0,)  # never empty
    return int(run_id)


def insert_run_hand(tx: Tx, run_id: int, round_id: int, number: int) -> None:
    tx.execute(insert(run_hands), {"run_id": run_id, "round_id": round_id, "number": number})


def load_run_hand(tx: Tx, round_id: int) -> RunHand | None:
    """Load the place of a round in its run; None if it is in none."""
    in_run = select(*RUN_COLUMNS, run_hands.c.number).join(run_hands, run_hands.c.run_id == runs.c.id)
    row = tx.execute(in_run.where(run_hands.c.round_id == round_id)).first()
    if row is None:
        return None
    latest = select(func.max(run_hands.c.round_id)).where(run_hands.c.run_id == row.id)
    return RunHand(_read_run(row), row.number, int(tx.scalar(latest) or round_id))


RUN_COLUMNS = [column for column in runs.c if column.name != "hands"]  # Long, and not needed here


def _read_run(row: Any) -> Run:
    return Run(row.id, row.player_id, Kind(row.mode), row.opened, row.group_id, row.score, row.in_a_row)


def update_run(tx: Tx, run: Run) -> None:
    tx.execute(update(runs).where(runs.c.id == run.id).values(score=run.score, in_a_row=run.in_a_row))


def load_hands(tx: Tx, run_id: int, after: int, count: int) -> list[tuple[str, DealtPuzzle]]:
    """Load up to `count` hands of a run that follow the one with the number `after`, each with its game."""
    stored = json.loads(tx.scalar(select(runs.c.hands).where(runs.c.id == run_id)) or "[]")
    return [unpack_dealt_puzzle(packed) for packed in stored[after : after + count]]


def load_bests(tx: Tx, player_id: int, kind: Kind, now: float) -> Bests:
    """Load a player's highest scores of today, this week and ever; 0 for none."""
    score, opened = runs.c.score, runs.c.opened
    times = (get_day_start(now), get_week_start(now))
    best = [func.max(case((opened >= since, score), else_=0)) for since in times]
    is_own = (runs.c.player_id == player_id, runs.c.mode == kind.value)
    row = tx.execute(select(*best, func.max(score)).where(*is_own)).one()
    return Bests(*(each or 0 for each in row))


def load_week_table(tx: Tx, group_id: int, kind: Kind, now: float) -> dict[int, int]:
    """Load this week's highest score by player, of those who have played in the group or came from it."""
    members = select(tallies.c.player_id).where(tallies.c.chat_id == group_id)
    followers = select(runs.c.player_id).where(runs.c.group_id == group_id)
    is_listed = runs.c.player_id.in_(union(members, followers))
    this_week = (runs.c.mode == kind.value, runs.c.opened >= get_week_start(now), runs.c.score > 0)
    best = select(runs.c.player_id, func.max(runs.c.score).label("score")).group_by(runs.c.player_id)
    rows = tx.execute(best.where(*this_week, is_listed, runs.c.player_id > FORGOTTEN_PLAYER))
    return {row.player_id: row.score for row in rows}


def delete_hands(tx: Tx, run_id: int) -> None:
    """Delete the list of the hands of a run that is over; those that were played are rounds."""
    tx.execute(update(runs).where(runs.c.id == run_id).values(hands="[]"))
