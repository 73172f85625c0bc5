"""The difficulty of hands: how well `rate` predicts people's times, and how long it takes."""

from collections.abc import Callable, Iterator
from random import Random
from statistics import fmean

from bench.fit import Hand, correlate_ranks, cross_validate, read_hands
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
        "0.90",
        f"{correlate(hands, lambda hand: -hand.count):.2f}, {correlate(hands, needs_a_fraction):.2f}",
        f"{note}; baselines: number of ideas, needs a fraction",
    )
    yield Row(
        "rate: hands in the right quartile",
        f"{fmean(each.right for each in validations):.0%}",
        "67%",
        "25%",
        f"{note}; baseline: a guess",
    )
    yield Row(
        "rate: at most one off", f"{fmean(each.near for each in validations):.1%}", "97%", "62%", "the same"
    )
    cards = [hand.numbers for hand in hands]
    yield Row("rate, 4 cards", format_time(measure_median(rate, cards)), "1 ms", "", f"{len(cards)} hands")
    yield Row("hints, 4 cards", format_time(measure_median(hints, cards)), "", "", f"{len(cards)} hands")
    yield _measure_deals()


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
