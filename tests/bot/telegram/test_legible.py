"""Which words of a message others read."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.telegram.legible import MOST_TEXT, legible

ANN = {"id": 7, "is_bot": False, "first_name": "Ann"}


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({"text": "hi"}, ["hi"]),
        ({"caption": "hi", "photo": [{"file_id": "x"}]}, ["hi"]),
        ({"text": "this!", "quote": {"text": "so it is", "position": 0}}, ["this!", "so it is"]),
        (
            {"poll": {"id": "1", "question": "So?", "options": [{"text": "yes", "voter_count": 0}]}},
            ["So?", "yes"],
        ),
        ({"checklist": {"title": "Do", "tasks": [{"id": 1, "text": "this"}]}}, ["Do", "this"]),
        (
            {"text": "hi", "reply_markup": {"inline_keyboard": [[{"text": "a", "callback_data": "b"}]]}},
            "a hi",
        ),
        ({"document": {"file_name": "a.txt", "file_id": "b", "mime_type": "c/d"}}, ["a.txt"]),
        ({"contact": {"phone_number": "+1", "first_name": "Dan"}}, ["Dan"]),
        ({"from": ANN, "chat": {"title": "x"}, "new_chat_members": [ANN], "date": 5}, []),
        ({"text": "lol", "from": ANN, "reply_to_message": {"text": "hi"}}, ["lol"]),
        ({"text": "lol", "forward_origin": {"sender_user_name": "Dan", "type": "hidden_user"}}, ["lol"]),
    ],
    ids=str,
)
def test_the_words_that_all_read(message: dict[str, Any], words: list[str] | str) -> None:
    expected = words.split() if isinstance(words, str) else words
    assert sorted(legible(message).splitlines()) == sorted(expected)


def test_of_too_much_the_shorter_parts_stay() -> None:
    text = legible({"text": "a" * (MOST_TEXT + 5), "quote": {"text": "so it is"}})
    assert len(text) == MOST_TEXT
    assert text == "so it is\n" + "a" * (MOST_TEXT - len("so it is\n"))


@pytest.mark.long
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_nothing_that_is_sent_breaks_it(odd: Any) -> None:
    assert isinstance(legible({"text": odd}), str)
