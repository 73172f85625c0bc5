"""The terminal chat: lines in, messages out, all stored."""

import asyncio
import io
import os
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from bot.console import chat, streams
from bot.console.conversation import looks_like_answer
from bot.console.fake_telegram import GROUP_ID, HOST, FakeTelegram, Parameters, make_user
from bot.console.screen import PlainOutput, Screen
from bot.i18n import get_words
from bot.settings import SettingsError, read_settings
from tests.bot.console.talking import Talk, find_message, make_talk, split_lines
from tests.databases import write_database

ROOT = Path(__file__).parents[3]
FULL = b"twentyfour-bot: standard output can't be written: No space left on device\n"


@pytest.fixture
def talk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Talk:
    return make_talk(monkeypatch, tmp_path)


BOARD = "Leaderboard · this chat · all time · Twenty-Four"


def find_button(shown: str, label: str) -> str:
    """Return the last number of the button with this label."""
    return str(re.findall(rf"\[(!\d+)\] {label}", shown)[-1])


async def test_round_is_played(talk: Talk) -> None:
    shown = await talk("@ann /play", "@bob 8*3-8/3", "@ann 8/(3-8/3)", "/leaderboard")
    assert "3 8 3 8 → 24" in split_lines(shown)
    assert "👎 Bob: 8×3−8÷3 = 21 1/3" in split_lines(shown)
    assert find_message(shown, "🏆 Ann: 8÷(3−8÷3) = 24")[1] == "+6 points (one for the first of the day)"
    assert find_message(shown, BOARD)[1:3] == ["🥇 Ann", "1. Ann — 6"]
    assert "\n1. \u2068Ann\u2069 — 6\n" in shown, "isolates are kept for a pipe"


async def test_speaker_stays_the_same(talk: Talk) -> None:
    shown = await talk("/play", "@ann", "8/(3-8/3)")
    assert "🏆 Ann: 8÷(3−8÷3) = 24" in split_lines(shown)
    assert HOST not in shown.split("→ 24", 1)[1].split("= 24")[0]


@pytest.mark.long
async def test_player_by_name_has_stats(talk: Talk) -> None:
    shown = await talk("/stats", "@bob /play", "8/(3-8/3)", "@ann /stats @bob", "/stats @BOB", "/leaderboard")
    assert "Player has not answered a hand here yet. /play deals a hand." in split_lines(shown)
    assert split_lines(shown).count("Here: 6 points, #1") == 2
    assert find_message(shown, BOARD)[1:4] == ["🥇 Bob", "1. Bob — 6", "Ann has no points here yet."]


async def test_host_keeps_their_stats(talk: Talk) -> None:
    shown = await talk("/play", "8/(3-8/3)", "@a-b 1+1", "/stats @player")
    assert split_lines(shown).count("Here: 6 points, #1") == 1


async def test_buttons_are_pressed_by_number(talk: Talk) -> None:
    dealt = await talk("/play")
    hint = find_button(dealt, "Hint")
    shown = await talk("!99", hint)
    assert "There is no button 99." in split_lines(shown)
    assert "💡 The last step is ÷." in split_lines(shown), "the button of the hand that was left on the table"


async def test_private_button_is_pressed_by_its_reader_alone(talk: Talk) -> None:
    shown = split_lines(await talk("@ann > /start", "@mum !1", "@ann !1"))
    deal = next(at for at, line in enumerate(shown) if line.endswith("→ 24"))
    assert "Only Ann sees that button." in shown[:deal]


async def test_live_round_is_shown_after_a_restart(talk: Talk) -> None:
    await talk("@ann /play", "/hint")
    shown = await talk("@bob 8/(3-8/3)", "/leaderboard")
    assert "🏆 Bob: 8÷(3−8÷3) = 24" in split_lines(shown)
    assert find_message(shown, BOARD)[2] == "1. Bob — 5"


@pytest.mark.long
@pytest.mark.parametrize("blank", ["\t", "\u3000", "  \t "])
async def test_any_blank_ends_a_name(talk: Talk, blank: str) -> None:
    shown = await talk("/play", f"@ann{blank}8/(3-8/3)")
    assert "🏆 Ann: 8÷(3−8÷3) = 24" in split_lines(shown)


