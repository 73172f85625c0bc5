"""Draw a daily result to share."""

from bot.pictures.canvas import CROSS, INNER, MARGIN, TEXT, TICK, TITLE, WIDTH, Canvas, make_strokes_mask
from bot.pictures.lettering import TextStyle, Weight
from bot.pictures.palette import BRASS, GLOW, INK, IVORY, MIST
from bot.pictures.values import DailyPicture

SQUARE = 92
GAP = 14
MAX_SQUARES = (INNER + GAP) // (SQUARE + GAP)  # in the row
MAX_CROSSES = 6  # more wrong answers are a number, and fewer crosses fit beside more than three bulbs
TIME = TextStyle(264, Weight.DISPLAY, min_size=120)
STREAK_GAP = 18  # between the flame, the figure and the words
SIGN = TextStyle(60)
HINT = "💡"
FLAME = "🔥"


def draw_daily_result(picture: DailyPicture, language: str = "en") -> bytes:
    """Draw the day and difficulty, the time in large figures, the attempts, and the days in a row."""
    middle = WIDTH / 2
    title_foot = MARGIN + TITLE.cap_height
    level_foot = title_foot + 28 + TEXT.cap_height
    time_foot = level_foot + 68 + TIME.cap_height
    squares_top = round(time_foot + 64)
    streak_foot = squares_top + SQUARE + 64 + TEXT.cap_height
    canvas = Canvas(WIDTH, round(streak_foot + MARGIN), language)
    canvas.draw_text((middle, title_foot), picture.title, TITLE, IVORY, align="middle", max_width=INNER)
    canvas.draw_text((middle, level_foot), picture.difficulty, TEXT, MIST, align="middle", max_width=INNER)
    style = canvas.measure_text(picture.time, TIME, INNER).style  # Smaller for a long time
    foot = style.get_baseline(time_foot - TIME.cap_height / 2)
    canvas.draw_text((middle, foot), picture.time, style, IVORY, align="middle", max_width=INNER)
    _draw_squares(canvas, picture, squares_top)
    _draw_streak(canvas, picture, streak_foot)
    return canvas.encode_png()


def _draw_squares(canvas: Canvas, picture: DailyPicture, top: int) -> None:
    """Draw a cross for each wrong answer (`+3` if three have no room), a bulb for each hint, and a tick."""
    room_for_crosses = MAX_SQUARES - picture.hints - 2  # without the tick and the number
    crosses = min(picture.wrong, MAX_CROSSES, room_for_crosses)
    signs = ["×"] * crosses
    if picture.wrong > crosses:
        signs.append(f"+{picture.wrong - crosses}")
    signs += [HINT] * picture.hints
    signs.append("✓")
    row_width = len(signs) * (SQUARE + GAP) - GAP
    left = (WIDTH - row_width) // 2
    for place, sign in enumerate(signs):
        x = left + place * (SQUARE + GAP)
        ground = BRASS if sign == "✓" else GLOW
        canvas.fill_rounded_box((x, top, x + SQUARE, top + SQUARE), radius=18, colour=ground)
        if sign == "×":
            canvas.stamp(make_strokes_mask(SQUARE, CROSS, width=11), (x, top), IVORY, ground)
        elif sign == "✓":
            canvas.stamp(make_strokes_mask(SQUARE, TICK, width=11), (x, top), INK, ground)
        else:  # A bulb or a number
            at = (x + SQUARE / 2, SIGN.get_baseline(top + SQUARE / 2))
            colour = BRASS if sign == HINT else IVORY
            canvas.draw_text(at, sign, SIGN, colour, ground, align="middle", max_width=SQUARE - 8)


def _draw_streak(canvas: Canvas, picture: DailyPicture, foot: float) -> None:
    """Draw a flame, the days in a row, and their title, together in the middle of the line."""
    parts = (
        (FLAME, TEXT, BRASS),
        (str(picture.streak), TextStyle(TEXT.size, Weight.BOLD), IVORY),
        (picture.streak_title, TEXT, MIST),
    )
    width = 2.0 * STREAK_GAP
    for text, style, _ in parts:
        width += canvas.measure_text(text, style, INNER / 2).width
    left = (WIDTH - width) / 2
    for text, style, colour in parts:
        left += canvas.draw_text((left, foot), text, style, colour, max_width=INNER / 2)
        left += STREAK_GAP
