"""/records: the best results ever reached in the chat. Whoever reached one first holds the record."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import and_, bindparam, func, literal, select, text, union_all

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
    """One record and its holder."""

    player_id: int
    value: float  # Seconds, rounds, points or right answers
    day: str  # When it was set, in UTC


@dataclass(frozen=True, slots=True)
class ChatRecords:
    """The records of a chat; None where there is none."""

    fastest_by_level: Mapping[str, Record] = field(default_factory=dict)  # The easiest level first
    win_streak: Record | None = None  # Rounds won in a row
    points_in_a_day: Record | None = None  # A day of UTC, since the chat's time zone may change
    ideas_of_one_hand: Record | None = None  # Right answers of one player in a round that collects all


IN_CHAT = and_(awards.c.chat_id == bindparam("chat"), awards.c.player_id != FORGOTTEN_PLAYER)


def _build_fastest(level: str) -> Any:
    """Build the SELECT of the fastest right answer at a level, in the default game."""
    columns = (literal(level).label("level"), awards.c.player_id, awards.c.seconds, awards.c.at)
    timed = (awards.c.level == level, are_valid_times(awards.c.seconds, awards.c.at))
    fastest = select(*columns).where(IN_CHAT, *timed, IS_RIGHT_ANSWER, IN_DEFAULT_GAME)
    return select(fastest.order_by(awards.c.seconds, awards.c.id).limit(1).subquery())


FASTEST = union_all(*map(_build_fastest, LEVELS))
COUNT, LAST = func.count().label("n"), func.max(awards.c.at).label("last")
MOST_IDEAS = (
    select(awards.c.player_id, COUNT, LAST)
    # The sum keeps SQLite from reading all awards of the chat: those that are a part of a round are few
    .where(IN_CHAT, text(IS_PART_OF_ROUND), are_valid_times(awards.c.at + 0.0), IS_RIGHT_ANSWER)
    .group_by(awards.c.round_id, awards.c.player_id)
    .order_by(COUNT.desc(), LAST)
    .limit(1)
)


def load_records(tx: Tx, chat_id: int) -> ChatRecords:
    fastest = {
        row.level: Record(row.player_id, row.seconds, format_utc_date(row.at))
        for row in tx.execute(FASTEST, {"chat": chat_id})
    }
    streak = tallies.load_win_streak_record(tx, chat_id)
    best_day = tallies.load_best_day_record(tx, chat_id)
    ideas = tx.execute(MOST_IDEAS, {"chat": chat_id}).first()
    return ChatRecords(
        {level: fastest[level] for level in LEVELS if level in fastest},
        Record(streak.player_id, streak.streak, format_utc_date(streak.streak_at)) if streak else None,
        Record(best_day.player_id, best_day.points, best_day.day) if best_day else None,
        Record(ideas.player_id, ideas.n, format_utc_date(ideas.last)) if ideas else None,
    )


def render_records(words: Words, records: ChatRecords) -> Html:
    counted = (
        (f"🔥 {words.translate('in a row')}", records.win_streak),
        (f"📈 {words.translate('points in a day (UTC)')}", records.points_in_a_day),
        (f"🧠 {words.translate('ideas of one hand')}", records.ideas_of_one_hand),
    )
    lines = [
        _render_line(f"⏱ {render_level(words, level)}", record, format_duration(words, record.value))
        for level, record in records.fastest_by_level.items()
    ]
    lines += [_render_line(title, record, str(round(record.value))) for title, record in counted if record]
    if not lines:
        return words.translate("There are no records here yet. /play deals a hand.")
    return Html("\n".join([Html(f"<b>{words.translate('Records of this chat')}</b>"), *lines]))


def _render_line(title: str, record: Record, value: str) -> Html:
    return Html(f"{title} · {make_mention(record.player_id)} · {value} · {record.day}")


async def show_records(context: Context) -> Effect:
    # Read outside of the writing transaction: a long ledger takes a moment
    records = await context.services.store.read(lambda tx: load_records(tx, context.chat.id))
    return send_only(context.reply(render_records(context.words, records)))


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
