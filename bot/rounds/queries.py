"""Rounds: opened, answered, closed. Who closes one claims its row, so there is one winner whatever races."""

import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Integer,
    Row,
    Select,
    and_,
    bindparam,
    case,
    exists,
    func,
    or_,
    select,
    text,
    update,
)

from bot import metrics
from bot.database import Tx, build_insert_if_new, call_after_commit, delete_batch
from bot.database.schema import (
    HAS_KNOWN_PICTURE,
    Seconds,
    awards,
    equals_any,
    lost_messages,
    outbox,
    races,
    rounds,
)
from bot.durations import HOUR, MINUTE
from bot.modes.duel import queries as duels
from bot.queue import photos
from bot.rounds import rows
from bot.rounds.puzzle import Find, Kind
from bot.rounds.registry import DEFAULT_GAME
from bot.rounds.rows import is_in_state
from bot.rounds.rules import CLOCK_STEP, FINE_CLOCK_LIMIT, MAX_ROUND_SECONDS, Round, State
from bot.telegram.photo_messages import UNKNOWN_CONTENT

log = logging.getLogger(__name__)

# The condition that a round is or was on the table, and no contest beside it.
ON_TABLE = rounds.c.kind != Kind.CONTEST.value
# The condition that no message shows a round: none has such a number.
UNPOSTED = func.coalesce(rounds.c.message_id, 0) <= 0
# New messages that an open round gets at most, one for each that was deleted; at its end one more.
MAX_NEW_MESSAGES = 3

JUDGED_AT_END = [Kind.BEST.value, Kind.CONTEST.value]
# The kinds of rounds that stand in no row of rounds won: they lie beside the table, or earn nothing.
UNRECORDED_KINDS = (Kind.PRACTICE.value, Kind.CONTEST.value)
# Of awards: those in the usual game. Times of another one say nothing beside them.
IN_DEFAULT_GAME = awards.c.game == DEFAULT_GAME.key
# Of awards: those of right answers, not of what came nearest when time was up, nor of a contest's card.
IS_RIGHT_ANSWER = ~equals_any(awards.c.kind, *JUDGED_AT_END)

# Built once, since every update needs some of them and building takes longer than the database does

OPEN = rows.is_in_state(State.OPEN)
THIS, EARLIER = rounds.c.id == bindparam("this"), rounds.c.id < bindparam("this")
HERE = rounds.c.chat_id == bindparam("chat")
TABLE = and_(HERE, rounds.c.topic == bindparam("topic"))


def select_rounds(*which: ColumnElement[bool]) -> Select[Any]:
    """What asks for the rounds of that description, in the order of their ids."""
    return select(rounds).where(*which).order_by(rounds.c.id)


def _latest(*which: ColumnElement[bool]) -> Select[Any]:
    return select(rounds).where(*which).order_by(rounds.c.id.desc()).limit(1)


LIVE = select(rounds).where(TABLE, OPEN)
STILL_OPEN = select(rounds).where(THIS, OPEN)
LIVE_IN_CHAT = select_rounds(HERE, OPEN)
LATEST = _latest(TABLE, ON_TABLE)
BY_ID = select(rounds).where(THIS)
IN_RACE = select_rounds(rounds.c.race_id == bindparam("race"))
PREVIOUS = _latest(HERE, EARLIER, ~OPEN, rounds.c.kind == Kind.FIRST.value)
BEFORE = _latest(TABLE, EARLIER, ~OPEN, ON_TABLE)
LOST_BY = select(lost_messages.c.round_id).where(
    lost_messages.c.chat_id == bindparam("chat"), lost_messages.c.message_id == bindparam("message")
)
SHOWN_LAST = select(func.max(rounds.c.id)).where(HERE, rounds.c.message_id == bindparam("message"))
SHOWN_IN = select(rounds).where(rounds.c.id == SHOWN_LAST.scalar_subquery())
BY_MESSAGE = select(rounds).where(
    rounds.c.id == func.coalesce(LOST_BY.scalar_subquery(), SHOWN_LAST.scalar_subquery())
)
OPENED = select(rounds.c.opened).where(HERE)
OPENED_LAST = OPENED.order_by(rounds.c.id.desc()).limit(bindparam("most", type_=Integer))
FINDS = select(awards).where(awards.c.round_id == bindparam("this")).order_by(awards.c.id)
CHANGE, CHANGE_OPEN = update(rounds).where(THIS), update(rounds).where(THIS, OPEN)
FIRST_SHOWN = update(rounds).where(THIS, rounds.c.shown == 0)
UNTOUCHED = and_(rounds.c.shown == 0, OPEN)  # no earlier message showed it
LATE = bindparam("at", type_=Seconds) - rounds.c.opened
DEALT = (
    update(rounds)
    .where(THIS, UNPOSTED)
    .values(
        message_id=bindparam("message"),
        shown=bindparam("at"),
        opened=case((UNTOUCHED, bindparam("seen", type_=Seconds)), else_=rounds.c.opened),
        deadline=case((UNTOUCHED, rounds.c.deadline + LATE), else_=rounds.c.deadline),
    )
)


