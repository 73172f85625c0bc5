"""What players tried in a round: wrong answers, what its message says of them, votes to skip."""

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

MAX_MISS_DISTANCE = 5.0  # How far from right a wrong answer is at most that is told as the nearest miss
ANONYMOUS_ID = 0  # Who wrote a note that has no name: an anonymous admin, a channel


@dataclass(frozen=True, slots=True)
class AnswerNote:
    """A player's wrong answers in a round."""

    player_id: int
    wrong_answers: int
    text: str  # What the deal's message says of them; empty if nothing


@dataclass(frozen=True, slots=True)
class NearMiss:
    """The wrong answer that came nearest in a round."""

    player_id: int
    answer: str
    value: Fraction


# Built once, since most answers need some of them and building takes longer than the database does

KEY = ["round_id", "player_id"]
ROUND, PLAYER, RACE = (bindparam(each, type_=BigInt) for each in ("round", "player", "race"))
HERE = tries.c.round_id == ROUND
OWN = (HERE, tries.c.player_id == PLAYER)
FIRST_MISS = select(tries.c.miss_off).where(*OWN)
MISSED = update(tries).where(*OWN, or_(tries.c.miss_off.is_(None), tries.c.miss_off > bindparam("off")))
BY_MISS = (
    select(tries)
    .where(HERE, tries.c.miss_off <= MAX_MISS_DISTANCE)
    .order_by(tries.c.miss_off, tries.c.player_id)
)
NEAREST = BY_MISS.limit(1)
TRIED = select(or_(*(exists().where(t.c.round_id == ROUND) for t in (awards, tries, entries))))
ANSWERED = (
    exists().where(awards.c.round_id == ROUND, awards.c.player_id != PLAYER),
    exists().where(HERE, tries.c.player_id != PLAYER, or_(tries.c.wrong > 0, tries.c.misread > 0)),
    exists().where(entries.c.round_id == ROUND, entries.c.player_id != PLAYER),
)
OTHERS_TRIED = select(or_(*ANSWERED))
NOTED = select(tries.c.note).where(*OWN, tries.c.note != "")
NOTES = select(tries).where(HERE, tries.c.note != "").order_by(tries.c.noted, tries.c.player_id)
LAST_NOTED = select(func.max(tries.c.noted)).where(HERE).scalar_subquery()
VOTERS = select(votes.c.player_id).where(votes.c.round_id == ROUND)
VOTES = select(func.count()).where(votes.c.round_id == ROUND)
STOPPERS = select(stops.c.player_id).where(stops.c.race_id == RACE)
STOPS = select(func.count()).where(stops.c.race_id == RACE)


@cache
def _counting(dialect: str, what: str) -> Any:
    """An INSERT of somebody's first message of that kind, which counts every later one; tells how many."""
    statement, more = build_insert_for(dialect, tries), {what: tries.c[what] + 1}
    return statement.on_conflict_do_update(index_elements=KEY, set_=more).returning(tries.c[what])


@cache
def _noting(dialect: str) -> Any:
    """An INSERT of a note below all others, in the place of the one that its author had."""
    statement = build_insert_for(dialect, tries).values(noted=func.coalesce(LAST_NOTED, 0) + 1)
    written = {name: statement.excluded[name] for name in ("note", "noted")}
    return statement.on_conflict_do_update(index_elements=KEY, set_=written)


def count_wrong_answer(tx: Tx, round_id: int, player_id: int) -> int:
    """Count a wrong answer; returns how many the player now has in the round."""
    return _counted(tx, "wrong", round_id, player_id)


def count_unreadable_answer(tx: Tx, round_id: int, player_id: int) -> int:
    """Count a message that can't be read as an answer; returns how many the player now has in the round."""
    return _counted(tx, "misread", round_id, player_id)


def count_late_answer(tx: Tx, round_id: int, player_id: int) -> int:
    """Count a right answer after the end; returns how many the player now has in the round."""
    return _counted(tx, "late", round_id, player_id)


