"""Which transactions share a commit, and what makes way to what is urgent. A job's work is a letter here."""

import asyncio
from collections.abc import Callable
from typing import Any, cast

import pytest

from bot.database.waiting import FEW, TOGETHER, Job, Waiting


class Line:
    """Transactions that wait; each is run when its commit is, and may make another one wait."""

    def __init__(self, letters: str, urgent: str = "") -> None:
        self.waiting = Waiting()
        self.add(letters)
        self.add(urgent, urgent=True)

    def add(self, letters: str, *, urgent: bool = False) -> None:
        for letter in letters:
            self.waiting.add(Job(cast(Any, letter), cast("asyncio.Future[Any]", None), urgent))

    def run(self, jobs: list[Job], then: Callable[[str], None] = lambda _: None) -> tuple[str, str]:
        """The letters that were run in one commit, and those that were left."""
        left, ran = list[Job](), ""
        for job in self.waiting.along(jobs, left):
            ran += str(job.work)
            then(ran)
        assert ran == said(jobs)
        return ran, said(left)

    def commit(self, *urgent: tuple[int, str]) -> tuple[str, str]:
        """The same of the next; after so many were run, these become urgent."""

        def then(ran: str) -> None:
            for after, letters in urgent:
                if len(ran) == after:
                    self.add(letters, urgent=True)

        return self.run(self.waiting.together(), then)


def said(jobs: list[Job]) -> str:
    return "".join(str(job.work) for job in jobs)


def test_all_that_wait_share_a_commit_up_to_so_many() -> None:
    line = Line("x" * (TOGETHER + 3))
    assert line.waiting
    assert [line.commit() for _ in range(2)] == [("x" * TOGETHER, ""), ("xxx", "")]
    assert not line.waiting


def test_what_is_urgent_goes_with_few_others() -> None:
    line = Line("abcdefgh", "XY")
    assert line.commit() == ("abcdXY", "")
    assert line.commit() == ("efgh", "")


@pytest.mark.parametrize("others", range(FEW + 2))
def test_what_is_urgent_goes_at_once_however_few_there_are(others: int) -> None:
    line = Line("a" * others, "X")
    assert line.commit()[0] == "a" * min(FEW, others) + "X"


def test_what_comes_meanwhile_waits_for_the_next_commit_unless_it_is_urgent() -> None:
    line = Line("abcdefgh")
    jobs = line.waiting.together()
    line.add("i")
    line.add("X", urgent=True)
    assert line.run(jobs) == ("abcdX", "efgh")


@pytest.mark.parametrize(("after", "ran"), [(1, "abcdX"), (4, "abcdX"), (6, "abcdefX"), (8, "abcdefghX")])
def test_what_becomes_urgent_joins_and_the_rest_makes_way(after: int, ran: str) -> None:
    assert Line("abcdefgh").commit((after, "X")) == (ran, "abcdefgh"[len(ran) - 1 :])


def test_one_urgent_one_makes_no_way_to_another() -> None:
    assert Line("abcdefgh").commit((4, "XY"), (5, "Z")) == ("abcdXYZ", "efgh")
    assert Line("", "X").commit((1, "Y")) == ("XY", "")


def test_what_is_run_again_is_left_in_its_order() -> None:
    line, left = Line("abcdefgh"), list[Job]()
    jobs = line.waiting.together()
    for n, _ in enumerate(line.waiting.along(jobs, left)):
        if n == 6:
            line.add("X", urgent=True)
    assert (said(jobs), said(left)) == ("abcdefgX", "h")
    line.add("Y", urgent=True)
    assert said(list(line.waiting.along(jobs, left))) == "abcdXY"
    assert said(left) == "efgh"


def test_what_was_left_comes_before_all_that_wait() -> None:
    line = Line("abcdefgh")
    jobs, left = line.waiting.together(), list[Job]()
    line.add("ij")
    line.add("X", urgent=True)
    list(line.waiting.along(jobs, left))
    line.waiting.back(left)
    assert line.commit() == ("efghij", "")
