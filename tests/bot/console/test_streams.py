"""Streams as they come: other alphabets, closed ends, bytes that are no text."""

import asyncio
import io
import os
from pathlib import Path

import pytest

from bot.console.streams import Lines, fitting

DEAL = "🃏 3♠ 8♥ 3♦ 8♣\n3 8 3 8 → 24\n🏆 \u2068José\u2069: 8/(3−8÷3) “ok” 中"


def stream(encoding: str) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding=encoding)


@pytest.mark.parametrize(
    ("encoding", "shown"),
    [
        ("utf-8", DEAL),
        ("ascii", '* 3s 8h 3d 8c\n3 8 3 8 -> 24\n* Jos?: 8/(3-8/3) "ok" ?'),
        ("latin-1", '* 3s 8h 3d 8c\n3 8 3 8 -> 24\n* José: 8/(3-8÷3) "ok" ?'),
        ("koi8-r", '* 3s 8h 3d 8c\n3 8 3 8 -> 24\n* Jos?: 8/(3-8÷3) "ok" ?'),
    ],
)
def test_what_an_alphabet_lacks_gets_a_stand_in(encoding: str, shown: str) -> None:
    out = stream(encoding)
    assert fitting(DEAL, out) == shown
    out.write(fitting(DEAL + "\ud800", out))
    out.flush()


async def test_lines_come_as_they_are_written(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    with os.fdopen(reader, encoding="utf-8") as read:
        lines = Lines(read)
        os.write(writer, b"\xef\xbb\xbfone\ntw")
        assert await lines.next() == "one"
        with pytest.raises(TimeoutError):
            await lines.next(0.01)
        os.write(writer, b"o\n\xff\xfe\n\xef\xbb\xbfthe last")
        os.close(writer)
        assert [await lines.next() for _ in range(4)] == ["two", "\ufffd\ufffd", "the last", None]
        assert await lines.next() is None


async def test_nobody_waits_for_a_reader_at_the_end() -> None:
    reader, writer = os.pipe()
    read = os.fdopen(reader, encoding="ascii")
    lines = Lines(read)
    waiting = asyncio.create_task(lines.next())
    await asyncio.sleep(0)
    waiting.cancel()
    os.write(writer, "8×3\n".encode())
    assert await lines.next() == "8×3"
    os.close(writer)
    assert await lines.next() is None
    read.close()
