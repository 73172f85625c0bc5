"""Pictures: milliseconds and kilobytes of each kind, as a worker draws them."""

import time
from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from statistics import median

from PIL import Image, ImageDraw

from bench.table import Row, written
from bot.pictures import lettering
from bot.pictures.drawing import DRAW_FUNCTIONS, draw_picture
from bot.pictures.values import Picture
from tests.bot.pictures.examples import EXAMPLES

ROUNDS = 7
BAR = "20 ms, 60 KB"


def rows() -> Iterator[Row]:
    """A row for each kind: the tests' pictures of it, beside the plainest ones of the same size."""
    for kind in DRAW_FUNCTIONS:
        cases = [(language, picture) for language, picture in EXAMPLES.values() if type(picture) is kind]
        times = [_best(_drawn, *case) for case in cases]
        first = [_best(_drawn_for_the_first_time, *case) for case in cases]
        sizes = [len(draw_picture(picture, language)) for language, picture in cases]
        plain = [_best(_plain, draw_picture(picture, language)) for language, picture in cases]
        yield Row(
            kind.__name__,
            f"{written(median(times))}, {median(sizes) / 1000:.0f} KB",
            BAR,
            written(median(plain)),
            _note(times, first, sizes),
        )


def _note(times: Sequence[float], first: Sequence[float], sizes: Sequence[int]) -> str:
    worst = f"worst {written(max(times))} and {max(sizes) / 1000:.0f} KB"
    unseen = f"with no word of it set before {written(median(first))}, worst {written(max(first))}"
    return f"{len(times)} pictures, {worst}; {unseen}; baseline: a rectangle, saved"


def _best(work: Callable[..., object], *case: object) -> float:
    """Seconds of processor time, the least of some rounds: what else the machine does is no cost of ours."""
    return min(_time(work, *case) for _ in range(ROUNDS))


def _time(work: Callable[..., object], *case: object) -> float:
    began = time.process_time()
    work(*case)
    return time.process_time() - began


def _drawn(language: str, picture: Picture) -> bytes:
    return draw_picture(picture, language)


def _drawn_for_the_first_time(language: str, picture: Picture) -> bytes:
    lettering.render_mask.cache_clear()
    lettering.lay_out_text.cache_clear()
    return draw_picture(picture, language)


def _plain(png: bytes) -> bytes:
    """A picture of the same size with a rectangle in it, saved as Pillow does by itself."""
    with Image.open(BytesIO(png)) as drawn:
        image = Image.new("RGB", drawn.size, "#144a3c")
    ImageDraw.Draw(image).rectangle((64, 64, image.width - 64, image.height - 64), "#fbf6e9")
    written_ = BytesIO()
    image.save(written_, "PNG")
    return written_.getvalue()
