"""Challenges and duels in the database."""

import json
from dataclasses import replace
from typing import Any

from sqlalchemy import Row, Select, bindparam, delete, exists, func, insert, or_, select, update

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

# Statements are built once: building one takes longer than running it.
INSERT_CHALLENGE = insert(table)
IS_THIS = table.c.id == bindparam("duel")
IS_OFFERED = table.c.state == DuelState.OFFERED.value
IS_OPEN = table.c.state == DuelState.OPEN.value
IN_CHAT = table.c.chat_id == bindparam("chat")
HAS_PLAYER = or_(table.c.challenger_id == bindparam("player"), table.c.opponent_id == bindparam("player"))
SELECT_LATEST = select(table).order_by(table.c.id.desc()).limit(1)
SELECT_IN_ORDER = select(table).order_by(table.c.id)


# Challenges


def insert_challenge(tx: Tx, new: Duel) -> Duel:
    """Store a new challenge; return it with its id."""
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
    (key,) = tx.execute(INSERT_CHALLENGE, values).inserted_primary_key or (0,)
    return replace(new, id=int(key))


UPDATE_UNDELIVERED_CHALLENGE = update(table).where(IS_THIS, IS_OFFERED, table.c.message_id.is_(None))


def update_challenge_message(tx: Tx, duel_id: int, message_id: int, at: float, photo: str = "") -> None:
    """Store the delivered message of a challenge; its time to be accepted starts at `at`.

    `photo` is the key of the picture in the message.
    """
    values = {"message_id": message_id, "until": at + CHALLENGE_SECONDS, "picture": photo or None}
    tx.execute(UPDATE_UNDELIVERED_CHALLENGE, {"duel": duel_id} | values)


SELECT_CHALLENGE_OF = SELECT_LATEST.where(IS_OFFERED, IN_CHAT, table.c.challenger_id == bindparam("player"))


def load_open_challenge(tx: Tx, chat_id: int, challenger_id: int) -> Duel | None:
    """Load the player's own open challenge in a chat; None if there is none."""
    return _load_one(tx, SELECT_CHALLENGE_OF, chat=chat_id, player=challenger_id)


SELECT_CHALLENGES_IN_CHAT = SELECT_IN_ORDER.where(IS_OFFERED, IN_CHAT)


def load_open_challenges(tx: Tx, chat_id: int) -> list[Duel]:
    """Load the open challenges in a chat."""
    return _load_all(tx, SELECT_CHALLENGES_IN_CHAT, chat=chat_id)


HAS_WAITING_POST = exists().where(outbox.c.lane == table.c.chat_id, outbox.c.state == "waiting")
SELECT_EXPIRED = SELECT_IN_ORDER.where(
    IS_OFFERED, table.c.until < bindparam("now"), or_(table.c.message_id.is_not(None), ~HAS_WAITING_POST)
)


def load_expired_challenges(tx: Tx, now: float) -> list[Duel]:
    """Load the challenges that were not accepted in time, except those not yet delivered."""
    return _load_all(tx, SELECT_EXPIRED, now=now)


SELECT_WITHOUT_OPPONENT = SELECT_IN_ORDER.where(IS_OFFERED, table.c.opponent_id.is_(None))


def load_challenges_to_username(tx: Tx, username: str) -> list[Duel]:
    """Load the open challenges to a username, in any chat."""
    name = f"{USERNAME_SIGN}{username}".casefold()
    challenges = _load_all(tx, SELECT_WITHOUT_OPPONENT)
    return [challenge for challenge in challenges if challenge.opponent_name.casefold() == name]


def forget_username(tx: Tx, username: str) -> None:
    """Remove the username from open challenges, so that nobody can accept them."""
    ids = [challenge.id for challenge in load_challenges_to_username(tx, username)]
    tx.execute(update(table).where(table.c.id.in_(ids)).values(opponent_id=FORGOTTEN_PLAYER, opponent=""))


DELETE_CHALLENGE = delete(table).where(IS_THIS, IS_OFFERED)


def delete_challenge(tx: Tx, duel_id: int) -> bool:
    """Delete an open challenge; False if it was accepted or is gone."""
    return tx.execute(DELETE_CHALLENGE, {"duel": duel_id}).rowcount == 1


