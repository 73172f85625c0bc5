"""/top: the best players of this chat or of all chats, by rating or by points."""

import re
from collections.abc import Callable

from bot import zones
from bot.database import Tx
from bot.i18n import Html, Words, translate_later
from bot.players.choices import tick
from bot.players.preferences import read_preferences
from bot.queue.admission import UpdateKind
from bot.rounds.commands import refuse_old_button
from bot.rounds.registry import GAMES
from bot.standings.leaderboard import commands as leaderboards
from bot.standings.leaderboard import view as boards
from bot.standings.leaderboard.queries import Leaderboard
from bot.standings.leaderboard.view import LeaderboardChoice
from bot.standings.ratings import queries as ratings
from bot.standings.ratings import updates
from bot.standings.ratings.rules import count_missing_hands
from bot.telegram.context import Context, Effect, Response
from bot.telegram.messages import Keyboard
from bot.telegram.routes import ButtonRoute, CommandRoute, Routes

BY_RATING, BY_POINTS = "r", "p"  # Codes of the two orders in the data of buttons
BUTTON_PREFIX = "tp"


async def show_ratings(context: Context) -> Effect:
    """Reply with the best players of the group; in private with those of all chats."""
    scope = boards.ALL_CHATS_SCOPE if context.chat.private else boards.THIS_CHAT
    choice = LeaderboardChoice(context.chat.id, scope)
    return lambda tx: [_make_list(context, tx, context.reply, BY_RATING, choice)]


SWITCH_DATA = re.compile(r"tp:(?P<order>[rp]):(?P<scope>[hw]):(?P<period>[dwma])(?::(?P<game>[a-z0-9]+))?")


async def press_switch(context: Context) -> Effect:
    """Replace a list by the one whose button was pressed, as the presser sees it."""
    match = leaderboards.match_press(context, SWITCH_DATA)
    if match is None:
        return refuse_old_button(context)
    choice = LeaderboardChoice(context.chat.id, match["scope"], match["period"], match["game"] or "")
    return lambda tx: [_make_list(context, tx, context.edit, match["order"], choice), *context.answer_press()]


def _make_list(
    context: Context, tx: Tx, make_request: Callable[..., Response], order: str, choice: LeaderboardChoice
) -> Response:
    """Make a post or an edit, as `make_request` does, with a list by rating or by points and its buttons."""
    if order == BY_POINTS:
        text = leaderboards.render_leaderboard_for(context, tx, choice)
    else:
        text = _render_ratings(context, tx, choice)
    return make_request(text, keyboard=make_keyboard(context.words, order, choice))


def _render_ratings(context: Context, tx: Tx, choice: LeaderboardChoice) -> Html:
    """Render a list by rating as the sender sees it; a chat's periods follow its time zone, others UTC."""
    now = context.sent_at
    chat_id, stored_period = boards.make_leaderboard_key(choice, now)
    zone = zones.UTC if choice.scope == boards.ALL_CHATS_SCOPE else read_preferences(context.chat).zone
    since = zones.find_period_start(zone, choice.period, now)
    rating_scope = ratings.RatingScope(chat_id, stored_period, since, choice.game)
    reader = context.player
    best = ratings.load_best_players(tx, rating_scope, now)
    own = ratings.load_rating_line(tx, rating_scope, reader.id, now) if reader else None
    missing_hands = count_missing_hands(updates.load_rating(tx, reader.id)) if reader else 0
    reader_name = reader.name if reader else ""
    board = leaderboards.insert_mentions(Leaderboard(best, own), choice.scope)
    return render_ratings(context.words, board, choice, reader_name, missing_hands)


def render_ratings(
    words: Words, board: Leaderboard[str], choice: LeaderboardChoice, reader: str, missing_hands: int
) -> Html:
    """Render the best players and the reader's own line, or how many hands the reader needs for a rating."""
    scope = choice.scope
    texts = [boards.render_heading(words, words.translate("Best players"), choice)]
    texts += boards.render_standings(board, scope)
    if not board.leaders:
        texts.append(_render_nobody_rated(words, choice))
    if board.own is None and missing_hands:
        line = words.translate_plural(
            "{name} has a rating after {n} more hand.",
            "{name} has a rating after {n} more hands.",
            missing_hands,
            name=boards.render_name(reader, scope, hide=True),
        )
        texts.append(line)
    scale = words.translate("1500 is usual; 100 more wins two hands of three. ± is how far it may be off.")
    return Html("\n".join([*texts, *boards.render_counting_rule(words, scope), scale]))


def _render_nobody_rated(words: Words, choice: LeaderboardChoice) -> Html:
    if choice.game:
        title = GAMES[choice.game].title
        return words.translate("Nobody with a rating has played {game} here in this time.", game=title)
    all_time = boards.PERIODS[-1]
    if choice.period != all_time:
        return words.translate("Nobody with a rating has played here in this time.")
    return words.translate("Nobody has a rating here yet: it takes ten hands. /play deals one.")


def make_keyboard(words: Words, order: str, choice: LeaderboardChoice) -> Keyboard:
    """Make buttons for both orders and for every scope, period and game, with ticks at the present ones."""
    orders = {BY_RATING: words.translate_plain("by rating"), BY_POINTS: words.translate_plain("by points")}
    first_row = [
        (tick(label, is_on=code == order), f"{BUTTON_PREFIX}:{code}:{choice.code}")
        for code, label in orders.items()
    ]
    return [first_row, *boards.make_switches(words, choice, f"{BUTTON_PREFIX}:{order}")]


ROUTES = Routes(
    commands=[CommandRoute("top", show_ratings, UpdateKind.QUESTION, translate_later("who plays best"))],
    buttons=[ButtonRoute(BUTTON_PREFIX, press_switch)],
)
