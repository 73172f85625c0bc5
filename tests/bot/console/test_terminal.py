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

from bot.console.folding import columns
from tests.bot.console.pseudo import LOCALE, PATIENCE, ROOT, Bot

LEAVING = "Ctrl-C once more on an empty line leaves; so does Ctrl-D."


ADDRESS = re.compile(r"http://127\.0\.0\.1:[0-9]+/#key=[A-Za-z0-9_-]{32}")
"""The board's: no line ends in it, so that it can be followed; a terminal breaks it where it must."""


def widest(bot: Bot) -> int:
    """The columns of the widest line but for the board's address."""
    return max(columns(line) for line in bot.sheet.text if "http://" not in line)


@pytest.mark.long
@pytest.mark.parametrize(
    ("locale", "label"),
    [("en_US.UTF-8", "Player> "), ("zh_CN.UTF-8", "玩家> ")],
)
def test_no_line_is_wider_than_the_terminal(tmp_path: Path, locale: str, label: str) -> None:
    with (
        Bot(tmp_path, columns=40, LANG=locale) as narrow,
        Bot(tmp_path / "wide", columns=200, LANG=locale) as wide,
    ):
        for bot in (narrow, wide):
            bot.asks(label)
            for line in ("/help", "/leaderboard"):
                bot.type(f"{line}\r")
                bot.shows(f"{label}{line}")
                bot.asks(label)
            bot.type("\x04")
            assert bot.ends() == 0
            assert bot.is_as_found()
    assert widest(narrow) < 40 < widest(wide)
    assert letters(narrow) == letters(wide), "nothing is lost where lines end"


def letters(bot: Bot) -> str:
    """All that is shown but for the board's address, without spaces, wherever lines end."""
    return ADDRESS.sub("", "".join("".join(bot.sheet.text).split()))


@pytest.mark.long
def test_the_time_left_is_redrawn_in_place(tmp_path: Path) -> None:
    with Bot(tmp_path, columns=40) as bot:
        bot.asks()
        bot.type("/play\r")
        bot.shows("⏳ 10 minutes left")
        bot.type("8*(3-")
        bot.asks(typed="8*(3-")
        before, now = redrawn(bot, tmp_path, 150)
        bot.asks(typed="8*(3-")
        assert bot.sheet.text == [now if line.startswith("⏳") else line for line in before]
        bot.type("3)\r/hint\r")
        bot.shows("💡")
        bot.asks()
        before, now = redrawn(bot, tmp_path, 120)
        bot.asks()
        before[max(i for i, line in enumerate(before) if line.startswith("⏳"))] = now
        assert bot.sheet.text == before, "where the message stands now, and nowhere else"


