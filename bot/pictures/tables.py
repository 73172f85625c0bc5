"""Who stands where: the end of a race and of a duel, and a leaderboard's week."""

from collections.abc import Sequence

from bot.pictures.canvas import Canvas
from bot.pictures.faces import Weight
from bot.pictures.lettering import Style
from bot.pictures.look import CLEAR, FIGURE, INNER, MARGIN, NAME, SMALL, TEXT, WIDTH, standing
from bot.pictures.palette import BRASS, GLOW, IVORY, MIST
from bot.pictures.shapes import ring
from bot.pictures.values import Duel, Line, Race, Week

MOST = 10
"""Lines of a table that are drawn."""
RANKS = 92
"""The width kept for a rank."""
FIRST_NAME, FIRST_POINTS = Style(76, Weight.BOLD), Style(132, Weight.DISPLAY)
NOTE = Style(52, least=30)
FIRST_ROW, ROW = 172, 120
BAR, ABOVE = 14, 28
"""How thick a bar is, and how far below its name."""
SCORE = Style(176, Weight.DISPLAY)
MARK, APART = 40, 20
DUELLIST = 216
CHART, COLUMN, BETWEEN = 84, 44, 26
"""Of a week's columns: how tall the tallest is, how broad each, and how far apart."""
DAY_ROW = 136
DAY = Style(40, least=30)
WEEK = 7
POINTS = 184
"""The width kept for a week's points."""


def heading(canvas: Canvas, title: str) -> int:
    """A title over a table; returns where the table begins."""
    canvas.text((MARGIN, MARGIN + TEXT.cap), title, TEXT, MIST, room=INNER)
    return round(MARGIN + TEXT.cap + 40)


def race(value: Race, language: str = "en") -> bytes:
    """Everybody's points as bars, the winner's in large figures."""
    lines = value.lines[:MOST]
    rows = [FIRST_ROW if line.rank == 1 else ROW for line in lines] or [ROW]
    canvas = Canvas(WIDTH, round(MARGIN + TEXT.cap + 40 + sum(rows) + MARGIN - 24), language)
    top, most = heading(canvas, value.title), max((line.points for line in lines), default=0)
    if not lines:
        canvas.text((MARGIN, top + ROW / 2), value.note, NOTE, IVORY, room=INNER)
    for line, height in zip(lines, rows, strict=False):
        _line(canvas, line, top, height, line.points / most if most > 0 else 0)
        top += height
    return canvas.png()


def _line(canvas: Canvas, line: Line, top: int, height: int, part: float) -> None:
    """Rank, name and points, and under them the bar."""
    first = line.rank == 1
    named, figure = (FIRST_NAME, FIRST_POINTS) if first else (NAME, FIGURE)
    colour = BRASS if first else IVORY
    foot, right = top + height - BAR - ABOVE - 20, WIDTH - MARGIN
    canvas.text((MARGIN, foot), f"{line.rank}", Style(named.size, named.weight, tabular=True), MIST)
    wide = canvas.text((right, foot), str(line.points), figure, colour, align="right")
    left = MARGIN + RANKS
    canvas.text((left, foot), line.name, named, IVORY, room=right - wide - 32 - left, below=ABOVE - CLEAR)
    bar(canvas, (left, foot + ABOVE, right, foot + ABOVE + BAR), part, colour)


