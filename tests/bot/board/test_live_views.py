"""What is shown at each table, as it is read from a database."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from bot.board import view
from bot.board.live_views import (
    MIN_READ_INTERVAL,
    RETRY_DELAY,
    VIEWERS_PER_PAUSE,
    WAKE_PAUSE,
    LiveViews,
    Viewer,
)
from bot.board.rules import Place
from bot.database import Store, Tx
from bot.modes.daily import queries as days
from bot.modes.daily.rules import ATTEMPT_SECONDS, DailyHand, format_utc_date
from bot.players import queries as people
from bot.queue.change_notifier import ChangeNotifier
from bot.settings import read_settings
from tests.bot.board.harness import ANN, GROUP, Telegram
from tests.databases import write_database
from tests.fake_time import with_fake_time
from tests.sample_rounds import make_round
from tests.stories.clock import NOON

TODAY, TOMORROW = (format_utc_date(NOON + n * ATTEMPT_SECONDS) for n in (0, 1))
SOON = 60.0


class Table:
    """Somebody's page at a group's table at which nothing happens."""

    def __init__(self, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        self.store, self.now, self.news = store, NOON, asyncio.Event()
        self.read = 0
        self._shown = view.load_shared_view
        monkeypatch.setattr(view, "load_shared_view", self._counted)
        titles: Any = Telegram()
        titles.get_cached_title, titles.fetch_title = (lambda _: ""), self._untitled
        self.scenes = LiveViews(store, ChangeNotifier(), lambda: self.now, titles)
        self.seat: Viewer = self.scenes.join(Place(GROUP), "en", ANN, self.news.set)

    async def _untitled(self, _: Place) -> str:
        return ""

    def _counted(self, *asked: Any) -> view.SharedView:
        self.read += 1
        return self._shown(*asked)

    async def day(self) -> Any:
        """The day's hand in the next state that is new."""
        async with asyncio.timeout(SOON):
            await self.news.wait()
        self.news.clear()
        return json.loads(self.seat.take_new_state() or b"")["day"]

    async def begin(self, day: str, numbers: tuple[int, ...] = (3, 8, 3, 8)) -> None:
        """Somebody asks for a day's hand, as in private, which no table hears of."""

        def story(tx: Tx) -> None:
            people.insert_or_update_player(tx, people.Player(ANN, "Ann", None))
            days.insert_hand(tx, DailyHand(day, "24", make_round(numbers=numbers).puzzle))
            days.open_attempt(tx, day, ANN, self.now)

        await self.store.write(story)
        self.seat.request_read()

    async def run_timers(self, holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(SOON):
            while not holds():  # noqa: ASYNC110 - what is waited for tells nobody
                await asyncio.sleep(0.005)


@pytest.fixture
async def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Table]:
    settings = read_settings({"DATABASE_URL": f"sqlite:///{write_database(tmp_path / 'board.sqlite3')}"})
    store = await Store.open(settings.database)
    made = Table(store, monkeypatch)
    yield made
    made.scenes.close()
    await store.close()


async def test_daily_hand_appears_without_a_change_at_the_table(
    table: Table,
) -> None:
    assert await table.day() is None
    await table.begin(TODAY)
    assert (await table.day())["day"] == TODAY
    assert table.read == 1, "of all else there was nothing to read"


async def test_later_viewer_gets_the_present_time(table: Table) -> None:
    await table.day()
    table.now += 40
    shown = asyncio.Event()
    later = table.scenes.join(Place(GROUP), "en", ANN + 1, shown.set)
    async with asyncio.timeout(SOON):
        await shown.wait()
    assert json.loads(later.take_new_state() or b"")["now"] == NOON + 40
    assert table.read == 1, "of the table there was nothing to read"


@pytest.mark.long
async def test_another_day_shows_another_hand(table: Table) -> None:
    await table.day()
    await table.begin(TODAY)
    assert (await table.day())["numbers"] == ["3", "8", "3", "8"]
    table.now += ATTEMPT_SECONDS + 1
    table.seat.request_read()
    assert await table.day() is None, "her time for it has run out"
    await table.begin(TOMORROW, (1, 2, 3, 4))
    tomorrows = await table.day()
    assert (tomorrows["day"], tomorrows["numbers"]) == (TOMORROW, ["1", "2", "3", "4"])


