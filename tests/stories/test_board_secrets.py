"""Secrecy of open hands on every page of the board."""

import json
from collections.abc import Iterable

import pytest

from bot.board import view
from bot.board.page_state import encode_state
from bot.board.rules import Place
from bot.database import Tx
from bot.formats import format_expression
from bot.games.countdown import rules as countdown
from bot.games.countdown.rules import Draw
from bot.games.twentyfour.dealing import build_hand
from bot.games.yahtzee.rules import Deal
from bot.i18n import list_languages
from bot.modes.contest import queries as contests
from bot.modes.practice.rules import PracticeOptions
from bot.players import queries as people
from bot.queue.outgoing import Outgoing
from bot.rounds import queries as rounds
from bot.rounds.game import format_solution
from bot.rounds.puzzle import Kind, Puzzle
from bot.rounds.registry import GAMES
from bot.rounds.rules import Round, State
from bot.telegram import messages
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot
from tests.stories.tapping import open_page
from tests.telegram import Chat, User, World

pytestmark = pytest.mark.long

WRONG = "3*8+3-8"


async def open_round(bot: LiveBot, user: User, chat: Chat, kind: Kind, game: str, puzzle: Puzzle) -> Round:
    """Open a round of that kind for ten minutes."""
    now = bot.world.clock()
    practice = PracticeOptions("division", is_chosen=False, reports_all_skills=True)
    options = str(practice) if kind is Kind.PRACTICE else "{}"
    new = Round(0, chat.id, 0, kind, game, puzzle, user.id, now, now + 600, options=options)
    made = list[Round]()

    def effect(tx: Tx) -> list[Outgoing]:
        people.load_or_insert_chat(tx, chat.id, chat.type)
        people.insert_or_update_player(tx, people.Player(user.id, user.first_name, user.username))
        opened = rounds.open_round(tx, new)
        assert opened
        made[:] = [opened]
        return [messages.show_round(opened.chat_id, opened.id, new=True)]

    await bot.service.dispatcher.run_effect(effect)
    await bot.settle()
    return made[0]


def list_secrets(round: Round) -> set[str]:
    """Return all texts that no page may show while the round is open."""
    game, puzzle = GAMES[round.game], round.puzzle
    secrets = {
        *game.solutions(puzzle),
        *(game.format_answer(puzzle, answer) for answer in game.solutions(puzzle)),
    }
    return secrets | {text for text in [format_solution(game, puzzle)] if text}


async def render_pages(bot: LiveBot, chat: Chat, readers: Iterable[User], round_id: int) -> dict[str, str]:
    """Render the pages of players, watchers and strangers in every language."""
    places = [Place(chat.id), Place(chat.id, 0, round_id), Place(chat.id, 0, round_id, watch_only=True)]
    who = [*(user.id for user in readers), 4711, None]

    def look(tx: Tx) -> dict[str, str]:
        views = [
            view.load_shared_view(tx, each, code, bot.world.clock())
            for each in places
            for code in list_languages()
        ]
        return {
            f"{each.place} {each.language} {reader}": encode_state(
                view.build_state(tx, each, reader)
            ).decode()
            for each in views
            for reader in who
        }

    return await bot.services.store.read(look)


async def assert_no_secrets(bot: LiveBot, chat: Chat, readers: list[User], round: Round, *but: str) -> None:
    """Fail if a page shows a secret of the round; `but` lists texts that the chat has shown."""
    hidden = list_secrets(round) - set(but)
    assert hidden
    for where, text in (await render_pages(bot, chat, readers, round.id)).items():
        assert not [each for each in hidden if each in text], where


@pytest.mark.long
@pytest.mark.parametrize("kind", [Kind.FIRST, Kind.CHOSEN, Kind.ALL])
@pytest.mark.parametrize("secret", [True, False])
async def test_group_hand_stays_secret(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat, kind: Kind, secret: bool
) -> None:
    await bot.choose(family, "secret", secret)
    round = await open_round(bot, ann, family, kind, "24", build_hand((4, 5, 6, 7), 24))
    ann_page, bob_page, both = open_page(bot, ann, family), open_page(bot, bob, family), [ann, bob]
    await assert_no_secrets(bot, family, both, round)
    await bob_page.answer("4+5+6+7")
    await ann_page.answer("4*5+6-7")
    await assert_no_secrets(bot, family, both, round)
    assert "4*5+6-7" not in json.dumps(await bob_page.read_state())
    for _ in range(3):
        await ann_page.press_data(f"h:{round.id}")
        await assert_no_secrets(bot, family, both, round)
    answer, *others = GAMES["24"].solutions(round.puzzle)
    await bob_page.answer(answer)
    if kind is Kind.ALL:
        await assert_no_secrets(bot, family, both, round, answer, f"{format_expression(answer)} = 24")
        assert others
        clock.advance(700)
        await bot.run_timers()
    over = await ann_page.read_state()
    assert over["round"]["state"] == "over"
    assert answer in str(over) or format_expression(answer) in str(over)


