"""Contests and the cards in them: what is running, who is playing, and how far.

A contest is a round whose state no other round ever has, so whatever looks for what is on a table passes it
by. A card is its player's entry: JSON with what its game packed and the message that shows it.
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
from bot.rounds import attempts as handing
from bot.rounds import queries as rows
from bot.rounds import rows as stored
from bot.rounds.puzzle import Entry, Kind
from bot.rounds.registry import CONTEST_GAMES
from bot.rounds.rows import is_in_state
from bot.rounds.rules import Round, State

log = logging.getLogger(__name__)

LONGEST = 30 * DAY  # Seconds after which a contest is over whatever its deadline says
NEW = 300  # Rounds of a chat among which a contest that ended is looked for
STALE = 15.0  # Seconds between two times that a group's message is drawn only because somebody came further

# Built once, since every move on a card asks some of them and building takes longer than the database does

RUNS, THIS = is_in_state(State.RUNNING), rounds.c.id == bindparam("this")
HERE, CONTEST = rounds.c.chat_id == bindparam("chat"), rounds.c.kind == Kind.CONTEST.value
IN_GAME = rows.select_rounds(RUNS, rounds.c.game == bindparam("game"))
IN_CHAT = rows.select_rounds(RUNS, HERE)
AT_TABLE = IN_CHAT.where(rounds.c.topic == bindparam("topic"))
NEWEST = select(rounds.c.id).where(HERE).order_by(rounds.c.id.desc()).limit(NEW)
ENDED = rows.select_rounds(
    CONTEST,
    rounds.c.id.in_(NEWEST),
    rounds.c.topic == bindparam("topic"),
    rounds.c.closed >= bindparam("since"),
)
DUE = rows.select_rounds(RUNS, rounds.c.deadline < bindparam("now"))
MOVED = exists().where(entries.c.round_id == rounds.c.id, entries.c.at >= rounds.c.shown)
DRAWN = (rounds.c.message_id.is_not(None), rounds.c.shown <= bindparam("before"))
STALE_ONES = select(rounds.c.id).where(RUNS, rounds.c.chat_id < 0, *DRAWN, MOVED)
GONE = exists().where(entries.c.round_id == rounds.c.id, entries.c.player_id < 0)
OVER = rows.select_rounds(
    RUNS,
    or_(
        rounds.c.deadline < bindparam("now"),
        rounds.c.deadline.is_(None),
        rounds.c.opened < bindparam("before"),
    ),
)
LEFT = rows.select_rounds(RUNS, rounds.c.deadline > bindparam("now"), GONE)
MINE = select(entries.c.round_id).where(entries.c.player_id == bindparam("player"))
RUNNING_OF = rows.select_rounds(RUNS, rounds.c.id.in_(MINE))
CHANGE, CHANGE_RUNNING = update(rounds).where(THIS), update(rounds).where(THIS, RUNS)
IN_ROUND = entries.c.round_id == bindparam("this")
SHEET = select(entries).where(IN_ROUND, entries.c.player_id == bindparam("player"))
SHEETS = select(entries).where(IN_ROUND, entries.c.player_id.in_(bindparam("players", expanding=True)))


def load_running_contests(tx: Tx, game: str) -> list[Round]:
    """The contests that run in that game."""
    return rows.load_rounds(tx, IN_GAME, game=game)


def load_running_contest(tx: Tx, chat_id: int, topic: int, game: str | None = None) -> Round | None:
    """The contest that runs in a chat and topic, in that game or in any."""
    here = rows.load_rounds(tx, AT_TABLE, chat=chat_id, topic=topic)
    found = [each for each in here if game in (None, each.game)]
    return found[-1] if found else None


def load_ended_contest(tx: Tx, chat_id: int, topic: int, since: float) -> Round | None:
    """The contest begun last of those that ended in a chat and topic since then, among the newest rounds."""
    found = rows.load_rounds(tx, ENDED, chat=chat_id, topic=topic, since=since)
    return found[-1] if found else None


def load_running_contests_in_chat(tx: Tx, chat_id: int) -> list[Round]:
    """The contests that run in a chat, whatever its topic."""
    return rows.load_rounds(tx, IN_CHAT, chat=chat_id)


def load_due_contests(tx: Tx, now: float) -> list[Round]:
    """The contests whose time is over."""
    return rows.load_rounds(tx, DUE, now=now)


def close_unreadable_contests(tx: Tx, now: float) -> int:
    """End by their columns alone the contests that can't be read, once their time is over; how many."""
    found = tx.execute(OVER, {"now": now, "before": now - LONGEST}).all()
    broken = [row.id for row in found if not _can_end(row, now)]
    for number in broken:
        log.warning("contest %s is set aside", number)
        tx.execute(CHANGE_RUNNING, {"this": number, "state": State.OVER.value, "closed": now})
    return len(broken)


