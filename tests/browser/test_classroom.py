"""The pages of a class in a browser: a story from the code to the report, looks, and accessibility."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from bot import i18n
from bot.board import static_files
from tests.browser.conftest import AXE, PHONE
from tests.browser.real_class import RealClass
from tests.browser.test_looks import MIN_TARGET, RULES

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

LAPTOP = (1280, 720)
WIDTHS = (320, 375, 768, 1024, 1280, 1920)
SCROLL_WIDTH = "document.documentElement.scrollWidth"
MIN_DIGITS = 96  # Pixels
FIND_SMALL_TARGETS = f"""
[...document.querySelectorAll("button, a, summary, input:not([type=checkbox]), select, textarea")]
  .map((node) => [node, node.getBoundingClientRect()])
  .filter(([, box]) => box.width && (box.width < {MIN_TARGET} || box.height < {MIN_TARGET}))
  .map(([node]) => node.outerHTML)
"""
STACK = "Z" + "\u0301" * 200 + "oe"
ODD_NAMES = [
    "<script>alert(1)</script>",
    "=1+1",
    "محمد \u202eعبد",
    "Maximiliana Konstantina Alexa",
    STACK,
]
OpenPage = Callable[..., "Page"]


@pytest.fixture
def school_class(tmp_path: Path) -> Iterator[RealClass]:
    started = RealClass(tmp_path)
    yield started
    started.stop()


@pytest.fixture
def open_page(browser: "Browser") -> Iterator[OpenPage]:
    """Return a function that opens a page in a context of its own; an error in a page fails the test."""
    contexts: list[Any] = []
    wrong: list[str] = []

    def open_at(link: str, size: tuple[int, int] = PHONE, **more: Any) -> "Page":
        width, height = size
        standard = {"has_touch": width < 600, "reduced_motion": "reduce"}
        context = browser.new_context(viewport={"width": width, "height": height}, **{**standard, **more})
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("dialog", lambda dialog: wrong.append(dialog.message))
        page.on("console", lambda line: wrong.append(line.text) if "Content Security" in line.text else None)
        page.goto(link)
        page.wait_for_selector("main:not([aria-busy]) *, #play:not([aria-busy])")
        return page

    yield open_at
    for context in contexts:
        context.close()
    assert wrong == []


def find_faults(page: "Page") -> list[str]:
    """Return what axe-core finds, and whether the page scrolls to the side."""
    found = page.evaluate(f"{AXE.read_text('utf-8')};axe.run(document, {{runOnly: {RULES}}})")
    faults = [f"{each['id']}: {each['nodes'][0]['html']}" for each in found["violations"]]
    is_wide = page.evaluate(f"{SCROLL_WIDTH} > innerWidth")
    return [*faults, "scrolls to the side"] if is_wide else faults


def press_by_touch(target: "Locator") -> None:
    target.tap()


def press_by_keyboard(target: "Locator") -> None:
    """Reach the button or link by Tab, from where the focus is, and press Enter."""
    for _ in range(60):
        if target.evaluate("node => node === document.activeElement"):
            return target.page.keyboard.press("Enter")
        target.page.keyboard.press("Tab")
    raise AssertionError(f"{target} can't be reached by Tab")


class Story:
    """The people of a class, who read one language and use their pages in one way."""

    def __init__(self, open_page: OpenPage, press: Callable[["Locator"], None], **look: Any) -> None:
        words = i18n.get_words({"ru-RU": "ru"}.get(look["locale"], "en"))
        self._sentences = {
            **static_files.translate_sentences(words),
            **static_files.translate_sentences(words, static_files.CLASS_PAGES),
        }
        self.words = words
        self._open_page = open_page
        self._press = press
        self._look = look
        self.pages: list[Page] = []

    def open(self, link: str, size: tuple[int, int]) -> "Page":
        page = self._open_page(link, size, **self._look)
        self.pages.append(page)
        return page

    def say(self, sentence: str, **parts: object) -> str:
        return self._sentences[sentence].format(**parts)

    def press(self, page: "Page", sentence: str, role: Any = "button") -> None:
        """Press the button or link with that label."""
        self._press(page.get_by_role(role, name=self.say(sentence), exact=True).last)

    def choose(self, page: "Page", name: str) -> None:
        """Press the button with somebody's name."""
        self._press(page.get_by_role("button", name=name, exact=True))

    def type(self, page: "Page", field: str, text: str) -> None:
        """Type into the field that has the focus, or else is tapped."""
        if not page.locator(field).evaluate("node => node === document.activeElement"):
            page.locator(field).focus()
        page.keyboard.insert_text(text)

    def join(self, link: str, code: str, name: str, size: tuple[int, int], *, is_listed: bool) -> "Page":
        """Join by the code, under a name of the list or another."""
        page = self.open(link, size)
        self.check(page)
        self.type(page, "#code", code.lower())
        self.press(page, "Go on")
        page.locator("#name").wait_for()
        self.check(page)
        if is_listed:
            self.choose(page, name)
        else:
            self.type(page, "#name", name)
            self.press(page, "Join")
        page.wait_for_selector("#play:not([aria-busy])")
        return page

    def play(self, page: "Page", signs: str) -> None:
        """Take the four numbers of the table in order, with these signs between them."""
        page.locator(".tiles .tile:visible").nth(3).wait_for()
        for place, sign in enumerate(f"{signs} "):
            page.locator(".tiles .place").nth(place).locator(".tile").focus()
            self._press(page.locator(".tiles .place").nth(place).locator(".tile"))
            if sign != " ":
                self._press(page.locator(".sign").nth("+-*/".index(sign)))

    def check(self, *pages: "Page") -> None:
        """Check these pages, by default all, in their present state."""
        for page in pages or self.pages:
            assert find_faults(page) == [], page.url


