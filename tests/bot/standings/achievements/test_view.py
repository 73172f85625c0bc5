"""Achievements have names, in every language, and signs to tell them by."""

import pytest

from bot.i18n import languages, name, words
from bot.standings.achievements.queries import Honour
from bot.standings.achievements.rules import EARNED
from bot.standings.achievements.view import own, titles, told


@pytest.mark.parametrize("language", languages())
def test_each_has_a_sign_and_a_short_name_of_its_own(language: str) -> None:
    known = titles(words(language))
    assert list(known) == list(EARNED)
    assert len({sign for sign, _ in known.values()}) == len({title for _, title in known.values()}) == 10
    assert max(len(title) for _, title in known.values()) <= 16


def test_one_line_tells_all_that_a_person_earned() -> None:
    honours = [Honour(7, ("fiendish", "row")), Honour(8, ("lightning",))]
    assert told(words("en"), honours, {7: "Ann"}) == [
        f"🏅 {name('Ann')}: Fiend tamer · Ten in a row",
        f"🏅 {name(None)}: Lightning",
    ]
    assert own(words("en"), honours[:1]) == ["🏅 Fiend tamer · Ten in a row"]