async def test_line_can_be_private(talk: Talk) -> None:
    shown = await talk("@ann > /solve 4 6 1 1")
    expected = ["— Twenty-Four in private, to Ann, #2", "4 6 1 1 → 24", "1×1×4×6 = 24", "1 way"]
    assert find_message(shown, expected[0]) == expected


async def test_verdict_names_its_reader(talk: Talk) -> None:
    shown = split_lines(await talk("/countdown", "@ann 1234+1", "!2", "1234+1"))
    (result,) = [
        at for at, line in enumerate(shown) if line.startswith("— Twenty-Four in private, to Ann, #4")
    ]
    assert shown[result + 2].startswith("Not among the tiles: ")
    opened = next(at for at, line in enumerate(shown) if "What you send here counts in Terminal" in line)
    assert shown[opened - 1].startswith("— Twenty-Four in private, to Ann, #")


@pytest.mark.parametrize("language", ["en", "ru"])
def test_group_title_is_translated(language: str) -> None:
    # A board at the terminal shows it in its head.
    telegram = FakeTelegram(Screen(PlainOutput(io.StringIO()), get_words(language), asyncio.Event()))
    group = telegram.call_method("getChat", Parameters(chat_id=GROUP_ID))
    assert isinstance(group, dict)
    assert group["title"] == get_words(language).translate_plain("Terminal")


async def test_ephemeral_message_names_its_reader() -> None:
    paper = io.StringIO()
    telegram = FakeTelegram(Screen(PlainOutput(paper), get_words("en"), asyncio.Event()))
    telegram.people[7] = make_user("Ann", "en")
    parameters = Parameters(chat_id=GROUP_ID, text="psst", receiver_id=7)
    sent = telegram.call_method("sendMessage", parameters)
    assert isinstance(sent, dict)
    assert (sent["message_id"], sent["ephemeral_message_id"]) == (0, 1)
    head = "— Twenty-Four, to Ann alone, #1"
    assert [line for line in split_lines(paper.getvalue()) if line] == [head, "psst"]


async def test_file_is_printed_with_its_caption(talk: Talk) -> None:
    shown = await talk("@ann > /export")
    result = find_message(shown, "— Twenty-Four in private, to Ann, #2")
    assert result[1:3] == ["twenty-four.json", "{"]
    assert result[-2:] == ["}", "This is everything that is stored about you."]


async def test_chat_speaks_the_terminals_language(talk: Talk) -> None:
    shown = await talk("/play", "1+1", language="zh_CN.UTF-8")
    assert "四个数都要用" in shown
    assert any(line.startswith("👎 玩家: 1+1 = 2，但这手牌里没有 1：") for line in split_lines(shown))
    assert "missing" not in shown


@pytest.mark.long
async def test_strange_lines_do_no_harm(talk: Talk) -> None:
    shown = await talk(
        "/play", "\x00", "@", "@ ", "!", "!0", "!99999", ">", "/", "//", "\udcff\udcfe", "8/(3-8/3)"
    )
    assert "There is no button 0." in split_lines(shown)
    assert "🏆 Player: 8÷(3−8÷3) = 24" in split_lines(shown)


@pytest.mark.long
async def test_pipe_is_read_to_its_end(tmp_path: Path) -> None:
    own = {"DATABASE_URL": f"sqlite:///{tmp_path / 'games.sqlite3'}", "BOT_TOKEN": "", "LANG": "en_US.UTF-8"}
    own["SOLVER_DEADLINE"] = "60"
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
    expected = b"/solve 3 8 3 8\n/play\n\xff\xfe\n1+1\n/leaderboard"
    out, error = await asyncio.wait_for(process.communicate(expected), 120)
    assert process.returncode == 0, error.decode()
    assert error == b""
    shown = out.decode()
    assert re.search(r"^\d+ \d+ \d+ \d+ → 24$", shown, re.MULTILINE)
    assert "8÷(3−8÷3) = 24" in split_lines(shown)
    assert find_message(shown, BOARD)[1] == "Nobody has scored here yet. /play deals a hand."


