"""The messages that people write, each through the whole bot: what is judged, told, and let be."""

from pathlib import Path

import pytest
from sqlalchemy import func, select

from bot.database import Tx
from bot.database.schema import attempts, tries
from tests.messages import LANGUAGES, MESSAGES, Said, counted
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot, read_reactions, run_bot
from tests.telegram import Chat, Message, User, World

DAY = 86_400.0
VERDICTS = {"win": "🏆", "value": "👎", "numbers": "👀", "reason": "🤔", "silence": ""}


class Table:
    """Where one message is said: a fresh group or a fresh private chat, with its hand open."""

    def __init__(self, bot: LiveBot, clock: Clock, said: Said) -> None:
        self.bot, self.said, self.clock = bot, said, clock
        self.ann = bot.world.user("Ann", language_code=said.language.lower())
        self.bob = bot.world.user("Bob", language_code=said.language.lower())
        private = said.how in ("private", "daily")
        self.chat: Chat = bot.world.chat_of(self.bob) if private else bot.world.group("G", self.ann, self.bob)

    async def opened(self) -> Message:
        """The message that shows the hand."""
        me, said = self.bot.world.bot.username, self.said
        if said.how == "race":
            self.bot.rig(1, 1, 11, 11)
        self.bot.rig(*said.numbers, target=said.target)
        dealer: User = self.bob if self.chat.type == "private" else self.ann
        command = {"race": f"/race@{me} 2", "daily": "/daily"}.get(said.how, f"/play@{me}")
        await self.bot.say(dealer, self.chat, command)
        if said.how == "race":
            await self.bot.say(self.ann, self.chat, "11+11+1+1")
            self.clock.advance(5)
        return self.bot.world.posts(self.chat)[-1]

    async def answered(self, deal: Message) -> Message:
        """The message, said as it is to be."""
        text, me = self.said.text, self.bot.world.bot.username
        if self.said.how == "command":
            text = f"/a@{me} {text}"
        replied = deal if self.said.how == "reply" else None
        return await self.bot.say(self.bob, self.chat, text, reply_to=replied)


def _counted(player: int, tx: Tx) -> int:
    """How many wrong answers are counted of somebody."""
    of_rounds = select(func.coalesce(func.sum(tries.c.wrong + tries.c.misread + tries.c.noted), 0)).where(
        tries.c.player_id == player
    )
    of_days = select(func.coalesce(func.sum(attempts.c.wrong), 0)).where(attempts.c.player_id == player)
    return int(tx.scalar(of_rounds) or 0) + int(tx.scalar(of_days) or 0)


async def _what_happens(table: Table) -> None:
    """Say it, and see that just this happens which must."""
    deal = await table.opened()
    shown, posts = deal.text, len(table.bot.world.posts(table.chat))
    message = await table.answered(deal)
    said = table.said
    reaction = read_reactions(message)
    told = [post.text for post in table.bot.world.posts(table.chat)[posts:]]
    counted = await table.bot.services.store.read(lambda tx: _counted(table.bob.id, tx))
    expected = "👎" if said.how == "daily" and said.must not in ("win", "silence") else VERDICTS[said.must]
    assert reaction == expected, said
    if said.must == "silence":
        assert (told, counted, deal.text) == ([], 0, shown), said
    elif said.must == "win":
        assert counted == 0, said
        assert "🏆 " in (deal.text + "".join(told)), said
    else:
        assert (len(told), counted) == (1, 1), said
        assert deal.text == shown
    if said.must == "value":
        assert f"= {said.value}, " in told[0].replace("，", ", "), said


@pytest.mark.parametrize(
    "language",
    [code if code == "en" else pytest.param(code, marks=pytest.mark.long) for code in LANGUAGES],
)
async def test_what_happens_to_each_message(database: Path, clock: Clock, language: str) -> None:
    """No right answer is missed, and no talk judged: no reaction, no word, nothing counted."""
    spoken = [one for one in MESSAGES if one.language == language]
    async with run_bot(World(clock=clock, privacy=False), database) as bot:
        for one in sorted(spoken, key=lambda one: one.how == "daily"):  # no table has the hand of a day
            clock.advance(3 * DAY if one.how == "daily" else 5)
            await _what_happens(Table(bot, clock, one))
    print(f"{language}: {counted(spoken)}")
