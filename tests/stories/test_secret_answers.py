"""Secret answers to 24: a setting, with which wrong tries are seen by nobody else."""

import json

import pytest

from tests.stories.conftest import LiveBot, RestartBot, read_reactions
from tests.stories.test_secret_entries import LANGUAGES, Party
from tests.telegram import Chat, User, World

SCOPE = "chat"


@pytest.fixture(params=LANGUAGES)
def party(world: World, request: pytest.FixtureRequest) -> Party:
    people = [world.user(name, language_code=request.param) for name in ("Ann", "Bob", "Cem", "Dee")]
    return Party(world, world.group("Family", *people), people)


async def chosen(bot: LiveBot, admin: User, chat: Chat, label: str) -> None:
    """An admin switches secret answers on or off in the menu."""
    await bot.say(admin, chat, f"/settings@{bot.world.bot.username}")
    menu = bot.world.posts(chat)[-1]
    for data in ("o:more", "o:secret", f"o:secret:{label}"):
        button = next(b for b in menu.buttons if b.get("callback_data") == data)
        press = bot.world.press(admin, menu, data=button["callback_data"])
        await bot.world.answer_to(press)
        await bot.settle()
    bot.world.press(admin, menu, data="o:done")
    await bot.settle()


def menus(world: World, chat: Chat) -> dict[str, list[str]]:
    """The commands that the chat's own menus mark as secret, by language."""
    found = {}
    for (scope, code), commands in world.profile.commands.items():
        if json.loads(scope) == {"type": SCOPE, "chat_id": chat.id}:
            found[code] = [c["command"] for c in commands if c.get("is_ephemeral")]
    return found


async def test_the_setting_makes_the_command_secret(bot: LiveBot, party: Party) -> None:
    world, family = bot.world, party.chat
    ann, *_ = party.people
    assert menus(world, family) == {}
    await chosen(bot, ann, family, "1")
    assert menus(world, family) == {code: ["a"] for code in ("", "es", "ru", "zh")}
    listed = world.profile.commands[json.dumps({"chat_id": family.id, "type": SCOPE}, sort_keys=True), ""]
    assert {"play", "a", "countdown", "settings"} <= {command["command"] for command in listed}
    await chosen(bot, ann, family, "0")
    assert menus(world, family) == {}
    assert not world.violations


@pytest.mark.parametrize(
    ("code", "whose"), [("en", "only its author"), ("es", "solo quien lo envió"), ("ru", "только автор")]
)
async def test_the_setting_says_who_sees_what(bot: LiveBot, world: World, code: str, whose: str) -> None:
    """Whoever chooses it is seldom the author of a wrong answer."""
    ann = world.user("Ann", language_code=code)
    family = world.group("Family", ann)
    await bot.say(ann, family, f"/settings@{world.bot.username}")
    menu = world.posts(family)[-1]
    for data in ("o:more", "o:secret"):
        await world.answer_to(world.press(ann, menu, data=data))
        await bot.settle()
    assert whose in menu.text


async def test_wrong_tries_are_seen_by_nobody_else_and_the_win_by_all(bot: LiveBot, party: Party) -> None:
    world, family = bot.world, party.chat
    ann, bob, cem, _ = party.people
    await bot.choose(family, "secret", True)
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    before = deal.text
    wrong, right = party.hide(bob, "8*3-8/3"), "8/(3-8/3)"
    world.say_secretly(bob, family, f"/a {wrong}")
    await bot.settle()
    assert "21 1/3" in world.told(bob, family)[-1].text
    world.say_secretly(bob, family, "/a 8+8")
    world.say_secretly(bob, family, "/a")
    await bot.settle()
    assert len(world.told(bob, family)) == 4
    assert deal.text == before
    assert world.posts(family) == [deal]
    party.is_kept()
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


