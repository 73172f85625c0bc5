"""Draw rankings: the end of a race or duel, a leaderboard's week, a group's podium and its records."""

from collections.abc import Sequence

from bot.pictures.canvas import (
    CLEAR,
    FIGURE,
    INNER,
    MARGIN,
    NAME,
    SMALL,
    TEXT,
    TICK,
    TOP_CORNERS,
    WIDTH,
    Box,
    Canvas,
    make_disc_mask,
    make_strokes_mask,
)
from bot.pictures.lettering import TextStyle, Weight
from bot.pictures.palette import BRASS, GLOW, INK, IVORY, MIST, Colour
from bot.pictures.values import (
    DuelPicture,
    PodiumFact,
    PodiumPicture,
    RankedLine,
    RankingPicture,
    RecordsPicture,
    WeekPicture,
)

MAX_LINES = 10
FIRST_NAME = TextStyle(76, Weight.BOLD)
TABLE_TOP = MARGIN + TEXT.cap_height + 40  # below the title
ROW_REST = 24  # the empty foot of the last row, which is part of the margin below


def draw_heading(canvas: Canvas, title: str) -> int:
    """Draw the title of a table, and return where the table begins."""
    canvas.draw_text((MARGIN, MARGIN + TEXT.cap_height), title, TEXT, MIST, max_width=INNER)
    return round(TABLE_TOP)


NOTE = TextStyle(52, min_size=30)
FIRST_ROW = 172
ROW = 120
MAX_LARGE = 3  # players who may share the first place in large letters
RANK_WIDTH = 92  # for one figure
LONG_RANK_WIDTH = 116  # for two figures


def draw_ranking(picture: RankingPicture, language: str = "en") -> bytes:
    """Draw a line with a bar for up to ten players, the first place large; without players, the note."""
    lines = picture.lines[:MAX_LINES]
    first_lines = [line for line in lines if line.rank == 1]
    is_first_large = len(first_lines) <= MAX_LARGE
    heights = [FIRST_ROW if is_first_large and line.rank == 1 else ROW for line in lines]
    table_height = sum(heights) if lines else ROW  # The note needs a row
    canvas = Canvas(WIDTH, round(TABLE_TOP + table_height + MARGIN - ROW_REST), language)
    top = draw_heading(canvas, picture.title)
    if not lines:
        canvas.draw_text((MARGIN, top + ROW / 2), picture.note, NOTE, IVORY, max_width=INNER)
    most = max((line.points for line in lines), default=0)
    rank_width = _get_rank_width(lines)
    for line, height in zip(lines, heights, strict=True):
        part = line.points / most if most > 0 else 0
        _draw_line(canvas, line, top, height, filled_part=part, rank_width=rank_width)
        top += height
    return canvas.encode_png()


def _get_rank_width(lines: Sequence[RankedLine]) -> int:
    """Return the width of the column of ranks: more if one of them has two figures."""
    if any(line.rank > 9 for line in lines):
        return LONG_RANK_WIDTH
    return RANK_WIDTH


MAX_NAME_WIDTH = 640
BAR = 14  # thickness of a bar
BAR_GAP = 28  # between a bar and the name above


