"""/leaderboard: ranks of a chat and of all chats, by period and game, and the other tabs of its message."""

import re

import pytest

import solver
from bot.i18n import choose_language, get_words
from bot.standings.leaderboard_command import list_names
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot
from tests.telegram import Chat, Message, User, World


async def _win_hands(bot: LiveBot, clock: Clock, user: User, chat: Chat, times: int = 1) -> None:
    for _ in range(times):
        clock.advance(60)
        deal = await bot.deal(user, chat, 1, 2, 3, 4)
        await bot.say(user, chat, "1*2*3*4", reply_to=deal)


async def _open_leaderboard(bot: LiveBot, user: User, chat: Chat) -> Message:
    await bot.say(user, chat, f"/leaderboard@{bot.world.bot.username}")
    return bot.world.posts(chat)[-1]


async def _switch_board(bot: LiveBot, user: User, board: Message, data: str) -> list[str]:
    press = bot.world.press(user, board, data=data)
    await bot.world.answer_to(press)
    await bot.settle()
    return _list_ranked_lines(board)


def _list_ranked_lines(board: Message) -> list[str]:
    return [line for line in board.text.splitlines() if re.match(r"\d+\. ", line)]


def _list_button_data(board: Message) -> list[str]:
    rows = (board.markup or {})["inline_keyboard"]
    return [button["callback_data"] for row in rows for button in row]


async def test_ties_share_a_rank_and_callers_line_is_shown(bot: LiveBot, world: World, clock: Clock) -> None:
    people = [world.user(name) for name in "BLKJIHGFEDCAX"]
    club = world.group("Club", *people)
    for player in people[:12]:
        await _win_hands(bot, clock, player, club)
    await _win_hands(bot, clock, people[0], club)
    board = await _open_leaderboard(bot, people[1], club)
    whole = ["1. \u2068B\u2069 — 3", *(f"2. \u2068{name}\u2069 — 1" for name in "ACDEFGHIJKL")]
    assert _list_ranked_lines(board) == [*whole[:10], whole[11]]
    assert not any(line.startswith("🥇") for line in board.text.splitlines()), "eleven are second"
    for label, shown in (("Everybody", whole), ("today", whole), ("✓ Everybody", [*whole[:10], whole[11]])):
        assert await world.answer_to(world.press(people[1], board, label)) == ""
        await bot.settle()
        assert _list_ranked_lines(board) == shown
    assert "… and 1 more with 1" in board.text.splitlines(), "today, besides the reader's own line"
    await bot.say(people[1], club, f"/leaderboard@{world.bot.username} everybody")
    board = world.posts(club)[-1]
    assert _list_ranked_lines(board) == whole
    assert await world.answer_to(world.press(people[1], board, "all chats")) == ""
    await bot.settle()
    assert not any("Everybody" in label for label in board.labels)
    board = await _open_leaderboard(bot, people[12], club)
    assert len(_list_ranked_lines(board)) == 10
    assert "… and 2 more with 1" in board.text.splitlines()
    assert "\u2068X\u2069 has no points here yet." in board.text