@pytest.mark.exhaustive
@pytest.mark.long
async def test_time_ends_a_hand_and_moves_a_race_on(tmp_path: Path) -> None:
    # Typed lines arrive at once, so no deadline waits.
    for typed, ended in ((b"/play\n", "Nobody found it in time."), (b"/race 2\n", "hand 2 of 2")):
        folder = tmp_path / typed.decode().strip().strip("/").replace(" ", "-")
        folder.mkdir()
        assert run_in_shell(folder, "bot", typed).returncode == 0
        with closing(sqlite3.connect(folder / "games.sqlite3")) as connection, connection:
            connection.execute("UPDATE rounds SET opened = opened - 10000, deadline = deadline - 10000")
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "bot",
            cwd=ROOT,
            env={
                **{key: value for key, value in os.environ.items() if key != "BOT_TOKEN"},
                "DATABASE_URL": f"sqlite:///{folder / 'games.sqlite3'}",
            },
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        assert process.stdout is not None
        async with asyncio.timeout(120):
            while ended not in (await process.stdout.readline()).decode():
                assert not process.stdout.at_eof()
            await process.communicate(b"")
        assert process.returncode == 0


def run_in_shell(
    tmp_path: Path, line: str, typed: bytes = b"", **environment: str
) -> "subprocess.CompletedProcess[bytes]":
    """Run a line of the shell in which `bot` is the program."""
    bare = {key: value for key, value in os.environ.items() if key != "BOT_TOKEN"}
    file = tmp_path / "games.sqlite3"
    own = {
        "DATABASE_URL": f"sqlite:///{file if file.exists() else write_database(file)}",
        "SOLVER_DEADLINE": "60",
    }
    command = line.replace("bot", f"'{sys.executable}' -m bot")
    return subprocess.run(
        ["sh", "-c", command],
        input=typed,
        capture_output=True,
        check=False,
        cwd=ROOT,
        env={**bare, **own, **environment},
    )


@pytest.mark.exhaustive
@pytest.mark.long
@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1251", "utf-8"])
def test_any_encoding_of_the_output_works(tmp_path: Path, encoding: str) -> None:
    typed = "/play\n@José 1+1\n".encode(encoding, "replace") + b"\xff\xfe\xd0\n/leaderboard"
    done = run_in_shell(tmp_path, "bot", typed, PYTHONIOENCODING=encoding, LANG="C", BOT_TOKEN="")
    assert (done.returncode, done.stderr) == (0, b"")
    shown = done.stdout.decode(encoding)
    assert re.search(r"^\d+ \d+ \d+ \d+ [→?] 24$", shown, re.MULTILINE)
    assert "1+1 = 2, but" in shown, "the answer that was typed in this alphabet"
    assert "Leaderboard" in shown


@pytest.mark.exhaustive
@pytest.mark.long
def test_closed_reader_ends_the_chat(tmp_path: Path) -> None:
    # Nothing is lost: unread messages are shown at the next start.
    typed = b"/play\n" + b"/solve 1 2 3 4\n" * 50 + b"/help\n"
    line = "{ bot; echo $? >&2; } | head -1"
    done = run_in_shell(tmp_path, line, typed)
    assert done.stderr == b"141\n"
    assert done.stdout.count(b"\n") == 1
    with closing(sqlite3.connect(tmp_path / "games.sqlite3")) as connection:
        ((waiting,),) = connection.execute("SELECT count(*) FROM outbox WHERE state = 'waiting'")
        assert connection.execute("SELECT count(*) FROM outbox WHERE state = 'dead'").fetchone() == (0,)
        assert connection.execute("SELECT count(*) FROM inbox WHERE state = 'dead'").fetchone() == (0,)
    assert waiting
    again = run_in_shell(tmp_path, "bot")
    assert (again.returncode, again.stderr) == (0, b"")
    assert again.stdout.count("— Twenty-Four".encode()) >= waiting
    assert b" 24\n" in again.stdout


