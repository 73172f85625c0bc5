"""Rounds: opened, answered, closed. Who closes one claims its row, so there is one winner whatever races."""

import json
import logging
import math
from collections.abc import Collection
from dataclasses import replace
from itertools import takewhile
from typing import Any

from sqlalchemy import ColumnElement, Row, and_, exists, func, select, update

from bot import metrics
from bot.database import Tx, cause, once_durable, read_object, upsert
from bot.database.schema import awards, lost_messages, races, rounds
from bot.games.duel import queries as duels
from bot.games.known import CONTESTS, packed, unpack
from bot.games.puzzle import Find, Kind
from bot.games.rounds.rules import Round, State

log = logging.getLogger(__name__)

VERSION = 1
"""Of how a round stands, as it is stored; rows of before say none."""
MOST_GIVEN_AWAY = 20
"""Hands given away one after the other that are remembered."""
ON_TABLE = rounds.c.kind != Kind.CONTEST.value
"""The condition that a round is or was on the table, and no contest beside it."""
UNPOSTED = func.coalesce(rounds.c.message_id, 0) <= 0
"""The condition that no message shows a round: none has such a number."""
MOST_POSTS = 3
"""New messages that an open round gets at most, one for each that was deleted; at its end one more."""

JUDGED_AT_END = [Kind.BEST.value, Kind.CONTEST.value]
RIGHT = and_(
    ~exists().where(rounds.c.id == awards.c.round_id, rounds.c.kind.in_(JUDGED_AT_END)),
    awards.c.kind.not_in(JUDGED_AT_END),
)
"""Of awards: those of right answers, not of what came nearest when time was up, nor of a contest's card."""


def open_round(tx: Tx, new: Round) -> Round | None:
    """Store a new round; None when its chat and topic already have a live one.

    A contest is in no other round's way, and none is in its.
    """
    values = {
        "chat_id": new.chat_id,
        "topic": new.topic,
        "kind": new.kind.value,
        "line": new.line,
        **packed(new.game, new.puzzle),
        "standing": _stands(new),
        "options": json.dumps(new.options),
        "state": new.state.value,
        "dealer_id": new.dealer_id,
        "language": new.language,
        "race_id": new.race_id,
        "message_id": new.message_id,
        "asked_id": new.asked_id,
        "opened": new.opened,
        "deadline": new.deadline,
    }
    key = _inserted(tx, values)
    here = (rounds.c.chat_id == new.chat_id, rounds.c.topic == new.topic)
    if key is None and set_aside(tx, new.opened, *here):
        key = _inserted(tx, values)
    return None if key is None else replace(new, id=key)


def _inserted(tx: Tx, values: dict[str, Any]) -> int | None:
    """The id of a new row; None where another one stands in its way."""
    key = tx.scalar(upsert(tx, rounds).values(values).on_conflict_do_nothing().returning(rounds.c.id))
    return None if key is None else int(key)


def set_aside(tx: Tx, now: float, *which: ColumnElement[bool]) -> int:
    """End the open rounds among `which` that can't be read, and the races they are of; returns how many.

    Nobody can play them, and while they are open no other hand can be dealt there.
    """
    found = tx.execute(select(rounds).where(rounds.c.state == State.OPEN.value, *which)).all()
    broken = [row for row in found if _round(row) is None]
    for row in broken:
        log.warning("round %s is set aside", row.id)
        tx.execute(update(rounds).where(rounds.c.id == row.id).values(state="skipped", closed=now))
        tx.execute(update(races).where(races.c.id == row.race_id).values(state="over"))
        if row.race_id is not None:
            duels.settle(tx, row.race_id)
    return len(broken)


def set_aside_these(tx: Tx, ids: Collection[int], now: float) -> int:
    """End those of them that can't be read; returns how many."""
    return set_aside(tx, now, rounds.c.id.in_(ids))


