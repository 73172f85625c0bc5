"""The pace of a month: its mean and interval, and nothing while it is noise."""

from math import exp
from random import Random

import pytest

from bot.standings.stats.pace import MIN_HANDS, _estimate_t, measure_pace


@pytest.mark.parametrize(("freedom", "t"), [(9, 2.262), (14, 2.145), (29, 2.045), (99, 1.984)])
def test_estimate_of_t(freedom: int, t: float) -> None:
    assert _estimate_t(freedom) == pytest.approx(t, abs=0.001)


def test_few_hands_tell_nothing() -> None:
    assert measure_pace(11, [0.5] * (MIN_HANDS - 1)) is None


def test_usual_pace_tells_nothing() -> None:
    assert measure_pace(11, [0.5, 2.0] * 10) is None


def test_interval_holds_the_truth_19_times_in_20() -> None:
    rng = Random(24)
    found = [measure_pace(11, [exp(rng.gauss(-0.7, 0.6)) for _ in range(20)]) for _ in range(1000)]
    measured = [pace for pace in found if pace]
    assert len(measured) > 990
    assert 0.93 < sum(pace.low <= exp(-0.7) <= pace.high for pace in measured) / len(measured) < 0.97


def test_average_player_seldom_gets_a_figure() -> None:
    rng = Random(24)
    found = [measure_pace(11, [exp(rng.gauss(0, 0.6)) for _ in range(20)]) for _ in range(1000)]
    assert sum(pace is not None for pace in found) < 70
