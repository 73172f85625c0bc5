"""Photos beside the table: profiles, boards, weeks, hands of a day, cards and challenges."""

import asyncio
import re
from itertools import count
from typing import Any

import pytest

import solver
from bot.queue.photos import Pause
from bot.telegram.photo_messages import CAPTION_LIMIT, count_utf16_units
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot, RestartBot, read_reactions
from tests.stories.test_delivery_check import load_unsent_requests
from tests.stories.test_pictures import LINE, SETTING, SOLUTION, list_sent_methods
from tests.stories.test_race import HANDS
from tests.stories.test_weekly import MONDAY
from tests.stories.test_yahtzee import parse_rolls, press_button, start_yahtzee
from tests.telegram import Chat, Message, User, World
from tests.telegram.chats import PERMISSIONS

HOUR = 3600.0
MINE = "@TwentyFourTestBot"


@pytest.fixture(autouse=True)
def _same_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    """In every run: of two rolls that are alike the picture is the same."""
    monkeypatch.setattr("bot.service.make_seed", count(24).__next__)


@pytest.fixture
def pictures() -> bool:
    return True


async def win_hands(bot: LiveBot, user: User, chat: Chat, times: int = 1) -> None:
    """`user` wins hands in `chat`."""
    for _ in range(times):
        deal = await bot.deal(user, chat, 1, 2, 3, 4)
        await bot.say(user, chat, "1*2*3*4", reply_to=deal)


async def send_command(bot: LiveBot, user: User, chat: Chat, command: str) -> Message:
    """What `user` gets for a command in `chat`."""
    await bot.say(user, chat, f"/{command}{MINE if chat.type != 'private' else ''}")
    return bot.world.posts(chat)[-1]


def find_spoilers(message: Message) -> list[str]:
    """What of a message is seen by whoever taps it."""
    units = message.text.encode("utf-16-le")
    spoilers = (entity for entity in message.entities if entity["type"] == "spoiler")
    return [units[2 * e["offset"] : 2 * (e["offset"] + e["length"])].decode("utf-16-le") for e in spoilers]


async def press_data(bot: LiveBot, user: User, message: Message, data: str) -> None:
    """`user` presses a button, and the message is drawn."""
    await bot.world.answer_to(bot.world.press(user, message, data=data))
    await bot.settle()


async def test_where_all_is_shown_a_profile_is_a_photo_in_each_of_its_games(
    bot: LiveBot, world: World, ann: User, family: Chat
) -> None:
    await bot.choose(family, SETTING, "all")
    await win_hands(bot, ann, family, 2)
    profile = await send_command(bot, ann, family, "stats")
    assert profile.is_photo
    assert "Here: 3 points, won 2 of 2, #1" in profile.text.splitlines()
    first = profile.file
    await press_data(bot, ann, profile, f"pf:{ann.id}:24")
    assert "\u2068Ann\u2069 · 24" in profile.text
    assert profile.file not in (None, first)
    second = profile.file
    await press_data(bot, ann, profile, f"pf:{ann.id}:yahtzee")
    assert profile.file not in (None, second)
    assert "No round of it yet." in profile.text
    assert len({first, profile.file}) == 2
    assert await bot.services.store.read(load_unsent_requests) == []


