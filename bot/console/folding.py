"""Text in lines that fit a terminal: no word is broken, and no number in an expression.

Between Chinese characters a line may end, but not before a closing mark or behind an opening one. An address
stays whole, so that a terminal still knows it for one. What is too long without any place to break is cut.
"""

import re
from collections.abc import Iterable, Iterator

STYLE = re.compile(r"(\x1b\[[0-9;]*m)")
"""What makes text bold, and takes no column."""
ADDRESS = re.compile(r"https?://")
BEHIND_SIGNS = re.compile(r"(?<=[-+*/=×÷−,;·…)\]}])")
"""Where a long expression may go on in the next line: behind a sign or a bracket."""
NOT_FIRST = set("，。、！？；：）】》」』”’…·!?,.;:)]}%")
NOT_LAST = set("（【《「『“‘([{")
JOINER = "\u200d"


def columns(text: str) -> int:
    """How many columns of a terminal `text` takes."""
    return sum(max(0, _cells(part)) for part in STYLE.split(text)[::2])


def _cells(part: str) -> int:
    from prompt_toolkit.utils import get_cwidth  # where nobody sits at a terminal nothing of it is loaded

    return get_cwidth(part)


def folded(text: str, width: int) -> list[str]:
    """The lines of `text`, each of at most `width` columns where that can be."""
    return [row for line in text.split("\n") for row in _filled(_words(line), width)]


def side_by_side(items: Iterable[str], gap: str, width: int) -> list[str]:
    """Items in as few lines as they fit, whole and with a gap between them."""
    rows: list[str] = []
    for item in items:
        if rows and columns(rows[-1] + gap + item) <= width:
            rows[-1] += gap + item
        else:
            rows += folded(item, width)
    return rows


def _words(line: str) -> Iterator[str]:
    """The pieces between which a line may end, each with the spaces behind it."""
    for word in re.findall(r"\s*\S+\s*", line):
        yield from [word] if ADDRESS.search(word) else _between_wide(word)


def _between_wide(word: str) -> Iterator[str]:
    start = 0
    for i in range(1, len(word)):
        if _may_part(word[i - 1], word[i]):
            yield word[start:i]
            start = i
    yield word[start:]


def _may_part(before: str, after: str) -> bool:
    """Whether a line may end between two characters of a word: where one of them is a wide one."""
    if after.isspace() or _cells(after) <= 0 or before == JOINER:
        return False
    wide = _cells(before) == 2 or _cells(after) == 2
    return wide and before not in NOT_LAST and after not in NOT_FIRST


def _filled(words: Iterable[str], width: int) -> list[str]:
    rows = [""]
    for word in words:
        for piece in _pieces(word, width):
            if rows[-1] and columns((rows[-1] + piece).rstrip()) > width:
                rows.append("")
            rows[-1] += piece if rows[-1] or len(rows) == 1 else piece.lstrip()
    return [row.rstrip() for row in rows]


def _pieces(word: str, width: int) -> Iterable[str]:
    """The word, or what it is cut into where it is wider than a line."""
    if columns(word.rstrip()) <= width or ADDRESS.search(word):
        return [word]
    parts = [part for part in BEHIND_SIGNS.split(word) if part]
    return [piece for part in parts for piece in _cut(part, width)]


def _cut(part: str, width: int) -> list[str]:
    """A piece without any place to break, by characters."""
    pieces = [""]
    for character in STYLE.split(part) if STYLE.search(part) else part:
        if columns(pieces[-1] + character) > width and pieces[-1]:
            pieces.append("")
        pieces[-1] += character
    return pieces
