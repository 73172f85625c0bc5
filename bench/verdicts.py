"""Verdicts: millions of answers to hands, as language models write them."""

import os
from collections.abc import Iterator
from itertools import islice, product
from random import Random
from time import perf_counter

from bench.report import Row, format_time
from solver import check, verify_batch

ANSWERS = 10_000_000
BATCH = 1_000_000  # Answers of one call
LOOPED = 50_000  # Answers of each batch that the baseline checks
DIFFERENT = 1000  # Answers that are repeated
WORKERS = 2
FORMS = (
    "{a}{p}{b}{q}{c}{r}{d}",
    "({a}{p}{b}){q}({c}{r}{d})",
    "{a} {p} ({b} {q} {c} {r} {d})",
    "({a} {p} {b} {q} {c}) {r} {d} = 24",
    "{a}×({b}{p}{c}){q}{d}{r}1",  # One number too many
    "The answer is {a}{p}{b}{q}{c}{r}{d}",
    "{a}{p}{b}{q}({c}{r}{d}",
)

Item = tuple[str, tuple[int, ...]]


def measure_rows() -> Iterator[Row]:
    answers = make_answers()
    seconds = cpu_seconds = baseline = 0.0
    while batch := list(islice(answers, BATCH)):
        cpu_seconds -= read_cpu_seconds()
        seconds += measure_seconds(batch)
        cpu_seconds += read_cpu_seconds()
        baseline += measure_loop_seconds(batch[:: BATCH // LOOPED]) * BATCH / LOOPED
    note = f"{WORKERS} processes, {cpu_seconds:.0f} s of CPU; baseline: a loop over `check`"
    yield Row(f"{ANSWERS:,} different answers", format_time(seconds), "60 s", format_time(baseline), note)
    repeated = list(islice(make_answers(), DIFFERENT)) * (BATCH // DIFFERENT)
    seconds = measure_seconds(repeated)
    baseline = measure_loop_seconds(repeated)
    note = f"{DIFFERENT:,} different ones, repeated"
    yield Row(f"{BATCH:,} answers", format_time(seconds), "", format_time(baseline), note)


def measure_seconds(batch: list[Item]) -> float:
    start = perf_counter()
    verify_batch(batch, workers=WORKERS)
    return perf_counter() - start


def read_cpu_seconds() -> float:
    """Return the CPU time of this process and those that it has ended."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def measure_loop_seconds(batch: list[Item]) -> float:
    start = perf_counter()
    for text, hand in batch:
        check(text, hand)
    return perf_counter() - start


def make_answers() -> Iterator[Item]:
    """Yield `ANSWERS` different answers: of seven, two can't be read, and one has a number too many."""
    hands = list(product(range(1, 14), repeat=4))
    Random(24).shuffle(hands)
    signs = list(product("+-*/", repeat=3))
    for (a, b, c, d), (p, q, r), form in islice(product(hands, signs, FORMS), ANSWERS):
        yield form.format(a=a, b=b, c=c, d=d, p=p, q=q, r=r), (a, b, c, d)
