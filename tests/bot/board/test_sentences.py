"""Sentences of the page and their translations."""

import re
from pathlib import Path

import pytest

from bot import i18n
from bot.board import static_files as said
from tests import catalogues

PAGE = Path(said.__file__).parent / "page"
ANY_SAYING = re.compile(r"(?<![\w#.])(?<!function )say\(")


def read_modules() -> dict[str, str]:
    return {path.name: path.read_text("utf-8") for path in sorted(PAGE.glob("*.js"))}


@pytest.mark.parametrize("module", read_modules())
def test_page_sentences_are_literals(module: str) -> None:
    text = read_modules()[module]
    assert len(ANY_SAYING.findall(text)) == len(said.SAID_SENTENCE.findall(text))


@pytest.mark.parametrize("language", catalogues.LANGUAGES)
def test_translations_keep_placeholders(language: str) -> None:
    for english, translated in said.translate_sentences(i18n.get_words(language)).items():
        assert set(re.findall(r"\{\w+\}", translated)) == set(re.findall(r"\{\w+\}", english))


@pytest.mark.parametrize("language", ["zh_Hans", "zh_Hant"])
def test_chinese_uses_full_width_punctuation(language: str) -> None:
    narrow = re.compile(r"[:;,?!()]|[^\x00-\x7f]\.")
    found = {
        text for text in said.translate_sentences(i18n.get_words(language)).values() if narrow.search(text)
    }
    assert found == set()
