"""Measure how quick a player was in a month, pure: time taken over expected time, with its interval."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log, sqrt
from statistics import fmean, stdev

MIN_HANDS = 10  # Fewer tell nothing


@dataclass(frozen=True, slots=True)
class MonthPace:
    """The geometric mean of time over expected time, and the interval that holds the truth 19 times in 20."""

    month: int  # From 1
    mean: float
    low: float
    high: float


def measure_pace(month: int, paces: Sequence[float]) -> MonthPace | None:
    """Measure a month's pace from the paces of its hands.

    None while it is noise: there are fewer than `MIN_HANDS`, or the interval includes the usual pace, 1.
    """
    if len(paces) < MIN_HANDS:
        return None
    logs = [log(pace) for pace in paces]
    mean = fmean(logs)
    margin = _estimate_t(len(logs) - 1) * stdev(logs) / sqrt(len(logs))
    if abs(mean) <= margin:
        return None
    return MonthPace(month, exp(mean), exp(mean - margin), exp(mean + margin))


def _estimate_t(freedom: int) -> float:
    """Estimate the 97.5th percentile of Student's t, to 0.001 from 9 degrees of freedom on.

    By the first terms of its expansion: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.5.
    """
    return 1.95996 + 2.37227 / freedom + 2.82249 / freedom**2 + 2.5558 / freedom**3
