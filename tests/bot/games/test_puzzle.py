"""What all games share."""

import pytest

from bot.games.puzzle import LEVELS, POINTS, level_name, level_names
from bot.i18n import languages, words


@pytest.mark.parametrize("language", languages())
def test_every_level_has_a_name_of_its_own(language: str) -> None:
    names = {str(level_name(words(language), level)) for level in LEVELS}
    assert len(names) == len(LEVELS)
    assert all(level_names(words(language))[name.casefold()] in LEVELS for name in names)


def test_levels_can_be_named_in_english_everywhere() -> None:
    assert all(level_names(words("ru"))[level] == level for level in LEVELS)


def test_harder_is_worth_more() -> None:
    assert [POINTS[level] for level in LEVELS] == sorted({*POINTS.values()})
