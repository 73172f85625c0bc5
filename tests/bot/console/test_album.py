"""`--pictures DIR`: which messages get a picture, what the files are called, and what can go wrong."""

import asyncio
import io
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from bot.console import album as keeping
from bot.console.album import Album, Folder, FolderError, Message
from bot.console.pictured import Pictured
from bot.console.screen import Screen
from bot.console.terminal import Paper
from bot.games.known import GAMES
from bot.i18n import words
from bot.pictures.drawing import draw
from bot.pictures.values import Card, Deal, Joint, Roll, Solution
from bot.workers.pool import Pool, TooSlowError
from tests.bot.console.talking import Talk, conversation

HAND = Deal((Card(3, "♠"), Card(8, "♥"), Card(3, "♦"), Card(8, "♣")), 24)


@pytest.fixture
def talk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Talk:
    return conversation(monkeypatch, tmp_path)


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What is drawn, with the language; nothing is drawn in truth."""
    seen: list[Any] = []

    def note(picture: Any, language: str) -> bytes:
        seen.append((picture, language))
        return b"PNG"

    monkeypatch.setattr(keeping, "draw", note)
    return seen


def kinds(folder: Path) -> list[str]:
    """What the pictures are called, without their numbers, in the order of their names."""
    return [path.stem.partition("-")[2] for path in sorted(folder.iterdir())]


@pytest.mark.long
async def test_a_round(talk: Talk, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "pictures"
    shown = await talk("@ann /play", "@bob 8*3-8/3", "/hint", "8/(3-8/3)", pictures=folder)
    assert [path.name for path in sorted(folder.iterdir())] == ["0001-deal.png", "0002-solution.png"]
    assert [line for line in shown.splitlines() if line.startswith("🖼")] == [
        f"🖼 {folder / '0001-deal.png'}",
        f"🖼 {folder / '0002-solution.png'}",
    ]
    assert (folder / "0001-deal.png").read_bytes() == draw(HAND)
    with Image.open(folder / "0002-solution.png") as picture:
        assert picture.format == "PNG"


async def test_what_won_has_the_winners_name_and_points(talk: Talk, tmp_path: Path, drawn: list[Any]) -> None:
    await talk("/play", "@bob 8/(3-8/3)", language="ru_RU.UTF-8", pictures=tmp_path / "p")
    (dealt, solved) = drawn
    assert dealt == (HAND, "ru")
    assert isinstance(solved[0], Solution)
    assert (solved[0].name, solved[0].earned) == ("Bob", "+6 очков")
    assert isinstance(solved[0].tree, Joint)
    assert solved[0].tree.value == "24"


@pytest.mark.long
async def test_a_race(talk: Talk, tmp_path: Path, drawn: list[Any]) -> None:
    won = "8/(3-8/3)"
    await talk("/race 2", f"@ann {won}", "@ann 8", f"@bob {won}", pictures=tmp_path / "p")
    assert kinds(tmp_path / "p") == ["deal", "race"]
    race = drawn[-1][0]
    assert sorted(line.name for line in race.lines) == ["Ann", "Bob"]


@pytest.mark.long
async def test_a_duel(talk: Talk, tmp_path: Path, drawn: list[Any]) -> None:
    await talk("@ann /duel", "@bob !1", *["8/(3-8/3)"] * 3, pictures=tmp_path / "p")
    assert kinds(tmp_path / "p")[-1] == "duel"
    assert (drawn[-1][0].names, drawn[-1][0].score) == (("Ann", "Bob"), (0, 3))


async def test_tiles(talk: Talk, tmp_path: Path, drawn: list[Any]) -> None:
    await talk("/countdown", "/skip", pictures=tmp_path / "p")
    assert kinds(tmp_path / "p") == ["draw"]
    assert len(drawn[0][0].tiles) == 6


async def test_dice(talk: Talk, tmp_path: Path, drawn: list[Any]) -> None:
    first = [2 + sum(range(14 - turn, 14)) for turn in range(13)]
    await talk("/yahtzee", "!1", *(f"!{number}" for number in first), "/stop", pictures=tmp_path / "p")
    rolls = [picture for picture, _ in drawn if isinstance(picture, Roll)]
    assert kinds(tmp_path / "p") == [*["roll"] * len(rolls), "card", "card"]
    assert 10 <= len(rolls) <= 13  # one that is as the one before is not kept twice
    assert all(one != other for one, other in pairwise(rolls))
    own, best = drawn[-2][0], drawn[-1][0]
    assert (own.title, best.title) == ("Player", "Best possible")
    assert own.total.score <= best.total.score


async def test_the_hand_of_the_day(talk: Talk, tmp_path: Path, drawn: list[Any]) -> None:
    await talk("> /daily", "> 1+1", "> 8/(3-8/3)", pictures=tmp_path / "p")
    assert kinds(tmp_path / "p") == ["deal", "daily"]
    assert (drawn[1][0].streak, drawn[1][0].hints) == (1, 0)


async def test_profiles_and_boards(talk: Talk, tmp_path: Path, drawn: list[Any]) -> None:
    week = f"!{9 + len(GAMES)}"  # behind a button for each game below /stats
    said = ("@ann /play", "8/(3-8/3)", "/stats", "/leaderboard", week, "> /stats")
    await talk(*said, pictures=tmp_path / "p")
    assert kinds(tmp_path / "p")[2:] == ["profile", "board", "week", "profile"]
    assert [type(picture).__name__ for picture, _ in drawn[2:]] == ["Profile", "Race", "Week", "Profile"]
    assert drawn[2][0].name == "Ann"


async def test_a_challenge(talk: Talk, tmp_path: Path, drawn: list[Any]) -> None:
    await talk("@ann /duel", pictures=tmp_path / "p")
    assert kinds(tmp_path / "p") == ["challenge"]
    assert drawn[0][0].names == ("Ann", "?")


async def test_all_is_seen_whatever_the_chat_chose(talk: Talk, tmp_path: Path, drawn: list[Any]) -> None:
    await talk("/play", "8/(3-8/3)", "/stats", pictures=tmp_path / "p")
    assert kinds(tmp_path / "p") == ["deal", "solution", "profile"]


async def test_without_a_folder_nothing_is_drawn(talk: Talk, drawn: list[Any]) -> None:
    assert "🖼" not in await talk("/play", "8/(3-8/3)")
    assert drawn == []


def test_numbers_go_on(tmp_path: Path) -> None:
    Folder(tmp_path).keep("deal", b"1")
    (tmp_path / "0041-roll.png").write_bytes(b"2")
    (tmp_path / "holiday.png").write_bytes(b"3")
    folder = Folder(tmp_path)
    (tmp_path / "0042-deal.png").write_bytes(b"another chat's")
    assert folder.keep("deal", b"4") == tmp_path / "0043-deal.png"
    assert (tmp_path / "0042-deal.png").read_bytes() == b"another chat's"
    assert (tmp_path / "0001-deal.png").read_bytes() == b"1"


@pytest.mark.parametrize("name", ["file", "file/below", "nul\0"])
def test_where_nothing_can_be_kept_one_line_says_so(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(FolderError) as refused:
        Folder(tmp_path / name)
    assert str(refused.value).startswith(f"--pictures: {tmp_path / name} can't be used: ")
    assert "\n" not in str(refused.value)


class Failing(Pool):
    """Workers that draw nothing."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    async def ask(self, task: Callable[..., Any], *_: Any, **__: Any) -> Any:
        raise self._error


async def always(_: Message) -> Pictured:
    return Pictured(HAND, "en")


@pytest.mark.parametrize("error", [TooSlowError("draw"), ValueError("no such card")])
async def test_the_chat_goes_on_without_a_picture(
    tmp_path: Path, error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    out = io.StringIO()
    screen = Screen(Paper(out), words("en"))
    album = Album(Folder(tmp_path), screen, Failing(error), always)
    running = asyncio.create_task(album.run())
    for _ in range(2):
        album.shown({"message_id": 2})
        await album.idle()
    assert [record.message.partition(":")[0] for record in caplog.records] == ["a picture is left out"] * 2
    assert (out.getvalue(), kinds(tmp_path)) == ("", [])
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
