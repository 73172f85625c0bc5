"""A class in a real process: thirty pupils, kills, lost networks and closed browsers."""

import asyncio
import csv
import io
import json
import random
import shutil
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.tapping import tap_by_touch, tap_expression
from tests.faults.conftest import choose_amount, relax_limit, report
from tests.faults.impatient_class import STUCK_SECONDS
from tests.faults.proxy import run_balancer
from tests.faults.school import (
    HandTally,
    Player,
    School,
    find_cell,
    make_class_process,
    open_school,
    play_hand,
)
from tests.on_postgresql import make_database_url

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, Page, Response

pytestmark = pytest.mark.faults

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
WAIT = 60_000  # Milliseconds
PUPILS = 30
PAGES = 2  # Of them in a browser
Tally = dict[tuple[str, int, int], HandTally]  # By name, lesson and hand, both counted from 1


@pytest.fixture
async def school(tmp_path: Path, free_port: int) -> AsyncIterator[School]:
    """Start a class."""
    process = make_class_process(tmp_path, free_port, make_database_url(tmp_path / "class.sqlite3"))
    async with open_school(process, free_port) as opened:
        yield opened


# Pupils in a browser


def _import_playwright() -> Any:
    """Return Playwright's module; skip the test without Playwright or Chromium."""
    driver = pytest.importorskip(
        "playwright.async_api", reason="playwright is not installed: no browser is tried"
    )
    if CHROMIUM is None:
        pytest.skip("chromium is not installed: no browser is tried")
    return driver


LAUNCH = {"executable_path": CHROMIUM, "args": ["--no-sandbox", "--disable-background-networking"]}
PHONE: dict[str, Any] = {
    "viewport": {"width": 360, "height": 640},
    "has_touch": True,
    "reduced_motion": "reduce",
}


@asynccontextmanager
async def open_chromium() -> AsyncIterator["Browser"]:
    """Open a browser whose contexts share nothing."""
    async with _import_playwright().async_playwright() as playwright:
        browser = await playwright.chromium.launch(**LAUNCH)
        yield browser
        await browser.close()


@asynccontextmanager
async def open_browser(profile: Path) -> AsyncIterator["BrowserContext"]:
    """Open a browser with a profile on the disk."""
    async with _import_playwright().async_playwright() as playwright:
        context = await playwright.chromium.launch_persistent_context(profile, **LAUNCH, **PHONE)
        yield context
        await context.close()


@dataclass
class PagePupil:
    """A pupil who plays on a page."""

    name: str
    page: "Page"

    async def read_hand(self, number: int) -> list[int]:
        place = self.page.get_by_text(f"Hand {number} of")
        await place.wait_for(state="attached")  # after a break a notice about the connection hides it
        await self.page.locator(".tiles .place .tile:visible").nth(3).wait_for()
        names = await self.page.locator(".tiles .place .tile:visible .visually-hidden").all_inner_texts()
        return [int(name.rpartition(", ")[2]) for name in names]

    async def take_hint(self) -> bool:
        await self._click_and_send("Hint")
        return True

    async def answer(self, text: str, *, is_right: bool) -> str:
        async with self.page.expect_response(_is_accepted) as response:
            await tap_expression(self.page, text, tap_by_touch)
        sent = json.loads((await response.value).request.post_data or "")["answer"]
        if is_right:
            await self.page.locator(".ending").wait_for()
        else:
            await self.page.keyboard.press("Escape")
        return str(sent)

    async def give_up(self) -> None:
        await self.page.get_by_role("button", name="Give up").click()
        await self._click_and_send("Yes, give up")
        await self.page.locator(".ending").wait_for()

    async def go_on(self) -> None:
        await self._click_and_send("Next hand")

    async def _click_and_send(self, button: str) -> None:
        async with self.page.expect_response(_is_accepted):
            await self.page.get_by_role("button", name=button, exact=True).click()


def _is_accepted(response: "Response") -> bool:
    return response.url.endswith("/entry") and response.status == 202


