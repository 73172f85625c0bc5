"""In which order a line is read: Unicode's bidirectional algorithm (UAX #9), for what can stand in a name.

No characters that embed one line in another are drawn, so that there are three levels: 0 is read from the
left, 1 from the right, 2 from the left within that. A cluster counts as its first character.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TypeVar
from unicodedata import bidirectional, category, lookup, mirrored, name

NEUTRAL = {"ON", "WS", "S", "B", "BN", "NSM", ""}
LOOSE = {"ES", "ET", "CS"}
"""What belongs to a number beside it, and is neutral elsewhere."""
OTHER_SIDE = (("LEFT", "RIGHT"), ("LESS-THAN", "GREATER-THAN"))
T = TypeVar("T")


def reads_ahead(text: Sequence[str]) -> bool:
    """Whether a text is read from left to right, by its first letter (P2, P3)."""
    return next((way == "L" for way in map(_class, text) if way in {"L", "R", "AL"}), True)


def levels(clusters: Sequence[str]) -> list[int]:
    """The level of each cluster."""
    classes = [_class(cluster) for cluster in clusters]
    if not {"R", "AL", "AN"}.intersection(classes):
        return [0] * len(clusters)
    base = "L" if reads_ahead(clusters) else "R"
    settled = _between(_bracketed(clusters, _numbered(classes, base), base), base)
    return [_level(way, base) for way in settled]


def ordered(parts: Sequence[T], levels: Sequence[int]) -> list[T]:
    """The parts of a line from left to right (L2)."""
    line = list(zip(parts, levels, strict=True))
    for level in (2, 1):
        blocks = [list(block) for _, block in groupby(line, key=lambda part: part[1] >= level)]
        line = [part for block in blocks for part in (block[::-1] if block[0][1] >= level else block)]
    return [part for part, _ in line]


def other_side(cluster: str) -> str:
    """What stands in its place where it is read from the right: a bracket's other half, or itself (L4)."""
    if not mirrored(cluster[0]):
        return cluster
    named = name(cluster[0], "")
    for one, other in OTHER_SIDE:
        for here, there in ((one, other), (other, one)):
            if here in named:
                return _named(named.replace(here, there), cluster[0]) + cluster[1:]
    return cluster


def _named(called: str, otherwise: str) -> str:
    try:
        return lookup(called)
    except KeyError:
        return otherwise


def _class(cluster: str) -> str:
    return bidirectional(cluster[0])


def _level(way: str, base: str) -> int:
    """I1 and I2."""
    return 1 if way == "R" else 0 if way == base else 2


def _numbered(classes: Sequence[str], base: str) -> list[str]:
    """Numbers with what belongs to them, by what is before them; whatever else is neutral (W2 to W7)."""
    signed = _signed(_separated(_arabic(classes)))
    found, strong = [], base
    for each in signed:
        way = "R" if each == "AL" else "ON" if each in NEUTRAL or each in LOOSE else each
        strong = way if way in {"L", "R"} else strong
        found.append("L" if way == "EN" and strong == "L" else way)
    return found


def _arabic(classes: Sequence[str]) -> Iterator[str]:
    """Figures behind Arabic letters are Arabic ones (W2)."""
    strong = ""
    for each in classes:
        strong = each if each in {"L", "R", "AL"} else strong
        yield "AN" if each == "EN" and strong == "AL" else each


def _separated(classes: Iterator[str]) -> list[str]:
    """A sign between two numbers of one kind is part of them (W4)."""
    found = list(classes)
    for at in range(1, len(found) - 1):
        one, sign, other = found[at - 1 : at + 2]
        if one == other and (sign, one) in {("ES", "EN"), ("CS", "EN"), ("CS", "AN")}:
            found[at] = one
    return found


def _signed(classes: Sequence[str]) -> Iterator[str]:
    """Signs beside a number, such as its currency, are part of it (W5)."""
    blocks = [(each, len(list(block))) for each, block in groupby(classes)]
    for at, (each, count) in enumerate(blocks):
        beside = {blocks[near][0] for near in (at - 1, at + 1) if 0 <= near < len(blocks)}
        yield from ["EN" if each == "ET" and "EN" in beside else each] * count


def _side(way: str) -> str:
    """How a neighbour sees it: numbers count as read from the right (N0, N1)."""
    return "R" if way in {"EN", "AN"} else way


def _bracketed(clusters: Sequence[str], ways: Sequence[str], base: str) -> list[str]:
    """Both brackets of a pair read as what is in them, or as what is before them (N0)."""
    found = list(ways)
    for opens, closes in sorted(_pairs(clusters, ways)):
        inside = {_side(way) for way in found[opens + 1 : closes]} & {"L", "R"}
        before = next((_side(way) for way in reversed(found[:opens]) if way != "ON"), base)
        if inside:
            found[opens] = found[closes] = base if base in inside or before == base else before
    return found


def _pairs(clusters: Sequence[str], ways: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where the brackets of each pair stand (BD16)."""
    waiting: list[tuple[str, int]] = []
    for at, (cluster, way) in enumerate(zip(clusters, ways, strict=True)):
        kind = category(cluster[0]) if way == "ON" and other_side(cluster) != cluster else ""
        if kind == "Ps":
            waiting.append((other_side(cluster)[0], at))
        elif kind == "Pe" and cluster[0] in (awaited := [each for each, _ in waiting]):
            place = len(awaited) - 1 - awaited[::-1].index(cluster[0])
            yield waiting[place][1], at
            del waiting[place:]


def _between(ways: Sequence[str], base: str) -> list[str]:
    """What is neutral takes the way of both its sides, or the line's where they differ (N1, N2)."""
    blocks = [(way, len(list(block))) for way, block in groupby(ways)]
    found: list[str] = []
    for at, (way, count) in enumerate(blocks):
        before = _side(blocks[at - 1][0]) if at else base
        after = _side(blocks[at + 1][0]) if at + 1 < len(blocks) else base
        found += [(before if before == after else base) if way == "ON" else way] * count
    return found
