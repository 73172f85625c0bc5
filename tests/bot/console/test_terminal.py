"""The bot at a real terminal: what is typed, what is shown, and what the terminal is like afterwards."""

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

from tests.bot.console.pseudo import LOCALE, PATIENCE, ROOT, Bot

LEAVING = "Ctrl-C once more on an empty line leaves; so does Ctrl-D."


@pytest.mark.long
def test_no_word_is_broken_in_a_narrow_terminal(tmp_path: Path) -> None:
    with Bot(tmp_path, columns=40) as narrow, Bot(tmp_path / "wide", columns=200) as wide:
        for bot in (narrow, wide):
            bot.asks()
            bot.type("/help\r")
            bot.shows("All commands")
            bot.asks()
            bot.type("\x04")
            assert bot.ends() == 0
            assert bot.is_as_found()
    assert len(narrow.sheet.text) > len(wide.sheet.text)
    assert words(narrow) == words(wide)


def words(bot: Bot) -> list[str]:
    """The words shown but for the address of the board, which is longer than a line."""
    shown = " ".join(line for line in bot.sheet.text[4:] if "Player>" not in line)
    return shown.partition("— Twenty-Four")[2].split()


@pytest.mark.long
def test_the_time_left_is_shown_beside_the_line_that_is_typed(tmp_path: Path) -> None:
    with Bot(tmp_path) as bot:
        bot.asks()
        bot.type("/play\r")
        bot.shows("⏳ 10 minutes left", 2)
        bot.type("8*(3-")
        bot.asks(typed="8*(3-")
        before = bot.sheet.text
        pass_time(tmp_path, 150)
        bot.until(lambda: "⏳ 8 minutes left" in bot.sheet.text[bot.sheet.y], "another time left")
        bot.asks(typed="8*(3-")
        assert bot.sheet.text[:-1] == before[:-1]
        bot.type("\x03/skip\r")
        bot.shows("Given up.")
        bot.asks()
        assert "⏳" not in bot.sheet.text[bot.sheet.y]


def pass_time(folder: Path, seconds: int) -> None:
    """Let the hand on the table be so much older, and its time left not drawn since."""
    older = "UPDATE rounds SET opened = opened - ?, deadline = deadline - ?, shown = 0"
    with closing(sqlite3.connect(folder / "games.sqlite3")) as connection, connection:
        connection.execute(older, (seconds, seconds))


def clock_shown(folder: Path) -> float:
    """When the time left was drawn last; 0 before it was, since time has passed."""
    with closing(sqlite3.connect(folder / "games.sqlite3")) as connection:
        ((shown,),) = connection.execute("SELECT shown FROM rounds")
    return float(shown)


@pytest.mark.long
def test_ctrl_c_clears_and_then_leaves(tmp_path: Path) -> None:
    with Bot(tmp_path) as bot:
        bot.asks()
        bot.type("8*(3")
        bot.asks(typed="8*(3")
        bot.type("\x03")
        bot.asks()
        bot.type("\x03")
        bot.shows(LEAVING)
        bot.asks()
        bot.type("/leaderboard\r")
        bot.shows("Nobody has scored here yet.")
        bot.asks()
        bot.type("\x03")  # counted anew behind a line
        bot.shows(LEAVING, 2)
        bot.asks()
        bot.type("\x03")
        assert bot.ends() == 0
        assert bot.is_as_found()


@pytest.mark.long
def test_the_first_ctrl_c_on_an_empty_line_says_how_to_leave(tmp_path: Path) -> None:
    with Bot(tmp_path, LANG="es_ES.UTF-8") as bot:
        bot.asks("Jugador> ")
        bot.type("\x03")
        bot.shows("Otra vez Ctrl-C en una línea vacía sale; Ctrl-D también.")
        bot.asks("Jugador> ")
        bot.type("\x03")
        assert bot.ends() == 0
        assert bot.is_as_found()


@pytest.mark.long
def test_early_and_pasted_lines_are_not_lost(tmp_path: Path) -> None:
    pasted = "\x1b[200~1+1\r@bob 1+3\r1+\x1b[201~2\r"
    with Bot(tmp_path) as bot:
        bot.type(f"/play\r@ann /stats\r{pasted}/leader")  # while it starts
        bot.asks("Bob> ", typed="/leader")
        bot.type("board\r1+4\r@cy 1+5\r1+6\r\x04")
        assert bot.ends() == 0
        assert bot.is_as_found()
        said = [line for line in bot.sheet.text if "←" in line]
        assert [line.partition("← ")[2] for line in said] == [
            "Ann: 1+1",
            "Bob: 1+3",
            "Bob: 1+2",
            "Bob: 1+4",
            "Cy: 1+5",
            "Cy: 1+6",
        ]
        assert "Leaderboard · this chat · all time" in bot.sheet.text


