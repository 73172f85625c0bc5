"""The page's own sentences: each that its modules say by `say("…")`. All other texts come from the game."""

import re
from functools import cache
from importlib.resources import files

from bot.i18n import Words

SAID_SENTENCE = re.compile(r'(?<![\w#.])say\(\s*"([^"]*)"')


@cache
def list_sentences() -> tuple[str, ...]:
    """Return the page's sentences in English, sorted, as its JavaScript modules contain them."""
    sentences = set[str]()
    for file in files("bot.board").joinpath("page").iterdir():
        if file.name.endswith(".js"):
            sentences.update(SAID_SENTENCE.findall(file.read_text("utf-8")))
    return tuple(sorted(sentences))


def translate_sentences(words: Words) -> dict[str, str]:
    """Return each sentence of the page by its English text; the page inserts the values."""
    return {sentence: words.translate_template(sentence) for sentence in list_sentences()}
