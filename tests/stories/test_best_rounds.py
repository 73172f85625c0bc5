"""A game in which everybody hands in until the end, and the last entry of each counts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from bot.database import Tx
from bot.i18n import Html, Words
from bot.players import queries as people
from bot.rounds import queries as rounds
from bot.rounds.game import Game
from bot.rounds.puzzle import DealError, Entry, Find, Kind, Level, Options, Verdict, VerdictKind
from bot.rounds.registry import GAMES
from bot.rounds.rules import Award, Round
from bot.telegram import messages
from bot.telegram.messages import Request
from bot.workers.pool import SolverPool
from tests.stories.clock import Clock, read_time_left
from tests.stories.conftest import LiveBot, read_reactions
from tests.telegram import Chat, Message, User, World


@dataclass(frozen=True, slots=True)
class Middle:
    """The number to come near to."""

    aim: int
    level: str = "easy"
    expected: float = 9.0

    @property
    def line(self) -> str:
        return f"near → {self.aim}"


class Bids(Game[Middle]):
    """Nearest wins three points, everybody as near as that."""

    key = command = "bids"
    default_kind = Kind.BEST
    example_answer = "46"

    def render_menu_line(self, words: Words) -> str:
        return "bid"

    async def deal(self, pool: SolverPool, chosen: Mapping[str, Any], options: Options, seed: int) -> Middle:
        return Middle(50)

    def check(self, puzzle: Middle, text: str) -> Verdict:
        why = None if text.isdecimal() else lambda _: Html("A number, please.")
        return Verdict(VerdictKind.UNREADABLE if why else VerdictKind.RIGHT, text, render_reason=why)

    def pack(self, puzzle: Middle) -> dict[str, Any]:
        return {"v": 1, "aim": puzzle.aim}

    def unpack(self, packed: Mapping[str, Any], level: str, expected: float) -> Middle:
        return Middle(packed["aim"], level, expected)

    def task(self, words: Words, round: Round, found: Sequence[Find], *, private: bool) -> Html:
        return Html("Who comes nearest?")

    def award_entries(self, round: Round, entries: Sequence[Entry]) -> tuple[Award, ...]:
        aim = self.unpack(self.pack(round.puzzle), "easy", 9.0).aim  # type: ignore[arg-type]
        off = {entry: abs(int(entry.answer) - aim) for entry in entries}
        best = [entry for entry in entries if off[entry] == min(off.values())]
        return tuple(Award(e.player_id, 3, e.sent_at - round.opened, e.answer, "") for e in best)


@pytest.fixture(autouse=True)
def _known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, Bids.key, Bids())


async def begun(bot: LiveBot, user: User, chat: Chat) -> Message:
    """A round on the table."""
    now = bot.world.clock()
    new = Round(0, chat.id, 0, Kind.BEST, Bids.key, Middle(50), user.id, now, now + 60)

    def effect(tx: Tx) -> list[Request]:
        people.load_or_insert_chat(tx, chat.id, chat.type)
        opened = rounds.open_round(tx, new)
        assert opened
        return [messages.show_round(opened, new=True)]

    await bot.service.dispatcher.run_effect(effect)
    deal = await bot.world.next_post(chat, "near → 50")
    await bot.settle()
    return deal


async def test_the_last_entry_of_each_counts_and_nobody_is_told_before_the_end(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User
) -> None:
    cem = world.user("Cem")
    family = world.group("Family", ann, bob, cem)
    deal = await begun(bot, ann, family)
    for user, answer in ((ann, "50"), (bob, "46"), (ann, "12"), (cem, "54"), (bob, "none")):
        await bot.say(user, family, answer, reply_to=deal)
    assert "46" not in deal.text
    clock.advance(70)
    late = await bot.say(ann, family, "50", reply_to=deal)
    await bot.run_timers()
    assert read_reactions(late) == "👏"
    lines = deal.text.splitlines()
    assert [line for line in lines if "🏆" in line] == [
        "🏆 \u2068Bob\u2069: 46 · +3",
        "🏆 \u2068Cem\u2069: 54 · +3",
    ]
    assert "\u2068Ann\u2069: 12" in lines
    await bot.say(bob, family, f"/leaderboard@{world.bot.username}")
    assert "1. \u2068Bob\u2069 — 3" in world.posts(family)[-1].text


async def test_who_handed_in_and_did_not_win_has_played(
    bot: LiveBot, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    deal = await begun(bot, ann, family)
    for user, answer in ((ann, "12"), (bob, "46")):
        await bot.say(user, family, answer, reply_to=deal)
    clock.advance(70)
    await bot.run_timers()
    await bot.say(ann, family, f"/stats@{bot.world.bot.username}")
    lines = bot.world.posts(family)[-1].text.splitlines()
    played = ["Here: 0 points, won 0 of 1", "In all: 0 points, won 0 of 1"]
    assert lines == ["\u2068Ann\u2069", *played, "Rating: after 9 more hands"]


async def test_a_round_in_which_nobody_hands_in_just_ends(
    bot: LiveBot, clock: Clock, ann: User, family: Chat
) -> None:
    deal = await begun(bot, ann, family)
    clock.advance(70)
    await bot.run_timers()
    assert "Nobody found it in time." in deal.text


async def test_a_race_is_of_the_games_own_kind_and_each_hand_lasts_its_minute(
    bot: LiveBot, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    await bot.say(ann, family, f"/race@{bot.world.bot.username} 2 bids")
    race = bot.world.posts(family)[-1]
    assert "easy" in race.text.splitlines()  # what an answer is worth, nobody knows before the end
    for answers in (("46", "54", "47"), ("1", "2", "50")):
        assert "near → 50" in race.text.splitlines()
        assert read_time_left(race) == 60
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


class Unraced(Bids):
    """Bids that nobody races in."""

    def get_race_options(self, level: Level | None) -> Options:
        raise DealError(lambda _: Html("Bids are no race."))


async def test_a_game_may_decline_races(
    bot: LiveBot, ann: User, family: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(GAMES, Bids.key, Unraced())
    await bot.say(ann, family, f"/race@{bot.world.bot.username} 2 bids")
    assert [post.text for post in bot.world.posts(family)] == ["Bids are no race."]


async def test_help_names_the_game_beside_the_usual_one(
    bot: LiveBot, ann: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = bot.world.chat_of(ann)
    await bot.say(ann, alone, "/help")
    monkeypatch.delitem(GAMES, Bids.key)
    await bot.say(ann, alone, "/help")
    with_bids, without = (post.text.splitlines() for post in bot.world.posts(alone)[-2:])
    assert "/bids" not in "".join(without)
    assert [line for line in with_bids if line not in without] == ["/bids — bid"]


async def test_a_alone_is_told_by_the_game_on_the_table(bot: LiveBot, ann: User, family: Chat) -> None:
    for example in ("8/(3-8/3)", "46"):
        await bot.say(ann, family, "/a")
        said = f"Write your answer after the command: /a {example}"
        assert bot.world.posts(family)[-1].text == said
        if example != "46":
            await begun(bot, ann, family)
