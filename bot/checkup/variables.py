"""The environment: every value that can't be used, and names that are probably misspelled."""

import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from urllib.parse import unquote

from bot.checkup.finding import Finding, good, note, wrong
from bot.database.address import ENCODED, place
from bot.settings import KNOWN, Settings, SettingsError, is_quoted, read

ENCODED_SIGN = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
CLOSE = 0.8
"""From which likeness on a name is taken for a misspelled one (`difflib`)."""
ELSEWHERE = {
    **dict.fromkeys(("TELEGRAM_TOKEN", "TELEGRAM_BOT_TOKEN", "TOKEN", "API_TOKEN"), "BOT_TOKEN"),
    **dict.fromkeys(("DB_URL", "DATABASE", "DATABASE_DSN", "POSTGRES_URL"), "DATABASE_URL"),
    "TELEGRAM_API_URL": "BOT_API_URL",
}
"""What other bots call the same: no likeness tells that."""
SHELL = "load the bot's own settings first: set -a; . /etc/twentyfour/bot.env; set +a"
NO_BOARD = "set it to the board's public address, as in https://bot.example.org/board, or leave those out too"
EXAMPLES = "deploy/bot.env.example shows every variable"
BEGINNINGS = ("BOT_", "WEBHOOK_", "SOLVER_", "HEALTH_")
"""What hardly another program's variables begin with."""
OF_A_CLUSTER = re.compile(r".*_(SERVICE_HOST|SERVICE_PORT|PORT)(_.*)?")
"""What Kubernetes tells of each service beside the bot, whatever that is called."""
TOKENS = (
    "@BotFather gives a new one for /newbot, and shows yours for /mybots; it stands in the bot's settings, of"
    f" which {EXAMPLES}"
)
REMEDIES = {
    "BOT_TOKEN": "@BotFather, /mybots, API Token shows the one that holds; copy the whole of it",
    "DATABASE_URL": f"mend it: left out, it is a file of whoever runs the bot; {EXAMPLES}",
    "WEBHOOK_SECRET": "put one into the bot's settings: echo WEBHOOK_SECRET=$(openssl rand -hex 32)",
    "WEBHOOK_URL": "write the whole of it, as in https://bot.example.org/telegram; or leave it out, and the"
    " bot fetches what people write",
}
"""Of what can't be just left out, or is made rather than known."""
BY_HTTP = "put a proxy with a certificate in front, and name its address; deploy/README.md shows one"
ENCODE = f"write user and password {ENCODED}: postgresql://user:password@host:5432/database"
ANY_SECRET = "not-yet-set-here"  # noqa: S105 - stands for one that can't be used while the rest is looked at


def looked_at(environment: Mapping[str, str]) -> tuple[Settings, list[Finding]]:
    """The settings without what can't be used, and what there is to say of them."""
    left, found = dict(environment), list[Finding]()
    while True:
        try:
            settings = read(left)
        except SettingsError as error:
            name, _, told = str(error).partition(": ")
            found.append(wrong(name, told, _remedy(name, left.get(name, ""))))
            left = _without(left, name)
        else:
            break
    if not settings.token and not {"BOT_TOKEN", "BOT_TOKEN_FILE"} & {finding.about for finding in found}:
        told = "empty" if settings.token_left_empty else "not set: only the chat in the terminal would open"
        found.append(wrong("BOT_TOKEN", told, TOKENS))
    sound = [] if found else [good("settings", "every variable can be used")]
    notes = [*_misspelled(environment), *_unset(environment), *_encoded(left, settings)]
    return settings, [*sound, *found, *notes]


def _remedy(name: str, value: str) -> str:
    if is_quoted(value.strip()):
        return f"write {name}=… with nothing around the value"
    if name == "DATABASE_URL" and value.startswith("postgres") and value.count("@") > 1:
        return ENCODE
    if name == "WEB_URL" and value.strip().lower().startswith("http:"):
        return BY_HTTP
    return REMEDIES.get(name, f"mend it or leave it out; {EXAMPLES}")


def _without(environment: Mapping[str, str], name: str) -> dict[str, str]:
    """The environment without a variable; the webhook is looked at also where its secret is what is wrong."""
    left = {key: value for key, value in environment.items() if key not in {name, f"{name}_FILE"}}
    return left | {"WEBHOOK_SECRET": ANY_SECRET} if name.startswith("WEBHOOK_SECRET") else left


def _misspelled(environment: Mapping[str, str]) -> Iterator[Finding]:
    """Names that are no variable of the bot, but look like one; one that is set was written right."""
    given = {name for name, value in environment.items() if value.strip()}
    for name in sorted(given.difference(KNOWN)):
        like = _meant(name)
        ours = name.startswith(BEGINNINGS) and not OF_A_CLUSTER.fullmatch(name)
        if ours or name.upper() in KNOWN or (like and like not in given):
            yield note(name, "no variable of the bot", f"is {like} meant?" if like else EXAMPLES)


def _unset(environment: Mapping[str, str]) -> Iterator[Finding]:
    """What is looked at where nobody says what: an empty file tells nothing of a bot that has another."""
    if lacks_database(environment):
        told = "not set, so a file of whoever runs this is looked at, which may not be the bot's"
        yield note("DATABASE_URL", told, SHELL)
    of_board = [name for name in ("WEB_LISTEN", "WEB_APP") if environment.get(name, "").strip()]
    if of_board and not environment.get("WEB_URL", "").strip():
        told = f"not set, so there is no board, though {' and '.join(of_board)} would be of use for one alone"
        yield note("WEB_URL", told, NO_BOARD)


def _encoded(left: Mapping[str, str], settings: Settings) -> Iterator[Finding]:
    """Say which file is meant where its path holds signs in their encoded form: it may be a path as it is."""
    value = left.get("DATABASE_URL", "").strip()
    if value.startswith("sqlite") and (signs := ENCODED_SIGN.findall(value)):
        told = f"{signs[0]} stands for {unquote(signs[0])!r}, so the file is {place(settings.database)}"
        yield note("DATABASE_URL", told, "write a % of the path as %25")


def lacks_database(environment: Mapping[str, str]) -> bool:
    """Whether nobody says which database is meant."""
    return not any(environment.get(name, "").strip() for name in ("DATABASE_URL", "DATABASE_URL_FILE"))


def _meant(name: str) -> str | None:
    """The variable that was probably meant by a name that is none."""
    like = get_close_matches(name.upper(), KNOWN, n=1, cutoff=CLOSE)
    return like[0] if like else ELSEWHERE.get(name.upper())
