"""Describe a round for a page as JSON values: participants, winner, hints, race and duel.

No entry and no solution is in these values before the round is over.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import solver
from bot.board.rules import Place
from bot.database import Tx
from bot.i18n import INVISIBLE_NAME, Words, format_name, strip_tags
from bot.modes.contest import queries as contests
from bot.modes.contest.rules import collect_totals
from bot.modes.duel import queries as duels
from bot.modes.duel import view as duel_view
from bot.modes.duel.rules import MAX_HANDS, Duel, DuelState, get_other_player
from bot.modes.race.view import RaceStandings
from bot.players import queries as people
from bot.rounds.message_lines import render_unsolved
from bot.rounds.puzzle import Kind
from bot.rounds.registry import CONTEST_GAMES, GAMES
from bot.rounds.rules import Round, State, is_deadline_shortened, rank_by_points
from bot.rounds.view import Snapshot, render_shortened_deadline
from bot.telegram.messages import Keyboard, format_player_name

MAX_PARTICIPANTS = 50
NOBODY = 0  # no player has this id; those of players are above, and aliases of deleted players below


def list_participants(
    round: Round, snapshot: Snapshot, words: Words, reader_id: int | None
) -> list[dict[str, Any]]:
    """Return up to 50 players who have points, have answered or tried, those with most points first.

    `in` is true for players who have solved the hand or handed something in; for nobody once a race is over,
    since its last hand does not decide it. People whose data was deleted are left out.
    """
    points = _count_points(round, snapshot)
    active = _find_active_players(round, snapshot)
    if snapshot.standings is not None and not snapshot.standings.race.is_open:
        active = set()
    activity = words.translate_plain("solved it")
    if round.kind is Kind.CONTEST:
        activity = words.translate_plain("filled the card")
    elif round.kind is Kind.BEST:
        activity = words.translate_plain("handed in")
    return [
        {
            "name": _get_name(snapshot, player_id),
            "you": player_id == reader_id,
            "points": points.get(player_id),
            "in": player_id in active,
            "done": activity if player_id in active else "",
        }
        for player_id in _order_players(snapshot, points, active)[:MAX_PARTICIPANTS]
        if player_id > NOBODY  # aliases are below
    ]


def find_identifiable_players(round: Round, snapshot: Snapshot) -> frozenset[int]:
    """Return all players whom a page may mark as `you` in the details of this round."""
    points = _count_points(round, snapshot)
    active = _find_active_players(round, snapshot)
    identifiable = set(_order_players(snapshot, points, active))
    winner = _find_winner(round, snapshot, None)
    if winner is not None:
        identifiable.add(winner.player_id)
    if snapshot.standings and snapshot.standings.hands:
        last_hand = snapshot.standings.hands[-1]
        identifiable.add(last_hand.round.winner_id or NOBODY)
    return frozenset(identifiable - {NOBODY})


def _get_name(snapshot: Snapshot, player_id: int) -> str:
    return snapshot.names.get(player_id) or INVISIBLE_NAME


def _order_players(snapshot: Snapshot, points: Mapping[int, int], active: Iterable[int]) -> list[int]:
    """Return the players with points, then those whom the round's message names in its order, then others."""
    player_ids = [player_id for _, player_id, _ in rank_by_points(points)]
    if snapshot.standings and snapshot.standings.duel:
        player_ids += snapshot.standings.duel.player_ids
    for answers in (snapshot.finds, snapshot.entries, snapshot.notes):
        player_ids += [answer.player_id for answer in answers]
    player_ids += active
    return list(dict.fromkeys(player_ids))  # each once, at the first place


