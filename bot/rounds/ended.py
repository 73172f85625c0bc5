"""How a hand ended that nobody won, in a word: rounds and races say the same."""

from bot.i18n import Html, Words
from bot.rounds.rules import Round, State


def unsolved(round: Round, words: Words) -> Html:
    """Its time was over, it was given up, or whoever found it may not score."""
    if round.state is State.VOID:
        return words.say("Found, but it counts for nobody.")
    return words.say("Nobody found it in time.") if round.state is State.EXPIRED else words.say("Given up.")
