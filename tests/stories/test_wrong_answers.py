"""Near misses, stored wrong answers, and the lines of an ended hand."""

import pytest
from sqlalchemy import select

from bot.database import Tx
from bot.database.schema import wrong_answers
from bot.formats import format_duration, format_expression
from bot.i18n import Words, get_words
from bot.rounds.attempts import WRONG_ANSWER_LIFETIME
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot, read_reactions
from tests.telegram import Chat, User, World

LANGUAGES = pytest.mark.parametrize(("language", "words"), [("en", get_words("en")), ("es", get_words("es"))])


@LANGUAGES
@pytest.mark.parametrize(("text", "is_near"), [("3*8+8-3", True), ("8+8*3+3", False), ("3*8+3*8", False)])
async def test_near_miss_is_within_five(
    bot: LiveBot,
    world: World,
    ann: User,
    bob: User,
    family: Chat,
    words: Words,
    text: str,
    is_near: bool,
) -> None:
    deal = await bot.deal(bob, family, 3, 8, 3, 8)
    await bot.say(bob, family, text, reply_to=deal)
    await bot.say(ann, family, "/skip@TwentyFourTestBot")
    near = words.translate_plain(
        "Nearest miss: {name}, {expression} = {value}",
        name="\u2068Bob\u2069",
        expression=format_expression(text),
        value=29,
    )
    assert [line for line in deal.text.splitlines() if format_expression(text) in line] == (
        [near] if is_near else []
    )


@LANGUAGES
async def test_won_hand_shows_no_notes_on_wrong_answers(
    bot: LiveBot, world: World, ann: User, bob: User, language: str, words: Words
) -> None:
    people = [world.user(name, language_code=language) for name in ("Cem", "Dan", "Eve")]
    family = world.group("Family", ann, bob, *people)
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    for person in (bob, *people):
        await bot.say(person, family, "8*3-8/3", reply_to=deal)
    assert deal.text.count("👎") == 1, "one note for all of them"
    await bot.say(bob, family, "8/(3-8/3)", reply_to=deal)
    assert "👎" not in deal.text
    late = await bot.say(ann, family, "8/(3-8/3)", reply_to=deal)
    assert read_reactions(late) == "👏"
    assert "👎" not in deal.text


@LANGUAGES
async def test_win_is_compared_with_the_winners_best_time(
    bot: LiveBot, ann: User, bob: User, family: Chat, clock: Clock, words: Words
) -> None:
    time_lines = []
    for player, seconds in ((bob, 30), (ann, 5), (bob, 83), (bob, 12), (bob, 125)):
        deal = await bot.deal(ann, family, 3, 8, 3, 8)
        clock.advance(seconds)
        await bot.say(player, family, "8/(3-8/3)", reply_to=deal)
        time_lines += [line.removeprefix("⏱ ") for line in deal.text.splitlines() if line.startswith("⏱")]
        share = words.translate_plural("{n} of 10 people finds it", "{n} of 10 people find it", 4)
        assert share in deal.text.splitlines()
    quicker = words.translate_plain("{took} · your personal best", took=format_duration(words, 12))
    first, of_ann = (_render_quick_time(words, seconds) for seconds in (30, 5))
    slower, slow = (format_duration(words, seconds) for seconds in (83, 125))
    assert time_lines == [first, of_ann, slower, quicker, slow]


def _render_quick_time(words: Words, seconds: float) -> str:
    """Return how a time is shown that is shorter than the usual one of 68 seconds."""
    return words.translate_plain(
        "{took} · usually {usual}",
        took=format_duration(words, seconds),
        usual=format_duration(words, 68),
    )


@LANGUAGES
async def test_usual_time_is_shown_for_measured_hands_only(
    bot: LiveBot, ann: User, family: Chat, words: Words
) -> None:
    compared = []
    for numbers, target, answer in (
        ((3, 8, 3, 8), 24, "8/(3-8/3)"),
        ((1, 1, 2, 9), 36, "9*(1+1+2)"),
        ((1, 2, 12), 24, "1*2*12"),
        ((1, 1, 1, 2, 12), 24, "1*1*1*2*12"),
    ):
        deal = await bot.deal(ann, family, *numbers, target=target)
        await bot.say(ann, family, answer, reply_to=deal)
        await bot.say(ann, family, "/skip@TwentyFourTestBot")
        (time_line,) = (line for line in deal.text.splitlines() if line.startswith("⏱"))
        compared.append(time_line != f"⏱ {format_duration(words, 1)}")
    assert compared == [True, False, False, False]


@LANGUAGES
async def test_single_further_idea_is_shown_not_counted(
    bot: LiveBot, clock: Clock, ann: User, family: Chat, words: Words
) -> None:
    lists = []
    for numbers, answer in (
        ((2, 2, 4, 5), "/skip@TwentyFourTestBot"),  # six ideas, of which five would be listed
        ((2, 4, 5, 8), "/skip@TwentyFourTestBot"),  # seven
        ((1, 2, 3, 5), "3*(1+2+5)"),  # three beside the winner's, of which two would be listed
    ):
        deal = await bot.deal(ann, family, *numbers)
        clock.advance(10)  # an answer at once would earn something, which takes an idea's place
        await bot.say(ann, family, answer, reply_to=None if "/skip" in answer else deal)
        lists.append([line for line in deal.text.splitlines() if line.startswith(("💭", "…"))])
    assert [len(lines) for lines in lists] == [6, 6, 3]
    assert lists[0][0] == "💭 4×(5+2÷2) = 24"  # its hints are on that one
    assert lists[0][-1] == "💭 2×4×(5−2) = 24"
    assert lists[1][-1] == words.translate_plural("… and {n} more way.", "… and {n} more ways.", 2)
    assert lists[2][-1] == "💭 (1+2)×(3+5) = 24"


async def test_author_of_a_note_that_is_pushed_out_can_read_it(
    bot: LiveBot, world: World, ann: User, bob: User
) -> None:
    cem, dan, eve = (world.user(name) for name in ("Cem", "Dan", "Eve"))
    club = world.group("Club", ann, bob, cem, dan, eve)
    deal = await bot.deal(ann, club, 3, 8, 3, 8)
    for person, wrong in ((bob, "3+3+8+8"), (cem, "3*8-8-3"), (dan, "3*3+8+8")):
        await bot.say(person, club, wrong, reply_to=deal)
    assert not any("Read mine" in label for label in deal.labels)
    await bot.say(eve, club, "3*3*8-8", reply_to=deal)
    assert "3+3+8+8" not in deal.text
    assert await world.answer_to(world.press(bob, deal, "Read mine")) == "👎 3+3+8+8 = 22"
    assert (
        await world.answer_to(world.press(ann, deal, "Read mine")) == "No private reply is waiting for you."
    )
    await bot.say(ann, club, "8/(3-8/3)", reply_to=deal)
    assert not any("Read mine" in label for label in deal.labels)


async def test_few_wrong_answers_are_stored_for_a_month(
    bot: LiveBot, clock: Clock, ann: User, family: Chat
) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    for number in range(7):
        await bot.say(ann, family, f"8+8+3*{number}", reply_to=deal)

    def load_answers(tx: Tx) -> list[str]:
        return list(tx.scalars(select(wrong_answers.c.answer)))

    assert await bot.services.store.read(load_answers) == [f"8+8+3*{number}" for number in range(5)]
    clock.advance(WRONG_ANSWER_LIFETIME + 1)
    await bot.run_timers()
    assert await bot.services.store.read(load_answers) == []
