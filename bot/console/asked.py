"""The pictures of what was asked for: profiles, boards, challenges, the word about a week.

Nothing is stored of them. Their buttons tell what is looked at, as they do when they are pressed.
"""

import re
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from bot.database import Tx
from bot.games.duel import commands as duels
from bot.people.leaderboard import commands as boards
from bot.people.leaderboard.view import ticked
from bot.people.stats import commands as profiles
from bot.people.weekly import commands as weekly
from bot.people.weekly import queries as weeks
from bot.pictures.values import Picture, Race
from bot.telegram.captions import Seen

TICKED = ticked("", on=True)
WORD = "🏆 <b>"
"""Begins the word about a group's week, and nothing else there that has no round."""


def of(tx: Tx, message: dict[str, Any], now: float, language: str) -> tuple[str, Picture] | None:
    """What its file is called, and the picture; None for any other message."""
    chat, usual = int(message["chat"]["id"]), {"language": language, "shown": ""}
    for data, on in _buttons(message):
        if on and (found := re.fullmatch(r"pf:([0-9]+):([a-z0-9]*)", data)):
            return _named("profile", _profile(tx, chat, int(found[1]), found[2], now, usual))
        if on and (found := re.fullmatch(r"lb:([hw]):([dwma])(?::([a-z0-9]+))?", data)):
            chosen = boards.Chosen(chat, found[1], found[2], found[3] or "")
            return _named("week", boards.seen(tx, usual | asdict(chosen), now))
        if found := re.fullmatch(r"da:([0-9]+)", data):
            return _named("challenge", duels.seen(tx, usual | {"duel": int(found[1])}, now))
    week = weeks.week_of(tx, chat, now) if chat < 0 and message["text"].startswith(WORD) else None
    return (
        _named("podium", weekly.seen(tx, usual | {"chat": chat, "week": asdict(week)}, now)) if week else None
    )


def _profile(tx: Tx, chat: int, who: int, game: str, now: float, usual: dict[str, str]) -> Seen | None:
    """As others may see it, else as its owner: only they are shown one where they haven't played."""
    looks = (profiles.Look(chat, who, game, own) for own in (chat == who, True))
    return next(filter(None, (profiles.seen(tx, usual | asdict(look), now) for look in looks)), None)


def _named(kind: str, seen: Seen | None) -> tuple[str, Picture] | None:
    if seen is None:
        return None
    return "board" if isinstance(seen.picture, Race) else kind, seen.picture


def _buttons(message: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    """What each button sends, and whether it is the one that is ticked."""
    for row in message.get("reply_markup", {}).get("inline_keyboard", ()):
        for button in row:
            yield str(button.get("callback_data", "")), str(button["text"]).startswith(TICKED)
