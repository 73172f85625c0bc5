"""The review: what a player missed, gave up or found slowly, in one private message."""

import pytest

from bot.formats import format_expression
from bot.rounds.queries import SITTING_PAUSE
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot
from tests.stories.test_countdown import find_entry, read_draw, start_countdown
from tests.stories.test_daily import give_up, send_in_private
from tests.stories.test_practice import find_solution, press_button
from tests.stories.test_race import start_race
from tests.stories.test_runs import begin, solve
from tests.telegram import Chat, Message, User, World

SKIP = "/skip@TwentyFourTestBot"


async def press_review(bot: LiveBot, user: User, message: Message) -> str:
    """Press the button under a message of a group; follow its link and return "", else return the alert."""
    press = bot.world.press(user, message, "Review")
    alert = await bot.world.answer_to(press)
    await bot.settle()
    url = str((press.answer or {}).get("url", ""))
    if url:
        bot.world.start(user, url.partition("start=")[2])
        await bot.settle()
    return alert


async def play_hand(bot: LiveBot, dealer: User, chat: Chat, *numbers: int) -> Message:
    """Deal a hand and wait until it can be answered."""
    deal = await bot.deal(dealer, chat, *numbers)
    await bot.settle()
    return deal


async def open_review(bot: LiveBot, user: User) -> Message:
    """Send /review in private and return the bot's answer."""
    return await send_in_private(bot, user, "/review")


def list_lines(message: Message) -> list[str]:
    return message.text.splitlines()


# Single hands


