"""Polling: hold times, the watermark, and pauses after errors, full inboxes and conflicts."""

import asyncio
import logging
import math
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, cast

import pytest
from sqlalchemy.exc import OperationalError
from telegram.error import (
    BadRequest,
    Conflict,
    InvalidToken,
    NetworkError,
    RetryAfter,
    TelegramError,
    TimedOut,
)

from bot.metrics import Pulse
from bot.queue.inbox import Inbox, InboxFullError
from bot.queue.updates import Watermark
from bot.telegram.polling import Poller, PollingError, TokenLostError
from tests.fake_time import START, advance_time, now, with_fake_time

Answer = object
UPDATE = {"update_id": 7}
FULL_DISK = OperationalError("INSERT", {}, Exception("database or disk is full"))
TERMINATED = Conflict("Conflict: terminated by other getUpdates request")
WEBHOOK = Conflict("Conflict: can't use getUpdates method while webhook is active")


def make_page_error() -> TelegramError:
    """Return the error for a 404 page of some other server."""
    error = InvalidToken("Not Found (404). Parsing the server response b'<html>canary' failed")
    error.__cause__ = TelegramError("Invalid server response")
    return error


@dataclass(frozen=True)
class Call:
    """A request as it was sent."""

    at: float  # Seconds since the start
    method: str
    parameters: dict[str, Any]
    read_timeout: float | None


@dataclass
class Telegram:
    """Answers `getUpdates` from a list and then holds it; answers other methods by name."""

    answers: list[Answer] = field(default_factory=list)
    answers_by_method: dict[str, Answer] = field(default_factory=dict)
    answer_seconds: float = 0.0  # Seconds until an answer of the list comes
    calls: list[Call] = field(default_factory=list)
    abandoned: int = 0

    async def __call__(
        self, method: str, parameters: dict[str, Any], *, read_timeout: float | None = None
    ) -> Any:
        self.calls.append(Call(now() - START, method, parameters, read_timeout))
        if method != "getUpdates":
            return _raise_or_return(self.answers_by_method[method])
        answer = self.answers.pop(0) if self.answers else None
        try:
            await asyncio.sleep(parameters["timeout"] if answer is None else self.answer_seconds)
        except asyncio.CancelledError:
            self.abandoned += 1
            raise
        return _raise_or_return([] if answer is None else answer)

    @property
    def fetches(self) -> list[Call]:
        return [calls for calls in self.calls if calls.method == "getUpdates"]

    @property
    def fetch_times(self) -> list[float]:
        """Return the times of the fetches, in seconds since the start."""
        return [calls.at for calls in self.fetches]

    @property
    def holds(self) -> list[int]:
        return [calls.parameters["timeout"] for calls in self.fetches]


def _raise_or_return(answer: Answer) -> Answer:
    if isinstance(answer, Exception):
        raise answer
    return answer


class ListInbox:
    """An inbox that raises the given errors, one each, and then keeps updates in a list."""

    def __init__(self, *errors: Exception) -> None:
        self.updates: list[Any] = []
        self.errors = list(errors)
        self.watermark = Watermark()

    def now(self) -> float:
        return now() - START

    async def accept(self, updates: Sequence[Any]) -> None:
        if self.errors:
            raise self.errors.pop(0)
        self.updates += updates


def make_poller(telegram: Telegram, inbox: ListInbox, pulse: Pulse | None = None) -> Poller:
    kept = cast(Inbox, inbox)
    return Poller(telegram, kept, ("message",), pulse or Pulse(now()), now, lambda least, most: most)


@asynccontextmanager
async def run_poller(
    telegram: Telegram, inbox: ListInbox, pulse: Pulse | None = None
) -> AsyncIterator["asyncio.Task[None]"]:
    task = asyncio.create_task(make_poller(telegram, inbox, pulse).run())
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def make_updates(first: int, count: int) -> list[dict[str, int]]:
    return [{"update_id": number} for number in range(first, first + count)]


async def poll_for(seconds: float, *answers: Answer, inbox: ListInbox | None = None) -> list[float]:
    """Poll for some seconds with these answers, and return the times of the fetches."""
    telegram = Telegram(list(answers))
    async with run_poller(telegram, inbox or ListInbox()):
        await advance_time(seconds)
    return telegram.fetch_times


# Requests


@with_fake_time
async def test_get_updates_parameters() -> None:
    telegram = Telegram()
    async with run_poller(telegram, ListInbox()):
        await advance_time(1.0)
    assert telegram.calls == [
        Call(0.0, "getUpdates", {"timeout": 25, "limit": 100, "allowed_updates": ["message"]}, 35)
    ]


