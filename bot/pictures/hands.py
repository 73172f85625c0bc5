"""What is dealt: cards and tiles with the target, dice."""

from collections.abc import Sequence
from functools import cache

from PIL import Image

from bot.pictures.canvas import (
    BRASS,
    INK,
    INNER,
    IVORY,
    LIP,
    MARGIN,
    MIST,
    SHADE,
    TARGET,
    TEXT,
    WIDTH,
    Box,
    Canvas,
    Colour,
    compute_baseline,
)
from bot.pictures.lettering import ART, TextStyle, Weight
from bot.pictures.values import Card, HandPicture, RollPicture, Tile, TilesPicture

SUITS = "♠♥♦♣"  # In the order of the rows of a sheet
HIGHEST = 13
SHEETS = {264: "cards.png", 192: "many.png", 132: "small.png"}  # By the width of a card
CARD, MANY, SMALL_CARD = (264, 370), (192, 268), (132, 166)
IN_A_ROW = 4
NARROWEST = 768  # A picture that is narrower would be shown smaller
ARROW = TextStyle(130, Weight.DISPLAY)
GAP = 32
TILE, DIE = 172, 200
BELOW = 64  # Between what is dealt and the target
# Where the pips of a die are.
FACES = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    6: ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
}


def draw_hand(value: HandPicture, language: str = "en") -> bytes:
    """The hand as cards on felt, and under it the target. Fewer in a row make a narrower picture.

    A chat shows it as wide as the others: the cards are larger then.
    """
    rows, size = _rows(value.cards)
    foot = MARGIN + len(rows) * size[1] + (len(rows) - 1) * GAP
    wide = max(NARROWEST, len(rows[0]) * (size[0] + GAP) - GAP + 2 * MARGIN)
    canvas = Canvas(wide, round(foot + BELOW + TARGET.cap_height + MARGIN), language)
    for number, row in enumerate(rows):
        left = (wide - len(row) * size[0] - (len(row) - 1) * GAP) // 2
        for place, each in enumerate(row):
            draw_card(canvas, each, (left + place * (size[0] + GAP), MARGIN + number * (size[1] + GAP)), size)
    draw_target(canvas, value.target, foot + BELOW)
    return canvas.encode_png()


def _rows(cards: Sequence[Card]) -> tuple[list[Sequence[Card]], tuple[int, int]]:
    """Few cards in one row, more in two of smaller ones."""
    if len(cards) <= IN_A_ROW:
        return [cards], CARD
    half = (len(cards) + 1) // 2
    return [cards[:half], cards[half:]], MANY


def draw_tiles(value: TilesPicture, language: str = "en") -> bytes:
    """Countdown's tiles, and under them the target."""
    foot = MARGIN + TILE + LIP
    canvas = Canvas(WIDTH, round(foot + BELOW + TARGET.cap_height + MARGIN), language)
    count = len(value.tiles)
    step = (INNER - count * TILE) // (count - 1) + TILE
    for place, number in enumerate(value.tiles):
        draw_tile(canvas, number, (MARGIN + place * step, MARGIN), (TILE, TILE), 84)
    draw_target(canvas, value.target, foot + BELOW)
    return canvas.encode_png()


def draw_roll(value: RollPicture, language: str = "en") -> bytes:
    """Five dice in a row."""
    top = MARGIN + (round(TEXT.cap_height) + 52 if value.title else 0)
    canvas = Canvas(WIDTH, top + DIE + LIP + MARGIN, language)
    if value.title:
        canvas.draw_text(
            (WIDTH / 2, MARGIN + TEXT.cap_height), value.title, TEXT, MIST, align="middle", max_width=INNER
        )
    step = (INNER - len(value.dice) * DIE) // (len(value.dice) - 1) + DIE
    for place, face in enumerate(value.dice):
        draw_die(canvas, face, (MARGIN + place * step, top), DIE)
    return canvas.encode_png()


