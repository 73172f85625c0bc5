"""Load and store contests and the cards in them.

A contest is a round in a state that other rounds never have, so that queries for the round of a chat skip it.
A card is its player's entry: JSON with the game's own value and the message that shows it.
"""

import json
import logging
from collections.abc import Collection, Sequence
from dataclasses import replace

from sqlalchemy import delete, exists, select, update

from bot.database import Tx, parse_object
from bot.database.schema import entries, rounds
from bot.modes.contest.rules import PlayerCard, compute_deadline
from bot.players import aliases
from bot.rounds import attempts as round_entries
from bot.rounds import queries as rows
from bot.rounds.puzzle import Entry, Kind
from bot.rounds.queries import RUNNING
from bot.rounds.registry import CONTEST_GAMES
from bot.rounds.rules import Round, State

log = logging.getLogger(__name__)


def load_running_contests(tx: Tx, **columns: int | str) -> list[Round]:
    """Load the running contests with these values in columns such as `chat_id`, the oldest first."""
    return rows.load_rounds(tx, rows.select_rounds(RUNNING).filter_by(**columns))


def load_running_contest(tx: Tx, chat_id: int, topic: int, **columns: int | str) -> Round | None:
    """Load the latest running contest of a chat and topic, with these values in columns; None without one."""
    running = load_running_contests(tx, chat_id=chat_id, topic=topic, **columns)
    return running[-1] if running else None


MAX_NEWEST = 300  # Rounds that are searched, so that the query is short in a chat with many


def load_ended_contest(tx: Tx, chat_id: int, topic: int, since: float) -> Round | None:
    """Load the newest contest of a chat and topic that ended since a time; None if no recent round is one."""
    ids = select(rounds.c.id).where(rounds.c.chat_id == chat_id)
    newest_ids = ids.order_by(rounds.c.id.desc()).limit(MAX_NEWEST)
    is_contest = (rounds.c.kind == Kind.CONTEST.value, rounds.c.topic == topic, rounds.c.closed >= since)
    ended = rows.load_rounds(tx, rows.select_rounds(*is_contest, rounds.c.id.in_(newest_ids)))
    return ended[-1] if ended else None  # loaded in the order of their ids


REDRAW_INTERVAL = 15.0  # Seconds between two edits of a group's message that show only progress


def load_stale_contests(tx: Tx, now: float) -> list[Round]:
    """Load groups' running contests with progress since their message was drawn, `REDRAW_INTERVAL` ago."""
    has_progressed = exists().where(entries.c.round_id == rounds.c.id, entries.c.at >= rounds.c.shown)
    is_shown = (rounds.c.chat_id < 0, rounds.c.message_id.is_not(None))
    is_due = rounds.c.shown <= now - REDRAW_INTERVAL
    return rows.load_rounds(tx, rows.select_rounds(RUNNING, *is_shown, is_due, has_progressed))


def close_contest(tx: Tx, round: Round, now: float) -> Round | None:
    """Close a contest and return it; None if another transaction closed it first."""
    is_closed = rows.update_round(tx, round.id, RUNNING, state=State.OVER.value, closed=now)
    return replace(round, state=State.OVER, closed=now) if is_closed else None


def clear_message(tx: Tx, round_id: int) -> None:
    """Forget the contest's message, so that the next one is posted."""
    rows.update_round(tx, round_id, message_id=None)


def load_card(tx: Tx, round: Round, player_id: int) -> PlayerCard | None:
    """Load a player's card; None if there is none or it can't be read."""
    of_player = (entries.c.round_id == round.id, entries.c.player_id == player_id)
    row = tx.execute(select(entries).where(*of_player)).first()
    return None if row is None else _read_card(round, Entry(row.player_id, row.answer, row.at))


def load_cards(tx: Tx, round: Round) -> list[PlayerCard]:
    return read_cards(round, round_entries.load_entries(tx, round))


