"""Draw a class: it is served on this machine, its pupils play over HTTP, and a browser opens three pages."""

import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path
from random import Random

from playwright.async_api import Browser, FloatRect, Page

from docs.draw.browser import open_page
from docs.draw.images import PHONE, decode, save_picture
from tests.browser.real_class import ClassPupil, RealClass

NAMES = ("Aisha", "Ben", "Carla", "Deniz", "Elif", "Finn", "Greta", "Hassan", "Ida", "Jonas", "Kim", "Lena")
HANDS = ("1 2 3 4", "2 3 4 8", "3 6 6 9", "4 4 7 8", "1 5 5 5", "2 6 7 9", "3 3 8 8", "5 5 7 8")
PRESENT = 4  # The hand under way has this many before it
STUCK, WRONG = "Deniz", ("5*5+5+1", "5*(5+1)-5", "5*5-5+1", "5*5-5-1")
AT_WORK = {"Greta": ("5*5-5/1",), "Ida": (), "Ben": ("5*5-1",)}
ADDRESS, CODE = "http://192.168.1.20:8024", "FD964Q"  # Shown instead of this machine's
REPLACE_TEXT = """([from, to]) => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) walker.currentNode.data = walker.currentNode.data.replace(from, to);
}"""
DESK = (1280, 720)


def play_lesson(school_class: RealClass, random: Random) -> dict[str, ClassPupil]:
    """Play the first hands of a lesson; in the one under way most are done, and one pupil is stuck."""
    pupils = {name: school_class.join(name) for name in NAMES}
    school_class.begin(hands="\n".join(HANDS))
    for number in range(1, PRESENT + 1):
        for pupil in pupils.values():
            if random.random() < 0.3:
                pupil.answer("+".join(HANDS[number - 1].split()))
            if random.random() < 0.9:
                pupil.solve()
        school_class.act("next", number=number)
    for name, pupil in pupils.items():
        wrong = WRONG if name == STUCK else AT_WORK.get(name)
        for answer in wrong or ():
            pupil.answer(answer)
        if wrong is None:
            if random.random() < 0.4:
                pupil.answer("5*5-5+1")
            pupil.solve()
    pupils[STUCK].ask_for_hint()
    return pupils


def spread_times(folder: Path, random: Random) -> None:
    """Let the present hand be dealt a while ago, and the others have taken as long as people need."""
    file = next(folder.rglob("*.sqlite3"))
    with closing(sqlite3.connect(file, timeout=10)) as database, database:
        database.create_function("random_seconds", 0, lambda: random.randrange(15, 70))
        database.execute(
            "UPDATE rounds SET opened = coalesce(closed - random_seconds(), opened - 72) WHERE kind = 'class'"
        )


async def take_picture(page: Page, school_class: RealClass, name: str, last: str) -> None:
    """Store a picture of the page from its top to the end of the node `last`."""
    await page.locator(last).wait_for()
    for shown, fixed in ((school_class.root, ADDRESS), (school_class.code, CODE)):
        await page.evaluate(REPLACE_TEXT, [shown, fixed])
    size, box = page.viewport_size, await page.locator(last).bounding_box()
    assert size is not None  # noqa: S101 - it was set
    assert box is not None  # noqa: S101 - it is visible
    height = max(size["height"], box["y"] + box["height"] + 12)
    clip: FloatRect = {"x": 0, "y": 0, "width": size["width"], "height": height}
    save_picture(f"class-{name}", decode(await page.screenshot(full_page=True, clip=clip)))


async def draw_class(browser: Browser) -> None:
    """Play a lesson, and draw the pages of teacher, pupil and projector."""
    random = Random(24)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        school_class = RealClass(folder)
        try:
            pupils = play_lesson(school_class, random)
            spread_times(folder, random)
            for page_name, link, size, last in (
                ("teacher", school_class.teachers_page, DESK, ".pupils"),
                ("pupil", pupils["Ida"].page, PHONE, "#play:not([aria-busy]) .tiles"),
                ("projector", school_class.get_projector(), DESK, ".wall-first"),
            ):
                await take_picture(await open_page(browser, link, size), school_class, page_name, last)
        finally:
            school_class.stop()
