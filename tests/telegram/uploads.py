"""Files that the bot sends."""

from collections.abc import Iterator, Mapping
from typing import Any

from tests.telegram.chats import Json
from tests.telegram.errors import Violation, bad_request

Params = dict[str, Any]  # A request's parameters as values
Files = Mapping[str, bytes]  # The parts of a request that are files, by name
PNG = b"\x89PNG"  # The first bytes of a picture


class Uploads:
    """All uploaded files."""

    def __init__(self, ids: Iterator[int]) -> None:
        self._ids = ids
        self.files: dict[str, bytes] = {}  # By file id
        self.count = 0  # Pictures that were uploaded, not sent again by their ids

    def store_file(self, content: bytes | None) -> Json:
        """Store a file and return the API's object for it; None stands for a file named by id or address."""
        number = f"file-{next(self._ids)}"
        self.files[number] = content or b""
        return {"file_id": number, "file_unique_id": f"u-{number}", "file_size": len(content or b"")}

    def store_photo(self, picture: bytes | None) -> Json:
        """Store a picture and return its `PhotoSize`."""
        width, height = read_size(picture or b"")
        return self.store_file(picture) | {"width": width, "height": height}

    def take_picture(self, value: Any, files: Files) -> tuple[Json, bytes]:
        """Return the `PhotoSize` and content of a request's picture, uploaded now or earlier."""
        brought = read_upload(value, files)
        if brought is not None:
            self.count += 1
            return self.store_photo(brought), brought
        if not value.startswith("http") and value not in self.files:
            raise bad_request("wrong file identifier/HTTP URL specified")
        known = self.files.get(value, b"")
        width, height = read_size(known)
        size = {"width": width, "height": height, "file_size": len(known)}
        return {"file_id": value, "file_unique_id": f"u-{value}", **size}, known


def read_upload(value: Any, files: Files) -> bytes | None:
    """Return the bytes of a file parameter; None for a file id or address."""
    if isinstance(value, bytes):
        return value
    if isinstance(value, str) and value.startswith("attach://"):
        name = value.removeprefix("attach://")
        if name not in files:
            raise Violation(f"part {name!r} that the request attaches isn't in it")
        return files[name]
    if not value:
        raise bad_request("there is no photo in the request")
    return None


def read_size(picture: bytes) -> tuple[int, int]:
    """Return the width and height of a PNG in pixels; a default for other formats."""
    if picture.startswith(b"\x89PNG\r\n\x1a\n") and len(picture) >= 24:
        return int.from_bytes(picture[16:20], "big"), int.from_bytes(picture[20:24], "big")
    return 320, 320
