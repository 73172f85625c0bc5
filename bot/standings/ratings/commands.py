"""/top: the best players of this chat or of all chats by rating; a tab of the message of /leaderboard."""

import re
from collections.abc import Callable
from dataclasses import asdict

from bot import zones
from bot.database import Tx
from bot.i18n import Html, Words, get_words, strip_tags, translate_later
from bot.pictures.values import RankedLine, RankingPicture
from bot.players import queries as people
from bot.players.preferences import read_preferences
from bot.queue.admission import UpdateKind
from bot.queue.outgoing import PictureRequest
from bot.queue.rendering import DescribedPicture
from bot.rounds.commands import refuse_old_button
from bot.standings.leaderboard import commands as leaderboards
from bot.standings.leaderboard import view as boards
from bot.standings.leaderboard.queries import Leaderboard, Standing
from bot.standings.leaderboard.view import RATINGS_PREFIX, LeaderboardChoice
from bot.standings.ratings import queries as ratings
from bot.standings.ratings import updates
from bot.standings.ratings.queries import RatingScope
from bot.standings.ratings.rules import count_missing_hands
from bot.telegram.context import Context, Effect, Response
from bot.telegram.routes import ButtonRoute, CommandRoute, Routes

RATINGS_PICTURE = "ratings"  # The kind of picture


async def show_ratings(context: Context) -> Effect:
    """Reply with the best players of the group; in private with those of all chats."""
    scope = boards.ALL_CHATS_SCOPE if context.chat.private else boards.THIS_CHAT
    choice = LeaderboardChoice(context.chat.id, scope)
    return lambda tx: [_make_ratings_message(context, tx, context.reply, choice)]


SWITCH_DATA = re.compile(rf"{RATINGS_PREFIX}:(?P<scope>[hw]):(?P<period>[dwma])")


async def press_switch(context: Context) -> Effect:
    """Replace a list by the one whose button was pressed, as the presser sees it."""
    match = leaderboards.match_press(context, SWITCH_DATA)
    if match is None:
        return refuse_old_button(context)
    choice = LeaderboardChoice(context.chat.id, match["scope"], match["period"])
    return lambda tx: [_make_ratings_message(context, tx, context.edit, choice), *context.answer_press()]


def _make_ratings_message(
    context: Context, tx: Tx, make_request: Callable[..., Response], choice: LeaderboardChoice
) -> Response:
    """Make a post or an edit, as `make_request` does, with a list by rating, its buttons and its picture."""
    keyboard = boards.make_switches(context.words, choice, RATINGS_PREFIX)
    request = make_request(_render_ratings(context, tx, choice), keyboard=keyboard)
    return context.add_picture(request, RATINGS_PICTURE, **asdict(choice))


def _make_scope(chat: people.Chat, choice: LeaderboardChoice, now: float) -> RatingScope:
    """Make the scope of a list; a chat's periods follow its time zone, those of all chats UTC."""
    is_here = choice.scope == boards.THIS_CHAT
    zone = read_preferences(chat).zone if is_here else zones.UTC
    chat_id, period = boards.make_chat_and_period(choice, now)
    return RatingScope(chat_id, period, zones.find_period_start(zone, choice.period, now))


def _render_ratings(context: Context, tx: Tx, choice: LeaderboardChoice) -> Html:
    """Render a list by rating as the sender sees it."""
    now, reader = context.sent_at, context.player
    scope = _make_scope(context.chat, choice, now)
    best = ratings.load_best_players(tx, scope, now)
    own = ratings.load_rating_line(tx, scope, reader.id, now) if reader else None
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
    texts += boards.render_standings(words, board, scope)
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
    texts += boards.render_counting_rule(words, scope)
    if board.leaders:
        scale = words.translate(
            "1500 is usual. With 100 more you win two of three hands. ± is how far it may be off."
        )
        texts.append(scale)
    return Html("\n".join(texts))


def _render_nobody_rated(words: Words, choice: LeaderboardChoice) -> Html:
    if choice.period != boards.ANY_TIME:
        return words.translate("Nobody with a rating has played here in this time.")
    return words.translate("Nobody has a rating here yet: it takes ten hands.")


def load_ratings_picture(tx: Tx, asked: PictureRequest, now: float) -> DescribedPicture | None:
    """Return the picture of a list by rating; None for an empty one whose message is not a photo yet."""
    choice = LeaderboardChoice(**asked.arguments)
    scope = _make_scope(people.load_group(tx, choice.chat), choice, now)
    best = ratings.load_best_players(tx, scope, now)
    is_photo = bool(asked.shown_key)
    if not best and not is_photo:
        return None
    return DescribedPicture(make_picture(get_words(asked.language), best, choice))


def make_picture(words: Words, best: list[Standing[str]], choice: LeaderboardChoice) -> RankingPicture:
    """Make the picture of the best players, without margins, or with the line of an empty list."""
    title = strip_tags(boards.render_heading(words, words.translate("Best players"), choice))
    lines = [
        RankedLine(line.rank, boards.format_picture_name(line, choice.scope), int(line.score.split()[0]))
        for line in best
    ]
    return RankingPicture(title, lines, "" if lines else strip_tags(_render_nobody_rated(words, choice)))


ROUTES = Routes(
    commands=[CommandRoute("top", show_ratings, UpdateKind.QUESTION, translate_later("who plays best"))],
    buttons=[ButtonRoute(RATINGS_PREFIX, press_switch)],
    picture_finders={RATINGS_PICTURE: load_ratings_picture},
)
