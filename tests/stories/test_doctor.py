"""/doctor: one message that says what is wrong, and how to mend it."""

import json

import pytest

from bot.i18n import languages, words
from bot.people import queries as people
from tests.stories.conftest import Evening, Opened
from tests.telegram import Chat, User, World


async def letter(evening: Evening, user: User, chat: Chat) -> list[str]:
    """The lines of the doctor's one message."""
    before = len(evening.world.posts(chat))
    await evening.says(user, chat, f"/doctor@{evening.world.bot.username}")
    (post,) = evening.world.posts(chat)[before:]
    assert all(line[0] in "✅⚠" for line in post.text.splitlines())
    return post.text.splitlines()


def ill(lines: list[str]) -> list[str]:
    return [line for line in lines if line.startswith("⚠")]


async def test_privacy_mode_and_how_to_mend_it(opened: Opened) -> None:
    world = World()
    ann, lena = world.user("Ann"), world.user("Лена", language_code="ru")
    family, club = world.group("Family", ann), world.group("Клуб", lena)
    evening = await opened(world)
    for user, chat in ((ann, family), (lena, club)):
        (mend,) = ill(await letter(evening, user, chat))
        assert "/setprivacy" in mend
        assert "@BotFather" in mend
    world.promote(world.bot, family)
    assert ill(await letter(evening, ann, family)) == []
    assert not world.violations


async def test_a_healthy_group(opened: Opened) -> None:
    world = World(privacy=False)
    ann = world.user("Ann")
    family = world.group("Family", ann)
    evening = await opened(world)
    lines = await letter(evening, ann, family)
    assert ill(lines) == []
    assert len(lines) == 5
    assert len(await letter(evening, ann, world.place(ann))) == 2
    assert not world.violations


async def test_slow_mode_settings_and_refusals(opened: Opened) -> None:
    world = World(privacy=False)
    ann = world.user("Ann")
    family = world.group("Family", ann)
    family.slow_mode = 30
    evening = await opened(world)
    await evening.dealt(ann, family)

    await evening.services.store.write(lambda tx: people.choose(tx, family.id, "rounds_an_hour", 1))
    await evening.services.store.write(lambda tx: people.choose(tx, family.id, "topic", 7))
    refusal = b'{"ok": false, "error_code": 400, "description": "Bad Request: REACTION_INVALID"}'
    world.faults.add("setMessageReaction", status=400, body=refusal, count=1)
    deal = world.posts(family)[0]
    await evening.says(ann, family, "1+1", reply_to=deal)
    found = "\n".join(ill(await letter(evening, ann, family)))
    for sign in (
        "Slow mode",
        "30 seconds",
        "/settings",
        "tied to a topic",
        "Reaction_invalid",
        "rounds are played",
    ):
        assert sign in found
    assert not world.violations


@pytest.mark.parametrize(("allowed", "missing"), [("👎 👀 🤔", "🏆 👏 👌"), ("", "👎 👀 🤔 🏆 👏 👌")])
async def test_reactions_that_a_chat_forbids(opened: Opened, allowed: str, missing: str) -> None:
    world = World(privacy=False)
    ann = world.user("Ann")
    family = world.group("Family", ann)
    evening = await opened(world)
    listed = [{"type": "emoji", "emoji": emoji} for emoji in allowed.split()]
    told = {"id": family.id, "type": "supergroup", "title": "Family", "available_reactions": listed}
    body = json.dumps({"ok": True, "result": told}).encode()  # and no more: an older server tells less
    world.faults.add("getChat", body=body, count=1)
    (found,) = ill(await letter(evening, ann, family))
    assert missing in found
    assert not world.violations


async def test_only_who_runs_the_chat_calls_the_doctor(opened: Opened) -> None:
    world = World()
    ann, bob, eve = world.user("Ann"), world.user("Bob"), world.user("Eve")
    family = world.group("Family", ann, bob, eve)
    world.promote(bob, family)
    evening = await opened(world)
    world.say_anonymously(family, f"/doctor@{world.bot.username}")
    assert "✅" in (await world.next_post(family)).text
    assert len(await letter(evening, bob, family)) == 5
    world.demote(bob, family)
    for user in (bob, eve):
        await evening.says(user, family, f"/doctor@{world.bot.username}")
        assert "✅" not in world.posts(family)[-1].text
    assert not world.violations


async def test_when_telegram_tells_nothing(opened: Opened) -> None:
    world = World()
    ann = world.user("Ann")
    family = world.group("Family", ann)
    evening = await opened(world)
    world.faults.add("getChat", status=403, count=1)
    await evening.says(ann, family, f"/doctor@{world.bot.username}")
    assert len(world.posts(family)) == 1


@pytest.mark.parametrize("language", languages())
async def test_the_letter_fits_in_every_language(opened: Opened, language: str) -> None:
    world = World()
    ann = world.user("Ann")
    family = world.group("Family", ann)
    evening = await opened(world)
    await evening.services.store.write(lambda tx: people.chat(tx, family.id, "supergroup"))
    await evening.services.store.write(lambda tx: people.choose_language(tx, family.id, language))
    lines = await letter(evening, ann, family)
    assert f"✅ {words(language).plain('Slow mode is off.')}" in lines
    assert not world.violations
