"""Translate the bot's sentences and format names, safe to send as HTML.

Sentences are written in English where they are used and looked up in the gettext catalogues under `locale/`.
Every value that is put into a sentence is escaped, and names stand in bidi isolates: no name can add a tag
or change the direction of the text around it.
"""

import gettext
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from html import escape, unescape
from pathlib import Path
from unicodedata import category, east_asian_width

LOCALE = Path(__file__).parent / "locale"
SOURCE_LANGUAGE = "en"
DOMAIN = "twentyfour"
NAME_HEADER = "Language-Name"  # in the header of a catalogue: the language's name in itself


class Html(str):
    """Text that is already safe to send."""

    __slots__ = ()


INVISIBLE_NAME = "•"  # shown in place of a name that nobody could see
NAME_LIMIT = 640  # characters of a name that are stored: Telegram's 64, each an emoji of several
# Letters and signs by Unicode's categories that have no visible shape.
BLANK_CHARACTERS = "\u115f\u1160\u2800\u3164\uffa0"
# Categories of characters that show nothing when they stand alone.
INVISIBLE_CATEGORIES = {"Cc", "Cf", "Cn", "Co", "Cs", "Mn", "Me", "Zl", "Zp", "Zs"}


def clean_name(typed: str) -> str:
    """Return a name as it is stored: without broken characters; `INVISIBLE_NAME` if nothing is visible."""
    # UTF-8 has no lone surrogates, and PostgreSQL no character 0
    name = typed.encode("utf-8", "ignore").decode().replace("\x00", "")[:NAME_LIMIT]
    is_visible = any(category(c) not in INVISIBLE_CATEGORIES and c not in BLANK_CHARACTERS for c in name)
    return name if is_visible else INVISIBLE_NAME


FIRST_STRONG_ISOLATE, POP_ISOLATE = "\u2068", "\u2069"
# Removed from names: they would end the isolate around the name early.
DIRECTION_MARKS = dict.fromkeys(map(ord, "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"))
# Replaced in names: the rest of the name could pass for another line of the bot's message.
LINE_BREAKS = dict.fromkeys(map(ord, "\t\n\v\f\r\x1c\x1d\x1e\x85\u2028\u2029"), " ")


def count_columns(text: str) -> int:
    """Count the columns of a text: two for a wide East Asian character, none for an invisible one."""
    visible = [c for c in text if category(c) not in {"Mn", "Me", "Cf"}]
    return sum(2 if east_asian_width(c) in {"W", "F"} else 1 for c in visible)


def format_name(name: str | None) -> Html:
    """Return a person's name escaped and isolated; `INVISIBLE_NAME` for None, a mention unchanged."""
    if isinstance(name, Html):  # a mention
        return name
    harmless = clean_name(name or "").translate(DIRECTION_MARKS | LINE_BREAKS)
    return Html(FIRST_STRONG_ISOLATE + escape(harmless, quote=False) + POP_ISOLATE)


MENTION = re.compile(r"<p (-?[0-9]{1,20})>")


def make_mention(player_id: int) -> Html:
    """Return a placeholder for a player's name in stored HTML; `insert_names` replaces it at sending.

    So stored texts hold no names of people who asked to be forgotten. Nobody can type a placeholder, since
    `<` is escaped in what people type.
    """
    return Html(f"<p {player_id}>")


def find_mentions(text: str) -> set[int]:
    """Return the ids of the players whose mentions (see `make_mention`) are in `text`."""
    return {int(number) for number in MENTION.findall(text)}


def insert_names(text: str, names: Mapping[int, str]) -> Html:
    """Replace the mentions in `text` by the players' names; `INVISIBLE_NAME` for those not in `names`."""
    return Html(MENTION.sub(lambda match: format_name(names.get(int(match[1]))), text))


# Marks that change the direction of the rest of a line; removed from what somebody typed.
REMOVED_DIRECTION_MARKS = dict.fromkeys(map(ord, "\u202a\u202b\u202c\u202d\u202e\u2066\u2067"))


