"""What may come of a task that can't be answered."""

from bot import logs


class SolvingError(Exception):
    """A task that can't be answered."""


class TooSlowError(SolvingError):
    """The task passed its deadline and was stopped."""


class WorkerLostError(SolvingError):
    """The task's worker died or ran out of memory."""


class MadeWayError(SolvingError):
    """The task was stopped because a short one waited."""


class NotBegunError(SolvingError):
    """A process beside a worker of the cluster could not be started, or died before it began: the task is not
    to blame.
    """


class GoneError(SolvingError):
    """The cluster can't do the task, or went away with it: the bot's own workers do it."""


def brief(error: BaseException) -> str:
    """An error in one line. That connecting took too long says less than why each try at it failed."""
    behind: BaseException | None = error
    while behind is not None:
        if isinstance(behind, ConnectionRefusedError):
            return logs.reason(ConnectionRefusedError())  # without the system's words, which are about a call
        behind = behind.__cause__
    return logs.reason(error)