def live(tx: Tx, chat_id: int, topic: int) -> Round | None:
    """The open round of a chat and topic."""
    where = (rounds.c.chat_id == chat_id, rounds.c.topic == topic, rounds.c.state == State.OPEN.value)
    return _round(tx.execute(select(rounds).where(*where)).first())


def live_in_chat(tx: Tx, chat_id: int) -> list[Round]:
    """Every open round of a chat, whatever its topic."""
    return such(tx, rounds.c.chat_id == chat_id, rounds.c.state == State.OPEN.value)


def latest(tx: Tx, chat_id: int, topic: int) -> Round | None:
    """The round that was opened last on the table of a chat and topic."""
    return _latest(tx, rounds.c.chat_id == chat_id, rounds.c.topic == topic, ON_TABLE)


def by_id(tx: Tx, round_id: int) -> Round | None:
    """The round with that id."""
    return _round(tx.execute(select(rounds).where(rounds.c.id == round_id)).first())


def such(tx: Tx, *which: ColumnElement[bool]) -> list[Round]:
    """Every round of that description, in the order of their ids."""
    found = tx.execute(select(rounds).where(*which).order_by(rounds.c.id))
    return [round for row in found if (round := _round(row))]


def by_message(tx: Tx, chat_id: int, message_id: int) -> Round | None:
    """The round whose deal is, or was, that message; of a race, the hand that it showed last.

    None for the message of a contest: nothing is answered to it.
    """
    lost = _lost_by(tx, chat_id, message_id)
    found = by_id(tx, lost) if lost is not None else _shown_in(tx, chat_id, message_id)
    return None if found is None or found.kind is Kind.CONTEST else in_place_of(tx, found)


def _shown_in(tx: Tx, chat_id: int, message_id: int) -> Round | None:
    return _latest(tx, rounds.c.chat_id == chat_id, rounds.c.message_id == message_id)


def _latest(tx: Tx, *which: ColumnElement[bool]) -> Round | None:
    return _round(tx.execute(select(rounds).where(*which).order_by(rounds.c.id.desc()).limit(1)).first())


def _lost_by(tx: Tx, chat_id: int, message_id: int) -> int | None:
    here = (lost_messages.c.chat_id == chat_id, lost_messages.c.message_id == message_id)
    number = tx.scalar(select(lost_messages.c.round_id).where(*here))
    return None if number is None else int(number)


def was_shown_in(tx: Tx, round: Round, message_id: int) -> bool:
    """Whether that message shows the round's deal, or did until it was deleted."""
    return message_id == round.message_id or _lost_by(tx, round.chat_id, message_id) == round.id


def lose_message(tx: Tx, chat_id: int, message_id: int, *, unasked: bool) -> bool:
    """A deal's message was deleted or can't be changed any more; whether its round is to get a new one.

    `unasked`: nothing but the time left was to be shown. Somebody may not want the message, so a round (all
    hands of a race together) gets no more than MOST_POSTS new ones, and one unasked.
    """
    round = _shown_in(tx, chat_id, message_id)
    if round is None:
        return True  # it has another message by now
    most = 1 if unasked else MOST_POSTS + (round.state not in (State.OPEN, State.RUNNING))
    if _times_lost(tx, round) >= most:
        return False
    row = {"chat_id": chat_id, "message_id": message_id, "round_id": round.id}
    tx.execute(upsert(tx, lost_messages).values(row).on_conflict_do_nothing())
    tx.execute(update(rounds).where(rounds.c.id == round.id).values(message_id=None))
    return True


def _times_lost(tx: Tx, round: Round) -> int:
    same = rounds.c.id == round.id if round.race_id is None else rounds.c.race_id == round.race_id
    found = select(func.count(lost_messages.c.round_id)).join(rounds, rounds.c.id == lost_messages.c.round_id)
    return int(tx.scalar(found.where(same)) or 0)


