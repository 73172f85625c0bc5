"""The commands in the operators' pages: each does what its page says, as far as it can be run here."""

import ast
import json
import os
import re
import shlex
import shutil
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
from bot.settings import VARIABLES, read_settings
from tests.operator_pages import list_blocks, list_commands, read_page, read_script

ROOT = Path(__file__).parent.parent
CONTAINER = re.compile(r"docker (?:compose run --rm bot|run --rm .* twentyfour) ")
DATABASE = "sqlite:////var/lib/twentyfour/twentyfour.sqlite3"
FOLDERS = ("/var/lib/twentyfour", "/var/backups")


def list_tool_commands() -> list[str]:
    """Return every command of the bot on the pages, those in a container as `twentyfour-bot` as well."""
    commands = [CONTAINER.sub("twentyfour-bot ", line, count=1) for line in list_commands()]
    return [line for line in commands if line.startswith("twentyfour-bot ")]


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
    """Return a function that runs a command of the pages on a database and folders under `tmp_path`.

    The backup that a `restore` names is written before.
    """
    for folder in FOLDERS:
        (tmp_path / folder[1:]).mkdir(parents=True)
    address = DATABASE.replace("/var", f"{tmp_path}/var")
    store = await Store.open(make_url(address))
    await store.write(insert_dead_letters)
    await store.close()
    environment = {key: value for key, value in os.environ.items() if not key.startswith("WEBHOOK")}
    environment |= {"DATABASE_URL": address, "BOT_TOKEN": "", "PYTHONPATH": str(ROOT)}
    environment |= {"TARGET_DATABASE_URL": f"sqlite:///{tmp_path}/moved.sqlite3"}

    def run(command: str) -> "subprocess.CompletedProcess[str]":
        line = command.replace("twentyfour-bot", f"{shlex.quote(sys.executable)} -m bot", 1)
        line = re.sub(r'(?<=[ "])/var/', f"{tmp_path}/var/", line)
        line = line.replace("sqlite:////var/", f"sqlite:///{tmp_path}/var/")
        if command.startswith("twentyfour-bot restore "):
            write_backup(make_url(address), Path(line.split()[-1]))
        return subprocess.run(
            ["sh", "-c", line], env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
        )

    return run


def test_pages_show_every_tool() -> None:
    words = {tuple(command.split()[1:3]) for command in list_tool_commands()}
    assert {("dead",), ("dead", "--retry"), ("dead", "--drop")} <= words
    tools = {command.split()[1] for command in list_tool_commands()}
    assert tools == {"backup", "check", "dead", "migrate", "move", "restore"}


@pytest.mark.long
@pytest.mark.parametrize("command", sorted(set(list_tool_commands())))
def test_command_of_pages_works(
    command: str, run_command: Callable[[str], "subprocess.CompletedProcess[str]"]
) -> None:
    result = run_command(command)
    lacks_a_token = " check" in command
    assert (result.returncode, result.stderr) == (int(lacks_a_token), "")
    expected = {" backup ": "bytes, checked", "--retry": "1 will be tried again", "--drop": "1 dropped"}
    expected |= {"move": "all is moved and checked", "migrate": "has this version's tables"}
    expected |= {"restore": "restored and checked", "check": "✗ BOT_TOKEN: empty"}
    word = next((word for word in expected if word in command), "")
    assert expected.get(word, "u12 ") in result.stdout


@pytest.mark.long
def test_nightly_backup_in_container_writes_a_backup(
    run_command: Callable[[str], "subprocess.CompletedProcess[str]"], tmp_path: Path
) -> None:
    (line,) = list_blocks("cron")
    tool = line.partition(" run --rm -T bot ")[2]
    assert run_command(f"twentyfour-bot {tool}").returncode == 0
    assert len(list((tmp_path / "var/lib/twentyfour").glob("twentyfour-20*.sqlite3"))) == 1


def test_backup_is_carried_into_the_volume(
    run_command: Callable[[str], "subprocess.CompletedProcess[str]"], tmp_path: Path
) -> None:
    (command,) = (line for line in list_commands() if " tee " in line)
    (tmp_path / "twentyfour-2026-11-23.sqlite3").write_bytes(b"backup")
    assert run_command(command.removeprefix("docker compose exec -T bot ")).returncode == 0
    (restore,) = (line for line in read_script(" tee ").splitlines() if " restore " in line)
    assert (tmp_path / restore.split()[-1][1:]).read_bytes() == b"backup"


def test_secret_of_webhook_is_valid(tmp_path: Path) -> None:
    (command,) = (line for line in list_commands() if "WEBHOOK_SECRET" in line)
    subprocess.run(["sh", "-c", command], cwd=tmp_path, check=True)
    name, _, secret = (tmp_path / "bot.env").read_text("utf-8").strip().partition("=")
    assert read_settings({name: secret}).webhook_secrets == (secret,)


def test_first_settings_lack_nothing_but_the_token(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "deploy", tmp_path / "deploy")
    subprocess.run(["sh", "-c", read_script("cp bot.env.example bot.env")], cwd=tmp_path, check=True)
    file = tmp_path / "deploy" / "bot.env"
    assert file.stat().st_mode & 0o777 == 0o600
    lines = [line for line in file.read_text("utf-8").splitlines() if line and not line.startswith("#")]
    assert lines == ["BOT_TOKEN="]


def test_pages_set_existing_variables() -> None:
    blocks = [block for block in list_blocks("ini") if "--8<--" not in block]
    names = {line.partition("=")[0] for block in blocks for line in block.splitlines() if line}
    assert names - set(VARIABLES) == {"COMPOSE_PROFILES", "POSTGRES_PASSWORD"}
    assert "${POSTGRES_PASSWORD" in (ROOT / "deploy" / "compose.yaml").read_text("utf-8")


def list_literals() -> str:
    """Return the texts in the code of bot/, one a line, with … for each value that is put in."""
    texts = list[str]()
    for path in sorted((ROOT / "bot").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                texts.append(node.value)
            elif isinstance(node, ast.JoinedStr):
                parts = [each.value if isinstance(each, ast.Constant) else "…" for each in node.values]
                texts.append("".join(map(str, parts)))
    return re.sub(r"%[sd.0-9f]+|\{\w*\}", "…", "\n".join(texts))


def test_quoted_log_lines_are_in_the_code() -> None:
    cells = re.findall(r"^\| (`.*?) \|", read_page("troubleshooting"), re.MULTILINE)
    quotes = [quote for cell in cells for quote in re.findall(r"`([^`]+)`", cell)]
    assert len(quotes) > 20
    code = list_literals()
    pieces = [piece.strip(" ;,'") for quote in quotes for piece in re.split(r"…|\d+", quote)]
    assert [piece for piece in pieces if piece not in code] == []
