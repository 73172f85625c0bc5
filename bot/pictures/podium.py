"""The word about a group's week as a podium."""

from bot.pictures.canvas import Canvas
from bot.pictures.faces import Weight
from bot.pictures.lettering import Style
from bot.pictures.look import CLEAR, INNER, MARGIN, TEXT, WIDTH, standing
from bot.pictures.palette import BRASS, FELT, GLOW, INK, IVORY, MIST
from bot.pictures.tables import heading
from bot.pictures.values import Fact, Place, Podium

STEPS = {1: 356, 2: 288, 3: 240}  # How tall each rank's step is
BROAD, APART = 368, 24
NAMED = Style(56, Weight.BOLD, least=48)
RANK = Style(48, Weight.DISPLAY)
LESS = Style(92, Weight.DISPLAY, least=60)
POINTS = {1: Style(132, Weight.DISPLAY, least=60), 2: LESS, 3: LESS}
MEDAL = 76
FACT = 92
AMOUNT = Style(TEXT.size, Weight.BOLD)


def podium(value: Podium, language: str = "en") -> bytes:
    """The first three on their steps, and below them what else was remarkable."""
    tallest = max((STEPS[place.rank] for place in value.places), default=0)
    floor = round(MARGIN + TEXT.cap + 40 + 100 + tallest)
    canvas = Canvas(WIDTH, floor + round(20 + len(value.facts) * FACT + MARGIN - 20), language)
    heading(canvas, value.title)
    standing_ = _order(value)
    left = (WIDTH - len(standing_) * (BROAD + APART) + APART) // 2
    for number, place in enumerate(standing_):
        _step(canvas, place, left + number * (BROAD + APART), floor)
    canvas.fill((MARGIN, floor, WIDTH - MARGIN, floor + 4), MIST)
    for number, fact in enumerate(value.facts):
        _fact(canvas, fact, floor + 24 + number * FACT)
    return canvas.png()


def _order(value: Podium) -> list[Place]:
    """The first in the middle, the second on the left: of three only."""
    first, *others = value.places[:3]
    return [others[0], first, others[1]] if len(others) > 1 else [first, *others]


def _step(canvas: Canvas, place: Place, left: int, floor: int) -> None:
    top, middle = floor - STEPS[place.rank], left + BROAD / 2
    first = place.rank == 1
    ground, ink = (IVORY, INK) if first else (GLOW, IVORY)
    canvas.rounded((left, top, left + BROAD, floor), 20, ground, FELT, "ne")
    canvas.text((middle, top - 32), place.name, NAMED, IVORY, align="middle", room=BROAD, below=32 - CLEAR)
    disc = top + 32 + MEDAL // 2
    canvas.disc((middle, disc), MEDAL, BRASS if first else MIST, ground)
    canvas.text(
        (middle, standing(disc, RANK)), str(place.rank), RANK, INK, BRASS if first else MIST, align="middle"
    )
    style = POINTS[place.rank]
    foot = standing((disc + MEDAL / 2 + floor) / 2, style)
    canvas.text((middle, foot), str(place.points), style, ink, ground, align="middle", room=BROAD - 32)


def _fact(canvas: Canvas, fact: Fact, top: int) -> None:
    """What on the left; who and how much on the right, of which only the name may be cut."""
    foot, right = standing(top + FACT / 2, TEXT), WIDTH - MARGIN
    left = MARGIN + canvas.text((MARGIN, foot), fact.what, TEXT, MIST, room=INNER * 0.55) + 40
    right -= round(canvas.text((right, foot), fact.amount, AMOUNT, IVORY, align="right", room=right - left))
    if fact.name:
        canvas.text((right - 20, foot), fact.name, AMOUNT, IVORY, align="right", room=right - 20 - left)
