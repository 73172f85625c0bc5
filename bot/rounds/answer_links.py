"""Who answers rounds of groups from the private chat, by the links that each opened: their queries."""

from functools import cache
from typing import Any

from sqlalchemy import bindparam, delete, exists, or_, select

from bot.database import Tx, build_insert_for, delete_batch
from bot.database.schema import BigInt, rounds, secret_doors, tallies
from bot.durations import HOUR

LINK_LIFETIME = 24 * HOUR  # Seconds for which a link leads to its round at most
MOST = 5  # Links of one person that are looked at

# Built once, since what is written in private needs them and building takes longer than the database does

CHAT, PLAYER = bindparam("chat", type_=BigInt), bindparam("player", type_=BigInt)
MINE = secret_doors.c.player_id == PLAYER
OPENED_AT = select(secret_doors.c.at).where(MINE, secret_doors.c.round_id == bindparam("round"))
LATEST_FIRST = (secret_doors.c.at.desc(), secret_doors.c.round_id.desc())
ROUNDS = select(secret_doors.c.round_id).where(MINE).order_by(*LATEST_FIRST).limit(MOST)
THERE = select(rounds.c.id).where(rounds.c.chat_id == CHAT)
CLOSE = delete(secret_doors).where(MINE, secret_doors.c.round_id.in_(THERE))
LED = select(secret_doors.c.player_id).join(rounds, rounds.c.id == secret_doors.c.round_id)
PLAYERS = LED.where(rounds.c.chat_id == CHAT).distinct()
PLAYED_THERE = select(exists().where(tallies.c.chat_id == CHAT, tallies.c.player_id == PLAYER))


@cache
def _opening(dialect: str) -> Any:
    """An INSERT of a link that was opened, again or for the first time."""
    statement = build_insert_for(dialect, secret_doors)
    key, latest = ["player_id", "round_id"], {"at": statement.excluded.at}
    return statement.on_conflict_do_update(index_elements=key, set_=latest)


def store_opened_link(tx: Tx, player_id: int, round_id: int, now: float) -> None:
    """What the person writes in private may answer that round from now on."""
    row = {"player_id": player_id, "round_id": round_id, "at": now}
    tx.execute(_opening(tx.dialect.name), row)


def load_link_opening_time(tx: Tx, player_id: int, round_id: int) -> float | None:
    """When the person last opened the link of that round; None for never."""
    at = tx.scalar(OPENED_AT, {"player": player_id, "round": round_id})
    return None if at is None else float(at)


def load_linked_round_ids(tx: Tx, player_id: int) -> list[int]:
    """The rounds whose links the person opened, the latest first; no more than the last few."""
    return [int(number) for number in tx.scalars(ROUNDS, {"player": player_id})]


def delete_links_to_chat(tx: Tx, player_id: int, chat_id: int) -> None:
    """What the person writes in private answers no round of that group any more."""
    tx.execute(CLOSE, {"player": player_id, "chat": chat_id})


def load_players_with_links(tx: Tx, chat_id: int) -> list[int]:
    """Who may answer a round of that group from their private chat: a link leads on to the next hand."""
    return [int(player) for player in tx.scalars(PLAYERS, {"chat": chat_id})]


def has_answered_in_chat(tx: Tx, player_id: int, chat_id: int) -> bool:
    """Whether the person has answered anything in that chat, and so was seen there."""
    return bool(tx.scalar(PLAYED_THERE, {"player": player_id, "chat": chat_id}))


def delete_old_links(tx: Tx, now: float) -> bool:
    """Close the doors of rounds that are over, and of long ago; whether there may be more."""
    live = select(rounds.c.id).where(rounds.c.state == "open")
    over = secret_doors.c.round_id.not_in(live) & (secret_doors.c.at < now - HOUR)
    return delete_batch(tx, secret_doors, or_(over, secret_doors.c.at < now - LINK_LIFETIME))