@with_fake_time
async def test_offset_follows_the_largest_stored_id() -> None:
    given = [[{"update_id": 7}, {"update_id": 9}, {"update_id": 8}], make_updates(10, 1)]
    telegram = Telegram(list(given))
    async with run_poller(telegram, ListInbox()):
        await advance_time(1.0)
    assert [calls.parameters.get("offset") for calls in telegram.fetches] == [None, 10, 11]
    assert telegram.fetch_times == [0.0, 0.0, 0.0]


@with_fake_time
async def test_offset_stays_without_new_updates() -> None:
    telegram = Telegram([make_updates(7, 1), []])
    async with run_poller(telegram, ListInbox()):
        await advance_time(1.0)
    assert [calls.parameters.get("offset") for calls in telegram.fetches] == [None, 8, 8]


@with_fake_time
async def test_pause_grows_while_the_offset_stays() -> None:
    odd = [["garbage"], [{"update_id": -1}], [{"update_id": True}], [{"update_id": 2**63}], [{}]]
    assert await poll_for(20.0, *odd) == [0.0, 0.5, 1.5, 3.5, 7.5, 15.5]


@with_fake_time
async def test_pause_is_reset_after_a_stored_batch() -> None:
    lost = NetworkError("Bad Gateway")
    assert await poll_for(9.0, lost, lost, make_updates(1, 1), lost) == [0.0, 0.5, 1.5, 1.5, 2.0, 2.0]


# Hold times


@with_fake_time
async def test_hold_time_is_at_most_25_seconds() -> None:
    assert await poll_for(60.0) == [0.0, 25.0, 50.0]


@pytest.mark.parametrize(
    ("expected", "hold"), [(math.inf, 25), (3.2, 4), (0.0, 0), (24.5, 25), (1000.0, 25), (-5.0, 0)]
)
@with_fake_time
async def test_hold_time_ends_at_the_next_deadline(expected: float, hold: int) -> None:
    telegram, inbox = Telegram(), ListInbox()
    inbox.watermark.next_deadline = expected
    task = asyncio.create_task(make_poller(telegram, inbox).poll_once())
    await advance_time()
    task.cancel()
    assert telegram.holds == [hold]


@with_fake_time
async def test_hold_time_counts_from_now() -> None:
    telegram, inbox = Telegram([[]], answer_seconds=3.0), ListInbox()
    inbox.watermark.next_deadline = 10.0
    async with run_poller(telegram, inbox):
        await advance_time(4.0)
    assert telegram.holds == [10, 7]


@pytest.mark.parametrize("received_until", [0.0, -1.0])
@with_fake_time
async def test_covered_deadline_does_not_shorten_the_hold(received_until: float) -> None:
    telegram, inbox = Telegram(), ListInbox()
    inbox.watermark.mark_received(received_until)
    inbox.watermark.next_deadline = -1.0
    async with run_poller(telegram, inbox):
        await advance_time(1.0)
    assert telegram.holds == [25]


@with_fake_time
async def test_long_poll_is_abandoned_when_the_watermark_is_requested() -> None:
    telegram, inbox = Telegram(), ListInbox()
    async with run_poller(telegram, inbox):
        await advance_time(10.0)
        inbox.watermark.request_until(10.0)
        await advance_time()
        assert telegram.abandoned == 1
        assert telegram.fetch_times[:2] == [0.0, 10.0]
        assert telegram.holds[:2] == [25, 0]
        assert not inbox.watermark.is_awaited


@with_fake_time
async def test_immediate_fetch_is_not_abandoned() -> None:
    """Else no fetch would ever return over a slow network while a deadline passes every second."""
    telegram, inbox = Telegram([[]], answer_seconds=5.0), ListInbox()
    inbox.watermark.request_until(0.0)
    async with run_poller(telegram, inbox):
        await advance_time(1.0)
        inbox.watermark.request_until(1.0)
        await advance_time(1.0)
        assert telegram.abandoned == 0
        assert telegram.fetch_times == [0.0]


@with_fake_time
async def test_no_hold_time_after_a_failure() -> None:
    telegram = Telegram([NetworkError("Bad Gateway"), []])
    async with run_poller(telegram, ListInbox()):
        await advance_time(1.0)
    assert telegram.holds == [25, 0, 25]


# The watermark


