"""Who plays a hand, and who has won it, for a page. Nobody's entry is told before the hand is over."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import solver
from bot.board.rules import Place
from bot.database import Tx
from bot.i18n import INVISIBLE_NAME, Html, Words, format_name, get_words, strip_tags
from bot.modes.contest import queries as contests
from bot.modes.contest.rules import collect_totals
from bot.modes.duel import queries as duels
from bot.modes.duel import view
from bot.modes.duel import view as duel
from bot.modes.duel.rules import MAX_HANDS, Duel, DuelState
from bot.modes.race.view import RaceStandings
from bot.players import queries as people
from bot.rounds import view as rounds
from bot.rounds.message_lines import render_unsolved
from bot.rounds.puzzle import Kind
from bot.rounds.registry import CONTEST_GAMES, GAMES
from bot.rounds.rules import Round, State, is_deadline_shortened, rank_by_points
from bot.rounds.view import Snapshot
from bot.telegram.messages import Keyboard, format_player_name

MAX_PARTICIPANTS = 50  # People who are listed


def list_participants(
    round: Round, around: Snapshot, words: Words, reader: int | None
) -> list[dict[str, Any]]:
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
        return (
            collect_totals(contests.read_progress(round, around.entries)) if round.state is State.OVER else {}
        )
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
    return (
        words.translate_plain("handed in") if round.kind is Kind.BEST else words.translate_plain("solved it")
    )


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


def format_best_answer(round: Round) -> str:
    """The nearest that could be made, with what it makes; empty where whoever is right is on the target."""
    return GAMES[round.game].solution(round.puzzle) if round.kind is Kind.BEST else ""


def format_missed_solution(round: Round) -> str:
    """What nobody found, once that is over; empty before, and where somebody had something."""
    ended = round.state in (State.SKIPPED, State.EXPIRED, State.VOID) and round.kind is not Kind.BEST
    return GAMES[round.game].solution(round.puzzle) if ended else ""


def describe_shortened_deadline(round: Round, language: str) -> str:
    """Why its clock jumped, as long as it goes on; empty where it did not."""
    return (
        strip_tags(rounds.render_shortened_deadline(get_words(language)))
        if round.state is State.OPEN and is_deadline_shortened(round)
        else ""
    )


def describe_race(around: Snapshot, language: str, reader: int | None) -> dict[str, Any]:
    """Of a race or a duel that goes on: which hand it is, and how the one before it ended. Of one that is
    over: how it `ended`, and how its `last` hand did.
    """
    standings, speech = around.standings, get_words(language)
    told: dict[str, Any] = {"hand": "", "before": None, "ended": "", "last": None}
    if standings is None:
        return told
    latest = describe_previous_hand(around, speech, reader)
    if not standings.race.open:
        return told | {"ended": _end(standings, speech, around.names, reader), "last": latest}
    length = MAX_HANDS if standings.duel else standings.race.length
    hand = speech.translate_plain(
        "Hand {number} of {length}", number=standings.race.hands_played + 1, length=length
    )
    return told | {"hand": hand, "before": latest}


def _end(standings: RaceStandings, words: Words, names: Mapping[int, str], reader: int | None) -> str:
    """Who has won it, by how much, in a sentence."""
    if standings.duel is None:
        return strip_tags(_end_of_race(standings.points, words, names, reader))
    ended = standings.duel
    if reader is None or ended.state is not DuelState.WON or ended.winner_id != reader:
        return strip_tags(duel.render_duel_winner(standings, ended, words, names))
    other = next((who for who in ended.player_ids if who != reader), 0)
    own, theirs = (standings.hands_won.get(who, 0) for who in (reader, other))
    return words.translate_plain("You won the duel, {score} to {other}.", score=own, other=theirs)


def _end_of_race(
    points: Mapping[int, int], words: Words, names: Mapping[int, str], reader: int | None
) -> Html:
    """Whoever has most, against whoever comes next."""
    first, second = [*rank_by_points(points), (0, 0, 0), (0, 0, 0)][:2]
    score = {"score": first[2], "other": second[2]}
    if not points:
        return words.translate("The race is over.")
    if first[2] == second[2]:
        return words.translate("The race ends in a draw, {score} to {other}.", **score)
    if first[1] == reader:
        return words.translate("You won the race, {score} to {other}.", **score)
    return words.translate(
        "{name} won the race, {score} to {other}.", name=format_player_name(names, first[1]), **score
    )


def describe_hints(round: Round, language: str) -> dict[str, Any]:
    """Hints that were bought, what the hand is worth now, and whether one more makes it less."""
    speech, game = get_words(language), GAMES[round.game]
    bought = range(round.hints_shown) if round.state is State.OPEN else ()
    told = [strip_tags(game.render_hint(speech, round.puzzle, number)) for number in bought]
    if round.state is not State.OPEN or round.kind not in (Kind.FIRST, Kind.ALL):
        return {"hints": told, "worth": "", "costs": False}
    worth = strip_tags(speech.translate_plural("now worth {n} point", "now worth {n} points", round.points))
    return {"hints": told, "worth": worth, "costs": round.points > 1}


@dataclass(frozen=True, slots=True)
class PendingChallenge:
    """One that waits at a place."""

    duel: Duel
    challenger_name: str | None  # The challenger's name, where it is known


def load_pending_challenges(tx: Tx, place: Place) -> Sequence[PendingChallenge]:
    """Those at a place whose messages stand there: only from then on can they be answered."""
    if place.watch_only or place.chat_id > 0:
        return ()
    offered = duels.load_open_challenges(tx, place.chat_id)
    here = [each for each in offered if each.topic == place.topic and each.message_id is not None]
    names = people.load_names(tx, [each.challenger_id for each in here]) if here else {}
    return [PendingChallenge(each, names.get(each.challenger_id)) for each in here]


def list_challenge_players(challenges: Sequence[PendingChallenge]) -> Collection[int]:
    """Whoever challenges or is challenged, as far as they are known by their ids."""
    return {who for each in challenges for who in each.duel.player_ids}


def find_challenge_for(challenges: Sequence[PendingChallenge], reader: int | None) -> PendingChallenge | None:
    """The newest that the reader may answer or take back, one that is meant for them before those for all."""
    if reader is None:
        return None
    own = [each for each in challenges if each.duel.is_for_anybody or reader in each.duel.player_ids]
    return max(own, key=lambda each: (reader in each.duel.player_ids, each.duel.id), default=None)


def render_challenge_buttons(words: Words, challenge: PendingChallenge, reader: int) -> Keyboard:
    """What its reader may press."""
    if reader == challenge.duel.challenger_id:
        return [[view.make_take_back_button(words, challenge.duel)]]
    return [
        [*view.make_challenge_buttons(words, challenge.duel)[: 1 if challenge.duel.is_for_anybody else 2]]
    ]


def list_forbidden_press_prefixes(around: Snapshot, reader: int) -> Collection[str]:
    """How the data of buttons begins that only the two of a duel may press, where the reader is neither."""
    return () if _between_others(around, reader) is None else ("s", "dr")


def _between_others(around: Snapshot, reader: int | None) -> Duel | None:
    """The duel that goes on, or is over, without the reader."""
    duel = around.standings.duel if around.standings else None
    return None if duel is None or reader in duel.player_ids else duel


def render_duel_notice(
    round: Round | None,
    around: Snapshot,
    challenge: PendingChallenge | None,
    words: Words,
    reader: int | None,
) -> str:
    """What its reader is told beside the hand: that it is another two's, or of a challenge."""
    duel = _between_others(around, reader)
    if reader is not None and duel is not None and round is not None and round.state is State.OPEN:
        one, other = (format_player_name(around.names, who) for who in (*duel.player_ids, 0)[:2])
        line = words.translate(
            "This is {one} and {other}’s duel: a right answer of yours gives no points.", one=one, other=other
        )
        return strip_tags(line)
    return (
        strip_tags(view.render_challenge(words, challenge.duel, format_name(challenge.challenger_name)))
        if challenge
        else ""
    )
