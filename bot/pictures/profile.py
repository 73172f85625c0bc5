"""A player's profile."""

from collections.abc import Sequence
from functools import cache

from PIL import Image

from bot.pictures.canvas import Canvas
from bot.pictures.faces import Weight
from bot.pictures.lettering import Style
from bot.pictures.look import CLEAR, INNER, LARGE, MARGIN, SMALL, TEXT, WIDTH, standing
from bot.pictures.palette import BRASS, GLOW, INK, IVORY, MIST
from bot.pictures.shapes import TICK, strokes
from bot.pictures.tables import MOST_POINTS, columns
from bot.pictures.values import Badge, Profile

TALLEST = 2000  # Of all that can be in it
NAMED = Style(76, Weight.BOLD)
BESIDE = 24  # Between the name and the game
FIRST = Style(176, Weight.DISPLAY, least=96)
MOST_BESIDE = 3  # Figures beside the first one
NEAREST, FARTHEST = 48, 120  # How far the columns of the figures are apart, at least and at most
TIME = Style(76, Weight.BOLD, tabular=True, least=48)
SECTION = 64  # Above each part
# How broad the chart is, each of its columns, and the gap between two: beside a calendar, and alone.
CHART, ALONE = (628, 14, 7), (INNER, 21, 18)
DAY, APART = 56, 12
WEEK = 7
BADGE = 84


def profile(value: Profile, language: str = "en") -> bytes:
    """Name and figures, best times, the last days, achievements; what there is none of is left out."""
    canvas = Canvas(WIDTH, TALLEST, language)
    _heading(canvas, value)
    foot = _figures(canvas, value.figures, MARGIN + NAMED.cap + 56)
    if value.best:
        foot = _best(canvas, value, foot + SECTION)
    if value.points or value.days:
        foot = _days(canvas, value, foot + SECTION)
    if value.badges:
        foot = _badges(canvas, value, foot + SECTION)
    return canvas.trimmed(round(foot + MARGIN)).png()


def _heading(canvas: Canvas, value: Profile) -> None:
    """The name, which is cut where it leaves no room for the game."""
    foot, game = MARGIN + NAMED.cap, f"· {value.game}" if value.game else ""
    wide = canvas.measured(game, NAMED).width + BESIDE if game else 0
    left = MARGIN + canvas.text((MARGIN, foot), value.name, NAMED, IVORY, room=INNER - wide)
    canvas.text((left + BESIDE, foot), game, NAMED, MIST)


def _figures(canvas: Canvas, figures: Sequence[tuple[str, str]], top: float) -> float:
    """The first one large, the others beside it; each as wide as the wider of its figure and its label."""
    foot = top + FIRST.cap
    below = foot + 24 + SMALL.cap
    styles = (FIRST, *[LARGE] * MOST_BESIDE)
    shown = list(zip(figures, styles, _rooms(canvas, figures[: len(styles)]), strict=False))
    free = INNER - sum(room for _, _, room in shown)
    apart = min(FARTHEST, free / max(1, len(shown) - 1))
    left = float(MARGIN)
    for (amount, what), style, room in shown:
        canvas.text((left, foot), amount, style, BRASS if style is FIRST else IVORY, room=room)
        canvas.text((left, below), what, SMALL, MIST, room=room)
        left += room + apart
    return below


def _rooms(canvas: Canvas, figures: Sequence[tuple[str, str]]) -> list[float]:
    """How wide each column is. Where they don't fit, the widest of those beside the first give way."""
    first, *others = (_wide(canvas, figure, FIRST if not n else LARGE) for n, figure in enumerate(figures))
    first = min(first, INNER / 2)
    left = INNER - first - len(others) * NEAREST
    most = 0.0
    for number, wide in enumerate(sorted(others)):
        most = min(wide, left / (len(others) - number))
        left -= most
    return [first, *(min(wide, most) for wide in others)]


def _wide(canvas: Canvas, figure: tuple[str, str], style: Style) -> float:
    amount, what = figure
    return max(canvas.measured(amount, style).width, canvas.measured(what, SMALL).width)


