"""The bot at a real terminal: input, output and the restored terminal."""

import os
import re
import signal
import sqlite3
import subprocess
import sys
import termios
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.bot.console.pseudo import LOCALE, PATIENCE, ROOT, TerminalBot

LEAVING = "Ctrl-C once more on an empty line leaves; so does Ctrl-D."


@pytest.mark.long
@pytest.mark.parametrize("language", ["en_US", "es_ES", "ru_RU", "zh_CN", "zh_TW"])
def test_first_lines_say_what_to_type(tmp_path: Path, language: str) -> None:
    with TerminalBot(tmp_path, LANG=f"{language}.UTF-8") as bot:
        bot.wait_until(lambda: bot.is_raw, "asks")
        # Before them, the first run prints one line about setting up
        first_lines = "\n".join(bot.screen.text[:9])
        for typed in ("/play", "8/(3-8/3)", "@ann", "/help", "Ctrl-D", "http://127.0.0.1:"):
            assert typed in first_lines


@pytest.mark.long
def test_time_left_is_shown_beside_the_line_that_is_typed(tmp_path: Path) -> None:
    with TerminalBot(tmp_path) as bot:
        bot.wait_for_prompt()
        bot.type_keys("/play\r")
        bot.wait_for_text("⏳ 10 min left", 2)
        bot.type_keys("8*(3-")
        bot.wait_for_prompt(typed="8*(3-")
        before = bot.screen.text
        pass_time(tmp_path, 150)
        bot.wait_until(lambda: "⏳ 8 min left" in bot.screen.text[bot.screen.y], "another time left")
        bot.wait_for_prompt(typed="8*(3-")
        assert bot.screen.text[:-1] == before[:-1]
        bot.type_keys("\x03/skip\r")
        bot.wait_for_text("Given up.")
        bot.wait_for_prompt()
        assert "⏳" not in bot.screen.text[bot.screen.y]


def pass_time(folder: Path, seconds: int) -> None:
    """Make the open hand older, and its time left due to be redrawn."""
    older = "UPDATE rounds SET opened = opened - ?, deadline = deadline - ?, shown = 0"
    with closing(sqlite3.connect(folder / "games.sqlite3")) as connection, connection:
        connection.execute(older, (seconds, seconds))


def read_redraw_time(folder: Path) -> float:
    """Return when the time left was redrawn; 0 if not since `pass_time`."""
    with closing(sqlite3.connect(folder / "games.sqlite3")) as connection:
        ((shown,),) = connection.execute("SELECT shown FROM rounds")
    return float(shown)


@pytest.mark.long
def test_ctrl_c_clears_and_then_leaves(tmp_path: Path) -> None:
    with TerminalBot(tmp_path) as bot:
        bot.wait_for_prompt()
        bot.type_keys("8*(3")
        bot.wait_for_prompt(typed="8*(3")
        bot.type_keys("\x03")
        bot.wait_for_prompt()
        bot.type_keys("\x03")
        bot.wait_for_text(LEAVING)
        bot.wait_for_prompt()
        bot.type_keys("/leaderboard\r")
        bot.wait_for_text("Nobody has scored here yet.")
        bot.wait_for_prompt()
        bot.type_keys("\x03")  # counted anew behind a line
        bot.wait_for_text(LEAVING, 2)
        bot.wait_for_prompt()
        bot.type_keys("\x03")
        assert bot.wait_for_exit() == 0
        assert bot.is_restored()


@pytest.mark.long
def test_early_and_pasted_lines_are_not_lost(tmp_path: Path) -> None:
    pasted = "\x1b[200~1+1\r@bob 1+3\r1+\x1b[201~2\r"
    with TerminalBot(tmp_path) as bot:
        bot.type_keys(f"/play\r@ann /stats\r{pasted}/leader")  # while it starts
        bot.wait_for_prompt("Bob> ", typed="/leader")
        bot.type_keys("board\r1+4\r@cy 1+5\r1+6\r\x04")
        assert bot.wait_for_exit() == 0
        assert bot.is_restored()
        result = [line for line in bot.screen.text if "←" in line]
        assert [line.partition("← ")[2] for line in result] == [
            "Ann: 1+1",
            "Bob: 1+3",
            "Bob: 1+2",
            "Bob: 1+4",
            "Cy: 1+5",
            "Cy: 1+6",
        ]
        assert "Leaderboard · this chat · all time · Twenty-Four" in bot.screen.text


@pytest.mark.long
def test_commands_and_names_are_completed(tmp_path: Path) -> None:
    with TerminalBot(tmp_path) as bot:
        bot.wait_for_prompt()
        bot.type_keys("@ann\r")
        bot.wait_for_prompt("Ann> ")
        bot.type_keys("/leaderb\t")
        bot.wait_for_prompt("Ann> ", typed="/leaderboard")
        bot.type_keys("\x15> /wh\t")
        bot.wait_for_prompt("Ann> ", typed="> /why")
        bot.type_keys("\x15@pl\t")
        bot.wait_for_prompt("Ann> ", typed="@player")
        bot.type_keys("\x15/st\t")
        bot.wait_for_text("/stats")
        bot.type_keys("\x158/\t3")
        bot.wait_for_prompt("Ann> ", typed="8/3")
        bot.type_keys("\x15/WHY\t 1+2\r")  # Enter follows at once
        bot.wait_for_text("1+2 = 3, step by step:")


