"""A game in which everybody hands in until the end, and the last entry of each counts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from bot.database import Tx
from bot.games.game import Game
from bot.games.known import GAMES
from bot.games.puzzle import Entry, Find, Fit, Kind, Options, Verdict
from bot.games.rounds import queries as rounds
from bot.games.rounds.rules import Award, Round
from bot.i18n import Html, Words
from bot.people import queries as people
from bot.telegram import messages
from bot.telegram.messages import Request
from bot.workers.pool import Pool
from tests.stories.conftest import Evening, Opened
from tests.stories.hours import Hours
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

    def menu(self, words: Words) -> str:
        return "bid"

    async def deal(self, pool: Pool, chosen: Mapping[str, Any], options: Options, seed: int) -> Middle:
        return Middle(50)

    def check(self, puzzle: Middle, text: str) -> Verdict:
        why = None if text.isdecimal() else lambda _: Html("A number, please.")
        return Verdict(Fit.UNREADABLE if why else Fit.RIGHT, text, why=why)

    def pack(self, puzzle: Middle) -> dict[str, Any]:
        return {"v": 1, "aim": puzzle.aim}

    def unpack(self, packed: Mapping[str, Any], level: str, expected: float) -> Middle:
        return Middle(packed["aim"], level, expected)

    def task(self, words: Words, round: Round, found: Sequence[Find], *, private: bool) -> Html:
        return Html("Who comes nearest?")

    def close(self, round: Round, entries: Sequence[Entry]) -> tuple[Award, ...]:
        aim = self.unpack(self.pack(round.puzzle), "easy", 9.0).aim  # type: ignore[arg-type]
        off = {entry: abs(int(entry.answer) - aim) for entry in entries}
        best = [entry for entry in entries if off[entry] == min(off.values())]
        return tuple(Award(e.player_id, 3, e.at - round.opened, e.answer, "") for e in best)


@pytest.fixture(autouse=True)
def _known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, Bids.key, Bids())


async def begun(this: Evening, user: User, chat: Chat) -> Message:
    """A round on the table."""
    now = this.world.clock()
    new = Round(0, chat.id, 0, Kind.BEST, Bids.key, Middle(50), user.id, now, now + 60)

    def effect(tx: Tx) -> list[Request]:
        people.chat(tx, chat.id, chat.type)
        opened = rounds.open_round(tx, new)
        assert opened
        return [messages.show(opened, new=True)]

    await this.service.dispatcher.act(effect)
    deal = await this.world.next_post(chat, "near → 50")
    await this.settled()
    return deal


async def test_the_last_entry_of_each_counts_and_nobody_is_told_before_the_end(opened: Opened) -> None:
    hours = Hours()
    world = World(clock=hours)
    ann, bob, cem = (world.user(name) for name in ("Ann", "Bob", "Cem"))
    family = world.group("Family", ann, bob, cem)
    this = await opened(world)
    deal = await begun(this, ann, family)
    for user, answer in ((ann, "50"), (bob, "46"), (ann, "12"), (cem, "54"), (bob, "none")):
        await this.says(user, family, answer, reply_to=deal)
    assert "46" not in deal.text
    hours.pass_(70)
    late = await this.says(ann, family, "50", reply_to=deal)
    await this.timers.look()
    await this.settled()
    assert "👌" not in str(late.reactions)
    table = [line for line in deal.text.splitlines() if line.startswith("1. ")]
    assert [("Bob" in line, "Cem" in line) for line in table] == [(True, False), (False, True)]
    assert all(line.endswith(" — 3") for line in table)
    assert "Ann" not in "".join(table)
    await this.says(bob, family, f"/leaderboard@{world.bot.username}")
    assert "1. \u2068Bob\u2069 — 3" in world.posts(family)[-1].text
    assert not world.violations


async def test_a_round_in_which_nobody_hands_in_just_ends(opened: Opened) -> None:
    hours = Hours()
    world = World(clock=hours)
    ann = world.user("Ann")
    family = world.group("Family", ann)
    this = await opened(world)
    deal = await begun(this, ann, family)
    hours.pass_(70)
    await this.timers.look()
    await this.settled()
    assert "Nobody found it in time." in deal.text
