"""Telegram in trouble at the start and in play, and how long `/healthz` goes on saying that all is well."""

import asyncio
import os
import socket
import time
from contextlib import suppress
from typing import Any

import psutil
import pytest
from tornado.simple_httpclient import SimpleAsyncHTTPClient

from bot.workers.pool import SolverPool, SolvingError
from tests.faults.conftest import FULL, Process, Started, children, figure, show
from tests.faults.proxy import proxy
from tests.telegram import BotApi, World

pytestmark = pytest.mark.faults

PAGE = b"<html><body>It works!</body></html>"
KINDS: dict[str, dict[str, Any]] = {
    "500": {"status": 500},
    "502": {"status": 502},
    "504": {"status": 504},
    "429": {"retry_after": 1},
    "409": {"status": 409},
    "a page": {"body": PAGE},
    "a page with 404": {"body": PAGE, "status": 404},
    "a page with 401": {"body": PAGE, "status": 401},
    "a page with 503": {"body": PAGE, "status": 503},
    "broken JSON": {"body": b'{"ok": tru'},
    "nothing": {"body": b""},
    "no result": {"body": b'{"ok": true}'},
    "a list": {"body": b"[]"},
    "a number with 502": {"body": b"5", "status": 502},
    "an odd result": {"body": b'{"ok": true, "result": "x"}'},
    "a closed connection": {"close": True},
}
ONCE = {
    **KINDS,
    "404": {"status": 404},
    "401": {"status": 401},
    "403": {"status": 403},
    "400": {"status": 400},
}
FEW = ("502", "a page with 404", "a closed connection")


def webhook(port: int) -> dict[str, str]:
    """The settings of a bot that Telegram posts to."""
    address = f"127.0.0.1:{port}"
    url, secret = f"http://{address}/telegram", "canary_Secret-0123456789"
    return {"WEBHOOK_URL": url, "WEBHOOK_LISTEN": address, "WEBHOOK_SECRET": secret}


@pytest.mark.exhaustive
@pytest.mark.parametrize("by", ["polling", "webhook"])
@pytest.mark.parametrize("kind", KINDS if FULL else FEW)
async def test_a_start_in_trouble_is_waited_out(kind: str, by: str, bot: Started, free_port: int) -> None:
    world = World()
    ann = world.user("Ann")
    async with BotApi(world) as api:
        process = bot(world, api.url, **(webhook(free_port) if by == "webhook" else {}))
        methods = ("getMe", "getWebhookInfo", "deleteWebhook", "setWebhook", "setMyCommands")
        for method in methods:
            world.faults.add(method, count=3, **KINDS[kind])
        process.start()
        began = time.monotonic()
        world.say(ann, world.chat_of(ann), "/help")
        await world.next_post(ann, timeout=40)
        took = time.monotonic() - began
        assert process.process.poll() is None
        process.process.terminate()
        assert await process.ended(8) == 0
    troubled = [line for line in process.said().splitlines() if " INFO " not in line]
    show(f"{kind} three times for each request of the start, by {by}: plays after {took:.1f} s")
    assert "Traceback" not in process.said()
    assert 1 <= len(troubled) <= 12
    assert not any("It works" in line for line in troubled)


@pytest.mark.exhaustive
async def test_each_trouble_once_is_a_line_each(bot: Started) -> None:
    world = World()
    ann = world.user("Ann")
    async with BotApi(world) as api:
        process = bot(world, api.url)
        process.start()
        await process.says("is ready", 30)
        world.say(ann, world.chat_of(ann), "/help")
        await world.next_post(ann)
        for n, (kind, how) in enumerate(ONCE.items()):
            rule = world.faults.add("getUpdates", count=1, **how)
            world.say(ann, world.chat_of(ann), "/help")  # ends the poll under way; the next one fails
            await world.wait_until(lambda rule=rule: rule.hits == 1, 60, kind)  # type: ignore[misc]
            world.say(ann, world.chat_of(ann), "/help")
            await world.wait_until(lambda n=n: len(world.posts(ann)) == 3 + 2 * n, 20, f"{kind} is over")  # type: ignore[misc]
            assert process.process.poll() is None, kind
        process.process.terminate()
        assert await process.ended(8) == 0
    troubled = [line for line in process.said().splitlines() if " INFO " not in line]
    show(f"{len(ONCE)} troubles once each on getUpdates: {len(troubled)} lines, all answered, same process")
    assert "Traceback" not in process.said()
    assert len(troubled) <= len(ONCE)
    assert not world.violations