def _count_points(round: Round, snapshot: Snapshot) -> Mapping[int, int]:
    """Return points by player: of the race (hands won in a duel), else of the round; {} in a live contest."""
    if snapshot.standings is not None:
        return snapshot.standings.hands_won if snapshot.standings.duel else snapshot.standings.points
    if round.game in CONTEST_GAMES:
        if round.state is not State.OVER:
            return {}
        return collect_totals(contests.read_progress(round, snapshot.entries))
    if round.kind is Kind.FIRST and round.state is State.WON and round.winner_id:
        return {round.winner_id: snapshot.points}
    points = Counter[int]()
    for find in snapshot.finds:
        points[find.player_id] += find.points
    return points


def _find_active_players(round: Round, snapshot: Snapshot) -> set[int]:
    """Return the players who have solved the round or handed something in."""
    if round.game in CONTEST_GAMES:
        totals_by_player = collect_totals(contests.read_progress(round, snapshot.entries))
        return set(totals_by_player)
    active = {answer.player_id for answers in (snapshot.finds, snapshot.entries) for answer in answers}
    if round.winner_id:
        active.add(round.winner_id)
    return active


def number_equal_names(names: Mapping[int, str]) -> dict[int, str]:
    """Return the names by player, with a number behind each that several players share."""
    counts = Counter(names.values())
    last_numbers = Counter[str]()  # by name
    unique = dict(names)
    for player_id in sorted(names):
        name = names[player_id]
        if counts[name] > 1:
            last_numbers[name] += 1
            unique[player_id] = f"{name} {last_numbers[name]}"
    return unique


# Winner and solution


def describe_winner(round: Round, snapshot: Snapshot, reader_id: int | None) -> dict[str, Any] | None:
    """Return the winner with the winning answer; None while the round is open, or if nobody has won.

    Where several share the first place, a reader among them gets themselves. Where the nearest answer wins,
    `value` is what it makes. Also None for a winner whose data was deleted.
    """
    winner = _find_winner(round, snapshot, reader_id)
    if winner is None:
        return None
    player_id = winner.player_id
    if player_id <= NOBODY:  # an alias is below
        return None
    name = _get_name(snapshot, player_id)
    details = {"name": name, "you": player_id == reader_id, "answer": winner.answer}
    if winner.answer and round.kind is Kind.BEST:
        details["value"] = evaluate_answer(winner.answer)
    return details


def evaluate_answer(answer: str) -> str:
    """Return the value of an expression as text."""
    return str(solver.parse(answer).value)


class Winner(NamedTuple):
    player_id: int
    answer: str = ""  # of a contest its total; empty if no single answer won


def _find_winner(round: Round, snapshot: Snapshot, reader_id: int | None) -> Winner | None:
    """Return the winner of a round, or of its race once that is over; None if nobody has won, or it is drawn.

    Where several share the first place of a round, it is the reader if among them, else the first one.
    """
    if round.state in (State.OPEN, State.RUNNING):
        return None
    if snapshot.standings is not None and not snapshot.standings.race.is_open:
        return _find_race_winner(snapshot.standings)
    if round.state is State.WON and round.winner_id:
        return Winner(round.winner_id, answer=round.answer or "")
    points = _count_points(round, snapshot)
    leaders = _find_leaders(points)
    if not leaders:
        return None
    player_id = reader_id if reader_id is not None and reader_id in leaders else leaders[0]
    if round.game in CONTEST_GAMES:
        return Winner(player_id, answer=str(points[player_id]))
    if round.kind is Kind.BEST:
        answers = [find.answer for find in snapshot.finds if find.player_id == player_id]
        return Winner(player_id, answer=answers[0] if answers else "")
    return Winner(player_id)


def _find_race_winner(standings: RaceStandings) -> Winner | None:
    """Return the winner of a race or duel that is over; None if it is drawn."""
    if standings.duel is not None:
        return Winner(standings.duel.winner_id) if standings.duel.winner_id else None
    leaders = _find_leaders(standings.points)
    return Winner(leaders[0]) if len(leaders) == 1 else None


def _find_leaders(points: Mapping[int, int]) -> list[int]:
    """Return all players who share the first place; empty if nobody has points."""
    return [player_id for rank, player_id, _ in rank_by_points(points) if rank == 1]


