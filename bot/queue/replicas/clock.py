"""The clock by which leases end."""

import time


def read_boot_clock() -> float:
    """Seconds by a clock that goes on while the machine sleeps, as those of the others do.

    Linux stops its monotonic one meanwhile: a bot that woke up would take its chats for its own for as long
    as it had slept. Where there is no other clock, that one.
    """
    number = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if number is None else time.clock_gettime(number)