def _title(canvas: Canvas, at: tuple[float, float], title: str, room: float) -> float:
    """What a part shows; returns where it begins."""
    canvas.text((at[0], at[1] + SMALL.cap), title, SMALL, MIST, room=room)
    return at[1] + SMALL.cap + 28


def _best(canvas: Canvas, value: Profile, top: float) -> float:
    canvas.fill((MARGIN, round(top), WIDTH - MARGIN, round(top) + 3), GLOW)
    top = _title(canvas, (MARGIN, top + 36), value.best_title, INNER)
    foot, step = top + TIME.cap + 8, INNER / 4
    for place, (level, time) in enumerate(value.best):
        canvas.text((MARGIN + place * step, foot), time, TIME, IVORY, room=step - 24)
        canvas.text((MARGIN + place * step, foot + 24 + SMALL.cap), level, SMALL, MIST, room=step - 24)
    return foot + 24 + SMALL.cap


def _days(canvas: Canvas, value: Profile, top: float) -> float:
    """The points of the last days, and beside them the calendar if there is one."""
    canvas.fill((MARGIN, round(top), WIDTH - MARGIN, round(top) + 3), GLOW)
    top += 36
    weeks = -(-len(value.days) // WEEK) if value.days else 4
    foot = top + SMALL.cap + 28 + weeks * (DAY + APART) - APART
    right = WIDTH - MARGIN - WEEK * (DAY + APART) + APART if value.points else MARGIN
    if value.points:
        room, *sizes = CHART if value.days else ALONE
        begin = _title(canvas, (MARGIN, top), value.points_title, room)
        box = (MARGIN, round(begin), MARGIN + room, round(foot))
        most = max(value.points)
        tallest = box[0] + value.points.index(most) * (sizes[0] + sizes[1]) + sizes[0] / 2
        half = canvas.measured(str(most), MOST_POINTS).width / 2
        x = min(max(tallest, box[0] + half), box[2] - half)
        canvas.text((x, begin + MOST_POINTS.cap), str(most), MOST_POINTS, MIST, align="middle")
        below = (box[0], round(begin + MOST_POINTS.cap + CLEAR), box[2], box[3])
        columns(canvas, below, value.points, most, (sizes[0], sizes[1]), BRASS)
    if value.days:
        begin = _title(canvas, (right, top), value.days_title, WIDTH - MARGIN - right)
        for number, solved in enumerate(value.days):
            week, day = divmod(number, WEEK)
            at = (right + day * (DAY + APART), round(begin) + week * (DAY + APART))
            canvas.paste(_day(solved=solved), at)
    return foot


@cache
def _day(*, solved: bool) -> Image.Image:
    """A day's square: ivory and ticked where its hand was solved, and little more than felt where not."""
    canvas = Canvas(DAY, DAY)
    canvas.rounded((0, 0, DAY, DAY), 12, IVORY if solved else GLOW)
    if solved:
        canvas.stamp(strokes(DAY, TICK, 6), (0, 0), INK, IVORY)
    return canvas.image()


def _badges(canvas: Canvas, value: Profile, top: float) -> float:
    canvas.fill((MARGIN, round(top), WIDTH - MARGIN, round(top) + 3), GLOW)
    top = _title(canvas, (MARGIN, top + 36), value.badges_title, INNER)
    for number, badge in enumerate(value.badges):
        row, column = divmod(number, 2)
        _badge(canvas, badge, (MARGIN + column * INNER / 2, top + row * BADGE))
    return top + -(-len(value.badges) // 2) * BADGE - 8


def _badge(canvas: Canvas, badge: Badge, at: tuple[float, float]) -> None:
    foot = standing(at[1] + BADGE / 2, TEXT)
    canvas.text((at[0], foot), badge.sign, TEXT, BRASS, room=80)
    canvas.text((at[0] + 88, foot), badge.title, TEXT, IVORY, room=INNER / 2 - 120)
