"""The rules of the daily hand. Nothing here reads a clock or a database.

There is one hand a day in each game that has them, the same for everybody who plays with this bot. What names
it is its date, and behind that its game where that is not the usual one: `2026-11-21`, `2026-11-21
countdown`. It is dealt from a seed that is made of that name and the database's own secret key, so that
nobody knows tomorrow's, at a level that rises from Monday to Sunday where its game can be asked for one. A
player's *attempt* is open from the moment when they asked for the hand, and ends in one of two ways, for
good:

- *solved*: by the first right answer, after as many wrong ones as it takes. The time runs from the moment
  when the hand was first shown to them. Where an answer shows that it was seen before that (a crash can hide
  when a message arrived), it runs from when they asked for it;
- *given up*: the player asked to see how it is done.

A hand that was solved on a board *offline* (see `bot.board.rules`) is over for its player as well: the
attempt stays open in the database, since it is neither of the two, and nothing more comes of it.

A daily hand has no points that hints could cost, so a result says how many were shown.

Midnight ends nothing: an attempt can be solved for a day's length and counts for the date on which it was
opened. A streak is a row of dates with a solved hand, and is not broken until a whole date has passed
without one.
"""

import hmac
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum

from bot import zones
from bot.admin.settings.hours import unasked
from bot.admin.settings.rules import Preferences, quiet_until
from bot.rounds.puzzle import Level, Puzzle

# From Monday to Sunday.
WEEK: tuple[Level, ...] = ("easy", "easy", "medium", "medium", "hard", "hard", "fiendish")
LIFE = 86_400.0  # Seconds for which an attempt can be solved
LATE = 6 * 3600.0  # Seconds for which what is said of a hand unasked may come late
MOST_SQUARES = 6  # Wrong answers that a result shows one by one
MOST_HINTS = 3


class Progress(StrEnum):
    """Where an attempt stands."""

    OPEN = "open"
    SOLVED = "solved"
    GIVEN_UP = "given up"


@dataclass(frozen=True, slots=True)
class Daily:
    """The hand of a day."""

    day: str  # What names it, such as 2026-11-21 or 2026-11-21 countdown
    game: str  # The key of its game
    puzzle: Puzzle

    @property
    def line(self) -> str:
        """The one line by which every deal shows it."""
        return self.puzzle.line


@dataclass(frozen=True, slots=True)
class Attempt:
    """A player's one try at the hand of a day."""

    day: str
    player_id: int
    opened: float
    state: Progress = Progress.OPEN
    closed: float | None = None
    wrong: int = 0  # Wrong answers so far
    answer: str | None = None  # The right one
    shown: float | None = None  # When the hand was first shown, or may have been; None until then
    hints: int = 0  # That the player was shown of it
    offline: str = ""  # The right answer, where it was given offline; else empty
    message_id: int | None = None  # The latest message that shows it, once delivered …
    photo: str = ""  # … and what names the picture in it; empty for a text

    @property
    def is_over(self) -> bool:
        """Whether nothing more can come of it, whatever the time."""
        return self.state is not Progress.OPEN or bool(self.offline)

    @property
    def seconds(self) -> float:
        """From the showing to the end; 0 while it is open."""
        if self.closed is None:
            return 0.0
        began = self.opened if self.shown is None or self.closed < self.shown else self.shown
        return max(0.0, self.closed - began)


def day_of(now: float) -> str:
    """The date in UTC."""
    return f"{datetime.fromtimestamp(now, UTC):%Y-%m-%d}"


def named(date_: str, game: str = "") -> str:
    """What names the hand of a date in a game; no game is the usual one."""
    return f"{date_} {game}".rstrip()


def date_of(day: str) -> str:
    """The date of the hand of that name."""
    return day.partition(" ")[0]


def game_of(day: str) -> str:
    """The game of the hand of that name; empty for the usual one."""
    return day.partition(" ")[2]


def dates(stored: Iterable[str], game: str = "") -> list[str]:
    """The dates of those of the stored names that are of that game."""
    return [date_of(day) for day in stored if game_of(day) == game and _is_date(date_of(day))]


def _is_date(day: str) -> bool:
    try:
        return date.fromisoformat(day).isoformat() == day
    except ValueError:
        return False


