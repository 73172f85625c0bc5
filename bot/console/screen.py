"""What people see in the terminal: the bot's messages with their buttons, numbered as they appear."""

import asyncio
import re
from html import unescape
from typing import Any, TextIO

from bot.console.streams import OutputError, fitting
from bot.i18n import Words

ISOLATES = dict.fromkeys((0x2068, 0x2069))


class Screen:
    """What people see. Buttons are numbered as they appear and keep their number."""

    def __init__(self, out: TextIO, said: Words) -> None:
        self._out = out
        self.said = said
        self._rich = out.isatty()
        self._buttons: list[tuple[int, str]] = []
        self.lost = asyncio.Event()
        """Set once nothing can be shown any more: whoever read has read enough, or the disk is full."""
        self.trouble: OutputError | None = None
        """Why not; None where whoever read has read enough."""

    def show(self, text: str) -> None:
        """Print a paragraph."""
        shown = fitting(text.translate(ISOLATES) if self._rich else text, self._out)
        try:
            print(shown, file=self._out, flush=True)
        except BrokenPipeError:
            self.lost.set()
        except OSError as error:
            self.trouble = OutputError(error)
            self.lost.set()

    def message(self, message: dict[str, Any], *, edited: bool = False) -> None:
        """Print a message of the bot with its buttons."""
        lines = [self._head(message, edited), self._plain(message["text"])]
        rows = message.get("reply_markup", {}).get("inline_keyboard", ())
        lines += ["   ".join(self._button(message["message_id"], b) for b in row) for row in rows]
        self.show("\n".join(lines) + "\n")

    def _head(self, message: dict[str, Any], edited: bool) -> str:
        number = message["message_id"]
        if message["chat"]["id"] > 0:
            return self.said.plain("— Twenty-Four in private, #{number}", number=number)
        if edited:
            return self.said.plain("— Twenty-Four, #{number}, edited", number=number)
        return self.said.plain("— Twenty-Four, #{number}", number=number)

    def pressed(self, number: int) -> tuple[int, str] | None:
        """The message and data of button `number`."""
        return self._buttons[number - 1] if 0 < number <= len(self._buttons) else None

    def _button(self, message_id: int, button: dict[str, Any]) -> str:
        this = (message_id, str(button.get("callback_data") or button.get("url", "")))
        if this not in self._buttons:
            self._buttons.append(this)
        return f"[!{self._buttons.index(this) + 1}] {button['text']}"

    def _plain(self, html: str) -> str:
        bold = "\x1b[1m\\1\x1b[0m" if self._rich else r"\1"
        return unescape(re.sub(r"</?[a-z][^>]*>", "", re.sub(r"<b>(.*?)</b>", bold, html)))
