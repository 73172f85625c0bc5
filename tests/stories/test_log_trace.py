"""Whoever reads the log can follow an update: its line, its effect, and what is sent because of it."""

import logging
from collections.abc import Iterator

import pytest

from bot import trace
from tests.stories.conftest import LiveBot, RestartBot
from tests.telegram import Chat, User, World


class Noted(logging.Handler):
    """Which trace each line was written in."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[tuple[str, str]] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append((trace.get_current_trace(), record.getMessage()))


@pytest.fixture
def noted() -> Iterator[Noted]:
    handler, bot = Noted(), logging.getLogger("bot")
    level = bot.level
    bot.addHandler(handler)
    bot.setLevel(logging.DEBUG)
    yield handler
    bot.setLevel(level)
    bot.removeHandler(handler)


async def test_an_answer_its_verdict_and_its_reaction_have_one_trace(
    bot: LiveBot, ann: User, bob: User, family: Chat, noted: Noted
) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    noted.lines.clear()
    await bot.say(bob, family, "8/(3-8/3)", reply_to=deal)
    (update,) = [line for line in noted.lines if line[1] == "answer: done"]
    assert update[0].startswith("u")
    sent = {message for present, message in noted.lines if present == update[0]}
    assert "setMessageReaction: answered" in sent
    assert {"editMessageText: answered", "editMessageCaption: answered"} & sent  # a text, or a picture's


async def test_what_is_sent_after_a_restart_is_found_with_what_caused_it(
    world: World, ann: User, family: Chat, restart_bot: RestartBot, noted: Noted
) -> None:
    bot = await restart_bot(world)
    away = world.faults.add("sendMessage", status=502)
    bot.rig(3, 8, 3, 8)
    world.say(ann, family, "/play@TwentyFourTestBot")
    await world.wait_until(lambda: away.hits, 60, "the deal is tried")
    (dealt,) = [present for present, message in noted.lines if message == "deal: done"]
    world.faults.remove(away)
    noted.lines.clear()
    bot = await restart_bot(world)
    await world.next_post(family, "→ 24")
    await bot.settle()
    assert (dealt, "sendMessage: answered") in noted.lines
