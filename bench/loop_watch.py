"""The bot with a watch on its event loop: how long one callback computes at most.

`python -m bench.loop_watch FILE` starts it as `python -m bot` does, and writes one object of
figures into FILE when it ends: `longest`
seconds of the loop's own processor time in one callback, and how many were
`over` 20 ms.
Waiting counts for nothing, and neither does what other processes take of the machine.
"""

import asyncio
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from bot.__main__ import main as bot

SLOW = 0.020  # Seconds that no callback may compute
SETTLED = 5.0  # Seconds after the start from which it is watched: modules are read before that


class Watch:
    """Times each callback of every loop."""

    def __init__(self) -> None:
        self.longest, self.over, self.since = 0.0, 0, time.monotonic() + SETTLED
        run = asyncio.Handle._run

        def timed(handle: asyncio.Handle) -> None:
            began = time.thread_time()
            run(handle)
            took = time.thread_time() - began
            if took > min(self.longest, SLOW) and time.monotonic() > self.since:
                self.longest = max(self.longest, took)
                self.over += took > SLOW

        type.__setattr__(asyncio.Handle, "_run", timed)


def main(arguments: Sequence[str]) -> None:
    (file,) = arguments
    watch = Watch()
    sys.argv[1:] = []
    try:
        bot()
    finally:
        Path(file).write_text(json.dumps({"longest": watch.longest, "over": watch.over}), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
