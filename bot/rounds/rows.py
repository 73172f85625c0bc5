"""Convert rounds to database rows and back."""

import json
import logging
from typing import Any

from sqlalchemy import ColumnElement, Row, literal_column

from bot.database import describe_error, parse_object
from bot.database.schema import rounds
from bot.rounds.puzzle import Kind
from bot.rounds.registry import pack_puzzle, unpack_puzzle
from bot.rounds.rules import Round, State

log = logging.getLogger(__name__)

VERSION = 1  # Of the stored game state; rows from before have none


def is_in_state(state: State) -> ColumnElement[bool]:
    """Return the condition that a round is in that state."""
    # A literal: databases use a partial index only where they see its condition when planning.
    return rounds.c.state == literal_column(f"'{state.value}'")


# Columns that are fields of a round under the same names
DEAL_COLUMNS = ("chat_id", "topic", "dealer_id", "language", "race_id", "asked_id", "opened", "deadline")
END_COLUMNS = ("closed", "winner_id", "streak")


def make_row(new: Round) -> dict[str, Any]:
    """Return the columns of a new round."""
    return {
        **{name: getattr(new, name) for name in DEAL_COLUMNS},
        **pack_puzzle(new.game, new.puzzle),
        "kind": new.kind.value,
        "line": new.line,
        "standing": pack_game_state(new),
        "options": json.dumps(new.options),
        "state": new.state.value,
        "message_id": new.message_id,
    }


def pack_game_state(round: Round) -> str:
    return json.dumps({"v": VERSION, **round.game_state})


def read_round(row: Row[Any] | None) -> Round | None:
    """Return the row as a round; None, with a warning in the log, if it can't be read."""
    if row is None:
        return None
    try:
        return _parse_row(row)
    except Exception as error:  # noqa: BLE001 - whatever its game raises
        log.warning("round %s can't be read: %s", row.id, describe_error(error))
        return None


def _parse_row(row: Row[Any]) -> Round:
    """Return the row as a round. Raises ValueError for an unknown version, or whatever its game raises."""
    game_state = json.loads(row.standing)
    version = game_state.pop("v", VERSION)
    if version != VERSION:
        raise ValueError("its standing is of another version")
    return Round(
        id=row.id,
        **{name: getattr(row, name) for name in (*DEAL_COLUMNS, *END_COLUMNS)},
        kind=Kind(row.kind),
        game=row.game,
        puzzle=unpack_puzzle(row.game, row.puzzle, row.level, row.expected),
        game_state=game_state,
        options=parse_object(row.options),
        state=State(row.state),
        message_id=row.message_id,
        answer=row.expression,
        day_first=bool(row.day_first),
        was_displayed=row.shown > 0,  # the time of the last drawing; 0 for never
    )
