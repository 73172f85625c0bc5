"""Rounds: opened, answered, closed. Who closes one claims its row, so there is one winner whatever races."""

import json
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from sqlalchemy import Row, and_, func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from bot.round import FINE, MINUTE, TICK, Find, Kind, Round, State
from bot.schema import awards, inbox, rounds, tries, votes
from bot.store import Tx
from bot.store.mail import upsert


@dataclass(frozen=True, slots=True)
class Note:
    """A player's wrong answers in a round."""

    player_id: int
    wrong: int
    note: str
    """What the deal's message says of them; empty if nothing."""


@dataclass(frozen=True, slots=True)
class Miss:
    """The wrong answer that came nearest in a round."""

    player_id: int
    expression: str
    value: Fraction


@dataclass(frozen=True, slots=True)
class Clock:
    """An open round whose message shows the time left."""

    round_id: int
    chat_id: int
    deadline: float
    shown: float
    """When the message was last drawn."""


def open_round(tx: Tx, new: Round) -> Round | None:
    """Store a new round; None when its chat and topic already have a live one."""
    values = {
        "chat_id": new.chat_id,
        "topic": new.topic,
        "kind": new.kind.value,
        "numbers": " ".join(map(str, new.numbers)),
        "target": new.target,
        "level": new.level,
        "expected": new.expected,
        "ideas": json.dumps(new.ideas),
        "hint_values": json.dumps(new.hint_values),
        "state": State.OPEN.value,
        "dealer_id": new.dealer_id,
        "language": new.language,
        "race_id": new.race_id,
        "message_id": new.message_id,
        "asked_id": new.asked_id,
        "opened": new.opened,
        "deadline": new.deadline,
    }
    try:
        with tx.begin_nested():
            added = tx.execute(insert(rounds).values(values))
    except IntegrityError:
        return None
    (key,) = added.inserted_primary_key or (0,)
    return replace(new, id=int(key))


def live(tx: Tx, chat_id: int, topic: int) -> Round | None:
    """The open round of a chat and topic."""
    where = (rounds.c.chat_id == chat_id, rounds.c.topic == topic, rounds.c.state == State.OPEN.value)
    return _round(tx.execute(select(rounds).where(*where)).first())


def live_in_chat(tx: Tx, chat_id: int) -> list[Round]:
    """Every open round of a chat, whatever its topic."""
    where = (rounds.c.chat_id == chat_id, rounds.c.state == State.OPEN.value)
    return [r for row in tx.execute(select(rounds).where(*where)) if (r := _round(row))]


def latest(tx: Tx, chat_id: int, topic: int) -> Round | None:
    """The round that was opened last in a chat and topic."""
    found = select(rounds).where(rounds.c.chat_id == chat_id, rounds.c.topic == topic)
    return _round(tx.execute(found.order_by(rounds.c.id.desc()).limit(1)).first())


def by_id(tx: Tx, round_id: int) -> Round | None:
    """The round with that id."""
    return _round(tx.execute(select(rounds).where(rounds.c.id == round_id)).first())


def by_message(tx: Tx, chat_id: int, message_id: int) -> Round | None:
    """The round whose deal is that message; of a race, the hand that it showed last."""
    where = (rounds.c.chat_id == chat_id, rounds.c.message_id == message_id)
    return _round(tx.execute(select(rounds).where(*where).order_by(rounds.c.id.desc()).limit(1)).first())


def join_race(tx: Tx, round_id: int, race_id: int) -> None:
    """Make a round part of a race."""
    tx.execute(update(rounds).where(rounds.c.id == round_id).values(race_id=race_id))


def in_race(tx: Tx, race_id: int) -> list[Round]:
    """The rounds of a race in the order of play."""
    found = select(rounds).where(rounds.c.race_id == race_id).order_by(rounds.c.id)
    return [r for row in tx.execute(found) if (r := _round(row))]


def previous(tx: Tx, round: Round) -> Round | None:
    """The round with one winner that was over last in the chat before `round`."""
    over = (rounds.c.state != State.OPEN.value, rounds.c.kind == Kind.FIRST.value)
    before = (rounds.c.chat_id == round.chat_id, rounds.c.id < round.id)
    return _round(
        tx.execute(select(rounds).where(*before, *over).order_by(rounds.c.id.desc()).limit(1)).first()
    )


