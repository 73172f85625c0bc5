"""Accepting, declining and withdrawing a challenge."""

from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest
from sqlalchemy import select, update

from bot.database import Tx
from bot.database.schema import duels as table
from bot.database.schema import rounds
from bot.modes.duel import commands
from bot.modes.duel import queries as duels
from bot.modes.duel.rules import Duel, DuelState
from bot.players import queries as people
from bot.workers.pool import TooSlowError
from tests.bot.databases import Database
from tests.bot.modes.duel.test_queries import CLUB, NEW
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot, run_bot
from tests.telegram import Message, User, World

T = TypeVar("T")
OVER = "That challenge is over."
HANDS = ((1, 1, 2, 8), (2, 2, 6, 6), (3, 8, 3, 8), (1, 5, 5, 5), (1, 3, 4, 6))


class Club:
    """A group of Ann, Bob and Cid, with the bot; Ann challenges."""

    def __init__(self, bot: LiveBot, clock: Clock) -> None:
        self.bot, self.clock, self.world = bot, clock, bot.world
        self.cid, self.ann, self.bob = (bot.world.user(name) for name in ("Cid", "Ann", "Bob"))
        self.chat = bot.world.group("Club", self.cid, self.ann, self.bob)

    async def challenge(self, text: str = "", to: User | None = None) -> Message:
        """Let Ann challenge; return the message."""
        result = self.world.say(to, self.chat, "who plays?") if to else None
        await self.bot.say(self.ann, self.chat, f"/duel@{self.world.bot.username} {text}".rstrip(), result)
        return self.posts[-1]

    async def press(
        self, user: User, message: Message, button: str | None = None, data: str | None = None
    ) -> str:
        result = await self.world.answer_to(self.world.press(user, message, button, data=data))
        await self.bot.settle()
        return result

    async def accept(self, user: User, offer: Message) -> str:
        """Let the user accept; the bot deals known hands."""
        for numbers in HANDS:
            self.bot.rig(*numbers)
        return await self.press(user, offer, "Accept")

    async def run_transaction(self, verb: Callable[[Tx], T]) -> T:
        return await self.bot.services.store.write(verb)

    async def load_duel(self) -> Duel | None:
        """Load the only duel; None if there is none."""
        number = await self.run_transaction(lambda tx: tx.scalar(select(table.c.id)))
        return await self.run_transaction(lambda tx: duels.load_duel(tx, number or 0))

    @property
    def posts(self) -> list[Message]:
        return self.world.posts(self.chat)


@pytest.fixture
def pictures() -> bool:
    return False


@pytest.fixture
async def club(tmp_path: Path, pictures: bool) -> AsyncIterator[Club]:
    clock = Clock()
    async with run_bot(World(clock=clock), tmp_path / "games.sqlite3", pictures=pictures) as bot:
        yield Club(bot, clock)


async def test_challenge_is_refused_to_other_players(club: Club) -> None:
    named = await club.challenge(to=club.bob)
    for button in ("Accept", "No, thanks"):
        assert await club.press(club.cid, named, button) == "This challenge is for \u2068Bob\u2069."
    assert await club.press(club.ann, named, "Accept") == "This challenge is for \u2068Bob\u2069."
    assert await club.press(club.bob, named, "No, thanks") == ""
    assert named.text == "⚔️ \u2068Bob\u2069 would rather not duel just now."
    assert await club.load_duel() is None
    anybodys = await club.challenge()
    expected = "Only the one who challenged can withdraw it."
    assert await club.press(club.cid, anybodys, "Withdraw the challenge") == expected
    expected = "Somebody else has to accept your challenge."
    assert await club.press(club.ann, anybodys, "Accept") == expected
    data = anybodys.button("Accept")["callback_data"]
    assert await club.press(club.ann, anybodys, "Withdraw the challenge") == ""
    assert anybodys.text == "⚔️ \u2068Ann\u2069 has withdrawn the challenge."
    assert await club.press(club.bob, anybodys, data=data) == OVER


