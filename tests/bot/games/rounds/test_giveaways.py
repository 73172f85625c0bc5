"""Who was shown how a hand is done and says it: what they are told, and what stands in its place."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from sqlalchemy import select, update

from bot.database import Tx
from bot.database.schema import chats, giveaways
from bot.database.schema import rounds as stored
from bot.games.puzzle import Query
from bot.games.rounds import queries as rounds
from bot.games.rounds import reveals
from bot.games.rounds.rules import Round, State
from bot.workers.pool import TooSlowError
from tests.stories.conftest import Evening, emoji, evening
from tests.stories.hours import NOON, Hours
from tests.telegram import Message, User, World

T = TypeVar("T")
HAND, SOLUTION, STEP = (3, 8, 3, 8), "8/(3-8/3)", "3-8/3"
NEXT, NEXT_LINE, NEXT_SOLUTION = (1, 5, 5, 5), "1 5 5 5 → 24", "5*(5-1/5)"
SHOWN = "Right, but its solution was shown to you after the deal: no points."
REPLACED = "that one was given away, so this is another: same time, same points."
PHOTO = {"photo": [{"file_id": "p", "file_unique_id": "u", "width": 1, "height": 1}]}


class Table:
    """Bob, who deals, Ann, who knows, and Cid in a group in which the bot hears everything."""

    def __init__(self, bot: Evening, hours: Hours) -> None:
        self.bot, self.hours, self.world = bot, hours, bot.world
        self.bob, self.ann, self.cid = map(bot.world.user, ("Bob", "Ann", "Cid"))
        self.chat = bot.world.group("Club", self.bob, self.ann, self.cid)

    async def deal(self, text: str = "/play", *hands: tuple[int, ...]) -> Message:
        """A hand of which Ann was shown the solution five seconds later; `hands` come next."""
        self.bot.rig(*HAND)
        await self.says(self.bob, f"{text}@TwentyFourTestBot")
        self.hours.pass_(5)
        await self.shows(self.ann)
        for numbers in hands:
            self.bot.rig(*numbers)
        return self.posts[-1]

    async def shows(self, user: User) -> None:
        """The user is shown how the hand is done."""
        asked = [Query("3 8 3 8 → 24")]
        await self.stored(lambda tx: reveals.remember(tx, [user.id], asked, self.hours()))

    async def says(self, user: User, text: str, to: Message | None = None) -> Message:
        return await self.bot.says(user, self.chat, text, reply_to=to)

    async def budget(self, left: float) -> None:
        """So many lines the group bears beside its hands."""
        await self.stored(lambda tx: tx.execute(update(chats).values(patience=left)))

    async def stored(self, verb: Callable[[Tx], T]) -> T:
        return await self.bot.services.store.write(verb)

    async def rounds(self) -> list[Round]:
        return await self.stored(lambda tx: rounds.such(tx, rounds.in_order()))

    async def gave_away(self) -> list[tuple[int, float]]:
        """Who gave a hand away, and when."""
        rows = await self.stored(lambda tx: tx.execute(select(giveaways).order_by(giveaways.c.at)).all())
        return [(row.player_id, row.at - NOON) for row in rows]

    def notes(self, deal: Message) -> list[str]:
        return [line for line in deal.text.splitlines() if line.startswith("💬")]

    @property
    def posts(self) -> list[Message]:
        return self.world.posts(self.chat)


@pytest.fixture
async def table(tmp_path: Path) -> AsyncIterator[Table]:
    hours = Hours()
    world = World(clock=hours, privacy=False)
    async with evening(world, tmp_path / "games.sqlite3", pictures=False) as bot:
        yield Table(bot, hours)


async def too_slow(*_: Any, **__: Any) -> Any:
    raise TooSlowError


async def test_another_hand_takes_its_place_with_its_time_and_its_hints(table: Table) -> None:
    deal = await table.deal("/play", NEXT)
    for _ in range(2):
        await table.says(table.cid, "/hint@TwentyFourTestBot")
    table.hours.pass_(5)
    await table.says(table.ann, SOLUTION, deal)
    given, after = await table.rounds()
    assert (given.state, given.closed, given.winner_id) == (State.GIVEN_AWAY, NOON + 10, None)
    assert (after.line, after.state, after.hints) == (NEXT_LINE, State.OPEN, 2)
    assert (after.opened, after.deadline, after.dealer_id) == (NOON + 10, NOON + 600, table.bob.id)
    assert after.message_id == given.message_id == deal.id
    assert table.notes(deal) == [f"💬 \u2068Ann\u2069: {REPLACED}"]
    assert table.posts[-1].text == SHOWN
    assert await table.gave_away() == [(table.ann.id, 10.0)]


async def test_where_the_message_is_lost_the_other_hand_comes_in_a_new_one(table: Table) -> None:
    await table.deal("/play", NEXT)
    await table.stored(lambda tx: tx.execute(update(stored).values(message_id=None)))
    await table.says(table.ann, SOLUTION)
    shown = [post for post in table.posts if NEXT_LINE in post.text]
    assert len(shown) == 1
    assert (await table.rounds())[-1].message_id == shown[0].id


async def test_in_private_the_hand_is_over_and_nothing_is_held_against_anybody(table: Table) -> None:
    alone = table.world.place(table.ann)
    table.bot.rig(*HAND)
    await table.bot.says(table.ann, alone, "/play")
    deal = table.world.posts(table.ann)[-1]
    await table.shows(table.ann)
    table.hours.pass_(5)
    await table.bot.says(table.ann, alone, SOLUTION)
    (over,) = await table.rounds()
    assert (over.state, over.closed) == (State.SKIPPED, NOON + 5)
    assert f"{SOLUTION} = 24" in deal.text
    assert SHOWN in [post.text for post in table.world.posts(table.ann)]
    assert await table.gave_away() == []


async def test_without_another_hand_it_stays_and_is_held_against_whoever_told_it(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    deal = await table.deal()
    monkeypatch.setattr(table.bot.solving, "ask", too_slow)
    await table.says(table.ann, SOLUTION, deal)
    assert table.posts[-1].text == f"{SHOWN} I have no other hand at the moment, so this one stays."
    assert [r.state for r in await table.rounds()] == [State.OPEN]
    assert await table.gave_away() == [(table.ann.id, 5.0)]


@pytest.mark.parametrize(("same", "stays"), [(2, False), (3, True)])
async def test_three_hands_are_drawn_at_most_to_find_one_that_is_not_given_away_too(
    table: Table, same: int, stays: bool
) -> None:
    deal = await table.deal("/play", *[(8, 3, 8, 3)] * same, NEXT)
    await table.says(table.ann, SOLUTION, deal)
    assert (NEXT_LINE not in deal.text) is stays
    assert ("this one stays" in table.posts[-1].text) is stays


async def test_where_a_group_bears_no_more_lines_a_look_is_enough(table: Table) -> None:
    deal = await table.deal("/play", NEXT)
    await table.budget(0.0)
    posts = len(table.posts)
    assert emoji(await table.says(table.ann, SOLUTION, deal)) == "👀"
    assert NEXT_LINE in deal.text
    assert len(table.posts) == posts


@pytest.mark.long
@pytest.mark.parametrize("who", ["a channel", "an anonymous admin"])
async def test_who_has_no_name_gets_a_look_and_after_a_second_hand_nobody_is_shown_that_chats(
    table: Table, who: str
) -> None:
    channel = table.world.channel("News", table.cid)

    async def given_away(text: str, to: Message | None = None) -> Message:
        if who == "a channel":
            said = table.world.say_as_channel(table.chat, channel, text, reply_to=to)
        else:
            said = table.world.say_anonymously(table.chat, text, reply_to=to)
        await table.bot.settled()
        return said

    async def asks() -> str:
        stranger = table.world.user("Eve")
        await table.bot.says(stranger, table.world.place(stranger), "/solve 2 2 6 6")
        return table.world.posts(stranger)[-1].text

    deal = await table.deal("/play", NEXT, (1, 3, 4, 6), (2, 2, 6, 6))
    assert emoji(await given_away(STEP)) == "", "a step is not taken amiss where nobody has a name"
    assert emoji(await given_away(SOLUTION)) == "👀"
    assert table.notes(deal) == [f"💬 {REPLACED}"]
    assert emoji(await given_away(NEXT_SOLUTION)) == "👀"
    assert await table.gave_away() == [(table.chat.id, 5.0)]  # once a second at most
    assert "2*6+2*6" in await asks(), "once is no habit"
    table.hours.pass_(1)
    await given_away("6/(1-3/4)")
    assert await table.gave_away() == [(table.chat.id, 5.0), (table.chat.id, 6.0)]
    assert "2 2 6 6 → 24" in deal.text
    assert "hands were given away" in await asks()
    table.bot.rig(1, 2, 3, 4)
    await given_away("2*6+2*6")
    assert "1 2 3 4 → 24" in deal.text, "what all have read is worth nothing, however often"
    table.hours.pass_(3600)
    assert "2*6+2*6" in await asks()


@pytest.mark.long
@pytest.mark.parametrize("how", ["below a picture", "by a change", "as a command"])
async def test_whatever_everybody_reads_gives_it_away(table: Table, how: str) -> None:
    before = await table.says(table.ann, "hm")
    deal = await table.deal("/play", NEXT)
    if how == "below a picture":
        table.world.say(table.ann, table.chat, f"look: {SOLUTION}", content=PHOTO)
    elif how == "by a change":
        table.world.edit(before, f"hm, {SOLUTION}")
    else:
        table.world.say(table.ann, table.chat, f"/foo {SOLUTION}")
    await table.bot.settled()
    assert NEXT_LINE in deal.text
    assert table.notes(deal) == [f"💬 \u2068Ann\u2069: {REPLACED}"]


async def test_who_was_shown_nothing_wins_and_may_think_aloud(table: Table) -> None:
    deal = await table.deal("/play", NEXT)
    await table.says(table.cid, f"it has {STEP} in it")
    assert NEXT_LINE not in deal.text
    assert emoji(await table.says(table.cid, SOLUTION, deal)) == "🏆"
    assert [r.state for r in await table.rounds()] == [State.WON]


async def test_who_was_shown_it_gives_it_away_by_a_step(table: Table) -> None:
    deal = await table.deal("/play", NEXT)
    await table.says(table.ann, f"it has {STEP} in it")
    assert NEXT_LINE in deal.text


async def test_after_the_deadline_nothing_is_given_away(table: Table) -> None:
    deal = await table.deal("/play", NEXT)
    table.hours.now = NOON + 601
    await table.says(table.ann, SOLUTION, deal)
    assert NEXT_LINE not in deal.text
    assert await table.gave_away() == []


@pytest.mark.long
async def test_who_finds_the_former_hand_too_late_gets_one_kind_word(table: Table) -> None:
    deal = await table.deal("/play", NEXT)
    await table.says(table.ann, SOLUTION, deal)
    await table.budget(5.0)
    posts = len(table.posts)
    for _ in range(2):
        assert emoji(await table.says(table.cid, SOLUTION, deal)) == "👏"
        said = [post.text for post in table.posts[posts:]]
        assert said == ["Right as well, but that hand was given away. Well found!"]
    await table.budget(0.0)
    assert emoji(await table.says(table.bob, SOLUTION, deal)) == "👏"
    assert len(table.posts) == posts + 1
    assert emoji(await table.says(table.cid, NEXT_SOLUTION, deal)) == "🏆"


@pytest.mark.long
async def test_who_watches_a_duel_is_told_whose_it_is_and_nothing_is_held_against_them(table: Table) -> None:
    await table.says(table.bob, "/duel@TwentyFourTestBot")
    for numbers in (HAND, *[(2, 2, 6, 6)] * 4, NEXT, NEXT):
        table.bot.rig(*numbers)
    duel = table.posts[-1]
    table.world.press(table.cid, duel, "Accept")
    await table.bot.settled()
    await table.says(table.ann, f"it has {STEP} in it")
    assert "3 8 3 8 → 24" in duel.text
    await table.says(table.ann, SOLUTION, duel)
    assert NEXT_LINE in duel.text
    said = "Right, but this is \u2068Bob\u2069 and \u2068Cid\u2069’s duel: no points."
    assert table.posts[-1].text == said
    assert await table.gave_away() == []


@pytest.mark.long
@pytest.mark.parametrize("who", ["who duels", "who watches"])
async def test_who_was_shown_a_hand_of_a_duel_gives_it_away_by_a_step_too(table: Table, who: str) -> None:
    await table.says(table.bob, "/duel@TwentyFourTestBot")
    for numbers in (HAND, *[(2, 2, 6, 6)] * 4, NEXT):
        table.bot.rig(*numbers)
    duel = table.posts[-1]
    table.world.press(table.cid, duel, "Accept")
    await table.bot.settled()
    user = table.bob if who == "who duels" else table.ann
    await table.shows(user)
    await table.says(user, f"it has {STEP} in it")
    assert NEXT_LINE in duel.text
    if who == "who duels":
        assert table.posts[-1].text == SHOWN
    held = [(user.id, 0.0)] if who == "who duels" else []
    assert await table.gave_away() == held


async def test_where_all_is_to_be_found_only_a_new_idea_is_given_away(table: Table) -> None:
    for numbers in ((2, 3, 4, 6), (1, 2, 3, 4)):
        table.bot.rig(*numbers)
    await table.says(table.bob, "/play@TwentyFourTestBot all")
    deal = table.posts[-1]
    asked = [Query("2 3 4 6 → 24")]
    await table.stored(lambda tx: reveals.remember(tx, [table.ann.id], asked, table.hours()))
    assert emoji(await table.says(table.cid, "2*6+3*4", deal)) == "🏆"
    await table.says(table.ann, "3*4+6*2", deal)
    assert "2 3 4 6 → 24" in deal.text
    assert await table.gave_away() == []
    await table.says(table.ann, "2*4*(6-3)", deal)
    assert "1 2 3 4 → 24" in deal.text
    assert await table.gave_away() == [(table.ann.id, 0.0)]
