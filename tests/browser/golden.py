"""Approved pictures of the page.

`GOLDEN=write pytest -m browser tests/browser/test_pictures.py` writes them again. The page is drawn with the
font of the bot's own pictures, so that it looks the same on every machine.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PIL import Image

from bot.board import static_files
from tests.browser.fake_service import FakeService

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

GOLDEN = Path(__file__).parent / "golden"
FONT = Path(static_files.__file__).parents[1] / "pictures" / "art" / "Inter-Medium.ttf"
STYLE = (
    "@font-face {font-family: Seen; src: url(seen.ttf); font-weight: 100 900} :root body {font-family: Seen}"
)
LOAD_CARDS = """
Promise.all(["cards.png", "small.png"].map((src) => Object.assign(new Image(), { src }).decode()))
  .then(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
"""
SMALLER = 2
COLOURS = 96


@contextmanager
def open_page(browser: "Browser", board: FakeService, link: str | None) -> Iterator["Page"]:
    """Open a page of the board with our font, by the link or as Ann's."""
    more: dict[str, Any] = {"reduced_motion": "reduce", "bypass_csp": True, "service_workers": "block"}
    context = browser.new_context(**more)
    page = context.new_page()
    page.route("**/seen.ttf", _serve_font)
    page.goto(link or board.make_link())
    page.add_style_tag(content=STYLE)
    page.wait_for_selector("#play:not([aria-busy])")
    page.evaluate("document.fonts.load('16px Seen')")
    yield page
    context.close()


def _serve_font(route: "Route") -> None:
    route.fulfill(body=FONT.read_bytes(), content_type="font/ttf")


def shrink(png: bytes) -> Image.Image:
    """Return a picture at half its size."""
    with Image.open(BytesIO(png)) as whole:
        return whole.convert("RGB").reduce(SMALLER)


def load_picture(name: str) -> Image.Image:
    """Return the approved picture."""
    with Image.open(GOLDEN / f"{name}.png") as picture:
        return picture.convert("RGB")


def write_picture(name: str, picture: Image.Image) -> None:
    """Write an approved picture; look at it before it is committed."""
    GOLDEN.mkdir(exist_ok=True)
    picture.quantize(COLOURS, Image.Quantize.MEDIANCUT).save(GOLDEN / f"{name}.png", optimize=True)


async def serve_font_async(route: Any) -> None:
    """Serve our font to a page of the async API."""
    await route.fulfill(body=FONT.read_bytes(), content_type="font/ttf")
