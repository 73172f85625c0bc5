"""Challenges and duels in the database."""

from dataclasses import replace
from typing import Any

from sqlalchemy import ColumnElement, Row, delete, exists, insert, or_, select, update

from bot.database import Tx
from bot.database.schema import FORGOTTEN_PLAYER, outbox
from bot.database.schema import duels as table
from bot.database.schema import rounds as rounds_table
from bot.modes.duel import rules
from bot.modes.duel.rules import Duel, DuelState
from bot.rounds import ledger
from bot.rounds import queries as rounds
from bot.rounds.rules import Round

IS_OFFERED = table.c.state == DuelState.OFFERED.value
IS_AWAITED = table.c.state == DuelState.AWAITED.value
IS_OPEN = table.c.state == DuelState.OPEN.value
# Columns that are fields of a duel under the same names
SAME_COLUMNS = (
    *("chat_id", "topic", "challenger_id", "opponent_id", "game", "language", "options"),
    *("message_id", "race_id", "winner_id"),
)


def insert_challenge(tx: Tx, new: Duel) -> Duel:
    values = {name: getattr(new, name) for name in SAME_COLUMNS}
    values |= {"opponent": new.opponent_name, "state": new.state.value, "until": new.expires_at}
    (duel_id,) = tx.execute(insert(table), values).inserted_primary_key or (0,)  # never empty
    return replace(new, id=int(duel_id))


def update_challenge_message(
    tx: Tx, duel_id: int, message_id: int, delivered_at: float, photo: str = ""
) -> None:
    """Store the first message of a challenge and its picture's key. Its time starts with the delivery."""
    expires_at = delivered_at + rules.CHALLENGE_SECONDS
    values = {"message_id": message_id, "until": expires_at, "picture": photo or None}
    is_undelivered = (table.c.id == duel_id, IS_OFFERED, table.c.message_id.is_(None))
    tx.execute(update(table).where(*is_undelivered).values(values))


def load_open_challenge(tx: Tx, chat_id: int, challenger_id: int) -> Duel | None:
    """Load the player's own open challenge in a chat; None if there is none."""
    return _load_latest(tx, IS_OFFERED, table.c.chat_id == chat_id, table.c.challenger_id == challenger_id)


def load_open_challenges(tx: Tx, chat_id: int) -> list[Duel]:
    return _load_all(tx, IS_OFFERED, table.c.chat_id == chat_id)


def load_expired_challenges(tx: Tx, now: float) -> list[Duel]:
    """Load the challenges that were not accepted in time, except those that may not be delivered yet."""
    may_be_undelivered = exists().where(outbox.c.lane == table.c.chat_id, outbox.c.state == "waiting")
    is_settled = or_(table.c.message_id.is_not(None), ~may_be_undelivered)
    return _load_all(tx, IS_OFFERED, table.c.until < now, is_settled)


def load_challenges_to_username(tx: Tx, username: str) -> list[Duel]:
    name = f"{rules.USERNAME_SIGN}{username}".casefold()
    challenges = _load_all(tx, or_(IS_OFFERED, IS_AWAITED), table.c.opponent_id.is_(None))
    return [challenge for challenge in challenges if challenge.opponent_name.casefold() == name]


def forget_username(tx: Tx, username: str) -> None:
    """Remove the username from open challenges, so that nobody can accept them."""
    ids = [challenge.id for challenge in load_challenges_to_username(tx, username)]
    tx.execute(update(table).where(table.c.id.in_(ids)).values(opponent_id=FORGOTTEN_PLAYER, opponent=""))


def delete_challenge(tx: Tx, duel_id: int) -> bool:
    """Delete an open challenge; False if it was accepted or is gone."""
    return tx.execute(delete(table).where(table.c.id == duel_id, IS_OFFERED)).rowcount == 1


def delete_awaited_challenge(tx: Tx, round: Round) -> None:
    """Delete the challenge that is awaited until the round is given up, if there is one."""
    if round.awaited_duel:
        tx.execute(delete(table).where(table.c.id == round.awaited_duel, IS_AWAITED))


