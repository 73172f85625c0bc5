"""Who stands where: the end of a race and of a duel, and a leaderboard's week."""

from collections.abc import Sequence

from bot.pictures.canvas import (
    BRASS,
    CLEAR,
    FELT,
    FIGURE,
    GLOW,
    INK,
    INNER,
    IVORY,
    MARGIN,
    MIST,
    NAME,
    SMALL,
    TEXT,
    TICK,
    WIDTH,
    Canvas,
    compute_baseline,
    make_ring_mask,
    make_strokes_mask,
)
from bot.pictures.lettering import TextStyle, Weight
from bot.pictures.values import (
    DuelPicture,
    PodiumFact,
    PodiumPicture,
    PodiumPlace,
    RankedLine,
    RankingPicture,
    WeekPicture,
)

MOST = 10  # Lines of a table that are drawn
RANKS, LONG_RANKS = 92, 116  # The width kept for a rank, and for one of two figures
FIRST_NAME, FIRST_POINTS = TextStyle(76, Weight.BOLD), TextStyle(132, Weight.DISPLAY)
NOTE = TextStyle(52, min_size=30)
FIRST_ROW, ROW = 172, 120
FIRSTS = 3  # People who may share the first place in large letters; of more, none is larger than the others
LONGEST_NAME = 640  # The width of a name at most: ten of the longest are more than a small picture holds
BAR, ABOVE = 14, 28  # How thick a bar is, and how far below its name
SCORE = TextStyle(176, Weight.DISPLAY)
MARK, APART = 40, 20
CROWN = 72  # The tick before the winner's name
DUELLIST = 216
# Of a week's columns: how tall the tallest is, how broad each, and how far apart.
CHART, COLUMN, BETWEEN = 84, 44, 32
MOST_POINTS = TextStyle(40)  # What the tallest column comes to, above it
DAY_ROW = 136
DAY = TextStyle(40, min_size=30)
WEEK = 7
POINTS, BEFORE = 184, 40  # The width of a week's points at most, and what is left free before them


def draw_heading(canvas: Canvas, title: str) -> int:
    """A title over a table; returns where the table begins."""
    canvas.draw_text((MARGIN, MARGIN + TEXT.cap_height), title, TEXT, MIST, max_width=INNER)
    return round(MARGIN + TEXT.cap_height + 40)


def draw_ranking(value: RankingPicture, language: str = "en") -> bytes:
    """Everybody's points as bars, the winner's in large figures."""
    lines = value.lines[:MOST]
    large = sum(line.rank == 1 for line in lines) <= FIRSTS
    rows = [FIRST_ROW if large and line.rank == 1 else ROW for line in lines] or [ROW]
    canvas = Canvas(WIDTH, round(MARGIN + TEXT.cap_height + 40 + sum(rows) + MARGIN - 24), language)
    top, most = draw_heading(canvas, value.title), max((line.points for line in lines), default=0)
    if not lines:
        canvas.draw_text((MARGIN, top + ROW / 2), value.note, NOTE, IVORY, max_width=INNER)
    ranks = _ranks(lines)
    for line, height in zip(lines, rows, strict=False):
        _line(canvas, line, (top, height), line.points / most if most > 0 else 0, ranks)
        top += height
    return canvas.encode_png()


def _ranks(lines: Sequence[RankedLine]) -> int:
    """The width of the ranks of these lines."""
    return LONG_RANKS if any(line.rank > 9 for line in lines) else RANKS


def _line(canvas: Canvas, line: RankedLine, row: tuple[int, int], part: float, ranks: int) -> None:
    """Rank, name and points, and under them the bar."""
    (top, height), first = row, line.rank == 1
    named, figure = (FIRST_NAME, FIRST_POINTS) if height == FIRST_ROW else (NAME, FIGURE)
    colour = BRASS if first else IVORY
    foot, right = top + height - BAR - ABOVE - 20, WIDTH - MARGIN
    canvas.draw_text((MARGIN, foot), f"{line.rank}", TextStyle(named.size, named.weight, tabular=True), MIST)
    wide = canvas.draw_text((right, foot), str(line.points), figure, colour, align="right")
    left = MARGIN + ranks
    room = min(LONGEST_NAME, right - wide - 32 - left)
    canvas.draw_text((left, foot), line.name, named, IVORY, max_width=room, max_depth=ABOVE - CLEAR)
    draw_bar(canvas, (left, foot + ABOVE, right, foot + ABOVE + BAR), part, colour)


