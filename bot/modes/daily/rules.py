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
from bot.admin.settings.post_hours import read_post_preferences
from bot.admin.settings.preferences import Preferences, get_quiet_end
from bot.rounds.puzzle import Level, Puzzle

# From Monday to Sunday.
WEEKDAY_LEVELS: tuple[Level, ...] = ("easy", "easy", "medium", "medium", "hard", "hard", "fiendish")
ATTEMPT_SECONDS = 86_400.0  # Seconds for which an attempt can be solved
MAX_POST_DELAY = 6 * 3600.0  # Seconds for which what is said of a hand unasked may come late
MAX_SQUARES = 6  # Wrong answers that a result shows one by one
MAX_HINTS = 3


class AttemptState(StrEnum):
    """Where an attempt stands."""

    OPEN = "open"
    SOLVED = "solved"
    GIVEN_UP = "given up"


@dataclass(frozen=True, slots=True)
class DailyHand:
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
    state: AttemptState = AttemptState.OPEN
    closed: float | None = None
    wrong_answers: int = 0  # Wrong answers so far
    answer: str | None = None  # The right one
    shown_at: float | None = None  # When the hand was first shown, or may have been; None until then
    hints: int = 0  # That the player was shown of it
    offline_answer: str = ""  # The right answer, where it was given offline; else empty
    message_id: int | None = None  # The latest message that shows it, once delivered …
    photo: str = ""  # … and what names the picture in it; empty for a text

    @property
    def is_over(self) -> bool:
        """Whether nothing more can come of it, whatever the time."""
        return self.state is not AttemptState.OPEN or bool(self.offline_answer)

    @property
    def seconds(self) -> float:
        """From the showing to the end; 0 while it is open."""
        if self.closed is None:
            return 0.0
        began = self.opened if self.shown_at is None or self.closed < self.shown_at else self.shown_at
        return max(0.0, self.closed - began)


def format_utc_date(now: float) -> str:
    """The date in UTC."""
    return f"{datetime.fromtimestamp(now, UTC):%Y-%m-%d}"


def make_day_key(date_: str, game: str = "") -> str:
    """What names the hand of a date in a game; no game is the usual one."""
    return f"{date_} {game}".rstrip()


def get_day_date(day: str) -> str:
    """The date of the hand of that name."""
    return day.partition(" ")[0]


def get_day_game(day: str) -> str:
    """The game of the hand of that name; empty for the usual one."""
    return day.partition(" ")[2]


def filter_dates_of_game(stored: Iterable[str], game: str = "") -> list[str]:
    """The dates of those of the stored names that are of that game."""
    return [get_day_date(day) for day in stored if get_day_game(day) == game and _is_date(get_day_date(day))]


def _is_date(day: str) -> bool:
    try:
        return date.fromisoformat(day).isoformat() == day
    except ValueError:
        return False


def get_day_level(day: str) -> Level:
    """How hard the hand of a day is."""
    return WEEKDAY_LEVELS[date.fromisoformat(get_day_date(day)).weekday()]


def get_day_start(day: str) -> float:
    """When the day of a hand begins."""
    return datetime.fromisoformat(get_day_date(day)).replace(tzinfo=UTC).timestamp()


def is_day_expired(day: str, now: float) -> bool:
    """Whether nobody can begin the hand of a day any more, and whoever began it late has no time left."""
    return now >= get_day_start(day) + 2 * ATTEMPT_SECONDS


def derive_seed(day: str, key: str) -> int:
    """What the hand of a day is dealt from, where `key` is secret."""
    return int.from_bytes(hmac.digest(key.encode(), f"twenty-four daily {day}".encode(), "sha256")[:16])


def is_attempt_open(attempt: Attempt, now: float) -> bool:
    """Whether an answer dated `now` may still solve it."""
    return not attempt.is_over and now - attempt.opened <= ATTEMPT_SECONDS


def mark_solved(attempt: Attempt, answer: str, now: float) -> Attempt:
    """The attempt after a right answer; unchanged if it was over."""
    if not is_attempt_open(attempt, now):
        return attempt
    return replace(attempt, state=AttemptState.SOLVED, closed=now, answer=answer)


def add_wrong_answer(attempt: Attempt, now: float) -> Attempt:
    """The attempt after a wrong answer; unchanged if it was over."""
    return (
        replace(attempt, wrong_answers=attempt.wrong_answers + 1)
        if is_attempt_open(attempt, now)
        else attempt
    )


def add_hint(attempt: Attempt, most: int, now: float) -> Attempt:
    """The attempt with one more hint shown; unchanged if it was over, or has all `most` of its hand's."""
    more = is_attempt_open(attempt, now) and attempt.hints < min(MAX_HINTS, most)
    return replace(attempt, hints=attempt.hints + 1) if more else attempt


def mark_given_up(attempt: Attempt, now: float) -> Attempt:
    """The attempt given up; unchanged if it was over."""
    return attempt if attempt.is_over else replace(attempt, state=AttemptState.GIVEN_UP, closed=now)


def count_streak(solved_days: Iterable[str], day: str) -> int:
    """Dates in a row with a solved hand, up to that of `day` or, while that is unsolved, the date before."""
    done = set(solved_days)
    last = date.fromisoformat(get_day_date(day))
    if last.isoformat() not in done:
        last -= timedelta(days=1)
    length = 0
    while (last - timedelta(days=length)).isoformat() in done:
        length += 1
    return length


def count_longest_streak(solved_days: Iterable[str]) -> int:
    """The most dates in a row with a solved hand."""
    best = length = 0
    last = date.min
    for day in map(date.fromisoformat, sorted(solved_days)):
        length = length + 1 if day - last == timedelta(days=1) else 1
        best, last = max(best, length), day
    return best


def get_day_if_table_due(chosen: Preferences, now: float) -> str | None:
    """Today, where a group's table is to be posted at `now`, by what the group chose."""
    wanted = read_post_preferences(chosen)
    return get_day_if_due(chosen, wanted.minute, now) if wanted.wants_daily else None


def get_day_if_due(chosen: Preferences, minute: int, now: float) -> str | None:
    """Today, where something is to be said of its hand that was due at that minute of the chat's day, or
    where that lies in the quiet hours, at their end."""
    latest = zones.find_last_time(chosen.zone, minute, now)
    moment = get_quiet_end(chosen, latest) or latest
    late = now - moment > MAX_POST_DELAY or format_utc_date(moment) != format_utc_date(now)
    return None if late or get_quiet_end(chosen, now) is not None else format_utc_date(now)


def render_squares(attempt: Attempt) -> str:
    """The attempt in a row that gives nothing away: red for each wrong answer, a bulb for each hint."""
    more = f"+{attempt.wrong_answers - MAX_SQUARES}" if attempt.wrong_answers > MAX_SQUARES else ""
    end = {AttemptState.OPEN: "⬜", AttemptState.SOLVED: "🟩", AttemptState.GIVEN_UP: "⬛"}[attempt.state]
    return "🟥" * min(attempt.wrong_answers, MAX_SQUARES) + more + "💡" * attempt.hints + end


def rank_attempts(attempts: Sequence[Attempt]) -> list[tuple[int, Attempt]]:
    """The solved ones with their ranks, the quickest first; equal whole seconds share a rank."""
    done = sorted(
        (a for a in attempts if a.state is AttemptState.SOLVED), key=lambda a: (a.seconds, a.player_id)
    )
    times = [round(a.seconds) for a in done]
    return [(times.index(round(a.seconds)) + 1, a) for a in done]
