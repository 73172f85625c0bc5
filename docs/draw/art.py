"""Make the fonts and cards of the pictures: `python -m docs.draw.art FOLDER` writes bot/pictures/art/ again.

FOLDER holds the unpacked packages that bot/pictures/CREDITS.md names: `usr` of Debian's, and npm's as
`inter-ui` and `noto-emoji`. This also needs fonttools, brotli and resvg_py, which neither the bot nor its
tests need. The fonts are reduced to the characters of names and of the bot's own sentences; the cards are
drawn once, at the sizes used.
"""

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO
from itertools import product
from pathlib import Path
from typing import Any

import resvg_py  # type: ignore[import-not-found,unused-ignore]
from fontTools import subset  # type: ignore[import-not-found,import-untyped,unused-ignore]
from fontTools.pens.svgPathPen import SVGPathPen  # type: ignore[import-not-found,import-untyped,unused-ignore]
from fontTools.ttLib import TTFont, newTable  # type: ignore[import-not-found,import-untyped,unused-ignore]
from fontTools.ttLib.tables.ttProgram import Program  # type: ignore[import-not-found,import-untyped,unused-ignore]
from PIL import Image

from bot.pictures.palette import BRASS, FELT, INK, IVORY, PALETTE, RED, RGB, SHADE, STEPS

ROOT = Path(__file__).parents[2]
ART = ROOT / "bot" / "pictures" / "art"
COURTS = Path(__file__).parent / "cards"
INTER = "inter-ui/web/Inter-{}.woff2"
DISPLAY = "inter-ui/display/InterDisplay-{}.woff2"
NOTO = "usr/share/fonts/truetype/noto/NotoSans{}-Medium.ttf"
CJK = "usr/share/fonts/opentype/noto/NotoSansCJK-{}.ttc"
EMOJI = "noto-emoji/500Medium/NotoEmoji_500Medium.ttf"
UNUSED = {"vert", "vrt2", "frac", "numr", "dnom"}  # Features of vertical lines and of fractions
SIMPLIFIED = 2  # Index of the font for simplified Chinese in the collection; it has traditional shapes too
SCRIPTS = ("Arabic", "Hebrew", "Devanagari", "Bengali", "Tamil", "Telugu", "Thai", "Georgian", "Armenian")

# Letters with accents, Cyrillic, Greek, signs.
LATIN = (
    *((0x20, 0x7E), (0xA0, 0x24F), (0x259, 0x259), (0x2B0, 0x2FF), (0x300, 0x36F), (0x370, 0x3FF)),
    *((0x400, 0x52F), (0x1E00, 0x1EFF), (0x2010, 0x2027), (0x2030, 0x205E), (0x2070, 0x209F)),
    *((0x20A0, 0x20BF), (0x2100, 0x214F), (0x2150, 0x218B), (0x2190, 0x2199), (0x2212, 0x2215)),
    *(
        (0x2219, 0x221A),
        (0x221E, 0x221E),
        (0x2248, 0x2248),
        (0x2260, 0x2265),
        (0x25A0, 0x25FF),
        (0x2605, 0x2606),
    ),
)
NUMERALS = "0123456789+-−×÷·/=:.,()→?#%AJQK "
SUITS = {"S": INK, "H": RED, "D": RED, "C": INK}  # Colours, in the order of the rows of a sheet
RANKS = ("A", *map(str, range(2, 11)), "J", "Q", "K")
PANEL = (124, 234)  # Size of the picture on a court card of 240 by 336
# New colours of the court cards, by their own.
RECOLOURED = {"#44F": INK, "#FC4": BRASS, "red": RED, "#fff": IVORY, "#000": INK}


def main() -> None:
    source = Path(sys.argv[1])
    ART.mkdir(exist_ok=True)
    write_fonts(source)
    draw_cards(source)


