"""The settings menu: one message, for those who are admins of the chat at that moment."""

from dataclasses import replace
from pathlib import Path

import pytest

import solver
from bot.admin.settings import view
from bot.admin.settings.view import MenuPlace
from bot.games.twentyfour.game import read_settings
from bot.i18n import Words, get_words, list_languages
from bot.players import preferences
from bot.players import queries as people
from bot.players.choices import NO_CHOICES
from bot.players.preferences import GENERAL_TOPIC, Preferences, QuietHours
from tests.stories.conftest import LiveBot, read_reactions, run_bot
from tests.telegram import Chat, Message, User, World

pytestmark = pytest.mark.long


async def open_menu(bot: LiveBot, admin: User, chat: Chat | User) -> Message:
    """Send /settings and return the menu's message."""
    bot.world.say(admin, chat, f"/settings@{bot.world.bot.username}")
    return await bot.world.next_post(chat)


async def load_preferences(bot: LiveBot, chat: Chat) -> Preferences:
    return preferences.read_preferences(
        await bot.services.store.read(lambda tx: people.load_chat(tx, chat.id, chat.type))
    )


async def press_buttons(bot: LiveBot, user: User, message: Message, *buttons: str) -> str:
    """Press one button after the other; return the alert of the last press."""
    alert = ""
    for button in buttons:
        alert = await bot.world.answer_to(bot.world.press(user, message, button))
        await bot.settle()
    return alert


@pytest.mark.long
async def test_every_setting_is_chosen_in_one_menu(
    bot: LiveBot, world: World, ann: User, family: Chat
) -> None:
    message = await open_menu(bot, ann, family)
    for title in ("Language", "Level", "Time limit", "Giving up"):
        assert f"{title}: " in message.text
    for title in ("Quiet hours", "Answers without /a", "Time zone", "Hints", "Regular posts"):
        assert f"{title}: " in message.text
    steps = [("Level", "hard"), ("Time limit", "2 min")]
    steps += [("Quiet hours", "22:00–7:00"), ("Answers without /a", "off"), ("Hints", "off")]
    second_page = [("Hands an hour", "12"), ("Highest card", "10"), ("Cards dealt", "5"), ("Target", "36")]
    for title, choice in steps:
        assert await press_buttons(bot, ann, message, title, choice) == "Saved."
        assert "✓" in " ".join(message.labels)
        await press_buttons(bot, ann, message, "‹ Back")
    await press_buttons(bot, ann, message, "More…")
    for title, choice in second_page:
        assert await press_buttons(bot, ann, message, title, choice) == "Saved."
        await press_buttons(bot, ann, message, "‹ Back")
    night = QuietHours(22 * 60, 7 * 60)
    expected = Preferences(None, "hard", 120, 12, night, reads_plain_answers=False, hints=False)
    now = await load_preferences(bot, family)
    assert replace(now, stored=NO_CHOICES) == expected
    assert read_settings(now.stored) == solver.Recipe("24", 5, 10, 36, "hard")
    await press_buttons(bot, ann, message, "Done")
    assert message.labels == []
    assert len(world.posts(family)) == 1


@pytest.mark.long
@pytest.mark.parametrize(("language", "words"), [("en", get_words("en")), ("zh-hans", get_words("zh_Hans"))])
async def test_menu_lists_each_setting_and_explains_it_on_its_page(
    bot: LiveBot, world: World, ann: User, family: Chat, words: Words
) -> None:
    message = await open_menu(bot, ann, family)
    listed = message.text
    assert message.labels[12:] == [words.translate_plain("More…"), words.translate_plain("Done")]
    titles = message.labels[:12]
    assert [line.partition(": ")[0].partition("：")[0] for line in listed.splitlines()] == titles
    for title in titles:
        await press_buttons(bot, ann, message, title)
        held, *explained = message.text.splitlines()
        assert held in listed.splitlines()
        assert not any(line in listed for line in explained)
        assert message.labels[-1] == words.translate_plain("‹ Back")
        await press_buttons(bot, ann, message, words.translate_plain("‹ Back"))
        assert message.text == listed
    assert len(world.posts(family)) == 1


