"""The part of a picture that the text beside it does not say, as text for those who can't see it."""

from collections.abc import Iterator

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
            lines = list(_render_profile(picture))
        case _:
            lines = []
    text = "\n".join(map(escape_value, filter(None, lines)))
    return Html(f"<blockquote expandable>{text}</blockquote>" if text else "")


def list_tree_steps(node: Node) -> list[str]:
    """Return the operations of a tree in the order of calculation: `3 − 8/3 = 1/3`."""
    if not isinstance(node, Operation):
        return []
    left, right = (n.value if isinstance(n, Operation) else str(n.number) for n in (node.left, node.right))
    line = f"{left} {node.sign} {right} = {node.value}"
    return [*list_tree_steps(node.left), *list_tree_steps(node.right), line]


def _render_profile(profile: ProfilePicture) -> Iterator[str]:
    """Yield the figures, the points of each day, the calendar week by week, and the names of achievements."""
    yield SEPARATOR.join(" ".join(figure) for figure in profile.figures)
    if profile.points:
        yield f"{profile.points_title}: {' '.join(map(str, profile.points))}"
    if profile.days:
        marks = "".join(SOLVED if is_solved else MISSED for is_solved in profile.days)
        weeks = (marks[at : at + DAYS] for at in range(0, len(marks), DAYS))
        yield f"{profile.days_title}: {SEPARATOR.join(weeks)}"
    yield SEPARATOR.join(badge.title for badge in profile.badges)
