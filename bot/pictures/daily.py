"""A daily result to pass on."""

from bot.pictures.canvas import Canvas
from bot.pictures.faces import Weight
from bot.pictures.lettering import Style
from bot.pictures.look import INNER, MARGIN, TEXT, TITLE, WIDTH, standing
from bot.pictures.palette import BRASS, GLOW, INK, IVORY, MIST
from bot.pictures.shapes import CROSS, TICK, strokes
from bot.pictures.values import Daily as Result

SQUARE, APART = 92, 14
MOST = 6  # Wrong answers that are shown one by one
TIME = Style(264, Weight.DISPLAY)
SIGN = Style(60)
HINT, FLAME = "💡", "🔥"


def daily(value: Result, language: str = "en") -> bytes:
    """When and how hard, how it went, the time in large figures, and the days in a row."""
    middle = WIDTH / 2
    head = MARGIN + TITLE.cap
    below = head + 28 + TEXT.cap
    time = below + 68 + TIME.cap
    squares = round(time + 64)
    foot = squares + SQUARE + 64 + TEXT.cap
    canvas = Canvas(WIDTH, round(foot + MARGIN), language)
    canvas.text((middle, head), value.title, TITLE, IVORY, align="middle", room=INNER)
    canvas.text((middle, below), value.level, TEXT, MIST, align="middle", room=INNER)
    canvas.text((middle, time), value.time, TIME, IVORY, align="middle", room=INNER)
    _squares(canvas, value, squares)
    _streak(canvas, value, foot)
    return canvas.png()


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
    canvas.rounded((x, y, x + SQUARE, y + SQUARE), 18, ground)
    if sign == "×":
        canvas.stamp(strokes(SQUARE, CROSS, 11), at, IVORY, ground)
    elif sign == "✓":
        canvas.stamp(strokes(SQUARE, TICK, 11), at, INK, ground)
    else:
        colour = BRASS if sign == HINT else IVORY
        foot = standing(y + SQUARE / 2, SIGN)
        canvas.text((x + SQUARE / 2, foot), sign, SIGN, colour, ground, align="middle", room=SQUARE - 8)


def _streak(canvas: Canvas, value: Result, foot: float) -> None:
    figure = Style(TEXT.size, Weight.BOLD)
    parts = ((FLAME, TEXT, BRASS), (str(value.streak), figure, IVORY), (value.streak_title, TEXT, MIST))
    widths = [canvas.measured(text, style, INNER / 2).width for text, style, _ in parts]
    left = (WIDTH - sum(widths) - 36) / 2
    for (text, style, colour), wide in zip(parts, widths, strict=True):
        canvas.text((left, foot), text, style, colour, room=INNER / 2)
        left += wide + 18
