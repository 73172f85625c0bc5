"""Data sets of puzzles."""

import json
import os
import subprocess
import sys
from collections import Counter
from itertools import combinations_with_replacement, islice

import pytest

import solver
from solver.__main__ import main
from solver.dataset import Kind, LabelledPuzzle, _count_hands, _get_hand, _shuffle, make_dataset
from solver.deal import list_draws

TWENTY_FOUR = Kind("24")
COUNTDOWN = Kind("countdown")


def make(kind: Kind, count: int, seed: int = 0, **options: object) -> list[LabelledPuzzle]:
    return list(make_dataset(kind, count, seed, **options))  # type: ignore[arg-type]


def test_puzzles_are_different_solved_and_rated() -> None:
    puzzles = make(TWENTY_FOUR, 60)
    assert len({puzzle.numbers for puzzle in puzzles}) == 60
    for puzzle in puzzles:
        assert isinstance(solver.check(puzzle.solution, puzzle.numbers), solver.Correct)
        assert puzzle.level == solver.rate(puzzle.numbers).level
        assert puzzle.ideas == solver.count(puzzle.numbers).ideas


def test_countdown_puzzles_can_be_made() -> None:
    for puzzle in make(COUNTDOWN, 40):
        best = solver.nearest(puzzle.numbers, puzzle.target)
        expression = solver.parse(puzzle.solution)
        assert best.distance == 0
        assert expression.value == puzzle.target
        assert not Counter(expression.numbers) - Counter(puzzle.numbers)
        assert len(expression.numbers) == len(best.expression.numbers)
        assert puzzle.level == solver.rate_draw(best).level


def test_every_solvable_hand_is_found_once() -> None:
    puzzles = make(TWENTY_FOUR, 2000)
    assert len(puzzles) == len({puzzle.numbers for puzzle in puzzles}) == 1362


@pytest.mark.parametrize("kind", [TWENTY_FOUR, COUNTDOWN])
def test_levels_come_in_equal_numbers(kind: Kind) -> None:
    puzzles = make(kind, 7, levels=("medium", "fiendish"))
    assert Counter(puzzle.level for puzzle in puzzles) == {"medium": 4, "fiendish": 3}


def test_larger_dataset_contains_the_smaller_one() -> None:
    levels = ("easy", "hard")
    assert set(make(TWENTY_FOUR, 20, levels=levels)) < set(make(TWENTY_FOUR, 50, levels=levels))
    assert set(make(TWENTY_FOUR, 20, seed=1)) != set(make(TWENTY_FOUR, 20, seed=2))


def test_parts_share_no_hand_whatever_the_seed() -> None:
    puzzles = [*make(TWENTY_FOUR, 400, seed=1), *make(TWENTY_FOUR, 400, seed=2), *make(COUNTDOWN, 50)]
    parts: dict[str, set[tuple[int, ...]]] = {"train": set(), "test": set()}
    for puzzle in puzzles:
        parts[puzzle.part].add(puzzle.numbers)
    assert not parts["train"] & parts["test"]
    assert 0.05 < len(parts["test"]) / (len(parts["train"]) + len(parts["test"])) < 0.15
    assert {puzzle.part for puzzle in make(TWENTY_FOUR, 20, test_share=1)} == {"test"}


def test_same_seed_gives_the_same_lines_for_every_hash_seed() -> None:
    command = [sys.executable, "-m", "solver", "dataset", "--count", "3", "--seed", "7"]
    outputs = set()
    for hash_seed in ("1", "2"):
        environment = os.environ | {"PYTHONHASHSEED": hash_seed}
        outputs.add(
            subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout
        )
    (output,) = outputs
    # On every machine and version of Python
    assert [json.loads(line)["numbers"] for line in output.splitlines()] == [
        [4, 4, 7, 10],
        [2, 7, 10, 12],
        [3, 5, 8, 13],
    ]


def test_hands_are_numbered_in_ascending_order() -> None:
    hands = [_get_hand(index, 3, 5) for index in range(_count_hands(3, 5))]
    assert hands == list(combinations_with_replacement(range(1, 6), 3))
    assert len(list_draws()) == 13_243


def test_shuffle_gives_each_number_once() -> None:
    numbers = list(_shuffle(solver.Stream("1"), 1000))
    assert sorted(numbers) == list(range(1000)) != numbers
    assert len(set(islice(_shuffle(solver.Stream("1"), 10**15), 100))) == 100


def test_command_prints_lines_of_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dataset", "--count", "1", "--seed", "7", "--test", "0"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "numbers": [4, 4, 7, 10],
        "target": 24,
        "level": "hard",
        "seconds": 13.72,
        "solved": 0.807,
        "ideas": 1,
        "solution": "(4+4)*(10-7)",
        "part": "train",
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--cards", "2", "--highest", "5", "--count", "9", "--levels", "fiendish,easy"],
            "only 0 of 9 puzzles exist: hands of 2 cards from 1 to 5 that make 24, as many easy as fiendish",
        ),
        (
            ["--count", "5", "--levels", "eas"],
            "argument --levels: levels are easy, medium, hard, fiendish, not 'eas'",
        ),
        (
            ["--count", "5", "--test", "101"],
            "argument --test: a percentage from 0 to 100 is wanted, not '101'",
        ),
        (["--count", "5", "--cards", "1"], "cards must be 2 to 8: 1"),
        (
            ["--kind", "countdown", "--count", "3", "--target", "500"],
            "--cards, --highest and --target are for hands: Countdown has its own tiles and targets",
        ),
        ([], "the following arguments are required: --count"),
    ],
)
def test_impossible_dataset_is_refused_in_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["dataset", *arguments]) == 2
    assert capsys.readouterr().err == f"twentyfour: {message}\n"
