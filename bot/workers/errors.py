"""What may come of a task that can't be answered."""


class SolvingError(Exception):
    """A task that can't be answered."""


class TooSlowError(SolvingError):
    """The task passed its deadline and was stopped."""


class WorkerLostError(SolvingError):
    """The task's worker died or ran out of memory."""


class MadeWayError(SolvingError):
    """The task was stopped because a short one waited."""