def opened_since(tx: Tx, chat_id: int, since: float, most: int) -> list[float]:
    """When the chat's latest rounds were opened, at most `most` of them, none before `since`."""
    latest = select(rounds.c.opened).where(rounds.c.chat_id == chat_id).order_by(rounds.c.id.desc())
    return [float(row.opened) for row in tx.execute(latest.limit(most)) if row.opened > since]


def finds(tx: Tx, round_id: int) -> list[Find]:
    """What was found in a round of the kind *all*, in order."""
    rows = tx.execute(select(awards).where(awards.c.round_id == round_id).order_by(awards.c.id))
    return [Find(row.player_id, row.expression, row.idea, row.points) for row in rows]


def first_of_the_day(tx: Tx, chat_id: int, now: float) -> bool:
    """Whether nobody has scored in the chat on the day of `now`, by UTC."""
    midnight = now - now % 86_400
    scored = select(awards.c.id).where(awards.c.chat_id == chat_id, awards.c.at >= midnight)
    return tx.execute(scored.limit(1)).first() is None


def close(tx: Tx, closed: Round) -> bool:
    """Write a round's end; False when another transaction ended it first."""
    claim = update(rounds).where(rounds.c.id == closed.id, rounds.c.state == State.OPEN.value)
    values = {
        "state": closed.state.value,
        "closed": closed.closed,
        "winner_id": closed.winner_id,
        "expression": closed.expression,
        "streak": closed.streak,
        "day_first": int(closed.day_first),
    }
    return tx.execute(claim.values(values)).rowcount == 1


def show_hints(tx: Tx, round: Round) -> None:
    """Write how many hints are shown."""
    tx.execute(update(rounds).where(rounds.c.id == round.id).values(hints=round.hints))


def dealt(tx: Tx, round_id: int, message_id: int, at: float) -> None:
    """The deal was delivered as that message, dated `at`: the clock of an untouched round starts there."""
    untouched = (rounds.c.id == round_id, rounds.c.message_id.is_(None), rounds.c.state == State.OPEN.value)
    late = at - rounds.c.opened
    tx.execute(update(rounds).where(*untouched).values(opened=at, deadline=rounds.c.deadline + late))
    delivered = update(rounds).where(rounds.c.id == round_id, rounds.c.message_id.is_(None))
    tx.execute(delivered.values(message_id=message_id, shown=at))


def shown(tx: Tx, round_id: int, at: float) -> None:
    """The deal's message was redrawn."""
    tx.execute(update(rounds).where(rounds.c.id == round_id).values(shown=at))


def due(tx: Tx, now: float) -> list[Round]:
    """Open rounds whose deadline is over."""
    where = (rounds.c.state == State.OPEN.value, rounds.c.deadline < now)
    found = select(rounds).where(*where).order_by(rounds.c.deadline).limit(200)
    return [r for row in tx.execute(found) if (r := _round(row))]


def next_deadline(tx: Tx) -> float | None:
    """The earliest deadline of an open round."""
    where = (rounds.c.state == State.OPEN.value, rounds.c.deadline.is_not(None))
    at = tx.scalar(select(func.min(rounds.c.deadline)).where(*where))
    return None if at is None else float(at)


def went_wrong(tx: Tx, round_id: int, player_id: int) -> int:
    """Count a wrong answer; returns how many the player now has in the round."""
    statement = upsert(tx, tries).values(round_id=round_id, player_id=player_id, wrong=1)
    more = {"wrong": tries.c.wrong + 1}
    tx.execute(statement.on_conflict_do_update(index_elements=["round_id", "player_id"], set_=more))
    where = (tries.c.round_id == round_id, tries.c.player_id == player_id)
    return int(tx.scalar(select(tries.c.wrong).where(*where)) or 0)


def came_late(tx: Tx, round_id: int, player_id: int) -> int:
    """Count a right answer after the end; returns how many the player now has in the round."""
    statement = upsert(tx, tries).values(round_id=round_id, player_id=player_id, wrong=0, late=1)
    more = {"late": tries.c.late + 1}
    tx.execute(statement.on_conflict_do_update(index_elements=["round_id", "player_id"], set_=more))
    where = (tries.c.round_id == round_id, tries.c.player_id == player_id)
    return int(tx.scalar(select(tries.c.late).where(*where)) or 0)


