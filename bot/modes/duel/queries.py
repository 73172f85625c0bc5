"""Duels: challenges that wait, and the races of two that they become."""

import json
from dataclasses import replace
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Row,
    Select,
    bindparam,
    delete,
    exists,
    func,
    insert,
    or_,
    select,
    update,
)

from bot.database import Tx, parse_object
from bot.database.schema import FORGOTTEN_PLAYER, awards, outbox, rounds
from bot.database.schema import duels as table
from bot.modes.duel.rules import (
    CHALLENGE_SECONDS,
    USERNAME_SIGN,
    Duel,
    DuelState,
    is_decided,
    settle_by_score,
)
from bot.rounds.rows import is_in_state
from bot.rounds.rules import Round, State

# Built once, since every answer asks for some of them and building takes longer than the database does

OFFERED, OPEN = table.c.state == DuelState.OFFERED.value, table.c.state == DuelState.OPEN.value
THIS = table.c.id == bindparam("this")
HERE = table.c.chat_id == bindparam("chat")
MINE = or_(table.c.challenger_id == bindparam("player"), table.c.opponent_id == bindparam("player"))
COMING = exists().where(outbox.c.lane == table.c.chat_id, outbox.c.state == "waiting")
SHOWN = or_(table.c.message_id.is_not(None), ~COMING)
DEALT = exists().where(rounds.c.race_id == table.c.race_id, is_in_state(State.OPEN))


def _latest(*which: ColumnElement[bool]) -> Select[Any]:
    return select(table).where(*which).order_by(table.c.id.desc()).limit(1)


def _in_order(*which: ColumnElement[bool]) -> Select[Any]:
    return select(table).where(*which).order_by(table.c.id)


BY_ID = _latest(THIS)
OF_RACE = _latest(table.c.race_id == bindparam("race"))
WAITING = _latest(OFFERED, HERE, table.c.challenger_id == bindparam("player"))
FIGHTING = _latest(OPEN, MINE, DEALT)
OFFERED_IN = _in_order(OFFERED, HERE)
LAPSED = _in_order(OFFERED, table.c.until < bindparam("now"), SHOWN)
UNKNOWN = _in_order(OFFERED, table.c.opponent_id.is_(None))
OFFER = insert(table)
DELIVERED = update(table).where(THIS, OFFERED, table.c.message_id.is_(None))
REMOVE, ACCEPT = delete(table).where(THIS, OFFERED), update(table).where(THIS, OFFERED)
CLOSE = update(table).where(THIS, OPEN)
SCORE = (
    select(awards.c.player_id, func.count(awards.c.round_id.distinct()).label("hands"))
    .join(rounds, rounds.c.id == awards.c.round_id)
    .where(rounds.c.race_id == bindparam("race"))
    .group_by(awards.c.player_id)
)
WINNERS = select(table.c.winner_id).where(table.c.winner_id.is_not(None), MINE)


def insert_challenge(tx: Tx, new: Duel) -> Duel:
    """Store a new challenge."""
    values = {
        "chat_id": new.chat_id,
        "topic": new.topic,
        "challenger_id": new.challenger_id,
        "opponent_id": new.opponent_id,
        "opponent": new.opponent_name,
        "state": DuelState.OFFERED.value,
        "language": new.language,
        "game": new.game,
        "options": json.dumps(new.options),
        "until": new.expires_at,
    }
    (key,) = tx.execute(OFFER, values).inserted_primary_key or (0,)
    return replace(new, id=int(key))


def load_duel(tx: Tx, duel_id: int) -> Duel | None:
    """The duel with that id."""
    return _first(tx, BY_ID, this=duel_id)


def load_duel_of_race(tx: Tx, race_id: int | None) -> Duel | None:
    """The duel whose hands are those of the race; None where that is a race for all, or none."""
    return None if race_id is None else _first(tx, OF_RACE, race=race_id)


def is_duel_spectator(tx: Tx, round: Round, player_id: int) -> bool:
    """Whether the round is a hand of a duel between others."""
    duel = load_duel_of_race(tx, round.race_id)
    return duel is not None and player_id not in duel.player_ids


def update_challenge_message(tx: Tx, duel_id: int, message_id: int, at: float, photo: str = "") -> None:
    """The challenge was delivered as that message, dated `at`: it may be accepted from then on.

    `photo` names the picture in it.
    """
    values = {"message_id": message_id, "until": at + CHALLENGE_SECONDS, "picture": photo or None}
    tx.execute(DELIVERED, {"this": duel_id} | values)


