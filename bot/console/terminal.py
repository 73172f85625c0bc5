"""A terminal with an input line below everything that is printed.

prompt_toolkit edits the line. Keys are read one by one only while a line is being read; before and after that
the terminal is as it was found.
"""

import asyncio
import os
import shutil
import signal
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TextIO

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import DynamicCompleter, WordCompleter
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import create_input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.patch_stdout import patch_stdout

from bot.console.screen import PlainOutput

CLEAR_LINE = "\r\x1b[K"


class Terminal(PlainOutput):
    """A terminal that reads lines with editing and completion, and prints above the line being typed."""

    def __init__(self, source: TextIO, out: TextIO, stopped: asyncio.Event, leave_hint: str) -> None:
        super().__init__(out)
        self._stopped = stopped  # set by the second Ctrl-C on an empty line
        self._leave_hint = leave_hint  # printed at the first one
        self._was_interrupted = False
        self._time_left = ""  # shown at the right end of the line
        self._pasted_rest = ""  # pasted text after the last line break
        self._words: Callable[[], Mapping[str, str]] = dict  # none until a line is read
        # No CPR: the terminal's answer would end up in what is typed.
        self._output = Vt100_Output(out, _get_size, os.environ.get("TERM"), enable_cpr=False)
        keys = KeyBindings()
        keys.add("c-c")(lambda _: self._handle_interrupt())
        keys.add(Keys.BracketedPaste)(self._handle_paste)
        self._session: PromptSession[str] = PromptSession(
            input=create_input(source),
            output=self._output,
            key_bindings=keys,
            completer=DynamicCompleter(self._make_completer),
            complete_while_typing=False,
            enable_suspend=True,
            rprompt=lambda: "" if self._session.app.is_done else self._time_left,
        )

    def _make_completer(self) -> WordCompleter:
        """Return a completer of the present words; with `WORD` they end at blanks, not at a / or @."""
        meanings = self._words()
        return WordCompleter(list(meanings), ignore_case=True, meta_dict=meanings, WORD=True)

    @contextmanager
    def open(self) -> Iterator[None]:
        """Handle Ctrl-C, and print what is logged above the line that is being typed."""
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGINT, self._handle_interrupt)  # while no line is read
        try:
            with patch_stdout(raw=True):
                yield
        finally:
            loop.remove_signal_handler(signal.SIGINT)

    def write(self, text: str) -> None:
        """Print whole lines above the line that is being typed."""
        app = self._session.app
        if app.is_running:
            app.renderer.erase()
        else:
            self._output.write_raw(CLEAR_LINE)  # what was typed meanwhile is shown again once it is read
        self._output.write_raw(text)
        self._output.flush()
        if app.is_running:
            app.renderer.reset()
            app.invalidate()

    def show_time_left(self, text: str) -> None:
        """Replace the time left at the right end of the input line."""
        self._time_left = text
        self._session.app.invalidate()

    async def read_lines(
        self, label: Callable[[], str], words: Callable[[], Mapping[str, str]]
    ) -> AsyncIterator[str]:
        """Yield the lines typed after a label until Ctrl-D; `words` can be completed, with meanings."""
        self._words = words
        while True:
            rest = self._pasted_rest
            self._pasted_rest = ""
            self._output.write_raw(CLEAR_LINE)  # of what was typed meanwhile, which the prompt shows again
            self._output.flush()
            try:
                typed = await self._session.prompt_async(label(), default=rest, handle_sigint=False)
            except (EOFError, OSError):
                return
            self._was_interrupted = False
            for line in typed.split("\n"):  # a pasted text has several
                yield line

    def _handle_interrupt(self) -> None:
        """Clear the line; on an empty one print how to leave, and the second time stop."""
        buffer = self._session.default_buffer
        if self._session.app.is_running and buffer.text:
            buffer.reset()
            self._was_interrupted = False
        elif self._was_interrupted:
            self._stopped.set()
        else:
            self._was_interrupted = True
            self.write(f"{self._leave_hint}\n")

    def _handle_paste(self, event: KeyPressEvent) -> None:
        """Submit the whole lines of a pasted text, and keep the rest in the input line."""
        buffer = event.current_buffer
        buffer.insert_text(event.data.replace("\r\n", "\n").replace("\r", "\n"))
        lines, newline, rest = buffer.text.rpartition("\n")
        if newline:
            buffer.text = lines
            self._pasted_rest = rest  # `read_lines` puts it into the next input line
            buffer.validate_and_handle()  # as Enter does


def _get_size() -> Size:
    columns, rows = shutil.get_terminal_size()
    return Size(rows, columns)
