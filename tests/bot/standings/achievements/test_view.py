"""Titles and emoji of achievements."""

import pytest

from bot.i18n import format_name, get_words, list_languages
from bot.standings.achievements.rules import CONDITIONS
from bot.standings.achievements.view import (
    get_achievement_titles,
    render_achievement_lines,
)


@pytest.mark.parametrize("language", list_languages())
def test_each_achievement_has_its_own_emoji_and_short_title(language: str) -> None:
    known = get_achievement_titles(get_words(language))
    assert list(known) == list(CONDITIONS)
    assert len({sign for sign, _ in known.values()}) == len({title for _, title in known.values()}) == 10
    assert max(len(title) for _, title in known.values()) <= 16


def test_one_line_lists_all_achievements_of_a_player() -> None:
    honours = [(7, ("fiendish", "row")), (8, ("lightning",))]
    assert render_achievement_lines(get_words("en"), honours, {7: "Ann"}) == [
        f"🏅 {format_name('Ann')}: Fiend tamer · Ten in a row",
        f"🏅 {format_name(None)}: Lightning",
    ]
