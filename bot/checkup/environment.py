"""Check the environment: unusable values, misspelled names, and what strangers could guess or read."""

from collections.abc import Iterator, Mapping
from difflib import get_close_matches

from bot.checkup.finding import Finding, good, note, wrong
from bot.database.address import ENCODING_HINT
from bot.settings import VARIABLES, Settings, SettingsError, is_quoted, read_settings

EXAMPLES_HINT = "deploy/bot.env.example shows every variable"
LOAD_SETTINGS_HINT = "load the bot's own settings first: set -a; . /etc/twentyfour/bot.env; set +a"
TOKEN_HINT = "copy the whole token from @BotFather (/mybots, API Token) into the bot's settings"  # noqa: S105
VARIABLE_REMEDIES = {
    "BOT_TOKEN": TOKEN_HINT,
    "DATABASE_URL": "write postgresql://user:password@host:5432/database, with user and password"
    f" {ENCODING_HINT}; or sqlite:///path; {EXAMPLES_HINT}",
    "WEBHOOK_SECRET": "put one into the bot's settings: echo WEBHOOK_SECRET=$(openssl rand -hex 32)",
    "WEBHOOK_URL": "write the whole of it, as in https://bot.example.org/telegram; or leave it out, and the"
    " bot fetches updates",
    "WEB_URL": "put a proxy with a certificate in front, and name its address, as in"
    " https://bot.example.org/board; docs/operators/webhook.md shows one",
}
PLACEHOLDER_SECRET = "not-yet-set-here"  # noqa: S105 - stands for one that can't be used while the rest is checked


def check_variables(environment: Mapping[str, str]) -> tuple[Settings, list[Finding]]:
    """Return the settings without the variables that can't be used, and the findings about all variables."""
    usable = dict(environment)
    findings = list[Finding]()
    while True:  # leave out the first bad variable, and try again
        try:
            settings = read_settings(usable)
            break
        except SettingsError as error:
            name, _, state = str(error).partition(": ")  # each message begins with a variable's name
            findings.append(wrong(name, state, _find_variable_remedy(name, usable)))
            usable.pop(name, None)
            usable.pop(f"{name}_FILE", None)
            if name.startswith("WEBHOOK_SECRET"):  # WEBHOOK_URL would be refused without one
                usable["WEBHOOK_SECRET"] = PLACEHOLDER_SECRET
    bad_names = {finding.subject for finding in findings}
    if not settings.token and bad_names.isdisjoint({"BOT_TOKEN", "BOT_TOKEN_FILE"}):
        state = "empty" if settings.token_left_empty else "not set: only the chat in the terminal would open"
        findings.append(wrong("BOT_TOKEN", state, f"send /newbot to @BotFather for a new bot; {TOKEN_HINT}"))
    if not findings:
        findings.append(good("settings", "every variable can be used"))
    notes = [*_check_names(environment), *_check_unset(environment)]
    return settings, findings + notes


def _find_variable_remedy(name: str, environment: Mapping[str, str]) -> str:
    """Return the next step for a variable that can't be used."""
    if is_quoted(environment.get(name, "").strip()):
        return f"write {name}=… with nothing around the value"
    return VARIABLE_REMEDIES.get(name, f"correct it or leave it out; {EXAMPLES_HINT}")


MIN_LIKENESS = 0.8  # from which `difflib` takes one name for a misspelling of another


def _check_names(environment: Mapping[str, str]) -> Iterator[Finding]:
    """Note names that are nearly a variable's: in another case, or misspelled while that one is not set."""
    set_names = {name for name, value in environment.items() if value.strip()}
    for name in sorted(set_names.difference(VARIABLES)):
        similar = get_close_matches(name.upper(), VARIABLES, n=1, cutoff=MIN_LIKENESS)
        is_lower_case = name.upper() in VARIABLES  # noted even if the right one is set as well
        if similar and (is_lower_case or similar[0] not in set_names):
            yield note(name, "no variable of the bot", f"is {similar[0]} meant?")


def _check_unset(environment: Mapping[str, str]) -> Iterator[Finding]:
    """Note a database that is not named, and an unset WEB_URL while other variables of the board are set."""
    if lacks_database(environment):
        state = "not set, so your own user's default file was checked, which may not be the bot's"
        yield note("DATABASE_URL", state, LOAD_SETTINGS_HINT)
    set_names = [name for name in ("WEB_LISTEN", "WEB_APP") if environment.get(name, "").strip()]
    if set_names and not environment.get("WEB_URL", "").strip():
        state = f"not set, so there is no board, and {' and '.join(set_names)} changes nothing"
        remedy = "set it to the board's public address, as in https://bot.example.org/board"
        yield note("WEB_URL", state, remedy)


def lacks_database(environment: Mapping[str, str]) -> bool:
    named = environment.get("DATABASE_URL", "") + environment.get("DATABASE_URL_FILE", "")
    return not named.strip()


def check_exposure(settings: Settings) -> Iterator[Finding]:
    """Check the webhook's secret, and note health pages that listen at every address."""
    yield from check_secret(settings)
    health = settings.health_listen
    if health and health.host in {"0.0.0.0", "0", "::"}:  # noqa: S104 - compared, not bound
        port = health.port
        state = f"{health.host}:{port} is every address of this machine: anybody may read its pages"
        remedy = f"right in a container whose port {port} is not published; else 127.0.0.1:{port}"
        yield note("HEALTH_LISTEN", state, remedy)


MIN_DIFFERENT_CHARACTERS = 6  # different ones; of a random secret hardly any has fewer


def check_secret(settings: Settings) -> Iterator[Finding]:
    """Yield a finding if the webhook's secret has too few different characters to be made by chance."""
    if not settings.webhook_url:
        return
    newest_secret = settings.webhook_secrets[0]
    if len(set(newest_secret)) < MIN_DIFFERENT_CHARACTERS:
        state = "it is made of few different characters, so it can be guessed: then anybody posts updates"
        remedy = "make one by chance: openssl rand -hex 32; and start the bot again"
        yield wrong("WEBHOOK_SECRET", state, remedy)
