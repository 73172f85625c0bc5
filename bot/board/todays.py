"""The hand of today on a page, and that of yesterday for as long as somebody's time for it runs."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bot.database import Tx
from bot.modes.daily import queries as days
from bot.modes.daily.rules import LIFE, day_of, is_open
from bot.rounds.known import GAMES
from bot.rounds.puzzle import Tiles

# The days whose hand somebody was dealt, the newer first, and whether they are done with it; none whose time
# has run out.
Tried = tuple[tuple[str, bool], ...]


@dataclass(frozen=True, slots=True)
class Days:
    """The hands of two days, which are the same for every reader."""

    today: str = ""  # What names today's; empty where none is shown
    # What names each that anybody was dealt, and its numbers: the newer first.
    hands: Sequence[tuple[str, Tiles]] = ()


def standing(tx: Tx, now: float) -> Days:
    """Those of the day of `now` and of the day before."""
    return Days(day_of(now), _dealt(tx, [day_of(now), day_of(now - LIFE)]))


def renewed(tx: Tx, before: Days, now: float) -> Days:
    """The same at `now`: somebody may be dealt today's hand while nothing changes at a place."""
    if before.today != day_of(now):
        return standing(tx, now)
    if any(day == before.today for day, _ in before.hands):
        return before
    return replace(before, hands=[*_dealt(tx, [before.today]), *before.hands])


def tried(tx: Tx, shown: Days, people: Collection[int], now: float) -> dict[int, Tried]:
    """How each of these people stands with them."""
    found = dict[int, Tried]()
    for day, _ in shown.hands:
        for who, attempt in days.attempts_among(tx, day, people).items():
            if attempt.is_over or is_open(attempt, now):
                found[who] = (*found.get(who, ()), (day, attempt.is_over))
    return found


def laid(shown: Days, mine: Tried) -> dict[str, Any] | None:
    """The hand on one reader's page, once their time for it runs: seen before that it would give them time.

    It is the newest one that may still be solved; with none, today's as it ended.
    """
    day = next((day for day, is_done in mine if not is_done), shown.today)
    tiles = dict(shown.hands).get(day)
    if day not in dict(mine) or tiles is None:
        return None
    numbers = {"numbers": list(tiles.numbers), "shown": list(tiles.shown), "target": tiles.target}
    rules = {"every": tiles.every, "whole": tiles.whole, "near": tiles.near}
    return {"day": day, **numbers, **rules, "done": dict(mine)[day]}


def done(mine: Tried) -> list[str]:
    """The days whose hands the reader is done with, for pages on which one of them still lies."""
    return [day for day, is_done in mine if is_done]


def is_dealt(shown: Days, mine: Tried) -> bool:
    """Whether the reader was dealt today's."""
    return shown.today in dict(mine)


def _dealt(tx: Tx, of: Sequence[str]) -> list[tuple[str, Tiles]]:
    found: Mapping[str, Any] = days.hands(tx, of)
    read = ((day, GAMES[found[day].game].tiles(found[day].puzzle)) for day in of if day in found)
    return [(day, tiles) for day, tiles in read if tiles is not None]
