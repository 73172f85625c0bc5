"""Pictures: milliseconds and kilobytes of each kind, drawn as by a worker."""

import time
from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from statistics import median

from PIL import Image, ImageDraw

from bench.report import Row, format_time
from bot.pictures import lettering
from bot.pictures.drawing import DRAW_FUNCTIONS, draw_picture
from bot.pictures.values import Picture
from tests.bot.pictures.examples import EXAMPLES

ROUNDS = 7
BAR = "20 ms, 60 KB"


def measure_rows() -> Iterator[Row]:
    """Yield a row for each kind of picture: the tests' examples, beside plain pictures of the same size."""
    for kind in DRAW_FUNCTIONS:
        cases = [(language, picture) for language, picture in EXAMPLES.values() if type(picture) is kind]
        times = [_measure(_draw, *case) for case in cases]
        first = [_measure(_draw_with_empty_caches, *case) for case in cases]
        sizes = [len(draw_picture(picture, language)) for language, picture in cases]
        plain = [_measure(_draw_rectangle, draw_picture(picture, language)) for language, picture in cases]
        yield Row(
            kind.__name__,
            f"{format_time(median(times))}, {median(sizes) / 1000:.0f} KB",
            BAR,
            format_time(median(plain)),
            _describe(times, first, sizes),
        )


def _describe(times: Sequence[float], first: Sequence[float], sizes: Sequence[int]) -> str:
    worst = f"worst {format_time(max(times))} and {max(sizes) / 1000:.0f} KB"
    empty = f"with empty caches {format_time(median(first))}, worst {format_time(max(first))}"
    return f"{len(times)} pictures, {worst}; {empty}; baseline: a rectangle, saved"


def _measure(work: Callable[..., object], *case: object) -> float:
    """Return seconds of processor time, the least of some rounds."""
    return min(_measure_once(work, *case) for _ in range(ROUNDS))


def _measure_once(work: Callable[..., object], *case: object) -> float:
    began = time.process_time()
    work(*case)
    return time.process_time() - began


def _draw(language: str, picture: Picture) -> bytes:
    return draw_picture(picture, language)


def _draw_with_empty_caches(language: str, picture: Picture) -> bytes:
    lettering.render_mask.cache_clear()
    lettering.lay_out_text.cache_clear()
    return draw_picture(picture, language)


def _draw_rectangle(png: bytes) -> bytes:
    """Draw a rectangle in a picture of the same size, saved with Pillow's defaults."""
    with Image.open(BytesIO(png)) as drawn:
        image = Image.new("RGB", drawn.size, "#144a3c")
    ImageDraw.Draw(image).rectangle((64, 64, image.width - 64, image.height - 64), "#fbf6e9")
    output = BytesIO()
    image.save(output, "PNG")
    return output.getvalue()
