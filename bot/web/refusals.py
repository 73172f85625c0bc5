"""What is said of what is refused: to a program the status alone, to a person one sentence.

Neither says what there is here, or what was wrong: whoever asks may be anybody.
"""

from starlette.requests import Request
from starlette.responses import PlainTextResponse

from bot.i18n import spoken, words

LONGEST = 200
"""Characters of a header that are looked at."""


def refusal(request: Request, status: int, headers: dict[str, str] | None = None) -> PlainTextResponse:
    """The answer to a request that is refused, or that failed."""
    if not _is_looked_at(request):
        return PlainTextResponse(f"{status}\n", status, headers)
    told = {**(headers or {}), "Vary": "Accept, Accept-Language"}
    return PlainTextResponse(f"{_sentence(fitting(request), status)}\n", status, told)


def _is_looked_at(request: Request) -> bool:
    """Whether somebody opens it in a browser: what pages, Telegram and monitors ask for is for programs."""
    return request.method == "GET" and "text/html" in request.headers.get("accept", "")[:LONGEST].lower()


def fitting(request: Request) -> str:
    """The language that the browser asks for first, of those that we speak."""
    first = request.headers.get("accept-language", "")[:LONGEST].partition(",")[0]
    return spoken(first.partition(";")[0].strip())


def _sentence(language: str, status: int) -> str:
    speech = words(language)
    if status == 429 or status >= 500:
        return speech.plain("This can’t be shown just now. Try again in a moment.")
    return speech.plain("Nothing opens at this address. Use the link just as you were given it.")
