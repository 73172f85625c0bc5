"""The rules of a round, and what a win is worth. Nothing here reads a clock or a database.

A round is *open* until one of four things happens, and then never changes again:

- *won*: the first right answer by a person, on the dealt numbers, sent no later than the deadline;
- *skipped*: whoever may end it did, or enough people voted; the solutions are shown;
- *expired*: nobody answered in time; the solutions are shown;
- *given away*: somebody answered with a solution that they had been shown. All have read it, so another hand
  takes its place at once, in the same message, until the same deadline and for the same points.

In a round of the kind *all* every idea that is new to the round scores, and it is won when none is left.
That can only be told where the list of ideas is *whole*: a longer one is cut when the hand is dealt. Such
hands are not dealt for *all*; a round that has one all the same is ended by time or given up.

An illegal event (an answer after the end, a second skip) changes nothing and says so.

A race is a row of rounds: the next hand is dealt when one is over. It ends with its last hand, or when
nobody has tried several hands in a row.

Points: by the level of the hand, less one for each hint bought, but at least one; and one more for the
first right answer in a chat on a day. The earlier message wins: a round sees its answers in the order in
which the chat did.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import ceil

import solver

POINTS = {"easy": 1, "medium": 2, "hard": 3, "fiendish": 5}
FIRST_OF_THE_DAY = 1
"""Points for the first right answer in a chat on a day."""
MOST_HINTS = 3
VOTES_TO_SKIP = 2
STREAK_FROM = 3
"""Rounds won in a row from which a streak is worth a word."""
RACE_SECONDS = 60.0
"""For each hand of a race."""
RACE_LENGTH, SHORTEST_RACE, LONGEST_RACE = 10, 2, 20
"""Hands of a race: unless asked otherwise, at least, at most."""
LEFT_ALONE = 3
"""Hands of a race that nobody tried, one after the other, after which it ends."""
TICK = 15.0
"""Seconds between two times left that a deal's message shows, in the last `FINE` seconds."""
FINE = 120.0
COARSE = 7200.0
"""Seconds left above which whole hours are shown; between `FINE` and this, minutes."""
MINUTE, HOUR = 60.0, 3600.0
IDEAS_KEPT = 60
"""Ideas that a hand's list holds at most."""


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
    GIVEN_AWAY = "replaced"


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
    asked_id: int | None = None
    """The message that asked for the deal from within a thread of comments, where the deal belongs too."""
    message_id: int | None = None
    """The message that shows the deal, once delivered."""
    closed: float | None = None
    winner_id: int | None = None
    expression: str | None = None
    streak: int = 0
    """Rounds that the winner has won in a row in the chat, this one included."""
    day_first: bool = False
    """Whether the win was the day's first in the chat."""
    seen: bool = False
    """Whether a message has shown it: one that replaces that doesn't start the clock again."""

    @property
    def line(self) -> str:
        """The numbers as dealt and the target, as every deal shows them."""
        return f"{' '.join(map(str, self.numbers))} → {self.target}"

    @property
    def whole(self) -> bool:
        """Whether `ideas` are all there are. A list of full length may have been cut."""
        return len(self.ideas) < IDEAS_KEPT

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
class Find:
    """An idea that somebody found in a round of the kind *all*."""

    player_id: int
    expression: str
    """As the finder wrote it."""
    idea: str
    """Its name in the round."""
    points: int = 0


@dataclass(frozen=True, slots=True)
class TooLate:
    """Right, but the round was over."""

    round: Round


@dataclass(frozen=True, slots=True)
class Repeated:
    """Right, but the same idea as one that somebody had found before."""

    find: Find


@dataclass(frozen=True, slots=True)
class Race:
    """Hands one after the other."""

    id: int
    """0 until it is stored."""
    chat_id: int
    topic: int
    starter_id: int
    length: int
    """Hands in all."""
    opened: float
    seconds: float = RACE_SECONDS
    """For each hand."""
    played: int = 0
    """Hands that are over."""
    unanswered: int = 0
    """The latest hands in a row that nobody tried."""
    open: bool = True


def starting(round: Round, now: float) -> Round:
    """The round with its clock started at `now`, when people see its deal for the first time."""
    if round.state is not State.OPEN:
        return round
    late = max(0.0, now - round.opened)
    return replace(round, opened=now, deadline=None if round.deadline is None else round.deadline + late)


def in_time(round: Round, now: float) -> bool:
    """Whether a message dated `now` may still score."""
    return round.state is State.OPEN and (round.deadline is None or now <= round.deadline)