async def test_a_board_is_a_chart_of_the_week_or_a_table_and_stays_a_photo(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    await bot.choose(family, SETTING, "all")
    await win_hands(bot, ann, family, 2)
    await win_hands(bot, bob, family)
    board = await send_command(bot, ann, family, "leaderboard")
    assert board.is_photo
    files = {board.file}
    for data in ("lb:h:w", "lb:h:m", "lb:h:d", "lb:w:d", "lb:w:d:yahtzee"):
        await press_data(bot, ann, board, data)
        files.add(board.file)
        if data == "lb:h:w":
            lines = board.text.splitlines()
            assert "1. \u2068Ann\u2069 — 3" in lines
            assert re.fullmatch("\u2068Ann\u2069: \\w+ 3", lines[-2]), lines
            assert re.fullmatch("\u2068Bob\u2069: \\w+ 1", lines[-1]), lines
    assert "Nobody has scored here yet." in board.text
    assert len(files) == 6
    assert None not in files
    assert len([r for r in world.requests if r.method == "editMessageText"]) == 0


async def test_an_empty_board_is_a_text_and_stays_one(
    bot: LiveBot, world: World, ann: User, family: Chat
) -> None:
    await bot.choose(family, SETTING, "all")
    board = await send_command(bot, ann, family, "leaderboard")
    assert not board.is_photo
    await win_hands(bot, ann, family)
    await press_data(bot, ann, board, "lb:h:w")
    assert "1. \u2068Ann\u2069 — 2" in board.text.splitlines()
    assert not board.is_photo


@pytest.mark.parametrize("chosen", ["off", "cards"])
async def test_figures_are_text_where_no_more_than_cards_is_shown(
    bot: LiveBot, world: World, ann: User, family: Chat, chosen: str
) -> None:
    await bot.choose(family, SETTING, chosen)
    await win_hands(bot, ann, family)
    for command in ("stats", "leaderboard"):
        assert not (await send_command(bot, ann, family, command)).is_photo


async def test_a_photo_of_figures_stays_one_when_the_chat_chooses_otherwise(
    bot: LiveBot, world: World, ann: User, family: Chat
) -> None:
    await bot.choose(family, SETTING, "all")
    await win_hands(bot, ann, family)
    board = await send_command(bot, ann, family, "leaderboard")
    await bot.choose(family, SETTING, "off")
    await press_data(bot, ann, board, "lb:h:w")
    assert board.is_photo
    assert await bot.services.store.read(load_unsent_requests) == []


async def test_the_word_about_a_week_is_a_podium_and_says_who_stands_on_it(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    await bot.choose(family, SETTING, "all")
    await win_hands(bot, ann, family, 2)
    await win_hands(bot, bob, family)
    clock.now = MONDAY + 5
    await bot.run_timers()
    word = world.posts(family)[-1]
    assert word.is_photo
    assert word.text.splitlines()[0] == "🏆 The week’s winner: \u2068Ann\u2069, 3 points"
    assert word.text.splitlines()[-1] == "🥇 \u2068Ann\u2069 3 · 🥈 \u2068Bob\u2069 1"
    await bot.run_timers()
    assert world.posts(family)[-1] is word


async def test_the_hand_of_a_day_is_its_cards_and_where_all_is_shown_so_is_its_result(
    restart_bot: RestartBot, world: World, clock: Clock, ann: User
) -> None:
    bot, home = await restart_bot(world), world.chat_of(ann)
    await bot.choose(home, SETTING, "all")
    bot.rig(3, 8, 3, 8)
    hand = await send_command(bot, ann, home, "daily")
    assert hand.is_photo
    assert LINE in hand.text.splitlines()
    bot = await restart_bot(world)
    world.press(ann, hand, "Hint")
    await bot.settle()
    await bot.say(ann, home, "/hint")
    assert hand.text.count("💡") == 2
    assert read_reactions(await bot.say(ann, home, "3*8+3+8", reply_to=hand)) == "👎"
    await bot.say(ann, home, SOLUTION, reply_to=hand)
    result = world.posts(home)[-1]
    assert result.is_photo
    assert result.file != hand.file
    assert f"🏆 {SOLUTION} = 24" in result.text.splitlines()
    assert find_spoilers(result) == [LINE, f"🏆 {SOLUTION} = 24"]
    assert "1 wrong answer" in result.text
    assert world.uploads.count == 2
    assert await bot.services.store.read(load_unsent_requests) == []


async def test_a_hand_of_a_day_that_is_given_up_keeps_its_picture(
    bot: LiveBot, world: World, ann: User
) -> None:
    home = world.chat_of(ann)
    bot.rig(3, 8, 3, 8)
    hand = await send_command(bot, ann, home, "daily")
    assert hand.is_photo
    world.press(ann, hand, "Give up")
    await bot.settle()
    assert SOLUTION in hand.text
    assert hand.is_photo
    assert world.uploads.count == 1
    assert not (await send_command(bot, ann, home, "daily")).is_photo


async def test_dice_are_shown_turn_by_turn_and_the_card_at_the_end(
    restart_bot: RestartBot, world: World, ann: User
) -> None:
    bot, home = await restart_bot(world), world.chat_of(ann)
    card = await start_yahtzee(bot, ann, home)
    seen = [card.file]
    for turn in range(13):
        assert card.is_photo
        assert turn == 12 or len(parse_rolls(card.text)) == 1
        if turn == 6:
            bot = await restart_bot(world)
        await press_button(bot, ann, card, (card.markup or {})["inline_keyboard"][0][0]["text"])
        seen.append(card.file)
    assert "Best possible" in card.text
    assert len(parse_rolls(card.text)) == 13
    assert None not in seen
    assert len(set(seen)) > 10
    assert count_utf16_units(card.text) <= CAPTION_LIMIT
    assert {*list_sent_methods(world)} == {"sendPhoto", "editMessageMedia"}
    assert await bot.services.store.read(load_unsent_requests) == []


async def test_a_card_that_moves_leaves_a_word_under_its_old_dice(
    bot: LiveBot, world: World, clock: Clock, ann: User
) -> None:
    home = world.chat_of(ann)
    card = await start_yahtzee(bot, ann, home)
    clock.advance(120)
    below = await start_yahtzee(bot, ann, home)
    assert below is not card
    assert (card.is_photo, below.is_photo) == (True, True)
    assert card.text.endswith("⬇️")
    assert await bot.services.store.read(load_unsent_requests) == []


@pytest.mark.long
@pytest.mark.parametrize("chosen", ["cards", "all"])
async def test_a_duel_is_a_photo_from_its_challenge_to_its_end(
    restart_bot: RestartBot, world: World, ann: User, bob: User, family: Chat, chosen: str
) -> None:
    bot = await restart_bot(world)
    await bot.choose(family, SETTING, chosen)
    world.say(ann, family, f"/duel{MINE}")
    duel = await world.next_post(family, "challenges")
    await bot.settle()
    assert duel.is_photo
    seen = [duel.file]
    bot = await restart_bot(world)
    for numbers, _ in HANDS:
        bot.rig(*numbers)
    world.press(bob, duel, "Accept")
    await bot.settle()
    for numbers, solution in HANDS[:3]:
        assert f"{' '.join(map(str, numbers))} → 24" in duel.text.splitlines()
        seen.append(duel.file)
        await bot.say(bob, family, solution, reply_to=duel)
    assert "wins the duel" in duel.text
    seen.append(duel.file)
    assert world.posts(family) == [duel]
    assert len(set(seen)) == (5 if chosen == "all" else 4)
    assert await bot.services.store.read(load_unsent_requests) == []


@pytest.mark.long
async def test_a_challenge_that_comes_to_nothing_says_so_under_its_picture(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    for ending in ("taken back", "lapsed"):
        world.say(ann, family, f"/duel{MINE}")
        challenge = await world.next_post(family, "challenges whoever dares")
        await bot.settle()
        if ending == "taken back":
            world.press(ann, challenge, "Take it back")
            await bot.settle()
            assert "taken the challenge back" in challenge.text
        else:
            clock.advance(301)
            await bot.run_timers()
            assert "Nobody took" in challenge.text
        assert challenge.is_photo
    assert await bot.services.store.read(load_unsent_requests) == []


async def test_an_answer_in_secret_to_a_photo_is_heard(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    await bot.choose(family, "secret", True)
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    assert deal.is_photo
    bot.world.open_link(bob, deal, "🤫 Answer secretly")
    await bot.settle()
    home = world.chat_of(bob)
    await bot.say(bob, home, SOLUTION, reply_to=world.posts(home)[-1])
    assert "🏆 \u2068Bob\u2069" in deal.text


async def test_a_text_of_which_nobody_knew_that_it_is_a_photo_is_changed_as_one(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    # As after a crash that hid how a post arrived.
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.services.store.write(lambda tx: tx.exec_driver_sql("UPDATE rounds SET picture = NULL"))
    await bot.say(bob, family, SOLUTION, reply_to=deal)
    assert "🏆 \u2068Bob\u2069" in deal.text
    assert deal.is_photo
    assert await bot.services.store.read(load_unsent_requests) == []


@pytest.mark.parametrize("command", ["stats", "leaderboard"])
async def test_figures_go_out_as_text_where_no_photo_can(
    bot: LiveBot, world: World, ann: User, family: Chat, command: str
) -> None:
    await bot.choose(family, SETTING, "all")
    world.permit(family, *(each for each in PERMISSIONS if each != "can_send_photos"))
    await win_hands(bot, ann, family)
    message = await send_command(bot, ann, family, command)
    assert not message.is_photo
    assert "Ann" in message.text


@pytest.mark.long
async def test_the_board_of_many_long_names_is_a_caption_that_fits(
    bot: LiveBot, world: World, clock: Clock, ann: User
) -> None:
    crowd = [world.user("👩\u200d👩\u200d👧\u200d👦" * 5 + str(n)) for n in range(12)]
    club = world.group("Club", ann, *crowd)
    await bot.choose(club, SETTING, "all")
    for each in crowd:
        await win_hands(bot, each, club)
    board = await send_command(bot, crowd[0], club, "leaderboard")
    assert board.is_photo
    await press_data(bot, crowd[0], board, "lb:h:w")
    assert count_utf16_units(board.text) <= CAPTION_LIMIT
    assert await bot.services.store.read(load_unsent_requests) == []


@pytest.fixture
def _short_picture_delays(monkeypatch: pytest.MonkeyPatch) -> None:
    """A photo that owes its picture is looked at again soon."""
    monkeypatch.setattr("bot.queue.sender.PICTURE_CHECK_DELAYS", (0.05, 0.6, 0.6, 0.6))


@pytest.mark.long
@pytest.mark.usefixtures("_short_picture_delays")
@pytest.mark.parametrize("how", [{"status": 502}, {"status": 400}, {"close": True}, {"retry_after": 1}])
async def test_a_picture_that_failed_once_follows(
    bot: LiveBot, world: World, ann: User, how: dict[str, Any]
) -> None:
    card = await start_yahtzee(bot, ann, world.chat_of(ann))
    before = card.file
    world.faults.add("editMessageMedia", count=1, **how)
    await press_button(bot, ann, card, (card.markup or {})["inline_keyboard"][0][0]["text"])
    assert card.file not in (None, before)
    assert list_sent_methods(world)[-1] == "editMessageMedia"
    assert await bot.services.store.read(load_unsent_requests) == []


@pytest.mark.usefixtures("_short_picture_delays")
async def test_a_picture_that_is_drawn_late_follows_its_words(bot: LiveBot, world: World, ann: User) -> None:
    card = await start_yahtzee(bot, ann, world.chat_of(ann))
    before, photos = card.file, bot.service.outbox.photos
    drawn, may = photos.painter, asyncio.Event()
    assert drawn is not None

    async def late(picture: Any, language: str) -> bytes:
        await may.wait()
        return await drawn(picture, language)

    photos.painter = late
    first = parse_rolls(card.text)
    world.press(ann, card, (card.markup or {})["inline_keyboard"][0][0]["text"])
    await world.wait_until(lambda: parse_rolls(card.text) != first)
    assert card.file == before
    may.set()
    await bot.settle()
    assert card.file not in (None, before)
    assert list_sent_methods(world).count("editMessageCaption") == 1  # no words are sent twice


@pytest.mark.long
@pytest.mark.usefixtures("_short_picture_delays")
async def test_a_picture_that_is_never_to_be_had_ends_the_wait(bot: LiveBot, world: World, ann: User) -> None:
    card = await start_yahtzee(bot, ann, world.chat_of(ann))
    before = card.file

    async def fail(picture: Any, language: str) -> bytes:
        raise OSError("no art")

    bot.service.outbox.photos.painter = fail
    await press_button(bot, ann, card, (card.markup or {})["inline_keyboard"][0][0]["text"])
    assert card.file == before
    assert list_sent_methods(world).count("editMessageCaption") == 1
    assert await bot.services.store.read(load_unsent_requests) == []


@pytest.mark.usefixtures("_short_picture_delays")
async def test_where_uploads_are_slow_the_words_of_an_edit_go_first(
    bot: LiveBot, world: World, ann: User
) -> None:
    card = await start_yahtzee(bot, ann, world.chat_of(ann))
    before, home = card.file, world.chat_of(ann)
    bot.service.outbox.photos._pause(Pause.UPLOADS, home.id, 900.0)
    await press_button(bot, ann, card, (card.markup or {})["inline_keyboard"][0][0]["text"])
    assert list_sent_methods(world)[-2:] == ["editMessageCaption", "editMessageMedia"]
    assert card.file not in (None, before)


async def test_a_photo_that_is_none_is_changed_as_a_text(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    await bot.choose(family, SETTING, "off")
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.services.store.write(lambda tx: tx.exec_driver_sql("UPDATE rounds SET picture = '-'"))
    world.faults.add("editMessageMedia", status=400, description="IMAGE_PROCESS_FAILED")
    await bot.say(bob, family, SOLUTION, reply_to=deal)
    assert "🏆 \u2068Bob\u2069" in deal.text
    assert not deal.is_photo


@pytest.mark.long
@pytest.mark.parametrize("hands", [5, 6, 10])
async def test_every_seed_of_a_race_is_told_also_where_a_caption_has_no_room(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat, hands: int
) -> None:
    world.say(ann, family, f"/race{MINE} {hands}")
    race = await world.next_post(family, "→ 24")
    await bot.settle()
    for n in range(hands):
        line = next(line for line in race.text.splitlines() if line.endswith("→ 24"))
        await bot.say((ann, bob)[n % 2], family, find_solution(line), reply_to=race)
    assert race.is_photo
    assert count_utf16_units(race.text) <= CAPTION_LIMIT
    text = "\n".join(post.text for post in world.posts(family))
    seeds = re.findall("🔒 [0-9a-f]{32}\n🔑 .+", text)
    assert len(set(seeds)) == hands
    assert len(world.posts(family)) == (1 if hands <= 5 else 2)
    assert world.posts(family)[-1].reply_to in (None, race)


def find_solution(line: str) -> str:
    """An answer to a hand."""
    return str(next(solver.solve([int(n) for n in line.partition(" →")[0].split()])))
