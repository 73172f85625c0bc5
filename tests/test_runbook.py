"""The commands in `deploy/README.md`: each does what the page says, as far as it can be run here."""

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import insert
from sqlalchemy.engine import make_url

from bot.database import Store, Tx
from bot.database.backup import write_backup
from bot.database.schema import inbox, outbox

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"(?:/opt/twentyfour/bin/)?twentyfour-bot\b")
DATABASE = "sqlite:////var/lib/twentyfour/twentyfour.sqlite3"
SERVER = "postgresql://twentyfour:PASSWORD@127.0.0.1/twentyfour"
BACKUPS = ("twentyfour-2026-11-23.sqlite3",)  # that the page supposes to exist
FOLDERS = ("/var/lib/twentyfour", "/var/backups")


def list_commands() -> list[str]:
    """Return every command of the bot on the page, without prompt and remark."""
    blocks = BLOCK.findall((ROOT / "deploy" / "README.md").read_text("utf-8"))
    lines = [line for block in blocks for line in block.splitlines() if line.startswith(("$ ", "# "))]
    commands = [line[2:].partition("  #")[0].strip() for line in lines]
    commands = [line.removeprefix("docker compose exec bot ") for line in commands]
    return [line for line in commands if COMMAND.match(line)]


def insert_dead_letters(tx: Tx) -> None:
    """Insert an update and a request that were set aside, both with the number 12."""
    update = {"update_id": 12, "lane": -1, "body": "{}", "state": "dead", "trouble": "KeyError", "at": 1.0}
    request = {
        "id": 12,
        "lane": -1,
        "body": json.dumps({"method": "sendMessage"}),
        "state": "dead",
        "at": 1.0,
    }
    tx.execute(insert(inbox).values(update))
    tx.execute(insert(outbox).values(request))


@pytest.fixture
async def run_command(tmp_path: Path) -> Callable[[str], "subprocess.CompletedProcess[str]"]:
    """Return a function that runs a command of the page on a database and folders under `tmp_path`."""
    for folder in FOLDERS:
        (tmp_path / folder[1:]).mkdir(parents=True)
    address = DATABASE.replace("/var", f"{tmp_path}/var")
    store = await Store.open(make_url(address))
    await store.write(insert_dead_letters)
    await store.close()
    for name in BACKUPS:
        write_backup(make_url(address), tmp_path / "var" / "backups" / name)
    environment = {key: value for key, value in os.environ.items() if not key.startswith("WEBHOOK")}
    environment |= {"DATABASE_URL": address, "BOT_TOKEN": "", "PYTHONPATH": str(ROOT)}
    environment |= {"TARGET_DATABASE_URL": f"sqlite:///{tmp_path}/moved.sqlite3"}

    def run(command: str) -> "subprocess.CompletedProcess[str]":
        line = COMMAND.sub(f"{shlex.quote(sys.executable)} -m bot", command, count=1)
        line = re.sub(r'(?<=[ "])/var/', f"{tmp_path}/var/", line)
        line = line.replace("sqlite:////var/", f"sqlite:///{tmp_path}/var/")
        return subprocess.run(
            ["sh", "-c", line], env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
        )

    return run


def test_page_shows_every_tool() -> None:
    words = {tuple(command.split()[1:3]) for command in list_commands()}
    assert {("dead",), ("dead", "--retry"), ("dead", "--drop")} <= words
    assert {"check", "migrate", "move", "restore"} <= {command.split()[1] for command in list_commands()}
    assert sum(command.split()[1] == "backup" for command in list_commands()) == 3


@pytest.mark.long
@pytest.mark.parametrize("command", sorted(set(list_commands())))
def test_command_of_page_works(
    command: str, run_command: Callable[[str], "subprocess.CompletedProcess[str]"]
) -> None:
    result = run_command(command)
    lacks_a_token = command.endswith(" check")
    assert (result.returncode, result.stderr) == (int(lacks_a_token), "")
    expected = {" backup ": "bytes, checked", "--retry": "1 will be tried again", "--drop": "1 dropped"}
    expected |= {"move": "all is moved and checked", "migrate": "has this version's tables"}
    expected |= {"restore": "restored and checked", "check": "✗ BOT_TOKEN: empty"}
    word = next((word for word in expected if word in command), "")
    assert expected.get(word, "u12 ") in result.stdout


def test_page_moves_to_postgresql_and_back() -> None:
    moves = [command.split()[2:] for command in list_commands() if command.split()[1] == "move"]
    assert moves == [[], ["sqlite:////var/lib/twentyfour/back.sqlite3"]]
    assert f"export TARGET_DATABASE_URL   # {SERVER}\n" in (ROOT / "deploy" / "README.md").read_text("utf-8")
