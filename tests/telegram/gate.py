"""One request in, one answer out: token, faults, schema, method, record; with HTTP and without."""

import asyncio
import inspect
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.telegram.compose import Writing
from tests.telegram.errors import ApiError, Violation
from tests.telegram.faults import Fault
from tests.telegram.methods import Account
from tests.telegram.posting import Files, Params
from tests.telegram.scene import Request
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
        self.world = world
        self.methods = Account(world)

    async def answer(self, token: str, method: str, raw: Mapping[str, Any], files: Files) -> Answer:
        """Do what the request asks; Closed when a fault says that no answer comes."""
        error = self._refusal(token, method)
        if error is not None:
            return _reply(error.code, error.json())
        name = self.world.schema.name(method) or method
        request = Request(name, dict(raw), self.world.clock())
        schema = self.world.schema
        params, problems = schema.read(name, raw) if self.world.validate else (schema.decode(name, raw), [])
        request.params = params
        self.world.requests.append(request)
        fault = self.world.faults.take(name, request.chat)
        if fault is not None and fault.delay:
            await asyncio.sleep(fault.delay)
        if fault is None or not fault.fails or fault.effect:
            answer = await self._carry_out(request, files, problems)
            if fault is None or not fault.fails:
                return answer
        try:
            return await _fail(fault, request)
        finally:
            self.world.signal.notify()

    def _refusal(self, token: str, method: str) -> ApiError | None:
        world = self.world
        if token != world.token:
            shaped = token.partition(":")[0].isdigit() and token.count(":") == 1
            return ApiError(401, "Unauthorized") if shaped else ApiError(404, "Not Found")
        return None if world.schema.name(method) else ApiError(404, "Not Found")

    async def _carry_out(self, request: Request, files: Files, problems: list[str]) -> Answer:
        try:
            if problems:
                raise Violation("; ".join(problems))
            result = await self._call(request.method, request.params, files)
        except ApiError as error:
            if isinstance(error, Violation):
                self.world.violations.append(f"{request.method}: {error.description}")
            request.status, request.result = error.code, error.description
            self.world.signal.notify()
            return _reply(error.code, error.json())
        request.status, request.result = 200, result
        self._check_result(request.method, result)
        self.world.signal.notify()
        return _reply(200, {"ok": True, "result": result})

    async def _call(self, method: str, params: Params, files: Files) -> Any:
        known = getattr(self.methods, method, None)
        if known is None:
            return self._plausible(method, params)
        result = known(params, files)
        return await result if inspect.isawaitable(result) else result

    def _plausible(self, method: str, params: Params) -> Any:
        """An answer from the schema for what the world doesn't model; what sends leaves a message behind."""
        kinds = self.world.schema.returns(method)
        if "chat_id" in params:
            self.methods.chat(params, posting=method.startswith("send"))
        if method.startswith("send") and kinds == ["Message"]:
            return self.methods.post(params, Writing(), self._sample_content(method)).json()
        return True if "Boolean" in kinds else self.world.schema.sample(kinds[0])

    def _sample_content(self, method: str) -> dict[str, Any]:
        """`sendPoll` leaves a `poll` in the message, and so on."""
        name = method.removeprefix("send").lower()
        kinds = self.world.schema.fields("Message").get(name)
        return {name: self.world.schema.sample(kinds[0])} if kinds else {}

    def _check_result(self, method: str, result: Any) -> None:
        if not self.world.validate or method == "getUpdates":
            return
        kinds = self.world.schema.returns(method)
        if all(self.world.schema.problems(kind, result) for kind in kinds):
            found = self.world.schema.problems(kinds[0], result)
            self.world.violations.append(f"the double's own fault in the result of {method}: {found}")


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
