"""Store which players opened the link to answer a group's round from their private chat."""

from sqlalchemy import delete, exists, or_, select

from bot.database import Tx, build_insert_for, delete_batch
from bot.database.schema import rounds, tallies
from bot.database.schema import secret_doors as opened_links
from bot.durations import HOUR

LINK_LIFETIME = 24 * HOUR  # Seconds
MAX_LINKS = 5  # Of one player that are looked at


def store_opened_link(tx: Tx, player_id: int, round_id: int, now: float) -> None:
    """Store that the player opened the link: private messages may answer that round from now on."""
    insert = build_insert_for(tx.dialect.name, opened_links)
    latest = {"at": insert.excluded.at}
    upsert = insert.on_conflict_do_update(index_elements=["player_id", "round_id"], set_=latest)
    tx.execute(upsert, {"player_id": player_id, "round_id": round_id, "at": now})


def load_link_opening_time(tx: Tx, player_id: int, round_id: int) -> float | None:
    """Return when the player last opened the link of that round; None for never."""
    own = (opened_links.c.player_id == player_id, opened_links.c.round_id == round_id)
    return tx.scalar(select(opened_links.c.at).where(*own))


def load_linked_round_ids(tx: Tx, player_id: int) -> list[int]:
    """Return the ids of the last `MAX_LINKS` rounds whose links the player opened, the latest first."""
    own = select(opened_links.c.round_id).where(opened_links.c.player_id == player_id)
    latest_first = own.order_by(opened_links.c.at.desc(), opened_links.c.round_id.desc())
    return list(tx.scalars(latest_first.limit(MAX_LINKS)))


def delete_links_to_chat(tx: Tx, player_id: int, chat_id: int) -> None:
    in_chat = opened_links.c.round_id.in_(select(rounds.c.id).where(rounds.c.chat_id == chat_id))
    tx.execute(delete(opened_links).where(opened_links.c.player_id == player_id, in_chat))


def load_players_with_links(tx: Tx, chat_id: int) -> list[int]:
    """Return the players who opened a link to any round of that chat, and so may answer its open hand."""
    of_chat = opened_links.c.round_id.in_(select(rounds.c.id).where(rounds.c.chat_id == chat_id))
    return list(tx.scalars(select(opened_links.c.player_id).where(of_chat).distinct()))


def has_answered_in_chat(tx: Tx, player_id: int, chat_id: int) -> bool:
    has_tally = exists().where(tallies.c.chat_id == chat_id, tallies.c.player_id == player_id)
    return bool(tx.scalar(select(has_tally)))


def delete_old_links(tx: Tx, now: float) -> bool:
    """Delete some links: to ended rounds after an hour, to all after a day; return if there may be more."""
    open_round_ids = select(rounds.c.id).where(rounds.c.state == "open")
    is_to_ended_round = opened_links.c.round_id.not_in(open_round_ids)
    is_useless = is_to_ended_round & (opened_links.c.at < now - HOUR)
    is_expired = opened_links.c.at < now - LINK_LIFETIME
    return delete_batch(tx, opened_links, or_(is_useless, is_expired))
