"""What moves ratings: each hand, in the transaction in which it is over, and only once.

What was played before there were ratings is replayed piece by piece while the bot runs, rounds by their
numbers and daily hands by their dates. How far that has come is a fact of the database. A round that is over
by the time it comes by is rated then; one that is still open is rated when it is over, as is all that comes
after the replay's end. So nothing is rated twice, or left out, whenever the bot is stopped. Who was shown the
solution of a hand is known for a week alone, so the replay does not ask.
"""

import json
import logging
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from itertools import takewhile
from typing import Any

from sqlalchemy import Row, Table, bindparam, func, select

from bot.database import LARGEST, Tx, read_object
from bot.database.schema import AGES, NOBODY, attempts, awards, entries, rounds, tries
from bot.games.daily import queries as dailies
from bot.games.daily.rules import Attempt, Daily, Progress, day_of
from bot.games.known import GAMES, in_passing
from bot.games.puzzle import Kind, Played
from bot.games.rounds import queries as tables
from bot.games.rounds import reveals
from bot.games.rounds.rules import Round, State
from bot.people import queries as people
from bot.people.ratings.queries import Rated, keep
from bot.people.ratings.rules import Match, Result

log = logging.getLogger(__name__)

REPLAYED, ALL = "ratings replayed", "all"
"""The fact that says how far the replay has come, and what it says at the end."""
PIECE = 200
"""Rounds and attempts, about so many, that are replayed in one transaction."""
STEP = 50
"""Rounds that are read at once."""
COUNTED = (State.WON, State.SKIPPED, State.EXPIRED, State.OVER)
"""Where a round stands that is over and was not given away."""
KINDS = (Kind.FIRST, Kind.ALL, Kind.BEST, Kind.CONTEST)
"""Rounds that were neither a lesson nor practice, nor chosen by those who played them."""


@dataclass(frozen=True, slots=True)
class Reached:
    """How far the replay has come."""

    round_id: int = 0
    """All rounds up to this were either over and are rated, or still open."""
    day: str = ""
    """… and so were all attempts at daily hands up to this date."""


def round_over(tx: Tx, over: Round) -> None:
    """Rate those who tried a round that has just been closed, unless the replay will.

    Whoever was shown how it is done before its end is left out; those who scored were not.
    """
    if _is_left(tx, round_id=over.id):
        return
    tried = _tried(tx, [over])[over.id]
    unpaid, closed = [one.player_id for one in tried if not one.points], over.closed or over.opened
    spoiled = reveals.seen_by(tx, over, unpaid, closed) if unpaid else set[int]()
    keep(tx, _matches([(over, [one for one in tried if one.player_id not in spoiled])]))


def attempt_over(tx: Tx, dealt: Daily, attempt: Attempt) -> None:
    """Rate a person by their attempt at a daily hand, which has just ended, unless the replay will."""
    if not _is_left(tx, day=attempt.day):
        keep(tx, _of_attempts(dealt, [attempt]))


def _matches(tried: Iterable[tuple[Round, Sequence[Played]]]) -> list[Rated]:
    """What ratings follow: the rounds that are over and count, if anybody tried them."""
    counted = [one for one in tried if one[1] and one[0].state in COUNTED and one[0].kind in KINDS]
    return [
        (round.closed or round.opened, match)
        for round, played in counted
        if (match := _match(round, played)) is not None
    ]


def _match(round: Round, tried: Sequence[Played]) -> Match | None:
    """How those did who tried a round; None where its game can't tell, which costs nobody their points."""
    return in_passing(GAMES[round.game], lambda game: game.match(round, tried), None)


def _tried(tx: Tx, over: Sequence[Round]) -> dict[int, list[Played]]:
    """Who tried in each of those rounds, and how they did; nobody who is no person, or forgotten."""
    ids = [round.id for round in over]
    found: dict[int, dict[int, Played]] = defaultdict(dict)
    for row in _rows(tx, tries, ids):
        if row.wrong or row.misread:
            found[row.round_id][row.player_id] = Played(row.player_id)
    for row in _rows(tx, entries, ids):
        found[row.round_id][row.player_id] = Played(row.player_id, entry=row.answer)
    for row in _rows(tx, awards, ids):
        before = found[row.round_id].get(row.player_id, Played(row.player_id))
        found[row.round_id][row.player_id] = _paid(before, row)
    return {number: list(found[number].values()) for number in ids}


def _rows(tx: Tx, table: Table, ids: Collection[int]) -> Sequence[Row[Any]]:
    return tx.execute(_tried_in(table), {"ids": list(ids)}).all()


