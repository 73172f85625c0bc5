"""Export everything that is stored of a person, or delete it.

A forgotten person leaves rows behind on which others' scores rest: rounds that were dealt or won, and their
points. These belong to `FORGOTTEN_PLAYER` from then on. Everything else is deleted, and the leaderboards are
adjusted in the same transaction.
"""

import json
from collections.abc import Collection
from dataclasses import asdict
from datetime import UTC, datetime
from functools import cache
from typing import Any

from sqlalchemy import BindParameter, Select, and_, bindparam, delete, func, or_, select, update

from bot.database import Tx
from bot.database.schema import (
    FORGOTTEN_PLAYER,
    BigInt,
    awards,
    best_days,
    chains,
    chats,
    duels,
    inbox,
    last_wins,
    lost_messages,
    metadata,
    outbox,
    players,
    races,
    rounds,
    scheduled_posts,
    stops,
    tallies,
    tries,
    votes,
)
from bot.i18n import format_name, make_mention
from bot.modes.contest import queries as contests
from bot.modes.daily import queries as daily
from bot.modes.duel import queries as challenges
from bot.players import aliases
from bot.players import queries as people
from bot.queue.outgoing import TELL_PRIVATELY
from bot.standings.leaderboard import totals as boards
from bot.standings.leaderboard.view import PROFILE_PREFIX

# Export

PLAYER: BindParameter[int] = bindparam("player", type_=BigInt)
IDS: BindParameter[int] = bindparam("ids", expanding=True, type_=BigInt)  # The player's id and alias


def load_export(tx: Tx, player_id: int) -> str:
    """Return everything that is stored of a person as JSON, by topic; times are in UTC."""
    ids = aliases.load_ids(tx, player_id)
    export = {topic: _load_rows(tx, rows, player_id, ids) for topic, rows in _build_topics().items()}
    export["points"] = [asdict(total) for total in boards.load_totals_of_player(tx, player_id)]
    for total in export["points"]:
        del total["player_id"]
    return json.dumps(export, ensure_ascii=False, indent=1)


@cache
def _build_topics() -> dict[str, Select[Any]]:
    return {
        "player": _select("players", owner="id"),
        "private_chat": _select("chats", "language", "settings", owner="id"),
        "rounds_dealt": _select(
            "rounds", "chat_id", "game", "line", "level", "options", "opened", owner="dealer_id"
        ),
        "fair_chains": _select("chains", "game", "used", owner="chat_id"),
        "races_started": _select("races", "chat_id", "length", "opened", owner="starter_id"),
        "duels": select(duels.c.chat_id, duels.c.game, duels.c.options, duels.c.state, duels.c.until)
        .add_columns((duels.c.winner_id == PLAYER).label("won"))
        .where(or_(duels.c.challenger_id == PLAYER, duels.c.opponent_id == PLAYER)),
        "votes_to_stop": select(races.c.chat_id, races.c.opened)
        .join(stops, stops.c.race_id == races.c.id)
        .where(stops.c.player_id == PLAYER),
        "right_answers": _select(
            "awards", "chat_id", "expression", "points", "seconds", "expected", "level", "at", "game"
        )
        .add_columns(rounds.c.line)
        .outerjoin(rounds, rounds.c.id == awards.c.round_id)
        .order_by(awards.c.id),
        "wrong_answers": _select_with_round("tries"),
        "answers_handed_in": _select_with_round("entries"),
        "votes_to_skip": _select_with_round("votes"),
        "daily_hands": _select("attempts"),
        "daily_tables": _select("seats", "day", "chat_id"),
        "rating": _select("ratings", "mu", "sigma", "hands", "at"),
        "tallies": _select("tallies"),
        "best_days": _select("best_days"),
        "practised": _select("practised", "skill", "level", "at", "seconds", "expected", "wrong", "hints"),
        "storms_and_streaks": _select("runs", "mode", "opened", "score"),
        "answers_for_review": _select("wrong_answers", "hand", "answer", "at"),
        "private_replies": _select("private_words", "chat_id", "key", "waiting", "at"),
        "secret_answers": _select("secret_doors", "round_id", "at"),
        "messages_on_pages": _select("board_words", "text", "is_right", "at"),
        "solved_offline": _select("board_offline", "day", "answer", "claimed", "received"),
        "achievements": _select("achievements", "name", "at"),
        "classes": _select("classes", "code", "opened", "closed", owner="teacher_id"),
        "reminders": _select("scheduled_posts", "period", "at", owner="chat_id"),
        "solutions_shown": _select("reveals", "numbers", "at", owner="reader"),
    }


