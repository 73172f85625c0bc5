"""Telegram's formatting: strict HTML to plain text with entities, and the entities of what people type.

Lengths and offsets are counted in UTF-16 code units, as the Bot API does. The parser is stricter than
Telegram in one point: a bare `&` or `>` is refused, since it shows that something was not escaped.
Rules: https://core.telegram.org/bots/api#html-style and #formatting-options.
"""

import re
from dataclasses import dataclass, field
from typing import Any, Final

Entity = dict[str, Any]  # A MessageEntity as the API writes it

SIMPLE: Final = {
    **dict.fromkeys(("b", "strong"), "bold"),
    **dict.fromkeys(("i", "em"), "italic"),
    **dict.fromkeys(("u", "ins"), "underline"),
    **dict.fromkeys(("s", "strike", "del"), "strikethrough"),
    "tg-spoiler": "spoiler",
    "code": "code",
    "pre": "pre",
}
LINKS: Final = {"a", "span", "tg-emoji", "blockquote"}
NAMED: Final = {"lt": "<", "gt": ">", "amp": "&", "quot": '"'}
FREE: Final = {"bold", "italic", "underline", "strikethrough", "spoiler"}
QUOTES: Final = {"blockquote", "expandable_blockquote"}

TOKEN = re.compile(
    r"<(/?)([a-zA-Z0-9-]*)((?:\s[^<>]*)?)>|&(#x[0-9a-fA-F]{1,6}|#[0-9]{1,7}|[a-z]+);|([^<>&]+)", re.DOTALL
)
ATTRIBUTE = re.compile(r"\s*([a-z-]+)(?:\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+)))?")
TYPED = re.compile(
    r"(?<![\w/<>@])(?:(?P<bot_command>/[A-Za-z0-9_]{1,64}(?:@[A-Za-z0-9_]{5,32})?)(?![\w/])"
    r"|(?P<mention>@[A-Za-z0-9_]{4,32})|(?P<url>https?://[^\s<>]+)|(?P<hashtag>#[^\W\d]\w*))"
)


class EntityError(ValueError):
    """A text that the parse mode does not allow; the message is Telegram's, after "can't parse entities"."""


@dataclass(slots=True)
class _Element:
    tag: str
    kind: str
    start: int
    extra: dict[str, Any] = field(default_factory=dict)


