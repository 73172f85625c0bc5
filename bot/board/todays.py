"""The hand of today on a page, and that of yesterday for as long as somebody's time for it runs."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bot.database import Tx
from bot.modes.daily import queries as days
from bot.modes.daily.rules import ATTEMPT_SECONDS, format_utc_date, is_attempt_open
from bot.rounds.known import GAMES
from bot.rounds.puzzle import Tiles

# The days whose hand somebody was dealt, the newer first, and whether they are done with it; none whose time
# has run out.
DailyStatus = tuple[tuple[str, bool], ...]


@dataclass(frozen=True, slots=True)
class DailyHands:
    """The hands of two days, which are the same for every reader."""

    today: str = ""  # What names today's; empty where none is shown
    # What names each that anybody was dealt, and its numbers: the newer first.
    hands: Sequence[tuple[str, Tiles]] = ()


def load_daily_hands(tx: Tx, now: float) -> DailyHands:
    """Those of the day of `now` and of the day before."""
    return DailyHands(format_utc_date(now), _dealt(tx, [format_utc_date(now), format_utc_date(now - ATTEMPT_SECONDS)]))


def refresh_daily_hands(tx: Tx, before: DailyHands, now: float) -> DailyHands:
    """The same at `now`: somebody may be dealt today's hand while nothing changes at a place."""
    if before.today != format_utc_date(now):
        return load_daily_hands(tx, now)
    if any(day == before.today for day, _ in before.hands):
        return before
    return replace(before, hands=[*_dealt(tx, [before.today]), *before.hands])


def load_daily_status(tx: Tx, shown: DailyHands, people: Collection[int], now: float) -> dict[int, DailyStatus]:
    """How each of these people stands with them."""
    found = dict[int, DailyStatus]()
    for day, _ in shown.hands:
        for who, attempt in days.load_attempts_by_player(tx, day, people).items():
            if attempt.is_over or is_attempt_open(attempt, now):
                found[who] = (*found.get(who, ()), (day, attempt.is_over))
    return found


def build_daily_hand(shown: DailyHands, mine: DailyStatus) -> dict[str, Any] | None:
    """The hand on one reader's page, once their time for it runs: seen before that it would give them time.

    It is the newest one that may still be solved; with none, today's as it ended.
    """
    day = next((day for day, is_done in mine if not is_done), shown.today)
    tiles = dict(shown.hands).get(day)
    if day not in dict(mine) or tiles is None:
        return None
    numbers = {"numbers": list(tiles.numbers), "shown": list(tiles.labels), "target": tiles.target}
    rules = {"every": tiles.uses_all, "whole": tiles.whole_numbers_only, "near": tiles.accepts_near}
    return {"day": day, **numbers, **rules, "done": dict(mine)[day]}


def list_finished_days(mine: DailyStatus) -> list[str]:
    """The days whose hands the reader is done with, for pages on which one of them still lies."""
    return [day for day, is_done in mine if is_done]


def has_todays_hand(shown: DailyHands, mine: DailyStatus) -> bool:
    """Whether the reader was dealt today's."""
    return shown.today in dict(mine)


def _dealt(tx: Tx, of: Sequence[str]) -> list[tuple[str, Tiles]]:
    found: Mapping[str, Any] = days.load_hands(tx, of)
    read = ((day, GAMES[found[day].game].get_tiles(found[day].puzzle)) for day in of if day in found)
    return [(day, tiles) for day, tiles in read if tiles is not None]
