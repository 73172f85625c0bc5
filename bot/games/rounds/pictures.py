"""Which picture a round's message shows as it stands: what is on the table, and at the end how it went.

Every name and number in it stands in the message's text too.
"""

from collections.abc import Sequence

from bot.games.duel import pictures as duel
from bot.games.known import GAMES
from bot.games.puzzle import Kind
from bot.games.race import pictures as race
from bot.games.rounds.rules import Round, State
from bot.games.rounds.scene import Scene
from bot.groups.settings.rules import Pictures
from bot.i18n import Words, kept_name, plain
from bot.pictures.values import Picture, Solution


def picture(round: Round, words: Words, scene: Scene) -> Picture | None:
    """The picture; None where its game has none. A photo shows what is dealt, whatever its chat chose since.

    A contest is shown in words: each of its players has a roll of their own.
    """
    if round.kind is Kind.CONTEST:
        return None
    end = _end(round, words, scene) if scene.pictures is Pictures.ALL else None
    return end or GAMES[round.game].table(round.puzzle)


def _end(round: Round, words: Words, scene: Scene) -> Picture | None:
    """How the round, its race or its duel ended; None while it goes on, and where nobody found anything."""
    standings = scene.standings
    if standings and not standings.race.open:
        if standings.duel:
            return duel.of(words, standings, standings.duel, scene.names)
        return race.of(words, standings, scene.names) if standings.points else None
    return _won(round, words, scene) if round.state is not State.OPEN else None


def _won(round: Round, words: Words, scene: Scene) -> Solution | None:
    """The answer of the winner, or of the first of them."""
    if round.kind is Kind.BEST:
        found = [(find.player_id, find.answer, find.points) for find in scene.finds[:1]]
    elif round.state is State.WON and round.winner_id and round.kind is not Kind.ALL:
        found = [(round.winner_id, round.answer or "", scene.points)]
    else:
        return None
    return _solved(round, words, scene, found)


def _solved(
    round: Round, words: Words, scene: Scene, found: Sequence[tuple[int, str, int]]
) -> Solution | None:
    for who, answer, points in found:
        tree = GAMES[round.game].tree(round.puzzle, answer)
        earned = f"+{plain(words.count('{n} point', '{n} points', points))}" if points else ""
        return Solution(kept_name(scene.names.get(who) or ""), earned, tree) if tree else None
    return None