async def test_evening_shows_missed_given_up_and_slow_hands(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    missed = await play_hand(bot, ann, family, 3, 8, 3, 8)
    await bot.say(bob, family, "8+8+3*3", reply_to=missed)
    clock.advance(40)
    await bot.say(ann, family, "8/(3-8/3)", reply_to=missed)
    assert "Review" not in missed.labels
    given_up = await play_hand(bot, bob, family, 1, 5, 5, 5)
    await bot.say(bob, family, SKIP)
    assert "Review" not in given_up.labels
    slow = await play_hand(bot, bob, family, 2, 2, 6, 6)
    clock.advance(74)
    await bot.say(bob, family, "2*6+2*6", reply_to=slow)
    quick = await play_hand(bot, bob, family, 1, 1, 2, 8)
    clock.advance(2)
    await bot.say(bob, family, "1*8*(1+2)", reply_to=quick)
    assert "Review" in slow.labels
    assert "Review" in quick.labels
    assert await press_review(bot, bob, quick) == ""
    review = world.posts(bob)[-1]
    assert list_lines(review) == [
        "🔎 Review · 1/3",
        "3 8 3 8 → 24",
        "\u2068Ann\u2069 found it in 40 s.",
        "You tried: 8+8+3×3 = 25",
        "8÷(3−8÷3) = 24",
        "1. 8 ÷ 3 = 2 2/3",
        "2. 3 − 2 2/3 = 1/3",
        "3. 8 ÷ 1/3 = 24",
        "💡 The last step is ÷.",
        "💡 Make 2 2/3 out of 3, 8.",
        "💭 Fractions",
        "Divide by a fraction: 8÷(1/3) is 24, and so is 6÷(1/4).",
    ]
    assert review.labels == ["›"]
    await press_button(bot, bob, review, "›")
    assert list_lines(review)[:3] == ["🔎 Review · 2/3", "1 5 5 5 → 24", "Given up."]
    assert review.labels == ["‹", "›"]
    await press_button(bot, bob, review, "›")
    assert list_lines(review)[:2] == ["🔎 Review · 3/3", "2 2 6 6 → 24"]
    assert list_lines(review)[2].startswith("You found 2×6+2×6 = 24 in 1 min 14 s, usually ")
    await press_button(bot, bob, review, "‹")
    assert list_lines(review)[0] == "🔎 Review · 2/3"
    assert len(world.posts(bob)) == 1


async def test_review_in_a_group_is_for_whoever_presses(
    bot: LiveBot, world: World, clock: Clock, bob: User, ann: User, family: Chat
) -> None:
    cid = world.user("Cid")
    world.join(cid, family)
    for _ in range(3):
        deal = await play_hand(bot, ann, family, 3, 8, 3, 8)
        await bot.say(bob, family, "8+8+3*3", reply_to=deal)
        clock.advance(10)
        await bot.say(ann, family, "8/(3-8/3)", reply_to=deal)
    posts = len(world.posts(family))
    assert await press_review(bot, ann, deal) == "Nothing to review: nothing went wrong."
    assert await press_review(bot, cid, deal) == "Nothing to review: you did not play."
    assert await press_review(bot, bob, deal) == ""
    assert len(world.posts(family)) == posts
    assert list_lines(world.posts(bob)[-1])[0] == "🔎 Review · 1/3"


async def test_sitting_begins_after_a_pause_and_with_ones_first_hand(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    await play_hand(bot, bob, family, 1, 5, 5, 5)
    await bot.say(bob, family, SKIP)
    clock.advance(SITTING_PAUSE + 1)
    for numbers in ((1, 3, 4, 6), (3, 8, 3, 8)):
        await play_hand(bot, ann, family, *numbers)
        await bot.say(ann, family, SKIP)
    hand = await play_hand(bot, ann, family, 2, 2, 6, 6)
    await bot.say(bob, family, "2+2+6+6", reply_to=hand)
    await bot.say(ann, family, SKIP)
    review = await open_review(bot, bob)
    assert list_lines(review)[:2] == ["🔎 Review · 1/1", "2 2 6 6 → 24"]
    assert review.labels == []


async def test_review_command_in_a_group_links_to_the_private_chat(
    bot: LiveBot, world: World, ann: User, family: Chat
) -> None:
    await play_hand(bot, ann, family, 3, 8, 3, 8)
    await bot.say(ann, family, SKIP)
    await bot.say(ann, family, "/review@TwentyFourTestBot")
    world.open_link(ann, world.posts(family)[-1], "Review")
    await bot.settle()
    assert "8÷(3−8÷3) = 24" in list_lines(world.posts(ann)[-1])


@pytest.mark.parametrize("by_command", [False, True])
async def test_hand_that_an_admin_gave_up_alone_is_reviewed(
    bot: LiveBot, world: World, ann: User, *, by_command: bool
) -> None:
    owner = world.user("Cem")
    club = world.group("Club", owner, ann)
    deal = await play_hand(bot, ann, club, 3, 8, 3, 8)
    if by_command:
        await bot.say(owner, club, SKIP)
    else:
        await press_button(bot, owner, deal, "Give up")
    assert list_lines(await open_review(bot, owner))[:3] == ["🔎 Review · 1/1", "3 8 3 8 → 24", "Given up."]


async def test_review_goes_on_to_earlier_occasions(
    bot: LiveBot, clock: Clock, ann: User, family: Chat
) -> None:
    await play_hand(bot, ann, family, 3, 8, 3, 8)
    await bot.say(ann, family, SKIP)
    for _ in range(2):
        clock.advance(SITTING_PAUSE + 1)
        quick = await play_hand(bot, ann, family, 1, 1, 2, 8)
        await bot.say(ann, family, "1*8*(1+2)", reply_to=quick)
        assert list_lines(await open_review(bot, ann))[1] == "3 8 3 8 → 24"
    clock.advance(SITTING_PAUSE + 1)
    quick = await play_hand(bot, ann, family, 1, 1, 2, 8)
    await bot.say(ann, family, "1*8*(1+2)", reply_to=quick)
    assert (await open_review(bot, ann)).text == "Nothing to review: nothing went wrong."


async def test_nothing_to_review(bot: LiveBot, ann: User) -> None:
    assert (await open_review(bot, ann)).text == "Nothing to review: you did not play."
    private = bot.world.chat_of(ann)
    await play_hand(bot, ann, private, 3, 8, 3, 8)
    assert (await open_review(bot, ann)).text == "Nothing to review: nothing went wrong."
    await bot.say(ann, private, "8/(3-8/3)")
    assert (await open_review(bot, ann)).text == "Nothing to review: nothing went wrong."


async def test_draw_shows_the_entry_that_did_not_win(
    bot: LiveBot, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    draw = await start_countdown(bot, ann, family)
    tiles, target = read_draw(draw)
    for user, off in ((ann, 1), (bob, 2)):
        await bot.say(user, family, find_entry(tiles, target, off), reply_to=draw)
    clock.advance(70)
    await bot.run_timers()
    review = await open_review(bot, bob)
    assert list_lines(review)[2] == "Not found this time."
    tried = format_expression(find_entry(tiles, target, 2))
    assert list_lines(review)[3].startswith(f"You tried: {tried} = ")
    assert (await open_review(bot, ann)).text == "Nothing to review: nothing went wrong."


# Races and duels


async def test_race_shows_what_one_missed(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    race = await start_race(bot, ann, family)
    await bot.say(bob, family, "1*8+1+2", reply_to=race)
    clock.advance(3)
    await bot.say(ann, family, "1*8*(1+2)", reply_to=race)
    clock.advance(3)
    await bot.say(bob, family, "2*6+2*6", reply_to=race)
    clock.advance(63)
    await bot.run_timers()
    assert race.labels == ["Race again", "Review"]
    assert await press_review(bot, bob, race) == ""
    his = world.posts(bob)[-1]
    assert list_lines(his)[:4] == [
        "🔎 Review · 1/2",
        "1 1 2 8 → 24",
        "\u2068Ann\u2069 found it in 3 s.",
        "You tried: 1×8+1+2 = 11",
    ]
    await press_button(bot, bob, his, "›")
    assert list_lines(his)[1:3] == ["3 8 3 8 → 24", "Not found this time."]
    assert await press_review(bot, ann, race) == ""
    assert list_lines(world.posts(ann)[-1])[:2] == ["🔎 Review · 1/2", "2 2 6 6 → 24"]


async def test_duel_is_reviewed_by_its_two_players_alone(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User
) -> None:
    cid = world.user("Cid")
    club = world.group("Club", ann, bob, cid)
    await bot.say(ann, club, "/duel@TwentyFourTestBot")
    duel = world.posts(club)[-1]
    await press_button(bot, bob, duel, "Accept")
    for _ in range(3):
        clock.advance(5)
        await bot.say(ann, club, find_solution(duel), reply_to=duel)
    assert duel.labels == ["Rematch", "Review"]
    assert await press_review(bot, cid, duel) == "Nothing to review: you did not play."
    assert await press_review(bot, ann, duel) == "Nothing to review: nothing went wrong."
    assert await press_review(bot, bob, duel) == ""
    assert list_lines(world.posts(bob)[-1])[0] == "🔎 Review · 1/3"


# Hands of the day


async def test_daily_hand_that_was_given_up(bot: LiveBot, world: World, ann: User) -> None:
    bot.rig(3, 8, 3, 8)
    hand = await send_in_private(bot, ann, "/daily")
    await send_in_private(bot, ann, "8+8+3*3")
    await give_up(bot, ann, hand)
    await press_button(bot, ann, hand, "Review")
    review = world.posts(ann)[-1]
    assert list_lines(review)[:5] == [
        "🔎 Review · 1/1",
        "3 8 3 8 → 24",
        "Given up.",
        "You tried: 8+8+3×3 = 25",
        "8÷(3−8÷3) = 24",
    ]
    assert (await open_review(bot, ann)).text == review.text


async def test_daily_hand_that_took_long(bot: LiveBot, world: World, clock: Clock, ann: User) -> None:
    bot.rig(3, 8, 3, 8)
    await send_in_private(bot, ann, "/daily")
    clock.advance(900)
    result = await send_in_private(bot, ann, "8/(3-8/3)")
    await press_button(bot, ann, result, "Review")
    assert list_lines(world.posts(ann)[-1])[2].startswith("You found 8÷(3−8÷3) = 24 in 15 min, usually ")


async def test_daily_hand_that_was_solved_quickly_offers_no_review(
    bot: LiveBot, clock: Clock, ann: User
) -> None:
    bot.rig(3, 8, 3, 8)
    await send_in_private(bot, ann, "/daily")
    clock.advance(5)
    assert "Review" not in (await send_in_private(bot, ann, "8/(3-8/3)")).labels


async def test_daily_hand_that_ran_out_of_time(bot: LiveBot, clock: Clock, ann: User) -> None:
    bot.rig(3, 8, 3, 8)
    await send_in_private(bot, ann, "/daily")
    clock.advance(90_000)
    assert list_lines(await open_review(bot, ann))[1:3] == ["3 8 3 8 → 24", "Not found this time."]


# Storms and streaks


async def test_storm_shows_what_was_answered_wrongly_skipped_or_left_open(
    bot: LiveBot, world: World, clock: Clock, ann: User
) -> None:
    run = await begin(bot, ann)
    lines = [str(read_draw(run))]
    await bot.say(ann, world.chat_of(ann), "1+1")  # other numbers cost nothing
    await solve(bot, ann, run)
    wrong, (numbers, _) = len(lines), read_draw(run)
    lines.append(str(read_draw(run)))
    await bot.say(ann, world.chat_of(ann), "+".join(map(str, numbers)))
    clock.advance(2)
    await solve(bot, ann, run)
    lines.append(str(read_draw(run)))
    await press_button(bot, ann, run, "Skip: −10 s")
    lines.append(str(read_draw(run)))
    clock.advance(200)
    await bot.run_timers()
    await press_button(bot, ann, run, "Review")
    review = world.posts(ann)[-1]
    ends = list[str]()
    for line in lines[wrong:]:
        assert str(read_draw(review)) == line
        ends.append(list_lines(review)[2])
        if "›" in review.labels:
            await press_button(bot, ann, review, "›")
    assert ends[0].startswith("You found ")
    assert ends[1:] == ["Given up.", "Time was up."]
    assert list_lines(review)[0] == "🔎 Review · 3/3"
    await play_hand(bot, ann, world.chat_of(ann), 3, 8, 3, 8)  # is still open
    assert (await open_review(bot, ann)).text.startswith("🔎 Review · 1/3")


@pytest.mark.parametrize("command", ["/storm", "/streak"])
async def test_hand_of_a_second_at_the_end_of_a_run_is_no_miss(
    bot: LiveBot, world: World, clock: Clock, ann: User, command: str
) -> None:
    run = await begin(bot, ann, command)
    clock.advance(179)
    await solve(bot, ann, run)
    if command == "/storm":
        clock.advance(60)  # of which 1 belongs to the storm
        await bot.run_timers()
    else:
        clock.advance(1)
        await bot.say(ann, world.chat_of(ann), "/stop")
    await press_button(bot, ann, run, "Review")
    assert list_lines(world.posts(ann)[-1])[0] == "🔎 Review · 1/1"
    assert list_lines(world.posts(ann)[-1])[2].startswith("You found ")


async def test_streak_shows_the_hand_that_ended_it(bot: LiveBot, world: World, ann: User) -> None:
    run = await begin(bot, ann, "/streak")
    await solve(bot, ann, run)
    numbers, target = read_draw(run)
    tried = "+".join(map(str, numbers))
    await bot.say(ann, world.chat_of(ann), tried)
    await press_button(bot, ann, run, "Review")
    assert list_lines(world.posts(ann)[-1])[:4] == [
        "🔎 Review · 1/1",
        f"{' '.join(map(str, numbers))} → {target}",
        "Not found this time.",
        f"You tried: {tried} = {sum(numbers)}",
    ]


# Secrecy


async def test_hand_that_is_open_elsewhere_is_not_given_away(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    club = world.group("Club", ann, bob)
    await play_hand(bot, ann, family, 3, 8, 3, 8)
    await bot.say(ann, family, SKIP)
    again = await play_hand(bot, ann, club, 3, 8, 3, 8)
    await bot.say(bob, club, "8+8+3*3", reply_to=again)
    bot.world.start(ann, "review_1")
    await bot.settle()
    secret = world.posts(ann)[-1]
    assert "8÷(3−8÷3)" not in secret.text
    assert list_lines(secret)[3] == "🙈 That hand is on the table in a chat where you play: no peeking!"
    await bot.say(bob, club, "8/(3-8/3)", reply_to=again)
    bot.world.start(ann, "review_1")
    await bot.settle()
    assert "8÷(3−8÷3) = 24" in list_lines(world.posts(ann)[-1])


async def test_reviewed_solution_earns_nothing_afterwards(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    cid = world.user("Cid")
    club = world.group("Club", bob, cid)  # Ann does not play there yet
    world.join(ann, club)
    await play_hand(bot, ann, family, 3, 8, 3, 8)
    await bot.say(ann, family, SKIP)
    deal = await play_hand(bot, bob, club, 3, 8, 3, 8)
    clock.advance(2)
    await open_review(bot, ann)
    clock.advance(2)
    await bot.say(ann, club, "8/(3-8/3)", reply_to=deal)
    assert "no points" in deal.text


async def test_strangers_hands_are_not_shown(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    await play_hand(bot, ann, bot.world.chat_of(ann), 3, 8, 3, 8)
    await bot.say(ann, bot.world.chat_of(ann), "/skip")
    for payload in ("review_1", "review_99", "review_x", "review_2026-11-21"):
        bot.world.start(bob, payload)
        await bot.settle()
        assert world.posts(bob)[-1].text == "Nothing to review: you did not play."


@pytest.mark.parametrize("pictures", [True])
async def test_pages_have_pictures(bot: LiveBot, world: World, ann: User, bob: User, family: Chat) -> None:
    for numbers in ((3, 8, 3, 8), (1, 5, 5, 5)):
        await play_hand(bot, ann, family, *numbers)
        await bot.say(ann, family, SKIP)
    review = await open_review(bot, ann)
    assert review.is_photo
    first_file = review.file
    await press_button(bot, ann, review, "›")
    assert list_lines(review)[1] == "1 5 5 5 → 24"
    assert review.file not in (None, first_file)
