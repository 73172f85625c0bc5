"""Conversion of text messages to photos, and the limit of captions."""

import pytest

from bot.i18n import Html
from bot.pictures.values import TilesPicture
from bot.queue.rendering import (
    CAPTION_LIMIT,
    MessagePhoto,
    append_description,
    convert_to_caption,
    convert_to_photo,
    count_utf16_units,
    find_largest_file_id,
    truncate_caption,
)
from bot.telegram.messages import edit_message, post_message

PHOTO = MessagePhoto(
    Html("<b>folded</b>"), picture=TilesPicture((25, 50), 75), content_key="abc", shown_key=""
)
KEYS = [[("Hint", "h:7")]]
POST = post_message(-7, "the whole", topic=3, reply_to=5, keyboard=KEYS, about="deal:7")
EDIT = edit_message(-7, 40, "the whole", KEYS)


def test_post_becomes_a_photo_by_file_id() -> None:
    photo = convert_to_photo(POST, PHOTO, "an id")
    assert (photo.method, photo.about) == ("sendPhoto", "deal:7")
    params = photo.params
    assert (params["photo"], params["caption"], params["parse_mode"]) == ("an id", "<b>folded</b>", "HTML")
    assert params["message_thread_id"] == 3
    assert params["reply_markup"] == POST.params["reply_markup"]
    assert not {"text", "link_preview_options", "picture"} & set(params)


def test_upload_is_attached_to_the_request() -> None:
    params = convert_to_photo(POST, PHOTO, b"PNG").params
    assert (params["photo"], params["picture"]) == ("attach://picture", b"PNG")


def test_edit_with_new_picture_replaces_media() -> None:
    edit = convert_to_photo(EDIT, PHOTO, b"PNG")
    assert edit.method == "editMessageMedia"
    media = {"type": "photo", "media": "attach://picture", "caption": "<b>folded</b>", "parse_mode": "HTML"}
    assert edit.params["media"] == media
    assert edit.params["message_id"] == 40
    assert "reply_markup" in edit.params
    assert not {"text", "caption", "parse_mode"} & set(edit.params)


def test_edit_of_caption_leaves_the_picture() -> None:
    edit = convert_to_caption(EDIT, PHOTO)
    assert (edit.method, edit.params["caption"]) == ("editMessageCaption", "<b>folded</b>")
    assert "media" not in edit.params


def test_text_becomes_the_caption_without_a_shorter_one() -> None:
    assert convert_to_caption(EDIT, None).params["caption"] == "the whole"


@pytest.mark.parametrize(("text", "long"), [("<b>a&amp;b</b>", 3), ("🃏", 2), ("é", 1), ("", 0)])
def test_caption_length_is_counted_as_telegram_does(text: str, long: int) -> None:
    assert count_utf16_units(text) == long


def test_long_caption_loses_its_last_lines() -> None:
    assert truncate_caption("a" * CAPTION_LIMIT) == "a" * CAPTION_LIMIT
    text = truncate_caption(
        "\n".join(["3 8 3 8 → 24", "<blockquote expandable>x", *["y" * 99] * 20, "z</blockquote>"])
    )
    assert text.startswith("3 8 3 8 → 24\n")
    assert text.endswith("…</blockquote>")
    assert count_utf16_units(text) <= CAPTION_LIMIT


@pytest.mark.parametrize("tag", ["pre", "blockquote", "blockquote expandable"])
def test_caption_cut_within_a_block_closes_it(tag: str) -> None:
    name = tag.split()[0]
    whole = "\n".join(["top", f"<{tag}>first", *["line"] * 400, f"last</{name}>"])
    caption = truncate_caption(whole)
    assert caption.endswith(f"…</{name}>")
    assert caption.count(f"</{name}>") == 1


def test_fullest_description_that_fits_is_appended() -> None:
    text, long, short = Html("text"), Html("x" * CAPTION_LIMIT), Html("y" * 9)
    assert append_description(text, [Html("a"), Html("b")]) == "text\na"
    assert append_description(text, [long, short]) == f"text\n{short}"
    assert append_description(text, [long, Html("two\n" * CAPTION_LIMIT)]).endswith("two\n…")
    assert append_description(text, [Html("")]) == append_description(text, ()) == "text"


def test_single_line_over_the_limit_becomes_an_ellipsis() -> None:
    assert truncate_caption("x" * (CAPTION_LIMIT + 1)) == "…"


def test_largest_photo_size_is_found() -> None:
    sizes = [{"file_id": "s", "width": 90, "height": 60}, {"file_id": "l", "width": 1280, "height": 700}]
    assert find_largest_file_id({"photo": sizes}) == "l"
    others: list[object] = [{}, {"photo": []}, True, {"photo": "x"}]
    assert [find_largest_file_id(other) for other in others] == [""] * 4


def test_picture_is_due_until_shown() -> None:
    assert PHOTO.is_due
    assert not MessagePhoto(
        Html(""), picture=TilesPicture((25, 50), 75), content_key="abc", shown_key="abc"
    ).is_due
    assert not MessagePhoto(Html(""), shown_key="abc").is_due
