"""What a page is told of a hand beside its numbers: hints, the race that it is part of, how it is done."""

from collections.abc import Mapping
from typing import Any

from bot.board import company
from bot.i18n import Html, Words, plain, words
from bot.modes.duel import view as duel
from bot.modes.duel.rules import HANDS, Progress
from bot.modes.race.view import Standings
from bot.rounds import view as rounds
from bot.rounds.known import GAMES
from bot.rounds.puzzle import Kind
from bot.rounds.rules import Round, State, is_hurried, ranked
from bot.rounds.scene import Scene
from bot.telegram.messages import player


def best(round: Round) -> str:
    """The nearest that could be made, with what it makes; empty where whoever is right is on the target."""
    return GAMES[round.game].solution(round.puzzle) if round.kind is Kind.BEST else ""


def solution(round: Round) -> str:
    """What nobody found, once that is over; empty before, and where somebody had something."""
    ended = round.state in (State.SKIPPED, State.EXPIRED, State.VOID) and round.kind is not Kind.BEST
    return GAMES[round.game].solution(round.puzzle) if ended else ""


def hurry(round: Round, language: str) -> str:
    """Why its clock jumped, as long as it goes on; empty where it did not."""
    return plain(rounds.hurry(words(language))) if round.state is State.OPEN and is_hurried(round) else ""


def in_race(around: Scene, language: str, reader: int | None) -> dict[str, Any]:
    """Of a race or a duel that goes on: which hand it is, and how the one before it ended. Of one that is
    over: how it `ended`, and how its `last` hand did.
    """
    standings, speech = around.standings, words(language)
    told: dict[str, Any] = {"hand": "", "before": None, "ended": "", "last": None}
    if standings is None:
        return told
    latest = company.before(around, speech, reader)
    if not standings.race.open:
        return told | {"ended": _end(standings, speech, around.names, reader), "last": latest}
    length = HANDS if standings.duel else standings.race.length
    hand = speech.plain("Hand {number} of {length}", number=standings.race.played + 1, length=length)
    return told | {"hand": hand, "before": latest}


def _end(standings: Standings, words: Words, names: Mapping[int, str], reader: int | None) -> str:
    """Who has won it, by how much, in a sentence."""
    if standings.duel is None:
        return plain(_end_of_race(standings.points, words, names, reader))
    ended = standings.duel
    if reader is None or ended.state is not Progress.WON or ended.winner_id != reader:
        return plain(duel.ending(standings, ended, words, names))
    other = next((who for who in ended.players if who != reader), 0)
    own, theirs = (standings.score.get(who, 0) for who in (reader, other))
    return words.plain("You won the duel, {score} to {other}.", score=own, other=theirs)


def _end_of_race(
    points: Mapping[int, int], words: Words, names: Mapping[int, str], reader: int | None
) -> Html:
    """Whoever has most, against whoever comes next."""
    first, second = [*ranked(points), (0, 0, 0), (0, 0, 0)][:2]
    score = {"score": first[2], "other": second[2]}
    if not points:
        return words.say("The race is over.")
    if first[2] == second[2]:
        return words.say("The race ends in a draw, {score} to {other}.", **score)
    if first[1] == reader:
        return words.say("You won the race, {score} to {other}.", **score)
    return words.say("{name} won the race, {score} to {other}.", name=player(names, first[1]), **score)


def hints(round: Round, language: str) -> dict[str, Any]:
    """Hints that were bought, what the hand is worth now, and whether one more makes it less."""
    speech, game = words(language), GAMES[round.game]
    bought = range(round.hints) if round.state is State.OPEN else ()
    told = [plain(game.hint(speech, round.puzzle, number)) for number in bought]
    if round.state is not State.OPEN or round.kind not in (Kind.FIRST, Kind.ALL):
        return {"hints": told, "worth": "", "costs": False}
    worth = plain(speech.count("now worth {n} point", "now worth {n} points", round.points))
    return {"hints": told, "worth": worth, "costs": round.points > 1}
