"""What may come back for a request for updates, and that polling goes on after it."""

import asyncio
import logging
from collections.abc import Callable
from typing import Any

import pytest
from telegram.error import BadRequest, Conflict, InvalidToken, NetworkError, RetryAfter, TelegramError

from bot.delivery.arrivals import Arrivals
from bot.pulse import Pulse
from bot.telegram import polling
from bot.telegram.polling import OustedError, poll

Answer = object
UPDATE = {"update_id": 7}


def page() -> TelegramError:
    """A 404 that some other server answers in Telegram's place."""
    error = InvalidToken("Not Found (404). Parsing the server response b'<html>canary' failed")
    error.__cause__ = TelegramError("Invalid server response")
    return error


class Telegram:
    """Answers `getUpdates` by the list, then with nothing new; whatever else is asked, by name."""

    def __init__(self, *answers: Answer, **others: Answer) -> None:
        self.answers, self.others = list(answers), others
        self.asked: list[str] = []
        self.over = asyncio.Event()

    async def ask(self, _: object, method: str, *__: object, **___: object) -> Answer:
        self.asked.append(method)
        await asyncio.sleep(0)
        if method != "getUpdates":
            return self._given(self.others[method])
        if not self.answers:
            self.over.set()
            await asyncio.Event().wait()
        return self._given(self.answers.pop(0))

    def _given(self, answer: Answer) -> Answer:
        if isinstance(answer, Exception):
            raise answer
        return answer


class Kept:
    """An inbox that keeps a list."""

    def __init__(self) -> None:
        self.updates: list[Any] = []
        self.arrivals = Arrivals()

    def now(self) -> float:
        return 1000.0

    async def accept(self, updates: list[Any]) -> None:
        self.updates += updates


Polled = Callable[[Telegram], "asyncio.Task[None]"]


@pytest.fixture
def inbox() -> Kept:
    return Kept()


@pytest.fixture
def pulse() -> Pulse:
    return Pulse(0.0)


@pytest.fixture
def polled(monkeypatch: pytest.MonkeyPatch, inbox: Kept, pulse: Pulse) -> Polled:
    """Polls a `Telegram` without any pause."""
    monkeypatch.setattr(polling, "FIRST_PAUSE", 0.001)
    monkeypatch.setattr(polling, "LONGEST_PAUSE", 0.001)
    monkeypatch.setattr(polling, "CONFLICT_PAUSE", (0.0, 0.001))

    def start(telegram: Telegram) -> "asyncio.Task[None]":
        monkeypatch.setattr(polling, "ask", telegram.ask)
        return asyncio.create_task(poll(None, inbox, (), pulse))  # type: ignore[arg-type]

    return start


@pytest.mark.parametrize(
    ("trouble", "said"),
    [
        (page(), "Not Found (404), in an answer that is no JSON"),
        (InvalidToken("Not Found"), "Telegram does not know the token"),
        (Conflict("Conflict: terminated"), "had the token: Conflict: terminated"),
        (Conflict("can't use getUpdates method while webhook is active"), "webhook is active"),
        (NetworkError("Bad Gateway"), "NetworkError: Bad Gateway"),
        (BadRequest("Bad Request: nonsense"), "BadRequest: "),
        (TelegramError("Invalid server response"), "the answer is no JSON"),
        (KeyError("result"), "the answer has no result"),
        (AttributeError("'list' object has no attribute 'get'"), "the answer has no result"),
        (5, "did not return a list"),
        (RetryAfter(0), "Flood control"),
        (ZeroDivisionError("canary?"), "ZeroDivisionError"),
    ],
)
async def test_one_bad_answer_is_one_line_and_no_more(
    trouble: Answer, said: str, polled: Polled, inbox: Kept, pulse: Pulse, caplog: pytest.LogCaptureFixture
) -> None:
    telegram = Telegram(trouble, [UPDATE], getWebhookInfo={"url": ""}, getMe={})
    with caplog.at_level(logging.WARNING):
        task = polled(telegram)
        await asyncio.wait_for(telegram.over.wait(), 60)
    task.cancel()
    assert inbox.updates == [UPDATE]
    assert [said in record.getMessage() for record in caplog.records] == [True]
    assert caplog.records[0].exc_info is None
    assert pulse.beats == 1


async def test_a_token_that_is_refused_for_a_while_ends_it(
    polled: Polled, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(polling, "REFUSED", 0.05)
    refusal = InvalidToken("Unauthorized")
    telegram = Telegram(*[refusal] * 10_000, getMe=refusal)
    with pytest.raises(OustedError, match="BOT_TOKEN: Telegram refuses it"):
        await asyncio.wait_for(polled(telegram), 60)
    assert len(telegram.asked) > 3


@pytest.mark.parametrize("answer", [{"id": 1}, NetworkError("Bad Gateway"), page()])
async def test_a_token_that_is_known_elsewhere_does_not(
    answer: Answer, polled: Polled, inbox: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(polling, "REFUSED", 0.01)
    telegram = Telegram(*[InvalidToken("Not Found")] * 30, [UPDATE], getMe=answer)
    task = polled(telegram)
    await asyncio.wait_for(telegram.over.wait(), 60)
    task.cancel()
    assert inbox.updates == [UPDATE]


async def test_a_webhook_that_another_bot_set_ends_it(polled: Polled) -> None:
    active = Conflict("can't use getUpdates method while webhook is active")
    telegram = Telegram([UPDATE], active, getWebhookInfo={"url": "https://elsewhere.example"})
    with pytest.raises(OustedError, match="a webhook was set"):
        await asyncio.wait_for(polled(telegram), 60)


@pytest.mark.parametrize("answer", [{"url": ""}, {}, NetworkError("Bad Gateway"), "nonsense"])
async def test_a_webhook_that_is_not_there_does_not(answer: Answer, polled: Polled, inbox: Kept) -> None:
    active = Conflict("can't use getUpdates method while webhook is active")
    telegram = Telegram(*[active] * 10, [UPDATE], getWebhookInfo=answer)
    task = polled(telegram)
    await asyncio.wait_for(telegram.over.wait(), 60)
    task.cancel()
    assert inbox.updates == [UPDATE]
