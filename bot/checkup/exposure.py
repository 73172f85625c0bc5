"""What lies open: a secret of the webhook that can be guessed, and pages of health that anybody reads."""

from collections.abc import Iterator
from itertools import pairwise

from bot.checkup.finding import Finding, note, wrong
from bot.settings import Address, Settings
from bot.web.addresses import is_everywhere, is_public

DIFFERENT = 6
"""Different characters that a secret needs: by chance hardly any has fewer."""
ROW = 2 / 3
"""From which part on of its steps to the next character, or to the same, a secret is a row."""
FORGED = "so it can be guessed: then anybody posts updates in anybody's name"
BY_CHANCE = (
    "make one by chance, openssl rand -hex 32 or python3 -c 'import secrets; print(secrets.token_hex(32))',"
    " and start the bot again; several bots get it one after the other, as WEBHOOK_SECRET=new,old"
)


def looked_at(settings: Settings) -> Iterator[Finding]:
    """What others can reach or guess of this bot, and how that ends."""
    yield from guessed(settings)
    if settings.health_listen:
        yield from _read(settings.health_listen)


def guessed(settings: Settings) -> Iterator[Finding]:
    """Why somebody might guess the webhook's secret, if it has one."""
    url = settings.webhook_url
    if not url:
        return
    new, *former = settings.webhook_secrets
    if why := _weakness(new):
        yield wrong("WEBHOOK_SECRET", f"it {why}, {FORGED}", BY_CHANCE)
    elif new in url:
        told = "it stands in WEBHOOK_URL as well, which every proxy on the way writes into its log"
        yield wrong("WEBHOOK_SECRET", told, BY_CHANCE)
    elif former and (why := _weakness(former[0])):
        told = f"the one behind the comma {why}, {FORGED}"
        remedy = "leave it out as soon as every bot has the one before the comma"
        yield note("WEBHOOK_SECRET", told, remedy)


def _weakness(secret: str) -> str | None:
    """Why somebody might guess it; None where chance may well have made it."""
    if len(set(secret)) < DIFFERENT:
        return "is made of few different characters"
    if (secret + secret).find(secret, 1) < len(secret):
        return "is one piece again and again"
    steps = [abs(ord(after) - ord(before)) <= 1 for before, after in pairwise(secret)]
    if sum(steps) >= ROW * len(steps):
        return "goes up or down a row of characters"
    return None


def _read(health: Address) -> Iterator[Finding]:
    """Worth a note alone: in a container it has to be so, and from in there nobody knows who gets in."""
    where, own = f"{health.host}:{health.port}", f"127.0.0.1:{health.port}"
    reads = "whoever reaches it reads /healthz and /metrics"
    shut = "a private network's address or a firewall, and no proxy that passes those pages on"
    if is_everywhere(health):
        remedy = f"right in a container whose port {health.port} is not published; else {own}, {shut}"
        yield note("HEALTH_LISTEN", f"{where} is every address of this machine: {reads}", remedy)
    elif is_public(health):
        yield note("HEALTH_LISTEN", f"{where} is a public address: {reads}", f"{own}, {shut}")
