"""The pictures in the teachers' manual: `python -m docs.class_pictures` takes them again, with chromium.

A class is served on this machine, its pupils play over HTTP, and a browser opens three of its pages.
"""

import sqlite3
import tempfile
from contextlib import closing
from io import BytesIO
from pathlib import Path
from random import Random

from PIL import Image
from playwright.sync_api import Browser, Page, Route, sync_playwright

from bot.board import static_files
from docs.pictures import FOLDER
from tests.browser.conftest import ARGUMENTS, CHROMIUM
from tests.browser.real_class import ClassPupil, RealClass

NAMES = ("Aisha", "Ben", "Carla", "Deniz", "Elif", "Finn", "Greta", "Hassan", "Ida", "Jonas", "Kim", "Lena")
HANDS = ("1 2 3 4", "2 3 4 8", "3 6 6 9", "4 4 7 8", "1 5 5 5", "2 6 7 9", "3 3 8 8", "5 5 7 8")
PRESENT = 4  # The hand under way has this many before it
STUCK, WRONG = "Deniz", ("5*5+5+1", "5*(5+1)-5", "5*5-5+1", "5*5-5-1")
AT_WORK = {"Greta": ("5*5-5/1",), "Ida": (), "Ben": ("5*5-1",)}
ADDRESS = "http://192.168.1.20:8024"  # Shown instead of this machine's
ART = Path(static_files.__file__).parents[1] / "pictures" / "art"
FACES = (  # The same on every machine
    ("Text", "Inter-Medium.ttf", "100 500"),
    ("Text", "Inter-Bold.ttf", "600 900"),
    ("Emoji", "NotoEmoji-Medium.ttf", "100 900"),
)
STYLE = "".join(
    f"@font-face {{font-family: {family}; src: url({file}); font-weight: {weights}}}"
    for family, file, weights in FACES
)
SHOW_ADDRESS = """([from, to]) => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) walker.currentNode.data = walker.currentNode.data.replace(from, to);
}"""
COLOURS = 128


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


def spread_times(file: Path, random: Random) -> None:
    """Let the present hand be dealt a while ago, and the others have taken as long as people need."""
    with closing(sqlite3.connect(file, timeout=10)) as database, database:
        database.create_function("random_seconds", 0, lambda: random.randrange(15, 70))
        database.execute(
            "UPDATE rounds SET opened = coalesce(closed - random_seconds(), opened - 72) WHERE kind = 'class'"
        )


def open_page(browser: Browser, link: str, width: int, height: int) -> Page:
    context = browser.new_context(
        viewport={"width": width, "height": height},
        device_scale_factor=2 if width < 600 else 1,
        bypass_csp=True,
        service_workers="block",
        reduced_motion="reduce",
    )
    page = context.new_page()
    page.route("**/*.ttf", serve_font)
    page.goto(link)
    page.add_style_tag(content=STYLE + ":root body {font-family: Text, Emoji}")
    return page


def serve_font(route: Route) -> None:
    name = route.request.url.rpartition("/")[2]
    route.fulfill(body=(ART / name).read_bytes(), content_type="font/ttf")


def take_picture(page: Page, root: str, name: str, last: str) -> None:
    """Store a picture of the page from its top to the end of the node `last`."""
    page.locator(last).wait_for()
    page.evaluate("document.fonts.ready")
    page.evaluate(SHOW_ADDRESS, [root, ADDRESS])
    size, box = page.viewport_size, page.locator(last).bounding_box()
    assert size is not None  # noqa: S101 - it was set
    assert box is not None  # noqa: S101 - it is visible
    height = max(size["height"], box["y"] + box["height"] + 12)
    png = page.screenshot(full_page=True, clip={"x": 0, "y": 0, "width": size["width"], "height": height})
    with Image.open(BytesIO(png)) as whole:
        whole.convert("RGB").quantize(COLOURS).save(FOLDER / f"class-{name}.png", optimize=True)


def main() -> None:
    random = Random(24)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        school_class = RealClass(Path(folder))
        try:
            pupils = play_lesson(school_class, random)
            spread_times(next(Path(folder).rglob("*.sqlite3")), random)
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
            for name, link, width, height, last in (
                ("teacher", school_class.teachers_page, 1280, 720, ".pupils"),
                ("pupil", pupils["Ida"].page, 360, 640, "#play:not([aria-busy]) .tiles"),
                ("projector", school_class.get_projector(), 1280, 720, ".wall-first"),
            ):
                take_picture(open_page(browser, link, width, height), school_class.root, name, last)
            browser.close()
        finally:
            school_class.stop()


if __name__ == "__main__":
    main()