def _select(name: str, *columns: str, owner: str = "player_id") -> Select[Any]:
    """Build the SELECT of a table's rows with the player's id or alias in `owner`; all columns by default."""
    table = metadata.tables[name]
    names = columns or table.c.keys()
    rows = select(*(table.c[column] for column in names))
    return rows.where(table.c[owner].in_(IDS))


def _select_with_round(name: str) -> Select[Any]:
    """Build the SELECT of a player's rows of a table, each with its round."""
    table = metadata.tables[name]
    columns = [column for column in table.c if column.name not in {"player_id", "round_id"}]
    with_round = select(rounds.c.chat_id, rounds.c.game, rounds.c.line, rounds.c.opened, *columns)
    return with_round.join(table, table.c.round_id == rounds.c.id).where(table.c.player_id == PLAYER)


TIME_COLUMNS = ("at", "streak_at", "opened", "shown", "closed", "deadline", "until", "claimed", "received")


def _load_rows(tx: Tx, rows: Select[Any], player_id: int, ids: Collection[int]) -> list[dict[str, object]]:
    """Load the rows of a topic, with times as dates."""

    def format_value(column: str, value: object) -> object:
        if column not in TIME_COLUMNS or not isinstance(value, int | float):
            return value
        return datetime.fromtimestamp(value, UTC).isoformat(timespec="seconds")

    return [
        {column: format_value(column, value) for column, value in row.items()}
        for row in tx.execute(rows, {"player": player_id, "ids": ids}).mappings()
    ]


# Choices and deletion


def store_name_choice(tx: Tx, player_id: int, *, is_shown: bool) -> None:
    """Store whether the leaderboard of all chats shows the person's whole name or the first letter."""
    tx.execute(update(players).where(players.c.id == player_id).values(masked=int(not is_shown)))


# Rows that are deleted with the person, by the column of the person's id
OWNED_TABLES = (
    "tries votes entries stops last_wins attempts seats achievements ratings practised private_words"
    " secret_doors tallies best_days board_words board_offline runs wrong_answers"
)
OWNED_ROWS = [(players, "id"), *((metadata.tables[name], "player_id") for name in OWNED_TABLES.split())]
# Rows that stay, with `FORGOTTEN_PLAYER` in the person's place
SHARED_ROWS = [(rounds, "dealer_id"), (awards, "player_id"), (races, "starter_id")]
SHARED_ROWS += [(duels, "challenger_id"), (duels, "opponent_id"), (duels, "winner_id")]
TRACES_FACT = "forgotten"  # Somebody was forgotten since the database file was last rewritten


def forget_player(tx: Tx, player_id: int) -> None:
    """Remove a person from every table.

    An alias stays for some days where the person could otherwise score by coming back as a stranger.
    """
    # The order matters: a row is read, or moved to the alias, before it is deleted below.
    daily.move_attempts_to_alias(tx, player_id)
    contests.move_cards_to_alias(tx, player_id)
    chat_ids = list(tx.scalars(select(last_wins.c.chat_id).where(last_wins.c.player_id == player_id)))
    boards.remove_player(tx, player_id)
    _replace_in_won_rounds(tx, player_id)
    tx.execute(update(duels).where(duels.c.opponent_id == player_id).values(opponent=""))  # the name
    _delete_private_chat(tx, player_id)
    _forget_in_queues(tx, player_id)
    forget_username(tx, tx.scalar(select(players.c.username).where(players.c.id == player_id)))
    for table, column in OWNED_ROWS:
        tx.execute(delete(table).where(table.c[column] == player_id))
    for table, column in SHARED_ROWS:
        tx.execute(update(table).where(table.c[column] == player_id).values({column: FORGOTTEN_PLAYER}))
    for chat_id in chat_ids:  # where the person has won
        if boards.is_chat_counted(tx, chat_id):
            last_win = select(func.max(last_wins.c.at)).where(last_wins.c.chat_id == chat_id)
            boards.update_chat_counted(tx, chat_id, tx.scalar(last_win) or 0.0)
    people.store_fact(tx, TRACES_FACT, "1")  # the file holds the deleted rows until it is rewritten