def _can_end(row: Row[Any], now: float) -> bool:
    """Whether a contest whose time is over ends as it should: it can be read, and was not left over."""
    return (
        row.kind == Kind.CONTEST.value and row.opened >= now - LONGEST and stored.read_round(row) is not None
    )


def load_stale_contest_ids(tx: Tx, now: float) -> list[int]:
    """The ids of contests in groups in which somebody came further since their message was drawn."""
    return list(tx.scalars(STALE_ONES, {"before": now - STALE}))


def close_contest(tx: Tx, round: Round, now: float) -> Round | None:
    """Write a contest's end; None when another transaction ended it first."""
    over = replace(round, state=State.OVER, closed=now)
    changed = {"this": round.id, "state": over.state.value, "closed": now}
    ended = tx.execute(CHANGE_RUNNING, changed).rowcount == 1
    return over if ended else None


def clear_message(tx: Tx, round: Round) -> Round:
    """The contest's message is to be posted anew."""
    tx.execute(CHANGE, {"this": round.id, "message_id": None})
    return replace(round, message_id=None)


# Cards


def load_card(tx: Tx, round: Round, player_id: int) -> PlayerCard | None:
    """Somebody's card."""
    row = tx.execute(SHEET, {"this": round.id, "player": player_id}).first()
    return None if row is None else read_card(round, Entry(row.player_id, row.answer, row.at))


def load_cards(tx: Tx, round: Round) -> list[PlayerCard]:
    """All cards, but for those of people who were forgotten."""
    found = (read_card(round, entry) for entry in handing.load_entries(tx, round) if entry.player_id > 0)
    return [each for each in found if each is not None]


def load_cards_by_player(tx: Tx, round: Round, players: Collection[int]) -> dict[int, PlayerCard]:
    """The cards of these players, by player."""
    rows = tx.execute(SHEETS, {"this": round.id, "players": list(players)}) if players else ()
    found = (read_card(round, Entry(row.player_id, row.answer, row.at)) for row in rows)
    return {each.player_id: each for each in found if each is not None}


def load_running_cards(tx: Tx, player_id: int) -> list[tuple[Round, PlayerCard]]:
    """Somebody's cards in contests that run."""
    running = rows.load_rounds(tx, RUNNING_OF, player=player_id)
    found = [(each, load_card(tx, each, player_id)) for each in running]
    return [(each, own) for each, own in found if own is not None]


def store_card(tx: Tx, round: Round, new: PlayerCard) -> None:
    """Store a card as it stands."""
    handing.store_entry(tx, round.id, Entry(new.player_id, _written(round, new), new.changed_at))


def mark_given_up(tx: Tx, round: Round, players: Collection[int], *, full: bool = True) -> None:
    """The cards of these players earn nothing; `full`: neither do full ones."""
    game = CONTEST_GAMES[round.game]
    for each in load_cards(tx, round):
        if each.player_id in players and (full or game.count_turns_played(each.card) < game.turn_count):
            store_card(tx, round, replace(each, given_up=True))


