"""What is to be seen of a duel: how it ended, hand by hand."""

from collections.abc import Mapping

from bot.i18n import INVISIBLE_NAME, Words
from bot.modes.duel.rules import MAX_HANDS, DuelState
from bot.modes.duel.rules import Duel as Fought
from bot.modes.race.view import RaceHand, RaceStandings
from bot.pictures.values import DuelPicture

UNKNOWN_NAME = "?"


def make_duel_picture(
    words: Words, standings: RaceStandings, duel: Fought, names: Mapping[int, str]
) -> DuelPicture:
    """Both of them with the hands that each has won."""
    one, other = (*duel.player_ids, 0)[:2]
    places = {one: 0, other: 1}
    return DuelPicture(
        title=_title(words, duel),
        names=(names.get(one, INVISIBLE_NAME), names.get(other, INVISIBLE_NAME)),
        score=(standings.hands_won.get(one, 0), standings.hands_won.get(other, 0)),
        hands=[_winners(leg, places) for leg in standings.hands],
        winner=places.get(duel.winner_id) if duel.winner_id is not None else None,
    )


def make_challenge_picture(words: Words, offered: Fought, names: Mapping[int, str]) -> DuelPicture:
    """Both of them before the first hand, with as many as there are; whoever may yet accept has no name."""
    other = names.get(offered.opponent_id or 0) or offered.opponent_name or UNKNOWN_NAME
    both = (names.get(offered.challenger_id, INVISIBLE_NAME), other)
    return DuelPicture(words.translate_plain("Duel"), both, (0, 0), [()] * MAX_HANDS, None)


def _winners(leg: RaceHand, places: Mapping[int, int]) -> tuple[int, ...]:
    """Which of the two have won a hand."""
    return tuple(place for who, place in places.items() if leg.points.get(who))


def _title(words: Words, duel: Fought) -> str:
    if duel.state is DuelState.WON:
        return words.translate_plain("The duel is won")
    if duel.state is DuelState.DRAWN:
        return words.translate_plain("The duel is drawn")
    return (
        words.translate_plain("Given up")
        if duel.state is DuelState.GIVEN_UP
        else words.translate_plain("The duel was ended")
    )