def _replace_in_won_rounds(tx: Tx, player_id: int) -> None:
    """Replace the person, as winner and in others' notes, in the rounds that gave the person points."""
    scored = select(awards.c.round_id).where(awards.c.player_id == player_id)
    mention, nobody = make_mention(player_id), make_mention(FORGOTTEN_PLAYER)
    noted = update(tries).where(tries.c.round_id.in_(scored), tries.c.note.contains(mention))
    tx.execute(noted.values(note=func.replace(tries.c.note, mention, nobody)))
    won = update(rounds).where(rounds.c.id.in_(scored), rounds.c.winner_id == player_id)
    tx.execute(won.values(winner_id=FORGOTTEN_PLAYER))


def _delete_private_chat(tx: Tx, player_id: int) -> None:
    """Delete the private chat, which has the person's id, with everything that was played in it."""
    round_ids = select(rounds.c.id).where(rounds.c.chat_id == player_id)
    for table in (tries, votes):
        tx.execute(delete(table).where(table.c.round_id.in_(round_ids)))
    others = (awards, rounds, chains, races, duels, last_wins, tallies, best_days, lost_messages)
    for table in (*others, scheduled_posts):
        tx.execute(delete(table).where(table.c.chat_id == player_id))
    tx.execute(delete(chats).where(chats.c.id == player_id))


def forget_username(tx: Tx, username: str | None) -> None:
    """Remove a username from challenges to a duel, stored and queued; its owner may be no player."""
    if not username:
        return
    offers = challenges.load_challenges_to_username(tx, username)
    for name in {f"@{username}", *(offer.opponent_name for offer in offers)}:
        _replace_in_outbox(tx, _format_in_json(format_name(name)), _format_in_json(format_name(None)))
    challenges.forget_username(tx, username)


def _forget_in_queues(tx: Tx, player_id: int) -> None:
    """Delete the person's requests and updates, and remove the person from those of others.

    Deleted are requests to the person or with the person's profile, and those requests and updates with the
    id or the name that wait for nothing but an operator.
    """
    body = outbox.c.body
    to_person = and_(body.contains(f'"method": "{TELL_PRIVATELY}"'), body.contains(f'"to": {player_id},'))
    profile = body.contains(f'"{PROFILE_PREFIX}:{player_id}:')
    tx.execute(delete(outbox).where(or_(outbox.c.lane == player_id, to_person, profile)))
    _replace_in_outbox(tx, make_mention(player_id), make_mention(FORGOTTEN_PLAYER))
    names = tx.scalars(select(players.c.name).where(players.c.id == player_id))
    names_in_json = [_format_in_json(format_name(name)) for name in names]
    is_named = [body.contains(name, autoescape=True) for name in names_in_json]
    has_person = or_(body.contains(str(player_id)), *is_named)
    tx.execute(delete(outbox).where(outbox.c.state != "waiting", has_person))
    for name in names_in_json:  # requests that wait to be sent stay, without the name
        _replace_in_outbox(tx, name, _format_in_json(format_name(None)))
    has_id = or_(inbox.c.lane == player_id, inbox.c.body.contains(str(player_id)))
    tx.execute(delete(inbox).where(inbox.c.state.in_(("dead", "again")), has_id))


def _replace_in_outbox(tx: Tx, before: str, after: str) -> None:
    """Replace a text in all stored requests."""
    found = update(outbox).where(outbox.c.body.contains(before, autoescape=True))
    tx.execute(found.values(body=func.replace(outbox.c.body, before, after)))


def _format_in_json(text: str) -> str:
    """Return a text as it stands in a stored request, without quotes."""
    return json.dumps(text, ensure_ascii=False)[1:-1]
