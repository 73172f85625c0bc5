"""The page's own sentences: each that its modules say by `say("…")`. All other texts come from the game."""

import re
from functools import cache
from importlib.resources import files

from bot.i18n import Words

SAYING = re.compile(r'(?<![\w#.])say\(\s*"([^"]*)"')


@cache
def list_sentences() -> tuple[str, ...]:
    modules = [file for file in files("bot.board").joinpath("page").iterdir() if file.name.endswith(".js")]
    found = {sentence for module in modules for sentence in SAYING.findall(module.read_text("utf-8"))}
    return tuple(sorted(found))


def translate_sentences(words: Words) -> dict[str, str]:
    """Return each sentence of the page by its English text; the page inserts the values."""
    return {sentence: words.translate_template(sentence) for sentence in list_sentences()}
