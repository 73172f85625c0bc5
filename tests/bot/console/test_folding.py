"""Lines that fit: words, numbers and addresses stay whole."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.console.folding import columns, folded, side_by_side

LONG = "(" + "+".join(str(n) for n in range(100, 130)) + ")*8/(3-8/3)"


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("", 10, [""]),
        ("one\n\ntwo", 10, ["one", "", "two"]),
        ("deal a hand to play", 10, ["deal a", "hand to", "play"]),
        ("  deal a hand", 9, ["  deal a", "hand"]),
        ("发的每个数字用一次，回复这条消息作答。", 20, ["发的每个数字用一次，", "回复这条消息作答。"]),
        ("发的每个数字用一次，回复", 19, ["发的每个数字用一", "次，回复"]),
        ("出错了（见 /help）。", 9, ["出错了", "（见", "/help）。"]),
        ("\x1b[1m8/(3-8/3)\x1b[0m = 24", 14, ["\x1b[1m8/(3-8/3)\x1b[0m = 24"]),
        ("12*(10+10)/10", 8, ["12*(10+", "10)/10"]),
        ("address https://t.me/share/url?x=1 here", 12, ["address", "https://t.me/share/url?x=1", "here"]),
        ("aaaaaaaaaaaa", 5, ["aaaaa", "aaaaa", "aa"]),
        ("🏆 Ann", 4, ["🏆", "Ann"]),
        ("\x1b[1mab\x1b[0m cd \x1b[1mef\x1b[0m gh", 8, ["\x1b[1mab\x1b[0m cd \x1b[1mef\x1b[0m", "gh"]),
        ("👨\u200d👩\u200d👧" * 2, 8, ["👨\u200d👩\u200d👧"] * 2),
    ],
)
def test_folded(text: str, width: int, lines: list[str]) -> None:
    assert folded(text, width) == lines


@pytest.mark.parametrize("width", [8, 20, 39, 79])
def test_no_number_is_cut(width: int) -> None:
    lines = folded(LONG, width)
    assert "".join(lines) == LONG
    assert [n for line in lines for n in re.findall("[0-9]+", line)] == re.findall("[0-9]+", LONG)
    assert max(map(columns, lines)) <= width


@pytest.mark.long
@given(st.text(st.sampled_from("ab 12+*/()中，。（🃏\u0301\n"), max_size=80), st.integers(2, 30))
def test_nothing_is_lost_and_lines_fit(text: str, width: int) -> None:
    lines = folded(text, width)
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(columns(line) <= width for line in lines)


def test_buttons_stay_whole() -> None:
    buttons = ["[!1] Hint", "[!2] Reveal", "[!3] Next hand"]
    assert side_by_side(buttons, "   ", 80) == ["[!1] Hint   [!2] Reveal   [!3] Next hand"]
    assert side_by_side(buttons, "   ", 25) == ["[!1] Hint   [!2] Reveal", "[!3] Next hand"]
    assert side_by_side(buttons, "   ", 9) == ["[!1] Hint", "[!2]", "Reveal", "[!3] Next", "hand"]
