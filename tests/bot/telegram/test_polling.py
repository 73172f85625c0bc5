"""How updates are fetched, what may come back for it, and how long the poller waits after that."""

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

from bot.pulse import Pulse
from bot.queue.inbox import Inbox, InboxFullError
from bot.queue.watermark import Watermark
from bot.telegram import polling
from bot.telegram.polling import ConflictDecision, Poller, PollingError, TokenLostError, poll_updates
from tests.fake_time import START, advance_time, now, with_fake_time

Answer = object
UPDATE = {"update_id": 7}
FULL_DISK = OperationalError("INSERT", {}, Exception("database or disk is full"))
TERMINATED = Conflict("Conflict: terminated by other getUpdates request")
WEBHOOK = Conflict("Conflict: can't use getUpdates method while webhook is active")


def page() -> TelegramError:
    """A 404 that some other server answers in Telegram's place."""
    error = InvalidToken("Not Found (404). Parsing the server response b'<html>canary' failed")
    error.__cause__ = TelegramError("Invalid server response")
    return error


@dataclass(frozen=True)
class Asked:
    """A request as it was sent."""

    at: float  # Seconds since the start
    method: str
    parameters: dict[str, Any]
    read_timeout: float | None


@dataclass
class Telegram:
    """Answers `getUpdates` by the list, then holds it as long as asked; whatever else is asked, by name."""

    answers: list[Answer] = field(default_factory=list)
    others: dict[str, Answer] = field(default_factory=dict)
    takes: float = 0.0  # Seconds until an answer of the list comes
    asked: list[Asked] = field(default_factory=list)
    abandoned: int = 0

    async def __call__(
        self, method: str, parameters: dict[str, Any], *, read_timeout: float | None = None
    ) -> Any:
        self.asked.append(Asked(now() - START, method, parameters, read_timeout))
        if method != "getUpdates":
            return _given(self.others[method])
        answer = self.answers.pop(0) if self.answers else None
        try:
            await asyncio.sleep(parameters["timeout"] if answer is None else self.takes)
        except asyncio.CancelledError:
            self.abandoned += 1
            raise
        return _given([] if answer is None else answer)

    @property
    def fetches(self) -> list[Asked]:
        return [asked for asked in self.asked if asked.method == "getUpdates"]

    @property
    def times(self) -> list[float]:
        """When updates were asked for, in seconds since the start."""
        return [asked.at for asked in self.fetches]

    @property
    def holds(self) -> list[int]:
        return [asked.parameters["timeout"] for asked in self.fetches]


def _given(answer: Answer) -> Answer:
    if isinstance(answer, Exception):
        raise answer
    return answer


class Kept:
    """An inbox that keeps a list, or answers `troubles` first."""

    def __init__(self, *troubles: Exception) -> None:
        self.updates: list[Any] = []
        self.troubles = list(troubles)
        self.watermark = Watermark()

    def now(self) -> float:
        return now() - START

    async def accept(self, updates: Sequence[Any]) -> None:
        if self.troubles:
            raise self.troubles.pop(0)
        self.updates += updates


def poller(telegram: Telegram, inbox: Kept, pulse: Pulse | None = None) -> Poller:
    kept = cast(Inbox, inbox)
    return Poller(telegram, kept, ("message",), pulse or Pulse(now()), now, lambda least, most: most)


@asynccontextmanager
async def running(
    telegram: Telegram, inbox: Kept, pulse: Pulse | None = None
) -> AsyncIterator["asyncio.Task[None]"]:
    task = asyncio.create_task(poller(telegram, inbox, pulse).run())
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def updates(first: int, count: int) -> list[dict[str, int]]:
    return [{"update_id": number} for number in range(first, first + count)]


async def asked_at(
    seconds: float, *answers: Answer, inbox: Kept | None = None, **others: Answer
) -> list[float]:
    """When updates were asked for within so many seconds, if these are the answers."""
    telegram = Telegram(list(answers))
    async with running(telegram, inbox or Kept()):
        await advance_time(seconds)
    return telegram.times


# What is asked


@with_fake_time
async def test_get_updates_parameters() -> None:
    telegram = Telegram()
    async with running(telegram, Kept()):
        await advance_time(1.0)
    assert telegram.asked == [
        Asked(0.0, "getUpdates", {"timeout": 25, "limit": 100, "allowed_updates": ["message"]}, 35)
    ]