@pytest.mark.long
@pytest.mark.parametrize(
    ("language", "level", "zone", "quiet", "explanation"),
    [
        (
            "en",
            "Level: adapts to you",
            "Time zone: UTC · 12:00",
            "Quiet hours",
            "Now it is 12:00 (UTC).",
        ),
        (
            "es",
            "Nivel: se adapta",
            "Zona horaria: UTC · 12:00",
            "Horas de silencio",
            "Ahora son las 12:00 (UTC).",
        ),
        (
            "ru",
            "Уровень: подстраивается",
            "Часовой пояс: UTC · 12:00",
            "Тихие часы",
            "Сейчас 12:00 (UTC).",
        ),
        ("zh-hans", "难度：自动适应", "时区：UTC · 12:00", "安静时段", "现在是 12:00（UTC）。"),
    ],
)
async def test_menu_is_translated(
    bot: LiveBot, ann: User, family: Chat, level: str, zone: str, quiet: str, explanation: str
) -> None:
    message = await open_menu(bot, ann, family)
    assert {level, zone} <= set(message.text.splitlines())
    for title in (quiet, message.labels[6]):
        await press_buttons(bot, ann, message, title)
        assert message.text.endswith(explanation)
        await press_buttons(bot, ann, message, message.labels[-1])


@pytest.mark.parametrize(("language", "words"), [("en", get_words("en")), ("es", get_words("es"))])
async def test_private_menu_lists_and_applies_only_private_settings(
    bot: LiveBot, world: World, ann: User, words: Words
) -> None:
    alone = world.chat_of(ann)
    await bot.choose(alone, "rounds_an_hour", 1)
    await bot.choose(alone, "quiet", [0, 1439])
    await bot.choose(alone, "plain", False)
    message = await open_menu(bot, ann, ann)
    sentences = ("Language", "Level", "Time limit", "Hints", "Daily reminder", "Time zone", "Pictures")
    of_games = ("Highest card", "Cards dealt", "Target", "Countdown’s clock")
    assert message.labels == [words.translate_plain(each) for each in (*sentences, *of_games, "Done")]
    assert await press_buttons(
        bot, ann, message, words.translate_plain("Hints"), words.translate_plain("off")
    ) == words.translate_plain("Saved.")
    for _ in range(2):
        await bot.deal(ann, alone, 3, 8, 3, 8)
        assert read_reactions(await bot.say(ann, alone, "8/(3-8/3)")) == "🏆"


