"""The rules that storms and streaks share, free of I/O: hands rise in ten steps, and scores have bests.

Days and weeks are those of UTC; a week begins on Monday.
"""

from dataclasses import dataclass

from bot.durations import DAY
from bot.rounds.puzzle import Kind, Options

STEPS = (97, 94, 91, 87, 82, 77, 70, 62, 53, 43)  # Percentage of people who find the hands of each step
HANDS_PER_STEP = 3  # After the last step, its difficulty stays


@dataclass(frozen=True, slots=True)
class Run:
    """One storm or streak of one player."""

    id: int  # 0 until it is stored
    player_id: int
    kind: Kind  # Of its rounds
    opened: float
    group_id: int | None = None  # The group that led to it, in whose table it is listed
    score: int = 0  # Hands solved
    in_a_row: int = 0  # Hands solved since the last miss


@dataclass(frozen=True, slots=True)
class Bests:
    """A player's highest scores, the present run included."""

    day: int
    week: int
    ever: int


def get_step(number: int) -> int:
    """Return the step, from 0, of the hand with that number, from 1."""
    return min((number - 1) // HANDS_PER_STEP, len(STEPS) - 1)


def list_wishes(kind: Kind, count: int) -> list[Options]:
    """Return the options of the hands of a run, in order."""
    return [Options(kind=kind, solved=STEPS[get_step(number)]) for number in range(1, count + 1)]


def get_day_start(now: float) -> float:
    return now // DAY * DAY


FIRST_MONDAY = 4 * DAY  # Of Unix time, which began on a Thursday


def get_week_start(now: float) -> float:
    return now - (now - FIRST_MONDAY) % (7 * DAY)
