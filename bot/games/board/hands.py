"""What a page is told of a hand beside its numbers: hints, the race that it is part of, how it is done."""

from typing import Any

from bot.games.board import company
from bot.games.duel.rules import HANDS
from bot.games.known import GAMES
from bot.games.puzzle import Kind
from bot.games.rounds import view as rounds
from bot.games.rounds.rules import Round, State, is_hurried
from bot.games.rounds.scene import Scene
from bot.i18n import plain, words


def best(round: Round) -> str:
    """The nearest that could be made, with what it makes; empty where whoever is right is on the target."""
    return GAMES[round.game].solution(round.puzzle) if round.kind is Kind.BEST else ""


def solution(round: Round) -> str:
    """What nobody found, once that is over; empty before, and where somebody had something."""
    given_up = round.state in (State.SKIPPED, State.EXPIRED) and round.kind is not Kind.BEST
    return GAMES[round.game].solution(round.puzzle) if given_up else ""


def hurry(round: Round, language: str) -> str:
    """Why its clock jumped, as long as it goes on; empty where it did not."""
    return plain(rounds.hurry(words(language))) if round.state is State.OPEN and is_hurried(round) else ""


def in_race(around: Scene, language: str, reader: int | None) -> dict[str, Any]:
    """Of a race or a duel that goes on: which hand it is, and how the one before it ended."""
    standings, speech = around.standings, words(language)
    if standings is None or not standings.race.open:
        return {"hand": "", "before": None}
    length = HANDS if standings.duel else standings.race.length
    hand = speech.plain("Hand {number} of {length}", number=standings.race.played + 1, length=length)
    return {"hand": hand, "before": company.before(around, speech, reader)}


def hints(round: Round, language: str) -> dict[str, Any]:
    """Hints that were bought, what the hand is worth now, and whether one more makes it less."""
    speech, game = words(language), GAMES[round.game]
    bought = range(round.hints) if round.state is State.OPEN else ()
    told = [plain(game.hint(speech, round.puzzle, number)) for number in bought]
    if round.state is not State.OPEN or round.kind not in (Kind.FIRST, Kind.ALL):
        return {"hints": told, "worth": "", "costs": False}
    worth = plain(speech.count("{n} point", "{n} points", round.points))
    return {"hints": told, "worth": worth, "costs": round.points > 1}
