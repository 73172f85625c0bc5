"""Yahtzee: the best card of thirteen rolls."""

from collections.abc import Iterator
from random import Random

from bench.table import Row, median_time, written
from solver import yahtzee

Roll = tuple[int, ...]


def rows() -> Iterator[Row]:
    games = random_games(100)
    for game in games[:3]:
        assert usual_table(game) == yahtzee.best_card(game).total
    yield Row(
        "best card of thirteen rolls",
        written(median_time(yahtzee.best_card, games)),
        "3 ms",
        written(median_time(usual_table, games[:3], rounds=1)),
        "100 random games; baseline: the usual table by upper sums, 3 games, same totals",
    )


def random_games(count: int) -> list[list[Roll]]:
    rng = Random(10149)
    return [[tuple(rng.choices(range(1, 7), k=5)) for _ in range(13)] for _ in range(count)]


def usual_table(rolls: list[Roll]) -> int:
    """The best total by the table that is usual: filled categories by upper sum, roll after roll."""
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
