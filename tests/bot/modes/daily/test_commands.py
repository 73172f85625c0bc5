"""Hints of the daily hand."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import update

from bot.database.schema import attempts
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot, read_reactions, run_bot
from tests.telegram import Message, User, World

DAY = 86_400.0
OUT_OF_DATE = "That button is out of date."


class PrivateChat:
    """Ann in private with the bot."""

    def __init__(self, bot: LiveBot, clock: Clock) -> None:
        self.bot, self.clock, self.world = bot, clock, bot.world
        self.ann: User = bot.world.user("Ann")
        self.chat = bot.world.chat_of(self.ann)

    async def send(self, text: str, reply_to: Message | None = None) -> Message:
        """Let Ann send the text; return the bot's latest message."""
        await self.bot.say(self.ann, self.chat, text, reply_to)
        return self.world.posts(self.ann)[-1]

    async def ask_for_hand(self, *numbers: int) -> Message:
        """Let Ann ask for the daily hand; return its message."""
        if numbers:
            self.bot.rig(*numbers)
        return await self.send("/daily")

    async def press(self, message: Message, data: str) -> str:
        result = await self.world.answer_to(self.world.press(self.ann, message, data=data))
        await self.bot.settle()
        return result


@pytest.fixture
def pictures() -> bool:
    return False


@pytest.fixture
async def chat(tmp_path: Path, pictures: bool) -> AsyncIterator[PrivateChat]:
    clock = Clock()
    async with run_bot(World(clock=clock), tmp_path / "games.sqlite3", pictures=pictures) as bot:
        yield PrivateChat(bot, clock)


async def test_three_hints_are_shown_in_the_hands_message_and_no_fourth(chat: PrivateChat) -> None:
    hers = await chat.ask_for_hand(3, 8, 3, 8)
    button = hers.button("Hint")["callback_data"]
    for count in (1, 2):
        assert await chat.press(hers, button) == ""
        assert hers.text.count("💡") == count
    again = await chat.send("/hint", reply_to=hers)
    assert again is hers
    assert hers.text.count("💡") == 3
    assert await chat.press(hers, button) == OUT_OF_DATE  # the message has no such button any more
    assert (await chat.send("/hint")).text == "No more hints for this hand."


async def test_expired_hand_shows_no_hint(chat: PrivateChat) -> None:
    hers = await chat.ask_for_hand(3, 8, 3, 8)
    chat.clock.advance(DAY + 1)
    assert await chat.press(hers, hers.button("Hint")["callback_data"]) == OUT_OF_DATE
    assert "💡" not in hers.text
    late = await chat.send("/hint", reply_to=hers)
    assert late.text.startswith("That hand’s 24 hours are over")


@pytest.mark.long
async def test_button_is_for_its_hand_and_the_command_for_the_latest(chat: PrivateChat) -> None:
    first = await chat.ask_for_hand(3, 8, 3, 8)
    chat.clock.advance(DAY - 60)
    second = await chat.ask_for_hand(1, 5, 5, 5)
    await chat.press(first, first.button("Hint")["callback_data"])
    assert [hand.text.count("💡") for hand in (first, second)] == [1, 0]
    await chat.send("/hint")
    assert [hand.text.count("💡") for hand in (first, second)] == [1, 1]
    await chat.send("/hint", reply_to=first)
    assert [hand.text.count("💡") for hand in (first, second)] == [2, 1]


async def test_solved_hand_shows_no_hint(chat: PrivateChat) -> None:
    hers = await chat.ask_for_hand(3, 8, 3, 8)
    assert read_reactions(await chat.bot.say(chat.ann, chat.chat, "8/(3-8/3)")) == "🏆"
    result = await chat.send("/hint", reply_to=hers)
    assert result.text == "You have solved that hand already. /daily has today’s."


async def test_given_up_hand_shows_no_hint(chat: PrivateChat) -> None:
    hers = await chat.ask_for_hand(3, 8, 3, 8)
    for button in ("Give up", "Yes, show me"):
        await chat.press(hers, hers.button(button)["callback_data"])
    result = await chat.send("/hint", reply_to=hers)
    assert result.text == "You have given that hand up already. /daily has today’s."


async def test_hint_comes_in_a_new_message_if_the_hands_message_is_unknown(chat: PrivateChat) -> None:
    hers = await chat.ask_for_hand(3, 8, 3, 8)
    store = chat.bot.services.store
    await store.write(lambda tx: tx.execute(update(attempts).values(message_id=None)))
    again = await chat.send("/hint")
    assert again is not hers
    assert again.text.count("💡") == 1
    await chat.send("/hint")
    assert again.text.count("💡") == 2


@pytest.mark.parametrize("pictures", [True])
async def test_hints_are_added_below_the_picture(chat: PrivateChat) -> None:
    hers = await chat.ask_for_hand(3, 8, 3, 8)
    posts = len(chat.world.posts(chat.ann))
    assert await chat.press(hers, hers.button("Hint")["callback_data"]) == ""
    await chat.send("/hint")
    assert hers.text.count("💡") == 2
    assert len(chat.world.posts(chat.ann)) == posts
    assert not chat.world.calls("editMessageText")
