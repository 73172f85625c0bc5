"""A player's profile."""

from collections.abc import Sequence
from functools import cache

from PIL import Image

from bot.pictures.canvas import (
    BRASS,
    CLEAR,
    GLOW,
    INK,
    INNER,
    IVORY,
    LARGE,
    MARGIN,
    MIST,
    SMALL,
    TEXT,
    TICK,
    WIDTH,
    Canvas,
    compute_baseline,
    make_strokes_mask,
)
from bot.pictures.lettering import TextStyle, Weight
from bot.pictures.tables import MOST_POINTS, draw_columns
from bot.pictures.values import Badge, ProfilePicture

TALLEST = 2000  # Of all that can be in it
NAMED = TextStyle(76, Weight.BOLD)
BESIDE = 24  # Between the name and the game
FIRST = TextStyle(176, Weight.DISPLAY, min_size=96)
MOST_BESIDE = 3  # Figures beside the first one
NEAREST, FARTHEST = 48, 120  # How far the columns of the figures are apart, at least and at most
TIME = TextStyle(76, Weight.BOLD, tabular=True, min_size=48)
SECTION = 64  # Above each part
# How broad the chart is, each of its columns, and the gap between two: beside a calendar, and alone.
CHART, ALONE = (628, 14, 7), (INNER, 21, 18)
DAY, APART = 56, 12
WEEK = 7
BADGE = 84


def draw_profile(value: ProfilePicture, language: str = "en") -> bytes:
    """Name and figures, best times, the last days, achievements; what there is none of is left out."""
    canvas = Canvas(WIDTH, TALLEST, language)
    _heading(canvas, value)
    foot = _figures(canvas, value.figures, MARGIN + NAMED.cap_height + 56)
    if value.best:
        foot = _best(canvas, value, foot + SECTION)
    if value.points or value.days:
        foot = _days(canvas, value, foot + SECTION)
    if value.badges:
        foot = _badges(canvas, value, foot + SECTION)
    return canvas.trim_height(round(foot + MARGIN)).encode_png()


def _heading(canvas: Canvas, value: ProfilePicture) -> None:
    """The name, which is cut where it leaves no room for the game."""
    foot, game = MARGIN + NAMED.cap_height, f"· {value.game}" if value.game else ""
    wide = canvas.measure_text(game, NAMED).width + BESIDE if game else 0
    left = MARGIN + canvas.draw_text((MARGIN, foot), value.name, NAMED, IVORY, max_width=INNER - wide)
    canvas.draw_text((left + BESIDE, foot), game, NAMED, MIST)


def _figures(canvas: Canvas, figures: Sequence[tuple[str, str]], top: float) -> float:
    """The first one large, the others beside it; each as wide as the wider of its figure and its label."""
    foot = top + FIRST.cap_height
    below = foot + 24 + SMALL.cap_height
    styles = (FIRST, *[LARGE] * MOST_BESIDE)
    shown = list(zip(figures, styles, _rooms(canvas, figures[: len(styles)]), strict=False))
    free = INNER - sum(room for _, _, room in shown)
    apart = min(FARTHEST, free / max(1, len(shown) - 1))
    left = float(MARGIN)
    for (amount, what), style, room in shown:
        canvas.draw_text((left, foot), amount, style, BRASS if style is FIRST else IVORY, max_width=room)
        canvas.draw_text((left, below), what, SMALL, MIST, max_width=room)
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


def _wide(canvas: Canvas, figure: tuple[str, str], style: TextStyle) -> float:
    amount, what = figure
    return max(canvas.measure_text(amount, style).width, canvas.measure_text(what, SMALL).width)


def _title(canvas: Canvas, at: tuple[float, float], title: str, room: float) -> float:
    """What a part shows; returns where it begins."""
    canvas.draw_text((at[0], at[1] + SMALL.cap_height), title, SMALL, MIST, max_width=room)
    return at[1] + SMALL.cap_height + 28


def _best(canvas: Canvas, value: ProfilePicture, top: float) -> float:
    canvas.fill_box((MARGIN, round(top), WIDTH - MARGIN, round(top) + 3), GLOW)
    top = _title(canvas, (MARGIN, top + 36), value.best_title, INNER)
    foot, step = top + TIME.cap_height + 8, INNER / 4
    for place, (level, time) in enumerate(value.best):
        canvas.draw_text((MARGIN + place * step, foot), time, TIME, IVORY, max_width=step - 24)
        canvas.draw_text(
            (MARGIN + place * step, foot + 24 + SMALL.cap_height), level, SMALL, MIST, max_width=step - 24
        )
    return foot + 24 + SMALL.cap_height


def _days(canvas: Canvas, value: ProfilePicture, top: float) -> float:
    """The points of the last days, and beside them the calendar if there is one."""
    canvas.fill_box((MARGIN, round(top), WIDTH - MARGIN, round(top) + 3), GLOW)
    top += 36
    weeks = -(-len(value.days) // WEEK) if value.days else 4
    foot = top + SMALL.cap_height + 28 + weeks * (DAY + APART) - APART
    right = WIDTH - MARGIN - WEEK * (DAY + APART) + APART if value.points else MARGIN
    if value.points:
        room, *sizes = CHART if value.days else ALONE
        begin = _title(canvas, (MARGIN, top), value.points_title, room)
        box = (MARGIN, round(begin), MARGIN + room, round(foot))
        most = max(value.points)
        tallest = box[0] + value.points.index(most) * (sizes[0] + sizes[1]) + sizes[0] / 2
        half = canvas.measure_text(str(most), MOST_POINTS).width / 2
        x = min(max(tallest, box[0] + half), box[2] - half)
        canvas.draw_text((x, begin + MOST_POINTS.cap_height), str(most), MOST_POINTS, MIST, align="middle")
        below = (box[0], round(begin + MOST_POINTS.cap_height + CLEAR), box[2], box[3])
        draw_columns(canvas, below, value.points, most, (sizes[0], sizes[1]), BRASS)
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
    canvas.fill_rounded_box((0, 0, DAY, DAY), 12, IVORY if solved else GLOW)
    if solved:
        canvas.stamp(make_strokes_mask(DAY, TICK, 6), (0, 0), INK, IVORY)
    return canvas.get_image()


def _badges(canvas: Canvas, value: ProfilePicture, top: float) -> float:
    canvas.fill_box((MARGIN, round(top), WIDTH - MARGIN, round(top) + 3), GLOW)
    top = _title(canvas, (MARGIN, top + 36), value.badges_title, INNER)
    for number, badge in enumerate(value.badges):
        row, column = divmod(number, 2)
        _badge(canvas, badge, (MARGIN + column * INNER / 2, top + row * BADGE))
    return top + -(-len(value.badges) // 2) * BADGE - 8


def _badge(canvas: Canvas, badge: Badge, at: tuple[float, float]) -> None:
    foot = compute_baseline(at[1] + BADGE / 2, TEXT)
    canvas.draw_text((at[0], foot), badge.sign, TEXT, BRASS, max_width=80)
    canvas.draw_text((at[0] + 88, foot), badge.title, TEXT, IVORY, max_width=INNER / 2 - 120)
