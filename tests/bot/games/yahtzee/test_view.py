"""Texts and pictures of a card in all languages, against the referee's scores."""

import random
import re
from unicodedata import east_asian_width

import pytest

from bot.games.yahtzee import rules, view
from bot.games.yahtzee.game import Yahtzee
from bot.games.yahtzee.rules import TURN_COUNT, UPPER_COUNT, Card, Deal
from bot.i18n import get_words, list_languages, strip_tags
from bot.pictures.values import RollPicture, ScoreCardPicture
from tests.bot.games.yahtzee.test_rules import compute_total, exchange, find_largest_gain, score_roll

EN = get_words("en")
GAME = Yahtzee()
TOLD = re.compile(r"You (\d+), best (\d+): the ([1-6](?: [1-6]){4}) belonged in ([a-z ]+) \(\+(\d+)\)\.")
NAMES = [name.lower() for name in view.list_category_names(EN)]


def make_partial_card(seed: int, done: int) -> tuple[Deal, Card]:
    """Deal a game and fill `done` categories of a card."""
    deal, rng = rules.deal_rolls(seed), random.Random(seed)
    return deal, Card(tuple(rng.sample(range(TURN_COUNT), done)))


def count_columns(text: str) -> int:
    return sum(2 if east_asian_width(c) in "WF" else 1 for c in text)


@pytest.mark.long
@pytest.mark.parametrize("language", list_languages())
def test_card_is_narrow_and_buttons_end_in_their_points(language: str) -> None:
    words = get_words(language)
    for done in range(TURN_COUNT):
        deal, card = make_partial_card(done, done)
        rows = strip_tags(GAME.render_card(words, deal, card, over=False)[0]).splitlines()
        assert len(rows) == 7
        assert len({count_columns(row) for row in rows}) == 1
        assert count_columns(rows[0]) <= 40
        assert len({*view.list_category_names(words)}) == TURN_COUNT
        for label, category in GAME.list_choices(words, deal, card):
            assert int(label.rpartition(" ")[2]) == score_roll(deal.rolls[done], category)
        assert [category for _, category in GAME.list_choices(words, deal, card)] == card.open_categories
        title, line, *_ = GAME.render_turn(words, deal, card)
        assert line == " ".join(map(str, deal.rolls[done]))
        assert str(done + 1) in title


def test_missing_points_are_shown_while_the_bonus_can_be_reached() -> None:
    rolls = (*((face,) * 5 for face in range(1, 7)), *((1, 2, 3, 4, 5),) * 7)
    deal = Deal(rolls, Card(tuple(range(TURN_COUNT))))
    cards = [Card(tuple(range(n))) for n in (4, 5, 6, 13)]
    result = [[strip_tags(line) for line in GAME.render_card(EN, deal, card, over=False)] for card in cards]
    assert result[0][1:] == ["Total: 50", "13 more in the left column for the bonus"]
    assert [strip_tags(line) for line in GAME.render_card(EN, deal, cards[0], over=True)[1:]] == ["Total: 50"]
    assert result[1][1:] == ["Total: 110"]
    assert result[2][1:] == ["Total: 140"]
    assert "Bonus  35" in result[2][0]
    assert "Bonus   ·" in result[0][0]
    low = Deal(((1, 1, 2, 2, 3),) * 13, Card(tuple(range(TURN_COUNT))))
    lost = GAME.render_card(EN, low, Card(tuple(range(TURN_COUNT))), over=False)
    assert len(lost) == 2
    assert "Bonus   0" in strip_tags(lost[0])  # as its picture says it
    assert "Bonus   0" in strip_tags(GAME.render_card(EN, low, Card((0,)), over=True)[0])


def check_hindsight(deal: Deal, card: Card) -> int:
    """Check a card's hindsight against the referee; return the gain it names."""
    said, own = strip_tags(GAME.render_hindsight(EN, deal, card)), compute_total(deal.rolls, card.categories)
    best, gain = (
        compute_total(deal.rolls, deal.best.categories),
        find_largest_gain(deal.rolls, card.categories),
    )
    if own == best:
        assert said == f"You {own}: nobody could have done better."
    elif not gain:
        assert said == f"You {own}, best {best}."
    else:
        result = TOLD.fullmatch(said)
        assert result is not None, said
        assert (int(result[1]), int(result[2]), int(result[5])) == (own, best, gain)
        roll, category = tuple(map(int, result[3].split())), NAMES.index(result[4])
        other = card.categories.index(category)
        ways = [exchange(card.categories, n, other) for n, each in enumerate(deal.rolls) if each == roll]
        assert own + gain in [compute_total(deal.rolls, way) for way in ways]
    return gain


