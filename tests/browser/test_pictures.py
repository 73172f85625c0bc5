"""The page at 320 and at 1440 px, light and dark, looks as it did when it was last looked at."""

import os
from typing import TYPE_CHECKING

import pytest

from tests.bot.pictures.golden import apart
from tests.browser import golden
from tests.browser.conftest import DESK, PHONE
from tests.browser.fake_service import Fake
from tests.browser.test_looks import LAID, WON

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# How far apart two colours of one small, softened pixel may be, of 255: browsers draw letters anew, too.
NEAR = 60
SIZES = {"phone": PHONE, "desk": DESK}
PICTURES = [(laid, size, scheme) for laid in LAID for size, scheme in (("phone", "light"), ("desk", "dark"))]


@pytest.mark.parametrize(("laid", "size", "scheme"), PICTURES)
def test_it_looks_as_it_was_looked_at(
    browser: "Browser", board: Fake, laid: str, size: str, scheme: str
) -> None:
    round_, keys = LAID[laid]
    board.round, board.put = round_(), [5, 0, 10]
    board.winner = WON.get(laid)
    with golden.drawn(browser, board, SIZES[size], scheme) as page:
        for key in keys:
            page.keyboard.press(key)
        seen = golden.small(page.screenshot())
    name = f"{laid}-{size}"
    if os.environ.get("GOLDEN") == "write":
        golden.keep(name, seen)
    assert apart(seen, golden.kept(name)) <= NEAR
