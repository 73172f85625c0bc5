"""The way of a request through token, faults, schema and method, with HTTP and without."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.telegram.errors import ApiError, Violation
from tests.telegram.faults import Fault
from tests.telegram.record import Request
from tests.telegram.uploads import Files
from tests.telegram.world import World


@dataclass(frozen=True, slots=True)
class Answer:
    """The HTTP answer to the bot."""

    status: int
    body: bytes


class Closed(Exception):  # noqa: N818 - what happens, as the bot sees it
    """The connection ends without an answer."""


class Gate:
    """Answers the requests of one bot."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._clock = world.clock
        self._signal = world.signal
        self._faults = world.faults
        self._checks = world.checks
        self._record = world.record
        self._methods = world.methods
        self._ephemerals = world.ephemerals

    @property
    def now(self) -> int:
        """Return the world's time in whole seconds."""
        return self._clock.now

    async def answer(self, token: str, method: str, raw: Mapping[str, Any], files: Files) -> Answer:
        """Return the answer to a request; raises Closed if a fault closes the connection."""
        name = self._checks.schema.find_method(method)
        if self._ephemerals.old and name is not None and "Ephemeral" in name:
            name = None
        error = self._check_token(token, name)
        if error is not None:
            return _reply(error.code, error.json())
        request = Request(name or method, dict(raw), self._clock())
        request.params, problems = self._checks.read(request.method, raw)
        self._record.requests.append(request)
        fault = self._faults.take_matching(request.method, request.chat)
        if fault is None:
            return await self._call_method(request, files, problems)
        return await self._answer_with_fault(fault, request, files, problems)

    def _check_token(self, token: str, method: str | None) -> ApiError | None:
        if token == self._world.token:
            return None if method else ApiError(404, "Not Found")
        shaped = token.partition(":")[0].isdigit() and token.count(":") == 1
        return ApiError(401, "Unauthorized") if shaped else ApiError(404, "Not Found")

    async def _call_method(self, request: Request, files: Files, problems: list[str]) -> Answer:
        """Call the method and return its answer."""
        try:
            if problems:
                raise Violation("; ".join(problems))
            result = await self._methods.call(request.method, request.params, files)
        except ApiError as error:
            if isinstance(error, Violation):
                self._checks.violations.append(f"{request.method}: {error.description}")
            request.status, request.result = error.code, error.description
            return _reply(error.code, error.json())
        else:
            request.status, request.result = 200, result
            self._checks.result(request.method, result)
            return _reply(200, {"ok": True, "result": result})
        finally:
            self._signal.notify()

    async def _answer_with_fault(
        self, fault: Fault, request: Request, files: Files, problems: list[str]
    ) -> Answer:
        """Answer a request with a fault: slowly, or with a failure before or after its effect."""
        if fault.delay:
            await asyncio.sleep(fault.delay)
        if fault.fails and fault.effect:
            await self._call_method(request, files, problems)
        if fault.held is not None:
            self._signal.notify()  # for those who wait for the request, not its answer
            await fault.held.wait()
        if not fault.fails:
            return await self._call_method(request, files, problems)
        try:
            return await _make_failure(fault, request)
        finally:
            self._signal.notify()


def _reply(status: int, body: Mapping[str, Any]) -> Answer:
    return Answer(status, json.dumps(body).encode())


async def _make_failure(fault: Fault, request: Request) -> Answer:
    if fault.hang is not None:
        await asyncio.sleep(fault.hang)
        raise Closed
    if fault.close:
        raise Closed
    if fault.body is not None:
        request.status = fault.status or 200
        return Answer(request.status, fault.body)
    error = fault.make_error()
    request.status, request.result = error["error_code"], error["description"]
    return _reply(error["error_code"], error)
