"""Load and store contests and the cards in them.

A contest is a round in a state that other rounds never have, so that queries for the round of a chat skip it.
A card is its player's entry: JSON with the game's own value and the message that shows it.
"""

import json
import logging
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Row, bindparam, delete, exists, or_, select, update

from bot.database import Tx, parse_object
from bot.database.schema import entries, rounds
from bot.durations import DAY
from bot.modes.contest.rules import CardProgress, PlayerCard, compute_deadline
from bot.players.privacy import aliases
from bot.rounds import attempts as round_entries
from bot.rounds import queries as rows
from bot.rounds.puzzle import Entry, Kind
from bot.rounds.registry import CONTEST_GAMES
from bot.rounds.rows import is_in_state, read_round
from bot.rounds.rules import Round, State

log = logging.getLogger(__name__)

# Statements are built once: each turn on a card needs some of them, and building takes longer than the
# database.
RUNNING = is_in_state(State.RUNNING)
IN_CHAT = rounds.c.chat_id == bindparam("chat")
IN_TOPIC = rounds.c.topic == bindparam("topic")

RUNNING_IN_GAME = rows.select_rounds(RUNNING, rounds.c.game == bindparam("game"))


def load_running_contests(tx: Tx, game: str) -> list[Round]:
    return rows.load_rounds(tx, RUNNING_IN_GAME, game=game)


RUNNING_IN_CHAT = rows.select_rounds(RUNNING, IN_CHAT)


def load_running_contests_in_chat(tx: Tx, chat_id: int) -> list[Round]:
    """Load the running contests of all topics of a chat."""
    return rows.load_rounds(tx, RUNNING_IN_CHAT, chat=chat_id)


RUNNING_IN_TOPIC = RUNNING_IN_CHAT.where(IN_TOPIC)


def load_running_contest(tx: Tx, chat_id: int, topic: int, game: str | None = None) -> Round | None:
    """Load the running contest of a chat and topic, of one game or of any; None if there is none."""
    running = rows.load_rounds(tx, RUNNING_IN_TOPIC, chat=chat_id, topic=topic)
    found = [round for round in running if game in (None, round.game)]
    return found[-1] if found else None


NEWEST_IDS = (
    select(rounds.c.id).where(IN_CHAT).order_by(rounds.c.id.desc()).limit(300)
)  # Keeps the query short
ENDED = rows.select_rounds(
    rounds.c.kind == Kind.CONTEST.value,
    rounds.c.id.in_(NEWEST_IDS),
    IN_TOPIC,
    rounds.c.closed >= bindparam("since"),
)


def load_ended_contest(tx: Tx, chat_id: int, topic: int, since: float) -> Round | None:
    """Load the newest contest of a chat and topic that ended since a time; None if there is none."""
    found = rows.load_rounds(tx, ENDED, chat=chat_id, topic=topic, since=since)
    return found[-1] if found else None


DUE = rows.select_rounds(RUNNING, rounds.c.deadline < bindparam("now"))


def load_due_contests(tx: Tx, now: float) -> list[Round]:
    """Load the contests whose deadline has passed."""
    return rows.load_rounds(tx, DUE, now=now)


REDRAW_INTERVAL = 15.0  # Seconds between two edits of a group's message that show only progress
STALE = select(rounds.c.id).where(
    RUNNING,
    rounds.c.chat_id < 0,
    rounds.c.message_id.is_not(None),
    rounds.c.shown <= bindparam("before"),
    exists().where(entries.c.round_id == rounds.c.id, entries.c.at >= rounds.c.shown),
)


def load_stale_contest_ids(tx: Tx, now: float) -> list[int]:
    """Load the ids of contests in groups that have progressed since their message was drawn."""
    return list(tx.scalars(STALE, {"before": now - REDRAW_INTERVAL}))


THIS = rounds.c.id == bindparam("this")
UPDATE_RUNNING = update(rounds).where(THIS, RUNNING)


def close_contest(tx: Tx, round: Round, now: float) -> Round | None:
    """Close a contest and return it; None if another transaction closed it first."""
    over = replace(round, state=State.OVER, closed=now)
    changed = {"this": round.id, "state": over.state.value, "closed": now}
    return over if tx.execute(UPDATE_RUNNING, changed).rowcount == 1 else None


