"""How many files this process may have open: each connection is one, to whomever it is."""

import logging
from contextlib import suppress

log = logging.getLogger(__name__)

PLENTY = 65_536
"""More are never needed."""
FEW = 1024
"""What is taken for the limit where the system has none to ask for."""


def allowed() -> int:
    """How many it may have open now."""
    try:
        import resource
    except ImportError:  # pragma: no cover - Windows has no such bound
        return FEW
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return PLENTY if soft == resource.RLIM_INFINITY else min(soft, PLENTY)


def allow_more() -> None:
    """Take as many as the system lets a process have that asks for them; it begins with few.

    That is how it's meant: https://0pointer.net/blog/file-descriptor-limits.html
    """
    try:
        import resource
    except ImportError:  # pragma: no cover - Windows has no such bound
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = PLENTY if hard == resource.RLIM_INFINITY else min(hard, PLENTY)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):  # then it stays as it is, and fewer connections are taken
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    log.debug("files that may be open: %d", allowed())
