"""What is to be seen of a card: the roll that is to be placed, or the card once it is full."""

from bot.games.yahtzee import rules, view
from bot.games.yahtzee.rules import UPPER_COUNT, Card, Deal
from bot.i18n import Words
from bot.pictures.values import RollPicture, ScoreCardPicture, ScoreRow


def build_turn_picture(words: Words, deal: Deal, card: Card, title: str) -> RollPicture | ScoreCardPicture:
    """What whoever plays on it has before them; `title` says whose card it is."""
    return build_card_picture(words, deal, card, title) if card.is_full else build_roll_picture(deal, card)


def build_roll_picture(deal: Deal, card: Card) -> RollPicture:
    """The roll that is to be placed, its dice as the line below the picture has them."""
    return RollPicture(deal.rolls[card.turn])


def build_card_picture(words: Words, deal: Deal, card: Card, title: str) -> ScoreCardPicture:
    """The card as it stands, each roll beside what it scored."""
    made = rules.score_card(deal.rolls, card)
    placed = {category: deal.rolls[at] for at, category in enumerate(card.categories)}
    rows = [
        ScoreRow(name, made.scores[category], placed.get(category, ()))
        for category, name in enumerate(view.list_category_names(words))
    ]
    bonus = ScoreRow(words.translate_plain("Bonus"), made.bonus)
    return ScoreCardPicture(
        title,
        rows[:UPPER_COUNT],
        bonus,
        rows[UPPER_COUNT:],
        ScoreRow(words.translate_plain("Total"), made.points),
    )