def write_fonts(source: Path) -> None:
    """Write the reduced fonts, and the characters of each into coverage.json."""
    letters = {chr(c) for first, last in LATIN for c in range(first, last + 1)}
    for weight in ("Medium", "Bold"):
        _reduce_font(source / INTER.format(weight), f"Inter-{weight}.ttf", letters)
        _reduce_font(
            source / CJK.format(weight), f"NotoSansCJK-{weight}.otf", set(_list_east_asian()), SIMPLIFIED
        )
    _reduce_font(source / DISPLAY.format("Bold"), "InterDisplay-Bold.ttf", set(NUMERALS))
    for script in SCRIPTS:
        _reduce_font(source / NOTO.format(script), f"NotoSans{script}-Medium.ttf", None)
    _reduce_font(source / EMOJI, "NotoEmoji-Medium.ttf", None)
    covered = {path.name: _format_ranges(TTFont(path).getBestCmap()) for path in sorted(ART.glob("*.[to]tf"))}
    (ART / "coverage.json").write_text(json.dumps(covered, indent=0) + "\n", "utf-8")


def _reduce_font(source: Path, name: str, characters: set[str] | None, number: int = -1) -> None:
    """Write a font with these characters only (all if None) and the features that shape them."""
    font = TTFont(source, fontNumber=number)
    cutter = subset.Subsetter(_make_options(number))
    cutter.populate(unicodes=[ord(c) for c in characters] if characters else list(font.getBestCmap()))
    cutter.subset(font)
    font.flavor = None
    if "glyf" in font:
        _disable_hinting(font)
    font["head"].modified = font["head"].created
    font.recalcTimestamp = False
    font.save(ART / name)


def _make_options(number: int) -> Any:
    """Return what to keep of a font besides its letters; with a number, of the CJK collection."""
    options = subset.Options()
    options.layout_features = [*set(options.layout_features) - UNUSED, "tnum", "case"]
    if number >= 0:
        options.layout_scripts = ["hani.dflt", "hani.ZHT", "kana.dflt", "hang.dflt"]
        options.layout_features = ["kern", "locl", "ccmp", "liga", "mark", "mkmk"]
    options.hinting, options.notdef_outline = False, True
    options.name_IDs = [0, 1, 2, 5, 13, 14]
    options.drop_tables += ["vhea", "vmtx", "VORG", "BASE", "STAT", "meta"]
    return options


def _disable_hinting(font: Any) -> None:
    """Give the font an empty hinting program; without one, FreeType spends time on hints of its own."""
    font["prep"] = newTable("prep")
    font["prep"].program = Program()
    font["prep"].program.fromAssembly(["PUSHB[ ]", "0", "POP[ ]"] * 3)


def _format_ranges(characters: Iterable[int]) -> str:
    """Return the characters of a font in hexadecimal, such as `20-7e a0`."""
    runs: list[list[int]] = []
    for c in sorted(c for c in characters if c >= ord(" ")):
        if runs and c == runs[-1][1] + 1:
            runs[-1][1] = c
        else:
            runs.append([c, c])
    return " ".join(f"{a:x}" if a == b else f"{a:x}-{b:x}" for a, b in runs)


def _list_east_asian() -> Iterator[str]:
    """Yield the common Chinese characters, kana and Hangul, and those in the bot's sentences."""
    tails = (*range(0x40, 0x7F), *range(0xA1, 0xFF))
    for charset, heads in (("gb2312", (0xB0, 0xF8)), ("big5", (0xA4, 0xC7)), ("euc_kr", (0xB0, 0xC9))):
        for pair in product(range(*heads), tails):
            yield from bytes(pair).decode(charset, "ignore").strip("?")
    for first, last in ((0x3000, 0x303F), (0x3040, 0x312F), (0xFF01, 0xFFEE), (0x2E80, 0x2E80)):
        yield from map(chr, range(first, last + 1))
    yield from _list_chinese_of_catalogues()


def _list_chinese_of_catalogues() -> Iterator[str]:
    """Yield every Chinese character of the catalogues, however rare."""
    for path in sorted((ROOT / "bot" / "locale").glob("zh*/LC_MESSAGES/*.po")):
        yield from (c for c in path.read_text("utf-8") if 0x2E80 <= ord(c) < 0x10000)