@pytest.mark.parametrize("privacy", [False])
async def test_chosen_settings_apply_to_the_next_round(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    message = await open_menu(bot, ann, family)
    await press_buttons(
        bot, ann, message, "Answers without /a", "off", "‹ Back", "More…", "Hands an hour", "3"
    )
    deal = await bot.deal(bob, family, 3, 8, 3, 8)
    assert not (await bot.say(bob, family, "8/(3-8/3)")).reactions
    assert read_reactions(await bot.say(bob, family, "8/(3-8/3)", reply_to=deal)) == "🏆"
    for _ in range(2):
        deal = await bot.deal(ann, family, 3, 8, 3, 8)
        await bot.say(bob, family, "8/(3-8/3)", reply_to=deal)
    before = len(world.posts(family))
    await bot.say(ann, family, f"/play@{world.bot.username}")
    assert "→ 24" not in "".join(post.text for post in world.posts(family)[before:])


async def test_admin_rights_are_checked_at_each_press(
    bot: LiveBot, world: World, ann: User, bob: User
) -> None:
    eve = world.user("Eve")
    family = world.group("Family", ann, bob, eve)
    world.promote(bob, family)
    message = await open_menu(bot, bob, family)
    await press_buttons(bot, bob, message, "Hints", "off")
    world.demote(bob, family)
    for user in (bob, eve):
        assert "admins" in await press_buttons(bot, user, message, "on")
    text = message.text
    assert not (await load_preferences(bot, family)).hints
    assert message.text == text
    world.say(eve, family, f"/settings@{world.bot.username}")
    assert (await world.next_post(family)).text == "Only admins can change the settings here."
    assert await press_buttons(bot, ann, message, "on") == "Saved."
    assert (await load_preferences(bot, family)).hints


async def test_anonymous_admin_may_change_settings(
    bot: LiveBot, world: World, ann: User, family: Chat
) -> None:
    other = world.group("Other", ann)
    world.say_anonymously(family, f"/settings@{world.bot.username}")
    message = await world.next_post(family)
    assert await press_buttons(bot, ann, message, "More…", "Target", "36") == "Saved."
    await press_buttons(bot, ann, message, "Another")
    world.say_anonymously(family, "50", reply_to=message)
    await bot.settle()
    assert read_settings((await load_preferences(bot, family)).stored).target == 50
    world.say_as_channel(other, world.channel("News", ann), f"/settings@{world.bot.username}")
    await bot.settle()
    assert world.posts(other) == []


async def test_target_may_be_typed_in_private(bot: LiveBot, world: World, ann: User) -> None:
    message = await open_menu(bot, ann, ann)
    assert "Topic" not in message.text
    await press_buttons(bot, ann, message, "Target", "Another")
    for typed, is_read in (("what?", False), ("3:60", True), ("8.30", True), ("8*3-8/3", False)):
        asking = message.text
        await bot.say(ann, world.chat_of(ann), typed)
        assert ("Sorry, I can’t read that." in message.text) is is_read
        message.text = asking
    await bot.say(ann, world.chat_of(ann), "３６")
    assert "Target: 36" in message.text
    world.say(ann, ann, "/play")
    assert "→ 36" in (await world.next_post(ann, "→")).text


async def test_question_for_a_typed_setting_survives_a_restart(
    world: World, ann: User, database: Path
) -> None:
    eve = world.user("Eve")
    family = world.group("Family", ann, eve)
    async with run_bot(world, database) as before:
        message = await open_menu(before, ann, family)
        await press_buttons(before, ann, message, "Quiet hours", "Another")
    async with run_bot(world, database) as after:
        await after.say(eve, family, "1-2", reply_to=message)
        assert (await load_preferences(after, family)).quiet is None
        await after.say(ann, family, "late", reply_to=message)
        assert "Sorry, I can’t read that." in message.text
        typed = await after.say(ann, family, "22:30-7", reply_to=message)
        assert read_reactions(typed) == "👌"
        assert (await load_preferences(after, family)).quiet == QuietHours(22 * 60 + 30, 7 * 60)
        assert "22:30–7:00" in message.text
        await after.say(ann, family, "1-2", reply_to=message)
        assert (await load_preferences(after, family)).quiet == QuietHours(22 * 60 + 30, 7 * 60)
    assert len(world.posts(family)) == 1


async def test_back_goes_back_one_level(bot: LiveBot, ann: User, family: Chat) -> None:
    message = await open_menu(bot, ann, family)
    shown = [message.text]
    for button in ("More…", "Target", "Another…"):
        await press_buttons(bot, ann, message, button)
        shown.append(message.text)
    for text in reversed(shown[:-1]):
        await press_buttons(bot, ann, message, "‹ Back")
        assert message.text == text


async def test_cancel_changes_no_setting(bot: LiveBot, world: World, ann: User) -> None:
    eve = world.user("Eve")
    family = world.group("Family", ann, eve)
    message = await open_menu(bot, ann, family)
    await press_buttons(bot, ann, message, "More…", "Target", "Another")
    asking = message.text
    await bot.say(eve, family, f"/cancel@{world.bot.username}")
    assert message.text == asking
    await bot.say(ann, family, f"/cancel@{world.bot.username}")
    assert message.text != asking
    await bot.say(ann, family, "36", reply_to=message)
    assert read_settings((await load_preferences(bot, family)).stored).target == 24
    await bot.say(ann, world.chat_of(ann), "/cancel")
    assert "nothing" in world.posts(ann)[-1].text


async def test_forged_settings_button_on_a_deal_is_ignored(
    bot: LiveBot, world: World, ann: User, family: Chat
) -> None:
    deal = await bot.deal(ann, family)
    text = deal.text
    await world.answer_to(world.press(ann, deal, data="o:"))
    await bot.settle()
    assert deal.text == text


@pytest.mark.long
@pytest.mark.parametrize(
    "data", ["o:hints:2", "o:asked:1", "o:target:24:0", "o:target:7", "o:cards:x", "o:topic:here", "o:::"]
)
async def test_forged_settings_button_changes_nothing(
    bot: LiveBot, world: World, ann: User, family: Chat, data: str
) -> None:
    message = await open_menu(bot, ann, family)
    await world.answer_to(world.press(ann, message, data=data))
    await bot.settle()
    assert await load_preferences(bot, family) == preferences.DEFAULTS


async def test_target_may_be_typed_where_the_usual_one_has_no_hands(
    bot: LiveBot, ann: User, family: Chat
) -> None:
    message = await open_menu(bot, ann, family)
    await press_buttons(bot, ann, message, "Level", "fiendish", "‹ Back", "More…", "Target", "100", "‹ Back")
    await press_buttons(bot, ann, message, "Cards dealt", "3", "‹ Back", "Target", "Another")
    assert "Type a whole number" in message.text


async def test_target_that_no_hand_reaches_is_refused(bot: LiveBot, ann: User, family: Chat) -> None:
    message = await open_menu(bot, ann, family)
    await press_buttons(
        bot, ann, message, "More…", "Highest card", "9", "‹ Back", "Cards dealt", "3", "‹ Back", "Target"
    )
    await press_buttons(bot, ann, message, "Another")
    await bot.say(ann, family, "997", reply_to=message)
    assert "There are no such hands." in message.text
    assert read_settings((await load_preferences(bot, family)).stored).target == 24


async def test_group_keeps_the_language_of_who_added_the_bot(bot: LiveBot, world: World) -> None:
    ann, ana = world.user("Ann", language_code="en"), world.user("Ana", language_code="es")
    club = world.group("Club", ann, ana, bot=False)
    world.join(world.bot, club, by=ann)
    await bot.settle()
    deal = await bot.deal(ana, club, 3, 8, 3, 8)
    assert "Hint" in deal.labels
    await bot.say(ana, club, "3*8", reply_to=deal)
    assert "missing" in deal.text
    menu = await open_menu(bot, ann, club)
    assert "Language: English" in menu.text
    await press_buttons(bot, ann, menu, "Language")
    assert not any("Telegram" in label for label in menu.labels)
    await press_buttons(bot, ann, menu, "Español")
    await bot.say(ann, club, f"/giveup@{world.bot.username}")
    deal = await bot.deal(ann, club, 3, 8, 3, 8)
    assert "Pista" in deal.labels


async def test_each_chat_has_its_own_language(bot: LiveBot, world: World, ann: User, family: Chat) -> None:
    club = world.group("俱乐部", ann)
    first, second = await open_menu(bot, ann, family), await open_menu(bot, ann, club)
    await press_buttons(bot, ann, second, "Language", "简体中文")
    chinese = get_words("zh_Hans")
    assert chinese.translate_plain("Language") in second.text
    assert "Language" in first.text
    deals = [await bot.deal(ann, chat, 3, 8, 3, 8) for chat in (family, club)]
    assert deals[0].text != deals[1].text
    assert chinese.translate_plain("Hint") in deals[1].labels
    assert "Hint" in deals[0].labels


@pytest.mark.parametrize("language", list_languages())
@pytest.mark.parametrize("topic", [0, GENERAL_TOPIC, 2**31])
def test_menu_fits_in_every_language(language: str, topic: int) -> None:
    words, place = get_words(language), MenuPlace(private=False, topic=GENERAL_TOPIC, now=1.8e9)
    filled = Preferences(quiet=QuietHours(1350, 425), topic=topic, topic_name="T" * 128)
    settings = view.make_settings(words, filled, place)
    first_page = [setting.key for setting in settings[: view.MAX_LINES]]
    assert {"secret", "timezone"} <= set(first_page)
    shown = [view.render_menu(words, settings), view.render_menu(words, settings, "more")]
    shown += [
        view.render_setting(words, setting, asking=asking) for setting in settings for asking in (False, True)
    ]
    for text, keyboard in shown:
        assert len(text.encode("utf-16-le")) // 2 <= 4096
        assert all(
            len(data.encode()) <= 64 and 0 < len(label) <= 64 for row in keyboard for label, data in row
        )
    for setting in settings:
        codes = [choice.code for choice in setting.choices]
        assert len(set(codes)) == len(codes) == len({choice.label for choice in setting.choices})


async def test_only_admins_deal_where_they_chose_so(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    wait = "Only admins deal here: wait for one of them."
    menu = await open_menu(bot, ann, family)
    await press_buttons(bot, ann, menu, "Only admins deal", "on")
    refused = [await bot.say(bob, family, f"/{name}@{world.bot.username}") for name in ("play", "race")]
    assert [post.text for post in world.posts(family) if post is not menu] == [wait]
    assert [read_reactions(message) for message in refused] == ["", "👀"]
    await bot.say(bob, family, f"/leaderboard@{world.bot.username}")
    assert "Nobody has scored here yet. An admin deals with /play." in world.posts(family)[-1].text
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.say(bob, family, f"/race@{world.bot.username}")
    await bot.say(bob, family, f"/duel@{world.bot.username}")
    assert deal.labels == ["Hint", "Give up"]
    await bot.say(ann, family, f"/race@{world.bot.username}")
    press = world.press(bob, deal, "Give up and race")
    assert await world.answer_to(press) == wait
    assert read_reactions(await bot.say(bob, family, "8/(3-8/3)", reply_to=deal)) == "🏆"
    assert await world.answer_to(world.press(bob, deal, "Next hand")) == wait
    await bot.say(ann, family, f"/duel@{world.bot.username}")
    await press_buttons(bot, bob, world.posts(family)[-1], "Accept")
    assert "→ 24" in world.posts(family)[-1].text


async def test_one_is_enough_to_give_up_where_an_admin_chose_so(
    bot: LiveBot, ann: User, bob: User, family: Chat
) -> None:
    menu = await open_menu(bot, ann, family)
    await press_buttons(bot, ann, menu, "Giving up", "one is enough")
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.say(ann, family, "8+8+3+3", reply_to=deal)
    await bot.say(bob, family, "/skip@TwentyFourTestBot")
    assert "Given up." in deal.text.splitlines()


async def test_only_admins_give_up_where_they_chose_so(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    menu = await open_menu(bot, ann, family)
    await press_buttons(bot, ann, menu, "Giving up", "only admins")
    deal = await bot.deal(bob, family, 3, 8, 3, 8)
    refusal = "Only admins give up here"
    assert await world.answer_to(world.press(bob, deal, "Give up")) == f"{refusal}."
    await bot.say(bob, family, "/skip@TwentyFourTestBot")
    assert refusal in deal.text
    await press_buttons(bot, ann, deal, "Give up")
    assert "Given up." in deal.text.splitlines()
    await bot.say(ann, family, "/race@TwentyFourTestBot")
    race = world.posts(family)[-1]
    await bot.say(bob, family, "/stop@TwentyFourTestBot")
    assert refusal in race.text


@pytest.mark.parametrize("command", ["language", "idioma"])
async def test_language_has_a_command(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat, command: str
) -> None:
    await bot.say(bob, family, f"/{command}@{world.bot.username}")
    assert world.posts(family)[-1].text == "Only admins can change the settings here."
    await bot.say(ann, family, f"/{command}@{world.bot.username}")
    menu = world.posts(family)[-1]
    assert menu.text.startswith("Language: ")
    assert "Español" in menu.labels