def after(tx: Tx, round_id: int, most: int) -> list[tuple[int, Round | None]]:
    """The next rounds by id, with None for each that can't be read."""
    found = select(rounds).where(rounds.c.id > round_id).order_by(rounds.c.id).limit(most)
    return [(row.id, _round(row)) for row in tx.execute(found)]


def join_race(tx: Tx, round_id: int, race_id: int) -> None:
    """Make a round part of a race."""
    tx.execute(update(rounds).where(rounds.c.id == round_id).values(race_id=race_id))


def in_race(tx: Tx, race_id: int) -> list[Round]:
    """The rounds of a race in the order of play."""
    return such(tx, rounds.c.race_id == race_id)


def previous(tx: Tx, round: Round) -> Round | None:
    """The round with one winner that was over last in the chat before `round`."""
    ended = rounds.c.state.not_in([State.OPEN.value, State.GIVEN_AWAY.value])
    before = (rounds.c.chat_id == round.chat_id, rounds.c.id < round.id)
    return _latest(tx, *before, ended, rounds.c.kind == Kind.FIRST.value)


def before(tx: Tx, round: Round) -> Round | None:
    """The round that was over before `round` on the same table, but for hands given away."""
    ended = rounds.c.state.not_in([State.OPEN.value, State.GIVEN_AWAY.value])
    here = (rounds.c.chat_id == round.chat_id, rounds.c.topic == round.topic, rounds.c.id < round.id)
    return _latest(tx, *here, ended, ON_TABLE)


def given_away(tx: Tx, round: Round) -> list[Round]:
    """The hands in whose place `round` stands because they were given away, the latest first."""
    here = (rounds.c.chat_id == round.chat_id, rounds.c.topic == round.topic, rounds.c.id < round.id)
    latest = select(rounds).where(*here, ON_TABLE).order_by(rounds.c.id.desc())
    before = (r for row in tx.execute(latest.limit(MOST_GIVEN_AWAY)) if (r := _round(row)))
    return list(takewhile(lambda earlier: earlier.state is State.GIVEN_AWAY, before))


def in_place_of(tx: Tx, given: Round) -> Round:
    """What stands on the table in the place of a round; itself unless it was given away."""
    later = (rounds.c.chat_id == given.chat_id, rounds.c.topic == given.topic, rounds.c.id > given.id)
    while given.state is State.GIVEN_AWAY:
        row = tx.execute(select(rounds).where(*later, ON_TABLE).order_by(rounds.c.id).limit(1)).first()
        after = _round(row)
        if after is None:
            break
        given, later = after, (*later[:2], rounds.c.id > after.id)
    return given


def opened_since(tx: Tx, chat_id: int, since: float, most: int) -> list[float]:
    """When the chat's latest rounds were opened, at most `most` of them, none before `since`."""
    here = (rounds.c.chat_id == chat_id, rounds.c.state != State.GIVEN_AWAY.value)
    latest = select(rounds.c.opened).where(*here).order_by(rounds.c.id.desc())
    return [float(row.opened) for row in tx.execute(latest.limit(most)) if row.opened > since]


def finds(tx: Tx, round_id: int) -> list[Find]:
    """What was found in a round of the kind *all*, in order."""
    rows = tx.execute(select(awards).where(awards.c.round_id == round_id).order_by(awards.c.id))
    return [Find(row.player_id, row.expression, row.idea, row.points) for row in rows]


def set_deadline(tx: Tx, round: Round) -> None:
    """Write when an open round is over, and how it stands."""
    still = (rounds.c.id == round.id, rounds.c.state == State.OPEN.value)
    tx.execute(update(rounds).where(*still).values(deadline=round.deadline, standing=_stands(round)))


