"""/top: who plays best in this chat or in all, and who has most points."""

import re
from dataclasses import replace

from bot import zones
from bot.admin.settings import preferences as preferences
from bot.database import Tx
from bot.i18n import Html, make_mention
from bot.queue.admission import UpdateKind
from bot.rounds.commands import refuse_old_button
from bot.rounds.registry import DEFAULT_GAME, GAMES
from bot.standings.leaderboard import commands as leaderboard
from bot.standings.leaderboard.totals import get_periods
from bot.standings.leaderboard.view import ALL_CHATS_SCOPE, THIS_CHAT, make_leaderboard_key
from bot.standings.ratings import queries as ratings
from bot.standings.ratings import rules, view
from bot.telegram.context import Context, Effect
from bot.telegram.messages import Keyboard, Request, edit_message
from bot.telegram.routes import ButtonRoute, CommandRoute, Routes


async def show_ratings(context: Context) -> Effect:
    """Who plays best: in a group of those who play there, in private of all."""
    scope = ALL_CHATS_SCOPE if context.chat.private else THIS_CHAT

    def effect(tx: Tx) -> list[Request]:
        text, keyboard = _list(context, tx, view.BY_RATING, scope, "a")
        return [context.reply(text, keyboard=keyboard)]

    return effect


async def press_switch(context: Context) -> Effect:
    """A button under a list: show another one in its place, as the one who pressed sees it."""
    match = re.fullmatch(r"tp:([rp]):([hw]):([dwma])(?::([a-z0-9]+))?", context.button_data)
    message = context.message
    if (
        match is None
        or message is None
        or not context.is_genuine_press
        or (match[4] or DEFAULT_GAME.key) not in GAMES
    ):
        return refuse_old_button(context)

    def effect(tx: Tx) -> list[Request]:
        text, keyboard = _list(context, tx, match[1], match[2], match[3], match[4] or "")
        return [edit_message(context.chat.id, message.message_id, text, keyboard), *context.answer_press()]

    return effect


def _list(
    context: Context, tx: Tx, by: str, scope: str, period: str, game: str = ""
) -> tuple[Html, Keyboard]:
    keyboard = view.make_keyboard(context.words, by, scope, period, game)
    if by == view.BY_POINTS:
        return leaderboard.render_leaderboard_for(context, tx, scope, period, game)[0], keyboard
    key = make_leaderboard_key(context.chat.id, scope, period, get_periods(context.sent_at), game)
    zone = zones.UTC if scope == ALL_CHATS_SCOPE else preferences.read_preferences(context.chat).zone
    board = ratings.RatingScope(*key, zones.find_period_start(zone, period, context.sent_at), game)
    lines = [_named(line, scope) for line in ratings.load_best_players(tx, board, context.sent_at)]
    own = ratings.load_rating_line(tx, board, context.player.id, context.sent_at) if context.player else None
    mine = _named(own, scope) if own else None
    return view.render_ratings(
        context.words, lines, mine, _reader(context, tx), scope, period, game
    ), keyboard


def _named(line: ratings.RatingLine, scope: str) -> ratings.RatingLine:
    """The line with a mention for a name that it shows whole."""
    hidden = scope == ALL_CHATS_SCOPE and line.masked
    return line if hidden else replace(line, name=make_mention(line.player_id))


def _reader(context: Context, tx: Tx) -> view.UnlistedReader | None:
    if context.player is None:
        return None
    return view.UnlistedReader(
        context.player.name, rules.count_missing_hands(ratings.load_rating(tx, context.player.id))
    )


ROUTES = Routes(
    commands=[
        CommandRoute(
            "top", show_ratings, UpdateKind.QUESTION, lambda speech: speech.translate_plain("who plays best")
        )
    ],
    buttons=[ButtonRoute(view.BUTTON_PREFIX, press_switch)],
)
