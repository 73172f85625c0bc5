"""Titles and emoji of achievements."""

import pytest

from bot.i18n import get_words, list_languages
from bot.standings.achievements import CONDITIONS, get_achievement_titles, render_titles


@pytest.mark.parametrize("language", list_languages())
def test_each_achievement_has_its_own_emoji_and_short_title(language: str) -> None:
    known = get_achievement_titles(get_words(language))
    assert list(known) == list(CONDITIONS)
    assert len({sign for sign, _ in known.values()}) == len({title for _, title in known.values()}) == 10
    assert max(len(title) for _, title in known.values()) <= 16


def test_each_title_has_a_line() -> None:
    assert (
        render_titles(get_words("en"), ("fiendish", "row")) == "Hard nut (a very hard hand)\n   Ten in a row"
    )
