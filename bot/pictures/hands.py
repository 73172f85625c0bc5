"""Draw what is dealt: cards or tiles with the target, or dice."""

from functools import cache

from PIL import Image

from bot.pictures.canvas import BOTTOM_CORNERS, INNER, LIP, MARGIN, TARGET, TOP_CORNERS, WIDTH, Box, Canvas
from bot.pictures.lettering import ART, TextStyle, Weight
from bot.pictures.palette import BRASS, GREY, INK, IVORY, SHADE, Colour
from bot.pictures.values import Card, HandPicture, RollPicture, TilesPicture

# Widths and heights
CARD = (264, 370)
MEDIUM_CARD = (192, 268)
SMALL_CARD = (132, 166)
CARDS_IN_A_ROW = 4
MIN_WIDTH = 768  # a narrower picture would be shown smaller
ARROW = TextStyle(130, Weight.DISPLAY)
GAP = 32
TILE = 172
DIE = 200
TARGET_GAP = 64  # above the target
FACES = {  # places of the pips of a die
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    6: ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
}


def draw_hand(picture: HandPicture, language: str = "en") -> bytes:
    """Draw the cards on felt, five or six in two rows, and below them the target.

    Fewer cards make a narrower picture. A chat shows it as wide as others, so its cards are larger.
    """
    rows = [picture.cards]
    card_size = CARD
    if len(picture.cards) > CARDS_IN_A_ROW:
        half = (len(picture.cards) + 1) // 2
        rows = [picture.cards[:half], picture.cards[half:]]
        card_size = MEDIUM_CARD
    card_width, card_height = card_size
    foot = MARGIN + len(rows) * (card_height + GAP) - GAP
    row_widths = [len(row) * (card_width + GAP) - GAP for row in rows]
    width = max(MIN_WIDTH, row_widths[0] + 2 * MARGIN)
    canvas = Canvas(width, round(foot + TARGET_GAP + TARGET.cap_height + MARGIN), language)
    for number, row in enumerate(rows):
        top = MARGIN + number * (card_height + GAP)
        left = (width - row_widths[number]) // 2
        for place, card in enumerate(row):
            draw_card(canvas, card, (left + place * (card_width + GAP), top), card_size)
    draw_target(canvas, picture.target, foot + TARGET_GAP)
    return canvas.encode_png()


def draw_tiles(picture: TilesPicture, language: str = "en") -> bytes:
    """Draw Countdown's tiles, and below them the target."""
    foot = MARGIN + TILE + LIP
    canvas = Canvas(WIDTH, round(foot + TARGET_GAP + TARGET.cap_height + MARGIN), language)
    count = len(picture.tiles)
    step = (INNER - count * TILE) // (count - 1) + TILE  # From one tile to the next, over the whole width
    for place, number in enumerate(picture.tiles):
        draw_tile(canvas, number, (MARGIN + place * step, MARGIN), (TILE, TILE), em=84)
    draw_target(canvas, picture.target, foot + TARGET_GAP)
    return canvas.encode_png()


def draw_roll(picture: RollPicture, language: str = "en") -> bytes:
    canvas = Canvas(WIDTH, MARGIN + DIE + LIP + MARGIN, language)
    count = len(picture.dice)
    step = (INNER - count * DIE) // (count - 1) + DIE  # From one die to the next, over the whole width
    for place, face in enumerate(picture.dice):
        left = MARGIN + place * step
        draw_ivory_piece(canvas, (left, MARGIN, left + DIE, MARGIN + DIE), radius=24)
        draw_pips(canvas, face, (left, MARGIN), DIE, colour=INK, ground=IVORY)
    return canvas.encode_png()


