"""Traces in the log: an update and the requests that it causes share one."""

import logging
from collections.abc import Iterator

import pytest

from bot import logs
from tests.stories.conftest import LiveBot, RestartBot
from tests.telegram import Chat, User, World


class TraceRecorder(logging.Handler):
    """Records each log line with the trace in which it was written."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[tuple[str, str]] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append((logs.current_trace.get(), record.getMessage()))


@pytest.fixture
def recorder() -> Iterator[TraceRecorder]:
    recorder, bot = TraceRecorder(), logging.getLogger("bot")
    level = bot.level
    bot.addHandler(recorder)
    bot.setLevel(logging.DEBUG)
    yield recorder
    bot.setLevel(level)
    bot.removeHandler(recorder)


@pytest.mark.texts
async def test_answer_and_its_requests_share_a_trace(
    bot: LiveBot, ann: User, bob: User, family: Chat, recorder: TraceRecorder
) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    recorder.lines.clear()
    await bot.say(bob, family, "8/(3-8/3)", reply_to=deal)
    (update,) = [line for line in recorder.lines if line[1] == "answer: done"]
    assert update[0].startswith("u")
    sent = {message for current, message in recorder.lines if current == update[0]}
    assert "setMessageReaction: answered" in sent
    assert {"editMessageText: answered", "editMessageCaption: answered"} & sent  # a text, or a picture's


async def test_request_sent_after_restart_keeps_its_trace(
    world: World, ann: User, family: Chat, restart_bot: RestartBot, recorder: TraceRecorder
) -> None:
    bot = await restart_bot(world)
    away = world.faults.add("sendMessage", status=502)
    bot.rig(3, 8, 3, 8)
    world.say(ann, family, "/play@TwentyFourTestBot")
    await world.wait_until(lambda: away.hits, 60, "the deal is tried")
    (deal_trace,) = [current for current, message in recorder.lines if message == "deal: done"]
    world.faults.remove(away)
    recorder.lines.clear()
    bot = await restart_bot(world)
    await world.next_post(family, "→ 24")
    await bot.settle()
    assert (deal_trace, "sendMessage: answered") in recorder.lines
