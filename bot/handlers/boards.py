"""/leaderboard of this chat or of all, and /stats of oneself or of somebody in the chat."""

import re
from dataclasses import replace

from bot.daily import day_of, streak
from bot.reply import Keyboard, Outgoing, edit, figures
from bot.store import Tx, boards, daily, people, records
from bot.turn import Move, Turn, saying
from bot.words import Html, mention


async def leaderboard(turn: Turn) -> Move:
    """Who leads in this chat; the buttons switch to other boards."""

    def move(tx: Tx) -> list[Outgoing]:
        text, keyboard = _board(turn, tx, figures.HERE, "a")
        return [turn.say(text, keyboard=keyboard)]

    return move


async def switched(turn: Turn) -> Move:
    """A button under a leaderboard: show another one in its place, as the one who pressed sees it."""
    match = re.fullmatch(r"lb:([hw]):([dwma])", turn.pressed)
    message = turn.message
    if match is None or message is None or not turn.offered:
        return saying(*turn.answer(turn.words.plain("That button is out of date.")))

    def move(tx: Tx) -> list[Outgoing]:
        text, keyboard = _board(turn, tx, match[1], match[2])
        return [edit(turn.chat.id, message.message_id, text, keyboard), *turn.answer()]

    return move


def _board(turn: Turn, tx: Tx, scope: str, period: str) -> tuple[Html, Keyboard]:
    key = figures.board_key(turn.chat.id, scope, period, boards.periods(turn.now))
    reader = turn.player
    board = _with_mentions(boards.board(tx, *key, reader.id if reader else None), scope)
    return figures.leaderboard(turn.words, board, scope, period, reader.name if reader else None)


def _with_mentions(board: boards.Board, scope: str) -> boards.Board:
    """The board with a mention for each name that it shows whole."""

    def line(standing: boards.Standing) -> boards.Standing:
        hidden = scope == figures.WORLD and standing.masked
        return standing if hidden else replace(standing, name=mention(standing.player_id))

    return boards.Board([line(s) for s in board.leaders], line(board.own) if board.own else None)


async def stats(turn: Turn) -> Move:
    """What somebody has done in this chat: the one replied to or named, else the caller."""
    return lambda tx: _stats(turn, tx)


def _stats(turn: Turn, tx: Tx) -> list[Outgoing]:
    asked, called = _asked(turn, tx)
    found = records.record(tx, turn.chat.id, asked.id) if asked else None
    if asked is None and not called:
        return []
    if asked is None or found is None:
        # one sentence for a stranger and for somebody who plays elsewhere: it tells nobody who plays
        return [turn.say(figures.stats(turn.words, called, None, (0, 0)))]
    days = daily.solved_days(tx, asked.id)
    row = streak(days, day_of(turn.now))
    return [turn.say(figures.stats(turn.words, mention(asked.id), found, (len(days), row)))]


def _asked(turn: Turn, tx: Tx) -> tuple[people.Player | None, str]:
    """The person whose figures are asked for, and what the chat calls them."""
    message = turn.message
    username = re.match(r"@(\w{1,64})", turn.argument)
    if username:
        return records.by_username(tx, username[1]), username[0]
    mentioned = next((e.user for e in message.entities if e.user), None) if message else None
    replied = message.reply_to_message if message and not turn.argument else None
    user = mentioned or (replied.from_user if replied and not replied.forum_topic_created else None)
    if user and not user.is_bot:
        return people.Player(user.id, user.first_name, user.username), user.first_name
    return turn.player, turn.player.name if turn.player else ""
