"""Ways of asking the bot for a hand that is live: none shows it, or the asker can't score with it.

Each is tried by Bob, who plays in the chat where the hand is live and is shown nothing, and by Ann, who has
never played there and may be shown it, but then gets no points. What counts as shown is judged here by the
bot's requests alone, and not by the bot's own idea of it.
"""

import json
import re
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import permutations
from operator import add, mul, sub, truediv
from pathlib import Path

import pytest
from sqlalchemy import select

import solver
from bot.database.schema import players, rounds
from bot.games.daily import queries as daily
from bot.games.daily.rules import Daily, day_of
from bot.games.puzzle import POINTS
from bot.games.twentyfour.hand import Hand
from tests.faults.neighbours import HAND, SOLUTION, Two, neighbours
from tests.stories.hours import Hours
from tests.telegram import Chat, Message, User, World

pytestmark = pytest.mark.faults
CARDS, SUM, ONE, TEN = (1, 11, 12, 13), (2, 4, 8, 10), (1, 6, 6, 8), (3, 8, 8, 10)
FIVES, FOUR = (1, 5, 5, 5), (1, 3, 4, 6)
SOLUTIONS: dict[tuple[int, ...], str] = {
    HAND: SOLUTION,
    CARDS: "1*(13-11)*12",
    SUM: "2+4+8+10",
    ONE: "6/(1-6/8)",
    TEN: "(8*10-8)/3",
    FIVES: "5*(5-1/5)",
    FOUR: "6/(1-3/4)",
}
Ask = Callable[[Two, User, Message], Awaitable[None]]
"""Asks, as that person, for the hand of that deal."""


@pytest.fixture
async def two(tmp_path: Path) -> AsyncIterator[Two]:
    async with neighbours(tmp_path) as opened:
        yield opened


def alone(text: str) -> Ask:
    """A command in private."""

    async def ask(two: Two, asker: User, deal: Message) -> None:
        await two.evening.says(asker, two.world.place(asker), text)

    return ask


def in_the_group(text: str) -> Ask:
    """A command in the chat where the hand is live."""

    async def ask(two: Two, asker: User, deal: Message) -> None:
        command, _, rest = text.partition(" ")
        await two.evening.says(asker, deal.chat, f"{command}@{two.world.bot.username} {rest}")

    return ask


def in_another(text: str) -> Ask:
    """A command in another group."""

    async def ask(two: Two, asker: User, deal: Message) -> None:
        command, _, rest = text.partition(" ")
        await two.evening.says(asker, two.there, f"{command}@{two.world.bot.username} {rest}")

    return ask


def inline(text: str) -> Ask:
    """Typed behind the bot's name."""

    async def ask(two: Two, asker: User, deal: Message) -> None:
        asked = two.world.inline(asker, text)
        await two.world.until(lambda: asked.answer is not None, what="an answer")

    return ask


def link(code: str) -> Ask:
    """A link that deals a hand in private, which is then given up."""

    async def ask(two: Two, asker: User, deal: Message) -> None:
        two.world.start(asker, code)
        await two.evening.settled()
        await two.evening.says(asker, two.world.place(asker), "/skip")

    return ask


def why_replied(text: str, *, group: bool) -> Ask:
    """/why as a reply to somebody's words."""

    async def ask(two: Two, asker: User, deal: Message) -> None:
        chat = two.here if group else two.world.place(asker)
        said = two.world.say(two.ann, chat, text, hear=False)
        await two.evening.says(asker, chat, f"/why@{two.world.bot.username}", reply_to=said)

    return ask


async def old_page(two: Two, asker: User, deal: Message) -> None:
    """A button that was never offered, under a list of another hand."""
    await two.evening.says(asker, two.world.place(asker), "/solve 4 5 6 7")
    listed = two.world.posts(asker)[-1]
    press = two.world.press(asker, listed, data="v:3,8,3,8=24:0")
    await two.world.answer_to(press)
    await two.evening.settled()


async def dealt_before(two: Two, asker: User, deal: Message) -> None:
    """The same hand on a private table, given up."""
    own = await two.evening.dealt(asker, two.world.place(asker), *HAND)
    two.world.press(asker, own, "Give up")
    await two.evening.settled()


