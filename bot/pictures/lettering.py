"""Texts as they are set: measured, cut where they are too wide, and turned into masks of light and shade."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache, lru_cache
from itertools import accumulate, groupby
from pathlib import Path
from unicodedata import bidirectional, category, normalize

from bidi import get_base_level, get_display
from bidi.mirror import MIRRORED
from PIL import Image, ImageDraw, ImageFont

from bot.i18n import INVISIBLE_NAME

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


JOINER = "\u200d"
TAGS = range(0xE0020, 0xE0080)  # They spell which flag a flag is
TONES = range(0x1F3FB, 0x1F400)
LETTERS = range(0x1F1E6, 0x1F200)  # Two of them are a flag
# Accents on one letter, and how many are drawn: more would cover the lines around it.
ACCENTS, MOST_ACCENTS = range(0x300, 0x370), 2
MOST_MARKS = 4  # Of all marks that one letter bears, as some scripts need
LONGEST = 16  # Characters that are drawn as one: the longest emoji there are have fewer
MARKS = {"Mn", "Mc", "Me"}
UNSEEN = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}
ELLIPSIS = "…"


def split_into_clusters(text: str) -> list[str]:
    """The text in what people read as one character each, near enough to Unicode's annex 29 for names."""
    found: list[str] = []
    for c in text:
        if found and (_extends(c) or _follows(found[-1], c)):
            found[-1] += c
        else:
            found.append(c)
    return found


def _extends(c: str) -> bool:
    return category(c) in MARKS or c in "\u200c\u200d" or ord(c) in TONES or ord(c) in TAGS


def _follows(cluster: str, c: str) -> bool:
    """Whether `c` belongs to the cluster before it: joined to it, or the second letter of a flag."""
    if cluster[-1] == JOINER:
        return category(c) == "So"
    return ord(c) in LETTERS and len(cluster) == 1 and ord(cluster) in LETTERS


def make_drawable(text: str, weight: Weight) -> list[str]:
    """The clusters of a text that can be drawn, each as it is or as near to it as there are letters for.

    What no typeface has is left out with its space; of a name of nothing else, a dot is shown.
    """
    kept: list[str] = []
    for cluster in split_into_clusters(normalize("NFC", text)):
        shown = " " if cluster.isspace() else _nearest(cluster, weight)
        if shown.strip() or (shown and kept and kept[-1] != " "):
            kept.append(shown)
    while kept and kept[-1] == " ":
        kept.pop()
    return kept if kept or not text else [INVISIBLE_NAME]


def _nearest(cluster: str, weight: Weight) -> str:
    """The cluster, or it in ordinary letters, or without accents and joints; empty where nothing is left."""
    if any(category(c) in UNSEEN for c in cluster[:1]):
        return ""
    plain = _calm(cluster)
    ways = (
        plain,
        normalize("NFKC", plain),
        plain.replace(EMOJI_SELECTOR, ""),
        plain[:1],
        normalize("NFKD", plain)[:1],
    )
    return next((way for way in ways if way.strip("\u200d\ufe0f") and find_face(way, weight)), "")


def _calm(cluster: str) -> str:
    """The cluster without what only piles up, or goes on and on."""
    accents, marks, kept = 0, 0, ""
    for c in cluster:
        accents += ord(c) in ACCENTS
        marks += category(c) in MARKS
        if not (
            (accents > MOST_ACCENTS and ord(c) in ACCENTS) or (marks > MOST_MARKS and category(c) in MARKS)
        ):
            kept += c
    return kept[:LONGEST].rstrip(JOINER)


def shorten(shown: Sequence[str], kept: int) -> list[str]:
    """The first so many clusters and an ellipsis, close to the last letter."""
    whole = list(shown[:kept])
    while whole and whole[-1].isspace():
        whole.pop()
    return [*whole, ELLIPSIS]


CAP = 0.727  # Height of capitals and figures, in ems
BASE = 1.25  # From the top of a mask to the line on which the letters stand, in ems …
DEPTH = 1.75  # … and to its foot: what reaches beyond is cut off
SIDE = 0.25  # Left and right of a mask, for what overhangs
FIGURES = ("case",)  # Of what is made of figures: signs, colons and arrows stand in their middle
TABULAR = ("case", "tnum")
EVEN = 4  # Sizes to which a text shrinks are multiples of this: each size of a typeface is kept in memory


@dataclass(frozen=True, slots=True)
class TextStyle:
    """How a text looks."""

    size: int  # Pixels to the em
    weight: Weight = Weight.MEDIUM
    tabular: bool = False  # Whether all figures are equally wide
    min_size: int = 0  # The size to which it may shrink before it is cut; 0 where it keeps its size

    @property
    def cap_height(self) -> float:
        """Height of capitals and figures, in pixels."""
        return self.size * CAP


@dataclass(frozen=True, slots=True)
class TextLayout:
    """A text as it is drawn."""

    style: TextStyle
    runs: tuple[tuple[str, str, float], ...]  # Face, text and where it begins
    width: float


@lru_cache(2048)
def lay_out_text(
    text: str, style: TextStyle, max_width: float | None = None, language: str = "en"
) -> TextLayout:
    """The text within `room` pixels: smaller where its style says so, or cut with an ellipsis."""
    shown = make_drawable(text, style.weight)
    whole = _set(shown, style, language)
    if max_width is None or whole.width <= max_width:
        return whole
    if style.size > style.min_size > 0:
        fitting = max(style.min_size, int(style.size * max_width / whole.width) // EVEN * EVEN)
        return lay_out_text(text, replace(style, size=fitting, min_size=fitting), max_width, language)
    return _cut(shown, int(len(shown) * max_width / whole.width), style, max_width, language)


def _cut(shown: Sequence[str], guess: int, style: TextStyle, room: float, language: str) -> TextLayout:
    """As many clusters as fit, sought from a guess that is seldom far off."""
    cut = _set(shorten(shown, guess), style, language)
    while cut.width > room and guess > 0:
        guess -= 1
        cut = _set(shorten(shown, guess), style, language)
    while (more := _set(shorten(shown, guess + 1), style, language)).width <= room and guess < len(shown):
        guess, cut = guess + 1, more
    return cut


def _set(shown: Sequence[str], style: TextStyle, language: str) -> TextLayout:
    at, placed, features = 0.0, [], _features(style)
    for face, text in split_into_runs(shown, style.weight):
        placed.append((face, text, at))
        at += _length(face, style.size, text, features, language)
    return TextLayout(style, tuple(placed), at)


@lru_cache(4096)
def _length(face: str, size: int, text: str, features: tuple[str, ...], language: str) -> float:
    """The width of a run: where a name is cut letter by letter, most of its runs stay."""
    return load_font(face, size).getlength(text, features=list(features), language=language)


def _features(style: TextStyle) -> tuple[str, ...]:
    return TABULAR if style.tabular else FIGURES if style.weight is Weight.DISPLAY else ()


@lru_cache(192)
def render_mask(setting: TextLayout, language: str = "en") -> tuple[Image.Image, int, int]:
    """How much of each pixel is covered; how far right its text begins, and how far down it stands.

    The latest ones are kept: most words come again and again.
    """
    size, style = setting.style.size, setting.style
    side, base = round(size * SIDE), round(size * BASE)
    light = Image.new("L", (round(setting.width) + 2 * side, round(size * DEPTH)))
    pen = ImageDraw.Draw(light)
    for face, text, at in setting.runs:
        where = (side + at, base)
        features = list(_features(style))
        pen.text(where, text, 255, load_font(face, size), "ls", features=features, language=language)
    return light, side, base
