"""Lines that are meant as answers, and lines that only look a little like one."""

import pytest

from bot.console.replies import is_try


@pytest.mark.parametrize(
    "text",
    [
        "8/(3-8/3)",
        "1+1",
        "8*3-8/3 = 24",
        "8 × (3 + 3)",
        "8/(3-8/",
        "８÷（３−８÷３）",
        "A+K",
        "24/1*1",
        "2-1+3-4",
        "8x3",
        "9+",
        "8*6*½",
        "(4 + 😍 * 2 * 1",
    ],
)
def test_an_answer(text: str) -> None:
    assert is_try(text)


@pytest.mark.parametrize(
    "text",
    [
        "see you at 8",
        "8",
        "8:30",
        "2-1",
        "2 : 1",
        "24/12/2025",
        "3 8 3 8",
        "I got 23 :(",
        "5 minutes!",
        "x",
        "-",
        "A",
        "what a hand",
        "call 555-1234",
        "ha",
        "100%",
        "2-1 for us",
        "8 или 9",
        "晚上8点见",
        "",
    ],
)
def test_talk(text: str) -> None:
    assert not is_try(text)
