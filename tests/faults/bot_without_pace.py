"""`python -m tests.faults.bot_without_pace`: the bot, posting as fast as it can and perhaps without a part.

`WITHOUT` names what is left out of a bot that shares its database: `fences`, the looks in each transaction
whether the chat is still its own and the update still waits; `leases`, whose end lets others take over; or
`patience`, so that they do so sooner.
"""

import os
from functools import partial
from typing import Any

from bot import service
from bot.__main__ import main
from bot.queue import queries
from bot.queue.pacing import Pace
from bot.queue.replicas import replica

UNPACED = Pace(posts_a_minute=10**6, posts_a_second=10**6, redraw_gap=0.0)


def _leave_out(what: str) -> None:
    replaced: Any = replica
    if what == "leases":
        replaced.LEASE = 10.0**6
    if what == "patience":
        replaced.LEASE = 2.0
    if what == "fences":
        for name in ("check_token", "check_leader"):
            getattr(replica.Replica, name)  # raises AttributeError if it is called otherwise by now
            setattr(replica.Replica, name, lambda *_: None)
        mark_done = queries.mark_done
        queries.mark_done = lambda *update: mark_done(*update) or True


if __name__ == "__main__":
    _leave_out(os.environ.get("WITHOUT", ""))
    service.build_service = partial(service.build_service, pace=UNPACED)
    main()