@pytest.mark.long
@pytest.mark.exhaustive
def test_closed_streams_count_as_empty(tmp_path: Path) -> None:
    for line, typed in (
        ("bot <&-", b""),
        ("bot >&-", b"/play\n"),
        ("bot 2>&-", b"/play\n"),
        ("bot <&- >&-", b""),
    ):
        done = run_in_shell(tmp_path, line, typed)
        assert (done.returncode, done.stderr) == (0, b""), line
    with closing(sqlite3.connect(tmp_path / "games.sqlite3")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert connection.execute("SELECT count(*) FROM rounds").fetchone() == (1,)


@pytest.mark.long
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no disk that is always full here")
def test_full_output_ends_the_chat(tmp_path: Path) -> None:
    done = run_in_shell(tmp_path, "bot >/dev/full", b"/play\n")
    assert (done.returncode, done.stderr) == (1, FULL)


@pytest.mark.long
@pytest.mark.exhaustive
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no disk that is always full here")
def test_full_standard_output_is_not_the_database(tmp_path: Path) -> None:
    assert run_in_shell(tmp_path, "bot").returncode == 0
    for line in (f"bot backup '{tmp_path}/copy.sqlite3' >/dev/full", "bot dead >/dev/full"):
        done = run_in_shell(tmp_path, line)
        assert (done.returncode, done.stderr) == (1, FULL), line
    with closing(sqlite3.connect(tmp_path / "copy.sqlite3")) as copy:
        assert copy.execute("PRAGMA integrity_check").fetchone() == ("ok",), "it was made all the same"


async def test_silent_open_pipe_without_token_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    reader, writer = os.pipe()
    monkeypatch.setattr(streams, "FIRST_LINE_SECONDS", 0.05)
    with os.fdopen(reader) as quiet:
        monkeypatch.setattr(sys, "stdin", quiet)
        settings = {"DATABASE_URL": f"sqlite:///{tmp_path / 'games.sqlite3'}", "BOT_TOKEN": ""}
        with pytest.raises(SettingsError, match="BOT_TOKEN: empty"):
            await chat.run_console(read_settings(settings))
        os.close(writer)


async def test_contest_is_played_on_cards_in_private(talk: Talk) -> None:
    shown = await talk("@ann /yahtzee", "@ann !1", *["!2"] * 2, "@bob !1", "@ann > hello")
    private = "— Twenty-Four in private, to "
    assert "🎲 Roll 1 of 13" in split_lines(shown)
    cards = [text for text in shown.split(private)[1:] if "🎲 Roll" in text]
    assert [re.findall(r"Roll (\d+) of 13", card)[0] for card in cards[:2]] == ["1", "2"]
    assert "out of date" in shown
    first, bobs = (card.splitlines()[2] for card in (cards[0], cards[-1]))
    assert re.fullmatch(r"[1-6]( [1-6]){4}", first)
    assert first == bobs
    assert "✍️ Ann 1/13, Bob 0/13" in split_lines(shown)


async def test_card_is_played_to_its_end(talk: Talk) -> None:
    first_buttons = [2 + sum(range(14 - turn, 14)) for turn in range(13)]  # 13 categories, then 12, and so on
    shown = await talk("@ann /yahtzee", "@ann !1", *[f"!{number}" for number in first_buttons])
    assert "🏁 Yahtzee" in split_lines(shown)
    assert "✓ Ann" in split_lines(shown)


@pytest.mark.parametrize(
    "text",
    [
        "8/(3-8/3)",
        "1+1",
        "8*3-8/3 = 24",
        "8 × (3 + 3)",
        "8/(3-8/",
        "８÷（３−８÷３）",
        "A+K",
        "24/1*1",
        "2-1+3-4",
        "8x3",
        "9+",
        "8*6*½",
        "(4 + 😍 * 2 * 1",
    ],
)
def test_expressions_are_taken_for_answers(text: str) -> None:
    assert looks_like_answer(text)


@pytest.mark.parametrize(
    "text",
    [
        "see you at 8",
        "8",
        "8:30",
        "2-1",
        "2 : 1",
        "24/12/2025",
        "3 8 3 8",
        "I got 23 :(",
        "5 minutes!",
        "x",
        "-",
        "A",
        "what a hand",
        "call 555-1234",
        "ha",
        "100%",
        "2-1 for us",
        "8 или 9",
        "晚上8点见",
        "",
    ],
)
def test_other_lines_are_not_taken_for_answers(text: str) -> None:
    assert not looks_like_answer(text)
