"""What the workers are asked: rolls with the best card, and the best card for rolls of one's own."""

import solver
from bot.games.yahtzee.rules import Card, Deal, Roll, find_best_card


def deal_rolls(seed: int) -> Deal:
    """The thirteen rolls of a seed."""
    text, recipe = solver.spelled(seed), solver.Recipe("yahtzee")
    rolls = solver.yahtzee.roll_all(solver.Stream(text))
    return Deal(rolls, find_best_card(rolls), f"{text} {recipe}")


def solve_rolls(rolls: tuple[Roll, ...]) -> Card:
    """A card that makes the most of them."""
    return find_best_card(rolls)