def level_of(day: str) -> Level:
    """How hard the hand of a day is."""
    return WEEK[date.fromisoformat(date_of(day)).weekday()]


def begins(day: str) -> float:
    """When the day of a hand begins."""
    return datetime.fromisoformat(date_of(day)).replace(tzinfo=UTC).timestamp()


def is_past(day: str, now: float) -> bool:
    """Whether nobody can begin the hand of a day any more, and whoever began it late has no time left."""
    return now >= begins(day) + 2 * LIFE


def seed_of(day: str, key: str) -> int:
    """What the hand of a day is dealt from, where `key` is secret."""
    return int.from_bytes(hmac.digest(key.encode(), f"twenty-four daily {day}".encode(), "sha256")[:16])


def is_open(attempt: Attempt, now: float) -> bool:
    """Whether an answer dated `now` may still solve it."""
    return not attempt.is_over and now - attempt.opened <= LIFE


def solved(attempt: Attempt, answer: str, now: float) -> Attempt:
    """The attempt after a right answer; unchanged if it was over."""
    if not is_open(attempt, now):
        return attempt
    return replace(attempt, state=Progress.SOLVED, closed=now, answer=answer)


def went_wrong(attempt: Attempt, now: float) -> Attempt:
    """The attempt after a wrong answer; unchanged if it was over."""
    return replace(attempt, wrong=attempt.wrong + 1) if is_open(attempt, now) else attempt


def hinted(attempt: Attempt, most: int, now: float) -> Attempt:
    """The attempt with one more hint shown; unchanged if it was over, or has all `most` of its hand's."""
    more = is_open(attempt, now) and attempt.hints < min(MOST_HINTS, most)
    return replace(attempt, hints=attempt.hints + 1) if more else attempt


def given_up(attempt: Attempt, now: float) -> Attempt:
    """The attempt given up; unchanged if it was over."""
    return attempt if attempt.is_over else replace(attempt, state=Progress.GIVEN_UP, closed=now)


def streak(solved_days: Iterable[str], day: str) -> int:
    """Dates in a row with a solved hand, up to that of `day` or, while that is unsolved, the date before."""
    done = set(solved_days)
    last = date.fromisoformat(date_of(day))
    if last.isoformat() not in done:
        last -= timedelta(days=1)
    length = 0
    while (last - timedelta(days=length)).isoformat() in done:
        length += 1
    return length


def longest(solved_days: Iterable[str]) -> int:
    """The most dates in a row with a solved hand."""
    best = length = 0
    last = date.min
    for day in map(date.fromisoformat, sorted(solved_days)):
        length = length + 1 if day - last == timedelta(days=1) else 1
        best, last = max(best, length), day
    return best


def post_due(chosen: Preferences, now: float) -> str | None:
    """Today, where a group's table is to be posted at `now`, by what the group chose."""
    wanted = unasked(chosen)
    return due(chosen, wanted.minute, now) if wanted.daily else None


def due(chosen: Preferences, minute: int, now: float) -> str | None:
    """Today, where something is to be said of its hand that was due at that minute of the chat's day, or
    where that lies in the quiet hours, at their end."""
    latest = zones.latest(chosen.zone, minute, now)
    moment = quiet_until(chosen, latest) or latest
    late = now - moment > LATE or day_of(moment) != day_of(now)
    return None if late or quiet_until(chosen, now) is not None else day_of(now)


def squares(attempt: Attempt) -> str:
    """The attempt in a row that gives nothing away: red for each wrong answer, a bulb for each hint."""
    more = f"+{attempt.wrong - MOST_SQUARES}" if attempt.wrong > MOST_SQUARES else ""
    end = {Progress.OPEN: "⬜", Progress.SOLVED: "🟩", Progress.GIVEN_UP: "⬛"}[attempt.state]
    return "🟥" * min(attempt.wrong, MOST_SQUARES) + more + "💡" * attempt.hints + end


def ranking(attempts: Sequence[Attempt]) -> list[tuple[int, Attempt]]:
    """The solved ones with their ranks, the quickest first; equal whole seconds share a rank."""
    done = sorted((a for a in attempts if a.state is Progress.SOLVED), key=lambda a: (a.seconds, a.player_id))
    times = [round(a.seconds) for a in done]
    return [(times.index(round(a.seconds)) + 1, a) for a in done]
