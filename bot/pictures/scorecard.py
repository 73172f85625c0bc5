"""A score card: which roll is placed where, and what it comes to."""

from functools import cache

from PIL import Image

from bot.pictures.canvas import (
    BRASS,
    CLEAR,
    GREY,
    INK,
    INNER,
    IVORY,
    LIP,
    MARGIN,
    MIST,
    TITLE,
    WIDTH,
    Canvas,
    compute_baseline,
)
from bot.pictures.hands import draw_ivory_piece, draw_pips
from bot.pictures.lettering import TextStyle, Weight
from bot.pictures.values import ScoreCardPicture, ScoreRow

ROW, RULE = 80, 3
EDGE = 36  # Between the paper's edge and what is written on it
LABEL = TextStyle(48, min_size=36)
SCORE = TextStyle(54, Weight.BOLD, tabular=True)
TOTAL = TextStyle(144, Weight.DISPLAY)
DIE, APART = 54, 10
DICE = 5 * DIE + 4 * APART
SCORES = 130  # The width kept for a score


def draw_score_card(value: ScoreCardPicture, language: str = "en") -> bytes:
    """The card on its paper, with the total above it."""
    head = round(MARGIN + TOTAL.cap_height + 48)
    paper = round((len(value.upper) + len(value.lower) + 1) * ROW + EDGE)
    canvas = Canvas(WIDTH, head + paper + LIP + MARGIN, language)
    _head(canvas, value)
    box = (MARGIN, head, WIDTH - MARGIN, head + paper)
    draw_ivory_piece(canvas, box, 24)
    rows = (*value.upper, value.bonus, *value.lower)
    for number, row in enumerate(rows):
        middle = head + EDGE // 2 + number * ROW + ROW // 2
        _row(canvas, row, middle)
        strong = number in (len(value.upper), len(value.upper) - 1)
        if number < len(rows) - 1:
            _rule(canvas, middle + ROW // 2, strong=strong)
    return canvas.encode_png()


def _head(canvas: Canvas, value: ScoreCardPicture) -> None:
    foot = MARGIN + TOTAL.cap_height
    total = "" if value.total.score is None else str(value.total.score)
    wide = canvas.draw_text((WIDTH - MARGIN, foot), total, TOTAL, BRASS, align="right")
    room = INNER - wide - 48
    below = foot - LABEL.cap_height - MARGIN - TITLE.cap_height - CLEAR
    canvas.draw_text(
        (MARGIN, MARGIN + TITLE.cap_height), value.title, TITLE, IVORY, max_width=room, max_depth=below
    )
    canvas.draw_text((MARGIN, foot), value.total.label, LABEL, MIST, max_width=room)


def _row(canvas: Canvas, row: ScoreRow, middle: int) -> None:
    """A category: what it is called, the roll, its score; a dash while it is open."""
    left, right = MARGIN + EDGE, WIDTH - MARGIN - EDGE
    dice = right - SCORES - DICE
    room = (dice if row.dice else right - SCORES) - left - 24
    canvas.draw_text((left, compute_baseline(middle, LABEL)), row.label, LABEL, INK, IVORY, max_width=room)
    for place, face in enumerate(row.dice):
        canvas.paste(_die(face), (dice + place * (DIE + APART), middle - DIE // 2))
    score, colour = ("–", GREY) if row.score is None else (str(row.score), INK)
    canvas.draw_text((right, compute_baseline(middle, SCORE)), score, SCORE, colour, IVORY, align="right")


@cache
def _die(face: int) -> Image.Image:
    """A die as it is printed on the paper."""
    canvas = Canvas(DIE, DIE, ground=IVORY)
    canvas.fill_rounded_box((0, 0, DIE, DIE), 12, INK, IVORY)
    draw_pips(canvas, face, (0, 0), DIE, IVORY, INK)
    return canvas.get_image()


def _rule(canvas: Canvas, y: int, *, strong: bool) -> None:
    left, right = MARGIN + EDGE, WIDTH - MARGIN - EDGE
    canvas.fill_box(
        (left, y - RULE // 2, right, y - RULE // 2 + (RULE if strong else 1)), INK if strong else MIST
    )
