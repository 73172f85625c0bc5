"""The bot without a pace limit: `python -m tests.faults.bot_without_pace`.

`WITHOUT` names a part of the replicas to switch off: `fences`, the checks in each transaction that the bot
still owns the chat and the update still waits; `leases`, so that they last almost for ever; or `patience`, so
that they end sooner.
"""

import os
from functools import partial
from typing import Any

from bot import service
from bot.__main__ import main
from bot.queue import queries
from bot.queue.pacing import Pace
from bot.queue.replicas import replica

UNPACED = Pace(posts_a_minute=10**6, redraw_gap=0.0)


def _switch_off(part: str) -> None:
    replaced: Any = replica
    if part == "leases":
        replaced.LEASE_SECONDS = 10.0**6
    if part == "patience":
        replaced.LEASE_SECONDS = 2.0
    if part == "fences":
        for name in ("check_token", "check_leader"):
            getattr(replica.Replica, name)  # raises AttributeError after a rename in the bot
            setattr(replica.Replica, name, lambda *_: None)
        mark_done = queries.mark_done
        queries.mark_done = lambda *update: mark_done(*update) or True


if __name__ == "__main__":
    _switch_off(os.environ.get("WITHOUT", ""))
    service.build_service = partial(service.build_service, pace=UNPACED)
    main()
