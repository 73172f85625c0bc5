"""What the terminal says by itself."""

import pytest

from bot.console import asides
from bot.i18n import words


@pytest.mark.parametrize("alone", [False, True])
def test_whose_board_a_link_opens_is_said_where_a_name_fits_as_it_is(alone: bool) -> None:
    """Russian would bend it: "Игрок" can't stand behind "для"."""
    told = asides.board(words("ru"), "Игрок", "http://127.0.0.1:1/", alone=alone)
    assert "; за доской — Игрок)" in told
