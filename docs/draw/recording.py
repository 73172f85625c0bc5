"""Turn pictures of a phone into a moving SVG without scripts; without motion it shows the last picture."""

from base64 import b64encode
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from io import BytesIO
from itertools import pairwise
from typing import Any

from PIL import Image, ImageChops, ImageFilter

from docs.draw.images import PHONE, SCALE

HEADER_HEIGHT = 56  # Of the chat, which moves below it
COLOURS = 96
MARGIN = 9  # Pixels; without a margin, smaller copies of a patch mix with what it covers
PAUSE = 3.0  # Seconds between the last picture and the next turn
FADE, MOVE, TOUCH = 0.15, 0.4, 0.4  # Seconds that changes take


@dataclass(frozen=True)
class Frame:
    """What the phone shows from a second on."""

    second: float
    image: Image.Image  # Of a chat all of it, without the header
    place: tuple[float, float] | None = None  # What was touched just before
    shift: float = 0  # How far a chat is moved down from the header


def draw_recording(
    header: Image.Image, talk: Sequence[Frame], board: Sequence[Frame], title: str, description: str
) -> str:
    """Return the SVG: the chat moves below its header, and the board then covers both."""
    width, height = PHONE
    duration = board[-1].second + PAUSE
    frames = [*talk, *board]
    palette = _find_palette([frame.image for frame in frames])
    touches = [(frame.second, frame.place) for frame in frames if frame.place]
    rules = [_animate_shift(talk, duration)]
    rules += [_animate_patch(n, frame.second, duration) for n, frame in enumerate(frames) if n]
    rules += [_animate_touch(n, second, duration) for n, (second, _) in enumerate(touches)]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}"'
        f' height="{height}" role="img" aria-labelledby="title">\n<title id="title">{escape(title)}</title>\n'
        f"<desc>{escape(description)}</desc>\n<style>\ncircle {{ fill: #e8b64c; opacity: 0 }}\n"
        ".edge { fill: none; stroke: #5d7568 }\n"
        "@media (prefers-reduced-motion: no-preference) {\n"
        f"image, circle, #talk {{ animation: {duration:g}s infinite }}\n"
    )
    shapes = [
        f'<clipPath id="phone"><rect width="{width}" height="{height}" rx="16"/></clipPath>',
        f'<g clip-path="url(#phone)">\n<rect width="{width}" height="{height}" fill="#dfe7dc"/>',
        f'<g transform="translate(0 {HEADER_HEIGHT})"><g id="talk">',
        *_draw_patches(talk, palette, first=0),
        "</g></g>",
        _draw_image("", header.quantize(palette=palette, dither=Image.Dither.NONE), (0, 0)),
        *_draw_patches(board, palette, first=len(talk)),
        *(f'<circle id="t{n}" cx="{x:g}" cy="{y:g}" r="22"/>' for n, (_, (x, y)) in enumerate(touches)),
        "</g>",
        f'<rect x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="15.5" class="edge"/>',
        "</svg>\n",
    ]
    return head + "\n".join(rules) + "\n}\n</style>\n" + "\n".join(shapes)


def _animate_shift(talk: Sequence[Frame], duration: float) -> str:
    """Move the chat to each frame's place."""
    points = [f"0% {{ transform: translateY({talk[0].shift:g}px) }}"]
    for before, frame in pairwise(talk):
        start, end = frame.second / duration, (frame.second + MOVE) / duration
        points.append(f"{start:.2%} {{ transform: translateY({before.shift:g}px) }}")
        points.append(f"{end:.2%} {{ transform: translateY({frame.shift:g}px) }}")
    points.append(f"100% {{ transform: translateY({talk[-1].shift:g}px) }}")
    return f"#talk {{ animation-name: talk }} @keyframes talk {{ {' '.join(points)} }}"


def _animate_patch(number: int, second: float, duration: float) -> str:
    start, end = second / duration, (second + FADE) / duration
    return (
        f"#p{number} {{ animation-name: p{number} }} @keyframes p{number} "
        f"{{ 0%, {start:.2%} {{ opacity: 0 }} {end:.2%}, 100% {{ opacity: 1 }} }}"
    )


def _animate_touch(number: int, second: float, duration: float) -> str:
    """Show a touch around that second."""
    start, middle, end = ((second + part * TOUCH) / duration for part in (-0.7, 0, 0.5))
    return (
        f"#t{number} {{ animation-name: t{number} }} @keyframes t{number} {{ 0%, {start:.2%} {{ opacity: 0 }}"
        f" {middle:.2%} {{ opacity: .75 }} {end:.2%}, 100% {{ opacity: 0 }} }}"
    )


def _draw_patches(frames: Sequence[Frame], palette: Image.Image, first: int) -> Iterator[str]:
    """Yield images: the first frame whole, and of each other what differs from the one before."""
    before: Image.Image | None = None
    for number, frame in enumerate(frames, first):
        image = frame.image.quantize(palette=palette, dither=Image.Dither.NONE)
        if before is None:
            yield _draw_image(f"p{number}", image, (0, 0))
        else:
            patch, corner = _make_patch(before, image)
            yield _draw_image(f"p{number}", patch, corner)
        before = image


def _make_patch(before: Image.Image, image: Image.Image) -> tuple[Image.Image, tuple[int, int]]:
    """Return the changed parts of an image, others transparent, and their upper left corner."""
    seen = Image.new("RGB", image.size, "magenta")
    seen.paste(before.convert("RGB"))
    difference = ImageChops.difference(seen, image.convert("RGB"))
    red, green, blue = (band.point(lambda value: 255 if value else 0) for band in difference.split())
    changed = ImageChops.lighter(ImageChops.lighter(red, green), blue).filter(ImageFilter.MaxFilter(MARGIN))
    patch = Image.new("RGBA", image.size)
    patch.paste(image.convert("RGBA"), mask=changed)
    left, top, right, bottom = changed.getbbox() or (0, 0, 1, 1)
    return patch.crop((left, top, right, bottom)), (left, top)


def _draw_image(name: str, image: Image.Image, corner: tuple[int, int]) -> str:
    """Return an image as lossless WebP, which is a quarter smaller than PNG."""
    file = BytesIO()
    image.convert("RGBA").save(file, "WEBP", lossless=True, quality=100, method=6)
    left, top, width, height = (value / SCALE for value in (*corner, *image.size))
    data = b64encode(file.getvalue()).decode()
    return (
        f'<image{f" id={name!r}" if name else ""} x="{left:g}" y="{top:g}" width="{width:g}"'
        f' height="{height:g}" href="data:image/webp;base64,{data}"/>'
    )


def _find_palette(images: Sequence[Image.Image]) -> Image.Image:
    """Return an image with the most frequent colours of all images."""
    counts = Counter[Any]()
    for image in images:
        counts.update({colour: n for n, colour in image.getcolors(image.width * image.height) or []})
    palette = Image.new("P", (1, 1))
    palette.putpalette([value for colour, _ in counts.most_common(COLOURS) for value in colour])
    return palette
