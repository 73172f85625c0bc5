"""The messages of `tests/data/messages.toml`, each sent to the whole bot."""

import re
from pathlib import Path

import pytest
from sqlalchemy import func, select

from bot.database import Tx
from bot.database.schema import attempts, tries
from tests.messages import LANGUAGES, MESSAGES, MessageCase, count_by_verdict
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot, read_reactions, run_bot
from tests.telegram import Chat, Message, User, World

DAY = 86_400.0
VERDICTS = {"win": "🏆", "value": "👎", "numbers": "👎", "reason": "🤔", "silence": ""}


class Scene:
    """A new group, or a new private chat, in which one message is sent while a hand is open."""

    def __init__(self, bot: LiveBot, clock: Clock, case: MessageCase) -> None:
        self.bot, self.case, self.clock = bot, case, clock
        self.ann = bot.world.user("Ann", language_code=case.language.lower())
        self.bob = bot.world.user("Bob", language_code=case.language.lower())
        private = case.how in ("private", "daily")
        self.chat: Chat = bot.world.chat_of(self.bob) if private else bot.world.group("G", self.ann, self.bob)

    async def deal(self) -> Message:
        """Deal the hand and return the message that shows it."""
        me, case = self.bot.world.bot.username, self.case
        if case.how == "race":
            self.bot.rig(1, 1, 11, 11)
        self.bot.rig(*case.numbers, target=case.target)
        dealer: User = self.bob if self.chat.type == "private" else self.ann
        command = {"race": f"/race@{me} 2", "daily": "/daily"}.get(case.how, f"/play@{me}")
        await self.bot.say(dealer, self.chat, command)
        if case.how == "race":
            await self.bot.say(self.ann, self.chat, "11+11+1+1")
            self.clock.advance(5)
        return self.bot.world.posts(self.chat)[-1]

    async def send(self, deal: Message) -> Message:
        """Send the message in the way that its case says."""
        text, me = self.case.text, self.bot.world.bot.username
        if self.case.how == "command":
            text = f"/a@{me} {text}"
        replied = deal if self.case.how == "reply" else None
        return await self.bot.say(self.bob, self.chat, text, reply_to=replied)


def count_wrong_answers(player: int, tx: Tx) -> int:
    """Return the number of a player's wrong answers."""
    of_rounds = select(func.coalesce(func.sum(tries.c.wrong + tries.c.misread), 0)).where(
        tries.c.player_id == player
    )
    of_days = select(func.coalesce(func.sum(attempts.c.wrong), 0)).where(attempts.c.player_id == player)
    return int(tx.scalar(of_rounds) or 0) + int(tx.scalar(of_days) or 0)


async def check_reaction(scene: Scene) -> None:
    """Send the message and check that the bot reacts as its case says, and in no other way."""
    deal = await scene.deal()
    deal_text, posts = deal.text, len(scene.bot.world.posts(scene.chat))
    message = await scene.send(deal)
    case = scene.case
    reaction = read_reactions(message)
    replies = [post.text for post in scene.bot.world.posts(scene.chat)[posts:]]
    counted = await scene.bot.services.store.read(lambda tx: count_wrong_answers(scene.bob.id, tx))
    expected = "👎" if case.how == "daily" and case.must not in ("win", "silence") else VERDICTS[case.must]
    assert reaction == expected, case
    if case.must == "silence":
        is_private = case.how in ("private", "daily")  # Where everything is answered
        assert all("/help" in reply for reply in replies), case
        assert (len(replies), counted, deal.text) == (int(is_private), 0, deal_text), case
    elif case.must == "win":
        assert counted == 0, case
        assert "🏆 " in (deal.text + "".join(replies)), case
    else:
        notes = [line for line in deal.text.splitlines() if line.startswith(reaction)]
        told = replies if scene.chat.type == "private" else notes
        assert (len(told), len(replies + notes), counted) == (1, 1, 1), case
        if case.must == "value":
            assert re.search(f" = {re.escape(case.value)}\\b", told[0]), case


@pytest.mark.long
@pytest.mark.parametrize(
    "language",
    [code if code == "en" else pytest.param(code, marks=pytest.mark.exhaustive) for code in LANGUAGES],
)
async def test_each_message_is_judged_as_listed(database: Path, clock: Clock, language: str) -> None:
    """No right answer is missed, and no talk is judged: no reaction, no reply, no wrong answer counted."""
    cases = [case for case in MESSAGES if case.language == language]
    async with run_bot(World(clock=clock, privacy=False), database) as bot:
        for case in sorted(cases, key=lambda case: case.how == "daily"):
            clock.advance(3 * DAY if case.how == "daily" else 5)
            await check_reaction(Scene(bot, clock, case))
    print(f"{language}: {count_by_verdict(cases)}")
