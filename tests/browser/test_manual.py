"""The manual's site: its links, accessibility, and that it loads nothing from elsewhere."""

import os
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from itertools import cycle
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Literal
from urllib.parse import unquote, urljoin, urlsplit

import pytest

from tests.browser.conftest import AXE, CARRIES_AXE
from tests.browser.test_looks import RULES

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).parents[2]
PHONE, DESK = (390, 844), (1280, 800)
LINKS = {"a": "href", "img": "src", "link": "href", "script": "src"}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the manual and return its folder; skip without MkDocs."""
    if find_spec("mkdocs") is None:
        pytest.skip("MkDocs is not installed: the manual is not built. Run: make docs")
    folder = tmp_path_factory.mktemp("site")
    build = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"})
    return folder


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """Serve the manual on loopback, and return its address."""

    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Print nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(site))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def list_pages(site: Path) -> list[str]:
    return sorted(str(path.relative_to(site)) for path in site.rglob("*.html") if path.name != "404.html")


LOOKS: list[tuple[tuple[int, int], Literal["light", "dark"]]] = [
    (PHONE, "light"),
    (DESK, "dark"),
    (PHONE, "dark"),
    (DESK, "light"),
]


@pytest.mark.skipif(not CARRIES_AXE, reason="axe-core is not installed: no page is tried with it")
def test_doors_are_accessible_and_load_nothing_from_elsewhere(
    site: Path, address: str, browser: "Browser"
) -> None:
    doors = [name for name in list_pages(site) if name.endswith("index.html")]
    looks = zip(doors, cycle(LOOKS), strict=False)
    assert [fault for name, look in looks for fault in find_faults(browser, address, name, *look)] == []


@pytest.mark.exhaustive
@pytest.mark.skipif(not CARRIES_AXE, reason="axe-core is not installed: no page is tried with it")
@pytest.mark.parametrize("look", LOOKS)
def test_every_page_is_accessible_and_loads_nothing_from_elsewhere(
    site: Path, address: str, browser: "Browser", look: tuple[tuple[int, int], Literal["light", "dark"]]
) -> None:
    assert [f for name in list_pages(site) for f in find_faults(browser, address, name, *look)] == []


def find_faults(
    browser: "Browser", address: str, name: str, size: tuple[int, int], scheme: Literal["light", "dark"]
) -> list[str]:
    """Return errors of a page, its requests to elsewhere, what axe-core finds, and whether it is too wide."""
    faults = list[str]()
    width, height = size
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
    page.on("console", lambda line: faults.append(line.text) if line.type == "error" else None)
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("request", lambda sent: None if sent.url.startswith(address) else faults.append(sent.url))
    page.goto(address + name)
    found = page.evaluate(f"{AXE.read_text('utf-8')};axe.run(document, {{runOnly: {RULES}}})")
    faults += [f"{each['id']}: {each['nodes'][0]['html']}" for each in found["violations"]]
    if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
        faults.append("scrolls to the side")
    page.close()
    return [f"{name}, {width} pixels, {scheme}: {fault}" for fault in faults]


class LinkParser(HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links, self.anchors = set[str](), {""}
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.anchors |= {values.get("id") or "", values.get("name") or ""}
        if link := values.get(LINKS.get(tag, "")):
            self.links.add(link)


def test_links_lead_to_files_and_anchors(site: Path) -> None:
    pages = {name: LinkParser(site / name) for name in list_pages(site)}
    broken = []
    for name, page in pages.items():
        for link in page.links:
            target = urlsplit(urljoin(f"http://manual/{name}", link))
            if target.netloc != "manual":
                continue
            path = unquote(target.path).lstrip("/") or "index.html"
            is_there = target.fragment in pages[path].anchors if path in pages else (site / path).is_file()
            broken += [] if is_there else [f"{name}: {link}"]
    assert broken == []
