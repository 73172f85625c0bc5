"""The part of a picture that the text beside it does not say, as text for those who can't see it."""

from collections.abc import Sequence

from bot.i18n import Html, escape_value
from bot.pictures.values import Node, Operation, Picture, ProfilePicture, ScoreCardPicture, SolutionPicture

SEPARATOR = " · "
DAYS = 7
SOLVED = "✓"
MISSED = "–"


def render_alt_text(picture: Picture | None) -> Html:
    """Return the lines of a folded quote; empty if the text beside the picture says all of it."""
    match picture:
        case SolutionPicture():
            lines = [SEPARATOR.join(list_tree_steps(picture.tree))]
        case ScoreCardPicture():
            rows = [row for row in (*picture.upper, *picture.lower) if row.dice]  # Without open categories
            lines = [f"{row.label}: {_join_numbers(row.dice)}" for row in rows]
        case ProfilePicture():
            lines = _list_profile_lines(picture)
        case _:
            lines = []
    text = "\n".join(escape_value(line) for line in lines if line)
    if not text:
        return Html("")
    return Html(f"<blockquote expandable>{text}</blockquote>")


def _list_profile_lines(picture: ProfilePicture) -> list[str]:
    lines = [SEPARATOR.join(" ".join(figure) for figure in picture.figures)]
    if picture.points:
        lines.append(f"{picture.points_title}: {_join_numbers(picture.points)}")
    if picture.days:
        lines.append(f"{picture.days_title}: {_render_weeks(picture.days)}")
    lines.append(SEPARATOR.join(badge.title for badge in picture.badges))
    return lines


def _join_numbers(numbers: Sequence[int]) -> str:
    return " ".join(str(number) for number in numbers)


def list_tree_steps(node: Node) -> list[str]:
    """Return the operations of a tree in their order: `3 − 2 2/3 = 1/3`; empty for one number."""
    if not isinstance(node, Operation):
        return []
    left = _get_value(node.left)
    right = _get_value(node.right)
    if right.startswith("−"):
        right = f"({right})"
    line = f"{left} {node.sign} {right} = {node.value}"
    return [*list_tree_steps(node.left), *list_tree_steps(node.right), line]


def _get_value(node: Node) -> str:
    return node.value if isinstance(node, Operation) else str(node.number)


def _render_weeks(days: Sequence[bool]) -> str:
    """Render a mark for each day, and a separator between weeks."""
    marks = "".join(SOLVED if is_solved else MISSED for is_solved in days)
    weeks = [marks[first_day : first_day + DAYS] for first_day in range(0, len(marks), DAYS)]
    return SEPARATOR.join(weeks)
