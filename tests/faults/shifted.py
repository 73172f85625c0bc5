"""The bot on a machine whose clock shows another time: `python -m tests.faults.shifted`, SHIFT in seconds."""

import os
import time

SHIFT = float(os.environ["SHIFT"])
real = time.time


def shifted() -> float:
    """The time there."""
    return real() + SHIFT


if __name__ == "__main__":
    time.time = shifted
    from bot.__main__ import main  # it and all that it imports read that clock

    main()