class Looks:
    """What stands for the database: each look takes as long as it is told, and may fail."""

    def __init__(self) -> None:
        self.seconds, self.fails = 0.0, 0
        self.began, self.asked = list[float](), list[list[int]]()
        titles: Any = Telegram()
        titles.get_cached_title, titles.fetch_title = (lambda _: ""), self._untitled
        store: Any = self
        self.scenes = LiveViews(store, ChangeNotifier(), lambda: NOON, titles)

    async def _untitled(self, _: Place) -> str:
        return ""

    async def read(self, look: Any) -> dict[int, tuple[bytes, bytes]]:
        self.began.append(asyncio.get_running_loop().time())
        self.asked.append(look.keywords["player_ids"])
        await asyncio.sleep(self.seconds)
        if self.fails:
            self.fails -= 1
            raise TimeoutError("the database is away")
        number = b"%d" % len(self.began)
        return dict.fromkeys(look.keywords["player_ids"], (number, number))

    def sit(self, player: int, wake: Callable[[], None] = lambda: None) -> Viewer:
        return self.scenes.join(Place(GROUP), "en", player, wake)

    async def __aenter__(self) -> "Looks":
        return self

    async def __aexit__(self, *_: object) -> None:
        self.scenes.close()
        await asyncio.sleep(0)  # for what is cancelled to end

    def gaps(self) -> list[float]:
        """Seconds from the beginning of each look to that of the next."""
        return [round(later - before, 6) for before, later in pairwise(self.began)]


class Reader:
    """Somebody who looks on, and waits for what is new."""

    def __init__(self, looks: Looks, player: int) -> None:
        self._news = asyncio.Event()
        self.seat = looks.sit(player, self._news.set)

    async def told(self) -> None:
        await self._news.wait()
        self._news.clear()
        assert self.seat.take_new_state() is not None


@with_fake_time
async def test_reads_are_spaced_by_their_duration() -> None:
    async with Looks() as looks:
        ann = Reader(looks, ANN)
        for looks.seconds in (0.5, 0.5, 0.001, 0.001):
            await ann.told()
            ann.seat.request_read()
        await ann.told()
    assert looks.gaps() == pytest.approx([0.5 + 0.5] * 2 + [0.001 + MIN_READ_INTERVAL] * 2, abs=1e-6)


@with_fake_time
async def test_failed_read_is_retried_for_all_due_viewers(caplog: pytest.LogCaptureFixture) -> None:
    """For all where it was the first, and later for whoever alone was due."""
    async with Looks() as looks:
        ann, bob = Reader(looks, ANN), Reader(looks, ANN + 1)
        looks.fails = 1
        await ann.told()
        await bob.told()
        looks.fails = 1
        ann.seat.request_read()
        await ann.told()
        assert bob.seat.take_new_state() is None
    assert [sorted(some) for some in looks.asked] == [[ANN, ANN + 1], [ANN, ANN + 1], [ANN], [ANN]]
    assert looks.gaps() == pytest.approx([RETRY_DELAY, MIN_READ_INTERVAL, RETRY_DELAY], abs=1e-6)
    assert [record.getMessage() for record in caplog.records] == [
        "what a board shows can't be read, trying again: TimeoutError: the database is away"
    ] * 2


@with_fake_time
async def test_viewers_are_woken_a_few_at_a_time() -> None:
    woken, over = list[float](), asyncio.Event()
    clock = asyncio.get_running_loop().time

    def wake() -> None:
        woken.append(clock())
        if len(woken) == 2 * VIEWERS_PER_PAUSE + 1:
            over.set()

    async with Looks() as looks:
        for _ in range(2 * VIEWERS_PER_PAUSE + 1):
            looks.sit(ANN, wake)
        await over.wait()
    late = [0.0] * VIEWERS_PER_PAUSE + [WAKE_PAUSE] * VIEWERS_PER_PAUSE + [2 * WAKE_PAUSE]
    assert [at - woken[0] for at in woken] == pytest.approx(late, abs=1e-6)
