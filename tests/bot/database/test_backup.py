"""A backup is its owner's alone, and never makes what it was to copy."""

import os
import re
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy.engine import URL, make_url

from bot.database import Store
from bot.database import backup as module
from bot.database.backup import BackupError, backup


@pytest.fixture(params=[0o022, 0o000, 0o777], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(0o022)
    yield int(request.param)
    os.umask(before)


@pytest.fixture
async def kept(tmp_path: Path) -> URL:
    """The address of a database that a bot has made."""
    address = make_url(f"sqlite:///{tmp_path / 'games.sqlite3'}")
    await (await Store.open(address)).close()
    return address


def mode(file: Path) -> int:
    return stat.S_IMODE(file.stat().st_mode)


def test_nobody_else_can_read_it_from_its_first_byte(
    kept: URL, tmp_path: Path, umask: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy, seen = tmp_path / "copy", list[int]()
    copied = module._copy

    def watched(source: Path, part: Path) -> None:
        seen.append(mode(part))
        copied(source, part)
        seen.append(mode(part))

    monkeypatch.setattr(module, "_copy", watched)
    copy.write_bytes(b"an older one that anybody may read")
    copy.chmod(0o644)
    (tmp_path / "copy.part").write_bytes(b"left by a kill")
    (tmp_path / "copy.part").chmod(0o644)
    os.umask(umask)
    backup(kept, copy)
    assert [*seen, mode(copy)] == [0o600] * 3
    with closing(sqlite3.connect(copy)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert {p.name for p in tmp_path.iterdir()} == {"copy", "games.sqlite3", "games.sqlite3.lock"}


def test_what_is_missing_is_named_and_not_made(kept: URL, tmp_path: Path) -> None:
    def refused(source: str, to: str, words: str) -> None:
        before = {p: p.stat().st_size for p in tmp_path.rglob("*")}
        with pytest.raises(BackupError, match=re.escape(words)):
            backup(make_url(f"sqlite:///{tmp_path}/{source}"), tmp_path / to)
        assert {p: p.stat().st_size for p in tmp_path.rglob("*")} == before

    (tmp_path / "empty.sqlite3").touch()
    (tmp_path / "folder").mkdir()
    with closing(sqlite3.connect(tmp_path / "foreign.sqlite3")) as connection:
        connection.execute("CREATE TABLE alien (id)")
    refused("none.sqlite3", "copy", f"no database '{tmp_path}/none.sqlite3'")
    refused("none/games.sqlite3", "copy", f"no folder '{tmp_path}/none'")
    refused("empty.sqlite3", "copy", "is no database of this bot")
    refused("foreign.sqlite3", "copy", "is no database of this bot")
    refused("games.sqlite3", "none/copy", f"no folder '{tmp_path}/none' for the backup")
    refused("games.sqlite3", "folder", "is a folder")


@pytest.mark.parametrize("kind", ["pipe", "link", "dangling"])
def test_what_is_no_file_is_left_as_it_is(kept: URL, tmp_path: Path, kind: str) -> None:
    """A device is replaced like a pipe: whoever is root would lose /dev/null by it."""
    to, other = tmp_path / "there", tmp_path / "other"
    if kind == "pipe":
        os.mkfifo(to)
    else:
        to.symlink_to(other)
    if kind == "link":
        other.write_text("kept")
    with pytest.raises(BackupError, match=r"is no file|is a link"):
        backup(kept, to)
    assert to.is_fifo() if kind == "pipe" else to.is_symlink()
    assert not other.exists() or other.read_text() == "kept"
