"""The command line: refusals are one line, and each command's output."""

import asyncio
import gc
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from secrets import token_hex

import pytest
from sqlalchemy.engine import URL
from sqlalchemy.exc import ProgrammingError

from bot import cli as command
from bot.checkup import machine
from bot.database import AccessMode, Store
from bot.settings import Settings, read_settings
from solver import __version__
from tests.bot.postgres import create_role, enter_in_own_loop, fresh_database, run_as_owner
from tests.telegram import ThreadedBotApi, World

ROOT = Path(__file__).parents[2]
TOKEN = "123456789:AAE-canary_made_up_for_tests_0123456"  # noqa: S105 - opens nothing
VARIABLES = (
    "BOT_TOKEN",
    "BOT_API_URL",
    "DATABASE_URL",
    "WEBHOOK_URL",
    "WEBHOOK_LISTEN",
    "WEBHOOK_SECRET",
    "SOLVER_WORKERS",
    "SOLVER_DEADLINE",
    "HEALTH_LISTEN",
    "LOG_LEVEL",
)


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for key in VARIABLES:
        monkeypatch.delenv(key, raising=False)
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path / 'games.sqlite3'}")
    monkeypatch.setenv("BOT_API_URL", "http://127.0.0.1:1")


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield int(listener.getsockname()[1])


@pytest.fixture
def api() -> Iterator[ThreadedBotApi]:
    with ThreadedBotApi(World()) as served:
        yield served


