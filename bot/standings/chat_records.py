"""/records: the best results ever reached in the chat; a tab of the message of /leaderboard.

Whoever reached a result first holds the record. The points of a day are those in the game played most.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import and_, bindparam, func, literal, select, text, union_all

from bot.database import Tx
from bot.database.schema import (
    FORGOTTEN_PLAYER,
    IS_PART_OF_ROUND,
    are_valid_times,
    awards,
    best_days,
    tallies,
)
from bot.formats import format_date, format_duration
from bot.i18n import INVISIBLE_NAME, Html, Words, get_words, make_mention, strip_tags, translate_later
from bot.levels import LEVELS, render_level
from bot.modes.daily.rules import format_utc_date
from bot.pictures.values import PodiumFact, RecordsPicture
from bot.players import queries as people
from bot.players.preferences import read_preferences
from bot.queue.admission import UpdateKind
from bot.queue.outgoing import PictureRequest
from bot.queue.rendering import DescribedPicture
from bot.rounds.commands import explain_deal, refuse_old_button
from bot.rounds.queries import IN_DEFAULT_GAME, IS_RIGHT_ANSWER
from bot.standings.leaderboard import queries as boards
from bot.standings.leaderboard.view import RECORDS_PREFIX, make_tabs
from bot.telegram.context import Context, Effect, Response, send_only
from bot.telegram.routes import ButtonRoute, CommandRoute, Routes


@dataclass(frozen=True, slots=True)
class Record:
    player_id: int
    value: float  # Seconds, rounds, points or right answers
    day: str  # When it was set, in UTC


# Keys of records beside the levels, whose records are the fastest answers
WIN_STREAK = "win streak"  # Rounds won in a row
DAY_POINTS = "points in a day"  # A day of UTC, since the chat's time zone may change
IDEAS = "ideas of one hand"  # Right answers of one player in a round that collects all

IN_CHAT = and_(awards.c.chat_id == bindparam("chat"), awards.c.player_id != FORGOTTEN_PLAYER)


def _build_fastest_answer(level: str) -> Any:
    """Build the SELECT of the fastest right answer in a chat at a level, in the default game."""
    fastest = (
        select(
            literal(level).label("level"), awards.c.player_id, awards.c.seconds.label("value"), awards.c.at
        )
        .where(IN_CHAT, awards.c.level == level, are_valid_times(awards.c.seconds, awards.c.at))
        .where(IS_RIGHT_ANSWER, IN_DEFAULT_GAME)
        .order_by(awards.c.seconds, awards.c.id)
        .limit(1)
    )
    return select(fastest.subquery())  # In SQLite a part of a UNION can't have a LIMIT of its own


FASTEST = union_all(*map(_build_fastest_answer, LEVELS))
COUNT, LAST = func.count().label("value"), func.max(awards.c.at).label("at")
MOST_IDEAS = (
    select(awards.c.player_id, COUNT, LAST)
    # The sum keeps SQLite from reading all awards of the chat: those that are a part of a round are few
    .where(IN_CHAT, text(IS_PART_OF_ROUND), are_valid_times(awards.c.at + 0.0), IS_RIGHT_ANSWER)
    .group_by(awards.c.round_id, awards.c.player_id)
    .order_by(COUNT.desc(), LAST)
    .limit(1)
)
LONGEST_STREAK = (
    select(tallies.c.player_id, tallies.c.streak.label("value"), tallies.c.streak_at.label("at"))
    .where(tallies.c.chat_id == bindparam("chat"), tallies.c.streak > 1)
    .order_by(tallies.c.streak.desc(), tallies.c.streak_at)
    .limit(1)
)
BEST_DAY = (
    select(best_days.c.player_id, best_days.c.points.label("value"), best_days.c.day)
    .where(best_days.c.chat_id == bindparam("chat"), best_days.c.game == bindparam("game"))
    .order_by(best_days.c.points.desc(), best_days.c.day)
    .limit(1)
)
OTHER_RECORDS = {WIN_STREAK: LONGEST_STREAK, DAY_POINTS: BEST_DAY, IDEAS: MOST_IDEAS}


def load_records(tx: Tx, chat_id: int) -> dict[str, Record]:
    """Return a chat's records by level or key, the easiest level first, without those that nobody holds."""
    parameters = {"chat": chat_id, "game": boards.load_usual_game(tx, chat_id)}
    fastest = {row.level: row for row in tx.execute(FASTEST, parameters)}
    rows: dict[str, Any] = {level: fastest.get(level) for level in LEVELS}
    for key, statement in OTHER_RECORDS.items():
        rows[key] = tx.execute(statement, parameters).first()
    return {
        key: Record(row.player_id, row.value, row.day if key == DAY_POINTS else format_utc_date(row.at))
        for key, row in rows.items()
        if row
    }