@cache
def _opening(dialect: str) -> Any:
    """An INSERT of a round that tells its id, unless another one stands in its way."""
    return build_insert_if_new(dialect, rounds).returning(rounds.c.id)


def load_rounds(tx: Tx, asked: Select[Any], **known: Any) -> list[Round]:
    """The rounds that are asked for, but for those that can't be read."""
    return [round for row in tx.execute(asked, known) if (round := rows.read_round(row))]


def _one(tx: Tx, asked: Select[Any], **known: Any) -> Round | None:
    return rows.read_round(tx.execute(asked, known).first())


def open_round(tx: Tx, new: Round) -> Round | None:
    """Store a new round; None when its chat and topic already have a live one.

    A contest is in no other round's way, and none is in its.
    """
    values = rows.make_row(new)
    key = _inserted(tx, values)
    if key is None:
        stands = tx.execute(LIVE, {"chat": new.chat_id, "topic": new.topic}).all()
        key = _inserted(tx, values) if _set_aside(tx, stands, new.opened) else None
    return None if key is None else replace(new, id=key)


def _inserted(tx: Tx, values: dict[str, Any]) -> int | None:
    """The id of a new row; None where another one stands in its way."""
    key = tx.scalar(_opening(tx.dialect.name), values)
    return None if key is None else int(key)


def _set_aside(tx: Tx, found: Sequence[Row[Any]], now: float) -> int:
    """End those of these open rounds that can't be read, and the races they are of; returns how many.

    Nobody can play them, and while they are open no other hand can be dealt there.
    """
    broken = [row for row in found if rows.read_round(row) is None]
    for row in broken:
        log.warning("round %s is set aside", row.id)
        tx.execute(CHANGE, {"this": row.id, "state": State.SKIPPED.value, "closed": now})
        tx.execute(update(races).where(races.c.id == row.race_id).values(state="over"))
        if row.race_id is not None:
            duels.settle_duel(tx, row.race_id)
    return len(broken)


def close_if_unreadable(tx: Tx, round_id: int, now: float) -> bool:
    """End the open round if it can't be read; whether that was so."""
    return bool(_set_aside(tx, tx.execute(STILL_OPEN, {"this": round_id}).all(), now))


def load_open_round(tx: Tx, chat_id: int, topic: int) -> Round | None:
    """The open round of a chat and topic."""
    return _one(tx, LIVE, chat=chat_id, topic=topic)


def load_open_rounds_in_chat(tx: Tx, chat_id: int) -> list[Round]:
    """Every open round of a chat, whatever its topic."""
    return load_rounds(tx, LIVE_IN_CHAT, chat=chat_id)


def load_latest_round(tx: Tx, chat_id: int, topic: int) -> Round | None:
    """The round that was opened last on the table of a chat and topic."""
    return _one(tx, LATEST, chat=chat_id, topic=topic)


def load_round(tx: Tx, round_id: int) -> Round | None:
    """The round with that id."""
    return _one(tx, BY_ID, this=round_id)


def load_round_of_message(tx: Tx, chat_id: int, message_id: int) -> Round | None:
    """The round whose deal is, or was, that message; of a race, the hand that it showed last.

    None for the message of a contest: nothing is answered to it.
    """
    found = _one(tx, BY_MESSAGE, chat=chat_id, message=message_id)
    return None if found is None or found.kind is Kind.CONTEST else found


def was_shown_in_message(tx: Tx, round: Round, message_id: int) -> bool:
    """Whether that message shows the round's deal, or did until it was deleted."""
    if message_id == round.message_id:
        return True
    return bool(tx.scalar(LOST_BY, {"chat": round.chat_id, "message": message_id}) == round.id)


def record_lost_message(tx: Tx, chat_id: int, message_id: int, *, clock_only: bool) -> bool:
    """A deal's message was deleted or can't be changed any more; whether its round is to get a new one.

    `unasked`: nothing but the time left was to be shown. Somebody may not want the message, so a round (all
    hands of a race together) gets no more than MOST_POSTS new ones, and one unasked.
    """
    round = _one(tx, SHOWN_IN, chat=chat_id, message=message_id)
    if round is None:
        return True  # it has another message by now
    most = 1 if clock_only else MAX_NEW_MESSAGES + (round.state not in (State.OPEN, State.RUNNING))
    if _times_lost(tx, round) >= most:
        return False
    row = {"chat_id": chat_id, "message_id": message_id, "round_id": round.id}
    tx.execute(build_insert_if_new(tx.dialect.name, lost_messages), row)
    tx.execute(CHANGE, {"this": round.id, "message_id": None})
    return True