def bar(canvas: Canvas, box: tuple[int, int, int, int], part: float, colour: int) -> None:
    """A bar of which a part is filled; whatever is more than nothing shows."""
    left, top, right, bottom = box
    tall = bottom - top
    canvas.rounded(box, tall // 2, GLOW)
    if part > 0:
        canvas.rounded((left, top, left + max(tall, round((right - left) * part)), bottom), tall // 2, colour)


def duel(value: Duel, language: str = "en") -> bytes:
    """Both names with the hands that each won, and the score in large figures."""
    canvas = Canvas(WIDTH, round(MARGIN + TEXT.cap + 40 + 2 * DUELLIST + MARGIN - 24), language)
    top = heading(canvas, value.title)
    canvas.fill((MARGIN, top + DUELLIST, WIDTH - MARGIN, top + DUELLIST + 3), GLOW)
    for who in (0, 1):
        _duellist(canvas, value, who, top + who * DUELLIST)
    return canvas.png()


def _duellist(canvas: Canvas, value: Duel, who: int, top: int) -> None:
    won = value.winner == who
    middle, right = top + DUELLIST / 2, WIDTH - MARGIN
    colour = BRASS if won else IVORY
    wide = canvas.text((right, standing(middle, SCORE)), str(value.score[who]), SCORE, colour, align="right")
    style = FIRST_NAME if won else Style(FIRST_NAME.size)
    foot, marks = middle - 8, round(middle + 30)
    below = marks - foot - CLEAR
    canvas.text((MARGIN, foot), value.names[who], style, IVORY, room=INNER - wide - 48, below=below)
    for place, winners in enumerate(value.hands):
        at = (MARGIN + place * (MARK + APART), marks)
        _mark(canvas, at, full=who in winners, colour=colour)


def _mark(canvas: Canvas, at: tuple[int, int], *, full: bool, colour: int) -> None:
    """A full disc for a hand that was won, a ring for another's."""
    if full:
        canvas.disc((at[0] + MARK / 2, at[1] + MARK / 2), MARK, colour)
    else:
        canvas.stamp(ring(MARK, 5), at, MIST)


def week(value: Week, language: str = "en") -> bytes:
    """The week's points, with a small chart of the seven days beside each name."""
    lines = value.lines[:MOST]
    head = round(MARGIN + TEXT.cap + 40 + SMALL.cap + 28)
    canvas = Canvas(WIDTH, head + len(lines) * DAY_ROW + MARGIN - 36, language)
    heading(canvas, value.title)
    left = WIDTH - MARGIN - POINTS - 24 - len(value.days) * (COLUMN + BETWEEN) + BETWEEN
    for place, day in enumerate(value.days):
        x = left + place * (COLUMN + BETWEEN) + COLUMN / 2
        canvas.text((x, head - 16), day, DAY, MIST, align="middle", room=COLUMN + BETWEEN)
    most = max((n for _, days in lines for n in days), default=0)
    for number, (line, days) in enumerate(lines):
        _week(canvas, line, days, most, (left, head + number * DAY_ROW))
    return canvas.png()


def _week(canvas: Canvas, line: Line, days: Sequence[int], most: int, at: tuple[int, int]) -> None:
    left, foot = at[0], at[1] + DAY_ROW - 36
    first = line.rank == 1
    named = Style(NAME.size, Weight.BOLD) if first else NAME
    figure, colour = (Style(88, Weight.DISPLAY, least=48), BRASS) if first else (FIGURE, IVORY)
    canvas.text((MARGIN, foot), str(line.rank), Style(NAME.size, tabular=True), MIST)
    canvas.text((MARGIN + RANKS, foot), line.name, named, IVORY, room=left - MARGIN - RANKS - 40)
    canvas.text((WIDTH - MARGIN, foot), str(line.points), figure, colour, align="right", room=POINTS)
    whole = [*days, *[0] * (WEEK - len(days))]
    columns(canvas, (left, foot - CHART, 0, foot), whole, most, (COLUMN, BETWEEN), colour)


def columns(
    canvas: Canvas,
    box: tuple[int, int, int, int],
    amounts: Sequence[int],
    most: int,
    sizes: tuple[int, int],
    colour: int,
) -> None:
    """A column for each amount, and a low stub for nothing; `sizes` are a column's breadth and the gap."""
    left, top, _, foot = box
    broad, apart = sizes
    for place, amount in enumerate(amounts):
        x = left + place * (broad + apart)
        canvas.fill((x, foot - 5, x + broad, foot), GLOW)
        if amount > 0:
            tall = max(10, round((foot - top) * amount / most))
            canvas.rounded((x, foot - tall, x + broad, foot), min(8, broad // 3), colour, corners="ne")
