"""How well `rate` tells people's times, and how long it takes."""

from collections.abc import Callable, Iterator
from random import Random
from statistics import fmean

from bench.fit import Hand, cross_validate, read_hands, spearman
from bench.table import Row, median_time, written
from solver import LEVELS, deal, hints, ideas, rate

SHUFFLES = 5


def rows() -> Iterator[Row]:
    hands = read_hands()
    found = [cross_validate(hands, folds=10, seed=seed) for seed in range(SHUFFLES)]
    note = f"{len(hands)} hands, 10 folds, mean of {SHUFFLES} shuffles"
    yield Row(
        "rate: rank correlation with people's times",
        f"{fmean(each.spearman for each in found):.3f}",
        "0.90",
        f"{alone(hands, lambda hand: -hand.count):.2f}, {alone(hands, needs_a_fraction):.2f}",
        f"{note}; baselines: number of ideas, needs a fraction",
    )
    yield Row(
        "rate: hands in the right quartile",
        f"{fmean(each.right for each in found):.0%}",
        "67%",
        "25%",
        f"{note}; baseline: a guess",
    )
    yield Row("rate: at most one off", f"{fmean(each.near for each in found):.1%}", "97%", "62%", "the same")
    cards = [hand.numbers for hand in hands]
    yield Row("rate, 4 cards", written(median_time(rate, cards)), "1 ms", "", f"{len(cards)} hands")
    yield Row("hints, 4 cards", written(median_time(hints, cards)), "", "", f"{len(cards)} hands")
    yield _deals()


def alone(hands: list[Hand], trait: Callable[[Hand], float]) -> float:
    """The rank correlation of people's times with one trait."""
    return spearman([trait(hand) for hand in hands], [hand.seconds for hand in hands])


def needs_a_fraction(hand: Hand) -> bool:
    """Whether each idea has a fraction on the way."""
    return all(
        any(part.ratio[0] % part.ratio[1] for part in expression.walk()) for expression in ideas(hand.numbers)
    )


def _deals() -> Row:
    seeds = [(seed, level) for seed in range(20) for level in LEVELS]
    took = median_time(lambda case: deal(Random(case[0]), level=case[1]), seeds)
    return Row(
        "deal of a level, 4 cards", written(took), "50 ms", "", f"{len(seeds)} deals, all levels alike"
    )
