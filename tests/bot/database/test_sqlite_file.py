"""A database's file and its lock: owners, modes and links."""

import os
import stat
from pathlib import Path

import pytest
from sqlalchemy.engine import URL, make_url

from bot.checkup.database import check_database
from bot.checkup.finding import Mark
from bot.database import Store, StoreError
from bot.database.backup import BackupError, restore_backup, write_backup
from bot.database.move import MoveError, move_database

ANYBODY = 0o022  # A umask as root has it
SERVICE = 2424, 2425  # User and group of the bot's own


@pytest.fixture
def url(tmp_path: Path) -> URL:
    folder = tmp_path / "data"
    folder.mkdir(mode=0o755)
    return make_url(f"sqlite:///{folder / 'games.sqlite3'}")


def list_files(url: URL) -> list[Path]:
    """Return the paths of the database and its lock."""
    path = Path(str(url.database))
    return [path, path.with_name(f"{path.name}.lock")]


def read_modes(url: URL) -> set[int]:
    return {stat.S_IMODE(path.stat().st_mode) for path in list_files(url)}


async def start_bot(url: URL) -> None:
    before = os.umask(ANYBODY)
    try:
        await (await Store.open(url)).close()
    finally:
        os.umask(before)


async def test_new_database_is_private(url: URL) -> None:
    await start_bot(url)
    assert read_modes(url) == {0o600}


async def test_existing_file_keeps_its_mode(url: URL) -> None:
    await start_bot(url)
    for path in list_files(url):
        path.chmod(0o640)
    await start_bot(url)
    assert read_modes(url) == {0o640}


async def test_files_made_by_root_get_the_owner_of_the_folder(
    url: URL, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(os, "fchown", lambda _, user, group: given.append((user, group)))
    await start_bot(url)
    folder = Path(str(url.database)).parent.stat()
    assert given == [(folder.st_uid, folder.st_gid)] * 2


async def test_root_may_be_unable_to_change_owners(url: URL, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: int) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(os, "fchown", refused)
    await start_bot(url)
    assert read_modes(url) == {0o600}


@pytest.mark.long
async def test_other_users_change_no_owner(url: URL, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[int] = []
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(os, "fchown", lambda descriptor, *_: given.append(descriptor))
    await start_bot(url)
    assert given == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
async def test_files_made_or_restored_by_root_belong_to_the_bots_user(url: URL, tmp_path: Path) -> None:
    path = Path(str(url.database))
    os.chown(path.parent, *SERVICE)
    await start_bot(url)
    assert {(file.stat().st_uid, file.stat().st_gid) for file in list_files(url)} == {SERVICE}
    write_backup(url, tmp_path / "copy.sqlite3")
    for file in list_files(url):
        file.unlink()
    restore_backup(tmp_path / "copy.sqlite3", url)
    assert {(file.stat().st_uid, file.stat().st_gid) for file in list_files(url)} == {SERVICE}


@pytest.fixture
def link(url: URL, tmp_path: Path) -> URL:
    """The same file by a symbolic link."""
    path = tmp_path / "link.sqlite3"
    path.symlink_to(Path(str(url.database)))
    return make_url(f"sqlite:///{path}")


@pytest.fixture
def hard_link(url: URL, tmp_path: Path) -> URL:
    """A second name of the empty file."""
    path = Path(str(url.database))
    path.touch(0o600)
    (tmp_path / "hard.sqlite3").hardlink_to(path)
    return make_url(f"sqlite:///{tmp_path / 'hard.sqlite3'}")


@pytest.mark.parametrize("other_name", ["link", "hard_link"])
async def test_link_is_locked_with_its_file(
    url: URL, other_name: str, request: pytest.FixtureRequest
) -> None:
    link: URL = request.getfixturevalue(other_name)
    for one, other in ((url, link), (link, url)):
        store = await Store.open(one)
        with pytest.raises(StoreError, match="another bot already runs on the database"):
            await Store.open(other)
        if other_name == "link":
            assert (await check_database(other)).is_bot_running
        await store.close()


async def test_new_file_is_locked_under_all_its_names(url: URL, tmp_path: Path) -> None:
    store = await Store.open(url)
    path = tmp_path / "hard.sqlite3"
    path.hardlink_to(Path(str(url.database)))
    with pytest.raises(StoreError, match="another bot already runs on the database"):
        await Store.open(make_url(f"sqlite:///{path}"))
    await store.close()


async def test_check_reports_a_hard_link_of_a_running_bots_file(url: URL, hard_link: URL) -> None:
    store = await Store.open(url)
    (found,) = (await check_database(hard_link)).findings
    await store.close()
    expected = f"{hard_link.database!r} has another name (a hard link), and a bot runs on one of them"
    assert (found.mark, found.state) == (Mark.WRONG, expected)
    assert found.remedy.startswith("delete the name that bot does not use")


async def test_restore_refuses_a_hard_link_of_a_running_bots_file(
    url: URL, hard_link: URL, tmp_path: Path
) -> None:
    await start_bot(url)
    write_backup(url, tmp_path / "copy")
    store = await Store.open(url)
    with pytest.raises(BackupError, match="a bot runs on"):
        restore_backup(tmp_path / "copy", hard_link)
    await store.close()


async def test_target_of_a_link_is_created_private(url: URL, link: URL) -> None:
    await start_bot(link)
    assert read_modes(url) == {0o600}


async def test_restore_replaces_the_file_and_keeps_the_link(url: URL, link: URL, tmp_path: Path) -> None:
    await start_bot(url)
    write_backup(url, tmp_path / "copy")
    (file, _), (by_link, _) = list_files(url), list_files(link)
    before = file.stat().st_ino
    former = restore_backup(tmp_path / "copy", link)
    assert by_link.is_symlink()
    assert file.stat().st_ino != before
    assert former == file.with_name(f"{file.name}.former")


@pytest.mark.parametrize(
    ("other_name", "expected"),
    [("link", "that is the same database"), ("hard_link", "another bot already runs")],
)
async def test_move_to_another_name_of_the_source_is_refused(
    url: URL, other_name: str, expected: str, request: pytest.FixtureRequest
) -> None:
    link: URL = request.getfixturevalue(other_name)
    await start_bot(url)
    with pytest.raises(MoveError, match=expected):
        await move_database(url, link, print)
