"""Format expressions, fractions, times and dates in one way for everything that people read."""

from datetime import date
from fractions import Fraction

from bot.i18n import Words

SIGNS = str.maketrans({"-": "−", "*": "×", "/": "÷"})


def format_expression(expression: object) -> str:
    """Return an expression, or a text that holds one, with the signs of schoolbooks: `8÷(3−8÷3)`."""
    return str(expression).translate(SIGNS)


def format_fraction(value: Fraction | int) -> str:
    """Return a value as people write it: `23 1/9`, or `−1/2` with a true minus sign."""
    whole, rest = divmod(abs(value.numerator), value.denominator)
    size = f"{whole} {rest}/{value.denominator}" if whole and rest else str(abs(value))
    return f"−{size}" if value < 0 else size


def format_duration(words: Words, seconds: float) -> str:
    """Return `23 s`, `2 min 21 s` or `1 h 5 min`, rounded, one second at least."""
    minutes, rest = divmod(max(1, round(seconds)), 60)
    if minutes < 1:
        return words.translate_plain("{n} s", n=rest)
    if minutes < 60 and rest:
        return words.translate_plain("{minutes} min {seconds} s", minutes=minutes, seconds=rest)
    if minutes < 60:
        return words.translate_plain("{n} min", n=minutes)
    hours, minutes_left = divmod(minutes, 60)
    if minutes_left:
        return words.translate_plain("{hours} h {minutes} min", hours=hours, minutes=minutes_left)
    return words.translate_plain("{n} h", n=hours)


def get_month_name(words: Words, month: int) -> str:
    """Return the short name of a month, counted from 1: `Nov`."""
    return words.translate_plain("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec").split()[month - 1]


def format_date(words: Words, day: str, today: str = "") -> str:
    """Return an ISO date as the language writes it: `26 Nov`; with the year if `today` has another one."""
    on = date.fromisoformat(day)
    parts = {"day": on.day, "month": get_month_name(words, on.month), "year": on.year}
    if today and not today.startswith(f"{on.year}-"):
        return words.translate_plain("{day} {month} {year}", **parts)
    return words.translate_plain("{day} {month}", **parts)
