"""/top: who plays best in this chat or in all, and who has most points."""

import re
from dataclasses import replace

from bot import zones
from bot.admin.settings import rules as preferences
from bot.database import Tx
from bot.i18n import Html, mention
from bot.queue.intake import Work
from bot.rounds.commands import out_of_date
from bot.rounds.known import GAMES, USUAL
from bot.standings.leaderboard import commands as leaderboard
from bot.standings.leaderboard.totals import periods
from bot.standings.leaderboard.view import HERE, WORLD, board_key
from bot.standings.ratings import queries as ratings
from bot.standings.ratings import rules, view
from bot.telegram.context import Context, Effect
from bot.telegram.messages import Keyboard, Request, edit
from bot.telegram.routes import Button, Command, Routes


async def top(context: Context) -> Effect:
    """Who plays best: in a group of those who play there, in private of all."""
    scope = WORLD if context.chat.private else HERE

    def effect(tx: Tx) -> list[Request]:
        text, keyboard = _list(context, tx, view.RATING, scope, "a")
        return [context.say(text, keyboard=keyboard)]

    return effect


async def switched(context: Context) -> Effect:
    """A button under a list: show another one in its place, as the one who pressed sees it."""
    match = re.fullmatch(r"tp:([rp]):([hw]):([dwma])(?::([a-z0-9]+))?", context.pressed)
    message = context.message
    if match is None or message is None or not context.offered or (match[4] or USUAL.key) not in GAMES:
        return out_of_date(context)

    def effect(tx: Tx) -> list[Request]:
        text, keyboard = _list(context, tx, match[1], match[2], match[3], match[4] or "")
        return [edit(context.chat.id, message.message_id, text, keyboard), *context.answer()]

    return effect


def _list(
    context: Context, tx: Tx, by: str, scope: str, period: str, game: str = ""
) -> tuple[Html, Keyboard]:
    keyboard = view.keyboard(context.words, by, scope, period, game)
    if by == view.POINTS:
        return leaderboard.board(context, tx, scope, period, game)[0], keyboard
    key = board_key(context.chat.id, scope, period, periods(context.now), game)
    zone = zones.UTC if scope == WORLD else preferences.of(context.chat).zone
    board = ratings.Board(*key, zones.since(zone, period, context.now), game)
    lines = [_named(line, scope) for line in ratings.top(tx, board, context.now)]
    own = ratings.line(tx, board, context.player.id, context.now) if context.player else None
    mine = _named(own, scope) if own else None
    return view.top(context.words, lines, mine, _reader(context, tx), scope, period, game), keyboard


def _named(line: ratings.Line, scope: str) -> ratings.Line:
    """The line with a mention for a name that it shows whole."""
    hidden = scope == WORLD and line.masked
    return line if hidden else replace(line, name=mention(line.player_id))


def _reader(context: Context, tx: Tx) -> view.Reader | None:
    if context.player is None:
        return None
    return view.Reader(context.player.name, rules.missing(ratings.own(tx, context.player.id)))


ROUTES = Routes(
    commands=[Command("top", top, Work.QUESTION, lambda speech: speech.plain("who plays best"))],
    buttons=[Button(view.PREFIX, switched)],
)
