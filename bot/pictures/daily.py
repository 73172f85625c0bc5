"""A daily result to pass on."""

from bot.pictures.canvas import (
    BRASS,
    CROSS,
    GLOW,
    INK,
    INNER,
    IVORY,
    MARGIN,
    MIST,
    TEXT,
    TICK,
    TITLE,
    WIDTH,
    Canvas,
    compute_baseline,
    make_strokes_mask,
)
from bot.pictures.lettering import TextStyle, Weight
from bot.pictures.values import DailyPicture as Result

SQUARE, APART = 92, 14
MOST = 6  # Wrong answers that are shown one by one
TIME = TextStyle(264, Weight.DISPLAY)
SIGN = TextStyle(60)
HINT, FLAME = "💡", "🔥"


def draw_daily_result(value: Result, language: str = "en") -> bytes:
    """When and how hard, how it went, the time in large figures, and the days in a row."""
    middle = WIDTH / 2
    head = MARGIN + TITLE.cap_height
    below = head + 28 + TEXT.cap_height
    time = below + 68 + TIME.cap_height
    squares = round(time + 64)
    foot = squares + SQUARE + 64 + TEXT.cap_height
    canvas = Canvas(WIDTH, round(foot + MARGIN), language)
    canvas.draw_text((middle, head), value.title, TITLE, IVORY, align="middle", max_width=INNER)
    canvas.draw_text((middle, below), value.level, TEXT, MIST, align="middle", max_width=INNER)
    canvas.draw_text((middle, time), value.time, TIME, IVORY, align="middle", max_width=INNER)
    _squares(canvas, value, squares)
    _streak(canvas, value, foot)
    return canvas.encode_png()


def _squares(canvas: Canvas, value: Result, top: int) -> None:
    """A cross for each wrong answer, a bulb for each hint, and the tick."""
    shown = min(value.wrong, MOST)
    more = f"+{value.wrong - MOST}" if value.wrong > MOST else ""
    signs = ["×"] * shown + ([more] if more else []) + [HINT] * value.hints + ["✓"]
    left = round(WIDTH - len(signs) * (SQUARE + APART) + APART) // 2
    for place, sign in enumerate(signs):
        _square(canvas, sign, (left + place * (SQUARE + APART), top))


def _square(canvas: Canvas, sign: str, at: tuple[int, int]) -> None:
    ground = BRASS if sign == "✓" else GLOW
    x, y = at
    canvas.fill_rounded_box((x, y, x + SQUARE, y + SQUARE), 18, ground)
    if sign == "×":
        canvas.stamp(make_strokes_mask(SQUARE, CROSS, 11), at, IVORY, ground)
    elif sign == "✓":
        canvas.stamp(make_strokes_mask(SQUARE, TICK, 11), at, INK, ground)
    else:
        colour = BRASS if sign == HINT else IVORY
        foot = compute_baseline(y + SQUARE / 2, SIGN)
        canvas.draw_text(
            (x + SQUARE / 2, foot), sign, SIGN, colour, ground, align="middle", max_width=SQUARE - 8
        )


def _streak(canvas: Canvas, value: Result, foot: float) -> None:
    figure = TextStyle(TEXT.size, Weight.BOLD)
    parts = ((FLAME, TEXT, BRASS), (str(value.streak), figure, IVORY), (value.streak_title, TEXT, MIST))
    widths = [canvas.measure_text(text, style, INNER / 2).width for text, style, _ in parts]
    left = (WIDTH - sum(widths) - 36) / 2
    for (text, style, colour), wide in zip(parts, widths, strict=True):
        canvas.draw_text((left, foot), text, style, colour, max_width=INNER / 2)
        left += wide + 18
