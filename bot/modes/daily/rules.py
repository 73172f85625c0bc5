"""The rules of the daily hand, free of I/O: day keys, a player's attempt, streaks and the group's ranking.

There is one hand a day for each game in `DAILY_GAMES`, the same for all players. Its *day key* is the date,
followed by the game's name unless it is the default game: `2026-11-21`, `2026-11-21 countdown`. The hand is
dealt from a seed derived from the day key and a secret key, so nobody can compute tomorrow's hand.

A player has one *attempt* at a hand, which can be solved within 24 hours of opening, past midnight too. It
ends solved or given up. An attempt that was solved offline on a board (see `bot.board.rules`) stays open in
the database, but is over for its player.
"""

import hmac
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum

from bot.rounds.puzzle import Level, Puzzle

# From Monday to Sunday.
WEEKDAY_LEVELS: tuple[Level, ...] = ("easy", "easy", "medium", "medium", "hard", "hard", "fiendish")
ATTEMPT_SECONDS = 86_400.0  # How long an attempt can be solved
MAX_SQUARES = 6  # Wrong answers that a result shows one by one


class AttemptState(StrEnum):
    OPEN = "open"
    SOLVED = "solved"
    GIVEN_UP = "given up"


@dataclass(frozen=True, slots=True)
class DailyHand:
    """The hand of one day in one game."""

    day: str  # The day key
    game: str  # The key of its game
    puzzle: Puzzle


@dataclass(frozen=True, slots=True)
class Attempt:
    """A player's one attempt at a daily hand."""

    day: str  # The day key
    player_id: int
    opened: float
    state: AttemptState = AttemptState.OPEN
    closed: float | None = None
    wrong_answers: int = 0
    answer: str | None = None  # The right answer
    shown_at: float | None = None  # When the hand was first shown, or may have been; None before that
    hints: int = 0  # Hints shown
    offline_answer: str = ""  # The right answer, if it was given offline
    message_id: int | None = None  # The latest delivered message that shows the hand
    photo: str = ""  # The key of the picture in that message; empty for a text message

    @property
    def is_over(self) -> bool:
        """Whether the attempt has ended, apart from its 24 hours."""
        return self.state is not AttemptState.OPEN or bool(self.offline_answer)

    @property
    def seconds(self) -> float:
        """The time from showing the hand to the end of the attempt; 0 while it is open."""
        if self.closed is None:
            return 0.0
        began = self.opened
        # After a crash `shown_at` may be too late: an earlier answer proves that the hand had been seen.
        if self.shown_at is not None and self.shown_at <= self.closed:
            began = self.shown_at
        return max(0.0, self.closed - began)


def format_utc_date(now: float) -> str:
    """Format the UTC date of a time as YYYY-MM-DD."""
    return f"{datetime.fromtimestamp(now, UTC):%Y-%m-%d}"


def make_day_key(date_: str, game: str = "") -> str:
    """Join a date and a game's name in `DAILY_GAMES`; the default game has the empty name."""
    return f"{date_} {game}".rstrip()


def get_day_date(day: str) -> str:
    """Return the date in a day key."""
    return day.partition(" ")[0]


def get_day_game(day: str) -> str:
    """Return the game's name in a day key; empty for the default game."""
    return day.partition(" ")[2]


def filter_dates_of_game(stored: Iterable[str], game: str = "") -> list[str]:
    """Return the dates of those day keys that belong to the game."""
    return [get_day_date(day) for day in stored if get_day_game(day) == game]


def get_day_level(day: str) -> Level:
    """Return the level of a day, which rises from Monday to Sunday."""
    return WEEKDAY_LEVELS[date.fromisoformat(get_day_date(day)).weekday()]


def get_day_start(day: str) -> float:
    """Return the time of the day's midnight in UTC."""
    return datetime.fromisoformat(get_day_date(day)).replace(tzinfo=UTC).timestamp()


def is_day_expired(day: str, now: float) -> bool:
    """Whether no attempt at the day's hand can be opened or solved any more."""
    # A hand can be opened until its day ends, and solved for as long again
    return now >= get_day_start(day) + 2 * ATTEMPT_SECONDS


def derive_seed(day: str, key: str) -> int:
    """Derive the seed of a day's hand from the day key and the secret key."""
    return int.from_bytes(hmac.digest(key.encode(), f"twenty-four daily {day}".encode(), "sha256")[:16])


def is_attempt_open(attempt: Attempt, now: float) -> bool:
    """Whether an answer sent at `now` can still solve the attempt."""
    return not attempt.is_over and now - attempt.opened <= ATTEMPT_SECONDS


def rank_attempts(attempts: Sequence[Attempt]) -> list[tuple[int, Attempt]]:
    """Rank the solved attempts by time; those with equal whole seconds share a rank."""
    solved = [attempt for attempt in attempts if attempt.state is AttemptState.SOLVED]
    solved.sort(key=lambda attempt: (attempt.seconds, attempt.player_id))
    times = [round(attempt.seconds) for attempt in solved]
    # A rank is the place of the first attempt with that time
    return [(times.index(round(attempt.seconds)) + 1, attempt) for attempt in solved]


STATE_SQUARES = {AttemptState.OPEN: "⬜", AttemptState.SOLVED: "🟩", AttemptState.GIVEN_UP: "⬛"}


def render_squares(attempt: Attempt) -> str:
    """Draw a square for each wrong answer (some as in `+2`), a bulb for each hint, and one for the state."""
    squares = "🟥" * min(attempt.wrong_answers, MAX_SQUARES)
    if attempt.wrong_answers > MAX_SQUARES:  # the others as a number
        squares += f"+{attempt.wrong_answers - MAX_SQUARES}"
    return squares + "💡" * attempt.hints + STATE_SQUARES[attempt.state]


def count_streak(solved_days: Iterable[str], day: str) -> int:
    """Count the consecutive solved dates up to the day, or up to the day before while the day is unsolved."""
    solved = set(solved_days)
    last = date.fromisoformat(get_day_date(day))
    if last.isoformat() not in solved:
        last -= timedelta(days=1)
    length = 0
    while (last - timedelta(days=length)).isoformat() in solved:
        length += 1
    return length


def count_longest_streak(solved_days: Iterable[str]) -> int:
    """Count the consecutive dates in the longest streak."""
    longest = 0
    length = 0
    last = date.min
    for day in map(date.fromisoformat, sorted(solved_days)):
        length = length + 1 if day - last == timedelta(days=1) else 1
        longest = max(longest, length)
        last = day
    return longest
