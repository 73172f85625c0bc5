"""What a page is told of a hand beside its numbers: hints, the race that it is part of, how it is done."""

from collections.abc import Mapping
from typing import Any

from bot.board import company
from bot.i18n import Html, Words, strip_tags, get_words
from bot.modes.duel import view as duel
from bot.modes.duel.rules import MAX_HANDS, DuelState
from bot.modes.race.view import RaceStandings
from bot.rounds import view as rounds
from bot.rounds.known import GAMES
from bot.rounds.puzzle import Kind
from bot.rounds.rules import Round, State, is_deadline_shortened, rank_by_points
from bot.rounds.scene import Snapshot
from bot.telegram.messages import format_player_name


def format_best_answer(round: Round) -> str:
    """The nearest that could be made, with what it makes; empty where whoever is right is on the target."""
    return GAMES[round.game].solution(round.puzzle) if round.kind is Kind.BEST else ""


def format_missed_solution(round: Round) -> str:
    """What nobody found, once that is over; empty before, and where somebody had something."""
    ended = round.state in (State.SKIPPED, State.EXPIRED, State.VOID) and round.kind is not Kind.BEST
    return GAMES[round.game].solution(round.puzzle) if ended else ""


def describe_shortened_deadline(round: Round, language: str) -> str:
    """Why its clock jumped, as long as it goes on; empty where it did not."""
    return strip_tags(rounds.render_shortened_deadline(get_words(language))) if round.state is State.OPEN and is_deadline_shortened(round) else ""


def describe_race(around: Snapshot, language: str, reader: int | None) -> dict[str, Any]:
    """Of a race or a duel that goes on: which hand it is, and how the one before it ended. Of one that is
    over: how it `ended`, and how its `last` hand did.
    """
    standings, speech = around.standings, get_words(language)
    told: dict[str, Any] = {"hand": "", "before": None, "ended": "", "last": None}
    if standings is None:
        return told
    latest = company.describe_previous_hand(around, speech, reader)
    if not standings.race.open:
        return told | {"ended": _end(standings, speech, around.names, reader), "last": latest}
    length = MAX_HANDS if standings.duel else standings.race.length
    hand = speech.translate_plain("Hand {number} of {length}", number=standings.race.hands_played + 1, length=length)
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
    return words.translate("{name} won the race, {score} to {other}.", name=format_player_name(names, first[1]), **score)


def describe_hints(round: Round, language: str) -> dict[str, Any]:
    """Hints that were bought, what the hand is worth now, and whether one more makes it less."""
    speech, game = get_words(language), GAMES[round.game]
    bought = range(round.hints_shown) if round.state is State.OPEN else ()
    told = [strip_tags(game.render_hint(speech, round.puzzle, number)) for number in bought]
    if round.state is not State.OPEN or round.kind not in (Kind.FIRST, Kind.ALL):
        return {"hints": told, "worth": "", "costs": False}
    worth = strip_tags(speech.translate_plural("now worth {n} point", "now worth {n} points", round.points))
    return {"hints": told, "worth": worth, "costs": round.points > 1}
