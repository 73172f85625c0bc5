"""Event streams: shared reads, replies, limits, and when a stream ends."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest

from bot.board import chat_cache, live_views, streams
from bot.board import queries as boards
from bot.board.rules import Place, StoredReply
from bot.board.streams import parse_last_event_id
from bot.database import Tx
from bot.metrics import REGISTRY
from bot.players import queries as people
from tests.bot.board.harness import ANN, BOB, EVE, GROUP, ID, Harness

SOON = 60.0


class EventStream:
    """An open event stream of a page."""

    def __init__(self, answer: aiohttp.ClientResponse) -> None:
        self.answer = answer

    async def read_event(self) -> dict[str, str]:
        """Return the fields of the next event or comment. Raises EOFError at the end."""
        fields = dict[str, str]()
        async with asyncio.timeout(SOON):
            while (line := (await self.answer.content.readline()).decode()) != "\n":
                if not line:
                    raise EOFError
                name, _, value = line.rstrip("\n").partition(":")
                fields[name] = value.strip()
        return fields

    async def read_state(self) -> Any:
        """Return the next state, skipping heartbeats."""
        while "event" not in (event := await self.read_event()):
            pass
        assert event["event"] == "state"
        return json.loads(event["data"])

    async def wait_until_closed(self) -> None:
        async with asyncio.timeout(SOON):
            while await self.answer.content.readany():
                pass


@asynccontextmanager
async def open_stream(
    here: Harness, user: int | None = ANN, place: Place | None = None, lasts: float = 1000, **more: str
) -> AsyncIterator[EventStream]:
    known = {"Authorization": f"Bearer {here.make_session(user, place, lasts)}"}
    known |= {name.replace("_", "-"): value for name, value in more.items()}
    async with here.http.get(here.make_url("events"), headers=known) as answer:
        assert answer.status == 200
        assert answer.headers["Content-Type"].startswith("text/event-stream")
        assert answer.headers["X-Accel-Buffering"] == "no"
        yield EventStream(answer)


async def wait_until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(SOON):
        while not holds():  # noqa: ASYNC110 - what is waited for tells nobody
            await asyncio.sleep(0.005)


WATCHED = Place(GROUP, 3, 123, watch_only=True)


async def test_state_is_sent_at_once_and_after_changes(harness: Harness) -> None:
    async with open_stream(harness) as page:
        assert (await page.read_state())["notice"] == str(ANN)
        harness.table.note = "a hint"
        harness.changes.notify_chat(GROUP)
        assert (await page.read_state())["solution"] == "a hint"


async def test_unchanged_state_is_not_sent_again(harness: Harness) -> None:
    async with open_stream(harness) as page:
        await page.read_state()
        for _ in range(3):
            harness.now += 1
            looks = harness.table.read_count
            harness.changes.notify_chat(GROUP)
            await wait_until(lambda looks=looks: harness.table.read_count > looks)  # type: ignore[misc]
        harness.table.note = "new"
        harness.changes.notify_chat(GROUP)
        assert (await page.read_state())["solution"] == "new"


async def test_stream_switches_to_the_chosen_language(harness: Harness) -> None:
    # In the open stream, and in requests of a session from before the choice.
    def chosen(tx: Tx) -> None:
        people.load_or_insert_chat(tx, ANN, "private")
        people.store_language(tx, ANN, "zh_Hant")

    async with open_stream(harness) as page, open_stream(harness, BOB) as other:
        assert [(await each.read_state())["language"] for each in (page, other)] == ["es", "es"]
        await harness.store.write(chosen)
        harness.changes.notify_chat(ANN)
        assert (await page.read_state())["language"] == "zh_Hant"
        harness.table.note = "new"
        harness.changes.notify_chat(GROUP)
        assert [(await each.read_state())["language"] for each in (page, other)] == ["zh_Hant", "es"]
        known = {"Authorization": f"Bearer {harness.make_session(ANN)}"}
        assert json.loads((await harness.get("state", **known))[1])["language"] == "zh_Hant"
        await harness.post("entry", {"id": ID, "press": "h:123"}, harness.make_session(ANN))
        assert harness.submissions[-1].language == "zh-Hant"
    await wait_until(lambda: not len(harness.board._streams.live_views))


async def test_changes_of_other_chats_are_not_read(harness: Harness) -> None:
    async with open_stream(harness) as page:
        await page.read_state()
        looks = harness.table.read_count
        harness.changes.notify_chat(GROUP - 1)
        await asyncio.sleep(0.05)
        assert harness.table.read_count == looks


async def test_one_read_serves_all_viewers_of_a_language(harness: Harness) -> None:
    harness.telegram.members |= set(range(100, 130))
    async with asyncio.TaskGroup() as group:
        ready = list[int]()
        pages = [group.create_task(read_next_change(harness, user, ready)) for user in range(100, 130)]
        await wait_until(lambda: len(ready) == 30)
        looks = harness.table.read_count
        harness.table.note = "new"
        harness.changes.notify_chat(GROUP)
    assert {page.result()["notice"] for page in pages} == set(map(str, range(100, 130)))
    assert harness.table.read_count == looks + 1


async def test_players_see_the_groups_title(harness: Harness) -> None:
    harness.telegram.title = "<b>Maths & \u202eclub</b>"
    async with open_stream(harness) as page, open_stream(harness, None, WATCHED) as other:
        while (told := (await page.read_state())["place"]["title"]) == "":
            pass
        assert told == harness.telegram.title
        assert (await other.read_state())["place"]["title"] == ""
        _, asked, _ = await harness.get("state", Authorization=f"Bearer {harness.make_session()}")
        assert json.loads(asked)["place"]["title"] == harness.telegram.title
        _, asked, _ = await harness.get(
            "state", Authorization=f"Bearer {harness.make_session(place=Place(ANN))}"
        )
        assert json.loads(asked)["place"]["title"] == ""
    assert harness.telegram.title_request_count == 1


async def read_next_change(here: Harness, user: int, ready: list[int]) -> Any:
    """Return the second state of a page; append the user to `ready` after the first."""
    async with open_stream(here, user) as page:
        await page.read_state()
        ready.append(user)
        return await page.read_state()


async def test_many_changes_make_few_reads(harness: Harness) -> None:
    async with open_stream(harness) as page:
        await page.read_state()
        looks = harness.table.read_count
        for number in range(200):
            harness.table.note = str(number)
            harness.changes.notify_chat(GROUP)
            await asyncio.sleep(0)
        while (await page.read_state())["solution"] != "199":
            pass
        assert harness.table.read_count - looks < 20


async def test_live_views_close_with_their_last_viewer(harness: Harness) -> None:
    async with open_stream(harness) as page, open_stream(harness, None, WATCHED) as other:
        await page.read_state()
        assert (await other.read_state())["buttons"] == []
        assert len(harness.board._live_views) == 2
        assert REGISTRY.get_sample_value("twentyfour_board_streams") == 2
    await wait_until(lambda: len(harness.board._live_views) == 0 and len(harness.board._streams) == 0)
    assert REGISTRY.get_sample_value("twentyfour_board_streams") == 0


async def test_replies_go_to_their_player_alone(harness: Harness) -> None:
    harness.table.replies = {ANN: [StoredReply(4, "old", "before", None)]}
    async with open_stream(harness) as ann, open_stream(harness, BOB) as bob:
        first = await ann.read_event()
        assert (first["event"], first["id"]) == ("state", "4")
        await bob.read_state()
        harness.table.replies[ANN].append(StoredReply(5, "p" * 22, "8×3−8÷3 = 21 1/3, not 24.", False))
        harness.changes.notify_chat(ANN)
        word = await ann.read_event()
        assert (word["event"], word["id"]) == ("word", "5")
        assert json.loads(word["data"]) == {
            "id": "p" * 22,
            "text": "8×3−8÷3 = 21 1/3, not 24.",
            "right": False,
        }
        harness.table.note = "new"
        harness.changes.notify_chat(GROUP)
        assert (await bob.read_event())["event"] == "state"


async def test_reconnected_page_gets_missed_replies(harness: Harness) -> None:
    harness.table.replies = {ANN: [StoredReply(4, "a", "one", None), StoredReply(5, "b", "two", True)]}
    async with open_stream(harness, Last_Event_ID="4") as page:
        word = await page.read_event()
        assert (word["id"], json.loads(word["data"])["text"]) == ("5", "two")
        assert (await page.read_event())["event"] == "state"


@pytest.mark.parametrize("header", [None, "", "x", "-1", "1.5", "²", "9" * 30])
def test_invalid_last_event_ids_are_ignored(header: str | None) -> None:
    assert parse_last_event_id(header) is None
    assert parse_last_event_id("17") == 17


async def test_heartbeats_are_sent(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "HEARTBEAT_INTERVAL", 0.05)
    async with open_stream(harness) as page:
        await page.read_state()
        assert [await page.read_event() for _ in range(3)] == [{"": ""}] * 3


async def test_stream_ends_with_the_session(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_stream(harness, lasts=5) as page:
        await page.read_state()
        harness.now += 5
        harness.changes.notify_chat(ANN)
        await page.wait_until_closed()
    monkeypatch.setattr(streams, "HEARTBEAT_INTERVAL", 0.02)
    async with open_stream(harness, lasts=1) as page:
        await page.read_state()
        harness.now += 5
        await page.wait_until_closed()


async def test_stream_ends_after_a_membership_check(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "MEMBERSHIP_CHECK_INTERVAL", 0.0)
    async with open_stream(harness) as page:
        await page.read_state()
        harness.telegram.members.clear()
        harness.monotonic_now += 60
        harness.changes.notify_chat(ANN)
        await page.wait_until_closed()


async def test_stream_ends_at_once_for_a_reported_departure(harness: Harness) -> None:
    async with open_stream(harness) as page, open_stream(harness, BOB) as other:
        await page.read_state()
        await other.read_state()
        harness.telegram.members.discard(ANN)
        harness.changes.on_departure(GROUP, ANN)
        await page.wait_until_closed()
        harness.changes.on_departure(GROUP - 1, BOB)
        harness.table.note = "new"
        harness.changes.notify_chat(GROUP)
        assert (await other.read_state())["solution"] == "new"
    body = {"id": ID, "round": 123, "answer": "8/(3-8/3)"}
    assert (await harness.post("entry", body, harness.make_session()))[0] == 403


async def test_stream_ends_while_membership_is_unknown(harness: Harness) -> None:
    async with open_stream(harness) as page:
        await page.read_state()
        harness.telegram.is_away = True
        harness.changes.on_departure(GROUP, ANN)
        await page.wait_until_closed()
    known = {"Authorization": f"Bearer {harness.make_session()}"}
    assert (await harness.get("events", **known))[0] == 503
    harness.telegram.is_away = False
    harness.monotonic_now += chat_cache.UNCONFIRMED_SECONDS
    async with open_stream(harness) as page:
        await page.read_state()


async def test_stream_ends_for_a_forgotten_player(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "MEMBERSHIP_CHECK_INTERVAL", 0.0)
    async with open_stream(harness) as page:
        await page.read_state()
        await harness.store.write(lambda tx: boards.close_pages(tx, ANN, harness.now))
        harness.changes.notify_chat(ANN)
        await page.wait_until_closed()


async def test_streams_end_when_the_bot_stops(harness: Harness) -> None:
    clock = asyncio.get_running_loop()
    async with open_stream(harness) as page, open_stream(harness, None, WATCHED) as other:
        await page.read_state()
        await other.read_state()
        began = clock.time()
        await harness.close()
        await page.wait_until_closed()
        await other.wait_until_closed()
        assert clock.time() - began < 0.5


async def test_no_stream_opens_after_close(harness: Harness) -> None:
    harness.board.close()
    status, _, headers = await harness.get("events", Authorization=f"Bearer {harness.make_session()}")
    assert (status, headers["Retry-After"]) == (503, "15")


async def test_oldest_stream_of_a_player_makes_room(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "MAX_STREAMS_PER_PERSON", 2)
    async with (
        open_stream(harness) as first,
        open_stream(harness) as second,
        open_stream(harness, BOB) as bob,
    ):
        for page in (first, second, bob):
            await page.read_state()
        async with open_stream(harness) as third:
            await third.read_state()
            assert await first.read_event() == {"event": "elsewhere", "data": "{}"}
            with pytest.raises(EOFError):
                await first.read_event()
            harness.table.note = "new"
            harness.changes.notify_chat(GROUP)
            for page in (second, third, bob):
                assert (await page.read_state())["solution"] == "new"
            assert len(harness.board._streams) == 3


async def test_streams_are_limited_in_total(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "MAX_STREAMS", 1)
    async with open_stream(harness) as page:
        await page.read_state()
        assert (await harness.get("events", Authorization=f"Bearer {harness.make_session(BOB)}"))[0] == 503


async def test_spectator_streams_leave_room_for_players(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "MAX_SPECTATOR_STREAMS", 1)
    known = f"Bearer {harness.make_session(None, WATCHED)}"
    async with open_stream(harness, None, WATCHED) as first, open_stream(harness) as plays:
        await first.read_state()
        await plays.read_state()
        assert (await harness.get("events", Authorization=known))[0] == 503
    await wait_until(lambda: not len(harness.board._streams))
    async with open_stream(harness, None, WATCHED) as other:
        await other.read_state()


async def test_head_is_refused_for_streams_and_state(harness: Harness) -> None:
    known = {"Authorization": f"Bearer {harness.make_session()}"}
    for path in ("events", "state"):
        async with harness.http.head(harness.make_url(path), headers=known) as answer:
            assert (answer.status, answer.headers["Allow"]) == (405, "GET")


async def test_non_member_gets_no_stream(harness: Harness) -> None:
    assert (await harness.get("events", Authorization=f"Bearer {harness.make_session(EVE)}"))[0] == 403


async def test_failed_database_reads_are_retried(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_views, "RETRY_DELAY", 0.01)
    async with open_stream(harness) as page:
        await page.read_state()
        genuine, failing = harness.store.read, 3

        async def read(look: Any) -> Any:
            nonlocal failing
            failing -= 1
            if failing >= 0:
                raise OSError("gone")
            return await genuine(look)

        monkeypatch.setattr(harness.store, "read", read)
        harness.table.note = "new"
        harness.changes.notify_chat(GROUP)
        assert (await page.read_state())["solution"] == "new"