@pytest.mark.parametrize(
    ("press", "size", "look"),
    [
        pytest.param(press_by_touch, PHONE, {"locale": "en-GB", "color_scheme": "light"}, id="touch"),
        pytest.param(press_by_keyboard, LAPTOP, {"locale": "ru-RU", "color_scheme": "dark"}, id="keyboard"),
    ],
)
def test_class_from_code_to_report(
    school_class: RealClass,
    open_page: OpenPage,
    press: Callable[["Locator"], None],
    size: tuple[int, int],
    look: dict[str, Any],
) -> None:
    story = Story(open_page, press, **look)
    say, root = story.say, school_class.root
    teacher = story.open(school_class.teachers_page, size)
    assert say("Nobody has joined yet. Open the projector where the class can see it.") in teacher.inner_text(
        "main"
    )
    story.check()

    # The way in
    story._press(teacher.locator("summary"))
    story.type(teacher, "#names", "Ann\nBob")
    story.press(teacher, "Add")
    teacher.locator("tbody tr").nth(1).wait_for()
    wall = story.open(school_class.get_projector(), LAPTOP)
    assert school_class.code in wall.inner_text("main")
    ann = story.join(root, school_class.code, "Ann", size, is_listed=True)
    bob = story.join(root, school_class.code, "Bob", size, is_listed=True)
    story.join(root, school_class.code, "Cem", size, is_listed=False)
    wall.get_by_text(say("Here: {n}", n=3)).wait_for()
    assert say("Wait for the first hand.") in ann.inner_text("#play")
    assert ann.inner_text("#place") == "Ann"
    story.check()

    # A lesson together
    story.type(teacher, "textarea[name=hands]", "6 6 6 6\n1 1 1 1\n1 2 3 4")
    teacher.locator(".checks .wrong").wait_for()
    story.check(teacher)
    teacher.locator("textarea[name=hands]").fill("6 6 6 6\n1 2 3 4")
    story.press(teacher, "Begin")
    story.play(ann, "+++")
    ann.locator(".ending").wait_for()
    for _ in range(4):
        story.play(bob, "+-+")
        story.press(bob, "Reset")
    teacher.get_by_text(say("Stuck: {names}", names="\u2068Bob\u2069")).wait_for()
    wall.get_by_text(say("{n} of {all} done", n=1, all=3)).wait_for()
    assert "Ann" in wall.inner_text(".wall-first")
    story.check()
    story.press(teacher, "Show the solutions")
    wall.get_by_text(say("found by {n}", n=1)).wait_for()
    bob.locator(".ending").wait_for()
    assert "Ann" not in wall.inner_text("main")
    story.check()
    story.press(teacher, "Next hand")
    wall.get_by_text(say("Hand {n} of {all}", n=2, all=2)).wait_for()
    story.press(teacher, "End the lesson")
    story.check(teacher)
    story.press(teacher, "Cancel")
    story.press(teacher, "End the lesson")
    story.press(teacher, "End the lesson")
    teacher.locator(".lesson-form").wait_for()

    # A lesson at their own pace
    teacher.locator("select[name=pace]").select_option("own")
    teacher.locator("textarea[name=hands]").fill("6 6 6 6\n1 2 3 4")
    story.check(teacher)
    story.press(teacher, "Begin")
    wall.get_by_text(say("Everybody at their own pace")).wait_for()
    story.play(ann, "+++")
    ann.locator(".ending").wait_for()
    story._press(ann.locator("#buttons button"))
    ann.locator("#place", has_text="2").wait_for()
    story.play(ann, "***")
    done = "That was the last hand. You solved {solved} of {count}."
    ann.get_by_text(story.words.translate_plain(done, solved=2, count=2)).wait_for()
    teacher.get_by_text(say("{n} of {all} done", n=1, all=3)).wait_for()
    story.check()

    # The report and the end
    story.press(teacher, "Show the report")
    teacher.locator(".report table").nth(1).wait_for()
    assert teacher.locator(".report tbody tr", has_text="Ann").inner_text().split("\t")[1] == "3 / 4"
    story.check(teacher)
    story.choose(teacher, "Bob")
    story.check(teacher)
    story.press(teacher, "Remove")
    story.press(teacher, "Remove")
    bob.get_by_text(say("You are no longer in that class. To join again, type its code.")).wait_for()
    story.press(teacher, "End the class")
    story.press(teacher, "End the class")
    wall.get_by_text(say("This class is over.")).wait_for()
    teacher.get_by_text(say("The class is over: nobody can join.")).wait_for()
    story.check()
    story.press(teacher, "Delete everything now")
    story.press(teacher, "Delete everything now")
    teacher.get_by_text(say("This class was deleted.")).wait_for()
    story.check()


