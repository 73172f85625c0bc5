"""The part of a picture that the text beside it does not say, as text for those who can't see it."""

from collections.abc import Sequence

from bot.i18n import Html, escape_value
from bot.pictures.values import Node, Operation, Picture, ProfilePicture, ScoreCardPicture, SolutionPicture

SEPARATOR = " · "
DAYS = 7
SOLVED, MISSED = "✓", "–"


def render_alt_text(picture: Picture | None) -> Html:
    """Return the lines of a folded quote; empty if the text beside the picture says all of it."""
    match picture:
        case SolutionPicture():
            lines = [SEPARATOR.join(list_tree_steps(picture.tree))]
        case ScoreCardPicture():
            rows = [row for row in (*picture.upper, *picture.lower) if row.dice]  # Without open categories
            lines = [f"{row.label}: {' '.join(map(str, row.dice))}" for row in rows]
        case ProfilePicture():
            lines = [
                SEPARATOR.join(" ".join(figure) for figure in picture.figures),
                f"{picture.points_title}: {' '.join(map(str, picture.points))}" if picture.points else "",
                f"{picture.days_title}: {_render_weeks(picture.days)}" if picture.days else "",
                SEPARATOR.join(badge.title for badge in picture.badges),
            ]
        case _:
            lines = []
    text = "\n".join(escape_value(line) for line in lines if line)
    return Html(f"<blockquote expandable>{text}</blockquote>" if text else "")


def list_tree_steps(node: Node) -> list[str]:
    """Return the operations of a tree in their order: `3 − 2 2/3 = 1/3`; empty for one number."""
    if not isinstance(node, Operation):
        return []
    right = _get_value(node.right)
    second = f"({right})" if right.startswith("−") else right
    line = f"{_get_value(node.left)} {node.sign} {second} = {node.value}"
    return [*list_tree_steps(node.left), *list_tree_steps(node.right), line]


def _get_value(node: Node) -> str:
    return node.value if isinstance(node, Operation) else str(node.number)


def _render_weeks(days: Sequence[bool]) -> str:
    """Render a mark for each day, and a separator between weeks."""
    marks = "".join(SOLVED if is_solved else MISSED for is_solved in days)
    return SEPARATOR.join(marks[at : at + DAYS] for at in range(0, len(marks), DAYS))
