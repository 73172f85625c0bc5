"""Traces of updates through tasks and requests."""

import asyncio

import pytest

from bot import trace


def raise_trace() -> None:
    raise ZeroDivisionError(trace.get_current_trace())


def test_trace_is_empty_outside_a_block() -> None:
    assert trace.get_current_trace() == ""
    with pytest.raises(ZeroDivisionError, match="u1"), trace.use_trace("u1"):
        raise_trace()
    assert trace.get_current_trace() == ""


def test_nested_trace_replaces_the_outer_one() -> None:
    with trace.use_trace("u1"):
        with trace.use_trace("u2"):
            assert trace.get_current_trace() == "u2"
        assert trace.get_current_trace() == "u1"


async def test_each_task_has_its_own_trace() -> None:
    async def one(number: int) -> str:
        with trace.use_trace(f"u{number}"):
            await asyncio.sleep(0)
            return trace.get_current_trace()

    assert await asyncio.gather(*(one(n) for n in range(3))) == ["u0", "u1", "u2"]


def test_request_body_keeps_its_trace() -> None:
    assert trace.add_trace({"method": "x"}, "u1") == {"method": "x", trace.CAUSE: "u1"}
    assert trace.add_trace({"method": "x"}, "") == {"method": "x"}