UPDATE_CHALLENGE = update(table).where(IS_THIS, IS_OFFERED)


def begin_duel(tx: Tx, duel_id: int, opponent_id: int, race_id: int) -> bool:
    """Turn an open challenge into a duel with the hands of that race; False if it was accepted or is gone."""
    values = {"opponent_id": opponent_id, "opponent": "", "state": DuelState.OPEN.value, "race_id": race_id}
    # From now on the picture of the message is stored with the round that the message shows.
    return tx.execute(UPDATE_CHALLENGE, {"duel": duel_id, "picture": None} | values).rowcount == 1


# Duels

SELECT_DUEL = SELECT_LATEST.where(IS_THIS)


def load_duel(tx: Tx, duel_id: int) -> Duel | None:
    """Load a duel or challenge; None if it is gone."""
    return _load_one(tx, SELECT_DUEL, duel=duel_id)


SELECT_DUEL_OF_RACE = SELECT_LATEST.where(table.c.race_id == bindparam("race"))


def load_duel_of_race(tx: Tx, race_id: int | None) -> Duel | None:
    """Load the duel that a race belongs to; None if it belongs to none."""
    return None if race_id is None else _load_one(tx, SELECT_DUEL_OF_RACE, race=race_id)


def is_duel_spectator(tx: Tx, round: Round, player_id: int) -> bool:
    """Whether the round is a hand of a duel between other players."""
    duel = load_duel_of_race(tx, round.race_id)
    return duel is not None and player_id not in duel.player_ids


HAS_OPEN_HAND = exists().where(rounds.c.race_id == table.c.race_id, is_in_state(State.OPEN))
SELECT_RUNNING_DUEL = SELECT_LATEST.where(IS_OPEN, HAS_PLAYER, HAS_OPEN_HAND)


def load_running_duel(tx: Tx, player_id: int) -> Duel | None:
    """Load the player's duel of which a hand is open, in any chat; None if there is none."""
    return _load_one(tx, SELECT_RUNNING_DUEL, player=player_id)


COUNT_HANDS_WON = (
    select(awards.c.player_id, func.count(awards.c.round_id.distinct()).label("hands"))
    .join(rounds, rounds.c.id == awards.c.round_id)
    .where(rounds.c.race_id == bindparam("race"))
    .group_by(awards.c.player_id)
)


def load_score(tx: Tx, duel: Duel) -> dict[int, int]:
    """Load the number of hands won by each player; a hand with equally near answers is won by both."""
    rows = tx.execute(COUNT_HANDS_WON, {"race": duel.race_id})
    return {row.player_id: int(row.hands) for row in rows if row.player_id in duel.player_ids}


def is_duel_decided(tx: Tx, race_id: int) -> bool:
    """Whether the race belongs to a duel in which a player has won enough hands."""
    duel = load_duel_of_race(tx, race_id)
    return duel is not None and is_decided(load_score(tx, duel))


def settle_duel(tx: Tx, race_id: int) -> None:
    """End the race's duel by its score; do nothing if there is no duel or it is over."""
    duel = load_duel_of_race(tx, race_id)
    if duel is not None:
        close_duel(tx, settle_by_score(duel, load_score(tx, duel)))


CLOSE_DUEL = update(table).where(IS_THIS, IS_OPEN)


def close_duel(tx: Tx, over: Duel) -> None:
    """Store how a duel ended, unless it was over before."""
    tx.execute(CLOSE_DUEL, {"duel": over.id, "state": over.state.value, "winner_id": over.winner_id})


def count_duels_won_and_lost(tx: Tx, player_id: int) -> tuple[int, int]:
    """Count the duels that the player has won and lost."""
    has_winner = table.c.winner_id.is_not(None)
    winners = tx.scalars(select(table.c.winner_id).where(has_winner, HAS_PLAYER), {"player": player_id}).all()
    won = winners.count(player_id)
    return won, len(winners) - won


def _load_one(tx: Tx, query: Select[Any], **parameters: Any) -> Duel | None:
    row = tx.execute(query, parameters).first()
    return None if row is None else _read_duel(row)


def _load_all(tx: Tx, query: Select[Any], **parameters: Any) -> list[Duel]:
    return [_read_duel(row) for row in tx.execute(query, parameters)]


def _read_duel(row: Row[Any]) -> Duel:
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