async def dealt_with_more(two: Two, asker: User, deal: Message) -> None:
    """The hand with a 1 beside on a private table, given up."""
    own = await two.evening.dealt(asker, two.world.place(asker), *HAND, 1)
    two.world.press(asker, own, "Give up")
    await two.evening.settled()


async def _is_daily(two: Two) -> None:
    day = day_of(two.world.clock())
    hand = Daily(day, "24", Hand(HAND, 24, "hard", 30.0, (SOLUTION,)))
    await two.evening.services.store.write(lambda tx: daily.keep_hand(tx, hand))


async def daily_asked(two: Two, asker: User, deal: Message) -> None:
    """It is today's hand as well, and asked for."""
    await _is_daily(two)
    await alone("/solve 3 8 3 8 1 = 25")(two, asker, deal)


async def daily_given_up(two: Two, asker: User, deal: Message) -> None:
    """It is today's hand as well, and given up."""
    await _is_daily(two)
    await alone("/daily")(two, asker, deal)
    two.world.press(asker, two.world.posts(asker)[-1], "Give up")
    await two.evening.settled()


async def daily_again(two: Two, asker: User, deal: Message) -> None:
    """As before, and looked at once more."""
    await daily_given_up(two, asker, deal)
    await alone("/daily")(two, asker, deal)


