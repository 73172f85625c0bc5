"""The state of a round and its transitions, and points. Pure: time is an argument.

A round is *open* until one of four things happens; after that it never changes:

- *won*: a player sent the first right answer, no later than the deadline;
- *skipped*: somebody entitled ended it, or enough players voted; its solutions are shown;
- *expired*: its time is up; its solutions are shown;
- *void*: the right answer came from a player who may not score (was shown a solution, or watches a duel).

A round of the kind *all* is won when everything is found. A round of the kind *contest* is never open: it is
*running* beside the table until it is *over* (see `bot.modes.contest`).

A right answer earns the points of the level, less one for each hint, at least one; plus one for the first
right answer in a chat on a day, which counts in no race. In a round of the kind *best* the game decides at
the end.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from math import ceil
from typing import NamedTuple

from bot.durations import DAY, HOUR, MINUTE
from bot.levels import POINTS_BY_LEVEL
from bot.rounds.puzzle import Kind, Origin, Puzzle

FIRST_OF_DAY_BONUS = 1  # Points
VOTES_NEEDED = 2  # To end a contest or a duel
MIN_STREAK_SHOWN = 3  # Rounds won in a row from which the message mentions the streak
MINUTE_CLOCK_LIMIT = 7200.0  # Seconds left above which a message shows whole hours
FINE_CLOCK_LIMIT = 120.0  # Seconds left above which it shows whole minutes; below, steps of `CLOCK_STEP`
CLOCK_STEP = 15.0  # Seconds
PLACE_PREFIX = "~"  # Begins the part of an award for a place below the first
UNTIMED_SECONDS = -1.0  # The seconds of an award without a time
SLOW_FACTOR = 2.0  # Times the expected time, above which a right answer was slow
MAX_MESSAGES_BELOW = 15  # With more messages below it a message is out of sight
MAX_ROUND_SECONDS = 30 * DAY  # Longer than any round: a later deadline was written by a wrong clock


class State(StrEnum):
    OPEN = "open"
    WON = "won"
    SKIPPED = "skipped"
    EXPIRED = "expired"
    VOID = "void"
    RUNNING = "running"  # A contest that goes on
    OVER = "over"  # A contest that has ended


@dataclass(frozen=True, slots=True)
class Round:
    """One puzzle played in one chat and topic."""

    id: int  # 0 until it is stored
    chat_id: int
    topic: int  # Message thread; 0 outside topics
    kind: Kind
    game: str  # The key of its game
    puzzle: Puzzle
    dealer_id: int
    opened: float
    deadline: float | None
    state: State = State.OPEN
    language: str = "en"  # Of its message
    hints_shown: int = 0
    first_deadline: float | None = None  # The deadline before it was shortened; None if it was not
    options: str = "{}"  # Of its deal, as JSON that its game or mode packed
    race_id: int | None = None
    asked_id: int | None = None  # The message in a thread of comments that asked for the deal
    message_id: int | None = None  # The message that shows the round, once delivered
    closed: float | None = None
    winner_id: int | None = None
    answer: str | None = None  # The winner's
    streak: int = 0  # Rounds that the winner has won in a row in the chat, with this one
    day_first: bool = False  # Whether the win was the chat's first of the day
    awaited_race: str = ""  # The argument of a /race that was refused because it is open; empty for none
    awaited_duel: int = 0  # The challenge that a /duel asked for while it is open; 0 for none
    votes_needed: int = 0  # To give it up, fixed by the first vote
    stop_votes_needed: int = 0  # To end its race, fixed by the first vote
    was_displayed: bool = False  # A message that replaces an earlier one doesn't restart the clock
    origin: Origin | None = None  # None if nobody can verify the hand

    @property
    def is_private(self) -> bool:
        return self.chat_id > 0  # groups have negative ids

    @property
    def hand_key(self) -> str:
        """Its key among all hands, also those that a mode stores in a table of its own."""
        return str(self.id)

    @property
    def line(self) -> str:
        return self.puzzle.line

    @property
    def level(self) -> str:
        return self.puzzle.level

    @property
    def expected(self) -> float:
        """Seconds that people usually need."""
        return self.puzzle.expected

    @property
    def points(self) -> int:
        """The points of a right answer now, where it scores at once."""
        return max(1, POINTS_BY_LEVEL.get(self.level, 1) - self.hints_shown)  # one is never lost to hints


@dataclass(frozen=True, slots=True)
class Award:
    """Points for one answer."""

    player_id: int
    points: int
    seconds: float  # From the deal to the answer, by the dates of the messages, or `UNTIMED_SECONDS`
    answer: str
    part: str  # As in `Find`; empty where the first right answer ends the round

    @property
    def is_win(self) -> bool:
        return not self.part.startswith(PLACE_PREFIX)


def start_clock(round: Round, now: float) -> Round:
    """Return an open round as if dealt at `now`, any other unchanged: a deal may wait for its delivery."""
    if round.state is not State.OPEN:
        return round
    # The deadline stays if `now` is before the deal, by another clock.
    delay = max(0.0, now - round.opened)
    deadline = None if round.deadline is None else round.deadline + delay
    return replace(round, opened=now, deadline=deadline)


def shorten_deadline(round: Round, deadline: float | None) -> Round:
    """Return the round with that deadline; unchanged if None, not earlier, or shortened before."""
    if deadline is None or round.deadline is None or round.first_deadline is not None:
        return round
    if deadline >= round.deadline:
        return round
    return replace(round, deadline=deadline, first_deadline=round.deadline)


def is_in_time(round: Round, now: float) -> bool:
    """Whether a message sent at `now` may still score."""
    return round.state is State.OPEN and (round.deadline is None or now <= round.deadline)


def win_round(
    round: Round, player_id: int, answer: str, now: float, *, streak: int = 1, day_first: bool = False
) -> tuple[Round, Award] | None:
    """Return the won round and its award; None if the answer came too late.

    `streak`: rounds won in a row with this one. `day_first`: nobody has scored in the chat today.
    """
    if not is_in_time(round, now):
        return None
    award = make_award(round, player_id, answer, now, day_first=day_first)
    won = replace(round, winner_id=player_id, answer=answer, streak=streak, day_first=day_first)
    return mark_ended(won, State.WON, now), award


def make_award(
    round: Round, player_id: int, answer: str, now: float, *, part: str = "", day_first: bool = False
) -> Award:
    """Return the award for a right answer, with one point more for the chat's first of the day."""
    points = round.points + (FIRST_OF_DAY_BONUS if day_first else 0)
    seconds = max(0.0, now - round.opened)  # the answer may have been sent before the deal was delivered
    return Award(player_id, points, seconds, answer, part)


