"""What the terminal says by itself: how one plays in it."""

from typing import Any

from bot.console.requests import CHAT, HOST, player_id
from bot.i18n import Words

BOARD = "/board"
"""The line that asks for a link to a board of one's own."""
CHOICE = "o:"
"""Begins the data of the buttons under the settings."""


def welcome(speech: Words) -> list[str]:
    """How one plays here."""
    return [
        speech.plain(
            "Twenty-Four in the terminal. /play deals a hand; answer with an expression such as 8/(3-8/3)."
        ),
        _how(speech),
        speech.plain("/help tells the rest; Ctrl-D ends."),
    ]


def _how(speech: Words) -> str:
    return speech.plain(
        "@ann speaks as Ann from then on, !1 presses button 1, > TEXT talks to the bot in private."
    )


def _asked(speech: Words) -> str:
    return speech.plain(
        "/board prints a link that opens a board to tap, for whoever speaks; > /board one in private."
    )


def own(speech: Words, update: dict[str, Any], *, board: bool) -> list[str]:
    """What only the terminal can say behind the bot's answer: how one talks here, and who is the admin."""
    message, query = update.get("message"), update.get("callback_query", {})
    typed = message["text"].partition(" ")[0].partition("@")[0].lower() if message else ""
    sent = message or {**query["message"], "from": query["from"]}
    refused = sent["chat"]["id"] == CHAT and sent["from"]["id"] != player_id(HOST)
    chooses = typed == "/settings" or str(query.get("data", "")).startswith(CHOICE)
    host = speech.plain("@ alone speaks as {name} again, the admin here.", name=speech.plain("Player"))
    if typed == "/help":
        return [_how(speech), *([_asked(speech)] if board else []), host]
    return [host] if chooses and refused else []


def board(speech: Words, name: str, link: str, *, alone: bool) -> str:
    """Where whoever speaks may tap, in the group or alone with the bot."""
    if alone:
        return speech.plain("To tap in private, once, as {name}: {link}", name=name, link=link)
    return speech.plain("To tap instead of typing, once, as {name}: {link}", name=name, link=link)


def no_board(speech: Words) -> str:
    """Why there is none."""
    return speech.plain("There is no board: no port is free on this machine.")


def on_board(speech: Words) -> str:
    """What that line is for, where it is completed."""
    return speech.plain("a link to a board to tap")
