"""Two bots on one token, simulated: each exchange with Telegram takes as long as chance has it."""

import heapq
import random
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from bot.telegram.polling import (
    AT_ONCE_TIME,
    CONFLICT_PAUSE,
    NEWCOMER_TIME,
    OLD_CONFLICTS,
    QUIET_TIME,
    ConflictDecision,
    Contest,
)

HOLD = 25.0


@dataclass
class Bot:
    """One that polls; `ended` is when it gave up."""

    contest: Contest
    ended: float | None = None


@dataclass
class Telegram:
    """Holds one request open; a newer one ends it with a conflict. Time passes as events have it."""

    rng: random.Random
    slow: float  # Seconds that an exchange takes at most, each way
    bots: list[Bot] = field(default_factory=list)
    waiting: tuple[Bot, int] | None = None
    events: list[tuple[float, int, Bot, str]] = field(default_factory=list)
    numbers: Iterator[int] = field(default_factory=lambda: iter(range(10**9)))

    def at(self, when: float, bot: Bot, what: str) -> None:
        heapq.heappush(self.events, (when, next(self.numbers), bot, what))

    def way(self) -> float:
        return self.rng.uniform(0, self.slow)

    def starts(self, when: float) -> Bot:
        bot = Bot(Contest(when, when))
        self.bots.append(bot)
        self.at(when, bot, "asks")
        return bot

    def run(self, until: float) -> None:
        while self.events and self.events[0][0] <= until:
            now, number, bot, what = heapq.heappop(self.events)
            if bot.ended is None:
                getattr(self, what.replace(" ", "_"))(now, number, bot)

    def asks(self, now: float, _: int, bot: Bot) -> None:
        bot.contest.record_request(now)
        self.at(now + self.way(), bot, "arrives")

    def arrives(self, now: float, number: int, bot: Bot) -> None:
        if self.waiting and self.waiting[0] is not bot:
            self.at(now + self.way(), self.waiting[0], "conflict")
        self.waiting = bot, number
        self.at(now + HOLD, bot, f"returns {number}")

    def __getattr__(self, name: str) -> object:
        if not name.startswith("returns_"):
            raise AttributeError(name)

        def returns(now: float, _: int, bot: Bot) -> None:
            if self.waiting == (bot, int(name.removeprefix("returns_"))):
                self.waiting = None
                bot.contest.record_answer(now)
                self.at(now, bot, "asks")

        return returns

    def conflict(self, now: float, _: int, bot: Bot) -> None:
        if bot.contest.handle_conflict(now) is ConflictDecision.END:
            bot.ended = now
        else:
            self.at(now + self.rng.uniform(*CONFLICT_PAUSE), bot, "asks")

    @property
    def left(self) -> list[Bot]:
        return [bot for bot in self.bots if bot.ended is None]


@pytest.mark.long
@pytest.mark.parametrize("slow", [0.001, 0.1, 1.0])
@pytest.mark.parametrize("bots", [2, 3, 5])
def test_exactly_one_of_several_newcomers_survives(bots: int, slow: float) -> None:
    rng = random.Random(f"{bots} {slow}")
    for _ in range(300):
        telegram = Telegram(rng, slow)
        for _ in range(bots):
            telegram.starts(rng.uniform(0, 1))
        telegram.run(600)
        assert len(telegram.left) == 1
        ends = [bot.ended for bot in telegram.bots if bot.ended is not None]
        assert len(ends) == bots - 1
        assert max(ends) < bots * (5 + 20 * slow)


@pytest.mark.parametrize("before", [NEWCOMER_TIME + 0.3, 5.0, QUIET_TIME, 3600.0])
def test_older_bot_survives(before: float) -> None:
    rng = random.Random(before)
    for _ in range(100):
        telegram = Telegram(rng, 0.01)
        first = telegram.starts(0)
        second = telegram.starts(before + rng.random())
        telegram.run(before + 60)
        assert telegram.left == [first]
        assert second.ended is not None
        assert second.ended < before + 5


