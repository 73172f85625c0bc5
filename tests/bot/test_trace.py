"""What follows an update, and what does not."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from bot import trace


def fail() -> None:
    raise ZeroDivisionError(trace.present())


def test_nothing_is_followed_at_first_and_afterwards() -> None:
    assert trace.present() == ""
    with pytest.raises(ZeroDivisionError, match="u1"), trace.following("u1", "update"):
        fail()
    assert trace.present() == ""


def test_what_is_done_within_something_else_is_told_from_it() -> None:
    with trace.following("u1", "update"):
        with trace.following("u2", "send"):
            assert trace.present() == "u2"
        assert trace.present() == "u1"


async def test_each_task_has_its_own() -> None:
    async def one(number: int) -> str:
        with trace.following(trace.of_update(number), "update"):
            await asyncio.sleep(0)
            return trace.present()

    assert await asyncio.gather(*(one(n) for n in range(3))) == ["u0", "u1", "u2"]


def test_timed_work_has_a_trace_of_its_own_each_time() -> None:
    assert len({trace.of_work() for _ in range(100)}) == 100


def test_a_request_keeps_its_cause() -> None:
    assert trace.cause_of(trace.marked({"method": "x"}, "u1")) == "u1"
    assert trace.marked({"method": "x"}, "") == {"method": "x"}


@pytest.mark.parametrize("body", [{}, {"cause": 5}, {"cause": None}])
def test_a_cause_that_is_none_is_not_known(body: dict[str, object]) -> None:
    assert trace.cause_of(body) == ""


def test_steps_are_spans_where_somebody_wants_them() -> None:
    opened = list[tuple[str, str, dict[str, str | int]]]()

    @contextmanager
    def span(following: str, what: str, attributes: trace.Attributes) -> Iterator[None]:
        opened.append((following, what, dict(attributes)))
        yield

    trace.spans(span)
    with trace.following("u1", "update", kind="answer"), trace.step("effect"):
        pass
    trace.spans(None)
    with trace.following("u2", "update"):
        pass
    assert opened == [("u1", "update", {"kind": "answer"}), ("u1", "effect", {})]
