"""Messages and buttons as printed and changed."""

import asyncio
import io
from typing import Any

import pytest
from telegram import Message

from bot.console.screen import Button, PlainOutput, Screen, differs_only_in_time
from bot.i18n import get_words

ADDRESS = "https://t.me/TwentyFourBot?startgroup=true"
BOARD = "http://127.0.0.1:8024/#key=abc"
SHARED = "https://t.me/share/url?url=https%3A//t.me/x%3Fstart%3Ddaily&text=The%20hand%0A%F0%9F%9F%A9%201%3A02"


class RecordedOutput(PlainOutput):
    """An output that records the lines and the time left."""

    def __init__(self) -> None:
        super().__init__(io.StringIO())
        self.lines: list[str] = []
        self.time_left = ""

    def write(self, text: str) -> None:
        self.lines += text.split("\n")[:-1]

    def show_time_left(self, text: str) -> None:
        self.time_left = text


def make_screen(output: PlainOutput) -> Screen:
    return Screen(output, get_words("en"), asyncio.Event())


def make_message(text: str, *buttons: dict[str, Any], number: int = 2) -> Message:
    keyboard = {"inline_keyboard": [list(buttons)]}
    chat = {"id": -24, "type": "group"}
    return Message.de_json(
        {"message_id": number, "chat": chat, "date": 1, "text": text, "reply_markup": keyboard}
    )


HINT = {"text": "Hint", "callback_data": "h:1"}


def test_links_are_printed_and_other_buttons_keep_their_text() -> None:
    output = RecordedOutput()
    screen = make_screen(output)
    copied = {"text": "Copy the result", "copy_text": {"text": "The hand 🟩"}}
    asked = {"text": "Send", "switch_inline_query": "3 8 3 8"}
    link, share = {"text": "Add me", "url": ADDRESS}, {"text": "Share", "url": SHARED}
    screen.print_message(make_message("<b>Hello</b> &amp; welcome", HINT, link, share, copied, asked))
    assert output.lines == [
        "— Twenty-Four, #2",
        "Hello & welcome",
        "[!1] Hint   [!2] Add me   [!3] Share   [!4] Copy the result   [!5] Send",
        "",
    ]
    assert [screen.get_button(n) for n in range(7)] == [
        None,
        Button(2, data="h:1"),
        Button(2, link=ADDRESS),
        Button(2, text="The hand\n🟩 1:02\nhttps://t.me/x?start=daily"),
        Button(2, text="The hand 🟩"),
        Button(2, text="3 8 3 8"),
        None,
    ]


def test_address_of_a_web_app_is_printed() -> None:
    output = RecordedOutput()
    screen = make_screen(output)
    screen.print_message(make_message("<b>Hello</b>", {"text": "Board", "web_app": {"url": BOARD}}))
    assert output.lines[-2] == f"[!1] Board {BOARD}"
    assert screen.get_button(1) == Button(2, link=BOARD)


def test_terminal_breaks_lines_between_words(monkeypatch: pytest.MonkeyPatch) -> None:
    output = RecordedOutput()
    output.is_terminal = True
    monkeypatch.setenv("COLUMNS", "24")
    make_screen(output).print_message(
        make_message(f"Reply to the hand, or \u2068Ann\u2069 has won.\n{ADDRESS}", HINT)
    )
    assert output.lines == [
        "— Twenty-Four, #2",
        "Reply to the hand, or",
        "Ann has won.",
        ADDRESS,
        "[!1] Hint",
        "",
    ]


@pytest.mark.parametrize(
    ("old", "new", "tick"),
    [
        ("A\n⏳ 10 min left\nB", "A\n⏳ 9 min left\nB", True),
        ("A\neasy · ⏳ 10 min left", "A\neasy · ⏳ 9 min left", True),
        ("A\n⏳ 10 min left\nB", "A\n⏳ 9 min left\nC", False),
        ("A\n⏳ 10 min left\nB", "A\nB", False),
        ("A", "A", True),
    ],
)
def test_messages_that_differ_only_in_time_are_recognised(old: str, new: str, tick: bool) -> None:
    assert differs_only_in_time(make_message(old), make_message(new)) == tick
    assert not differs_only_in_time(make_message(old), make_message(new, HINT))


def test_time_left_is_shown_until_the_message_has_none() -> None:
    output = RecordedOutput()
    screen = make_screen(output)
    screen.print_message(make_message("3 8 3 8 → 24\n<i>⏳ 10 min left</i>", HINT))
    printed = list(output.lines)
    assert output.time_left == "⏳ 10 min left"
    screen.show_time_left(make_message("3 8 3 8 → 24\n<i>⏳ 9 min left</i>", HINT))
    assert (output.time_left, output.lines) == ("⏳ 9 min left", printed)
    screen.print_message(make_message("Other talk.", number=3))
    assert output.time_left == "⏳ 9 min left"
    screen.print_message(make_message("Nobody found it in time."), is_edited=True)
    assert output.time_left == ""


def test_suits_are_printed() -> None:
    output = RecordedOutput()
    make_screen(output).print_message(make_message("🃏 <b>3♠ 8♥ 3♦ 8♣</b>\n3 8 3 8 → 24", HINT))
    assert output.lines[1:3] == ["🃏 3♠ 8♥ 3♦ 8♣", "3 8 3 8 → 24"]