def forget_card_message(tx: Tx, player_id: int, message_id: int) -> bool:
    """Forget the message of a player's card in a running contest; False if there is no such card."""
    has_card = exists().where(entries.c.round_id == rounds.c.id, entries.c.player_id == player_id)
    for round in rows.load_rounds(tx, rows.select_rounds(RUNNING, has_card)):
        card = load_card(tx, round, player_id)
        if card is not None and card.message_id == message_id:
            store_card(tx, round, replace(card, message_id=None))
            return True
    return False


def read_cards(round: Round, stored: Sequence[Entry]) -> list[PlayerCard]:
    """Return the cards that can be read, without those of deleted players, whose ids are negative aliases."""
    cards = (_read_card(round, entry) for entry in stored if entry.player_id > 0)
    return [card for card in cards if card is not None]


def _read_card(round: Round, entry: Entry) -> PlayerCard | None:
    """Return the card of an entry; None if it can't be read."""
    game = CONTEST_GAMES[round.game]
    try:
        stored = parse_object(entry.answer)
        card = game.unpack_card(stored["card"])
        turns, given_up = game.count_turns_played(card), bool(stored.get("given_up"))
        has_total = turns == game.turn_count and not given_up
        return PlayerCard(
            player_id=entry.player_id,
            card=card,
            changed_at=entry.sent_at,
            language=stored.get("language", "en"),
            message_id=stored.get("message"),
            posted_at=float(stored.get("shown", 0.0)),
            photo=str(stored.get("photo", "")),
            warned_at=float(stored.get("warned", 0.0)),
            given_up=given_up,
            has_left=bool(stored.get("left")),
            turns_played=turns,
            total=game.compute_total(round.puzzle, card) if has_total else None,
        )
    except Exception as error:  # noqa: BLE001 - the game's own code reads it, and other cards must not suffer
        log.warning("a card of round %s can't be read: %s", round.id, type(error).__name__)
        return None


def store_card(tx: Tx, round: Round, new: PlayerCard) -> None:
    """Store a player's card in place of an earlier one."""
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


def give_up_cards(tx: Tx, round: Round, players: Collection[int], *, full_cards_too: bool = True) -> None:
    """Mark the cards of these players as given up; full ones only with `full_cards_too`."""
    for card in load_cards(tx, round):
        if card.player_id in players and (full_cards_too or card.total is None):
            store_card(tx, round, replace(card, given_up=True))


def update_deadline(tx: Tx, round: Round) -> None:
    """Store the deadline that follows from the present progress, unless the contest is over."""
    deadline = compute_deadline(round.opened, load_cards(tx, round), alone=round.is_private)
    rows.update_round(tx, round.id, RUNNING, deadline=deadline)


def move_cards_to_alias(tx: Tx, player_id: int) -> None:
    """Store a deleted player's cards in groups' running contests under an alias; update the deadlines.

    They are kept, since a player who has seen the rolls can't begin again.
    """
    running = select(rounds.c.id).where(RUNNING, rounds.c.chat_id < 0)
    of_player = (entries.c.player_id == player_id, entries.c.round_id.in_(running))
    for row in tx.execute(select(entries).where(*of_player)).all():
        # The player's language and messages are not kept
        bare_card = json.dumps({"card": parse_object(row.answer).get("card")})
        is_this = (entries.c.round_id == row.round_id, entries.c.player_id == player_id)
        alias = aliases.make_alias(tx, player_id)
        tx.execute(update(entries).where(*is_this).values(player_id=alias, answer=bare_card))
        round = rows.load_round(tx, row.round_id)
        if round is not None:
            update_deadline(tx, round)


def restore_card_from_alias(tx: Tx, round: Round, player_id: int) -> None:
    """Give a player the card back that was stored under their alias, if there is one."""
    alias = aliases.load_alias(tx, player_id)
    if alias is not None:
        of_alias = (entries.c.round_id == round.id, entries.c.player_id == alias)
        tx.execute(update(entries).where(*of_alias).values(player_id=player_id))


def delete_alias_cards(tx: Tx, round: Round) -> None:
    """Delete the cards of deleted players in a contest that is over, where nobody can begin again."""
    tx.execute(delete(entries).where(entries.c.round_id == round.id, entries.c.player_id < 0))
