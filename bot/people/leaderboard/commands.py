"""/leaderboard of this chat or of all."""

import re
from dataclasses import replace

from bot.database import Tx
from bot.delivery.intake import Work
from bot.delivery.timers import hourly
from bot.games.known import GAMES, USUAL
from bot.games.rounds.commands import out_of_date
from bot.i18n import Html, mention
from bot.people.leaderboard import queries as boards
from bot.people.leaderboard import view
from bot.telegram.context import Context, Effect
from bot.telegram.messages import Keyboard, Request, edit
from bot.telegram.routes import Button, Command, Routes


async def leaderboard(context: Context) -> Effect:
    """Who leads in this chat; the buttons switch to other boards."""

    def effect(tx: Tx) -> list[Request]:
        text, keyboard = board(context, tx, view.HERE, "a")
        return [context.say(text, keyboard=keyboard)]

    return effect


async def switched(context: Context) -> Effect:
    """A button under a leaderboard: show another one in its place, as the one who pressed sees it."""
    match = re.fullmatch(r"lb:([hw]):([dwma])(?::([a-z0-9]+))?", context.pressed)
    message = context.message
    if match is None or message is None or not context.offered or (match[3] or USUAL.key) not in GAMES:
        return out_of_date(context)

    def effect(tx: Tx) -> list[Request]:
        text, keyboard = board(context, tx, match[1], match[2], match[3] or "")
        return [edit(context.chat.id, message.message_id, text, keyboard), *context.answer()]

    return effect


def board(context: Context, tx: Tx, scope: str, period: str, game: str = "") -> tuple[Html, Keyboard]:
    """A leaderboard as whoever asks sees it, with its buttons."""
    key = view.board_key(context.chat.id, scope, period, boards.periods(context.now), game)
    reader = context.player
    found = _with_mentions(boards.board(tx, *key, reader.id if reader else None), scope)
    return view.leaderboard(context.words, found, scope, period, reader.name if reader else None, game)


def _with_mentions(found: boards.Board, scope: str) -> boards.Board:
    """The board with a mention for each name that it shows whole."""

    def line(standing: boards.Standing) -> boards.Standing:
        hidden = scope == view.WORLD and standing.masked
        return standing if hidden else replace(standing, name=mention(standing.player_id))

    return boards.Board([line(s) for s in found.leaders], line(found.own) if found.own else None)


ROUTES = Routes(
    commands=[
        Command("leaderboard", leaderboard, Work.QUESTION, lambda said: said.plain("who leads here")),
    ],
    buttons=[Button("lb", switched)],
    timed=[hourly("boards of chats that no longer count", boards.sweep)],
)
