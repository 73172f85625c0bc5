"""/giveup, also named /skip, and the button "Give up"."""

import pytest

from bot.formats import format_expression
from bot.i18n import Html, Words, choose_language, get_words
from bot.rounds.votes import render_counted_vote, render_skip_voters
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot, read_reactions
from tests.telegram import Chat, User, World

SOLUTION = "8÷(3−8÷3) = 24"
LANGUAGES = pytest.mark.parametrize(("language", "words"), [("en", get_words("en")), ("ru", get_words("ru"))])


@pytest.mark.parametrize("language", ["en", "zh-hans"])
async def test_votes_of_two_players_skip_a_hand(
    bot: LiveBot, world: World, ann: User, bob: User, language: str
) -> None:
    cem = world.user("Cem", language_code=language)
    dan = world.user("Dan", language_code=language)
    family = world.group("Family", cem, dan, ann, bob)
    deal = await bot.deal(dan, family, 3, 8, 3, 8)
    words = get_words(choose_language(language))
    press = world.press(ann, deal, -1)
    assert await world.answer_to(press) == render_counted_vote(words, 1, 2)
    await bot.settle()
    assert "1/2" in deal.labels[-1]
    assert render_skip_voters(words, Html("\u2068Ann\u2069"), 1, 2) in deal.text.splitlines()
    again = await bot.say(ann, family, "/skip@TwentyFourTestBot")
    assert read_reactions(again) == "👌"
    assert "1/2" in deal.labels[-1]
    assert format_expression(SOLUTION) not in deal.text
    await bot.say(bob, family, "/skip@TwentyFourTestBot")
    assert format_expression(SOLUTION) in deal.text
    assert len(world.posts(family)) == 1


@pytest.mark.parametrize("who", ["dealer", "owner", "anonymous"])
async def test_dealer_and_admins_skip_at_once(bot: LiveBot, world: World, ann: User, who: str) -> None:
    owner = world.user("Cem")
    family = world.group("Family", owner, ann)
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    if who == "anonymous":
        world.say_anonymously(family, "/skip@TwentyFourTestBot")
    else:
        world.press(ann if who == "dealer" else owner, deal, -1)
    await bot.settle()
    assert format_expression(SOLUTION) in deal.text


async def test_private_hand_is_skipped_at_once(bot: LiveBot, world: World, ann: User) -> None:
    bot.rig(3, 8, 3, 8)
    world.start(ann)
    world.say(ann, ann, "/play")
    deal = await world.next_post(ann, "→ 24")
    await bot.say(ann, world.chat_of(ann), "/skip")
    assert format_expression(SOLUTION) in deal.text


async def test_skip_without_a_hand_is_refused(bot: LiveBot, world: World, ann: User, family: Chat) -> None:
    for _ in range(5):
        await bot.say(ann, family, "/skip@TwentyFourTestBot")
    commands = [m for m in family.said if m.sender is ann]
    assert len(world.posts(family)) == 2  # the first two get a text, the others nothing
    assert [read_reactions(m) for m in commands] == [""] * 5


@pytest.mark.long
@LANGUAGES
async def test_dealers_skip_is_a_vote_while_others_play(
    bot: LiveBot, world: World, ann: User, language: str, words: Words
) -> None:
    dan, owner = world.user("Dan", language_code=language), world.user("Cem", language_code=language)
    family = world.group("Family", owner, dan, ann)
    deal = await bot.deal(dan, family, 3, 8, 3, 8)
    assert deal.labels[-1] == words.translate_plain("Give up")
    await bot.say(dan, family, "8+8+3+3", reply_to=deal)
    await bot.say(ann, family, "8*3-8/3", reply_to=deal)
    half = f"{words.translate_plain('Give up')} 1/2"
    alert = render_counted_vote(words, 1, 2)
    for _ in range(2):
        assert await world.answer_to(world.press(dan, deal, -1)) == alert
        await bot.settle()
        assert deal.labels[-1] == half
    assert read_reactions(await bot.say(dan, family, "/skip@TwentyFourTestBot")) == "👌"
    assert format_expression(SOLUTION) not in deal.text
    world.press(ann, deal, -1)
    await bot.settle()
    assert format_expression(SOLUTION) in deal.text


@pytest.mark.long
@LANGUAGES
async def test_dealer_playing_alone_skips_at_once(
    bot: LiveBot, world: World, ann: User, bob: User, language: str, words: Words
) -> None:
    owner = world.user("Cem", language_code=language)
    family = world.group("Family", owner, ann, bob)
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.say(ann, family, "8+8+3+3", reply_to=deal)
    await bot.say(bob, family, "is there one at all?", reply_to=deal)
    world.press(ann, deal, words.translate_plain("Give up"))
    await bot.settle()
    assert format_expression(SOLUTION) in deal.text


@LANGUAGES
async def test_admin_skips_by_command_and_votes_by_button(
    bot: LiveBot, world: World, ann: User, bob: User, language: str, words: Words
) -> None:
    owner = world.user("Cem", language_code=language)
    family = world.group("Family", owner, ann, bob)
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.say(bob, family, "8*(3", reply_to=deal)
    press = world.press(owner, deal, words.translate_plain("Give up"))
    alert = render_counted_vote(words, 1, 2)
    assert await world.answer_to(press) == alert
    assert format_expression(SOLUTION) not in deal.text
    await bot.say(owner, family, "/skip@TwentyFourTestBot")
    assert format_expression(SOLUTION) in deal.text


async def test_five_have_to_give_up_in_a_class(bot: LiveBot, world: World) -> None:
    pupils = [world.user(f"Pupil {n}") for n in range(28)]
    school = world.group("7b", world.user("Teacher"), *pupils)
    deal = await bot.deal(pupils[0], school, 3, 8, 3, 8)
    for pupil in pupils[1:]:
        await bot.say(pupil, school, "8*3-8/3", reply_to=deal)
    for pupil in pupils[1:6]:
        assert format_expression(SOLUTION) not in deal.text
        await bot.say(pupil, school, "/giveup@TwentyFourTestBot")
    assert format_expression(SOLUTION) in deal.text
    assert world.posts(school) == [deal]


async def test_late_votes_spare_the_next_hand_of_a_race(bot: LiveBot, world: World, clock: Clock) -> None:
    pupils = [world.user(f"Pupil {n}") for n in range(12)]
    school = world.group("7b", world.user("Teacher"), *pupils)
    for numbers in ((1, 1, 2, 8), (2, 2, 6, 6), (3, 8, 3, 8)):
        bot.rig(*numbers)
    await bot.say(pupils[0], school, "/race@TwentyFourTestBot 3")
    (race,) = world.posts(school)
    clock.advance(20)
    for pupil in pupils:
        clock.advance(0.3)
        vote = await bot.say(pupil, school, "/giveup@TwentyFourTestBot")
    assert "2 2 6 6 → 24" in race.text.splitlines()
    assert "gives up" not in race.text
    assert read_reactions(vote) == "👌"
    clock.advance(5)
    await bot.say(pupils[0], school, "/giveup@TwentyFourTestBot")
    assert "3 8 3 8 → 24" in race.text.splitlines()
    clock.advance(5)
    for pupil in pupils[:3]:
        await bot.say(pupil, school, "/giveup@TwentyFourTestBot")
    assert "8÷(3−8÷3) = 24" in race.text
    assert world.posts(school) == [race], "votes after the last hand are not answered in words"
