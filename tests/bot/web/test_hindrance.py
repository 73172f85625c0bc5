"""What is said of a webhook that Telegram can't reach."""

import logging

import pytest

from bot.logs import Redacted
from bot.web.hindrance import MOST_SAID, SELDOM, Hindrance, in_a_line

SECRET = "canary_Secret-0123456789"  # noqa: S105 - opens nothing
WHY = "refused"
BEGINS, OVER = "Telegram can't post updates here: %s", "Telegram can post updates here again"


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Connection refused", "Connection refused"),
        ("Wrong response from the webhook:\n 502\u2028Bad\x85Gateway\r\n", None),
        ("", "it does not say why"),
        ("SSL error \x1b[31m\u202eevil", "SSL error ?[31m?evil"),
        ("no https://ann:canary@bot.example/canary here", "no [address] here"),
        ("no ann:canary@bot.example/canary here", "no [address] here"),
        (f"the secret {SECRET} is wrong", "the secret [secret] is wrong"),
        ("x" * 100_000, "x" * MOST_SAID),
        ("x" * (MOST_SAID - 5) + SECRET, "x" * (MOST_SAID - 5) + "[secr"),
    ],
)
def test_telegrams_words_are_one_line_that_tells_nothing(message: str, expected: str | None) -> None:
    said = in_a_line(message, Redacted([SECRET]).clean)
    assert said == (expected or "Wrong response from the webhook: 502 Bad Gateway")


@pytest.mark.parametrize(
    ("seen", "said"),
    [
        ([(0, ""), (20, "")], []),
        ([(0, WHY), (20, WHY), (40, WHY), (600, WHY)], [WHY]),
        ([(0, WHY), (20, "timed out"), (40, "timed out")], [WHY, "timed out"]),
        ([(0, WHY), (20, ""), (40, ""), (100, WHY)], [WHY, OVER, WHY]),
        (
            [(0, WHY), (20, ""), (40, WHY), (59, ""), (60, WHY)],
            [WHY, OVER, WHY],
        ),
    ],
)
def test_it_is_said_when_it_begins_when_it_changes_and_when_it_is_over(
    seen: list[tuple[float, str]], said: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    hindrance = Hindrance()
    for now, why in seen:
        hindrance.seen(why, now)
    assert SELDOM == 60
    assert caplog.messages == [line if line == OVER else BEGINS % line for line in said]
    assert all(each.levelname == ("INFO" if each.msg == OVER else "WARNING") for each in caplog.records)
