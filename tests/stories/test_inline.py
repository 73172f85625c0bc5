"""Inline mode: hands and solutions posted in any chat."""

from typing import Any

import pytest

from bot.i18n import list_languages
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot
from tests.telegram import Chat, Inline, User, World


async def send_inline_query(bot: LiveBot, user: User, query: str) -> Inline:
    """Send an inline query and wait for its answer."""
    inline = bot.world.inline(user, query)
    await bot.world.wait_until(lambda: inline.answer is not None, what=f"an answer to {query!r}")
    assert inline.answer is not None
    assert inline.answer["is_personal"]
    assert inline.answer["cache_time"] <= 10
    return inline


def list_results(inline: Inline) -> list[dict[str, Any]]:
    return inline.results or []


@pytest.mark.long
async def test_inline_solution_is_posted_in_any_chat(
    bot: LiveBot, world: World, ann: User, bob: User
) -> None:
    elsewhere = world.group("Elsewhere", ann, bob, bot=False)
    inline = await send_inline_query(bot, ann, "3 8 3 8")
    assert "8÷(3−8÷3) = 24" in [result["title"] for result in list_results(inline)]
    posted = world.choose(inline, 0, elsewhere)
    assert "3 8 3 8 → 24" in posted.text
    assert "8÷(3−8÷3) = 24" in posted.text
    many = await send_inline_query(bot, ann, "2 4 8 10")
    assert len(list_results(many)) == 12
    none = await send_inline_query(bot, ann, "1 1 1 1 = 24")
    assert [result["title"] for result in list_results(none)] == ["There is no way."]


@pytest.mark.parametrize("query", ["hello", "3 8 x", "1 " * 40, "3 8 3 8 = x", "/play", "-1 2"])
async def test_inline_query_without_a_hand_shows_help(bot: LiveBot, ann: User, query: str) -> None:
    inline = await send_inline_query(bot, ann, query)
    assert list_results(inline) == []
    assert inline.answer
    assert inline.answer["button"] == {"text": "Type a hand: 3 8 3 8 = 24", "start_parameter": "help"}


async def test_inline_hand_opens_a_private_round(bot: LiveBot, world: World, ann: User, bob: User) -> None:
    bob.language_code = "es"
    elsewhere = world.group("Elsewhere", ann, bob, bot=False)
    bot.rig(3, 8, 3, 8)
    inline = await send_inline_query(bot, ann, "")
    posted = world.choose(inline, 0, elsewhere)
    assert "3 8 3 8 → 24" in posted.text.splitlines()
    world.open_link(bob, posted, 0)
    deal = await world.next_post(bob)
    assert "3 8 3 8 → 24" in deal.text.splitlines()
    await bot.say(bob, world.chat_of(bob), "8/(3-8/3)")
    assert "Bob" in deal.text
    assert inline.answer
    world.start(bob, inline.answer["button"]["start_parameter"])
    assert "→ 24" in (await world.next_post(bob)).text


@pytest.mark.parametrize(
    "code", ["hand_1-1-1-1-24", "hand_9-9-9-9999", "hand_", "hand_0-8-3-8-24", "hand_3-8-3"]
)
async def test_forged_hand_link_gets_one_reply(bot: LiveBot, world: World, ann: User, code: str) -> None:
    world.start(ann, code)
    await bot.settle()
    assert len(world.posts(ann)) == 1


@pytest.mark.texts
async def test_hand_link_with_five_equal_cards_is_refused(bot: LiveBot, world: World, ann: User) -> None:
    world.start(ann, "hand_4-4-4-4-4-24")  # (4-4/4)*(4+4)
    await bot.settle()
    assert "→" not in world.posts(ann)[-1].text
    world.start(ann, "hand_4-4-4-4-24")
    await bot.settle()
    assert {"4 4 4 4 → 24", "🃏 4♠ 4♥ 4♦ 4♣"} <= set(world.posts(ann)[-1].text.splitlines())


@pytest.mark.long
async def test_inline_solution_of_an_open_hand_is_refused(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    inline = await send_inline_query(bot, ann, "8 8 3 3")
    assert list_results(inline) == []
    world.start(ann, "hand_8-3-3-8-24")
    await bot.settle()
    assert "→" not in "".join(post.text for post in world.posts(ann))
    await bot.say(bob, family, "8/(3-8/3)", reply_to=deal)
    (result,) = list_results(await send_inline_query(bot, ann, "8 8 3 3"))
    assert result["title"] == "8÷(3−8÷3) = 24"


@pytest.mark.long
@pytest.mark.parametrize("language", list_languages())
async def test_inline_button_fits_in_every_language(bot: LiveBot, ann: User, language: str) -> None:
    ann.language_code = language.replace("_", "-")
    for query in ("", "2 4 8 10", "1 1 1 1", "?"):
        inline = await send_inline_query(bot, ann, query)
        assert len((inline.answer or {})["button"]["text"]) <= 64


@pytest.mark.texts
async def test_hand_chosen_by_link_scores_nothing(
    bot: LiveBot, world: World, clock: Clock, ann: User
) -> None:
    # The link names the hand, so its player may know the answer.
    world.start(ann, "hand_3-8-3-8-24")
    await bot.settle()
    deal = world.posts(ann)[-1]
    assert "point" not in deal.text
    clock.advance(3)
    await bot.say(ann, world.chat_of(ann), "8/(3-8/3)")
    assert deal.text.splitlines()[2:5] == [
        "🏆 \u2068Ann\u2069: 8÷(3−8÷3) = 24",
        "No points: you chose the hand.",
        "⏱ 3 s · usually 1 min 8 s",
    ]
    await bot.say(ann, world.chat_of(ann), "/stats")
    assert "has not answered a hand here yet" in world.posts(ann)[-1].text
    bot.rig(1, 2, 3, 4)
    world.press(ann, deal, "Next hand")
    following = await world.next_post(world.chat_of(ann), "1 2 3 4 → 24")
    await bot.say(ann, world.chat_of(ann), "4*(1+2+3)")
    assert "+" in following.text