def test_states_disturb_nobody_at_work(school_class: RealClass, open_page: OpenPage) -> None:
    pupils = [school_class.join(f"Pupil {number}") for number in range(12)]
    school_class.begin(count=20, pace="own")
    teacher = open_page(school_class.teachers_page)
    teacher.locator("summary").click()
    teacher.locator("#names").fill("Ann")
    name = teacher.get_by_role("button", name="Pupil 3")
    name.focus()
    teacher.locator(".scroll").first.evaluate("node => { node.scrollLeft = 150; }")
    before = teacher.evaluate("[scrollY, document.querySelector('.scroll').scrollLeft]")
    held = name.element_handle()
    for pupil in pupils[2:5]:
        pupil.solve()
    teacher.locator("tr", has_text="Pupil 4").locator(".mark.solved").wait_for()
    assert teacher.evaluate("[scrollY, document.querySelector('.scroll').scrollLeft]") == before
    assert teacher.evaluate("node => node === document.activeElement", held)
    assert teacher.locator("#names").input_value() == "Ann"


def test_odd_names_are_shown_harmlessly(school_class: RealClass, open_page: OpenPage) -> None:
    school_class.act("add", names="\n".join(ODD_NAMES))
    school_class.begin(hands="6 6 6 6")
    guest = open_page(f"{school_class.request('class/state')['addresses']['join']}")
    guest.locator("button.name").nth(len(ODD_NAMES) - 1).wait_for()
    for name in ODD_NAMES[:3]:
        school_class.join(name).solve()
    teacher = open_page(school_class.teachers_page)
    wall = open_page(school_class.get_projector(), LAPTOP)
    wall.locator(".wall-first").wait_for()
    teacher.get_by_role("button", name="Show the report").click()
    teacher.locator(".report table").nth(1).wait_for()
    for page in (guest, teacher, wall):
        assert "script" in page.inner_text("main")
        assert find_faults(page) == []
        heights = page.evaluate(
            "[...document.querySelectorAll('button.name, .pupils tbody th')].map(n => n.offsetHeight)"
        )
        assert all(height < 2 * MIN_TARGET for height in heights)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_projector_is_legible_from_the_last_row(
    school_class: RealClass, open_page: OpenPage, scheme: str
) -> None:
    pupils = [school_class.join(name) for name in ("Maximiliana Konstantina Alexa", "Bob", "Cem")]
    wall = open_page(school_class.get_projector(), LAPTOP, color_scheme=scheme)
    fits = "document.documentElement.scrollHeight <= innerHeight"

    def check(tiles: int) -> None:
        wall.locator(f".wall-tiles li:nth-child({tiles}):last-child").wait_for()
        size = wall.evaluate("getComputedStyle(document.querySelector('.wall-tiles li')).fontSize")
        assert float(size.removesuffix("px")) >= MIN_DIGITS
        assert wall.evaluate(fits)
        assert find_faults(wall) == []

    school_class.begin(game="countdown", seconds=180)
    check(tiles=6)
    school_class.act("solutions")
    wall.locator(".wall-solutions li").first.wait_for()
    check(tiles=6)
    school_class.begin(hands="2 4 6 12", seconds=60)  # has more ideas than are shown
    check(tiles=4)
    for pupil in pupils:
        pupil.solve()
    wall.get_by_text("3 of 3 done").wait_for()
    check(tiles=4)
    school_class.act("solutions")
    wall.locator(".wall-solutions li").nth(7).wait_for()
    check(tiles=4)


