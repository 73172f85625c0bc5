"""Draw a solution as a tree: the cards in a row, joined step by step down to the target."""

from collections.abc import Iterable, Sequence

from bot.pictures.canvas import INNER, LIP, MARGIN, TITLE, WIDTH, Canvas, make_disc_mask
from bot.pictures.hands import SMALL_CARD, draw_tile, get_card_face
from bot.pictures.lettering import TextStyle, Weight
from bot.pictures.palette import BRASS, GLOW, IVORY, MIST
from bot.pictures.values import Card, Node, Operation, SolutionPicture

MAX_STEP = 236  # between the middles of two cards
DROP = 52  # from a card or a value down to the line that joins it to another
SIGN_DISC = 76
CLEAR = 16  # between a value and the lines above and below it
LINE, BEND = 6, 22
NAME = TextStyle(TITLE.size, Weight.BOLD)
VALUE = TextStyle(60, Weight.BOLD, min_size=36)
RESULT = TextStyle(176, Weight.DISPLAY, min_size=60)
SIGN = TextStyle(60, Weight.DISPLAY)


def draw_solution(picture: SolutionPicture, language: str = "en") -> bytes:
    """Draw the winner, the points, and the solution as a tree with the target at its foot."""
    top, right = round(MARGIN + NAME.cap_height + 56), WIDTH - MARGIN
    height = _compute_foot(_count_levels(picture.tree), top, RESULT) + MARGIN
    canvas = Canvas(WIDTH, round(height), language)
    foot = MARGIN + NAME.cap_height
    earned = canvas.draw_text((right, foot), picture.earned, TITLE, BRASS, align="right", max_width=INNER / 2)
    canvas.draw_text((MARGIN, foot), picture.name, NAME, IVORY, max_width=INNER - earned - 40)
    _draw_node(canvas, picture.tree, compute_middles(count_leaves(picture.tree)), top, RESULT)
    return canvas.encode_png()


def count_leaves(node: Node) -> int:
    return count_leaves(node.left) + count_leaves(node.right) if isinstance(node, Operation) else 1


def _count_levels(node: Node) -> int:
    """Return the most operations on a way from a card to the node."""
    return 1 + max(map(_count_levels, (node.left, node.right))) if isinstance(node, Operation) else 0


def compute_middles(count: int) -> list[float]:
    """Return the middles of the cards, from left to right."""
    step = min(MAX_STEP, (INNER - SMALL_CARD[0]) / max(1, count - 1))
    return [WIDTH / 2 + (place - (count - 1) / 2) * step for place in range(count)]


def _draw_node(canvas: Canvas, node: Node, middles: Sequence[float], top: int, style: TextStyle) -> float:
    """Draw a part of the tree under the middles of its cards, and return the middle of that part.

    No lines cross: each part is under its own cards.
    """
    x, (width, height) = (middles[0] + middles[-1]) / 2, SMALL_CARD
    left = round(x - width / 2)
    if isinstance(node, Operation):
        split = count_leaves(node.left)
        stems = (
            (node.left, _draw_node(canvas, node.left, middles[:split], top, VALUE)),
            (node.right, _draw_node(canvas, node.right, middles[split:], top, VALUE)),
        )
        _draw_operation(canvas, node, x, stems, top, style)
    elif isinstance(node, Card):
        canvas.image.paste(get_card_face(node, SMALL_CARD), (left, top))
    else:  # a tile of the same width with its foot on the same line
        draw_tile(canvas, node.number, (left, top + height - width), (width, width - LIP), 62)
    return x


def _compute_foot(level: int, top: float, style: TextStyle) -> float:
    """Return the foot of a part of a level if its value has this style; the foot of the cards for level 0."""
    cards = top + SMALL_CARD[1]
    above = DROP + SIGN_DISC / 2 + CLEAR
    if not level:
        return cards
    return cards + (level - 1) * (above + VALUE.cap_height + CLEAR) + above + style.cap_height


def _draw_operation(
    canvas: Canvas,
    node: Operation,
    x: float,
    stems: Iterable[tuple[Node, float]],
    top: int,
    style: TextStyle,
) -> None:
    """Draw the lines from both parts, given with their middles, to the sign, and the value."""
    foot = _compute_foot(_count_levels(node), top, style)
    bar = round(foot - style.cap_height - CLEAR - SIGN_DISC / 2)
    for part, middle in stems:
        level = _count_levels(part)
        below = _compute_foot(level, top, VALUE) + (CLEAR if level else LIP + 2)
        _draw_branch(canvas, (round(middle), round(below)), (round(x), bar))
    canvas.fill_disc((x, bar), SIGN_DISC, GLOW)
    canvas.draw_text((x, SIGN.get_baseline(bar)), node.sign, SIGN, IVORY, GLOW, align="middle")
    colour, room = (BRASS, INNER) if style is RESULT else (IVORY, 2 * MAX_STEP)
    canvas.draw_text((x, foot), node.value, style, colour, align="middle", max_width=room)


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
