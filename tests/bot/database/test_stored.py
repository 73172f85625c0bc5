"""What a column of text holds, or nothing."""

import pytest

from bot.database import read_number, read_object


@pytest.mark.parametrize(
    "text", [None, "", "{", "nonsense", "null", "5", "[1]", '"a"', "[" * 60_000, "9" * 5000]
)
def test_what_is_no_object_is_an_empty_one(text: str | None) -> None:
    assert read_object(text) == {}


def test_an_object_is_read() -> None:
    assert read_object('{"a": [1, null], "b": {"c": "é"}}') == {"a": [1, None], "b": {"c": "é"}}


@pytest.mark.parametrize(
    "text", ["", "x", "{", "-1", "1.5", " 1", "1_0", "٣", "²", str(2**63), "1" + "0" * 19, "9" * 5000]
)
def test_what_is_no_number_is_none(text: str) -> None:
    assert read_number(text) is None


@pytest.mark.parametrize(("text", "number"), [("0", 0), ("7", 7), ("007", 7), (str(2**63 - 1), 2**63 - 1)])
def test_a_number_is_read(text: str, number: int) -> None:
    assert read_number(text) == number
