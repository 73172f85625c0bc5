"""The first word, the help, and a kind line for a command that is none."""

from collections.abc import Sequence
from typing import Any

from bot.i18n import Html, Words, safe
from bot.rounds.game import Game
from bot.rounds.known import GAMES, USUAL, in_passing
from bot.telegram.context import Listed
from bot.telegram.messages import Keyboard, Link

MAIN = ("play", "hint", "daily", "race", "leaderboard", "settings")  # The commands that the short help names
HELLO = "hello"  # The payload with which a group adds the bot


def start(words: Words, username: str) -> tuple[Html, Keyboard]:
    """The first word in private, with the ways to begin."""
    text = Html(f"{USUAL.about(words)}\n{words.say('/help shows what else I can do.')}")
    add = Link(f"https://t.me/{username}?startgroup={HELLO}")
    return text, [
        [(words.plain("Deal a hand"), "st:deal"), (words.plain("Today’s hand"), "st:daily")],
        [(words.plain("Add me to a group"), add)],
    ]


def greeting(words: Words) -> tuple[Html, Keyboard]:
    """The first word in a group."""
    return USUAL.greeting(words), [[(words.plain("Deal a hand"), "st:deal")]]


def help_text(words: Words, commands: Sequence[Listed], *, group: bool) -> tuple[Html, Keyboard]:
    """How to play, on one screen."""
    how = words.say("Reply to the hand, or /a 8/(3-8/3)") if group else words.say("Just send your answer.")
    others = [_line(game.command, _menu(words, game)) for game in GAMES.values() if game is not USUAL]
    named = [command for command in commands if command.name in MAIN]
    lines = {command.name: _line(command.name, command.menu(words)) for command in named if command.menu}
    usual, *rest = [lines[name] for name in MAIN]
    text = Html("\n".join([USUAL.about(words), how, Html(""), usual, *others, *rest]))
    return text, [[(words.plain("All commands"), "he:all")]]


def _menu(words: Words, game: Game[Any]) -> str:
    return in_passing(game, lambda game: game.menu(words), game.title)


def all_commands(words: Words, commands: Sequence[Listed], *, group: bool) -> tuple[Html, Keyboard]:
    """Every command of the menu, a line each."""
    listed = [_line(c.name, c.menu(words)) for c in commands if c.menu and (group or not c.groups_only)]
    if group:
        listed.append(words.say("🤫 under a hand: answer it in private, seen by nobody else."))
    listed.append(Html(f"✏️ {words.say('An edited message doesn’t count: send a new one.')}"))
    return Html("\n".join(listed)), [[(words.plain("‹ Back"), "he:")]]


def _line(command: str, menu: str) -> Html:
    return Html(f"/{command} — {safe(menu)}")


def no_such_command(words: Words, near: str | None) -> Html:
    """A kind line for a command that is none."""
    if near is None:
        return words.say("I don’t know that command. /help shows those I do.")
    return words.say("I don’t know that one. Did you mean /{command}?", command=near)
