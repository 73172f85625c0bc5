"""Draw a player's profile."""

import math
from collections.abc import Sequence
from functools import cache

from PIL import Image

from bot.pictures.canvas import (
    CLEAR,
    INNER,
    LARGE,
    MARGIN,
    SMALL,
    TEXT,
    TICK,
    WIDTH,
    Canvas,
    make_strokes_mask,
)
from bot.pictures.lettering import TextStyle, Weight
from bot.pictures.palette import BRASS, GLOW, INK, IVORY, MIST
from bot.pictures.tables import MOST_POINTS, draw_columns
from bot.pictures.values import ProfilePicture

MAX_HEIGHT = 2000
NAME = TextStyle(76, Weight.BOLD)
GAME_GAP = 24  # between the name and the game
SECTION_GAP = 64  # above each part
TITLE_GAP = 28  # below the title of a part


def draw_profile(picture: ProfilePicture, language: str = "en") -> bytes:
    """Draw name and figures, best times, the last days and achievements; empty parts are left out."""
    canvas = Canvas(WIDTH, MAX_HEIGHT, language)  # Cut at the end
    foot = MARGIN + NAME.cap_height
    game = f"· {picture.game}" if picture.game else ""
    room = float(INNER)
    if game:
        room -= canvas.measure_text(game, NAME).width + GAME_GAP
    name_width = canvas.draw_text((MARGIN, foot), picture.name, NAME, IVORY, max_width=room)
    canvas.draw_text((MARGIN + name_width + GAME_GAP, foot), game, NAME, MIST)
    foot = _draw_figures(canvas, picture.figures, foot + 56)
    if picture.best:
        foot = _draw_best_times(canvas, picture, foot + SECTION_GAP)
    if picture.points or picture.days:
        foot = _draw_days(canvas, picture, foot + SECTION_GAP)
    if picture.badges:
        foot = _draw_badges(canvas, picture, foot + SECTION_GAP)
    canvas.image = canvas.image.crop((0, 0, WIDTH, round(foot + MARGIN)))
    return canvas.encode_png()


FIRST_FIGURE = TextStyle(176, Weight.DISPLAY, min_size=96)
FIGURE_STYLES = (FIRST_FIGURE, LARGE, LARGE, LARGE)  # of the figures that have room, in their order
MIN_FIGURE_GAP = 48
MAX_FIGURE_GAP = 120


def _draw_figures(canvas: Canvas, figures: Sequence[tuple[str, str]], top: float) -> float:
    """Draw the first figure large and up to three beside it, each above its label; return the foot."""
    amounts_foot = top + FIRST_FIGURE.cap_height
    labels_foot = amounts_foot + 24 + SMALL.cap_height
    widths = _share_width(canvas, figures[: len(FIGURE_STYLES)])
    gap = min(MAX_FIGURE_GAP, (INNER - sum(widths)) / max(1, len(widths) - 1))
    left = float(MARGIN)
    for (amount, label), style, width in zip(figures, FIGURE_STYLES, widths, strict=False):
        colour = BRASS if style is FIRST_FIGURE else IVORY
        canvas.draw_text((left, amounts_foot), amount, style, colour, max_width=width)
        canvas.draw_text((left, labels_foot), label, SMALL, MIST, max_width=width)
        left += width + gap
    return labels_foot


def _share_width(canvas: Canvas, figures: Sequence[tuple[str, str]]) -> list[float]:
    """Return the widths of the figures' columns: the first up to half, the widest others narrowed to fit."""
    widths = list[float]()
    for (amount, label), style in zip(figures, FIGURE_STYLES, strict=False):
        amount_width = canvas.measure_text(amount, style).width
        widths.append(max(amount_width, canvas.measure_text(label, SMALL).width))
    first_width = min(widths[0], INNER / 2)
    other_widths = widths[1:]
    room = INNER - first_width - len(other_widths) * MIN_FIGURE_GAP
    max_width = 0.0
    for number, width in enumerate(sorted(other_widths)):  # The narrowest leave their rest to the wider ones
        equal_share = room / (len(other_widths) - number)
        max_width = min(width, equal_share)
        room -= max_width
    return [first_width, *(min(width, max_width) for width in other_widths)]


def _draw_rule(canvas: Canvas, top: float) -> float:
    """Draw the line above a part, and return the y at which its title begins."""
    canvas.fill_box((MARGIN, round(top), WIDTH - MARGIN, round(top) + 3), GLOW)
    return top + 36


