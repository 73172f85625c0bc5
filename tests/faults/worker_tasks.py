"""What workers are asked to do, in a module that is read in no time."""

import os
import signal
import time


def never() -> None:
    """A solve that never ends."""
    while True:
        pass


def greedy() -> int:
    """Two gibibytes, written to."""
    return len(bytearray(b"x") * 2**31)


def suicide() -> None:
    """A worker that the system kills."""
    os.kill(os.getpid(), signal.SIGKILL)


def awake() -> int:
    """Who answers, when the others have had time to be asked."""
    time.sleep(0.05)
    return os.getpid()
