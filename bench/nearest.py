"""Countdown: the nearest value to a target, and every target of a draw."""

from collections.abc import Iterator
from itertools import combinations
from multiprocessing import Pool
from random import Random
from time import perf_counter

from bench.report import Row, format_time, measure_median
from solver import CLASSIC, nearest, reachable

LOWEST, HIGHEST = 101, 999  # Targets of the television show
TILES = [*range(1, 11), *range(1, 11), 25, 50, 75, 100]

Game = tuple[tuple[int, ...], int]


def measure_rows() -> Iterator[Row]:
    games, classic = make_countdown_games(200), make_classic_games(200)
    plain = "baseline: every pair of tiles in turn, stopping at a hit, 5 draws"
    yield Row(
        "nearest, six Countdown tiles",
        format_time(measure_median(lambda game: nearest(*game), games)),
        "0.8 ms",
        format_time(measure_median(lambda game: find_nearest_plainly(*game), games[:5], rounds=1)),
        f"200 draws, targets 101-999, with the expression; {plain}",
    )
    yield Row(
        "nearest, six numbers 1-100, classic rules",
        format_time(measure_median(lambda game: nearest(*game, CLASSIC), classic)),
        "",
        "",
        "200 hands, targets 1-1000, every number used",
    )
    draws = [tiles for tiles, _ in games]
    yield Row(
        "reachable, every target of a draw",
        format_time(measure_median(lambda tiles: reachable(tiles, HIGHEST), draws)),
        "1.5 ms",
        format_time(measure_median(reachable, draws)),
        "200 draws, targets up to 999; baseline: all that the tiles make, written out",
    )
    took, hits = solve_every_draw()
    yield Row(
        "every target of all 13 243 draws",
        format_time(took),
        "15 s",
        "",
        f"two processes; {hits} of 11 905 457 games can be solved",
    )


def make_countdown_games(count: int) -> list[Game]:
    rng = Random(1982)
    return [(tuple(rng.sample(TILES, 6)), rng.randint(LOWEST, HIGHEST)) for _ in range(count)]


def solve_every_draw() -> tuple[float, int]:
    """Solve all draws of the television show in two processes; return seconds and solvable games."""
    draws = sorted(set(combinations(sorted(TILES), 6)))
    began = perf_counter()
    with Pool(2) as processes:
        hits = sum(processes.imap_unordered(_count_solvable_targets, draws, chunksize=500))
    return perf_counter() - began, hits


def _count_solvable_targets(tiles: tuple[int, ...]) -> int:
    return len(reachable(tiles, HIGHEST).difference(range(LOWEST)))


def make_classic_games(count: int) -> list[Game]:
    rng = Random(24)
    return [(tuple(rng.choices(range(1, 101), k=6)), rng.randint(1, 1000)) for _ in range(count)]


def find_nearest_plainly(tiles: tuple[int, ...], target: int) -> int:
    """Find the nearest value the plain way: join any two tiles, then go on with the result and the rest."""
    best = min(tiles, key=lambda tile: abs(tile - target))
    for i, j in combinations(range(len(tiles)), 2):
        rest = tuple(tile for index, tile in enumerate(tiles) if index not in (i, j))
        for result in join_tiles(tiles[i], tiles[j]):
            best = min(
                best, find_nearest_plainly((*rest, result), target), key=lambda value: abs(value - target)
            )
            if best == target:
                return best
    return best


def join_tiles(x: int, y: int) -> Iterator[int]:
    yield x + y
    yield x * y
    if x != y:
        yield abs(x - y)
    if not x % y:
        yield x // y
    elif not y % x:
        yield y // x