def load_open_challenge(tx: Tx, chat_id: int, challenger_id: int) -> Duel | None:
    """The person's challenge that waits in a chat."""
    return _first(tx, WAITING, chat=chat_id, player=challenger_id)


def load_open_challenges(tx: Tx, chat_id: int) -> list[Duel]:
    """The challenges that wait in a chat."""
    return _all(tx, OFFERED_IN, chat=chat_id)


def load_expired_challenges(tx: Tx, now: float) -> list[Duel]:
    """The challenges that nobody took in time, but for those that are still on their way to their chat."""
    return _all(tx, LAPSED, now=now)


def load_challenges_to_username(tx: Tx, username: str) -> list[Duel]:
    """The challenges of whoever has that username."""
    meant = f"{USERNAME_SIGN}{username}".casefold()
    return [offered for offered in _all(tx, UNKNOWN) if offered.opponent_name.casefold() == meant]


def forget_username(tx: Tx, username: str) -> None:
    """Keep a username no more; nobody can accept what was meant for whoever had it."""
    ids = [offered.id for offered in load_challenges_to_username(tx, username)]
    tx.execute(update(table).where(table.c.id.in_(ids)).values(opponent_id=FORGOTTEN_PLAYER, opponent=""))


def delete_challenge(tx: Tx, duel_id: int) -> bool:
    """Let go of a challenge that comes to nothing; False when it was accepted, or is gone already."""
    return tx.execute(REMOVE, {"this": duel_id}).rowcount == 1


def begin_duel(tx: Tx, duel_id: int, opponent_id: int, race_id: int) -> bool:
    """The duel begins, with the hands of that race; False when the challenge is gone or was accepted."""
    taken = {"opponent_id": opponent_id, "opponent": "", "state": DuelState.OPEN.value, "race_id": race_id}
    taken["picture"] = None  # its hands say from here on what their message shows
    return tx.execute(ACCEPT, {"this": duel_id} | taken).rowcount == 1


def load_running_duel(tx: Tx, player_id: int) -> Duel | None:
    """The duel in which the person is, if a hand of it is on a table."""
    return _first(tx, FIGHTING, player=player_id)


def load_score(tx: Tx, duel: Duel) -> dict[int, int]:
    """Hands won, by player: one that both came as near to is won by both."""
    found = tx.execute(SCORE, {"race": duel.race_id})
    return {row.player_id: int(row.hands) for row in found if row.player_id in duel.player_ids}


def is_duel_decided(tx: Tx, race_id: int) -> bool:
    """Whether the race is a duel, and somebody has won it."""
    duel = load_duel_of_race(tx, race_id)
    return duel is not None and is_decided(load_score(tx, duel))


def settle_duel(tx: Tx, race_id: int) -> None:
    """No more hands of the race are dealt: where it is a duel that nobody ended, its score decides."""
    duel = load_duel_of_race(tx, race_id)
    if duel is not None:
        close_duel(tx, settle_by_score(duel, load_score(tx, duel)))


def close_duel(tx: Tx, over: Duel) -> None:
    """Write a duel's end, unless it was over before."""
    tx.execute(CLOSE, {"this": over.id, "state": over.state.value, "winner_id": over.winner_id})


def count_duels_won_and_lost(tx: Tx, player_id: int) -> tuple[int, int]:
    """How many duels the person has won and lost."""
    winners = list(tx.scalars(WINNERS, {"player": player_id}))
    won = winners.count(player_id)
    return won, len(winners) - won


def _first(tx: Tx, asked: Select[Any], **known: Any) -> Duel | None:
    row = tx.execute(asked, known).first()
    return None if row is None else _duel(row)


def _all(tx: Tx, asked: Select[Any], **known: Any) -> list[Duel]:
    return [_duel(row) for row in tx.execute(asked, known)]


def _duel(row: Row[Any]) -> Duel:
    return Duel(
        id=row.id,
        chat_id=row.chat_id,
        topic=row.topic,
        challenger_id=row.challenger_id,
        opponent_id=row.opponent_id,
        game=row.game,
        expires_at=row.until,
        opponent_name=row.opponent,
        state=DuelState(row.state) if row.state in set(DuelState) else DuelState.STOPPED,
        language=row.language,
        options=parse_object(row.options),
        message_id=row.message_id,
        race_id=row.race_id,
        winner_id=row.winner_id,
        photo=row.picture or "",
    )
