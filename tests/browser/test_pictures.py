"""The page at 320, 390, 1280 and 1920 px, light and dark, looks as in the approved pictures."""

import os
from typing import TYPE_CHECKING, Literal

import pytest

from tests.bot.pictures.golden import measure_difference
from tests.browser import golden
from tests.browser.fake_service import FakeService
from tests.browser.test_looks import SCHEMES, SCREENS, prepare_screen

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# The largest difference of a pixel's colour, of 255; browsers render text a little differently.
NEAR = 60
SMALL, PHONE, DESK, WIDE = (320, 568), (390, 844), (1280, 800), (1920, 1080)
Look = tuple[tuple[int, int], Literal["light", "dark"]]
EVERY: list[Look] = [(size, scheme) for size in (SMALL, PHONE, DESK, WIDE) for scheme in SCHEMES]
LOOKS: dict[str, list[Look]] = {
    "twentyfour": EVERY,
    "won": EVERY,
    "watched": [(PHONE, "light"), (WIDE, "dark")],
}
USUAL: list[Look] = [(PHONE, "light"), (DESK, "dark")]  # of other screens


@pytest.mark.parametrize("screen", SCREENS)
def test_page_looks_as_approved(browser: "Browser", board: FakeService, screen: str) -> None:
    link = prepare_screen(board, screen)
    different = []
    with golden.open_page(browser, board, link) as page:
        for key in SCREENS[screen][1]:
            page.keyboard.press(key)
        if screen == "day":
            page.get_by_role("button", name="The day’s hand").click()
        for (width, height), scheme in LOOKS.get(screen, USUAL):
            page.set_viewport_size({"width": width, "height": height})
            page.emulate_media(color_scheme=scheme)
            page.evaluate(golden.LOAD_CARDS)
            picture = golden.shrink(page.screenshot())
            name = f"{screen}-{width}-{scheme}"
            if os.environ.get("GOLDEN") == "write":
                golden.write_picture(name, picture)
            if measure_difference(picture, golden.load_picture(name)) > NEAR:
                different.append(name)
    assert different == []
