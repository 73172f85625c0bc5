"""Check this machine: room on its disk, free ports, processors and memory for the solver."""

import errno
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from bot.checkup.finding import Finding, good, note, wrong
from bot.database.sqlite import explain_unreachable, resolve_links
from bot.settings import Address, Settings
from bot.web.server import open_listening_sockets

MEBIBYTE = 2**20
MIN_FREE = 200 * MEBIBYTE  # less is wrong
COMFORTABLE_FREE = 1024 * MEBIBYTE  # less is worth a note


def check_disk(settings: Settings) -> Iterator[Finding]:
    """Check the free space for a database's file; yield nothing for servers and for files out of reach."""
    path = Path(str(settings.database.database))
    if settings.database.get_backend_name() != "sqlite" or explain_unreachable(path):
        return
    file = resolve_links(path)
    # The file, and folders above it, may not be there yet.
    folder = file
    while not folder.is_dir():
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    state = f"{free // MEBIBYTE} MiB are free where {str(folder)!r} is"
    if free < MIN_FREE:
        yield wrong("disk", state, "make room: nothing can be stored on a full disk, and the bot waits")
    elif free < COMFORTABLE_FREE:
        yield note("disk", state, "a year of a busy group takes some 100 MiB; backups come on top")
    else:
        yield good("disk", state)


def check_ports(settings: Settings, *, is_bot_running: bool) -> Iterator[Finding]:
    """Check whether the bot can listen at its addresses; those of a running bot may be in use."""
    addresses = {"HEALTH_LISTEN": settings.health_listen}
    if settings.webhook_url:
        addresses["WEBHOOK_LISTEN"] = settings.webhook_listen
    if settings.web_url and settings.web_listen not in addresses.values():
        addresses["WEB_LISTEN"] = settings.web_listen
    for name, address in addresses.items():
        if address:  # the health pages may be off
            yield _check_port(name, address, is_bot_running=is_bot_running)


def _check_port(name: str, address: Address, *, is_bot_running: bool) -> Finding:
    """Listen at the address for a moment; report a failure, as a note if a running bot may be the cause."""
    where = f"{address.host}:{address.port}"
    try:
        sockets = open_listening_sockets(address)
    except OSError as error:
        if is_bot_running and error.errno == errno.EADDRINUSE:
            return note(name, f"{where} is in use: by a bot that runs, or another program")
        remedy = "name an address of this machine's, as 127.0.0.1"
        if error.errno == errno.EADDRINUSE:
            remedy = "choose another port, or stop the program that uses it"
        elif error.errno == errno.EACCES:
            remedy = "choose a port from 1024 on: those below are root's"
        reason = error.strerror or str(error)
        state, _, _ = reason.partition(" (while")  # after which asyncio repeats the address
        return wrong(name, f"{where} can't be listened on: {state}", remedy)
    for listening in sockets:
        listening.close()
    return good(name, f"{where} is free")


# Memory of the bot (docs/operators/capacity.md) and of a solver process
BOT_MEMORY = 115 * MEBIBYTE
WORKER_MEMORY = 60 * MEBIBYTE


def check_workers(settings: Settings) -> Iterator[Finding]:
    """Yield a note if there are more solver processes than processors or memory for them.

    Two are fine on one processor: one of them is kept for deals.
    """
    count = settings.solver_workers
    memory = get_memory_size()
    advised_count = max(2, count_processors())
    needed_mebibytes = (BOT_MEMORY + count * WORKER_MEMORY) // MEBIBYTE
    memory_mebibytes = memory // MEBIBYTE
    states = []
    if count > advised_count:
        states.append(f"{count} processes share {count_processors()} processors")
    if needed_mebibytes > memory_mebibytes:
        needs = f"need {needed_mebibytes} MiB of memory, of {memory_mebibytes}"
        states.append(f"the bot and {count} processes {needs}")
        fitting = max(1, (memory - BOT_MEMORY) // WORKER_MEMORY)  # the bot needs at least one
        advised_count = min(advised_count, fitting)
    if states:
        yield note("SOLVER_WORKERS", "; ".join(states), f"set it to {advised_count}")


def count_processors() -> int:
    """Return the number of processors that this process may use; where that is not told, of all."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))  # 0 is this process
    return os.cpu_count() or 1


CONTAINER_LIMIT = Path("/sys/fs/cgroup/memory.max")  # holds a container's limit of memory


def get_memory_size() -> int:
    """Return the bytes of memory of this machine, or of its container if that has a limit."""
    size = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    try:
        return min(size, int(CONTAINER_LIMIT.read_text()))
    except (OSError, ValueError):  # no container, or "max"
        return size
