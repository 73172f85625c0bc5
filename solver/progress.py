"""Show how far a long run is, on a terminal's standard error: by a bar if tqdm is installed, or by lines."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from time import monotonic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

LINE_SECONDS = 3.0  # Between two lines


class Progress:
    """Counts what is done, and prints messages on standard error. It shows nothing itself."""

    def __init__(self, total: int | None, done: int) -> None:
        self.total = total  # None if it is not known
        self.start = done  # What was done before
        self.done = done
        self.messages = 0  # How many were printed

    def update(self, done: int) -> None:
        """Set how much is done."""
        self.done = done

    def report(self, message: str) -> None:
        """Print a message on a line of its own."""
        self.messages += 1
        print(f"twentyfour: {message}", file=sys.stderr, flush=True)


class _Lines(Progress):
    """Prints a line every few seconds."""

    def __init__(self, total: int | None, done: int) -> None:
        super().__init__(total, done)
        self._started = self._printed = monotonic()

    def update(self, done: int) -> None:
        super().update(done)
        now = monotonic()
        if now - self._printed < LINE_SECONDS:
            return
        self._printed = now
        rate = (done - self.start) / (now - self._started)
        text = f"{done} done, {rate:.0f} a second"
        if self.total is not None and rate:
            text = (
                f"{done} of {self.total} done, {rate:.0f} a second, {(self.total - done) / rate:.0f} s left"
            )
        print(text, file=sys.stderr, flush=True)


@contextmanager
def open_progress(total: int | None, done: int) -> Iterator[Progress]:
    """Show how much of the total is done (None if it is not known) until the block ends."""
    if not sys.stderr.isatty():
        yield Progress(total, done)
        return
    try:
        from tqdm import tqdm
    except ImportError:
        yield _Lines(total, done)
        return

    class Bar(Progress):
        """Shows a bar of tqdm, with the rate and the time left."""

        def update(self, done: int) -> None:
            bar.update(done - self.done)
            super().update(done)

        def report(self, message: str) -> None:
            bar.clear()
            super().report(message)

    with tqdm(total=total, initial=done, unit=" hands", dynamic_ncols=True, leave=False) as bar:
        yield Bar(total, done)