def count_units(text: str) -> int:
    """Return the number of UTF-16 code units; a lone surrogate counts one."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def find_entities(text: str) -> list[Entity]:
    """Find commands, mentions, addresses and hashtags in a text as a person types it."""
    return [
        {
            "type": str(hit.lastgroup),
            "offset": count_units(text[: hit.start()]),
            "length": count_units(hit.group()),
        }
        for hit in TYPED.finditer(text)
    ]


def parse_html(html: str) -> tuple[str, list[Entity]]:
    """Return plain text and its entities in order; EntityError for HTML that Telegram refuses."""
    return _Parser(html).parse()


def strip_text(text: str, entities: list[Entity]) -> tuple[str, list[Entity]]:
    """Strip white space around a text, as Telegram does, and move its entities."""
    cut = count_units(text) - count_units(text.lstrip())
    bare = text.strip()
    end = count_units(bare)
    moved = []
    for entity in entities:
        start = max(entity["offset"] - cut, 0)
        stop = min(entity["offset"] + entity["length"] - cut, end)
        if stop > start:
            moved.append({**entity, "offset": start, "length": stop - start})
    return bare, moved


class _Parser:
    def __init__(self, html: str) -> None:
        self.html = html
        self.parts: list[str] = []
        self.offset = 0
        self.open: list[_Element] = []
        self.entities: list[Entity] = []

    def parse(self) -> tuple[str, list[Entity]]:
        position = 0
        while position < len(self.html):
            token = TOKEN.match(self.html, position)
            if token is None:
                raise EntityError(f"unescaped {self.html[position]!r} at {self._locate(position)}")
            slash, tag, attributes, reference, words = token.groups()
            if words is not None:
                self._append(words)
            elif reference is not None:
                self._append(self._decode_reference(reference, position))
            elif slash:
                self._close_tag(tag.lower(), position)
            else:
                self._open_tag(tag.lower(), attributes, position)
            position = token.end()
        if self.open:
            raise EntityError(f"Can't find end tag corresponding to start tag {self.open[-1].tag!r}")
        self.entities.sort(key=lambda entity: (entity["offset"], -entity["length"]))
        return "".join(self.parts), self.entities

    def _locate(self, position: int) -> str:
        return f"byte offset {len(self.html[:position].encode('utf-8', 'surrogatepass'))}"

    def _append(self, text: str) -> None:
        self.parts.append(text)
        self.offset += count_units(text)

    def _decode_reference(self, reference: str, position: int) -> str:
        if reference in NAMED:
            return NAMED[reference]
        digits = reference.removeprefix("#")
        code = 0 if digits == reference else int(f"0{digits}", 0) if digits[0] == "x" else int(digits)
        if not 0 < code < 0x110000 or 0xD800 <= code < 0xE000:
            raise EntityError(f'unsupported character reference "&{reference};" at {self._locate(position)}')
        return chr(code)

    def _open_tag(self, tag: str, attributes: str, position: int) -> None:
        if tag not in SIMPLE and tag not in LINKS:
            raise EntityError(f'Unsupported start tag "{tag}" at {self._locate(position)}')
        opened = self._make_element(tag, self._parse_attributes(tag, attributes, position), position)
        self._check_nesting(opened, position)
        self.open.append(opened)

    def _parse_attributes(self, tag: str, text: str, position: int) -> dict[str, str]:
        found: dict[str, str] = {}
        index = 0
        while text[index:].strip():
            hit = ATTRIBUTE.match(text, index)
            if hit is None:
                raise EntityError(f'Unexpected attribute of the tag "{tag}" at {self._locate(position)}')
            found[hit[1]] = next((value for value in hit.groups()[1:] if value is not None), "")
            index = hit.end()
        return found

    def _make_element(self, tag: str, attributes: dict[str, str], position: int) -> _Element:
        match tag, attributes:
            case "a", {"href": address}:
                return _Element(tag, "text_link", self.offset, {"url": _unescape(address)})
            case "span", {"class": "tg-spoiler"}:
                return _Element(tag, "spoiler", self.offset)
            case "tg-emoji", {"emoji-id": number}:
                return _Element(tag, "custom_emoji", self.offset, {"custom_emoji_id": number})
            case "blockquote", {"expandable": _}:
                return _Element(tag, "expandable_blockquote", self.offset)
            case "blockquote", _ if not attributes:
                return _Element(tag, "blockquote", self.offset)
            case "code", {"class": language} if language.startswith("language-") and self._is_inside("pre"):
                return _Element(tag, "code", self.offset, {"language": language.removeprefix("language-")})
            case _ if tag in SIMPLE and not attributes:
                return _Element(tag, SIMPLE[tag], self.offset)
        raise EntityError(
            f'Tag "{tag}" must have other attributes than {attributes} at {self._locate(position)}'
        )

    def _is_inside(self, kind: str) -> bool:
        return any(opened.kind == kind for opened in self.open)

    def _check_nesting(self, inner: _Element, position: int) -> None:
        """Raise EntityError if the new element may not be inside the open ones.

        Bold and the like nest freely; quotes contain all but quotes, code and pre nothing, links no links.
        """
        for outer in self.open:
            pair = {outer.kind, inner.kind}
            language = pair == {"pre", "code"} and inner.kind == "code" and self.open[-1] is outer
            free = bool(pair & FREE) and not pair & {"code", "pre"}
            quoted = outer.kind in QUOTES and inner.kind not in QUOTES
            if not (language or free or quoted) or outer.kind == inner.kind:
                raise EntityError(
                    f'Tag "{inner.tag}" can\'t be inside "{outer.tag}" at {self._locate(position)}'
                )

    def _close_tag(self, tag: str, position: int) -> None:
        if not self.open:
            raise EntityError(f"Unexpected end tag at {self._locate(position)}")
        opened = self.open.pop()
        if tag != opened.tag:
            raise EntityError(
                f'Unmatched end tag at {self._locate(position)}, expected "</{opened.tag}>", found "</{tag}>"'
            )
        if opened.kind == "code" and opened.extra:
            self.open[-1].extra |= opened.extra
        elif self.offset > opened.start and not (opened.kind == "code" and self._is_inside("pre")):
            entity: Entity = {
                "type": opened.kind,
                "offset": opened.start,
                "length": self.offset - opened.start,
            }
            self.entities.append(entity | opened.extra)


def _unescape(attribute: str) -> str:
    return re.sub(r"&(lt|gt|amp|quot);", lambda hit: NAMED[hit[1]], attribute)
