"""Static files of the page and their headers."""

import gzip
import json
import re
from importlib.resources import files

import pytest

from bot.board import static_files
from bot.board.static_files import insert_languages, translate_sentences
from bot.i18n import get_words, list_languages
from tests.bot.board.harness import Harness

FOLDER = files("bot.board").joinpath("page")
NAMES = sorted(file.name for file in FOLDER.iterdir() if file.name.rpartition(".")[2] != "json")


async def test_all_files_of_the_folder_are_served(harness: Harness) -> None:
    assert "index.html" in NAMES
    for name in NAMES:
        path = "" if name == "index.html" else name
        status, content, headers = await harness.get(path, Accept_Encoding="identity")
        content = re.sub(rb'VERSION = "\w{16}"', b'VERSION = "0"', content)
        assert (status, content) == (200, insert_languages(FOLDER.joinpath(name).read_bytes())), name
        assert headers["Content-Type"] == static_files.MEDIA_TYPES[f".{name.rpartition('.')[2]}"]
        assert "Set-Cookie" not in headers


async def test_modules_know_the_languages(harness: Harness) -> None:
    for name in ("service.js", "translations.js"):
        _, content, _ = await harness.get(name, Accept_Encoding="identity")
        (listed,) = re.findall(r"LANGUAGES = (\[.*\]);", content.decode())
        assert json.loads(listed) == sorted(set(list_languages()) - {"en"}), name


async def test_files_are_compressed_on_request(harness: Harness) -> None:
    status, content, headers = await harness.get("", Accept_Encoding="br, gzip;q=0.8")
    assert (status, headers["Content-Encoding"], headers["Vary"]) == (200, "gzip", "Accept-Encoding")
    assert gzip.decompress(content) == FOLDER.joinpath("index.html").read_bytes()
    for asked in ("", "br", "identity"):
        _, _, headers = await harness.get("", Accept_Encoding=asked)
        assert "Content-Encoding" not in headers


async def test_version_changes_with_any_file(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    _, content, _ = await harness.get("service.js", Accept_Encoding="identity")
    (version,) = re.findall(r'^const VERSION = "(\w+)";$', content.decode(), re.MULTILINE)
    for path in ("", "game.js", "words/ru.json", "icon.svg"):
        assert (await harness.get(f"{path}?v={version}"))[0] == 200
        status, _, headers = await harness.get(f"{path}?v={version[::-1]}")
        assert (status, headers["Content-Security-Policy"][:11]) == (404, "default-src")
    found = {version}
    monkeypatch.setattr(static_files, "translate_sentences", lambda *_: {"a": "b"})
    found |= {page.version for page in static_files.load_static_files().values()}
    assert len(found) == 2


async def test_known_etag_gives_304(harness: Harness) -> None:
    tags = set()
    for asked in ("gzip", "identity"):
        _, _, headers = await harness.get("", Accept_Encoding=asked)
        assert headers["Cache-Control"] == "no-cache"
        tags.add(tag := headers["ETag"])
        for known in (tag, f"W/{tag}", f'"x", {tag}'):
            status, content, result = await harness.get("", Accept_Encoding=asked, If_None_Match=known)
            assert (status, content, result["ETag"]) == (304, b"", tag)
            assert result["Content-Security-Policy"]
        assert (await harness.get("", Accept_Encoding=asked, If_None_Match='"x"'))[0] == 200
    assert len(tags) == 2, "one for each form"


async def test_policy_allows_the_page_and_telegrams_script(harness: Harness) -> None:
    _, _, headers = await harness.get("")
    policy = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == policy["base-uri"] == policy["form-action"] == "'none'"
    assert policy["script-src"] == "'self' https://telegram.org/js/telegram-web-app.js"
    assert policy["style-src"] == policy["connect-src"] == policy["worker-src"] == "'self'"
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert "https://web.telegram.org" in policy["frame-ancestors"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert "camera=()" in headers["Permissions-Policy"]
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert "X-Frame-Options" not in headers, "Telegram's web app shows it in a frame"


async def test_policy_without_telegram_allows_the_page_alone(harness: Harness) -> None:
    await harness.close()
    await harness.open(telegram=False)
    _, _, headers = await harness.get("")
    assert "telegram" not in headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]


@pytest.mark.long
@pytest.mark.parametrize("language", list_languages())
async def test_sentences_are_served_in_each_language(harness: Harness, language: str) -> None:
    status, content, headers = await harness.get(f"words/{language}.json", Accept_Encoding="identity")
    assert (status, headers["Content-Type"]) == (200, "application/json")
    assert json.loads(content) == translate_sentences(get_words(language))


async def test_path_without_slash_redirects(harness: Harness) -> None:
    address = harness.make_url("").rstrip("/")
    async with harness.http.get(f"{address}?x=1", allow_redirects=False) as answer:
        assert (answer.status, answer.headers["Location"]) == (308, "/board/?x=1")


async def test_head_has_no_body(harness: Harness) -> None:
    async with harness.http.head(harness.make_url("")) as answer:
        assert (answer.status, await answer.read()) == (200, b"")