WAYS: dict[str, tuple[Sequence[int], Ask]] = {
    "as dealt": (HAND, alone("/solve 3 8 3 8")),
    "in another order": (HAND, alone("/solve 8 8 3 3")),
    "with commas": (HAND, alone("/solve 3,8,3,8")),
    "with semicolons": (HAND, alone("/solve 8;3;8;3")),
    "in full width": (HAND, alone("/solve ３　８　３　８")),
    "with the target": (HAND, alone("/solve 3 8 3 8 = 24")),
    "with an arrow": (HAND, alone("/solve 3 8 3 8 -> 24")),
    "with another arrow": (HAND, alone("/solve 3 8 3 8 → 24")),
    "with a 0": (HAND, alone("/solve 3 8 3 8 0")),
    "with two 0": (HAND, alone("/solve 0 3 8 3 8 0")),
    "with a 1": (HAND, alone("/solve 3 8 1 3 8")),
    "with two 1": (HAND, alone("/solve 3 8 3 8 1 1")),
    "one more": (HAND, alone("/solve 3 8 3 8 1 = 25")),
    "one less": (HAND, alone("/solve 3 8 3 8 1 = 23")),
    "half": (HAND, alone("/solve 3 8 3 8 2 = 12")),
    "twice": (HAND, alone("/solve 3 8 3 8 2 = 48")),
    "two less": (HAND, alone("/solve 3 8 3 8 2 = 22")),
    "three times": (HAND, alone("/solve 3 8 3 8 3 = 72")),
    "a pair of fives": (HAND, alone("/solve 3 8 3 8 5 5")),
    "two more numbers": (HAND, alone("/solve 3 8 3 8 5 7 = 36")),
    "three more numbers": (HAND, alone("/solve 3 8 3 8 2 5 7 = 38")),
    "six more numbers": (HAND, alone("/solve 3 8 3 8 1 1 1 1 1 1")),
    "nothing left": (HAND, alone("/solve 3 8 3 8 24 = 0")),
    "one left": (HAND, alone("/solve 3 8 3 8 24 = 1")),
    "a million more": (HAND, alone("/solve 3 8 3 8 999976 = 1000000")),
    "nothing at all": (HAND, alone("/solve 3 8 3 8 0 = 0")),
    "letters": (CARDS, alone("/solve A J Q K")),
    "small letters": (CARDS, alone("/solve k q j a")),
    "letters and a 0": (CARDS, alone("/solve A J Q K 0")),
    "letters for another target": (CARDS, alone("/solve A A J Q K = 25")),
    "a part": (SUM, alone("/solve 2 4 8 = 14")),
    "a part with a 1": (SUM, alone("/solve 2 4 8 1 = 14")),
    "a part among large ones": (SUM, alone("/solve 2 4 8 100003 200003 300007 400009 = 1000036")),
    "the same for another target": (SUM, alone("/solve 2 4 8 10 = 4")),
    "two sevens for a 1": (ONE, alone("/solve 6 6 8 7 7")),
    "13 and 3 for a 10": (TEN, alone("/solve 8 8 3 13 3")),
    "two sevens for a 1 in the group": (ONE, in_the_group("/solve 6 6 8 7 7")),
    "two sevens for a 1 in another group": (ONE, in_another("/solve 6 6 8 7 7")),
    "two sevens for a 1 inline": (ONE, inline("6 6 8 7 7")),
    "two sevens for a 1 in /why": (ONE, alone("/why 6/(7/7-6/8)")),
    "two sevens for a 1 by a link": (ONE, link("hand_6-6-8-7-7-24")),
    "ten times a few": (FIVES, alone("/solve 10 50 50 5 = 240")),
    "twice all but one": (HAND, alone("/solve 6 16 3 16")),
    "ten times all but one": (HAND, alone("/solve 3 30 80 80")),
    "ten times and ten times": (FOUR, alone("/solve 60 1 30 40 = 240")),
    "ten times all": (SUM, alone("/solve 20 40 80 100 = 240")),
    "half of all": (SUM, alone("/solve 1 2 4 5 = 12")),
    "ten times a few with a 1": (FIVES, alone("/solve 10 50 50 5 1 = 240")),
    "twice all but one in the group": (HAND, in_the_group("/solve 6 16 3 16")),
    "twice all but one in another group": (HAND, in_another("/solve 6 16 3 16")),
    "twice all but one inline": (HAND, inline("6 16 3 16")),
    "twice all but one in /why": (HAND, in_the_group("/why 16/(6-16/3)")),
    "twice all but one by a link": (SUM, link("hand_1-2-4-5-12")),
    "eleven times a few": (HAND, alone("/solve 33 88 3 88")),
    "eleven times a few in the group": (HAND, in_the_group("/solve 33 88 3 88")),
    "eleven times a few in another group": (HAND, in_another("/solve 33 88 3 88")),
    "eleven times a few inline": (HAND, inline("33 88 3 88")),
    "eleven times a few in /why": (HAND, alone("/why 88/(33-88/3)")),
    "eleven times a few by a link": (HAND, link("hand_33-88-3-88-24")),
    "twelve times a few": (HAND, alone("/solve 36 96 3 96")),
    "seventeen times a few": (HAND, alone("/solve 51 136 136 3")),
    "twenty times a few": (HAND, alone("/solve 60 3 160 160")),
    "fifty times a few": (HAND, alone("/solve 150 400 400 3")),
    "ten thousand times a few": (HAND, alone("/solve 30000 3 80000 80000")),
    "ten times a few, one of them in disguise": (HAND, alone("/solve 30 80 3 800 10")),
    "eleven times two": (FOUR, alone("/solve 6 1 33 44")),
    "25 times two": (FOUR, alone("/solve 6 1 75 100")),
    "three times and twice": (FOUR, alone("/solve 18 1 6 8 = 72")),
    "a hundred times two with two 1": (FOUR, alone("/solve 6 1 300 400 1 1")),
    "eleven times all": (SUM, alone("/solve 22 44 88 110 = 264")),
    "eleven times all but one": (FIVES, alone("/solve 11 55 55 5 = 264")),
    "two put together": (SUM, alone("/solve 6 8 10")),
    "two others put together": (SUM, alone("/solve 12 2 10")),
    "two put together with a 0": (SUM, alone("/solve 6 8 10 0")),
    "two put together for another target": (SUM, alone("/solve 6 8 10 5 = 29")),
    "two put together and twice all": (SUM, alone("/solve 12 16 20 = 48")),
    "two put together in the group": (SUM, in_the_group("/solve 6 8 10")),
    "two put together in another group": (SUM, in_another("/solve 6 8 10")),
    "two put together inline": (SUM, inline("6 8 10")),
    "two put together in /why": (SUM, alone("/why 6+8+10")),
    "two put together by a link": (SUM, link("hand_6-8-10-24")),
    "the first step taken": (CARDS, alone("/solve A 2 Q")),
    "in the group": (HAND, in_the_group("/solve 3 8 3 8")),
    "in the group with a 0": (HAND, in_the_group("/solve 3 8 3 8 0")),
    "in the group for 25": (HAND, in_the_group("/solve 3 8 3 8 1 = 25")),
    "in another group": (HAND, in_another("/solve 8 3 8 3")),
    "in another group with a 1": (HAND, in_another("/solve 8 3 8 3 1")),
    "inline": (HAND, inline("3 8 3 8")),
    "inline with a 0": (HAND, inline("3 8 3 8 0")),
    "inline for 25": (HAND, inline("1 3 8 3 8 = 25")),
    "inline in letters": (CARDS, inline("A J Q K 1")),
    "why": (HAND, alone("/why 8/(3-8/3)")),
    "why with a 0": (HAND, alone("/why 0+8/(3-8/3)")),
    "why in a larger one": (HAND, alone("/why (8/(3-8/3)-20)*5+7")),
    "why but one step": (HAND, alone("/why 3-8/3")),
    "why in the group": (HAND, in_the_group("/why 8/(3-8/3) = 24")),
    "why with a sign": (HAND, alone("/why (-8)/(8/3-3)")),
    "why with signs in the group": (HAND, in_the_group("/why -8/(-3+8/3)")),
    "why with a sign before a bracket": (HAND, alone("/why -(8/(8/3-3))")),
    "why with decimals": (HAND, alone("/why 8.0/(3-8/3.00)")),
    "why with other decimals": (HAND, alone("/why 0.5*16/(3-8/3)")),
    "why in words": (HAND, alone("/why is it 8/(3-8/3)?")),
    "why step by step": (HAND, in_the_group("/why 3-8/3=1/3, 8/(1/3)=24")),
    "wide digits": (HAND, alone("/solve３ ８ ３ ８")),
    "why to somebody's words": (HAND, why_replied("surely 8/(3-8/3)=24?", group=True)),
    "why to one's own words": (HAND, why_replied("8/(3-8/3)", group=False)),
    "a link": (HAND, link("hand_8-3-8-3-24")),
    "a link with a 1": (HAND, link("hand_8-3-8-3-1-24")),
    "a link for another target": (HAND, link("hand_8-3-8-3-1-25")),
    "an old list": (HAND, old_page),
    "a private table": (HAND, dealt_before),
    "a private table with a 1": (HAND, dealt_with_more),
    "the daily hand": (HAND, daily_asked),
    "the daily hand given up": (HAND, daily_given_up),
    "the daily hand seen again": (HAND, daily_again),
}
BY_CHANCE = {"a private table", "a private table with a 1"}
"""Hands that the bot itself dealt: their end is shown to whoever plays elsewhere too, and costs them."""


