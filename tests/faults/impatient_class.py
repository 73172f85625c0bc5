"""A class whose pupils count as stuck after a second: `python -m tests.faults.impatient_class class …`."""

from bot.__main__ import main
from bot.modes.classroom import rules

STUCK_SECONDS = 1.0  # In the place of two minutes

if __name__ == "__main__":
    assert rules.STUCK_SECONDS > STUCK_SECONDS
    rules.STUCK_SECONDS = STUCK_SECONDS
    main()
