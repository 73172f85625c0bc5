"""The page's modules under node's test runner, and rules for its files."""

import gzip
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from PIL import Image

from bot.board import static_files

ROOT = Path(static_files.__file__).parents[2]
PAGE = Path(static_files.__file__).parent / static_files.PAGE
CLASS_PAGES = Path(static_files.__file__).parent / static_files.CLASS_PAGES
TESTS = ROOT / "tests" / "web_page"
NODE = shutil.which("node")
BUDGETS = {PAGE: 72_000, CLASS_PAGES: 18_000}  # Bytes of everything together, compressed
TELEGRAM = "https://telegram.org/js/telegram-web-app.js"
NAMESPACE = "http://www.w3.org/2000/svg"  # Only a name


SLOW = "taps.test.mjs"  # Looks for the fewest taps of two hundred hands


def read_page_file(name: str) -> str:
    return (PAGE / name).read_text("utf-8")


def list_modules() -> set[str]:
    return {path.name for path in PAGE.glob("*.js")}


def read_files(*suffixes: str) -> dict[str, str]:
    """Return the texts of both folders' files with these suffixes by name: they are served from one."""
    paths = [path for folder in BUDGETS for path in folder.iterdir() if path.suffix in suffixes]
    assert len({path.name for path in paths}) == len(paths)
    return {path.name: path.read_text("utf-8") for path in paths}


@pytest.mark.skipif(NODE is None, reason="node is not installed: the page's modules are not tested")
@pytest.mark.parametrize(
    "file",
    [
        pytest.param(path.name, marks=[pytest.mark.long, pytest.mark.exhaustive] if path.name == SLOW else [])
        for path in sorted(TESTS.glob("*.test.mjs"))
    ],
)
def test_module_passes_its_tests_in_node(file: str) -> None:
    done = subprocess.run(
        [str(NODE), "--test", str(TESTS / file)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]


@pytest.mark.parametrize("folder", BUDGETS, ids=lambda folder: str(folder.parent.name))
def test_pages_are_small(folder: Path) -> None:
    sizes = {path.name: len(gzip.compress(path.read_bytes(), mtime=0)) for path in folder.iterdir()}
    assert sum(sizes.values()) < BUDGETS[folder], sizes


def test_pages_need_no_looser_policy() -> None:
    # No script, style or handler within a page; no code out of text, no HTML out of names.
    looser = re.compile(r"<script(?![^>]* src=)|<style|\sstyle=|\son\w+=|javascript:")
    dangers = re.compile(
        r"\beval\(|new Function|innerHTML|outerHTML|insertAdjacentHTML|document\.write|setAttribute\(.style"
    )
    assert {name for name, text in read_files(".html").items() if looser.search(text)} == set()
    assert {name for name, text in read_files(".js").items() if dangers.search(text)} == set()


def test_only_telegrams_script_is_external() -> None:
    texts = read_files(".js", ".css", ".html", ".webmanifest").values()
    assert {found for text in texts for found in re.findall(r"https?://[^\s\"'`)]+", text)} == {
        TELEGRAM,
        NAMESPACE,
    }
    assert [name for name, text in read_files(".html").items() if "telegram.org" in text] == []


def test_every_module_is_preloaded_and_cached() -> None:
    page, service = read_page_file("index.html"), read_page_file("service.js")
    early = set(re.findall(r'modulepreload" href="([^"]+)"', page))
    assert early == list_modules() - {"start.js", "service.js"}
    listed = {
        f"{name}.js"
        for line in re.findall(r"\.\.\.\[(.*)\]", service)
        for name in re.findall(r'"(\w+)"', line)
    }
    assert listed == list_modules() - {"service.js"}


def test_module_imports_exist() -> None:
    modules = read_files(".js")
    for name, text in modules.items():
        assert set(re.findall(r'from "\./([^"]+)"', text)) <= modules.keys(), name
    for name in list_modules():
        assert set(re.findall(r'from "\./([^"]+)"', modules[name])) <= list_modules(), (
            "cached without classes"
        )


def test_addresses_are_relative() -> None:
    absolute = re.compile(r'(?:href|src)="/|(?:fetch|post|postJson|sendRequest|request)\(["`]/')
    assert {name for name, text in read_files(".html", ".js").items() if absolute.search(text)} == set()


def test_page_linters_are_pinned() -> None:
    wanted = json.loads((TESTS / "oldest" / "package.json").read_text("utf-8"))["devDependencies"]
    locked = json.loads((TESTS / "oldest" / "package-lock.json").read_text("utf-8"))["packages"]
    assert {name: locked[f"node_modules/{name}"]["version"] for name in wanted} == wanted
    assert [name for name, package in locked.items() if name and "integrity" not in package] == []
    assert [name for name, package in locked.items() if "resolved" in package] == []


def test_page_is_installable() -> None:
    manifest = json.loads(read_page_file("manifest.webmanifest"))
    assert manifest["display"] == "standalone"
    for icon in manifest["icons"]:
        assert (PAGE / icon["src"]).exists()
    for size in (192, 512):
        with Image.open(PAGE / f"icon-{size}.png") as picture:
            assert picture.size == (size, size)


def test_page_respects_motion_and_theme_settings() -> None:
    style = read_page_file("board.css")
    for wish in (
        "prefers-reduced-motion",
        "prefers-color-scheme: dark",
        "--tg-theme-text-color",
        "forced-colors",
    ):
        assert wish in style
    assert "prefers-reduced-motion" in read_page_file("tiles_view.js")
