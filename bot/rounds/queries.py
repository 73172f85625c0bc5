"""Load and change rounds in the database.

Whoever closes a round changes its row on the condition that it is open: so it ends once, whatever races.
"""

import json
import logging
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Row,
    Select,
    and_,
    bindparam,
    case,
    exists,
    func,
    literal,
    literal_column,
    or_,
    select,
    text,
    update,
)

from bot import metrics
from bot.database import Tx, build_insert_if_new, call_after_commit, delete_batch, describe_error
from bot.database.schema import HAS_KNOWN_PICTURE, Seconds, awards, equals_any, lost_messages, outbox, rounds
from bot.durations import DAY, HOUR, MINUTE
from bot.queue import photos
from bot.queue.rendering import UNKNOWN_CONTENT
from bot.rounds import chains
from bot.rounds.mode import end_race, find_mode
from bot.rounds.puzzle import RUN_KINDS, Find, Kind, Origin
from bot.rounds.registry import GAMES, pack_puzzle, unpack_puzzle
from bot.rounds.rules import CLOCK_STEP, FINE_CLOCK_LIMIT, MAX_ROUND_SECONDS, Round, State

log = logging.getLogger(__name__)

EARLY_ROUNDS = 3  # Of a chat, in which the task is explained in full
MAX_NEW_MESSAGES = 3  # That replace deleted ones of an open round; at its end one more
PICTURE_LIFETIME = 1.0 * DAY  # Seconds after a round's end; its picture may show a winner's name

UNRECORDED_KINDS = (Kind.PRACTICE.value, Kind.CONTEST.value, *RUN_KINDS)  # Never counted as rounds won
# Times of different games can't be compared
IN_DEFAULT_GAME = awards.c.game == bindparam("default_game", callable_=lambda: GAMES.default.key)
# An award for a right answer, not for the nearest entry or the card of a contest
IS_RIGHT_ANSWER = ~equals_any(awards.c.kind, Kind.BEST.value, Kind.CONTEST.value)


def is_in_state(state: State) -> ColumnElement[bool]:
    """Return the condition that a round is in that state."""
    # A literal: databases use a partial index only where they see its condition when planning.
    return rounds.c.state == literal_column(f"'{state.value}'")


OPEN = is_in_state(State.OPEN)
RUNNING = is_in_state(State.RUNNING)
ON_TABLE = rounds.c.kind != Kind.CONTEST.value  # Contests lie beside the table


# Rows

VERSION = 1  # Of the stored game state; rows from before have none
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
        "options": new.options,
        "state": new.state.value,
        "message_id": new.message_id,
        **(_make_origin_columns(new.origin) if new.origin else {}),
    }


def _make_origin_columns(origin: Origin) -> dict[str, int]:
    return {
        "chain_id": origin.chain_id,
        "link": origin.link,
        "asked_by": origin.message_id,
        "ordinal": origin.ordinal,
    }


def pack_game_state(round: Round) -> str:
    """Return the hints shown, the first deadline, the awaited race and duel and the votes needed as JSON."""
    state = {
        "v": VERSION,
        "hints": round.hints_shown,
        "until": round.first_deadline,
        "race": round.awaited_race,
        "duel": round.awaited_duel,
        "votes": round.votes_needed,
        "stops": round.stop_votes_needed,
    }
    return json.dumps({key: value for key, value in state.items() if value})


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
    if game_state.get("v", VERSION) != VERSION:
        raise ValueError("its standing is of another version")
    return Round(
        id=row.id,
        **{name: getattr(row, name) for name in (*DEAL_COLUMNS, *END_COLUMNS)},
        kind=Kind(row.kind),
        game=row.game,
        puzzle=unpack_puzzle(row.game, row.puzzle, row.level, row.expected),
        hints_shown=int(game_state.get("hints", 0)),
        first_deadline=game_state.get("until"),
        awaited_race=game_state.get("race", ""),
        awaited_duel=game_state.get("duel", 0),
        votes_needed=game_state.get("votes", 0),
        stop_votes_needed=game_state.get("stops", 0),
        options=row.options,
        state=State(row.state),
        message_id=row.message_id,
        answer=row.expression,
        day_first=bool(row.day_first),
        was_displayed=row.shown > 0,  # the time of the last drawing; 0 for never
        origin=Origin(row.chain_id, row.link, row.asked_by, row.ordinal) if row.chain_id else None,
    )


# Rounds

# The statements for most answers are built once: building one takes longer than executing it.
BY_ID = select(rounds).where(rounds.c.id == bindparam("this"))
OPEN_ROUND = select(rounds).where(
    rounds.c.chat_id == bindparam("chat"), rounds.c.topic == bindparam("topic"), OPEN
)


