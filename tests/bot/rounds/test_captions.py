"""Captions of rounds below a picture."""

from dataclasses import replace

import pytest

from bot.formats import format_expression
from bot.i18n import get_words, list_languages
from bot.queue.rendering import CAPTION_LIMIT, count_utf16_units
from bot.rounds.puzzle import Find, Kind
from bot.rounds.rules import Round
from bot.rounds.view import render_caption, render_message
from tests.bot.rounds.test_view import FULL, STATES
from tests.sample_rounds import make_round

FAMILY = "👩\u200d👩\u200d👧\u200d👦"


@pytest.mark.long
@pytest.mark.parametrize("language", list_languages())
@pytest.mark.parametrize("round", STATES, ids=lambda r: f"{r.kind}-{r.state}")
def test_every_caption_fits(language: str, round: Round) -> None:
    text, keyboard = render_caption(round, get_words(language), FULL)
    assert count_utf16_units(text) <= CAPTION_LIMIT
    assert round.line in text.splitlines()
    assert keyboard == render_message(round, get_words(language), FULL)[1]


def test_caption_that_fits_lacks_only_the_line_of_suits() -> None:
    scene = replace(FULL, notes=(), finds=(), nearest_miss=None, names={1: "Ann"})
    caption, _ = render_caption(make_round(), get_words("en"), scene)
    text, _ = render_message(make_round(), get_words("en"), scene)
    suits, *others = text.splitlines()
    assert "♠" in suits
    assert caption.splitlines() == others


def test_long_names_are_truncated() -> None:
    names = {n: FAMILY * 64 + str(n) for n in range(20)}
    finds = [Find(n, "(8-3)*8-3*8+8", "", 7) for n in range(15)]
    over = replace(STATES[2], kind=Kind.FIRST)
    text, _ = render_caption(over, get_words("en"), replace(FULL, names=names, finds=finds))
    assert count_utf16_units(text) <= CAPTION_LIMIT
    assert f"{format_expression(over.answer)} = {over.line.partition(' → ')[2]}" in text
    assert FAMILY[:2] in text
    assert "…" in text
