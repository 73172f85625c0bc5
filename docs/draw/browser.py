"""Chromium with the fonts of the bot's own pictures, so that pages look the same on every machine."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from playwright.async_api import Browser, Page, Route, async_playwright

from bot.board import static_files
from docs.draw.images import PHONE, SCALE
from tests.browser.conftest import ARGUMENTS, CHROMIUM

ART = Path(static_files.__file__).parents[1] / "pictures" / "art"
FACES = (
    ("Text", "Inter-Medium.ttf", "100 500"),
    ("Text", "Inter-Bold.ttf", "600 900"),
    ("Emoji", "NotoEmoji-Medium.ttf", "100 900"),
)
STYLE = "".join(
    f"@font-face {{font-family: {family}; src: url({file}); font-weight: {weights}}}"
    for family, file, weights in FACES
)
STILL = "*, ::before, ::after {transition: none !important; animation-play-state: paused !important}"
LOAD_FONTS = """
Promise.all(["500 16px Text", "700 16px Text", "16px Emoji"].map((font) => document.fonts.load(font, "A🏆")))
  .then(() => Promise.all([...document.images].map((image) => image.decode())))
  .then(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
"""


@asynccontextmanager
async def open_browser() -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        await browser.close()


async def open_page(
    browser: Browser, link: str, size: tuple[int, int] = PHONE, *, now: float | None = None
) -> Page:
    """Open a page of this size, a phone's with `SCALE`; `now` stops its clock."""
    width, height = size
    context = await browser.new_context(
        viewport={"width": width, "height": height},
        device_scale_factor=SCALE if width < 600 else 1,
        has_touch=width < 600,
        bypass_csp=True,
        service_workers="block",
        reduced_motion="reduce",
    )
    page = await context.new_page()
    await page.route("**/*.ttf", _serve_font)
    if now is not None:
        await page.clock.set_fixed_time(1000 * now)
    await page.goto(link)
    await page.add_style_tag(content=STYLE + STILL + ":root body {font-family: Text, Emoji}")
    await page.evaluate(LOAD_FONTS)
    return page


async def _serve_font(route: Route) -> None:
    name = route.request.url.rpartition("/")[2]
    await route.fulfill(
        body=(ART / name).read_bytes(),
        content_type="font/ttf",
        headers={"Access-Control-Allow-Origin": "*"},
    )
