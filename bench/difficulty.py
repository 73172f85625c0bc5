"""The difficulty of hands: how well `rate` predicts how people do, and how long it takes."""

from collections.abc import Callable, Iterator
from random import Random
from statistics import fmean

from bench.fit import Hand, correlate_ranks, cross_validate, find_band, read_hands
from bench.report import Row, format_time, measure_median
from solver import LEVELS, deal, hints, ideas, rate

SHUFFLES = 5


def measure_rows() -> Iterator[Row]:
    hands = read_hands()
    validations = [cross_validate(hands, folds=10, seed=seed) for seed in range(SHUFFLES)]
    note = f"{len(hands)} hands, 10 folds, mean of {SHUFFLES} shuffles"
    yield Row(
        "rate: rank correlation with people's times",
        f"{fmean(each.spearman for each in validations):.3f}",
        "0.91",
        f"{correlate(hands, lambda hand: -hand.count):.2f}, {correlate(hands, needs_a_fraction):.2f}",
        f"{note}; baselines: number of ideas, needs a fraction",
    )
    yield Row(
        "rate: hands of the right level",
        f"{fmean(each.right for each in validations):.0%}",
        "67%",
        f"{_find_share_of_commonest_level(hands):.0%}",
        f"{note}; baseline: always the commonest level",
    )
    yield Row(
        "rate: at most one off", f"{fmean(each.near for each in validations):.1%}", "97%", "", "the same"
    )
    yield Row(
        "rate: distance of `solved` from people's share",
        f"{100 * fmean(each.solved_error for each in validations):.1f} points",
        "8 points",
        f"{100 * _measure_distance_from_mean(hands):.1f} points",
        f"{note}; baseline: always the mean share",
    )
    cards = [hand.numbers for hand in hands]
    yield Row("rate, 4 cards", format_time(measure_median(rate, cards)), "1 ms", "", f"{len(cards)} hands")
    yield Row("hints, 4 cards", format_time(measure_median(hints, cards)), "", "", f"{len(cards)} hands")
    yield _measure_deals()


def _find_share_of_commonest_level(hands: list[Hand]) -> float:
    bands = [find_band(hand.seconds) for hand in hands]
    return max(bands.count(band) for band in bands) / len(bands)


def _measure_distance_from_mean(hands: list[Hand]) -> float:
    mean = fmean(hand.solved for hand in hands)
    return fmean(abs(hand.solved - mean) for hand in hands)


def correlate(hands: list[Hand], trait: Callable[[Hand], float]) -> float:
    """Return the rank correlation of people's times with one trait."""
    return correlate_ranks([trait(hand) for hand in hands], [hand.seconds for hand in hands])


def needs_a_fraction(hand: Hand) -> bool:
    """Whether each idea needs a fraction as an intermediate result."""
    return all(
        any(part.ratio[0] % part.ratio[1] for part in expression.walk()) for expression in ideas(hand.numbers)
    )


def _measure_deals() -> Row:
    seeds = [(seed, level) for seed in range(20) for level in LEVELS]
    took = measure_median(lambda case: deal(Random(case[0]), level=case[1]), seeds)
    return Row(
        "deal of a level, 4 cards", format_time(took), "50 ms", "", f"{len(seeds)} deals, all levels alike"
    )