def select_rounds(*conditions: ColumnElement[bool]) -> Select[Any]:
    """Build a SELECT of rounds in the order of their ids."""
    return select(rounds).where(*conditions).order_by(rounds.c.id)


def load_rounds(tx: Tx, query: Select[Any], **parameters: Any) -> list[Round]:
    """Return the rounds that a SELECT finds, without those that can't be read."""
    found = [read_round(row) for row in tx.execute(query, parameters)]
    return [round for round in found if round is not None]


def _load_latest(tx: Tx, *conditions: ColumnElement[bool]) -> Round | None:
    """Return the round dealt last that meets the conditions; None if there is none or it can't be read."""
    latest = select(rounds).where(*conditions).order_by(rounds.c.id.desc()).limit(1)
    return read_round(tx.execute(latest).first())


def update_round(tx: Tx, round_id: int, *conditions: ColumnElement[bool], **columns: Any) -> bool:
    """Write columns of the round if it meets the conditions; return whether it does."""
    change = update(rounds).where(rounds.c.id == round_id, *conditions).values(columns)
    return tx.execute(change).rowcount == 1


def open_round(tx: Tx, new: Round) -> Round | None:
    """Store a new round and return it with its id; None if its chat and topic have an open one.

    An open one that can't be read is closed first. A contest neither prevents a round nor is prevented.
    """
    # A unique index allows one open round in a chat and topic: against it nothing is inserted.
    insert = build_insert_if_new(tx.dialect.name, rounds).values(make_row(new)).returning(rounds.c.id)
    round_id = tx.scalar(insert)
    if round_id is None:
        blocking = tx.execute(OPEN_ROUND, {"chat": new.chat_id, "topic": new.topic}).first()
        if blocking is None or not close_if_unreadable(tx, blocking.id, new.opened):
            return None
        round_id = tx.scalar(insert)
    if round_id is None:
        return None
    if new.origin is not None:
        chains.record_use(tx, new.origin)
    return replace(new, id=round_id)


def close_if_unreadable(tx: Tx, round_id: int, now: float) -> bool:
    """End the round and its race if it is open or running and can't be read; return whether that was so."""
    # Nobody can play such a round, and an open one would prevent every other deal in its chat.
    row = tx.execute(BY_ID.where(or_(OPEN, RUNNING)), {"this": round_id}).first()
    if row is None or read_round(row) is not None:
        return False
    log.warning("round %s is set aside", row.id)
    _end_without_awards(tx, row, State.SKIPPED, now)
    return True


def force_expire(tx: Tx, round_id: int, now: float) -> Row[Any] | None:
    """End an open or running round without awards, and its race, and return its row; None if it is over."""
    row = tx.execute(BY_ID.where(or_(OPEN, RUNNING)), {"this": round_id}).first()
    if row is not None:
        _end_without_awards(tx, row, State.EXPIRED, now)
    return row


def _end_without_awards(tx: Tx, row: Row[Any], state: State, now: float) -> None:
    """End the round of the row with the final state `state`, or *over* for a contest, and end its race."""
    state = State.OVER if row.kind == Kind.CONTEST.value else state
    update_round(tx, row.id, state=state.value, closed=now)
    if row.race_id is not None:
        end_race(tx, row.race_id)


def load_open_round(tx: Tx, chat_id: int, topic: int) -> Round | None:
    """Return the open round of a chat and topic; None if there is none or it can't be read."""
    return read_round(tx.execute(OPEN_ROUND, {"chat": chat_id, "topic": topic}).first())


def load_open_rounds_in_chat(tx: Tx, chat_id: int) -> list[Round]:
    return load_rounds(tx, select_rounds(rounds.c.chat_id == chat_id, OPEN))


def load_latest_round(tx: Tx, chat_id: int, topic: int) -> Round | None:
    """Return the round that was dealt last in a chat and topic, contests aside; None if there is none."""
    return _load_latest(tx, rounds.c.chat_id == chat_id, rounds.c.topic == topic, ON_TABLE)


def load_round(tx: Tx, round_id: int) -> Round | None:
    """Return the round with that id; None if it does not exist or can't be read."""
    return read_round(tx.execute(BY_ID, {"this": round_id}).first())


def load_previous_scored_round(tx: Tx, round: Round) -> Round | None:
    """Return the chat's last ended round of the kind *first* before this one; None if there is none."""
    is_before = (rounds.c.chat_id == round.chat_id, rounds.c.id < round.id, ~OPEN)
    return _load_latest(tx, *is_before, rounds.c.kind == Kind.FIRST.value)


