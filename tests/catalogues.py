"""Write the gettext catalogues in `bot/locale/` from the sentences in the code, and compile them.

`make catalogues` runs this.

The call that translates a sentence marks it: `.translate("…")`, `.translate_plain("…")`,
`.translate_plural("one", "many", n)` or `translate_later("…")`, on the board's page `say("…")`. The files
depend only on the code and the translations: a second run changes nothing. Sentences that are no longer in
the code are removed.
"""

import ast
import io
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from babel import Locale
from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from bot.board.static_files import CLASS_PAGES, PAGE, list_sentences
from bot.i18n import DOMAIN, LOCALE, NAME_HEADER

ROOT = Path(__file__).parent.parent
# A new folder in `bot/locale/` begins a new language.
LANGUAGES = tuple(sorted(path.name for path in LOCALE.iterdir()))
# Calls that translate: the number of leading arguments that are sentences.
TRANSLATING_CALLS = {"translate": 1, "translate_plain": 1, "translate_plural": 2}
Sentence = str | tuple[str, str]  # A sentence, or its singular and plural


def get_own_name(language: str) -> str:
    """Return the language's name in itself, from CLDR, with a capital: `Español`."""
    locale = Locale.parse(language)
    name = locale.languages.get(language) or locale.get_display_name() or language
    return name[0].upper() + name[1:]


class _MinimalCatalog(Catalog):
    """A catalogue whose header has only what gettext needs: no dates, names or versions."""

    @property
    def mime_headers(self) -> list[tuple[str, str]]:
        return [
            ("Language", str(self.locale_identifier)),
            (NAME_HEADER, get_own_name(str(self.locale_identifier))),
            ("Content-Type", "text/plain; charset=utf-8"),
            ("Content-Transfer-Encoding", "8bit"),
            ("Plural-Forms", self.plural_forms + "\n"),
        ]


@dataclass(frozen=True, slots=True)
class MarkedSentence:
    place: str  # File and line
    sentence: Sentence | None  # None if the argument is no literal, so that nobody can translate it


@cache
def find_marked_sentences() -> tuple[MarkedSentence, ...]:
    """Return the sentence of every translating call in the bot's code and on the board's page."""
    return tuple(_find_marked_sentences())


