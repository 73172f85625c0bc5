"""Draw a solution as a tree: the cards in a row, joined step by step down to the target."""

from collections.abc import Iterable, Sequence

from bot.pictures.canvas import INNER, LIP, MARGIN, TITLE, WIDTH, Canvas, make_disc_mask
from bot.pictures.hands import SMALL_CARD, draw_card, draw_tile
from bot.pictures.lettering import TextStyle, Weight
from bot.pictures.palette import BRASS, GLOW, IVORY, MIST
from bot.pictures.values import Card, Node, Operation, SolutionPicture

MAX_STEP = 236  # between the middles of two cards
DROP = 52  # from a card or a value down to the line that joins it to another
SIGN_DISC = 76
CLEAR = 16  # between a value and the lines above and below it
TITLE_GAP = 56  # below the name
NAME_GAP = 40  # between the name and the points
LINE_WIDTH = 6
BEND_RADIUS = 22
NAME = TextStyle(TITLE.size, Weight.BOLD)
VALUE = TextStyle(60, Weight.BOLD, min_size=36)
RESULT = TextStyle(176, Weight.DISPLAY, min_size=60)
SIGN = TextStyle(60, Weight.DISPLAY)


def draw_solution(picture: SolutionPicture, language: str = "en") -> bytes:
    """Draw the winner, the points, and the solution as a tree with the target at its foot."""
    name_foot = MARGIN + NAME.cap_height
    tree_top = round(name_foot + TITLE_GAP)
    tree_foot = _compute_foot(_count_levels(picture.tree), tree_top, RESULT)
    canvas = Canvas(WIDTH, round(tree_foot + MARGIN), language)
    right_end = (WIDTH - MARGIN, name_foot)
    points_width = canvas.draw_text(
        right_end, picture.earned, TITLE, BRASS, align="right", max_width=INNER / 2
    )
    name_width = INNER - points_width - NAME_GAP
    canvas.draw_text((MARGIN, name_foot), picture.name, NAME, IVORY, max_width=name_width)
    middles = compute_middles(count_leaves(picture.tree))
    _draw_node(canvas, picture.tree, middles, tree_top, RESULT)
    return canvas.encode_png()


def count_leaves(node: Node) -> int:
    if not isinstance(node, Operation):
        return 1
    return count_leaves(node.left) + count_leaves(node.right)


def _count_levels(node: Node) -> int:
    """Return the most operations on a way from a card to the node; 0 for a card."""
    if not isinstance(node, Operation):
        return 0
    return 1 + max(_count_levels(node.left), _count_levels(node.right))


def compute_middles(count: int) -> list[float]:
    """Return the middles of `count` cards in a row, from left to right."""
    card_width, _ = SMALL_CARD
    step = min(MAX_STEP, (INNER - card_width) / max(1, count - 1))
    middle_place = (count - 1) / 2
    return [WIDTH / 2 + (place - middle_place) * step for place in range(count)]


def _draw_node(canvas: Canvas, node: Node, middles: Sequence[float], top: int, style: TextStyle) -> float:
    """Draw a part of the tree under the middles of its cards, its value in `style`; return the part's middle.

    No lines cross: each part is under its own cards.
    """
    width, height = SMALL_CARD
    x = (middles[0] + middles[-1]) / 2
    left = round(x - width / 2)
    if isinstance(node, Operation):
        left_count = count_leaves(node.left)
        left_middle = _draw_node(canvas, node.left, middles[:left_count], top, VALUE)
        right_middle = _draw_node(canvas, node.right, middles[left_count:], top, VALUE)
        parts = ((node.left, left_middle), (node.right, right_middle))
        _draw_operation(canvas, node, x, parts, top, style)
    elif isinstance(node, Card):
        draw_card(canvas, node, (left, top), SMALL_CARD)
    else:  # A tile of the same width with its foot on the same line
        draw_tile(canvas, node.number, (left, top + height - width), (width, width - LIP), em=62)
    return x


def _compute_foot(level: int, top: float, style: TextStyle) -> float:
    """Return the foot of a value in this style with `level` operations above it; of the cards for 0."""
    _, card_height = SMALL_CARD
    cards_foot = top + card_height
    if level == 0:
        return cards_foot
    lines_height = DROP + SIGN_DISC / 2 + CLEAR  # above a value
    levels_above = (level - 1) * (lines_height + VALUE.cap_height + CLEAR)
    return cards_foot + levels_above + lines_height + style.cap_height


def _draw_operation(
    canvas: Canvas, node: Operation, x: float, parts: Iterable[tuple[Node, float]], top: int, style: TextStyle
) -> None:
    """Draw the lines from both parts, given with their middles, to the sign at x, and below it the value."""
    foot = _compute_foot(_count_levels(node), top, style)
    sign_y = round(foot - style.cap_height - CLEAR - SIGN_DISC / 2)  # The lines end here
    for part, middle in parts:
        level = _count_levels(part)
        gap = CLEAR if level > 0 else LIP + 2  # Below a value, or below a card or tile
        line_top = _compute_foot(level, top, VALUE) + gap
        _draw_branch(canvas, (round(middle), round(line_top)), (round(x), sign_y))
    canvas.fill_disc((x, sign_y), SIGN_DISC, GLOW)
    canvas.draw_text((x, SIGN.get_baseline(sign_y)), node.sign, SIGN, IVORY, ground=GLOW, align="middle")
    colour = BRASS if style is RESULT else IVORY
    room = INNER if style is RESULT else 2 * MAX_STEP
    canvas.draw_text((x, foot), node.value, style, colour, align="middle", max_width=room)


def _draw_branch(canvas: Canvas, start: tuple[int, int], end: tuple[int, int]) -> None:
    """Draw a line down from the start and round a bend to the end."""
    stem_x, top = start
    end_x, end_y = end
    half = LINE_WIDTH // 2
    radius = BEND_RADIUS
    bend_top = end_y - radius + half
    canvas.fill_box((stem_x - half, top, stem_x + half, bend_top), MIST)
    circle = make_disc_mask(2 * radius, edge=LINE_WIDTH)
    if stem_x < end_x:  # The bend is the lower left quarter of a circle
        canvas.fill_box((stem_x + radius - half, end_y - half, end_x, end_y + half), MIST)
        canvas.stamp(circle.crop((0, radius, radius, 2 * radius)), (stem_x - half, bend_top), MIST)
    else:  # The lower right quarter
        canvas.fill_box((end_x, end_y - half, stem_x - radius + half, end_y + half), MIST)
        quarter = circle.crop((radius, radius, 2 * radius, 2 * radius))
        canvas.stamp(quarter, (stem_x - radius + half, bend_top), MIST)
