"""Who plays a hand, and who has won it, for a page. Nobody's entry is told before the hand is over."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import solver
from bot.i18n import INVISIBLE_NAME, Words, strip_tags
from bot.modes.contest import queries as contests
from bot.modes.contest.rules import collect_totals
from bot.rounds.ended import render_unsolved
from bot.rounds.known import CONTEST_GAMES, GAMES
from bot.rounds.puzzle import Kind
from bot.rounds.rules import Round, State, rank_by_points
from bot.rounds.scene import Snapshot

MAX_PARTICIPANTS = 50  # People who are listed


def list_participants(round: Round, around: Snapshot, words: Words, reader: int | None) -> list[dict[str, Any]]:
    """Those who have points, have handed in or tried, those with most points first; of those who are `in` by
    what.

    At the end of a race nobody is in: its last hand says nothing of who has won.
    """
    points, present = _points(round, around), _in(round, around)
    if around.standings is not None and not around.standings.race.open:
        present = set()
    done = _done(round, words)
    return [
        {
            "name": _name(around, who),
            "you": who == reader,
            "points": points.get(who),
            "in": who in present,
            "done": done if who in present else "",
        }
        for who in _ids(around, points, present)[:MAX_PARTICIPANTS]
        if who > 0
    ]


def find_identifiable_players(round: Round, around: Snapshot) -> frozenset[int]:
    """Everybody whom `people` and `winner` may tell that it is they who are meant, and perhaps some more."""
    found = _won(round, around, None)
    listed = _ids(around, _points(round, around), _in(round, around))
    legs = around.standings.hands if around.standings else ()
    before = {leg.round.winner_id for leg in legs[-1:] if leg.round.winner_id}
    return frozenset(listed) | before | (frozenset() if found is None else {found[0]})


def describe_winner(round: Round, around: Snapshot, reader: int | None) -> dict[str, Any] | None:
    """Who has won what is over, and with what; None where nobody has, and as long as it goes on.

    Of several who won together each reader is told of themselves; a race that is drawn nobody has won.
    Where the nearest wins, what their answer makes is told with it: it need not be the target.
    """
    found = _won(round, around, reader)
    if found is None or found[0] <= 0:
        return None
    who, answer = found
    made = {"value": evaluate_answer(answer)} if answer and round.kind is Kind.BEST else {}
    return {"name": _name(around, who), "you": who == reader, "answer": answer, **made}


def evaluate_answer(answer: str) -> str:
    """What an answer makes."""
    return str(solver.parse(answer).value)


def describe_previous_hand(around: Snapshot, words: Words, reader: int | None) -> dict[str, Any] | None:
    """How the hand before the present one of a race ended, or its last one: by whom and with what."""
    leg = next(iter(around.standings.hands[-1:]), None) if around.standings else None
    if leg is None:
        return None
    game, over = GAMES[leg.round.game], leg.round
    first = rank_by_points(leg.points)[:1]
    who = over.winner_id or (first[0][1] if first else 0)
    answer = over.answer or leg.answer
    if who <= 0 or not answer:
        text = strip_tags(render_unsolved(over, words))
        return {"name": "", "you": False, "text": text, "answer": game.solution(over.puzzle)}
    shown = game.format_answer(over.puzzle, answer)
    return {"name": _name(around, who), "you": who == reader, "text": "", "answer": shown}


def number_equal_names(names: Mapping[int, str]) -> dict[int, str]:
    """The names, with a number behind each that several share, which says nothing but that they differ."""
    shared, told = Counter(names.values()), dict(names)
    counted = Counter[str]()
    for who in sorted(names):
        name = names[who]
        if shared[name] > 1:
            counted[name] += 1
            told[who] = f"{name} {counted[name]}"
    return told


def _name(around: Snapshot, who: int) -> str:
    return around.names.get(who) or INVISIBLE_NAME


def _ids(around: Snapshot, points: Mapping[int, int], present: Iterable[int]) -> list[int]:
    return list(dict.fromkeys([*(who for _, who, _ in rank_by_points(points)), *_listed(around), *present]))


def _listed(around: Snapshot) -> Iterable[int]:
    """Whoever the message names, in its order."""
    duel = around.standings.duel if around.standings else None
    yield from duel.player_ids if duel else ()
    yield from (find.player_id for find in around.finds)
    yield from (entry.player_id for entry in around.entries)
    yield from (note.player_id for note in around.notes)


def _points(round: Round, around: Snapshot) -> Mapping[int, int]:
    """By player, of the race or the duel where it is one."""
    if around.standings is not None:
        return around.standings.hands_won if around.standings.duel else around.standings.points
    if round.game in CONTEST_GAMES:
        return collect_totals(contests.read_progress(round, around.entries)) if round.state is State.OVER else {}
    earned: dict[int, int] = {}
    for find in around.finds:
        earned[find.player_id] = earned.get(find.player_id, 0) + find.points
    if round.kind is Kind.FIRST and round.state is State.WON and round.winner_id:
        return {round.winner_id: around.points}
    return earned


def _in(round: Round, around: Snapshot) -> set[int]:
    """Who has something in the present hand that counts, or may."""
    if round.game in CONTEST_GAMES:
        return set(collect_totals(contests.read_progress(round, around.entries)))
    won = {round.winner_id} if round.winner_id else set()
    return {*(find.player_id for find in around.finds), *(entry.player_id for entry in around.entries)} | won


def _done(round: Round, words: Words) -> str:
    """What somebody has done who is in, in a few words behind their name."""
    if round.kind is Kind.CONTEST:
        return words.translate_plain("filled the card")
    return words.translate_plain("handed in") if round.kind is Kind.BEST else words.translate_plain("solved it")


def _won(round: Round, around: Snapshot, reader: int | None) -> tuple[int, str] | None:
    """Who has won, and with what answer."""
    if round.state in (State.OPEN, State.RUNNING):
        return None
    if around.standings is not None and not around.standings.race.open:
        duel = around.standings.duel
        if duel is not None:
            return (duel.winner_id, "") if duel.winner_id else None
        first = _first(around.standings.points)
        return (first[0], "") if len(first) == 1 else None
    if round.state is State.WON and round.winner_id:
        return round.winner_id, round.answer or ""
    return _most(round, around, reader)


def _most(round: Round, around: Snapshot, reader: int | None) -> tuple[int, str] | None:
    """Who has most of what is over, with the answer where all had one: the reader, if among those."""
    points = _points(round, around)
    first = _first(points)
    if not first:
        return None
    who = reader if reader in first and reader is not None else first[0]
    if round.game in CONTEST_GAMES:
        return who, str(points[who])
    best = round.kind is Kind.BEST
    return who, next((find.answer for find in around.finds if best and find.player_id == who), "")


def _first(points: Mapping[int, int]) -> list[int]:
    """Those who have most."""
    return [who for rank, who, _ in rank_by_points(points) if rank == 1]
