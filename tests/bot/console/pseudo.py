"""Programs in a pseudo-terminal, and the screen that they show."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from prompt_toolkit.utils import get_cwidth

from tests.databases import write_database

ROOT = Path(__file__).parents[3]
PATIENCE = 120.0  # Seconds after which what is waited for will not come
CONTROL = re.compile(r"\x1b\[([?>]?)([0-9;]*)([A-Za-z])|\x1b[=>()][0B]?")
LOCALE = ("LANG", "LC_ALL", "LC_MESSAGES", "LANGUAGE", "TERM", "NO_COLOR", "COLUMNS", "LINES")


class TerminalScreen:
    """A terminal's screen with its scrollback; supports what the bot and prompt_toolkit use."""

    def __init__(self, rows: int, columns: int) -> None:
        self.rows, self.columns = rows, columns
        self.lines: list[list[str]] = [[]]
        self.top = self.y = self.x = 0  # First line on the screen, and the cursor; `y` counts all lines
        self._rest = ""

    @property
    def text(self) -> list[str]:
        """All lines, without trailing spaces."""
        return ["".join(line).rstrip() for line in self.lines]

    def feed(self, text: str) -> None:
        """Process a program's output."""
        text, self._rest = self._rest + text, ""
        at = 0
        while at < len(text):
            if text[at] != "\x1b":
                self._put(text[at])
                at += 1
            elif found := CONTROL.match(text, at):
                self._move(found[1] or "", found[2] or "", found[3] or "")
                at = found.end()
            elif text[at + 1 : at + 2] in ("", "[", "(", ")") and len(text) - at < 20:
                self._rest = text[at:]
                return
            else:
                raise AssertionError(f"unknown to this terminal: {text[at : at + 20]!r}")

    def _put(self, character: str) -> None:
        wide = get_cwidth(character)
        if character == "\r":
            self.x = 0
        elif character == "\n":
            self._down()
        elif character == "\b":
            self.x = max(0, self.x - 1)
        elif character.isprintable() and wide >= 0:
            if self.x + wide > self.columns:
                self.x = 0
                self._down()
            line = self.lines[self.y]
            line += [" "] * (self.x + wide - len(line))
            line[self.x : self.x + wide] = [character, *[""] * (wide - 1)]
            self.x += wide

    def _down(self) -> None:
        self.y += 1
        if self.y == len(self.lines):
            self.lines.append([])
        self.top = max(self.top, self.y - self.rows + 1)

    def _move(self, private: str, numbers: str, kind: str) -> None:
        n = int(numbers.partition(";")[0] or 1)
        if kind == "A":
            self.y = max(self.top, self.y - n)
        elif kind == "B":
            for _ in range(n):
                self.y = min(self.y + 1, self.top + self.rows - 1)
                while len(self.lines) <= self.y:
                    self.lines.append([])
        elif kind in "CD":
            self.x = max(0, min(self.columns - 1, self.x + (n if kind == "C" else -n)))
        elif kind == "K":
            del self.lines[self.y][self.x :]
        elif kind == "J":
            del self.lines[self.y][self.x :], self.lines[self.y + 1 :]
        elif kind == "H":
            self.y, self.x = self.top, 0
        elif not private and kind not in "mhl":
            raise AssertionError(f"unknown to this terminal: {kind!r}")


class TerminalProgram:
    """A program in a terminal of its own."""

    def __init__(self, command: list[str], *, columns: int = 80, rows: int = 24, **environment: str) -> None:
        self.screen = TerminalScreen(rows, columns)
        self.raw = ""
        self.master, self.slave = pty.openpty()
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.found = termios.tcgetattr(self.slave)
        bare = {k: v for k, v in os.environ.items() if k not in LOCALE and k != "BOT_TOKEN"}
        own = {"TERM": "xterm", "LANG": "en_US.UTF-8"}
        self.process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=bare | own | environment,
            stdin=self.slave,
            stdout=self.slave,
            stderr=self.slave,
            preexec_fn=_take_terminal,
            close_fds=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for number in (self.master, self.slave):
            os.close(number)

    def type_keys(self, text: str) -> None:
        os.write(self.master, text.encode())

    def wait_until(self, seen: Callable[[], object], why: str = "") -> None:
        """Read output until the condition holds."""
        limit = time.monotonic() + PATIENCE
        while not seen():
            assert time.monotonic() < limit, f"{why}\n" + "\n".join(self.screen.text)
            self._read(0.05)

    def wait_for_text(self, text: str, count: int = 1) -> None:
        """Wait until `count` lines hold the text."""
        self.wait_until(
            lambda: sum(text in line for line in self.screen.text) >= count, f"{count} of {text!r}"
        )

    def wait_for_exit(self) -> int:
        """Read output until the process ends; return its exit code."""
        self.wait_until(lambda: self.process.poll() is not None, "the end")
        while self._read(0.0):
            pass
        return int(self.process.returncode)

    def _read(self, wait: float) -> bool:
        if not select.select([self.master], [], [], wait)[0]:
            return False
        text = os.read(self.master, 65_536).decode("utf-8", "replace")
        self.raw += text
        self.screen.feed(text)
        return True


class TerminalBot(TerminalProgram):
    """The bot in a terminal of its own."""

    def __init__(self, folder: Path, *, columns: int = 80, rows: int = 24, **environment: str) -> None:
        file = folder / "games.sqlite3"
        address = f"sqlite:///{file if file.exists() else write_database(file)}"
        own = {"SOLVER_DEADLINE": "60", "DATABASE_URL": address}
        command = [sys.executable, "-m", "bot"]
        super().__init__(command, columns=columns, rows=rows, **(own | environment))

    def wait_for_prompt(self, label: str = "Player> ", typed: str = "") -> None:
        """Wait for a prompt that already holds `typed`; the time left may stand behind it."""
        line = f"{label}{typed}".rstrip()

        def is_asked() -> bool:
            return self.screen.text[self.screen.y].partition("⏳")[0].rstrip() == line and self.is_raw

        self.wait_until(is_asked, f"asks {line!r}")

    @property
    def is_raw(self) -> bool:
        """Whether keys are read one by one."""
        return not self.flags & termios.ICANON

    @property
    def flags(self) -> int:
        """The terminal's local modes."""
        return int(termios.tcgetattr(self.slave)[3])

    def is_restored(self) -> bool:
        """Whether the terminal's modes are restored and bracketed paste is off."""
        return termios.tcgetattr(self.slave) == self.found and self.raw.count("?2004h") <= self.raw.count(
            "?2004l"
        )


def _take_terminal() -> None:
    """Make the terminal the process's own and let Ctrl-C work."""
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
