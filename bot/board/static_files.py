"""Serve the page's own files from memory, plain or compressed."""

import gzip
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import PurePath

from starlette.requests import Request
from starlette.responses import Response

from bot.i18n import Words, get_words, list_languages

# The pages' own sentences; all other texts come from the game.
SAID_SENTENCE = re.compile(r'(?<![\w#.])say\(\s*"([^"]*)"')
PAGE, CLASS_PAGES = "page", "classroom/page"  # folders: the page to play on, and those of a class


@cache
def list_sentences(folder: str = PAGE) -> tuple[str, ...]:
    """Return the sentences of the pages in a folder in English, sorted, as the modules contain them."""
    sentences = set[str]()
    for file in files("bot.board").joinpath(folder).iterdir():
        if file.name.endswith(".js"):
            sentences.update(SAID_SENTENCE.findall(file.read_text("utf-8")))
    return tuple(sorted(sentences))


def translate_sentences(words: Words, folder: str = PAGE) -> dict[str, str]:
    """Return each sentence of a folder's pages by its English text; the pages insert the values."""
    return {sentence: words.translate_template(sentence) for sentence in list_sentences(folder)}


UNUSED_FEATURES = (
    *("accelerometer", "autoplay", "camera", "display-capture", "encrypted-media", "geolocation"),
    *("gyroscope", "magnetometer", "microphone", "midi", "payment", "picture-in-picture", "usb"),
    "xr-spatial-tracking",
)
PAGE_HEADERS = {
    "Permissions-Policy": ", ".join(f"{feature}=()" for feature in UNUSED_FEATURES),
    "Cross-Origin-Opener-Policy": "same-origin",
}
TELEGRAM_SCRIPT = "https://telegram.org/js/telegram-web-app.js"
TELEGRAM_FRAMES = "https://web.telegram.org https://*.telegram.org 'self'"


def make_content_security_policy(*, telegram: bool) -> str:
    """Return the policy of pages; with `telegram`, Telegram may frame them and run its script in them."""
    parts = {
        "default-src": "'none'",
        "script-src": f"'self' {TELEGRAM_SCRIPT}" if telegram else "'self'",
        "style-src": "'self'",
        "img-src": "'self' data:",
        "connect-src": "'self'",
        "manifest-src": "'self'",
        "worker-src": "'self'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": TELEGRAM_FRAMES if telegram else "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in parts.items())


@dataclass(frozen=True, slots=True)
class StaticFile:
    media_type: str
    content: bytes
    gzipped: bytes | None  # None if compression does not make it smaller
    etag: str
    version: str = ""  # of all files together

    def make_response(self, request: Request, headers: Mapping[str, str]) -> Response:
        """Respond with the file; with 304 if the browser has it, with 404 if it asks for another version."""
        if request.query_params.get("v", self.version) != self.version:
            return Response(status_code=404, headers=dict(headers))
        accepts_gzip = "gzip" in request.headers.get("accept-encoding", "")
        gzipped = self.gzipped if accepts_gzip else None
        etag = f'"{self.etag}-gz"' if gzipped else f'"{self.etag}"'
        headers = {**headers, "ETag": etag, "Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
        known = request.headers.get("if-none-match", "").split(",")
        known_etags = [each.strip().removeprefix("W/") for each in known]  # by which a proxy marks weak ones
        if etag in known_etags:
            return Response(status_code=304, headers=headers)
        if gzipped:
            headers["Content-Encoding"] = "gzip"
        return Response(gzipped or self.content, headers=headers, media_type=self.media_type)


VERSION_LINE = b'VERSION = "0"'  # in service.js, where the version of all files is put in
VERSION_CHARS = 16
LANGUAGES_LINE = b"LANGUAGES = []"  # in modules, where the languages are put in
MEDIA_TYPES = {  # of the files that are served, by suffix
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".webmanifest": "application/manifest+json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
}


CARDS = ("cards.png", "small.png")  # sheets with the cards of the pictures
CLASS_PAGE_NAMES = ("class", "teacher", "projector")


def load_static_files(*, begins_with_class: bool = False) -> dict[str, StaticFile]:
    """Load the pages' files, and their sentences in each language, by path.

    index.html has the path "play"; class.html has one for each page of a class, and the empty path if
    `begins_with_class`, which else has index.html.
    """
    loaded = dict[str, StaticFile]()
    board, art = files("bot.board"), files("bot.pictures").joinpath("art")
    page_files = [file for folder in (PAGE, CLASS_PAGES) for file in board.joinpath(folder).iterdir()]
    card_files = [art.joinpath(name) for name in CARDS]
    for file in page_files + card_files:
        media_type = MEDIA_TYPES.get(PurePath(file.name).suffix)
        if media_type is not None:
            loaded[file.name] = _make_file(media_type, insert_languages(file.read_bytes()))
    for language in list_languages():
        for folder, path in ((PAGE, "words"), (CLASS_PAGES, "class_words")):
            sentences = translate_sentences(get_words(language), folder)
            content = json.dumps(sentences, ensure_ascii=False, separators=(",", ":"))
            loaded[f"{path}/{language}.json"] = _make_file("application/json", content.encode())
    loaded["play"] = loaded.pop("index.html")
    loaded |= dict.fromkeys(CLASS_PAGE_NAMES, loaded.pop("class.html"))
    loaded[""] = loaded["class" if begins_with_class else "play"]
    return _add_version(loaded)


def insert_languages(content: bytes) -> bytes:
    """Put the languages that have sentences of their own into a module with an empty list of them."""
    _english, *others = list_languages()
    return content.replace(LANGUAGES_LINE, LANGUAGES_LINE.replace(b"[]", json.dumps(others).encode()))


def _add_version(files_by_path: dict[str, StaticFile]) -> dict[str, StaticFile]:
    """Return the files with the version that their contents make, which service.js also holds."""
    etags = "".join(f"{path} {file.etag}\n" for path, file in sorted(files_by_path.items()))
    version = hashlib.sha256(etags.encode()).hexdigest()[:VERSION_CHARS]
    service = files_by_path["service.js"]
    line = VERSION_LINE.replace(b"0", version.encode())  # 0 stands for the version
    content = service.content.replace(VERSION_LINE, line)
    files_by_path["service.js"] = _make_file(service.media_type, content)
    return {path: replace(file, version=version) for path, file in files_by_path.items()}


def _make_file(media_type: str, content: bytes) -> StaticFile:
    """Compress a file, unless that saves nothing; the result still lacks its version."""
    gzipped: bytes | None = gzip.compress(content, compresslevel=9, mtime=0)  # the same bytes at each start
    if gzipped and len(gzipped) >= len(content):
        gzipped = None
    etag = hashlib.sha256(content).hexdigest()[:32]
    return StaticFile(media_type, content, gzipped, etag)
