"""The pictures of a challenge and of a duel's end."""

from collections.abc import Mapping

from bot.i18n import INVISIBLE_NAME, Words
from bot.modes.duel.rules import MAX_HANDS, Duel, DuelState
from bot.modes.race.view import RaceHand, RaceStandings
from bot.pictures.values import DuelPicture

UNKNOWN_NAME = "?"


def make_challenge_picture(words: Words, challenge: Duel, names: Mapping[int, str]) -> DuelPicture:
    """Make the picture of a challenge: both names and no hands won yet."""
    opponent = names.get(challenge.opponent_id or 0) or challenge.opponent_name or UNKNOWN_NAME
    both = (names.get(challenge.challenger_id, INVISIBLE_NAME), opponent)
    return DuelPicture(words.translate_plain("Duel"), both, (0, 0), [()] * MAX_HANDS, None)


def make_duel_picture(
    words: Words, standings: RaceStandings, duel: Duel, names: Mapping[int, str]
) -> DuelPicture:
    """Make the picture of a duel that is over: both names and who won each hand."""
    challenger, opponent = (*duel.player_ids, 0)[:2]
    places = {challenger: 0, opponent: 1}
    return DuelPicture(
        title=_render_title(words, duel),
        names=(names.get(challenger, INVISIBLE_NAME), names.get(opponent, INVISIBLE_NAME)),
        score=(standings.hands_won.get(challenger, 0), standings.hands_won.get(opponent, 0)),
        hands=[_list_winners(hand, places) for hand in standings.hands],
        winner=places.get(duel.winner_id) if duel.winner_id is not None else None,
    )


def _list_winners(hand: RaceHand, places: Mapping[int, int]) -> tuple[int, ...]:
    """Return the places in the picture of the players who won a hand."""
    return tuple(place for player, place in places.items() if hand.points.get(player))


def _render_title(words: Words, duel: Duel) -> str:
    if duel.state is DuelState.WON:
        return words.translate_plain("The duel is won")
    if duel.state is DuelState.DRAWN:
        return words.translate_plain("The duel is drawn")
    if duel.state is DuelState.GIVEN_UP:
        return words.translate_plain("Given up")
    return words.translate_plain("The duel was ended")
