"""Photos of profiles, leaderboards, weeks, daily hands, Yahtzee cards and challenges."""

import asyncio
import re
from typing import Any

import pytest

import solver
from bot.formats import format_expression
from bot.queue.photos import Pause
from bot.queue.rendering import CAPTION_LIMIT, count_utf16_units
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot, RestartBot, read_reactions
from tests.stories.test_delivery_check import load_unsent_requests
from tests.stories.test_pictures import LINE, SETTING, SOLUTION, list_sent_methods
from tests.stories.test_race import HANDS
from tests.stories.test_weekly import MONDAY
from tests.stories.test_yahtzee import parse_rolls, press_button, start_yahtzee
from tests.telegram import Chat, Message, User, World
from tests.telegram.chats import PERMISSIONS

pytestmark = pytest.mark.long

HOUR = 3600.0
MINE = "@TwentyFourTestBot"


@pytest.fixture
def pictures() -> bool:
    return True


async def win_hands(bot: LiveBot, user: User, chat: Chat, times: int = 1) -> None:
    """Let `user` win hands in `chat`."""
    for _ in range(times):
        deal = await bot.deal(user, chat, 1, 2, 3, 4)
        await bot.say(user, chat, "1*2*3*4", reply_to=deal)


async def send_command(bot: LiveBot, user: User, chat: Chat, command: str) -> Message:
    """Send a command to `chat` and return the reply."""
    await bot.say(user, chat, f"/{command}{MINE if chat.type != 'private' else ''}")
    return bot.world.posts(chat)[-1]


def find_spoilers(message: Message) -> list[str]:
    """Return the texts of a message's spoilers."""
    units = message.text.encode("utf-16-le")
    spoilers = (entity for entity in message.entities if entity["type"] == "spoiler")
    return [units[2 * e["offset"] : 2 * (e["offset"] + e["length"])].decode("utf-16-le") for e in spoilers]


async def press_data(bot: LiveBot, user: User, message: Message, data: str) -> None:
    """Press the button with this data and wait until the message is edited."""
    await bot.world.answer_to(bot.world.press(user, message, data=data))
    await bot.settle()


async def test_profile_is_a_photo_in_each_game(bot: LiveBot, world: World, ann: User, family: Chat) -> None:
    await bot.choose(family, SETTING, "all")
    await win_hands(bot, ann, family, 2)
    profile = await send_command(bot, ann, family, "stats")
    assert profile.is_photo
    assert "Here: 3 points, #1" in profile.text.splitlines()
    assert "\u2068Ann\u2069 · Twenty-Four" in profile.text
    first = profile.file
    await press_data(bot, ann, profile, f"pf:{ann.id}:yahtzee")
    assert profile.file not in (None, first)
    assert "No round of it yet." in profile.text
    assert await bot.services.store.read(load_unsent_requests) == []


