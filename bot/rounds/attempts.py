"""Store what players send in a round besides right answers: wrong answers, entries, notes and votes."""

from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

from sqlalchemy import bindparam, delete, exists, func, or_, select, update

from bot.database import Tx, build_insert_for, build_insert_if_new
from bot.database.schema import BigInt, awards, entries, stops, tries, votes
from bot.rounds.puzzle import Entry, Kind
from bot.rounds.registry import GAMES
from bot.rounds.rules import Round, restore_deadline
from bot.standings import tallies

MAX_MISS_DISTANCE = 5.0  # From the right value, for the nearest miss at the end
ANONYMOUS_ID = 0  # The author of a note without a name: an anonymous admin or a channel


@dataclass(frozen=True, slots=True)
class AnswerNote:
    """The line about a player's wrong answers in the message of a round."""

    player_id: int
    wrong_answers: int
    text: str


@dataclass(frozen=True, slots=True)
class NearMiss:
    """The wrong answer that came nearest in a round."""

    player_id: int
    answer: str
    value: Fraction


# Statements for most answers are built once: building one takes longer than executing it.

KEY = ["round_id", "player_id"]
ROUND, PLAYER, RACE = (bindparam(each, type_=BigInt) for each in ("round", "player", "race"))
HERE = tries.c.round_id == ROUND
OWN = (HERE, tries.c.player_id == PLAYER)


@cache
def _insert_count(dialect: str, column: str) -> Any:
    """Build the INSERT that starts or raises a player's count in that column and returns it."""
    statement = build_insert_for(dialect, tries)
    more = {column: tries.c[column] + 1}
    return statement.on_conflict_do_update(index_elements=KEY, set_=more).returning(tries.c[column])


def count_wrong_answer(tx: Tx, round_id: int, player_id: int) -> int:
    """Count a wrong answer and return the player's count in the round."""
    return _count(tx, "wrong", round_id, player_id)


def count_unreadable_answer(tx: Tx, round_id: int, player_id: int) -> int:
    """Count an unreadable answer and return the player's count in the round."""
    return _count(tx, "misread", round_id, player_id)


def count_late_answer(tx: Tx, round_id: int, player_id: int) -> int:
    """Count a right answer after the end and return the player's count in the round."""
    return _count(tx, "late", round_id, player_id)


def _count(tx: Tx, column: str, round_id: int, player_id: int) -> int:
    tallies.count_answered_round(tx, round_id, player_id)
    row = {"round_id": round_id, "player_id": player_id, "wrong": 0, column: 1}
    return int(tx.scalar(_insert_count(tx.dialect.name, column), row) or 0)


FIRST_MISS = select(tries.c.miss_off).where(*OWN)
MISSED = update(tries).where(*OWN, or_(tries.c.miss_off.is_(None), tries.c.miss_off > bindparam("off")))


def record_miss(tx: Tx, round: Round, miss: NearMiss, distance: float) -> bool:
    """Store a wrong answer, counted before, if it is the player's nearest.

    Returns whether it is the player's first one with a value.
    """
    own = {"round": round.id, "player": miss.player_id}
    first = tx.scalar(FIRST_MISS, own) is None
    values = {"miss": miss.answer, "miss_value": str(miss.value), "miss_off": distance}
    tx.execute(MISSED, own | {"off": distance} | values)
    return first


IS_NEAR = tries.c.miss_off <= MAX_MISS_DISTANCE
NEAREST = select(tries).where(HERE, IS_NEAR).order_by(tries.c.miss_off, tries.c.player_id).limit(1)


def load_nearest_miss(tx: Tx, round_id: int) -> NearMiss | None:
    """Return the nearest wrong answer; None if none is within `MAX_MISS_DISTANCE`."""
    row = tx.execute(NEAREST, {"round": round_id}).first()
    return None if row is None else NearMiss(row.player_id, row.miss, Fraction(row.miss_value))


TRIED = select(or_(*(exists().where(t.c.round_id == ROUND) for t in (awards, tries, entries))))


def has_any_attempt(tx: Tx, round_id: int) -> bool:
    """Whether anybody has sent an answer in the round, right or wrong."""
    return bool(tx.scalar(TRIED, {"round": round_id}))


OTHERS_TRIED = select(
    or_(
        exists().where(awards.c.round_id == ROUND, awards.c.player_id != PLAYER),
        exists().where(HERE, tries.c.player_id != PLAYER, or_(tries.c.wrong > 0, tries.c.misread > 0)),
        exists().where(entries.c.round_id == ROUND, entries.c.player_id != PLAYER),
    )
)


def has_attempt_by_others(tx: Tx, round_id: int, player_id: int) -> bool:
    """Whether anybody but that player has sent an answer in the round."""
    return bool(tx.scalar(OTHERS_TRIED, {"round": round_id, "player": player_id}))


# Notes

