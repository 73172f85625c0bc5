"""Who gets one of the solver's workers next. Nothing here reads a clock or starts a process.

- Whoever asks has one task at work at a time; their others wait.
- Short tasks (deals, hands) go before long ones (searches that may find nothing).
- Among tasks of one length, whoever was served longest ago goes first; their own keep their order.
- Long tasks leave one worker to the short ones. Where there is only one, where the others are busy too, or
  where the same person asks for both, a long task has to make way as soon as a short one waits.
"""

from dataclasses import dataclass


@dataclass(slots=True, eq=False)
class Ticket:
    """A task that waits for a worker, or has one."""

    asker: int
    """A person or a chat; 0 is the bot itself, which may have many at once."""
    long: bool = False


class Slots:
    """The workers, and who waits for one."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._waiting: list[Ticket] = []
        self._working: list[Ticket] = []
        self._served: dict[int, int] = {}
        """When each asker who waits or works was last served, as a count of tasks."""
        self._count = 0

    @property
    def pressing(self) -> bool:
        """Whether a long task keeps a short one waiting."""
        long = {ticket.asker for ticket in self._working if ticket.long}
        short = {ticket.asker for ticket in self._working if not ticket.long} - {0}
        full = len(self._working) >= self.workers
        waiting = {ticket.asker for ticket in self._waiting if not ticket.long} - short
        return bool(long and waiting) if full else bool((long - {0}) & waiting)

    def ask(self, ticket: Ticket) -> None:
        """Let it wait."""
        self._waiting.append(ticket)

    def next(self) -> Ticket | None:
        """Give a free worker to whoever comes next; None when nobody can have one now."""
        if len(self._working) >= self.workers:
            return None
        able = [ticket for ticket in self._waiting if self._may(ticket)]
        if not able:
            return None
        chosen = min(able, key=lambda t: (t.long, self._served.get(t.asker, 0)))
        self._waiting.remove(chosen)
        self._working.append(chosen)
        self._count += 1
        self._served[chosen.asker] = self._count
        return chosen

    def over(self, ticket: Ticket) -> None:
        """Its task is done, or nobody waits for it any more."""
        held = self._working if ticket in self._working else self._waiting
        held.remove(ticket)
        if not self._waiting and not self._working:
            self._served.clear()

    def is_at_work(self, asker: int) -> bool:
        """Whether one of their tasks has a worker."""
        return any(ticket.asker == asker for ticket in self._working)

    def _may(self, ticket: Ticket) -> bool:
        if ticket.asker and self.is_at_work(ticket.asker):
            return False
        return not ticket.long or sum(t.long for t in self._working) < max(1, self.workers - 1)
