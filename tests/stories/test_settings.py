"""The settings menu: one message, for whoever runs the chat at that moment."""

from dataclasses import replace
from pathlib import Path

import pytest

from bot.games.twentyfour import hand
from bot.groups.settings import rules as preferences
from bot.groups.settings import view as choices
from bot.groups.settings.rules import GENERAL, Preferences, Quiet
from bot.groups.settings.view import Place
from bot.i18n import languages, words
from bot.people import queries as people
from tests.stories.conftest import Evening, Opened, evening
from tests.telegram import Chat, Message, User, World


async def menu(evening: Evening, admin: User, chat: Chat | User) -> Message:
    evening.world.say(admin, chat, f"/settings@{evening.world.bot.username}")
    return await evening.world.next_post(chat)


async def chosen(evening: Evening, chat: Chat) -> Preferences:
    return preferences.of(
        await evening.services.store.read(lambda tx: people.find_chat(tx, chat.id, chat.type))
    )


async def press(evening: Evening, user: User, message: Message, *buttons: str) -> str:
    """Press one button after the other; what the last press was told."""
    told = ""
    for button in buttons:
        told = await evening.world.answer_to(evening.world.press(user, message, button))
        await evening.settled()
    return told


async def test_every_setting_is_chosen_in_one_message(opened: Opened) -> None:
    world = World()
    ann = world.user("Ann")
    family = world.group("Family", ann)
    evening = await opened(world)
    message = await menu(evening, ann, family)
    for title in (
        "Language",
        "Level",
        "Highest card",
        "Cards dealt",
        "Target",
        "Time limit",
        "Rounds an hour",
    ):
        assert f"{title}: " in message.text
    for title in ("Quiet hours", "Plain messages", "Topic", "Hints"):
        assert f"{title}: " in message.text
    steps = [("Level", "hard"), ("Highest card", "10"), ("Cards dealt", "5"), ("Target", "36")]
    steps += [("Time limit", "2 minutes"), ("Rounds an hour", "12"), ("Quiet hours", "22:00–7:00")]
    steps += [("Quiet hours", "UTC+1"), ("Plain messages", "off"), ("Hints", "off")]
    for title, choice in steps:
        assert await press(evening, ann, message, title, choice) == "Saved."
        assert "✓" in " ".join(message.labels)
        await press(evening, ann, message, "‹ Back")
    night = Quiet(22 * 60, 7 * 60, 60)
    expected = Preferences(None, "hard", 120, 12, night, plain=False, hints=False)
    now = await chosen(evening, family)
    assert replace(now, stored={}) == expected
    assert hand.chosen(now.stored) == hand.Chosen("hard", 10, 5, 36)
    await press(evening, ann, message, "Done")
    assert message.labels == []
    assert len(world.posts(family)) == 1
    assert not world.violations


async def test_what_is_chosen_is_played(opened: Opened) -> None:
    world = World(privacy=False)
    ann, bob = world.user("Ann"), world.user("Bob")
    family = world.group("Family", ann, bob)
    evening = await opened(world)
    message = await menu(evening, ann, family)
    await press(evening, ann, message, "Plain messages", "off", "‹ Back", "Rounds an hour", "3")
    deal = await evening.dealt(bob, family, 3, 8, 3, 8)
    assert not (await evening.says(bob, family, "8/(3-8/3)")).reactions
    assert (await evening.says(bob, family, "8/(3-8/3)", reply_to=deal)).reactions
    for _ in range(2):
        deal = await evening.dealt(ann, family, 3, 8, 3, 8)
        await evening.says(bob, family, "8/(3-8/3)", reply_to=deal)
    before = len(world.posts(family))
    await evening.says(ann, family, f"/play@{world.bot.username}")
    assert "→ 24" not in "".join(post.text for post in world.posts(family)[before:])
    assert not world.violations


async def test_rights_are_looked_up_at_each_press(opened: Opened) -> None:
    world = World()
    ann, bob, eve = world.user("Ann"), world.user("Bob"), world.user("Eve")
    family = world.group("Family", ann, bob, eve)
    world.promote(bob, family)
    evening = await opened(world)
    message = await menu(evening, bob, family)
    await press(evening, bob, message, "Hints", "off")
    world.demote(bob, family)
    for user in (bob, eve):
        assert "admins" in await press(evening, user, message, "on")
    text = message.text
    assert not (await chosen(evening, family)).hints
    assert message.text == text
    world.say(eve, family, f"/settings@{world.bot.username}")
    assert "admins" in (await world.next_post(family)).text
    assert await press(evening, ann, message, "on") == "Saved."
    assert (await chosen(evening, family)).hints
    assert not world.violations


async def test_an_anonymous_admin_is_one(opened: Opened) -> None:
    world = World()
    ann = world.user("Ann")
    family, other = world.group("Family", ann), world.group("Other", ann)
    evening = await opened(world)
    world.say_anonymously(family, f"/settings@{world.bot.username}")
    message = await world.next_post(family)
    assert await press(evening, ann, message, "Target", "36") == "Saved."
    await press(evening, ann, message, "Another")
    world.say_anonymously(family, "50", reply_to=message)
    await evening.settled()
    assert hand.chosen((await chosen(evening, family)).stored).target == 50
    world.say_as_channel(other, world.channel("News", ann), f"/settings@{world.bot.username}")
    await evening.settled()
    assert world.posts(other) == []
    assert not world.violations


