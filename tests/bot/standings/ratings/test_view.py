"""Lists by rating as text: a line for each, the reader's own always, and names as boards show them."""

import pytest

from bot.i18n import TAG, languages, name, words
from bot.standings.ratings import view
from bot.standings.ratings.queries import Line
from bot.standings.ratings.rules import Shown
from bot.standings.ratings.view import Reader

EN = words("en")
ANN = Line(1, 7, "Ann", Shown(1480, 60))
BOB = Line(12, 8, "Bob", Shown(1210, 300), masked=False)
EXPLAINED = "1500 is usual; 100 more wins two hands of three. ± is how far it may be off."
COUNTED = "Groups count here in which three people won within 30 days. Days, weeks and months go by UTC."


def shown(*lines: Line, own: Line | None = None, reader: Reader | None = None, scope: str = "h") -> list[str]:
    return view.top(EN, lines, own, reader, scope, "a", "").splitlines()


def test_a_line_is_a_rank_a_name_and_a_rating_with_its_margin() -> None:
    assert shown(ANN, BOB) == [
        "<b>Best players</b> · this chat · all time",
        f"1. {name('Ann')} — 1480 ± 60",
        f"12. {name('Bob')} — 1210 ± 300",
        EXPLAINED,
    ]


def test_the_readers_own_line_is_always_there_once() -> None:
    own = f"<b>12. {name('Bob')} — 1210 ± 300</b>"
    assert shown(ANN, BOB, own=BOB)[2] == own
    assert shown(ANN, own=BOB)[2:4] == ["…", own]


def test_outside_its_chats_a_name_is_masked_unless_it_may_be_shown() -> None:
    assert shown(ANN, BOB, scope="w")[1:4] == [
        f"1. {name('A•••')} — 1480 ± 60",
        f"12. {name('Bob')} — 1210 ± 300",
        COUNTED,
    ]


def test_who_has_no_rating_yet_is_told_how_many_hands_are_missing() -> None:
    assert f"{name('Cem')} has a rating after 1 more hand." in shown(ANN, reader=Reader("Cem", 1))
    assert f"{name('C•••')} has a rating after 4 more hands." in shown(reader=Reader("Cem", 4), scope="w")
    assert not any("Cem" in line for line in shown(ANN, reader=Reader("Cem", 0)))
    assert "Nobody has a rating here yet: it takes ten hands. /play deals one." in shown()


@pytest.mark.parametrize("language", languages())
def test_every_button_fits_its_data_and_one_order_is_ticked(language: str) -> None:
    for by in (view.RATING, view.POINTS):
        rows = view.keyboard(words(language), by, "w", "m", "countdown")
        assert [data for _, data in rows[0]] == ["tp:r:w:m:countdown", "tp:p:w:m:countdown"]
        assert [label.startswith("✓") for label, _ in rows[0]] == [by == view.RATING, by == view.POINTS]
        assert all(len(data.encode()) <= 64 and data.startswith("tp:") for row in rows for _, data in row)
        assert [data for _, data in rows[-1]][:2] == [f"tp:{by}:w:m", f"tp:{by}:w:m:24"]
    assert TAG.search(view.explained(words(language))) is None
