"""Levels of difficulty, and the words by which players name them."""

from functools import cache
from itertools import pairwise
from typing import Literal
from unicodedata import combining, normalize

import solver
from bot.i18n import Html, Words

Level = Literal["easy", "medium", "hard", "fiendish"]
LEVELS: tuple[Level, ...] = solver.LEVELS  # The easiest first
ANY_LEVEL: Literal["any"] = "any"  # The natural mix, as a choice among the levels
LevelChoice = Level | Literal["any"]
POINTS_BY_LEVEL = {"easy": 1, "medium": 2, "hard": 3, "fiendish": 5}  # For a right answer


def parse_level(name: str) -> LevelChoice | None:
    """Return the level with that name, or `ANY_LEVEL`; None for any other text."""
    return next((level for level in (*LEVELS, ANY_LEVEL) if level == name), None)


def get_easier_level(level: str) -> Level | None:
    """Return the next easier level; None for the easiest and for an unknown one."""
    return next((lower for lower, higher in pairwise(LEVELS) if higher == level), None)


PLAIN_APOSTROPHES = str.maketrans("‘’ʼ＇", "''''")  # Phones type curly ones


def normalize_word(word: str) -> str:
    """Return the word without case and accents, full-width letters and curly apostrophes as plain ones."""
    decomposed = normalize("NFKD", word.translate(PLAIN_APOSTROPHES).casefold())  # accents become characters
    return "".join(character for character in decomposed if not combining(character))


def render_level(words: Words, level: str) -> Html:
    return {
        "easy": words.translate("easy"),
        "medium": words.translate("medium"),
        "hard": words.translate("hard"),
        "fiendish": words.translate("fiendish"),
        ANY_LEVEL: words.translate("any"),
    }[level]


@cache
def get_levels_by_name(words: Words) -> dict[str, LevelChoice]:
    """Return the levels and `ANY_LEVEL` by their normalized names, English and translated."""
    levels: dict[str, LevelChoice] = {}
    for level in (*LEVELS, ANY_LEVEL):
        levels[level] = level
        levels[normalize_word(render_level(words, level))] = level
    return levels