def draw_bar(canvas: Canvas, box: tuple[int, int, int, int], part: float, colour: int) -> None:
    """A bar of which a part is filled; whatever is more than nothing shows."""
    left, top, right, bottom = box
    tall = bottom - top
    canvas.fill_rounded_box(box, tall // 2, GLOW)
    if part > 0:
        canvas.fill_rounded_box(
            (left, top, left + max(tall, round((right - left) * part)), bottom), tall // 2, colour
        )


def draw_duel(value: DuelPicture, language: str = "en") -> bytes:
    """Both names with the hands that each won, and the score in large figures."""
    canvas = Canvas(WIDTH, round(MARGIN + TEXT.cap_height + 40 + 2 * DUELLIST + MARGIN - 24), language)
    top = draw_heading(canvas, value.title)
    canvas.fill_box((MARGIN, top + DUELLIST, WIDTH - MARGIN, top + DUELLIST + 3), GLOW)
    for who in (0, 1):
        _duellist(canvas, value, who, top + who * DUELLIST)
    return canvas.encode_png()


def _duellist(canvas: Canvas, value: DuelPicture, who: int, top: int) -> None:
    won = value.winner == who
    middle, right = top + DUELLIST / 2, WIDTH - MARGIN
    colour = BRASS if won else IVORY
    wide = canvas.draw_text(
        (right, compute_baseline(middle, SCORE)), str(value.score[who]), SCORE, colour, align="right"
    )
    style = FIRST_NAME if won else TextStyle(FIRST_NAME.size)
    foot, marks = middle - 8, round(middle + 30)
    below, left = marks - foot - CLEAR, MARGIN
    if won:
        _tick(canvas, (MARGIN, round(foot - style.cap_height / 2 - CROWN / 2)))
        left += CROWN + 24
    canvas.draw_text(
        (left, foot), value.names[who], style, IVORY, max_width=right - wide - 48 - left, max_depth=below
    )
    for place, winners in enumerate(value.hands):
        at = (MARGIN + place * (MARK + APART), marks)
        _mark(canvas, at, full=who in winners, colour=colour)


def _tick(canvas: Canvas, at: tuple[int, int]) -> None:
    """Who has won, by a shape: the score need not tell, nor has every script a bold face."""
    canvas.fill_disc((at[0] + CROWN / 2, at[1] + CROWN / 2), CROWN, BRASS)
    canvas.stamp(make_strokes_mask(CROWN, TICK, 9), at, INK, BRASS)


def _mark(canvas: Canvas, at: tuple[int, int], *, full: bool, colour: int) -> None:
    """A full disc for a hand that was won, a ring for another's."""
    if full:
        canvas.fill_disc((at[0] + MARK / 2, at[1] + MARK / 2), MARK, colour)
    else:
        canvas.stamp(make_ring_mask(MARK, 5), at, MIST)


def draw_week(value: WeekPicture, language: str = "en") -> bytes:
    """The week's points, with a small chart of the seven days beside each name."""
    lines = value.lines[:MOST]
    most = max((n for _, days in lines for n in days), default=0)
    above = MOST_POINTS.cap_height + CLEAR if lines and most in lines[0][1] else 0
    head = round(MARGIN + TEXT.cap_height + 40 + SMALL.cap_height + 28 + above)
    canvas = Canvas(WIDTH, head + len(lines) * DAY_ROW + MARGIN - 36, language)
    draw_heading(canvas, value.title)
    ranks = _ranks([line for line, _ in lines])
    points = max((_points(canvas, line) for line, _ in lines), default=0)
    left = round(WIDTH - MARGIN - points - BEFORE - len(value.days) * (COLUMN + BETWEEN) + BETWEEN)
    for place, day in enumerate(value.days):
        x = left + place * (COLUMN + BETWEEN) + COLUMN / 2
        canvas.draw_text((x, head - 16 - above), day, DAY, MIST, align="middle", max_width=COLUMN + BETWEEN)
    for number, (line, days) in enumerate(lines):
        at = (MARGIN + ranks, left, head + number * DAY_ROW + DAY_ROW - 36)
        _week(canvas, line, days, most, at)
    if most:
        _scale(canvas, [days for _, days in lines], most, (left, head + DAY_ROW - 36))
    return canvas.encode_png()


def _scale(canvas: Canvas, rows: Sequence[Sequence[int]], most: int, at: tuple[int, int]) -> None:
    """Above the tallest column, the first of them: how much it is. `at`: where the first row's stand."""
    row = next(number for number, days in enumerate(rows) if most in days)
    x = at[0] + rows[row].index(most) * (COLUMN + BETWEEN) + COLUMN / 2
    foot = at[1] + row * DAY_ROW - CHART - CLEAR
    canvas.draw_text((x, foot), str(most), MOST_POINTS, MIST, align="middle")


def _points(canvas: Canvas, line: RankedLine) -> float:
    return canvas.measure_text(str(line.points), _figure(line), POINTS).width


def _figure(line: RankedLine) -> TextStyle:
    return TextStyle(88, Weight.DISPLAY, min_size=48) if line.rank == 1 else FIGURE


def _week(canvas: Canvas, line: RankedLine, days: Sequence[int], most: int, at: tuple[int, int, int]) -> None:
    """Rank, name, the days' columns and the points; `at`: where name and columns begin, and their foot."""
    name, left, foot = at
    first = line.rank == 1
    named = TextStyle(NAME.size, Weight.BOLD) if first else NAME
    colour = BRASS if first else IVORY
    canvas.draw_text((MARGIN, foot), str(line.rank), TextStyle(NAME.size, tabular=True), MIST)
    canvas.draw_text((name, foot), line.name, named, IVORY, max_width=left - name - 40)
    canvas.draw_text(
        (WIDTH - MARGIN, foot), str(line.points), _figure(line), colour, align="right", max_width=POINTS
    )
    whole = [*days, *[0] * (WEEK - len(days))]
    draw_columns(canvas, (left, foot - CHART, 0, foot), whole, most, (COLUMN, BETWEEN), colour)


def draw_columns(
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
        canvas.fill_box((x, foot - 5, x + broad, foot), GLOW)
        if amount > 0:
            tall = max(10, round((foot - top) * amount / most))
            canvas.fill_rounded_box(
                (x, foot - tall, x + broad, foot), min(8, broad // 3), colour, corners="ne"
            )


STEP_HEIGHTS = {1: 356, 2: 288, 3: 240}  # How tall each rank's step is
STEP_WIDTH, STEP_GAP = 368, 24
NAMED = TextStyle(56, Weight.BOLD, min_size=48)
RANK = TextStyle(48, Weight.DISPLAY)
LESS = TextStyle(92, Weight.DISPLAY, min_size=60)
STEP_POINTS = {1: TextStyle(132, Weight.DISPLAY, min_size=60), 2: LESS, 3: LESS}
MEDAL = 76
FACT = 92
AMOUNT = TextStyle(TEXT.size, Weight.BOLD)


def draw_podium(value: PodiumPicture, language: str = "en") -> bytes:
    """The first three on their steps, and below them what else was remarkable."""
    tallest = max((STEP_HEIGHTS[place.rank] for place in value.places), default=0)
    floor = round(MARGIN + TEXT.cap_height + 40 + 100 + tallest)
    canvas = Canvas(WIDTH, floor + round(20 + len(value.facts) * FACT + MARGIN - 20), language)
    draw_heading(canvas, value.title)
    standing_ = _order(value)
    left = (WIDTH - len(standing_) * (STEP_WIDTH + STEP_GAP) + STEP_GAP) // 2
    for number, place in enumerate(standing_):
        _step(canvas, place, left + number * (STEP_WIDTH + STEP_GAP), floor)
    canvas.fill_box((MARGIN, floor, WIDTH - MARGIN, floor + 4), MIST)
    for number, fact in enumerate(value.facts):
        _fact(canvas, fact, floor + 24 + number * FACT)
    return canvas.encode_png()


def _order(value: PodiumPicture) -> list[PodiumPlace]:
    """The first in the middle, the second on the left: of three only."""
    first, *others = value.places[:3]
    return [others[0], first, others[1]] if len(others) > 1 else [first, *others]


def _step(canvas: Canvas, place: PodiumPlace, left: int, floor: int) -> None:
    top, middle = floor - STEP_HEIGHTS[place.rank], left + STEP_WIDTH / 2
    first = place.rank == 1
    ground, ink = (IVORY, INK) if first else (GLOW, IVORY)
    canvas.fill_rounded_box((left, top, left + STEP_WIDTH, floor), 20, ground, FELT, "ne")
    canvas.draw_text(
        (middle, top - 32),
        place.name,
        NAMED,
        IVORY,
        align="middle",
        max_width=STEP_WIDTH,
        max_depth=32 - CLEAR,
    )
    disc = top + 32 + MEDAL // 2
    canvas.fill_disc((middle, disc), MEDAL, BRASS if first else MIST, ground)
    canvas.draw_text(
        (middle, compute_baseline(disc, RANK)),
        str(place.rank),
        RANK,
        INK,
        BRASS if first else MIST,
        align="middle",
    )
    style = STEP_POINTS[place.rank]
    foot = compute_baseline((disc + MEDAL / 2 + floor) / 2, style)
    canvas.draw_text(
        (middle, foot), str(place.points), style, ink, ground, align="middle", max_width=STEP_WIDTH - 32
    )


def _fact(canvas: Canvas, fact: PodiumFact, top: int) -> None:
    """What on the left; who and how much on the right, of which only the name may be cut."""
    foot, right = compute_baseline(top + FACT / 2, TEXT), WIDTH - MARGIN
    left = MARGIN + canvas.draw_text((MARGIN, foot), fact.label, TEXT, MIST, max_width=INNER * 0.55) + 40
    right -= round(
        canvas.draw_text((right, foot), fact.amount, AMOUNT, IVORY, align="right", max_width=right - left)
    )
    if fact.name:
        canvas.draw_text(
            (right - 20, foot), fact.name, AMOUNT, IVORY, align="right", max_width=right - 20 - left
        )
