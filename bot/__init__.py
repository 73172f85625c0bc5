"""The Telegram bot: updates in, effects committed, requests out."""

import os

os.environ.setdefault("PTB_TIMEDELTA", "1")  # the library's durations as timedelta, its coming default