@pytest.mark.long
@pytest.mark.parametrize("kind", [Kind.TUTORIAL, Kind.CHOSEN, Kind.PRACTICE])
async def test_private_hand_stays_secret(bot: LiveBot, world: World, ann: User, kind: Kind) -> None:
    world.start(ann)
    await bot.settle()
    alone = world.chat_of(ann)
    round = await open_round(bot, ann, alone, kind, "24", build_hand((3, 8, 3, 8), 24))
    ann_page = open_page(bot, ann, alone)
    for _ in range(4):
        await ann_page.answer(WRONG, round_id=round.id)
        await assert_no_secrets(bot, alone, [ann], round)
        await ann_page.press_data(f"h:{round.id}")
        await assert_no_secrets(bot, alone, [ann], round)
    await ann_page.press_data(f"s:{round.id}")
    assert "8÷(3−8÷3)" in str(await ann_page.read_state())


@pytest.mark.long
async def test_countdown_entries_stay_secret(
    bot: LiveBot, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    draw = countdown.deal_draw(24, 2)
    round = await open_round(bot, ann, family, Kind.BEST, "countdown", draw)
    ann_page, bob_page, both = open_page(bot, ann, family), open_page(bot, bob, family), [ann, bob]
    await assert_no_secrets(bot, family, both, round)
    await bob_page.answer(draw.best)
    await ann_page.answer("+".join(map(str, draw.tiles)))
    await assert_no_secrets(bot, family, both, round)
    clock.advance(700)
    await bot.run_timers()
    assert draw.best in json.dumps(await ann_page.read_state())


async def test_watchers_of_practice_see_no_entries(bot: LiveBot, world: World, ann: User) -> None:
    world.start(ann)
    await bot.settle()
    alone, draw = world.chat_of(ann), Draw((25, 50, 1, 2, 3, 4), 101, "25*4+1", 101, "easy", 10.0)
    round = await open_round(bot, ann, alone, Kind.PRACTICE, "countdown", draw)
    ann_page = open_page(bot, ann, alone)
    await ann_page.answer("25*4", round_id=round.id)
    own = await ann_page.read_state()
    assert own["round"]["entry_value"]
    every = await render_pages(bot, alone, [ann], round.id)
    assert not [
        where
        for where, text in every.items()
        if "watch_only=True" in where and ("25*4" in text or "25×4" in text)
    ]


@pytest.mark.long
async def test_yahtzee_shows_only_rolls_so_far(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    await bot.say(ann, family, f"/yahtzee@{world.bot.username}")
    here = family.id, 0
    round = await bot.services.store.read(lambda tx: contests.load_running_contest(tx, *here))
    assert round
    assert isinstance(round.puzzle, Deal)
    ann_page, bob_page = open_page(bot, ann, family), open_page(bot, bob, family)
    await bob_page.press("Play")
    for turn in range(14):
        await assert_no_roll_secrets(bot, family, [ann, bob], round, turn)
        card = (await bob_page.read_state())["card"]
        free = [row["press"] for row in card["rows"] if row["press"]]
        if free:
            await bob_page.press_data(free[-1])
    assert (await ann_page.read_state())["card"] is None


async def assert_no_roll_secrets(
    bot: LiveBot, chat: Chat, readers: list[User], round: Round, turn: int
) -> None:
    """Fail if a page shows a later roll or the best card."""
    assert isinstance(round.puzzle, Deal)
    rolls = [json.dumps(list(roll)) for roll in round.puzzle.rolls]
    hidden = set(rolls[turn + 1 :]) - set(rolls[: turn + 1])
    hidden.add(json.dumps(list(round.puzzle.best.categories)))
    for where, text in (await render_pages(bot, chat, readers, round.id)).items():
        assert not [each for each in hidden if each in text], where


@pytest.mark.long
@pytest.mark.parametrize("command", ["race", "duel"])
async def test_race_and_duel_hands_stay_secret(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat, command: str
) -> None:
    for numbers in ((3, 8, 3, 8), (1, 5, 5, 5), (4, 4, 10, 10), (1, 3, 4, 6), (2, 7, 7, 10)):
        bot.rig(*numbers)
    await bot.say(ann, family, f"/{command}@{world.bot.username}" + (" 2" if command == "race" else ""))
    if command == "duel":
        world.press(bob, world.posts(family)[-1], "Accept")
        await bot.settle()
    bob_page = open_page(bot, bob, family)
    while (live := await load_live_round(bot, family)) is not None:
        await assert_no_secrets(bot, family, [ann, bob], live)
        await bob_page.answer(GAMES[live.game].solutions(live.puzzle)[0], round_id=live.id)
    assert (await bob_page.read_state())["winner"]["you"]
    assert (await bob_page.read_state())["round"]["state"] == "over"


async def load_live_round(bot: LiveBot, chat: Chat) -> Round | None:
    round = await bot.services.store.read(lambda tx: rounds.load_open_round(tx, chat.id, 0))
    return round if round is not None and round.state is State.OPEN else None
