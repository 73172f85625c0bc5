"""What groups are called."""

import pytest

from bot.games.board.rules import Place
from bot.web.board import titles
from tests.bot.web.board.house import ANN, GROUP, House

HERE = Place(GROUP)


async def test_it_is_asked_for_once_in_a_while(here: House) -> None:
    here.telegram.title = "Maths"
    named = here.titles()
    assert named.known(HERE) == ""
    assert [await named.of(HERE) for _ in range(3)] == ["Maths"] * 3
    assert (named.known(HERE), here.telegram.named) == ("Maths", 1)
    here.telegram.title = "Chess"
    here.ticks += titles.KNOWN
    assert (await named.of(HERE), here.telegram.named) == ("Chess", 2)


async def test_what_is_known_stays_while_telegram_says_nothing(here: House) -> None:
    here.telegram.title = "Maths"
    named = here.titles()
    await named.of(HERE)
    here.telegram.away = True
    here.ticks += titles.KNOWN
    assert await named.of(HERE) == "Maths"
    assert await named.of(HERE) == "Maths"
    assert here.telegram.named == 2
    here.telegram.away, here.telegram.title = False, "Chess"
    here.ticks += titles.UNKNOWN
    assert await named.of(HERE) == "Chess"


async def test_private_chats_have_none_and_who_watches_learns_none(here: House) -> None:
    here.telegram.title = "Maths"
    named = here.titles()
    await named.of(HERE)
    for place in (Place(ANN), Place(GROUP, 0, 123, watches=True)):
        assert (await named.of(place), named.known(place)) == ("", "")
    assert here.telegram.named == 1


async def test_few_are_remembered(here: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(titles, "MOST", 2)
    here.telegram.title = "Maths"
    named = here.titles()
    for number in (1, 2, 3):
        await named.of(Place(-number))
    assert [named.known(Place(-number)) for number in (1, 2, 3)] == ["", "Maths", "Maths"]
