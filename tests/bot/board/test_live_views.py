"""Live views: when tables are read and who is woken."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from bot.board.live_views import (
    MIN_READ_INTERVAL,
    LiveViews,
    Viewer,
)
from bot.board.page_state import PageState, Part, PlaceView
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
    """A viewer at an empty group table."""

    def __init__(self, store: Store) -> None:
        self.store, self.now, self.news = store, NOON, asyncio.Event()
        titles: Any = Telegram()
        titles.fetch_title = self._fetch_no_title
        self.live_views = LiveViews(store, ChangeNotifier(), lambda: self.now, titles)
        self.viewer: Viewer = self.live_views.join(Place(GROUP), "en", ANN, self.news.set)

    async def _fetch_no_title(self, _: Place) -> str:
        return ""

    async def wait_for_daily_hand(self) -> Any:
        """Wait for the next new state and return its daily hand."""
        async with asyncio.timeout(SOON):
            await self.news.wait()
        self.news.clear()
        return json.loads(self.viewer.take_new_state() or b"")["day"]

    async def open_daily_hand(self, day: str, numbers: tuple[int, ...] = (3, 8, 3, 8)) -> None:
        """Store a day's hand and open Ann's attempt, which no table is told of."""

        def story(tx: Tx) -> None:
            people.insert_or_update_player(tx, people.Player(ANN, "Ann", None))
            hand = days.insert_hand(tx, DailyHand(day, "24", make_round(numbers=numbers).puzzle))
            days.open_attempt(tx, hand, ANN, self.now)

        await self.store.write(story)
        self.viewer.request_read()


@pytest.fixture
async def table(tmp_path: Path) -> AsyncIterator[Table]:
    settings = read_settings({"DATABASE_URL": f"sqlite:///{write_database(tmp_path / 'board.sqlite3')}"})
    store = await Store.open(settings.database)
    made = Table(store)
    yield made
    made.live_views.close()
    await store.close()


async def test_daily_hand_appears_without_a_change_at_the_table(
    table: Table,
) -> None:
    assert await table.wait_for_daily_hand() is None
    await table.open_daily_hand(TODAY)
    assert (await table.wait_for_daily_hand())["day"] == TODAY


async def test_later_viewer_gets_the_present_time(table: Table) -> None:
    await table.wait_for_daily_hand()
    table.now += 40
    shown = asyncio.Event()
    later = table.live_views.join(Place(GROUP), "en", ANN + 1, shown.set)
    async with asyncio.timeout(SOON):
        await shown.wait()
    assert json.loads(later.take_new_state() or b"")["now"] == NOON + 40


@pytest.mark.long
async def test_another_day_shows_another_hand(table: Table) -> None:
    await table.wait_for_daily_hand()
    await table.open_daily_hand(TODAY)
    assert (await table.wait_for_daily_hand())["numbers"] == ["3", "8", "3", "8"]
    table.now += ATTEMPT_SECONDS + 1
    table.viewer.request_read()
    assert await table.wait_for_daily_hand() is None, "her time for it has run out"
    await table.open_daily_hand(TOMORROW, (1, 2, 3, 4))
    tomorrows = await table.wait_for_daily_hand()
    assert (tomorrows["day"], tomorrows["numbers"]) == (TOMORROW, ["1", "2", "3", "4"])


class SlowStore:
    """A store whose reads take `seconds`."""

    def __init__(self) -> None:
        self.seconds, self.began = 0.0, list[float]()
        titles: Any = Telegram()
        titles.fetch_title = self._fetch_no_title
        store: Any = self
        self.live_views = LiveViews(store, ChangeNotifier(), lambda: NOON, titles)

    async def _fetch_no_title(self, _: Place) -> str:
        return ""

    async def read(self, look: Any) -> tuple[Place, dict[int, PageState]]:
        self.began.append(asyncio.get_running_loop().time())
        await asyncio.sleep(self.seconds)
        number = len(self.began)
        state = PageState(NOON, "en", PlaceView("group", str(number)), None, None, (), Part())
        return Place(GROUP), dict.fromkeys(look.keywords["player_ids"], state)

    def join_view(self, player: int, wake: Callable[[], None]) -> Viewer:
        return self.live_views.join(Place(GROUP), "en", player, wake)

    async def __aenter__(self) -> "SlowStore":
        return self

    async def __aexit__(self, *_: object) -> None:
        self.live_views.close()
        await asyncio.sleep(0)  # for what is cancelled to end

    def list_gaps(self) -> list[float]:
        """Return the seconds between the starts of consecutive reads."""
        return [round(later - before, 6) for before, later in pairwise(self.began)]


class WaitingViewer:
    """A viewer that waits for new states."""

    def __init__(self, looks: SlowStore, player: int) -> None:
        self._news = asyncio.Event()
        self.viewer = looks.join_view(player, self._news.set)

    async def wait_for_state(self) -> None:
        await self._news.wait()
        self._news.clear()
        assert self.viewer.take_new_state() is not None


@with_fake_time
async def test_reads_are_spaced_by_their_duration() -> None:
    async with SlowStore() as looks:
        ann = WaitingViewer(looks, ANN)
        for looks.seconds in (0.5, 0.5, 0.001, 0.001):
            await ann.wait_for_state()
            ann.viewer.request_read()
        await ann.wait_for_state()
    assert looks.list_gaps() == pytest.approx([0.5 + 0.5] * 2 + [0.001 + MIN_READ_INTERVAL] * 2, abs=1e-6)
