"""What a group is told of answers that don't win: few words, and those where they help."""

import pytest

from bot.i18n import Words, get_words
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot, read_reactions
from tests.telegram import Chat, Message, User, World

LANGUAGES = pytest.mark.parametrize(("language", "said"), [("en", get_words("en")), ("es", get_words("es"))])


async def tried(bot: LiveBot, who: User, deal: Message, *texts: str) -> list[tuple[str, str]]:
    """The reaction to each of the answers, and what was replied."""
    told = []
    for text in texts:
        before = len(bot.world.posts(deal.chat))
        answer = await bot.say(who, deal.chat, text, reply_to=deal)
        new = bot.world.posts(deal.chat)[before:]
        told.append((read_reactions(answer), "".join(post.text for post in new)))
    return told


@LANGUAGES
async def test_a_typo_takes_no_reason_away_from_a_wrong_value(
    bot: LiveBot, bob: User, family: Chat, said: Words
) -> None:
    deal = await bot.deal(bob, family, 3, 8, 3, 8)
    told = await tried(bot, bob, deal, "8*(3", "8*(3+8", "8*3-8/3", "3*8+8-3")
    value = said.translate_plain(
        "{expression} = {value}, not {target}.", expression="8*3-8/3", value="21 1/3", target=24
    )
    assert told == [
        ("🤔", said.translate_plain("A bracket is never closed.")),
        ("🤔", ""),
        ("👎", value),
        ("👎", ""),
    ]


@LANGUAGES
async def test_wrong_numbers_take_none_away_either(
    bot: LiveBot, bob: User, family: Chat, said: Words
) -> None:
    deal = await bot.deal(bob, family, 3, 8, 3, 8)
    told = await tried(bot, bob, deal, "3*8", "8*8", "8*3-8/3")
    assert told[0] == (
        "👀",
        said.translate_plain("Use each number once. Missing: {missing}.", missing="3, 8"),
    )
    assert told[1] == ("👀", "")
    assert told[2][0] == "👎"
    assert "21 1/3" in told[2][1]


@LANGUAGES
@pytest.mark.parametrize(("text", "told"), [("3*8+8-3", "29"), ("8+8*3+3", None), ("3*8+3*8", None)])
async def test_a_near_miss_is_one_within_five(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat, said: Words, text: str, told: str | None
) -> None:
    deal = await bot.deal(bob, family, 3, 8, 3, 8)
    await bot.say(bob, family, text, reply_to=deal)
    await bot.say(ann, family, "/skip@TwentyFourTestBot")
    near = said.translate_plain(
        "Nearest miss: {name}, {expression} = {value}", name="\u2068Bob\u2069", expression=text, value=29
    )
    assert [line for line in deal.text.splitlines() if text in line] == ([near] if told else [])


@LANGUAGES
async def test_a_finished_hand_has_no_notes_below_it(
    bot: LiveBot, world: World, ann: User, bob: User, language: str, said: Words
) -> None:
    people = [world.user(name, language_code=language) for name in ("Cem", "Dan", "Eve")]
    family = world.group("Family", ann, bob, *people)
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    for person in (bob, *people):
        await bot.say(person, family, "8*3-8/3", reply_to=deal)
    assert deal.text.count("💬") == 2
    posts = len(world.posts(family))
    await bot.say(bob, family, "8/(3-8/3)", reply_to=deal)
    assert "💬" not in deal.text
    late = await bot.say(ann, family, "8/(3-8/3)", reply_to=deal)
    assert read_reactions(late) == "👏"
    assert "💬" not in deal.text
    assert len(world.posts(family)) == posts


@LANGUAGES
async def test_a_win_stands_beside_the_winners_own_best(
    bot: LiveBot, ann: User, bob: User, family: Chat, clock: Clock, said: Words
) -> None:
    shown = []
    for who, took in ((bob, 30), (ann, 5), (bob, 83), (bob, 12), (bob, 125)):
        deal = await bot.deal(ann, family, 3, 8, 3, 8)
        clock.advance(took)
        await bot.say(who, family, "8/(3-8/3)", reply_to=deal)
        shown += [line.removeprefix("⏱ ") for line in deal.text.splitlines() if line.startswith("⏱")]
        assert (
            said.translate_plain(
                "Practised players: about {usual}", usual=said.translate_plain("{n} s", n=68)
            )
            in deal.text
        )
    level = said.translate_plain("fiendish")
    first, anns, slower, quicker, slow = shown
    assert first == said.translate_plain("{n} s", n=30)
    assert anns == said.translate_plain("{n} s", n=5)
    best = said.translate_plain("{n} s", n=30)
    assert slower == said.translate_plain(
        "{took} · own best ({level}): {best}",
        took=said.translate_plain("{n} s", n=83),
        level=level,
        best=best,
    )
    assert quicker == said.translate_plain(
        "{took} · new best ({level}), was {best}",
        took=said.translate_plain("{n} s", n=12),
        level=level,
        best=best,
    )
    assert slow == said.translate_plain(
        "{took} · own best ({level}): {best}",
        took="2:05",
        level=level,
        best=said.translate_plain("{n} s", n=12),
    )


@LANGUAGES
async def test_people_are_compared_only_where_their_times_are_known(
    bot: LiveBot, ann: User, family: Chat, said: Words
) -> None:
    told = []
    for numbers, target, answer in (
        ((3, 8, 3, 8), 24, "8/(3-8/3)"),
        ((1, 1, 2, 9), 36, "9*(1+1+2)"),
        ((1, 2, 12), 24, "1*2*12"),
        ((1, 1, 1, 2, 12), 24, "1*1*1*2*12"),
    ):
        deal = await bot.deal(ann, family, *numbers, target=target)
        await bot.say(ann, family, answer, reply_to=deal)
        await bot.say(ann, family, "/skip@TwentyFourTestBot")
        told.append(
            said.translate_plain("Practised players: about {usual}", usual="").strip(" s") in deal.text
        )
    assert told == [True, False, False, False]


@LANGUAGES
async def test_a_single_idea_more_is_shown_rather_than_counted(
    bot: LiveBot, clock: Clock, ann: User, family: Chat, said: Words
) -> None:
    listed = []
    for numbers, answer in (
        ((2, 2, 4, 5), "/skip@TwentyFourTestBot"),  # six ideas, of which five would be listed
        ((2, 4, 5, 8), "/skip@TwentyFourTestBot"),  # seven
        ((1, 2, 3, 5), "3*(1+2+5)"),  # three beside the winner's, of which two would be listed
    ):
        deal = await bot.deal(ann, family, *numbers)
        clock.advance(10)  # an answer at once would earn something, which takes an idea's place
        await bot.say(ann, family, answer, reply_to=None if "/skip" in answer else deal)
        listed.append([line for line in deal.text.splitlines() if line.startswith(("💭", "…"))])
    assert [len(lines) for lines in listed] == [6, 6, 3]
    assert listed[0][0] == "💭 4*(5+2/2) = 24"  # its hints are on that one
    assert listed[0][-1] == "💭 2*4*(5-2) = 24"
    assert listed[1][-1] == said.translate_plural("… and {n} more idea.", "… and {n} more ideas.", 2)
    assert listed[2][-1] == "💭 (1+2)*(3+5) = 24"
