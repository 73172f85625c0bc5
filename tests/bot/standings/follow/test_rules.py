"""The share of people who should find the next hand follows those present."""

from statistics import fmean

import pytest

from bench import follow as bench
from bot.standings.follow.rules import AIM, FIRST_SHARES, QUICK, EndedHand, choose_solved_share
from bot.standings.ratings.rules import LOGIT_SCALE, MU, Rating

USUAL = Rating(MU, sigma=0.0)  # Somebody who finds hands as often as other people
STRONG, WEAK = (Rating(MU + change * LOGIT_SCALE, sigma=0.0) for change in (2.0, -2.0))
# Hands that say nothing about the players, so that the chat's first ones are over
NEUTRAL = [EndedHand(AIM, found=True, pace=QUICK + 1)] * len(FIRST_SHARES)


def choose(*hands: EndedHand, present: tuple[Rating, ...] = (USUAL,)) -> float:
    return choose_solved_share(present, [*NEUTRAL, *hands])


def test_one_usual_player_gets_hands_that_most_people_find() -> None:
    assert choose() == pytest.approx(AIM)


def test_stronger_and_more_players_get_harder_hands() -> None:
    alone = choose()
    assert choose(present=(STRONG,)) < choose(present=(USUAL, USUAL)) < alone < choose(present=(WEAK,))


def test_newcomers_get_easier_hands_than_usual_players() -> None:
    assert choose(present=(Rating(),)) > choose()
    assert choose(present=()) == choose(present=(Rating(),))


def test_three_found_quickly_make_the_next_hand_harder_and_one_missed_easier() -> None:
    found, missed = EndedHand(AIM, found=True), EndedHand(AIM, found=False)
    assert choose(found, found, found) < choose() < choose(missed)
    changes = [choose(found, found, found) - choose(), choose(missed) - choose()]
    assert -changes[0] == pytest.approx(changes[1], abs=0.1)


def test_hand_found_slowly_changes_nothing() -> None:
    assert choose(EndedHand(AIM, found=True, pace=QUICK + 1)) == choose()


def test_missed_easy_hand_says_more_than_a_missed_hard_one() -> None:
    assert choose(EndedHand(0.95, found=False)) > choose(EndedHand(0.3, found=False)) > choose()


@pytest.mark.parametrize(("played", "share"), list(enumerate(FIRST_SHARES)))
def test_first_hands_are_easy_even_for_strong_players(played: int, share: float) -> None:
    found = EndedHand(0.95, found=True)
    assert choose_solved_share([STRONG] * 8, [found] * played) == share
    assert choose_solved_share([WEAK], [found] * played) >= share


@pytest.mark.exhaustive
@pytest.mark.long
def test_simulated_groups_find_about_three_of_four_hands() -> None:
    played = bench.simulate(groups=200)
    assert {hand.level for hand in played if hand.number <= 3} == {"easy", "medium"}
    later = [hand for hand in played if 10 <= hand.number <= bench.JOINS_AFTER]
    assert 0.7 < fmean(hand.found for hand in later if hand.group.points < 1600) < 0.8
    assert 0.7 < fmean(hand.found for hand in later) < 0.83  # No hand is hard enough for the strongest
    joined = [hand for hand in played if hand.group.points <= bench.STRONGEST_JOINED]
    assert 0.7 < fmean(hand.found for hand in joined if hand.number > bench.JOINS_AFTER + 5) < 0.8
