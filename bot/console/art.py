"""What is dealt, in box characters: cards, tiles and dice as wide as the terminal allows.

Each game says which of its lines has them. They stand in that line's place or above it; where a row of them
is too wide, the text stays as it is.
"""

import re
from collections.abc import Iterator, Sequence

from bot.console.folding import columns
from bot.games.laid import Laid, Shape

TAG = re.compile(r"<[^<>]*>")
HIGHEST = 13
"""The king."""
PIP = "●"
FACES = ("/ x /", "x  //  x", "x  / x /  x", "x x//x x", "x x/ x /x x", "x x/x x/x x")
"""The pips of each face, in three columns and three rows."""
BROAD, NARROW = 7, 5
"""Columns inside a die or a card."""

Piece = Sequence[str]
"""The rows of a card, a tile or a die."""


def illustrated(html: str, width: int, laid: Sequence[Laid]) -> str:
    """A message with what it deals drawn, in at most `width` columns."""
    rows: list[str] = []
    above = ""
    for line in html.split("\n"):
        bare = TAG.sub("", line)
        drawn, is_replaced = _drawn(above, bare, width, laid)
        rows += drawn if drawn and is_replaced else [*drawn, line]
        above = bare
    return "\n".join(rows)


def _drawn(above: str, line: str, width: int, laid: Sequence[Laid]) -> tuple[list[str], bool]:
    """What is drawn of a line, and whether that stands in its place."""
    for one in laid:
        if pieces := one.pieces(above, line):
            return _widest(width, _ways(one.shape, pieces)), one.is_replaced
    return [], False


def _ways(shape: Shape, pieces: Sequence[str]) -> Iterator[Sequence[Piece]]:
    """The pieces as they are drawn where there is room, and where there is less."""
    match shape:
        case Shape.CARDS:
            hand = [_card(piece[:-1], piece[-1]) for piece in pieces]
            yield [_tall(*card) for card in hand]
            yield _flat([f"{label}{suit}" for label, suit in hand])
        case Shape.TILES:
            yield _flat([f" {tile} " for tile in pieces])
            yield _flat(pieces)
        case Shape.DICE:
            for inside in BROAD, NARROW:
                yield [_die(FACES[int(face) - 1], inside) for face in pieces]
            yield _flat(pieces)


def _card(label: str, suit: str) -> tuple[str, str]:
    """What stands on a card: a number that no card has stands there alone."""
    return label, "" if label.isdigit() and int(label) > HIGHEST else suit


def _widest(width: int, ways: Iterator[Sequence[Piece]]) -> list[str]:
    """The first of several ways in which the pieces fit in a row beside each other."""
    rows = ([" ".join(row) for row in zip(*way, strict=True)] for way in ways)
    return next((found for found in rows if columns(found[0]) <= width), [])


def _tall(label: str, suit: str) -> Piece:
    """A card with its rank in two corners, or a number alone in the middle."""
    if not suit:
        return _boxed(["", _middle(label, NARROW), ""], NARROW)
    return _boxed([label, _middle(suit, NARROW), " " * (NARROW - len(label)) + label], NARROW)


def _flat(labels: Sequence[str]) -> list[Piece]:
    """Pieces of one row each, all of the widest one's width."""
    inside = max(map(columns, labels), default=0)
    return [_boxed([_middle(label, inside)], inside) for label in labels]


def _die(face: str, inside: int) -> Piece:
    """A die; its pips stand one column apart at least."""
    rows = (" ".join(pips).replace("x", PIP) for pips in face.split("/"))
    return _boxed([" " * ((inside - NARROW) // 2) + row for row in rows], inside)


def _boxed(rows: Sequence[str], inside: int) -> Piece:
    """Rows with a border around them."""
    edge = "─" * inside
    return [f"╭{edge}╮", *(f"│{row}{' ' * (inside - columns(row))}│" for row in rows), f"╰{edge}╯"]


def _middle(text: str, inside: int) -> str:
    """The text with half of the room before it."""
    return " " * ((inside - columns(text)) // 2) + text
