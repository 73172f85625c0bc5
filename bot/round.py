"""The rules of a round, and what a win is worth. Nothing here reads a clock or a database.

A round is *open* until one of three things happens, and then never changes again:

- *won*: the first right answer by a person, on the dealt numbers, sent no later than the deadline;
- *skipped*: whoever may end it did, or enough people voted; the solutions are shown;
- *expired*: nobody answered in time; the solutions are shown.

In a round of the kind *all* every idea that is new to the round scores, and it is won when none is left.
An illegal event (an answer after the end, a second skip) changes nothing and says so.

Points: by the level of the hand, less one for each hint bought, but at least one. The earlier message wins:
a round sees its answers in the order in which the chat did.
"""

from dataclasses import dataclass, replace
from enum import StrEnum

POINTS = {"easy": 1, "medium": 2, "hard": 3, "fiendish": 5}
MOST_HINTS = 3
VOTES_TO_SKIP = 2
STREAK_FROM = 3
"""Rounds won in a row from which a streak is worth a word."""


class Kind(StrEnum):
    """What ends a round."""

    FIRST = "first"
    ALL = "all"


class State(StrEnum):
    """Where a round stands."""

    OPEN = "open"
    WON = "won"
    SKIPPED = "skipped"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True)
class Round:
    """One deal in one chat and topic, as it stands."""

    id: int
    """0 until it is stored."""
    chat_id: int
    topic: int
    """The topic's thread, 0 where there is none."""
    kind: Kind
    numbers: tuple[int, ...]
    target: int
    level: str
    expected: float
    """Seconds that people usually need."""
    ideas: tuple[str, ...]
    """The plainest expression of each idea, easiest first."""
    hint_values: tuple[str, ...]
    """Three hints as `solver` gives them, packed as JSON texts."""
    dealer_id: int
    opened: float
    deadline: float | None
    state: State = State.OPEN
    language: str = "en"
    """What its message speaks."""
    hints: int = 0
    """Hints bought so far."""
    race_id: int | None = None
    message_id: int | None = None
    """The message that shows the deal, once delivered."""
    closed: float | None = None
    winner_id: int | None = None
    expression: str | None = None

    @property
    def line(self) -> str:
        """The numbers as dealt and the target, as every deal shows them."""
        return f"{' '.join(map(str, self.numbers))} → {self.target}"

    @property
    def points(self) -> int:
        """What a right answer is worth now."""
        return max(1, POINTS[self.level] - self.hints)


@dataclass(frozen=True, slots=True)
class Award:
    """Points earned by one answer."""

    player_id: int
    points: int
    seconds: float
    """From the deal to the answer, by the messages' own dates."""
    expression: str
    idea: str
    """Names the idea in a round of the kind *all*; empty where the first answer wins."""


@dataclass(frozen=True, slots=True)
class TooLate:
    """Right, but the round was over."""

    round: Round


def in_time(round: Round, now: float) -> bool:
    """Whether a message dated `now` may still score."""
    return round.state is State.OPEN and (round.deadline is None or now <= round.deadline)


def win(round: Round, player_id: int, expression: str, now: float) -> tuple[Round, Award] | TooLate:
    """The round after a right answer, and what it earned."""
    if not in_time(round, now):
        return TooLate(round)
    award = Award(player_id, round.points, max(0.0, now - round.opened), expression, "")
    won = replace(round, state=State.WON, closed=now, winner_id=player_id, expression=expression)
    return won, award


def skip(round: Round, now: float) -> Round:
    """The round given up: its solutions may be shown from here on."""
    return replace(round, state=State.SKIPPED, closed=now) if round.state is State.OPEN else round


def expire(round: Round, now: float) -> Round:
    """The round closed by its deadline, if that is over by `now`."""
    over = round.state is State.OPEN and round.deadline is not None and now > round.deadline
    return replace(round, state=State.EXPIRED, closed=now) if over else round


def buy_hint(round: Round) -> Round:
    """The round with one more hint shown, as long as there is one."""
    if round.state is not State.OPEN or round.hints >= min(MOST_HINTS, len(round.hint_values)):
        return round
    return replace(round, hints=round.hints + 1)
