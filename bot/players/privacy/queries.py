"""What is kept of a person: handed out whole, and taken out whole.

Whoever is forgotten leaves rows behind that others' scores stand on: a round that was dealt or won, the
points it gave. They belong to `NOBODY` from then on. Everything else goes, and the boards are adjusted in
the same transaction.
"""

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import cache
from itertools import groupby
from operator import itemgetter
from typing import Any

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Select,
    Table,
    and_,
    bindparam,
    delete,
    false,
    func,
    or_,
    select,
    update,
)

from bot.database import Tx
from bot.database.schema import (
    FORGOTTEN_PLAYER,
    MAX_SECONDS,
    BigInt,
    achievements,
    attempts,
    awards,
    best_days,
    board_offline,
    board_words,
    chats,
    duels,
    entries,
    inbox,
    last_wins,
    lost_messages,
    meta,
    outbox,
    players,
    practised,
    private_words,
    races,
    ratings,
    reveals,
    rounds,
    scheduled_posts,
    seats,
    secret_doors,
    stops,
    tallies,
    totals,
    tries,
    votes,
)
from bot.durations import DAY
from bot.i18n import format_name, make_mention
from bot.modes.contest import queries as contests
from bot.modes.daily import queries as daily
from bot.modes.duel import queries as challenges
from bot.modes.lesson import queries as lessons
from bot.players import queries as people
from bot.players.privacy import aliases
from bot.queue.queries import TELL_PRIVATELY
from bot.standings.leaderboard import totals as boards
from bot.standings.leaderboard.totals import ALL_CHATS, ALL_TIME, make_global_period_keys, make_period_key
from bot.standings.stats.view import BUTTON_PREFIX as PROFILE

WHOSE: BindParameter[int] = bindparam("player", type_=BigInt)
# Under which rows of the person may be found.
IDS: BindParameter[int] = bindparam("ids", expanding=True, type_=BigInt)
STANDINGS = select(totals).where(
    *(totals.c.chat_id == bindparam("board"), totals.c.player_id == WHOSE),
    totals.c.period.in_(bindparam("periods", expanding=True)),
)
LINES_AT_ONCE = 200  # Lines of boards that one statement asks for
TRACES = "forgotten"  # The fact that somebody was forgotten since the file was last written anew
DATES = ("at", "streak_at", "opened", "shown", "closed", "deadline", "until", "claimed", "received")

# Rows that go with the person whom the column names.
OWNED: tuple[tuple[Table, str], ...] = (
    (players, "id"),
    (tries, "player_id"),
    (votes, "player_id"),
    (entries, "player_id"),
    (stops, "player_id"),
    (last_wins, "player_id"),
    (attempts, "player_id"),
    (seats, "player_id"),
    (achievements, "player_id"),
    (ratings, "player_id"),
    (practised, "player_id"),
    (private_words, "player_id"),
    (secret_doors, "player_id"),
    (tallies, "player_id"),
    (best_days, "player_id"),
    (board_words, "player_id"),
    (board_offline, "player_id"),
)
# Rows that stay, with nobody in the person's place; a won round is found by its points.
SHARED: tuple[tuple[Table, str], ...] = (
    (rounds, "dealer_id"),
    (awards, "player_id"),
    (races, "starter_id"),
    (duels, "challenger_id"),
    (duels, "opponent_id"),
    (duels, "winner_id"),
)


def load_export(tx: Tx, player_id: int) -> dict[str, Any]:
    """Everything that is kept of a person, ready for JSON; times are in UTC."""
    asked = {"player": player_id, "ids": aliases.load_ids(tx, player_id)}
    found = {topic: _rows(tx, rows, asked) for topic, rows in _kept().items()}
    return found | {"points": _points(tx, player_id)}