def _times_lost(tx: Tx, round: Round) -> int:
    same = rounds.c.id == round.id if round.race_id is None else rounds.c.race_id == round.race_id
    found = select(func.count(lost_messages.c.round_id)).join(rounds, rounds.c.id == lost_messages.c.round_id)
    return int(tx.scalar(found.where(same)) or 0)


def delete_old_rounds(tx: Tx, before: float) -> bool:
    """Delete some rounds that were over before then, with what was answered in them; return whether there may
    be more. What figures need of them is in `awards` and `tallies`.
    """
    return delete_batch(tx, rounds, rounds.c.closed < before)


def add_to_race(tx: Tx, round_id: int, race_id: int) -> None:
    """Make a round part of a race."""
    tx.execute(CHANGE, {"this": round_id, "race_id": race_id})


def load_race_rounds(tx: Tx, race_id: int) -> list[Round]:
    """The rounds of a race in the order of play."""
    return load_rounds(tx, IN_RACE, race=race_id)


def load_previous_scored_round(tx: Tx, round: Round) -> Round | None:
    """The round with one winner that was over last in the chat before `round`."""
    return _one(tx, PREVIOUS, chat=round.chat_id, this=round.id)


def load_previous_round(tx: Tx, round: Round) -> Round | None:
    """The round that was over before `round` on the same table."""
    return _one(tx, BEFORE, **_place(round))


def _place(round: Round) -> dict[str, int]:
    """Where a round stands among those of its table."""
    return {"chat": round.chat_id, "topic": round.topic, "this": round.id}


def load_opening_times(tx: Tx, chat_id: int, since: float, most: int) -> list[float]:
    """When the chat's latest rounds were opened, at most `most` of them, in the hour after `since`."""
    latest = tx.execute(OPENED_LAST, {"chat": chat_id, "most": most})
    return [float(row.opened) for row in latest if since < row.opened <= since + HOUR]


def load_finds(tx: Tx, round_id: int) -> list[Find]:
    """What was found in a round of the kind *all*, in order."""
    found = tx.execute(FINDS, {"this": round_id})
    return [Find(row.player_id, row.expression, row.idea, row.points) for row in found]


def update_deadline(tx: Tx, round: Round) -> None:
    """Write when an open round is over, and how it stands."""
    changed = {"deadline": round.deadline, "standing": rows.pack_game_state(round)}
    tx.execute(CHANGE_OPEN, {"this": round.id, **changed})


def close_round(tx: Tx, closed: Round) -> bool:
    """Write a round's end; False when another transaction ended it first."""
    values = {
        "state": closed.state.value,
        "closed": closed.closed,
        "winner_id": closed.winner_id,
        "expression": closed.answer,
        "streak": closed.streak,
        "day_first": int(closed.day_first),
    }
    if tx.execute(CHANGE_OPEN, {"this": closed.id, **values}).rowcount != 1:
        return False
    call_after_commit(tx, metrics.ROUNDS_ENDED.labels(closed.game, closed.state.value).inc)
    return True


def update_hints(tx: Tx, round: Round) -> None:
    """Write how many hints are shown."""
    tx.execute(CHANGE, {"this": round.id, "standing": rows.pack_game_state(round)})


def record_deal_message(
    tx: Tx, round_id: int, message_id: int, at: float, since: float | None = None
) -> None:
    """The deal was delivered as that message, dated `at`: the clock of an untouched round starts there.

    An earlier copy of it may have been seen from `since` on: whoever looked the hand up then, looked up this.
    """
    seen = at if since is None else min(at, since)
    tx.execute(DEALT, {"this": round_id, "message": message_id, "at": at, "seen": seen})


def record_first_display(tx: Tx, round_id: int, at: float) -> None:
    """The hand was drawn into a message that was there before, as those of a race are."""
    tx.execute(FIRST_SHOWN, {"this": round_id, "shown": at})


def record_redraw(tx: Tx, round_id: int, at: float) -> None:
    """The deal's message was redrawn."""
    tx.execute(CHANGE, {"this": round_id, "shown": at})


@dataclass(frozen=True, slots=True)
class RoundClock:
    """An open round by its times."""

    round_id: int
    chat_id: int
    deadline: float
    drawn_at: float  # When its message was last drawn; 0 before


# Built once, since they are asked every moment and building takes longer than the database does

