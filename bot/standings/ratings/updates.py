"""Each hand moves ratings in the transaction in which it is over."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from sqlalchemy import Row, Table, bindparam, select

from bot.database import Tx
from bot.database.schema import FORGOTTEN_PLAYER, awards, entries, tries
from bot.modes.daily.rules import Attempt, AttemptState, DailyHand
from bot.rounds import secrecy
from bot.rounds.puzzle import Kind, PlayerResult
from bot.rounds.registry import GAMES, ask_game_safely
from bot.rounds.rules import Round, State
from bot.standings.ratings.queries import TimedMatch, apply_matches
from bot.standings.ratings.rules import Match, Result

# Where a round stands that is over and counts.
COUNTED = (State.WON, State.SKIPPED, State.EXPIRED, State.OVER)
# Rounds that were neither a lesson nor practice, nor chosen by those who played them.
KINDS = (Kind.FIRST, Kind.ALL, Kind.BEST, Kind.CONTEST)


def rate_round(tx: Tx, over: Round) -> None:
    """Rate those who tried a round that has just been closed.

    Whoever was shown how it is done before its end is left out; those who scored were not.
    """
    tried = _tried(tx, [over])[over.id]
    unpaid, closed = [one.player_id for one in tried if not one.points], over.closed or over.opened
    readers = secrecy.find_players_shown_solution(tx, over, unpaid, closed) if unpaid else set[int]()
    apply_matches(tx, _matches([(over, [one for one in tried if one.player_id not in readers])]))


def rate_daily_attempt(tx: Tx, dealt: DailyHand, attempt: Attempt) -> None:
    """Rate a person by their attempt at a daily hand, which has just ended."""
    apply_matches(tx, _of_attempts(dealt, [attempt]))


def _matches(tried: Iterable[tuple[Round, Sequence[PlayerResult]]]) -> list[TimedMatch]:
    """What ratings follow: the rounds that are over and count, if anybody tried them."""
    counted = [one for one in tried if one[1] and one[0].state in COUNTED and one[0].kind in KINDS]
    return [
        (round.closed or round.opened, match)
        for round, played in counted
        if (match := _match(round, played)) is not None
    ]


def _match(round: Round, tried: Sequence[PlayerResult]) -> Match | None:
    """How those did who tried a round; None where its game can't tell, which costs nobody their points."""
    return ask_game_safely(GAMES[round.game], lambda game: game.make_rating_match(round, tried), None)


def _tried(tx: Tx, over: Sequence[Round]) -> dict[int, list[PlayerResult]]:
    """Who tried in each of those rounds, and how they did; nobody who is no person, or forgotten."""
    ids = [round.id for round in over]
    found: dict[int, dict[int, PlayerResult]] = defaultdict(dict)
    for row in _rows(tx, tries, ids):
        if row.wrong or row.misread:
            found[row.round_id][row.player_id] = PlayerResult(row.player_id)
    for row in _rows(tx, entries, ids):
        found[row.round_id][row.player_id] = PlayerResult(row.player_id, entry=row.answer)
    for row in _rows(tx, awards, ids):
        before = found[row.round_id].get(row.player_id, PlayerResult(row.player_id))
        found[row.round_id][row.player_id] = _paid(before, row)
    return {number: list(found[number].values()) for number in ids}


def _rows(tx: Tx, table: Table, ids: Collection[int]) -> Sequence[Row[Any]]:
    return tx.execute(_tried_in(table), {"ids": list(ids)}).all()


@cache
def _tried_in(table: Table) -> Any:
    """All that the table has of some rounds; built once, which takes longer than to run it."""
    return select(table).where(table.c.round_id.in_(bindparam("ids")), table.c.player_id > FORGOTTEN_PLAYER)


def _paid(before: PlayerResult, award: Row[Any]) -> PlayerResult:
    """The same with an award more."""
    seconds = min(before.seconds, award.seconds) if before.points else award.seconds
    return replace(before, points=before.points + award.points, seconds=seconds)


def _of_attempts(dealt: DailyHand, over: Iterable[Attempt]) -> list[TimedMatch]:
    """A match of each person against the hand of the day, which others try at other times."""

    def match(one: Attempt) -> Match:
        solved = one.state is AttemptState.SOLVED
        result = Result(one.player_id, -1 if solved else 1, one.seconds if solved else None)
        return Match([result], expected=dealt.puzzle.expected, hints=one.hints)

    ended = [one for one in over if one.state is not AttemptState.OPEN and one.player_id > 0]
    return [(one.closed or one.opened, match(one)) for one in ended]
