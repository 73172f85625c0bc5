"""What a picture says that the text beside it need not say, in words: for who can't look at it."""

from collections.abc import Iterator

from bot.i18n import Html, safe
from bot.pictures.values import Card, Joint, Node, Picture, Profile, Row, ScoreCard, Solution, Tile

BETWEEN = " · "
WEEK = 7
SOLVED, MISSED = "✓", "–"


def told(picture: Picture | None) -> Html:
    """The lines, folded away below the text; empty where the text tells all that there is to see."""
    match picture:
        case Solution():
            lines = [BETWEEN.join(_steps(picture.tree))]
        case ScoreCard():
            rows = [row for row in (*picture.upper, *picture.lower) if row.dice]
            lines = [f"{row.label}: {_dice(row)}" for row in rows]
        case Profile():
            lines = list(_profile(picture))
        case _:
            lines = []
    return folded(lines)


def folded(lines: list[str]) -> Html:
    """Lines of plain text that open when somebody taps them."""
    shown = "\n".join(map(safe, filter(None, lines)))
    return Html(f"<blockquote expandable>{shown}</blockquote>" if shown else "")


def _steps(node: Node) -> Iterator[str]:
    """What each joint of a tree makes, the first ones first: `3 − 8/3 = 1/3`."""
    if isinstance(node, Joint):
        yield from _steps(node.left)
        yield from _steps(node.right)
        yield f"{_value(node.left)} {node.sign} {_value(node.right)} = {node.value}"


def _value(node: Card | Tile | Joint) -> str:
    return node.value if isinstance(node, Joint) else str(node.number)


def _dice(row: Row) -> str:
    return " ".join(map(str, row.dice))


def _profile(value: Profile) -> Iterator[str]:
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
