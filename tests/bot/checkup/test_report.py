"""`twentyfour-bot check`: each planted mistake is found, with its remedy."""

import asyncio
import logging
import os
import shutil
import socket
import sqlite3
import threading
import time
from collections import namedtuple
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import cast

import pytest
from sqlalchemy.engine import URL

from bot import cli as command
from bot import settings
from bot.checkup import report
from bot.database import AccessMode, Store
from bot.database.sqlite import acquire_file_lock
from bot.queue.replicas import queries as replicas
from bot.queue.replicas.settings_comparison import SharedSettings, make_shared_settings
from bot.settings import VARIABLES, read_settings
from tests.bot.postgres import enter_in_own_loop, migrated_database
from tests.telegram import ThreadedBotApi, World
from tests.telegram.updates import Webhook

SECRETS = ("canary", "AAE-made_up")
SECRET = "canary_5fK2q8Zr1mXw"  # noqa: S105 - opens nothing
FOREIGN = "123456789:AAE-made_up_0123456789_0123456789"
HOOKED = {"WEBHOOK_URL": "https://bot.example.org/telegram", "WEBHOOK_SECRET": SECRET}
NO_TOKEN = {"BOT_TOKEN": "canary"}
Usage = namedtuple("Usage", "total used free")


class Pages(BaseHTTPRequestHandler):
    """A server that knows no Bot API method."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.send_error(404)

    def log_message(self, *_: object) -> None:
        """Write nothing."""


def make_foreign_database() -> bytes:
    """Return the file of another program's database."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE theirs (id)")
        return connection.serialize()


class Machine:
    """A machine without a mistake, until a test plants one."""

    def __init__(self, api: ThreadedBotApi, patch: pytest.MonkeyPatch, folder: Path) -> None:
        self.api, self.patch, self.folder = api, patch, folder
        self.world = api.api.world
        self.file = folder / "data" / "games.sqlite3"
        self.listeners: list[socket.socket] = []
        self.pages: ThreadingHTTPServer | None = None
        for key in VARIABLES:
            patch.delenv(key, raising=False)
        self.set(BOT_TOKEN=self.world.token, BOT_API_URL=api.url, DATABASE_URL=f"sqlite:///{self.file}")

    def set(self, **variables: str) -> None:
        for name, value in variables.items():
            self.patch.setenv(name, value)

    def unset(self, *names: str) -> None:
        for name in names:
            self.patch.delenv(name)

    def make_replica_settings(
        self, url: str | None = HOOKED["WEBHOOK_URL"], secret: str = SECRET
    ) -> SharedSettings:
        """Return the settings that a bot with this token shares with other replicas."""
        return make_shared_settings(int(self.world.token.partition(":")[0]), url, (secret,))

    def make_database(self, *statements: str) -> None:
        """Create the database as a start does, then run the statements."""

        async def start() -> None:
            await (await Store.open(read_settings(os.environ).database)).close()

        asyncio.run(start())
        self.file.parent.chmod(0o700)
        with closing(sqlite3.connect(self.file)) as connection, connection:
            for statement in statements:
                connection.execute(statement)

    def write_database(self, content: bytes) -> None:
        self.file.parent.mkdir()
        self.file.write_bytes(content)

    def damage_database(self) -> None:
        self.make_database()
        whole = bytearray(self.file.read_bytes())
        whole[4096 * 3 : 4096 * 5] = b"\xa5" * 8192
        self.file.write_bytes(whole)

    def make_readable_to_all(self) -> None:
        self.file.parent.chmod(0o755)
        self.file.chmod(0o644)

    def set_up_webhook(
        self, url: str = "https://bot.example.org/telegram", error: str = "", waiting: int = 0
    ) -> None:
        """Let Telegram post to the webhook that the variables name."""
        self.set(**HOOKED)
        self.set_telegram_webhook(url, error, waiting)

    def set_up_webhook_with(self, **variables: str) -> None:
        """Set up the webhook, then set variables that break it."""
        self.set_up_webhook()
        self.set(**variables)

    def set_telegram_webhook(self, url: str, error: str = "", waiting: int = 0) -> None:
        def act() -> None:
            updates = self.world.updates
            updates.webhook = Webhook(url, None, 40)
            updates.last_error = (int(time.time()) - 60, error) if error else None
            cast("dict[int, None]", updates.pending).update(dict.fromkeys(range(waiting)))

        self.api.do(act)

    def occupy_port(self, name: str) -> None:
        """Listen on a port and let the variable name it."""
        listener = socket.socket()
        self.listeners.append(listener)
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        self.set(**{name: f"127.0.0.1:{listener.getsockname()[1]}"})

    def serve_pages(self) -> None:
        """Let BOT_API_URL name a server that is no Bot API."""
        self.pages = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
        threading.Thread(target=self.pages.serve_forever, daemon=True).start()
        self.set(BOT_API_URL=f"http://127.0.0.1:{self.pages.server_port}")

    def leave_disk_space(self, free: int) -> None:
        self.patch.setattr(shutil, "disk_usage", lambda _: Usage(1 << 40, (1 << 40) - free, free))

    def shift_clock(self, off: float) -> None:
        found = report.run_checks
        self.patch.setattr(
            report,
            "run_checks",
            lambda given, _, unread, **fix: found(given, lambda: time.time() + off, unread, **fix),
        )


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Machine]:
    with ThreadedBotApi(World(privacy=False)) as api:
        made = Machine(api, monkeypatch, tmp_path)
        yield made
        for listener in made.listeners:
            listener.close()
        if made.pages:
            made.pages.shutdown()
            made.pages.server_close()


