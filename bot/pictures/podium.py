"""The word about a group's week as a podium."""

from bot.pictures.canvas import Canvas
from bot.pictures.faces import Weight
from bot.pictures.lettering import TextStyle
from bot.pictures.look import CLEAR, INNER, MARGIN, TEXT, WIDTH, compute_baseline
from bot.pictures.palette import BRASS, FELT, GLOW, INK, IVORY, MIST
from bot.pictures.tables import draw_heading
from bot.pictures.values import PodiumFact, PodiumPlace, PodiumPicture

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
    canvas.draw_text((middle, top - 32), place.name, NAMED, IVORY, align="middle", max_width=STEP_WIDTH, max_depth=32 - CLEAR)
    disc = top + 32 + MEDAL // 2
    canvas.fill_disc((middle, disc), MEDAL, BRASS if first else MIST, ground)
    canvas.draw_text(
        (middle, compute_baseline(disc, RANK)), str(place.rank), RANK, INK, BRASS if first else MIST, align="middle"
    )
    style = STEP_POINTS[place.rank]
    foot = compute_baseline((disc + MEDAL / 2 + floor) / 2, style)
    canvas.draw_text((middle, foot), str(place.points), style, ink, ground, align="middle", max_width=STEP_WIDTH - 32)


def _fact(canvas: Canvas, fact: PodiumFact, top: int) -> None:
    """What on the left; who and how much on the right, of which only the name may be cut."""
    foot, right = compute_baseline(top + FACT / 2, TEXT), WIDTH - MARGIN
    left = MARGIN + canvas.draw_text((MARGIN, foot), fact.label, TEXT, MIST, max_width=INNER * 0.55) + 40
    right -= round(canvas.draw_text((right, foot), fact.amount, AMOUNT, IVORY, align="right", max_width=right - left))
    if fact.name:
        canvas.draw_text((right - 20, foot), fact.name, AMOUNT, IVORY, align="right", max_width=right - 20 - left)
