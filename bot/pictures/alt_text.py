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
            rows = [row for row in (*picture.upper, *picture.lower) if row.dice]
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
    text = "\n".join(map(escape_value, filter(None, lines)))
    return Html(f"<blockquote expandable>{text}</blockquote>" if text else "")


def list_tree_steps(node: Node) -> list[str]:
    """Return the operations of a tree in the order of calculation: `3 − 8/3 = 1/3`; empty for one number."""
    if not isinstance(node, Operation):
        return []
    left, right = (
        part.value if isinstance(part, Operation) else str(part.number) for part in (node.left, node.right)
    )
    line = f"{left} {node.sign} {right} = {node.value}"
    return [*list_tree_steps(node.left), *list_tree_steps(node.right), line]


def _render_weeks(days: Sequence[bool]) -> str:
    """Render a mark for each day, and a separator between weeks."""
    marks = "".join(SOLVED if is_solved else MISSED for is_solved in days)
    return SEPARATOR.join(marks[at : at + DAYS] for at in range(0, len(marks), DAYS))
