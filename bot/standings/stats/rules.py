"""A profile's small pictures: a calendar of daily hands, a line of points. No wider than a phone."""

from collections.abc import Collection, Sequence
from datetime import date, timedelta
from math import ceil
from unicodedata import category, east_asian_width

BUTTON_PREFIX = "pf"  # What the data of a profile's buttons begins with: whose it is follows
WIDTH, LINES = 40, 12  # Columns and lines that a phone shows without breaking or hiding any
WEEKS = 5
CHART_DAYS = 30  # Seconds
BARS = "▁▂▃▄▅▆▇█"
DONE, MISSED = "■", "□"


def get_solved_flags(solved: Collection[str], today: str) -> list[bool]:
    """The last weeks from a Monday up to `today`: whether each day's hand was solved."""
    last = date.fromisoformat(today)
    first = last - timedelta(days=last.weekday() + 7 * (WEEKS - 1))
    dates = [(first + timedelta(days=n)).isoformat() for n in range((last - first).days + 1)]
    return [day in solved for day in dates]


def render_calendar(solved: Collection[str], today: str) -> str:
    """The last weeks from Monday to Sunday, this one up to `today`: a full square for each solved hand."""
    marks = "".join(DONE if done else MISSED for done in get_solved_flags(solved, today))
    return " ".join(marks[at : at + 7] for at in range(0, len(marks), 7))


def render_sparkline(amounts: Sequence[int]) -> str:
    """A bar for each amount; the lowest stands for nothing or less, and for nothing else."""
    most = max(amounts, default=0)
    steps = len(BARS) - 1
    return "".join(BARS[ceil(steps * amount / most) if amount > 0 else 0] for amount in amounts)


def count_columns(text: str) -> int:
    """The columns that a text takes: two for what East Asian fonts draw wide, none for what nobody sees."""
    return sum(
        0 if category(c) in {"Mn", "Me", "Cf"} else 2 if east_asian_width(c) in "WF" else 1 for c in text
    )


def wrap_parts(parts: Sequence[str], between: str, begin: str = "") -> list[str]:
    """The parts in as few lines as hold them, none of them broken; `begin` opens the first."""
    lines: list[str] = []
    for part in parts:
        longer = f"{lines[-1]}{between}{part}" if lines else begin + part
        if lines and count_columns(longer) > WIDTH:
            lines.append(part)
        else:
            lines[-1:] = [longer]
    return lines
