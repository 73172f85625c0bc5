"""The token, webhook secrets and database password appear in no output of the process, whatever fails.

Each case runs the bot at LOG_LEVEL=DEBUG, makes something fail, and searches the whole output for all
spellings of the secrets.
"""

import asyncio
import contextlib
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

import pytest

from bot.settings import SettingsError, read_settings
from tests.faults.conftest import FULL
from tests.on_postgresql import make_database_url
from tests.telegram import BotApi, World

pytestmark = pytest.mark.faults
ROOT = Path(__file__).parent.parent.parent
TOKEN = "7024000024:AAFcanaryOfTheToken_0123456789abcdef-"  # noqa: S105 - opens nothing
SECRET = "canaryOfTheSecret_0123456789"  # noqa: S105 - opens nothing
FORMER = "canaryOfTheSecret_before"
PASSWORD = "canary@of/the:pass word%"  # noqa: S105 - opens nothing
CANARIES = sorted(
    {
        spelling
        for secret in (TOKEN, TOKEN.partition(":")[2], SECRET, FORMER, PASSWORD)
        for spelling in (secret, quote(secret), quote(secret, safe=""), repr(secret)[1:-1])
    }
)
RUN = [sys.executable, "-m", "bot"]
NOWHERE = "http://127.0.0.1:9"
DEAD_SERVER = f"postgresql://bot:{quote(PASSWORD, safe='')}@127.0.0.1:9/bot"


@dataclass
class Case:
    """A failure, and the words that the bot must write about it."""

    name: str
    environment: dict[str, str] = field(default_factory=dict)
    expected: str = ""  # Words that show that the case was reached
    prepare: Callable[[World], None] = lambda _: None
    code: str = ""  # Python to run in the bot's place
    seconds: float = 15.0  # Until the words must be written


def _refuse_token(world: World) -> None:
    world.faults.add("getMe", status=401)


def _cause_conflicts(world: World) -> None:
    world.faults.add("getUpdates", status=409)


def _cause_many_failures(world: World) -> None:
    for fault in ({"body": b"<html>"}, {"close": True}, {"status": 500}):
        world.faults.add("getUpdates", count=1, **fault)
    world.faults.add("sendMessage", status=400)
    world.faults.add("editMessageText", close=True)
    ann = world.user("Ann")
    world.say(ann, ann, "/help")
    body = world.say(ann, ann, "/play", hear=False).json() | {"message_id": 2**70, "date": "canary"}
    world.publish("message", body, ann.id)


UNCAUGHT = """
import asyncio, logging, os, threading
from bot import cli, logs, settings
mine = settings.read_settings(os.environ)
logs.configure_logging(mine.log_level, mine.secrets)
print(repr(mine), str(mine), mine, [mine], {"settings": mine}, flush=True)
async def fail():
    raise RuntimeError(mine.token + " " + " ".join(mine.webhook_secrets) + " " + mine.database.password)
async def main():
    task = asyncio.create_task(fail()); await asyncio.sleep(0.01); del task
    import gc; gc.collect()
    error = OSError(mine.token)
    asyncio.get_running_loop().call_exception_handler({"message": mine.token, "exception": error})
    for name in ("aiohttp", "telegram.Bot", "telegram.ext", "sqlalchemy.engine", "asyncio", "asyncpg"):
        for level in range(0, 60, 10):
            logging.getLogger(name).log(level, "%s %r", mine.token, mine.database.password, exc_info=error)
    await fail()
thread = threading.Thread(target=lambda: asyncio.run(fail())); thread.start(); thread.join()
class Bad:
    def __del__(self): raise OSError(mine.webhook_secrets)
Bad()
asyncio.run(main())
"""

