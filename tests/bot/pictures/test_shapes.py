import pytest
from PIL import Image, ImageOps

from bot.pictures.canvas import CROSS, TICK, make_disc_mask, make_ring_mask, make_strokes_mask


@pytest.mark.parametrize("shape", [make_disc_mask(40), make_ring_mask(40, 5)])
def test_round_shapes_are_the_same_from_every_side(shape: Image.Image) -> None:
    assert shape.tobytes() == ImageOps.mirror(shape).tobytes() == ImageOps.flip(shape).tobytes()
    assert shape.getpixel((0, 0)) == 0


def test_a_disc_is_full_and_a_ring_is_not() -> None:
    assert (make_disc_mask(40).getpixel((20, 20)), make_ring_mask(40, 5).getpixel((20, 20))) == (255, 0)
    assert make_ring_mask(40, 5).getpixel((20, 2)) == 255


def test_where_lines_cross_there_is_no_seam() -> None:
    cross = make_strokes_mask(92, CROSS, 11)
    assert {cross.getpixel((46 + x, 46 + y)) for x in (-3, 0, 3) for y in (-3, 0, 3)} == {255}


def test_edges_are_smooth() -> None:
    assert len(set(make_disc_mask(40).tobytes())) > 16


@pytest.mark.parametrize("lines", [TICK, CROSS])
def test_signs_stay_within_their_square(lines: tuple[tuple[tuple[float, float], ...], ...]) -> None:
    box = make_strokes_mask(92, lines, 11).getbbox()
    assert box
    assert min(box[:2]) > 8
    assert max(box[2:]) < 84
