"""Secret answers to 24: a setting that hides wrong answers from the other players."""

import json

import pytest

from tests.stories.conftest import LiveBot, RestartBot, read_reactions
from tests.stories.test_secret_entries import LANGUAGES, Party
from tests.telegram import Chat, User, World

pytestmark = pytest.mark.long

SCOPE = "chat"


@pytest.fixture(params=LANGUAGES)
def party(world: World, request: pytest.FixtureRequest) -> Party:
    people = [world.user(name, language_code=request.param) for name in ("Ann", "Bob", "Cem", "Dee")]
    return Party(world, world.group("Family", *people), people)


async def choose_secret_answers(bot: LiveBot, admin: User, chat: Chat, label: str) -> None:
    """Let an admin switch secret answers on ("1") or off ("0") in the menu."""
    await bot.say(admin, chat, f"/settings@{bot.world.bot.username}")
    menu = bot.world.posts(chat)[-1]
    for data in ("o:secret", f"o:secret:{label}"):
        button = next(b for b in menu.buttons if b.get("callback_data") == data)
        press = bot.world.press(admin, menu, data=button["callback_data"])
        await bot.world.answer_to(press)
        await bot.settle()
    bot.world.press(admin, menu, data="o:done")
    await bot.settle()


def list_secret_commands(world: World, chat: Chat) -> dict[str, list[str]]:
    """Return the commands marked as secret in a chat's own command menus, by language."""
    commands_by_language = {}
    for (scope, code), commands in world.profile.commands.items():
        if json.loads(scope) == {"type": SCOPE, "chat_id": chat.id}:
            commands_by_language[code] = [c["command"] for c in commands if c.get("is_ephemeral")]
    return commands_by_language


async def test_secret_setting_marks_the_command_as_secret(bot: LiveBot, party: Party) -> None:
    world, family = bot.world, party.chat
    ann, *_ = party.people
    assert list_secret_commands(world, family) == {}
    await choose_secret_answers(bot, ann, family, "1")
    assert list_secret_commands(world, family) == {code: ["a"] for code in ("", "es", "ru", "zh")}
    listed = world.profile.commands[json.dumps({"chat_id": family.id, "type": SCOPE}, sort_keys=True), ""]
    assert {"play", "a", "countdown", "settings"} <= {command["command"] for command in listed}
    await choose_secret_answers(bot, ann, family, "0")
    assert list_secret_commands(world, family) == {}
    assert not world.violations


async def test_secret_wrong_answers_are_hidden_and_the_win_is_public(bot: LiveBot, party: Party) -> None:
    world, family = bot.world, party.chat
    ann, bob, cem, _ = party.people
    await bot.choose(family, "secret", True)
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    before = deal.text
    wrong, right = party.mark_secret(bob, "8*3-8/3"), "8/(3-8/3)"
    world.say_secretly(bob, family, f"/a {wrong}")
    await bot.settle()
    assert "21 1/3" in world.told(bob, family)[-1].text
    world.say_secretly(bob, family, "/a 8+8")
    world.say_secretly(bob, family, "/a")
    await bot.settle()
    assert len(world.told(bob, family)) == 4
    assert deal.text == before
    assert world.posts(family) == [deal]
    party.check_secrets()
    world.say_secretly(cem, family, f"/a {right}")
    await bot.settle()
    assert any(line.startswith("🏆 \u2068Cem\u2069") for line in deal.text.splitlines())
    assert wrong not in deal.text
    world.say_secretly(bob, family, f"/a {right}")
    await bot.settle()
    assert world.told(bob, family)[-1].text.strip()
    assert world.posts(family) == [deal]
    assert not world.calls("setMessageReaction")
    assert not world.violations


async def test_ephemeral_answer_gets_an_ephemeral_verdict_by_default(bot: LiveBot, party: Party) -> None:
    world, family = bot.world, party.chat
    ann, bob, cem, _ = party.people
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    assert not any("🤫" in label for label in deal.labels)
    world.say_secretly(bob, family, "/a 8*3-8/3")
    await bot.settle()
    assert "21 1/3" in world.told(bob, family)[-1].text
    assert world.posts(family) == [deal]
    message = await bot.say(cem, family, "8*3-8/3", reply_to=deal)
    assert read_reactions(message) == "👎"
    assert "21 1/3" in world.posts(family)[-1].text