MAX_AGE = 30 * DAY
OVERDUE = rows.select_rounds(
    RUNNING,
    or_(
        rounds.c.deadline < bindparam("now"),
        rounds.c.deadline.is_(None),
        rounds.c.opened < bindparam("before"),
    ),
)


def close_unreadable_contests(tx: Tx, now: float) -> None:
    """Close the contests whose deadline has passed and that can't be read, or are older than `MAX_AGE`."""
    for row in tx.execute(OVERDUE, {"now": now, "before": now - MAX_AGE}).all():
        if not _can_be_ended(row, now):
            log.warning("contest %s is set aside", row.id)
            tx.execute(UPDATE_RUNNING, {"this": row.id, "state": State.OVER.value, "closed": now})


def _can_be_ended(row: Row[Any], now: float) -> bool:
    is_recent_contest = row.kind == Kind.CONTEST.value and row.opened >= now - MAX_AGE
    return is_recent_contest and read_round(row) is not None


def clear_message(tx: Tx, round: Round) -> Round:
    """Forget the contest's message, so that the next one is posted, and return the contest."""
    tx.execute(update(rounds).where(THIS), {"this": round.id, "message_id": None})
    return replace(round, message_id=None)


# Cards

IN_ROUND = entries.c.round_id == bindparam("this")
CARD = select(entries).where(IN_ROUND, entries.c.player_id == bindparam("player"))


def load_card(tx: Tx, round: Round, player_id: int) -> PlayerCard | None:
    row = tx.execute(CARD, {"this": round.id, "player": player_id}).first()
    return None if row is None else read_card(round, Entry(row.player_id, row.answer, row.at))


CARDS = select(entries).where(IN_ROUND, entries.c.player_id.in_(bindparam("players", expanding=True)))


def load_cards_by_player(tx: Tx, round: Round, players: Collection[int]) -> dict[int, PlayerCard]:
    """Load the cards of these players, by player."""
    found = tx.execute(CARDS, {"this": round.id, "players": list(players)}) if players else ()
    cards = (read_card(round, Entry(row.player_id, row.answer, row.at)) for row in found)
    return {card.player_id: card for card in cards if card is not None}


def load_cards(tx: Tx, round: Round) -> list[PlayerCard]:
    """Load all cards, without those of deleted players."""
    return _read_cards(round, round_entries.load_entries(tx, round))


OF_PLAYER = select(entries.c.round_id).where(entries.c.player_id == bindparam("player"))
RUNNING_OF_PLAYER = rows.select_rounds(RUNNING, rounds.c.id.in_(OF_PLAYER))


def load_running_cards(tx: Tx, player_id: int) -> list[tuple[Round, PlayerCard]]:
    """Load a player's cards in running contests."""
    running = rows.load_rounds(tx, RUNNING_OF_PLAYER, player=player_id)
    return [(round, card) for round in running if (card := load_card(tx, round, player_id)) is not None]


def _read_cards(round: Round, stored: Sequence[Entry]) -> list[PlayerCard]:
    cards = (read_card(round, entry) for entry in stored if entry.player_id > 0)
    return [card for card in cards if card is not None]


def read_card(round: Round, entry: Entry) -> PlayerCard | None:
    """Return the card of an entry; None if it can't be read."""
    try:
        stored = parse_object(entry.answer)
        language, message_id = stored.get("language", "en"), stored.get("message")
        if not isinstance(language, str) or type(message_id) not in (int, type(None)):
            raise ValueError("a card with a wrong language or message")
        return PlayerCard(
            player_id=entry.player_id,
            card=CONTEST_GAMES[round.game].unpack_card(stored["card"]),
            changed_at=entry.sent_at,
            language=language,
            message_id=message_id,
            posted_at=float(stored.get("shown", 0.0)),
            photo=str(stored.get("photo", "")),
            warned_at=float(stored.get("warned", 0.0)),
            given_up=bool(stored.get("given_up")),
            has_left=bool(stored.get("left")),
        )
    except Exception as error:  # noqa: BLE001 - the game's own code reads it, and other cards must not suffer
        log.warning("a card of round %s can't be read: %s", round.id, type(error).__name__)
        return None


