"""What follows an update, and what does not."""

import asyncio

import pytest

from bot import trace


def fail() -> None:
    raise ZeroDivisionError(trace.present())


def test_nothing_is_followed_at_first_and_afterwards() -> None:
    assert trace.present() == ""
    with pytest.raises(ZeroDivisionError, match="u1"), trace.follow("u1"):
        fail()
    assert trace.present() == ""


def test_what_is_done_within_something_else_is_told_from_it() -> None:
    with trace.follow("u1"):
        with trace.follow("u2"):
            assert trace.present() == "u2"
        assert trace.present() == "u1"


async def test_each_task_has_its_own() -> None:
    async def one(number: int) -> str:
        with trace.follow(trace.of_update(number)):
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
