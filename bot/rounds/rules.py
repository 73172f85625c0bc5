"""The rules of a round, and what a win is worth. Nothing here reads a clock or a database.

A round is *open* until one of four things happens, and then never changes again:

- *won*: the first right answer by a person, sent no later than the deadline;
- *skipped*: whoever may end it did, or enough people voted; the solutions are shown;
- *expired*: nobody answered in time; the solutions are shown;
- *void*: somebody answered it rightly who may not score, since a solution was shown to them or since they
  watch others duel; nobody gets points.

In a round of the kind *all* everything that is new to the round scores, and it is won when its game finds
nothing left in it; where the game can't tell, the round is ended by time or given up.

A round of the kind *contest* is never open: it lies beside the table, *running* until it is *over*, and
`bot.modes.contest` has its rules.

An illegal event (an answer after the end, a second skip) changes nothing and says so.

Points: by the level of what was dealt, less one for each hint bought, but at least one; and one more for the
first right answer in a chat on a day. In a round of the kind *best* they are what its game says at the end.
The earlier message wins: a round sees its answers in the order in which the chat did.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import ceil
from typing import Any

from bot.durations import DAY, HOUR, MINUTE
from bot.rounds.puzzle import POINTS_BY_LEVEL, Find, Kind, Puzzle

FIRST_OF_DAY_BONUS = 1  # Points for the first right answer in a chat on a day
MAX_HINTS = 3
VOTES_NEEDED = 2
MIN_STREAK_SHOWN = 3  # Rounds won in a row from which a streak is worth a word
CLOCK_STEP = 15.0  # Seconds between two times left that a deal's message shows, in the last `FINE` seconds
FINE_CLOCK_LIMIT = 120.0
PLACE_PREFIX = "~"  # Begins the part of an award for a place that is worth points and no win
UNTIMED_SECONDS = -1.0  # Stands for the seconds of an award where nobody's time was taken
MINUTE_CLOCK_LIMIT = (
    7200.0  # Seconds left above which whole hours are shown; between `FINE` and this, minutes
)
MAX_ROUND_SECONDS = 30 * DAY  # longer than any round lasts: a deadline beyond that was noted by a wrong clock


class State(StrEnum):
    """Where a round stands."""

    OPEN = "open"
    WON = "won"
    SKIPPED = "skipped"
    EXPIRED = "expired"
    VOID = "void"
    RUNNING = "running"  # A contest goes on beside whatever is on the table
    OVER = "over"  # A contest has ended


@dataclass(frozen=True, slots=True)
class Round:
    """One deal in one chat and topic, as it stands."""

    id: int  # 0 until it is stored
    chat_id: int
    topic: int  # The topic's thread, 0 where there is none
    kind: Kind
    game: str  # The key of its game
    puzzle: Puzzle
    dealer_id: int
    opened: float
    deadline: float | None
    state: State = State.OPEN
    language: str = "en"  # What its message speaks
    # How it stands, as its game has it: JSON. Every game counts the hints that are shown under `hints`.
    game_state: Mapping[str, Any] = field(default_factory=dict)
    # What was asked of its deal, as its game packs that.
    options: Mapping[str, Any] = field(default_factory=dict)
    race_id: int | None = None
    # The message that asked for the deal from within a thread of comments, where the deal belongs too.
    asked_id: int | None = None
    message_id: int | None = None  # The message that shows the deal, once delivered
    closed: float | None = None
    winner_id: int | None = None
    answer: str | None = None  # The winner's
    streak: int = 0  # Rounds that the winner has won in a row in the chat, this one included
    day_first: bool = False  # Whether the win was the day's first in the chat
    was_displayed: bool = (
        False  # Whether a message has shown it: one that replaces that doesn't start the clock again
    )

    @property
    def line(self) -> str:
        """The one line by which every deal shows the puzzle."""
        return self.puzzle.line

    @property
    def level(self) -> str:
        """How hard the puzzle is."""
        return self.puzzle.level

    @property
    def expected(self) -> float:
        """Seconds that people usually need for it."""
        return self.puzzle.expected

    @property
    def hints_shown(self) -> int:
        """Hints shown so far."""
        return int(self.game_state.get("hints", 0))

    @property
    def points(self) -> int:
        """What a right answer is worth now, where it ends the round or all is to be found."""
        return max(1, POINTS_BY_LEVEL.get(self.level, 1) - self.hints_shown)


@dataclass(frozen=True, slots=True)
class Award:
    """Points earned by one answer."""

    player_id: int
    points: int
    # From the deal to the answer, by the messages' own dates; `UNTIMED` where nobody took the time.
    seconds: float
    answer: str
    part: str  # What of the puzzle it is, in a round of the kind *all*; empty where the first answer wins

    @property
    def is_win(self) -> bool:
        """Whether it is a win, and not only a place that is worth points."""
        return not self.part.startswith(PLACE_PREFIX)


def start_clock(round: Round, now: float) -> Round:
    """The round with its clock started at `now`, when people see its deal for the first time."""
    if round.state is not State.OPEN:
        return round
    late = max(0.0, now - round.opened)
    return replace(round, opened=now, deadline=None if round.deadline is None else round.deadline + late)


def shorten_deadline(round: Round, closes: float | None) -> Round:
    """The round with the deadline that what was handed in gives it, if that is earlier than its own.

    Once it has one, that stays: whoever was shown it counts on it.
    """
    own = round.deadline
    if closes is None or is_deadline_shortened(round) or (own is not None and closes >= own):
        return round
    return replace(round, deadline=closes, game_state={**round.game_state, "until": own})


def restore_deadline(round: Round) -> Round:
    """The round with its own deadline, as if nothing had been answered."""
    standing = {key: value for key, value in round.game_state.items() if key != "until"}
    return replace(round, deadline=round.game_state.get("until", round.deadline), game_state=standing)


def is_deadline_shortened(round: Round) -> bool:
    """Whether what was handed in ends it sooner than its own time would."""
    return "until" in round.game_state


def is_in_time(round: Round, now: float) -> bool:
    """Whether a message dated `now` may still score."""
    return round.state is State.OPEN and (round.deadline is None or now <= round.deadline)


def win_round(
    round: Round, player_id: int, answer: str, now: float, *, streak: int = 1, day_first: bool = False
) -> tuple[Round, Award] | None:
    """The round after a right answer, and what it earned; None when it is over.

    `streak` counts the rounds won in a row with this one; `day_first` says that nobody has scored in the
    chat today.
    """
    if not is_in_time(round, now):
        return None
    award = _award(round, player_id, answer, "", now, day_first=day_first)
    won = replace(round, winner_id=player_id, answer=answer, streak=streak, day_first=day_first)
    return mark_ended(won, State.WON, now), award


def award_find(
    round: Round, found: Sequence[Find], new: Find, now: float, *, day_first: bool = False
) -> Award | Find | None:
    """What a right answer earns in a round of the kind *all*; the one `found` before that it repeats, or None
    when the round is over.
    """
    if not is_in_time(round, now):
        return None
    before = next((f for f in found if f.part == new.part), None)
    if before is not None:
        return before
    return _award(round, new.player_id, new.answer, new.part, now, day_first=day_first)


def _award(round: Round, player_id: int, answer: str, part: str, now: float, *, day_first: bool) -> Award:
    points = round.points + (FIRST_OF_DAY_BONUS if day_first else 0)
    return Award(player_id, points, max(0.0, now - round.opened), answer, part)


def count_streak(previous: Round | None, player_id: int) -> int:
    """How many rounds in a row `player_id` has won with this one, after the chat's `previous` round."""
    goes_on = previous is not None and previous.state is State.WON and previous.winner_id == player_id
    return (previous.streak if previous and goes_on else 0) + 1


