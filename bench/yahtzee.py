"""Yahtzee: the best card of thirteen rolls."""

from collections.abc import Iterator
from random import Random

from bench.report import Row, format_time, measure_median
from solver import yahtzee

Roll = tuple[int, ...]


def measure_rows() -> Iterator[Row]:
    games = make_random_games(100)
    for game in games[:3]:
        assert solve_by_upper_sums(game) == yahtzee.best_card(game).total
    yield Row(
        "best card of thirteen rolls",
        format_time(measure_median(yahtzee.best_card, games)),
        "3 ms",
        format_time(measure_median(solve_by_upper_sums, games[:3], rounds=1)),
        "100 random games; baseline: the usual table by upper sums, 3 games, same totals",
    )


def make_random_games(count: int) -> list[list[Roll]]:
    rng = Random(10149)
    return [[tuple(rng.choices(range(1, 7), k=5)) for _ in range(13)] for _ in range(count)]


def solve_by_upper_sums(rolls: list[Roll]) -> int:
    """Return the best total by the usual table of filled categories and upper sum, roll after roll."""
    best = [dict[int, int]() for _ in range(1 << 13)]
    best[0][0] = 0
    rows = [yahtzee.category_scores(roll) for roll in rolls]
    for filled in range(1 << 13):
        for category in range(13):
            if not filled >> category & 1:
                score = rows[filled.bit_count()][category]
                after = best[filled | 1 << category]
                for upper, total in best[filled].items():
                    new_upper = min(63, upper + score) if category < 6 else upper
                    after[new_upper] = max(after.get(new_upper, 0), total + score)
    return max(total + (35 if upper == 63 else 0) for upper, total in best[-1].items())
