"""The machine: room on its disk, ports that are free, its clock beside Telegram's."""

import errno
import os
import shutil
import sys
from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from pathlib import Path

import aiohttp

from bot.checkup import board
from bot.checkup.finding import Finding, good, note, wrong
from bot.database.files import real, unreachable
from bot.settings import Address, Settings
from bot.web.addresses import bound
from bot.web.paths import clashes

MEBIBYTE = 2**20
FULL, LITTLE = 200 * MEBIBYTE, 1024 * MEBIBYTE
"""Free bytes below which a disk will soon stop the bot, and below which a word is due."""
BOT, WORKER = 115 * MEBIBYTE, 60 * MEBIBYTE
"""Bytes of memory that the bot has (deploy/capacity.md), and each of its solver's processes: 53 MiB once it
has drawn and solved, 57 at most.
"""
CONTAINER = Path("/sys/fs/cgroup/memory.max")
"""Where a container's limit of memory stands."""
OFF = 5.0
"""Seconds that the clock may differ: Telegram tells whole seconds, and an answer takes time."""
SOON = 10.0
"""Seconds for Telegram to answer."""
NO_PLACE, ALL = "name an address of this machine's, as 127.0.0.1", ", or 0.0.0.0 for all that it has"
WAYS_OUT = {
    errno.EADDRINUSE: "choose another port, or end what has it",
    errno.EACCES: "choose a port from 1024 on: those below are root's",
}
"""By the system's number for why nothing can listen there."""


def disk(settings: Settings) -> Finding | None:
    """Room for a database that is a file, and its log; None where a server keeps it, or nobody knows."""
    if settings.database.get_backend_name() != "sqlite":
        return None
    path = real(Path(str(settings.database.database)))
    if unreachable(path):
        return None
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
    """Whether what the bot listens on can be listened on, and each page has a path to itself there; what is
    in use may be so by a `running` bot.
    """
    listens = {"HEALTH_LISTEN": settings.health_listen}
    if settings.webhook_url:
        listens["WEBHOOK_LISTEN"] = settings.webhook_listen
    if settings.web_url and settings.web_listen not in listens.values():
        listens["WEB_LISTEN"] = settings.web_listen
    for name, address in listens.items():
        if address:
            yield _port(name, address, running=running)
    for clash in clashes(settings, board.paths(settings)):
        told = f"its path {clash.path} is one of {clash.whose}, at the same address"
        yield wrong(clash.about, told, f"take another path, or another address for {clash.listen}")


def _port(name: str, address: Address, *, running: bool) -> Finding:
    where = f"{address.host}:{address.port}"
    trouble = _untaken(address)
    if trouble is None:
        return good(name, f"{where} is free")
    if running and trouble.errno == errno.EADDRINUSE:
        return note(name, f"{where} is in use: by a bot that runs, or another program")
    told = (trouble.strerror or str(trouble)).partition(" (while")[0]  # where is told already
    remedy = WAYS_OUT.get(trouble.errno or 0, NO_PLACE if name == "HEALTH_LISTEN" else NO_PLACE + ALL)
    return wrong(name, f"{where} can't be listened on: {told}", remedy)


def _untaken(address: Address) -> OSError | None:
    """Why nothing can listen there, asked as the bot does; None if it can."""
    try:
        sockets = bound(address)
    except OSError as error:
        return error
    for one in sockets:
        one.close()
    return None


def workers(settings: Settings) -> Iterator[Finding]:
    """Yield a note if the solver has more processes than there are processors or memory for.

    Two are fine on one processor: one of them is kept for deals.
    """
    count, most, memory = settings.solver_workers, max(2, cores()), memory_size()
    needed, told = (BOT + count * WORKER) // MEBIBYTE, list[str]()
    if count > most:
        told.append(f"{count} processes share {cores()} processor{'s' if cores() > 1 else ''}")
    if needed > memory // MEBIBYTE:
        told.append(f"the bot and {count} processes need {needed} MiB of memory, of {memory // MEBIBYTE}")
        most = min(most, max(1, (memory - BOT) // WORKER))
    if told:
        yield note("SOLVER_WORKERS", "; ".join(told), f"set it to {most}")


def cores() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def memory_size() -> int:
    """Return the bytes of memory of this machine, or of its container if that has a limit."""
    try:
        size = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError):  # pragma: no cover - Windows
        return sys.maxsize
    try:
        return min(size, int(CONTAINER.read_text()))
    except (OSError, ValueError):  # no container, or "max"
        return size


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