LAST_NOTED = select(func.max(tries.c.noted)).where(HERE).scalar_subquery()
NOTED = select(tries.c.note).where(*OWN, tries.c.note != "")
NOTES = select(tries).where(HERE, tries.c.note != "").order_by(tries.c.noted, tries.c.player_id)


@cache
def _insert_note(dialect: str) -> Any:
    statement = build_insert_for(dialect, tries).values(noted=func.coalesce(LAST_NOTED, 0) + 1)
    written = {name: statement.excluded[name] for name in ("note", "noted")}
    return statement.on_conflict_do_update(index_elements=KEY, set_=written)


def set_note(tx: Tx, round_id: int, player_id: int, text: str) -> None:
    """Store the player's note below all other notes of the round, in place of an earlier one."""
    row = {"round_id": round_id, "player_id": player_id, "wrong": 0, "note": text}
    tx.execute(_insert_note(tx.dialect.name), row | {"round": round_id})


def has_note(tx: Tx, round_id: int, player_id: int) -> bool:
    return tx.execute(NOTED, {"round": round_id, "player": player_id}).first() is not None


def load_notes(tx: Tx, round_id: int) -> list[AnswerNote]:
    """Return the notes of a round in the order in which they were written."""
    rows = tx.execute(NOTES, {"round": round_id})
    return [AnswerNote(row.player_id, row.wrong, row.note) for row in rows]


# Votes

VOTES = select(func.count()).where(votes.c.round_id == ROUND)
STOPS = select(func.count()).where(stops.c.race_id == RACE)


def vote_to_skip(tx: Tx, round_id: int, player_id: int) -> int:
    """Count a player's vote to give the hand up, once, and return the number of votes."""
    tx.execute(build_insert_if_new(tx.dialect.name, votes), {"round_id": round_id, "player_id": player_id})
    return count_skip_votes(tx, round_id)


def count_skip_votes(tx: Tx, round_id: int) -> int:
    return int(tx.scalar(VOTES, {"round": round_id}) or 0)


def load_skip_voters(tx: Tx, round_id: int) -> list[int]:
    return list(tx.scalars(select(votes.c.player_id).where(votes.c.round_id == round_id)))


def vote_to_stop(tx: Tx, race_id: int, player_id: int) -> int:
    """Count a player's vote to end a race, once, and return the number of votes."""
    tx.execute(build_insert_if_new(tx.dialect.name, stops), {"race_id": race_id, "player_id": player_id})
    return count_stop_votes(tx, race_id)


def count_stop_votes(tx: Tx, race_id: int) -> int:
    return int(tx.scalar(STOPS, {"race": race_id}) or 0)


def load_stop_voters(tx: Tx, race_id: int) -> list[int]:
    return list(tx.scalars(select(stops.c.player_id).where(stops.c.race_id == race_id)))


# Entries of rounds of the kind *best*

OF_ROUND = entries.c.round_id == ROUND
LAST_HEARD = select(func.max(entries.c.heard)).where(OF_ROUND).scalar_subquery()
ENTRIES = select(entries).where(OF_ROUND).order_by(entries.c.at, entries.c.heard, entries.c.player_id)


@cache
def _insert_entry(dialect: str) -> Any:
    # `heard` orders entries of the same second: Telegram's dates are whole seconds.
    statement = build_insert_for(dialect, entries).values(heard=func.coalesce(LAST_HEARD, 0) + 1)
    row = {name: statement.excluded[name] for name in ("answer", "at", "heard")}
    newer = entries.c.at <= statement.excluded.at
    return statement.on_conflict_do_update(index_elements=KEY, set_=row, where=newer)


def store_entry(tx: Tx, round_id: int, entry: Entry) -> None:
    """Store a player's entry in place of an earlier one.

    One that was sent later stays: the answers of a player may arrive from two chats in another order.
    """
    tallies.count_answered_round(tx, round_id, entry.player_id)
    row = {"round_id": round_id, "player_id": entry.player_id, "answer": entry.answer, "at": entry.sent_at}
    tx.execute(_insert_entry(tx.dialect.name), row | {"round": round_id})


def load_entries(tx: Tx, round: Round) -> list[Entry]:
    """Return the last entry of each player, the earliest first, without those that can't be read."""
    read = [Entry(row.player_id, row.answer, row.at) for row in tx.execute(ENTRIES, {"round": round.id})]
    return [entry for entry in read if GAMES[round.game].is_valid_entry(entry.answer)]


def delete_entries(tx: Tx, round_id: int, players: Collection[int]) -> None:
    tx.execute(delete(entries).where(entries.c.round_id == round_id, entries.c.player_id.in_(players)))


def is_exact_answer(round: Round, answer: str) -> bool:
    """Whether the answer has the target itself, not only a value near it."""
    if round.kind is not Kind.BEST:
        return True
    alone = Entry(0, answer, 0.0)
    return GAMES[round.game].get_early_deadline(restore_deadline(round), [alone], 0.0) is not None


def format_entry(round: Round, answer: str) -> str:
    return GAMES[round.game].format_answer(round.puzzle, answer)
