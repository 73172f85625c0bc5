"""Tasks for solver workers, in a module that is imported quickly."""

import os
import signal
import time


def run_forever() -> None:
    while True:
        pass


def fill_memory() -> int:
    """Write to two gibibytes of memory."""
    return len(bytearray(b"x") * 2**31)


def kill_worker() -> None:
    """Kill this process, as the system does when memory runs out."""
    os.kill(os.getpid(), signal.SIGKILL)


def identify_worker() -> int:
    """Return this worker's process id."""
    time.sleep(0.05)  # so that the other workers get tasks too
    return os.getpid()
