"""Transactions that wait for the one connection that writes, and which of them share the next commit.

All that wait when a commit begins share it, and what comes meanwhile has to wait for that and for all that is
in the next. Where there is always much to write, that is long for whoever can do nothing else until then. So
what is *urgent* joins the transaction that is under way, and what that has not run yet makes way to the next.
"""

import asyncio
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from bot.database.tx import Work

TOGETHER = 64
"""Transactions that share one commit at most."""
FEW = 4
"""Those that aren't urgent of which a commit takes so many all the same, where so many wait: however much is
urgent, the others go on, and not each of them by a commit of its own.
"""


@dataclass(slots=True, eq=False, repr=False)
class Job:
    """A transaction that waits for its commit."""

    work: Work[Any]
    outcome: "asyncio.Future[Any]"
    urgent: bool = False


class Waiting:
    """Those that wait, in order but for what is urgent."""

    def __init__(self) -> None:
        self._urgent, self._others = deque[Job](), deque[Job]()

    def __bool__(self) -> bool:
        return bool(self._urgent or self._others)

    def add(self, job: Job) -> None:
        """It waits behind its like."""
        (self._urgent if job.urgent else self._others).append(job)

    def together(self) -> list[Job]:
        """Take those that share the next commit."""
        most = FEW if self._urgent else TOGETHER
        taken = [self._others.popleft() for _ in range(min(len(self._others), most))]
        return taken + self._take_urgent()

    def along(self, jobs: list[Job], left: list[Job]) -> Iterator[Job]:
        """Each of `jobs` to be run now. What became urgent meanwhile joins them, and those that make way to
        it are `left`: they were not run, and are of `jobs` no more.
        """
        done = 0
        while True:
            if self._urgent and done >= min(FEW, len(jobs)):
                rest, jobs[done:] = jobs[done:], []
                left[:0] = [job for job in rest if not job.urgent]
                jobs += [job for job in rest if job.urgent] + self._take_urgent()
            if done == len(jobs):
                return
            yield jobs[done]
            done += 1

    def back(self, jobs: Iterable[Job]) -> None:
        """These were left: they come before all that wait."""
        self._others.extendleft(reversed(list(jobs)))

    def _take_urgent(self) -> list[Job]:
        taken = list(self._urgent)
        self._urgent.clear()
        return taken
