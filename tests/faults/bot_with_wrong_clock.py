"""The bot with a shifted clock: `python -m tests.faults.bot_with_wrong_clock`.

SHIFT names a file with the seconds that are added to the time; it may change while the bot runs.
"""

import os
import time
from pathlib import Path

SHIFT = Path(os.environ["SHIFT"])
real = time.time


def read_shifted_clock() -> float:
    return real() + float(SHIFT.read_text())


if __name__ == "__main__":
    time.time = read_shifted_clock
    from bot.__main__ import main  # imported now, so that all its modules read the shifted clock

    main()
