"""Figures that look like answers and are none: times, dates, telephone numbers, money."""

import re

from bot.games.written.spelling import WORD

# Nothing that would make an expression of it stands before …
ALONE = r"(?<![0-9)\]}.,:：*/+=–−－-])(?<![*/+=–−－-] )"
WHOLE = r"(?![0-9(\[{]|[)\]]\s?[-–−－*/+×÷·]|[.,:：][0-9]|\s?[-–−－*/+×÷·]\s?[0-9(\[{]|\s?=)"  # … or behind
TO = r"\s?[-–−－~～]\s?"
CLOCK = r"(?:[01]?[0-9]|2[0-4])[:：][0-5][0-9](?:[:：][0-5][0-9])?"
AMOUNT = rf"[0-9]+(?:[.,][0-9]+)?(?:{TO}[0-9]+(?:[.,][0-9]+)?)?"
CURRENCY = "[$€£¥₽₴₹₩＄￥]"
RANGES = rf"{ALONE}(?:{CLOCK}{TO}(?:{CLOCK}|[0-9]{{1,2}})|[0-9]{{1,2}}{TO}{CLOCK}){WHOLE}"
MONEY = rf"{CURRENCY}\s?{AMOUNT}{WHOLE}|{ALONE}{AMOUNT}\s?{CURRENCY}"
DAY = rf"{ALONE}[0-9]{{1,4}}([-/.])[0-9]{{1,2}}\1[0-9]{{1,4}}{WHOLE}"
TELEPHONE = rf"{ALONE}[+][0-9]{{1,3}}[ ().-]*[0-9]{{2,4}}(?:[ ().-]{{1,2}}[0-9]{{2,4}}){{1,4}}{WHOLE}"
NO_TRY = re.compile(f"{RANGES}|{MONEY}")
NOTHING_TO_COMPUTE = re.compile(f"{DAY}|{TELEPHONE}|{RANGES}|{MONEY}|{ALONE}{CLOCK}{WHOLE}")


def strip_ranges_and_money(text: str) -> str:
    """The plain text without times of day from and to, and without money."""
    return NO_TRY.sub(WORD, text)


def strip_figures(text: str) -> str:
    """The plain text without dates, telephone numbers and any time as well."""
    return NOTHING_TO_COMPUTE.sub(WORD, text)