@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGHUP, marks=pytest.mark.long)])
def test_terminal_is_sane_after_a_signal(tmp_path: Path, number: signal.Signals) -> None:
    with TerminalBot(tmp_path) as bot:
        bot.wait_for_prompt()
        bot.type_keys("8*(3")
        bot.wait_for_prompt(typed="8*(3")
        bot.process.send_signal(number)
        assert bot.wait_for_exit() == 0
        assert bot.is_restored()


@pytest.mark.long
def test_terminal_is_sane_after_a_crash(tmp_path: Path) -> None:
    # The bot is started with a module that raises when `break` is typed.
    breaking = tmp_path / "breaking"
    breaking.mkdir()
    (breaking / "sitecustomize.py").write_text(
        "import os\n"
        "from bot.console import conversation as c\n"
        "said = c.Conversation.handle_line\n"
        "async def line(self, text):\n"
        "    if text == 'break':\n"
        "        raise RuntimeError\n"
        "    await said(self, text)\n"
        "c.Conversation.handle_line = line\n"
    )
    with TerminalBot(tmp_path, PYTHONPATH=f"{breaking}:{Path.cwd()}") as bot:
        bot.wait_for_prompt()
        bot.type_keys("break\r")
        assert bot.wait_for_exit() == 1
        assert bot.is_restored()


@pytest.mark.long
def test_keys_are_read_one_by_one_only_while_a_line_is_read(tmp_path: Path) -> None:
    # So a bot that is killed while it works leaves the terminal restored.
    with TerminalBot(tmp_path) as bot:
        assert not bot.is_raw
        bot.wait_for_prompt()
        assert bot.is_raw
        bot.type_keys("/solve 2 3 5 7 11 13 17 = 999983\r")
        bot.wait_until(lambda: not bot.is_raw, "the search goes on")
        assert bot.flags & termios.ECHO
        bot.process.kill()
        assert bot.wait_for_exit() == -signal.SIGKILL
        assert bot.is_restored()


@pytest.mark.long
@pytest.mark.exhaustive
def test_dumb_terminal_gets_no_control_sequences(tmp_path: Path) -> None:
    with TerminalBot(tmp_path, TERM="dumb") as bot:
        bot.type_keys("/play\n")
        bot.wait_for_text("⏳ 10 min left")
        bot.type_keys("@ann 1+1\n")
        bot.wait_for_text("👎 ← Ann: 1+1")
        bot.type_keys("\x04")
        assert bot.wait_for_exit() == 0
        assert "\x1b" not in bot.raw
        assert bot.is_restored()


@pytest.mark.long
@pytest.mark.exhaustive
@pytest.mark.parametrize("utf8", ["0", "1"])
def test_c_locale_works(tmp_path: Path, utf8: str) -> None:
    with TerminalBot(tmp_path, LC_ALL="C", PYTHONUTF8=utf8, PYTHONCOERCECLOCALE="0") as bot:
        bot.wait_for_prompt()
        bot.type_keys("/play\r")
        bot.wait_for_text("10 min left")
        bot.wait_until(lambda: bot.is_raw, "asks")
        bot.type_keys("\x04")
        assert bot.wait_for_exit() == 0
        assert any(re.fullmatch(r"\d+ \d+ \d+ \d+ [?→] 24", line) for line in bot.screen.text)


@pytest.mark.long
def test_pipe_gets_no_updates_of_the_time_left(tmp_path: Path) -> None:
    bare = {key: value for key, value in os.environ.items() if key not in (*LOCALE, "BOT_TOKEN")}
    with subprocess.Popen(
        [sys.executable, "-m", "bot"],
        cwd=ROOT,
        env=bare | {"DATABASE_URL": f"sqlite:///{tmp_path / 'games.sqlite3'}"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as bot:
        assert bot.stdin
        assert bot.stdout
        assert bot.stderr
        bot.stdin.write("/play\n/leaderboard\n")
        bot.stdin.flush()
        shown = ""
        while "[!3]" not in shown:
            shown += bot.stdout.readline()
        pass_time(tmp_path, 150)
        limit = time.monotonic() + PATIENCE
        while not read_redraw_time(tmp_path):
            assert time.monotonic() < limit
            time.sleep(0.05)
        bot.stdin.write("/hint\n")
        bot.stdin.flush()
        while "💡" not in shown:
            shown += bot.stdout.readline()
        bot.send_signal(signal.SIGTERM)
        shown += bot.stdout.read()
        assert bot.wait(PATIENCE) == 0
        assert bot.stderr.read() == ""
    assert shown.count("— Twenty-Four, #2") == 2, "the deal, and the hint; not the time"
    assert shown.index("⏳ 8 min left") > shown.index("#2, edited")
    assert "\x1b" not in shown
