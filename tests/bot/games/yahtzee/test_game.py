"""The game of Yahtzee."""

import random

import pytest

import solver
from bot.games.yahtzee import rules
from bot.games.yahtzee.game import Yahtzee
from bot.games.yahtzee.rules import Deal
from bot.i18n import get_words, strip_tags
from bot.players.choices import NO_CHOICES
from bot.rounds.puzzle import DealError, Options, VerdictKind
from bot.rounds.registry import CONTEST_GAMES, GAMES, get_race_options
from bot.workers.pool import SolverPool
from solver.fair import list_dealt_lines

GAME = Yahtzee()
EN = get_words("en")


def deal_rolls(seed: int) -> Deal:
    return rules.deal_rolls(seed)


async def test_seed_deals_the_rolls_of_its_recipe() -> None:
    pool = SolverPool(1, 30.0)
    try:
        deal = await GAME.deal(pool, NO_CHOICES, Options(), 7)
    finally:
        pool.close()
    assert deal == deal_rolls(7)
    assert deal != deal_rolls(8)
    assert [" ".join(map(str, roll)) for roll in deal.rolls] == list_dealt_lines(7, deal.recipe)
    assert len(GAME.list_dealt_numbers(deal)) == 65
    assert GAME.compute_total(deal, deal.best) == solver.yahtzee.best_card(deal.rolls).total


def test_yahtzee_has_no_answers_and_no_races() -> None:
    assert GAMES["yahtzee"] is CONTEST_GAMES["yahtzee"]
    assert GAME.check(deal_rolls(1), "6 6 6 1 1").kind is VerdictKind.TALK
    with pytest.raises(DealError) as no_race:
        get_race_options(GAME, None)
    assert "/yahtzee" in no_race.value.render_reason(EN)


def test_deal_is_revealed_by_seven_of_its_rolls_in_any_order() -> None:
    deal, rng = deal_rolls(3), random.Random(3)
    mixed = [tuple(rng.sample(roll, 5)) for roll in rng.sample(deal.rolls, 13)]
    assert GAME.is_revealed_by(deal, tuple(mixed))
    other = [(1, 1, 1, 1, 1), (6, 6, 6, 6, 6), (5, 5, 5, 5, 5)] * 3
    assert GAME.is_revealed_by(deal, (*mixed[6:], *other[:6]))
    assert not GAME.is_revealed_by(deal, (*mixed[7:], *other[:7]))
    assert not any(GAME.is_revealed_by(deal, deal_rolls(seed).rolls) for seed in range(4, 24))


def test_known_rolls_are_parsed_from_the_command_or_the_message_above() -> None:
    deal = deal_rolls(5)
    text = "\n".join(" ".join(map(str, roll)) for roll in deal.rolls)
    assert GAME.parse_known_deal(text, "") == deal.rolls
    assert GAME.parse_known_deal("", f"the rolls\n{text}") == deal.rolls
    assert GAME.parse_known_deal("", "") is None
    assert GAME.parse_known_deal("", "8/(3-8/3)") is None
    with pytest.raises(DealError) as wrong:
        GAME.parse_known_deal("66611\n6661", "")
    said = strip_tags(wrong.value.render_reason(EN))
    assert said == "Line 2, “6661”, is no roll of five dice from 1 to 6. Read before it: 1 of 13."
    with pytest.raises(DealError) as few:
        GAME.parse_known_deal("66611\n66611", "")
    result = strip_tags(few.value.render_reason(EN))
    assert result == "That is 2 rolls; a game has 13, a line each, for example 6 6 6 1 1"


@pytest.mark.parametrize("text", ["hard", "5", "sehr schwer", "1-2-3"])
def test_text_without_rolls_gets_the_usage(text: str) -> None:
    with pytest.raises(DealError) as wrong:
        GAME.parse_known_deal(text, "")
    assert strip_tags(wrong.value.render_reason(EN)) == f"“{text}”? Send /yahtzee with nothing after it."


@pytest.mark.parametrize("text", ["6 6 6 1 1", "66611", "6-6-6-1-1", "⚅⚅⚅⚀⚀", "6 6 6 1 x 1", "a\nb"])
def test_wrong_rolls_get_an_error_that_names_thirteen(text: str) -> None:
    with pytest.raises(DealError) as wrong:
        GAME.parse_known_deal(text, "")
    assert "13" in strip_tags(wrong.value.render_reason(EN))