def draw_cards(source: Path) -> None:
    """Draw the sheets of cards: whole faces in two sizes, and small ones with rank and suit alone."""
    index = _Index(source / DISPLAY.format("Bold"))
    _draw_faces((264, 370), index).save(ART / "cards.png", optimize=True)
    _draw_faces((192, 268), index).save(ART / "many.png", optimize=True)
    draw_sheet((132, 166), lambda suit, rank: _draw_small(index, suit, rank)).save(
        ART / "small.png", optimize=True
    )


def draw_sheet(size: tuple[int, int], face: Any) -> Image.Image:
    """Draw every card, a row for each suit, in the colours of the palette."""
    width, height = size
    whole = Image.new("RGB", (width * len(RANKS), height * len(SUITS)), RGB[FELT])
    for (row, suit), (column, rank) in product(enumerate(SUITS), enumerate(RANKS)):
        drawn = bytes(resvg_py.svg_to_bytes(svg_string=face(suit, rank), width=width, height=height))
        one = Image.open(BytesIO(drawn)).convert("RGBA")
        whole.paste(one, (column * width, row * height), one)
    return _quantize(whole, range(len(PALETTE) // 3))


def _draw_faces(size: tuple[int, int], index: "_Index") -> Image.Image:
    """Draw the sheet of whole cards; those with pictures get fewer shades, which keeps the file small."""
    whole = draw_sheet(size, lambda suit, rank: _draw_face(index, suit, rank))
    few = _quantize(
        whole.convert("RGB"), [*range(len(RGB)), *range(len(RGB) + STEPS // 2, len(PALETTE) // 3, STEPS)]
    )
    broad, tall = round(PANEL[0] * size[0] / 240), round(PANEL[1] * size[1] / 336)
    for row, column in product(range(len(SUITS)), (10, 11, 12)):
        left = column * size[0] + (size[0] - broad) // 2
        top = row * size[1] + (size[1] - tall) // 2 - round(2.5 * size[1] / 336)
        box = (left, top, left + broad, top + tall)
        whole.paste(few.crop(box), box)
    return whole


def _quantize(drawn: Image.Image, kept: Sequence[int]) -> Image.Image:
    """Convert an image to the kept colours of the palette, each pixel to the nearest one."""
    few = Image.new("P", (1, 1))
    few.putpalette([value for index in kept for value in PALETTE[3 * index : 3 * index + 3]])
    found = drawn.quantize(palette=few, dither=Image.Dither.NONE)
    table = [*kept, *[0] * (256 - len(kept))]
    whole = Image.frombytes("P", found.size, found.tobytes().translate(bytes(table)))
    whole.putpalette(PALETTE)
    return whole


class _Index:
    """Outlines of the letters and figures in the corners."""

    def __init__(self, path: Path) -> None:
        font = TTFont(path)
        self._glyphs, self._names = font.getGlyphSet(), font.getBestCmap()
        self._cap = font["OS/2"].sCapHeight

    def draw(self, rank: str, x: float, y: float, cap: float, widest: float) -> str:
        """Return `rank` as SVG, centred at x with its foot at y; narrower if it would be too wide."""
        scale, at, outlines = cap / self._cap, 0.0, []
        for letter in rank:
            glyph = self._glyphs[self._names[ord(letter)]]
            pen = SVGPathPen(self._glyphs)
            glyph.draw(pen)
            outlines.append(f'<path transform="translate({at:.1f} 0)" d="{pen.getCommands()}"/>')
            at += glyph.width * 0.94
        narrow = min(1.0, widest / (at * scale))
        left = x - at * scale * narrow / 2
        return (
            f'<g transform="translate({left:.2f} {y}) scale({scale * narrow:.5f} {-scale:.5f})">'
            f"{''.join(outlines)}</g>"
        )


def _format_colour(colour: int) -> str:
    return "#{:02x}{:02x}{:02x}".format(*RGB[colour])


def _read_pip_path(suit: str) -> str:
    """Return the outline of a suit, in a square of 1200 around the origin."""
    ace = (COURTS / f"{suit}A.svg").read_text("utf-8")
    symbol = next(part for part in ace.split("<symbol") if '"-600 -600 1200 1200"' in part)
    return symbol.split(' d="')[1].split('"')[0]


def _draw_pip(suit: str, x: float, y: float, size: float, *, turned: bool = False) -> str:
    scale = size / 1200 * (-1 if turned else 1)
    return f'<path transform="translate({x} {y}) scale({scale:.5f})" d="{_read_pip_path(suit)}"/>'


def _draw_frame(width: int, height: int, radius: int, lip: float, inside: str, colour: int) -> str:
    """Draw a card with a lip, the edge visible below it."""
    box = f'x="{-width / 2}" width="{width}" rx="{radius}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'preserveAspectRatio="none" viewBox="{-width / 2} {-height / 2} {width} {height}">'
        f'<rect {box} y="{-height / 2 + lip}" height="{height - lip}" fill="{_format_colour(SHADE)}"/>'
        f'<rect {box} y="{-height / 2}" height="{height - lip}" fill="{_format_colour(IVORY)}"/>'
        f'<g transform="translate(0 {-lip / 2})" fill="{_format_colour(colour)}">{inside}</g></svg>'
    )


def _draw_face(index: _Index, suit: str, rank: str) -> str:
    figure = index.draw(rank, -92, -108, 40, 43) if rank == "10" else index.draw(rank, -95, -108, 40, 36)
    corner = figure + _draw_pip(suit, -95, -82, 38)
    both = corner + f'<g transform="rotate(180)">{corner}</g>'
    inside = _draw_court(suit, rank) if rank in "JQK" else _draw_pips(suit, rank)
    return _draw_frame(240, 336, 15, 5, both + inside, SUITS[suit])


# Positions of the pips on a card, in halves of its field.
PIPS = {
    2: ((0, -1), (0, 1)),
    3: ((0, -1), (0, 0), (0, 1)),
    4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    6: ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
    7: ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1), (0, -0.5)),
    8: ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1), (0, -0.5), (0, 0.5)),
    9: (*product((-1, 1), (-1, -1 / 3, 1 / 3, 1)), (0, 0)),
    10: (*product((-1, 1), (-1, -1 / 3, 1 / 3, 1)), (0, -2 / 3), (0, 2 / 3)),
}