def load_previous_round(tx: Tx, round: Round) -> Round | None:
    """Return the ended round before this one in the same chat and topic; None if there is none."""
    is_before = (rounds.c.chat_id == round.chat_id, rounds.c.id < round.id, ~OPEN)
    return _load_latest(tx, *is_before, rounds.c.topic == round.topic, ON_TABLE)


# Kinds of single hands, dealt one by one
SINGLE_KINDS = (Kind.FIRST, Kind.ALL, Kind.BEST, Kind.CHOSEN, Kind.PRACTICE)
SITTING_PAUSE = 30 * MINUTE  # A longer one between two hands ends a sitting
MAX_SITTING = 100  # Hands


def load_sitting(tx: Tx, last: Round, limit: int = MAX_SITTING) -> list[Round]:
    """Return the single hands of a sitting in a chat and topic up to this round, the earliest first."""
    is_single = (
        rounds.c.race_id.is_(None),
        equals_any(rounds.c.kind, *(kind.value for kind in SINGLE_KINDS)),
    )
    is_before = (rounds.c.chat_id == last.chat_id, rounds.c.topic == last.topic, rounds.c.id <= last.id)
    latest = select(rounds).where(*is_before, *is_single).order_by(rounds.c.id.desc()).limit(limit)
    sitting: list[Round] = []
    for round in load_rounds(tx, latest):
        if sitting and sitting[0].opened - (round.closed or round.opened) > SITTING_PAUSE:
            break
        sitting.insert(0, round)
    return sitting


def load_opening_times(tx: Tx, chat_id: int, since: float, limit: int) -> list[float]:
    """Return when the chat's last `limit` rounds were dealt, without times outside the hour after `since`."""
    opened = select(rounds.c.opened).where(rounds.c.chat_id == chat_id).order_by(rounds.c.id.desc())
    return [float(at) for at in tx.scalars(opened.limit(limit)) if since < at <= since + HOUR]


def load_verifiable_rounds(tx: Tx, chat_id: int, chain_id: int) -> list[Round]:
    """Return the rounds of a chat that were dealt from links of a chain which may be shown."""
    return load_rounds(tx, select_rounds(*_is_verifiable(tx, chat_id, chain_id)))


def load_last_verifiable_round(tx: Tx, chat_id: int, chain_id: int) -> Round | None:
    """Return the last round of a chat and chain whose link may be shown; None if there is none."""
    return _load_latest(tx, *_is_verifiable(tx, chat_id, chain_id))


def is_verifiable(tx: Tx, round: Round) -> bool:
    """Whether the round was dealt from a link that may be shown."""
    if round.origin is None:
        return False
    condition = (rounds.c.id == round.id, *_is_verifiable(tx, round.chat_id, round.origin.chain_id))
    return tx.execute(select(rounds.c.id).where(*condition)).first() is not None


def _is_verifiable(tx: Tx, chat_id: int, chain_id: int) -> tuple[ColumnElement[bool], ...]:
    """Return the condition that no round is live which was dealt from the same link or an earlier one."""
    # A link gives away all before it, and so what a race or a contest has yet to show
    in_chain = (rounds.c.chat_id == chat_id, rounds.c.chain_id == chain_id)
    live = select(func.min(rounds.c.link)).where(*in_chain, or_(OPEN, RUNNING))
    first_secret_link = tx.scalar(live)
    if first_secret_link is None:
        return in_chain
    return (*in_chain, rounds.c.link < first_secret_link)


def update_game_state(tx: Tx, round: Round) -> None:
    """Write the deadline and the game state, which counts the hints shown; only while the round is open."""
    if find_mode(round).update_round(tx, round) is None:
        update_round(tx, round.id, OPEN, deadline=round.deadline, standing=pack_game_state(round))


def close_round(tx: Tx, closed: Round) -> bool:
    """Write the end of a round and count it in the metrics; False if another transaction ended it first."""
    is_changed_by_mode = find_mode(closed).update_round(tx, closed)
    if is_changed_by_mode is not None:
        return is_changed_by_mode
    is_closed = update_round(
        tx,
        closed.id,
        OPEN,
        state=closed.state.value,
        closed=closed.closed,
        winner_id=closed.winner_id,
        expression=closed.answer,
        streak=closed.streak,
        day_first=int(closed.day_first),
    )
    if is_closed:
        call_after_commit(tx, metrics.ROUNDS_ENDED.labels(closed.game, closed.state.value).inc)
    return is_closed