def test_restarted_newcomer_ends_each_time() -> None:
    telegram = Telegram(random.Random(1), 0.01)
    first = telegram.starts(0)
    for life in range(OLD_CONFLICTS // 4):
        telegram.starts(100.0 + 6 * life)
    telegram.run(1000)
    assert telegram.left == [first]


def test_one_of_two_old_bots_ends() -> None:
    telegram = Telegram(random.Random(1), 0.01)
    first, second = telegram.starts(1000), telegram.starts(1001)
    first.contest.undisturbed_since = second.contest.undisturbed_since = 0.0
    telegram.run(1100)
    assert len(telegram.left) == 1


@pytest.mark.parametrize("strays", [1, 2])
def test_stray_conflict_ends_no_bot(strays: int) -> None:
    for age in (0.0, 0.5, 5.0, 100.0):
        contest = Contest(0, 0)
        now = 0.0
        for _ in range(20):
            for _ in range(strays):
                contest.record_request(now)
                contest.record_answer(now)
                assert contest.handle_conflict(now + 0.5) is ConflictDecision.RETRY_SOON
                now += 1.0 + age / 10
            now += QUIET_TIME + 1
            contest.record_answer(now)


def borne(undisturbed: float) -> int:
    """The conflict that ends a bot which had asked undisturbed for so many seconds before the first."""
    contest, now = Contest(0.0, 0.0), undisturbed
    contest.record_request(0.0)
    contest.record_answer(now)
    count = 1
    while contest.handle_conflict(now) is not ConflictDecision.END:
        contest.record_request(now)
        now, count = now + 0.5, count + 1
    return count


@pytest.mark.parametrize(
    ("undisturbed", "conflicts"), [(0.2, 3), (0.89, 3), (0.9, 5), (29.9, 5), (30.0, 40), (3600.0, 40)]
)
def test_conflicts_to_end_a_bot_grow_with_its_age(undisturbed: float, conflicts: int) -> None:
    assert borne(undisturbed) == conflicts


@pytest.mark.parametrize(
    ("quiet", "outcome"), [(29.9, ConflictDecision.END), (30.0, ConflictDecision.RETRY_SOON)]
)
def test_quiet_time_ends_a_contest(quiet: float, outcome: ConflictDecision) -> None:
    contest = Contest(0.0, 0.0)
    for now in (0.5, 1.0):
        contest.record_request(now - 0.5)
        assert contest.handle_conflict(now) is ConflictDecision.RETRY_SOON
    contest.record_request(1.5)
    contest.record_answer(20.0)
    assert contest.handle_conflict(1.0 + quiet) is outcome


def test_first_request_after_a_conflict_starts_the_clock() -> None:
    contest = Contest(0.0, 0.0)
    contest.record_request(0.0)
    contest.record_answer(0.15)
    contest.record_request(0.15)
    assert contest.handle_conflict(0.3) is ConflictDecision.RETRY_SOON


def test_conflicts_at_once_end_the_bot_after_35_seconds() -> None:
    contest = Contest(1000.0, 1000.0)
    for half in range(71):
        contest.record_request(1000.0 + half / 2 - 0.1)
        assert contest.handle_conflict(1000.0 + half / 2) is ConflictDecision.RETRY_LATER
    contest.record_request(1035.1)
    assert contest.handle_conflict(1035.1) is ConflictDecision.END


def test_conflicts_at_once_never_end_a_bot_that_got_through() -> None:
    contest, now = Contest(0, 0), 1.0
    contest.record_request(0)
    contest.record_answer(0.5)
    contest.record_failure()
    for _ in range(5000):
        contest.record_request(now)
        assert contest.handle_conflict(now + AT_ONCE_TIME / 2) is ConflictDecision.RETRY_LATER
        now += 0.5


@pytest.mark.parametrize(("away", "conflicts"), [(30.0, 40), (30.5, 3)])
def test_bot_without_answers_for_30_seconds_is_a_newcomer_again(away: float, conflicts: int) -> None:
    contest = Contest(0, 0)
    contest.record_answer(100)
    contest.record_request(100)
    contest.record_failure()
    contest.record_request(100 + away)
    assert contest.handle_conflict(100.5 + away) is ConflictDecision.RETRY_SOON
    assert contest.max_conflicts == conflicts
