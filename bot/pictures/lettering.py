"""Texts as they are set: measured, cut where they are too wide, and turned into masks of light and shade."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from PIL import Image, ImageDraw

from bot.pictures.faces import Weight, load_font, split_into_runs
from bot.pictures.names import make_drawable, shorten

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
def lay_out_text(text: str, style: TextStyle, max_width: float | None = None, language: str = "en") -> TextLayout:
    """The text within `room` pixels: smaller where its style says so, or cut with an ellipsis."""
    shown = make_drawable(text, style.weight)
    whole = _set(shown, style, language)
    if max_width is None or whole.width <= max_width:
        return whole
    if style.size > style.min_size > 0:
        fitting = max(style.min_size, int(style.size * max_width / whole.width) // EVEN * EVEN)
        return lay_out_text(text, replace(style, size=fitting, least=fitting), max_width, language)
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