def _draw_title(canvas: Canvas, at: tuple[float, float], title: str, width: float) -> float:
    """Draw the title of a part with its top left at `at`, and return the y at which its content begins."""
    left, top = at
    foot = top + SMALL.cap_height
    canvas.draw_text((left, foot), title, SMALL, MIST, max_width=width)
    return foot + TITLE_GAP


TIME = TextStyle(76, Weight.BOLD, tabular=True, min_size=36)


def _draw_best_times(canvas: Canvas, picture: ProfilePicture, top: float) -> float:
    """Draw the best time of each level above its name; return the foot."""
    title_top = _draw_rule(canvas, top)
    times_top = _draw_title(canvas, (MARGIN, title_top), picture.best_title, INNER)
    times_foot = times_top + TIME.cap_height + 8
    levels_foot = times_foot + 24 + SMALL.cap_height
    step = INNER / 4  # for four levels
    for number, (level, time) in enumerate(picture.best):
        left = MARGIN + number * step
        canvas.draw_text((left, times_foot), time, TIME, IVORY, max_width=step - 24)
        canvas.draw_text((left, levels_foot), level, SMALL, MIST, max_width=step - 24)
    return levels_foot


DAY = 56  # size of a day's square
DAY_GAP = 12  # space between two
WEEK = 7
WEEKS = 4  # of height if there is no calendar
# Width of the chart, of a column, and of the gap between two: beside a calendar, and alone
CHART_BESIDE_CALENDAR = (628, 14, 7)
LONE_CHART = (INNER, 21, 18)


def _draw_days(canvas: Canvas, picture: ProfilePicture, top: float) -> float:
    """Draw a chart of the last days' points and beside it the calendar, if there are any; return the foot."""
    title_top = _draw_rule(canvas, top)
    weeks = math.ceil(len(picture.days) / WEEK) if picture.days else WEEKS
    foot = title_top + SMALL.cap_height + TITLE_GAP + weeks * (DAY + DAY_GAP) - DAY_GAP
    if picture.points:
        width, column_width, gap = CHART_BESIDE_CALENDAR if picture.days else LONE_CHART
        label_top = _draw_title(canvas, (MARGIN, title_top), picture.points_title, width)
        chart_top = round(label_top + MOST_POINTS.cap_height + CLEAR)
        box = (MARGIN, chart_top, MARGIN + width, round(foot))
        most = max(picture.points)
        draw_columns(
            canvas, box, picture.points, BRASS, most=most, width=column_width, gap=gap, is_labelled=True
        )
    if picture.days:
        calendar_width = WEEK * (DAY + DAY_GAP) - DAY_GAP
        left = WIDTH - MARGIN - calendar_width if picture.points else MARGIN
        _draw_calendar(canvas, picture, left, title_top)
    return foot


def _draw_calendar(canvas: Canvas, picture: ProfilePicture, left: int, top: float) -> None:
    """Draw the title of the days, and below it a square for each day, a week in a row."""
    days_top = round(_draw_title(canvas, (left, top), picture.days_title, WIDTH - MARGIN - left))
    for number, is_solved in enumerate(picture.days):
        week, weekday = divmod(number, WEEK)
        day_at = (left + weekday * (DAY + DAY_GAP), days_top + week * (DAY + DAY_GAP))
        canvas.image.paste(_draw_day(is_solved), day_at)


@cache
def _draw_day(is_solved: bool) -> Image.Image:
    """Draw the square of a day: ivory and ticked if its hand was solved, dim if not."""
    canvas = Canvas(DAY, DAY)
    canvas.fill_rounded_box((0, 0, DAY, DAY), radius=12, colour=IVORY if is_solved else GLOW)
    if is_solved:
        canvas.stamp(make_strokes_mask(DAY, TICK, width=6), (0, 0), INK, ground=IVORY)
    return canvas.image


BADGE_HEIGHT = 84


def _draw_badges(canvas: Canvas, picture: ProfilePicture, top: float) -> float:
    """Draw the achievements, two in a row; return the foot."""
    title_top = _draw_rule(canvas, top)
    top = _draw_title(canvas, (MARGIN, title_top), picture.badges_title, INNER)
    for number, badge in enumerate(picture.badges):
        row, column = divmod(number, 2)
        left = MARGIN + column * INNER / 2
        foot = TEXT.get_baseline(top + row * BADGE_HEIGHT + BADGE_HEIGHT / 2)
        canvas.draw_text((left, foot), badge.sign, TEXT, BRASS, max_width=80)
        canvas.draw_text((left + 88, foot), badge.title, TEXT, IVORY, max_width=INNER / 2 - 120)
    # The text of the last badges ends above their foot
    return top + math.ceil(len(picture.badges) / 2) * BADGE_HEIGHT - 8
