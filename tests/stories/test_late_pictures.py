"""Pictures that come late, are refused, or are asked for by dozens at once: words are first, and last."""

import asyncio
from itertools import combinations

import pytest

import solver
from bot.queue.photos import Pause, Photos
from tests.stories.conftest import LiveBot, read_reactions
from tests.stories.test_delivery_check import load_unsent_requests
from tests.stories.test_photos import send_command, win_hands
from tests.stories.test_pictures import CHOSEN, SOLUTION, sent
from tests.stories.test_race import HANDS, start_race
from tests.telegram import Chat, User, World

SOON = (0.05, 0.3, 0.3, 0.3)
LONG = 900.0
MANY = 60


@pytest.fixture
def pictures() -> bool:
    return True


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is owed is looked at again within moments."""
    monkeypatch.setattr("bot.queue.sender.PICTURE_CHECK_DELAYS", SOON)


def photos_of(bot: LiveBot) -> Photos:
    return bot.service.outbox.photos


async def forgotten(bot: LiveBot) -> None:
    """No picture's id is known any more."""
    photos_of(bot)._file_ids.clear()
    await bot.services.store.write(lambda tx: tx.exec_driver_sql("DELETE FROM uploads"))


@pytest.mark.long
async def test_a_late_picture_of_a_hand_of_a_day_undoes_no_later_word(
    bot: LiveBot, world: World, ann: User
) -> None:
    home = world.chat_of(ann)
    bot.rig(3, 8, 3, 8)
    hand = await send_command(bot, ann, home, "daily")
    photos_of(bot)._pause(Pause.UPLOADS, home.id, LONG)
    await forgotten(bot)
    world.press(ann, hand, "Hint")
    await world.wait_until(lambda: "💡" in hand.text)
    world.press(ann, hand, "Give up")
    await world.wait_until(lambda: SOLUTION in hand.text)
    await bot.settle()
    assert SOLUTION in hand.text
    assert "Hint" not in hand.labels
    assert await bot.services.store.read(load_unsent_requests) == []


@pytest.mark.long
@pytest.mark.parametrize("status", [200, 502])
async def test_a_late_picture_of_a_board_undoes_no_later_press(
    bot: LiveBot, world: World, monkeypatch: pytest.MonkeyPatch, ann: User, family: Chat, status: int
) -> None:
    monkeypatch.setattr("bot.queue.photos.PATIENCE", 0.02)
    await bot.choose(family, CHOSEN, "all")
    await win_hands(bot, ann, family, 2)
    board = await send_command(bot, ann, family, "leaderboard")
    drawn = photos_of(bot).painter
    assert drawn is not None

    async def late(picture: object, language: str) -> bytes:
        await there.wait()
        return await drawn(picture, language)

    there, photos_of(bot).painter = asyncio.Event(), late
    if status != 200:
        world.faults.add("editMessageMedia", count=1, status=status)
    world.press(ann, board, data="lb:h:w")
    await world.wait_until(lambda: "week" in board.text)
    world.press(ann, board, data="lb:h:a")
    await world.wait_until(lambda: "all time" in board.text)
    there.set()
    await bot.settle()
    assert "all time" in board.text
    assert await bot.services.store.read(load_unsent_requests) == []


@pytest.mark.parametrize("fault", [{"status": 502}, {"close": True}])
async def test_words_whose_answer_was_lost_are_followed_by_their_picture(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat, fault: dict[str, int]
) -> None:
    """Where words go first they are repeated, and change nothing then."""
    race = await start_race(bot, ann, family)
    before = race.file
    photos_of(bot)._pause(Pause.UPLOADS, family.id, LONG)
    world.faults.add("editMessageCaption", count=1, effect=True, **fault)
    await bot.say(bob, family, HANDS[0][1], reply_to=race)
    assert " ".join(map(str, HANDS[1][0])) in race.text
    assert race.file not in (None, before)
    assert "editMessageMedia" in sent(world)


@pytest.mark.long
@pytest.mark.parametrize(
    "said",
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
async def test_an_id_that_is_refused_in_whatever_words_is_forgotten(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat, said: str
) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.say(bob, family, SOLUTION, reply_to=deal)
    world.faults.add("sendPhoto", count=1, status=400, description=f"Bad Request: {said}")
    again = await bot.deal(ann, family, 3, 8, 3, 8)
    assert again.is_photo
    assert world.uploads.count == 2
    assert read_reactions(await bot.say(bob, family, SOLUTION, reply_to=again)) == "🏆"
    third = await bot.deal(ann, family, 3, 8, 3, 8)
    assert (third.is_photo, world.uploads.count) == (True, 2)


@pytest.mark.long
async def test_dozens_of_groups_that_ask_at_once_all_get_their_hand(
    bot: LiveBot, world: World, ann: User
) -> None:
    """Each picture is drawn once at most, though many more wait for their turn than are kept."""
    drawings = 0

    async def drawn(picture: object, language: str) -> bytes:
        nonlocal drawings
        drawings += 1
        await asyncio.sleep(0.001)
        return b"\x89PNG" + repr(picture).encode()

    photos_of(bot).painter = drawn
    world.faults.add("sendPhoto", delay=0.01)
    hands = (hand for hand in combinations(range(1, 11), 4) if next(solver.solve(hand), None))
    groups = [world.group(f"Group {n}", world.user(f"User {n}")) for n in range(MANY)]
    for number, group in enumerate(groups):
        bot.rig(*next(hands))
        world.say(world.user(f"Other {number}"), group, "/play@TwentyFourTestBot")
    await world.wait_until(lambda: all(world.posts(group) for group in groups))
    await bot.settle()
    assert drawings <= MANY
    assert all(len(world.posts(group)) == 1 for group in groups)
