"""Requests to Telegram keep to its limits; durations and names are formatted."""

import pytest

from bot.i18n import Html, list_languages
from bot.queue import rendering
from bot.queue.outgoing import PictureRequest, decode, encode
from bot.telegram import messages

EVERY = pytest.mark.parametrize("language", list_languages())


def count_units(text: str) -> int:
    """Return the length in UTF-16 units, as Telegram counts."""
    return len(text.encode("utf-16-le")) // 2


@pytest.mark.long
@pytest.mark.parametrize("line", ["<b>8/(3-8/3)</b> = 24", "😀" * 50, "x"])
def test_long_text_is_cut_at_a_line_break(line: str) -> None:
    text = "\n".join([line] * 3000)
    sent = messages.post_message(1, text).params["text"]
    whole = (rendering.TEXT_LIMIT - count_units("…")) // (count_units(line) + 1)
    assert sent == f"{line}\n" * whole + "…", "no more than needed is cut"


def test_cut_blockquote_is_closed() -> None:
    text = "<blockquote expandable>" + "\n".join(["<code>x</code>"] * 400) + "</blockquote>"
    sent = messages.post_message(-1, Html(text)).params["text"]
    assert len(sent) <= 4096 + len("</blockquote>")
    assert sent.startswith("<blockquote expandable><code>x</code>\n")
    assert sent.endswith("<code>x</code>\n…</blockquote>")


def test_text_within_the_limit_is_not_cut() -> None:
    text = "x" * rendering.TEXT_LIMIT
    assert messages.edit_message(1, 2, text).params["text"] == text


def test_post_names_chat_topic_reply_and_keyboard() -> None:
    request = messages.post_message(
        -5, "hi", topic=7, reply_to=9, keyboard=[[("Hint", "h:1")]], about="deal:1"
    )
    assert request.lane == -5
    assert request.method == "sendMessage"
    assert request.about == "deal:1"
    params = request.params
    assert params["message_thread_id"] == 7
    assert params["reply_parameters"] == {"message_id": 9, "allow_sending_without_reply": True}
    assert params["reply_markup"] == {"inline_keyboard": [[{"text": "Hint", "callback_data": "h:1"}]]}
    assert decode(-5, encode(request)) == request


def test_post_without_topic_names_none() -> None:
    assert "message_thread_id" not in messages.post_message(-5, "hi").params


def test_reply_markup_of_each_kind_of_button() -> None:
    row = [
        *(
            ("go", messages.Link("https://t.me/x?start=1")),
            ("copy", messages.CopyText("24")),
            ("press", "h:1"),
        ),
        ("board", messages.WebApp("https://board.example/")),
    ]
    assert messages.make_reply_markup([row])["inline_keyboard"] == [
        [
            {"text": "go", "url": "https://t.me/x?start=1"},
            {"text": "copy", "copy_text": {"text": "24"}},
            {"text": "press", "callback_data": "h:1"},
            {"text": "board", "web_app": {"url": "https://board.example/"}},
        ]
    ]


def test_answer_to_a_press_is_cut_to_200_characters() -> None:
    params = messages.answer_press(1, "q", "y" * 300, alert=True).params
    assert params["text"] == "y" * 200
    assert params["show_alert"] is True
    assert "text" not in messages.answer_press(1, "q").params


def test_unknown_player_gets_a_placeholder_name() -> None:
    assert messages.format_player_name({}, 5) == "\u2068•\u2069"
    assert messages.format_player_name({5: "<Ann>"}, 5) == "\u2068&lt;Ann&gt;\u2069"
    assert isinstance(messages.format_player_name({5: ""}, 5), Html)


def test_picture_is_added_to_chat_messages_only() -> None:
    post = messages.add_picture(messages.post_message(-1, "text"), "podium", "en", week=3)
    assert post.picture == PictureRequest("podium", "en", "", {"week": 3})
    edit = messages.add_picture(messages.edit_message(-1, 40, "text"), "", "en", shown_key="-")
    assert edit.picture == PictureRequest("", "en", "-")
    alone = messages.tell_privately(-1, 7, "text", 0.0, language="en")
    assert messages.add_picture(alone, "podium", "en") == alone
