"""The bot's sentences in the reader's language, safe to send as HTML.

Sentences are written in English where they are used and looked up in the gettext catalogues under
`locale/`. Whatever is put into one is escaped, and names stand in bidi isolates, so that nobody's name
can turn a line around or smuggle a tag into it.
"""

import gettext
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from html import escape, unescape
from pathlib import Path
from unicodedata import category

LOCALE = Path(__file__).parent / "locale"
SOURCE_LANGUAGE = "en"
DOMAIN = "twentyfour"
FIRST_STRONG_ISOLATE, POP_ISOLATE = "\u2068", "\u2069"
# Direction marks that a name may not bring along: they would end its isolate early.
DIRECTION_MARKS = dict.fromkeys(map(ord, "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"))
# A number or a bracket, and a sign behind it.
JOINS = re.compile(r"[\w)\]}）］]\s*[-+−–*×·•∙/÷:⁄∕＋－＊／＝=]|\d\s*[xXхХ]")
HTML_TAG = re.compile(r"<[^<>]*>")
# Those of them that turn the rest of a line around; nothing that somebody typed may hold one.
TURNS = dict.fromkeys(map(ord, "\u202a\u202b\u202c\u202d\u202e\u2066\u2067"))
# What would end a line: the rest of the name could then pass for a line of the bot's own.
LINE_BREAKS = dict.fromkeys(map(ord, "\t\n\v\f\r\x1c\x1d\x1e\x85\u2028\u2029"), " ")
MENTION = re.compile(r"<p (-?[0-9]{1,20})>")
INVISIBLE_NAME = "•"
NAME_LIMIT = 640  # Characters of a name that are kept: Telegram's 64, each an emoji of several
# Characters that Unicode calls letters or signs, and that nobody can see.
BLANK = "\u115f\u1160\u2800\u3164\uffa0"
# Categories of characters that show nothing when they stand alone.
UNSEEN = {"Cc", "Cf", "Cn", "Co", "Cs", "Mn", "Me", "Zl", "Zp", "Zs"}


class Html(str):
    """Text that is already safe to send."""

    __slots__ = ()


def clean_name(typed: str) -> str:
    """A name as it is kept: nothing invisible alone, no broken characters."""
    whole = typed.encode("utf-8", "ignore").decode().replace("\x00", "")[:NAME_LIMIT]
    return whole if any(category(c) not in UNSEEN and c not in BLANK for c in whole) else INVISIBLE_NAME


def format_name(known: str | None) -> Html:
    """How a person's name is shown, wherever it stands and wherever it comes from: escaped and isolated.

    None and what nobody could see are shown as `NAMELESS`; a `mention` is left as it is.
    """
    if isinstance(known, Html):
        return known
    bare = clean_name(known or "").translate(DIRECTION_MARKS | LINE_BREAKS)
    return Html(FIRST_STRONG_ISOLATE + escape(bare, quote=False) + POP_ISOLATE)


def make_mention(player_id: int) -> Html:
    """Stands for a player's name in HTML that is stored; `named` puts the name in when it is sent.

    So whoever is forgotten is in no stored text. Nobody can type one: `<` is escaped in what people type.
    """
    return Html(f"<p {player_id}>")


def find_mentions(text: str) -> set[int]:
    """The players whose names `text` wants."""
    return {int(number) for number in MENTION.findall(text)}


def insert_names(text: str, names: Mapping[int, str]) -> Html:
    """`text` with the names that it wants."""
    return Html(MENTION.sub(lambda match: format_name(names.get(int(match[1]))), text))


def escape_value(value: object) -> str:
    """Any value as HTML text, without what would turn the sentence around it."""
    return value if isinstance(value, Html) else escape(str(value).translate(TURNS), quote=False)


def quote_fragment(fragment: str) -> str:
    """What somebody wrote, to be named in an answer; an expression is not repeated: it may be a solution."""
    return "…" if JOINS.search(fragment) else fragment


def strip_tags(text: Html) -> str:
    """`text` without its tags, for places that take no HTML."""
    return unescape(HTML_TAG.sub("", text))


@dataclass(frozen=True, slots=True)
class Words:
    """One language's sentences."""

    language: str
    _catalogue: gettext.NullTranslations

    def translate(self, sentence: str, **parts: object) -> Html:
        """`sentence` in this language, with `parts` put in."""
        return Html(
            self._catalogue.gettext(sentence).format(**{k: escape_value(v) for k, v in parts.items()})
        )

    def translate_plural(self, one: str, many: str, n: int, **parts: object) -> Html:
        """`one` or `many` as this language's plural rule has it for `n`, which is also a part named n."""
        chosen = self._catalogue.ngettext(one, many, n)
        return Html(chosen.format(n=n, **{k: escape_value(v) for k, v in parts.items()}))

    def translate_plain(self, sentence: str, **parts: object) -> str:
        """As `say`, for places that take no HTML: buttons, menus, answers to a press."""
        return self._catalogue.gettext(sentence).format(**parts)


@cache
def list_languages() -> tuple[str, ...]:
    """The languages that the bot speaks, its source first."""
    found = sorted(p.parent.parent.name for p in LOCALE.glob(f"*/LC_MESSAGES/{DOMAIN}.mo"))
    return (SOURCE_LANGUAGE, *found)


@cache
def get_words(language: str) -> Words:
    """The sentences of one of `languages()`; English for any other."""
    if language == SOURCE_LANGUAGE:
        return Words(SOURCE_LANGUAGE, gettext.NullTranslations())
    return Words(language, gettext.translation(DOMAIN, LOCALE, [language], fallback=True))


def choose_language(code: str | None) -> str:
    """The language to speak with someone whose Telegram says `code`, a tag such as zh-hant or pt-br."""
    tag = (code or SOURCE_LANGUAGE).lower().replace("_", "-")
    if tag.startswith("zh"):
        traditional = any(mark in tag for mark in ("hant", "tw", "hk", "mo"))
        wanted = "zh_Hant" if traditional else "zh_Hans"
        return next((known for known in (wanted, "zh_Hans") if known in list_languages()), SOURCE_LANGUAGE)
    return next(
        (known for known in list_languages() if known.lower() == tag.partition("-")[0]), SOURCE_LANGUAGE
    )
