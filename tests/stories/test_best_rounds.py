"""Best rounds: players send entries until the end, and the last entry of each player counts."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from bot.database import Tx
from bot.i18n import Html, Words
from bot.players import queries as people
from bot.players.choices import StoredChoices
from bot.queue.outgoing import Outgoing
from bot.rounds import queries as rounds
from bot.rounds.capabilities import Entries
from bot.rounds.game import Game
from bot.rounds.puzzle import Audience, Entry, Find, Kind, Options, Verdict, VerdictKind
from bot.rounds.registry import GAMES
from bot.rounds.rules import Award, Round
from bot.telegram import messages
from bot.workers.pool import SolverPool
from tests.stories.clock import Clock, read_time_left
from tests.stories.conftest import LiveBot, read_reactions
from tests.telegram import Chat, Message, User, World

AIM = 50


@dataclass(frozen=True, slots=True)
class BidTarget:
    """The number that bids should come near."""

    aim: int
    level: str = "easy"
    expected: float = 9.0

    @property
    def line(self) -> str:
        return f"near → {self.aim}"


class Nearest(Entries[BidTarget]):
    def award(self, round: Round, entries: Sequence[Entry]) -> tuple[Award, ...]:
        off = {entry: abs(int(entry.answer) - AIM) for entry in entries}
        best = [entry for entry in entries if off[entry] == min(off.values())]
        return tuple(Award(e.player_id, 3, e.sent_at - round.opened, e.answer, "") for e in best)


class Bids(Game[BidTarget]):
    """A test game: every player with the nearest number gets three points."""

    key = command = "bids"
    example_answer = "46"
    entries = Nearest()

    def render_menu_line(self, words: Words) -> str:
        return "bid"

    async def deal(self, pool: SolverPool, settings: StoredChoices, options: Options, seed: int) -> BidTarget:
        return BidTarget(AIM)

    def check(self, puzzle: BidTarget, text: str) -> Verdict:
        why = None if text.isdecimal() else lambda _: Html("A number, please.")
        return Verdict(VerdictKind.UNREADABLE if why else VerdictKind.RIGHT, text, render_reason=why)

    def pack(self, puzzle: BidTarget) -> str:
        return json.dumps({"v": 1, "aim": puzzle.aim})

    def unpack(self, packed: str, level: str, expected: float) -> BidTarget:
        return BidTarget(json.loads(packed)["aim"], level, expected)

    def task(self, words: Words, round: Round, finds: Sequence[Find], audience: Audience) -> Html:
        return Html("Who comes nearest?")

    def solutions(self, puzzle: BidTarget) -> Sequence[str]:
        return ()


@pytest.fixture(autouse=True)
def _register_bids(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, Bids.key, Bids())


async def open_bids(bot: LiveBot, user: User, chat: Chat) -> Message:
    """Open a round of bids in a chat and return its message."""
    now = bot.world.clock()
    new = Round(0, chat.id, 0, Kind.BEST, Bids.key, BidTarget(AIM), user.id, now, now + 60)

    def open_round(tx: Tx) -> list[Outgoing]:
        people.load_or_insert_chat(tx, chat.id, chat.type)
        opened = rounds.open_round(tx, new)
        assert opened
        return [messages.show_round(opened.chat_id, opened.id, new=True)]

    await bot.service.dispatcher.run_effect(open_round)
    deal = await bot.world.next_post(chat, "near → 50")
    await bot.settle()
    return deal


async def test_last_entry_counts_and_is_secret_until_the_end(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User
) -> None:
    cem = world.user("Cem")
    family = world.group("Family", ann, bob, cem)
    deal = await open_bids(bot, ann, family)
    for user, answer in ((ann, "50"), (bob, "46"), (ann, "12"), (cem, "54"), (bob, "none")):
        await bot.say(user, family, answer, reply_to=deal)
    assert "46" not in deal.text
    clock.advance(70)
    late = await bot.say(ann, family, "50", reply_to=deal)
    await bot.run_timers()
    assert read_reactions(late) == "👏"
    lines = deal.text.splitlines()
    assert [line for line in lines if "🏆" in line] == [
        "🏆 \u2068Bob\u2069: 46 · +3 points",
        "🏆 \u2068Cem\u2069: 54 · +3 points",
    ]
    assert "\u2068Ann\u2069: 12" in lines
    await bot.say(bob, family, f"/leaderboard@{world.bot.username}")
    assert "1. \u2068Bob\u2069 — 3" in world.posts(family)[-1].text


@pytest.mark.texts
async def test_entry_that_does_not_win_counts_as_a_played_round(
    bot: LiveBot, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    deal = await open_bids(bot, ann, family)
    for user, answer in ((ann, "12"), (bob, "46")):
        await bot.say(user, family, answer, reply_to=deal)
    clock.advance(70)
    await bot.run_timers()
    await bot.say(ann, family, f"/stats@{bot.world.bot.username}")
    lines = bot.world.posts(family)[-1].text.splitlines()
    played = ["Here: 0 points", "In all: 0 points", "Answered 1 hand, won 0"]
    assert lines == ["\u2068Ann\u2069 · bids", *played, "Rating: after 9 more hands (daily too)"]


async def test_round_without_entries_ends(bot: LiveBot, clock: Clock, ann: User, family: Chat) -> None:
    deal = await open_bids(bot, ann, family)
    clock.advance(70)
    await bot.run_timers()
    assert "Nobody found it in time." in deal.text


async def test_race_of_best_rounds_gives_each_hand_its_full_time(
    bot: LiveBot, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    await bot.say(ann, family, f"/race@{bot.world.bot.username} 2 bids")
    race = bot.world.posts(family)[-1]
    for answers in (("46", "54", "47"), ("1", "2", "50")):
        assert "near → 50" in race.text.splitlines()
        assert read_time_left(race) == 1
        for user, answer in zip((ann, bob, ann), answers, strict=True):
            assert read_reactions(await bot.say(user, family, answer, reply_to=race)) == "👌"
        clock.advance(70)
        await bot.run_timers()
    lines = race.text.splitlines()
    assert lines[1:3] == ["1. \u2068Ann\u2069 — 6", ""]
    assert [line.rpartition(":")[0] for line in lines[3:5]] == [
        "#1 🏆 \u2068Ann\u2069 3",
        "#2 🏆 \u2068Ann\u2069 3",
    ]
    assert len(bot.world.posts(family)) == 1


async def test_answer_command_without_text_shows_an_example(bot: LiveBot, ann: User, family: Chat) -> None:
    advice = "Write your answer after the command: /a"
    await bot.say(ann, family, "/a")
    assert bot.world.posts(family)[-1].text == f"{advice} 8/(3-8/3)"
    await open_bids(bot, ann, family)
    deal = bot.world.posts(family)[-1]
    await bot.say(ann, family, "/a")
    assert f"👀 \u2068Ann\u2069: {advice} 46" in deal.text.splitlines()
