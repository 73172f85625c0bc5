"""Serves the page's own files: read once, with their compressed forms, and answered from memory."""

import gzip
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import PurePath

from starlette.requests import Request
from starlette.responses import Response

from bot.board.sentences import translate_sentences
from bot.i18n import get_words, list_languages

# Where Telegram's own script comes from, the only thing from outside.
SCRIPT = "https://telegram.org/js/telegram-web-app.js"
# Who may show the page within a page: Telegram's web apps.
FRAMES = "https://web.telegram.org https://*.telegram.org 'self'"
# What of a device a page may be allowed, and this one never needs.
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
# Beside what every answer says.
PAGE_HEADERS = {
    "Permissions-Policy": ", ".join(f"{power}=()" for power in POWERS),
    "Cross-Origin-Opener-Policy": "same-origin",
}


def make_content_security_policy(*, telegram: bool) -> str:
    """Return the Content-Security-Policy of pages for Telegram, or of those of this machine alone."""
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
class StaticFile:
    """One file."""

    media_type: str
    content: bytes
    gzipped: bytes | None  # compressed, where that is smaller
    etag: str  # of the content; each form has its own, made of this
    version: str = ""  # of all files together

    def make_response(self, request: Request, headers: Mapping[str, str]) -> Response:
        """Return the file in the form that is asked for.

        Returns 304 if the reader has it already, and 404 if it is asked for in another version.
        """
        if request.query_params.get("v", self.version) != self.version:
            return Response(status_code=404, headers=dict(headers))
        packed = self.gzipped if _takes_gzip(request) else None
        tag = f'"{self.etag}{"-gz" if packed else ""}"'
        told = {**headers, "ETag": tag, "Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
        if _has_tag(request, tag):
            return Response(status_code=304, headers=told)
        if packed:
            told["Content-Encoding"] = "gzip"
        return Response(packed or self.content, headers=told, media_type=self.media_type)


# What the keeper of the files has in place of their version, which has so many digits.
UNSET, DIGITS = b'VERSION = "0"', 16
INDEX, KEEPER = "index.html", "service.js"


def load_static_files() -> dict[str, StaticFile]:
    """Read all files of the page, by their paths below its root; the root itself is empty."""
    pages = dict(_read_folder()) | dict(_make_words())
    pages[""] = pages.pop(INDEX)
    told = "".join(f"{name} {page.etag}\n" for name, page in sorted(pages.items()))
    version, keeper = hashlib.sha256(told.encode()).hexdigest()[:DIGITS], pages[KEEPER]
    stamped = keeper.content.replace(UNSET, UNSET.replace(b"0", version.encode()))
    pages[KEEPER] = _make_page(keeper.media_type, stamped, packs=True)
    return {name: replace(page, version=version) for name, page in pages.items()}


PACKED = {".html", ".css", ".js", ".webmanifest", ".svg", ".json"}  # what gets smaller by compression
# What is served of the folder, by how its names end.
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


def _read_folder() -> Iterator[tuple[str, StaticFile]]:
    for file in files("bot.board").joinpath("page").iterdir():
        ending = PurePath(file.name).suffix
        if file.is_file() and ending in KINDS:
            yield file.name, _make_page(KINDS[ending], file.read_bytes(), packs=ending in PACKED)


JSON = "application/json"


def _make_words() -> Iterator[tuple[str, StaticFile]]:
    """Make the files of the page's sentences, one for each language."""
    for language in list_languages():
        said = json.dumps(translate_sentences(get_words(language)), ensure_ascii=False, separators=(",", ":"))
        yield f"words/{language}.json", _make_page(JSON, said.encode(), packs=True)


def _make_page(kind: str, content: bytes, *, packs: bool) -> StaticFile:
    packed = gzip.compress(content, 9, mtime=0) if packs else content
    tag = hashlib.sha256(content).hexdigest()[:32]
    return StaticFile(kind, content, packed if len(packed) < len(content) else None, tag)


def _takes_gzip(request: Request) -> bool:
    """Whether the reader can unpack gzip, and did not refuse it."""
    for asked in ",".join(request.headers.getlist("accept-encoding")).split(","):
        name, _, weight = asked.partition(";")
        if name.strip().lower() in {"gzip", "*"}:
            return weight.replace(" ", "") not in {"q=0", "q=0.0", "q=0.00", "q=0.000"}
    return False


def _has_tag(request: Request, tag: str) -> bool:
    asked: Iterable[str] = ",".join(request.headers.getlist("if-none-match")).split(",")
    return any(one.strip().removeprefix("W/") in {tag, "*"} for one in asked)
