"""/top: the best players of this chat or of all chats, by rating or by points."""

import re
from dataclasses import replace

from bot import zones
from bot.admin.settings.preferences import read_preferences
from bot.database import Tx
from bot.i18n import Html, make_mention
from bot.queue.admission import UpdateKind
from bot.rounds.commands import refuse_old_button
from bot.rounds.registry import DEFAULT_GAME, GAMES
from bot.standings.leaderboard.commands import render_leaderboard_for
from bot.standings.leaderboard.view import ALL_CHATS_SCOPE, THIS_CHAT, make_leaderboard_key
from bot.standings.ratings import queries as ratings
from bot.standings.ratings import rules, view
from bot.telegram.context import Context, Effect
from bot.telegram.messages import Keyboard, Request, edit_message
from bot.telegram.routes import ButtonRoute, CommandRoute, Routes


async def show_ratings(context: Context) -> Effect:
    """Reply with the best players of the group; in private with those of all chats."""
    scope = ALL_CHATS_SCOPE if context.chat.private else THIS_CHAT

    def effect(tx: Tx) -> list[Request]:
        text, keyboard = _render_list(context, tx, view.BY_RATING, scope, "a")
        return [context.reply(text, keyboard=keyboard)]

    return effect


async def press_switch(context: Context) -> Effect:
    """Replace a list by the one whose button was pressed, as the presser sees it."""
    match = re.fullmatch(r"tp:([rp]):([hw]):([dwma])(?::([a-z0-9]+))?", context.button_data)
    message = context.message
    is_known = match is not None and (match[4] or DEFAULT_GAME.key) in GAMES
    if match is None or message is None or not context.is_genuine_press or not is_known:
        return refuse_old_button(context)

    def effect(tx: Tx) -> list[Request]:
        text, keyboard = _render_list(context, tx, match[1], match[2], match[3], match[4] or "")
        return [edit_message(context.chat.id, message.message_id, text, keyboard), *context.answer_press()]

    return effect


def _render_list(
    context: Context, tx: Tx, order: str, scope: str, period: str, game: str = ""
) -> tuple[Html, Keyboard]:
    keyboard = view.make_keyboard(context.words, order, scope, period, game)
    if order == view.BY_POINTS:
        return render_leaderboard_for(context, tx, scope, period, game)[0], keyboard
    now, player = context.sent_at, context.player
    key = make_leaderboard_key(context.chat.id, scope, period, now, game)
    zone = zones.UTC if scope == ALL_CHATS_SCOPE else read_preferences(context.chat).zone
    rating_scope = ratings.RatingScope(*key, zones.find_period_start(zone, period, now), game)
    lines = [_insert_mention(line, scope) for line in ratings.load_best_players(tx, rating_scope, now)]
    own = ratings.load_rating_line(tx, rating_scope, player.id, now) if player else None
    own = own and _insert_mention(own, scope)
    reader = _load_reader(context, tx)
    return view.render_ratings(context.words, lines, own, reader, scope, period, game), keyboard


def _insert_mention(line: ratings.RatingLine, scope: str) -> ratings.RatingLine:
    """Replace the name by a mention unless it is masked."""
    is_masked = scope == ALL_CHATS_SCOPE and line.masked
    return line if is_masked else replace(line, name=make_mention(line.player_id))


def _load_reader(context: Context, tx: Tx) -> view.UnlistedReader | None:
    if context.player is None:
        return None
    missing_hands = rules.count_missing_hands(ratings.load_rating(tx, context.player.id))
    return view.UnlistedReader(context.player.name, missing_hands)


ROUTES = Routes(
    commands=[
        CommandRoute(
            "top", show_ratings, UpdateKind.QUESTION, lambda speech: speech.translate_plain("who plays best")
        )
    ],
    buttons=[ButtonRoute(view.BUTTON_PREFIX, press_switch)],
)
