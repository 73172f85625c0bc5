"""What is to be seen of a draw: its tiles with the target, and the tree of what came nearest."""

import solver
from bot.games.countdown import rules
from bot.games.countdown.steps import done, in_order
from bot.games.written.trees import joint
from bot.pictures.values import Draw, Node, Tile


def of(draw: rules.Draw) -> Draw:
    """The draw as it is dealt."""
    return Draw(draw.tiles, draw.target)


def tree(answer: str) -> Node | None:
    """An answer joined in the order of its steps; None for what breaks the rules on the way."""
    try:
        expression = solver.parse(answer)
        return _tree(expression) if rules.barred(expression) is None else None
    except ValueError:
        return None


def _tree(part: solver.Expression) -> Node:
    if not part.op:
        return Tile(part.number)
    (_, first), *rest = in_order(part)
    node, made = _tree(first), int(first.value)
    for sign, inner in rest:
        made = done(made, sign, int(inner.value))
        node = joint(sign, node, _tree(inner), made)
    return node
