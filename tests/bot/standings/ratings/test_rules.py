"""Ratings after matches and after a time away."""

import csv
import random
from dataclasses import replace
from math import exp, log
from pathlib import Path
from statistics import fmean
from timeit import repeat

import pytest
from hypothesis import given
from hypothesis import strategies as st

import solver
from bench import ratings as bench
from bot.rounds.puzzle import Match, Result
from bot.standings.ratings import rules
from bot.standings.ratings.rules import (
    MU,
    SIGMA,
    Rating,
    age_rating,
    estimate_hand_strength,
    get_lower_bound,
    rate_match,
    render_rating,
)

NOW = 1_763_726_400.0
TIMES = Path(__file__).parents[4] / "bench" / "data" / "human-times.csv"

ratings = st.builds(
    Rating,
    mu=st.floats(-20, 70),
    sigma=st.floats(0.3, SIGMA),
    hands=st.integers(0, 10_000),
    at=st.floats(NOW - 10**8, NOW + 10**4),
)
places = st.lists(st.integers(-3, 3), min_size=1, max_size=10)


@st.composite
def draw_matches(draw: st.DrawFn) -> tuple[dict[int, Rating], Match]:
    """Draw a match, and the known ratings of most of its players."""
    drawn = draw(places)
    seconds = st.none() | st.floats(0, 600)
    results = [Result(n, place, draw(seconds)) for n, place in enumerate(drawn, start=1)]
    expected = draw(st.none() | st.floats(0, 600))
    known = {n: draw(ratings) for n in range(1, len(drawn) + 1) if draw(st.booleans())}
    return known, Match(results, draw(st.integers(-3, 3)), expected, draw(st.integers(0, 3)))


@pytest.mark.long
@given(draw_matches())
def test_best_player_does_not_fall_and_the_worst_does_not_rise(
    one: tuple[dict[int, Rating], Match],
) -> None:
    known, match = one
    after = rate_match(known, match, NOW)
    hands = [match.place] * (match.expected is not None)
    every = [result.place for result in match.results] + hands
    for result in match.results if after else ():
        before = known.get(result.player_id, Rating())
        if every.count(result.place) == 1:
            if result.place == min(every):
                assert after[result.player_id].mu >= before.mu - 1e-9
            if result.place == max(every):
                assert after[result.player_id].mu <= before.mu + 1e-9


@pytest.mark.long
@given(draw_matches())
def test_match_raises_no_deviation_and_counts_a_hand(one: tuple[dict[int, Rating], Match]) -> None:
    known, match = one
    after = rate_match(known, match, NOW)
    assert set(after) <= {result.player_id for result in match.results}
    for who, rating in after.items():
        before = known.get(who, Rating(at=NOW))
        assert 0 < rating.sigma <= age_rating(before, NOW).sigma
        assert (rating.hands, rating.at) == (before.hands + 1, max(NOW, before.at))


@pytest.mark.long
@given(draw_matches(), st.randoms(use_true_random=False))
def test_order_of_players_makes_no_difference(
    one: tuple[dict[int, Rating], Match], rng: random.Random
) -> None:
    known, match = one
    shuffled = list(match.results)
    rng.shuffle(shuffled)
    assert rate_match(known, match, NOW) == rate_match(known, replace(match, results=shuffled), NOW)


def test_equal_players_who_draw_stay_equal() -> None:
    after = rate_match({}, Match([Result(1, -7), Result(2, -7), Result(3, 1)]), NOW)
    assert after[1] == after[2]
    assert after[1].mu > MU > after[3].mu


def test_player_without_opponent_is_not_rated() -> None:
    assert rate_match({}, Match([Result(1, -7)]), NOW) == {}
    assert rate_match({}, Match([], expected=14.0), NOW) == {}
    assert set(rate_match({}, Match([Result(1, -7)], expected=14.0), NOW)) == {1}


def test_hand_beats_players_who_failed_and_loses_to_solvers() -> None:
    after = rate_match({}, Match([Result(1, -3, 14.0), Result(2, 1)], expected=14.0), NOW)
    assert after[1].mu > MU > after[2].mu
    alone = rate_match({}, Match([Result(2, 1)], expected=14.0), NOW)
    assert alone[2].mu < MU