@with_fake_time
async def test_empty_batch_advances_the_watermark_to_its_request() -> None:
    inbox = ListInbox()
    async with run_poller(Telegram([[]], answer_seconds=3.0), inbox):
        await advance_time(4.0)
    assert inbox.watermark.received_until == 0.0


@pytest.mark.parametrize("count", [1, 3, 100])
@with_fake_time
async def test_small_batch_does_not_advance_the_watermark(count: int) -> None:
    inbox = ListInbox()
    async with run_poller(Telegram([make_updates(1, count)]), inbox):
        await advance_time(1.0)
    assert len(inbox.updates) == count
    assert inbox.watermark.received_until == -math.inf


@pytest.mark.parametrize(("dates", "expected"), [([-20], -20.0), ([-20, -10], -10.0), ([10**10], -math.inf)])
@with_fake_time
async def test_update_date_advances_the_watermark(dates: list[int], expected: float) -> None:
    """Else the watermark would stand still while updates never stop."""
    dated = [{"update_id": n, "message": {"date": date}} for n, date in enumerate(dates)]
    inbox = ListInbox()
    async with run_poller(Telegram([[*dated, {"update_id": 9, "callback_query": {}}]]), inbox):
        await advance_time(1.0)
    assert inbox.watermark.received_until == expected


# Answers and errors


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (make_page_error(), "Not Found (404), in an answer that is no JSON"),
        (InvalidToken("Not Found"), "Telegram does not know the token"),
        (TERMINATED, "had the token: Conflict: terminated"),
        (WEBHOOK, "webhook is active"),
        (NetworkError("Bad Gateway"), "NetworkError: Bad Gateway"),
        (BadRequest("Bad Request: nonsense"), "BadRequest: "),
        (TelegramError("Invalid server response"), "the answer is no JSON"),
        (KeyError("result"), "the answer has no result"),
        (AttributeError("'list' object has no attribute 'get'"), "the answer has no result"),
        (5, "did not return a list"),
        (RetryAfter(0), "Flood control"),
        (ZeroDivisionError("canary?"), "ZeroDivisionError"),
    ],
)
def test_bad_answer_is_logged_in_one_line(
    error: Answer, expected: str, caplog: pytest.LogCaptureFixture
) -> None:
    @with_fake_time
    async def test() -> None:
        inbox, pulse = ListInbox(), Pulse(0.0)
        answers_by_method: dict[str, Answer] = {"getWebhookInfo": {"url": ""}, "getMe": {}}
        async with run_poller(Telegram([error, [UPDATE]], answers_by_method), inbox, pulse):
            await advance_time(20.0)
        assert inbox.updates == [UPDATE]
        assert pulse.success_count == 1

    with caplog.at_level(logging.WARNING):
        test()
    assert [expected in record.getMessage() for record in caplog.records] == [True]
    assert caplog.records[0].exc_info is None


@with_fake_time
async def test_timeout_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    assert await poll_for(3.0, TimedOut(), TimedOut()) == [0.0, 0.5, 1.5, 1.5]
    assert caplog.records == []


@with_fake_time
async def test_pulse_records_each_answer() -> None:
    pulse = Pulse(now())
    async with run_poller(Telegram([NetworkError("Bad Gateway"), []]), ListInbox(), pulse):
        await advance_time(0.4)
        assert (pulse.success_count, pulse.last_success) == (0, START)
        await advance_time(0.1)
        assert (pulse.success_count, pulse.last_success) == (1, START + 0.5)


@with_fake_time
async def test_failures_double_the_pause_up_to_15_seconds() -> None:
    fetch_times = await poll_for(62.0, *[NetworkError("Bad Gateway")] * 9)
    assert fetch_times == [0.0, 0.5, 1.5, 3.5, 7.5, 15.5, 30.5, 45.5, 60.5]


@pytest.mark.parametrize(("seconds", "pause"), [(3, 3.0), (60, 60.0), (61, 60.0), (3600, 60.0)])
@with_fake_time
async def test_retry_after_is_obeyed_up_to_a_minute(seconds: int, pause: float) -> None:
    assert (await poll_for(80.0, RetryAfter(seconds)))[:2] == [0.0, pause]


@with_fake_time
async def test_request_without_answer_fails_after_50_seconds() -> None:
    telegram = Telegram([[UPDATE]], answer_seconds=1000.0)
    async with run_poller(telegram, ListInbox()):
        await advance_time(51.0)
    assert telegram.fetch_times == [0.0, 50.5, 50.5]


