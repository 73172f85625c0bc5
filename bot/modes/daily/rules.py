"""The rules of the daily hand, free of I/O: day keys, a player's attempt, streaks and the group's ranking.

There is one hand a day for each game in `DAILY_GAMES`, the same for all players. Its *day key* is the date,
followed by the game's name unless it is the default game: `2026-11-21`, `2026-11-21 countdown`. The hand is
dealt from a chain that all chats share (see `bot.rounds.chains`), so nobody can compute tomorrow's hand.

A player has one *attempt* at a hand, a round of the kind *daily* beside whatever other round is open in the
private chat. It can be solved within 24 hours of opening, past midnight too, and ends won or skipped (given
up). One that was solved offline on a board (see `bot.board.rules`) is void, but stays open in the database.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from bot.levels import Level
from bot.rounds.puzzle import Kind, Origin, Puzzle
from bot.rounds.rules import Round, State

# From Monday to Sunday.
WEEKDAY_LEVELS: tuple[Level, ...] = ("easy", "easy", "medium", "medium", "hard", "hard", "fiendish")
ATTEMPT_SECONDS = 86_400.0  # How long an attempt can be solved
DAY_OF_LINK_0 = date(2019, 12, 31)  # Whose chain lasts until 2047
MAX_SQUARES = 6  # Wrong answers that a result shows one by one


@dataclass(frozen=True, slots=True)
class DailyHand:
    day: str  # The day key
    game: str  # The key of its game
    puzzle: Puzzle


@dataclass(frozen=True, slots=True)
class Attempt(Round):
    """A player's one attempt at a daily hand; `answer` may have been given offline."""

    day: str = ""  # The day key
    wrong_answers: int = 0
    shown_at: float | None = None  # When the hand was first shown, or may have been; None before that
    photo: str = ""  # The key of the picture in the message; empty for a text message

    @property
    def hand_key(self) -> str:
        return self.day

    @property
    def player_id(self) -> int:
        return self.dealer_id

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


def make_attempt(hand: DailyHand, player_id: int, opened: float, **fields: Any) -> Attempt:
    """Make the player's attempt at the hand, open unless `fields` say otherwise."""
    return Attempt(
        id=0,
        chat_id=player_id,  # The private chat
        topic=0,
        kind=Kind.DAILY,
        game=hand.game,
        puzzle=hand.puzzle,
        dealer_id=player_id,
        opened=opened,
        deadline=opened + ATTEMPT_SECONDS,
        day=hand.day,
        **fields,
    )


def format_utc_date(now: float) -> str:
    """Format the UTC date of a time as YYYY-MM-DD."""
    return f"{datetime.fromtimestamp(now, UTC):%Y-%m-%d}"


def make_day_key(date_: str, game: str = "") -> str:
    """Join a date and a game's name in `DAILY_GAMES`; the default game has the empty name."""
    return f"{date_} {game}".rstrip()


def get_day_date(day: str) -> str:
    date_, _, _game = day.partition(" ")
    return date_


def get_day_game(day: str) -> str:
    """Return the game's name in a day key; empty for the default game."""
    _date, _, game = day.partition(" ")
    return game


def filter_dates_of_game(stored: Iterable[str], game: str = "") -> list[str]:
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


def make_origin(chain_id: int, day: str) -> Origin:
    """Return the origin of a day's hand: each day has its link, and its date in place of a message."""
    that_day = date.fromisoformat(get_day_date(day))
    return Origin(chain_id, (that_day - DAY_OF_LINK_0).days, int(f"{that_day:%Y%m%d}"))


def rank_attempts(attempts: Sequence[Attempt]) -> list[tuple[int, Attempt]]:
    """Rank the solved attempts by time; those with equal whole seconds share a rank."""
    solved = [attempt for attempt in attempts if attempt.state is State.WON]
    solved.sort(key=lambda attempt: (attempt.seconds, attempt.player_id))
    times = [round(attempt.seconds) for attempt in solved]
    # A rank is the place of the first attempt with that time
    return [(times.index(round(attempt.seconds)) + 1, attempt) for attempt in solved]


STATE_SQUARES = {State.WON: "🟩", State.SKIPPED: "⬛"}


def render_squares(attempt: Attempt) -> str:
    """Draw a square for each wrong answer (some as in `+2`), a bulb for each hint, and one for the state."""
    squares = "🟥" * min(attempt.wrong_answers, MAX_SQUARES)
    if attempt.wrong_answers > MAX_SQUARES:  # the others as a number
        squares += f"+{attempt.wrong_answers - MAX_SQUARES}"
    return squares + "💡" * attempt.hints_shown + STATE_SQUARES.get(attempt.state, "⬜")


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
    longest = 0
    length = 0
    last = date.min
    for day in map(date.fromisoformat, sorted(solved_days)):
        length = length + 1 if day - last == timedelta(days=1) else 1
        longest = max(longest, length)
        last = day
    return longest
