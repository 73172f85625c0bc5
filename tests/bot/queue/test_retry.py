"""How often an update is tried, after which pauses, and what is said of it meanwhile."""

import asyncio
import logging
from collections.abc import Iterable
from dataclasses import replace

import pytest

from bot.database import Tx
from bot.database.schema import inbox
from bot.queue.leases import LaneLostError, Leases
from bot.queue.queries import QueuedUpdate
from bot.queue.retry import RetryingHandler
from tests.bot.queue.rows import FULL_DISK, Rows
from tests.counted import Counted
from tests.jumping import START, jumping, now, passed

ONE = QueuedUpdate(7, -5, "{}")


class Sorry:
    """Notes what users would be told."""

    def __init__(self, trouble: Exception | None = None) -> None:
        self.given_up: list[int] = []
        self.delayed: list[list[int]] = []
        self.trouble = trouble
        self.relieved = 0

    async def report_failure(self, incoming: QueuedUpdate) -> None:
        if self.trouble:
            raise self.trouble
        self.given_up.append(incoming.update_id)

    def report_delay(self, updates: Iterable[QueuedUpdate]) -> None:
        self.delayed.append([incoming.update_id for incoming in updates])

    def end_outage(self) -> None:
        self.relieved += 1


class Work:
    """A handler that fails with each of these first; notes when it was called."""

    def __init__(self, *troubles: Exception) -> None:
        self.troubles = list(troubles)
        self.times: list[float] = []

    async def __call__(self, incoming: QueuedUpdate) -> None:
        self.times.append(round(now() - START, 6))
        if self.troubles:
            raise self.troubles.pop(0)


def stored() -> Rows:
    rows = Rows()
    rows.add(inbox, update_id=7, lane=-5, body="{}", state="waiting", at=1.0)
    return rows


def attempts(rows: Rows, work: Work, sorry: Sorry) -> RetryingHandler:
    return RetryingHandler(rows.store, work, sorry, lambda: 99.0)


class Shared(Leases):
    """One of several bots, which has tokens these lanes under these tokens."""

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


