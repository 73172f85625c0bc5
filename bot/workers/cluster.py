"""A Dask cluster that does long tasks, an optional extra: `pip install 'twentyfour[dask]'`.

The bot never waits for it: a connection is kept beside everything else, and as long as there is none, or no
worker with this very version of the package, there are no threads to have. Each task is given to one worker
by name, so that it is known at once what is lost with it. Nothing of Dask is imported before a `Cluster` is
made.
"""

import asyncio
import importlib
import logging
import operator
import time
import uuid
import warnings
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, NoReturn

from bot import metrics
from bot.workers import remote
from bot.workers.errors import GoneError, NotBegunError, SolvingError, brief
from bot.workers.members import Member, Members
from bot.workers.slots import Slots
from bot.workers.timed import BACKSTOP
from bot.workers.turns import Turns

if TYPE_CHECKING:
    from distributed import Client

log = logging.getLogger(__name__)

CONNECTED, SAYS_WHY = 5.0, 1.0
"""Seconds for a connection to be made, and more of them in which Dask says why it could not be."""
AGAIN = 1.0
"""Seconds before the next try at one."""
LOOK, BUSY = 1.0, 0.25
"""Seconds between two looks at who is there; the latter while the cluster has something to do for the bot."""
ANSWERED = 2.0
"""Seconds within which the scheduler has to say so."""
READY = 10.0
"""Seconds for a worker to tell its version, which is the first that it loads of the package."""
REST = 10.0
"""Seconds for which a worker that did not begin a task is given none; then one that is nobody's."""
TRIAL = 5.0
"""Seconds that that one may take."""
OVERDUE = 0.7
"""Seconds past a task's deadline in which its answer may travel."""
CLOSED = 1.0
"""Seconds for taking leave of a scheduler."""
LOGGERS = ("distributed", "distributed.client", "distributed.gc", "bokeh", "tornado", "tornado.application")
"""To which Dask gives handlers of its own: it would print tracebacks beside the bot's log."""

MODULE = remote.__name__
"""What is called at the workers."""


class LackingError(Exception):
    """The extra is not installed."""


class UnreachedError(Exception):
    """No scheduler answers; the message is one line that says why."""


