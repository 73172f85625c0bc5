"""How a hand ended that nobody won, in a word: rounds and races say the same."""

from bot.i18n import Html, Words
from bot.rounds.rules import Round, State


def render_unsolved(round: Round, words: Words) -> Html:
    """Its time was over, it was given up, or whoever found it may not score."""
    if round.state is State.VOID:
        return words.translate("Found, but it counts for nobody.")
    return words.translate("Nobody found it in time.") if round.state is State.EXPIRED else words.translate("Given up.")
