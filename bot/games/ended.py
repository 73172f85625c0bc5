"""How a hand ended that nobody won, in a word: rounds and races say the same."""

from bot.games.rounds.rules import Round, State
from bot.i18n import Html, Words


def unsolved(round: Round, words: Words) -> Html:
    """Its time was over, or it was given up."""
    return words.say("Nobody found it in time.") if round.state is State.EXPIRED else words.say("Given up.")