@with_fake_time
async def test_offset_follows_the_largest_stored_id() -> None:
    given = [[{"update_id": 7}, {"update_id": 9}, {"update_id": 8}], updates(10, 1)]
    telegram = Telegram(list(given))
    async with running(telegram, Kept()):
        await advance_time(1.0)
    assert [asked.parameters.get("offset") for asked in telegram.fetches] == [None, 10, 11]
    assert telegram.times == [0.0, 0.0, 0.0]


@with_fake_time
async def test_offset_stays_without_new_updates() -> None:
    telegram = Telegram([updates(7, 1), []])
    async with running(telegram, Kept()):
        await advance_time(1.0)
    assert [asked.parameters.get("offset") for asked in telegram.fetches] == [None, 8, 8]


@with_fake_time
async def test_pause_grows_while_the_offset_stays() -> None:
    odd = [["garbage"], [{"update_id": -1}], [{"update_id": True}], [{"update_id": 2**63}], [{}]]
    assert await asked_at(20.0, *odd) == [0.0, 0.5, 1.5, 3.5, 7.5, 15.5]


@with_fake_time
async def test_pause_is_reset_after_a_stored_batch() -> None:
    lost = NetworkError("Bad Gateway")
    assert await asked_at(9.0, lost, lost, updates(1, 1), lost) == [0.0, 0.5, 1.5, 1.5, 2.0, 2.0]


# How long a request is held


@with_fake_time
async def test_hold_time_is_at_most_25_seconds() -> None:
    assert await asked_at(60.0) == [0.0, 25.0, 50.0]


@pytest.mark.parametrize(
    ("expected", "hold"), [(math.inf, 25), (3.2, 4), (0.0, 0), (24.5, 25), (1000.0, 25), (-5.0, 0)]
)
@with_fake_time
async def test_hold_time_ends_at_the_next_deadline(expected: float, hold: int) -> None:
    telegram, inbox = Telegram(), Kept()
    inbox.watermark.next_deadline = expected
    task = asyncio.create_task(poller(telegram, inbox).poll_once())
    await advance_time()
    task.cancel()
    assert telegram.holds == [hold]


@with_fake_time
async def test_hold_time_counts_from_now() -> None:
    telegram, inbox = Telegram([[]], takes=3.0), Kept()
    inbox.watermark.next_deadline = 10.0
    async with running(telegram, inbox):
        await advance_time(4.0)
    assert telegram.holds == [10, 7]


@with_fake_time
async def test_covered_deadline_does_not_shorten_the_hold() -> None:
    telegram, inbox = Telegram(), Kept()
    inbox.watermark.mark_received(0.0)
    inbox.watermark.next_deadline = -1.0
    async with running(telegram, inbox):
        await advance_time(1.0)
    assert telegram.holds == [25]


@with_fake_time
async def test_deadline_at_the_watermark_does_not_shorten_the_hold() -> None:
    telegram, inbox = Telegram(), Kept()
    inbox.watermark.mark_received(-1.0)
    inbox.watermark.next_deadline = -1.0
    async with running(telegram, inbox):
        await advance_time(1.0)
    assert telegram.holds == [25]


@with_fake_time
async def test_long_poll_is_abandoned_when_the_watermark_is_requested() -> None:
    telegram, inbox = Telegram(), Kept()
    async with running(telegram, inbox):
        await advance_time(10.0)
        inbox.watermark.request(10.0)
        await advance_time()
        assert telegram.abandoned == 1
        assert telegram.times[:2] == [0.0, 10.0]
        assert telegram.holds[:2] == [25, 0]
        assert not inbox.watermark.is_awaited


@with_fake_time
async def test_immediate_fetch_is_not_abandoned() -> None:
    """Else a slow network would never let one come back while deadlines pass every second."""
    telegram, inbox = Telegram([[]], takes=5.0), Kept()
    inbox.watermark.request(0.0)
    async with running(telegram, inbox):
        await advance_time(1.0)
        inbox.watermark.request(1.0)
        await advance_time(1.0)
        assert telegram.abandoned == 0
        assert telegram.times == [0.0]


@with_fake_time
async def test_no_hold_time_after_a_failure() -> None:
    telegram = Telegram([NetworkError("Bad Gateway"), []])
    async with running(telegram, Kept()):
        await advance_time(1.0)
    assert telegram.holds == [25, 0, 25]


# What it tells of arrivals


@with_fake_time
async def test_empty_batch_advances_the_watermark_to_its_request() -> None:
    inbox = Kept()
    async with running(Telegram([[]], takes=3.0), inbox):
        await advance_time(4.0)
    assert inbox.watermark.received_until == 0.0