def test_thirty_pupils_and_twenty_hands_fit_all_screens(school_class: RealClass, open_page: OpenPage) -> None:
    pupils = [school_class.join(f"{number} {name}") for name in ODD_NAMES for number in range(6)]
    school_class.begin(count=20, pace="own")
    for pupil in pupils[::5]:
        pupil.answer("1+1")
        pupil.ask_for_hint()
        pupil.solve()
        pupil.go_on()
    teacher = open_page(school_class.teachers_page)
    teacher.locator("tbody tr").nth(len(pupils) - 1).wait_for()
    for width in WIDTHS:
        teacher.set_viewport_size({"width": width, "height": 800})
        assert teacher.evaluate(SCROLL_WIDTH) <= width
        assert teacher.locator("button:visible").count() > len(pupils)
        assert teacher.evaluate(FIND_SMALL_TARGETS) == []
    assert teacher.locator(".scroll").first.evaluate("node => node.scrollWidth <= node.clientWidth")
    teacher.set_viewport_size({"width": 640, "height": 800})
    teacher.evaluate("document.documentElement.style.fontSize = '200%'")
    assert teacher.evaluate(SCROLL_WIDTH) <= 640


def test_pages_come_back_after_a_restart(
    school_class: RealClass, open_page: OpenPage, tmp_path: Path
) -> None:
    ann = open_page(school_class.join("Ann").page)
    pages = [open_page(school_class.teachers_page), open_page(school_class.get_projector(), LAPTOP)]
    for page in pages:
        page.get_by_text(school_class.code).wait_for()
    school_class.stop()
    for page in pages:
        page.get_by_text("No connection. The page comes back by itself.").wait_for()
    restarted = RealClass(tmp_path, school_class.root.rpartition(":")[2])
    try:
        restarted.begin(hands="6 6 6 6")
        ann.locator(".tiles").wait_for()
        for page in pages:
            page.get_by_text("0 of 1 done").wait_for()
            assert page.inner_text("#message") == ""
    finally:
        restarted.stop()


def test_refusal_is_told_and_stays(school_class: RealClass, open_page: OpenPage) -> None:
    school_class.act("add", names="Ann\nBob")
    teacher = open_page(school_class.teachers_page)
    teacher.get_by_role("button", name="Ann").click()
    teacher.get_by_role("textbox", name="Name", exact=True).fill("bob")
    teacher.keyboard.press("Enter")
    teacher.get_by_text("Already in the list, or no name: bob").wait_for()
    school_class.join("Cem")
    teacher.get_by_role("button", name="Cem").wait_for()
    assert teacher.inner_text("#message") == "Already in the list, or no name: bob"


def test_locked_door_lets_in_names_of_the_list_alone(school_class: RealClass, open_page: OpenPage) -> None:
    school_class.act("add", names="Ann")
    school_class.act("lock", is_on=True)
    page = open_page(school_class.root)
    page.locator("#code").fill(school_class.code)
    page.keyboard.press("Enter")
    page.get_by_text("The door is locked. Ask your teacher.").wait_for()
    assert page.locator("#name").count() == 0
    page.get_by_role("button", name="Ann").click()
    page.get_by_text("Your teacher deals it.").wait_for()
    page.goto(school_class.root)
    page.get_by_text("You were here as \u2068Ann\u2069.").wait_for()
    assert find_faults(page) == []
    page.get_by_role("button", name="Go on").click()
    page.get_by_text("Your teacher deals it.").wait_for()