@cache
def _kept() -> dict[str, Select[Any]]:
    """What asks for it, by topic; built once, since building takes longer than the database does."""
    return {
        "player": select(players).where(players.c.id == WHOSE),
        "private_chat": select(chats.c.language, chats.c.settings).where(chats.c.id == WHOSE),
        "rounds_dealt": _of(rounds, "chat_id", "game", "line", "level", "options", "opened").where(
            rounds.c.dealer_id == WHOSE
        ),
        "races_started": _of(races, "chat_id", "length", "opened").where(races.c.starter_id == WHOSE),
        "duels": _of(duels, "chat_id", "game", "options", "state", "until")
        .add_columns((duels.c.winner_id == WHOSE).label("won"))
        .where(or_(duels.c.challenger_id == WHOSE, duels.c.opponent_id == WHOSE)),
        "votes_to_stop": select(races.c.chat_id, races.c.opened)
        .join(stops, stops.c.race_id == races.c.id)
        .where(stops.c.player_id == WHOSE),
        "right_answers": _of(
            awards, "chat_id", "expression", "points", "seconds", "expected", "level", "at", "game"
        )
        .add_columns(rounds.c.line)
        .outerjoin(rounds, rounds.c.id == awards.c.round_id)
        .where(awards.c.player_id == WHOSE)
        .order_by(awards.c.id),
        "wrong_answers": _beside_rounds(tries),
        "answers_handed_in": _beside_rounds(entries),
        "votes_to_skip": _beside_rounds(votes),
        "daily_hands": select(attempts).where(attempts.c.player_id.in_(IDS)),
        "daily_tables": select(seats.c.day, seats.c.chat_id).where(seats.c.player_id == WHOSE),
        "rating": _of(ratings, "mu", "sigma", "hands", "at").where(ratings.c.player_id == WHOSE),
        "tallies": select(tallies).where(tallies.c.player_id == WHOSE),
        "best_days": select(best_days).where(best_days.c.player_id == WHOSE),
        "practised": _of(practised, "skill", "level", "at", "seconds", "expected", "wrong", "hints").where(
            practised.c.player_id == WHOSE
        ),
        "words_for_you_alone": _of(private_words, "chat_id", "key", "waiting", "at").where(
            private_words.c.player_id == WHOSE
        ),
        "answering_in_private": _of(secret_doors, "round_id", "at").where(secret_doors.c.player_id == WHOSE),
        "said_on_pages": _of(board_words, "text", "is_right", "at").where(board_words.c.player_id == WHOSE),
        "solved_offline": _of(board_offline, "day", "answer", "claimed", "received").where(
            board_offline.c.player_id == WHOSE
        ),
        "achievements": _of(achievements, "name", "at").where(achievements.c.player_id == WHOSE),
        "reminders": _of(scheduled_posts, "period", "at").where(scheduled_posts.c.chat_id == WHOSE),
        "solutions_shown": _of(reveals, "numbers", "at").where(reveals.c.reader.in_(IDS)),
    }


def _of(table: Table, *columns: str) -> Select[Any]:
    return select(*(table.c[column] for column in columns))


def _beside_rounds(table: Table) -> Select[Any]:
    told = [c for c in table.c if c.name not in {"player_id", "round_id"}]
    of_round = select(rounds.c.chat_id, rounds.c.game, rounds.c.line, rounds.c.opened, *told)
    return of_round.join(table, table.c.round_id == rounds.c.id).where(table.c.player_id == WHOSE)


def _rows(tx: Tx, rows: Select[Any], asked: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {key: _date(value) if key in DATES and value is not None else value for key, value in row.items()}
        for row in tx.execute(rows, asked).mappings()
    ]


def _date(seconds: float) -> str:
    """The moment as a date; the bare number where a broken row has one that no calendar knows."""
    if not 0 <= seconds < MAX_SECONDS:
        return str(seconds)
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def _points(tx: Tx, player_id: int) -> list[dict[str, Any]]:
    """The person's line of each board, in the order of their names."""
    ordered = sorted(_boards(tx, player_id))
    lines = dict[tuple[int, str], dict[str, Any]]()
    for board, names in groupby(ordered, key=itemgetter(0)):
        periods = [period for _, period in names]
        for first in range(0, len(periods), LINES_AT_ONCE):
            some = {"player": player_id, "board": board, "periods": periods[first : first + LINES_AT_ONCE]}
            for row in tx.execute(STANDINGS, some).mappings():
                lines[board, row["period"]] = {k: v for k, v in row.items() if k != "player_id"}
    return [lines[board] for board in ordered if board in lines]