def draw_target(canvas: Canvas, number: int, top: float) -> None:
    """Draw an arrow and the number, the largest part of the picture, in the middle of its width."""
    width = canvas.image.width
    arrow = canvas.measure_text("→", ARROW)
    max_width = width - 2 * MARGIN - arrow.width - GAP
    figure = canvas.measure_text(str(number), TARGET, max_width)
    left = (width - figure.width - arrow.width - GAP) / 2
    middle = top + TARGET.cap_height / 2
    canvas.draw_text((left, ARROW.get_baseline(middle)), "→", ARROW, BRASS)
    foot = figure.style.get_baseline(middle)  # The figure's style may be smaller than `TARGET`
    canvas.draw_text((left + arrow.width + GAP, foot), str(number), TARGET, IVORY, max_width=max_width)


SUITS = "♠♥♦♣"  # in the order of the rows of a sheet
SHEETS = {264: "cards.png", 192: "many.png", 132: "small.png"}  # by the width of a card


@cache
def _load_sheet(name: str) -> Image.Image:
    """Load a sheet with the faces of cards, as indices into the palette."""
    with Image.open(ART / name) as sheet:
        return Image.frombytes("L", sheet.size, sheet.tobytes())


@cache
def get_card_face(card: Card, size: tuple[int, int]) -> Image.Image:
    """Return the picture of a card, as indices into the palette; KeyError for a size without a sheet."""
    width, height = size
    left = width * (card.number - 1)  # Aces are at the left
    top = height * SUITS.index(card.suit)
    return _load_sheet(SHEETS[width]).crop((left, top, left + width, top + height))


LETTERED = (1, 11, 12, 13)  # Cards whose corner has a letter
# By the width of a card: the size of its worth, and how far from the right and how far down it stands
WORTHS = {264: (42, 16, 46), 192: (31, 11, 33), 132: (34, 7, 135)}


def draw_card(canvas: Canvas, card: Card, at: tuple[int, int], size: tuple[int, int]) -> None:
    """Draw a card, with its worth at the right if it is an ace, jack, queen or king."""
    left, top = at
    width, _ = size
    canvas.image.paste(get_card_face(card, size), at)
    if card.number in LETTERED:
        size_of_worth, right, down = WORTHS[width]
        style = TextStyle(size_of_worth, Weight.DISPLAY)
        foot = (left + width - right, top + down)
        canvas.draw_text(foot, str(card.number), style, GREY, IVORY, align="right")


def draw_tile(canvas: Canvas, number: int, at: tuple[int, int], size: tuple[int, int], em: int) -> None:
    """Draw a plain tile with a number of up to `em` pixels in its middle, and its lip below `size`."""
    left, top = at
    width, height = size
    draw_ivory_piece(canvas, (left, top, left + width, top + height), radius=16 + min(size) // 24)
    largest_style = TextStyle(em, Weight.DISPLAY, min_size=em // 3)
    style = canvas.measure_text(str(number), largest_style, max_width=width * 0.84).style
    foot = style.get_baseline(top + height / 2)
    canvas.draw_text((left + width / 2, foot), str(number), style, INK, IVORY, align="middle")


def draw_pips(
    canvas: Canvas, face: int, at: tuple[int, int], size: int, colour: Colour, ground: Colour
) -> None:
    """Draw the pips of a die's face in a square; `at` is its top left."""
    left, top = at
    middle_x = left + size / 2
    middle_y = top + size / 2
    step = size * 0.27  # from a pip to the one beside it
    pip_size = 2 * round(size * 0.1)  # an even number of pixels
    for x, y in FACES[face]:
        canvas.fill_disc((middle_x + x * step, middle_y + y * step), pip_size, colour, ground)


def draw_ivory_piece(canvas: Canvas, box: Box, radius: int) -> None:
    """Draw a piece of ivory on felt, and its lip below the box."""
    left, top, right, bottom = box
    canvas.fill_rounded_box((left, top + LIP, right, bottom + LIP), radius, SHADE)
    # The upper corners are on felt, the lower ones on the lip
    canvas.fill_rounded_box((left, top, right, bottom - radius), radius, IVORY, corners=TOP_CORNERS)
    lower_part = (left, bottom - 2 * radius, right, bottom)
    canvas.fill_rounded_box(lower_part, radius, IVORY, ground=SHADE, corners=BOTTOM_CORNERS)
