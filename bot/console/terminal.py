"""What the chat is shown on: paper (a pipe, a file, a terminal without a line to type in) or a terminal.

On a terminal a line is edited below what is shown. Its keys are read one by one only while a line is being
read: before and after that, and however it ends, the terminal is as it was found. Killed by force while a
line is read nobody is left to put it back; most shells do, and else `stty sane` does.
"""

import contextlib
import io
import os
import select
import termios
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TextIO

from bot.console.completing import complete, completer
from bot.console.folding import columns
from bot.console.streams import Lines, fitting, is_unicode

if TYPE_CHECKING:
    from prompt_toolkit.application import Application
    from prompt_toolkit.completion import Completer
    from prompt_toolkit.data_structures import Size
    from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

PLAIN_TERMINALS = {"", "dumb", "unknown"}
"""Values of TERM that promise nothing: neither bold text nor a cursor that moves."""
SET_RIGHT = "\x1b[?2004l\x1b[?25h\x1b[0m\r\n"
"""Ends what a line that is edited switches on: marks around pasted text, a hidden cursor, styles."""
BARE = "\r\x1b[K"
"""Empties the line in which the cursor stands."""
ROWS, COLUMNS = 24, 80
"""The size of a terminal that does not tell its own."""


def size(out: TextIO) -> tuple[int, int]:
    """The rows and columns of a terminal."""
    with contextlib.suppress(OSError, ValueError):
        found = os.get_terminal_size(out.fileno())
        return found.lines or ROWS, found.columns or COLUMNS
    return ROWS, COLUMNS


def has_boxes(out: TextIO) -> bool:
    """Whether a terminal shows rounded boxes, each character of them one column wide.

    Those of other alphabets than Unicode's may be two columns wide, and the bare console of Linux has few.
    """
    return is_unicode(out) and os.environ.get("TERM", "") != "linux"


