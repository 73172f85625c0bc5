"""The few colours of every picture, and the shades between two of them.

A picture is a grid of indices into one fixed palette: each colour, and for each pair of which one is drawn
on the other, the steps from the one to the other that make an edge smooth. So nothing is ever reduced to a
palette afterwards, files are small, and the same values give the same bytes.
"""

from functools import cache

Colour = int  # An index into `PALETTE`

# The table; its shadow; what is raised from it; cards and words; lesser words on felt; what is printed on
# ivory; lesser words on ivory; hearts and diamonds; the one accent.
FELT, SHADE, GLOW, IVORY, MIST, INK, GREY, RED, BRASS = range(9)

# Of each colour, in their order.
RGB: tuple[tuple[int, int, int], ...] = (
    (0x14, 0x4A, 0x3C),
    (0x0D, 0x36, 0x2B),
    (0x22, 0x60, 0x50),
    (0xFB, 0xF6, 0xE9),
    (0xB9, 0xCD, 0xC1),
    (0x1A, 0x24, 0x30),
    (0x66, 0x66, 0x62),
    (0xB3, 0x26, 0x2C),
    (0xE8, 0xB6, 0x4C),
)

# A ground and what may be drawn on it.
PAIRS: tuple[tuple[Colour, Colour], ...] = (
    *((FELT, figure) for figure in (SHADE, GLOW, IVORY, MIST, BRASS)),
    *((SHADE, figure) for figure in (IVORY,)),
    *((GLOW, figure) for figure in (IVORY, MIST, BRASS)),
    *((IVORY, figure) for figure in (INK, GREY, RED, BRASS, FELT)),
    *((INK, figure) for figure in (RED, BRASS, IVORY)),
    (BRASS, INK),
    (MIST, INK),
    (GLOW, FELT),
)

STEPS = 7  # Shades between the two colours of a pair


def _between(ground: Colour, figure: Colour, step: int) -> tuple[int, ...]:
    part = step / (STEPS + 1)
    return tuple(round(g + (f - g) * part) for g, f in zip(RGB[ground], RGB[figure], strict=True))


# Red, green and blue of every index.
PALETTE: tuple[int, ...] = tuple(
    value
    for colour in (*RGB, *(_between(*pair, step) for pair in PAIRS for step in range(1, STEPS + 1)))
    for value in colour
)


# Of the steps of a pair, both colours included, the one that stands for each where fewer are to do.
COARSE = (0, 2, 2, 4, 4, 4, 6, 6, 8)


def _fewer() -> bytes:
    table = list(range(256))
    for number, (ground, figure) in enumerate(PAIRS):
        first = len(RGB) + STEPS * number
        ramp = (ground, *range(first, first + STEPS), figure)
        for step in range(1, STEPS + 1):
            table[ramp[step]] = ramp[COARSE[step]]
    return bytes(table)


FEWER = _fewer()  # For each index the one that stands for it where every second shade is to do


@cache
def get_shade_table(ground: Colour, figure: Colour) -> bytes:
    """The index for each coverage 0 to 255 of a pixel. Raises ValueError for a pair not in `PAIRS`."""
    first = len(RGB) + STEPS * PAIRS.index((ground, figure))
    ramp = (ground, *range(first, first + STEPS), figure)
    return bytes(ramp[round(covered * (STEPS + 1) / 255)] for covered in range(256))
