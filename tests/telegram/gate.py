"""One request in, one answer out: token, faults, schema, method, record; with HTTP and without."""

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
    """What goes back to the bot."""

    status: int
    body: bytes


class Closed(Exception):  # noqa: N818 - what happens, as the bot sees it
    """The connection ends without an answer."""


class Gate:
    """The door to the world for one bot."""

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
        """The time there, in whole seconds."""
        return self._clock.now

    async def answer(self, token: str, method: str, raw: Mapping[str, Any], files: Files) -> Answer:
        """Do what the request asks; Closed when a fault says that no answer comes."""
        name = self._checks.schema.name(method)
        if self._ephemerals.old and name is not None and "Ephemeral" in name:
            name = None
        error = self._refusal(token, name)
        if error is not None:
            return _reply(error.code, error.json())
        request = Request(name or method, dict(raw), self._clock())
        request.params, problems = self._checks.read(request.method, raw)
        self._record.requests.append(request)
        fault = self._faults.take(request.method, request.chat)
        if fault is None:
            return await self._carry_out(request, files, problems)
        return await self._spoil(fault, request, files, problems)

    def _refusal(self, token: str, method: str | None) -> ApiError | None:
        if token == self._world.token:
            return None if method else ApiError(404, "Not Found")
        shaped = token.partition(":")[0].isdigit() and token.count(":") == 1
        return ApiError(401, "Unauthorized") if shaped else ApiError(404, "Not Found")

    async def _carry_out(self, request: Request, files: Files, problems: list[str]) -> Answer:
        """Let the method do its work; whoever waits for a change looks again."""
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

    async def _spoil(self, fault: Fault, request: Request, files: Files, problems: list[str]) -> Answer:
        """The request is slowed down, or fails, before it has its effect or after."""
        if fault.delay:
            await asyncio.sleep(fault.delay)
        if fault.fails and fault.effect:
            await self._carry_out(request, files, problems)
        if fault.held is not None:
            self._signal.notify()  # whoever waits for the request itself need not wait for its answer
            await fault.held.wait()
        if not fault.fails:
            return await self._carry_out(request, files, problems)
        try:
            return await _fail(fault, request)
        finally:
            self._signal.notify()


def _reply(status: int, body: Mapping[str, Any]) -> Answer:
    return Answer(status, json.dumps(body).encode())


async def _fail(fault: Fault, request: Request) -> Answer:
    if fault.hang is not None:
        await asyncio.sleep(fault.hang)
        raise Closed
    if fault.close:
        raise Closed
    if fault.body is not None:
        request.status = fault.status or 200
        return Answer(request.status, fault.body)
    error = fault.error()
    request.status, request.result = error["error_code"], error["description"]
    return _reply(error["error_code"], error)
