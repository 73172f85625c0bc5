"""The task of the solver's workers that deals rolls."""

import solver
from bot.games.yahtzee.rules import Deal, find_best_card


def deal_rolls(seed: int) -> Deal:
    """Return the thirteen rolls of a seed, with a best card."""
    text, recipe = solver.spelled(seed), solver.Recipe("yahtzee")
    rolls = solver.yahtzee.roll_all(solver.Stream(text))
    return Deal(rolls, find_best_card(rolls), f"{text} {recipe}")