def escape_value(value: object) -> str:
    """Return a value as HTML text, without marks that change a sentence's direction; Html unchanged."""
    if isinstance(value, Html):
        return value
    return escape(str(value).translate(REMOVED_DIRECTION_MARKS), quote=False)


# A number or a bracket, and an operator behind it: of letters a Latin or Cyrillic x behind a digit.
JOINS = re.compile(r"[\w)\]}）］]\s*[-+−–*×·•∙/÷:⁄∕＋－＊／＝=]|\d\s*[xXхХ]")


def quote_fragment(fragment: str) -> str:
    """Return what somebody wrote, unchanged; "…" if it holds an expression, which may be a solution."""
    return "…" if JOINS.search(fragment) else fragment


HTML_TAG = re.compile(r"<[^<>]*>")


class RefusalError(ValueError):
    """A request that can't be met. If a handler raises it, `bot.telegram.dispatch` tells the reason."""

    def __init__(self, render_reason: "Callable[[Words], Html]") -> None:
        super().__init__("refused")
        self.render_reason = render_reason


def strip_tags(text: Html) -> str:
    """Return `text` without tags and entities, for places that take no HTML."""
    return unescape(HTML_TAG.sub("", text))


@dataclass(frozen=True, slots=True)
class Words:
    """The sentences of one language."""

    language: str
    _catalogue: gettext.NullTranslations

    @property
    def name(self) -> str:
        """The language's name in itself, such as `Español`."""
        return self._catalogue.info().get(NAME_HEADER.lower(), "English")

    def translate(self, sentence: str, **parts: object) -> Html:
        """Translate an English sentence and insert the `parts`, escaped."""
        escaped = {key: escape_value(value) for key, value in parts.items()}
        return Html(self._catalogue.gettext(sentence).format(**escaped))

    def translate_plural(self, one: str, many: str, n: int, **parts: object) -> Html:
        """Translate `one` or `many`, as the language's plural rule chooses for `n`; `{n}` is a part too."""
        sentence = self._catalogue.ngettext(one, many, n)
        escaped = {key: escape_value(value) for key, value in parts.items()}
        return Html(sentence.format(n=n, **escaped))

    def translate_plain(self, sentence: str, **parts: object) -> str:
        """Translate without escaping, for places that take no HTML: buttons, menus, answers to a press."""
        return self._catalogue.gettext(sentence).format(**parts)

    def translate_template(self, sentence: str) -> str:
        """Translate without inserting parts: `{name}` stays."""
        return self._catalogue.gettext(sentence)


def translate_later(sentence: str) -> Callable[[Words], str]:
    """Return a function that translates a sentence without escaping, for lists made before anybody reads."""
    return lambda words: words.translate_plain(sentence)


@cache
def list_languages() -> tuple[str, ...]:
    """Return the languages that the bot speaks, English first."""
    catalogues = LOCALE.glob(f"*/LC_MESSAGES/{DOMAIN}.mo")  # the first folder is the language
    return (SOURCE_LANGUAGE, *sorted(path.parent.parent.name for path in catalogues))


@cache
def get_words(language: str) -> Words:
    """Return the sentences of one of `list_languages()`; English for any other."""
    if language == SOURCE_LANGUAGE:
        return Words(SOURCE_LANGUAGE, gettext.NullTranslations())
    return Words(language, gettext.translation(DOMAIN, LOCALE, [language], fallback=True))


TRADITIONAL_CHINESE = ("hant", "tw", "hk", "mo")  # parts of codes


def choose_language(code: str | None) -> str:
    """Return the bot's language for Telegram's language code, such as pt-br; English if none fits. Chinese is
    chosen by its script: traditional for Taiwan, Hong Kong and Macau, else simplified.
    """
    tag = (code or SOURCE_LANGUAGE).lower().replace("_", "-")
    if tag.startswith("zh"):
        is_traditional = any(part in tag for part in TRADITIONAL_CHINESE)
        candidates = ["zh_hant", "zh_hans"] if is_traditional else ["zh_hans"]
    else:
        candidates = [tag.partition("-")[0]]
    languages = {language.lower(): language for language in list_languages()}
    for candidate in candidates:
        if candidate in languages:
            return languages[candidate]
    return SOURCE_LANGUAGE
