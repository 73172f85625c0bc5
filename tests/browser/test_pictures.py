"""The page at 320 and 1440 px, light and dark, looks as in the approved pictures."""

import os
from typing import TYPE_CHECKING

import pytest

from tests.bot.pictures.golden import measure_difference
from tests.browser import golden
from tests.browser.conftest import DESK, PHONE
from tests.browser.fake_service import FakeService
from tests.browser.test_looks import SCREENS, WINNERS

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# The largest difference of a pixel's colour, of 255; browsers render text a little differently.
NEAR = 60
SIZES = {"phone": PHONE, "desk": DESK}
PICTURES = [
    (screen, size, scheme) for screen in SCREENS for size, scheme in (("phone", "light"), ("desk", "dark"))
]


@pytest.mark.parametrize(("screen", "size", "scheme"), PICTURES)
def test_page_looks_as_approved(
    browser: "Browser", board: FakeService, screen: str, size: str, scheme: str
) -> None:
    round_, keys = SCREENS[screen]
    board.round, board.filled = round_(), [5, 0, 10]
    board.winner = WINNERS.get(screen)
    with golden.open_page(browser, board, SIZES[size], scheme) as page:
        for key in keys:
            page.keyboard.press(key)
        picture = golden.shrink(page.screenshot())
    name = f"{screen}-{size}"
    if os.environ.get("GOLDEN") == "write":
        golden.write_picture(name, picture)
    assert measure_difference(picture, golden.load_picture(name)) <= NEAR