async def join_on_page(context: "BrowserContext", root: str, code: str, name: str) -> PagePupil:
    """Type the code and a name on a new page."""
    context.set_default_timeout(WAIT)
    page = await context.new_page()
    await page.goto(root)
    await page.fill("#code", code)
    await page.keyboard.press("Enter")
    await page.fill("#name", name)
    await page.keyboard.press("Enter")
    await page.wait_for_selector("#play:not([aria-busy])")
    return PagePupil(name, page)


# The lesson


class ClassTally:
    """What all pupils have done, as the report should say it."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self.hands: Tally = {}

    async def play_together(
        self, school: School, players: Sequence[Player], lesson: int, number: int
    ) -> None:
        """Play a hand that all have; once all are done the teacher shows the solutions and goes on."""
        await asyncio.gather(*(self._play(player, lesson, number, gives_up=False) for player in players))
        await self.wait_for_teacher(school, lesson)
        await school.act("solutions")
        await school.act("next", number=number)

    async def play_alone(self, player: Player, lesson: int, number: int, *, goes_on: bool) -> None:
        """Play a hand at the own pace."""
        await self._play(player, lesson, number, gives_up=True)
        if goes_on:
            await player.go_on()

    async def _play(self, player: Player, lesson: int, number: int, *, gives_up: bool) -> None:
        rng = random.Random(f"{self._seed} {player.name} {lesson} {number}")
        is_tapped = isinstance(player, PagePupil)
        played = await play_hand(player, number, rng, is_tapped=is_tapped, gives_up=gives_up)
        self.hands[player.name, lesson, number] = played

    async def wait_for_teacher(self, school: School, lesson: int) -> None:
        """Wait until the teacher's page shows what the tally has of the latest lesson, and nothing else."""

        def is_shown(state: dict[str, Any]) -> bool:
            return all(
                self._is_cell_right(find_cell(state, name, number), hand)
                for (name, of_lesson, number), hand in self.hands.items()
                if of_lesson == lesson
            )

        await school.wait_for_class(is_shown, "the tally on the teacher's page")

    @staticmethod
    def _is_cell_right(cell: dict[str, Any], hand: HandTally) -> bool:
        shown = (cell.get("state") == "solved", cell.get("tries"), cell.get("hints"))
        return shown == (hand.solved, hand.tries, hand.hints)

    async def check_report(self, school: School) -> None:
        """Compare CSV and JSON with the tally."""
        rows = list(csv.DictReader(io.StringIO(await school.fetch("class/report.csv"))))
        exported = [
            (
                row["Name"],
                row["Lesson"],
                row["Hand"],
                row["Solved"],
                row["Tries"],
                row["Hints"],
                row["Last wrong answer"],
            )
            for row in rows
        ]
        expected = [
            (
                name,
                str(lesson),
                hand.line,
                str(int(hand.solved)),
                str(hand.tries),
                str(hand.hints),
                hand.last_wrong,
            )
            for (name, lesson, _), hand in self.hands.items()
        ]
        assert sorted(exported) == sorted(expected)
        told = json.loads(await school.fetch("class/report"))
        by_name = {each["name"]: (each["solved"], each["played"]) for each in told["pupils"]}
        own = {
            name: [hand for key, hand in self.hands.items() if key[0] == name] for name, _, _ in self.hands
        }
        assert by_name == {
            name: (sum(hand.solved for hand in hands), len(hands)) for name, hands in own.items()
        }
        solved = sum(hand["solved"] for hand in told["hands"])
        assert solved == sum(hand.solved for hand in self.hands.values())


@pytest.mark.exhaustive
async def test_report_of_thirty_pupils_equals_the_tally(school: School) -> None:
    together, alone = choose_amount(10, 2), choose_amount(20, 2)
    tally = ClassTally(seed=30)
    began = time.monotonic()
    async with open_pages(school, PAGES) as pages:
        names = [f"Pupil {number}" for number in range(PUPILS - len(pages))]
        players: list[Player] = [*pages, *await asyncio.gather(*map(school.join, names))]
        joined = time.monotonic() - began
        assert joined < relax_limit(60)
        assert school.refused == 0
        await school.begin_lesson("together", together)
        for number in range(1, together + 1):
            await tally.play_together(school, players, 1, number)
        await school.begin_lesson("own", alone)
        await asyncio.gather(*(play_all_alone(tally, player, alone) for player in players))
        await tally.wait_for_teacher(school, 2)
    await tally.check_report(school)
    busy = sum(pupil.statuses[429] for pupil in school.pupils)
    report(
        f"{len(players)} pupils, {len(pages)} of them in a browser, joined in {joined:.1f} s and played"
        f" {together} + {alone} hands in {time.monotonic() - began:.0f} s; asked to wait {busy} times"
    )