@pytest.mark.parametrize("count", [1, 3, 100])
@with_fake_time
async def test_small_batch_does_not_advance_the_watermark(count: int) -> None:
    inbox = Kept()
    async with running(Telegram([updates(1, count)]), inbox):
        await advance_time(1.0)
    assert len(inbox.updates) == count
    assert inbox.watermark.received_until == -math.inf


@pytest.mark.parametrize(("dates", "through"), [([-20], -20.0), ([-20, -10], -10.0), ([10**10], -math.inf)])
@with_fake_time
async def test_update_date_advances_the_watermark(dates: list[int], through: float) -> None:
    """Else a bot that is never without updates would never know. More of its own second may follow."""
    said = [{"update_id": n, "message": {"date": date}} for n, date in enumerate(dates)]
    inbox = Kept()
    async with running(Telegram([[*said, {"update_id": 9, "callback_query": {}}]]), inbox):
        await advance_time(1.0)
    assert inbox.watermark.received_until == through


# What may come back


@pytest.mark.parametrize(
    ("trouble", "said"),
    [
        (page(), "Not Found (404), in an answer that is no JSON"),
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
    trouble: Answer, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    @with_fake_time
    async def test() -> None:
        inbox, pulse = Kept(), Pulse(0.0)
        others: dict[str, Answer] = {"getWebhookInfo": {"url": ""}, "getMe": {}}
        async with running(Telegram([trouble, [UPDATE]], others), inbox, pulse):
            await advance_time(20.0)
        assert inbox.updates == [UPDATE]
        assert pulse.success_count == 1

    with caplog.at_level(logging.WARNING):
        test()
    assert [said in record.getMessage() for record in caplog.records] == [True]
    assert caplog.records[0].exc_info is None


@with_fake_time
async def test_timeout_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    assert await asked_at(3.0, TimedOut(), TimedOut()) == [0.0, 0.5, 1.5, 1.5]
    assert caplog.records == []


@with_fake_time
async def test_pulse_records_each_answer() -> None:
    pulse = Pulse(now())
    async with running(Telegram([NetworkError("Bad Gateway"), []]), Kept(), pulse):
        await advance_time(0.4)
        assert (pulse.success_count, pulse.last_success) == (0, START)
        await advance_time(0.1)
        assert (pulse.success_count, pulse.last_success) == (1, START + 0.5)


@with_fake_time
async def test_failures_double_the_pause_up_to_15_seconds() -> None:
    times = await asked_at(62.0, *[NetworkError("Bad Gateway")] * 9)
    assert times == [0.0, 0.5, 1.5, 3.5, 7.5, 15.5, 30.5, 45.5, 60.5]


@pytest.mark.parametrize(("seconds", "pause"), [(3, 3.0), (60, 60.0), (61, 60.0), (3600, 60.0)])
@with_fake_time
async def test_retry_after_is_obeyed_up_to_a_minute(seconds: int, pause: float) -> None:
    assert (await asked_at(80.0, RetryAfter(seconds)))[:2] == [0.0, pause]


@with_fake_time
async def test_request_without_answer_fails_after_50_seconds() -> None:
    telegram = Telegram([[UPDATE]], takes=1000.0)
    async with running(telegram, Kept()):
        await advance_time(51.0)
    assert telegram.times == [0.0, 50.5, 50.5]


@with_fake_time
async def test_stuck_step_ends_polling_after_two_minutes() -> None:
    class Stuck(Kept):
        async def accept(self, updates: Sequence[Any]) -> None:
            await asyncio.Event().wait()

    with pytest.raises(PollingError, match="polling stands still"):
        await poller(Telegram([[UPDATE]]), Stuck()).run()
    assert now() == START + 120.0


@with_fake_time
async def test_cancelled_poller_leaves_no_fetch_behind() -> None:
    telegram = Telegram()
    async with running(telegram, Kept()):
        await advance_time(1.0)
    await advance_time()
    assert telegram.abandoned == 1
    assert asyncio.all_tasks() == {asyncio.current_task()}


@with_fake_time
async def test_poll_updates_passes_the_bot_to_call_api(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    async def ask(bot: object, method: str, parameters: object, **_: object) -> list[Any]:
        asked.append((bot, method))
        await asyncio.sleep(25)
        return []

    monkeypatch.setattr(polling, "call_api", ask)
    task = asyncio.create_task(poll_updates("the bot", Kept(), ()))  # type: ignore[arg-type]
    await advance_time(30.0)
    task.cancel()
    assert asked == [("the bot", "getUpdates")] * 2


# What can't be stored


@with_fake_time
async def test_full_inbox_is_tried_again_soon() -> None:
    full, inbox = InboxFullError("20000 updates wait"), Kept()
    inbox.troubles = [full, full, full]
    batches = [[UPDATE]] * 4
    telegram = Telegram(list[Answer](batches))
    async with running(telegram, inbox):
        await advance_time(2.0)
    assert telegram.times == pytest.approx([0.0, 0.2, 0.4, 0.6, 0.6])
    assert [asked.parameters.get("offset") for asked in telegram.fetches] == [None] * 4 + [8]
    assert inbox.updates == [UPDATE]


@with_fake_time
async def test_full_disk_is_tried_again_after_two_seconds_at_most(caplog: pytest.LogCaptureFixture) -> None:
    inbox = Kept(*[FULL_DISK] * 5)
    assert await asked_at(8.0, *[[UPDATE]] * 6, inbox=inbox) == [0.0, 0.5, 1.5, 3.5, 5.5, 7.5, 7.5]
    assert inbox.updates == [UPDATE]
    assert inbox.watermark.received_until == -math.inf
    trouble = "updates can't be stored, trying again: Exception: database or disk is full"
    assert caplog.messages == [trouble] * 5


@with_fake_time
async def test_unexpected_error_ends_polling() -> None:
    with pytest.raises(ZeroDivisionError):
        await poller(Telegram([[UPDATE]]), Kept(ZeroDivisionError())).run()


# Tokens


@pytest.mark.parametrize(("trouble", "checks"), [(InvalidToken("Unauthorized"), 2), (page(), 0)])
@with_fake_time
async def test_token_is_checked_when_telegram_refuses_it(trouble: TelegramError, checks: int) -> None:
    inbox, checked = Kept(), list[float]()
    this = poller(Telegram([trouble, trouble, [UPDATE]]), inbox)
    this.check_token = lambda: checked.append(now())
    for _ in range(3):
        await this.poll_once()
    assert len(checked) == checks
    assert inbox.updates == [UPDATE]


# Other bots


@with_fake_time
async def test_newcomer_retries_soon_after_conflicts_and_ends() -> None:
    telegram = Telegram([TERMINATED] * 9, takes=0.3)
    with pytest.raises(TokenLostError, match="another bot already polls with this token"):
        await poller(telegram, Kept()).run()
    assert telegram.times == pytest.approx([0.0, 0.9, 1.8])


@with_fake_time
async def test_conflict_at_once_is_retried_later() -> None:
    times = await asked_at(20.0, *[TERMINATED] * 5, [UPDATE])
    assert times[:6] == [0.0, 0.5, 1.5, 3.5, 7.5, 15.5]


@with_fake_time
async def test_pause_after_a_conflict_is_within_bounds() -> None:
    between: list[tuple[float, float]] = []
    telegram, inbox = Telegram([TERMINATED], takes=0.3), Kept()

    def uniform(least: float, most: float) -> float:
        between.append((least, most))
        return least

    this = Poller(telegram, cast(Inbox, inbox), (), Pulse(now()), now, uniform)
    assert await this.poll_once() == 0.3
    assert between == [(0.3, 0.6)]


@with_fake_time
async def test_contest_records_answers_and_failures() -> None:
    telegram, inbox = Telegram([[], NetworkError("Bad Gateway")], takes=2.0), Kept()
    this = poller(telegram, inbox)
    await this.poll_once()
    assert (this.contest.got_through, this.contest.last_answer_at) == (True, START + 2.0)
    await this.poll_once()
    assert this.contest.asked_at == -1.0
    assert this.contest.handle_conflict(now()) is ConflictDecision.RETRY_LATER


@with_fake_time
async def test_webhook_of_another_bot_ends_polling() -> None:
    telegram = Telegram([[UPDATE], WEBHOOK], {"getWebhookInfo": {"url": "https://elsewhere.example"}})
    with pytest.raises(TokenLostError, match="a webhook was set"):
        await poller(telegram, Kept()).run()


@pytest.mark.parametrize("answer", [{"url": ""}, {}, NetworkError("Bad Gateway"), "nonsense"])
@with_fake_time
async def test_conflict_without_webhook_does_not_end_polling(answer: Answer) -> None:
    inbox = Kept()
    telegram = Telegram([*[WEBHOOK] * 4, [UPDATE]], {"getWebhookInfo": answer})
    async with running(telegram, inbox):
        await advance_time(20.0)
    assert inbox.updates == [UPDATE]


@with_fake_time
async def test_webhook_is_looked_up_only_if_the_conflict_names_it() -> None:
    telegram = Telegram([TERMINATED])
    async with running(telegram, Kept()):
        await advance_time(1.0)
    assert {asked.method for asked in telegram.asked} == {"getUpdates"}
