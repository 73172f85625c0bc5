"""Texts in pictures: split between the shipped typefaces, measured, cut to a width, rendered as masks."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache, lru_cache
from itertools import groupby
from pathlib import Path
from unicodedata import bidirectional, category, normalize

from bidi import get_display
from bidi.mirror import MIRRORED
from PIL import Image, ImageDraw, ImageFont

from bot.i18n import INVISIBLE_NAME

ART = Path(__file__).parent / "art"


class Weight(StrEnum):
    MEDIUM = "Medium"
    BOLD = "Bold"
    DISPLAY = "Display"  # for large figures; other characters are bold


# Faces for scripts that Inter lacks
SCRIPTS = "Arabic Hebrew Devanagari Bengali Tamil Telugu Thai Georgian Armenian"
OTHERS = ("NotoSansCJK-Medium.otf", *(f"NotoSans{script}-Medium.ttf" for script in SCRIPTS.split()))
EMOJI = "NotoEmoji-Medium.ttf"
# The faces of each weight; the first one that has a character draws it
CHAINS = {
    Weight.MEDIUM: ("Inter-Medium.ttf", *OTHERS, EMOJI),
    Weight.BOLD: ("Inter-Bold.ttf", "NotoSansCJK-Bold.otf", *OTHERS, EMOJI),
    Weight.DISPLAY: ("InterDisplay-Bold.ttf", "Inter-Bold.ttf", "NotoSansCJK-Bold.otf", *OTHERS, EMOJI),
}
JOINER = "\u200d"
EMOJI_SELECTOR = "\ufe0f"  # asks for the character before it as an emoji
INVISIBLE = "\u200c\u200d\ufe0e\ufe0f"  # characters that need no glyph


@cache
def _load_coverage() -> dict[str, frozenset[int]]:
    """Return the characters of each face. The file has ranges such as `20-7e a0`."""
    coverage = dict[str, frozenset[int]]()
    ranges_by_face = json.loads((ART / "coverage.json").read_text("utf-8"))
    for face, ranges in ranges_by_face.items():
        codes: list[int] = []
        for part in ranges.split():
            first, _, last = part.partition("-")
            codes += range(int(first, 16), int(last or first, 16) + 1)
        coverage[face] = frozenset(codes)
    return coverage


def has_glyphs(face: str, cluster: str) -> bool:
    """Whether a face has every character of a cluster."""
    covered = _load_coverage()[face]
    return all(ord(c) in covered or c in INVISIBLE for c in cluster)


@lru_cache(192)
def load_font(face: str, size: int) -> ImageFont.FreeTypeFont:
    """Load a face at `size` pixels to the em. Raqm, which comes with Pillow's wheels, shapes the text."""
    return ImageFont.truetype(ART / face, size, layout_engine=ImageFont.Layout.RAQM)


@lru_cache(8192)
def find_face(cluster: str, weight: Weight) -> str | None:
    """Return the face that draws a cluster; None if no face has it."""
    if EMOJI_SELECTOR in cluster and has_glyphs(EMOJI, cluster):
        return EMOJI
    for face in CHAINS[weight]:
        if has_glyphs(face, cluster):
            return face
    return None


# Characters that no face has, in the place of longer clusters: the first one for each direction (ON for
# others)
STAND_INS = {"L": 0x12000, "R": 0x1E800, "AL": 0x1EC71, "ON": 0x1D300}
# An invisible character that follows a bracket, and precedes it where the bracket is read from the right and
# has to be mirrored
MARK = "\u034f"
BRACKET = f"[{re.escape(''.join(MIRRORED))}]"
MARKED_BRACKET = re.compile(f"(?P<kept>{BRACKET}){MARK}|{MARK}(?P<mirrored>{BRACKET})")
RIGHT_TO_LEFT = {"R", "AL", "AN"}  # directions of characters that need an order


def split_into_runs(clusters: Sequence[str], weight: Weight) -> list[tuple[str, str]]:
    """Return face and text of each run, from left to right as they are drawn; the face may be empty.

    A run is shaped as a whole, and its letters are in the order in which they are read.
    """
    # While the text is ordered, one character stands in for each longer cluster, to keep it together
    stand_ins = _make_stand_ins(clusters)
    originals = {stand_in: cluster for cluster, stand_in in stand_ins.items()}

    def restore_clusters(text: str) -> list[str]:
        return [originals.get(character, character) for character in text]

    characters = [stand_ins.get(cluster, cluster) for cluster in clusters]
    visual_order = _order_visually("".join(characters))
    faces = _find_faces(restore_clusters(visual_order), weight)
    runs = []
    for face, start, end in _find_spans(faces):
        # Ordered a second time, the run is as it is read again, which is what Raqm expects
        reading_order = get_display(visual_order[start:end])
        runs.append((face, "".join(restore_clusters(reading_order))))
    return runs


