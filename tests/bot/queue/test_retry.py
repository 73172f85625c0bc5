"""Failed updates are repeated after pauses, and given up after three failures."""

import asyncio
import logging
from collections.abc import Iterable
from dataclasses import replace

import pytest

from bot.database import Tx
from bot.database.schema import inbox
from bot.queue.inbox import RetryingHandler
from bot.queue.queries import LaneLostError, Leases, QueuedUpdate
from tests.bot.queue.queue_database import FULL_DISK, QueueDatabase
from tests.fake_time import START, advance_time, now, with_fake_time
from tests.metric_counter import MetricCounter

UPDATE = QueuedUpdate(7, -5, "{}")


class Replies:
    """Error replies that are recorded."""

    def __init__(self, error: Exception | None = None) -> None:
        self.failed: list[int] = []
        self.delayed: list[list[int]] = []
        self.error = error
        self.outage_began: float | None = None

    async def report_failure(self, incoming: QueuedUpdate) -> None:
        if self.error:
            raise self.error
        self.failed.append(incoming.update_id)

    def report_delay(self, updates: Iterable[QueuedUpdate]) -> None:
        self.outage_began = 1.0
        self.delayed.append([incoming.update_id for incoming in updates])


class Handler:
    """A handler that raises the given errors, one each, and records the times of its calls."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.times: list[float] = []

    async def __call__(self, incoming: QueuedUpdate) -> None:
        self.times.append(round(now() - START, 6))
        if self.errors:
            raise self.errors.pop(0)


def make_database() -> QueueDatabase:
    database = QueueDatabase()
    database.insert(inbox, update_id=7, lane=-5, body="{}", state="waiting", at=1.0)
    return database


def make_retrying(database: QueueDatabase, handler: Handler, replies: Replies) -> RetryingHandler:
    return RetryingHandler(database.store, handler, replies, lambda: 99.0)


class TokenLeases(Leases):
    """Leases of several bots, with the tokens of this bot by lane."""

    shared = True

    def __init__(self, tokens: dict[int, int]) -> None:
        self.tokens = tokens

    def owns(self, lane: int) -> bool:
        return lane in self.tokens

    def get_token(self, lane: int) -> int:
        return self.tokens.get(lane, 0)

    def check_token(self, tx: Tx, lane: int, token: int) -> None:
        if self.tokens.get(lane) != token:
            raise LaneLostError


def read_log(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return the log messages without the lines of code where errors arose."""
    return [message.partition(" (")[0] for message in caplog.messages]


@with_fake_time
async def test_successful_update_is_handled_once() -> None:
    database, handler, replies = make_database(), Handler(), Replies()
    done = MetricCounter("updates_handled_total", kind="other", outcome="done")
    waiting = MetricCounter("update_waiting_seconds_sum")
    await make_retrying(database, handler, replies).handle(replace(UPDATE, accepted_at=96.5))
    assert (done.increase, waiting.increase) == (1, 2.5)
    assert handler.times == [0.0]
    assert (database.write_count, replies.delayed, replies.failed) == (0, [], [])


@pytest.mark.parametrize(
    ("tokens", "times"),
    [({5: 3}, [0.0]), ({5: 4}, []), ({5: 2}, []), ({6: 3}, []), ({6: 0}, []), ({}, [])],
    ids=str,
)
@with_fake_time
async def test_update_is_handled_only_under_the_lease_of_its_queuing(
    tokens: dict[int, int], times: list[float]
) -> None:
    database, handler = make_database(), Handler()
    handling = RetryingHandler(database.store, handler, Replies(), lambda: 99.0, TokenLeases(tokens))
    await handling.handle(replace(UPDATE, lane=5, lease_token=3))
    assert handler.times == times


@with_fake_time
async def test_failed_update_is_repeated_after_pauses() -> None:
    database, handler, replies = (
        make_database(),
        Handler(ValueError("one"), ValueError("two\x00\ud800")),
        Replies(),
    )
    await make_retrying(database, handler, replies).handle(UPDATE)
    assert handler.times == [0.0, 0.2, 0.6]
    assert database.list_updates() == [(7, "waiting", 2, "ValueError: two?")]
    assert replies.failed == []


@with_fake_time
@pytest.mark.parametrize("error", [ValueError("no"), TimeoutError(), OSError(75, "Value too large")])
async def test_update_is_given_up_after_three_failures(error: Exception) -> None:
    database, handler, replies = make_database(), Handler(*[error] * 9), Replies()
    dead = MetricCounter("updates_handled_total", kind="answer", outcome="dead")
    await make_retrying(database, handler, replies).handle(replace(UPDATE, kind="answer"))
    assert handler.times == [0.0, 0.2, 0.6]
    assert replies.failed == [7]
    assert dead.increase == 1