@pytest.mark.long
def test_commands_and_names_are_completed(tmp_path: Path) -> None:
    with Bot(tmp_path) as bot:
        bot.asks()
        bot.type("@ann\r")
        bot.asks("Ann> ")
        bot.type("/leaderb\t")
        bot.asks("Ann> ", typed="/leaderboard")
        bot.type("\x15> /wh\t")
        bot.asks("Ann> ", typed="> /why")
        bot.type("\x15@pl\t")
        bot.asks("Ann> ", typed="@player")
        bot.type("\x15/st\t")
        bot.shows("/stats")
        bot.type("\x158/\t3")
        bot.asks("Ann> ", typed="8/3")
        bot.type("\x15/WHY\t 1+2\r")  # Enter follows at once
        bot.shows("1+2 = 3, step by step:")


@pytest.mark.long
def test_players_by_name_and_buttons_by_number_work(tmp_path: Path) -> None:
    with Bot(tmp_path) as bot:
        bot.asks()
        bot.type("@ann /play\r1+1\r/stats @ann\r")
        bot.shows("won 0 of 1")
        bot.asks("Ann> ")
        bot.type("!1\r")
        bot.shows("💡")
        bot.type("!99\r")
        bot.shows("There is no button 99.")


@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGHUP, marks=pytest.mark.long)])
def test_the_terminal_is_sane_after_a_signal(tmp_path: Path, number: signal.Signals) -> None:
    with Bot(tmp_path) as bot:
        bot.asks()
        bot.type("8*(3")
        bot.asks(typed="8*(3")
        bot.process.send_signal(number)
        assert bot.ends() == 0
        assert bot.is_as_found()


@pytest.mark.long
def test_the_terminal_is_sane_after_a_crash(tmp_path: Path) -> None:
    """The bot is started in a way that breaks once a certain line is said."""
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
    with Bot(tmp_path, PYTHONPATH=f"{breaking}:{Path.cwd()}") as bot:
        bot.asks()
        bot.type("break\r")
        assert bot.ends() == 1
        assert bot.is_as_found()


@pytest.mark.long
def test_keys_are_read_one_by_one_only_while_a_line_is_read(tmp_path: Path) -> None:
    """So a bot that is killed while it works leaves the terminal as it was."""
    with Bot(tmp_path) as bot:
        assert not bot.is_raw
        bot.asks()
        assert bot.is_raw
        bot.type("/solve 2 3 5 7 11 13 17 = 999983\r")
        bot.until(lambda: not bot.is_raw, "the search goes on")
        assert bot.flags & termios.ECHO
        bot.process.kill()
        assert bot.ends() == -signal.SIGKILL
        assert bot.is_as_found()


@pytest.mark.long
def test_a_dumb_terminal_gets_no_control_sequences(tmp_path: Path) -> None:
    with Bot(tmp_path, TERM="dumb") as bot:
        bot.type("/play\n")
        bot.shows("⏳ 10 minutes left")
        bot.type("@ann 1+1\n")
        bot.shows("👀 ← Ann: 1+1")
        bot.type("\x04")
        assert bot.ends() == 0
        assert "\x1b" not in bot.raw
        assert bot.is_as_found()


@pytest.mark.long
@pytest.mark.parametrize("utf8", ["0", "1"])
def test_the_c_locale_works(tmp_path: Path, utf8: str) -> None:
    with Bot(tmp_path, LC_ALL="C", PYTHONUTF8=utf8, PYTHONCOERCECLOCALE="0") as bot:
        bot.asks()
        bot.type("/play\r")
        bot.shows("10 minutes left")
        bot.until(lambda: bot.is_raw, "asks")
        bot.type("\x04")
        assert bot.ends() == 0
        assert any(re.fullmatch(r"\d+ \d+ \d+ \d+ [?→] 24", line) for line in bot.sheet.text)


@pytest.mark.long
def test_a_pipe_gets_no_updates_of_the_time_left(tmp_path: Path) -> None:
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
        while not clock_shown(tmp_path):
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
    assert shown.index("⏳ 8 minutes left") > shown.index("#2, edited")
    assert "\x1b" not in shown