def store_card(tx: Tx, round: Round, new: PlayerCard) -> None:
    """Insert or update a card."""
    stored = {
        "card": CONTEST_GAMES[round.game].pack_card(new.card),
        "language": new.language,
        "message": new.message_id,
        "shown": new.posted_at,
        "photo": new.photo,
        "warned": new.warned_at,
        "given_up": new.given_up,
        "left": new.has_left,
    }
    round_entries.store_entry(tx, round.id, Entry(new.player_id, json.dumps(stored), new.changed_at))


def mark_given_up(tx: Tx, round: Round, players: Collection[int], *, full: bool = True) -> None:
    """Mark the cards of these players as given up; without `full`, only cards that are not full."""
    game = CONTEST_GAMES[round.game]
    for card in load_cards(tx, round):
        if card.player_id in players and (full or game.count_turns_played(card.card) < game.turn_count):
            store_card(tx, round, replace(card, given_up=True))


# Progress


def compute_progress(round: Round, card: PlayerCard) -> CardProgress:
    game = CONTEST_GAMES[round.game]
    turns = game.count_turns_played(card.card)
    counts = turns == game.turn_count and not card.given_up
    total = game.compute_total(round.puzzle, card.card) if counts else None
    return CardProgress(card.player_id, turns, card.changed_at, total, card.given_up, card.has_left)


def read_progress(round: Round, handed_in: Sequence[Entry]) -> list[CardProgress]:
    """Return the progress of all players by the entries of a round."""
    return [compute_progress(round, card) for card in _read_cards(round, handed_in)]


def load_progress(tx: Tx, round: Round) -> list[CardProgress]:
    return [compute_progress(round, card) for card in load_cards(tx, round)]


def update_deadline(tx: Tx, round: Round) -> list[CardProgress]:
    """Store the deadline by the present progress, and return the progress."""
    progress = load_progress(tx, round)
    deadline = compute_deadline(round.opened, progress, alone=round.chat_id > 0)
    tx.execute(UPDATE_RUNNING, {"this": round.id, "deadline": deadline})
    return progress


HAS_ALIAS_CARD = exists().where(entries.c.round_id == rounds.c.id, entries.c.player_id < 0)
WITH_ALIAS_CARD = rows.select_rounds(RUNNING, rounds.c.deadline > bindparam("now"), HAS_ALIAS_CARD)


def update_deadlines(tx: Tx, now: float) -> None:
    """Update the deadlines of contests with a deleted player, who may have been the last one playing."""
    for round in rows.load_rounds(tx, WITH_ALIAS_CARD, now=now):
        update_deadline(tx, round)


# Cards of deleted players


def move_cards_to_alias(tx: Tx, player_id: int) -> None:
    """Store a deleted player's cards in running contests under an alias.

    A player who has seen the rolls can't begin again.
    """
    running = select(rounds.c.id).where(RUNNING, rounds.c.chat_id < 0)
    of_player = (entries.c.player_id == player_id, entries.c.round_id.in_(running))
    for row in tx.execute(select(entries).where(*of_player)).all():
        bare = json.dumps({"card": parse_object(row.answer).get("card")})
        this = (entries.c.round_id == row.round_id, entries.c.player_id == player_id)
        alias = aliases.load_or_create_alias(tx, player_id)
        tx.execute(update(entries).where(*this).values(player_id=alias, answer=bare))


def restore_card_from_alias(tx: Tx, round: Round, player_id: int) -> None:
    """Give a player the card back that was stored under their alias, if there is one."""
    alias_ids = [number for number in aliases.load_ids(tx, player_id) if number != player_id]
    of_alias = (entries.c.round_id == round.id, entries.c.player_id.in_(alias_ids))
    tx.execute(update(entries).where(*of_alias).values(player_id=player_id))


def delete_alias_cards(tx: Tx, round: Round) -> None:
    """Delete the cards of deleted players, once nobody can begin any more."""
    tx.execute(delete(entries).where(entries.c.round_id == round.id, entries.c.player_id < 0))
