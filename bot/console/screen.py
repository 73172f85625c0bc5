"""Print the bot's messages as text, with their buttons numbered in the order in which they appear."""

import asyncio
import os
import re
import shutil
import textwrap
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from html import unescape
from typing import TextIO
from urllib.parse import parse_qs, urlsplit

from telegram import InlineKeyboardButton, Message

from bot.i18n import Words

PLAIN_TERMINALS = {"", "dumb", "unknown"}  # values of TERM: neither bold text nor a cursor that moves
ISOLATE_MARKS = dict.fromkeys((0x2068, 0x2069))  # invisible, around names: removed, terminals may show them
TIME_LEFT = re.compile("⏳[^\n]*")  # the time left, up to the end of its line
HTML_TAG = re.compile(r"</?[a-z][^<>]*>")
BUTTON_GAP = "   "
TELEGRAM_LINK = "https://t.me/"
SHARE_LINK = f"{TELEGRAM_LINK}share/url?"

RECEIVER = "receiver_user"  # The field of a message that names the only person who sees it


class PlainOutput:
    """Output that only grows: a pipe, a file, or a terminal without a cursor that moves."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self.is_terminal = out.isatty()
        self.has_styles = self.is_terminal and os.environ.get("TERM", "") not in PLAIN_TERMINALS

    def open(self) -> AbstractContextManager[None]:
        """Prepare for people who type: nothing to do here."""
        return nullcontext()

    def write(self, text: str) -> None:
        """Print whole lines. Raises OSError."""
        print(text, end="", file=self._out, flush=True)

    def show_time_left(self, text: str) -> None:
        """Show the time left where it can be replaced later: not here."""


@dataclass(frozen=True, slots=True)
class Button:
    """A button that was printed; pressing it does one of three things, and the other values are empty."""

    message_id: int
    data: str = ""  # sent to the bot
    link: str = ""  # opened
    text: str = ""  # printed, to be shared


class Screen:
    """The terminal's screen: prints messages, and keeps the numbers of their buttons."""

    def __init__(self, output: PlainOutput, speech: Words, stopped: asyncio.Event) -> None:
        self._output = output
        self.speech = speech
        self._buttons: list[Button] = []
        self._timed_message = 0  # its time left is shown beside the line that is typed
        self._stopped = stopped  # set when nothing can be printed any more, which ends the chat
        self.paragraph_count = 0
        self.error: OSError | None = None  # why nothing can be printed any more

    def print_paragraph(self, text: str) -> None:
        """Print and count a paragraph, broken between words on a terminal.

        If that fails, keep the error and end the chat.
        """
        self.paragraph_count += 1
        if self._output.is_terminal:
            # Break lines between words where the terminal would break them within one.
            width = shutil.get_terminal_size().columns
            wrapper = textwrap.TextWrapper(width, break_long_words=False, break_on_hyphens=False)
            lines = text.translate(ISOLATE_MARKS).split("\n")
            text = "\n".join(wrapper.fill(line) for line in lines)
        try:
            self._output.write(f"{text}\n")
        except OSError as error:
            self.error = error
            self._stopped.set()

    def print_message(self, message: Message, *, is_edited: bool = False, to: str = "") -> None:
        """Print a message of the bot with its buttons; `to` is the name of the only person who sees it."""
        title = self._render_title(message, is_edited=is_edited, to=to)
        lines = [title, self._strip_markup(message.text or "")]
        for row in message.reply_markup.inline_keyboard if message.reply_markup else ():
            buttons = [self._render_button(message.message_id, button) for button in row]
            lines.append(BUTTON_GAP.join(buttons))
        self.print_paragraph("\n".join(lines) + "\n")
        self.show_time_left(message)

    def show_time_left(self, message: Message) -> None:
        """Show this message's time left beside the line being typed; clear it once that message has none."""
        time_left = TIME_LEFT.search(message.text or "")
        if time_left:
            self._timed_message = message.message_id
            self._output.show_time_left(unescape(HTML_TAG.sub("", time_left[0])))
        elif message.message_id == self._timed_message:
            self._output.show_time_left("")

    def get_button(self, number: int) -> Button | None:
        """Return button `number`; None if none has that number."""
        if number < 1 or number > len(self._buttons):
            return None
        return self._buttons[number - 1]  # numbers start at 1

    def _render_title(self, message: Message, *, is_edited: bool, to: str) -> str:
        """Return the line above a message: who may see it, its number, and whether it was edited."""
        speech = self.speech
        values = {"name": to, "number": message.message_id}
        if to and RECEIVER in message.api_kwargs:
            return speech.translate_plain("— Twenty-Four, to {name} alone, #{number}", **values)
        if to:
            return speech.translate_plain("— Twenty-Four in private, to {name}, #{number}", **values)
        if message.chat.id > 0:
            return speech.translate_plain("— Twenty-Four in private, #{number}", **values)
        if is_edited:
            return speech.translate_plain("— Twenty-Four, #{number}, edited", **values)
        return speech.translate_plain("— Twenty-Four, #{number}", **values)

    def _render_button(self, message_id: int, markup: InlineKeyboardButton) -> str:
        """Number the button, if it is new, and return its number, its label and the address that it opens."""
        button = _read_button(message_id, markup)
        if button not in self._buttons:
            self._buttons.append(button)
        number = self._buttons.index(button) + 1
        # In Telegram the bot's name may be somebody else's: a press follows a link there
        has_address = button.link and not button.link.startswith(TELEGRAM_LINK)
        address = f" {button.link}" if has_address else ""
        return f"[!{number}] {markup.text}{address}"

    def _strip_markup(self, html: str) -> str:
        """Return a text without tags; bold text stays bold where the terminal has styles."""
        bold = "\x1b[1m\\1\x1b[0m" if self._output.has_styles else r"\1"  # the text between two ANSI codes
        with_bold = re.sub(r"<b>(.*?)</b>", bold, html)
        return unescape(HTML_TAG.sub("", with_bold))


def _read_button(message_id: int, markup: InlineKeyboardButton) -> Button:
    """Return a button of Telegram's markup; one that shares, copies or asks inline prints its text."""
    link = markup.url or (markup.web_app.url if markup.web_app else "")
    if link.startswith(SHARE_LINK):  # there is no chat to share to, so the text is printed
        query = parse_qs(urlsplit(link).query)
        shared_lines = [*query.get("text", ()), *query.get("url", ())]
        return Button(message_id, text="\n".join(shared_lines))
    chosen_chat = markup.switch_inline_query_chosen_chat
    text = markup.copy_text.text if markup.copy_text else ""
    text = text or markup.switch_inline_query or (chosen_chat.query if chosen_chat else "") or ""
    return Button(message_id, data=str(markup.callback_data or ""), link=link, text=text)


def differs_only_in_time(old: Message, new: Message) -> bool:
    """Whether two versions of a message are equal but for their dates and the time left in their texts."""
    old_text, new_text = (TIME_LEFT.sub("", message.text or "") for message in (old, new))
    return old_text == new_text and old.reply_markup == new.reply_markup
