"""The level that follows the players, pure: the share of people who should find the next hand.

A hand is one more player, as in the ratings: with log odds of `strength + log odds of the share of people`
one of those present finds it. `strength` sums up their ratings, less where they are uncertain, so that
newcomers begin with easier hands. Each of the latest hands then corrects it: one that was found raises it by
as much as that was unlikely, one that nobody found lowers it by as much as it was likely to be found. So
three hands that were found make the next one harder, about as much as one that nobody found makes it easier.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log

from bot.standings.ratings.rules import LOGIT_SCALE, MU, Rating

# The chance to be found that a hand should have: below three of four, since slow finds change nothing, and no
# hand of four cards is hard enough for strong players
AIM = 0.69
# Least shares for a chat's first hands: the first is easy, the first three are at most medium
FIRST_SHARES = (0.95, 0.92, 0.88, 0.82, 0.75, 0.65)
LATEST_HANDS = 10  # Hands that count, and whose players are present
CORRECTION = 1.2  # How much the outcome of a hand corrects the strength, in log odds
CAUTION = 0.5  # Deviations of its uncertainty by which a rating counts less
QUICK = 3.0  # A find within so many times the usual seconds raises the strength; a later one changes nothing


@dataclass(frozen=True, slots=True)
class EndedHand:
    solved: float  # Share of people who find it
    found: bool
    pace: float = 1.0  # Seconds until it was found, divided by the usual ones


def choose_solved_share(present: Sequence[Rating], hands: Sequence[EndedHand]) -> float:
    """Return the share of people who should find the next hand, from the ratings of those present and the
    latest hands, the earliest first; fewer than `FIRST_SHARES` are all that the chat has played.
    """
    strength = _correct_strength(_add_up_strength(present), hands)
    share = 1 / (1 + exp(strength - _compute_log_odds(AIM)))
    least = FIRST_SHARES[len(hands)] if len(hands) < len(FIRST_SHARES) else 0.0
    return max(share, least)


def _add_up_strength(present: Sequence[Rating]) -> float:
    """Return the log odds that one of those present beats a hand that half of all people find; nobody there
    counts as a newcomer.
    """
    logits = [(rating.mu - CAUTION * rating.sigma - MU) / LOGIT_SCALE for rating in (present or [Rating()])]
    return log(sum(map(exp, logits)))


def _correct_strength(strength: float, hands: Sequence[EndedHand]) -> float:
    for hand in hands:
        if hand.found and hand.pace > QUICK:
            continue
        chance = 1 / (1 + exp(-strength - _compute_log_odds(hand.solved)))
        strength += CORRECTION * (hand.found - chance)
    return strength


def _compute_log_odds(share: float) -> float:
    return log(share / (1 - share))