CLOCK_OPEN = is_in_state(State.OPEN)
CLOCKS = select(rounds.c.id, rounds.c.chat_id, rounds.c.deadline, rounds.c.shown).where(CLOCK_OPEN)
COMING = exists().where(outbox.c.lane == rounds.c.chat_id, outbox.c.state == "waiting")
DEAL_SENT = or_(rounds.c.message_id.is_not(None), ~COMING)
CLOCK_OVER = or_(rounds.c.deadline < bindparam("now"), rounds.c.deadline > bindparam("latest"))
DUE_CLOCKS = CLOCKS.where(CLOCK_OVER, DEAL_SENT).order_by(rounds.c.deadline)
NEXT_DEADLINE = select(func.min(rounds.c.deadline)).where(CLOCK_OPEN, rounds.c.deadline > bindparam("after"))
SHOWS_TIME = rounds.c.kind != Kind.LESSON.value  # whose message tells its few seconds once
DRAWN_BEFORE = (rounds.c.message_id.is_not(None), rounds.c.shown <= bindparam("a_tick_ago"))
CLOCK_LATE = or_(rounds.c.deadline <= bindparam("soon"), rounds.c.shown <= bindparam("a_minute_ago"))
RUNNING_CLOCKS = CLOCKS.where(
    *DRAWN_BEFORE, rounds.c.deadline > bindparam("now"), CLOCK_LATE, SHOWS_TIME
).limit(200)
EXPIRE_ROUND = (
    update(rounds)
    .where(rounds.c.id == bindparam("this"), CLOCK_OPEN)
    .returning(rounds.c.chat_id, rounds.c.race_id, rounds.c.message_id)
)


def load_due_clocks(tx: Tx, now: float) -> list[RoundClock]:
    """Open rounds whose deadline is over, but for those whose deal is still on its way to their chat.

    One that no round can have, since a wrong clock has noted it, counts as over.
    """
    found = [
        RoundClock(*row) for row in tx.execute(DUE_CLOCKS, {"now": now, "latest": now + MAX_ROUND_SECONDS})
    ]
    return [replace(clock, deadline=min(clock.deadline, now)) for clock in found]


def load_next_deadline(tx: Tx, after: float) -> float | None:
    """The earliest deadline of an open round that is later than `after`."""
    at = tx.scalar(NEXT_DEADLINE, {"after": after})
    return None if at is None else float(at)


def load_running_clocks(tx: Tx, now: float) -> list[RoundClock]:
    """Open rounds whose message may show an old time left."""
    moments = {
        "now": now,
        "soon": now + FINE_CLOCK_LIMIT,
        "a_tick_ago": now - CLOCK_STEP,
        "a_minute_ago": now - MINUTE,
    }
    return [RoundClock(*row) for row in tx.execute(RUNNING_CLOCKS, moments) if math.isfinite(row.deadline)]


def force_expire(tx: Tx, round_id: int, now: float) -> Row[Any] | None:
    """End an open round of which nothing else can be done; its chat, its race and its message."""
    return tx.execute(EXPIRE_ROUND, {"this": round_id, "state": State.EXPIRED.value, "closed": now}).first()


# Seconds after its end for which it is known what its photo shows: the name of a winner may be in it.
PICTURE_LIFETIME = 86_400.0

# Built once, since every drawing needs them and building takes longer than the database does

SHOWN_IN_MESSAGE = rounds.c.message_id == bindparam("message")
PICTURES = select(rounds.c.picture).where(
    rounds.c.chat_id == bindparam("chat"), SHOWN_IN_MESSAGE, rounds.c.picture.is_not(None)
)
SHOWN_PICTURE = PICTURES.order_by(rounds.c.id.desc()).limit(1)
SET_PICTURE = update(rounds).where(rounds.c.id == bindparam("this"), SHOWN_IN_MESSAGE)
OLD_PICTURES = update(rounds).where(text(HAS_KNOWN_PICTURE), rounds.c.closed < bindparam("before"))


def load_shown_picture(tx: Tx, chat_id: int, message_id: int | None) -> str:
    """What names the picture that the message shows; empty for a text, and for no message.

    All hands of a race share one message: the latest of them that was given a picture tells.
    """
    if message_id is None:
        return ""
    return tx.scalar(SHOWN_PICTURE, {"chat": chat_id, "message": message_id}) or ""


def update_shown_picture(tx: Tx, round_id: int, message_id: int, picture: str | None) -> None:
    """The round's message shows that picture, or is a text."""
    tx.execute(SET_PICTURE, {"this": round_id, "message": message_id, "picture": picture})


def forget_old_pictures(tx: Tx, now: float) -> None:
    """Forget what old photos show, and by which ids pictures were sent."""
    tx.execute(OLD_PICTURES, {"before": now - PICTURE_LIFETIME, "picture": UNKNOWN_CONTENT})
    photos.delete_expired_uploads(tx, now)