@pytest.mark.parametrize("gone", [{"challenger_id": 0}, {"state": DuelState.OPEN.value}])
async def test_challenge_that_ends_while_hands_are_dealt_starts_no_duel(
    club: Club, monkeypatch: pytest.MonkeyPatch, gone: dict[str, object]
) -> None:
    offer = await club.challenge(to=club.bob)
    ask = club.bot.solving.run_task

    async def run_task(*arguments: Any, **named: Any) -> Any:
        await club.run_transaction(lambda tx: tx.execute(update(table).values(gone)))
        return await ask(*arguments, **named)

    monkeypatch.setattr(club.bot.solving, "run_task", run_task)
    assert await club.accept(club.bob, offer) == OVER
    assert await club.run_transaction(lambda tx: tx.execute(select(rounds)).all()) == []


@pytest.mark.long
@pytest.mark.parametrize("pictures", [True, False])
async def test_pressed_message_shows_the_duel_if_its_own_is_unknown(club: Club, pictures: bool) -> None:
    offer = await club.challenge(to=club.bob)
    unknown = update(table).values(message_id=None, picture=None)
    await club.run_transaction(lambda tx: tx.execute(unknown))
    assert await club.accept(club.bob, offer) == ""
    assert offer.is_photo is pictures
    assert "1 1 2 8 → 24" in offer.text
    assert club.posts == [offer]
    dealt: Any = await club.run_transaction(lambda tx: tx.execute(select(rounds)).one())
    assert dealt.message_id == offer.id
    assert bool(dealt.picture) is pictures


@pytest.mark.parametrize("pictures", [True, False])
@pytest.mark.parametrize("known", [True, False])
async def test_declined_challenge_with_or_without_picture_says_so(
    club: Club, pictures: bool, known: bool
) -> None:
    offer = await club.challenge(to=club.bob)
    if not known:
        await club.run_transaction(lambda tx: tx.execute(update(table).values(message_id=None, picture=None)))
    assert await club.press(club.bob, offer, "No, thanks") == ""
    assert offer.text == "⚔️ \u2068Bob\u2069 would rather not duel just now."
    assert offer.is_photo is pictures
    assert bool(club.world.calls("editMessageText")) is not pictures


async def test_challenge_stays_open_if_dealing_takes_too_long(
    club: Club, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def slow(*_: Any, **__: Any) -> None:
        raise TooSlowError

    offer = await club.challenge(to=club.bob)
    monkeypatch.setattr(club.bot.solving, "run_task", slow)
    assert await club.press(club.bob, offer, "Accept") == ""
    assert club.posts[-1].text == "Sorry, that took too long. Please try again."
    assert len(offer.labels) == 2


async def test_player_in_another_duel_can_not_accept(club: Club) -> None:
    offer = await club.challenge()
    den = club.world.group("Den", club.ann, club.bob, club.cid)
    await club.bot.say(club.ann, den, f"/duel@{club.world.bot.username}")
    assert await club.accept(club.bob, club.world.posts(den)[-1]) == ""
    assert await club.press(club.bob, offer, "Accept") == "You are in a duel already."
    assert await club.press(club.cid, offer, "Accept") == "\u2068Ann\u2069 is in a duel just now."


async def test_end_of_an_undelivered_challenge_is_posted(db: Database) -> None:
    def story(tx: Tx) -> None:
        people.load_or_insert_chat(tx, CLUB, "supergroup")
        new = replace(NEW, language="en", challenger_id=7)
        assert commands.withdraw_challenge(tx, replace(new, id=99)) == []  # it is over already
        for message_id, method in ((None, "sendMessage"), (55, "editMessageText")):
            people.insert_or_update_player(tx, people.Player(7, "Zoe", None))
            offered = replace(duels.insert_challenge(tx, new), message_id=message_id)
            (result,) = commands.withdraw_challenge(tx, offered)
            assert result.lane == CLUB
            assert result.method == method
            assert result.params["text"] == "⚔️ \u2068Zoe\u2069 has withdrawn the challenge."
            assert result.params.get("message_id") == message_id
            assert result.params.get("message_thread_id") == (4 if message_id is None else None)
            assert duels.load_duel(tx, offered.id) is None
            assert people.load_names(tx, [7]) == {}, "nothing is kept of who never played"

    await db(story)