def _find_spans(faces: Sequence[str]) -> Iterator[tuple[str, int, int]]:
    """Yield face, start and end of each span of equal faces."""
    start = 0
    for face, equal_faces in groupby(faces):
        end = start + len(list(equal_faces))
        yield face, start, end
        start = end


def _make_stand_ins(clusters: Sequence[str]) -> dict[str, str]:
    """Return a character of the same direction for each longer cluster: `get_display` orders characters."""
    long_clusters = dict.fromkeys(cluster for cluster in clusters if len(cluster) > 1)  # Each once
    stand_ins = dict[str, str]()
    for number, cluster in enumerate(long_clusters):
        first_code = STAND_INS.get(bidirectional(cluster[0]), STAND_INS["ON"])
        stand_ins[cluster] = chr(first_code + number)
    return stand_ins


def _order_visually(text: str) -> str:
    """Return the characters from left to right as they are drawn, with brackets mirrored where needed."""
    directions = [bidirectional(character) for character in text]
    if RIGHT_TO_LEFT.isdisjoint(directions):
        return text
    # A mark behind each bracket comes to stand before it where the bracket is read from the right
    ordered = get_display(re.sub(BRACKET, rf"\g<0>{MARK}", text))
    return MARKED_BRACKET.sub(lambda match: match["kept"] or MIRRORED[match["mirrored"]], ordered)


def _find_faces(clusters: Sequence[str], weight: Weight) -> list[str]:
    """Return the face of each cluster, empty if there is none; a space has that of the words beside it."""
    faces = [find_face(cluster, weight) or "" for cluster in clusters]
    for at in range(1, len(clusters) - 1):
        before = faces[at - 1]
        after = faces[at + 1]
        if clusters[at] == " " and before == after and has_glyphs(after, " "):
            faces[at] = after  # so that both words are in one run
    return faces


MARKS = {"Mn", "Mc", "Me"}  # Unicode's categories
SKIN_TONES = range(0x1F3FB, 0x1F400)
FLAG_TAGS = range(0xE0020, 0xE0080)  # they spell the region of a flag
FLAG_LETTERS = range(0x1F1E6, 0x1F200)  # two of them are a flag


def split_into_clusters(text: str) -> list[str]:
    """Split a text into what people read as characters, near enough to Unicode's annex 29 for names."""
    clusters: list[str] = []
    for character in text:
        if clusters and _extends_cluster(clusters[-1], character):
            clusters[-1] += character
        else:
            clusters.append(character)
    return clusters


def _extends_cluster(cluster: str, character: str) -> bool:
    """Whether people read a character as a part of the cluster before it."""
    code = ord(character)
    if category(character) in MARKS or character in "\u200c\u200d":
        return True
    if code in SKIN_TONES or code in FLAG_TAGS:
        return True
    if cluster.endswith(JOINER) and category(character) == "So":  # Emoji are in this category
        return True
    return code in FLAG_LETTERS and len(cluster) == 1 and ord(cluster) in FLAG_LETTERS


def make_drawable(text: str, weight: Weight) -> list[str]:
    """Return the clusters of a text that can be drawn, replaced by similar letters where a face lacks them.

    A cluster without similar letters is left out, and so are double and outer spaces. If nothing is left of a
    text that is not empty, the result is a dot.
    """
    drawable: list[str] = []
    for cluster in split_into_clusters(normalize("NFC", text)):
        similar = " " if cluster.isspace() else _find_similar(cluster, weight)
        follows_word = bool(drawable) and drawable[-1] != " "
        if similar.isspace() and not follows_word:
            continue
        if similar:
            drawable.append(similar)
    while drawable and drawable[-1] == " ":
        drawable.pop()
    if text and not drawable:
        return [INVISIBLE_NAME]
    return drawable


CONTROLS = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}


def _find_similar(cluster: str, weight: Weight) -> str:
    """Return the cluster, its ordinary letters, or its first character; empty if none can be drawn."""
    if category(cluster[0]) in CONTROLS:
        return ""
    plain = _limit_marks(cluster)
    candidates = (
        plain,
        normalize("NFKC", plain),  # Ordinary letters for circled or ornate ones
        plain.replace(EMOJI_SELECTOR, ""),
        plain[:1],
        normalize("NFKD", plain)[:1],  # A letter without its accents
    )
    for candidate in candidates:
        is_visible = candidate.strip(JOINER + EMOJI_SELECTOR) != ""
        if is_visible and find_face(candidate, weight):
            return candidate
    return ""


ACCENTS = range(0x300, 0x370)
MAX_ACCENTS = 2  # more would cover the lines around
MAX_MARKS = 4  # of all marks on one letter, as some scripts need
MAX_CLUSTER = 16  # characters; the longest emoji have fewer