async def play_all_alone(tally: ClassTally, player: Player, count: int) -> None:
    """Play all hands of the second lesson at the own pace."""
    for number in range(1, count + 1):
        await tally.play_alone(player, 2, number, goes_on=number < count)


@asynccontextmanager
async def open_pages(school: School, count: int) -> AsyncIterator[list[PagePupil]]:
    """Let pupils join on pages that share nothing; without a browser print the reason, and yield []."""
    try:
        _import_playwright()
    except pytest.skip.Exception as reason:
        report(f"{reason}; all pupils are HTTP clients")
        yield []
        return
    async with open_chromium() as browser:
        contexts = [await browser.new_context(**PHONE) for _ in range(count)]
        joining = [
            join_on_page(context, school.root, school.code, f"Page {n}") for n, context in enumerate(contexts)
        ]
        yield list(await asyncio.gather(*joining))


async def test_kills_lose_and_double_nothing(school: School) -> None:
    kills = choose_amount(20, 3)  # One of them while pupils join
    together, alone = kills // 2, (kills - 1) // 2
    tally, rng = ClassTally(seed=9), random.Random(9)
    async with open_pages(school, 1) as pages:
        joining = asyncio.gather(*(school.join(f"Pupil {number}") for number in range(6)))
        await asyncio.gather(joining, school.kill_and_restart(rng.randint(1, 4)))
        players: list[Player] = [*pages, *school.pupils]
        await school.begin_lesson("together", together)
        for number in range(1, together + 1):
            await asyncio.gather(
                tally.play_together(school, players, 1, number), school.kill_and_restart(rng.randint(1, 4))
            )
        await school.begin_lesson("own", alone)
        for number in range(1, alone + 1):
            hands = [tally.play_alone(player, 2, number, goes_on=number < alone) for player in players]
            await asyncio.gather(*hands, school.kill_and_restart(rng.randint(1, 4)))
        await tally.wait_for_teacher(school, 2)
        state = await school.wait_for_class(lambda _: True, "the class")
    await tally.check_report(school)
    assert sorted(pupil["name"] for pupil in state["pupils"]) == sorted(player.name for player in players)
    unanswered = sum(pupil.statuses[0] for pupil in school.pupils)
    assert school.teacher.opened == kills + 1
    report(
        f"{kills} kills while {len(players)} pupils join and play: nothing lost; {unanswered} requests were"
        f" unanswered, {school.refused} pupils had to be let in again"
    )


@pytest.mark.exhaustive
async def test_answers_given_without_a_network_arrive_once(school: School, free_port: int) -> None:
    gone = choose_amount(10, 1)
    async with open_chromium() as browser:
        async with run_balancer([free_port]) as network:
            context = await browser.new_context(**PHONE)
            pupil = await join_on_page(context, f"http://127.0.0.1:{network.port}", school.code, "Ann")
            await school.begin_lesson("own", 2, "3 8 3 8\n6 6 6 6")
            await pupil.read_hand(1)
        await tap_expression(pupil.page, "3+8+3+8", tap_by_touch)
        await pupil.page.keyboard.press("Escape")
        await tap_expression(pupil.page, "8/(3-8/3)", tap_by_touch)
        await asyncio.sleep(gone)
        cell = find_cell(await school.wait_for_class(lambda _: True, "the class"), "Ann", 1)
        assert cell["tries"] == 0
        async with run_balancer([free_port], network.port):
            await pupil.page.evaluate("dispatchEvent(new Event('online'))")  # as the system does then
            await school.wait_for_class(
                lambda state: find_cell(state, "Ann", 1).get("state") == "solved", "the answer"
            )
            await pupil.page.locator(".ending").wait_for()
            await pupil.go_on()
            assert await pupil.read_hand(2) == [6, 6, 6, 6]
    (row, _) = csv.DictReader(io.StringIO(await school.fetch("class/report.csv")))
    assert (row["Solved"], row["Tries"], row["Last wrong answer"]) == ("1", "2", "3+8+3+8")