@pytest.fixture(autouse=True)
def _logging() -> Iterator[None]:
    """Restore the handlers of the log, which the command changes."""
    root = logging.getLogger()
    handlers, level = root.handlers, root.level
    yield
    root.handlers, root.level = handlers, level


@pytest.fixture
def _database(machine: Machine) -> None:
    machine.make_database()


def run_check(capfd: pytest.CaptureFixture[str]) -> tuple[int, list[str]]:
    """Run the check; return the exit code and the lines that do not begin with ✓, without the last two."""
    code, lines, _ = run_whole_check(capfd)
    return code, [line for line in lines if not line.startswith("✓")]


def run_whole_check(capfd: pytest.CaptureFixture[str], *options: str) -> tuple[int, list[str], str]:
    """Run the check; return the exit code, the lines of all findings, and the next step."""
    code = command.run_command(["check", *options])
    out, error = capfd.readouterr()
    assert error == ""
    assert not any(secret in out for secret in SECRETS), out
    *lines, count, next_step = out.splitlines()
    wrong = sum(line.startswith("✗") for line in lines)
    assert count == {0: "nothing is wrong", 1: "1 problem"}.get(wrong, f"{wrong} problems")
    assert code == (1 if wrong else 0)
    assert next_step.startswith("Next: ")
    return code, lines, next_step.removeprefix("Next: ")


@pytest.mark.usefixtures("_database")
def test_sound_setup_has_nothing_wrong(machine: Machine, capfd: pytest.CaptureFixture[str]) -> None:
    machine.set(HEALTH_LISTEN="127.0.0.1:0")
    assert command.run_command(["check"]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines] == [
        "✓ settings",
        "✓ DATABASE_URL",
        "✓ disk",
        "✓ HEALTH_LISTEN",
        "✓ BOT_TOKEN",
        "✓ privacy mode",
        "✓ updates",
        "✓ clock",
        "nothing is wrong",
        "Next",
    ]
    assert lines[4] == f"✓ BOT_TOKEN: @{machine.world.bot.username}"