@pytest.mark.parametrize(
    ("more", "less"),
    [
        ({"expected": 30.0}, {"expected": 8.0}),  # the harder hand
        ({"seconds": 4.0}, {"seconds": 14.0}),  # the quicker answer
        ({"seconds": 14.0}, {"seconds": 60.0}),
        ({"hints": 0}, {"hints": 1}),
    ],
)
def test_hard_hands_and_quick_answers_raise_a_rating_more(
    more: dict[str, float], less: dict[str, float]
) -> None:
    def gained(given: dict[str, float]) -> float:
        values = {"expected": 14.0, "seconds": 14.0, "hints": 0} | given
        match = Match([Result(1, -1, values["seconds"])], 0, values["expected"], int(values["hints"]))
        return rate_match({}, match, NOW)[1].mu

    assert gained(more) > gained(less) > MU


@given(ratings, st.floats(0, 10**9))
def test_time_raises_the_deviation_and_keeps_the_mean(rating: Rating, away: float) -> None:
    later = age_rating(rating, rating.at + away)
    assert later.mu == rating.mu
    assert rating.sigma - 1e-9 <= later.sigma <= SIGMA + 1e-9
    assert get_lower_bound(rating, rating.at + away) <= get_lower_bound(rating, rating.at) + 1e-9


def test_deviation_doubles_in_a_year_and_ends_at_a_newcomers() -> None:
    known = Rating(30.0, 2.3, 300, NOW)
    assert age_rating(known, NOW + 365 * 86_400).sigma == pytest.approx(2 * 2.3, rel=0.1)
    assert age_rating(known, NOW + 10**10).sigma == SIGMA
    assert age_rating(known, NOW - 10**6) == known


def test_aging_in_two_steps_equals_aging_in_one() -> None:
    known = Rating(30.0, 2.3, 300, NOW)
    once = age_rating(known, NOW + 10**6)
    assert age_rating(age_rating(known, NOW + 3 * 10**5), NOW + 10**6).sigma == pytest.approx(once.sigma)


def test_rating_is_displayed_from_ten_hands_on() -> None:
    assert render_rating(Rating(hands=9, at=NOW), NOW) is None
    assert (
        rules.count_missing_hands(None),
        rules.count_missing_hands(Rating(hands=9)),
        rules.count_missing_hands(Rating(hands=11)),
    ) == (
        10,
        1,
        0,
    )
    assert render_rating(Rating(MU, 2.0, 10, NOW), NOW) == "1500 ± 98"
    assert render_rating(Rating(MU, 2.0, 10, NOW), NOW + 30 * 86_400) == "1500 ± 115"


@pytest.mark.long
def test_hand_strength_predicts_the_share_of_solvers() -> None:
    # Compares log loss on the shares of 4nums.com with its lower limit.
    with TIMES.open(encoding="ascii", newline="") as lines:
        hands = [
            (tuple(map(int, row["hand"].split())), float(row["solved"])) for row in csv.DictReader(lines)
        ]
    result = [
        1 / (1 + exp((estimate_hand_strength(solver.rate(hand).seconds) - MU) / rules.LOGIT_SCALE))
        for hand, _ in hands
    ]

    def loss(told: list[float]) -> float:
        pairs = zip(told, (share for _, share in hands), strict=True)
        return -fmean(share * log(p) + (1 - share) * log(1 - p) for p, share in pairs)

    usual = fmean(share for _, share in hands)
    least = loss([share for _, share in hands])
    assert loss(result) - least < 0.35 * (loss([usual] * len(hands)) - least)


def test_ten_people_are_rated_within_a_millisecond() -> None:
    known = {n: Rating(20.0 + n, 3.0, 20, NOW) for n in range(10)}
    match = Match([Result(n, n - 5) for n in range(10)], 0, 14.0)
    assert min(repeat(lambda: rate_match(known, match, NOW), number=10, repeat=20)) / 10 < 0.001


@pytest.mark.exhaustive
@pytest.mark.long
def test_ratings_predict_winners_better_than_points_and_wins() -> None:
    result = bench.run_repetition(seed=1)
    assert min(*bench.compute_gains(result.pairs), *bench.compute_gains(result.alone)) > 0


def test_times_below_a_second_are_equal() -> None:
    def after(seconds: float) -> float:
        return rate_match({}, Match([Result(1, -1, seconds), Result(2, 1)], expected=2.0), NOW)[1].mu

    assert after(0.1) == after(1.0) > after(1.5)
    alone = [Result(1, 0, 5.0)]
    assert rate_match({}, Match(alone, expected=9.0), NOW) == rate_match({}, Match(alone, 0, 9.0), NOW)
    assert rate_match({}, Match(alone, expected=9.0), NOW) != rate_match({}, Match(alone, 1, 9.0), NOW)
