"""Texts, captions and keyboards of the bot, checked as by Telegram."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tests.telegram.chats import Json
from tests.telegram.entities import Entity, EntityError, count_units, find_entities, parse_html, strip_text
from tests.telegram.errors import Violation

MOST_TEXT: Final = 4096
MOST_CAPTION: Final = 1024
MOST_BUTTONS: Final = 100
MOST_IN_ROW: Final = 8
MOST_DATA: Final = 64  # Bytes of callback data
ACTIONS: Final = {
    "url",
    "callback_data",
    "web_app",
    "login_url",
    "switch_inline_query",
    "switch_inline_query_current_chat",
    "switch_inline_query_chosen_chat",
    "copy_text",
    "callback_game",
    "pay",
}


@dataclass(slots=True)
class FormattedText:
    """A text with its formatting."""

    text: str = ""
    entities: list[Entity] = field(default_factory=list)


def parse_text(params: Mapping[str, Any], name: str = "text", most: int = MOST_TEXT) -> FormattedText:
    """Return a request's parsed text or caption; Violation for an empty text or above `most` units."""
    entities_name = "entities" if name in {"text", "message_text"} else "caption_entities"
    raw = params.get(name, "")
    text, entities = parse_formatting(raw, params.get("parse_mode"), params.get(entities_name))
    if not text and name != "caption":
        raise Violation("message text is empty")
    if count_units(text) > most:
        raise Violation("message is too long" if most == MOST_TEXT else "message caption is too long")
    return FormattedText(text, entities)


def parse_formatting(raw: str, mode: str | None, given: list[Entity] | None) -> tuple[str, list[Entity]]:
    """Return plain text and entities, by `mode` or as given; Violation if they can't be parsed."""
    try:
        raw.encode()
    except UnicodeEncodeError:
        raise Violation("strings must be encoded in UTF-8") from None
    if not mode:
        text, entities = raw, list(given or ())
    elif mode.lower() == "html":
        try:
            text, entities = parse_html(raw)
        except EntityError as error:
            raise Violation(f"can't parse entities: {error}") from None
    else:
        raise Violation(f"unsupported parse_mode {mode!r} (this fake parses HTML)")
    taken = {(entity["offset"], entity["length"]) for entity in entities}
    entities += [
        entity for entity in find_entities(text) if (entity["offset"], entity["length"]) not in taken
    ]
    return strip_text(text, sorted(entities, key=lambda entity: (entity["offset"], -entity["length"])))


def check_keyboard(markup: Json | None) -> tuple[Json | None, Json | None]:
    """Return (inline keyboard, other markup) after checks; an empty inline keyboard counts as None."""
    if not markup:
        return None, None
    if "inline_keyboard" not in markup:
        return None, markup
    rows = [row for row in markup["inline_keyboard"] if row]
    if sum(map(len, rows)) > MOST_BUTTONS or any(len(row) > MOST_IN_ROW for row in rows):
        raise Violation("reply markup is too long")
    for row in rows:
        for button in row:
            _check_button(button)
    return ({"inline_keyboard": rows} if rows else None), None


def _check_button(button: Json) -> None:
    if not button["text"].strip():
        raise Violation('can\'t parse inline keyboard button: Field "text" must be non-empty')
    actions = ACTIONS & button.keys()
    if not actions:
        raise Violation(
            "can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard"
        )
    if len(actions) > 1:
        raise Violation(f"can't parse inline keyboard button: more than one of {sorted(actions)}")
    if "callback_data" in button and not 1 <= len(button["callback_data"].encode()) <= MOST_DATA:
        raise Violation("BUTTON_DATA_INVALID")
    if "url" in button and not button["url"].startswith(("http://", "https://", "tg://")):
        raise Violation(f"inline keyboard button URL '{button['url']}' is invalid: Wrong HTTP URL")