@pytest.mark.parametrize("deletes", [True, False])
async def test_public_answer_of_an_old_app_gets_a_secret_verdict(
    bot: LiveBot, party: Party, *, deletes: bool
) -> None:
    world, family = bot.world, party.chat
    ann, bob, cem, _ = party.people
    if deletes:
        world.promote(world.bot, family)
    await bot.choose(family, "secret", True)
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    before = deal.text
    message = await bot.say(bob, family, f"/a@{world.bot.username} 8*3-8/3")
    assert message.deleted == deletes
    assert read_reactions(message) == ("" if deletes else "👎")
    if deletes:
        assert "21 1/3" in world.told(bob, family)[-1].text
        assert deal.text == before
    else:
        assert "📬 \u2068Bob\u2069" in deal.text
        assert "21 1/3" in await world.answer_to(world.press(bob, deal, "📬"))
    assert world.posts(family) == [deal]
    party.mark_secret(bob, "8*3-8/3")
    party.check_secrets()
    win = await bot.say(cem, family, "8/(3-8/3)", reply_to=deal)
    assert not win.deleted
    assert read_reactions(win) == "🏆"
    assert not world.violations


async def test_secret_answer_may_be_sent_in_private(bot: LiveBot, party: Party) -> None:
    world, family = bot.world, party.chat
    ann, bob, *_ = party.people
    await bot.choose(family, "secret", True)
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    world.open_link(bob, deal, "🤫")
    await bot.settle()
    private = world.chat_of(bob)
    await bot.say(bob, private, "8*3-8/3")
    assert "21 1/3" in world.posts(bob)[-1].text
    await bot.deal(bob, private, 1, 2, 3, 4)
    await bot.settle()
    own = world.posts(bob)[-1]
    won = await bot.say(bob, private, "1*2*3*4")  # an answer to the private hand
    assert read_reactions(won) == "🏆"
    assert "🏆" in own.text
    assert "🏆" not in deal.text
    assert read_reactions(await bot.say(bob, private, "8/(3-8/3)")) == "🏆"
    assert any(line.startswith("🏆 \u2068Bob\u2069") for line in deal.text.splitlines())
    await bot.say(ann, family, f"/leaderboard@{world.bot.username}")
    assert "1. \u2068Bob\u2069" in world.posts(family)[-1].text
    assert not world.violations


async def test_private_answer_goes_to_the_hand_with_its_numbers(bot: LiveBot, party: Party) -> None:
    world, family = bot.world, party.chat
    ann, bob, *_ = party.people
    club = world.group("Club", ann, bob)
    deals = {}
    for chat, numbers in ((family, (3, 8, 3, 8)), (club, (1, 2, 3, 4))):
        await bot.choose(chat, "secret", True)
        deals[chat.id] = await bot.deal(ann, chat, *numbers)
        world.open_link(bob, deals[chat.id], "🤫")
        await bot.settle()
    page = world.posts(bob)[0]
    assert read_reactions(await bot.say(bob, world.chat_of(bob), "9*9", reply_to=page)) == "👎"
    # Judged by the hand of the message that it replies to.
    assert "3 8 3 8" in world.posts(bob)[-1].text
    assert read_reactions(await bot.say(bob, world.chat_of(bob), "1*2*3*4")) == "🏆"
    assert read_reactions(await bot.say(bob, world.chat_of(bob), "8*3-8/3")) == "👎"
    assert read_reactions(await bot.say(bob, world.chat_of(bob), "8/(3-8/3)")) == "🏆"
    assert all("🏆 \u2068Bob\u2069" in deal.text for deal in deals.values())
    assert not world.violations


async def test_player_who_saw_the_solution_is_told_secretly(bot: LiveBot, party: Party) -> None:
    world, family = bot.world, party.chat
    ann, bob, *_ = party.people
    await bot.choose(family, "secret", True)
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.say(bob, world.chat_of(bob), "/solve 3 8 3 8")
    assert "8÷(3−8÷3)" in world.posts(bob)[-1].text
    world.say_secretly(bob, family, "/a 8/(3-8/3)")
    await bot.settle()
    assert "Bob" not in deal.text
    assert len(world.told(bob, family)) == 2  # one is the trial message
    assert world.posts(family) == [deal]
    assert not world.violations


async def test_secret_command_menu_moves_to_the_supergroup(party: Party, restart_bot: RestartBot) -> None:
    bot, world, people = await restart_bot(party.world), party.world, party.people
    small = world.group("Small", *people, basic=True)
    await choose_secret_answers(bot, people[0], small, "1")
    large = world.migrate(small)
    await bot.settle()
    assert list_secret_commands(world, large)[""] == ["a"]
    assert not world.violations