def format_missed_solution(round: Round) -> str:
    """Return a solution if the round ended without any; else empty, as always where the nearest one wins."""
    has_no_solution = round.state in (State.SKIPPED, State.EXPIRED, State.VOID)
    if not has_no_solution or round.kind is Kind.BEST:
        return ""
    return GAMES[round.game].solution(round.puzzle)


def describe_hints(round: Round, words: Words) -> dict[str, Any]:
    """Return the hints of an open round, its worth, whether a hint costs, and why its time was shortened.

    All are empty once it is over; the worth also in rounds of kinds other than first and all.
    """
    values: dict[str, Any] = {"hints": [], "worth": "", "costs": False, "hurry": ""}
    if round.state is not State.OPEN:
        return values
    game = GAMES[round.game]
    for number in range(round.hints_shown):
        values["hints"].append(strip_tags(game.render_hint(words, round.puzzle, number)))
    if round.kind in (Kind.FIRST, Kind.ALL):
        worth = words.translate_plural("now worth {n} point", "now worth {n} points", round.points)
        values |= {"worth": strip_tags(worth), "costs": round.points > 1}
    if is_deadline_shortened(round):
        values["hurry"] = strip_tags(render_shortened_deadline(words))
    return values


# Races and duels


def describe_race(snapshot: Snapshot, words: Words, reader_id: int | None) -> dict[str, Any]:
    """Describe the race or duel of a round.

    While it goes on: the number of the `hand`, and the result of the hand `before`. Once it is over: how it
    `ended`, and the result of its `last` hand. All are empty outside races and duels.
    """
    standings = snapshot.standings
    values: dict[str, Any] = {"hand": "", "before": None, "ended": "", "last": None}
    if standings is None:
        return values
    previous = _describe_last_hand(snapshot, standings, words, reader_id)
    if not standings.race.is_open:
        return values | {"ended": _render_end(standings, words, snapshot.names, reader_id), "last": previous}
    length = MAX_HANDS if standings.duel else standings.race.length
    number = standings.race.hands_played + 1
    hand = words.translate_plain("Hand {number} of {length}", number=number, length=length)
    return values | {"hand": hand, "before": previous}


def _describe_last_hand(
    snapshot: Snapshot, standings: RaceStandings, words: Words, reader_id: int | None
) -> dict[str, Any] | None:
    """Describe who solved the last hand that is over, and how; None before the first one is over.

    If nobody solved it, or the solver's data was deleted, `text` says that it is unsolved.
    """
    if not standings.hands:
        return None
    hand = standings.hands[-1]
    round, game = hand.round, GAMES[hand.round.game]
    leaders = _find_leaders(hand.points) or [NOBODY]
    player_id = round.winner_id or leaders[0]  # a hand that goes to the nearest answer has no `winner_id`
    answer = round.answer or hand.answer
    if player_id <= NOBODY or not answer:  # unsolved, or by a player whose data was deleted
        text = strip_tags(render_unsolved(round, words))
        return {"name": "", "you": False, "text": text, "answer": game.solution(round.puzzle)}
    return {
        "name": _get_name(snapshot, player_id),
        "you": player_id == reader_id,
        "text": "",
        "answer": game.format_answer(round.puzzle, answer),
    }


def _render_end(
    standings: RaceStandings, words: Words, names: Mapping[int, str], reader_id: int | None
) -> str:
    """Return a sentence with the winner and the score of a race or duel, as told to this reader."""
    duel = standings.duel
    if duel is None:
        return _render_race_end(standings.points, words, names, reader_id)
    if reader_id is None or duel.state is not DuelState.WON or duel.winner_id != reader_id:
        return strip_tags(duel_view.render_duel_winner(standings, duel, words, names))
    own_score = standings.hands_won.get(reader_id, 0)
    other_score = standings.hands_won.get(get_other_player(duel, reader_id), 0)
    return words.translate_plain("You won the duel, {score} to {other}.", score=own_score, other=other_score)


