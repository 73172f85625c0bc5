"""Phrases that the bot understands in a chat."""

import pytest

from bot.rounds.phrases import CHINESE_COURTESIES, COURTESIES, Phrase, find_phrase


@pytest.mark.parametrize("courtesy", [*COURTESIES, *CHINESE_COURTESIES])
@pytest.mark.parametrize("text", ["{courtesy}, I give up", "I give up, {courtesy}!"])
def test_courtesy_beside_a_phrase_does_not_matter(courtesy: str, text: str) -> None:
    assert find_phrase(text.format(courtesy=courtesy)) is Phrase.GIVE_UP


def test_courtesy_inside_a_phrase_is_talk() -> None:
    assert find_phrase("hi all of you, I give up") is None
    assert find_phrase("hola a todos") is None