def win(
    round: Round, player_id: int, expression: str, now: float, *, streak: int = 1, day_first: bool = False
) -> tuple[Round, Award] | TooLate:
    """The round after a right answer, and what it earned.

    `streak` counts the rounds won in a row with this one; `day_first` says that nobody has scored in the
    chat today.
    """
    if not in_time(round, now):
        return TooLate(round)
    award = _award(round, player_id, expression, "", now, day_first=day_first)
    won = replace(round, state=State.WON, closed=now, winner_id=player_id, expression=expression)
    return replace(won, streak=streak, day_first=day_first), award


def find(
    round: Round,
    found: Sequence[Find],
    player_id: int,
    expression: str,
    now: float,
    *,
    day_first: bool = False,
) -> tuple[Round, Award] | Repeated | TooLate:
    """The round after a right answer in one of the kind *all*, and what it earned; `found` are earlier ones.

    The round is won by the answer that leaves no idea to find.
    """
    if not in_time(round, now):
        return TooLate(round)
    named = name_idea(expression, [*round.ideas, *(f.idea for f in found)])
    before = next((f for f in found if f.idea == named), None)
    if before is not None:
        return Repeated(before)
    award = _award(round, player_id, expression, named, now, day_first=day_first)
    if not round.whole or missing(round, [*found, Find(player_id, expression, named)]):
        return round, award
    return replace(round, state=State.WON, closed=now), award


def _award(round: Round, player_id: int, expression: str, idea: str, now: float, *, day_first: bool) -> Award:
    points = round.points + (FIRST_OF_THE_DAY if day_first else 0)
    return Award(player_id, points, max(0.0, now - round.opened), expression, idea)


def name_idea(expression: str, known: Iterable[str]) -> str:
    """The one of the `known` expressions that is the same idea; `expression` itself if none is."""
    mine = solver.idea(solver.parse(expression))
    return next((other for other in known if solver.idea(solver.parse(other)) == mine), expression)


def missing(round: Round, found: Iterable[Find]) -> tuple[str, ...]:
    """The listed ideas that nobody has found, easiest first."""
    named = {f.idea for f in found}
    if round.kind is Kind.FIRST and round.expression is not None:
        named.add(name_idea(round.expression, round.ideas))
    return tuple(idea for idea in round.ideas if idea not in named)


def streak(previous: Round | None, player_id: int) -> int:
    """How many rounds in a row `player_id` has won with this one, after the chat's `previous` round."""
    goes_on = previous is not None and previous.state is State.WON and previous.winner_id == player_id
    return (previous.streak if previous and goes_on else 0) + 1


def skip(round: Round, now: float) -> Round:
    """The round given up: its solutions may be shown from here on."""
    return replace(round, state=State.SKIPPED, closed=now) if round.state is State.OPEN else round


def give_away(round: Round, now: float) -> Round:
    """The round as somebody's answer with a solution that they were shown leaves it."""
    return replace(round, state=State.GIVEN_AWAY, closed=now) if round.state is State.OPEN else round


def expire(round: Round, now: float) -> Round:
    """The round closed by its deadline, if that is over by `now`."""
    over = round.state is State.OPEN and round.deadline is not None and now > round.deadline
    return replace(round, state=State.EXPIRED, closed=now) if over else round


def buy_hint(round: Round) -> Round:
    """The round with one more hint shown, as long as there is one."""
    if round.state is not State.OPEN or round.hints >= min(MOST_HINTS, len(round.hint_values)):
        return round
    return replace(round, hints=round.hints + 1)


def time_left(deadline: float | None, now: float) -> int | None:
    """Seconds until `deadline` as a message shows them, rounded up so that they seldom change.

    Whole hours, minutes in the last two, and quarters of a minute in the last two of these; None without a
    deadline or after it.
    """
    if deadline is None or now >= deadline:
        return None
    left = deadline - now
    step = TICK if left <= FINE else MINUTE if left <= COARSE else HOUR
    return int(ceil(left / step) * step)


def next_hand(race: Race, *, answered: bool) -> Race:
    """The race after a hand of it is over; `answered` says that somebody tried it."""
    unanswered = 0 if answered else race.unanswered + 1
    played = race.played + 1
    goes_on = race.open and played < race.length and unanswered < LEFT_ALONE
    return replace(race, played=played, unanswered=unanswered, open=goes_on)


def ranked(points: Mapping[int, int]) -> list[tuple[int, int, int]]:
    """(rank, player, points), most points first; equal points share a rank."""
    ordered = sorted(points.items(), key=lambda item: (-item[1], item[0]))
    scores = [score for _, score in ordered]
    return [(scores.index(score) + 1, player, score) for player, score in ordered]