@cache
def _tried_in(table: Table) -> Any:
    """All that the table has of some rounds; built once, which takes longer than to run it."""
    return select(table).where(table.c.round_id.in_(bindparam("ids")), table.c.player_id > NOBODY)


def _paid(before: Played, award: Row[Any]) -> Played:
    """The same with an award more."""
    seconds = min(before.seconds, award.seconds) if before.points else award.seconds
    return replace(before, points=before.points + award.points, seconds=seconds)


def _of_attempts(dealt: Daily, over: Iterable[Attempt]) -> list[Rated]:
    """A match of each person against the hand of the day, which others try at other times."""

    def match(one: Attempt) -> Match:
        solved = one.state is Progress.SOLVED
        result = Result(one.player_id, -1 if solved else 1, one.seconds if solved else None)
        return Match([result], expected=dealt.puzzle.expected, hints=one.hints)

    ended = [one for one in over if one.state is not Progress.OPEN and one.player_id > 0]
    return [(one.closed or one.opened, match(one)) for one in ended]


def replay(tx: Tx, most: int = PIECE) -> bool:
    """Rate about so many of the rounds and attempts that were over before; whether some are left."""
    reached, done = _reached(tx), 0
    while reached is not None and done < most:
        reached, some = _step(tx, reached)
        done += some
        people.remember(tx, REPLAYED, ALL if reached is None else json.dumps(asdict(reached)))
    return reached is not None


def _step(tx: Tx, reached: Reached) -> tuple[Reached | None, int]:
    """How far one step more leads, and how much it had to do; None at the end.

    A day's attempts are rated before the first round of a later day.
    """
    following = tables.after(tx, reached.round_id, STEP)
    until = _day(following[0][1], reached) if following else None
    later = (attempts.c.day > reached.day, *([] if until is None else [attempts.c.day < until]))
    day = tx.scalar(select(func.min(attempts.c.day)).where(*later))
    if day is not None:
        return replace(reached, day=day), _replay_day(tx, day)
    if not following:
        return None, 0
    same = list(takewhile(lambda one: _day(one[1], reached) == until, following))
    over = [round for _, round in same if round is not None]
    tried = _tried(tx, over)
    keep(tx, _matches((round, tried[round.id]) for round in over))
    return replace(reached, round_id=same[-1][0]), len(same)


def _day(round: Round | None, reached: Reached) -> str:
    """The date on which a round was opened; where the replay is for one that can't be read."""
    readable = round is not None and 0 <= round.opened <= AGES
    return day_of(round.opened) if round and readable else reached.day


def _replay_day(tx: Tx, day: str) -> int:
    dealt, tried = dailies.hand(tx, day), dailies.attempts_of(tx, day)
    if dealt is not None:
        keep(tx, sorted(_of_attempts(dealt, tried), key=lambda rated: rated[0]))
    return len(tried)


def _reached(tx: Tx) -> Reached | None:
    """How far the replay has come; None at its end.

    Where that can't be read it counts as the end: what the replay had yet to come by stays unrated, while
    beginning once more would rate twice what it had come by.
    """
    told = people.fact(tx, REPLAYED)
    if told is None or told == ALL:
        return None if told else Reached()
    reached = _read(told)
    if reached is None:
        log.warning("how far the replay of ratings had come can't be read: it ends here")
        people.remember(tx, REPLAYED, ALL)
    return reached


def _read(told: str) -> Reached | None:
    """What a replay wrote down on its way; None for anything else."""
    match read_object(told):
        case {"round_id": int(number), "day": str(day)} if 0 <= number <= LARGEST:
            return Reached(number, day)
    return None


def _is_left(tx: Tx, *, round_id: int = 0, day: str = "") -> bool:
    """Whether the replay has yet to come by that round, or that daily hand.

    Where nothing else was ever over there is nothing to replay.
    """
    reached = _reached(tx)
    if reached is None or 0 < round_id <= reached.round_id or "" < day <= reached.day:
        return False
    if reached == Reached() and not _any_before(tx, round_id, day):
        people.remember(tx, REPLAYED, ALL)
        return False
    return True


def _any_before(tx: Tx, round_id: int, day: str) -> bool:
    """Whether any round or attempt but that one is over."""
    over = select(rounds.c.id).where(rounds.c.state != State.OPEN.value, rounds.c.id != round_id).limit(1)
    tried = select(attempts.c.day).where(attempts.c.state != Progress.OPEN.value).limit(2)
    return tx.execute(over).first() is not None or len(tx.execute(tried).all()) > bool(day)
