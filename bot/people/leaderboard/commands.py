"""/leaderboard of this chat or of all, and /stats of oneself or of somebody in the chat."""

import re
from dataclasses import replace

from bot.database import Tx
from bot.delivery.intake import Kind as Work
from bot.delivery.timers import hourly
from bot.games.daily import queries as daily
from bot.games.daily.rules import day_of, streak
from bot.games.rounds.commands import out_of_date
from bot.i18n import Html, mention
from bot.people import queries as people
from bot.people.leaderboard import queries as boards
from bot.people.leaderboard import view as figures
from bot.people.stats import queries as records
from bot.telegram.context import Context, Effect
from bot.telegram.messages import Keyboard, Request, edit
from bot.telegram.routes import Button, Command, Routes


async def leaderboard(context: Context) -> Effect:
    """Who leads in this chat; the buttons switch to other boards."""

    def effect(tx: Tx) -> list[Request]:
        text, keyboard = _board(context, tx, figures.HERE, "a")
        return [context.say(text, keyboard=keyboard)]

    return effect


async def switched(context: Context) -> Effect:
    """A button under a leaderboard: show another one in its place, as the one who pressed sees it."""
    match = re.fullmatch(r"lb:([hw]):([dwma])", context.pressed)
    message = context.message
    if match is None or message is None or not context.offered:
        return out_of_date(context)

    def effect(tx: Tx) -> list[Request]:
        text, keyboard = _board(context, tx, match[1], match[2])
        return [edit(context.chat.id, message.message_id, text, keyboard), *context.answer()]

    return effect


def _board(context: Context, tx: Tx, scope: str, period: str) -> tuple[Html, Keyboard]:
    key = figures.board_key(context.chat.id, scope, period, boards.periods(context.now))
    reader = context.player
    board = _with_mentions(boards.board(tx, *key, reader.id if reader else None), scope)
    return figures.leaderboard(context.words, board, scope, period, reader.name if reader else None)


def _with_mentions(board: boards.Board, scope: str) -> boards.Board:
    """The board with a mention for each name that it shows whole."""

    def line(standing: boards.Standing) -> boards.Standing:
        hidden = scope == figures.WORLD and standing.masked
        return standing if hidden else replace(standing, name=mention(standing.player_id))

    return boards.Board([line(s) for s in board.leaders], line(board.own) if board.own else None)


async def stats(context: Context) -> Effect:
    """What somebody has done in this chat: the one replied to or named, else the caller."""
    return lambda tx: _stats(context, tx)


def _stats(context: Context, tx: Tx) -> list[Request]:
    asked, called = _asked(context, tx)
    found = records.record(tx, context.chat.id, asked.id) if asked else None
    if asked is None and not called:
        return []
    if asked is None or found is None:
        # one sentence for a stranger and for somebody who plays elsewhere: it tells nobody who plays
        return [context.say(figures.stats(context.words, called, None, (0, 0)))]
    days = daily.solved_days(tx, asked.id)
    row = streak(days, day_of(context.now))
    return [context.say(figures.stats(context.words, mention(asked.id), found, (len(days), row)))]


def _asked(context: Context, tx: Tx) -> tuple[people.Player | None, str]:
    """The person whose figures are asked for, and what the chat calls them."""
    message = context.message
    username = re.match(r"@(\w{1,64})", context.argument)
    if username:
        return records.by_username(tx, username[1]), username[0]
    mentioned = next((e.user for e in message.entities if e.user), None) if message else None
    replied = message.reply_to_message if message and not context.argument else None
    user = mentioned or (replied.from_user if replied and not replied.forum_topic_created else None)
    if user and not user.is_bot:
        return people.Player(user.id, user.first_name, user.username), user.first_name
    return context.player, context.player.name if context.player else ""


ROUTES = Routes(
    commands=[
        Command("leaderboard", leaderboard, Work.QUESTION, lambda said: said.plain("who leads here")),
        Command("stats", stats, Work.QUESTION, lambda said: said.plain("your own figures")),
    ],
    buttons=[Button("lb", switched)],
    timed=[hourly("boards of chats that no longer count", boards.sweep)],
)
