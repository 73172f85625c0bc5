"""The first word, the help, and a kind line for a command that is none."""

from collections.abc import Sequence
from typing import Any

from bot.i18n import Html, Words, escape_value
from bot.rounds.game import Game
from bot.rounds.known import GAMES, DEFAULT_GAME, ask_game_safely
from bot.telegram.context import CommandInfo
from bot.telegram.messages import Keyboard, Link

SHORT_HELP_COMMANDS = ("play", "hint", "daily", "race", "leaderboard", "settings")  # The commands that the short help names
GREETING_LINK = "hello"  # The payload with which a group adds the bot


def render_start(words: Words, username: str) -> tuple[Html, Keyboard]:
    """The first word in private, with the ways to begin."""
    text = Html(f"{DEFAULT_GAME.render_about(words)}\n{words.translate('/help shows what else I can do.')}")
    add = Link(f"https://t.me/{username}?startgroup={GREETING_LINK}")
    return text, [
        [(words.translate_plain("Deal a hand"), "st:deal"), (words.translate_plain("Today’s hand"), "st:daily")],
        [(words.translate_plain("Add me to a group"), add)],
    ]


def render_greeting(words: Words) -> tuple[Html, Keyboard]:
    """The first word in a group."""
    return DEFAULT_GAME.render_greeting(words), [[(words.translate_plain("Deal a hand"), "st:deal")]]


def render_help(words: Words, commands: Sequence[CommandInfo], *, group: bool) -> tuple[Html, Keyboard]:
    """How to play, on one screen."""
    how = words.translate("Reply to the hand, or /a 8/(3-8/3)") if group else words.translate("Just send your answer.")
    others = [_line(game.command, _menu(words, game)) for game in GAMES.values() if game is not DEFAULT_GAME]
    named = [command for command in commands if command.name in SHORT_HELP_COMMANDS]
    lines = {command.name: _line(command.name, command.menu(words)) for command in named if command.menu}
    usual, *rest = [lines[name] for name in SHORT_HELP_COMMANDS]
    text = Html("\n".join([DEFAULT_GAME.render_about(words), how, Html(""), usual, *others, *rest]))
    return text, [[(words.translate_plain("All commands"), "he:all")]]


def _menu(words: Words, game: Game[Any]) -> str:
    return ask_game_safely(game, lambda game: game.render_menu_line(words), game.title)


def render_all_commands(words: Words, commands: Sequence[CommandInfo], *, group: bool) -> tuple[Html, Keyboard]:
    """Every command of the menu, a line each."""
    listed = [_line(c.name, c.menu(words)) for c in commands if c.menu and (group or not c.groups_only)]
    if group:
        listed.append(words.translate("🤫 under a hand: answer it in private, seen by nobody else."))
    listed.append(Html(f"✏️ {words.translate('An edited message doesn’t count: send a new one.')}"))
    return Html("\n".join(listed)), [[(words.translate_plain("‹ Back"), "he:")]]


def _line(command: str, menu: str) -> Html:
    return Html(f"/{command} — {escape_value(menu)}")


def render_unknown_command(words: Words, near: str | None) -> Html:
    """A kind line for a command that is none."""
    if near is None:
        return words.translate("I don’t know that command. /help shows those I do.")
    return words.translate("I don’t know that one. Did you mean /{command}?", command=near)
