"""What is to be seen of a draw: its tiles with the target, and the tree of what came nearest."""

import solver
from bot.games.countdown import rules
from bot.games.countdown.steps import apply_sign, order_terms
from bot.games.written.trees import make_joint
from bot.pictures.values import TilesPicture, Node, Tile


def build_draw_picture(draw: rules.Draw) -> TilesPicture:
    """The draw as it is dealt."""
    return TilesPicture(draw.tiles, draw.target)


def build_tree(answer: str) -> Node | None:
    """An answer joined in the order of its steps; None for what breaks the rules on the way."""
    try:
        expression = solver.parse(answer)
        return _tree(expression) if rules.find_violation(expression) is None else None
    except ValueError:
        return None


def _tree(part: solver.Expression) -> Node:
    if not part.op:
        return Tile(part.number)
    (_, first), *rest = order_terms(part)
    node, made = _tree(first), int(first.value)
    for sign, inner in rest:
        made = apply_sign(made, sign, int(inner.value))
        node = make_joint(sign, node, _tree(inner), made)
    return node
