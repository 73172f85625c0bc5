"""What is to be seen of a card: the roll that is to be placed, or the card once it is full."""

from bot.games.yahtzee import rules, view
from bot.games.yahtzee.rules import UPPER, Card, Deal
from bot.i18n import Words
from bot.pictures.values import Roll, Row, ScoreCard


def of(words: Words, deal: Deal, card: Card, title: str) -> Roll | ScoreCard:
    """What whoever plays on it has before them; `title` says whose card it is."""
    return sheet(words, deal, card, title) if card.is_full else roll(deal, card)


def roll(deal: Deal, card: Card) -> Roll:
    """The roll that is to be placed, its dice as the line below the picture has them."""
    return Roll(deal.rolls[card.at])


def sheet(words: Words, deal: Deal, card: Card, title: str) -> ScoreCard:
    """The card as it stands, each roll beside what it scored."""
    made = rules.total(deal.rolls, card)
    placed = {category: deal.rolls[at] for at, category in enumerate(card.put)}
    rows = [
        Row(name, made.scores[category], placed.get(category, ()))
        for category, name in enumerate(view.categories(words))
    ]
    bonus = Row(words.plain("Bonus"), made.bonus)
    return ScoreCard(title, rows[:UPPER], bonus, rows[UPPER:], Row(words.plain("Total"), made.points))
