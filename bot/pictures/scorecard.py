"""A score card: which roll is placed where, and what it comes to."""

from functools import cache

from PIL import Image

from bot.pictures.canvas import Canvas
from bot.pictures.faces import Weight
from bot.pictures.hands import ivory, pips
from bot.pictures.lettering import Style
from bot.pictures.look import CLEAR, INNER, LIP, MARGIN, TITLE, WIDTH, standing
from bot.pictures.palette import BRASS, GREY, INK, IVORY, MIST
from bot.pictures.values import Row, ScoreCard

ROW, RULE = 80, 3
EDGE = 36  # Between the paper's edge and what is written on it
LABEL = Style(48, least=36)
SCORE = Style(54, Weight.BOLD, tabular=True)
TOTAL = Style(144, Weight.DISPLAY)
DIE, APART = 54, 10
DICE = 5 * DIE + 4 * APART
SCORES = 130  # The width kept for a score


def scorecard(value: ScoreCard, language: str = "en") -> bytes:
    """The card on its paper, with the total above it."""
    head = round(MARGIN + TOTAL.cap + 48)
    paper = round((len(value.upper) + len(value.lower) + 1) * ROW + EDGE)
    canvas = Canvas(WIDTH, head + paper + LIP + MARGIN, language)
    _head(canvas, value)
    box = (MARGIN, head, WIDTH - MARGIN, head + paper)
    ivory(canvas, box, 24)
    rows = (*value.upper, value.bonus, *value.lower)
    for number, row in enumerate(rows):
        middle = head + EDGE // 2 + number * ROW + ROW // 2
        _row(canvas, row, middle)
        strong = number in (len(value.upper), len(value.upper) - 1)
        if number < len(rows) - 1:
            _rule(canvas, middle + ROW // 2, strong=strong)
    return canvas.png()


def _head(canvas: Canvas, value: ScoreCard) -> None:
    foot = MARGIN + TOTAL.cap
    total = "" if value.total.score is None else str(value.total.score)
    wide = canvas.text((WIDTH - MARGIN, foot), total, TOTAL, BRASS, align="right")
    room = INNER - wide - 48
    below = foot - LABEL.cap - MARGIN - TITLE.cap - CLEAR
    canvas.text((MARGIN, MARGIN + TITLE.cap), value.title, TITLE, IVORY, room=room, below=below)
    canvas.text((MARGIN, foot), value.total.label, LABEL, MIST, room=room)


def _row(canvas: Canvas, row: Row, middle: int) -> None:
    """A category: what it is called, the roll, its score; a dash while it is open."""
    left, right = MARGIN + EDGE, WIDTH - MARGIN - EDGE
    dice = right - SCORES - DICE
    room = (dice if row.dice else right - SCORES) - left - 24
    canvas.text((left, standing(middle, LABEL)), row.label, LABEL, INK, IVORY, room=room)
    for place, face in enumerate(row.dice):
        canvas.paste(_die(face), (dice + place * (DIE + APART), middle - DIE // 2))
    score, colour = ("–", GREY) if row.score is None else (str(row.score), INK)
    canvas.text((right, standing(middle, SCORE)), score, SCORE, colour, IVORY, align="right")


@cache
def _die(face: int) -> Image.Image:
    """A die as it is printed on the paper."""
    canvas = Canvas(DIE, DIE, ground=IVORY)
    canvas.rounded((0, 0, DIE, DIE), 12, INK, IVORY)
    pips(canvas, face, (0, 0), DIE, IVORY, INK)
    return canvas.image()


def _rule(canvas: Canvas, y: int, *, strong: bool) -> None:
    left, right = MARGIN + EDGE, WIDTH - MARGIN - EDGE
    canvas.fill(
        (left, y - RULE // 2, right, y - RULE // 2 + (RULE if strong else 1)), INK if strong else MIST
    )