def run_refused_command(capfd: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Run the command; return the only line it printed."""
    code = command.run_command(arguments)
    out, error = capfd.readouterr()
    assert code not in {0, None}
    assert out == ""
    assert error.count("\n") == 1, error
    return error


BAD = [
    ("BOT_TOKEN", "canary", "not a bot token; BotFather's look like 123456789:AAE…"),
    ("BOT_API_URL", "telegram.org", "not an http:// or https:// address"),
    ("DATABASE_URL", "mysql://h/d", "'mysql' is not known; try sqlite:///path or postgresql://…"),
    ("LOG_LEVEL", "loud", "'loud' is none of DEBUG, INFO, WARNING, ERROR, CRITICAL"),
]


@pytest.mark.parametrize(("key", "value", "expected"), BAD)
@pytest.mark.parametrize("token", [TOKEN, None])
def test_bad_setting_is_one_line(
    key: str,
    value: str,
    expected: str,
    token: str | None,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    if token:
        monkeypatch.setenv("BOT_TOKEN", token)
    monkeypatch.setenv(key, value)
    assert run_refused_command(capfd) == f"twentyfour-bot: {key}: {expected}\n"


def test_settings_are_read_before_anything_is_opened(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("LOG_LEVEL", "loud")
    run_refused_command(capfd)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
@pytest.mark.parametrize("token", [TOKEN, None])
@pytest.mark.parametrize(
    "address",
    [
        "sqlite:////dev/null/games.sqlite3",
        "sqlite:///{folder}/garbage.sqlite3",
        "postgresql://ann:canary@127.0.0.1:1/games",
    ],
)
def test_unusable_database_is_one_line(
    address: str,
    token: str | None,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    if token:
        monkeypatch.setenv("BOT_TOKEN", token)
    (tmp_path / "garbage.sqlite3").write_bytes(b"no database at all\n" * 200)
    monkeypatch.setenv("DATABASE_URL", address.format(folder=tmp_path))
    assert "canary" not in run_refused_command(capfd)


def test_dead_creates_no_database(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "empty.sqlite3").touch()
    with closing(sqlite3.connect(tmp_path / "foreign.sqlite3")) as connection:
        connection.execute("CREATE TABLE alien (id)")
    before = {p: p.read_bytes() for p in tmp_path.iterdir()}
    for name, words in (
        (
            "none.sqlite3",
            f"there is no database '{tmp_path}/none.sqlite3'",
        ),
        ("none/games.sqlite3", f"there is no folder '{tmp_path}/none'"),
        ("empty.sqlite3", f"the file '{tmp_path}/empty.sqlite3' is no database of this bot"),
        ("foreign.sqlite3", f"the file '{tmp_path}/foreign.sqlite3' is no database of this bot"),
    ):
        monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path}/{name}")
        for asked in ([], ["--retry"], ["--drop", "u1"]):
            assert command.run_command(["dead", *asked]) == 2
            expected = f"twentyfour-bot: {words}; DATABASE_URL names the one to use\n"
            assert capfd.readouterr() == ("", expected)
    assert {p: p.read_bytes() for p in tmp_path.iterdir()} == before


def test_unreachable_server_is_transient(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://ann:canary@127.0.0.1:1/games")
    assert command.run_command(["dead"]) == 1
    assert capfd.readouterr().err == (
        "twentyfour-bot: DATABASE_URL: the database at 127.0.0.1:1 can't be opened: "
        "the connection was refused\n"
    )


@pytest.fixture
def server() -> Iterator[URL]:
    with enter_in_own_loop(fresh_database()) as made:
        yield made


def format_url(url: URL) -> str:
    return url.set(drivername="postgresql").render_as_string(hide_password=False)


@pytest.mark.long
@pytest.mark.parametrize("arguments", [[], ["migrate"]], ids=["start", "migrate"])
def test_role_without_write_privilege_is_one_line(
    server: URL,
    api: ThreadedBotApi,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    arguments: list[str],
) -> None:
    monkeypatch.setenv("BOT_TOKEN", api.api.world.token)
    monkeypatch.setenv("BOT_API_URL", api.url)
    with enter_in_own_loop(create_role(server)) as role:
        monkeypatch.setenv("DATABASE_URL", format_url(role))
        start = f"twentyfour-bot: DATABASE_URL: the role {role.username!r} may "
        assert run_refused_command(capfd, *arguments) == f"{start}make no tables in the schema 'public'\n"
        monkeypatch.setenv("DATABASE_URL", format_url(server))
        assert command.run_command(["migrate"]) == 0
        asyncio.run(run_as_owner(server, f'GRANT SELECT ON ALL TABLES IN SCHEMA public TO "{role.username}"'))
        capfd.readouterr()
        monkeypatch.setenv("DATABASE_URL", format_url(role))
        assert run_refused_command(capfd, *arguments).startswith(
            f"{start}not read and write achievements and "
        )
        assert command.run_command(arguments) == 2


@pytest.mark.parametrize(("state", "code"), [("42501", 2), ("25006", 1)])
def test_privilege_lost_later_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], state: str, code: int
) -> None:
    # A person has to grant a privilege; a read-only server may be writable again by itself.
    async def serve(_: Settings) -> None:
        error = Exception("permission denied for table meta")
        error.sqlstate = state  # type: ignore[attr-defined]
        raise ProgrammingError("INSERT", {}, error)

    monkeypatch.setattr(command, "serve_telegram", serve)
    monkeypatch.setenv("BOT_TOKEN", TOKEN)
    assert command.run_command([]) == code
    closed = "DATABASE_URL: the database takes no writes; is it a standby, or set to be read only?"
    why = closed if code == 1 else "the database failed: Exception: permission denied for table meta"
    assert capfd.readouterr() == ("", f"twentyfour-bot: {why}\n")


def test_guessable_secret_is_warned_of_at_the_start(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    async def serve(_: Settings) -> None:
        """Return at once."""

    monkeypatch.setattr(command, "serve_telegram", serve)
    for name, value in {"BOT_TOKEN": TOKEN, "WEBHOOK_URL": "https://example.org/hook"}.items():
        monkeypatch.setenv(name, value)
    for secret, weak in ("abc-" * 5, True), (token_hex(32), False):
        monkeypatch.setenv("WEBHOOK_SECRET", secret)
        assert command.run_command([]) == 0
        assert ("WEBHOOK_SECRET: it is made of few different" in capfd.readouterr().err) is weak


def test_too_many_workers_are_warned_of_at_the_start(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    async def serve(_: Settings) -> None:
        """Return at once."""

    monkeypatch.setattr(command, "serve_telegram", serve)
    monkeypatch.setattr(machine, "count_processors", lambda: 4)
    monkeypatch.setenv("BOT_TOKEN", TOKEN)
    for workers, expected in (
        ("5", "SOLVER_WORKERS: 5 processes share 4 processors; set it to 4\n"),
        ("4", ""),
    ):
        monkeypatch.setenv("SOLVER_WORKERS", workers)
        assert command.run_command([]) == 0
        assert capfd.readouterr().err.partition("bot.cli: ")[2] == expected


def test_unknown_argument_is_refused(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        command.run_command(["--nonsense"])
    assert caught.value.code == 2
    assert capfd.readouterr().out == ""


def test_help_describes_the_commands(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        command.run_command(["--help"])
    assert caught.value.code == 0
    result = capfd.readouterr().out
    assert "BOT_TOKEN" in result
    assert "commands:\n  Use them while the bot runs, unless they say to stop it first.\n" in result


# Real processes


async def start_bot(
    stdin: int = asyncio.subprocess.DEVNULL, **environment: str
) -> asyncio.subprocess.Process:
    """Start the bot as a process."""
    whole = {**os.environ, **environment}
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "bot",
        cwd=ROOT,
        env=whole,
        stdin=stdin,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


async def read_refusal(process: asyncio.subprocess.Process) -> str:
    """Wait until the process has refused to start; return its only line."""
    out, error = await asyncio.wait_for(process.communicate(b"" if process.stdin else None), 120)
    assert process.returncode not in {0, None}
    assert out == b""
    assert error.count(b"\n") == 1, error.decode()
    return error.decode()


@pytest.mark.long
async def test_json_format_covers_the_exit_line() -> None:
    result = await read_refusal(
        await start_bot(BOT_TOKEN=TOKEN, WEBHOOK_URL="https://bot.example.org/t", LOG_FORMAT="json")
    )
    assert json.loads(result)["message"].startswith("WEBHOOK_SECRET: missing")


@pytest.mark.long
async def test_json_format_covers_every_line(api: ThreadedBotApi) -> None:
    playing = await start_bot(BOT_TOKEN=api.api.world.token, BOT_API_URL=api.url, LOG_FORMAT="json")
    assert playing.stderr is not None
    lines = list[str]()
    async with asyncio.timeout(120):
        while not lines or "is ready" not in lines[-1]:
            lines.append((await playing.stderr.readline()).decode())
            assert lines[-1], lines
        playing.terminate()
        _, rest = await playing.communicate()
        lines += rest.decode().splitlines()
        assert playing.returncode == 0
    result = [json.loads(line) for line in lines]
    assert {each["process"] for each in result} == {f"{socket.gethostname()}:{playing.pid}"}
    assert result[-1]["message"].startswith("stopped by SIGTERM, in order and in ")


@pytest.mark.long
@pytest.mark.parametrize("stdin", [asyncio.subprocess.DEVNULL, asyncio.subprocess.PIPE], ids=["null", "pipe"])
@pytest.mark.parametrize("empty", ["", "  "])
async def test_empty_token_without_terminal_is_an_error(stdin: int, empty: str) -> None:
    # systemd, containers and cron start it like this with an unfilled file of settings.
    process = await start_bot(stdin, BOT_TOKEN=empty)
    result = await read_refusal(process)
    assert process.returncode == 2
    assert result == (
        "twentyfour-bot: BOT_TOKEN: empty, and nobody types here; set it to the token from @BotFather "
        "(not set at all, a chat opens in the terminal)\n"
    )


@pytest.mark.long
@pytest.mark.exhaustive
async def test_console_plays_on_a_free_server() -> None:
    async with fresh_database() as url:
        address = format_url(url)
        chat = await start_bot(asyncio.subprocess.PIPE, DATABASE_URL=address)
        out, error = await asyncio.wait_for(chat.communicate(b"/play\n/leaderboard\n"), 120)
        assert (chat.returncode, error) == (0, b"")
        assert " → 24" in out.decode()
        store = await Store.open(url, AccessMode.SHARED)
        try:
            beside = await start_bot(asyncio.subprocess.PIPE, DATABASE_URL=address)
            out, error = await asyncio.wait_for(beside.communicate(b"/play\n"), 120)
        finally:
            await store.close()
        assert beside.returncode == 2
        assert "already" in error.decode().splitlines()[-1]


@pytest.mark.long
def test_refused_token_is_one_line(
    api: ThreadedBotApi, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("BOT_TOKEN", TOKEN)
    monkeypatch.setenv("BOT_API_URL", api.url)
    line = run_refused_command(capfd)
    assert line == "twentyfour-bot: BOT_TOKEN: Telegram refuses it\n"


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::ResourceWarning")  # the server drops the socket that it could not bind
def test_taken_port_is_one_line(
    api: ThreadedBotApi, taken_port: int, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("BOT_TOKEN", api.api.world.token)
    monkeypatch.setenv("BOT_API_URL", api.url)
    monkeypatch.setenv("WEBHOOK_URL", "http://127.0.0.1:8443/telegram")
    monkeypatch.setenv("WEBHOOK_LISTEN", f"127.0.0.1:{taken_port}")
    monkeypatch.setenv("WEBHOOK_SECRET", token_hex(32))
    monkeypatch.setenv("LOG_LEVEL", "WARNING")
    assert "canary" not in run_refused_command(capfd)
    gc.collect()


@pytest.mark.parametrize("arguments", [["--version"], ["-V"], ["backup", "-V"], ["dead", "--version"]])
def test_version_needs_no_settings(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    monkeypatch.setenv("DATABASE_URL", "nonsense")
    with pytest.raises(SystemExit) as caught:
        command.run_command(arguments)
    assert caught.value.code == 0
    assert capsys.readouterr() == (f"twentyfour-bot {__version__}\n", "")


@pytest.mark.long
def test_service_does_not_import_the_terminal() -> None:
    code = "import sys, bot.cli; print(sorted({'prompt_toolkit', 'wcwidth'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == "[]\n"


def test_backup_is_written_and_restored(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file, copy = tmp_path / "games.sqlite3", tmp_path / "copy"
    assert (
        run_refused_command(capfd, "backup", str(copy))
        == f"twentyfour-bot: there is no database {str(file)!r}\n"
    )
    assert (
        run_refused_command(capfd, "restore", str(copy))
        == f"twentyfour-bot: there is no database {str(copy)!r}\n"
    )
    asyncio.run(_create_database())
    assert command.run_command(["backup", str(copy)]) == 0
    assert capfd.readouterr().out == f"{copy}: {copy.stat().st_size} bytes, checked\n"
    there = f"twentyfour-bot: {str(copy)!r} is there already; name a new file, or replace it with --force\n"
    assert run_refused_command(capfd, "backup", str(copy)) == there
    assert command.run_command(["backup", "--force", str(copy)]) == 0
    assert capfd.readouterr().out == f"{copy}: {copy.stat().st_size} bytes, checked\n"
    folder, today = tmp_path / "daily", time.strftime("%Y-%m-%d")
    folder.mkdir()
    (folder / "twentyfour-2024-02-29.sqlite3").touch()
    assert command.run_command(["backup", "--keep", "1", str(folder)]) == 0
    (daily,) = folder.iterdir()
    assert daily.name in {f"twentyfour-{day}.sqlite3" for day in (today, time.strftime("%Y-%m-%d"))}
    assert capfd.readouterr().out == f"{daily}: {daily.stat().st_size} bytes, checked\n"
    with closing(sqlite3.connect(file)) as database:
        ((noted,),) = database.execute("SELECT value FROM meta WHERE key = 'backed up'").fetchall()
    assert abs(time.time() - int(noted)) < 600
    assert command.run_command(["restore", str(copy)]) == 0
    kept = f"the former one is kept as {file}.former"
    assert capfd.readouterr().out == f"{file}: restored and checked; {kept}\n"


@pytest.mark.parametrize("odd", ["%41é", "#b", "?c", "%41é#b?c d"])
def test_database_path_is_the_same_for_every_command(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, odd: str
) -> None:
    folder = tmp_path / odd
    file, copy, other = (
        _use_default_file(monkeypatch, folder),
        folder / "copy",
        folder / "other" / "games.sqlite3",
    )
    target = URL.create("sqlite", database=str(other)).render_as_string(hide_password=False)
    for asked in (["migrate"], ["backup", str(copy)], ["restore", str(copy)], ["dead"], ["move", target]):
        assert command.run_command(asked) == 0, capfd.readouterr().err
    assert command.run_command(["check"]) == 1  # as it has no token
    assert f"✓ DATABASE_URL: {str(file)!r} is whole" in capfd.readouterr().out
    assert [path.name for path in tmp_path.iterdir()] == [odd]
    assert {path.name for path in folder.iterdir()} == {"copy", "other", "twentyfour"}
    assert other.is_file()


def test_migrate_names_the_database(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert command.run_command(["migrate"]) == 0
    has = "has this version's tables\n"
    assert capfd.readouterr() == (f"the database '{tmp_path}/games.sqlite3' {has}", "")
    file = _use_default_file(monkeypatch, tmp_path)
    assert command.run_command(["migrate"]) == 0
    assert capfd.readouterr() == (f"the database '{file}' {has}", _make_default_file_note(file))


def _use_default_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Unset DATABASE_URL; return the default file."""
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    return tmp_path / "twentyfour" / "twentyfour.sqlite3"


def _make_default_file_note(file: Path) -> str:
    return (
        f"twentyfour-bot: DATABASE_URL is not set, so {str(file)!r} is taken, a file of whoever runs this;"
        " load the bot's own settings first: set -a; . /etc/twentyfour/bot.env; set +a\n"
    )


@pytest.mark.long
def test_tool_announces_the_default_database(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # On standard error, since a program may read the output.
    file, copy = _use_default_file(monkeypatch, tmp_path), tmp_path / "copy"
    asyncio.run(_create_database())
    assert command.run_command(["backup", str(copy)]) == 0
    assert capfd.readouterr() == (
        f"{copy}: {copy.stat().st_size} bytes, checked\n",
        _make_default_file_note(file),
    )
    assert command.run_command(["dead"]) == 0
    assert capfd.readouterr() == ("nothing was set aside\n", _make_default_file_note(file))
    assert command.run_command(["restore", str(copy)]) == 0
    kept = f"the former one is kept as {file}.former"
    assert capfd.readouterr() == (f"{file}: restored and checked; {kept}\n", _make_default_file_note(file))
    assert command.run_command(["move", f"sqlite:///{tmp_path / 'other.sqlite3'}"]) == 0
    out, error = capfd.readouterr()
    assert (out.startswith("copying everything and verifying the copy\n"), error) == (
        True,
        _make_default_file_note(file),
    )


@pytest.mark.long
@pytest.mark.parametrize(
    "asked", [[], ["migrate"], ["dead"], ["backup", "b"], ["restore", "copy"], ["move", "sqlite:///other"]]
)
@pytest.mark.parametrize("given", [True, False])
def test_unreadable_database_folder_is_one_line(
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    asked: list[str],
    given: bool,
) -> None:
    # A path too long fails for root too, unlike the folder of another user.
    monkeypatch.chdir(tmp_path)
    asyncio.run(_create_database())
    assert command.run_command(["backup", "copy"]) == 0
    capfd.readouterr()
    if given:
        monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path}/{'x' * 300}/games.sqlite3")
    else:
        _use_default_file(monkeypatch, tmp_path / ("x" * 300))
    result = run_refused_command(capfd, *asked)
    assert (": File name too long" in result, "x/" in result) == (True, True)
    assert ("load the bot's own settings first" in result) is not (given or not asked)
    assert command.run_command(asked) == 2


@pytest.mark.long
@pytest.mark.parametrize("asked", [["backup"], ["backup", "--force"], ["restore"]])
def test_unreadable_backup_folder_is_one_line(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, asked: list[str]
) -> None:
    asyncio.run(_create_database())
    for name in ("x" * 300, f"{'x' * 300}/b"):
        assert ": File name too long" in run_refused_command(capfd, *asked, str(tmp_path / name))


def test_json_format_covers_the_default_database_note(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    _use_default_file(monkeypatch, tmp_path)
    asyncio.run(_create_database())
    monkeypatch.setenv("LOG_FORMAT", "json")
    assert command.run_command(["dead"]) == 0
    line = json.loads(capfd.readouterr().err)
    assert (line["level"], line["message"][:24]) == ("WARNING", "DATABASE_URL is not set,")


def test_tool_refuses_a_missing_default_database(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asyncio.run(_create_database())
    copy = tmp_path / "copy"
    assert command.run_command(["backup", str(copy)]) == 0
    capfd.readouterr()
    file, before = _use_default_file(monkeypatch, tmp_path), sorted(tmp_path.iterdir())
    result = (
        "twentyfour-bot: DATABASE_URL: not set, so a file of whoever runs this would be taken, and there is"
        f" no database {str(file)!r} (DATABASE_URL may name that, too); load the bot's own settings first:"
        " set -a; . /etc/twentyfour/bot.env; set +a\n"
    )
    target = f"sqlite:///{tmp_path / 'other.sqlite3'}"
    for asked in (["backup", "b"], ["move", target], ["dead"], ["dead", "--drop"]):
        assert command.run_command(asked) == 2
        assert capfd.readouterr() == ("", result)
    assert sorted(tmp_path.iterdir()) == before
    assert command.run_command(["restore", str(copy)]) == 0  # the file was lost: the copy takes its place
    assert capfd.readouterr() == (f"{file}: restored and checked\n", _make_default_file_note(file))


@pytest.mark.long
def test_server_is_named_without_password(
    server: URL, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", format_url(server.set(password="canary")))  # noqa: S106 - opens nothing
    assert command.run_command(["migrate"]) == 0
    where = f"{server.host}:{server.port or 5432}"
    expected = f"the database {server.database!r} at {where} has this version's tables\n"
    assert capfd.readouterr().out == expected


async def _create_database() -> None:
    await (await Store.open(read_settings(os.environ).database)).close()


@pytest.mark.long
def test_move_copies_everything(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asyncio.run(_create_database())
    target = f"sqlite:///{tmp_path / 'other.sqlite3'}"
    assert run_refused_command(capfd, "move", "mysql://h/d").startswith(
        "twentyfour-bot: the target: 'mysql' is not known"
    )
    assert command.run_command(["move", "foo"]) == 2
    expected = "twentyfour-bot: the target: not an address; try sqlite:///path or postgresql://…\n"
    assert capfd.readouterr().err == expected
    empty = "twentyfour-bot: the target: it is empty; set TARGET_DATABASE_URL, as to postgresql://user@host/"
    for nothing in ([], [""], [" "]):  # as of a variable of the shell that is not set
        assert run_refused_command(capfd, "move", *nothing).startswith(empty)
    monkeypatch.setenv("TARGET_DATABASE_URL", target)
    assert command.run_command(["move"]) == 0
    *tables, last = capfd.readouterr().out.splitlines()
    assert f"chats: 0 rows, {'0' * 12}" in tables
    assert last == "all is moved and checked: set DATABASE_URL to it; the former one is left as it was"
    monkeypatch.setenv("DATABASE_URL", target)
    asyncio.run(_create_database())
    assert run_refused_command(capfd, "move", target) == "twentyfour-bot: that is the same database\n"


IMPORTING = """
import os, signal, sys

class Slow:
    def find_spec(self, name, *_):
        if name == "bot.cli":
            os.kill(os.getpid(), signal.SIGTERM)

sys.argv = ["twentyfour-bot", *sys.argv[1:]]
sys.meta_path.insert(0, Slow())
from bot.__main__ import main
main()
"""


@pytest.mark.parametrize(("arguments", "code"), [([], 0), (["backup", "copy.sqlite3"], -signal.SIGTERM)])
def test_sigterm_during_import_fails_only_a_tool(arguments: list[str], code: int) -> None:
    command = [sys.executable, "-c", IMPORTING, *arguments]
    ran = subprocess.run(command, capture_output=True, check=False, timeout=60)
    assert (ran.returncode, ran.stdout, ran.stderr) == (code, b"", b"")


def test_bot_without_its_packages_says_what_to_install() -> None:
    command = [sys.executable, "-S", "-m", "bot", "--version"]  # without the folder of installed packages
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)
    assert (ran.returncode, ran.stdout, ran.stderr.count("\n")) == (2, "", 1)
    assert ran.stderr.endswith(" and other packages; in a clone of the project run pip install '.[bot]'\n")


def test_failed_login_is_printed_with_its_remedy(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    # For the bot's own database and for a move's target.
    with enter_in_own_loop(fresh_database()) as server, enter_in_own_loop(create_role(server)) as role:
        asyncio.run(run_as_owner(server, f'ALTER ROLE "{role.username}" NOLOGIN'))
        address = role.set(drivername="postgresql").render_as_string(False)
        login = f"'ALTER ROLE \"{role.username}\" LOGIN'"
        mends = f"not permitted to log in; let it: sudo -u postgres psql -c {login}"
        monkeypatch.setenv("DATABASE_URL", address)
        assert command.run_command(["migrate"]) == 2
        result = capfd.readouterr().err
        assert (mends in result, "canary" in result, result.count("\n")) == (True, False, 1)
        monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path}/games.sqlite3")
        assert command.run_command(["migrate"]) == 0
        capfd.readouterr()
        assert command.run_command(["move", address]) == 2
        result = capfd.readouterr().err
        assert (mends in result, "canary" in result, result.count("\n")) == (True, False, 1)