def _draw_pips(suit: str, rank: str) -> str:
    if rank == "A":
        return _draw_pip(suit, 0, 0, 150)
    return "".join(_draw_pip(suit, 37 * x, 102 * y, 58, turned=y > 0) for x, y in PIPS[int(rank)])


def _draw_court(suit: str, rank: str) -> str:
    """Draw the picture of a court card in the palette's colours, without the index in its corners."""
    drawn = (COURTS / f"{suit}{rank}.svg").read_text("utf-8")
    for theirs, ours in RECOLOURED.items():
        drawn = drawn.replace(f'"{theirs}"', f'"{_format_colour(ours)}"')
    drawn = drawn.replace(f'fill="{_format_colour(IVORY)}" stroke="{_format_colour(INK)}"', 'fill="none"', 1)
    for size in ('height="32" width="32"', 'height="26.769" width="26.769"'):
        drawn = drawn.replace(size, 'height="0" width="0" visibility="hidden"')
    inner = drawn.split(">", 1)[1].rsplit("</svg>", 1)[0]
    return f'<g transform="scale(.74 .89)" fill="{_format_colour(INK)}">{inner}</g>'


def _draw_small(index: _Index, suit: str, rank: str) -> str:
    inside = index.draw(rank, 0, 2, 58, 88) + _draw_pip(suit, 0, 42, 54)
    return _draw_frame(132, 166, 14, 6, inside, SUITS[suit])


if __name__ == "__main__":
    main()
