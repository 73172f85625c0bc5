"""Store what players send in a round besides right answers: wrong answers, entries, notes and votes."""

from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from sqlalchemy import delete, exists, func, insert, or_, select, update

from bot.database import Tx, build_insert_for, build_insert_if_new, delete_batch
from bot.database.schema import awards, entries, stops, tries, votes, wrong_answers
from bot.durations import DAY
from bot.rounds import ledger
from bot.rounds.puzzle import Entry, Kind
from bot.rounds.registry import GAMES
from bot.rounds.rules import Round

MAX_WRONG_ANSWERS = 5  # Of a player and hand that are stored for the review
MAX_ANSWER_LENGTH = 100  # Characters of each
WRONG_ANSWER_LIFETIME = 30 * DAY
MAX_MISS_DISTANCE = 5.0  # From the right value, for the nearest miss at the end


@dataclass(frozen=True, slots=True)
class AnswerNote:
    """The line about a player's latest wrong answer or refused command in the message of a round."""

    player_id: int
    text: str  # An emoji, a space and a sentence


@dataclass(frozen=True, slots=True)
class NearMiss:
    """The wrong answer that came nearest in a round."""

    player_id: int
    answer: str
    value: Fraction


PRIMARY_KEY = ["round_id", "player_id"]


def count_answer(tx: Tx, round_id: int, player_id: int, column: Literal["wrong", "misread", "late"]) -> int:
    """Count a wrong, unreadable or late answer, and the round as one that the player answered.

    Return the player's answers of that sort in the round.
    """
    ledger.count_answered_round(tx, round_id, player_id)
    insert = build_insert_for(tx.dialect.name, tries)
    upsert = insert.on_conflict_do_update(index_elements=PRIMARY_KEY, set_={column: tries.c[column] + 1})
    # `wrong` has no default in the schema. Where it is the column to count, the later 1 replaces the 0.
    row = {"round_id": round_id, "player_id": player_id, "wrong": 0, column: 1}
    return int(tx.scalar(upsert.returning(tries.c[column]), row) or 0)


def record_miss(tx: Tx, round: Round, miss: NearMiss, distance: float) -> None:
    """Store a counted wrong answer if it is the player's nearest."""
    is_own = (tries.c.round_id == round.id, tries.c.player_id == miss.player_id)
    is_nearer = or_(tries.c.miss_off.is_(None), tries.c.miss_off > distance)
    values = {"miss": miss.answer, "miss_value": str(miss.value), "miss_off": distance}
    tx.execute(update(tries).where(*is_own, is_nearer).values(values))


def load_nearest_miss(tx: Tx, round_id: int) -> NearMiss | None:
    """Return the nearest wrong answer; None if none is within `MAX_MISS_DISTANCE`."""
    near = select(tries).where(tries.c.round_id == round_id, tries.c.miss_off <= MAX_MISS_DISTANCE)
    row = tx.execute(near.order_by(tries.c.miss_off, tries.c.player_id).limit(1)).first()
    return None if row is None else NearMiss(row.player_id, row.miss, Fraction(row.miss_value))


def record_wrong_answer(tx: Tx, round: Round, player_id: int, text: str, sent_at: float) -> None:
    """Store a wrong answer for the player's review of the hand; only the first few of each hand."""
    stored = load_wrong_answers(tx, player_id, [round.hand_key])
    if len(stored.get(round.hand_key, ())) < MAX_WRONG_ANSWERS:
        answer = text[:MAX_ANSWER_LENGTH]
        row = {"player_id": player_id, "hand": round.hand_key, "answer": answer, "at": sent_at}
        tx.execute(insert(wrong_answers), row)


def load_wrong_answers(tx: Tx, player_id: int, hand_keys: Collection[str]) -> dict[str, list[str]]:
    """Return the stored wrong answers of a player to these hands, by hand and in order."""
    is_own = (wrong_answers.c.player_id == player_id, wrong_answers.c.hand.in_(hand_keys))
    by_hand: dict[str, list[str]] = {}
    for row in tx.execute(select(wrong_answers).where(*is_own).order_by(wrong_answers.c.id)):
        by_hand.setdefault(row.hand, []).append(row.answer)
    return by_hand


def delete_old_wrong_answers(tx: Tx, now: float) -> bool:
    """Delete some wrong answers of long ago; return whether there may be more."""
    return delete_batch(tx, wrong_answers, wrong_answers.c.at < now - WRONG_ANSWER_LIFETIME)


def has_attempt(tx: Tx, round_id: int, *, except_player_id: int | None = None) -> bool:
    """Whether anybody, or anybody but that player, has sent an answer to the round; late ones don't count."""
    conditions = []
    for table in (awards, entries, tries):
        is_by_other = table.c.player_id.is_distinct_from(except_player_id)  # for None: by anybody
        has_answer = exists().where(table.c.round_id == round_id, is_by_other)
        if table is tries:  # it holds late answers and notes too
            has_answer = has_answer.where(or_(tries.c.wrong > 0, tries.c.misread > 0))
        conditions.append(has_answer)
    return bool(tx.scalar(select(or_(*conditions))))


