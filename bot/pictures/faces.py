"""The typefaces that are shipped, which characters each has, and how a text is split between them."""

import json
from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import cache, lru_cache
from itertools import accumulate, groupby
from pathlib import Path
from unicodedata import bidirectional

from PIL import ImageFont

ART = Path(__file__).parent / "art"


class Weight(StrEnum):
    """How heavy a text is."""

    MEDIUM = "Medium"
    BOLD = "Bold"
    DISPLAY = "Display"
    """For large figures; whatever else is bold."""


OTHERS = (
    "NotoSansCJK-Medium.otf",
    *(
        f"NotoSans{script}-Medium.ttf"
        for script in (
            *("Arabic", "Hebrew", "Devanagari", "Bengali", "Tamil", "Telugu", "Thai", "Georgian"),
            "Armenian",
        )
    ),
)
"""For the scripts that the typeface does not have."""
EMOJI = "NotoEmoji-Medium.ttf"
CHAINS = {
    Weight.MEDIUM: ("Inter-Medium.ttf", *OTHERS, EMOJI),
    Weight.BOLD: ("Inter-Bold.ttf", "NotoSansCJK-Bold.otf", *OTHERS, EMOJI),
    Weight.DISPLAY: ("InterDisplay-Bold.ttf", "Inter-Bold.ttf", "NotoSansCJK-Bold.otf", *OTHERS, EMOJI),
}
"""The faces that are asked for a character, one after the other."""
AS_EMOJI = "\ufe0f"
"""Behind a character: it is to be shown as an emoji."""
JOINERS = "\u200c\u200d\ufe0e\ufe0f"
"""Seen in no face by themselves; they belong to what is around them."""


@cache
def _covered() -> dict[str, frozenset[int]]:
    ranges = json.loads((ART / "coverage.json").read_text("utf-8"))
    return {name: frozenset(_characters(written)) for name, written in ranges.items()}


def _characters(written: str) -> Iterator[int]:
    for part in written.split():
        first, _, last = part.partition("-")
        yield from range(int(first, 16), int(last or first, 16) + 1)


def has(face: str, cluster: str) -> bool:
    """Whether a face has every character of a cluster."""
    known = _covered()[face]
    return all(ord(c) in known or c in JOINERS for c in cluster)


@cache
def font(face: str, size: int) -> ImageFont.FreeTypeFont:
    """A face at so many pixels to the em; Raqm, which comes with Pillow's wheels, joins its letters."""
    return ImageFont.truetype(ART / face, size, layout_engine=ImageFont.Layout.RAQM)


@lru_cache(8192)
def face_of(cluster: str, weight: Weight) -> str | None:
    """The face for what people read as one character; None where no face has it."""
    if AS_EMOJI in cluster and has(EMOJI, cluster):
        return EMOJI
    return next((face for face in CHAINS[weight] if has(face, cluster)), None)


def runs(clusters: Sequence[str], weight: Weight) -> list[tuple[str, str]]:
    """Face and text of each run, in the order in which they stand from left to right.

    A run is shaped, and turned round where it reads from the right, as one. Runs themselves are put in order
    by the rules N1, N2 and L2 of Unicode's bidirectional algorithm, with the one level that a name can have.
    """
    ahead = reads_ahead("".join(clusters))
    faces = _settled(clusters, [face_of(cluster, weight) or "" for cluster in clusters])
    faced = zip(faces, _ways(clusters, otherwise=ahead), clusters, strict=True)
    parts = [
        (face, way, "".join(cluster for _, _, cluster in group))
        for (face, way), group in groupby(faced, key=lambda part: part[:2])
    ]
    return [(face, text) for face, _, text in _ordered(parts, ahead=ahead)]


def reads_ahead(text: str) -> bool:
    """Whether a text is read from left to right, by its first letter."""
    return next((way for way in map(_way, text) if way is not None), True)


def _way(cluster: str) -> bool | None:
    """Whether it reads from left to right; None for what reads as what is around it."""
    way = bidirectional(cluster[0])
    return True if way in {"L", "EN"} else False if way in {"R", "AL", "AN"} else None


def _ways(clusters: Sequence[str], *, otherwise: bool) -> list[bool]:
    """Of each cluster. One that has none takes that of both its sides, or the text's where they differ."""
    own = [_way(cluster) for cluster in clusters]
    before = list(accumulate(own, _latest, initial=otherwise))
    after = list(accumulate(reversed(own), _latest, initial=otherwise))[::-1]
    around = [one if one == other else otherwise for one, other in zip(before, after[1:], strict=False)]
    return [near if way is None else way for way, near in zip(own, around, strict=True)]


def _latest(known: bool, way: bool | None) -> bool:
    return known if way is None else way


def _settled(clusters: Sequence[str], faces: Sequence[str]) -> list[str]:
    """The faces, with a space between two words of one face in theirs, so that a run is not broken at it."""
    settled = list(faces)
    for at in range(1, len(clusters) - 1):
        if clusters[at] == " " and settled[at - 1] == faces[at + 1] and has(faces[at + 1], " "):
            settled[at] = faces[at + 1]
    return settled


def _ordered(parts: Sequence[tuple[str, bool, str]], *, ahead: bool) -> list[tuple[str, bool, str]]:
    """The parts from left to right: those against the way of the whole keep their own."""
    blocks = [list(group) for _, group in groupby(parts, key=lambda part: part[1])]
    turned = [block if block[0][1] else block[::-1] for block in blocks]
    return [part for block in (turned if ahead else turned[::-1]) for part in block]