MAKES: dict[str, Callable[[Fraction, Fraction], Fraction]] = {"+": add, "-": sub, "*": mul, "/": truediv}
PAIR = re.compile(r"\b7/7\b|\(13-3\)|\b800/10\b")


def _worth(pair: re.Match[str]) -> str:
    return str(solver.parse(pair[0]).value)


def strings(value: object) -> Iterator[str]:
    """Every text in a request's parameters."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from strings(inner)


Both = tuple[Fraction, Fraction]
"""What a part is worth as it is written, and with the hand's numbers in the place of those."""


def _joined(op: str, left: Both, right: Both) -> Both:
    """Two parts joined. Raises ArithmeticError if they are added, but not scaled alike."""
    if op in "+-" and left[0] * right[1] != left[1] * right[0]:
        raise ArithmeticError
    written, meant = (MAKES[op](one, other) for one, other in zip(left, right, strict=True))
    return written, meant


def scaled(written: solver.Expression, numbers: Sequence[int]) -> bool:
    """Whether each step of the expression is a step of the hand's solution, made greater or smaller."""
    for order in set(permutations(numbers)):
        others = iter(order)
        with suppress(ArithmeticError):
            if written.fold(lambda number: (Fraction(number), Fraction(next(others))), _joined)[1] == 24:  # noqa: B023
                return True
    return False


