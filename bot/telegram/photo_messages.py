"""Messages that are photos: what shows a picture has the text of an ordinary message as its caption.

A feature draws every message as one of text, and says by `Shows` which picture it could bear. Whether it
becomes a photo is decided when it is sent, by what can be had then and by what the message is already: a
message of text stays one, and so does a photo.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.i18n import Html, strip_tags
from bot.pictures.picture_key import compute_picture_key, shows_names
from bot.pictures.values import Picture

CAPTION_LIMIT = 1024  # UTF-16 units of a caption, as Telegram counts them: without tags
UPLOAD_PART = "picture"  # The part of a request that holds an upload
UNKNOWN_CONTENT = "-"  # Stands for what a photo shows of which no more is known than that it is one
ELLIPSIS = "…"
BLOCKS = ("pre", "blockquote")  # Tags of several lines; none stands within another
PHOTO_METHODS = {"sendMessage": "sendPhoto", "editMessageText": "editMessageCaption"}


@dataclass(frozen=True, slots=True)
class DescribedPicture:
    """What a message shows beside its text."""

    picture: Picture
    # What is to be seen in it and does not stand in the text, for who can't look at it. Of several ways to
    # say it, the fullest first, the first one that there is room for is taken.
    descriptions: Sequence[Html] = ()


@dataclass(frozen=True, slots=True)
class MessagePhoto:
    """The picture that a message is to show."""

    caption: Html  # What its text is folded to below a picture
    picture: Picture | None = None  # What it is drawn from; None leaves a photo as it is
    language: str = "en"
    content_key: str = ""  # What names it; the same for the same picture
    # What names the one that the message shows by now; empty for a message that isn't posted yet.
    shown_key: str = ""
    names_people: bool = False  # Whether it names people, and so is soon forgotten

    @property
    def is_due(self) -> bool:
        """Whether the message doesn't show it yet."""
        return self.picture is not None and self.content_key != self.shown_key


def make_message_photo(
    picture: Picture | None, language: str, caption: Html, shown_key: str = ""
) -> MessagePhoto:
    """What a message shows with that picture, or for None with the one that is there."""
    if picture is None:
        return MessagePhoto(caption, language=language, shown_key=shown_key)
    named, passing = compute_picture_key(picture, language), shows_names(picture)
    return MessagePhoto(caption, picture, language, named, shown_key, passing)


def count_utf16_units(text: str) -> int:
    """How long Telegram counts a text: in UTF-16 units, without tags."""
    return len(strip_tags(Html(text)).encode("utf-16-le")) // 2


def truncate_name(name: str, most: int) -> str:
    """The beginning of a name, within so many UTF-16 units."""
    if count_utf16_units(name) <= most:
        return name
    kept = name
    while kept and count_utf16_units(kept) >= most:
        kept = kept[:-1]
    return kept.rstrip("\u200d\ufe0f ") + ELLIPSIS


def append_description(text: Html, words: Sequence[Html]) -> Html:
    """A text with the fullest of several ways to say what else is to be seen for which there is room.

    Where even the last is too long, its end is cut off.
    """
    whole = text
    for way in filter(None, words):
        whole = Html(f"{text}\n{way}")
        if count_utf16_units(whole) <= CAPTION_LIMIT:
            break
    return truncate_caption(whole)


def truncate_caption(text: str) -> Html:
    """The text without its last lines, where it is too long for a caption."""
    if count_utf16_units(text) <= CAPTION_LIMIT:
        return Html(text)
    lines = text.split("\n")
    while lines and count_utf16_units("\n".join([*lines, ELLIPSIS])) > CAPTION_LIMIT:
        lines.pop()
    shown = "\n".join([*lines, ELLIPSIS])
    return Html(shown + "".join(f"</{tag}>" for tag in BLOCKS if _is_open(shown, tag)))


def _is_open(html: str, tag: str) -> bool:
    return len(re.findall(rf"<{tag}\b", html)) > html.count(f"</{tag}>")


def convert_to_caption(body: Mapping[str, Any], shows: MessagePhoto | None) -> dict[str, Any]:
    """A request of text as that of a photo: an edit leaves the picture, a post still lacks it."""
    params = {k: v for k, v in body["params"].items() if k not in ("text", "link_preview_options")}
    text = shows.caption if shows else truncate_caption(body["params"]["text"])
    return {**body, "method": PHOTO_METHODS[body["method"]], "params": {**params, "caption": text}}


def convert_to_photo(body: Mapping[str, Any], shows: MessagePhoto, photo: str | bytes) -> dict[str, Any]:
    """A request of text as one that shows a picture: one that Telegram has, by its id, or an upload."""
    told = convert_to_caption(body, shows)
    params = dict(told["params"])
    upload = isinstance(photo, bytes)
    if told["method"] == "sendPhoto":
        params["photo"] = f"attach://{UPLOAD_PART}" if upload else photo
    else:
        told["method"] = "editMessageMedia"
        media = {"type": "photo", "media": f"attach://{UPLOAD_PART}" if upload else photo}
        params["media"] = media | {k: params.pop(k) for k in ("caption", "parse_mode") if k in params}
    files = {UPLOAD_PART: photo} if upload else {}
    return {**told, "params": params | files, "content": shows.content_key, "passing": shows.names_people}


def find_largest_file_id(result: Any) -> str:
    """The id by which a photo that arrived is sent again; empty for anything else."""
    sizes = result.get("photo") if isinstance(result, dict) else None
    if not isinstance(sizes, list) or not sizes:
        return ""
    best = max(sizes, key=lambda size: int(size.get("width", 0)) * int(size.get("height", 0)))
    return str(best.get("file_id", ""))
