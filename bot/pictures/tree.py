"""A hand that was won: its cards in a row, joined step by step down to the target."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.pictures.canvas import (
    BRASS,
    GLOW,
    INNER,
    IVORY,
    LIP,
    MARGIN,
    MIST,
    TITLE,
    WIDTH,
    Canvas,
    compute_baseline,
    make_ring_mask,
)
from bot.pictures.hands import SMALL_CARD, draw_small_leaf
from bot.pictures.lettering import TextStyle, Weight
from bot.pictures.values import Card, Node, Operation, SolutionPicture, Tile

STEP = 236  # Between the middles of two cards at most
DROP = 52  # From a card or a value down to the line that joins it to another
SIGN = 76  # The disc with the sign
CLEAR = 16  # Between a value and the lines above and below it
LINE, BEND = 6, 22
NAMED = TextStyle(TITLE.size, Weight.BOLD)
VALUE = TextStyle(60, Weight.BOLD, min_size=36)
END = TextStyle(176, Weight.DISPLAY, min_size=60)
MARK = TextStyle(60, Weight.DISPLAY)


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of the tree in its place: it stands under the middle of its cards."""

    node: Node
    x: float
    level: int  # Joints on the way down to it at most
    parts: tuple["_Part", ...] = ()


def draw_solution(value: SolutionPicture, language: str = "en") -> bytes:
    """Who won it, what it gave, and the solution as a tree with the target at its foot."""
    leaves = list(_leaves(value.tree))
    root = _placed(value.tree, _middles(len(leaves)))
    top = round(MARGIN + NAMED.cap_height + 56)
    canvas = Canvas(WIDTH, round(_foot(root.level, top, END) + MARGIN), language)
    _head(canvas, value)
    for part in _all(root):
        if isinstance(part.node, Operation):
            _joint(canvas, part, part.node, top, VALUE if part is not root else END)
        else:
            draw_small_leaf(canvas, part.node, (round(part.x - SMALL_CARD[0] / 2), top))
    return canvas.encode_png()


def _head(canvas: Canvas, value: SolutionPicture) -> None:
    foot, right = MARGIN + NAMED.cap_height, WIDTH - MARGIN
    earned = canvas.draw_text((right, foot), value.earned, TITLE, BRASS, align="right", max_width=INNER / 2)
    canvas.draw_text((MARGIN, foot), value.name, NAMED, IVORY, max_width=INNER - earned - 40)


def _leaves(node: Node) -> Sequence[Card | Tile]:
    return [*_leaves(node.left), *_leaves(node.right)] if isinstance(node, Operation) else [node]


def _middles(count: int) -> list[float]:
    """The middles of the cards, from left to right."""
    step = min(STEP, (INNER - SMALL_CARD[0]) / max(1, count - 1))
    return [WIDTH / 2 + (place - (count - 1) / 2) * step for place in range(count)]


def _placed(node: Node, middles: Sequence[float]) -> _Part:
    """The tree over its cards' middles. No line crosses another: each part has its own cards above it."""
    x = (middles[0] + middles[-1]) / 2
    if not isinstance(node, Operation):
        return _Part(node, x, 0)
    split = len(_leaves(node.left))
    parts = (_placed(node.left, middles[:split]), _placed(node.right, middles[split:]))
    return _Part(node, x, 1 + max(part.level for part in parts), parts)


def _all(part: _Part) -> list[_Part]:
    return [part, *(inner for each in part.parts for inner in _all(each))]


def _foot(level: int, top: float, style: TextStyle) -> float:
    """Where a part of that level ends, its value in that style."""
    cards = top + SMALL_CARD[1]
    above = DROP + SIGN / 2 + CLEAR
    return (
        cards + (level - 1) * (above + VALUE.cap_height + CLEAR) + above + style.cap_height
        if level
        else cards
    )


def _joint(canvas: Canvas, part: _Part, joint: Operation, top: int, style: TextStyle) -> None:
    """The lines from both parts to the sign, and what it makes."""
    foot = _foot(part.level, top, style)
    bar = round(foot - style.cap_height - CLEAR - SIGN / 2)
    for each in part.parts:
        below = _foot(each.level, top, VALUE) + (CLEAR if each.level else LIP + 2)
        _branch(canvas, (round(each.x), round(below)), (round(part.x), bar))
    canvas.fill_disc((part.x, bar), SIGN, GLOW)
    canvas.draw_text((part.x, compute_baseline(bar, MARK)), joint.sign, MARK, IVORY, GLOW, align="middle")
    colour = BRASS if style is END else IVORY
    room = INNER if style is END else 2 * STEP
    canvas.draw_text((part.x, foot), joint.value, style, colour, align="middle", max_width=room)


def _branch(canvas: Canvas, start: tuple[int, int], end: tuple[int, int]) -> None:
    """A line down from the start and round a bend to the end."""
    (stem, top), (x, bar), half = start, end, LINE // 2
    right = stem < x
    canvas.fill_box((stem - half, top, stem + half, bar - BEND + half), MIST)
    ends = (stem + BEND - half, x) if right else (x, stem - BEND + half)
    canvas.fill_box((ends[0], bar - half, ends[1], bar + half), MIST)
    bend = make_ring_mask(2 * BEND, LINE)
    corner = bend.crop((0, BEND, BEND, 2 * BEND) if right else (BEND, BEND, 2 * BEND, 2 * BEND))
    canvas.stamp(corner, (stem - half if right else stem - BEND + half, bar - BEND + half), MIST)