@pytest.mark.exhaustive
async def test_closed_browser_a_reload_and_a_second_tab_are_the_same_pupil(
    school: School, tmp_path: Path
) -> None:
    async with open_browser(tmp_path / "profile") as context:
        pupil = await join_on_page(context, school.root, school.code, "Ann")
        await school.begin_lesson("own", 3, "3 8 3 8\n6 6 6 6\n1 3 4 6")
        await pupil.read_hand(1)
        await pupil.answer("8/(3-8/3)", is_right=True)
        await pupil.go_on()
        await pupil.read_hand(2)
        await pupil.page.reload()
        assert await pupil.read_hand(2) == [6, 6, 6, 6]
        second = await context.new_page()
        await second.goto(f"{school.root}/play")
        assert await PagePupil("Ann", second).read_hand(2) == [6, 6, 6, 6]
    async with open_browser(tmp_path / "profile") as context:
        page = await context.new_page()
        await page.goto(school.root)
        await page.get_by_text("You were here as").wait_for()
        await page.get_by_role("button", name="Go on").click()
        pupil = PagePupil("Ann", page)
        assert await pupil.read_hand(2) == [6, 6, 6, 6]
        await pupil.answer("6+6+6+6", is_right=True)
    state = await school.wait_for_class(lambda state: state["pupils"][0]["solved"] == 2, "two solved hands")
    assert [pupil["name"] for pupil in state["pupils"]] == ["Ann"]


# Stuck


def _is_stuck(state: dict[str, Any], name: str) -> bool:
    return bool(find_cell(state, name, 1).get("is_stuck"))


async def test_fourth_wrong_answer_is_shown_as_stuck_within_two_seconds(school: School) -> None:
    ann = await school.join("Ann")
    await school.begin_lesson("own", 1, "3 8 3 8")
    await ann.read_hand(1)
    for text in ("3+8+3+8", "3*8+3+8", "3*8-3-8"):
        await ann.answer(text, is_right=False)
    state = await school.wait_for_class(lambda state: find_cell(state, "Ann", 1).get("tries") == 3, "3 tries")
    assert not _is_stuck(state, "Ann")
    began = time.monotonic()
    await ann.answer("3*3+8+8", is_right=False)
    await school.wait_for_class(lambda state: _is_stuck(state, "Ann"), "a stuck pupil")
    seconds = time.monotonic() - began
    report(f"shown as stuck {seconds * 1000:.0f} ms after the fourth wrong answer")
    assert seconds < relax_limit(2)


async def test_slow_pupil_is_shown_as_stuck_within_two_seconds(tmp_path: Path, free_port: int) -> None:
    """The process takes pupils for stuck after a second, in the place of two minutes."""
    process = make_class_process(tmp_path, free_port, make_database_url(tmp_path / "class.sqlite3"))
    process.arguments = ("-m", "tests.faults.impatient_class", *process.arguments[2:])
    async with open_school(process, free_port) as school:
        ann, bob = await asyncio.gather(school.join("Ann"), school.join("Bob"))
        await school.begin_lesson("own", 1, "3 8 3 8")
        await asyncio.gather(ann.read_hand(1), bob.read_hand(1))
        await bob.answer("8/(3-8/3)", is_right=True)
        seen = await school.teacher.wait_for(lambda event: _is_stuck(event["state"], "Ann"), "a stuck pupil")
        late = seen["now"] - find_cell(seen["state"], "Ann", 1)["opened"] - STUCK_SECONDS
        report(f"shown as stuck {late:.1f} s after the time was up")
        assert 0 <= late < relax_limit(2)
        assert not _is_stuck(seen["state"], "Bob")
