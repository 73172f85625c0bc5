"""The cluster, if there is one: whether its scheduler answers, and what its workers have of this package.

Also whether spans can go where they are wanted.
"""

import asyncio
from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

from bot.checkup.connecting import why
from bot.checkup.finding import Finding, good, note, wrong
from bot.settings import Settings
from bot.telemetry import is_installed
from bot.workers.cluster import Cluster, LackingError, UnreachedError
from bot.workers.members import Members
from bot.workers.remote import VERSION

ABOUT, SPANS = "SOLVER_SCHEDULER", "OTEL_EXPORTER_OTLP_ENDPOINT"
PORTS = {"http": 80, "https": 443}
SOON = 5.0
"""Seconds for a connection."""


async def looked_at(settings: Settings) -> list[Finding]:
    """What there is to say of it. The bot plays without a cluster too, unless the extra is missing."""
    if settings.scheduler is None:
        return []
    try:
        members = await Cluster(settings.scheduler).survey()
    except LackingError:
        return [wrong(ABOUT, "a cluster needs an extra", "pip install 'twentyfour[dask]'")]
    except UnreachedError as error:
        told = f"nobody can be asked at {settings.scheduler}, and the bot's own processes do all: {error}"
        remedy = "does `dask scheduler` run there, is this machine let in, has tls:// its certificates?"
        return [note(ABOUT, told, remedy)]
    return list(_of(members))


def _of(members: Members) -> Iterator[Finding]:
    if members.threads:
        yield good(
            ABOUT, f"{members.size} of the cluster {'does' if members.threads == 1 else 'do'} long tasks"
        )
    elif not list(members):
        told = "the scheduler answers, but has no worker"
        yield note(ABOUT, told, "start some: `dask worker` with the scheduler's address")
    for one in members.alike:
        if one.failed:
            told = f"the worker at {one.address} has twentyfour and begins no task: {one.failed}"
            yield note(ABOUT, f"{told}; the bot's own processes do it", "start it anew, and see its own log")
    odd = [one for one in members if one.version != VERSION]
    for one in odd:
        if one.version is None:
            yield note(ABOUT, f"the worker at {one.address} doesn't answer", "is that machine well?")
        else:
            has = f"version {one.version} of" if one.version else "no"
            told = f"the worker at {one.address} has {has} twentyfour, so it gets no tasks"
            yield note(ABOUT, told, f"install version {VERSION} there, and start it anew")


async def spans(settings: Settings, environment: Mapping[str, str]) -> list[Finding]:
    """Whether the extra for spans is there, where they are wanted: without it the bot doesn't start. And
    whether anybody takes them, which it doesn't mind.
    """
    if not settings.telemetry:
        return []
    if not is_installed():
        return [wrong(SPANS, "spans need an extra", "pip install 'twentyfour[otel]', or leave it out")]
    parts = urlsplit(environment.get(SPANS, "").strip())  # which the exporter reads by itself as well
    host, port = parts.hostname or "", parts.port or PORTS.get(parts.scheme, 80)
    if trouble := await _unreached(host, port):
        told = f"nobody takes spans at {host}:{port}: {trouble}"
        return [note(SPANS, told, "does a collector listen there? The bot plays on, and its spans are lost")]
    return [good(SPANS, f"somebody listens at {host}:{port}")]


async def _unreached(host: str, port: int) -> str | None:
    """Why no connection can be made; None if one can."""
    try:
        async with asyncio.timeout(SOON):
            _, writer = await asyncio.open_connection(host, port)
    except OSError as error:
        return why(error)
    writer.close()
    return None
