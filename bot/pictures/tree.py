"""Draw a solution as a tree: the cards in a row, joined step by step down to the target."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.pictures.canvas import INNER, LIP, MARGIN, TITLE, WIDTH, Canvas, make_disc_mask
from bot.pictures.hands import SMALL_CARD, draw_tile, get_card_face
from bot.pictures.lettering import TextStyle, Weight
from bot.pictures.palette import BRASS, GLOW, IVORY, MIST
from bot.pictures.values import Card, Node, Operation, SolutionPicture, Tile

MAX_STEP = 236  # between the middles of two cards
DROP = 52  # from a card or a value down to the line that joins it to another
SIGN_DISC = 76
CLEAR = 16  # between a value and the lines above and below it
LINE, BEND = 6, 22
NAME = TextStyle(TITLE.size, Weight.BOLD)
VALUE = TextStyle(60, Weight.BOLD, min_size=36)
RESULT = TextStyle(176, Weight.DISPLAY, min_size=60)
SIGN = TextStyle(60, Weight.DISPLAY)


@dataclass(frozen=True, slots=True)
class PlacedNode:
    """A node of the tree with its place, under the middle of its cards."""

    node: Node
    x: float
    level: int  # the most operations on a way from a card to it
    parts: tuple["PlacedNode", ...] = ()


def draw_solution(picture: SolutionPicture, language: str = "en") -> bytes:
    """Draw the winner, the points, and the solution as a tree with the target at its foot."""
    root = place_tree(picture.tree, compute_middles(len(list_leaves(picture.tree))))
    top = round(MARGIN + NAME.cap_height + 56)
    canvas = Canvas(WIDTH, round(_compute_foot(root.level, top, RESULT) + MARGIN), language)
    _draw_head(canvas, picture)
    width, height = SMALL_CARD
    for part in list_parts(root):
        if isinstance(part.node, Operation):
            _draw_operation(canvas, part, part.node, top, VALUE if part is not root else RESULT)
        elif isinstance(part.node, Card):
            canvas.image.paste(get_card_face(part.node, SMALL_CARD), (round(part.x - width / 2), top))
        else:  # a tile of the same width with its foot on the same line
            at = (round(part.x - width / 2), top + height - width)
            draw_tile(canvas, part.node.number, at, (width, width - LIP), 62)
    return canvas.encode_png()


def _draw_head(canvas: Canvas, picture: SolutionPicture) -> None:
    foot, right = MARGIN + NAME.cap_height, WIDTH - MARGIN
    earned = canvas.draw_text((right, foot), picture.earned, TITLE, BRASS, align="right", max_width=INNER / 2)
    canvas.draw_text((MARGIN, foot), picture.name, NAME, IVORY, max_width=INNER - earned - 40)


def list_leaves(node: Node) -> Sequence[Card | Tile]:
    return [*list_leaves(node.left), *list_leaves(node.right)] if isinstance(node, Operation) else [node]


def compute_middles(count: int) -> list[float]:
    """Return the middles of the cards, from left to right."""
    step = min(MAX_STEP, (INNER - SMALL_CARD[0]) / max(1, count - 1))
    return [WIDTH / 2 + (place - (count - 1) / 2) * step for place in range(count)]


def place_tree(node: Node, middles: Sequence[float]) -> PlacedNode:
    """Place a tree under the middles of its cards. No lines cross: each part is under its own cards."""
    x = (middles[0] + middles[-1]) / 2
    if not isinstance(node, Operation):
        return PlacedNode(node, x, 0)
    split = len(list_leaves(node.left))
    parts = (place_tree(node.left, middles[:split]), place_tree(node.right, middles[split:]))
    return PlacedNode(node, x, 1 + max(part.level for part in parts), parts)


def list_parts(part: PlacedNode) -> list[PlacedNode]:
    return [part, *(inner for each in part.parts for inner in list_parts(each))]


def _compute_foot(level: int, top: float, style: TextStyle) -> float:
    """Return the foot of a part of a level if its value has this style; the foot of the cards for level 0."""
    cards = top + SMALL_CARD[1]
    above = DROP + SIGN_DISC / 2 + CLEAR
    if not level:
        return cards
    return cards + (level - 1) * (above + VALUE.cap_height + CLEAR) + above + style.cap_height


def _draw_operation(
    canvas: Canvas, part: PlacedNode, operation: Operation, top: int, style: TextStyle
) -> None:
    """Draw the lines from both parts to the sign, and the value."""
    foot = _compute_foot(part.level, top, style)
    bar = round(foot - style.cap_height - CLEAR - SIGN_DISC / 2)
    for each in part.parts:
        below = _compute_foot(each.level, top, VALUE) + (CLEAR if each.level else LIP + 2)
        _draw_branch(canvas, (round(each.x), round(below)), (round(part.x), bar))
    canvas.fill_disc((part.x, bar), SIGN_DISC, GLOW)
    canvas.draw_text((part.x, SIGN.get_baseline(bar)), operation.sign, SIGN, IVORY, GLOW, align="middle")
    colour = BRASS if style is RESULT else IVORY
    room = INNER if style is RESULT else 2 * MAX_STEP
    canvas.draw_text((part.x, foot), operation.value, style, colour, align="middle", max_width=room)


def _draw_branch(canvas: Canvas, start: tuple[int, int], end: tuple[int, int]) -> None:
    """Draw a line down from the start and round a bend to the end."""
    (stem, top), (x, bar), half = start, end, LINE // 2
    right = stem < x
    canvas.fill_box((stem - half, top, stem + half, bar - BEND + half), MIST)
    ends = (stem + BEND - half, x) if right else (x, stem - BEND + half)
    canvas.fill_box((ends[0], bar - half, ends[1], bar + half), MIST)
    bend = make_disc_mask(2 * BEND, LINE)
    corner = bend.crop((0, BEND, BEND, 2 * BEND) if right else (BEND, BEND, 2 * BEND, 2 * BEND))
    canvas.stamp(corner, (stem - half if right else stem - BEND + half, bar - BEND + half), MIST)
