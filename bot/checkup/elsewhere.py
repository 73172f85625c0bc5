"""The cluster, if there is one: whether its scheduler answers, and what its workers have of this package."""

from collections.abc import Iterator

from bot.checkup.finding import Finding, good, note, wrong
from bot.settings import Settings
from bot.workers.cluster import Cluster, LackingError, UnreachedError
from bot.workers.members import Members
from bot.workers.remote import VERSION

ABOUT = "SOLVER_SCHEDULER"


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
