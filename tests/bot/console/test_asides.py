"""What the terminal says by itself."""

from bot.console import asides
from bot.i18n import words


def test_whose_board_a_link_opens_is_said_where_a_name_fits_as_it_is() -> None:
    """Russian would bend it: "Игрок" can't stand behind "для"."""
    assert "; за доской — Игрок)" in asides.board(words("ru"), "Игрок", "http://127.0.0.1:1/")
