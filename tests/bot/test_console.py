"""The terminal chat is the bot itself: people's lines in, its messages out, everything kept."""

import asyncio
import io
import os
import re
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from bot import command, console
from bot.settings import read
from bot.solving import hand
from tests.stories.conftest import SolvingHere

ROOT = Path(__file__).parent.parent.parent
Talk = Callable[..., Awaitable[str]]


@pytest.fixture
def talk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Talk:
    """Say these lines and get all that was shown; the same file each time, and always the same hand."""

    async def said(*lines: str, language: str = "C", numbers: tuple[int, ...] = (3, 8, 3, 8)) -> str:
        solving = SolvingHere()
        solving.hands = [hand(numbers, 24)] * 5
        shown = io.StringIO()
        monkeypatch.setattr(command, "Solving", lambda *_: solving)
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        monkeypatch.setattr(sys, "stdout", shown)
        monkeypatch.setenv("LANG", language)
        code = await console.converse(read({"DATABASE_URL": f"sqlite:///{tmp_path / 'games.sqlite3'}"}))
        assert code == 0
        return shown.getvalue()

    return said


def lines(shown: str) -> list[str]:
    return shown.translate(console.ISOLATES).splitlines()


def button(shown: str, label: str) -> str:
    """The last number under which a button was printed."""
    return str(re.findall(rf"\[(!\d+)\] {label}", shown)[-1])


async def test_a_round(talk: Talk) -> None:
    shown = await talk("@ann /play", "@bob 8*3-8/3", "@ann 8/(3-8/3)", "/leaderboard")
    assert "3 8 3 8 → 24" in lines(shown)
    assert "8*3-8/3 = 21 1/3, not 24." in shown
    assert any("Ann" in line and "8/(3-8/3) = 24" in line for line in lines(shown))
    assert any(re.fullmatch(r"1\. Ann — \d+", line) for line in lines(shown))
    assert re.search(r"^1\. \u2068Ann\u2069 — \d+$", shown, re.MULTILINE), "isolates are kept for a pipe"


async def test_who_speaks_goes_on_speaking(talk: Talk) -> None:
    shown = await talk("/play", "@ann", "8/(3-8/3)")
    assert any("Ann" in line and "= 24" in line for line in lines(shown))
    assert "You" not in shown.split("→ 24", 1)[1].split("= 24")[0]


async def test_buttons_by_number(talk: Talk) -> None:
    dealt = await talk("/play")
    hint = button(dealt, "Hint")
    shown = await talk("!99", hint)
    assert "There is no button 99." in shown
    assert "💡" in shown, "the button of the hand that was left on the table"


async def test_a_live_round_is_there_again(talk: Talk) -> None:
    await talk("@ann /play", "/hint")
    shown = await talk("@bob 8/(3-8/3)", "/leaderboard")
    assert any("Bob" in line and "= 24" in line for line in lines(shown))
    assert any(re.fullmatch(r"1\. Bob — \d+", line) for line in lines(shown))


async def test_talk_is_no_answer(talk: Talk) -> None:
    shown = await talk("/play", "what a hand", "hm", "", "   ")
    after = shown.split("→ 24", 1)[1]
    assert after.count("— Twenty-Four") == 0
    assert "←" not in after


async def test_a_word_in_private(talk: Talk) -> None:
    shown = await talk("@ann > /solve 4 6 1 1")
    assert "in private" in shown
    assert "4*6*1*1 = 24" in shown or "1*1*4*6 = 24" in shown


async def test_the_terminals_language(talk: Talk) -> None:
    shown = await talk("/play", "1+1", language="zh_CN.UTF-8")
    assert "每个数字用一次" in shown
    assert "少了：3, 8, 3, 8" in shown or "少了" in shown
    assert "Missing" not in shown


async def test_strange_lines_do_no_harm(talk: Talk) -> None:
    shown = await talk(
        "/play", "\x00", "@", "@ ", "!", "!0", "!99999", ">", "/", "//", "\udcff\udcfe", "8/(3-8/3)"
    )
    assert any("= 24" in line for line in lines(shown))


def test_a_name_has_one_person() -> None:
    assert console.player_id("Ann") == console.player_id("ann")
    assert console.player_id("Ann") != console.player_id("Bob")


async def test_from_a_pipe_to_the_end_of_input(tmp_path: Path) -> None:
    own = {"DATABASE_URL": f"sqlite:///{tmp_path / 'games.sqlite3'}", "BOT_TOKEN": "", "LANG": "en_US.UTF-8"}
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "bot",
        cwd=ROOT,
        env={**os.environ, **own},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    said = b"/play\n\xff\xfe\n1+1\n/solve 3 8 3 8\n/leaderboard"
    out, error = await asyncio.wait_for(process.communicate(said), 20)
    assert process.returncode == 0, error.decode()
    assert error == b""
    shown = out.decode()
    assert re.search(r"^\d+ \d+ \d+ \d+ → 24$", shown, re.MULTILINE)
    assert "8/(3-8/3) = 24" in shown
    assert "Nobody has scored here yet." in shown