@with_fake_time
async def test_update_with_a_cancelled_wait_is_repeated() -> None:
    database, replies = make_database(), Replies()
    handler = Handler(asyncio.CancelledError(), asyncio.CancelledError())  # type: ignore[arg-type]
    await make_retrying(database, handler, replies).handle(UPDATE)
    assert handler.times == [0.0, 0.2, 0.6]
    assert database.list_updates() == [(7, "waiting", 2, "what it waited for was cancelled")]


@with_fake_time
async def test_cancelled_handling_stops() -> None:
    database, replies, began = make_database(), Replies(), asyncio.Event()

    async def handle_slowly(incoming: QueuedUpdate) -> None:
        began.set()
        await asyncio.sleep(1000)

    handling = asyncio.create_task(
        RetryingHandler(database.store, handle_slowly, replies, lambda: 99.0).handle(UPDATE)
    )
    await began.wait()
    handling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await handling
    assert database.write_count == 0


@with_fake_time
async def test_failures_before_a_restart_count() -> None:
    database, handler, replies = make_database(), Handler(*[ValueError("no")] * 9), Replies()
    database.run(lambda tx: tx.execute(inbox.update().values(tries=2)))
    await make_retrying(database, handler, replies).handle(QueuedUpdate(7, -5, "{}", attempts=2))
    assert handler.times == [0.0]
    assert replies.failed == [7]


@with_fake_time
async def test_update_is_dead_lettered_also_without_reply(caplog: pytest.LogCaptureFixture) -> None:
    database, handler, replies = make_database(), Handler(*[ValueError("no")] * 9), Replies(KeyError("shape"))
    await make_retrying(database, handler, replies).handle(UPDATE)
    assert [row[:3] for row in database.list_updates()] == [(7, "dead", 3)]
    assert database.run(lambda tx: tx.scalar(inbox.select().with_only_columns(inbox.c.at))) == 99.0
    assert read_log(caplog) == ["update 7 failed: ValueError"] * 3 + ["nobody was told of update 7"]


@with_fake_time
async def test_full_disk_is_waited_out_and_counts_as_no_failure() -> None:
    database, handler, replies = make_database(), Handler(*[FULL_DISK] * 20), Replies()
    await make_retrying(database, handler, replies).handle(UPDATE)
    assert handler.times == [round(0.5 * n, 6) for n in range(21)]
    assert database.list_updates() == [(7, "waiting", 0, None)]
    assert (replies.delayed, replies.outage_began) == ([[7]] * 20, None)
    assert replies.failed == []


@with_fake_time
async def test_update_is_postponed_when_counting_fails(
    caplog: pytest.LogCaptureFixture,
) -> None:
    database, handler = make_database(), Handler(ValueError("no"))
    database.errors = [ZeroDivisionError()]
    with caplog.at_level(logging.ERROR):
        retrying = make_retrying(database, handler, Replies())
        await retrying.handle(UPDATE)
    await advance_time()
    assert retrying.postponed == {7}
    assert handler.times == [0.0]
    assert read_log(caplog) == [
        "update 7 failed: ValueError",
        "update 7 is left for the next start: ZeroDivisionError",
    ]


@with_fake_time
async def test_nothing_is_postponed_with_several_bots() -> None:
    database, handler = make_database(), Handler(ValueError("no"))
    database.errors = [ZeroDivisionError()]
    retrying = RetryingHandler(database.store, handler, Replies(), lambda: 99.0, TokenLeases({5: 3}))
    await retrying.handle(replace(UPDATE, lane=5, lease_token=3))
    assert retrying.postponed == set()


@with_fake_time
async def test_no_failure_is_counted_after_the_lease_is_lost() -> None:
    database, handler, replies, leases = (
        make_database(),
        Handler(*[ValueError("no")] * 9),
        Replies(),
        TokenLeases({-5: 3}),
    )
    left = MetricCounter("updates_handled_total", kind="other", outcome="left")
    handling = asyncio.create_task(
        RetryingHandler(database.store, handler, replies, lambda: 99.0, leases).handle(
            replace(UPDATE, lease_token=3)
        )
    )
    await advance_time(0.5)
    leases.tokens[-5] = 4
    await handling
    assert handler.times == [0.0, 0.2, 0.6]
    assert database.list_updates() == [(7, "waiting", 2, "ValueError: no")]
    assert (replies.failed, left.increase) == ([], 1)


@with_fake_time
@pytest.mark.parametrize("error", [LaneLostError(), KeyError("shape")])
async def test_update_is_not_given_up_after_the_lease_is_lost(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    database, leases = make_database(), TokenLeases({-5: 3})

    class LostMeanwhile(Replies):
        async def report_failure(self, incoming: QueuedUpdate) -> None:
            leases.tokens.clear()
            await super().report_failure(incoming)

    handler, replies = Handler(*[ValueError("no")] * 9), LostMeanwhile(error)
    await RetryingHandler(database.store, handler, replies, lambda: 99.0, leases).handle(
        replace(UPDATE, lease_token=3)
    )
    assert [row[:3] for row in database.list_updates()] == [(7, "waiting", 3)]
    assert ("nobody was told of update 7" in read_log(caplog)) is isinstance(error, KeyError)