async def test_off_is_as_ever_but_for_secret_commands(bot: LiveBot, party: Party) -> None:
    """Whoever sends it secretly all the same is answered so."""
    world, family = bot.world, party.chat
    ann, bob, cem, _ = party.people
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    assert not any("🤫" in label for label in deal.labels)
    world.say_secretly(bob, family, "/a 8*3-8/3")
    await bot.settle()
    assert "21 1/3" in world.told(bob, family)[-1].text
    assert world.posts(family) == [deal]
    said = await bot.say(cem, family, "8*3-8/3", reply_to=deal)
    assert read_reactions(said) == "👎"
    assert "21 1/3" in world.posts(family)[-1].text


@pytest.mark.parametrize("deletes", [True, False])
async def test_an_old_app_sends_it_for_all_to_read(bot: LiveBot, party: Party, *, deletes: bool) -> None:
    world, family = bot.world, party.chat
    ann, bob, cem, _ = party.people
    if deletes:
        world.promote(world.bot, family)
    await bot.choose(family, "secret", True)
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    before = deal.text
    said = await bot.say(bob, family, f"/a@{world.bot.username} 8*3-8/3")
    assert said.deleted == deletes
    assert read_reactions(said) == ("" if deletes else "👎")
    if deletes:
        assert "21 1/3" in world.told(bob, family)[-1].text
        assert deal.text == before
    else:
        assert "📬 \u2068Bob\u2069" in deal.text.splitlines()
        assert "21 1/3" in await world.answer_to(world.press(bob, deal, "📬"))
    assert world.posts(family) == [deal]
    party.hide(bob, "8*3-8/3")
    party.is_kept()
    win = await bot.say(cem, family, "8/(3-8/3)", reply_to=deal)
    assert not win.deleted
    assert read_reactions(win) == "🏆"
    assert not world.violations


async def test_the_private_chat_is_a_way_in_here_too(bot: LiveBot, party: Party) -> None:
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
    won = await bot.say(bob, private, "1*2*3*4")  # its own hand
    assert read_reactions(won) == "🏆"
    assert "🏆" in own.text
    assert "🏆" not in deal.text
    assert read_reactions(await bot.say(bob, private, "8/(3-8/3)")) == "🏆"
    assert any(line.startswith("🏆 \u2068Bob\u2069") for line in deal.text.splitlines())
    await bot.say(ann, family, f"/leaderboard@{world.bot.username}")
    assert "1. \u2068Bob\u2069" in world.posts(family)[-1].text
    assert not world.violations


async def test_an_answer_in_private_goes_to_the_hand_whose_numbers_it_has(bot: LiveBot, party: Party) -> None:
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
    assert read_reactions(await bot.say(bob, world.chat_of(bob), "9*9", reply_to=page)) == "👀"
    assert ": 3, 3, 8, 8; " in world.posts(bob)[-1].text.replace("；", "; ")  # by the page that it replies to
    assert read_reactions(await bot.say(bob, world.chat_of(bob), "1*2*3*4")) == "🏆"
    assert read_reactions(await bot.say(bob, world.chat_of(bob), "8*3-8/3")) == "👎"
    assert read_reactions(await bot.say(bob, world.chat_of(bob), "8/(3-8/3)")) == "🏆"
    assert all("🏆 \u2068Bob\u2069" in deal.text for deal in deals.values())
    assert not world.violations


async def test_who_was_shown_the_solution_is_told_so_alone(bot: LiveBot, party: Party) -> None:
    world, family = bot.world, party.chat
    ann, bob, *_ = party.people
    await bot.choose(family, "secret", True)
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.say(bob, world.chat_of(bob), "/solve 3 8 3 8")
    assert "8/(3-8/3)" in world.posts(bob)[-1].text
    world.say_secretly(bob, family, "/a 8/(3-8/3)")
    await bot.settle()
    assert "Bob" not in deal.text
    assert len(world.told(bob, family)) == 2  # with the trial
    assert world.posts(family) == [deal]
    assert not world.violations


async def test_a_menu_of_its_own_goes_along_with_its_group(party: Party, restart_bot: RestartBot) -> None:
    bot, world, people = await restart_bot(party.world), party.world, party.people
    small = world.group("Small", *people, basic=True)
    await chosen(bot, people[0], small, "1")
    large = world.migrate(small)
    await bot.settle()
    assert menus(world, large)[""] == ["a"]
    assert not world.violations
