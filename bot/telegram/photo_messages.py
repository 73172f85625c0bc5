"""Turn text messages into photos with a caption.

A feature makes every message as text, and describes with `MessagePhoto` the picture that it could show.
Whether it is sent as a photo is decided at sending, by the pictures at hand and by what the message is
already: a text message stays one, and so does a photo.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.i18n import Html, strip_tags
from bot.pictures.picture_key import compute_picture_key, shows_names
from bot.pictures.values import Picture


@dataclass(frozen=True, slots=True)
class DescribedPicture:
    """A picture, and its description for people who can't see it."""

    picture: Picture
    # Several versions of the description, the fullest first; the first one that fits is used.
    descriptions: Sequence[Html] = ()


UNKNOWN_CONTENT = "-"  # the content key of a photo of which only its existence is known


@dataclass(frozen=True, slots=True)
class MessagePhoto:
    """The picture that a message is to show."""

    caption: Html  # the text, shortened for a caption
    picture: Picture | None = None  # None leaves a photo as it is
    language: str = "en"
    content_key: str = ""  # the same for the same picture
    shown_key: str = ""  # content key of the picture that the message shows now; "" for a new message
    names_people: bool = False  # whether the picture shows names, and so is soon deleted

    @property
    def is_due(self) -> bool:
        """Whether the message doesn't show the picture yet."""
        return self.picture is not None and self.content_key != self.shown_key


def make_message_photo(
    picture: Picture | None, language: str, caption: Html, shown_key: str = ""
) -> MessagePhoto:
    """Describe a message's photo; with None for `picture` only its caption changes."""
    if picture is None:
        return MessagePhoto(caption, language=language, shown_key=shown_key)
    return MessagePhoto(
        caption,
        picture,
        language,
        content_key=compute_picture_key(picture, language),
        shown_key=shown_key,
        names_people=shows_names(picture),
    )


CAPTION_LIMIT = 1024  # UTF-16 units, as Telegram counts them: without tags
ELLIPSIS = "…"


def count_utf16_units(text: str) -> int:
    """Return the length of a text as Telegram counts it: in UTF-16 units, without tags."""
    return len(strip_tags(Html(text)).encode("utf-16-le")) // 2


def truncate_name(name: str, limit: int) -> str:
    """Shorten a name to `limit` UTF-16 units."""
    if count_utf16_units(name) <= limit:
        return name
    start = name
    while start and count_utf16_units(start) >= limit:  # One unit is left for the ellipsis
        start = start[:-1]
    return start.rstrip("\u200d\ufe0f ") + ELLIPSIS  # Without the joiner of an emoji that was cut


def append_description(text: Html, descriptions: Sequence[Html]) -> Html:
    """Append the first of `descriptions` (fullest first) that fits a caption; cut the last if none does."""
    whole = text
    for description in filter(None, descriptions):
        whole = Html(f"{text}\n{description}")
        if count_utf16_units(whole) <= CAPTION_LIMIT:
            break
    return truncate_caption(whole)


def truncate_caption(text: str) -> Html:
    """Remove the last lines of a text that is too long for a caption."""
    return truncate_lines(text, CAPTION_LIMIT, count_utf16_units)


BLOCK_TAGS = ("pre", "blockquote")  # tags that span several lines; they are never nested


def truncate_lines(text: str, limit: int, count: Callable[[str], int]) -> Html:
    """Remove the last lines of a text whose `count` is over `limit`, and close the tags left open."""
    if count(text) <= limit:
        return Html(text)
    lines = text.split("\n")
    while lines and count("\n".join([*lines, ELLIPSIS])) > limit:
        lines.pop()
    shown = "\n".join([*lines, ELLIPSIS])
    opened = [tag for tag in BLOCK_TAGS if shown.count(f"<{tag}") > shown.count(f"</{tag}>")]
    return Html(shown + "".join(f"</{tag}>" for tag in opened))


# The method of each request of text once its message is a photo.
PHOTO_METHODS = {"sendMessage": "sendPhoto", "editMessageText": "editMessageCaption"}


def convert_to_caption(body: Mapping[str, Any], photo: MessagePhoto | None) -> dict[str, Any]:
    """Turn a request of text into one of a caption: the photo's or, with None, the text; add no image."""
    params = {k: v for k, v in body["params"].items() if k not in ("text", "link_preview_options")}
    text = photo.caption if photo else truncate_caption(body["params"]["text"])
    return {**body, "method": PHOTO_METHODS[body["method"]], "params": {**params, "caption": text}}


UPLOAD_PART = "picture"  # the part of a request that holds an upload


def convert_to_photo(body: Mapping[str, Any], photo: MessagePhoto, image: str | bytes) -> dict[str, Any]:
    """Turn a request of text into one that shows an image: a file id of Telegram's, or bytes to upload."""
    captioned = convert_to_caption(body, photo)
    params = dict(captioned["params"])
    is_upload = isinstance(image, bytes)
    source = f"attach://{UPLOAD_PART}" if is_upload else image
    if captioned["method"] == "sendPhoto":
        params["photo"] = source
    else:
        captioned["method"] = "editMessageMedia"
        media = {"type": "photo", "media": source}
        for key in ("caption", "parse_mode"):  # Of the new photo, not of the edit
            if key in params:
                media[key] = params.pop(key)
        params["media"] = media
    if is_upload:
        params[UPLOAD_PART] = image
    # For the sender, to store the file id under this key, or for a short time if people are named
    for_sender = {"content": photo.content_key, "names_people": photo.names_people}
    return {**captioned, "params": params, **for_sender}


def find_largest_file_id(result: Any) -> str:
    """Return the file id of the largest size of a photo that arrived; "" if the result is no photo."""
    sizes = result.get("photo") if isinstance(result, dict) else None
    if not isinstance(sizes, list) or not sizes:
        return ""
    best = max(sizes, key=lambda size: int(size.get("width", 0)) * int(size.get("height", 0)))
    return str(best.get("file_id", ""))