def said(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What was logged, without the lines where the errors arose."""
    return [message.partition(" (")[0] for message in caplog.messages]


@jumping
async def test_what_succeeds_is_done_once() -> None:
    rows, work, sorry = stored(), Work(), Sorry()
    done = Counted("updates_handled_total", kind="other", outcome="done")
    waited = Counted("update_waiting_seconds_sum")
    await attempts(rows, work, sorry).handle(replace(ONE, accepted_at=96.5))
    assert (done.since, waited.since) == (1, 2.5)
    assert work.times == [0.0]
    assert (rows.writes, sorry.delayed, sorry.given_up) == (0, [], [])


@pytest.mark.parametrize(
    ("tokens", "times"),
    [({5: 3}, [0.0]), ({5: 4}, []), ({5: 2}, []), ({6: 3}, []), ({6: 0}, []), ({}, [])],
    ids=str,
)
@jumping
async def test_it_is_served_under_the_claim_under_which_it_was_queued_alone(
    tokens: dict[int, int], times: list[float]
) -> None:
    rows, work = stored(), Work()
    serving = RetryingHandler(rows.store, work, Sorry(), lambda: 99.0, Shared(tokens))
    await serving.handle(replace(ONE, lane=5, lease_token=3))
    assert work.times == times


@jumping
async def test_what_fails_is_tried_again_a_little_later() -> None:
    rows, work, sorry = stored(), Work(ValueError("one"), ValueError("two\x00\ud800")), Sorry()
    await attempts(rows, work, sorry).handle(ONE)
    assert work.times == [0.0, 0.2, 0.6]
    assert rows.updates() == [(7, "waiting", 2, "ValueError: two?")]
    assert sorry.given_up == []


@jumping
@pytest.mark.parametrize("error", [ValueError("no"), TimeoutError(), OSError(75, "Value too large")])
async def test_what_fails_three_times_is_given_up(error: Exception) -> None:
    rows, work, sorry = stored(), Work(*[error] * 9), Sorry()
    dead = Counted("updates_handled_total", kind="answer", outcome="dead")
    await attempts(rows, work, sorry).handle(replace(ONE, kind="answer"))
    assert work.times == [0.0, 0.2, 0.6]
    assert sorry.given_up == [7]
    assert dead.since == 1


@jumping
async def test_what_waited_for_something_cancelled_failed_and_is_tried_again() -> None:
    rows, sorry = stored(), Sorry()
    work = Work(asyncio.CancelledError(), asyncio.CancelledError())  # type: ignore[arg-type]
    await attempts(rows, work, sorry).handle(ONE)
    assert work.times == [0.0, 0.2, 0.6]
    assert rows.updates() == [(7, "waiting", 2, "what it waited for was cancelled")]


@jumping
async def test_who_is_told_to_stop_stops() -> None:
    rows, sorry, began = stored(), Sorry(), asyncio.Event()

    async def long(incoming: QueuedUpdate) -> None:
        began.set()
        await asyncio.sleep(1000)

    serving = asyncio.create_task(RetryingHandler(rows.store, long, sorry, lambda: 99.0).handle(ONE))
    await began.wait()
    serving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await serving
    assert rows.writes == 0


@jumping
async def test_failures_of_a_former_run_count() -> None:
    rows, work, sorry = stored(), Work(*[ValueError("no")] * 9), Sorry()
    rows.look(lambda tx: tx.execute(inbox.update().values(tries=2)))
    await attempts(rows, work, sorry).handle(QueuedUpdate(7, -5, "{}", attempts=2))
    assert work.times == [0.0]
    assert sorry.given_up == [7]


@jumping
async def test_who_cant_be_told_is_dead_lettered_all_the_same(caplog: pytest.LogCaptureFixture) -> None:
    rows, work, sorry = stored(), Work(*[ValueError("no")] * 9), Sorry(KeyError("shape"))
    await attempts(rows, work, sorry).handle(ONE)
    assert [row[:3] for row in rows.updates()] == [(7, "dead", 3)]
    assert rows.look(lambda tx: tx.scalar(inbox.select().with_only_columns(inbox.c.at))) == 99.0
    assert said(caplog) == ["update 7 failed: ValueError"] * 3 + ["nobody was told of update 7"]


@jumping
async def test_a_full_disk_is_waited_for_and_counts_as_no_failure() -> None:
    rows, work, sorry = stored(), Work(*[FULL_DISK] * 20), Sorry()
    await attempts(rows, work, sorry).handle(ONE)
    assert work.times == [round(0.5 * n, 6) for n in range(21)]
    assert rows.updates() == [(7, "waiting", 0, None)]
    assert (sorry.delayed, sorry.relieved) == ([[7]] * 20, 1)
    assert sorry.given_up == []


@jumping
async def test_after_a_full_disk_pauses_stay_those_of_the_disk() -> None:
    work = Work(FULL_DISK, ValueError("no"))
    await attempts(stored(), work, Sorry()).handle(ONE)
    assert work.times == [0.0, 0.5, 1.0]


@jumping
async def test_nothing_is_tried_while_closing() -> None:
    work, sorry = Work(ValueError("no")), Sorry()
    this = attempts(stored(), work, sorry)
    this.closing = True
    await this.handle(ONE)
    assert work.times == []


@jumping
async def test_what_goes_wrong_with_counting_leaves_it_to_the_next_start(
    caplog: pytest.LogCaptureFixture,
) -> None:
    rows, work = stored(), Work(ValueError("no"))
    rows.troubles = [ZeroDivisionError()]
    with caplog.at_level(logging.ERROR):
        this = attempts(rows, work, Sorry())
        await this.handle(ONE)
    await passed()
    assert this.postponed == {7}
    assert work.times == [0.0]
    assert said(caplog) == [
        "update 7 failed: ValueError",
        "update 7 is left for the next start: ZeroDivisionError",
    ]


@jumping
async def test_of_several_bots_the_next_look_takes_it_up_again() -> None:
    rows, work = stored(), Work(ValueError("no"))
    rows.troubles = [ZeroDivisionError()]
    this = RetryingHandler(rows.store, work, Sorry(), lambda: 99.0, Shared({5: 3}))
    await this.handle(replace(ONE, lane=5, lease_token=3))
    assert this.postponed == set()


@jumping
async def test_who_lost_the_chat_in_a_pause_counts_no_failure_of_what_another_handles() -> None:
    rows, work, sorry, leases = stored(), Work(*[ValueError("no")] * 9), Sorry(), Shared({-5: 3})
    left = Counted("updates_handled_total", kind="other", outcome="left")
    serving = asyncio.create_task(
        RetryingHandler(rows.store, work, sorry, lambda: 99.0, leases).handle(replace(ONE, lease_token=3))
    )
    await passed(0.5)
    leases.tokens[-5] = 4
    await serving
    assert work.times == [0.0, 0.2, 0.6]
    assert rows.updates() == [(7, "waiting", 2, "ValueError: no")]
    assert (sorry.given_up, left.since) == ([], 1)


@jumping
@pytest.mark.parametrize("trouble", [LaneLostError(), KeyError("shape")])
async def test_who_lost_the_chat_before_it_gave_up_gives_nothing_up(
    trouble: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    rows, leases = stored(), Shared({-5: 3})

    class LostMeanwhile(Sorry):
        async def report_failure(self, incoming: QueuedUpdate) -> None:
            leases.tokens.clear()
            await super().report_failure(incoming)

    work, sorry = Work(*[ValueError("no")] * 9), LostMeanwhile(trouble)
    await RetryingHandler(rows.store, work, sorry, lambda: 99.0, leases).handle(replace(ONE, lease_token=3))
    assert [row[:3] for row in rows.updates()] == [(7, "waiting", 3)]
    assert ("nobody was told of update 7" in said(caplog)) is isinstance(trouble, KeyError)
