"""What is said of what is refused."""

from typing import Any

import pytest
from starlette.requests import Request

from bot import i18n
from bot.web.refusals import refusal

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
HERE = "Nothing opens at this address. Use the link just as you were given it."
LATER = "This can’t be shown just now. Try again in a moment."


def asked(accept: str = BROWSER, language: str = "", method: str = "GET") -> Request:
    headers = [(b"accept", accept.encode()), (b"accept-language", language.encode())]
    scope: dict[str, Any] = {"type": "http", "method": method, "path": "/secret", "headers": headers}
    return Request(scope)


@pytest.mark.parametrize("status", [401, 403, 404, 405])
def test_a_person_is_told_what_to_do_and_not_what_there_is(status: int) -> None:
    answer = refusal(asked(), status)
    assert (answer.status_code, bytes(answer.body).decode()) == (status, f"{HERE}\n")
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert answer.headers["Vary"] == "Accept, Accept-Language"


@pytest.mark.parametrize("status", [429, 500, 503])
def test_what_passes_is_told_to_pass(status: int) -> None:
    answer = refusal(asked(), status, {"Retry-After": "5"})
    assert bytes(answer.body).decode() == f"{LATER}\n"
    assert answer.headers["Retry-After"] == "5"


@pytest.mark.parametrize("language", i18n.languages())
def test_it_speaks_the_browsers_first_language(language: str) -> None:
    tag = language.replace("_", "-")
    answer = refusal(asked(language=f"{tag},de;q=0.9"), 404)
    assert bytes(answer.body).decode() == f"{i18n.words(language).plain(HERE)}\n"


@pytest.mark.parametrize(
    "request_",
    [asked("*/*"), asked("application/json"), asked(""), asked(method="POST")],
    ids=["anything", "json", "nothing", "post"],
)
def test_a_program_is_told_the_status_alone(request_: Request) -> None:
    answer = refusal(request_, 404)
    assert (answer.body, "Vary" in answer.headers) == (b"404\n", False)
