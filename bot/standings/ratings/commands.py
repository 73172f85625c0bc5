"""/top: the best players of this chat or of all chats, by rating or by points."""

import re
from collections.abc import Callable

from bot import zones
from bot.admin.settings.preferences import read_preferences
from bot.database import Tx
from bot.i18n import Html
from bot.queue.admission import UpdateKind
from bot.rounds.commands import refuse_old_button
from bot.standings.leaderboard import commands as leaderboards
from bot.standings.leaderboard.queries import Leaderboard
from bot.standings.leaderboard.view import ALL_CHATS_SCOPE, PERIODS, THIS_CHAT, make_leaderboard_key
from bot.standings.ratings import queries as ratings
from bot.standings.ratings import view
from bot.standings.ratings.rules import count_missing_hands
from bot.telegram.context import Context, Effect
from bot.telegram.messages import Request
from bot.telegram.routes import ButtonRoute, CommandRoute, Routes


async def show_ratings(context: Context) -> Effect:
    """Reply with the best players of the group; in private with those of all chats."""
    scope = ALL_CHATS_SCOPE if context.chat.private else THIS_CHAT
    all_time, all_games = PERIODS[-1], ""
    return lambda tx: [_make_list(context, tx, context.reply, view.BY_RATING, scope, all_time, all_games)]


SWITCH_DATA = re.compile(r"tp:([rp]):([hw]):([dwma])(?::(?P<game>[a-z0-9]+))?")


async def press_switch(context: Context) -> Effect:
    """Replace a list by the one whose button was pressed, as the presser sees it."""
    match = leaderboards.match_press(context, SWITCH_DATA)
    if match is None:
        return refuse_old_button(context)
    order, scope, period, game = match[1], match[2], match[3], match["game"] or ""
    return lambda tx: [
        _make_list(context, tx, context.edit, order, scope, period, game),
        *context.answer_press(),
    ]


def _make_list(
    context: Context,
    tx: Tx,
    make_request: Callable[..., Request],
    order: str,
    scope: str,
    period: str,
    game: str,
) -> Request:
    """Make a post or an edit, as `make_request` does, with a list by rating or by points and its buttons."""
    if order == view.BY_POINTS:
        choice = leaderboards.LeaderboardChoice(context.chat.id, scope, period, game)
        text, _other_keyboard = leaderboards.render_leaderboard_for(context, tx, choice)
    else:
        text = _render_ratings(context, tx, scope, period, game)
    return make_request(text, keyboard=view.make_keyboard(context.words, order, scope, period, game))


def _render_ratings(context: Context, tx: Tx, scope: str, period: str, game: str) -> Html:
    """Render a list by rating as the sender sees it; a chat's periods follow its time zone, others UTC."""
    now = context.sent_at
    chat_id, stored_period = make_leaderboard_key(context.chat.id, scope, period, now, game)
    zone = zones.UTC if scope == ALL_CHATS_SCOPE else read_preferences(context.chat).zone
    since = zones.find_period_start(zone, period, now)
    rating_scope = ratings.RatingScope(chat_id, stored_period, since, game)
    reader = context.player
    best = ratings.load_best_players(tx, rating_scope, now)
    own = ratings.load_rating_line(tx, rating_scope, reader.id, now) if reader else None
    missing_hands = count_missing_hands(ratings.load_rating(tx, reader.id)) if reader else 0
    reader_name = reader.name if reader else ""
    board = leaderboards.insert_mentions(Leaderboard(best, own), scope)
    return view.render_ratings(context.words, board, scope, period, game, reader_name, missing_hands)


ROUTES = Routes(
    commands=[
        CommandRoute(
            "top", show_ratings, UpdateKind.QUESTION, lambda speech: speech.translate_plain("who plays best")
        )
    ],
    buttons=[ButtonRoute(view.BUTTON_PREFIX, press_switch)],
)
