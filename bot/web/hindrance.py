"""Why Telegram can't post, in its own words, for the log and for whoever asks how the bot is."""

import logging
import re
from collections.abc import Callable

log = logging.getLogger(__name__)

MOST_READ, MOST_SAID = 1000, 200
"""Characters of what Telegram says that are looked at, and that are said."""
SELDOM = 60.0
"""Seconds for which what comes and goes is not said again."""
ADDRESS = re.compile(r"(?<!\S)\S*?(?://|@)\S*")
"""What may hold a password or a path that nobody is to know."""


def in_a_line(message: str, clean: Callable[[str], str]) -> str:
    """What Telegram says, as one line without addresses, and without what `clean` strikes out."""
    line = clean(" ".join(message.split()))[:MOST_READ]
    line = ADDRESS.sub("[address]", line)
    return "".join(c if c.isprintable() else "?" for c in line)[:MOST_SAID] or "it does not say why"


class Hindrance:
    """What was said of it in the log: when it begins, when the reason changes, and when it is over."""

    def __init__(self) -> None:
        self._why = ""
        """What is so as far as was said; empty where all is well."""
        self._last, self._at = "", 0.0
        """The last warning, and when it was given."""

    def seen(self, why: str, now: float) -> None:
        """It is so at `now`, by any clock that goes on; `why` is empty where all is well."""
        if why == self._why or (why and why == self._last and now - self._at < SELDOM):
            return
        self._why = why
        if why:
            self._last, self._at = why, now
            log.warning("Telegram can't post updates here: %s", why)
        else:
            log.info("Telegram can post updates here again")
