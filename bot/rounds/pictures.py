"""Which picture a round's message shows as it stands: what is on the table, and at the end how it went.

Every name and number in it stands in the message's text too, or below it (`bot.pictures.told`).
"""

from bot.admin.settings.rules import Pictures
from bot.i18n import Words, clean_name, strip_tags
from bot.modes.duel import pictures as duel
from bot.modes.race import pictures as race
from bot.pictures.values import Picture, SolutionPicture
from bot.rounds.known import GAMES
from bot.rounds.puzzle import Find, Kind
from bot.rounds.rules import Round, State
from bot.rounds.scene import Snapshot


def choose_picture(round: Round, words: Words, scene: Snapshot) -> Picture | None:
    """The picture; None where its game has none. A photo shows what is dealt, whatever its chat chose since.

    A contest is shown in words: each of its players has a roll of their own.
    """
    if round.kind is Kind.CONTEST:
        return None
    end = _end(round, words, scene) if scene.pictures is Pictures.ALL else None
    return end or GAMES[round.game].make_deal_picture(round.puzzle)


def _end(round: Round, words: Words, scene: Snapshot) -> Picture | None:
    """How the round, its race or its duel ended; None while it goes on, and where nobody found anything."""
    standings = scene.standings
    if standings and not standings.race.open:
        if standings.duel:
            return duel.make_duel_picture(words, standings, standings.duel, scene.names)
        return race.make_race_picture(words, standings, scene.names) if standings.points else None
    return _won(round, words, scene) if round.state is not State.OPEN else None


def _won(round: Round, words: Words, scene: Snapshot) -> SolutionPicture | None:
    """The answer of the winner, or of the first of those who came as near."""
    if round.kind is Kind.BEST and scene.finds:
        points = max(find.points for find in scene.finds)
        found = [find for find in scene.finds if find.points == points]
        return _solved(round, words, scene, found[0], others=len(found) - 1)
    if round.state is State.WON and round.winner_id and round.kind is not Kind.ALL:
        return _solved(round, words, scene, Find(round.winner_id, round.answer or "", "", scene.points))
    return None


def _solved(round: Round, words: Words, scene: Snapshot, found: Find, others: int = 0) -> SolutionPicture | None:
    game = GAMES[round.game]
    tree = game.make_solution_tree(round.puzzle, found.answer)
    if tree is None:
        return None
    missed = game.get_missed_target(round.puzzle, found.answer)
    parts = [missed] if missed else []
    if found.points:
        parts.append(f"+{strip_tags(words.translate_plural('{n} point', '{n} points', found.points))}")
    name = clean_name(scene.names.get(found.player_id) or "")
    if others:
        name = strip_tags(words.translate_plural("{name} and {n} more", "{name} and {n} more", others, name=name))
    return SolutionPicture(name, " · ".join(parts), tree)
