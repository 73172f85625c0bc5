"""Sentences of the pages and their translations."""

import re
from pathlib import Path

import pytest

from bot import i18n
from bot.board import static_files as said
from tests import catalogues

BOARD = Path(said.__file__).parent
FOLDERS = (said.PAGE, said.CLASS_PAGES)
MODULES = [path.relative_to(BOARD) for folder in FOLDERS for path in sorted((BOARD / folder).glob("*.js"))]
ANY_SAYING = re.compile(r"(?<![\w#.])(?<!function )say\(")


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_page_sentences_are_literals(module: Path) -> None:
    text = (BOARD / module).read_text("utf-8")
    assert len(ANY_SAYING.findall(text)) == len(said.SAID_SENTENCE.findall(text))


@pytest.mark.parametrize("folder", FOLDERS)
@pytest.mark.parametrize("language", catalogues.LANGUAGES)
def test_translations_keep_placeholders(language: str, folder: str) -> None:
    for english, translated in said.translate_sentences(i18n.get_words(language), folder).items():
        assert set(re.findall(r"\{\w+\}", translated)) == set(re.findall(r"\{\w+\}", english))


@pytest.mark.parametrize("folder", FOLDERS)
@pytest.mark.parametrize("language", ["zh_Hans", "zh_Hant"])
def test_chinese_uses_full_width_punctuation(language: str, folder: str) -> None:
    narrow = re.compile(r"[:;,?!()]|[^\x00-\x7f]\.")
    sentences = said.translate_sentences(i18n.get_words(language), folder)
    assert {text for text in sentences.values() if narrow.search(text)} == set()
