"""Fair hands: the link under each ended hand, /fair, and the file that verifies a chat's history."""

import re
from collections.abc import Callable

import pytest
from sqlalchemy import update

import solver
from bot.database.schema import chains as chains_table
from bot.rounds import chains
from bot.rounds.puzzle import Origin
from solver import Record, parse_record, verify_history, verify_record
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot
from tests.stories.tapping import open_page
from tests.stories.test_countdown import read_draw
from tests.telegram import Chat, Message, User, World

MINE = "@TwentyFourTestBot"
HASH = re.compile(r"[0-9a-f]{64}")
COMMAND = re.compile(r"twentyfour verify (.+)")
DAY = 86_400


@pytest.fixture(autouse=True)
def _deal_fairly(monkeypatch: pytest.MonkeyPatch, _fix_seeds_and_time_limits: None) -> None:
    monkeypatch.setattr("bot.rounds.chains.derive_seed", solver.derive_seed)


def read_line(message: Message) -> str:
    return next(line for line in message.text.splitlines() if " → " in line)


def solve_line(line: str) -> str:
    numbers, _, target = line.partition(" → ")
    return str(next(solver.solve(list(map(int, numbers.split())), int(target))))


def read_numbers(line: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", line)))


async def ask(bot: LiveBot, user: User, chat: Chat, text: str) -> Message:
    """Send a text and return the bot's latest message."""
    await bot.say(user, chat, text)
    return bot.world.posts(chat)[-1]


async def read_codes(bot: LiveBot, user: User, chat: Chat) -> str:
    """Return the codes behind the button of /fair."""
    message = await ask(bot, user, chat, f"/fair{MINE}" if chat.id < 0 else "/fair")
    bot.world.press(user, message, "Show the codes")
    await bot.settle()
    return message.text


async def read_history(bot: LiveBot, user: User, chat: Chat) -> list[Record]:
    """Return the records in the file that /fair all sends."""
    before = len(bot.world.documents)
    await bot.say(user, chat, f"/fair{MINE} all")
    (document,) = bot.world.documents[before:]
    return [parse_record(line) for line in document.decode().splitlines()]


def find_fair_link(message: Message) -> str:
    """Return the payload of the link under an ended hand."""
    (link,) = (url for url in (entity.get("url", "") for entity in message.entities) if "start=fair_" in url)
    return str(link).partition("?start=")[2]


async def play_hand(bot: LiveBot, user: User, chat: Chat, command: str = "/play") -> Message:
    """Deal and solve a hand; return its message."""
    deal = await ask(bot, user, chat, f"{command}{MINE}")
    await bot.say(user, chat, solve_line(read_line(deal)), reply_to=deal)
    return deal


@pytest.mark.texts
async def test_hand_is_verified_by_its_link(bot: LiveBot, ann: User, family: Chat) -> None:
    announced = await read_codes(bot, ann, family)
    asked = await bot.say(ann, family, f"/play{MINE}")
    deal = bot.world.posts(family)[-1]
    line = read_line(deal)
    assert "🔒" not in deal.text
    assert not HASH.search(deal.text)
    await bot.say(ann, family, solve_line(line), reply_to=deal)
    assert deal.text.splitlines()[-1] == "🔒 How the cards are drawn"
    explained = await ask(bot, ann, bot.world.chat_of(ann), f"/start {find_fair_link(deal)}")
    record = parse_record(COMMAND.findall(explained.text)[0])
    assert verify_record(record) == []
    assert (record.chat_id, record.message_id) == (family.id, asked.id)
    assert record.hand == read_numbers(line)
    assert record.commitment in announced
    assert record.commitment == HASH.findall(await read_codes(bot, ann, family))[0]


async def test_codes_lie_behind_a_button(bot: LiveBot, ann: User, family: Chat) -> None:
    await play_hand(bot, ann, family)
    message = await ask(bot, ann, family, f"/fair{MINE}")
    summary = message.text
    assert "Nobody can choose the cards" in summary
    assert not HASH.search(summary)
    for button, shows_codes in (("Show the codes", True), ("‹ Back", False)):
        bot.world.press(ann, message, button)
        await bot.settle()
        assert bool(COMMAND.search(message.text)) is shows_codes
    assert message.text == summary


async def test_history_of_all_games_is_verified(
    bot: LiveBot, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    deal = await play_hand(bot, ann, family)
    bot.world.press(bob, deal, "Next hand")
    await bot.settle()
    following = bot.world.posts(family)[-1]
    await bot.say(bob, family, solve_line(read_line(following)), reply_to=following)
    race = await ask(bot, ann, family, f"/race{MINE} 3")
    for _ in range(3):
        await bot.say(bob, family, solve_line(read_line(race)), reply_to=race)
    assert race.text.splitlines()[-1] == "🔒 How the cards are drawn"
    draw = await ask(bot, ann, family, f"/countdown{MINE}")
    tiles, target = read_draw(draw)
    await bot.say(ann, family, str(solver.nearest(tiles, target).expression), reply_to=draw)
    clock.advance(130)
    await bot.run_timers()
    await ask(bot, ann, family, f"/yahtzee{MINE}")
    history = await read_history(bot, ann, family)
    assert [(record.number, record.ordinal) for record in history] == [
        *((1, 1), (2, 1), (3, 1), (3, 2), (3, 3)),
        (1, 1),  # Countdown's own chain; the cards of Yahtzee are still played
    ]
    assert history[1].message_id == deal.id
    assert list(verify_history(history)) == []
    clock.advance(8 * DAY)
    await bot.run_timers()
    history = await read_history(bot, ann, family)
    assert [record.recipe for record in history][-2:] == ["countdown", "yahtzee"]
    assert len(history[-1].hand) == 13 * 5
    assert list(verify_history(history)) == []


async def test_duel_is_verified(bot: LiveBot, world: World, ann: User, bob: User, family: Chat) -> None:
    await bot.say(ann, family, f"/duel{MINE}")
    challenge = world.posts(family)[-1]
    world.press(bob, challenge, "Accept")
    await bot.settle()
    duel = world.posts(family)[-1]
    for _ in range(3):
        await bot.say(ann, family, solve_line(read_line(duel)), reply_to=duel)
    history = await read_history(bot, ann, family)
    assert [(record.message_id, record.ordinal) for record in history] == [
        (challenge.id, n) for n in (1, 2, 3)
    ]
    assert list(verify_history(history)) == []


async def test_link_stays_secret_while_its_race_goes_on(bot: LiveBot, ann: User, family: Chat) -> None:
    deal = await play_hand(bot, ann, family)
    race = await ask(bot, ann, family, f"/race{MINE} 3")
    await bot.say(ann, family, solve_line(read_line(race)), reply_to=race)
    private = bot.world.chat_of(ann)
    assert COMMAND.search((await ask(bot, ann, private, f"/start {find_fair_link(deal)}")).text)
    waiting = await ask(bot, ann, private, "/start fair_2")  # the race's first hand
    assert waiting.text == "A hand that began before is still played. When it is over, try again."
    assert [record.number for record in await read_history(bot, ann, family)] == [1]


async def test_hand_asked_for_on_the_page_follows_from_the_shown_message(
    bot: LiveBot, ann: User, family: Chat
) -> None:
    deal = await play_hand(bot, ann, family)
    await open_page(bot, ann, family).press("Next hand")
    following = bot.world.posts(family)[-1]
    await bot.say(ann, family, solve_line(read_line(following)), reply_to=following)
    history = await read_history(bot, ann, family)
    assert [record.number for record in history] == [1, 2]
    assert history[1].message_id == deal.id
    assert list(verify_history(history)) == []


async def test_strangers_learn_nothing_by_the_link(
    bot: LiveBot, world: World, ann: User, family: Chat
) -> None:
    deal = await play_hand(bot, ann, family)
    stranger = world.user("Eve")
    for payload in (find_fair_link(deal), "fair_999"):
        reply = await ask(bot, stranger, world.chat_of(stranger), f"/start {payload}")
        assert reply.text == "That link leads to no hand of a chat of yours."


def choose_seed(link: bytes, chat_id: int, message_id: int, ordinal: int = 1) -> int:
    return 24  # that pleases the operator


def choose_message(link: bytes, chat_id: int, message_id: int, ordinal: int = 1) -> int:
    return solver.derive_seed(link, chat_id, message_id + 1, ordinal)


@pytest.mark.parametrize("cheat", [choose_seed, choose_message])
async def test_hand_that_the_operator_chose_is_found_out(
    bot: LiveBot, monkeypatch: pytest.MonkeyPatch, ann: User, family: Chat, cheat: Callable[..., int]
) -> None:
    await play_hand(bot, ann, family)
    monkeypatch.setattr("bot.rounds.chains.derive_seed", cheat)
    chosen = await play_hand(bot, ann, family)
    monkeypatch.setattr("bot.rounds.chains.derive_seed", solver.derive_seed)
    await play_hand(bot, ann, family)
    (fault,) = verify_history(await read_history(bot, ann, family))
    assert fault.startswith("link 2, message ")
    assert fault.endswith(f", not {' '.join(map(str, read_numbers(read_line(chosen))))}")


async def test_link_that_the_operator_left_out_is_found_out(bot: LiveBot, ann: User, family: Chat) -> None:
    await play_hand(bot, ann, family)
    await bot.services.store.write(lambda tx: chains.record_use(tx, Origin(1, link=2, message_id=0)))
    await play_hand(bot, ann, family)
    assert list(verify_history(await read_history(bot, ann, family))) == ["link 2 was left out"]


async def test_next_chain_is_announced_before_the_last_link(bot: LiveBot, ann: User, family: Chat) -> None:
    await play_hand(bot, ann, family)

    nearly_used_up = update(chains_table).values(used=solver.CHAIN_LENGTH - 2)
    await bot.services.store.write(lambda tx: tx.execute(nearly_used_up))
    shown = await read_codes(bot, ann, family)
    present, following = re.findall(r"^24: ([0-9a-f]{64})", shown, re.MULTILINE)[:2]
    for _ in range(3):
        await play_hand(bot, ann, family)
    history = await read_history(bot, ann, family)
    assert [record.number for record in history] == [1, solver.CHAIN_LENGTH - 1, solver.CHAIN_LENGTH, 1]
    assert [record.commitment for record in history] == [present] * 3 + [following]
    assert list(verify_history(history[1:])) == []


async def test_hand_of_the_day_is_verified_once_nobody_can_play_it(
    bot: LiveBot, clock: Clock, ann: User
) -> None:
    private = bot.world.chat_of(ann)
    hand = await ask(bot, ann, private, "/daily")
    line = read_line(hand)
    assert "🔒" not in hand.text
    announced = await read_codes(bot, ann, private)
    assert not COMMAND.search(announced)
    clock.advance(2 * DAY)
    record = parse_record(COMMAND.findall(await read_codes(bot, ann, private))[0])
    assert verify_record(record) == []
    assert record.hand == read_numbers(line)
    assert record.message_id == 20261121
    assert record.commitment in announced


async def test_file_waits_for_the_first_hand(bot: LiveBot, ann: User, family: Chat) -> None:
    assert (
        await ask(bot, ann, family, f"/fair{MINE} all")
    ).text == "No hand of this chat can be verified yet."