def _boards(tx: Tx, player_id: int) -> set[tuple[int, str]]:
    """Every board that may list the person, as the ledger has it."""
    earned = select(awards.c.chat_id, awards.c.at, awards.c.game).where(awards.c.player_id == player_id)
    evenings = {(row.chat_id, row.game, row.at // DAY) for row in tx.execute(earned)}
    of_all = {
        (ALL_CHATS, board) for _, game, day in evenings for board in make_global_period_keys(game, day * DAY)
    }
    of_chats = {(chat, make_period_key(ALL_TIME, of)) for chat, game, _ in evenings for of in (None, game)}
    return of_all | of_chats


def store_name_choice(tx: Tx, player_id: int, *, is_shown: bool) -> None:
    """Let the board of all chats show the person's name, or its first letter only."""
    tx.execute(update(players).where(players.c.id == player_id).values(masked=int(not is_shown)))


def forget_player(tx: Tx, player_id: int) -> None:
    """Take a person out of every table. Twice does no harm.

    An alias stays for some days where the person would else score by having been forgotten.
    """
    lessons.delete_offer(tx, player_id)
    daily.move_attempts_to_alias(tx, player_id)
    contests.move_cards_to_alias(tx, player_id)
    here = list(tx.scalars(select(last_wins.c.chat_id).where(last_wins.c.player_id == player_id)))
    for board, period in _boards(tx, player_id):
        boards.remove_player(tx, board, period, player_id)
    scored = select(awards.c.round_id).where(awards.c.player_id == player_id)
    _forget_notes(tx, player_id, scored)
    won = (rounds.c.id.in_(scored), rounds.c.winner_id == player_id)
    tx.execute(update(rounds).where(*won).values(winner_id=FORGOTTEN_PLAYER))
    tx.execute(update(duels).where(duels.c.opponent_id == player_id).values(opponent=""))
    _forget_private_chat(tx, player_id)
    _forget_queued(tx, player_id, people.load_names(tx, [player_id]).values())
    forget_username(tx, people.load_username(tx, player_id))
    for table, column in OWNED:
        tx.execute(delete(table).where(table.c[column] == player_id))
    for table, column in SHARED:
        tx.execute(update(table).where(table.c[column] == player_id).values({column: FORGOTTEN_PLAYER}))
    for chat_id in filter(lambda chat: boards.is_chat_counted(tx, chat), here):
        latest = select(last_wins.c.at).where(last_wins.c.chat_id == chat_id)
        boards.update_chat_counted(
            tx, chat_id, tx.scalar(latest.order_by(last_wins.c.at.desc()).limit(1)) or 0.0
        )
    people.store_fact(tx, TRACES, "1")


def forget_username(tx: Tx, username: str | None) -> None:
    """Neither keep nor say a username that is challenged to a duel: its owner may be no player."""
    if not username:
        return
    meant = {
        f"@{username}",
        *(offered.opponent_name for offered in challenges.load_challenges_to_username(tx, username)),
    }
    for text in meant:
        _rename(tx, _in_json(format_name(text)), _in_json(format_name(None)))
    challenges.forget_username(tx, username)


def _forget_notes(tx: Tx, player_id: int, scored: Select[Any]) -> None:
    """Put nobody in the place of a person who is mentioned in a note beside another's answer."""
    named = (tries.c.round_id.in_(scored), tries.c.note.contains(make_mention(player_id)))
    nobody = func.replace(tries.c.note, make_mention(player_id), make_mention(FORGOTTEN_PLAYER))
    tx.execute(update(tries).where(*named).values(note=nobody))


def _forget_private_chat(tx: Tx, player_id: int) -> None:
    """The chat of the person alone with the bot has the person's id."""
    theirs = select(rounds.c.id).where(rounds.c.chat_id == player_id)
    for table in (tries, votes):
        tx.execute(delete(table).where(table.c.round_id.in_(theirs)))
    for table in (
        awards,
        rounds,
        races,
        duels,
        last_wins,
        lost_messages,
        scheduled_posts,
        tallies,
        best_days,
    ):
        tx.execute(delete(table).where(table.c.chat_id == player_id))
    tx.execute(delete(chats).where(chats.c.id == player_id))


def _forget_queued(tx: Tx, player_id: int, names: Iterable[str]) -> None:
    """Requests and updates of the person's own lane, and what was set aside with their id or name in it.

    What still waits to be said in other chats names nobody in their place; their profile is not said.
    """
    to_them = and_(
        outbox.c.body.contains(f'"method": "{TELL_PRIVATELY}"'), outbox.c.body.contains(f'"to": {player_id},')
    )
    profile = outbox.c.body.contains(f'"{PROFILE}:{player_id}:')
    tx.execute(delete(outbox).where(or_(outbox.c.lane == player_id, to_them, profile)))
    _rename(tx, make_mention(player_id), make_mention(FORGOTTEN_PLAYER))
    spelled = [_in_json(format_name(known)) for known in names]
    aside = or_(_any(outbox.c.body, spelled), outbox.c.body.contains(str(player_id)))
    tx.execute(delete(outbox).where(outbox.c.state != "waiting", aside))
    for text in spelled:
        _rename(tx, text, _in_json(format_name(None)))
    told = or_(inbox.c.lane == player_id, inbox.c.body.contains(str(player_id)))
    tx.execute(delete(inbox).where(inbox.c.state.in_(("dead", "again")), told))


def _rename(tx: Tx, before: str, after: str) -> None:
    named = outbox.c.body.contains(before, autoescape=True)
    tx.execute(update(outbox).where(named).values(body=func.replace(outbox.c.body, before, after)))


def _in_json(text: str) -> str:
    """A text as it stands in a stored request."""
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _any(column: ColumnElement[str], texts: Iterable[str]) -> ColumnElement[bool]:
    """Whether it holds one of the texts."""
    return or_(false(), *(column.contains(text, autoescape=True) for text in texts))


def has_traces(tx: Tx) -> bool:
    """Whether the file may still hold what was deleted from it, in places that nothing refers to."""
    return people.load_fact(tx, TRACES) is not None


def clear_traces(tx: Tx) -> None:
    """The file was written anew."""
    tx.execute(delete(meta).where(meta.c.key == TRACES))