async def test_a_webhook_that_telegram_refuses_is_for_a_person(bot: Started, free_port: int) -> None:
    world = World()
    async with BotApi(world) as api:
        world.faults.add("setWebhook", status=400)
        process = bot(world, api.url, LOG_LEVEL="WARNING", **webhook(free_port))
        process.start()
        assert await process.ended(20) == 2
    assert process.said().startswith("twentyfour-bot: WEBHOOK_URL: Telegram refuses it")
    assert len(process.said().splitlines()) == 1


@pytest.mark.exhaustive
async def test_a_token_that_is_revoked_in_play(bot: Started) -> None:
    world = World()
    async with BotApi(world) as api:
        process = bot(world, api.url)
        process.start()
        await process.says("is ready", 30)
        for method in ("getUpdates", "getMe"):
            world.faults.add(method, status=401)
        world.say(world.user("Ann"), world.group("Family"), "/help")  # ends the poll under way
        began = time.monotonic()
        code = await process.ended(60)
        took = time.monotonic() - began
    show(f"a token that is refused from now on: exit {code} after {took:.0f} s")
    assert code == 2
    assert process.said().splitlines()[-1] == "twentyfour-bot: BOT_TOKEN: Telegram refuses it"


SOON = """
import sys, bot.web.health, bot.telegram.polling
bot.web.health.SILENCE, bot.web.health.LOOK, bot.telegram.polling.HOLD_TIME = 3.0, 1.0, 2
if __name__ == "__main__":
    sys.exit(bot.cli.run_command([]))
"""