def _limit_marks(cluster: str) -> str:
    """Return the cluster without excessive accents and marks, and not too long."""
    accent_count = 0
    mark_count = 0
    limited = ""
    for character in cluster:
        if ord(character) in ACCENTS:
            accent_count += 1
            if accent_count > MAX_ACCENTS:
                continue
        if category(character) in MARKS:
            mark_count += 1
            if mark_count > MAX_MARKS:
                continue
        limited += character
    return limited[:MAX_CLUSTER].rstrip(JOINER)


def shorten(clusters: Sequence[str], count: int) -> list[str]:
    """Return the first `count` clusters and an ellipsis, without a space before it."""
    shortened = list(clusters[:count])
    while shortened and shortened[-1].isspace():
        shortened.pop()
    return [*shortened, "…"]


CAP_HEIGHT = 0.727  # of capitals and figures, in ems


@dataclass(frozen=True, slots=True)
class TextStyle:
    size: int  # pixels to the em
    weight: Weight = Weight.MEDIUM
    tabular: bool = False  # all figures are equally wide
    min_size: int = 0  # to which it may shrink before it is cut; 0: it keeps its size

    @property
    def cap_height(self) -> float:
        """Height of capitals and figures, in pixels."""
        return self.size * CAP_HEIGHT

    def get_baseline(self, middle: float) -> float:
        """Return the baseline of capitals or figures whose vertical middle is at `middle`."""
        return middle + self.cap_height / 2


@dataclass(frozen=True, slots=True)
class TextLayout:
    """A text with the places of its runs."""

    style: TextStyle
    runs: tuple[tuple[str, str, float], ...]  # face, text and x
    width: float


SIZE_STEP = 4  # shrunk sizes are multiples of this: each size of a face is kept in memory


@lru_cache(2048)
def lay_out_text(
    text: str, style: TextStyle, max_width: float | None = None, language: str = "en"
) -> TextLayout:
    """Lay out a text within `max_width` pixels: smaller if its style allows it, or cut with an ellipsis."""
    clusters = make_drawable(text, style.weight)
    layout = _place_runs(clusters, style, language)
    if max_width is None or layout.width <= max_width:
        return layout
    if style.size > style.min_size > 0:
        fitting = int(style.size * max_width / layout.width)
        size = max(style.min_size, fitting - fitting % SIZE_STEP)
        # With its size as `min_size`, the smaller text is cut if it is still too wide
        smaller = replace(style, size=size, min_size=size)
        return lay_out_text(text, smaller, max_width, language)
    for count in reversed(range(len(clusters))):  # down to the ellipsis alone, however wide
        layout = _place_runs(shorten(clusters, count), style, language)
        if layout.width <= max_width:
            break
    return layout


def _place_runs(clusters: Sequence[str], style: TextStyle, language: str) -> TextLayout:
    """Lay out clusters in one line, which begins at x = 0."""
    features = _get_features(style)
    x = 0.0
    runs = []
    for face, text in split_into_runs(clusters, style.weight):
        runs.append((face, text, x))
        x += _measure_run(face, style.size, text, features, language)
    return TextLayout(style, tuple(runs), x)


@lru_cache(4096)
def _measure_run(face: str, size: int, text: str, features: tuple[str, ...], language: str) -> float:
    """Return the width of a run. Cached: when a name is cut letter by letter, most of its runs stay."""
    return load_font(face, size).getlength(text, features=list(features), language=language)


def _get_features(style: TextStyle) -> tuple[str, ...]:
    """Return the OpenType features: `case` centres signs, `tnum` makes figures equally wide."""
    if style.tabular:
        return ("case", "tnum")
    if style.weight is Weight.DISPLAY:
        return ("case",)
    return ()


# Measures of a mask, in ems: from its top to the baseline and to its foot, and space at both sides for
# overhangs
BASELINE = 1.25
HEIGHT = 1.75
SIDE = 0.25


@lru_cache(192)
def render_mask(layout: TextLayout, language: str = "en") -> tuple[Image.Image, int, int]:
    """Render a mask of a text, light where it covers a pixel; return it with x and baseline of the text."""
    features = list(_get_features(layout.style))
    size = layout.style.size
    side = round(size * SIDE)
    baseline = round(size * BASELINE)
    mask = Image.new("L", (round(layout.width) + 2 * side, round(size * HEIGHT)))
    pen = ImageDraw.Draw(mask)
    for face, text, x in layout.runs:
        font = load_font(face, size)
        # "ls" is Pillow's name for a place at the left on the baseline
        at = (side + x, baseline)
        pen.text(at, text, fill=255, font=font, anchor="ls", features=features, language=language)
    return mask, side, baseline
