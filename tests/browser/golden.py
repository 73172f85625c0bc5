"""The page as it was looked at. `GOLDEN=write pytest -m browser tests/browser/test_pictures.py` writes
it anew.

It is drawn with the letters of the bot's own pictures, so that it looks the same on every machine.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PIL import Image

from bot.board import sentences
from tests.browser.fake_service import Fake

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

GOLDEN = Path(__file__).parent / "golden"
LETTERS = Path(sentences.__file__).parents[1] / "pictures" / "art" / "Inter-Medium.ttf"
STYLE = (
    "@font-face {font-family: Seen; src: url(seen.ttf); font-weight: 100 900} :root body {font-family: Seen}"
)
SMALLER = 2
COLOURS = 96


@contextmanager
def drawn(browser: "Browser", board: Fake, size: tuple[int, int], scheme: str) -> Iterator["Page"]:
    """A page at the board whose letters are known."""
    viewport: Any = {"width": size[0], "height": size[1]}
    more: dict[str, Any] = {
        "color_scheme": scheme,
        "reduced_motion": "reduce",
        "bypass_csp": True,
        "service_workers": "block",
    }
    context = browser.new_context(viewport=viewport, **more)
    page = context.new_page()
    page.route("**/seen.ttf", _letters)
    page.goto(board.link())
    page.add_style_tag(content=STYLE)
    page.wait_for_selector("#play:not([aria-busy])")
    page.evaluate("document.fonts.load('16px Seen')")
    yield page
    context.close()


def _letters(route: "Route") -> None:
    route.fulfill(body=LETTERS.read_bytes(), content_type="font/ttf")


def small(png: bytes) -> Image.Image:
    """A picture at half its size."""
    with Image.open(BytesIO(png)) as whole:
        return whole.convert("RGB").reduce(SMALLER)


def kept(name: str) -> Image.Image:
    """The picture that was looked at and found right."""
    with Image.open(GOLDEN / f"{name}.png") as picture:
        return picture.convert("RGB")


def keep(name: str, picture: Image.Image) -> None:
    """Write one; look at it before it is committed."""
    GOLDEN.mkdir(exist_ok=True)
    picture.quantize(COLOURS, Image.Quantize.MEDIANCUT).save(GOLDEN / f"{name}.png", optimize=True)


async def letters(route: Any) -> None:
    """The same, to a page that is driven from an event loop."""
    await route.fulfill(body=LETTERS.read_bytes(), content_type="font/ttf")
