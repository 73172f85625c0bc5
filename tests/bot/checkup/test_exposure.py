"""What `check` says of what lies open: a secret that can be guessed, pages that anybody reads."""

from secrets import token_hex, token_urlsafe
from uuid import uuid4

import pytest

from bot.checkup import exposure
from bot.checkup.finding import Finding, Mark
from bot.settings import read

URL = "https://bot.example.org/telegram"
GOOD = "canary_5fK2q8Zr1mXw"
WEAK = "canary_7canary_7canary_7"


def told(**variables: str) -> list[Finding]:
    return list(exposure.looked_at(read(variables)))


@pytest.mark.parametrize(
    ("secret", "why"),
    [
        ("a" * 40, "is made of few different characters"),
        ("abcabcabcabcabcabc", "is made of few different characters"),
        ("canary_7canary_7canary_7", "is one piece again and again"),
        ("0123456789abcdef", "goes up or down a row of characters"),
        ("9876543210987654321", "goes up or down a row of characters"),
        ("abcdefghijklmnopqrstuvwxyz", "goes up or down a row of characters"),
    ],
)
def test_a_secret_that_can_be_guessed(secret: str, why: str) -> None:
    (found,) = told(WEBHOOK_URL=URL, WEBHOOK_SECRET=secret)
    assert (found.mark, found.about) == (Mark.WRONG, "WEBHOOK_SECRET")
    assert found.told == f"it {why}, so it can be guessed: then anybody posts updates in anybody's name"
    assert found.remedy.startswith("make one by chance, openssl rand -hex 32 or python3 -c 'import secrets; ")
    assert secret not in "".join(found.lines)


def test_a_secret_that_stands_in_the_address() -> None:
    (found,) = told(WEBHOOK_URL=f"https://bot.example.org/{GOOD}", WEBHOOK_SECRET=GOOD)
    assert (found.mark, "it stands in WEBHOOK_URL" in found.told, GOOD in found.told) == (
        Mark.WRONG,
        True,
        False,
    )


def test_secrets_that_nobody_guesses() -> None:
    made = (token_hex(32), token_hex(16), token_urlsafe(32), str(uuid4()), GOOD)
    assert [told(WEBHOOK_URL=URL, WEBHOOK_SECRET=secret) for secret in made] == [[]] * len(made)


def test_a_secret_that_nothing_asks_for() -> None:
    assert told(WEBHOOK_SECRET="x" * 16) == []


def test_a_former_secret_that_is_still_taken() -> None:
    (found,) = told(WEBHOOK_URL=URL, WEBHOOK_SECRET=f"{GOOD},{WEAK}")
    assert (found.mark, found.told.partition(",")[0]) == (
        Mark.NOTE,
        "the one behind the comma is one piece again and again",
    )
    assert found.remedy == "leave it out as soon as every bot has the one before the comma"
    (found,) = told(WEBHOOK_URL=URL, WEBHOOK_SECRET=f"{WEAK},{GOOD}")
    assert found.mark is Mark.WRONG
    assert len(told(WEBHOOK_URL=URL, WEBHOOK_SECRET=f"{WEAK},{WEAK}2")) == 1


@pytest.mark.parametrize("host", ["0.0.0.0", "0", "[::]", "[0::0]"])  # noqa: S104 - what was asked for
def test_health_at_every_address_of_the_machine(host: str) -> None:
    """It is so in every container of deploy/, where only the other ones reach it."""
    (found,) = told(HEALTH_LISTEN=f"{host}:8081")
    assert (found.mark, found.about) == (Mark.NOTE, "HEALTH_LISTEN")
    where = f"{host.strip('[]')}:8081"
    assert (
        found.told
        == f"{where} is every address of this machine: whoever reaches it reads /healthz and /metrics"
    )
    assert found.remedy.startswith(
        "right in a container whose port 8081 is not published; else 127.0.0.1:8081"
    )


@pytest.mark.parametrize("host", ["8.8.8.8", "[2a00:1450:4001::1]", "[::ffff:8.8.8.8]"])
def test_health_at_a_public_address(host: str) -> None:
    (found,) = told(HEALTH_LISTEN=f"{host}:8081")
    assert (found.mark, " is a public address: " in found.told) == (Mark.NOTE, True)
    assert found.remedy.startswith("127.0.0.1:8081")


@pytest.mark.parametrize(
    "host", ["", "127.0.0.1", "localhost", "[::1]", "10.0.0.7", "192.168.3.4", "[fd00::1]", "[fe80::1%lo]"]
)
def test_health_in_a_network_of_ones_own(host: str) -> None:
    assert told(HEALTH_LISTEN=f"{host}:8081") == []


def test_a_name_that_stands_for_nothing_is_told_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere(*_: object, **__: object) -> None:
        raise OSError("Name or service not known")

    monkeypatch.setattr("socket.getaddrinfo", nowhere)
    assert told(HEALTH_LISTEN="nohost.invalid:8081") == []