async def test_leaderboard_stays_a_photo_in_all_views(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    await bot.choose(family, SETTING, "all")
    await win_hands(bot, ann, family, 2)
    await win_hands(bot, bob, family)
    board = await send_command(bot, ann, family, "leaderboard")
    assert board.is_photo
    files = {board.file}
    for data in ("lb:h:w:24", "lb:h:m:24", "lb:h:d:24", "lb:w:d:24", "lb:w:d:yahtzee"):
        await press_data(bot, ann, board, data)
        files.add(board.file)
        if data == "lb:h:w:24":
            lines = board.text.splitlines()
            assert "1. \u2068Ann\u2069 — 3" in lines
            assert re.fullmatch("\u2068Ann\u2069: \\w+ 3", lines[-2]), lines
            assert re.fullmatch("\u2068Bob\u2069: \\w+ 1", lines[-1]), lines
    assert "Nobody has scored here yet." in board.text
    assert len(files) == 6
    assert None not in files
    assert len([r for r in world.requests if r.method == "editMessageText"]) == 0


async def test_each_tab_has_a_picture(bot: LiveBot, world: World, ann: User, bob: User, family: Chat) -> None:
    await bot.choose(family, SETTING, "all")
    await win_hands(bot, ann, family)
    board = await send_command(bot, ann, family, "leaderboard")
    files = [board.file]
    for data, shown in (
        ("tp:h:a", "Nobody has a rating"),
        ("rc:", "Records of this chat"),
        ("pf:", "Answered 1 hand, won 1"),
    ):
        await press_data(bot, ann, board, data)
        assert shown in board.text
        files.append(board.file)
    await press_data(bot, bob, board, "pf:")
    assert "Answered 1 hand, won 1" in board.text  # Bob has no figures, so the message stays
    await press_data(bot, bob, board, "lb:h:a")
    assert "1. \u2068Ann\u2069 — 2" in board.text.splitlines()
    assert len(set(files)) == 4
    assert await bot.services.store.read(load_unsent_requests) == []


async def test_empty_leaderboard_is_a_text_and_stays_one(
    bot: LiveBot, world: World, ann: User, family: Chat
) -> None:
    await bot.choose(family, SETTING, "all")
    board = await send_command(bot, ann, family, "leaderboard")
    assert not board.is_photo
    await win_hands(bot, ann, family)
    await press_data(bot, ann, board, "lb:h:w:24")
    assert "1. \u2068Ann\u2069 — 2" in board.text.splitlines()
    assert not board.is_photo


@pytest.mark.parametrize("setting", ["off", "cards"])
async def test_statistics_are_text_where_only_cards_have_pictures(
    bot: LiveBot, world: World, ann: User, family: Chat, setting: str
) -> None:
    await bot.choose(family, SETTING, setting)
    await win_hands(bot, ann, family)
    for command in ("stats", "leaderboard"):
        assert not (await send_command(bot, ann, family, command)).is_photo


async def test_photo_of_statistics_survives_a_change_of_setting(
    bot: LiveBot, world: World, ann: User, family: Chat
) -> None:
    await bot.choose(family, SETTING, "all")
    await win_hands(bot, ann, family)
    board = await send_command(bot, ann, family, "leaderboard")
    await bot.choose(family, SETTING, "off")
    await press_data(bot, ann, board, "lb:h:w:24")
    assert board.is_photo
    assert await bot.services.store.read(load_unsent_requests) == []


async def test_weekly_post_is_a_podium_with_names(
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


async def test_daily_hand_and_its_result_are_photos(
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
    assert f"🏆 {format_expression(SOLUTION)} = 24" in result.text.splitlines()
    assert find_spoilers(result) == [LINE, f"🏆 {format_expression(SOLUTION)} = 24"]
    assert "1 wrong answer" in result.text
    assert world.uploads.count == 2
    assert await bot.services.store.read(load_unsent_requests) == []


async def test_given_up_daily_hand_keeps_its_picture(bot: LiveBot, world: World, ann: User) -> None:
    home = world.chat_of(ann)
    bot.rig(3, 8, 3, 8)
    hand = await send_command(bot, ann, home, "daily")
    assert hand.is_photo
    for button in ("Give up", "Yes, show me"):
        world.press(ann, hand, button)
        await bot.settle()
    assert format_expression(SOLUTION) in hand.text
    assert hand.is_photo
    assert world.uploads.count == 1
    assert not (await send_command(bot, ann, home, "daily")).is_photo


async def test_yahtzee_shows_dice_by_turn_and_the_card_at_the_end(
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


async def test_moved_card_leaves_a_note_under_its_old_dice(
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
@pytest.mark.parametrize("setting", ["cards", "all"])
async def test_duel_is_a_photo_from_challenge_to_end(
    restart_bot: RestartBot, world: World, ann: User, bob: User, family: Chat, setting: str
) -> None:
    bot = await restart_bot(world)
    await bot.choose(family, SETTING, setting)
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
    assert len(set(seen)) == (5 if setting == "all" else 4)
    assert await bot.services.store.read(load_unsent_requests) == []


@pytest.mark.long
async def test_ended_challenge_keeps_its_picture(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    for ending in ("taken back", "lapsed"):
        world.say(ann, family, f"/duel{MINE}")
        challenge = await world.next_post(family, "challenges whoever dares")
        await bot.settle()
        if ending == "taken back":
            world.press(ann, challenge, "Withdraw the challenge")
            await bot.settle()
            assert "has withdrawn the challenge" in challenge.text
        else:
            clock.advance(301)
            await bot.run_timers()
            assert "Nobody took" in challenge.text
        assert challenge.is_photo
    assert await bot.services.store.read(load_unsent_requests) == []


async def test_secret_answer_to_a_photo_counts(
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


async def test_photo_stored_as_unknown_is_edited_as_a_photo(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    # After a crash nobody knows how a post was delivered.
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.services.store.write(lambda tx: tx.exec_driver_sql("UPDATE rounds SET picture = NULL"))
    await bot.say(bob, family, SOLUTION, reply_to=deal)
    assert "🏆 \u2068Bob\u2069" in deal.text
    assert deal.is_photo
    assert await bot.services.store.read(load_unsent_requests) == []


@pytest.mark.parametrize("command", ["stats", "leaderboard"])
async def test_statistics_are_text_where_photos_are_forbidden(
    bot: LiveBot, world: World, ann: User, family: Chat, command: str
) -> None:
    await bot.choose(family, SETTING, "all")
    world.permit(family, *(each for each in PERMISSIONS if each != "can_send_photos"))
    await win_hands(bot, ann, family)
    message = await send_command(bot, ann, family, command)
    assert not message.is_photo
    assert "Ann" in message.text


@pytest.mark.long
async def test_leaderboard_of_long_names_fits_into_a_caption(
    bot: LiveBot, world: World, clock: Clock, ann: User
) -> None:
    crowd = [world.user("👩\u200d👩\u200d👧\u200d👦" * 5 + str(n)) for n in range(12)]
    club = world.group("Club", ann, *crowd)
    await bot.choose(club, SETTING, "all")
    for each in crowd:
        await win_hands(bot, each, club)
    board = await send_command(bot, crowd[0], club, "leaderboard")
    assert board.is_photo
    await press_data(bot, crowd[0], board, "lb:h:w:24")
    assert count_utf16_units(board.text) <= CAPTION_LIMIT
    assert await bot.services.store.read(load_unsent_requests) == []


@pytest.fixture
def _short_picture_delays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check soon again whether a missing picture is ready."""
    monkeypatch.setattr("bot.queue.sender.PICTURE_CHECK_DELAYS", (0.05, 0.6, 0.6, 0.6))


@pytest.mark.long
@pytest.mark.usefixtures("_short_picture_delays")
@pytest.mark.parametrize("failure", [{"status": 502}, {"status": 400}, {"close": True}, {"retry_after": 1}])
async def test_picture_is_sent_after_a_failed_edit(
    bot: LiveBot, world: World, ann: User, failure: dict[str, Any]
) -> None:
    card = await start_yahtzee(bot, ann, world.chat_of(ann))
    before = card.file
    world.faults.add("editMessageMedia", count=1, **failure)
    await press_button(bot, ann, card, (card.markup or {})["inline_keyboard"][0][0]["text"])
    assert card.file not in (None, before)
    assert list_sent_methods(world)[-1] == "editMessageMedia"
    assert await bot.services.store.read(load_unsent_requests) == []


@pytest.mark.usefixtures("_short_picture_delays")
async def test_late_picture_is_sent_after_its_text(bot: LiveBot, world: World, ann: User) -> None:
    card = await start_yahtzee(bot, ann, world.chat_of(ann))
    before, photos = card.file, bot.service.outbox.photos
    painter, release = photos.painter, asyncio.Event()
    assert painter is not None

    async def paint_late(picture: Any, language: str) -> bytes:
        await release.wait()
        return await painter(picture, language)

    photos.painter = paint_late
    first = parse_rolls(card.text)
    world.press(ann, card, (card.markup or {})["inline_keyboard"][0][0]["text"])
    await world.wait_until(lambda: parse_rolls(card.text) != first)
    assert card.file == before
    release.set()
    await bot.settle()
    assert card.file not in (None, before)
    assert list_sent_methods(world).count("editMessageCaption") == 1  # no words are sent twice


@pytest.mark.long
@pytest.mark.usefixtures("_short_picture_delays")
async def test_failing_picture_is_given_up(bot: LiveBot, world: World, ann: User) -> None:
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
async def test_text_of_an_edit_is_sent_before_a_slow_upload(bot: LiveBot, world: World, ann: User) -> None:
    card = await start_yahtzee(bot, ann, world.chat_of(ann))
    before, home = card.file, world.chat_of(ann)
    bot.service.outbox.photos._pause(Pause.UPLOADS, home.id, 900.0)
    await press_button(bot, ann, card, (card.markup or {})["inline_keyboard"][0][0]["text"])
    assert list_sent_methods(world)[-2:] == ["editMessageCaption", "editMessageMedia"]
    assert card.file not in (None, before)


async def test_text_stored_as_a_photo_is_edited_as_a_text(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    await bot.choose(family, SETTING, "off")
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.services.store.write(lambda tx: tx.exec_driver_sql("UPDATE rounds SET picture = '-'"))
    world.faults.add("editMessageMedia", status=400, description="IMAGE_PROCESS_FAILED")
    await bot.say(bob, family, SOLUTION, reply_to=deal)
    assert "🏆 \u2068Bob\u2069" in deal.text
    assert not deal.is_photo


def find_solution(line: str) -> str:
    """Return a solution of the hand in a line."""
    return str(next(solver.solve([int(n) for n in line.partition(" →")[0].split()])))