@with_fake_time
async def test_stuck_step_ends_polling_after_two_minutes() -> None:
    class Stuck(ListInbox):
        async def accept(self, updates: Sequence[Any]) -> None:
            await asyncio.Event().wait()

    with pytest.raises(PollingError, match="polling stands still"):
        await make_poller(Telegram([[UPDATE]]), Stuck()).run()
    assert now() == START + 120.0


@with_fake_time
async def test_cancelled_poller_leaves_no_fetch_behind() -> None:
    telegram = Telegram()
    async with run_poller(telegram, ListInbox()):
        await advance_time(1.0)
    await advance_time()
    assert telegram.abandoned == 1
    assert asyncio.all_tasks() == {asyncio.current_task()}


# Updates that cannot be stored


@with_fake_time
async def test_full_inbox_is_tried_again_soon() -> None:
    full, inbox = InboxFullError("20000 updates wait"), ListInbox()
    inbox.errors = [full, full, full]
    batches = [[UPDATE]] * 4
    telegram = Telegram(list[Answer](batches))
    async with run_poller(telegram, inbox):
        await advance_time(2.0)
    assert telegram.fetch_times == pytest.approx([0.0, 0.2, 0.4, 0.6, 0.6])
    assert [calls.parameters.get("offset") for calls in telegram.fetches] == [None] * 4 + [8]
    assert inbox.updates == [UPDATE]


@with_fake_time
async def test_full_disk_is_tried_again_after_two_seconds_at_most(caplog: pytest.LogCaptureFixture) -> None:
    inbox = ListInbox(*[FULL_DISK] * 5)
    assert await poll_for(8.0, *[[UPDATE]] * 6, inbox=inbox) == [0.0, 0.5, 1.5, 3.5, 5.5, 7.5, 7.5]
    assert inbox.updates == [UPDATE]
    assert inbox.watermark.received_until == -math.inf
    error = "updates can't be stored, trying again: Exception: database or disk is full"
    assert caplog.messages == [error] * 5


@with_fake_time
async def test_unexpected_error_ends_polling() -> None:
    with pytest.raises(ZeroDivisionError):
        await make_poller(Telegram([[UPDATE]]), ListInbox(ZeroDivisionError())).run()


# Tokens


@pytest.mark.parametrize(("error", "checks"), [(InvalidToken("Unauthorized"), 2), (make_page_error(), 0)])
@with_fake_time
async def test_token_is_checked_when_telegram_refuses_it(error: TelegramError, checks: int) -> None:
    inbox, checked = ListInbox(), list[float]()
    poller = make_poller(Telegram([error, error, [UPDATE]]), inbox)
    poller.check_token = lambda: checked.append(now())
    for _ in range(3):
        await poller.poll_once()
    assert len(checked) == checks
    assert inbox.updates == [UPDATE]


# Other bots


@with_fake_time
async def test_newcomer_retries_soon_after_conflicts_and_ends() -> None:
    telegram = Telegram([TERMINATED] * 9, answer_seconds=0.3)
    with pytest.raises(TokenLostError, match="another bot already polls with this token"):
        await make_poller(telegram, ListInbox()).run()
    assert telegram.fetch_times == pytest.approx([0.0, 0.9, 1.8])


@with_fake_time
async def test_conflict_at_once_is_retried_later() -> None:
    fetch_times = await poll_for(20.0, *[TERMINATED] * 5, [UPDATE])
    assert fetch_times[:6] == [0.0, 0.5, 1.5, 3.5, 7.5, 15.5]


@with_fake_time
async def test_webhook_of_another_bot_ends_polling() -> None:
    telegram = Telegram([[UPDATE], WEBHOOK], {"getWebhookInfo": {"url": "https://elsewhere.example"}})
    with pytest.raises(TokenLostError, match="a webhook was set"):
        await make_poller(telegram, ListInbox()).run()


@pytest.mark.parametrize("answer", [{"url": ""}, {}, NetworkError("Bad Gateway"), "nonsense"])
@with_fake_time
async def test_conflict_without_webhook_does_not_end_polling(answer: Answer) -> None:
    inbox = ListInbox()
    telegram = Telegram([*[WEBHOOK] * 4, [UPDATE]], {"getWebhookInfo": answer})
    async with run_poller(telegram, inbox):
        await advance_time(20.0)
    assert inbox.updates == [UPDATE]


@with_fake_time
async def test_webhook_is_looked_up_only_if_the_conflict_names_it() -> None:
    telegram = Telegram([TERMINATED])
    async with run_poller(telegram, ListInbox()):
        await advance_time(1.0)
    assert {calls.method for calls in telegram.calls} == {"getUpdates"}
