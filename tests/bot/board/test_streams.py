"""Live state: at once, one read for all who look on, and nobody held up by whoever is slow."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest

from bot.board import chat_cache, live_views, streams
from bot.board import queries as boards
from bot.board.rules import BoardReply, Place
from bot.board.streams import parse_last_event_id
from bot.database import Tx
from bot.metrics import REGISTRY
from bot.players import queries as people
from tests.bot.board.harness import ANN, BOB, EVE, GROUP, ID, Harness

SOON = 60.0


class Listening:
    """One page that looks on."""

    def __init__(self, answer: aiohttp.ClientResponse) -> None:
        self.answer = answer

    async def event(self) -> dict[str, str]:
        """The next event or comment, by its fields."""
        fields = dict[str, str]()
        async with asyncio.timeout(SOON):
            while (line := (await self.answer.content.readline()).decode()) != "\n":
                if not line:
                    raise EOFError
                name, _, value = line.rstrip("\n").partition(":")
                fields[name] = value.strip()
        return fields

    async def state(self) -> Any:
        """The next state; where a machine stands still, beats come before it."""
        while "event" not in (event := await self.event()):
            pass
        assert event["event"] == "state"
        return json.loads(event["data"])

    async def ended(self) -> None:
        async with asyncio.timeout(SOON):
            while await self.answer.content.readany():
                pass


@asynccontextmanager
async def listening(
    here: Harness, user: int | None = ANN, place: Place | None = None, lasts: float = 1000, **more: str
) -> AsyncIterator[Listening]:
    known = {"Authorization": f"Bearer {here.make_session(user, place, lasts)}"}
    known |= {name.replace("_", "-"): value for name, value in more.items()}
    async with here.http.get(here.make_url("events"), headers=known) as answer:
        assert answer.status == 200
        assert answer.headers["Content-Type"].startswith("text/event-stream")
        assert answer.headers["X-Accel-Buffering"] == "no"
        yield Listening(answer)


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(SOON):
        while not holds():  # noqa: ASYNC110 - what is waited for tells nobody
            await asyncio.sleep(0.005)


WATCHED = Place(GROUP, 3, 123, watch_only=True)


async def test_state_is_sent_at_once_and_after_changes(here: Harness) -> None:
    async with listening(here) as page:
        assert (await page.state())["me"] == ANN
        here.table.note = "a hint"
        here.changes.notify_chat(GROUP)
        assert (await page.state())["lines"] == ["a hint"]


async def test_unchanged_state_is_not_sent_again(here: Harness) -> None:
    async with listening(here) as page:
        await page.state()
        for _ in range(3):
            here.now += 1
            looks = here.table.read_count
            here.changes.notify_chat(GROUP)
            await until(lambda looks=looks: here.table.read_count > looks)  # type: ignore[misc]
        here.table.note = "new"
        here.changes.notify_chat(GROUP)
        assert (await page.state())["lines"] == ["new"]


async def test_stream_switches_to_the_chosen_language(here: Harness) -> None:
    """In the stream that is open, and in whatever is asked for by the session from before."""

    def chosen(tx: Tx) -> None:
        people.load_or_insert_chat(tx, ANN, "private")
        people.store_language(tx, ANN, "zh_Hant")

    async with listening(here) as page, listening(here, BOB) as other:
        assert [(await each.state())["language"] for each in (page, other)] == ["es", "es"]
        await here.store.write(chosen)
        here.changes.notify_chat(ANN)
        assert (await page.state())["language"] == "zh_Hant"
        here.table.note = "new"
        here.changes.notify_chat(GROUP)
        assert [(await each.state())["language"] for each in (page, other)] == ["zh_Hant", "es"]
        known = {"Authorization": f"Bearer {here.make_session(ANN)}"}
        assert json.loads((await here.get("state", **known))[1])["language"] == "zh_Hant"
        await here.post("entry", {"id": ID, "press": "h:123"}, here.make_session(ANN))
        assert here.updates[-1]["callback_query"]["from"]["language_code"] == "zh-Hant"
    await until(lambda: not len(here.board._streams.live_views))


async def test_changes_of_other_chats_are_not_read(here: Harness) -> None:
    async with listening(here) as page:
        await page.state()
        looks = here.table.read_count
        here.changes.notify_chat(GROUP - 1)
        await asyncio.sleep(0.05)
        assert here.table.read_count == looks


async def test_one_read_serves_all_viewers_of_a_language(here: Harness) -> None:
    here.telegram.members |= set(range(100, 130))
    async with asyncio.TaskGroup() as group:
        ready = list[int]()
        pages = [group.create_task(one_change(here, user, ready)) for user in range(100, 130)]
        await until(lambda: len(ready) == 30)
        looks = here.table.read_count
        here.table.note = "new"
        here.changes.notify_chat(GROUP)
    assert {page.result()["me"] for page in pages} == set(range(100, 130))
    assert here.table.read_count == looks + 1


async def test_players_see_the_groups_title(here: Harness) -> None:
    here.telegram.title = "<b>Maths & \u202eclub</b>"
    async with listening(here) as page, listening(here, None, WATCHED) as other:
        while (told := (await page.state())["place"]["title"]) == "":
            pass
        assert told == here.telegram.title
        assert (await other.state())["place"]["title"] == ""
        _, asked, _ = await here.get("state", Authorization=f"Bearer {here.make_session()}")
        assert json.loads(asked)["place"]["title"] == here.telegram.title
        _, asked, _ = await here.get("state", Authorization=f"Bearer {here.make_session(place=Place(ANN))}")
        assert json.loads(asked)["place"]["title"] == ""
    assert here.telegram.title_request_count == 1


async def test_many_viewers_are_read_in_batches(here: Harness) -> None:
    scene = live_views.LiveViews(here.store, here.changes, lambda: here.now, here.make_title_cache())
    seats = [scene.join(Place(GROUP, 3), "en", player, lambda: None) for player in range(1, 61)]
    for seat in seats:
        await until(lambda seat=seat: seat.take_new_state() is not None)  # type: ignore[misc]
    assert here.table.batch_sizes == [25, 25, 10]
    scene.close()


async def one_change(here: Harness, user: int, ready: list[int]) -> Any:
    """Return what the page is told next; `ready` gets the user once it was told something."""
    async with listening(here, user) as page:
        await page.state()
        ready.append(user)
        return await page.state()


async def test_many_changes_make_few_reads(here: Harness) -> None:
    async with listening(here) as page:
        await page.state()
        looks = here.table.read_count
        for number in range(200):
            here.table.note = str(number)
            here.changes.notify_chat(GROUP)
            await asyncio.sleep(0)
        while (await page.state())["lines"] != ["199"]:
            pass
        assert here.table.read_count - looks < 20


async def test_live_views_close_with_their_last_viewer(here: Harness) -> None:
    async with listening(here) as page, listening(here, None, WATCHED) as other:
        await page.state()
        assert (await other.state())["buttons"] == []
        assert len(here.board._live_views) == 2
        assert REGISTRY.get_sample_value("twentyfour_board_streams") == 2
    await until(lambda: len(here.board._live_views) == 0 and len(here.board._streams) == 0)
    assert REGISTRY.get_sample_value("twentyfour_board_streams") == 0


async def test_replies_go_to_their_player_alone(here: Harness) -> None:
    here.table.replies = {ANN: [BoardReply(4, "old", "before", None)]}
    async with listening(here) as ann, listening(here, BOB) as bob:
        first = await ann.event()
        assert (first["event"], first["id"]) == ("state", "4")
        await bob.state()
        here.table.replies[ANN].append(BoardReply(5, "p" * 22, "8*3-8/3 = 21 1/3, not 24.", False))
        here.changes.notify_chat(ANN)
        word = await ann.event()
        assert (word["event"], word["id"]) == ("word", "5")
        assert json.loads(word["data"]) == {
            "id": "p" * 22,
            "text": "8*3-8/3 = 21 1/3, not 24.",
            "right": False,
        }
        here.table.note = "new"
        here.changes.notify_chat(GROUP)
        assert (await bob.event())["event"] == "state"


async def test_reconnected_page_gets_missed_replies(here: Harness) -> None:
    here.table.replies = {ANN: [BoardReply(4, "a", "one", None), BoardReply(5, "b", "two", True)]}
    async with listening(here, Last_Event_ID="4") as page:
        word = await page.event()
        assert (word["id"], json.loads(word["data"])["text"]) == ("5", "two")
        assert (await page.event())["event"] == "state"


@pytest.mark.parametrize("header", [None, "", "x", "-1", "1.5", "²", "9" * 30])
def test_invalid_last_event_ids_are_ignored(header: str | None) -> None:
    assert parse_last_event_id(header) is None
    assert parse_last_event_id("17") == 17


async def test_heartbeats_are_sent(here: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "HEARTBEAT_INTERVAL", 0.05)
    async with listening(here) as page:
        await page.state()
        assert [await page.event() for _ in range(3)] == [{"": ""}] * 3


async def test_stream_ends_with_the_session(here: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    async with listening(here, lasts=5) as page:
        await page.state()
        here.now += 5
        here.changes.notify_chat(ANN)
        await page.ended()
    monkeypatch.setattr(streams, "HEARTBEAT_INTERVAL", 0.02)
    async with listening(here, lasts=1) as page:
        await page.state()
        here.now += 5
        await page.ended()


async def test_stream_ends_after_a_membership_check(here: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "MEMBERSHIP_CHECK_INTERVAL", 0.0)
    async with listening(here) as page:
        await page.state()
        here.telegram.members.clear()
        here.monotonic_now += 60
        here.changes.notify_chat(ANN)
        await page.ended()


async def test_stream_ends_at_once_for_a_reported_departure(here: Harness) -> None:
    async with listening(here) as page, listening(here, BOB) as other:
        await page.state()
        await other.state()
        here.telegram.members.discard(ANN)
        here.changes.on_departure(GROUP, ANN)
        await page.ended()
        here.changes.on_departure(GROUP - 1, BOB)
        here.table.note = "new"
        here.changes.notify_chat(GROUP)
        assert (await other.state())["lines"] == ["new"]
    body = {"id": ID, "round": 123, "answer": "8/(3-8/3)"}
    assert (await here.post("entry", body, here.make_session()))[0] == 403


async def test_stream_ends_while_membership_is_unknown(here: Harness) -> None:
    async with listening(here) as page:
        await page.state()
        here.telegram.is_away = True
        here.changes.on_departure(GROUP, ANN)
        await page.ended()
    known = {"Authorization": f"Bearer {here.make_session()}"}
    assert (await here.get("events", **known))[0] == 503
    here.telegram.is_away = False
    here.monotonic_now += chat_cache.UNCONFIRMED_SECONDS
    async with listening(here) as page:
        await page.state()


async def test_stream_ends_for_a_forgotten_player(here: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "MEMBERSHIP_CHECK_INTERVAL", 0.0)
    async with listening(here) as page:
        await page.state()
        await here.store.write(lambda tx: boards.close_pages(tx, ANN, here.now))
        here.changes.notify_chat(ANN)
        await page.ended()


async def test_streams_end_when_the_bot_stops(here: Harness) -> None:
    clock = asyncio.get_running_loop()
    async with listening(here) as page, listening(here, None, WATCHED) as other:
        await page.state()
        await other.state()
        began = clock.time()
        await here.close()
        await page.ended()
        await other.ended()
        assert clock.time() - began < 0.5


async def test_no_stream_opens_after_close(here: Harness) -> None:
    here.board.close()
    status, _, headers = await here.get("events", Authorization=f"Bearer {here.make_session()}")
    assert (status, headers["Retry-After"]) == (503, "15")


async def test_oldest_stream_of_a_player_makes_room(here: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "MAX_STREAMS_PER_PERSON", 2)
    async with listening(here) as first, listening(here) as second, listening(here, BOB) as bob:
        for page in (first, second, bob):
            await page.state()
        async with listening(here) as third:
            await third.state()
            assert await first.event() == {"event": "elsewhere", "data": "{}"}
            with pytest.raises(EOFError):
                await first.event()
            here.table.note = "new"
            here.changes.notify_chat(GROUP)
            for page in (second, third, bob):
                assert (await page.state())["lines"] == ["new"]
            assert len(here.board._streams) == 3


async def test_streams_are_limited_in_total(here: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "MAX_STREAMS", 1)
    async with listening(here) as page:
        await page.state()
        assert (await here.get("events", Authorization=f"Bearer {here.make_session(BOB)}"))[0] == 503


async def test_spectator_streams_leave_room_for_players(
    here: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "MAX_SPECTATOR_STREAMS", 1)
    known = f"Bearer {here.make_session(None, WATCHED)}"
    async with listening(here, None, WATCHED) as first, listening(here) as plays:
        await first.state()
        await plays.state()
        assert (await here.get("events", Authorization=known))[0] == 503
    await until(lambda: not len(here.board._streams))
    async with listening(here, None, WATCHED) as other:
        await other.state()


async def test_head_is_refused_for_streams_and_state(here: Harness) -> None:
    known = {"Authorization": f"Bearer {here.make_session()}"}
    for path in ("events", "state"):
        async with here.http.head(here.make_url(path), headers=known) as answer:
            assert (answer.status, answer.headers["Allow"]) == (405, "GET")


async def test_non_member_gets_no_stream(here: Harness) -> None:
    assert (await here.get("events", Authorization=f"Bearer {here.make_session(EVE)}"))[0] == 403


async def test_failed_database_reads_are_retried(here: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_views, "RETRY_DELAY", 0.01)
    async with listening(here) as page:
        await page.state()
        genuine, failing = here.store.read, 3

        async def read(look: Any) -> Any:
            nonlocal failing
            failing -= 1
            if failing >= 0:
                raise OSError("gone")
            return await genuine(look)

        monkeypatch.setattr(here.store, "read", read)
        here.table.note = "new"
        here.changes.notify_chat(GROUP)
        assert (await page.state())["lines"] == ["new"]
