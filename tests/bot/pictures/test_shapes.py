import pytest
from PIL import Image, ImageOps

from bot.pictures.shapes import CROSS, TICK, disc, ring, stroke


@pytest.mark.parametrize("shape", [disc(40), ring(40, 5)])
def test_round_shapes_are_the_same_from_every_side(shape: Image.Image) -> None:
    assert shape.tobytes() == ImageOps.mirror(shape).tobytes() == ImageOps.flip(shape).tobytes()
    assert shape.getpixel((0, 0)) == 0


def test_a_disc_is_full_and_a_ring_is_not() -> None:
    assert (disc(40).getpixel((20, 20)), ring(40, 5).getpixel((20, 20))) == (255, 0)
    assert ring(40, 5).getpixel((20, 2)) == 255


def test_edges_are_smooth() -> None:
    assert len(set(disc(40).tobytes())) > 16


@pytest.mark.parametrize("points", [TICK, *CROSS])
def test_signs_stay_within_their_square(points: tuple[tuple[float, float], ...]) -> None:
    box = stroke(92, points, 11).getbbox()
    assert box
    assert min(box[:2]) > 8
    assert max(box[2:]) < 84