Plant = Callable[[Machine], object]
MISTAKES: dict[str, tuple[Plant, str, str]] = {
    "a value that can't be used": (
        lambda m: m.set(SOLVER_WORKERS="none"),
        "✗ SOLVER_WORKERS: 'none' is not a number from 1 to 64",
        "correct it or leave it out",
    ),
    "no token": (
        lambda m: m.unset("BOT_TOKEN"),
        "✗ BOT_TOKEN: not set: only the chat",
        "send /newbot to @BotFather for a new bot; copy the whole token from @BotFather (/mybots, API Token)",
    ),
    "an empty token": (
        lambda m: m.set(BOT_TOKEN=""),
        "✗ BOT_TOKEN: empty",
        "send /newbot to @BotFather for a new bot",
    ),
    "a token that is none": (
        lambda m: m.set(**NO_TOKEN),
        "✗ BOT_TOKEN: not a bot token; BotFather's look like 123456789:AAE…",
        "copy the whole token from @BotFather (/mybots, API Token)",
    ),
    "a token that Telegram refuses": (
        lambda m: m.set(BOT_TOKEN=FOREIGN),
        "✗ BOT_TOKEN: 127.0.0.1 refuses it",
        "copy the whole token from @BotFather (/mybots, API Token)",
    ),
    "another server than Telegram's": (
        lambda m: m.serve_pages(),
        "✗ BOT_API_URL: what answers at 127.0.0.1 is no Bot API server",
        "name the root of one, or leave it out",
    ),
    "no network": (
        lambda m: m.set(BOT_API_URL="http://127.0.0.1:1"),
        "✗ network: 127.0.0.1 can't be reached: the connection was refused",
        "is there a network, a firewall, a proxy to be named in HTTPS_PROXY, and is BOT_API_URL right?",
    ),
    "a secret that is missing": (
        lambda m: m.set(WEBHOOK_URL="https://bot.example.org/telegram"),
        "✗ WEBHOOK_SECRET: missing; WEBHOOK_URL needs one",
        "put one into the bot's settings: echo WEBHOOK_SECRET=$(openssl rand -hex 32)",
    ),
    "a secret that is too short": (
        lambda m: m.set_up_webhook_with(WEBHOOK_SECRET="canary"),  # noqa: S106
        "✗ WEBHOOK_SECRET: not 16 to 256 characters of A-Z a-z 0-9 _ -",
        "put one into the bot's settings: echo WEBHOOK_SECRET=$(openssl rand -hex 32)",
    ),
    "a secret that can be guessed": (
        lambda m: m.set_up_webhook_with(WEBHOOK_SECRET="canary" * 3),
        "✗ WEBHOOK_SECRET: it is made of few different characters, so it can be guessed",
        "make one by chance: openssl rand -hex 32; and start the bot again",
    ),
    "a webhook that can't be read where Telegram posts": (
        lambda m: m.set_up_webhook_with(WEBHOOK_URL="bot.example.org"),
        "✗ WEBHOOK_URL: not an http:// or https:// address",
        "write the whole of it, as in https://bot.example.org/telegram; or leave it out",
    ),
    "another bot's webhook": (
        lambda m: m.set_telegram_webhook("https://other.example.org/canary"),
        "✗ WEBHOOK_URL: Telegram posts updates to other.example.org, and this bot would fetch them",
        "does another bot have this token?",
    ),
    "a webhook somewhere else": (
        lambda m: m.set_up_webhook("https://old.example.org/telegram"),
        "✗ WEBHOOK_URL: Telegram posts updates to another address, at old.example.org",
        "does another bot have this token?",
    ),
    "a proxy without a bot": (
        lambda m: m.set_up_webhook(error="Wrong response from the webhook: 502 Bad Gateway", waiting=2),
        "✗ webhook: 2 updates wait; ",
        "does the bot run, and does the proxy pass that path on to WEBHOOK_LISTEN?",
    ),
    "a bot that stores nothing": (
        lambda m: m.set_up_webhook(
            error="Wrong response from the webhook: 503 Service Unavailable", waiting=2
        ),
        "✗ webhook: 2 updates wait; ",
        "the bot can't store updates, as its log says, or none is behind the proxy: does the bot run",
    ),
    "a certificate that is none": (
        lambda m: m.set_up_webhook(error="SSL error {337047686, certificate verify failed}", waiting=3),
        "✗ webhook: 3 updates wait; ",
        "the certificate must be valid for that name",
    ),
    "a webhook that nobody hears": (
        lambda m: m.set_up_webhook(error="Connection refused", waiting=1),
        "✗ webhook: 1 update waits; ",
        "does the bot run, and does the proxy pass that path on to WEBHOOK_LISTEN?",
    ),
    "a secret that differs": (
        lambda m: m.set_up_webhook(error="Wrong response from the webhook: 403 Forbidden", waiting=2),
        "✗ webhook: 2 updates wait; ",
        "the secret differs",
    ),
    "a database that can't be made": (
        lambda m: m.file.parent.write_bytes(b"a file where the folder should be"),
        "✗ DATABASE_URL: ",
        "let the bot's own user write there, or name another place",
    ),
    "somebody else's file": (
        lambda m: m.write_database(make_foreign_database()),
        "✗ DATABASE_URL: the file ",
        "name the bot's own file, or put a backup in its place",
    ),
    "a newer version's database": (
        lambda m: m.make_database("UPDATE alembic_version SET version_num = '9999'"),
        "✗ DATABASE_URL: the database is at revision 9999, newer than this version's",
        "upgrade the bot",
    ),
    "an unreleased version's database": (
        lambda m: m.make_database("UPDATE alembic_version SET version_num = '0101'"),
        "✗ DATABASE_URL: the database was made by an unreleased version (revision 0101)",
        "use a new one, or a backup of 1.0 or later",
    ),
    "tables of no version": (
        lambda m: m.make_database("DELETE FROM alembic_version"),
        "✗ DATABASE_URL: the database has tables of this bot, and doesn't say of which version",
        "let a restore come to its end",
    ),
    "a damaged database": (
        lambda m: m.damage_database(),
        "✗ DATABASE_URL: ",
        "stop the bot and put a backup in its place",
    ),
    "a database server that is not there": (
        lambda m: m.set(DATABASE_URL="postgresql://ann:canary@127.0.0.1:1/games"),
        "✗ DATABASE_URL: the database at 127.0.0.1:1 can't be opened: the connection was refused",
        "start the server (systemctl start postgresql); or does it listen elsewhere than at 127.0.0.1:1?",
    ),
    "an @ in a password": (
        lambda m: m.set(DATABASE_URL="postgresql://ann:x@canary@127.0.0.1/games"),
        "✗ DATABASE_URL: an @ or a / of its user or password stands there as it is",
        "write each percent-encoded: @ as %40",
    ),
    "an address of no database": (
        lambda m: m.set(DATABASE_URL="games"),
        "✗ DATABASE_URL: not an address; try sqlite:///path or postgresql://…",
        "write postgresql://user:password@host:5432/database, with user and password percent-encoded",
    ),
    "a board that Telegram does not open": (
        lambda m: m.set(WEB_URL="http://bot.example.org/board"),
        "✗ WEB_URL: not https://, and Telegram opens no other; http:// is for 127.0.0.1 alone",
        "put a proxy with a certificate in front, and name its address, as in https://",
    ),
    "a token's file that is not there": (
        lambda m: m.set(BOT_TOKEN="", BOT_TOKEN_FILE="/none/token"),  # noqa: S106
        "✗ BOT_TOKEN_FILE: '/none/token' can't be read: No such file or directory",
        "correct it or leave it out",
    ),
    "a database's address that is given twice": (
        lambda m: m.set(DATABASE_URL_FILE="/none/url"),
        "✗ DATABASE_URL_FILE: DATABASE_URL is set as well; leave one of them out",
        "correct it or leave it out",
    ),
    "a secret's file that is not there": (
        lambda m: m.set_up_webhook_with(WEBHOOK_SECRET="", WEBHOOK_SECRET_FILE="/none/secret"),  # noqa: S106
        "✗ WEBHOOK_SECRET_FILE: '/none/secret' can't be read: No such file or directory",
        "correct it or leave it out",
    ),
    "a certificate that is not there": (
        lambda m: m.set(
            DATABASE_URL="postgresql://127.0.0.1/games?sslmode=verify-full&sslrootcert=/none.crt"
        ),
        "✗ DATABASE_URL: 'sslrootcert' names a file that can't be read, '/none.crt'",
        "is it there, for the bot's own user?",
    ),
    "an option of a file": (
        lambda m: m.set(DATABASE_URL="sqlite:///games.db?mode=ro"),
        "✗ DATABASE_URL: a file has no options here; leave out the question mark and the rest; in a path",
        "write postgresql://user:password@host:5432/database",
    ),
    "quotes that --env-file keeps": (
        lambda m: m.set(SOLVER_WORKERS="'2'"),
        "✗ SOLVER_WORKERS: it stands in quotes, which docker's --env-file keeps; leave out the quotes",
        "write SOLVER_WORKERS=… with nothing around the value",
    ),
    "a full disk": (
        lambda m: m.leave_disk_space(100 * 2**20),
        "✗ disk: 100 MiB are free where ",
        "make room",
    ),
    "a port that is taken": (
        lambda m: m.occupy_port("HEALTH_LISTEN"),
        "✗ HEALTH_LISTEN: 127.0.0.1:",
        "choose another port, or stop the program that uses it",
    ),
    "a clock that is behind": (
        lambda m: m.shift_clock(-93.0),
        "✗ clock: 9",
        "let the system keep it: `timedatectl set-ntp true`, or chrony",
    ),
    "no way into groups": (
        lambda m: setattr(m.world.profile, "joins_groups", False),
        "✗ groups: nobody can add the bot to a group",
        "twentyfour-bot check --fix; or @BotFather, /setjoingroups, Enable",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_planted_mistake_is_found(machine: Machine, capfd: pytest.CaptureFixture[str], name: str) -> None:
    plant, result, remedy = MISTAKES[name]
    plant(machine)
    code, lines = run_check(capfd)
    wrong = [place for place, line in enumerate(lines) if line.startswith("✗")]
    assert code == 1
    assert len(wrong) == 1, lines
    assert lines[wrong[0]].startswith(result)
    assert lines[wrong[0] + 1].startswith(f"    → {remedy}")


GROUP_LINK = "https://t.me/TwentyFourTestBot?startgroup=hello"


@pytest.mark.usefixtures("_database")
def test_next_step_is_to_start_a_bot_that_does_not_run(capfd: pytest.CaptureFixture[str]) -> None:
    _, _, next_step = run_whole_check(capfd)
    assert next_step == (
        "start the bot (make run, twentyfour-bot, or its service) and"
        f" add the bot to your group: {GROUP_LINK}, then write /play there"
    )


@pytest.mark.usefixtures("_database")
def test_next_step_is_to_add_a_running_bot_to_a_group(
    machine: Machine, capfd: pytest.CaptureFixture[str]
) -> None:
    with acquire_file_lock(machine.file):
        _, _, next_step = run_whole_check(capfd)
    assert next_step == f"add the bot to your group: {GROUP_LINK}, then write /play there"


A_GROUP = "INSERT INTO chats (id, kind) VALUES (-1001, 'supergroup')"
A_FORMER_GROUP = "INSERT INTO chats (id, kind, gone) VALUES (-1002, 'group', 1)"
A_PLAYER = "INSERT INTO chats (id, kind) VALUES (7, 'private')"


def test_next_step_is_to_play_where_the_bot_is_in_a_group(
    machine: Machine, capfd: pytest.CaptureFixture[str]
) -> None:
    machine.make_database(A_GROUP, A_FORMER_GROUP)
    with acquire_file_lock(machine.file):
        _, _, next_step = run_whole_check(capfd)
    assert next_step == "write /play in your group"


def test_left_groups_and_private_chats_are_no_group_to_play_in(
    machine: Machine, capfd: pytest.CaptureFixture[str]
) -> None:
    machine.make_database(A_FORMER_GROUP, A_PLAYER)
    with acquire_file_lock(machine.file):
        _, _, next_step = run_whole_check(capfd)
    assert next_step.startswith("add the bot to your group: ")


def test_next_step_after_privacy_is_off_is_to_add_the_bot_again(
    machine: Machine, capfd: pytest.CaptureFixture[str]
) -> None:
    machine.make_database(A_GROUP)
    machine.world.privacy = True
    with acquire_file_lock(machine.file):
        _, _, fixed = run_whole_check(capfd, "--fix")
        _, _, checked_again = run_whole_check(capfd, "--fix")
    assert fixed == "remove the bot from its groups and add it again, so that it reads plain answers"
    assert checked_again == "write /play in your group"


@pytest.mark.usefixtures("_database")
def test_next_step_is_to_solve_the_first_problem(machine: Machine, capfd: pytest.CaptureFixture[str]) -> None:
    machine.world.profile.joins_groups = False
    machine.set(LOG_LEVEL="loud")
    _, lines, next_step = run_whole_check(capfd)
    assert [line.partition(":")[0] for line in lines if line.startswith("✗")] == ["✗ LOG_LEVEL", "✗ groups"]
    assert next_step == "LOG_LEVEL: correct it or leave it out; deploy/bot.env.example shows every variable"


def read_account(machine: Machine) -> dict[str, bool]:
    """Return the settings that `--fix` changes, as Telegram has them."""
    me = machine.world.profile.getMe({}, {})
    return {
        key: me[key] for key in ("can_read_all_group_messages", "supports_inline_queries", "can_join_groups")
    }


def spoil_account(machine: Machine) -> None:
    """Switch on privacy mode, and off inline mode and groups."""
    machine.world.privacy = True
    machine.world.profile.answers_inline = machine.world.profile.joins_groups = False


@pytest.mark.usefixtures("_database")
def test_fix_changes_what_differs_and_checks_again(
    machine: Machine, capfd: pytest.CaptureFixture[str]
) -> None:
    machine.world.privacy = True
    machine.world.profile.answers_inline = False
    code, lines, _ = run_whole_check(capfd, "--fix")
    assert code == 0
    start = lines.index("✓ BOT_TOKEN: @TwentyFourTestBot")
    assert lines[start + 1 : start + 6] == [
        "✓ privacy mode: switched off; where the bot is in a group already, remove it and add it again",
        "    → to undo it, write to @BotFather: /setprivacy, @TwentyFourTestBot, Enable",
        "✓ inline mode: switched on",
        "    → to undo it, write to @BotFather: /setinline, @TwentyFourTestBot, /empty",
        "✓ privacy mode: off: the bot hears every answer in a group",
    ]
    assert all(read_account(machine).values())
    (request,) = machine.world.calls("setMySettings")
    assert request.params == {"can_read_all_group_messages": True, "supports_inline_queries": True}


@pytest.mark.usefixtures("_database")
def test_fix_lets_people_add_the_bot_to_groups(machine: Machine, capfd: pytest.CaptureFixture[str]) -> None:
    machine.world.profile.joins_groups = False
    code, lines, _ = run_whole_check(capfd, "--fix")
    assert code == 0
    assert "✓ groups: people may add the bot to groups from now on" in lines


@pytest.mark.usefixtures("_database")
def test_fix_changes_nothing_that_is_right(machine: Machine, capfd: pytest.CaptureFixture[str]) -> None:
    code, lines, _ = run_whole_check(capfd, "--fix")
    assert (code, machine.world.calls("setMySettings")) == (0, [])
    assert "✓ --fix: nothing to change" in lines


@pytest.mark.usefixtures("_database")
def test_check_alone_changes_nothing(machine: Machine, capfd: pytest.CaptureFixture[str]) -> None:
    spoil_account(machine)
    run_whole_check(capfd)
    assert not any(read_account(machine).values())


NOT_FIXED: dict[str, tuple[dict[str, object], str]] = {
    "an older server": (
        {"status": 404, "description": "Not Found"},
        "this server does not know setMySettings, which is new in Bot API 10.5; nothing was changed",
    ),
    "a refusal": (
        {"status": 400, "description": "Bad Request: not now"},
        "Telegram refuses setMySettings (BadRequest: Not now); nothing was changed",
    ),
    "a lost connection": (
        {"close": True},
        "Telegram did not answer setMySettings (NetworkError: ServerDisconnectedError)",
    ),
}


@pytest.mark.usefixtures("_database")
@pytest.mark.parametrize("name", NOT_FIXED)
def test_failed_fix_tells_the_words_for_botfather(
    machine: Machine, capfd: pytest.CaptureFixture[str], name: str
) -> None:
    spoil_account(machine)
    fault, state = NOT_FIXED[name]
    machine.world.faults.add("setMySettings", **fault)
    code, lines, next_step = run_whole_check(capfd, "--fix")
    words = (
        "write to @BotFather: /setprivacy, @TwentyFourTestBot, Disable;"
        " /setinline, @TwentyFourTestBot, 3 8 3 8; /setjoingroups, @TwentyFourTestBot, Enable"
    )
    at = lines.index(f"✗ --fix: {state}")
    assert (code, lines[at + 1], next_step) == (1, f"    → {words}", f"--fix: {words}")
    assert not any(read_account(machine).values())


@pytest.mark.usefixtures("_database")
def test_fix_without_network_says_so(machine: Machine, capfd: pytest.CaptureFixture[str]) -> None:
    machine.set(BOT_API_URL="http://127.0.0.1:1")
    code, lines, next_step = run_whole_check(capfd, "--fix")
    assert code == 1
    assert "✗ network: 127.0.0.1 can't be reached: the connection was refused" in lines
    assert next_step.startswith("network: is there a network")


NOTES: dict[str, tuple[Plant, str]] = {
    "privacy mode": (
        lambda m: setattr(m.world, "privacy", True),
        "· privacy mode: on: in groups it hears commands and replies to it alone",
    ),
    "inline mode": (lambda m: setattr(m.world.profile, "answers_inline", False), "· inline mode: off"),
    "a misspelled name": (lambda m: m.set(WEBHOOK_URI="canary"), "· WEBHOOK_URI: no variable of the bot"),
    "little room": (lambda m: m.leave_disk_space(500 * 2**20), "· disk: 500 MiB are free where "),
    "many workers": (lambda m: m.set(SOLVER_WORKERS="64"), "· SOLVER_WORKERS: 64 processes share "),
    "an older database": (
        lambda m: m.make_database("UPDATE alembic_version SET version_num = '0099'"),
        "· DATABASE_URL: '{file}' is at revision 0099, older than this version's",
    ),
    "a file for all to read": (
        lambda m: m.make_readable_to_all(),
        "· privacy: others on this machine may read ",
    ),
    "pages of health for everybody": (
        lambda m: m.set(HEALTH_LISTEN="0.0.0.0:0"),
        "· HEALTH_LISTEN: 0.0.0.0:0 is every address of this machine: ",
    ),
    "no webhook yet": (
        lambda m: m.set(**HOOKED),
        "· WEBHOOK_URL: no webhook is set yet: the next start sets it",
    ),
}


@pytest.mark.long
@pytest.mark.usefixtures("_database", "_earlier_release")
@pytest.mark.parametrize("name", NOTES)
def test_notes_are_no_mistakes(machine: Machine, capfd: pytest.CaptureFixture[str], name: str) -> None:
    plant, result = NOTES[name]
    plant(machine)
    code, lines = run_check(capfd)
    assert code == 0
    result = result.format(file=machine.file)
    assert [line for line in lines if line.startswith(result)], lines
    assert len([line for line in lines if line.startswith("·")]) == 1, lines


@pytest.mark.long
@pytest.mark.usefixtures("_database")
@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("DATABASE_URl", "DATABASE_URL"),  # set as well, and yet nobody means it otherwise
        ("database_url", "DATABASE_URL"),
        ("WEBHOOK_URI", "WEBHOOK_URL"),
        ("LOGFORMAT", "LOG_FORMAT"),
        ("KEEPDAYS", "KEEP_DAYS"),
    ],
)
def test_misspelled_variables_are_reported(
    machine: Machine, capfd: pytest.CaptureFixture[str], name: str, meant: str
) -> None:
    machine.set(**{name: "canary"})
    assert run_check(capfd) == (0, [f"· {name}: no variable of the bot", f"    → is {meant} meant?"])


