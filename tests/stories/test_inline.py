"""Inline mode: in any chat, and never behind the back of a round."""

from typing import Any

import pytest

from bot.i18n import languages
from tests.stories.conftest import Evening, Opened
from tests.telegram import Inline, User, World


async def asked(evening: Evening, user: User, query: str) -> Inline:
    inline = evening.world.inline(user, query)
    await evening.world.until(lambda: inline.answer is not None, what=f"an answer to {query!r}")
    assert inline.answer is not None
    assert inline.answer["is_personal"]
    assert inline.answer["cache_time"] <= 10
    return inline


def offers(inline: Inline) -> list[dict[str, Any]]:
    return inline.results or []


async def test_what_solves_a_hand_is_posted_anywhere(opened: Opened) -> None:
    world = World()
    ann, bob = world.user("Ann"), world.user("Bob")
    elsewhere = world.group("Elsewhere", ann, bob, bot=False)
    evening = await opened(world)
    inline = await asked(evening, ann, "3 8 3 8")
    assert "8/(3-8/3) = 24" in [offer["title"] for offer in offers(inline)]
    posted = world.choose(inline, 0, elsewhere)
    assert "3 8 3 8 → 24" in posted.text
    assert "8/(3-8/3) = 24" in posted.text
    many = await asked(evening, ann, "2 4 8 10")
    assert len(offers(many)) == 12
    none = await asked(evening, ann, "1 1 1 1 = 24")
    assert [offer["title"] for offer in offers(none)] == ["There is no way."]
    assert not world.violations


@pytest.mark.parametrize("query", ["hello", "3 8 x", "1 " * 40, "3 8 3 8 = ?", "/play", "-1 2"])
async def test_what_is_no_hand_gets_a_line(opened: Opened, query: str) -> None:
    world = World()
    evening = await opened(world)
    inline = await asked(evening, world.user("Ann"), query)
    assert offers(inline) == []
    assert inline.answer
    assert "3 8 3 8" in inline.answer["button"]["text"]
    assert not world.violations


async def test_a_hand_to_solve_leads_to_a_private_round(opened: Opened) -> None:
    world = World()
    ann, bob = world.user("Ann"), world.user("Bob", language_code="es")
    elsewhere = world.group("Elsewhere", ann, bob, bot=False)
    evening = await opened(world)
    evening.rig(3, 8, 3, 8)
    inline = await asked(evening, ann, "")
    posted = world.choose(inline, 0, elsewhere)
    assert "3 8 3 8 → 24" in posted.text.splitlines()
    world.open_link(bob, posted, 0)
    deal = await world.next_post(bob)
    assert "3 8 3 8 → 24" in deal.text.splitlines()
    await evening.says(bob, world.place(bob), "8/(3-8/3)")
    assert "Bob" in deal.text
    assert inline.answer
    world.start(bob, inline.answer["button"]["start_parameter"])
    assert "→ 24" in (await world.next_post(bob)).text
    assert not world.violations


@pytest.mark.parametrize(
    "code", ["hand_1-1-1-1-24", "hand_9-9-9-9999", "hand_", "hand_0-8-3-8-24", "hand_3-8-3"]
)
async def test_made_up_links_do_no_harm(opened: Opened, code: str) -> None:
    world = World()
    ann = world.user("Ann")
    evening = await opened(world)
    world.start(ann, code)
    await evening.settled()
    assert len(world.posts(ann)) == 1
    assert not world.violations


async def test_nobody_peeks_at_a_hand_of_their_own_chat(opened: Opened) -> None:
    world = World()
    ann, bob = world.user("Ann"), world.user("Bob")
    family = world.group("Family", ann, bob)
    evening = await opened(world)
    deal = await evening.dealt(ann, family, 3, 8, 3, 8)
    inline = await asked(evening, ann, "8 8 3 3")
    assert offers(inline) == []
    world.start(ann, "hand_8-3-3-8-24")
    await evening.settled()
    assert "→" not in "".join(post.text for post in world.posts(ann))
    await evening.says(bob, family, "8/(3-8/3)", reply_to=deal)
    assert offers(await asked(evening, ann, "8 8 3 3"))
    assert not world.violations


@pytest.mark.parametrize("language", languages())
async def test_offers_fit_in_every_language(opened: Opened, language: str) -> None:
    world = World()
    ann = world.user("Ann", language_code=language.replace("_", "-"))
    evening = await opened(world)
    for query in ("", "2 4 8 10", "1 1 1 1", "?"):
        inline = await asked(evening, ann, query)
        assert len((inline.answer or {})["button"]["text"]) <= 64
    assert not world.violations