def _render_race_end(
    points: Mapping[int, int], words: Words, names: Mapping[int, str], reader_id: int | None
) -> str:
    """Return a sentence with the winner and the scores of the first two, as told to this reader."""
    if not points:
        return words.translate_plain("The race is over.")
    _rank, winner_id, score = rank_by_points(points)[0]
    other_scores = [points[player_id] for player_id in points if player_id != winner_id]
    other = max(other_scores, default=0)  # of the second player
    if score == other:
        return words.translate_plain("The race ends in a draw, {score} to {other}.", score=score, other=other)
    if winner_id == reader_id:
        return words.translate_plain("You won the race, {score} to {other}.", score=score, other=other)
    values = {"name": format_player_name(names, winner_id), "score": score, "other": other}
    return strip_tags(words.translate("{name} won the race, {score} to {other}.", **values))


@dataclass(frozen=True, slots=True)
class PendingChallenge:
    """A challenge to a duel that nobody has answered yet."""

    duel: Duel
    challenger_name: str | None  # None if it is not known


def load_pending_challenges(tx: Tx, place: Place) -> Sequence[PendingChallenge]:
    """Return the topic's open challenges whose messages were sent; none in private and for spectators."""
    if place.watch_only or place.chat_id > 0:
        return ()
    challenges = [
        duel
        for duel in duels.load_open_challenges(tx, place.chat_id)
        if duel.topic == place.topic and duel.message_id is not None
    ]
    names = people.load_names(tx, [duel.challenger_id for duel in challenges]) if challenges else {}
    return [PendingChallenge(duel, names.get(duel.challenger_id)) for duel in challenges]


def find_challenge_for(
    challenges: Sequence[PendingChallenge], reader_id: int | None
) -> PendingChallenge | None:
    """Return the newest challenge to or by the reader, else the newest to anybody; None for spectators."""
    if reader_id is None:
        return None

    own = [challenge for challenge in challenges if reader_id in challenge.duel.player_ids]

    candidates = own or [challenge for challenge in challenges if challenge.duel.is_for_anybody]
    return max(candidates, key=lambda challenge: challenge.duel.id, default=None)


def render_challenge_buttons(words: Words, challenge: PendingChallenge, reader_id: int) -> Keyboard:
    """Return the buttons by which the reader answers a challenge, or takes back their own."""
    if reader_id == challenge.duel.challenger_id:
        return [[duel_view.make_take_back_button(words, challenge.duel)]]
    accept, decline_or_take_back = duel_view.make_challenge_buttons(words, challenge.duel)
    if challenge.duel.is_for_anybody:  # only the challenger may take it back
        return [[accept]]
    return [[accept, decline_or_take_back]]


def find_foreign_duel(snapshot: Snapshot, reader_id: int | None) -> Duel | None:
    """Return the round's duel if the reader, perhaps a spectator, is not one of its players; else None."""
    duel = snapshot.standings.duel if snapshot.standings else None
    return None if duel is None or reader_id in duel.player_ids else duel


def render_duel_notice(
    round: Round | None,
    snapshot: Snapshot,
    challenge: PendingChallenge | None,
    words: Words,
    reader_id: int | None,
) -> str:
    """Return a notice that the hand belongs to a duel of others, or else of a challenge; empty if neither."""
    duel = find_foreign_duel(snapshot, reader_id)
    is_open = round is not None and round.state is State.OPEN
    if reader_id is not None and duel is not None and is_open:
        one, other = (format_player_name(snapshot.names, player_id) for player_id in duel.player_pair)
        notice = words.translate(
            "This is {one} and {other}’s duel: a right answer of yours gives no points.", one=one, other=other
        )
        return strip_tags(notice)
    if challenge is None:
        return ""
    name = format_name(challenge.challenger_name)
    return strip_tags(duel_view.render_challenge(words, challenge.duel, name))
