"""How fast all bots on a database post together: each place is taken in the database."""

import asyncio

from bot.database import Postgresql
from bot.queue.pacing import Pace
from bot.queue.replicas import queries

BURST = 5  # Posts that may go at once after a pause; so many fewer go in each second after that


class SharedPace:
    """Gives out places; who asks while others are taken gets one together with all that wait then."""

    def __init__(self, server: Postgresql, pace: Pace) -> None:
        self._server = server
        self._gap = 1 / max(1, pace.posts_a_second - BURST)
        self._waiting: list[asyncio.Future[float]] = []
        self._taking: asyncio.Task[None] | None = None

    async def wait_for_slot(self) -> None:
        """Wait until one more post may go. Raises what the database raises."""
        place = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        if self._taking is None or self._taking.done():
            self._taking = asyncio.create_task(self._take())
        await asyncio.sleep(max(0.0, await place))

    async def _take(self) -> None:
        while self._waiting:
            posts, self._waiting = self._waiting, []
            try:
                last = await self._slots(len(posts))
            except Exception as error:  # noqa: BLE001 - it is raised where each of them waits
                for place in (place for place in posts if not place.done()):
                    place.set_exception(error)
            else:
                for n, place in enumerate(reversed(posts)):
                    if not place.done():
                        place.set_result(last - n * self._gap)

    async def _slots(self, posts: int) -> float:
        return await self._server.run_beside_writer(lambda tx: queries.take_post_slots(tx, self._gap, BURST, posts))
