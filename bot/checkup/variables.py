"""The environment: every value that can't be used, and names that are probably misspelled."""

import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches

from bot.checkup.finding import Finding, good, note, wrong
from bot.settings import Settings, SettingsError, read

KNOWN = (
    *("BOT_TOKEN", "BOT_API_URL", "DATABASE_URL", "WEBHOOK_URL", "WEBHOOK_LISTEN", "WEBHOOK_SECRET"),
    *("SOLVER_WORKERS", "SOLVER_DEADLINE", "SOLVER_SCHEDULER", "HEALTH_LISTEN", "LOG_LEVEL"),
    *("LOG_FORMAT", "KEEP_DAYS", "OTEL_EXPORTER_OTLP_ENDPOINT"),
)
CLOSE = 0.8
"""From which likeness on a name is taken for a misspelled one (`difflib`)."""
EXAMPLES = "deploy/bot.env.example shows every variable"
BEGINNINGS = ("BOT_", "WEBHOOK_", "SOLVER_", "HEALTH_")
"""What hardly another program's variables begin with."""
OF_A_CLUSTER = re.compile(r".*_(SERVICE_HOST|SERVICE_PORT|PORT)(_.*)?")
"""What Kubernetes tells of each service beside the bot, whatever that is called."""
ANY_SECRET = "not-yet-set"  # noqa: S105 - stands for one that can't be used while the rest is looked at


def looked_at(environment: Mapping[str, str]) -> tuple[Settings, list[Finding]]:
    """The settings without what can't be used, and what there is to say of them."""
    left, found = dict(environment), list[Finding]()
    while True:
        try:
            settings = read(left)
        except SettingsError as error:
            name, _, told = str(error).partition(": ")
            found.append(wrong(name, told, f"mend it or leave it out; {EXAMPLES}"))
            left = _without(left, name)
        else:
            break
    if not settings.token and "BOT_TOKEN" not in {finding.about for finding in found}:
        told = "empty" if settings.token_left_empty else "not set: only the chat in the terminal would open"
        found.append(wrong("BOT_TOKEN", told, "@BotFather gives one for /newbot, and for /mybots yours"))
    sound = [] if found else [good("settings", "every variable can be used")]
    return settings, [*sound, *found, *_misspelled(environment)]


def _without(environment: Mapping[str, str], name: str) -> dict[str, str]:
    """The environment without a variable; the webhook is looked at also where its secret is what is wrong."""
    left = {key: value for key, value in environment.items() if key != name}
    return left | {name: ANY_SECRET} if name == "WEBHOOK_SECRET" else left


def _misspelled(environment: Mapping[str, str]) -> Iterator[Finding]:
    """Names that are no variable of the bot, but look like one; one that is set was written right."""
    given = {name for name, value in environment.items() if value.strip()}
    for name in sorted(given.difference(KNOWN)):
        like = get_close_matches(name.upper(), KNOWN, n=1, cutoff=CLOSE)
        ours = name.startswith(BEGINNINGS) and not OF_A_CLUSTER.fullmatch(name)
        if ours or (like and like[0] not in given):
            yield note(name, "no variable of the bot", f"is {like[0]} meant?" if like else EXAMPLES)
