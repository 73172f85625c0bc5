"""A card as a picture: the roll of the turn, then the full card; the same scores as the text has."""

import pytest

from bot.games.yahtzee import dealing, pictures, rules, view
from bot.games.yahtzee.rules import TURN_COUNT, UPPER_COUNT, Card
from bot.i18n import get_words, list_languages
from bot.pictures.values import RollPicture, ScoreCardPicture

EN = get_words("en")
DEAL = dealing.deal_rolls(7)


def test_the_roll_that_is_to_be_placed_lies_as_the_words_have_it() -> None:
    card = Card((3, 5))
    roll = pictures.build_turn_picture(EN, DEAL, card, "Ann")
    assert isinstance(roll, RollPicture)
    assert list(roll.dice) != sorted(roll.dice)
    assert view.render_turn(EN, DEAL, card)[-1] == view.format_roll(tuple(roll.dice))


@pytest.mark.parametrize("language", list_languages())
def test_a_full_card_holds_every_roll_and_what_it_scored(language: str) -> None:
    card = pictures.build_turn_picture(get_words(language), DEAL, DEAL.best, "Ann")
    assert isinstance(card, ScoreCardPicture)
    rows, made = (*card.upper, *card.lower), rules.score_card(DEAL.rolls, DEAL.best)
    assert (card.title, card.total.score, card.bonus.score) == ("Ann", made.points, made.bonus)
    assert [row.score for row in rows] == list(made.scores)
    assert len(card.upper) == UPPER_COUNT
    assert len({row.label for row in rows}) == TURN_COUNT
    assert sorted(tuple(row.dice) for row in rows) == sorted(DEAL.rolls)


def test_an_open_category_has_neither_dice_nor_score() -> None:
    card = pictures.build_card_picture(EN, DEAL, Card((TURN_COUNT - 1, 0)), "Ann")
    assert [bool(row.dice) for row in card.upper] == [True, *[False] * 5]
    assert [row.score is None for row in card.lower] == [*[True] * 6, False]
