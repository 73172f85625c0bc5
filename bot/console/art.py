"""What is dealt, in box characters: cards, tiles and dice as wide as the terminal allows.

It is found by the lines that every deal has, whatever the language. Cards stand in their line's place; tiles
and dice stand above theirs, which is kept. Where a row of them is too wide, the text stays as it is.
"""

import re
from collections.abc import Sequence

from bot.console.folding import columns

DEALT = re.compile(r"🃏 ((?:[0-9]{1,4}|[AJQK])[♠♥♦♣](?: (?:[0-9]{1,4}|[AJQK])[♠♥♦♣])*)")
TILES = re.compile(r"([0-9]{1,4}(?: [0-9]{1,4})+) → [0-9]{1,4}")
DICE = re.compile(r"[1-6](?: [1-6]){4}")
TARGET, ROLL = "🎯", "🎲"
"""Begin the lines above tiles and above dice."""
TAG = re.compile(r"<[^>]*>")
HIGHEST = 13
"""The king."""
PIP = "●"
FACES = ("/ x /", "x  //  x", "x  / x /  x", "x x//x x", "x x/ x /x x", "x x/x x/x x")
"""The pips of each face, in three columns and three rows."""
BROAD, NARROW = 7, 5
"""Columns inside a die or a card."""

Piece = Sequence[str]
"""The rows of a card, a tile or a die."""


def illustrated(html: str, width: int) -> str:
    """A message with what it deals drawn, in at most `width` columns."""
    rows: list[str] = []
    above = ""
    for line in html.split("\n"):
        bare = TAG.sub("", line)
        rows += _instead(bare, width) or [*_over(above, bare, width), line]
        above = bare
    return "\n".join(rows)


def _instead(line: str, width: int) -> list[str]:
    """What is drawn in a line's place; nothing where it stays."""
    found = DEALT.fullmatch(line)
    hand = [_card(card[:-1], card[-1]) for card in found[1].split()] if found else []
    return _widest(width, [_tall(*card) for card in hand], _flat([f"{label}{suit}" for label, suit in hand]))


def _card(label: str, suit: str) -> tuple[str, str]:
    """What stands on a card: a number that no card has stands there alone."""
    return label, "" if label.isdigit() and int(label) > HIGHEST else suit


def _over(above: str, line: str, width: int) -> list[str]:
    """What is drawn between a line and the one above it."""
    if above.startswith(TARGET) and (found := TILES.fullmatch(line)):
        tiles = found[1].split()
        return _widest(width, _flat([f" {tile} " for tile in tiles]), _flat(tiles))
    if above.startswith(ROLL) and DICE.fullmatch(line):
        dice = [FACES[int(face) - 1] for face in line.split()]
        return _widest(width, [_die(face, BROAD) for face in dice], [_die(face, NARROW) for face in dice])
    return []


def _widest(width: int, *ways: Sequence[Piece]) -> list[str]:
    """The first of several ways in which the pieces fit in a row beside each other."""
    rows = ([" ".join(row) for row in zip(*way, strict=True)] for way in ways)
    return next((found for found in rows if found and columns(found[0]) <= width), [])


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
