import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.pictures.lettering import TextStyle, Weight, lay_out_text, render_mask
from tests.bot.pictures.examples import FAMILY, LONG, ODD

NAME = TextStyle(56)
LABEL = TextStyle(52, min_size=40)


def text_of(text: str, style: TextStyle, room: float) -> str:
    return "".join(run for _, run, _ in lay_out_text(text, style, room).runs)


def test_what_fits_is_left_alone() -> None:
    assert text_of("Ann", NAME, 500) == "Ann"


def test_what_does_not_fit_is_cut_where_its_room_ends() -> None:
    assert text_of(LONG, NAME, 500) == "Anastasia Konst…"
    assert 400 < lay_out_text(LONG, NAME, 500).width <= 500


def test_a_label_is_made_smaller_before_it_is_cut() -> None:
    whole = lay_out_text("Short straight", LABEL)
    narrow = lay_out_text("Short straight", LABEL, whole.width * 0.85)
    assert (narrow.style.size, len(narrow.runs)) == (44, 1)
    assert text_of("Short straight", LABEL, whole.width * 0.85) == "Short straight"
    assert text_of("Short straight", LABEL, whole.width * 0.5).endswith("…")
    assert lay_out_text("Short straight", LABEL, whole.width * 0.5).style.size == LABEL.min_size


def test_a_family_is_shown_whole_or_not_at_all() -> None:
    shown = text_of(FAMILY * 20, NAME, 400)
    assert shown.removesuffix("…") == FAMILY * (len(shown) // len(FAMILY))


def test_a_name_from_the_right_is_cut_on_its_left() -> None:
    runs = lay_out_text(ODD[1] * 4, NAME, 400).runs
    assert runs[0][1] == "…"


@given(st.text(max_size=64), st.sampled_from(Weight), st.integers(80, 600))
def test_any_text_keeps_to_its_room_and_can_be_drawn(text: str, weight: Weight, room: int) -> None:
    setting = lay_out_text(text, TextStyle(40, weight), room)
    assert setting.width <= room
    light, side, base = render_mask(setting)
    assert light.width >= setting.width
    assert 0 < base < light.height
    assert side > 0


@pytest.mark.parametrize("figure", "0123456789")
def test_figures_in_a_column_are_equally_wide(figure: str) -> None:
    column = TextStyle(60, Weight.BOLD, tabular=True)
    assert lay_out_text(figure, column).width == lay_out_text("0", column).width


def test_a_colon_stands_in_the_middle_of_figures() -> None:
    def middle(text: str) -> float:
        light, _, base = render_mask(lay_out_text(text, TextStyle(200, Weight.DISPLAY)))
        _, top, _, foot = light.getbbox() or (0, 0, 0, 0)
        return base - (top + foot) / 2

    assert middle(":") == pytest.approx(middle("0"), abs=4)
    assert middle("−") == pytest.approx(middle("0"), abs=4)
    assert middle("→") == pytest.approx(middle("0"), abs=4)
