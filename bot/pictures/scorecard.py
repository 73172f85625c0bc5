"""Draw a score card."""

from functools import cache

from PIL import Image

from bot.pictures.canvas import CLEAR, INNER, LIP, MARGIN, TITLE, WIDTH, Canvas
from bot.pictures.hands import draw_ivory_piece, draw_pips
from bot.pictures.lettering import TextStyle, Weight
from bot.pictures.palette import BRASS, GREY, INK, IVORY, MIST, Colour
from bot.pictures.values import ScoreCardPicture, ScoreRow

ROW = 80
RULE = 3
PADDING = 36  # between the paper's edge and its text
LABEL = TextStyle(48, min_size=36)
SCORE = TextStyle(54, Weight.BOLD, tabular=True)
TOTAL = TextStyle(144, Weight.DISPLAY)
DIE = 54
GAP = 10
DICE_WIDTH = 5 * DIE + 4 * GAP
SCORE_WIDTH = 130


def draw_score_card(picture: ScoreCardPicture, language: str = "en") -> bytes:
    """Draw the card on its paper, with the total above it."""
    rows = (*picture.upper, picture.bonus, *picture.lower)
    paper_top = round(MARGIN + TOTAL.cap_height + 48)
    paper_foot = paper_top + len(rows) * ROW + PADDING
    canvas = Canvas(WIDTH, paper_foot + LIP + MARGIN, language)
    total_foot = MARGIN + TOTAL.cap_height
    total_at = (WIDTH - MARGIN, total_foot)
    total_width = canvas.draw_text(total_at, str(picture.total), TOTAL, BRASS, align="right")
    room = INNER - total_width - 48
    title_foot = MARGIN + TITLE.cap_height
    depth = total_foot - LABEL.cap_height - title_foot - CLEAR  # down to the label of the total
    canvas.draw_text((MARGIN, title_foot), picture.title, TITLE, IVORY, max_width=room, max_depth=depth)
    canvas.draw_text((MARGIN, total_foot), picture.total_label, LABEL, MIST, max_width=room)
    draw_ivory_piece(canvas, (MARGIN, paper_top, WIDTH - MARGIN, paper_foot), radius=24)
    for number, row in enumerate(rows):
        middle = paper_top + PADDING // 2 + number * ROW + ROW // 2
        _draw_row(canvas, row, middle)
        row_foot = middle + ROW // 2
        bonus_number = len(picture.upper)
        if number in (bonus_number - 1, bonus_number):  # Above and below the bonus
            _draw_rule(canvas, row_foot, RULE, INK)
        elif number < len(rows) - 1:
            _draw_rule(canvas, row_foot, 1, MIST)
    return canvas.encode_png()


def _draw_row(canvas: Canvas, row: ScoreRow, middle: int) -> None:
    """Draw name, roll and score of a category; a dash while it is open."""
    left = MARGIN + PADDING
    right = WIDTH - MARGIN - PADDING
    score_left = right - SCORE_WIDTH
    dice_left = score_left - DICE_WIDTH
    label_right = (dice_left if row.dice else score_left) - 24
    label_at = (left, LABEL.get_baseline(middle))
    canvas.draw_text(label_at, row.label, LABEL, INK, IVORY, max_width=label_right - left)
    for place, face in enumerate(row.dice):
        canvas.image.paste(_draw_die(face), (dice_left + place * (DIE + GAP), middle - DIE // 2))
    score_at = (right, SCORE.get_baseline(middle))
    if row.score is None:
        canvas.draw_text(score_at, "–", SCORE, GREY, IVORY, align="right")
    else:
        canvas.draw_text(score_at, str(row.score), SCORE, INK, IVORY, align="right")


@cache
def _draw_die(face: int) -> Image.Image:
    """Draw a small die as if printed on the paper: light pips on dark ink."""
    canvas = Canvas(DIE, DIE, ground=IVORY)
    canvas.fill_rounded_box((0, 0, DIE, DIE), radius=12, colour=INK, ground=IVORY)
    draw_pips(canvas, face, (0, 0), DIE, colour=IVORY, ground=INK)
    return canvas.image


def _draw_rule(canvas: Canvas, y: int, thickness: int, colour: Colour) -> None:
    """Draw a line below a row; a thin one has the same top as a thick one."""
    left = MARGIN + PADDING
    top = y - RULE // 2
    canvas.fill_box((left, top, WIDTH - left, top + thickness), colour)
