"""The points in one game, of this chat or of all chats; the first of the tabs of /leaderboard's message."""

import re
from collections.abc import Callable
from dataclasses import asdict, replace
from zoneinfo import ZoneInfo

from bot import zones
from bot.database import Tx
from bot.i18n import Html, get_words, make_mention
from bot.players import queries as people
from bot.players.preferences import read_preferences
from bot.queue.outgoing import PictureRequest
from bot.queue.rendering import DescribedPicture
from bot.queue.timers import make_hourly_cleanup
from bot.rounds.commands import refuse_old_button
from bot.rounds.registry import GAMES
from bot.standings.leaderboard import queries as boards
from bot.standings.leaderboard import totals, view
from bot.standings.leaderboard.queries import Score
from bot.standings.leaderboard.view import ANY_TIME, LeaderboardChoice
from bot.telegram.context import Context, Effect, Response
from bot.telegram.routes import ButtonRoute, Routes

LEADERBOARD_PICTURE = "board"  # The kind of picture


def show_leaderboard(
    context: Context, period: str = ANY_TIME, game: str = "", *, is_whole: bool = False
) -> Effect:
    """Reply with the chat's leaderboard of a period, by default in the game that is played most.

    `is_whole` lists everybody, not only the first ten.
    """
    choice = LeaderboardChoice(context.chat.id, period=period, game=game, whole=is_whole)
    return lambda tx: [_make_leaderboard_message(context, tx, context.reply, choice)]


SWITCH_DATA = re.compile(
    rf"lb:(?P<scope>[hw]):(?P<period>[dwma])(?::(?P<game>[a-z0-9]+))?(?P<whole>:{view.WHOLE})?"
)


async def press_switch(context: Context) -> Effect:
    """Replace a leaderboard by the one whose button was pressed, as the presser sees it."""
    match = match_press(context, SWITCH_DATA)
    if match is None:
        return refuse_old_button(context)
    choice = LeaderboardChoice(
        context.chat.id, match["scope"], match["period"], match["game"] or "", whole=bool(match["whole"])
    )
    return lambda tx: [_make_leaderboard_message(context, tx, context.edit, choice), *context.answer_press()]


def match_press(context: Context, pattern: re.Pattern[str]) -> re.Match[str] | None:
    """Match the pressed button's data; None if it is invalid or its group `game` names an unknown one."""
    match = pattern.fullmatch(context.button_data)
    if match is None or not context.is_genuine_press or not context.message:
        return None
    return match if match.groupdict().get("game") in (None, *GAMES) else None


def _make_leaderboard_message(
    context: Context, tx: Tx, make_request: Callable[..., Response], choice: LeaderboardChoice
) -> Response:
    """Make a post or an edit, as `make_request` does, with a leaderboard, its buttons and its picture.

    Without a game in the `choice` it is the one that is played most in the chat.
    """
    if not choice.game:
        choice = replace(choice, game=boards.load_usual_game(tx, choice.chat))
    board = _load_leaderboard(context, tx, choice)
    text = _render_leaderboard(context, tx, choice, board)
    keyboard = view.make_switches(context.words, choice, view.POINTS_PREFIX, is_cut=board.is_cut)
    request = make_request(text, keyboard=keyboard)
    pictured = replace(choice, whole=False)  # A picture has ten lines
    return context.add_picture(request, LEADERBOARD_PICTURE, **asdict(pictured))


def _load_leaderboard(context: Context, tx: Tx, choice: LeaderboardChoice) -> boards.Leaderboard[int]:
    """Load a leaderboard as the sender of the update sees it."""
    reader_id = context.player.id if context.player else None
    zone = read_preferences(context.chat).zone
    return load_chosen_leaderboard(tx, choice, zone, context.sent_at, reader_id)


def _render_leaderboard(
    context: Context, tx: Tx, choice: LeaderboardChoice, board: boards.Leaderboard[int]
) -> Html:
    reader = context.player.name if context.player else None
    chosen = read_preferences(context.chat)
    points_elsewhere = 0
    if choice.is_private:
        since = zones.find_period_start(chosen.zone, choice.period, context.sent_at)
        points_elsewhere = boards.load_points_elsewhere(tx, choice.chat, since, choice.game)
    mentioned = insert_mentions(board, choice.scope)
    return view.render_leaderboard(
        context.words, mentioned, choice, reader, points_elsewhere, admins_deal=chosen.admins_deal
    )


def insert_mentions(board: boards.Leaderboard[Score], scope: str) -> boards.Leaderboard[Score]:
    """Replace each name by a mention; masked names stay as they are in a leaderboard of all chats."""

    def insert_mention(line: boards.Standing[Score]) -> boards.Standing[Score]:
        is_masked = scope == view.ALL_CHATS_SCOPE and line.masked
        return line if is_masked else replace(line, name=make_mention(line.player_id))

    own = insert_mention(board.own) if board.own else None
    return replace(board, leaders=[insert_mention(line) for line in board.leaders], own=own)


def load_chosen_leaderboard(
    tx: Tx, choice: LeaderboardChoice, zone: ZoneInfo, now: float, reader: int | None
) -> boards.Leaderboard[int]:
    """Load a leaderboard as `reader` sees it; a chat's periods follow its `zone`, those of all chats UTC."""
    limit = boards.WHOLE_LINES if choice.whole else boards.MAX_LINES
    if choice.scope == view.THIS_CHAT and choice.period in view.RUNNING_PERIODS:
        since = zones.find_period_start(zone, choice.period, now)
        return boards.load_leaderboard_since(tx, choice.chat, since, choice.game, reader, limit)
    chat_id, period = view.make_chat_and_period(choice, now)
    return boards.load_leaderboard(tx, chat_id, totals.make_period_key(period, choice.game), reader, limit)


def load_leaderboard_picture(tx: Tx, asked: PictureRequest, now: float) -> DescribedPicture | None:
    """Return the picture of a leaderboard; None for an empty one whose message is not a photo yet."""
    choice = LeaderboardChoice(**asked.arguments)
    words = get_words(asked.language)
    zone = read_preferences(people.load_group(tx, choice.chat)).zone
    leaders = load_chosen_leaderboard(tx, choice, zone, now, reader=None).leaders
    is_photo = bool(asked.shown_key)
    if not leaders and not is_photo:
        return None
    if choice.period != view.THIS_WEEK or not leaders:  # Only a week is shown day by day
        return DescribedPicture(view.make_table_picture(words, leaders, choice))
    if choice.scope == view.ALL_CHATS_SCOPE:
        points = boards.load_points_by_day_of_all_chats(tx, leaders, now, choice.game)
    else:
        points = boards.load_points_by_day(tx, choice.chat, zone, leaders, now, choice.game)
    descriptions = [
        view.render_points_by_day(words, leaders, points, choice.scope, length)
        for length in view.NAME_LENGTHS
    ]
    return DescribedPicture(view.make_week_picture(words, leaders, points, choice), descriptions)


ROUTES = Routes(
    buttons=[ButtonRoute(view.POINTS_PREFIX, press_switch)],
    picture_finders={LEADERBOARD_PICTURE: load_leaderboard_picture},
    timed_tasks=[
        make_hourly_cleanup("boards of chats that no longer count", totals.stop_counting_a_quiet_chat),
        make_hourly_cleanup("boards of days, weeks and months that are over", totals.delete_ended_periods),
    ],
)