def _draw_line(
    canvas: Canvas, line: RankedLine, top: int, height: int, *, filled_part: float, rank_width: int
) -> None:
    """Draw rank, name and points, and below them a bar of which a part, up to 1, is filled."""
    is_large = height == FIRST_ROW
    name_style = FIRST_NAME if is_large else NAME
    points_style = TextStyle(132, Weight.DISPLAY) if is_large else FIGURE
    rank_style = TextStyle(name_style.size, name_style.weight, tabular=True)
    colour = BRASS if line.rank == 1 else IVORY
    foot = top + height - BAR - BAR_GAP - 20
    right = WIDTH - MARGIN
    canvas.draw_text((MARGIN, foot), str(line.rank), rank_style, MIST)
    points_width = canvas.draw_text((right, foot), str(line.points), points_style, colour, align="right")
    left = MARGIN + rank_width
    room = min(MAX_NAME_WIDTH, right - points_width - 32 - left)
    canvas.draw_text((left, foot), line.name, name_style, IVORY, max_width=room, max_depth=BAR_GAP - CLEAR)
    bar_top = foot + BAR_GAP
    bar_foot = bar_top + BAR
    canvas.fill_rounded_box((left, bar_top, right, bar_foot), BAR // 2, GLOW)
    if filled_part > 0:
        filled_width = max(BAR, round((right - left) * filled_part))  # The smallest part is visible
        canvas.fill_rounded_box((left, bar_top, left + filled_width, bar_foot), BAR // 2, colour)


DUELLIST_HEIGHT = 216


def draw_duel(picture: DuelPicture, language: str = "en") -> bytes:
    """Draw both names with the hands that each won, and the score in large figures."""
    canvas = Canvas(WIDTH, round(TABLE_TOP + 2 * DUELLIST_HEIGHT + MARGIN - ROW_REST), language)
    top = draw_heading(canvas, picture.title)
    middle = top + DUELLIST_HEIGHT
    canvas.fill_box((MARGIN, middle, WIDTH - MARGIN, middle + 3), GLOW)  # A line between both
    for player in (0, 1):
        _draw_duellist(canvas, picture, player, top + player * DUELLIST_HEIGHT)
    return canvas.encode_png()


SCORE = TextStyle(176, Weight.DISPLAY)
SCORE_GAP = 48  # between name and score
NAME_ABOVE = 8  # from the middle of a row up to the name's foot
MARKS_BELOW = 30  # from the middle of a row down to the marks


def _draw_duellist(canvas: Canvas, picture: DuelPicture, player: int, top: int) -> None:
    """Draw name, score and marks of player 0 or 1; the winner gets a tick, bold type and brass colour."""
    colour = IVORY
    name_style = TextStyle(FIRST_NAME.size)
    left = MARGIN
    middle = top + DUELLIST_HEIGHT / 2
    foot = middle - NAME_ABOVE
    if picture.winner == player:
        colour = BRASS
        name_style = FIRST_NAME
        left += _draw_winner_tick(canvas, foot - name_style.cap_height / 2)
    right = WIDTH - MARGIN
    score_at = (right, SCORE.get_baseline(middle))
    score_width = canvas.draw_text(score_at, str(picture.score[player]), SCORE, colour, align="right")
    marks_top = round(middle + MARKS_BELOW)
    room = right - score_width - SCORE_GAP - left
    depth = marks_top - foot - CLEAR
    canvas.draw_text((left, foot), picture.names[player], name_style, IVORY, max_width=room, max_depth=depth)
    hands_won = [player in winners for winners in picture.hands]
    _draw_marks(canvas, hands_won, marks_top, colour)


WINNER_TICK = 72  # size
TICK_STROKE = 9  # width of its lines
TICK_GAP = 24  # between it and the name


def _draw_winner_tick(canvas: Canvas, middle: float) -> int:
    """Draw a tick, since score and typeface need not show the winner; return the room taken at the left."""
    at = (MARGIN, round(middle - WINNER_TICK / 2))
    canvas.stamp(make_disc_mask(WINNER_TICK), at, BRASS)
    canvas.stamp(make_strokes_mask(WINNER_TICK, TICK, width=TICK_STROKE), at, INK, ground=BRASS)
    return WINNER_TICK + TICK_GAP


MARK = 40  # size of a disc or ring
RING_EDGE = 5  # width
MARK_GAP = 20  # between two marks


def _draw_marks(canvas: Canvas, hands_won: Sequence[bool], top: int, colour: Colour) -> None:
    """Draw a row of marks: a disc for each hand that was won, a ring for any other."""
    for number, is_won in enumerate(hands_won):
        at = (MARGIN + number * (MARK + MARK_GAP), top)
        if is_won:
            canvas.stamp(make_disc_mask(MARK), at, colour)
        else:
            canvas.stamp(make_disc_mask(MARK, edge=RING_EDGE), at, MIST)


CHART_HEIGHT = 84
COLUMN = 44  # width
COLUMN_GAP = 32  # between two columns
MOST_POINTS = TextStyle(40)  # above the tallest column
DAY_ROW = 136  # height of a player's row
DAY_ROW_REST = 36  # the empty foot of a row
DAY = TextStyle(40, min_size=30)
DAYS = 7
MAX_POINTS_WIDTH = 184
POINTS_GAP = 40


def draw_week(picture: WeekPicture, language: str = "en") -> bytes:
    """Draw a week's points, with a chart of the seven days beside each name, the best day of all labelled."""
    lines = picture.lines[:MAX_LINES]
    best_of_each = [max(days, default=0) for _, days in lines]
    most = max(best_of_each, default=0)
    first_best_line = best_of_each.index(most) if lines else None
    # Room above the first chart if it may have the label
    label_height = MOST_POINTS.cap_height + CLEAR if first_best_line == 0 else 0
    rows_top = round(TABLE_TOP + SMALL.cap_height + 28 + label_height)
    canvas = Canvas(WIDTH, rows_top + len(lines) * DAY_ROW + MARGIN - DAY_ROW_REST, language)
    draw_heading(canvas, picture.title)
    name_left = MARGIN + _get_rank_width([line for line, _ in lines])
    chart_left = _draw_day_names(canvas, picture, lines, rows_top - 16 - label_height)
    chart_right = chart_left + len(picture.days) * (COLUMN + COLUMN_GAP) - COLUMN_GAP
    for number, (line, days) in enumerate(lines):
        foot = rows_top + (number + 1) * DAY_ROW - DAY_ROW_REST
        _draw_week_line(canvas, line, (name_left, foot), chart_left)
        box = (chart_left, foot - CHART_HEIGHT, chart_right, foot)
        days_to_come = [0] * (DAYS - len(days))
        whole_week = [*days, *days_to_come]
        colour = BRASS if line.rank == 1 else IVORY
        is_labelled = most > 0 and number == first_best_line
        draw_columns(
            canvas, box, whole_week, colour, most=most, width=COLUMN, gap=COLUMN_GAP, is_labelled=is_labelled
        )
    return canvas.encode_png()


def _draw_day_names(
    canvas: Canvas, picture: WeekPicture, lines: Sequence[tuple[RankedLine, Sequence[int]]], foot: float
) -> int:
    """Draw the names of the days above the charts, left of the widest points; return the charts' left."""
    points_width = 0.0
    for line, _ in lines:
        layout = canvas.measure_text(str(line.points), _get_points_style(line), MAX_POINTS_WIDTH)
        points_width = max(points_width, layout.width)
    days_width = len(picture.days) * (COLUMN + COLUMN_GAP) - COLUMN_GAP
    left = round(WIDTH - MARGIN - points_width - POINTS_GAP - days_width)
    for number, day in enumerate(picture.days):
        at = (left + number * (COLUMN + COLUMN_GAP) + COLUMN / 2, foot)
        canvas.draw_text(at, day, DAY, MIST, align="middle", max_width=COLUMN + COLUMN_GAP)
    return left


def _get_points_style(line: RankedLine) -> TextStyle:
    if line.rank == 1:
        return TextStyle(88, Weight.DISPLAY, min_size=48)
    return FIGURE


def _draw_week_line(canvas: Canvas, line: RankedLine, at: tuple[int, int], chart_left: int) -> None:
    """Draw rank, name and points; `at`: left and foot of the name, which ends before the chart."""
    left, foot = at
    is_first = line.rank == 1
    name_style = TextStyle(NAME.size, Weight.BOLD) if is_first else NAME
    canvas.draw_text((MARGIN, foot), str(line.rank), TextStyle(NAME.size, tabular=True), MIST)
    canvas.draw_text((left, foot), line.name, name_style, IVORY, max_width=chart_left - left - 40)
    points_at = (WIDTH - MARGIN, foot)
    style = _get_points_style(line)
    colour = BRASS if is_first else IVORY
    canvas.draw_text(points_at, str(line.points), style, colour, align="right", max_width=MAX_POINTS_WIDTH)


def draw_columns(
    canvas: Canvas,
    box: Box,
    amounts: Sequence[int],
    colour: Colour,
    *,
    most: int,
    width: int,
    gap: int,
    is_labelled: bool = False,
) -> None:
    """Draw a column for each amount, as high as the box for an amount of `most`, and a stub for 0.

    With `is_labelled`, the first column for `most` has its amount above it.
    """
    left, top, right, foot = box
    radius = min(8, width // 3)
    for number, amount in enumerate(amounts):
        x = left + number * (width + gap)
        canvas.fill_box((x, foot - 5, x + width, foot), GLOW)  # The stub
        if amount > 0:
            height = max(10, round((foot - top) * amount / most))  # The smallest amount is visible
            canvas.fill_rounded_box((x, foot - height, x + width, foot), radius, colour, corners=TOP_CORNERS)
    if is_labelled:
        column_middle = left + amounts.index(most) * (width + gap) + width / 2
        half = canvas.measure_text(str(most), MOST_POINTS).width / 2
        middle = min(max(column_middle, left + half), right - half)  # The label stays between the sides
        canvas.draw_text((middle, top - CLEAR), str(most), MOST_POINTS, MIST, align="middle")


STEP_HEIGHTS = {1: 356, 2: 288, 3: 240}  # by rank
STEP_WIDTH = 368
STEP_GAP = 24
FACT_HEIGHT = 92


def draw_podium(picture: PodiumPicture, language: str = "en") -> bytes:
    """Draw up to three players on their steps, and below them the facts of the week."""
    best = picture.places[0]
    places = picture.places
    if len(places) > 2:  # The best one in the middle
        places = [places[1], best, *places[2:]]
    floor = round(TABLE_TOP + 100 + STEP_HEIGHTS[best.rank])  # With room for a name above the highest step
    canvas = Canvas(WIDTH, floor + len(picture.facts) * FACT_HEIGHT + MARGIN, language)
    draw_heading(canvas, picture.title)
    left = (WIDTH - len(places) * (STEP_WIDTH + STEP_GAP) + STEP_GAP) // 2
    for number, place in enumerate(places):
        _draw_step(canvas, place, left + number * (STEP_WIDTH + STEP_GAP), floor)
    canvas.fill_box((MARGIN, floor, WIDTH - MARGIN, floor + 4), MIST)  # A line below the steps
    for number, fact in enumerate(picture.facts):
        _draw_fact(canvas, fact, floor + 24 + number * FACT_HEIGHT)
    return canvas.encode_png()


STEP_NAME = TextStyle(56, Weight.BOLD, min_size=48)
STEP_RANK = TextStyle(48, Weight.DISPLAY)
STEP_POINTS = {rank: TextStyle(132 if rank == 1 else 92, Weight.DISPLAY, min_size=60) for rank in (1, 2, 3)}
MEDAL = 76


def _draw_step(canvas: Canvas, place: RankedLine, left: int, floor: int) -> None:
    """Draw a step as high as its rank demands, with rank and points on it and the name above it."""
    top = floor - STEP_HEIGHTS[place.rank]
    middle = left + STEP_WIDTH / 2
    is_first = place.rank == 1
    ground = IVORY if is_first else GLOW
    ink = INK if is_first else IVORY
    medal = BRASS if is_first else MIST
    canvas.fill_rounded_box((left, top, left + STEP_WIDTH, floor), 20, ground, corners=TOP_CORNERS)
    name_gap = 32
    name_at = (middle, top - name_gap)
    depth = name_gap - CLEAR
    canvas.draw_text(
        name_at, place.name, STEP_NAME, IVORY, align="middle", max_width=STEP_WIDTH, max_depth=depth
    )
    disc_middle = top + 32 + MEDAL // 2
    canvas.fill_disc((middle, disc_middle), MEDAL, medal, ground)
    rank_at = (middle, STEP_RANK.get_baseline(disc_middle))
    canvas.draw_text(rank_at, str(place.rank), STEP_RANK, INK, ground=medal, align="middle")
    style = STEP_POINTS[place.rank]
    disc_foot = disc_middle + MEDAL / 2
    points_at = (middle, style.get_baseline((disc_foot + floor) / 2))
    room = STEP_WIDTH - 32
    canvas.draw_text(points_at, str(place.points), style, ink, ground, align="middle", max_width=room)


def draw_records(picture: RecordsPicture, language: str = "en") -> bytes:
    """Draw a line for each record."""
    canvas = Canvas(WIDTH, round(TABLE_TOP) + len(picture.facts) * FACT_HEIGHT + MARGIN, language)
    top = draw_heading(canvas, picture.title)
    for number, fact in enumerate(picture.facts):
        _draw_fact(canvas, fact, top + number * FACT_HEIGHT)
    return canvas.encode_png()


AMOUNT = TextStyle(TEXT.size, Weight.BOLD)


def _draw_fact(canvas: Canvas, fact: PodiumFact, top: int) -> None:
    """Draw the label on the left, name and amount on the right; the name is cut if it is too long."""
    foot = TEXT.get_baseline(top + FACT_HEIGHT / 2)
    right = float(WIDTH - MARGIN)
    label_width = canvas.draw_text((MARGIN, foot), fact.label, TEXT, MIST, max_width=INNER * 0.55)
    left = MARGIN + label_width + 40
    at = (right, foot)
    amount_width = canvas.draw_text(at, fact.amount, AMOUNT, IVORY, align="right", max_width=right - left)
    if fact.name:
        right -= round(amount_width) + 20
        canvas.draw_text((right, foot), fact.name, AMOUNT, IVORY, align="right", max_width=right - left)