def restore_card_from_alias(tx: Tx, round: Round, player_id: int) -> None:
    """A card that stayed behind when its player was forgotten is theirs again."""
    other = [number for number in aliases.load_ids(tx, player_id) if number != player_id]
    theirs = (entries.c.round_id == round.id, entries.c.player_id.in_(other))
    tx.execute(update(entries).where(*theirs).values(player_id=player_id))


def move_cards_to_alias(tx: Tx, player_id: int) -> None:
    """The player is being forgotten. Cards of contests that run stay as an alias: whoever has seen the rolls
    doesn't begin again.
    """
    runs = select(rounds.c.id).where(RUNS, rounds.c.chat_id < 0)
    mine = (entries.c.player_id == player_id, entries.c.round_id.in_(runs))
    if tx.execute(select(entries.c.round_id).where(*mine).limit(1)).first() is None:
        return
    for row in tx.execute(select(entries).where(*mine)).all():
        bare = json.dumps({"card": parse_object(row.answer).get("card")})
        this = (entries.c.round_id == row.round_id, entries.c.player_id == player_id)
        other = aliases.load_or_create_alias(tx, player_id)
        tx.execute(update(entries).where(*this).values(player_id=other, answer=bare))


def delete_alias_cards(tx: Tx, round: Round) -> None:
    """Let go of what stayed of forgotten people, once nobody can begin any more."""
    tx.execute(delete(entries).where(entries.c.round_id == round.id, entries.c.player_id < 0))


def update_deadline(tx: Tx, round: Round) -> list[CardProgress]:
    """Write when the contest is over as things stand, and return how they do."""
    present = [compute_progress(round, each) for each in load_cards(tx, round)]
    until = compute_deadline(round.opened, present, alone=round.chat_id > 0)
    tx.execute(CHANGE_RUNNING, {"this": round.id, "deadline": until})
    return present


def update_deadlines(tx: Tx, now: float) -> None:
    """Do that where somebody was forgotten, who may have been the only one who still played."""
    for each in rows.load_rounds(tx, LEFT, now=now):
        update_deadline(tx, each)


def compute_progress(round: Round, card: PlayerCard) -> CardProgress:
    """How far a card has come, for the others to know."""
    game = CONTEST_GAMES[round.game]
    done = game.count_turns_played(card.card)
    total = game.compute_total(round.puzzle, card.card) if done == game.turn_count else None
    return CardProgress(
        card.player_id, done, card.changed_at, None if card.given_up else total, card.given_up, card.has_left
    )


def read_progress(round: Round, handed_in: Sequence[Entry]) -> list[CardProgress]:
    """How far everybody has come, by the entries of a round."""
    found = (read_card(round, entry) for entry in handed_in if entry.player_id > 0)
    return [compute_progress(round, each) for each in found if each is not None]


def read_card(round: Round, entry: Entry) -> PlayerCard | None:
    """An entry as a card; None for one that can't be read, which costs that card and no other."""
    try:
        kept = parse_object(entry.answer)
        card = CONTEST_GAMES[round.game].unpack_card(kept["card"])
        language, message, shown = kept.get("language", "en"), kept.get("message"), kept.get("shown", 0.0)
        if not isinstance(language, str) or type(message) not in (int, type(None)):
            raise ValueError("its language or its message is none")
        warned, given_up = float(kept.get("warned", 0.0)), bool(kept.get("given_up"))
        left, photo = bool(kept.get("left")), str(kept.get("photo", ""))
        posted = (language, message, float(shown), photo)
        return PlayerCard(entry.player_id, card, entry.sent_at, *posted, warned, given_up, left)
    except Exception as error:  # noqa: BLE001 - whatever its game gets wrong
        log.warning("a card of round %s can't be read: %s", round.id, type(error).__name__)
        return None


def _written(round: Round, new: PlayerCard) -> str:
    kept = {
        "card": CONTEST_GAMES[round.game].pack_card(new.card),
        "language": new.language,
        "message": new.message_id,
        "shown": new.posted_at,
        "photo": new.photo,
        "warned": new.warned_at,
        "given_up": new.given_up,
        "left": new.has_left,
    }
    return json.dumps(kept)
