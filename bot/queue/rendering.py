"""The form in which requests are sent: their length, names and photos, and what features do about them.

A feature makes every message as text, and describes with `MessagePhoto` the picture that it could show.
Whether it is sent as a photo is decided at sending, by the pictures at hand and by what the message is
already: a text message stays one, and so does a photo.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from bot.database import Tx
from bot.i18n import Html, find_mentions, insert_names, strip_tags
from bot.pictures.picture_key import compute_picture_key, shows_names
from bot.pictures.values import Picture
from bot.queue.outgoing import Outgoing, PictureRequest

# Length and names, as Telegram counts them

TEXT_LIMIT = 4096  # UTF-16 units, as Telegram counts them: without tags
CAPTION_LIMIT = 1024  # The same
ELLIPSIS = "…"


def count_utf16_units(text: str) -> int:
    """Return the length of a text as Telegram counts it: in UTF-16 units, without tags."""
    plain = strip_tags(Html(text))
    return len(plain.encode("utf-16-le")) // 2  # each unit has two bytes


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
    shortened = text
    while lines and count(shortened) > limit:
        lines.pop()
        shortened = "\n".join([*lines, ELLIPSIS])
    for tag in BLOCK_TAGS:
        if shortened.count(f"<{tag}") > shortened.count(f"</{tag}>"):
            shortened += f"</{tag}>"
    return Html(shortened)


def truncate_text(text: str) -> Html:
    """Remove the last lines of a text that is too long for a message; tags count, too."""
    return truncate_lines(text, TEXT_LIMIT, lambda part: len(part.encode("utf-16-le")) // 2)


def find_mentioned_players(outgoing: Outgoing) -> set[int]:
    """Return the ids of the players that a request mentions; none unless its text is HTML."""
    if outgoing.params.get("parse_mode") != "HTML":
        return set()
    return find_mentions(outgoing.text)


def insert_player_names(outgoing: Outgoing, names: Mapping[int, str]) -> Outgoing:
    """Return a request with the players' names in place of the mentions; cut what gets too long."""
    text = truncate_text(insert_names(outgoing.text, names))
    return replace(outgoing, params={**outgoing.params, "text": text})


# Photos with a caption


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


# The method of each request of text once its message is a photo.
PHOTO_METHODS = {"sendMessage": "sendPhoto", "editMessageText": "editMessageCaption"}


def convert_to_caption(outgoing: Outgoing, photo: MessagePhoto | None) -> Outgoing:
    """Turn a request of text into one of a caption: the photo's or, with None, the text; add no image."""
    params = dict(outgoing.params)
    params.pop("text", None)
    params.pop("link_preview_options", None)
    params["caption"] = photo.caption if photo else truncate_caption(outgoing.text)
    return replace(outgoing, method=PHOTO_METHODS[outgoing.method], params=params)


UPLOAD_PART = "picture"  # the part of a request that holds an upload


def convert_to_photo(outgoing: Outgoing, photo: MessagePhoto, image: str | bytes) -> Outgoing:
    """Turn a request of text into one that shows an image: a file id of Telegram's, or bytes to upload."""
    captioned = convert_to_caption(outgoing, photo)
    params = dict(captioned.params)
    source: Any = image
    if isinstance(image, bytes):
        source = f"attach://{UPLOAD_PART}"
        params[UPLOAD_PART] = image
    if captioned.method == "sendPhoto":
        params["photo"] = source
        return replace(captioned, params=params)
    media = {"type": "photo", "media": source}
    for key in ("caption", "parse_mode"):  # Of the new photo, not of the edit
        if key in params:
            media[key] = params.pop(key)
    params["media"] = media
    return replace(captioned, method="editMessageMedia", params=params)


def find_largest_file_id(result: Any) -> str:
    """Return the file id of the largest size of a photo that arrived; "" if the result is no photo."""
    sizes = result.get("photo") if isinstance(result, dict) else None
    if not isinstance(sizes, list) or not sizes:
        return ""

    def compute_area(size: Mapping[str, Any]) -> int:
        return int(size.get("width", 0)) * int(size.get("height", 0))

    return str(max(sizes, key=compute_area).get("file_id", ""))


# Functions that the outbox calls: Telegram's API, and what features do while requests are delivered


@dataclass(frozen=True, slots=True)
class RenderedRequest:
    """A request in the form in which it is sent now."""

    outgoing: Outgoing
    photo: MessagePhoto | None = None  # That the message is to show
    picture_key: str = ""  # The content key of the picture that it carries; "" for none
    lacks_picture: bool = False  # The message is a photo that will not show the right picture yet
    is_first_send: bool = False  # Of a timed post: it was not sent before
    is_ephemeral: bool = False
    is_trial: bool = False  # Of ephemeral messages; the request goes on waiting


@dataclass(frozen=True, slots=True)
class DeliveryResult:
    """Telegram's answer to a request that is about something."""

    message: Mapping[str, Any]  # The message as Telegram's JSON, or what is known of one that was looked for
    picture_key: str = ""  # The content key of the picture that the message carries; "" for none
    first_sent_at: float | None = None  # Of a post that was looked for


# Calls a method with its parameters and returns Telegram's result. Raises TelegramError.
ApiCall = Callable[[str, Mapping[str, Any]], Awaitable[Any]]
# Makes the request to send from the stored one; None if it is no longer wanted. Raises WayClosedError.
RenderFunction = Callable[[Outgoing], Awaitable[RenderedRequest | None]]
# Finds the picture of a message; None for a message without one.
PictureLookup = Callable[[Tx, PictureRequest], DescribedPicture | None]
# Stores a result, by the request's `about`; None for a timed post that has not arrived
DeliveryHook = Callable[[Tx, str, DeliveryResult | None], None]


class Clocks(NamedTuple):
    """The two clocks of delivery, in seconds."""

    wall: Callable[[], float]  # Since 1970, corrected by Telegram's clock; it can jump
    monotonic: Callable[[], float]


async def assume_token_known() -> bool:
    return True


@dataclass(frozen=True, slots=True)
class OutboxHooks:
    """Functions of features that are called while requests are delivered."""

    renderers: Mapping[str, RenderFunction]  # By method
    load_names: Callable[[Tx, list[int]], Mapping[int, str]]  # Loads the names that a request mentions
    # Records that a post is about to be sent from which somebody's time runs, and returns whether this is the
    # first time. Then `on_delivered` follows.
    before_send: Callable[[Tx, str], bool]
    on_delivered: DeliveryHook
    # Records that the message that a request was to edit no longer exists, and returns whether to post its
    # content anew. The flag says that the edit was only to show the time.
    on_message_gone: Callable[[Tx, Outgoing, bool], bool]
    on_chat_migrated: Callable[[Tx, int, int], None]  # Moves what is stored from the old to the new chat id
    is_chat_known: Callable[[Tx, int], bool] = lambda *_: False  # By an id that may be outdated
    find_picture: PictureLookup = lambda *_: None
    # Returns what is sent instead of a private reply whose present way has failed. The flag says that the
    # Bot API server knows no ephemeral messages.
    choose_fallback: Callable[[Tx, Outgoing, bool], list[Outgoing]] = lambda *_: []
    on_reaction_forbidden: Callable[[Tx, int, str], None] = lambda *_: None  # Chat and emoji
    # Records that the topic of a chat was deleted or closed, and returns what to say about it.
    on_topic_gone: Callable[[Tx, int, int], list[Outgoing]] = lambda *_: []
    on_chat_gone: Callable[[Tx, int], None] = lambda *_: None  # Nothing can be sent to this chat any more
