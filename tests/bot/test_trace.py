"""Traces of updates through tasks and requests."""

import asyncio

from bot import trace


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
