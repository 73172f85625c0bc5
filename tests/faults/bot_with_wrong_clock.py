"""The bot on a machine whose clock shows another time: `python -m tests.faults.bot_with_wrong_clock`.

SHIFT names a file that holds by how many seconds; it may be written anew while the bot runs.
"""

import os
import time
from pathlib import Path

SHIFT = Path(os.environ["SHIFT"])
real = time.time


def shifted() -> float:
    """The time there."""
    return real() + float(SHIFT.read_text())


if __name__ == "__main__":
    time.time = shifted
    from bot.__main__ import main  # it and all that it imports read that clock

    main()