def load_mistaken_players(tx: Tx, round_id: int) -> list[int]:
    """Return the players who have sent a wrong answer to the round."""
    is_wrong = (tries.c.round_id == round_id, tries.c.wrong > 0)
    return list(tx.scalars(select(tries.c.player_id).where(*is_wrong).order_by(tries.c.player_id)))


def load_late_players(tx: Tx, round: Round) -> list[int]:
    """Return the players whose right answer came after the end of the round; none where entries count."""
    if round.kind is Kind.BEST:  # they may have missed the target
        return []
    late = select(tries.c.player_id).where(tries.c.round_id == round.id, tries.c.late > 0)
    return list(tx.scalars(late.order_by(tries.c.player_id)))


# Notes


def set_note(tx: Tx, round_id: int, player_id: int, text: str) -> None:
    """Store the player's note below all other notes of the round, in place of an earlier one."""
    # `noted` is the place of the note among those of the round.
    last_place = select(func.max(tries.c.noted)).where(tries.c.round_id == round_id).scalar_subquery()
    insert = build_insert_for(tx.dialect.name, tries).values(noted=func.coalesce(last_place, 0) + 1)
    note = {name: insert.excluded[name] for name in ("note", "noted")}
    row = {"round_id": round_id, "player_id": player_id, "wrong": 0, "note": text}
    tx.execute(insert.values(row).on_conflict_do_update(index_elements=PRIMARY_KEY, set_=note))


def load_notes(tx: Tx, round_id: int) -> list[AnswerNote]:
    """Return the notes of a round in the order in which they were written."""
    noted = select(tries).where(tries.c.round_id == round_id, tries.c.note != "")
    rows = tx.execute(noted.order_by(tries.c.noted, tries.c.player_id))
    return [AnswerNote(row.player_id, row.note) for row in rows]


def delete_notes(tx: Tx, round_id: int, player_id: int | None = None) -> None:
    """Delete the notes of a round, or those of one player."""
    of_round = update(tries).where(tries.c.round_id == round_id).values(note="")
    tx.execute(of_round if player_id is None else of_round.where(tries.c.player_id == player_id))


# Votes


def vote_to_skip(tx: Tx, round_id: int, player_id: int) -> list[int]:
    """Count a player's vote to give the hand up, once, and return all voters."""
    tx.execute(build_insert_if_new(tx.dialect.name, votes), {"round_id": round_id, "player_id": player_id})
    return load_skip_voters(tx, round_id)


def load_skip_voters(tx: Tx, round_id: int) -> list[int]:
    return list(tx.scalars(select(votes.c.player_id).where(votes.c.round_id == round_id)))


def vote_to_stop(tx: Tx, race_id: int, player_id: int) -> list[int]:
    """Count a player's vote to end a race, once, and return all voters."""
    tx.execute(build_insert_if_new(tx.dialect.name, stops), {"race_id": race_id, "player_id": player_id})
    return load_stop_voters(tx, race_id)


def load_stop_voters(tx: Tx, race_id: int) -> list[int]:
    return list(tx.scalars(select(stops.c.player_id).where(stops.c.race_id == race_id)))


# Entries of rounds of the kind *best*


def store_entry(tx: Tx, round_id: int, entry: Entry) -> None:
    """Store a player's entry in place of an earlier one, and add the round to the player's tally.

    A stored entry that was sent later stays: answers from two chats may arrive in another order.
    """
    ledger.count_answered_round(tx, round_id, entry.player_id)
    # `heard` orders entries of the same second: Telegram's dates are whole seconds.
    last_place = select(func.max(entries.c.heard)).where(entries.c.round_id == round_id).scalar_subquery()
    insert = build_insert_for(tx.dialect.name, entries).values(heard=func.coalesce(last_place, 0) + 1)
    latest = {name: insert.excluded[name] for name in ("answer", "at", "heard")}
    is_newer = entries.c.at <= insert.excluded.at
    row = {"round_id": round_id, "player_id": entry.player_id, "answer": entry.answer, "at": entry.sent_at}
    tx.execute(
        insert.values(row).on_conflict_do_update(index_elements=PRIMARY_KEY, set_=latest, where=is_newer)
    )


def load_entries(tx: Tx, round: Round) -> list[Entry]:
    """Return the last entry of each player, the earliest first, without those that can't be read."""
    stored = select(entries).where(entries.c.round_id == round.id)
    rows = tx.execute(stored.order_by(entries.c.at, entries.c.heard, entries.c.player_id))
    last_entries = [Entry(row.player_id, row.answer, row.at) for row in rows]  # one row a player
    game_entries = GAMES[round.game].entries
    return [entry for entry in last_entries if not game_entries or game_entries.is_valid(entry.answer)]


def delete_entries(tx: Tx, round_id: int, players: Collection[int]) -> None:
    tx.execute(delete(entries).where(entries.c.round_id == round_id, entries.c.player_id.in_(players)))
