"""The typefaces that are shipped, which characters each has, and how a text is split between them."""

import json
from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import cache, lru_cache
from itertools import groupby
from pathlib import Path

from PIL import ImageFont

from bot.pictures.bidi import levels, ordered, other_side, reads_ahead

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


@lru_cache(192)
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

    A run is shaped, and turned round where there are letters in it that read from the right, as one. One of
    signs alone is turned here, bracket by bracket.
    """
    faces = _settled(clusters, [face_of(cluster, weight) or "" for cluster in clusters])
    faced = zip(faces, levels(clusters), clusters, strict=True)
    parts = [
        (face, level, [cluster for _, _, cluster in group])
        for (face, level), group in groupby(faced, key=lambda part: part[:2])
    ]
    texts = [(face, _turned(part) if level == 1 else "".join(part)) for face, level, part in parts]
    return ordered(texts, [level for _, level, _ in parts])


def _turned(run: Sequence[str]) -> str:
    """A run that reads from the right, for what shapes it: that sees to letters alone."""
    if not reads_ahead(run):
        return "".join(run)
    return "".join(other_side(cluster) for cluster in reversed(run))


def _settled(clusters: Sequence[str], faces: Sequence[str]) -> list[str]:
    """The faces, with a space between two words of one face in theirs, so that a run is not broken at it."""
    settled = list(faces)
    for at in range(1, len(clusters) - 1):
        if clusters[at] == " " and settled[at - 1] == faces[at + 1] and has(faces[at + 1], " "):
            settled[at] = faces[at + 1]
    return settled