def _counted(tx: Tx, what: str, round_id: int, player_id: int) -> int:
    tallies.count_answered_round(tx, round_id, player_id)
    row = {"round_id": round_id, "player_id": player_id, "wrong": 0, what: 1}
    return int(tx.scalar(_counting(tx.dialect.name, what), row) or 0)


def record_miss(tx: Tx, round: Round, miss: NearMiss, off: float) -> bool:
    """Remember a player's wrong answer, whose tries are counted already, if it is their nearest.

    Returns whether it is their first one with a value.
    """
    own = {"round": round.id, "player": miss.player_id}
    first = tx.scalar(FIRST_MISS, own) is None
    values = {"miss": miss.answer, "miss_value": str(miss.value), "miss_off": off}
    tx.execute(MISSED, own | {"off": off} | values)
    return first


def load_nearest_miss(tx: Tx, round_id: int) -> NearMiss | None:
    """The wrong answer, made of what was dealt, that came nearest, if one came within `NEAR`."""
    row = tx.execute(NEAREST, {"round": round_id}).first()
    return None if row is None else NearMiss(row.player_id, row.miss, Fraction(row.miss_value))


def has_any_attempt(tx: Tx, round_id: int) -> bool:
    """Whether anybody has answered in the round, right or wrong, or handed something in."""
    return bool(tx.scalar(TRIED, {"round": round_id}))


def has_attempt_by_others(tx: Tx, round_id: int, player_id: int) -> bool:
    """Whether anybody but that player has answered in the round so far."""
    return bool(tx.scalar(OTHERS_TRIED, {"round": round_id, "player": player_id}))


def set_note(tx: Tx, round_id: int, player_id: int, text: str) -> None:
    """Let the deal's message say `text` of a player's answer, below all other notes.

    A player has one note in a round. One that changes moves down, where people look for what is new.
    """
    row = {"round_id": round_id, "player_id": player_id, "wrong": 0, "note": text}
    tx.execute(_noting(tx.dialect.name), row | {"round": round_id})


def has_note(tx: Tx, round_id: int, player_id: int) -> bool:
    """Whether the deal's message says something of the player's answers."""
    return tx.execute(NOTED, {"round": round_id, "player": player_id}).first() is not None


def load_notes(tx: Tx, round_id: int) -> list[AnswerNote]:
    """What the deal's message says of wrong answers, in the order in which it was written."""
    rows = tx.execute(NOTES, {"round": round_id})
    return [AnswerNote(row.player_id, row.wrong, row.note) for row in rows]


def vote_to_skip(tx: Tx, round_id: int, player_id: int) -> int:
    """Count a person's vote to skip, once; returns how many voted."""
    tx.execute(build_insert_if_new(tx.dialect.name, votes), {"round_id": round_id, "player_id": player_id})
    return count_skip_votes(tx, round_id)


def load_skip_voters(tx: Tx, round_id: int) -> list[int]:
    """Who voted to skip."""
    return list(tx.scalars(VOTERS, {"round": round_id}))


def vote_to_stop(tx: Tx, race_id: int, player_id: int) -> int:
    """Count a person's vote to end a race, once; returns how many voted."""
    tx.execute(build_insert_if_new(tx.dialect.name, stops), {"race_id": race_id, "player_id": player_id})
    return count_stop_votes(tx, race_id)


def count_stop_votes(tx: Tx, race_id: int) -> int:
    """How many people want to end a race."""
    return int(tx.scalar(STOPS, {"race": race_id}) or 0)


def load_stop_voters(tx: Tx, race_id: int) -> list[int]:
    """Who voted to end a race."""
    return list(tx.scalars(STOPPERS, {"race": race_id}))


def count_skip_votes(tx: Tx, round_id: int) -> int:
    """How many people want to skip."""
    return int(tx.scalar(VOTES, {"round": round_id}) or 0)


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