def draw_target(canvas: Canvas, number: int, top: float) -> None:
    """An arrow and the number, the largest thing in the picture."""
    sign = canvas.measure_text("→", ARROW)
    room = canvas.width - 2 * MARGIN - sign.width - GAP
    figure = canvas.measure_text(str(number), TARGET, room)
    left, middle = (canvas.width - figure.width - sign.width - GAP) / 2, top + TARGET.cap_height / 2
    canvas.draw_text((left, compute_baseline(middle, ARROW)), "→", ARROW, BRASS)
    foot = compute_baseline(middle, figure.style)
    canvas.draw_text((left + sign.width + GAP, foot), str(number), TARGET, IVORY, max_width=room)


@cache
def _sheet(name: str) -> Image.Image:
    """A sheet of faces, as indices into the palette."""
    with Image.open(ART / name) as sheet:
        return Image.frombytes("L", sheet.size, sheet.tobytes())


@cache
def _face(card: Card, width: int, height: int) -> Image.Image:
    left, top = width * (card.number - 1), height * SUITS.index(card.suit)
    return _sheet(SHEETS[width]).crop((left, top, left + width, top + height))


def draw_card(canvas: Canvas, card: Card, at: tuple[int, int], size: tuple[int, int]) -> None:
    """A card of one of the sizes in which there are faces."""
    if 1 <= card.number <= HIGHEST:
        canvas.paste(_face(card, *size), at)
    else:
        draw_tile(canvas, card.number, at, (size[0], size[1] - LIP), size[0] // 2)


def draw_small_leaf(canvas: Canvas, leaf: Card | Tile, at: tuple[int, int]) -> None:
    """A small card with rank and suit alone, or a tile of the same width, both standing on the same line."""
    width, height = SMALL_CARD
    if isinstance(leaf, Card):
        draw_card(canvas, leaf, at, SMALL_CARD)
    else:
        draw_tile(canvas, leaf.number, (at[0], at[1] + height - width), (width, width - LIP), 62)


def draw_tile(canvas: Canvas, number: int, at: tuple[int, int], size: tuple[int, int], figure: int) -> None:
    """A plain piece of ivory with a number in its middle, and below its size its lip."""
    (left, top), (width, height) = at, size
    draw_ivory_piece(canvas, (left, top, left + width, top + height), 16 + min(size) // 24)
    style = TextStyle(figure, Weight.DISPLAY, min_size=figure // 3)
    style = canvas.measure_text(str(number), style, width * 0.84).style
    middle = compute_baseline(top + height / 2, style)
    canvas.draw_text((left + width / 2, middle), str(number), style, INK, IVORY, align="middle")


def draw_die(canvas: Canvas, face: int, at: tuple[int, int], size: int) -> None:
    """A die with its lip."""
    draw_ivory_piece(canvas, (at[0], at[1], at[0] + size, at[1] + size), 24)
    draw_pips(canvas, face, at, size, INK, IVORY)


def draw_pips(canvas: Canvas, face: int, at: tuple[int, int], size: int, colour: Colour, on: Colour) -> None:
    """The pips of a face in a square of that size."""
    middle, apart = size / 2, size * 0.27
    broad = 2 * round(size * 0.1)
    for x, y in FACES[face]:
        canvas.fill_disc((at[0] + middle + x * apart, at[1] + middle + y * apart), broad, colour, on)


def draw_ivory_piece(canvas: Canvas, box: Box, radius: int) -> None:
    """A piece of ivory on felt, and below the box its lip."""
    left, top, right, bottom = box
    canvas.fill_rounded_box((left, top + LIP, right, bottom + LIP), radius, SHADE)
    canvas.fill_rounded_box((left, top, right, bottom - radius), radius, IVORY, corners="ne")
    canvas.fill_rounded_box((left, bottom - 2 * radius, right, bottom), radius, IVORY, SHADE, "sw")