class Asked:
    """`/healthz` and `/metrics` of a process."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._client = SimpleAsyncHTTPClient(force_instance=True)

    async def get(self, path: str = "/healthz") -> tuple[int, str]:
        """Status and body; 0 while nobody listens."""
        try:
            answer = await self._client.fetch(f"http://127.0.0.1:{self._port}{path}", raise_error=False)
        except OSError:
            return 0, ""
        return answer.code, (answer.body or b"").decode().strip()

    async def says(self, status: int, words: str, within: float) -> float:
        """Wait until it says that; after how many seconds."""
        began = time.monotonic()
        while not ((answer := await self.get())[0] == status and words in answer[1]):
            assert time.monotonic() - began < within, f"not {status} {words!r} in {within} s but {answer}"
            await asyncio.sleep(0.05)
        return time.monotonic() - began


def watched(bot: Started, world: World, url: str, port: int) -> tuple[Process, Asked]:
    """A process that tells how it is; in the short form it loses patience sooner."""
    process = bot(world, url, HEALTH_LISTEN=f"127.0.0.1:{port}")
    if not FULL:
        process.arguments = ("-c", SOON.replace("import sys,", "import sys, bot.cli,"))
    process.start()
    return process, Asked(port)


@pytest.fixture
def two_ports() -> list[int]:
    """Ports on which nobody listens just now."""
    with socket.socket() as one, socket.socket() as other:
        for each in (one, other):
            each.bind(("127.0.0.1", 0))
        return [int(each.getsockname()[1]) for each in (one, other)]


@pytest.mark.exhaustive
@pytest.mark.parametrize("trouble", [{"hang": 3600.0}, {"status": 502}, {"body": PAGE}])
async def test_health_tells_of_a_silent_telegram(
    trouble: dict[str, Any], bot: Started, free_port: int
) -> None:
    world = World()
    ann = world.user("Ann")
    limit = figure(60, 3)
    async with BotApi(world) as api:
        process, asked = watched(bot, world, api.url, free_port)
        await asked.says(200, "ok", 30)
        until = time.monotonic() + figure(70, 6)
        while time.monotonic() < until:  # nobody says anything: polls stay open for long, and that is well
            assert await asked.get() == (200, "ok")
            await asyncio.sleep(0.2)
        fault = world.faults.add("getUpdates", **trouble)
        world.say(ann, world.chat_of(ann), "/help")  # ends the poll under way
        took = await asked.says(503, "Telegram has not answered for", limit + 40)
        assert "twentyfour_up 0.0" in (await asked.get("/metrics"))[1].splitlines()
        assert process.process.poll() is None
        world.faults.remove(fault)
        back = await asked.says(200, "ok", 60)
        assert "twentyfour_up 1.0" in (await asked.get("/metrics"))[1].splitlines()
    show(f"no answer to getUpdates: 503 after {took:.0f} s, 200 again {back:.0f} s after the end")
    assert took > limit - 30  # the poll under way may have been open for that long


async def test_health_tells_why_telegram_can_not_post(bot: Started, two_ports: list[int]) -> None:
    """What stands before the bot refuses everything for a while."""
    world, [front, behind] = World(), two_ports
    ann = world.user("Ann")
    way = webhook(front) | {"WEBHOOK_LISTEN": f"127.0.0.1:{behind}"}
    async with BotApi(world) as api:
        process = bot(world, api.url, HEALTH_LISTEN=f"127.0.0.1:{behind}", **way)
        script = SOON.replace("import sys,", "import sys, bot.cli,").replace(
            "if __name__", "bot.web.webhook.LOOK = 1.0\nif __name__"
        )
        process.arguments = ("-c", script)
        process.start()
        asked = Asked(behind)
        await asked.says(200, "ok", 30)
        world.say(ann, world.chat_of(ann), "/help")
        said = "Wrong response from the webhook: 599"
        took = await asked.says(503, f"Telegram can't post here: {said}", 30)
        await process.says(f"WARNING bot.web.webhook: Telegram can't post updates here: {said}")
        async with proxy([behind], port=front):
            await world.next_post(ann)
            back = await asked.says(200, "ok", 30)
            await process.says("INFO bot.web.webhook: Telegram can post updates here again")
        assert process.said().count("bot.web.webhook") == 2
    show(f"Telegram can't post: 503 after {took:.1f} s, 200 again after {back:.1f} s")


async def test_health_tells_of_a_silent_telegram_by_webhook(bot: Started, free_port: int) -> None:
    world = World()
    async with BotApi(world) as api:
        process = bot(world, api.url, HEALTH_LISTEN=f"127.0.0.1:{free_port}", **webhook(free_port))
        script = SOON.replace("import sys,", "import sys, bot.cli,").replace(
            "if __name__", "bot.web.webhook.LOOK = 1.0\nif __name__"
        )
        process.arguments = ("-c", script)
        process.start()
        asked = Asked(free_port)
        await asked.says(200, "ok", 30)
        fault = world.faults.add("getWebhookInfo", status=502)
        took = await asked.says(503, "Telegram has not answered for", 30)
        world.faults.remove(fault)
        back = await asked.says(200, "ok", 30)
        assert process.process.poll() is None
    show(f"no answer to getWebhookInfo: 503 after {took:.1f} s, 200 again after {back:.1f} s")


def gone(*_: object) -> None:
    """What a worker does on a machine that lets it no longer start."""
    os._exit(1)


async def test_a_solver_that_is_gone_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.workers.worker.prepare_worker", gone)
    solving = SolverPool(1, 0.5)
    try:
        for _ in range(3):
            with pytest.raises(SolvingError):
                await asyncio.wait_for(solving.check_workers(), 20)
        assert solving.pulse.success_count == 0
        monkeypatch.undo()
        await asyncio.wait_for(_answers(solving), 30)
        assert solving.pulse.success_count > 0
    finally:
        await asyncio.to_thread(solving.close)


async def _answers(solving: SolverPool) -> None:
    while not solving.pulse.success_count:
        try:
            await solving.check_workers()
        except SolvingError:
            await asyncio.sleep(0.1)


@pytest.mark.exhaustive
async def test_health_tells_of_a_solver_that_stands_still(bot: Started, free_port: int) -> None:
    """Its processes are stopped again and again, which no machine does but a debugger."""
    world = World()
    async with BotApi(world) as api:
        process = bot(world, api.url, HEALTH_LISTEN=f"127.0.0.1:{free_port}", SOLVER_DEADLINE="0.5")
        process.arguments = ("-c", SOON.replace("import sys,", "import sys, bot.cli,"))
        process.start()
        asked = Asked(free_port)
        await asked.says(200, "ok", 30)
        stopped = dict[int, psutil.Process]()
        stopping = asyncio.create_task(_stop(process, stopped))
        took = await asked.says(503, "the solver has not answered for", 60)
        stopping.cancel()
        back = await asked.says(200, "ok", 60)
        assert process.process.poll() is None
    for child in stopped.values():  # else one that nobody needed any more would stand still for ever
        with suppress(psutil.Error):
            child.resume()
    show(f"a solver that stands still: 503 after {took:.1f} s, 200 again after {back:.1f} s")


async def _stop(process: Process, stopped: dict[int, psutil.Process]) -> None:
    while True:
        for child in children(process.process.pid):
            try:
                if "spawn_main" in " ".join(child.cmdline()):
                    child.suspend()
                    stopped[child.pid] = child
            except psutil.Error:
                continue
        await asyncio.sleep(0.01)
