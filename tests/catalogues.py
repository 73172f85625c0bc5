"""The gettext catalogues under `bot/locale/`: gathered from the code, and compiled (`make catalogues`).

A sentence is marked by the call that translates it: `.translate("…")`, `.translate_plain("…")` or
`.translate_plural("one", "many", n)`, on the board's page by `say("…")`. The files depend on the code and the
translations alone, so that a second run changes nothing; sentences that left the code leave the catalogues.
"""

import ast
import io
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from bot.board.sentences import list_sentences
from bot.i18n import DOMAIN, LOCALE

ROOT = Path(__file__).parent.parent
LANGUAGES = ("zh_Hans", "zh_Hant", "es", "ru")
# The marking calls, and how many of their first arguments are sentences.
SPEAKERS = {"translate": 1, "translate_plain": 1, "translate_plural": 2}
Sentence = str | tuple[str, str]  # One sentence, or its singular and plural


class _Sober(Catalog):
    """A catalogue whose header holds only what gettext needs: no dates, no names, no versions."""

    @property
    def mime_headers(self) -> list[tuple[str, str]]:
        return [
            ("Language", str(self.locale_identifier)),
            ("Content-Type", "text/plain; charset=utf-8"),
            ("Content-Transfer-Encoding", "8bit"),
            ("Plural-Forms", self.plural_forms + "\n"),
        ]


@dataclass(frozen=True, slots=True)
class Marked:
    """A sentence where the code says it."""

    place: str  # File and line
    sentence: Sentence | None  # None when the argument is not written out, so that nobody could translate it


@cache
def marked() -> tuple[Marked, ...]:
    """Every marking call in the bot's code."""
    return tuple(_marked())


def _marked() -> Iterator[Marked]:
    for path in sorted((ROOT / "bot").rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and name != "bot/i18n.py" and (wanted := _sentences(node)):
                yield Marked(f"{name}:{node.lineno}", _written_out(node.args[:wanted]))
    yield from (Marked("bot/board/page", sentence) for sentence in list_sentences())


def _written_out(arguments: list[ast.expr]) -> Sentence | None:
    texts = [a.value for a in arguments if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    if not texts or len(texts) < len(arguments):
        return None
    return texts[0] if len(texts) == 1 else (texts[0], texts[1])


def _sentences(call: ast.Call) -> int:
    """Count the sentences that the call marks, also as `say = words.translate` has it.

    `translate` of a string (with a table) and of a drawing context (with numbers) marks none.
    """
    speaker = call.func
    if isinstance(speaker, ast.Name):
        return int(speaker.id in {"say", "plain"} and bool(_written_out(call.args[:1])))
    if not isinstance(speaker, ast.Attribute) or speaker.attr not in SPEAKERS:
        return 0
    names = [n for each in call.args for n in ast.walk(each) if isinstance(n, ast.Name)]
    others = len(call.args) > 1 or any(n.id.isupper() or n.id == "table" for n in names)
    return 0 if others and speaker.attr == "translate" else SPEAKERS[speaker.attr]


def po_path(language: str) -> Path:
    """Where the translator writes."""
    return LOCALE / language / "LC_MESSAGES" / f"{DOMAIN}.po"


def stored(language: str) -> Catalog:
    """The catalogue as it stands; empty for a language that has none yet."""
    path = po_path(language)
    if not path.exists():
        return Catalog(locale=language)
    with path.open("rb") as file:
        return read_po(file, locale=language)


def gathered(language: str) -> Catalog:
    """Today's sentences with the translations that are stored for them."""
    old, new = (
        stored(language),
        _Sober(locale=language, header_comment=f"# Twenty-Four in {language}.", fuzzy=False),
    )
    for each in marked():
        if each.sentence is not None:
            new.add(each.sentence, _translation(old, new, each.sentence))
    return new


def _translation(old: Catalog, new: Catalog, sentence: Sentence) -> str | tuple[str, ...]:
    known = old.get(sentence)
    if known is not None and not known.fuzzy and known.id == sentence:
        return known.string if isinstance(known.string, str) else tuple(known.string or ())
    return "" if isinstance(sentence, str) else ("",) * new.num_plurals


def po(catalogue: Catalog) -> bytes:
    """The file for translators."""
    out = io.BytesIO()
    write_po(out, catalogue, width=100, sort_output=True, ignore_obsolete=True, no_location=True)
    return out.getvalue()


def mo(catalogue: Catalog) -> bytes:
    """The file for the bot: what is not translated yet stays English."""
    translated = _Sober(locale=catalogue.locale)
    for message in catalogue:
        if message.id and all(forms(message)):
            translated.add(message.id, message.string)
    out = io.BytesIO()
    write_mo(out, translated)
    return out.getvalue()


def forms(message: Message) -> list[str]:
    """The translations of a sentence: one, or one for each plural form."""
    return [message.string] if isinstance(message.string, str) else list(message.string or ())


def untranslated(catalogue: Catalog) -> list[Message]:
    """The sentences that wait for a translator."""
    return [message for message in catalogue if message.id and not all(forms(message))]


def report(catalogue: Catalog) -> None:
    """Print which sentences wait for a translator: until then players read them in English."""
    missing = untranslated(catalogue)
    print(f"{catalogue.locale}: {len(missing)} of {len(catalogue)} sentences to translate")
    for message in missing:
        print(f"  {message.id if isinstance(message.id, str) else message.id[0]}")


def main(argument: str = "") -> None:
    """Renew every catalogue and report; `report` alone reports without writing."""
    for language in LANGUAGES:
        catalogue = gathered(language)
        if argument != "report":
            po_path(language).parent.mkdir(parents=True, exist_ok=True)
            po_path(language).write_bytes(po(catalogue))
            po_path(language).with_suffix(".mo").write_bytes(mo(catalogue))
        report(catalogue)


if __name__ == "__main__":
    main(*sys.argv[1:])