class Cluster:
    """The cluster of one scheduler. Raises LackingError where the extra is not installed."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._open = _opener()
        self._client: Client | None = None
        self._members = Members(remote.VERSION)
        self._asked: dict[str, asyncio.Task[None]] = {}
        """Workers that are being asked for their version."""
        self._lost: dict[str, asyncio.Future[None]] = {}
        """By the name of a task: done when its worker is gone."""
        self._stopping: set[asyncio.Task[None]] = set()
        self._served: bool | None = None
        """Whether it was said last that the cluster is there; None: nothing was."""
        self.turns = Turns(Slots(0))

    @property
    def threads(self) -> int:
        """How many tasks it can do at once; 0 when it is gone."""
        return self._members.threads

    async def run(
        self, task: Callable[..., Any], arguments: tuple[Any, ...], seconds: float, patience: float
    ) -> Any:
        """`task(*arguments)`, for so many seconds at work and `patience` more until it begins.

        Raises GoneError when the cluster can't do it or goes away with it; else whatever the task raises.
        """
        client, member = self._client, self._members.choose()
        if client is None or member is None:
            raise GoneError("the cluster has no worker for it")
        try:
            return await self._done(client, member, task, arguments, seconds, patience)
        except NotBegunError as error:
            self._let_rest(member, str(error))
            raise GoneError(str(error)) from None

    async def _done(
        self,
        client: "Client",
        member: Member,
        task: Callable[..., Any],
        arguments: tuple[Any, ...],
        seconds: float,
        patience: float,
    ) -> Any:
        """The same by one worker. Raises GoneError, NotBegunError or what the task raises."""
        name = f"twentyfour-{uuid.uuid4().hex}"
        request = remote.packed(task, arguments, seconds)
        work = _call("run", remote.VERSION, name, request, seconds)
        lost = self._lost[name] = asyncio.get_running_loop().create_future()
        member.tasks.add(name)
        try:
            longest = seconds + BACKSTOP + OVERDUE + max(0.0, patience)
            return remote.unpacked(await self._answer(client, member.address, name, work, lost, longest))
        finally:
            member.tasks.discard(name)
            del self._lost[name]

    async def _answer(
        self,
        client: "Client",
        address: str,
        name: str,
        work: Callable[[str], bytes],
        lost: asyncio.Future[None],
        longest: float,
    ) -> bytes:
        """What a worker answers. Raises GoneError when it doesn't."""
        future = _submitted(client, address, name, work)
        result = asyncio.ensure_future(future.result())
        try:
            await asyncio.wait({result, lost}, timeout=longest, return_when=asyncio.FIRST_COMPLETED)
            return _outcome(result, lost)
        finally:
            if not result.done():
                result.cancel()
                self._stop(client, address, name)
            future.release()

    def _stop(self, client: "Client", address: str, name: str) -> None:
        """Free the worker's thread of a task that nobody waits for, if the worker can still be told."""

        async def told() -> None:
            with suppress(Exception):
                async with asyncio.timeout(ANSWERED):
                    await client.run(_call("stop", name), MODULE, workers=[address], on_error="return")

        if self._client is client:
            stopping = asyncio.create_task(told())
            self._stopping.add(stopping)
            stopping.add_done_callback(self._stopping.discard)

    async def stay(self) -> None:
        """Keep a connection for as long as this runs, and know who is there."""
        try:
            while True:
                self._leave(f"it can't be reached: {brief(await self._connected())}")
                await asyncio.sleep(AGAIN)
        finally:
            self._leave("")

    async def _connected(self) -> BaseException:
        """Use one connection for as long as it lasts; why it ended."""
        try:
            async with self._connection() as client:
                return await self._watch(client)
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            return error  # Dask cancels things of its own
        except Exception as error:  # noqa: BLE001 - whatever it is, the bot's own workers serve
            return error

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator["Client"]:
        client = self._open(self.address, CONNECTED)
        try:
            async with asyncio.timeout(CONNECTED + SAYS_WHY):
                await client
            self._client = client
            yield client
        finally:
            self._client = None
            await _close(client)

    async def _watch(self, client: "Client") -> NoReturn:
        """See again and again who is there. Raises OSError when the scheduler does not say."""
        try:
            while True:
                self._give_up(await self._meet(client), "its worker is gone")
                self._ask_newcomers(client)
                self._tell(self._members.trouble)
                await asyncio.sleep(BUSY if self._lost else LOOK)
        finally:
            for asked in (*self._asked.values(), *self._stopping):
                asked.cancel()
            self._asked.clear()
            self._leave("")  # at once: saying good-bye may take a second

    async def survey(self) -> Members:
        """Who is there and does a task, asked once. Raises UnreachedError."""
        try:
            async with self._connection() as client:
                await self._meet(client)
                await asyncio.gather(*(self._ask_version(client, one, 0) for one in self._members))
                await asyncio.gather(*(self._try(client, one) for one in self._members.alike))
                return self._members
        except Exception as error:  # noqa: BLE001 - such as a TypeError where there is no certificate
            raise UnreachedError(brief(error)) from None

    async def _meet(self, client: "Client") -> list[str]:
        """Learn who is there. Returns our tasks on workers that are lost or silent."""
        scheduler: Any = client.scheduler
        async with asyncio.timeout(ANSWERED):
            told = await scheduler.identity(n_workers=-1)
        return self._members.meet(told["workers"], time.monotonic())

    def _ask_newcomers(self, client: "Client") -> None:
        self._asked = {address: asked for address, asked in self._asked.items() if not asked.done()}
        for one in self._members:
            if one.version is None and one.address not in self._asked:
                self._asked[one.address] = asyncio.create_task(self._ask_version(client, one, one.threads))
            elif one.failed and one.address not in self._asked and time.monotonic() >= one.rests_until:
                self._asked[one.address] = asyncio.create_task(self._try(client, one))

    async def _try(self, client: "Client", member: Member) -> None:
        """See whether a worker does what it is given; one that others keep busy meanwhile may."""
        busy = member.load >= member.threads
        try:
            async with asyncio.timeout(READY):
                await self._done(client, member, remote.trial, (), TRIAL, READY)
        except TimeoutError:
            member.failed = member.failed if busy else "it answers nothing"
        except SolvingError as error:
            member.failed = str(error)
        else:
            member.failed = ""
        member.rests_until = time.monotonic() + REST

    def _let_rest(self, member: Member, why: str) -> None:
        """It did not begin a task: it gets no other for a while, and who waits for it is served elsewhere."""
        new, member.failed, member.rests_until = not member.failed, why, time.monotonic() + REST
        if new and self._members.able:
            told = "a worker of the cluster at %s does nothing for now: %s (%s)"
            log.warning(told, self.address, why, member.address)
        self._tell(self._members.trouble)

    async def _ask_version(self, client: "Client", member: Member, threads: int) -> None:
        """What a worker has of this package; with our version it gets ready for so many tasks at once."""
        work = _call("ready", threads, remote.VERSION)
        with suppress(Exception):
            async with asyncio.timeout(READY):
                told = await client.run(work, MODULE, workers=[member.address], on_error="return")
            answer = told[member.address]
            lacks = isinstance(answer, ImportError | AttributeError)
            member.version = answer if isinstance(answer, str) else "" if lacks else None
            self._tell(self._members.trouble)

    def _tell(self, trouble: str) -> None:
        """Share out what there is now, and say once that the cluster is there, or that it is not."""
        threads = self.threads
        self.turns.slots.workers = threads
        metrics.CLUSTER.set(threads)
        if not threads:
            self.turns.turn_away(GoneError(trouble))
        self.turns.serve()
        if threads and self._served is not True:
            log.info("the cluster at %s does long tasks: %s", self.address, self._members.size)
            self._served = True
        if trouble and self._served is not False:
            log.warning("the cluster at %s does nothing, long tasks are done here: %s", self.address, trouble)
            self._served = False

    def _leave(self, trouble: str) -> None:
        """There is no scheduler any more."""
        self._members.forget()
        self._give_up(list(self._lost), "the scheduler is gone")
        self._tell(trouble)

    def _give_up(self, names: Iterable[str], why: str) -> None:
        for name in names:
            lost = self._lost[name]
            if not lost.done():
                lost.set_exception(GoneError(why))
                lost.exception()  # looked at: whoever waits may have left


