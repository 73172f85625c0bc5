"""Messages with their buttons, as they are printed and as they change."""

import io
from typing import Any

import pytest

from bot.console.screen import Pressed, Screen, is_tick
from bot.console.terminal import Paper, Place
from bot.i18n import words

ADDRESS = "https://t.me/TwentyFourBot?startgroup=true"
SHARED = "https://t.me/share/url?url=https%3A//t.me/x%3Fstart%3Ddaily&text=The%20hand%0A%F0%9F%9F%A9%201%3A02"


class Wall(Paper):
    """Paper of a given width, where lines that were written can be changed."""

    def __init__(self, width: int | None = None) -> None:
        super().__init__(io.StringIO())
        self.lines: list[str] = []
        self._width = width

    @property
    def width(self) -> int | None:
        return self._width

    def write(self, text: str) -> None:
        self.lines += text.split("\n")[:-1]

    def place(self) -> Place | None:
        return Place(0, len(self.lines), 80)

    def amend(self, place: Place, row: int, line: str) -> None:
        self.lines[place.row + row] = line


def message(text: str, *buttons: dict[str, Any]) -> dict[str, Any]:
    keyboard = {"inline_keyboard": [list(buttons)]}
    return {"message_id": 2, "chat": {"id": -24}, "date": 1, "text": text, "reply_markup": keyboard}


HINT = {"text": "Hint", "callback_data": "h:1"}


def test_addresses_are_printed_and_shared_text_is_given_to_whoever_presses() -> None:
    wall = Wall()
    screen = Screen(wall, words("en"))
    copied = {"text": "Copy the result", "copy_text": {"text": "The hand 🟩"}}
    asked = {"text": "Send", "switch_inline_query": "3 8 3 8"}
    link, share = {"text": "Add me", "url": ADDRESS}, {"text": "Share", "url": SHARED}
    screen.message(message("<b>Hello</b> &amp; welcome", HINT, link, share, copied, asked))
    assert wall.lines == [
        "— Twenty-Four, #2",
        "Hello & welcome",
        f"[!1] Hint   [!2] Add me {ADDRESS}   [!3] Share   [!4] Copy the result   [!5] Send",
        "",
    ]
    assert [screen.pressed(n) for n in range(7)] == [
        None,
        Pressed(2, data="h:1"),
        Pressed(2, link=ADDRESS),
        Pressed(2, text="The hand\n🟩 1:02\nhttps://t.me/x?start=daily"),
        Pressed(2, text="The hand 🟩"),
        Pressed(2, text="3 8 3 8"),
        None,
    ]


def test_the_address_of_a_page_within_telegram_is_printed_too() -> None:
    wall = Wall()
    screen = Screen(wall, words("en"))
    screen.message(message("<b>Hello</b>", {"text": "Board", "web_app": {"url": ADDRESS}}))
    assert wall.lines[-2] == f"[!1] Board {ADDRESS}"
    assert screen.pressed(1) == Pressed(2, link=ADDRESS)


def test_a_narrow_terminal_breaks_between_buttons() -> None:
    wall = Wall(20)
    reveal = {"text": "Reveal it all", "callback_data": "s:1"}
    Screen(wall, words("zh_Hans")).message(message("发的每个数字用一次，回复这条消息作答。", HINT, reveal))
    assert wall.lines == [
        "— 二十四点，#2",
        "发的每个数字用一次，",
        "回复这条消息作答。",
        "[!1] Hint",
        "[!2] Reveal it all",
        "",
    ]


@pytest.mark.parametrize(
    ("old", "new", "tick"),
    [
        ("A\n⏳ 10 minutes left\nB", "A\n⏳ 9 minutes left\nB", True),
        ("A\neasy · ⏳ 10 minutes left", "A\neasy · ⏳ 9 minutes left", True),
        ("A\n⏳ 10 minutes left\nB", "A\n⏳ 9 minutes left\nC", False),
        ("A\n⏳ 10 minutes left\nB", "A\nB", False),
        ("A", "A", True),
    ],
)
def test_a_tick_is_nothing_but_time(old: str, new: str, tick: bool) -> None:
    assert is_tick(message(old), message(new)) == tick
    assert not is_tick({}, message(new))
    assert not is_tick(message(old), message(new, HINT))


def test_the_time_left_changes_where_it_stands() -> None:
    wall = Wall(20)
    screen = Screen(wall, words("en"))
    screen.message(message("What a long first line\n⏳ 10 minutes left", HINT), edited=True)
    screen.show("talk")
    before = wall.lines[:]
    screen.tick(message("What a long first line\n⏳ 9 minutes left", HINT))
    assert wall.lines == [line.replace("10 minutes", "9 minutes") for line in before]
    screen.tick(message("What a long first line\n⏳ nine minutes left to you", HINT))
    assert "⏳ 9 minutes left" in wall.lines, "two rows don't fit where one was"


def test_the_time_left_changes_below_cards_too() -> None:
    wall = Wall(40)
    wall.has_boxes = True
    screen = Screen(wall, words("en"))
    dealt = "🃏 <b>3♠ 8♥ 3♦ 8♣</b>\n3 8 3 8 → 24\n⏳ {} minutes left"
    screen.message(message(dealt.format(10), HINT))
    before = wall.lines[:]
    assert before[1:7] == [
        "╭─────╮ ╭─────╮ ╭─────╮ ╭─────╮",
        "│3    │ │8    │ │3    │ │8    │",
        "│  ♠  │ │  ♥  │ │  ♦  │ │  ♣  │",
        "│    3│ │    8│ │    3│ │    8│",
        "╰─────╯ ╰─────╯ ╰─────╯ ╰─────╯",
        "3 8 3 8 → 24",
    ]
    screen.tick(message(dealt.format(9), HINT))
    assert wall.lines == [line.replace("10 minutes", "9 minutes") for line in before]


def test_nothing_is_drawn_on_paper() -> None:
    wall = Wall()
    Screen(wall, words("en")).message(message("🃏 <b>3♠ 8♥ 3♦ 8♣</b>\n3 8 3 8 → 24", HINT))
    assert wall.lines[1:3] == ["🃏 3♠ 8♥ 3♦ 8♣", "3 8 3 8 → 24"]


@pytest.mark.parametrize(
    ("encoding", "term", "drawn"),
    [
        ("utf-8", "xterm", True),
        ("utf-8", "dumb", False),
        ("utf-8", "linux", False),
        ("latin-1", "xterm", False),
        ("ascii", "xterm", False),
        ("gbk", "xterm", False),
    ],
)
def test_boxes_need_a_terminal_that_has_them(
    monkeypatch: pytest.MonkeyPatch, encoding: str, term: str, drawn: bool
) -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding)
    monkeypatch.setenv("TERM", term)
    assert not Paper(out).has_boxes, "nobody reads along"
    monkeypatch.setattr(out, "isatty", lambda: True)
    assert Paper(out).has_boxes == drawn