def delete_old_rounds(tx: Tx, before: float) -> bool:
    """Delete some rounds that ended before then, but not their awards; return whether there may be more."""
    return delete_batch(tx, rounds, rounds.c.closed < before)


def load_finds(tx: Tx, round_id: int) -> list[Find]:
    """Return the answers of a round that earned something, in order."""
    found = tx.execute(select(awards).where(awards.c.round_id == round_id).order_by(awards.c.id))
    return [Find(row.player_id, row.expression, row.idea, row.points) for row in found]


# Races


def is_early(tx: Tx, round: Round) -> bool:
    """Whether the round is among the first `EARLY_ROUNDS` that are stored of its chat."""
    first = select(rounds.c.id).where(rounds.c.chat_id == round.chat_id).order_by(rounds.c.id)
    return round.id in tx.scalars(first.limit(EARLY_ROUNDS)).all()


def load_race_rounds(tx: Tx, race_id: int) -> list[Round]:
    """Return the rounds of a race in the order of play."""
    return load_rounds(tx, select_rounds(rounds.c.race_id == race_id))


# Messages


def load_round_of_message(tx: Tx, chat_id: int, message_id: int) -> Round | None:
    """Return the round that the message shows or once showed; of a race, the hand that it showed last.

    None if there is none, and for a contest: nothing is answered to its message.
    """
    round_id = _load_round_id_of_lost_message(tx, chat_id, message_id)
    if round_id is not None:
        found = load_round(tx, round_id)
    else:
        found = _load_latest(tx, rounds.c.chat_id == chat_id, rounds.c.message_id == message_id)
    return None if found is None or found.kind is Kind.CONTEST else found


def was_shown_in_message(tx: Tx, round: Round, message_id: int) -> bool:
    """Whether the message shows the round, or did until it was deleted."""
    if message_id == round.message_id:
        return True
    return _load_round_id_of_lost_message(tx, round.chat_id, message_id) == round.id


def _load_round_id_of_lost_message(tx: Tx, chat_id: int, message_id: int) -> int | None:
    is_message = (lost_messages.c.chat_id == chat_id, lost_messages.c.message_id == message_id)
    return tx.scalar(select(lost_messages.c.round_id).where(*is_message))


def record_lost_message(tx: Tx, chat_id: int, message_id: int, *, clock_only: bool) -> bool:
    """Detach the deleted or uneditable message from its round; return whether to show the round again, in a
    new message or in the one that it has by now.

    `clock_only`: the failed edit changed nothing but the time left. An admin may not want the message, so a
    round, or a whole race, gets at most `MAX_NEW_MESSAGES` new ones, one more at its end, and only one for
    the clock. Beyond that nothing is recorded, and the round is not shown again.
    """
    round = _load_latest(tx, rounds.c.chat_id == chat_id, rounds.c.message_id == message_id)
    if round is None:
        # It was detached before, as by an earlier edit that failed: no new message to count. The round is
        # rendered anew at its turn, for the message that it has then.
        return True
    if _count_lost_messages(tx, round) >= _get_lost_message_limit(round, clock_only=clock_only):
        return False
    row = {"chat_id": chat_id, "message_id": message_id, "round_id": round.id}
    tx.execute(build_insert_if_new(tx.dialect.name, lost_messages), row)
    update_round(tx, round.id, message_id=None)
    return True


def _get_lost_message_limit(round: Round, *, clock_only: bool) -> int:
    if clock_only:
        return 1
    if round.state in (State.OPEN, State.RUNNING):
        return MAX_NEW_MESSAGES
    return MAX_NEW_MESSAGES + 1  # one more, to show the end


def _count_lost_messages(tx: Tx, round: Round) -> int:
    """Return how many messages the round, or its whole race, has lost."""
    is_same = rounds.c.id == round.id if round.race_id is None else rounds.c.race_id == round.race_id
    lost = select(func.count(lost_messages.c.round_id)).join(rounds, rounds.c.id == lost_messages.c.round_id)
    return tx.scalar(lost.where(is_same)) or 0


def record_deal_message(
    tx: Tx, round_id: int, message_id: int, delivered_at: float, first_sent_at: float | None = None
) -> None:
    """Record the message of a round that has none; if it is the round's first, start the clock.

    The deadline is counted from `delivered_at`. An earlier copy may have been read from `first_sent_at` on,
    so the round counts as opened then: solutions shown to a player since count against them.
    """
    opened_at = delivered_at if first_sent_at is None else min(delivered_at, first_sent_at)
    is_first = and_(rounds.c.shown == 0, OPEN)  # never displayed before
    delayed_deadline = rounds.c.deadline + (literal(delivered_at, Seconds) - rounds.c.opened)
    values = {
        "message_id": message_id,
        "shown": delivered_at,
        "opened": case((is_first, literal(opened_at, Seconds)), else_=rounds.c.opened),
        "deadline": case((is_first, delayed_deadline), else_=rounds.c.deadline),
    }
    update_round(tx, round_id, rounds.c.message_id.is_(None), **values)