def render_records(
    words: Words, records: Mapping[str, Record], today: str, *, admins_deal: bool = False
) -> Html:
    """Render a line for each record; without any, who deals and how."""
    if not records:
        how = explain_deal(words, admins_deal=admins_deal)
        return Html(f"{words.translate('There are no records here yet.')} {how}")
    titles = get_record_titles(words)
    lines = [Html(f"<b>{words.translate('Records of this chat')}</b>")]
    for key, record in records.items():
        title = f"{SIGNS.get(key, FASTEST_SIGN)} {titles[key]}"
        value, day = _format_value(words, key, record), format_date(words, record.day, today)
        lines.append(Html(" · ".join((title, make_mention(record.player_id), value, day))))
    return Html("\n".join(lines))


FASTEST_SIGN, SIGNS = "⏱", {WIN_STREAK: "🔥", DAY_POINTS: "📈", IDEAS: "🧠"}


def get_record_titles(words: Words) -> dict[str, Html]:
    return {level: render_level(words, level) for level in LEVELS} | {
        WIN_STREAK: words.translate("in a row"),
        DAY_POINTS: words.translate("points in a day (UTC)"),
        IDEAS: words.translate("ways in one hand"),
    }


def _format_value(words: Words, key: str, record: Record) -> str:
    return format_duration(words, record.value) if key in LEVELS else str(round(record.value))


def load_records_picture(tx: Tx, asked: PictureRequest, _now: float) -> DescribedPicture | None:
    """Return the picture of a chat's records; None without any if the message is not a photo yet."""
    records, words = load_records(tx, int(asked.arguments["chat"])), get_words(asked.language)
    is_photo = bool(asked.shown_key)
    if not records and not is_photo:
        return None
    names = people.load_names(tx, [record.player_id for record in records.values()])
    titles = get_record_titles(words)
    facts = [
        PodiumFact(
            strip_tags(titles[key]),
            _format_value(words, key, record),
            names.get(record.player_id, INVISIBLE_NAME),
        )
        for key, record in records.items()
    ]
    return DescribedPicture(RecordsPicture(words.translate_plain("Records of this chat"), facts))


RECORDS_PICTURE = "records"  # The kind of picture


async def show_records(context: Context) -> Effect:
    return send_only(await _make_records_message(context, context.reply))


async def press_records(context: Context) -> Effect:
    """Replace another tab of the message by the records."""
    if not context.is_genuine_press or not context.message:
        return refuse_old_button(context)
    return send_only(await _make_records_message(context, context.edit), *context.answer_press())


async def _make_records_message(context: Context, make_request: Callable[..., Response]) -> Response:
    """Make a post or an edit, as `make_request` does, with the records, the tabs and the picture."""
    # Read outside of the writing transaction: a long ledger takes a moment
    records = await context.services.store.read(lambda tx: load_records(tx, context.chat.id))
    tabs = make_tabs(context.words, context.chat.id, RECORDS_PREFIX)
    admins_deal = read_preferences(context.chat).admins_deal
    text = render_records(context.words, records, format_utc_date(context.sent_at), admins_deal=admins_deal)
    return context.add_picture(make_request(text, keyboard=[tabs]), RECORDS_PICTURE, chat=context.chat.id)


MENU_LINE = translate_later("the records of this chat")
ROUTES = Routes(
    commands=[CommandRoute("records", show_records, UpdateKind.QUESTION, MENU_LINE)],
    buttons=[ButtonRoute(RECORDS_PREFIX, press_records)],
    picture_finders={RECORDS_PICTURE: load_records_picture},
)
