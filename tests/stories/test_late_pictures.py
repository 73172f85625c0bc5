"""Pictures that are drawn late, refused, or needed by many chats at once: the text never waits for them."""

import asyncio
from itertools import combinations

import pytest

import solver
from bot.formats import format_expression
from bot.queue.photos import Pause, Photos
from tests.stories.conftest import LiveBot, read_reactions
from tests.stories.test_delivery_check import load_unsent_requests
from tests.stories.test_photos import send_command, win_hands
from tests.stories.test_pictures import SETTING, SOLUTION, list_sent_methods
from tests.stories.test_race import HANDS, start_race
from tests.telegram import Chat, User, World

pytestmark = pytest.mark.long

SHORT_DELAYS = (0.05, 0.3, 0.3, 0.3)
LONG_PAUSE = 900.0
GROUPS = 60


@pytest.fixture
def pictures() -> bool:
    return True


@pytest.fixture(autouse=True)
def _check_pictures_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the bot look for missing pictures again after a fraction of a second."""
    monkeypatch.setattr("bot.queue.sender.PICTURE_CHECK_DELAYS", SHORT_DELAYS)


def get_photos(bot: LiveBot) -> Photos:
    return bot.service.outbox.photos


async def forget_file_ids(bot: LiveBot) -> None:
    """Let the bot forget the file ids of all pictures."""
    get_photos(bot)._file_ids.clear()
    await bot.services.store.write(lambda tx: tx.exec_driver_sql("DELETE FROM uploads"))


@pytest.mark.long
async def test_late_daily_picture_keeps_the_newer_caption(bot: LiveBot, world: World, ann: User) -> None:
    home = world.chat_of(ann)
    bot.rig(3, 8, 3, 8)
    hand = await send_command(bot, ann, home, "daily")
    get_photos(bot)._pause(Pause.UPLOADS, home.id, LONG_PAUSE)
    await forget_file_ids(bot)
    world.press(ann, hand, "Hint")
    await world.wait_until(lambda: "💡" in hand.text)
    world.press(ann, hand, "Give up")
    await world.wait_until(lambda: "Yes, show me" in hand.labels)
    world.press(ann, hand, "Yes, show me")
    await world.wait_until(lambda: format_expression(SOLUTION) in hand.text)
    await bot.settle()
    assert format_expression(SOLUTION) in hand.text
    assert "Hint" not in hand.labels
    assert await bot.services.store.read(load_unsent_requests) == []


@pytest.mark.long
@pytest.mark.parametrize("status", [200, 502])
async def test_late_leaderboard_picture_keeps_the_newer_page(
    bot: LiveBot, world: World, monkeypatch: pytest.MonkeyPatch, ann: User, family: Chat, status: int
) -> None:
    monkeypatch.setattr("bot.queue.photos.PATIENCE", 0.02)
    await bot.choose(family, SETTING, "all")
    await win_hands(bot, ann, family, 2)
    board = await send_command(bot, ann, family, "leaderboard")
    paint = get_photos(bot).painter
    assert paint is not None

    async def paint_late(picture: object, language: str) -> bytes:
        await drawing_allowed.wait()
        return await paint(picture, language)

    drawing_allowed, get_photos(bot).painter = asyncio.Event(), paint_late
    if status != 200:
        world.faults.add("editMessageMedia", count=1, status=status)
    world.press(ann, board, data="lb:h:w:24")
    await world.wait_until(lambda: "week" in board.text)
    world.press(ann, board, data="lb:h:a:24")
    await world.wait_until(lambda: "all time" in board.text)
    drawing_allowed.set()
    await bot.settle()
    assert "all time" in board.text
    assert await bot.services.store.read(load_unsent_requests) == []


@pytest.mark.parametrize("fault", [{"status": 502}, {"close": True}])
async def test_picture_follows_a_caption_with_an_unknown_outcome(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat, fault: dict[str, int]
) -> None:
    # The caption is sent first, and again: the second time changes nothing.
    race = await start_race(bot, ann, family)
    before = race.file
    get_photos(bot)._pause(Pause.UPLOADS, family.id, LONG_PAUSE)
    world.faults.add("editMessageCaption", count=1, effect=True, **fault)
    await bot.say(bob, family, HANDS[0][1], reply_to=race)
    assert " ".join(map(str, HANDS[1][0])) in race.text
    assert race.file not in (None, before)
    assert "editMessageMedia" in list_sent_methods(world)


@pytest.mark.long
@pytest.mark.parametrize(
    "error",
    [
        "MEDIA_EMPTY",
        "FILE_REFERENCE_EXPIRED",
        "PHOTO_INVALID",
        "wrong file identifier/HTTP URL specified",
        "wrong remote file identifier specified: can't unserialize it. Wrong last symbol",
        "IMAGE_PROCESS_FAILED",
        "wrong type of the web page content",
        "wrong padding in the string",
        "failed to get HTTP URL content",
    ],
)
async def test_refused_file_id_is_uploaded_again(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat, error: str
) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.say(bob, family, SOLUTION, reply_to=deal)
    world.faults.add("sendPhoto", count=1, status=400, description=f"Bad Request: {error}")
    again = await bot.deal(ann, family, 3, 8, 3, 8)
    assert again.is_photo
    assert world.uploads.count == 3
    assert read_reactions(await bot.say(bob, family, SOLUTION, reply_to=again)) == "🏆"
    third = await bot.deal(ann, family, 3, 8, 3, 8)
    assert (third.is_photo, world.uploads.count) == (True, 4)


@pytest.mark.long
async def test_many_groups_at_once_all_get_their_hand(bot: LiveBot, world: World, ann: User) -> None:
    # More pictures wait than the bot keeps, and still each is drawn once at most.
    drawings = 0

    async def paint(picture: object, language: str) -> bytes:
        nonlocal drawings
        drawings += 1
        await asyncio.sleep(0.001)
        return b"\x89PNG" + repr(picture).encode()

    get_photos(bot).painter = paint
    world.faults.add("sendPhoto", delay=0.01)
    hands = (hand for hand in combinations(range(1, 11), 4) if next(solver.solve(hand), None))
    groups = [world.group(f"Group {n}", world.user(f"User {n}")) for n in range(GROUPS)]
    for number, group in enumerate(groups):
        bot.rig(*next(hands))
        world.say(world.user(f"Other {number}"), group, "/play@TwentyFourTestBot")
    await world.wait_until(lambda: all(world.posts(group) for group in groups))
    await bot.settle()
    assert drawings <= GROUPS
    assert all(len(world.posts(group)) == 1 for group in groups)
