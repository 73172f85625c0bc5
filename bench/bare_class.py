"""A bare event stream without a database, the baseline for classes: `python -m bench.bare_class PORT`.

What is posted to `/entry` is sent at once to everybody who reads `/events`.
"""

import asyncio
import sys
from collections.abc import AsyncIterator

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

readers = list[asyncio.Queue[bytes]]()


async def accept_entry(request: Request) -> Response:
    body = await request.body()
    for queue in readers:
        queue.put_nowait(body)
    return JSONResponse({}, 202)


async def stream_events(_: Request) -> Response:
    queue = asyncio.Queue[bytes]()
    readers.append(queue)

    async def generate() -> AsyncIterator[bytes]:
        yield b'event: state\ndata: {"sent": 0}\n\n'
        while True:
            yield b"event: state\ndata: " + await queue.get() + b"\n\n"

    return StreamingResponse(generate(), media_type="text/event-stream")


ROUTES = [Route("/entry", accept_entry, methods=["POST"]), Route("/events", stream_events)]

if __name__ == "__main__":
    uvicorn.run(Starlette(routes=ROUTES), port=int(sys.argv[1]), log_level="warning", http="httptools")