def record_first_display(tx: Tx, round_id: int, at: float) -> None:
    """Record when a race's hand first appeared in the race's message; do nothing if that is recorded."""
    update_round(tx, round_id, rounds.c.shown == 0, shown=at)


def record_redraw(tx: Tx, round_id: int, at: float) -> None:
    """Record when the message of a round was last drawn."""
    update_round(tx, round_id, shown=at)


# Pictures


def load_shown_picture(tx: Tx, chat_id: int, message_id: int | None) -> str:
    """Return the name of the picture that a message shows; empty for a text and for no message."""
    if message_id is None:
        return ""
    in_message = (rounds.c.chat_id == chat_id, rounds.c.message_id == message_id)
    shown = select(rounds.c.picture).where(*in_message, rounds.c.picture.is_not(None))
    return tx.scalar(shown.order_by(rounds.c.id.desc()).limit(1)) or ""


def update_shown_picture(tx: Tx, round_id: int, message_id: int, picture: str | None) -> None:
    """Record the name of the picture that the round's present message shows; None for a text."""
    update_round(tx, round_id, rounds.c.message_id == message_id, picture=picture)


def forget_old_pictures(tx: Tx, now: float) -> None:
    """Forget what the photos of old rounds show, and the file ids of old uploads."""
    old = update(rounds).where(text(HAS_KNOWN_PICTURE), rounds.c.closed < now - PICTURE_LIFETIME)
    tx.execute(old.values(picture=UNKNOWN_CONTENT))
    photos.delete_expired_uploads(tx, now)


# Deadlines


@dataclass(frozen=True, slots=True)
class RoundClock:
    """The times of an open round or a running contest."""

    round_id: int
    chat_id: int
    deadline: float
    drawn_at: float  # When its message was last drawn; 0 for never
    is_contest: bool = False


# The columns are in the order of the fields of `RoundClock`.
CLOCKS = select(
    rounds.c.id, rounds.c.chat_id, rounds.c.deadline, rounds.c.shown, rounds.c.kind == Kind.CONTEST.value
)
HAS_MESSAGE = rounds.c.message_id.is_not(None)
MAX_CLOCKS = 200  # Looked at in one go


def load_due_clocks(tx: Tx, now: float) -> list[RoundClock]:
    """Return the open and running rounds whose deadline has passed, without those still to be sent.

    An impossible deadline, written by a wrong clock, counts as passed now.
    """
    is_deal_waiting = exists().where(outbox.c.lane == rounds.c.chat_id, outbox.c.state == "waiting")
    is_due = or_(rounds.c.deadline < now, rounds.c.deadline > now + MAX_ROUND_SECONDS)
    due = CLOCKS.where(or_(OPEN, RUNNING), is_due, or_(HAS_MESSAGE, ~is_deal_waiting))
    clocks = [RoundClock(*row) for row in tx.execute(due.order_by(rounds.c.deadline))]
    # A deadline after `now` here is an impossible one.
    return [replace(clock, deadline=min(clock.deadline, now)) for clock in clocks]


def load_next_deadline(tx: Tx, after: float) -> float | None:
    """Return the earliest deadline of an open round later than `after`; None if there is none."""
    earliest = select(func.min(rounds.c.deadline)).where(OPEN, rounds.c.deadline > after)
    deadline: float | None = tx.scalar(earliest)
    return deadline


def load_running_clocks(tx: Tx, now: float) -> list[RoundClock]:
    """Return up to `MAX_CLOCKS` open rounds whose message may show an outdated time left, the next due first.

    A streak's message shows none.
    """
    running = CLOCKS.where(
        OPEN,
        rounds.c.kind != Kind.STREAK.value,
        HAS_MESSAGE,
        rounds.c.shown <= now - CLOCK_STEP,
        rounds.c.deadline > now,
        # Before the last two minutes a message shows whole minutes, so it is outdated a minute later at most.
        or_(rounds.c.deadline <= now + FINE_CLOCK_LIMIT, rounds.c.shown <= now - MINUTE),
    )
    return [RoundClock(*row) for row in tx.execute(running.order_by(rounds.c.deadline).limit(MAX_CLOCKS))]
