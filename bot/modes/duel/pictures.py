"""What is to be seen of a duel: how it ended, hand by hand."""

from collections.abc import Mapping

from bot.i18n import NAMELESS, Words
from bot.modes.duel.rules import HANDS, Progress
from bot.modes.duel.rules import Duel as Fought
from bot.modes.race.view import Leg, Standings
from bot.pictures.values import Duel

NOBODY_YET = "?"


def of(words: Words, standings: Standings, duel: Fought, names: Mapping[int, str]) -> Duel:
    """Both of them with the hands that each has won."""
    one, other = (*duel.players, 0)[:2]
    places = {one: 0, other: 1}
    return Duel(
        title=_title(words, duel),
        names=(names.get(one, NAMELESS), names.get(other, NAMELESS)),
        score=(standings.score.get(one, 0), standings.score.get(other, 0)),
        hands=[_winners(leg, places) for leg in standings.legs],
        winner=places.get(duel.winner_id) if duel.winner_id is not None else None,
    )


def challenge(words: Words, offered: Fought, names: Mapping[int, str]) -> Duel:
    """Both of them before the first hand, with as many as there are; whoever may yet accept has no name."""
    other = names.get(offered.opponent_id or 0) or offered.opponent or NOBODY_YET
    both = (names.get(offered.challenger_id, NAMELESS), other)
    return Duel(words.plain("Duel"), both, (0, 0), [()] * HANDS, None)


def _winners(leg: Leg, places: Mapping[int, int]) -> tuple[int, ...]:
    """Which of the two have won a hand."""
    return tuple(place for who, place in places.items() if leg.earned.get(who))


def _title(words: Words, duel: Fought) -> str:
    if duel.state is Progress.WON:
        return words.plain("The duel is won")
    if duel.state is Progress.DRAWN:
        return words.plain("The duel is drawn")
    return words.plain("Given up") if duel.state is Progress.GIVEN_UP else words.plain("The duel was ended")
