"""The bot with measured callbacks of its event loop.

`python -m bench.loop_watch FILE` runs the bot like `python -m bot`, and writes a JSON object into FILE
at its end: the `longest` processor time of one callback in seconds, and the number of callbacks `over`
20 ms. Waiting and other processes do not count.
"""

import asyncio
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from bot.__main__ import main as run_bot

SLOW = 0.020  # Seconds of processor time that no callback may exceed
WARM_UP = 5.0  # Seconds after the start in which modules are imported; they are not measured


class CallbackTimer:
    """Measures each callback of every event loop."""

    def __init__(self) -> None:
        self.longest, self.over, self.since = 0.0, 0, time.monotonic() + WARM_UP
        run = asyncio.Handle._run

        def run_timed(handle: asyncio.Handle) -> None:
            began = time.thread_time()
            run(handle)
            took = time.thread_time() - began
            if took > min(self.longest, SLOW) and time.monotonic() > self.since:
                self.longest = max(self.longest, took)
                self.over += took > SLOW

        type.__setattr__(asyncio.Handle, "_run", run_timed)


def main(arguments: Sequence[str]) -> None:
    (file,) = arguments
    timer = CallbackTimer()
    sys.argv[1:] = []
    try:
        run_bot()
    finally:
        Path(file).write_text(json.dumps({"longest": timer.longest, "over": timer.over}), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
