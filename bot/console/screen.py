"""What people see in the terminal: the bot's messages with their buttons, numbered as they appear."""

import asyncio
import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlsplit

from bot.console.art import illustrated
from bot.console.folding import folded, side_by_side
from bot.console.streams import OutputError
from bot.console.terminal import Paper, Place
from bot.games.known import LAID
from bot.i18n import Words

ISOLATES = dict.fromkeys((0x2068, 0x2069))
CLOCK = "⏳"
"""Begins the time left, which reaches to the end of its line."""
GAP = "   "
SHARE = "https://t.me/share/url?"


@dataclass(frozen=True, slots=True)
class Pressed:
    """A button that was shown."""

    message_id: int
    data: str = ""
    """What a press sends; empty for a button that sends nothing."""
    link: str = ""
    """The address that a press opens."""
    text: str = ""
    """What a press passes on."""


@dataclass(frozen=True, slots=True)
class _Shown:
    """Where a message was shown last."""

    place: Place | None
    lines: list[str]
    edited: bool
    to: str


class Screen:
    """What people see. Buttons are numbered as they appear and keep their number."""

    def __init__(self, paper: Paper, speech: Words) -> None:
        self._paper = paper
        self.speech = speech
        self._buttons: list[Pressed] = []
        self._shown: dict[int, _Shown] = {}
        self.over = asyncio.Event()
        """Set once the chat is to end, or nothing can be shown any more."""
        self.is_lost = False
        """Whether nothing can be shown any more: whoever read has read enough, or the disk is full."""
        self.trouble: OutputError | None = None
        """Why not; None where whoever read has read enough."""

    def show(self, text: str) -> None:
        """Print a paragraph."""
        self._print(self._folded(text))

    def _print(self, lines: Iterable[str]) -> None:
        try:
            self._paper.write("".join(f"{line}\n" for line in lines))
        except BrokenPipeError:
            self._lose(None)
        except OSError as error:
            self._lose(OutputError(error))

    def _lose(self, trouble: OutputError | None) -> None:
        self.trouble, self.is_lost = trouble, True
        self.over.set()

    def _folded(self, text: str) -> list[str]:
        width = self._paper.width
        return text.split("\n") if width is None else folded(text.translate(ISOLATES), width)

    def message(self, message: dict[str, Any], *, edited: bool = False, to: str = "") -> None:
        """Print a message of the bot with its buttons; `to` names who alone reads it."""
        lines = self._lines(message, edited, to)
        self._shown[message["message_id"]] = _Shown(self._paper.place(), lines, edited, to)
        self._print(lines)

    def tick(self, message: dict[str, Any]) -> None:
        """Change the time left where the message stands, if that can be done; else nothing is said of it."""
        shown = self._shown.get(message["message_id"])
        if shown is None or shown.place is None:
            return
        lines = self._lines(message, shown.edited, shown.to)
        if len(lines) != len(shown.lines):
            return
        for row in (row for row, line in enumerate(lines) if line != shown.lines[row]):
            self._paper.amend(shown.place, row, lines[row])

    def _lines(self, message: dict[str, Any], edited: bool, to: str) -> list[str]:
        rows = message.get("reply_markup", {}).get("inline_keyboard", ())
        buttons = [[self._button(message["message_id"], button) for button in row] for row in rows]
        lines = self._folded(
            f"{self._head(message, edited, to)}\n{self._plain(self._drawn(message['text']))}"
        )
        return [*lines, *(line for row in buttons for line in self._beside(row)), ""]

    def _beside(self, buttons: list[str]) -> list[str]:
        width = self._paper.width
        return [GAP.join(buttons)] if width is None else side_by_side(buttons, GAP, width)

    def _head(self, message: dict[str, Any], edited: bool, to: str) -> str:
        number = message["message_id"]
        if to and "receiver_user" in message:
            return self.speech.plain("— Twenty-Four, to {name} alone, #{number}", name=to, number=number)
        if to:
            return self.speech.plain("— Twenty-Four in private, to {name}, #{number}", name=to, number=number)
        if message["chat"]["id"] > 0:
            return self.speech.plain("— Twenty-Four in private, #{number}", number=number)
        if edited:
            return self.speech.plain("— Twenty-Four, #{number}, edited", number=number)
        return self.speech.plain("— Twenty-Four, #{number}", number=number)

    def pressed(self, number: int) -> Pressed | None:
        """Button `number`."""
        return self._buttons[number - 1] if 0 < number <= len(self._buttons) else None

    def _button(self, message_id: int, button: dict[str, Any]) -> str:
        """A button with its number, and with the address that it opens."""
        this = _meant(message_id, button)
        if this not in self._buttons:
            self._buttons.append(this)
        address = f" {this.link}" if this.link else ""
        return f"[!{self._buttons.index(this) + 1}] {button['text']}{address}"

    def _drawn(self, html: str) -> str:
        """A message with its cards and dice, where they can be drawn."""
        width = self._paper.width
        return illustrated(html, width, LAID) if self._paper.has_boxes and width else html

    def _plain(self, html: str) -> str:
        bold = "\x1b[1m\\1\x1b[0m" if self._paper.has_styles else r"\1"
        return unescape(re.sub(r"</?[a-z][^<>]*>", "", re.sub(r"<b>(.*?)</b>", bold, html)))


def _meant(message_id: int, button: dict[str, Any]) -> Pressed:
    """What a press of the button does. To share is to be given the text: there is no chat to send it to."""
    link = str(button.get("url") or button.get("web_app", {}).get("url", ""))
    if link.startswith(SHARE):
        query = parse_qs(urlsplit(link).query)
        return Pressed(
            message_id, text="\n".join(part for key in ("text", "url") for part in query.get(key, ()))
        )
    copied = button.get("copy_text", {}).get("text", "")
    inline = next((str(button[key]) for key in button if key.startswith("switch_inline_query")), "")
    return Pressed(message_id, str(button.get("callback_data", "")), link, str(copied or inline))


def is_tick(old: dict[str, Any], new: dict[str, Any]) -> bool:
    """Whether nothing but the time left differs between two states of a message."""
    return bool(old) and _timeless(old) == _timeless(new)


def _timeless(message: dict[str, Any]) -> dict[str, Any]:
    text = "\n".join(line.partition(CLOCK)[0] for line in message["text"].split("\n"))
    return {**message, "date": 0, "text": text}
