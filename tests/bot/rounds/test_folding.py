"""A round's text below a picture: it fits, and what must be said is said."""

from dataclasses import replace

import pytest

from bot.i18n import languages, words
from bot.rounds.folding import caption
from bot.rounds.puzzle import Find, Kind
from bot.rounds.rules import Round
from bot.rounds.view import living
from bot.telegram.captions import LIMIT, width
from tests.bot.rounds.test_view import FULL, STATES
from tests.hands import deal

FAMILY = "👩\u200d👩\u200d👧\u200d👦"


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("round", STATES, ids=lambda r: f"{r.kind}-{r.state}")
def test_every_round_fits(language: str, round: Round) -> None:
    text, keyboard = caption(round, words(language), FULL)
    assert width(text) <= LIMIT
    assert round.line in text.splitlines()
    assert keyboard == living(round, words(language), FULL)[1]


def test_what_fits_is_whole() -> None:
    scene = replace(FULL, notes=(), finds=(), miss=None, names={1: "Ann"})
    assert caption(deal(), words("en"), scene)[0] == living(deal(), words("en"), scene)[0]


def test_of_the_longest_names_the_beginning_stays() -> None:
    names = {n: FAMILY * 64 + str(n) for n in range(20)}
    finds = [Find(n, "(8-3)*8-3*8+8", "", 7) for n in range(15)]
    over = replace(STATES[2], kind=Kind.FIRST)
    text, _ = caption(over, words("en"), replace(FULL, names=names, finds=finds))
    assert width(text) <= LIMIT
    assert f"{over.answer} = {over.line.partition(' → ')[2]}" in text
    assert FAMILY[:2] in text
    assert "…" in text