def begin_duel(tx: Tx, duel_id: int, opponent_id: int, race_id: int) -> None:
    """Turn an open challenge into a duel with the hands of that race."""
    values = {
        "opponent_id": opponent_id,
        "opponent": "",
        "state": DuelState.OPEN.value,
        "race_id": race_id,
        "picture": None,  # from now on stored with the round that the message shows
    }
    tx.execute(update(table).where(table.c.id == duel_id, IS_OFFERED).values(values))


def load_duel(tx: Tx, duel_id: int) -> Duel | None:
    return _load_latest(tx, table.c.id == duel_id)


def load_duel_of_race(tx: Tx, race_id: int | None) -> Duel | None:
    return None if race_id is None else _load_latest(tx, table.c.race_id == race_id)


def is_duel_spectator(tx: Tx, round: Round, player_id: int | None) -> bool:
    """Whether the round is a hand of a duel between other players; None stands for nobody in particular."""
    duel = load_duel_of_race(tx, round.race_id)
    return duel is not None and player_id not in duel.player_ids


def load_running_duel(tx: Tx, player_id: int) -> Duel | None:
    """Load the player's duel of which a hand is open, in any chat; None if there is none."""
    has_open_hand = exists().where(rounds_table.c.race_id == table.c.race_id, rounds.OPEN)
    return _load_latest(tx, IS_OPEN, _has_player(player_id), has_open_hand)


def load_score(tx: Tx, duel: Duel) -> dict[int, int]:
    """Load the number of hands won by each player; a hand with equally near answers is won by both."""
    hands = rounds.load_race_rounds(tx, duel.race_id or 0)  # 0: no race
    winners = [player for hand in hands for player in ledger.load_round_points(tx, hand.id)]
    return {player: winners.count(player) for player in duel.player_ids}


def is_duel_decided(tx: Tx, race_id: int) -> bool:
    """Whether the race belongs to a duel in which a player has won enough hands."""
    duel = load_duel_of_race(tx, race_id)
    return duel is not None and any(hands >= rules.WINS_NEEDED for hands in load_score(tx, duel).values())


def settle_duel(tx: Tx, race_id: int) -> None:
    """Store that the race's duel is won by the player with more hands, or drawn if they have equally many.

    Do nothing if the race belongs to no duel, or if the duel is over.
    """
    duel = load_duel_of_race(tx, race_id)
    if duel is not None:
        close_duel(tx, rules.settle_by_score(duel, load_score(tx, duel)))


def close_duel(tx: Tx, over: Duel) -> None:
    """Store how a duel ended, unless it was over before."""
    statement = update(table).where(table.c.id == over.id, IS_OPEN)
    tx.execute(statement.values(state=over.state.value, winner_id=over.winner_id))


def count_duels_won_and_lost(tx: Tx, player_id: int) -> tuple[int, int]:
    """Count the duels that the player won and lost; those without a winner count for neither."""
    has_winner = table.c.winner_id.is_not(None)
    winners = tx.scalars(select(table.c.winner_id).where(has_winner, _has_player(player_id))).all()
    won_count = winners.count(player_id)
    lost_count = len(winners) - won_count
    return won_count, lost_count


def _has_player(player_id: int) -> ColumnElement[bool]:
    return or_(table.c.challenger_id == player_id, table.c.opponent_id == player_id)


def _load_latest(tx: Tx, *conditions: ColumnElement[bool]) -> Duel | None:
    """Load the duel with the highest id that meets the conditions; None if none does."""
    row = tx.execute(select(table).where(*conditions).order_by(table.c.id.desc()).limit(1)).first()
    return None if row is None else _read_duel(row)


def _load_all(tx: Tx, *conditions: ColumnElement[bool]) -> list[Duel]:
    return [_read_duel(row) for row in tx.execute(select(table).where(*conditions).order_by(table.c.id))]


def _read_duel(row: Row[Any]) -> Duel:
    return Duel(
        id=row.id,
        **{name: getattr(row, name) for name in SAME_COLUMNS},
        expires_at=row.until,
        opponent_name=row.opponent,
        state=DuelState(row.state),
        photo=row.picture or "",
    )
