"""What a picture says that the text beside it need not say, in words: for who can't look at it."""

from collections.abc import Iterator

from bot.i18n import Html, escape_value
from bot.pictures.values import (
    Card,
    Node,
    Operation,
    Picture,
    ProfilePicture,
    ScoreCardPicture,
    ScoreRow,
    SolutionPicture,
    Tile,
)

BETWEEN = " · "
WEEK = 7
SOLVED, MISSED = "✓", "–"


def render_alt_text(picture: Picture | None) -> Html:
    """The lines, folded away below the text; empty where the text tells all that there is to see."""
    match picture:
        case SolutionPicture():
            lines = [BETWEEN.join(_steps(picture.tree))]
        case ScoreCardPicture():
            rows = [row for row in (*picture.upper, *picture.lower) if row.dice]
            lines = [f"{row.label}: {_dice(row)}" for row in rows]
        case ProfilePicture():
            lines = list(_profile(picture))
        case _:
            lines = []
    return render_folded_lines(lines)


def render_folded_lines(lines: list[str]) -> Html:
    """Lines of plain text that open when somebody taps them."""
    shown = "\n".join(map(escape_value, filter(None, lines)))
    return Html(f"<blockquote expandable>{shown}</blockquote>" if shown else "")


def _steps(node: Node) -> Iterator[str]:
    """What each joint of a tree makes, the first ones first: `3 − 8/3 = 1/3`."""
    if isinstance(node, Operation):
        yield from _steps(node.left)
        yield from _steps(node.right)
        yield f"{_value(node.left)} {node.sign} {_value(node.right)} = {node.value}"


def _value(node: Card | Tile | Operation) -> str:
    return node.value if isinstance(node, Operation) else str(node.number)


def _dice(row: ScoreRow) -> str:
    return " ".join(map(str, row.dice))


def _profile(value: ProfilePicture) -> Iterator[str]:
    """Its figures, the points of each day, the calendar week by week, and what was earned by name."""
    yield BETWEEN.join(" ".join(figure) for figure in value.figures)
    if value.points:
        yield f"{value.points_title}: {' '.join(map(str, value.points))}"
    if value.days:
        marks = [SOLVED if solved else MISSED for solved in value.days]
        yield f"{value.days_title}: {BETWEEN.join(''.join(week) for week in _weeks(marks))}"
    yield BETWEEN.join(badge.title for badge in value.badges)


def _weeks(marks: list[str]) -> Iterator[list[str]]:
    yield from (marks[at : at + WEEK] for at in range(0, len(marks), WEEK))
