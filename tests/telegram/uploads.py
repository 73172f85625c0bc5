"""Files that the bot sends: taken from the request, kept, and described as Telegram describes them."""

from collections.abc import Iterator, Mapping
from typing import Any

from tests.telegram.chats import Json
from tests.telegram.errors import Violation, refused

Params = dict[str, Any]  # A request's parameters as values
Files = Mapping[str, bytes]  # The parts of a request that are files, by name
PNG = b"\x89PNG"  # How a picture begins


class Uploads:
    """Everything that was uploaded."""

    def __init__(self, ids: Iterator[int]) -> None:
        self._ids = ids
        self.files: dict[str, bytes] = {}
        """By file id."""
        self.count = 0
        """Pictures that came with a request; others were named by the id of one that did."""

    def file(self, content: bytes | None) -> Json:
        """Keep it; a `Document` and the like. What was named by its id or address is empty here."""
        number = f"file-{next(self._ids)}"
        self.files[number] = content or b""
        return {"file_id": number, "file_unique_id": f"u-{number}", "file_size": len(content or b"")}

    def photo(self, picture: bytes | None) -> Json:
        """Keep it; a `PhotoSize`."""
        width, height = size_of(picture or b"")
        return self.file(picture) | {"width": width, "height": height}

    def picture(self, value: Any, files: Files) -> tuple[Json, bytes]:
        """A `PhotoSize` and its content: of what the request brings along, or of what an earlier one did."""
        brought = upload(value, files)
        if brought is not None:
            self.count += 1
            return self.photo(brought), brought
        if not value.startswith("http") and value not in self.files:
            raise refused("wrong file identifier/HTTP URL specified")
        known = self.files.get(value, b"")
        width, height = size_of(known)
        size = {"width": width, "height": height, "file_size": len(known)}
        return {"file_id": value, "file_unique_id": f"u-{value}", **size}, known


def upload(value: Any, files: Files) -> bytes | None:
    """The bytes of a file parameter; None for a file id or address."""
    if isinstance(value, bytes):
        return value
    if isinstance(value, str) and value.startswith("attach://"):
        name = value.removeprefix("attach://")
        if name not in files:
            raise Violation(f"part {name!r} that the request attaches isn't in it")
        return files[name]
    if not value:
        raise refused("there is no photo in the request")
    return None


def size_of(picture: bytes) -> tuple[int, int]:
    """Width and height in pixels of a PNG; of other formats a guess."""
    if picture.startswith(b"\x89PNG\r\n\x1a\n") and len(picture) >= 24:
        return int.from_bytes(picture[16:20], "big"), int.from_bytes(picture[20:24], "big")
    return 320, 320
