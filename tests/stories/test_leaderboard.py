"""Who leads, here and everywhere, as different people see it."""

import re

from tests.stories.conftest import Evening, Opened
from tests.telegram import Chat, Message, User, World


def _world() -> tuple[World, list[float]]:
    """A world and its clock, on 21 November 2025."""
    now = [1_763_726_400.0]
    return World(clock=lambda: now[0]), now


async def _wins(evening: Evening, now: list[float], user: User, chat: Chat, times: int = 1) -> None:
    for _ in range(times):
        now[0] += 60
        deal = await evening.dealt(user, chat, 1, 2, 3, 4)
        await evening.says(user, chat, "1*2*3*4", reply_to=deal)


async def _board(evening: Evening, user: User, chat: Chat) -> Message:
    await evening.says(user, chat, f"/leaderboard@{evening.world.bot.username}")
    return evening.world.posts(chat)[-1]


async def _switch(evening: Evening, user: User, board: Message, data: str) -> list[str]:
    press = evening.world.press(user, board, data=data)
    await evening.world.answer_to(press)
    await evening.settled()
    return _lines(board)


def _lines(board: Message) -> list[str]:
    return [line for line in board.text.splitlines() if re.match(r"\d+\. ", line)]


def _buttons(board: Message) -> list[str]:
    rows = (board.markup or {})["inline_keyboard"]
    return [button["callback_data"] for row in rows for button in row]


async def test_ties_share_a_rank_and_the_callers_line_is_always_there(opened: Opened) -> None:
    world, now = _world()
    people = [world.user(f"P{n}") for n in range(13)]
    club = world.group("Club", *people)
    evening = await opened(world)
    for player in people[:12]:
        await _wins(evening, now, player, club)
    await _wins(evening, now, people[0], club)
    board = await _board(evening, people[11], club)
    lines = _lines(board)
    assert lines[0].startswith("1. \u2068P0\u2069 — ")
    assert [line.partition(".")[0] for line in lines[1:]] == ["2"] * 10
    assert "\u2068P11\u2069" in lines[-1]
    assert all(re.fullmatch(r"\d+\. \u2068.+\u2069 — \d+", line) for line in lines)
    board = await _board(evening, people[12], club)
    assert len(_lines(board)) == 10
    assert "\u2068P12\u2069 has no points here yet." in board.text
    assert not world.violations


async def test_buttons_switch_in_place_to_each_board(opened: Opened) -> None:
    world, now = _world()
    ann, bob = world.user("Ann"), world.user("Bob")
    family = world.group("Family", ann, bob)
    evening = await opened(world)
    await _wins(evening, now, ann, family, 3)
    now[0] += 40 * 86_400
    await _wins(evening, now, bob, family)
    board = await _board(evening, ann, family)
    posts = len(world.posts(family))
    assert [line[:6] for line in _lines(board)] == ["1. \u2068An", "2. \u2068Bo"]
    assert [line[:6] for line in await _switch(evening, ann, board, "lb:h:d")] == ["1. \u2068Bo"]
    assert "\u2068Ann\u2069 has no points here yet." in board.text
    for data in set(_buttons(board)):
        await _switch(evening, bob, board, data)
        assert sorted(_buttons(board))[:2] != []
    assert len(world.posts(family)) == posts
    assert not world.violations


async def test_the_board_of_all_chats_masks_and_wants_three_winners(opened: Opened) -> None:
    world, now = _world()
    ann, bob, cleo, dan = (world.user(name) for name in ("Ann", "Bob", "Cleo", "Dan"))
    club, pair = world.group("Club", ann, bob, cleo), world.group("Pair", dan, bob)
    evening = await opened(world)
    await _wins(evening, now, ann, club, 2)
    await _wins(evening, now, bob, club)
    await _wins(evening, now, dan, pair, 3)
    board = await _board(evening, dan, pair)
    assert await _switch(evening, dan, board, "lb:w:a") == []
    await _wins(evening, now, cleo, club)
    lines = await _switch(evening, dan, board, "lb:w:d")
    assert [re.sub(r" — \d+", "", line) for line in lines] == [
        "1. \u2068A•••\u2069",
        "2. \u2068B•••\u2069",
        "2. \u2068C•••\u2069",
    ]
    assert "\u2068D•••\u2069 has no points here yet." in board.text
    assert not any(name in board.text for name in ("Ann", "Bob", "Cleo"))
    assert not world.violations


async def test_a_made_up_button_turns_no_other_message_into_a_board(opened: Opened) -> None:
    world, _ = _world()
    ann = world.user("Ann")
    family = world.group("Family", ann)
    evening = await opened(world)
    deal = await evening.dealt(ann, family, 3, 8, 3, 8)
    before = deal.text
    for data in ("lb:h:a", "lb:x:a", "lb:", "lb:h:a:1"):
        assert "out of date" in await world.answer_to(world.press(ann, deal, data=data))
    await evening.settled()
    assert deal.text == before
    assert not world.violations