def _opener() -> Callable[[str, float], "Client"]:
    """Begins a connection; whoever awaits it has it. Raises LackingError."""
    try:
        from distributed import Client  # here: it is an extra
        from distributed.versions import VersionMismatchWarning
    except ImportError:
        raise LackingError from None
    for name in LOGGERS:
        logging.getLogger(name).handlers.clear()
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    warnings.simplefilter("ignore", VersionMismatchWarning)  # of Dask's own parts; ours are compared
    opened: Any = Client
    return lambda address, timeout: opened(address, timeout=timeout, asynchronous=True, set_as_default=False)


def _call(function: str, *arguments: Any) -> Callable[[str], Any]:
    """Calls a function of the module whose name it is given.

    It is made of nothing of ours, so that the scheduler needs none of it, and workers without it can say so.
    """
    from toolz import compose  # comes with Dask

    called: Callable[[str], Any] = compose(
        operator.methodcaller(function, *arguments), importlib.import_module
    )
    return called


def _submitted(client: "Client", address: str, name: str, work: Callable[[str], bytes]) -> Any:
    only = {"workers": [address], "allow_other_workers": False, "retries": 0}
    try:
        return client.submit(work, MODULE, key=name, pure=False, **only)
    except Exception as error:  # noqa: BLE001 - as after the connection was lost
        raise GoneError(brief(error)) from None


def _outcome(result: asyncio.Future[bytes], lost: asyncio.Future[None]) -> bytes:
    """What came of a task. Raises GoneError where it was nothing of ours."""
    if not result.done():
        raise lost.exception() or GoneError("lost") if lost.done() else GoneError("nobody answered in time")
    error = asyncio.CancelledError("lost") if result.cancelled() else result.exception()
    if error is not None:
        raise GoneError(brief(error)) from None
    return result.result()


async def _close(client: Any) -> None:
    with suppress(Exception):
        async with asyncio.timeout(CLOSED):
            await client.close()