def _find_marked_sentences() -> Iterator[MarkedSentence]:
    for path in sorted((ROOT / "bot").rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and name != "bot/i18n.py" and (count := _count_sentences(node)):
                yield MarkedSentence(f"{name}:{node.lineno}", _read_literals(node.args[:count]))
    for folder in (PAGE, CLASS_PAGES):
        yield from (MarkedSentence(f"bot/board/{folder}", sentence) for sentence in list_sentences(folder))


def _read_literals(arguments: list[ast.expr]) -> Sentence | None:
    texts = [a.value for a in arguments if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    if not texts or len(texts) < len(arguments):
        return None
    return texts[0] if len(texts) == 1 else (texts[0], texts[1])


def _count_sentences(call: ast.Call) -> int:
    """Return how many sentences the call marks; also for aliases such as `say = words.translate`.

    `str.translate` (with a table) and the `translate` of a drawing context (with numbers) mark none.
    """
    function = call.func
    if isinstance(function, ast.Name):
        if function.id == "translate_later":
            return 1
        return int(function.id in {"say", "plain"} and bool(_read_literals(call.args[:1])))
    if not isinstance(function, ast.Attribute) or function.attr not in TRANSLATING_CALLS:
        return 0
    names = [n for each in call.args for n in ast.walk(each) if isinstance(n, ast.Name)]
    others = len(call.args) > 1 or any(n.id.isupper() or n.id == "table" for n in names)
    return 0 if others and function.attr == "translate" else TRANSLATING_CALLS[function.attr]


def get_po_path(language: str) -> Path:
    return LOCALE / language / "LC_MESSAGES" / f"{DOMAIN}.po"


def read_catalogue(language: str) -> Catalog:
    """Return the stored catalogue; an empty one for a new language."""
    path = get_po_path(language)
    if not path.exists():
        return Catalog(locale=language)
    with path.open("rb") as file:
        return read_po(file, locale=language)


def gather_catalogue(language: str) -> Catalog:
    """Return a catalogue of the sentences in the code, with their stored translations.

    A new sentence that resembles one that is gone gets its translation, marked as fuzzy: players read English
    until somebody has checked the translation and removed the mark.
    """
    template, stored = Catalog(), read_catalogue(language)
    for each in find_marked_sentences():
        if each.sentence is not None:
            template.add(each.sentence)
    stored.update(template, no_fuzzy_matching=True)
    guesses = _guess_translations(stored)
    new = _MinimalCatalog(locale=language, header_comment=f"# Twenty-Four in {language}.", fuzzy=False)
    for message in stored:
        if message.id:
            best = guesses.get(message.id) or message
            new.add(best.id, best.string, flags=best.flags, previous_id=best.previous_id)
    return new


def _guess_translations(catalogue: Catalog) -> Catalog:
    """Return the untranslated sentences with the fuzzy translations of similar ones that are obsolete."""
    guesses, untranslated = Catalog(locale=catalogue.locale), Catalog()
    for gone in catalogue.obsolete.values():
        guesses.add(gone.id, gone.string)
    for message in catalogue:
        if message.id and not any(list_forms(message)):
            untranslated.add(message.id)
    guesses.update(untranslated)
    return guesses


def format_po(catalogue: Catalog) -> bytes:
    """Return the file for translators."""
    out = io.BytesIO()
    write_po(out, catalogue, width=100, sort_output=True, ignore_obsolete=True, no_location=True)
    return out.getvalue()


def format_mo(catalogue: Catalog) -> bytes:
    """Return the file for the bot; without untranslated sentences, which stay English."""
    translated = _MinimalCatalog(locale=catalogue.locale)
    for message in catalogue:
        if message.id and is_translated(message):
            translated.add(message.id, message.string)
    out = io.BytesIO()
    write_mo(out, translated)
    return out.getvalue()


def list_forms(message: Message) -> list[str]:
    """Return the translation of a sentence in each plural form; empty for a new sentence."""
    return [message.string] if isinstance(message.string, str) else list(message.string or ())


def is_translated(message: Message) -> bool:
    forms = list_forms(message)
    return bool(forms) and all(forms) and not message.fuzzy


def list_untranslated(catalogue: Catalog) -> list[Message]:
    return [message for message in catalogue if message.id and not is_translated(message)]


MAX_PRINTED = 20  # sentences of a language; the file has all


def print_report(catalogue: Catalog) -> None:
    """Print the catalogue's file, how many sentences players read in English, and the first of them."""
    missing = list_untranslated(catalogue)
    path = get_po_path(str(catalogue.locale)).relative_to(ROOT)
    print(f"{path}: {len(missing)} of {len(catalogue)} sentences to translate")
    for message in missing[:MAX_PRINTED]:
        sentence = message.id if isinstance(message.id, str) else message.id[0]
        print(f"  {sentence}" + (" (its translation is marked fuzzy: check it)" if message.fuzzy else ""))
    if len(missing) > MAX_PRINTED:
        print(f"  and {len(missing) - MAX_PRINTED} more")


def main(argument: str = "") -> None:
    """Renew every catalogue and print a report; with the argument `report`, write nothing."""
    for language in LANGUAGES:
        catalogue = gather_catalogue(language)
        if argument != "report":
            get_po_path(language).parent.mkdir(parents=True, exist_ok=True)
            get_po_path(language).write_bytes(format_po(catalogue))
            get_po_path(language).with_suffix(".mo").write_bytes(format_mo(catalogue))
        print_report(catalogue)


if __name__ == "__main__":
    main(*sys.argv[1:])