class Paper:
    """What is only written on: nothing there is ever changed."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self.is_terminal = out.isatty()
        """Whether somebody reads along, so that lines are folded and invisible signs left out."""
        self.has_styles = self.is_terminal and os.environ.get("TERM", "") not in PLAIN_TERMINALS
        self.has_boxes = self.has_styles and has_boxes(out)
        """Whether cards can be drawn in it."""

    @property
    def width(self) -> int | None:
        """The most columns of a line; None for as many as it has. One is left free: some signs are wider
        than they say."""
        return max(1, size(self._out)[1] - 1) if self.is_terminal else None

    def write(self, text: str) -> None:
        """Print whole lines. Raises OSError."""
        print(fitting(text, self._out), end="", file=self._out, flush=True)

    def place(self) -> "Place | None":
        """Where the next line will stand, if it can be changed later."""
        return None

    def amend(self, place: "Place", row: int, line: str) -> None:
        """Change the line that stands `row` rows below a place, if it is still to be seen."""


class Typewriter(Paper):
    """A terminal that promises nothing: it edits the line by itself, and asks for it by whose turn it is."""

    def __init__(self, source: TextIO, out: TextIO) -> None:
        super().__init__(out)
        self._lines = Lines(source)
        self._asked = ""
        """What stands before the line that is being typed."""
        self.interrupted: Callable[[bool], bool] = lambda _: False
        self.typed: Callable[[], None] = lambda: None

    def write(self, text: str) -> None:
        """Print whole lines, and ask again if somebody was asked."""
        super().write(f"\n{text}{self._asked}" if self._asked else text)

    async def lines(self, label: Callable[[], str], _: object) -> AsyncIterator[str]:
        """The lines that are typed."""
        while True:
            self._asked = label()
            super().write(self._asked)
            line = await self._lines.next()
            self._asked = ""
            self.typed()
            if line is None:
                super().write("\n")
                return
            yield line

    def interrupt(self) -> None:
        """Ctrl-C: the terminal has cleared the line, and tells nobody whether there was one."""
        if not self.interrupted(False) and self._asked:
            super().write(f"\n{self._asked}")

    def restore(self) -> None:
        """Nothing was changed."""


@dataclass(frozen=True, slots=True)
class Place:
    """A row of the terminal."""

    sheet: int
    """Rows are counted anew, on another sheet, whenever it is no longer known where the old ones stand."""
    row: int
    columns: int
    """How wide the terminal was then."""


class Terminal(Paper):
    """A terminal with a line to type in, which stays below whatever is shown meanwhile."""

    def __init__(self, source: TextIO, out: TextIO) -> None:
        from prompt_toolkit import PromptSession
        from prompt_toolkit.completion import DynamicCompleter
        from prompt_toolkit.input import create_input
        from prompt_toolkit.output.vt100 import Vt100_Output

        super().__init__(out)
        self._number = source.fileno()
        self._found = termios.tcgetattr(self._number)
        self._sheet = self._row = 0
        self._reading = False
        self._asked = self._rest = ""
        self._words: Callable[[], Mapping[str, str]] = dict
        self.interrupted: Callable[[bool], bool] = lambda _: False
        """Told of each Ctrl-C, and whether it cleared a line; whether it said anything."""
        self.typed: Callable[[], None] = lambda: None
        """Told of each line."""
        # Nothing is asked of the terminal: its answers would stand among what is typed.
        self._output = Vt100_Output(out, self._size, os.environ.get("TERM"), enable_cpr=False)
        self._session: PromptSession[str] = PromptSession(
            input=create_input(source),
            output=self._output,
            key_bindings=self._keys(),
            completer=DynamicCompleter(self._completer),
            complete_while_typing=False,
            enable_suspend=True,
        )
        self._session.app.after_render += self._drawn

    # Shown

    def write(self, text: str) -> None:
        """Print whole lines, above the line that is being typed."""
        with self._above():
            self._output.write_raw(fitting(text, self._out))
        self._row += text.count("\n")

    def place(self) -> Place | None:
        self._count_typed()
        return Place(self._sheet, self._row, self._size().columns)

    def amend(self, place: Place, row: int, line: str) -> None:
        up = self._row - place.row - row
        if not self._session.app.is_running or up > self._size().rows - 1:
            return
        if place.sheet != self._sheet or place.columns != self._size().columns:
            return
        with self._above():
            self._output.write_raw(f"\x1b[{up}A\r{fitting(line, self._out)}\x1b[K\x1b[{up}B\r")

    def forget(self) -> None:
        """Where anything stands is no longer known."""
        self._sheet, self._row = self._sheet + 1, 0

    @contextlib.contextmanager
    def _above(self) -> Iterator[None]:
        """What is written inside stands above the line that is being typed."""
        self._count_typed()
        app = self._session.app
        if app.is_running:
            app.renderer.erase()
        else:
            self._output.write_raw(BARE)  # what was typed meanwhile is shown again where it is read
        yield
        self._output.flush()
        if app.is_running:
            app.renderer.reset()
            app.invalidate()

    def _drawn(self, app: "Application[str]") -> None:
        """A menu or a long line may have moved everything up, for longer than it is there."""
        drawn = app.renderer.last_rendered_screen
        if drawn is not None and drawn.height > 1:
            self.forget()

    def _size(self) -> "Size":
        from prompt_toolkit.data_structures import Size

        return Size(*size(self._out))

    # Typed

    async def lines(
        self, label: Callable[[], str], words: Callable[[], Mapping[str, str]]
    ) -> AsyncIterator[str]:
        """The lines that are typed behind a label; `words` may be completed, each with what it means."""
        self._words = words
        while True:
            self._asked, rest, self._rest = label(), self._rest, ""
            self._begin_to_read()
            try:
                typed = await self._session.prompt_async(self._asked, default=rest, handle_sigint=False)
            except (EOFError, OSError):
                return
            finally:
                self._count_typed()
            self.typed()
            for line in typed.split("\n"):
                yield line

    def _begin_to_read(self) -> None:
        if select.select([self._number], [], [], 0)[0]:
            self.forget()  # the terminal itself has shown what was typed too early
        self._output.write_raw(BARE)
        self._output.flush()
        self._reading = True

    def _count_typed(self) -> None:
        """Once a line was typed it stands on the terminal."""
        if not self._reading or self._session.app.is_running:
            return
        self._reading = False
        typed = self._asked + self._session.default_buffer.document.text
        if "\n" in typed or columns(typed) >= self._size().columns:
            self.forget()
        self._row += 1

    def interrupt(self) -> None:
        """Ctrl-C: clear the line, if there is one."""
        buffer = self._session.default_buffer
        cleared = self._session.app.is_running and bool(buffer.text)
        if cleared:
            buffer.reset()
        self.interrupted(cleared)

    def _completer(self) -> "Completer | None":
        return completer(self._session.default_buffer.document.text_before_cursor, self._words())

    def _keys(self) -> "KeyBindings":
        from prompt_toolkit.key_binding import KeyBindings
        from prompt_toolkit.keys import Keys

        keys = KeyBindings()
        keys.add("c-c")(lambda _: self.interrupt())
        keys.add("c-l")(self._cleared)
        keys.add("tab")(lambda event: complete(event, self._completer()))
        keys.add("c-d")(_ended)
        keys.add("c-@")(_ended)  # so it comes where Ctrl-D was typed before anything was read
        keys.add(Keys.BracketedPaste)(self._pasted)
        return keys

    def _cleared(self, event: "KeyPressEvent") -> None:
        event.app.renderer.clear()
        self.forget()

    def _pasted(self, event: "KeyPressEvent") -> None:
        """Lines that are pasted are as good as typed; what is no whole line yet goes on being typed."""
        buffer = event.current_buffer
        buffer.insert_text(event.data.replace("\r\n", "\n").replace("\r", "\n"))
        whole, newline, rest = buffer.text.rpartition("\n")
        if newline:
            buffer.text, self._rest = whole, rest
            buffer.validate_and_handle()

    # As it was found

    def restore(self) -> None:
        """Leave the terminal as it was found, whatever is going on."""
        with contextlib.suppress(OSError, termios.error, ValueError):
            if termios.tcgetattr(self._number) != self._found:
                termios.tcsetattr(self._number, termios.TCSANOW, self._found)
                os.write(self._out.fileno(), SET_RIGHT.encode())


def _ended(event: "KeyPressEvent") -> None:
    """Ctrl-D hands in what is typed; without anything it ends the input."""
    buffer = event.current_buffer
    if not buffer.text:
        event.app.exit(exception=EOFError)
    elif buffer.cursor_position < len(buffer.text):
        buffer.delete()
    else:
        buffer.validate_and_handle()


class Beside(io.TextIOBase):
    """Standard error of a terminal: a log's lines stand above the line that is being typed too."""

    def __init__(self, terminal: Paper) -> None:
        super().__init__()
        self._terminal = terminal
        self._rest = ""

    def write(self, text: str) -> int:
        """Show what is a whole line by now."""
        whole, newline, self._rest = (self._rest + text).rpartition("\n")
        if newline:
            with contextlib.suppress(OSError):
                self._terminal.write(whole + newline)
        return len(text)


Typed = Terminal | Typewriter
"""A terminal at which somebody types."""


def opened(source: TextIO, out: TextIO) -> Typed | None:
    """The terminal at which somebody types; None where that is a pipe or a file."""
    if not (source.isatty() and out.isatty()):
        return None
    if os.environ.get("TERM", "") in PLAIN_TERMINALS:
        return Typewriter(source, out)
    try:
        return Terminal(source, out)
    except termios.error:
        return None