def redrawn(bot: Bot, folder: Path, seconds: int) -> tuple[list[str], str]:
    """Let time pass until the clock shows it: what was shown before, and the clock's line since."""

    def clock() -> str:
        return [line for line in bot.sheet.text if line.startswith("⏳")][-1]

    def minutes(line: str) -> int:
        return int(line.split()[1])

    before, since = bot.sheet.text, minutes(clock())
    pass_time(folder, seconds)
    bot.until(lambda: minutes(clock()) <= since - seconds // 60, "another time left")
    return before, clock()


@pytest.mark.long
@pytest.mark.parametrize(
    ("locale", "encoding", "drawn"),
    [("zh_CN.UTF-8", "utf-8", True), ("en_US.UTF-8", "latin-1", False), ("C", "ascii", False)],
)
def test_cards_and_dice_are_drawn_where_they_can_be(
    tmp_path: Path, locale: str, encoding: str, drawn: bool
) -> None:
    label = "玩家> " if drawn else "Player> "
    with Bot(tmp_path, columns=40, LANG=locale, PYTHONIOENCODING=encoding) as bot:
        bot.asks(label)
        for line in ("/play", "/yahtzee", "!3"):
            bot.type(f"{line}\r")
            bot.shows(f"{label}{line}")
            bot.asks(label)
        boxes = [line for line in bot.sheet.text if line[:1] in ("╭", "│", "╰")]
        assert [len(line) for line in boxes] == ([31] * 5 + [39] * 5 if drawn else [])
        bot.type("\x04")
        assert bot.ends() == 0


@pytest.mark.long
def test_a_message_that_has_scrolled_away_is_left_alone(tmp_path: Path) -> None:
    with Bot(tmp_path, columns=80, rows=12) as bot:
        bot.asks()
        bot.type("/play\r/help\r")
        bot.shows("/help tells", 1)
        bot.shows("All commands")
        bot.asks()
        before = bot.sheet.text
        pass_time(tmp_path, 150)
        bot.until(lambda: clock_shown(tmp_path) > 0, "the bot has drawn the time anew")
        bot.type("/hint\r")
        bot.shows("💡")
        bot.asks()
        assert bot.sheet.text[: len(before) - 1] == before[:-1]
        assert "⏳ 8 minutes left" in bot.sheet.text


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
        bot.shows(LEAVING)
        bot.asks()
        bot.type("/le")
        bot.asks(typed="/le")
        bot.type("\x03")
        bot.asks()
        bot.type("/leaderboard\r")
        bot.shows("Nobody has scored here yet.")
        bot.asks()
        bot.type("\x03")  # counted anew behind a line
        bot.asks()
        bot.type("/help\r")
        bot.shows("/leaderboard")
        bot.asks()
        bot.type("\x03")
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
def test_what_is_typed_too_early_or_pasted_is_not_lost(tmp_path: Path) -> None:
    pasted = "\x1b[200~1+1\r@bob 1+3\r1+\x1b[201~2\r"
    with Bot(tmp_path) as bot:
        bot.type(f"/play\r@ann /stats\r{pasted}/leader")  # while it starts
        bot.asks("Bob> ", typed="/leader")
        bot.type("board\r1+4\r@cy 1+5\r1+6\x04\x04")
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
def test_figures_by_name_and_numbers_of_buttons(tmp_path: Path) -> None:
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
        "said = c.Conversation.line\n"
        "async def line(self, text):\n"
        "    if text == 'break':\n"
        "        raise RuntimeError\n"
        "    await said(self, text)\n"
        "c.Conversation.line = line\n"
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
def test_a_terminal_that_promises_nothing_gets_no_signs_for_the_cursor(tmp_path: Path) -> None:
    with Bot(tmp_path, columns=40, TERM="dumb") as bot:
        bot.shows("Player>")
        bot.type("/play\n")
        bot.shows("⏳ 10 minutes left")
        bot.shows("Player>", 2)
        bot.type("@ann 1+1\n")
        bot.shows("👀 ← Ann: 1+1")
        bot.shows("Ann>")
        bot.type("\x03")
        bot.shows("Ctrl-C once more")
        bot.type("@bob /stats @ann\n")
        bot.shows("won 0 of 1")
        bot.shows("Bob>")
        bot.type("\x03")
        bot.shows("Bob>", 2)
        bot.type("\x03")
        assert bot.ends() == 0
        assert "\x1b" not in bot.raw
        assert widest(bot) < 40
        assert bot.is_as_found()


@pytest.mark.long
def test_a_line_that_nobody_ended_is_read_at_the_end_of_input(tmp_path: Path) -> None:
    with Bot(tmp_path, TERM="dumb") as bot:
        bot.shows("Player>")
        bot.type("/leaderboard\x04\x04")
        assert bot.ends() == 0
        assert "Leaderboard · this chat · all time" in bot.sheet.text


@pytest.mark.long
@pytest.mark.parametrize("utf8", ["0", "1"])
def test_the_c_locale(tmp_path: Path, utf8: str) -> None:
    with Bot(tmp_path, columns=40, LC_ALL="C", PYTHONUTF8=utf8, PYTHONCOERCECLOCALE="0") as bot:
        bot.asks()
        bot.type("/play\r")
        bot.shows("10 minutes left")
        bot.asks()
        bot.type("/stats @ann\x04")
        bot.asks()
        bot.type("\x04")
        assert bot.ends() == 0
        deal = r"\d+ \d+ \d+ \d+ (->|→) 24"
        assert any(re.fullmatch(deal, line) for line in bot.sheet.text)
        assert widest(bot) < 40


@pytest.mark.long
def test_a_pipe_hears_nothing_of_the_time_that_passes(tmp_path: Path) -> None:
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
