"""The machine: room on its disk, ports that are free, its clock beside Telegram's."""

import os
import shutil
import socket
from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from pathlib import Path

import aiohttp

from bot.checkup.finding import Finding, good, note, wrong
from bot.settings import Address, Settings

MEBIBYTE = 2**20
FULL, LITTLE = 200 * MEBIBYTE, 1024 * MEBIBYTE
"""Free bytes below which a disk will soon stop the bot, and below which a word is due."""
OFF = 5.0
"""Seconds that the clock may differ: Telegram tells whole seconds, and an answer takes time."""
SOON = 10.0
"""Seconds for Telegram to answer."""


def disk(settings: Settings) -> Finding | None:
    """Room for a database that is a file, and its log; None where a server keeps it, or nobody knows."""
    if settings.database.get_backend_name() != "sqlite":
        return None
    path = Path(str(settings.database.database)).absolute()
    folder = next(parent for parent in [path, *path.parents] if parent.is_dir())
    usage = shutil.disk_usage(folder)
    if not usage.total:
        return None
    told = f"{usage.free // MEBIBYTE} MiB are free where {str(folder)!r} is"
    if usage.free < FULL:
        return wrong("disk", told, "make room: nothing can be stored on a full disk, and the bot waits")
    if usage.free < LITTLE:
        return note("disk", told, "a year of a busy group takes some 100 MiB; backups come on top")
    return good("disk", told)


def ports(settings: Settings, *, running: bool) -> Iterator[Finding]:
    """Whether what the bot listens on can be listened on; a running bot is the one that does."""
    listens = {"HEALTH_LISTEN": settings.health_listen}
    if settings.webhook_url:
        listens["WEBHOOK_LISTEN"] = settings.webhook_listen
    for name, address in listens.items():
        trouble = _taken(address) if address else None
        where = f"{address.host}:{address.port}" if address else ""
        if trouble and running:
            yield good(name, f"{where} is in use, as by a bot that runs")
        elif trouble:
            yield wrong(
                name, f"{where} can't be listened on: {trouble}", "choose another port, or end what has it"
            )
        elif address:
            yield good(name, f"{where} is free")


def _taken(address: Address) -> str | None:
    """Why nothing can listen there; None if it can."""
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    try:
        with socket.socket(family) as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((address.host, address.port))
            listener.listen()
    except OSError as error:
        return error.strerror or str(error)
    return None


def workers(settings: Settings) -> Iterator[Finding]:
    """Processes that solve, beside the processors there are."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if settings.solver_workers > 2 * cores:
        told = f"{settings.solver_workers} processes share {cores} processors"
        yield note("SOLVER_WORKERS", told, f"{max(1, cores)} solve as much in less memory")


async def clock(settings: Settings, now: float) -> Finding | None:
    """This machine's clock (`now`) beside that of whoever answers for Telegram; None where that says none."""
    try:
        async with (
            aiohttp.ClientSession(trust_env=True, timeout=aiohttp.ClientTimeout(total=SOON)) as session,
            session.get(settings.api_url, allow_redirects=False) as answer,
        ):
            theirs = parsedate_to_datetime(answer.headers["Date"]).timestamp()
    except (aiohttp.ClientError, TimeoutError, KeyError, ValueError, OSError):
        return None
    off = now - theirs
    if abs(off) <= OFF:
        return good("clock", "as Telegram’s")
    told = f"{abs(off):.0f} s {'ahead of' if off > 0 else 'behind'} Telegram’s"
    return wrong("clock", told, "let the system keep it: `timedatectl set-ntp true`, or chrony")