def is_slow(round: Round, seconds: float) -> bool:
    """Whether a right answer after so many seconds took much longer than people usually need."""
    return seconds > SLOW_FACTOR * round.expected


def count_streak(previous: Round | None, player_id: int) -> int:
    """Return how many rounds in a row the player has won, with one more after the `previous` round."""
    if previous is None or previous.state is not State.WON or previous.winner_id != player_id:
        return 1
    return previous.streak + 1


def mark_ended(round: Round, state: State, now: float) -> Round:
    """Return the round with that final state; unchanged if it has ended before."""
    return replace(round, state=state, closed=now) if round.state is State.OPEN else round


def expire_if_due(round: Round, now: float) -> Round:
    """Return the round as expired if its deadline has passed or is impossible, else unchanged."""
    if round.deadline is None:
        return round
    if now <= round.deadline <= now + MAX_ROUND_SECONDS:  # a later one was written by a wrong clock
        return round
    return mark_ended(round, State.EXPIRED, now)


def add_hint(round: Round, available: int) -> Round:
    """Return the round with one more hint shown; unchanged if none of the `available` ones is left."""
    if round.state is not State.OPEN or round.hints_shown >= available:
        return round
    return replace(round, hints_shown=round.hints_shown + 1)


def get_displayed_time_left(deadline: float | None, now: float, step: float = CLOCK_STEP) -> int | None:
    """Return the seconds left, rounded up so that a message seldom changes; None without or after a deadline.

    Rounded to hours, in the last two hours to minutes, in the last two minutes to `step`.
    """
    if deadline is None or now >= deadline:
        return None
    left = deadline - now
    unit: float = HOUR
    if left <= FINE_CLOCK_LIMIT:
        unit = step
    elif left <= MINUTE_CLOCK_LIMIT:
        unit = MINUTE
    return int(ceil(left / unit) * unit)


def is_out_of_sight(message_id: int | None, latest_id: int) -> bool:
    """Whether so many messages follow a message up to the latest that people have to scroll to it.

    False where either is unknown: None and 0.
    """
    return bool(message_id) and latest_id - (message_id or 0) > MAX_MESSAGES_BELOW


class RankedPlayer(NamedTuple):
    rank: int  # From 1
    player_id: int
    points: int


def rank_by_points(points: Mapping[int, int]) -> list[RankedPlayer]:
    """Return the ranked players, most points first, then by id; equal points share a rank."""
    ordered = sorted(points, key=lambda player_id: (-points[player_id], player_id))
    scores = [points[player_id] for player_id in ordered]
    # A rank is the place of the first player with that score.
    ranks = [scores.index(score) + 1 for score in scores]
    return list(map(RankedPlayer, ranks, ordered, scores))