async def test_buttons_switch_boards_in_place(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    await _win_hands(bot, clock, ann, family, 3)
    clock.advance(40 * 86_400)
    await _win_hands(bot, clock, bob, family)
    board = await _open_leaderboard(bot, ann, family)
    posts = len(world.posts(family))
    assert [line[:6] for line in _list_ranked_lines(board)] == ["1. \u2068An", "2. \u2068Bo"]
    assert [line[:6] for line in await _switch_board(bot, ann, board, "lb:h:d:24")] == ["1. \u2068Bo"]
    assert "\u2068Ann\u2069 has no points here yet." in board.text
    for data in dict.fromkeys(_list_button_data(board)):
        if data in _list_button_data(board):
            await _switch_board(bot, bob, board, data)
    assert len(world.posts(family)) == posts


async def test_board_of_all_chats_masks_names_and_needs_three_winners(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User
) -> None:
    cleo, dan = world.user("Cleo"), world.user("Dan")
    club, pair = world.group("Club", ann, bob, cleo), world.group("Pair", dan, bob)
    await _win_hands(bot, clock, ann, club, 2)
    await _win_hands(bot, clock, bob, club)
    await _win_hands(bot, clock, dan, pair, 3)
    board = await _open_leaderboard(bot, dan, pair)
    assert await _switch_board(bot, dan, board, "lb:w:a:24") == []
    await _win_hands(bot, clock, cleo, club)
    lines = await _switch_board(bot, dan, board, "lb:w:d:24")
    assert [re.sub(r" — \d+", "", line) for line in lines] == [
        "1. \u2068A•••\u2069",
        "2. \u2068B•••\u2069",
        "2. \u2068C•••\u2069",
    ]
    assert "\u2068D•••\u2069 has no points here yet." in board.text
    assert not any(name in board.text for name in ("Ann", "Bob", "Cleo"))


async def test_forged_button_turns_no_message_into_a_board(
    bot: LiveBot, world: World, ann: User, family: Chat
) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    before = deal.text
    for data in ("lb:h:a", "lb:x:a", "lb:", "lb:h:a:1", "tp:h:a", "rc:", "pf:"):
        assert "out of date" in await world.answer_to(world.press(ann, deal, data=data))
    await bot.settle()
    assert deal.text == before


async def _enter_best(bot: LiveBot, clock: Clock, user: User, chat: Chat) -> None:
    """Play a draw of Countdown, which `user` solves."""
    await bot.say(user, chat, f"/countdown@{bot.world.bot.username}")
    deal = bot.world.posts(chat)[-1]
    line = next(line for line in deal.text.splitlines() if re.fullmatch(r"[\d ]+ → \d+", line))
    tiles, _, target = line.partition(" → ")
    best = solver.nearest(map(int, tiles.split()), int(target)).expression
    await bot.say(user, chat, str(best), reply_to=deal)
    clock.advance(70)
    await bot.run_timers()


async def test_board_counts_the_game_played_most_and_others_on_demand(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    await _win_hands(bot, clock, ann, family, 2)
    await _enter_best(bot, clock, bob, family)
    board = await _open_leaderboard(bot, ann, family)
    assert board.text.splitlines()[0] == "Leaderboard · this chat · all time · Twenty-Four"
    assert _list_ranked_lines(board) == ["1. \u2068Ann\u2069 — 3"]
    (own,) = await _switch_board(bot, ann, board, "lb:h:a:countdown")
    assert own.startswith("1. \u2068Bob\u2069 — ")
    assert "\u2068Ann\u2069 has no points here yet." in board.text
    before = board.text
    await _switch_board(bot, ann, board, "lb:h:a:chess")
    assert board.text == before
    for _ in range(2):
        await _enter_best(bot, clock, bob, family)
    board = await _open_leaderboard(bot, ann, family)
    assert board.text.splitlines()[0].endswith(" · Countdown")
    assert world.violations == []


async def test_one_message_has_all_tabs(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    await _win_hands(bot, clock, ann, family)
    board = await _open_leaderboard(bot, ann, family)
    posts = len(world.posts(family))
    assert board.labels[:4] == ["✓ Points", "Ratings", "Records", "Me"]
    for label, first_line in (
        ("Ratings", "Best players · this chat · all time"),
        ("Records", "Records of this chat"),
        ("Me", "\u2068Ann\u2069 · Twenty-Four"),
        ("Points", "Leaderboard · this chat · all time · Twenty-Four"),
    ):
        assert await world.answer_to(world.press(ann, board, label)) == ""
        await bot.settle()
        assert board.text.splitlines()[0] == first_line
        assert f"✓ {label}" in board.labels
    assert await world.answer_to(world.press(bob, board, "Me")) == "You have not answered a hand here yet."
    assert len(world.posts(family)) == posts


@pytest.mark.parametrize(
    ("words", "first_line"),
    [
        ("today", "Leaderboard · this chat · today · Twenty-Four"),
        ("Countdown week", "Leaderboard · this chat · this week · Countdown"),
        ("all", "Leaderboard · this chat · all time · Twenty-Four"),
        ("rating", "Best players · this chat · all time"),
        ("records", "Records of this chat"),
        ("me", "\u2068Ann\u2069 · Twenty-Four"),
    ],
)
async def test_words_open_a_tab_a_period_or_a_game(
    bot: LiveBot, world: World, clock: Clock, ann: User, family: Chat, words: str, first_line: str
) -> None:
    await _win_hands(bot, clock, ann, family)
    await bot.say(ann, family, f"/leaderboard@{world.bot.username} {words}")
    assert world.posts(family)[-1].text.splitlines()[0] == first_line


async def test_unknown_word_is_answered_with_the_known_ones(
    bot: LiveBot, world: World, ann: User, family: Chat
) -> None:
    await bot.say(ann, family, f"/leaderboard@{world.bot.username} week nonsense")
    assert world.posts(family)[-1].text == (
        "“nonsense”? After /leaderboard you can write one of these:"
        " today, week, month, all, ratings, records, me, 24, Countdown, Yahtzee."
    )


@pytest.mark.parametrize("language", ["es", "ru", "zh-hans", "zh-hant"])
async def test_words_are_read_in_each_language(bot: LiveBot, world: World, ann: User, language: str) -> None:
    await bot.say(ann, world.chat_of(ann), "/leaderboard nonsense")
    words = get_words(choose_language(language))
    names = list_names(words)
    assert ", ".join(names) in world.posts(ann)[-1].text
    await bot.say(ann, world.chat_of(ann), f"/leaderboard {names[1]}")
    assert words.translate("this week") in world.posts(ann)[-1].text


async def test_private_leaderboard_tells_of_points_in_groups(
    bot: LiveBot, world: World, clock: Clock, ann: User, family: Chat
) -> None:
    await _win_hands(bot, clock, ann, family)
    await bot.say(ann, world.chat_of(ann), "/leaderboard")
    assert world.posts(ann)[-1].text.splitlines()[1:] == [
        "Only hands that you play in private count here. In a group /leaderboard shows who leads there.",
        "In your groups: 2 points",
    ]


async def test_aliases_open_their_tab(
    bot: LiveBot, world: World, clock: Clock, ann: User, family: Chat
) -> None:
    await _win_hands(bot, clock, ann, family)
    for command, tab in (("score", "Points"), ("top", "Ratings"), ("records", "Records"), ("stats", "Me")):
        await bot.say(ann, family, f"/{command}@{world.bot.username}")
        assert f"✓ {tab}" in world.posts(family)[-1].labels
