"""Lines read from unfinished, closed and undecodable streams."""

import asyncio
import os

from bot.console.streams import read_lines


async def test_lines_are_read_as_they_are_written() -> None:
    reader, writer = os.pipe()
    with os.fdopen(reader, encoding="utf-8") as stream:
        lines = read_lines(stream)
        os.write(writer, b"\xef\xbb\xbfone\ntw")
        assert await anext(lines) == "one\n"
        second = asyncio.ensure_future(anext(lines))
        assert await asyncio.wait({second}, timeout=0.01) == (set(), {second})
        os.write(writer, b"o\n\xff\xfe\nthe last")
        os.close(writer)
        assert [await second, *[line async for line in lines]] == ["two\n", "\ufffd\ufffd\n", "the last"]


async def test_ascii_stream_is_read_as_utf_8() -> None:
    reader, writer = os.pipe()
    os.write(writer, "8×3\n".encode())
    os.close(writer)
    with os.fdopen(reader, encoding="ascii") as stream:
        assert [line async for line in read_lines(stream)] == ["8×3\n"]
