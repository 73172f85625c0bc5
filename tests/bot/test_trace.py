"""What follows an update, and what does not."""

import asyncio

import pytest

from bot import trace


def fail() -> None:
    raise ZeroDivisionError(trace.get_current_trace())


def test_nothing_is_followed_at_first_and_afterwards() -> None:
    assert trace.get_current_trace() == ""
    with pytest.raises(ZeroDivisionError, match="u1"), trace.use_trace("u1"):
        fail()
    assert trace.get_current_trace() == ""


def test_what_is_done_within_something_else_is_told_from_it() -> None:
    with trace.use_trace("u1"):
        with trace.use_trace("u2"):
            assert trace.get_current_trace() == "u2"
        assert trace.get_current_trace() == "u1"


async def test_each_task_has_its_own() -> None:
    async def one(number: int) -> str:
        with trace.use_trace(trace.make_update_trace(number)):
            await asyncio.sleep(0)
            return trace.get_current_trace()

    assert await asyncio.gather(*(one(n) for n in range(3))) == ["u0", "u1", "u2"]


def test_timed_work_has_a_trace_of_its_own_each_time() -> None:
    assert len({trace.make_work_trace() for _ in range(100)}) == 100


def test_a_request_keeps_its_cause() -> None:
    assert trace.read_trace(trace.add_trace({"method": "x"}, "u1")) == "u1"
    assert trace.add_trace({"method": "x"}, "") == {"method": "x"}


@pytest.mark.parametrize("body", [{}, {"cause": 5}, {"cause": None}])
def test_a_cause_that_is_none_is_not_known(body: dict[str, object]) -> None:
    assert trace.read_trace(body) == ""
