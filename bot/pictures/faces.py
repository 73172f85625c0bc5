"""The typefaces that are shipped, which characters each has, and how a text is split between them."""

import json
import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import cache, lru_cache
from itertools import accumulate, groupby
from pathlib import Path
from unicodedata import bidirectional

from bidi import get_base_level, get_display
from bidi.mirror import MIRRORED
from PIL import ImageFont

ART = Path(__file__).parent / "art"


class Weight(StrEnum):
    """How heavy a text is."""

    MEDIUM = "Medium"
    BOLD = "Bold"
    DISPLAY = "Display"  # For large figures; whatever else is bold


# For the scripts that the typeface does not have.
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
EMOJI = "NotoEmoji-Medium.ttf"
# The faces that are asked for a character, one after the other.
CHAINS = {
    Weight.MEDIUM: ("Inter-Medium.ttf", *OTHERS, EMOJI),
    Weight.BOLD: ("Inter-Bold.ttf", "NotoSansCJK-Bold.otf", *OTHERS, EMOJI),
    Weight.DISPLAY: ("InterDisplay-Bold.ttf", "Inter-Bold.ttf", "NotoSansCJK-Bold.otf", *OTHERS, EMOJI),
}
EMOJI_SELECTOR = "\ufe0f"  # Behind a character: it is to be shown as an emoji
JOINERS = "\u200c\u200d\ufe0e\ufe0f"  # Seen in no face by themselves; they belong to what is around them


@cache
def _covered() -> dict[str, frozenset[int]]:
    ranges = json.loads((ART / "coverage.json").read_text("utf-8"))
    return {name: frozenset(_characters(written)) for name, written in ranges.items()}


def _characters(written: str) -> Iterator[int]:
    for part in written.split():
        first, _, last = part.partition("-")
        yield from range(int(first, 16), int(last or first, 16) + 1)


def has_glyphs(face: str, cluster: str) -> bool:
    """Whether a face has every character of a cluster."""
    known = _covered()[face]
    return all(ord(c) in known or c in JOINERS for c in cluster)


@lru_cache(192)
def load_font(face: str, size: int) -> ImageFont.FreeTypeFont:
    """A face at so many pixels to the em; Raqm, which comes with Pillow's wheels, joins its letters."""
    return ImageFont.truetype(ART / face, size, layout_engine=ImageFont.Layout.RAQM)


@lru_cache(8192)
def find_face(cluster: str, weight: Weight) -> str | None:
    """The face for what people read as one character; None where no face has it."""
    if EMOJI_SELECTOR in cluster and has_glyphs(EMOJI, cluster):
        return EMOJI
    return next((face for face in CHAINS[weight] if has_glyphs(face, cluster)), None)


def split_into_runs(clusters: Sequence[str], weight: Weight) -> list[tuple[str, str]]:
    """Face and text of each run, in the order in which they stand from left to right.

    A run is shaped, and turned round where there are letters in it that read from the right, as one. One of
    signs alone is turned here, bracket by bracket.
    """
    faces = _settled(clusters, [find_face(cluster, weight) or "" for cluster in clusters])
    faced = zip(faces, _compute_levels(clusters), clusters, strict=True)
    parts = [
        (face, level, [cluster for _, _, cluster in group])
        for (face, level), group in groupby(faced, key=lambda part: part[:2])
    ]
    texts = [(face, _turned(part) if level == 1 else "".join(part)) for face, level, part in parts]
    return _reorder(texts, [level for _, level, _ in parts])


def _compute_levels(clusters: Sequence[str]) -> list[int]:
    """The level of each cluster by UAX #9: 0 is read from the left, 1 from the right, 2 is a number or a
    word from the left within that.
    """
    text = "".join(clusters)
    if not {"R", "AL", "AN"}.intersection(map(bidirectional, text)):
        return [0] * len(clusters)
    # the library tells levels in this form alone: one for each byte of UTF-8, then the paragraph's
    told = re.findall(r"Level\(\s*(\d+)", get_display(text, debug=True))
    starts = accumulate((len(cluster.encode()) for cluster in clusters[:-1]), initial=0)
    return [int(told[start]) for start in starts]


def _reorder(parts: Sequence[tuple[str, str]], levels: Sequence[int]) -> list[tuple[str, str]]:
    """The parts of a line from left to right (rule L2)."""
    line = list(zip(parts, levels, strict=True))
    for level in (2, 1):
        blocks = [list(block) for _, block in groupby(line, key=lambda part: part[1] >= level)]
        line = [part for block in blocks for part in (block[::-1] if block[0][1] >= level else block)]
    return [part for part, _ in line]


def _turned(run: Sequence[str]) -> str:
    """A run that reads from the right, for what shapes it: that sees to letters alone."""
    if get_base_level("".join(run)) == 1:
        return "".join(run)
    return "".join(MIRRORED.get(cluster[0], cluster[0]) + cluster[1:] for cluster in reversed(run))


def _settled(clusters: Sequence[str], faces: Sequence[str]) -> list[str]:
    """The faces, with a space between two words of one face in theirs, so that a run is not broken at it."""
    settled = list(faces)
    for at in range(1, len(clusters) - 1):
        if clusters[at] == " " and settled[at - 1] == faces[at + 1] and has_glyphs(faces[at + 1], " "):
            settled[at] = faces[at + 1]
    return settled