def close(tx: Tx, closed: Round) -> bool:
    """Write a round's end; False when another transaction ended it first."""
    claim = update(rounds).where(rounds.c.id == closed.id, rounds.c.state == State.OPEN.value)
    values = {
        "state": closed.state.value,
        "closed": closed.closed,
        "winner_id": closed.winner_id,
        "expression": closed.answer,
        "streak": closed.streak,
        "day_first": int(closed.day_first),
        # without its answers where they are kept back
        "puzzle": packed(closed.game, closed.puzzle)["puzzle"],
    }
    if tx.execute(claim.values(values)).rowcount != 1:
        return False
    once_durable(tx, metrics.ROUNDS.labels(closed.game, closed.state.value).inc)
    return True


def show_hints(tx: Tx, round: Round) -> None:
    """Write how many hints are shown."""
    tx.execute(update(rounds).where(rounds.c.id == round.id).values(standing=_stands(round)))


def dealt(tx: Tx, round_id: int, message_id: int, at: float, since: float | None = None) -> None:
    """The deal was delivered as that message, dated `at`: the clock of an untouched round starts there.

    An earlier copy of it may have been seen from `since` on: whoever looked the hand up then, looked up this.
    """
    untouched = (
        rounds.c.id == round_id,
        UNPOSTED,
        rounds.c.shown == 0,  # no earlier message showed it
        rounds.c.state == State.OPEN.value,
    )
    late, seen = at - rounds.c.opened, at if since is None else min(at, since)
    tx.execute(update(rounds).where(*untouched).values(opened=seen, deadline=rounds.c.deadline + late))
    delivered = update(rounds).where(rounds.c.id == round_id, UNPOSTED)
    tx.execute(delivered.values(message_id=message_id, shown=at))


def first_shown(tx: Tx, round_id: int, at: float) -> None:
    """The hand was drawn into a message that was there before, as those of a race are."""
    unseen = (rounds.c.id == round_id, rounds.c.shown == 0)
    tx.execute(update(rounds).where(*unseen).values(shown=at))


def shown(tx: Tx, round_id: int, at: float) -> None:
    """The deal's message was redrawn."""
    tx.execute(update(rounds).where(rounds.c.id == round_id).values(shown=at))


def _stands(round: Round) -> str:
    """How a round stands, as it is stored."""
    return json.dumps({"v": VERSION, **round.standing})


def _round(row: Row[Any] | None) -> Round | None:
    """The row as a round; None for one that can't be read, which costs that round and no other."""
    if row is None:
        return None
    try:
        return _read(row)
    except Exception as error:  # noqa: BLE001 - whatever its game gets wrong
        log.warning("round %s can't be read: %s", row.id, cause(error))
        return None


def _read(row: Row[Any]) -> Round:
    """The row as a round. Raises when nobody could play it."""
    standing = json.loads(row.standing)
    if not isinstance(standing, dict) or type(standing.get("hints", 0)) is not int:
        raise ValueError("its standing is none")
    if standing.pop("v", VERSION) != VERSION:
        raise ValueError("its standing is of another version")
    if (row.kind == Kind.CONTEST.value) is not (row.game in CONTESTS):
        raise ValueError("its game has no rounds of that kind")
    times = (row.opened, *(t for t in (row.deadline, row.closed) if t is not None))
    if not all(map(math.isfinite, times)):
        raise ValueError("one of its times is none")
    return Round(
        id=row.id,
        chat_id=row.chat_id,
        topic=row.topic,
        kind=Kind(row.kind),
        game=row.game,
        puzzle=unpack(row.game, row.puzzle, row.level, row.expected),
        standing=standing,
        options=read_object(row.options),
        dealer_id=row.dealer_id,
        opened=row.opened,
        deadline=row.deadline,
        state=State(row.state),
        language=row.language,
        race_id=row.race_id,
        asked_id=row.asked_id,
        message_id=row.message_id if (row.message_id or 0) > 0 else None,
        closed=row.closed,
        winner_id=row.winner_id,
        answer=row.expression,
        streak=row.streak,
        day_first=bool(row.day_first),
        seen=row.shown > 0,
    )
