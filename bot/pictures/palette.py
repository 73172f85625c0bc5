"""The palette of all pictures, and the shades between two of its colours.

The palette holds each colour, and for each pair of which one is drawn on the other, the shades between that
make an edge smooth. So nothing is ever reduced to a palette afterwards, files are small, and the same values
give the same bytes.
"""

from collections.abc import Iterator
from functools import cache
from itertools import chain

Colour = int  # an index into `PALETTE`

# The table; its shadow; what is raised from it; cards and words; lesser words on felt; print on ivory; lesser
# words on ivory; hearts and diamonds; the one accent
FELT, SHADE, GLOW, IVORY, MIST, INK, GREY, RED, BRASS = range(9)
CODES = (0x144A3C, 0x0D362B, 0x226050, 0xFBF6E9, 0xB9CDC1, 0x1A2430, 0x666662, 0xB3262C, 0xE8B64C)
RGB = tuple((code >> 16, code >> 8 & 255, code & 255) for code in CODES)
# Each ground with a colour that may be drawn on it
PAIRS: tuple[tuple[Colour, Colour], ...] = (
    *((FELT, colour) for colour in (SHADE, GLOW, IVORY, MIST, BRASS)),
    (SHADE, IVORY),
    *((GLOW, colour) for colour in (IVORY, MIST, BRASS)),
    *((IVORY, colour) for colour in (INK, GREY, RED, BRASS, FELT)),
    *((INK, colour) for colour in (RED, BRASS, IVORY)),
    (BRASS, INK),
    (MIST, INK),
    (GLOW, FELT),
)
STEPS = 7  # shades between the two colours of a pair


def _list_shades(ground: Colour, colour: Colour) -> Iterator[tuple[int, ...]]:
    """Yield red, green and blue of each shade between two colours."""
    for step in range(1, STEPS + 1):
        part = step / (STEPS + 1)
        channels = zip(RGB[ground], RGB[colour], strict=True)
        yield tuple(round(first + (last - first) * part) for first, last in channels)


def _make_palette() -> tuple[int, ...]:
    """Return red, green and blue of every index."""
    palette = list(chain(*RGB))
    for ground, colour in PAIRS:
        for shade in _list_shades(ground, colour):
            palette += shade
    return tuple(palette)


PALETTE = _make_palette()


@cache
def get_shade_table(ground: Colour, colour: Colour) -> bytes:
    """Return palette indices by a pixel's coverage, 0 to 255. Raises ValueError for an unknown pair."""
    first_shade = len(RGB) + STEPS * PAIRS.index((ground, colour))  # In the order of `PALETTE`
    ramp = (ground, *range(first_shade, first_shade + STEPS), colour)
    return bytes(ramp[round(coverage * (STEPS + 1) / 255)] for coverage in range(256))
