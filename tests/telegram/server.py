"""The world behind an HTTP server on loopback."""

import asyncio
import contextlib
import json
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import Future
from email.utils import formatdate
from threading import Thread
from typing import Any, Self, TypeVar
from urllib.parse import unquote

import tornado.httpserver
import tornado.netutil
import tornado.web

from tests.telegram.gate import Closed, Gate
from tests.telegram.webhook import Delivery
from tests.telegram.world import World

Result = TypeVar("Result")

LARGEST_REQUEST = 60 * 1024 * 1024  # Bytes; Telegram takes uploads of up to 50 MB


class BotApi:
    """`async with BotApi(world) as api:` serves `<api.url>/bot<token>/<method>` until the block ends."""

    def __init__(self, world: World, *, delivery: Delivery | None = None, port: int = 0) -> None:
        self.world = world
        self.delivery = delivery or Delivery()
        self._port = port
        self._server: tornado.httpserver.HTTPServer | None = None
        self._posting: asyncio.Task[None] | None = None

    @property
    def url(self) -> str:
        """Return the root of the API, for `BOT_API_URL`."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def base_url(self) -> str:
        """Return the `base_url` for python-telegram-bot."""
        return f"{self.url}/bot"

    async def __aenter__(self) -> Self:
        application = tornado.web.Application(
            [(r"/bot([^/]+)/([A-Za-z]+)", MethodHandler, {"gate": Gate(self.world)})],
            log_function=lambda _: None,
        )
        self._server = tornado.httpserver.HTTPServer(application, max_buffer_size=LARGEST_REQUEST)
        sockets = tornado.netutil.bind_sockets(self._port, "127.0.0.1")
        self._port = sockets[0].getsockname()[1]
        self._server.add_sockets(sockets)
        self._posting = asyncio.create_task(self.delivery.run(self.world))
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        assert self._posting is not None
        self._posting.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._posting
        self._server.stop()
        await self._server.close_all_connections()


class MethodHandler(tornado.web.RequestHandler):
    """A call of a method by GET or POST; parameters in the query, a form, a multipart form or JSON."""

    def initialize(self, gate: Gate) -> None:
        self._gate = gate
        self._work: asyncio.Task[Any] | None = None

    async def get(self, token: str, method: str) -> None:
        try:
            params = self._parameters()
        except ValueError:
            self.send_error(400)
            return
        files = {name: parts[0]["body"] for name, parts in self.request.files.items()}
        self._work = asyncio.create_task(self._gate.answer(unquote(token), method, params, files))
        try:
            answer = await self._work
        except (Closed, asyncio.CancelledError):
            self._close_connection()
            return
        self.set_status(answer.status)
        self.set_header("Content-Type", "application/json")
        self.set_header("Date", formatdate(self._gate.now, usegmt=True))
        self.finish(answer.body)

    async def post(self, token: str, method: str) -> None:
        await self.get(token, method)

    def on_connection_close(self) -> None:
        """Cancel the call, so that the poll of a dead bot takes no updates."""
        if self._work is not None:
            self._work.cancel()

    def _close_connection(self) -> None:
        self._finished = True
        self.request.connection.stream.close()  # type: ignore[union-attr]

    def _parameters(self) -> Mapping[str, Any]:
        params: dict[str, Any] = {
            name: self.get_argument(name, strip=False) for name in self.request.arguments
        }
        if self.request.headers.get("Content-Type", "").startswith("application/json") and self.request.body:
            body = json.loads(self.request.body)
            if not isinstance(body, dict):
                raise ValueError("the body is no object")
            params |= body
        # A file may be given as the part itself instead of `attach://`.
        direct = {name: parts[0]["body"] for name, parts in self.request.files.items() if name not in params}
        return params | {name: body for name, body in direct.items() if not self._is_attached(name, params)}

    def _is_attached(self, part: str, params: Mapping[str, Any]) -> bool:
        return any(isinstance(value, str) and f"attach://{part}" in value for value in params.values())


class ThreadedBotApi:
    """A `BotApi` on its own thread for synchronous tests; only that thread uses the world."""

    def __init__(self, world: World, *, delivery: Delivery | None = None) -> None:
        self.api = BotApi(world, delivery=delivery)
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, name="bot-api", daemon=True)

    @property
    def url(self) -> str:
        """Return the root of the API."""
        return self.api.url

    def do(self, verb: Callable[..., Result], *args: Any, **more: Any) -> Result:
        """Call a function on the server's thread: `api.do(world.say, ann, group, "hi")`."""

        async def act() -> Result:
            return verb(*args, **more)

        return self.wait(act())

    def wait(self, waiting: Coroutine[Any, Any, Result]) -> Result:
        """Run a coroutine on the server's thread: `api.wait(world.next_post(group))`."""
        future: Future[Result] = asyncio.run_coroutine_threadsafe(waiting, self._loop)
        return future.result()

    def __enter__(self) -> Self:
        self._thread.start()
        self.wait(self.api.__aenter__())
        return self

    def __exit__(self, *_: object) -> None:
        self.wait(self.api.__aexit__())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