CASES = [
    Case("a refused token", expected="BOT_TOKEN", prepare=_refuse_token),
    Case("another poller", expected="another bot", prepare=_cause_conflicts),
    Case("whatever can fail at work", expected=" failed", prepare=_cause_many_failures),
    Case("no network", {"BOT_API_URL": NOWHERE}, "can't be reached"),
    Case("no such host", {"BOT_API_URL": "http://nowhere.invalid"}, "can't be reached"),
    Case("no database server", {"DATABASE_URL": DEAD_SERVER}, "DATABASE_URL"),
    Case("no such kind of database", {"DATABASE_URL": f"mysql://u:{quote(PASSWORD)}@h/d"}, "DATABASE_URL"),
    Case("no database address", {"DATABASE_URL": f"//u:{PASSWORD}@h/d"}, "DATABASE_URL"),
    Case("a bad port of a database", {"DATABASE_URL": f"postgresql://u:{PASSWORD}@h:x/d"}, "DATABASE_URL"),
    Case("a bad token", {"BOT_TOKEN": f"{TOKEN}/é"}, "BOT_TOKEN"),
    Case("a bad secret", {"WEBHOOK_SECRET": f"{SECRET} é"}, "WEBHOOK_SECRET"),
    Case("a bad level", {"LOG_LEVEL": "LOUD"}, "LOG_LEVEL"),
    Case("a bad address of the API", {"BOT_API_URL": f"ftp://{TOKEN}@h"}, "BOT_API_URL"),
    Case(
        "no place to listen",
        {"WEBHOOK_URL": f"https://h/{SECRET}", "WEBHOOK_LISTEN": "192.0.2.1:1"},
        "can't be opened",
    ),
    Case(
        "whatever nobody caught", {"DATABASE_URL": DEAD_SERVER}, "the bot ends: RuntimeError", code=UNCAUGHT
    ),
]


async def run_case(case: Case, world: World, folder: Path) -> str:
    """Run a case and return the process's output; the process is stopped after the expected words."""
    async with AsyncExitStack() as stack:
        api = await stack.enter_async_context(BotApi(world))
        case.prepare(world)
        environment = {
            **{key: os.environ[key] for key in ("PATH", "HOME") if key in os.environ},
            "BOT_TOKEN": TOKEN,
            "BOT_API_URL": api.url,
            "DATABASE_URL": make_database_url(folder / "canary.sqlite3"),
            "WEBHOOK_SECRET": f"{SECRET},{FORMER}",
            "LOG_LEVEL": "DEBUG",
            "PYTHONASYNCIODEBUG": "1",
            **case.environment,
        }
        process = await asyncio.create_subprocess_exec(
            *([sys.executable, "-c", case.code] if case.code else RUN),
            cwd=ROOT,
            env=environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        assert process.stdout is not None
        text = b""
        async with asyncio.timeout(case.seconds):
            while case.expected.encode() not in text and (more := await process.stdout.read(65536)):
                text += more
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
        async with asyncio.timeout(60):
            text += await process.stdout.read()
            await process.wait()
        return text.decode(errors="replace")


def find_secrets(text: str) -> list[str]:
    """Return the spellings of secrets in `text`."""
    return [canary for canary in CANARIES if canary in text]


@pytest.mark.parametrize("case", CASES if FULL else CASES[:3], ids=lambda case: case.name)
async def test_failure_writes_no_secret(case: Case, tmp_path: Path) -> None:
    text = await run_case(case, World(TOKEN), tmp_path)
    assert case.expected in text
    assert not find_secrets(text)


async def test_refused_webhook_writes_no_secret(tmp_path: Path) -> None:
    world = World(TOKEN)
    world.faults.add("setWebhook", status=400)
    case = Case("refused", {"WEBHOOK_URL": f"https://h/{SECRET}", "WEBHOOK_LISTEN": "127.0.0.1:0"}, "WEBHOOK")
    text = await run_case(case, world, tmp_path)
    assert "WEBHOOK" in text
    assert not find_secrets(text)


def test_printed_settings_contain_no_secret() -> None:
    for case in CASES:
        settings = _read_settings({"BOT_TOKEN": TOKEN, "WEBHOOK_SECRET": SECRET, **case.environment})
        assert not find_secrets(f"{settings!r} {settings}")


def _read_settings(environment: Mapping[str, str]) -> object:
    """Return the settings, or the error that refuses them."""
    try:
        return read_settings(environment)
    except SettingsError as error:
        return error


async def test_control_secrets_are_found_without_redaction(tmp_path: Path) -> None:
    code = "from bot import logs\nlogs.RedactingFormatter.redact = lambda self, line: line\n" + UNCAUGHT
    case = Case("control", {"DATABASE_URL": DEAD_SERVER}, "the bot ends", code=code)
    text = await run_case(case, World(TOKEN), tmp_path)
    spellings = find_secrets(text)
    print(f"{len(CASES)} error paths, {len(CANARIES)} spellings: 0 found; control: {len(spellings)} found")
    assert len(spellings) >= 3