def test_default_file_is_named(machine: Machine, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    machine.set(XDG_DATA_HOME=str(tmp_path))
    machine.unset("DATABASE_URL")
    _, lines = run_check(capfd)
    file = f"{tmp_path}/twentyfour/twentyfour.sqlite3"
    assert lines[:3] == [
        "· DATABASE_URL: not set, so your own user's default file was checked, which may not be the bot's",
        "    → load the bot's own settings first: set -a; . /etc/twentyfour/bot.env; set +a",
        f"· DATABASE_URL: '{file}' is not there yet: the first start makes it",
    ]


@pytest.mark.parametrize("what", [{"BOT_TOKEN": ""}, NO_TOKEN, {"BOT_API_URL": "bot.example.org"}])
@pytest.mark.usefixtures("_database")
def test_skipped_checks_of_telegram_are_reported(
    machine: Machine, capfd: pytest.CaptureFixture[str], what: dict[str, str]
) -> None:
    # Silence would be taken for success.
    machine.set(**what)
    _, lines = run_check(capfd)
    assert lines[2:] == [
        "· Telegram: not asked, so the webhook, groups and the clock were not checked",
        "    → solve the problems above, then check again",
    ]
    assert machine.world.requests == []


@pytest.mark.long
def test_unreadable_database_url_checks_no_other_database(
    machine: Machine, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    machine.set(
        XDG_DATA_HOME=str(tmp_path), DATABASE_URL=f"sqlite:///{tmp_path}/twentyfour/twentyfour.sqlite3"
    )
    machine.file = tmp_path / "twentyfour" / "twentyfour.sqlite3"
    machine.make_database()
    machine.make_readable_to_all()
    machine.set(DATABASE_URL="games")
    assert command.run_command(["check"]) == 1
    lines = capfd.readouterr().out.splitlines()
    assert [line for line in lines if "disk" in line or "privacy:" in line] == []


@pytest.mark.long
@pytest.mark.usefixtures("_database")
def test_running_bot_is_no_mistake_and_is_left_alone(
    machine: Machine, capfd: pytest.CaptureFixture[str]
) -> None:
    machine.occupy_port("HEALTH_LISTEN")
    before = machine.file.read_bytes()
    held = acquire_file_lock(machine.file)
    assert held is not None
    with held:
        code, lines = run_check(capfd)
    where = os.environ["HEALTH_LISTEN"]
    expected = f"· HEALTH_LISTEN: {where} is in use: by a bot that runs, or another program"
    assert (code, lines) == (0, [expected])
    assert machine.file.read_bytes() == before
    assert {request.method for request in machine.world.requests} == {"getMe", "getWebhookInfo"}


@pytest.mark.long
def test_replicas_that_run_are_no_mistake(machine: Machine, capfd: pytest.CaptureFixture[str]) -> None:
    # Their ports are taken, as their settings say.
    with _use_server(machine) as server:
        machine.set_up_webhook()
        for name in ("HEALTH_LISTEN", "WEBHOOK_LISTEN"):
            machine.occupy_port(name)
        asyncio.run(_insert_replica(server, machine.make_replica_settings()))
        code, lines = run_check(capfd)
        assert (code, [line.partition(":")[0] for line in lines]) == (
            0,
            ["· HEALTH_LISTEN", "· WEBHOOK_LISTEN"],
        )


@pytest.mark.long
@pytest.mark.usefixtures("_database")
@pytest.mark.parametrize("running", [False, True])
def test_impossible_address_is_wrong_even_while_a_bot_runs(
    machine: Machine, capfd: pytest.CaptureFixture[str], running: bool
) -> None:
    def resolve(host: str | None, *rest: object, **kinds: object) -> object:
        if host == "nohost.invalid":
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return there(host, *rest, **kinds)  # type: ignore[arg-type]

    there = socket.getaddrinfo
    machine.patch.setattr(socket, "getaddrinfo", resolve)
    machine.set(WEBHOOK_LISTEN="nohost.invalid:8081", HEALTH_LISTEN="10.255.255.1:8081")
    machine.set_up_webhook()
    held = acquire_file_lock(machine.file) if running else None
    _, lines = run_check(capfd)
    if held is not None:
        held.close()
    remedy = "    → name an address of this machine's, as 127.0.0.1"
    assert lines == [
        "✗ HEALTH_LISTEN: 10.255.255.1:8081 can't be listened on: Cannot assign requested address",
        remedy,
        "✗ WEBHOOK_LISTEN: nohost.invalid:8081 can't be listened on: Name or service not known",
        remedy,
    ]


@pytest.mark.usefixtures("_database")
def test_unreadable_api_url_sends_no_request(machine: Machine, capfd: pytest.CaptureFixture[str]) -> None:
    # The token must not reach Telegram's own server either.
    machine.patch.setattr(settings, "TELEGRAM_API_URL", machine.api.url)
    machine.set(BOT_API_URL="bot.example.org:8081")
    expected = "✗ BOT_API_URL: not an http:// or https:// address"
    assert run_check(capfd)[1][0] == expected
    assert machine.world.requests == []


@contextmanager
def _use_server(machine: Machine) -> Iterator[URL]:
    """Let DATABASE_URL name a new database on a PostgreSQL server."""
    with enter_in_own_loop(migrated_database()) as server:
        machine.set(DATABASE_URL=server.set(drivername="postgresql").render_as_string(False))
        yield server


async def _insert_replica(server: URL, shown: SharedSettings) -> None:
    store = await Store.open(server, AccessMode.SHARED)
    assert await store.write(lambda tx: replicas.insert_replica(tx, "a", shown, "a", 60.0)) == ""
    await store.close()


@pytest.mark.usefixtures("_database")
def test_all_mistakes_are_reported_at_once(machine: Machine, capfd: pytest.CaptureFixture[str]) -> None:
    machine.set(SOLVER_WORKERS="0", HEALTH_LISTEN="here", LOG_LEVEL="loud")
    machine.world.profile.joins_groups = False
    _, lines = run_check(capfd)
    assert [line.split(":")[0] for line in lines if line.startswith("✗")] == [
        *("✗ SOLVER_WORKERS", "✗ HEALTH_LISTEN", "✗ LOG_LEVEL", "✗ groups"),
    ]
