"""Catalogues hold every sentence of the code in every language."""

import gettext
import io
import re
from collections import Counter

import pytest
from babel.messages.catalog import Catalog, Message

from bot import i18n as words
from tests import catalogues

LANGUAGES = pytest.mark.parametrize("language", catalogues.LANGUAGES)


def list_sources(message: Message) -> tuple[str, ...]:
    """Return the English forms of a sentence."""
    return (message.id,) if isinstance(message.id, str) else tuple(message.id)


def count_fixed_parts(text: str) -> tuple[Counter[str], Counter[str], Counter[str]]:
    """Count the placeholders, tags and commands, which a translation must keep."""
    return (
        Counter(re.findall(r"\{\w+\}", text)),
        Counter(re.findall(r"</?\w+>", text)),
        Counter(re.findall(r"(?<![\w<])/[a-z]+", text)),
    )


def test_translated_sentences_are_literals() -> None:
    unknown = [each.place for each in catalogues.find_marked_sentences() if each.sentence is None]
    assert unknown == [], "these arguments can't be extracted: write the sentence in the call"


def test_apostrophes_are_curly_in_all_sentences() -> None:
    sentences = [repr(each.sentence) for each in catalogues.find_marked_sentences()]
    assert [sentence for sentence in sentences if re.search(r"\w'\w", sentence)] == []


def test_extraction_finds_sentences_of_each_kind() -> None:
    found = {each.sentence for each in catalogues.find_marked_sentences()}
    assert {"Given up.", "Next hand", ("{n} point", "{n} points")} <= found


@LANGUAGES
def test_compiled_catalogues_match_their_sources(language: str) -> None:
    compiled = catalogues.get_po_path(language).with_suffix(".mo").read_bytes()
    assert compiled == catalogues.format_mo(catalogues.read_catalogue(language)), "run `make catalogues`"


def test_untranslated_sentence_is_english(capsys: pytest.CaptureFixture[str]) -> None:
    catalogue = Catalog(locale="es")
    catalogue.add("Hint", "Pista")
    catalogue.add("Not translated yet.", "")
    catalogue.add("New in the code.")
    result = gettext.GNUTranslations(io.BytesIO(catalogues.format_mo(catalogue)))
    assert (result.gettext("Hint"), result.gettext("Not translated yet.")) == ("Pista", "Not translated yet.")
    catalogues.print_report(catalogue)
    assert capsys.readouterr().out.splitlines() == [
        "bot/locale/es/LC_MESSAGES/twentyfour.po: 2 of 3 sentences to translate",
        "  Not translated yet.",
        "  New in the code.",
    ]


def test_report_of_a_new_language_is_short(capsys: pytest.CaptureFixture[str]) -> None:
    catalogue = Catalog(locale="de")
    for n in range(25):
        catalogue.add(f"Sentence {n}")
    catalogues.print_report(catalogue)
    heading, *sentences, rest = capsys.readouterr().out.splitlines()
    assert heading == "bot/locale/de/LC_MESSAGES/twentyfour.po: 25 of 25 sentences to translate"
    assert sentences == [f"  Sentence {n}" for n in range(20)]
    assert rest == "  and 5 more"


def test_guess_comes_only_from_a_sentence_that_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    stored = Catalog(locale="es")
    stored.add("Heads or tails?", "¿Cara o cruz?")
    stored.add("hard", "difícil")
    in_code = [catalogues.MarkedSentence("", text) for text in ("hard", "Heads", "Heads or tails, Ann?")]
    monkeypatch.setattr(catalogues, "read_catalogue", lambda _: stored)
    monkeypatch.setattr(catalogues, "find_marked_sentences", lambda: in_code)
    catalogue = catalogues.gather_catalogue("es")
    translations = {m.id: (m.string, m.fuzzy) for m in catalogue if m.id}
    guess = ("¿Cara o cruz?", True)
    assert translations == {"hard": ("difícil", False), "Heads": (None, False), "Heads or tails, Ann?": guess}
    assert [m.id for m in catalogues.list_untranslated(catalogue)] == ["Heads", "Heads or tails, Ann?"]


@LANGUAGES
def test_parts_tags_and_commands_are_kept(language: str) -> None:
    for message in catalogues.gather_catalogue(language):
        for translated in filter(None, catalogues.list_forms(message) if message.id else ()):
            assert count_fixed_parts(translated) in [
                count_fixed_parts(source) for source in list_sources(message)
            ], message.id


@LANGUAGES
def test_sentences_can_be_filled_in(language: str) -> None:
    result = words.get_words(language)
    for message in catalogues.gather_catalogue(language):
        for source in list_sources(message) if message.id else ():
            parts = dict.fromkeys(re.findall(r"\{(\w+)\}", source), "7")
            assert "{" not in result.translate_plain(source, **parts)


@pytest.mark.parametrize(
    ("n", "expected"), [(1, "1 очко"), (2, "2 очка"), (5, "5 очков"), (11, "11 очков"), (21, "21 очко")]
)
def test_russian_counts_by_three_forms(n: int, expected: str) -> None:
    assert words.get_words("ru").translate_plural("{n} point", "{n} points", n) == expected


def test_languages_are_the_translated_ones() -> None:
    assert words.list_languages() == ("en", *sorted(catalogues.LANGUAGES))


@pytest.mark.parametrize(
    ("code", "language"),
    [
        (None, "en"),
        ("", "en"),
        ("en-GB", "en"),
        ("zh", "zh_Hans"),
        ("zh-hans", "zh_Hans"),
        ("zh-CN", "zh_Hans"),
        ("zh-hant", "zh_Hant"),
        ("zh_TW", "zh_Hant"),
        ("zh-hk", "zh_Hant"),
        ("es-419", "es"),
        ("ru", "ru"),
        ("tlh", "en"),
        ("../../etc", "en"),
        ("zh/../en", "zh_Hans"),
    ],
)
def test_language_tag_chooses_the_language(code: str | None, language: str) -> None:
    assert words.choose_language(code) == language
