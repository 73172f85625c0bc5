"""/doctor: one message that lists problems of a chat and how to solve them."""

import json

import pytest

from bot.i18n import get_words, list_languages
from bot.players import queries as people
from tests.stories.conftest import LiveBot
from tests.telegram import Chat, User, World
from tests.telegram.chats import PERMISSIONS


async def read_report(bot: LiveBot, user: User, chat: Chat) -> list[str]:
    """Return the lines of the single message that answers /doctor."""
    before = len(bot.world.posts(chat))
    await bot.say(user, chat, f"/doctor@{bot.world.bot.username}")
    (post,) = bot.world.posts(chat)[before:]
    assert all(line[0] in "✅⚠" for line in post.text.splitlines())
    return post.text.splitlines()


def filter_warnings(lines: list[str]) -> list[str]:
    return [line for line in lines if line.startswith("⚠")]


async def test_doctor_explains_privacy_mode(bot: LiveBot, world: World, ann: User, family: Chat) -> None:
    lena = world.user("Лена", language_code="ru")
    club = world.group("Клуб", lena)
    for user, chat in ((ann, family), (lena, club)):
        (mend,) = filter_warnings(await read_report(bot, user, chat))
        assert "/setprivacy" in mend
        assert "@BotFather" in mend
    world.promote(world.bot, family)
    assert filter_warnings(await read_report(bot, ann, family)) == []


@pytest.mark.parametrize("privacy", [False])
async def test_healthy_group_has_no_warnings(bot: LiveBot, world: World, ann: User, family: Chat) -> None:
    lines = await read_report(bot, ann, family)
    assert filter_warnings(lines) == []
    assert len(lines) == 5
    assert len(await read_report(bot, ann, world.chat_of(ann))) == 2


@pytest.mark.parametrize("privacy", [False])
async def test_doctor_lists_slow_mode_settings_and_refusals(
    bot: LiveBot, world: World, ann: User, family: Chat
) -> None:
    family.slow_mode = 30
    await bot.deal(ann, family)

    await bot.services.store.write(lambda tx: people.store_setting(tx, family.id, "rounds_an_hour", 1))
    await bot.services.store.write(lambda tx: people.store_setting(tx, family.id, "topic", 7))
    world.faults.add("sendMessage", status=400, description="Bad Request: BUTTON_DATA_INVALID", count=1)
    await bot.say(ann, family, f"/leaderboard@{world.bot.username}")
    warnings = "\n".join(filter_warnings(await read_report(bot, ann, family)))
    for sign in (
        "Slow mode",
        "30 s",
        "/settings",
        "tied to a topic",
        "Button_data_invalid",
        "rounds are played",
    ):
        assert sign in warnings


@pytest.mark.parametrize("privacy", [False])
async def test_doctor_explains_why_hands_come_as_text(
    bot: LiveBot, world: World, ann: User, family: Chat
) -> None:
    world.permit(family, *(each for each in PERMISSIONS if each != "can_send_photos"))
    (why,) = filter_warnings(await read_report(bot, ann, family))
    assert "no photos" in why
    world.permit(family)
    assert filter_warnings(await read_report(bot, ann, family)) == []
    family.slow_mode = 30
    slow = "Hands come as text while slow mode is on."
    assert any(slow in line for line in filter_warnings(await read_report(bot, ann, family)))
    await bot.services.store.write(lambda tx: people.store_setting(tx, family.id, "pictures", "off"))
    assert not any(slow in line for line in filter_warnings(await read_report(bot, ann, family)))


@pytest.mark.parametrize(("allowed", "missing"), [("👎 👀 🤔", "🏆 👏 👌 🤝"), ("", "👎 👀 🤔 🏆 👏 👌 🤝")])
@pytest.mark.parametrize("privacy", [False])
async def test_doctor_lists_forbidden_reactions(
    bot: LiveBot, world: World, ann: User, family: Chat, allowed: str, missing: str
) -> None:
    listed = [{"type": "emoji", "emoji": emoji} for emoji in allowed.split()]
    chat = {"id": family.id, "type": "supergroup", "title": "Family", "available_reactions": listed}
    body = json.dumps({"ok": True, "result": chat}).encode()  # An older server returns fewer fields
    world.faults.add("getChat", body=body, count=1)
    (warnings,) = filter_warnings(await read_report(bot, ann, family))
    assert missing in warnings


async def test_only_admins_may_call_the_doctor(bot: LiveBot, world: World, ann: User, bob: User) -> None:
    eve = world.user("Eve")
    family = world.group("Family", ann, bob, eve)
    world.promote(bob, family)
    world.say_anonymously(family, f"/doctor@{world.bot.username}")
    assert (await world.next_post(family)).text.count("✅") == 4  # all is well but for privacy mode
    assert len(await read_report(bot, bob, family)) == 5
    world.demote(bob, family)
    for user in (bob, eve):
        await bot.say(user, family, f"/doctor@{world.bot.username}")
        assert world.posts(family)[-1].text == "Only admins can use /doctor here."


async def test_doctor_answers_without_chat_data(bot: LiveBot, world: World, ann: User, family: Chat) -> None:
    world.faults.add("getChat", status=403, count=1)
    await bot.say(ann, family, f"/doctor@{world.bot.username}")
    assert len(world.posts(family)) == 1


@pytest.mark.parametrize("language", list_languages())
async def test_doctor_reports_in_every_language(bot: LiveBot, ann: User, family: Chat, language: str) -> None:
    await bot.services.store.write(lambda tx: people.load_or_insert_chat(tx, family.id, "supergroup"))
    await bot.services.store.write(lambda tx: people.store_language(tx, family.id, language))
    lines = await read_report(bot, ann, family)
    assert f"✅ {get_words(language).translate_plain('Slow mode is off.')}" in lines