@pytest.mark.long
def test_hindsight_is_real_and_the_largest() -> None:
    deals = [(rules.deal_rolls(seed), random.Random(seed)) for seed in range(60)]
    gains = [
        check_hindsight(deal, Card(tuple(rng.sample(range(TURN_COUNT), TURN_COUNT)))) for deal, rng in deals
    ]
    assert min(gains) >= 0 < max(gains)
    for seed in range(10):
        deal = rules.deal_rolls(seed)
        assert not check_hindsight(deal, deal.best)


def test_no_exchange_may_help_where_more_was_possible() -> None:
    # Three rolls would have to change places at once.
    deal, card = rules.deal_rolls(225), Card((9, 1, 0, 12, 5, 2, 4, 10, 3, 8, 11, 6, 7))
    assert compute_total(deal.rolls, card.categories) < compute_total(deal.rolls, deal.best.categories)
    assert check_hindsight(deal, card) == 0


def test_given_rolls_are_solved_category_by_category() -> None:
    deal = rules.deal_rolls(11)
    *lines, bonus, total = strip_tags(view.render_solved_rolls(EN, deal.rolls, deal.best)).splitlines()
    assert len(lines) == TURN_COUNT
    used = []
    for category, line in enumerate(lines):
        name, roll, score = re.fullmatch(r"(.+): ([1-6](?: [1-6]){4}) → (\d+)", line).groups()  # type: ignore[union-attr]
        assert name.lower() == NAMES[category]
        used.append(tuple(map(int, roll.split())))
        assert int(score) == score_roll(used[-1], category)
    assert sorted(used) == sorted(deal.rolls)
    assert total == f"Total: {compute_total(deal.rolls, deal.best.categories)}"
    assert bonus in ("Bonus: 0", "Bonus: 35")


@pytest.mark.parametrize("language", list_languages())
def test_layout_of_a_page_has_the_choices_of_the_buttons(language: str) -> None:
    words = get_words(language)
    for done in range(TURN_COUNT + 1):
        deal, card = make_partial_card(done, done)
        laid = GAME.build_layout(words, deal, card)
        assert [line.name for line in laid.lines] == list(view.list_category_names(words))
        assert {line.choice for line in laid.lines if line.score is None} == {*card.open_categories}
        assert all((line.preview is None) is (line.choice is None) for line in laid.lines)
        assert laid.dice == (deal.rolls[done] if done < TURN_COUNT else ())
        if done < TURN_COUNT:
            offered = [
                (f"{line.name} {line.preview}", line.choice) for line in laid.lines if line.score is None
            ]
            assert offered == GAME.list_choices(words, deal, card)
        assert laid.total == laid.bonus + sum(line.score or 0 for line in laid.lines)


def test_picture_of_a_turn_has_its_dice_in_the_order_of_the_text() -> None:
    deal, card = rules.deal_rolls(7), Card((3, 5))
    roll = GAME.build_card_picture(EN, deal, card, "Ann", over=False)
    assert isinstance(roll, RollPicture)
    assert list(roll.dice) != sorted(roll.dice)
    assert GAME.render_turn(EN, deal, card)[-1] == view.format_roll(tuple(roll.dice))


@pytest.mark.parametrize("language", list_languages())
def test_picture_of_a_full_card_has_every_roll_and_its_score(language: str) -> None:
    deal = rules.deal_rolls(7)
    card = GAME.build_card_picture(get_words(language), deal, deal.best, "Ann", over=False)
    assert isinstance(card, ScoreCardPicture)
    rows, score = (*card.upper, *card.lower), rules.score_card(deal.rolls, deal.best)
    assert (card.title, card.total, card.bonus.score) == ("Ann", score.points, score.bonus)
    assert [row.score for row in rows] == list(score.scores)
    assert len(card.upper) == UPPER_COUNT
    assert len({row.label for row in rows}) == TURN_COUNT
    assert sorted(tuple(row.dice) for row in rows) == sorted(deal.rolls)


def test_open_category_of_a_picture_has_neither_dice_nor_score() -> None:
    card = GAME.build_card_picture(EN, rules.deal_rolls(7), Card((TURN_COUNT - 1, 0)), "Ann", over=True)
    assert isinstance(card, ScoreCardPicture)
    assert [bool(row.dice) for row in card.upper] == [True, *[False] * 5]
    assert [row.score is None for row in card.lower] == [*[True] * 6, False]