def mark_ended(round: Round, state: State, now: float) -> Round:
    """The round as it is over; unchanged if it was over before. Once it is, its solutions may be shown."""
    return replace(round, state=state, closed=now) if round.state is State.OPEN else round


def expire_if_due(round: Round, now: float) -> Round:
    """The round closed by its deadline, if that is over by `now`, or no round's: a wrong clock noted it."""
    over = round.deadline is not None and not now <= round.deadline <= now + MAX_ROUND_SECONDS
    return mark_ended(round, State.EXPIRED, now) if over else round


def add_hint(round: Round, most: int) -> Round:
    """The round with one more hint shown, as long as there is one; its game has `most`."""
    if round.state is not State.OPEN or round.hints_shown >= min(MAX_HINTS, most):
        return round
    return set_hints(round, round.hints_shown + 1)


def set_hints(round: Round, hints: int) -> Round:
    """The round with so many hints shown."""
    return replace(round, game_state={**round.game_state, "hints": hints})


def get_displayed_time_left(deadline: float | None, now: float, tick: float = CLOCK_STEP) -> int | None:
    """Seconds until `deadline` as a message shows them, rounded up so that they seldom change.

    Whole hours, minutes in the last two, and `tick`, a quarter of a minute, in the last two of these; None
    without a deadline or after it.
    """
    if deadline is None or now >= deadline:
        return None
    left = deadline - now
    step = tick if left <= FINE_CLOCK_LIMIT else MINUTE if left <= MINUTE_CLOCK_LIMIT else HOUR
    return int(ceil(left / step) * step)


def rank_by_points(points: Mapping[int, int]) -> list[tuple[int, int, int]]:
    """(rank, player, points), most points first; equal points share a rank."""
    ordered = sorted(points.items(), key=lambda item: (-item[1], item[0]))
    scores = [score for _, score in ordered]
    return [(scores.index(score) + 1, player, score) for player, score in ordered]
