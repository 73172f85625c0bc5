"""Telegram's failures at the start and during play, and the time until `/healthz` reports them."""

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
from tests.faults.conftest import FULL, BotFactory, Process, choose_amount, list_children, report
from tests.faults.proxy import run_balancer
from tests.telegram import BotApi, World

pytestmark = pytest.mark.faults

PAGE = b"<html><body>It works!</body></html>"
FAILURES: dict[str, dict[str, Any]] = {
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
FAILURES_IN_PLAY = {
    **FAILURES,
    "404": {"status": 404},
    "401": {"status": 401},
    "403": {"status": 403},
    "400": {"status": 400},
}
SHORT_FORM = ("502", "a page with 404", "a closed connection")


def webhook_settings(port: int) -> dict[str, str]:
    """Return the settings for a webhook."""
    address = f"127.0.0.1:{port}"
    url, secret = f"http://{address}/telegram", "canary_Secret-0123456789"
    return {"WEBHOOK_URL": url, "WEBHOOK_LISTEN": address, "WEBHOOK_SECRET": secret}


@pytest.mark.exhaustive
@pytest.mark.parametrize("by", ["polling", "webhook"])
@pytest.mark.parametrize("kind", FAILURES if FULL else SHORT_FORM)
async def test_failing_start_is_retried(kind: str, by: str, make_bot: BotFactory, free_port: int) -> None:
    world = World()
    ann = world.user("Ann")
    async with BotApi(world) as api:
        process = make_bot(world, api.url, **(webhook_settings(free_port) if by == "webhook" else {}))
        methods = ("getMe", "getWebhookInfo", "deleteWebhook", "setWebhook", "setMyCommands")
        for method in methods:
            world.faults.add(method, count=3, **FAILURES[kind])
        process.start()
        began = time.monotonic()
        world.say(ann, world.chat_of(ann), "/help")
        await world.next_post(ann, timeout=40)
        took = time.monotonic() - began
        assert process.process.poll() is None
        process.process.terminate()
        assert await process.wait_for_exit(8) == 0
    warnings = [line for line in process.read_log().splitlines() if " INFO " not in line]
    report(f"{kind} three times for each request of the start, by {by}: plays after {took:.1f} s")
    assert "Traceback" not in process.read_log()
    assert 1 <= len(warnings) <= 12
    assert not any("It works" in line for line in warnings)


@pytest.mark.exhaustive
async def test_each_failure_logs_at_most_one_line(make_bot: BotFactory) -> None:
    world = World()
    ann = world.user("Ann")
    async with BotApi(world) as api:
        process = make_bot(world, api.url)
        process.start()
        await process.wait_for_log("is ready")
        world.say(ann, world.chat_of(ann), "/help")
        await world.next_post(ann)
        for n, (kind, how) in enumerate(FAILURES_IN_PLAY.items()):
            rule = world.faults.add("getUpdates", count=1, **how)
            world.say(ann, world.chat_of(ann), "/help")  # ends the poll under way; the next one fails
            await world.wait_until(lambda rule=rule: rule.hits == 1, 60, kind)  # type: ignore[misc]
            world.say(ann, world.chat_of(ann), "/help")
            await world.wait_until(lambda n=n: len(world.posts(ann)) == 3 + 2 * n, 60, f"{kind} is over")  # type: ignore[misc]
            assert process.process.poll() is None, kind
        process.process.terminate()
        assert await process.wait_for_exit(8) == 0
    warnings = [line for line in process.read_log().splitlines() if " INFO " not in line]
    report(f"{len(FAILURES_IN_PLAY)} failures once each on getUpdates: {len(warnings)} lines, same process")
    assert "Traceback" not in process.read_log()
    assert len(warnings) <= len(FAILURES_IN_PLAY)
    assert not world.violations


async def test_refused_webhook_ends_with_an_error(make_bot: BotFactory, free_port: int) -> None:
    world = World()
    async with BotApi(world) as api:
        world.faults.add("setWebhook", status=400)
        process = make_bot(world, api.url, LOG_LEVEL="WARNING", **webhook_settings(free_port))
        process.start()
        assert await process.wait_for_exit(20) == 2
    assert process.read_log().startswith("twentyfour-bot: WEBHOOK_URL: Telegram refuses it")
    assert len(process.read_log().splitlines()) == 1


@pytest.mark.exhaustive
async def test_revoked_token_ends_the_bot(make_bot: BotFactory) -> None:
    world = World()
    async with BotApi(world) as api:
        process = make_bot(world, api.url)
        process.start()
        await process.wait_for_log("is ready")
        for method in ("getUpdates", "getMe"):
            world.faults.add(method, status=401)
        world.say(world.user("Ann"), world.group("Family"), "/help")  # ends the poll under way
        began = time.monotonic()
        code = await process.wait_for_exit(60)
        took = time.monotonic() - began
    report(f"a token that is refused from now on: exit {code} after {took:.0f} s")
    assert code == 2
    assert process.read_log().splitlines()[-1] == "twentyfour-bot: BOT_TOKEN: Telegram refuses it"


SHORT_LIMITS = """
import sys, bot.web.health, bot.telegram.polling
bot.web.health.SILENCE, bot.web.health.CHECK_INTERVAL, bot.telegram.polling.HOLD_TIME = 3.0, 1.0, 2
if __name__ == "__main__":
    sys.exit(bot.cli.run_command([]))
"""


class HealthClient:
    """A client for `/healthz` and `/metrics` of a process."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._client = SimpleAsyncHTTPClient(force_instance=True)

    async def get(self, path: str = "/healthz") -> tuple[int, str]:
        """Return status and body; 0 and an empty body if the server can't be reached."""
        try:
            answer = await self._client.fetch(f"http://127.0.0.1:{self._port}{path}", raise_error=False)
        except OSError:
            return 0, ""
        return answer.code, (answer.body or b"").decode().strip()

    async def wait_for(self, status: int, words: str, timeout: float) -> float:
        """Wait until `/healthz` answers with this status and these words; return the seconds waited."""
        began = time.monotonic()
        while not ((answer := await self.get())[0] == status and words in answer[1]):
            assert time.monotonic() - began < timeout, f"not {status} {words!r} in {timeout} s but {answer}"
            await asyncio.sleep(0.05)
        return time.monotonic() - began


def start_with_health(
    make_bot: BotFactory, world: World, url: str, port: int
) -> tuple[Process, HealthClient]:
    """Start a bot with `/healthz`; in the short form its limits of silence are shorter."""
    process = make_bot(world, url, HEALTH_LISTEN=f"127.0.0.1:{port}")
    if not FULL:
        process.arguments = ("-c", SHORT_LIMITS.replace("import sys,", "import sys, bot.cli,"))
    process.start()
    return process, HealthClient(port)


@pytest.fixture
def two_ports() -> list[int]:
    """Return two ports on which nothing listens."""
    with socket.socket() as one, socket.socket() as other:
        for each in (one, other):
            each.bind(("127.0.0.1", 0))
        return [int(each.getsockname()[1]) for each in (one, other)]


@pytest.mark.exhaustive
@pytest.mark.parametrize("trouble", [{"hang": 3600.0}, {"status": 502}, {"body": PAGE}])
async def test_health_reports_a_silent_telegram_when_polling(
    trouble: dict[str, Any], make_bot: BotFactory, free_port: int
) -> None:
    world = World()
    ann = world.user("Ann")
    limit = choose_amount(60, 3)
    async with BotApi(world) as api:
        process, health = start_with_health(make_bot, world, api.url, free_port)
        await health.wait_for(200, "ok", 30)
        until = time.monotonic() + choose_amount(70, 6)
        while time.monotonic() < until:  # without messages polls stay open for long, which is normal
            assert await health.get() == (200, "ok")
            await asyncio.sleep(0.2)
        fault = world.faults.add("getUpdates", **trouble)
        world.say(ann, world.chat_of(ann), "/help")  # ends the poll under way
        took = await health.wait_for(503, "Telegram has not answered for", limit + 40)
        assert "twentyfour_up 0.0" in (await health.get("/metrics"))[1].splitlines()
        assert process.process.poll() is None
        world.faults.remove(fault)
        back = await health.wait_for(200, "ok", 60)
        assert "twentyfour_up 1.0" in (await health.get("/metrics"))[1].splitlines()
    report(f"no answer to getUpdates: 503 after {took:.0f} s, 200 again {back:.0f} s after the end")
    assert took > limit - 30  # the poll under way may have been open for that long


@pytest.mark.exhaustive
async def test_health_reports_why_telegram_can_not_post(make_bot: BotFactory, two_ports: list[int]) -> None:
    world, [front, behind] = World(), two_ports
    ann = world.user("Ann")
    way = webhook_settings(front) | {"WEBHOOK_LISTEN": f"127.0.0.1:{behind}"}
    async with BotApi(world) as api:
        process = make_bot(world, api.url, HEALTH_LISTEN=f"127.0.0.1:{behind}", **way)
        script = SHORT_LIMITS.replace("import sys,", "import sys, bot.cli,").replace(
            "if __name__", "bot.web.webhook.ASK_INTERVAL = 1.0\nif __name__"
        )
        process.arguments = ("-c", script)
        process.start()
        health = HealthClient(behind)
        await health.wait_for(200, "ok", 30)
        world.say(ann, world.chat_of(ann), "/help")
        said = "Wrong response from the webhook: 599"
        took = await health.wait_for(503, f"Telegram can't post here: {said}", 30)
        await process.wait_for_log(f"WARNING bot.web.webhook: Telegram can't post updates here: {said}")
        async with run_balancer([behind], port=front):
            await world.next_post(ann)
            back = await health.wait_for(200, "ok", 30)
            await process.wait_for_log("INFO bot.web.webhook: Telegram can post updates here again")
        assert process.read_log().count("bot.web.webhook") == 2
    report(f"Telegram can't post: 503 after {took:.1f} s, 200 again after {back:.1f} s")


@pytest.mark.exhaustive
async def test_health_reports_a_silent_telegram_with_a_webhook(make_bot: BotFactory, free_port: int) -> None:
    world = World()
    async with BotApi(world) as api:
        process = make_bot(
            world, api.url, HEALTH_LISTEN=f"127.0.0.1:{free_port}", **webhook_settings(free_port)
        )
        script = SHORT_LIMITS.replace("import sys,", "import sys, bot.cli,").replace(
            "if __name__", "bot.web.webhook.ASK_INTERVAL = 1.0\nif __name__"
        )
        process.arguments = ("-c", script)
        process.start()
        health = HealthClient(free_port)
        await health.wait_for(200, "ok", 30)
        fault = world.faults.add("getWebhookInfo", status=502)
        took = await health.wait_for(503, "Telegram has not answered for", 30)
        world.faults.remove(fault)
        back = await health.wait_for(200, "ok", 30)
        assert process.process.poll() is None
    report(f"no answer to getWebhookInfo: 503 after {took:.1f} s, 200 again after {back:.1f} s")


def exit_at_once(*_: object) -> None:
    """Exit at once, as a worker that can't start."""
    os._exit(1)


async def test_solver_without_workers_has_no_pulse(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.workers.worker.prepare_worker", exit_at_once)
    solving = SolverPool(1, 0.5)
    try:
        for _ in range(3):
            with pytest.raises(SolvingError):
                await asyncio.wait_for(solving.check_workers(), 20)
        assert solving.pulse.success_count == 0
        monkeypatch.undo()
        await asyncio.wait_for(_wait_for_answer(solving), 30)
        assert solving.pulse.success_count > 0
    finally:
        await asyncio.to_thread(solving.close)


async def _wait_for_answer(solving: SolverPool) -> None:
    while not solving.pulse.success_count:
        try:
            await solving.check_workers()
        except SolvingError:
            await asyncio.sleep(0.1)


@pytest.mark.exhaustive
async def test_health_reports_a_suspended_solver(make_bot: BotFactory, free_port: int) -> None:
    """All its worker processes are suspended."""
    world = World()
    async with BotApi(world) as api:
        process = make_bot(world, api.url, HEALTH_LISTEN=f"127.0.0.1:{free_port}", SOLVER_DEADLINE="0.5")
        process.arguments = ("-c", SHORT_LIMITS.replace("import sys,", "import sys, bot.cli,"))
        process.start()
        health = HealthClient(free_port)
        await health.wait_for(200, "ok", 30)
        stopped = dict[int, psutil.Process]()
        stopping = asyncio.create_task(_suspend_workers(process, stopped))
        took = await health.wait_for(503, "the solver has not answered for", 60)
        stopping.cancel()
        back = await health.wait_for(200, "ok", 60)
        assert process.process.poll() is None
    for child in stopped.values():  # else a worker that the bot has given up would stay suspended for ever
        with suppress(psutil.Error):
            child.resume()
    report(f"a solver that stands still: 503 after {took:.1f} s, 200 again after {back:.1f} s")


async def _suspend_workers(process: Process, stopped: dict[int, psutil.Process]) -> None:
    while True:
        for child in list_children(process.process.pid):
            try:
                if "spawn_main" in " ".join(child.cmdline()):
                    child.suspend()
                    stopped[child.pid] = child
            except psutil.Error:
                continue
        await asyncio.sleep(0.01)
