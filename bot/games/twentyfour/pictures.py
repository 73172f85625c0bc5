"""What is to be seen of a hand: its cards with the target, and the tree of what won it."""

from collections.abc import Callable, Sequence

import solver
from bot.games.twentyfour.hand import Hand
from bot.games.written.trees import make_joint
from bot.pictures.values import Card, HandPicture, Node, Suit

SUITS: tuple[Suit, ...] = ("♠", "♥", "♦", "♣")


def assign_suits(numbers: Sequence[int]) -> tuple[Card, ...]:
    """The hand's cards, the same whenever it is shown.

    Each has its place's suit. No card is there twice, as long as a pack holds them.
    """
    dealt: list[Card] = []
    for place, number in enumerate(numbers):
        ways = [Card(number, SUITS[(place + n) % len(SUITS)]) for n in range(len(SUITS))]
        dealt.append(next((card for card in ways if card not in dealt), ways[0]))
    return tuple(dealt)


def build_deal_picture(hand: Hand) -> HandPicture:
    """The hand as it is dealt."""
    return HandPicture(assign_suits(hand.numbers), hand.target)


def build_tree(hand: Hand, answer: str) -> Node | None:
    """How an answer makes the target of those cards; None for one that can't be read."""
    try:
        return _tree(solver.parse(answer), _taken(hand))
    except (ValueError, ZeroDivisionError):
        return None


def _tree(part: solver.Expression, leaf: Callable[[int], Card]) -> Node:
    if not part.op:
        return leaf(part.number)
    return make_joint(part.op, _tree(part.left, leaf), _tree(part.right, leaf), part.value)


def _taken(hand: Hand) -> Callable[[int], Card]:
    """Takes a card of that number out of the hand, the first one first."""
    left = list(assign_suits(hand.numbers))

    def take(number: int) -> Card:
        card = next((card for card in left if card.number == number), None)
        if card is None:
            raise ValueError(f"not in the hand: {number!r}")
        left.remove(card)
        return card

    return take
