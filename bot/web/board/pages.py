"""The page's own files: read once, with their compressed forms, and answered from memory."""

import gzip
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import PurePath

from starlette.requests import Request
from starlette.responses import Response

from bot.i18n import languages, words
from bot.web.board.said import sentences

INDEX, KEEPER = "index.html", "service.js"
UNSET, DIGITS = b'VERSION = "0"', 16
"""What the keeper of the files has in place of their version, which has so many digits."""
KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".webmanifest": "application/manifest+json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".woff2": "font/woff2",
}
"""What is served of the folder, by how its names end."""
JSON = "application/json"
PACKED = {".html", ".css", ".js", ".webmanifest", ".svg", ".json"}
"""What gets smaller by compression."""
SCRIPT = "https://telegram.org/js/telegram-web-app.js"
"""Where Telegram's own script comes from, the only thing from outside."""
FRAMES = "https://web.telegram.org https://*.telegram.org 'self'"
"""Who may show the page within a page: Telegram's web apps."""
POWERS = (
    *(
        "accelerometer",
        "autoplay",
        "camera",
        "display-capture",
        "encrypted-media",
        "geolocation",
        "gyroscope",
    ),
    *("magnetometer", "microphone", "midi", "payment", "picture-in-picture", "usb", "xr-spatial-tracking"),
)
"""What of a device a page may be allowed, and this one never needs."""
ALWAYS = {
    "Permissions-Policy": ", ".join(f"{power}=()" for power in POWERS),
    "Cross-Origin-Opener-Policy": "same-origin",
}
"""Beside what every answer says."""


def policy(*, telegram: bool) -> str:
    """The Content-Security-Policy: of pages that Telegram may open, or of those of this machine alone."""
    parts = {
        "default-src": "'none'",
        "script-src": f"'self' {SCRIPT}" if telegram else "'self'",
        "style-src": "'self'",
        "img-src": "'self' data:",
        "connect-src": "'self'",
        "manifest-src": "'self'",
        "worker-src": "'self'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": FRAMES if telegram else "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in parts.items())


@dataclass(frozen=True, slots=True)
class Page:
    """One file."""

    kind: str
    plain: bytes
    packed: bytes | None
    """Compressed, where that is smaller."""
    tag: str
    """Of the content; each form has its own, made of this."""
    version: str = ""
    """Of all files together."""

    def answer(self, request: Request, headers: Mapping[str, str]) -> Response:
        """The file in the form that is asked for; its tag alone where that is known already, and nothing
        where it is asked for as one of another version.
        """
        if request.query_params.get("v", self.version) != self.version:
            return Response(status_code=404, headers=dict(headers))
        packed = self.packed if _takes_gzip(request) else None
        tag = f'"{self.tag}{"-gz" if packed else ""}"'
        told = {**headers, "ETag": tag, "Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
        if _knows(request, tag):
            return Response(status_code=304, headers=told)
        if packed:
            told["Content-Encoding"] = "gzip"
        return Response(packed or self.plain, headers=told, media_type=self.kind)


def read() -> dict[str, Page]:
    """All that the page is made of, by its path below the page's root; the root itself is empty."""
    pages = dict(_folder()) | dict(_words())
    pages[""] = pages.pop(INDEX)
    told = "".join(f"{name} {page.tag}\n" for name, page in sorted(pages.items()))
    version, keeper = hashlib.sha256(told.encode()).hexdigest()[:DIGITS], pages[KEEPER]
    stamped = keeper.plain.replace(UNSET, UNSET.replace(b"0", version.encode()))
    pages[KEEPER] = _page(keeper.kind, stamped, packs=True)
    return {name: replace(page, version=version) for name, page in pages.items()}


def _folder() -> Iterator[tuple[str, Page]]:
    for file in files("bot.web.board").joinpath("page").iterdir():
        ending = PurePath(file.name).suffix
        if file.is_file() and ending in KINDS:
            yield file.name, _page(KINDS[ending], file.read_bytes(), packs=ending in PACKED)


def _words() -> Iterator[tuple[str, Page]]:
    """The page's sentences in each language."""
    for language in languages():
        said = json.dumps(sentences(words(language)), ensure_ascii=False, separators=(",", ":"))
        yield f"words/{language}.json", _page(JSON, said.encode(), packs=True)


def _page(kind: str, content: bytes, *, packs: bool) -> Page:
    packed = gzip.compress(content, 9, mtime=0) if packs else content
    tag = hashlib.sha256(content).hexdigest()[:32]
    return Page(kind, content, packed if len(packed) < len(content) else None, tag)


def _takes_gzip(request: Request) -> bool:
    """Whether the reader can unpack it, and did not say that it won't."""
    for asked in ",".join(request.headers.getlist("accept-encoding")).split(","):
        name, _, weight = asked.partition(";")
        if name.strip().lower() in {"gzip", "*"}:
            return weight.replace(" ", "") not in {"q=0", "q=0.0", "q=0.00", "q=0.000"}
    return False


def _knows(request: Request, tag: str) -> bool:
    asked: Iterable[str] = ",".join(request.headers.getlist("if-none-match")).split(",")
    return any(one.strip().removeprefix("W/") in {tag, "*"} for one in asked)
