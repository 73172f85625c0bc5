"""The bot's sentences in the reader's language, safe to send as HTML.

Sentences are written in English where they are used and looked up in the gettext catalogues under
`locale/`. Whatever is put into one is escaped, and names stand in bidi isolates, so that nobody's name
can turn a line around or smuggle a tag into it.
"""

import gettext
import re
from dataclasses import dataclass
from functools import cache
from html import escape, unescape
from pathlib import Path

LOCALE = Path(__file__).parent / "locale"
SOURCE = "en"
DOMAIN = "twentyfour"
FIRST_STRONG_ISOLATE, POP_ISOLATE = "\u2068", "\u2069"
ISOLATES = dict.fromkeys(map(ord, "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"))
"""Direction marks that a name may not bring along: they would end its isolate early."""
TAG = re.compile(r"<[^>]*>")
TURNS = dict.fromkeys(map(ord, "\u202a\u202b\u202c\u202d\u202e\u2066\u2067"))
"""Those of them that turn the rest of a line around; nothing that somebody typed may hold one."""
BREAKS = dict.fromkeys(map(ord, "\t\n\v\f\r\x1c\x1d\x1e\x85\u2028\u2029"), " ")
"""What would end a line: the rest of the name could then pass for a line of the bot's own."""


class Html(str):
    """Text that is already safe to send."""

    __slots__ = ()


def name(shown: str) -> Html:
    """A person's name, whole, escaped and isolated."""
    return Html(FIRST_STRONG_ISOLATE + escape(shown.translate(ISOLATES | BREAKS), quote=False) + POP_ISOLATE)


def safe(value: object) -> str:
    """Any value as HTML text, without what would turn the sentence around it."""
    return value if isinstance(value, Html) else escape(str(value).translate(TURNS), quote=False)


def plain(text: Html) -> str:
    """`text` without its tags, for places that take no HTML."""
    return unescape(TAG.sub("", text))


@dataclass(frozen=True, slots=True)
class Words:
    """One language's sentences."""

    language: str
    _catalogue: gettext.NullTranslations

    def say(self, sentence: str, **parts: object) -> Html:
        """`sentence` in this language, with `parts` put in."""
        return Html(self._catalogue.gettext(sentence).format(**{k: safe(v) for k, v in parts.items()}))

    def count(self, one: str, many: str, n: int, **parts: object) -> Html:
        """`one` or `many` as this language's plural rule has it for `n`, which is also a part named n."""
        chosen = self._catalogue.ngettext(one, many, n)
        return Html(chosen.format(n=n, **{k: safe(v) for k, v in parts.items()}))

    def plain(self, sentence: str, **parts: object) -> str:
        """As `say`, for places that take no HTML: buttons, menus, answers to a press."""
        return self._catalogue.gettext(sentence).format(**parts)


@cache
def languages() -> tuple[str, ...]:
    """The languages that the bot speaks, its source first."""
    found = sorted(p.parent.parent.name for p in LOCALE.glob(f"*/LC_MESSAGES/{DOMAIN}.mo"))
    return (SOURCE, *found)


@cache
def words(language: str) -> Words:
    """The sentences of one of `languages()`."""
    if language == SOURCE:
        return Words(SOURCE, gettext.NullTranslations())
    return Words(language, gettext.translation(DOMAIN, LOCALE, [language]))


def spoken(code: str | None) -> str:
    """The language to speak with someone whose Telegram says `code`, a tag such as zh-hant or pt-br."""
    tag = (code or SOURCE).lower().replace("_", "-")
    if tag.startswith("zh"):
        traditional = any(mark in tag for mark in ("hant", "tw", "hk", "mo"))
        wanted = "zh_Hant" if traditional else "zh_Hans"
        return next((known for known in (wanted, "zh_Hans") if known in languages()), SOURCE)
    return next((known for known in languages() if known.lower() == tag.partition("-")[0]), SOURCE)