def put_together(part: solver.Expression, numbers: Sequence[int]) -> bool:
    """Whether two of the hand's numbers make one of the part's, as it is or with all of it doubled."""
    for one, other, *rest in permutations(map(Fraction, numbers)):
        made = {one + other, one - other, one * other, one / other}
        for value, by in ((value, by) for value in made for by in (1, 2)):
            if (
                sorted([*rest, value]) == sorted(Fraction(n, by) for n in part.numbers)
                and part.value == 24 * by
            ):
                return True
    return False


def gives(part: solver.Expression, numbers: Sequence[int]) -> bool:
    """Whether a part of an expression is a solution of the hand, or one step from it.

    Two numbers in brackets or a pair divided stand for what they are worth.
    """
    if solver.parse(simpler := PAIR.sub(_worth, str(part))) != part:
        return gives(solver.parse(simpler), numbers)
    if len(part.numbers) == len(numbers) and scaled(part, numbers):
        return True
    if len(part.numbers) == len(numbers) - 1 and put_together(part, numbers):
        return True
    lacking = Counter(numbers) - Counter(part.numbers)
    if Counter(part.numbers) - Counter(numbers):
        return False
    if not lacking:
        return part.value == 24
    value = part.value
    (last,) = lacking if lacking.total() == 1 else (None,)
    if last is None or len(part.numbers) < 3:
        return False
    steps = [value + last, value - last, last - value, value * last, value / last]
    return 24 in [*steps, *([Fraction(last) / value] if value else [])]


def shown(two: Two, numbers: Sequence[int], since: int) -> list[str]:
    """The texts of the bot's requests from number `since` on that hold a solution of the hand."""
    found = []
    for request in two.world.requests[since:]:
        params = json.loads(json.dumps(request.params, default=str))
        for text in strings(params):
            for run in re.findall(r"[0-9+\-*/(). ]{5,}", re.sub(r"<[^>]+>", "", text)):
                try:
                    expression = solver.work_out(run).whole()
                except solver.ExpressionError:
                    continue
                if any(gives(part, numbers) for part in expression.walk() if part.op):
                    found.append(text)
    return found


@pytest.mark.parametrize("name", WAYS)
async def test_who_plays_there_is_shown_nothing(two: Two, name: str) -> None:
    numbers, ask = WAYS[name]
    deal = await two.evening.dealt(two.bob, two.here, *numbers)
    since = len(two.world.requests)
    await ask(two, two.bob, deal)
    leaks = shown(two, numbers, since)
    by_chance = name in BY_CHANCE
    assert bool(leaks) is (name == "a private table"), leaks
    await two.evening.says(two.bob, deal.chat, SOLUTIONS[tuple(numbers)], reply_to=deal)
    worth = POINTS[solver.rate(numbers).level] + 1  # the day's first
    assert await two.points(two.bob, two.here) == (0 if by_chance else worth)


@pytest.mark.parametrize("name", WAYS)
async def test_who_does_not_can_not_score_with_it(two: Two, name: str) -> None:
    numbers, ask = WAYS[name]
    deal = await two.evening.dealt(two.bob, two.here, *numbers)
    since = len(two.world.requests)
    await ask(two, two.ann, deal)
    leaks = shown(two, numbers, since)
    await two.evening.says(two.ann, deal.chat, SOLUTIONS[tuple(numbers)], reply_to=deal)
    scored = await two.points(two.ann, two.here)
    assert not (leaks and scored), leaks


def test_there_are_forty() -> None:
    print(f"{len(WAYS)} ways of asking, each by two people: none shows the hand, or its asker can't score")
    assert len(WAYS) >= 40


async def test_control_the_eye_sees_what_is_shown(two: Two) -> None:
    since = len(two.world.requests)
    await alone("/solve 3 8 3 8 0")(two, two.ann, await two.evening.dealt(two.bob, two.there))
    await alone("/solve 2 4 8 = 14")(two, two.ann, await two.evening.dealt(two.bob, two.there))
    await alone("/solve 33 88 3 88")(two, two.ann, await two.evening.dealt(two.bob, two.there))
    assert len(shown(two, HAND, since)) == 2
    assert len(shown(two, SUM, since)) == 1


