"""/records: the best that was ever done in the chat."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import BindParameter, and_, bindparam, func, literal, select, text, union_all

from bot.database import Tx
from bot.database.schema import FORGOTTEN_PLAYER, IS_PART_OF_ROUND, are_valid_times, awards
from bot.i18n import Html, Words, make_mention
from bot.modes.daily.rules import format_utc_date
from bot.queue.admission import UpdateKind
from bot.rounds.puzzle import LEVELS, render_level
from bot.rounds.queries import IN_DEFAULT_GAME, IS_RIGHT_ANSWER
from bot.standings import tallies
from bot.telegram.context import Context, Effect, send_only
from bot.telegram.messages import format_duration
from bot.telegram.routes import CommandRoute, Routes


@dataclass(frozen=True, slots=True)
class Record:
    """A record."""

    player_id: int
    value: float  # Seconds, rounds, points or right answers
    day: str  # When it was set, by UTC


@dataclass(frozen=True, slots=True)
class ChatRecords:
    """What a chat holds; None where nobody ever did such a thing."""

    fastest_by_level: Mapping[str, Record] = field(default_factory=dict)  # By level, the easiest first
    win_streak: Record | None = None  # Rounds won in a row
    points_in_a_day: Record | None = None  # Points on one day of UTC, whatever zone the chat had then
    ideas_of_one_hand: Record | None = (
        None  # Answers that one person found in one round, where all are to be found
    )


# Built once: building takes longer than the database does

CHAT: BindParameter[int] = bindparam("chat")
HERE = and_(awards.c.chat_id == CHAT, awards.c.player_id != FORGOTTEN_PLAYER)


def _fastest_of(level: str) -> Any:
    """The quickest right answer at a level, in the usual game."""
    told = (awards.c.player_id, awards.c.seconds, awards.c.at)
    known = (
        awards.c.level == level,
        are_valid_times(awards.c.seconds, awards.c.at),
        IS_RIGHT_ANSWER,
        IN_DEFAULT_GAME,
    )
    first = select(literal(level).label("level"), *told).where(HERE, *known)
    return select(first.order_by(awards.c.seconds, awards.c.id).limit(1).subquery())


FASTEST = union_all(*map(_fastest_of, LEVELS))
# the sum keeps SQLite from going through all that was won in the chat: rounds of several answers are few
SOUND = are_valid_times(awards.c.at + 0.0)
FOUND, LAST = func.count().label("n"), func.max(awards.c.at).label("last")
FINDS = (
    select(awards.c.player_id, FOUND, LAST)
    .where(HERE, text(IS_PART_OF_ROUND), SOUND, IS_RIGHT_ANSWER)
    .group_by(awards.c.round_id, awards.c.player_id)
    .order_by(FOUND.desc(), LAST)
    .limit(1)
)


def load_records(tx: Tx, chat_id: int) -> ChatRecords:
    """The records of a chat. Who set one first holds it."""
    return ChatRecords(_fastest(tx, chat_id), _row(tx, chat_id), _day(tx, chat_id), _finds(tx, chat_id))


def _fastest(tx: Tx, chat_id: int) -> dict[str, Record]:
    rows = tx.execute(FASTEST, {"chat": chat_id})
    held = {row.level: Record(row.player_id, row.seconds, format_utc_date(row.at)) for row in rows}
    return {level: held[level] for level in LEVELS if level in held}


def _row(tx: Tx, chat_id: int) -> Record | None:
    row = tallies.load_win_streak_record(tx, chat_id)
    return None if row is None else Record(row.player_id, row.streak, format_utc_date(row.streak_at))


def _day(tx: Tx, chat_id: int) -> Record | None:
    row = tallies.load_best_day_record(tx, chat_id)
    return None if row is None else Record(row.player_id, row.points, row.day)


def _finds(tx: Tx, chat_id: int) -> Record | None:
    row = tx.execute(FINDS, {"chat": chat_id}).first()
    return None if row is None else Record(row.player_id, row.n, format_utc_date(row.last))


def render_records(words: Words, held: ChatRecords) -> Html:
    """A line a record: what, who, how much, when."""
    lines = [
        _line(f"⏱ {render_level(words, level)}", mark, format_duration(words, mark.value))
        for level, mark in held.fastest_by_level.items()
    ]
    if held.win_streak:
        lines.append(_line(f"🔥 {words.translate('in a row')}", held.win_streak, _number(held.win_streak)))
    if held.points_in_a_day:
        lines.append(
            _line(
                f"📈 {words.translate('points in a day (UTC)')}",
                held.points_in_a_day,
                _number(held.points_in_a_day),
            )
        )
    if held.ideas_of_one_hand:
        lines.append(
            _line(
                f"🧠 {words.translate('ideas of one hand')}",
                held.ideas_of_one_hand,
                _number(held.ideas_of_one_hand),
            )
        )
    if not lines:
        return words.translate("There are no records here yet. /play deals a hand.")
    return Html("\n".join([Html(f"<b>{words.translate('Records of this chat')}</b>"), *lines]))


def _line(what: str, mark: Record, amount: str) -> Html:
    return Html(f"{what} · {make_mention(mark.player_id)} · {amount} · {mark.day}")


def _number(mark: Record) -> str:
    return str(round(mark.value))


async def show_records(context: Context) -> Effect:
    """Who holds which record here. It is looked for beside the writer: a long ledger takes a moment."""
    held = await context.services.store.read(lambda tx: load_records(tx, context.chat.id))
    return send_only(context.reply(render_records(context.words, held)))


ROUTES = Routes(
    commands=[
        CommandRoute(
            "records",
            show_records,
            UpdateKind.QUESTION,
            lambda speech: speech.translate_plain("the records of this chat"),
        )
    ]
)
