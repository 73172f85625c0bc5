"""Nobody scores with a solution that the bot itself has shown, in whatever order things happen."""

from collections.abc import AsyncIterator, Awaitable, Callable
from itertools import permutations
from pathlib import Path

import pytest
from sqlalchemy import func, select

from bot.database import Tx, schema
from bot.games.rounds import reveals
from tests.faults.neighbours import HAND, SOLUTION, WORTH, Two, neighbours
from tests.telegram import Message

pytestmark = pytest.mark.faults


@pytest.fixture
async def two(tmp_path: Path) -> AsyncIterator[Two]:
    async with neighbours(tmp_path) as opened:
        yield opened


async def test_solve_is_refused_here_and_the_answer_scores(two: Two) -> None:
    deal = await two.evening.dealt(two.bob, two.here, *HAND)
    for place in (two.here, two.bob):
        assert "no peeking" in await two.asks(two.bob, place)
    await two.answers(two.bob, deal)
    assert await two.points(two.bob, two.here) == WORTH


async def test_who_plays_where_it_is_live_is_refused_everywhere(two: Two) -> None:
    await two.evening.dealt(two.bob, two.there)
    await two.evening.dealt(two.ann, two.here, *HAND)
    for place in (two.ann, two.there):
        assert "no peeking" in await two.asks(two.ann, place)


async def test_who_was_never_seen_playing_is_told_and_does_not_score(two: Two) -> None:
    deal = await two.evening.dealt(two.bob, two.here, *HAND)
    assert SOLUTION in await two.asks(two.ann, two.ann)
    await two.answers(two.ann, deal)
    assert "no points" in two.world.posts(two.here)[-1].text
    assert await two.points(two.ann, two.here) == 0
    await two.answers(two.bob, deal)
    assert await two.points(two.bob, two.here) == 0  # the answer stood there for all to read


async def test_what_another_group_was_told_counts_for_all_who_play_there(two: Two) -> None:
    await two.evening.dealt(two.ann, two.there, 1, 1, 11, 11)
    deal = await two.evening.dealt(two.bob, two.here, *HAND)
    assert SOLUTION in await two.asks(two.cid, two.there)
    await two.answers(two.ann, deal)
    assert await two.points(two.ann, two.here) == 0


async def test_it_does_not_count_for_those_who_are_not_there(two: Two) -> None:
    deal = await two.evening.dealt(two.bob, two.here, *HAND)
    assert SOLUTION in await two.asks(two.cid, two.cid)
    await two.answers(two.bob, deal)
    assert await two.points(two.bob, two.here) == WORTH


async def test_what_was_read_before_the_deal_is_a_memory_like_any_other(two: Two) -> None:
    assert SOLUTION in await two.asks(two.bob, two.bob)
    deal = await two.evening.dealt(two.bob, two.here, *HAND)
    await two.answers(two.bob, deal)
    assert await two.points(two.bob, two.here) == WORTH


async def test_another_target_is_another_hand(two: Two) -> None:
    await two.evening.dealt(two.bob, two.here, 3, 8, 3, 8, target=22)
    assert SOLUTION in await two.asks(two.bob, two.bob)


async def test_the_same_hand_over_in_another_group_is_a_reveal_there(two: Two) -> None:
    deal = await two.evening.dealt(two.bob, two.here, *HAND)
    other = await two.evening.dealt(two.ann, two.there, *HAND)
    two.world.press(two.ann, other, "Give up")  # she dealt it
    await two.evening.settled()
    await two.answers(two.ann, deal)
    assert await two.points(two.ann, two.here) == 0


async def test_who_solves_the_same_hand_twice_scores_twice(two: Two) -> None:
    deal = await two.evening.dealt(two.bob, two.here, *HAND)
    other = await two.evening.dealt(two.cid, two.there, *HAND)
    await two.answers(two.ann, other)
    await two.answers(two.ann, deal)
    assert await two.points(two.ann, two.there) == WORTH
    assert await two.points(two.ann, two.here) == WORTH


async def test_an_old_list_can_not_be_paged_while_the_hand_is_live(two: Two) -> None:
    await two.evening.says(two.bob, two.world.place(two.bob), "/solve 2 4 8 10")
    listed = two.world.posts(two.bob)[-1]
    first_page = listed.text
    await two.evening.dealt(two.bob, two.here, 2, 4, 8, 10)
    press = two.world.press(two.bob, listed, "›")
    assert "no peeking" in await two.world.answer_to(press)
    forged = two.world.press(two.bob, listed, data="v:10,8,4,2=24:0")
    assert await two.world.answer_to(forged) == "That button is out of date."
    assert listed.text == first_page


Step = Callable[[Two, Message], Awaitable[None]]


async def _answer(two: Two, deal: Message) -> None:
    two.world.say(two.ann, two.here, SOLUTION, reply_to=deal)


async def _reveal(two: Two, deal: Message) -> None:
    two.world.press(two.bob, deal, data=f"s:{deal.button(0)['callback_data'].partition(':')[2]}")


async def _skip(two: Two, deal: Message) -> None:
    two.world.say(two.bob, two.here, f"/skip@{two.world.bot.username}")


async def _ask(two: Two, deal: Message) -> None:
    two.world.say(two.ann, two.ann, "/solve 3 8 3 8")


ORDERS_OF_THREE = list(permutations((_answer, _reveal, _skip)))
ORDERS_OF_TWO = list(permutations((_answer, _ask)))


def _named(order: tuple[Step, ...]) -> str:
    return "-".join(step.__name__.strip("_") for step in order)


@pytest.mark.parametrize("order", ORDERS_OF_THREE, ids=_named)
async def test_the_reveal_racing_the_answer(two: Two, order: tuple[Step, ...]) -> None:
    """All at once: the answer scores if it stands before the reveal in the chat, and never otherwise."""
    deal = await two.evening.dealt(two.bob, two.here, *HAND)
    for step in order:
        await step(two, deal)
    await two.evening.settled()
    assert await two.points(two.ann, two.here) == (WORTH if order[0] is _answer else 0)


@pytest.mark.parametrize("order", ORDERS_OF_TWO, ids=_named)
async def test_the_question_racing_the_answer(two: Two, order: tuple[Step, ...]) -> None:
    """In two chats at once, so either may be first: her points, or a reveal that costs them; never both."""
    deal = await two.evening.dealt(two.bob, two.here, *HAND)
    for step in order:
        await step(two, deal)
    await two.evening.settled()
    revealed = await two.evening.services.store.read(
        lambda tx: tx.scalar(select(func.count()).select_from(schema.reveals))
    )
    assert await two.points(two.ann, two.here) == (0 if revealed else WORTH)


async def test_control_without_the_memory_the_peeker_scores(
    two: Two, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forget(tx: Tx, *_: object) -> None:
        """Remember nothing."""

    monkeypatch.setattr(reveals, "remember", forget)
    deal = await two.evening.dealt(two.bob, two.here, *HAND)
    assert SOLUTION in await two.asks(two.ann, two.ann)
    await two.answers(two.ann, deal)
    assert await two.points(two.ann, two.here) == WORTH