def _anonymously(two: Two, own: Chat, channel: Chat, text: str) -> None:
    two.world.say_anonymously(own, text)


def _as_channel(two: Two, own: Chat, channel: Chat, text: str) -> None:
    two.world.say_as_channel(own, channel, text)


def _by_post(two: Two, own: Chat, channel: Chat, text: str) -> None:
    two.world.post(channel, text)


NOBODY = {"anonymously": _anonymously, "as a channel": _as_channel, "by a post": _by_post}


@pytest.mark.parametrize("asked", ["/solve {} 3 8 3 8", "/solve {} 3 8 3 8 1 = 25", "/why {} 8/(3-8/3)"])
@pytest.mark.parametrize("name", NOBODY)
async def test_nobody_is_shown_nothing(two: Two, name: str, asked: str) -> None:
    await two.evening.dealt(two.bob, two.here, *HAND)
    own = two.world.group("Own", two.ann)
    channel = two.world.channel("Channel", two.ann, linked=own)
    since = len(two.world.requests)
    NOBODY[name](two, own, channel, asked.replace(" {}", f"@{two.world.bot.username}"))
    await two.evening.settled()
    assert not shown(two, HAND, since)
    assert "under your own name" in two.world.posts(own)[-1].text
    await two.evening.says(two.bob, two.here, f"/skip@{two.world.bot.username}")
    NOBODY[name](two, own, channel, asked.replace(" {}", f"@{two.world.bot.username}"))
    await two.evening.settled()
    assert "under your own name" not in two.world.posts(own)[-1].text  # live nowhere


@pytest.mark.parametrize("how", ["/skip", "the time"])
@pytest.mark.parametrize("name", NOBODY)
async def test_a_hand_that_nobody_ends_shows_nothing_while_it_is_live_elsewhere(
    tmp_path: Path, name: str, how: str
) -> None:
    hours = Hours()
    async with neighbours(tmp_path, World(clock=hours)) as two:
        own = two.world.group("Own", two.ann)
        channel = two.world.channel("Channel", two.ann, linked=own)
        two.evening.rig(*HAND)
        NOBODY[name](two, own, channel, f"/play@{two.world.bot.username}")
        await two.world.next_post(own, "→ 24")
        await two.evening.settled()
        hours.pass_(300)
        await two.evening.dealt(two.bob, two.here, *HAND)
        since = len(two.world.requests)
        if how == "/skip":
            NOBODY[name](two, own, channel, f"/skip@{two.world.bot.username}")
        else:
            hours.pass_(310)
            await two.evening.timers.look()
        await two.evening.settled()
        assert not shown(two, HAND, since)
        said = "under your own name" in two.world.posts(own)[-1].text
        assert said is (how == "/skip" and name == "anonymously")
        left = ["Hint", "Give up"] if how == "/skip" else ["Next hand", "An easier one"]
        assert two.world.posts(own)[0].labels == left


async def test_telegram_itself_is_no_player(two: Two) -> None:
    channel = two.world.channel("Channel", two.bob, linked=two.here)
    deal = await two.evening.dealt(two.bob, two.here, *HAND)
    await two.evening.says(two.ann, two.here, f"/skip@{two.world.bot.username}")
    two.world.post(channel, f"/skip@{two.world.bot.username}")
    two.world.post(channel, SOLUTION)
    await two.evening.settled()
    assert len(deal.buttons) == 2
    known = await two.evening.services.store.read(lambda tx: set(tx.scalars(select(players.c.id))))
    assert known == {two.bob.id, two.ann.id}
    await two.evening.says(two.bob, two.here, f"/skip@{two.world.bot.username}")
    two.evening.rig(*SUM)
    two.world.post(channel, f"/play@{two.world.bot.username}")
    await two.world.next_post(two.here, "→ 24")
    await two.evening.settled()
    dealers = await two.evening.services.store.read(lambda tx: set(tx.scalars(select(rounds.c.dealer_id))))
    assert dealers == {two.bob.id, 0}
