"""/leaderboard of this chat or of all."""

import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

from bot import zones
from bot.admin.settings import rules as preferences
from bot.admin.settings.photos import pictured
from bot.database import Tx
from bot.i18n import Html, mention, words
from bot.players import queries as people
from bot.queue.intake import Work
from bot.queue.timers import hourly
from bot.rounds.commands import out_of_date
from bot.rounds.known import GAMES, USUAL
from bot.standings.leaderboard import pictures, totals, view
from bot.standings.leaderboard import queries as boards
from bot.telegram.captions import Seen
from bot.telegram.context import Context, Effect
from bot.telegram.messages import Keyboard, Request, edit
from bot.telegram.routes import Button, Command, Routes

BOARD = "board"  # The kind of picture


async def leaderboard(context: Context) -> Effect:
    """Who leads in this chat; the buttons switch to other boards."""
    return lambda tx: [_shown(context, tx, context.say, Chosen(context.chat.id))]


async def switched(context: Context) -> Effect:
    """A button under a leaderboard: show another one in its place, as the one who pressed sees it."""
    match = re.fullmatch(r"lb:([hw]):([dwma])(?::([a-z0-9]+))?", context.pressed)
    message = context.message
    if match is None or message is None or not context.offered or (match[3] or USUAL.key) not in GAMES:
        return out_of_date(context)
    chosen = Chosen(context.chat.id, match[1], match[2], match[3] or "")
    changed = partial(edit, context.chat.id, message.message_id)
    return lambda tx: [_shown(context, tx, changed, chosen), *context.answer()]


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which board is looked at, and in which chat."""

    chat: int
    scope: str = view.HERE
    period: str = "a"
    game: str = ""


def _shown(context: Context, tx: Tx, say: Callable[..., Request], chosen: Chosen) -> Request:
    """The board as a post or as an edit, with its picture where the chat has such."""
    text, keyboard = board(context, tx, chosen.scope, chosen.period, chosen.game)
    return pictured(context, say(text, keyboard=keyboard), BOARD, **asdict(chosen))


def seen(tx: Tx, asked: Mapping[str, Any], now: float) -> Seen | None:
    """The picture of a board: of this week with its days, of any other time as it stands."""
    chosen = Chosen(asked["chat"], asked["scope"], asked["period"], asked["game"])
    speech, scope = words(asked["language"]), chosen.scope
    zone = preferences.of(people.find_chat(tx, chosen.chat, "supergroup")).zone
    leaders = find_board(tx, chosen, zone, now, None).leaders
    if not leaders and not asked["shown"]:
        return None
    if chosen.period != pictures.THIS_WEEK or not leaders:
        return Seen(pictures.table(speech, leaders, scope, chosen.period, chosen.game))
    if scope == view.WORLD:
        days = boards.by_day_of_all(tx, leaders, now, chosen.game or None)
    else:
        days = boards.by_day(tx, chosen.chat, zone, leaders, now, chosen.game)
    ways = [view.by_day(speech, leaders, days, scope, longest) for longest in view.LENGTHS]
    return Seen(pictures.week(speech, leaders, days, scope, chosen.game), ways)


def board(context: Context, tx: Tx, scope: str, period: str, game: str = "") -> tuple[Html, Keyboard]:
    """A leaderboard as whoever asks sees it, with its buttons."""
    reader, zone = context.player, preferences.of(context.chat).zone
    chosen = Chosen(context.chat.id, scope, period, game)
    found = _with_mentions(find_board(tx, chosen, zone, context.now, reader.id if reader else None), scope)
    return view.leaderboard(context.words, found, scope, period, reader.name if reader else None, game)


def find_board(tx: Tx, chosen: Chosen, zone: ZoneInfo, now: float, reader: int | None) -> boards.Board:
    """The board as `reader` sees it: of a chat by its time zone, of all chats by UTC."""
    if chosen.scope == view.HERE and chosen.period in view.RUNNING:
        since = zones.since(zone, chosen.period, now)
        return boards.board_since(tx, chosen.chat, since, chosen.game, reader)
    key = view.board_key(chosen.chat, chosen.scope, chosen.period, totals.periods(now), chosen.game)
    return boards.board(tx, *key, reader)


def _with_mentions(found: boards.Board, scope: str) -> boards.Board:
    """The board with a mention for each name that it shows whole."""

    def line(standing: boards.Standing) -> boards.Standing:
        hidden = scope == view.WORLD and standing.masked
        return standing if hidden else replace(standing, name=mention(standing.player_id))

    return boards.Board([line(s) for s in found.leaders], line(found.own) if found.own else None)


ROUTES = Routes(
    commands=[
        Command("leaderboard", leaderboard, Work.QUESTION, lambda speech: speech.plain("who leads here")),
    ],
    buttons=[Button("lb", switched)],
    looks={BOARD: seen},
    timed=[
        hourly("boards of chats that no longer count", totals.end_counting),
        hourly("boards of days, weeks and months that are over", totals.delete_ended),
    ],
)