async def test_alone_with_the_bot_everybody_chooses(opened: Opened) -> None:
    world = World()
    ann = world.user("Ann")
    evening = await opened(world)
    message = await menu(evening, ann, ann)
    assert "Topic" not in message.text
    await press(evening, ann, message, "Target", "Another")
    await evening.says(ann, world.place(ann), "what?")
    await evening.says(ann, world.place(ann), "３６")
    assert "Target: 36" in message.text
    world.say(ann, ann, "/play")
    assert "→ 36" in (await world.next_post(ann, "→")).text
    assert not world.violations


async def test_a_half_typed_setting_survives_a_restart(database: Path) -> None:
    world = World()
    ann, eve = world.user("Ann"), world.user("Eve")
    family = world.group("Family", ann, eve)
    async with evening(world, database) as before:
        message = await menu(before, ann, family)
        await press(before, ann, message, "Quiet hours", "Another")
    async with evening(world, database) as after:
        await after.says(eve, family, "1-2", reply_to=message)
        assert (await chosen(after, family)).quiet is None
        await after.says(ann, family, "late", reply_to=message)
        assert "can't be read" in message.text
        typed = await after.says(ann, family, "22:30-7 -3:30", reply_to=message)
        assert typed.reactions
        assert (await chosen(after, family)).quiet == Quiet(22 * 60 + 30, 7 * 60, -210)
        assert "22:30–7:00" in message.text
        await after.says(ann, family, "1-2", reply_to=message)
        assert (await chosen(after, family)).quiet == Quiet(22 * 60 + 30, 7 * 60, -210)
    assert len(world.posts(family)) == 1
    assert not world.violations


async def test_cancel_leaves_everything_as_it_was(opened: Opened) -> None:
    world = World()
    ann, eve = world.user("Ann"), world.user("Eve")
    family = world.group("Family", ann, eve)
    evening = await opened(world)
    message = await menu(evening, ann, family)
    await press(evening, ann, message, "Target", "Another")
    asking = message.text
    await evening.says(eve, family, f"/cancel@{world.bot.username}")
    assert message.text == asking
    await evening.says(ann, family, f"/cancel@{world.bot.username}")
    assert message.text != asking
    await evening.says(ann, family, "36", reply_to=message)
    assert hand.chosen((await chosen(evening, family)).stored).target == 24
    await evening.says(ann, world.place(ann), "/cancel")
    assert "nothing" in world.posts(ann)[-1].text
    assert not world.violations


async def test_the_deal_is_no_menu(opened: Opened) -> None:
    world = World()
    ann = world.user("Ann")
    family = world.group("Family", ann)
    evening = await opened(world)
    deal = await evening.dealt(ann, family)
    text = deal.text
    await world.answer_to(world.press(ann, deal, data="o:"))
    await evening.settled()
    assert deal.text == text
    assert not world.violations


@pytest.mark.parametrize(
    "data", ["o:hints:2", "o:asked:1", "o:target:24:0", "o:target:7", "o:cards:x", "o:topic:here", "o:::"]
)
async def test_forged_data_changes_nothing(opened: Opened, data: str) -> None:
    world = World()
    ann = world.user("Ann")
    family = world.group("Family", ann)
    evening = await opened(world)
    message = await menu(evening, ann, family)
    await world.answer_to(world.press(ann, message, data=data))
    await evening.settled()
    assert await chosen(evening, family) == preferences.DEFAULTS
    assert not world.violations


async def test_a_hand_that_does_not_exist_is_refused(opened: Opened) -> None:
    world = World()
    ann = world.user("Ann")
    family = world.group("Family", ann)
    evening = await opened(world)
    message = await menu(evening, ann, family)
    await press(evening, ann, message, "Cards dealt", "3", "‹ Back", "Highest card", "9", "‹ Back", "Target")
    await press(evening, ann, message, "Another")
    await evening.says(ann, family, "997", reply_to=message)
    assert "no hands" in message.text
    assert hand.chosen((await chosen(evening, family)).stored).target == 24
    assert not world.violations


async def test_two_chats_speak_two_languages(opened: Opened) -> None:
    world = World()
    ann = world.user("Ann")
    family, club = world.group("Family", ann), world.group("俱乐部", ann)
    evening = await opened(world)
    first, second = await menu(evening, ann, family), await menu(evening, ann, club)
    await press(evening, ann, second, "Language", "简体中文")
    chinese = words("zh_Hans")
    assert chinese.plain("Language") in second.text
    assert "Language" in first.text
    deals = [await evening.dealt(ann, chat, 3, 8, 3, 8) for chat in (family, club)]
    assert deals[0].text != deals[1].text
    assert chinese.plain("Hint") in deals[1].labels
    assert "Hint" in deals[0].labels
    assert not world.violations


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("topic", [0, GENERAL, 2**31])
def test_texts_fit_in_every_language(language: str, topic: int) -> None:
    said, place = words(language), Place(private=False, topic=GENERAL, now=1.8e9)
    chosen = Preferences(quiet=Quiet(1350, 425, -210), topic=topic, topic_name="T" * 128)
    every = choices.settings(said, chosen, place)
    assert len(every) == 11
    shown = [choices.menu(said, chosen, place)]
    shown += [choices.page(said, setting, asking=asking) for setting in every for asking in (False, True)]
    for text, keyboard in shown:
        assert len(text.encode("utf-16-le")) // 2 <= 4096
        assert all(
            len(data.encode()) <= 64 and 0 < len(label) <= 64 for row in keyboard for label, data in row
        )
    for setting in every:
        codes = [choice.code for choice in setting.choices]
        assert len(set(codes)) == len(codes) == len({choice.label for choice in setting.choices})