def missed(tx: Tx, round: Round, miss: Miss) -> None:
    """Remember a player's wrong answer, whose tries are counted already, if it is their nearest."""
    off = float(abs(miss.value - round.target))
    own = (tries.c.round_id == round.id, tries.c.player_id == miss.player_id)
    nearer = or_(tries.c.miss_off.is_(None), tries.c.miss_off > off)
    values = {"miss": miss.expression, "miss_value": str(miss.value), "miss_off": off}
    tx.execute(update(tries).where(*own, nearer).values(values))


def nearest_miss(tx: Tx, round_id: int) -> Miss | None:
    """The wrong answer on the dealt numbers that came nearest, if there was one."""
    where = (tries.c.round_id == round_id, tries.c.miss_off.is_not(None))
    found = select(tries).where(*where).order_by(tries.c.miss_off, tries.c.player_id).limit(1)
    row = tx.execute(found).first()
    return None if row is None else Miss(row.player_id, row.miss, Fraction(row.miss_value))


def tried(tx: Tx, round_id: int) -> bool:
    """Whether anybody has answered in the round, right or wrong."""
    right = select(awards.c.id).where(awards.c.round_id == round_id).limit(1)
    wrong = select(tries.c.player_id).where(tries.c.round_id == round_id).limit(1)
    return any(tx.execute(found).first() is not None for found in (right, wrong))


def clocks(tx: Tx, now: float) -> list[Clock]:
    """Open rounds whose message may show an old time left."""
    shown = and_(rounds.c.message_id.is_not(None), rounds.c.deadline > now, rounds.c.shown <= now - TICK)
    late = or_(rounds.c.deadline <= now + FINE, rounds.c.shown <= now - MINUTE)
    columns = (rounds.c.id, rounds.c.chat_id, rounds.c.deadline, rounds.c.shown)
    found = select(*columns).where(rounds.c.state == State.OPEN.value, shown, late).limit(200)
    return [Clock(*row) for row in tx.execute(found)]


def heard(tx: Tx, chat_id: int, since: float) -> int:
    """How many updates came out of a chat since then."""
    lately = (inbox.c.lane == chat_id, inbox.c.at > since)
    return int(tx.scalar(select(func.count()).where(inbox.c.state == "done", *lately)) or 0)


def note(tx: Tx, round_id: int, player_id: int, text: str) -> None:
    """Let the deal's message say `text` of a player's answer."""
    statement = upsert(tx, tries).values(round_id=round_id, player_id=player_id, wrong=0, note=text)
    conflict = ["round_id", "player_id"]
    tx.execute(statement.on_conflict_do_update(index_elements=conflict, set_={"note": text}))


def notes(tx: Tx, round_id: int) -> list[Note]:
    """What the deal's message says of wrong answers."""
    rows = tx.execute(select(tries).where(tries.c.round_id == round_id, tries.c.note != ""))
    return [Note(row.player_id, row.wrong, row.note) for row in rows]


def vote(tx: Tx, round_id: int, player_id: int) -> int:
    """Count a person's vote to skip, once; returns how many voted."""
    tx.execute(upsert(tx, votes).values(round_id=round_id, player_id=player_id).on_conflict_do_nothing())
    return vote_count(tx, round_id)


def vote_count(tx: Tx, round_id: int) -> int:
    """How many people want to skip."""
    return int(tx.scalar(select(func.count()).where(votes.c.round_id == round_id)) or 0)


def _round(row: Row[Any] | None) -> Round | None:
    if row is None:
        return None
    return Round(
        id=row.id,
        chat_id=row.chat_id,
        topic=row.topic,
        kind=Kind(row.kind),
        numbers=tuple(map(int, row.numbers.split())),
        target=row.target,
        level=row.level,
        expected=row.expected,
        ideas=tuple(json.loads(row.ideas)),
        hint_values=tuple(json.loads(row.hint_values)),
        dealer_id=row.dealer_id,
        opened=row.opened,
        deadline=row.deadline,
        state=State(row.state),
        language=row.language,
        hints=row.hints,
        race_id=row.race_id,
        asked_id=row.asked_id,
        message_id=row.message_id,
        closed=row.closed,
        winner_id=row.winner_id,
        expression=row.expression,
        streak=row.streak,
        day_first=bool(row.day_first),
    )
