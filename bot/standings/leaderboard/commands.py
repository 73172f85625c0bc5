"""/leaderboard of this chat or of all."""

import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

from bot import zones
from bot.admin.settings import preferences as preferences
from bot.admin.settings.pictures import attach_picture
from bot.database import Tx
from bot.i18n import Html, get_words, make_mention
from bot.players import queries as people
from bot.queue.admission import UpdateKind
from bot.queue.timers import make_hourly_cleanup
from bot.rounds.commands import refuse_old_button
from bot.rounds.registry import DEFAULT_GAME, GAMES
from bot.standings.leaderboard import queries as boards
from bot.standings.leaderboard import totals, view
from bot.telegram.context import Context, Effect
from bot.telegram.messages import Keyboard, Request, edit_message
from bot.telegram.photo_messages import DescribedPicture
from bot.telegram.routes import ButtonRoute, CommandRoute, Routes

LEADERBOARD_PICTURE = "board"  # The kind of picture


async def show_leaderboard(context: Context) -> Effect:
    """Who leads in this chat; the buttons switch to other boards."""
    return lambda tx: [_shown(context, tx, context.reply, LeaderboardChoice(context.chat.id))]


async def press_switch(context: Context) -> Effect:
    """A button under a leaderboard: show another one in its place, as the one who pressed sees it."""
    match = re.fullmatch(r"lb:([hw]):([dwma])(?::([a-z0-9]+))?", context.button_data)
    message = context.message
    if (
        match is None
        or message is None
        or not context.is_genuine_press
        or (match[3] or DEFAULT_GAME.key) not in GAMES
    ):
        return refuse_old_button(context)
    chosen = LeaderboardChoice(context.chat.id, match[1], match[2], match[3] or "")
    changed = partial(edit_message, context.chat.id, message.message_id)
    return lambda tx: [_shown(context, tx, changed, chosen), *context.answer_press()]


@dataclass(frozen=True, slots=True)
class LeaderboardChoice:
    """Which board is looked at, and in which chat."""

    chat: int
    scope: str = view.THIS_CHAT
    period: str = "a"
    game: str = ""


def _shown(context: Context, tx: Tx, say: Callable[..., Request], chosen: LeaderboardChoice) -> Request:
    """The board as a post or as an edit, with its picture where the chat has such."""
    text, keyboard = render_leaderboard_for(context, tx, chosen.scope, chosen.period, chosen.game)
    return attach_picture(context, say(text, keyboard=keyboard), LEADERBOARD_PICTURE, **asdict(chosen))


def load_leaderboard_picture(tx: Tx, asked: Mapping[str, Any], now: float) -> DescribedPicture | None:
    """The picture of a board: of this week with its days, of any other time as it stands."""
    chosen = LeaderboardChoice(asked["chat"], asked["scope"], asked["period"], asked["game"])
    speech, scope = get_words(asked["language"]), chosen.scope
    zone = preferences.read_preferences(people.load_chat(tx, chosen.chat, "supergroup")).zone
    leaders = load_chosen_leaderboard(tx, chosen, zone, now, None).leaders
    if not leaders and not asked["shown"]:
        return None
    if chosen.period != view.THIS_WEEK or not leaders:
        return DescribedPicture(view.make_table_picture(speech, leaders, scope, chosen.period, chosen.game))
    if scope == view.ALL_CHATS_SCOPE:
        days = boards.load_points_by_day_of_all_chats(tx, leaders, now, chosen.game or None)
    else:
        days = boards.load_points_by_day(tx, chosen.chat, zone, leaders, now, chosen.game)
    ways = [view.render_points_by_day(speech, leaders, days, scope, longest) for longest in view.NAME_LENGTHS]
    return DescribedPicture(view.make_week_picture(speech, leaders, days, scope, chosen.game), ways)


def render_leaderboard_for(
    context: Context, tx: Tx, scope: str, period: str, game: str = ""
) -> tuple[Html, Keyboard]:
    """A leaderboard as whoever asks sees it, with its buttons."""
    reader, zone = context.player, preferences.read_preferences(context.chat).zone
    chosen = LeaderboardChoice(context.chat.id, scope, period, game)
    found = _with_mentions(
        load_chosen_leaderboard(tx, chosen, zone, context.sent_at, reader.id if reader else None), scope
    )
    return view.render_leaderboard(context.words, found, scope, period, reader.name if reader else None, game)


def load_chosen_leaderboard(
    tx: Tx, chosen: LeaderboardChoice, zone: ZoneInfo, now: float, reader: int | None
) -> boards.Leaderboard:
    """The board as `reader` sees it: of a chat by its time zone, of all chats by UTC."""
    if chosen.scope == view.THIS_CHAT and chosen.period in view.RUNNING_PERIODS:
        since = zones.find_period_start(zone, chosen.period, now)
        return boards.load_leaderboard_since(tx, chosen.chat, since, chosen.game, reader)
    key = view.make_leaderboard_key(
        chosen.chat, chosen.scope, chosen.period, totals.get_periods(now), chosen.game
    )
    return boards.load_leaderboard(tx, *key, reader)


def _with_mentions(found: boards.Leaderboard, scope: str) -> boards.Leaderboard:
    """The board with a mention for each name that it shows whole."""

    def line(standing: boards.Standing) -> boards.Standing:
        hidden = scope == view.ALL_CHATS_SCOPE and standing.masked
        return standing if hidden else replace(standing, name=make_mention(standing.player_id))

    return boards.Leaderboard([line(s) for s in found.leaders], line(found.own) if found.own else None)


ROUTES = Routes(
    commands=[
        CommandRoute(
            "leaderboard",
            show_leaderboard,
            UpdateKind.QUESTION,
            lambda speech: speech.translate_plain("who leads here"),
        ),
    ],
    buttons=[ButtonRoute("lb", press_switch)],
    picture_finders={LEADERBOARD_PICTURE: load_leaderboard_picture},
    timed_tasks=[
        make_hourly_cleanup("boards of chats that no longer count", totals.stop_counting_a_quiet_chat),
        make_hourly_cleanup("boards of days, weeks and months that are over", totals.delete_ended_periods),
    ],
)
