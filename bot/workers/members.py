"""Who of a cluster's workers can be given a task. Nothing here reads a clock or reaches the network."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

SILENT = 3.0
"""Seconds without a sign of life after which a worker gets no tasks, and those that it has are done here …"""
CROWD = 100
"""… and one more for each so many workers: the more they are, the more seldom each says that it lives."""


@dataclass(slots=True, eq=False)
class Member:
    """One worker of the cluster."""

    address: str
    threads: int
    seen: float
    """Its last sign of life, on the scheduler's clock: only whether it changes is looked at."""
    alive: float
    """When that last changed, on ours."""
    version: str | None = None
    """The version of this package that it has, empty if it lacks it; None until it has told."""
    silent: bool = False
    running: bool = True
    """Whether the scheduler gives it anything: one that is short of memory or about to end gets nothing."""
    load: int = 0
    """Tasks that it has of anybody, as it said last."""
    tasks: set[str] = field(default_factory=set)
    """Names of those that it has of us."""
    failed: str = ""
    """Why a task of ours was not begun there; empty once one was since."""
    rests_until: float = 0.0
    """Until when it is given no other, on our clock; after that, one to see whether it does."""

    @property
    def room(self) -> int:
        """Threads that nobody has given anything to do, as far as is known."""
        return self.threads - max(len(self.tasks), self.load)


class Members:
    """All workers, by address."""

    def __init__(self, version: str) -> None:
        self._version = version
        self._all: dict[str, Member] = {}

    def __iter__(self) -> Iterator[Member]:
        return iter(self._all.values())

    @property
    def able(self) -> list[Member]:
        """Those that have our version, have shown signs of life, and begin what they are given."""
        return [one for one in self.alike if not one.failed]

    @property
    def alike(self) -> list[Member]:
        """Those that have our version and have shown signs of life."""
        return [one for one in self if one.version == self._version and one.running and not one.silent]

    @property
    def threads(self) -> int:
        """How many tasks they can do at once."""
        return sum(one.threads for one in self.able)

    @property
    def size(self) -> str:
        """The same in words."""
        return "1 thread" if self.threads == 1 else f"{self.threads} threads"

    @property
    def trouble(self) -> str:
        """Why none of them can be given a task; empty if one can, or has yet to tell its version."""
        heard = [one for one in self if not one.silent]
        if self.able or any(one.version is None for one in heard):
            return ""
        if failed := next((one.failed for one in self.alike), ""):
            return f"its workers begin no task: {failed}"
        others = sorted({one.version or "" for one in heard} - {self._version})
        if others:
            return f"its workers need version {self._version} of twentyfour and have {_versions(others)}"
        return "its workers show no sign of life" if self._all else "it has no worker"

    def meet(self, workers: Mapping[str, Mapping[str, Any]], now: float) -> list[str]:
        """Take what the scheduler knows, by address. Returns our tasks on workers that are lost or silent."""
        lost = [name for address in self._all.keys() - workers.keys() for name in self._all[address].tasks]
        self._all = {address: self._met(address, told, now) for address, told in workers.items()}
        longest = SILENT + len(workers) / CROWD
        for one in self:
            one.silent = now - one.alive > longest
            lost += one.tasks if one.silent else ()
        return lost

    def _met(self, address: str, told: Mapping[str, Any], now: float) -> Member:
        seen, known = float(told["last_seen"]), self._all.get(address)
        if known is None:
            known = Member(address, 0, seen, now)
        if known.seen != seen:
            known.seen, known.alive = seen, now
        known.running = told.get("status") == "running"
        known.threads, load = int(told["nthreads"]), told.get("metrics", {}).get("task_counts", {})
        known.load = sum(load.get(state, 0) for state in ("executing", "ready", "constrained", "waiting"))
        return known

    def choose(self) -> Member | None:
        """The one with most room that hasn't as many tasks of us as threads; None if there is none."""
        free = [one for one in self.able if len(one.tasks) < one.threads]
        return max(free, key=lambda one: one.room, default=None)

    def forget(self) -> None:
        """Nobody is known to be there."""
        self._all.clear()


def _versions(others: list[str]) -> str:
    return ", ".join(f"version {other}" if other else "none" for other in others)
