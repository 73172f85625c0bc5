"""Several bots on one token, simulated with random delays of the network."""

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
    """A bot that polls until it ends."""

    contest: Contest
    ended: float | None = None  # When it ended


@dataclass
class Telegram:
    """Holds one request open, which a newer one ends with a conflict. Events move the time."""

    rng: random.Random
    max_delay: float  # Maximum seconds of a message in each direction
    bots: list[Bot] = field(default_factory=list)
    waiting: tuple[Bot, int] | None = None
    events: list[tuple[float, int, Bot, str]] = field(default_factory=list)
    numbers: Iterator[int] = field(default_factory=lambda: iter(range(10**9)))

    def schedule(self, when: float, bot: Bot, event: str) -> None:
        heapq.heappush(self.events, (when, next(self.numbers), bot, event))

    def draw_delay(self) -> float:
        return self.rng.uniform(0, self.max_delay)

    def start_bot(self, when: float) -> Bot:
        bot = Bot(Contest(when, when))
        self.bots.append(bot)
        self.schedule(when, bot, "ask")
        return bot

    def run(self, until: float) -> None:
        while self.events and self.events[0][0] <= until:
            now, number, bot, event = heapq.heappop(self.events)
            if bot.ended is None:
                getattr(self, event.replace(" ", "_"))(now, number, bot)

    def ask(self, now: float, _: int, bot: Bot) -> None:
        bot.contest.record_request(now)
        self.schedule(now + self.draw_delay(), bot, "arrive")

    def arrive(self, now: float, number: int, bot: Bot) -> None:
        if self.waiting and self.waiting[0] is not bot:
            self.schedule(now + self.draw_delay(), self.waiting[0], "handle_conflict_event")
        self.waiting = bot, number
        self.schedule(now + HOLD, bot, f"return {number}")

    def __getattr__(self, name: str) -> object:
        if not name.startswith("return_"):
            raise AttributeError(name)

        def return_request(now: float, _: int, bot: Bot) -> None:
            if self.waiting == (bot, int(name.removeprefix("return_"))):
                self.waiting = None
                bot.contest.record_answer(now)
                self.schedule(now, bot, "ask")

        return return_request

    def handle_conflict_event(self, now: float, _: int, bot: Bot) -> None:
        if bot.contest.handle_conflict(now) is ConflictDecision.END:
            bot.ended = now
        else:
            self.schedule(now + self.rng.uniform(*CONFLICT_PAUSE), bot, "ask")

    @property
    def surviving(self) -> list[Bot]:
        return [bot for bot in self.bots if bot.ended is None]


@pytest.mark.long
@pytest.mark.parametrize("max_delay", [0.001, 0.1, 1.0])
@pytest.mark.parametrize("bots", [2, 3, 5])
def test_exactly_one_of_several_newcomers_survives(bots: int, max_delay: float) -> None:
    rng = random.Random(f"{bots} {max_delay}")
    for _ in range(300):
        telegram = Telegram(rng, max_delay)
        for _ in range(bots):
            telegram.start_bot(rng.uniform(0, 1))
        telegram.run(600)
        assert len(telegram.surviving) == 1
        end_times = [bot.ended for bot in telegram.bots if bot.ended is not None]
        assert len(end_times) == bots - 1
        assert max(end_times) < bots * (5 + 20 * max_delay)


@pytest.mark.parametrize("before", [NEWCOMER_TIME + 0.3, 5.0, QUIET_TIME, 3600.0])
def test_older_bot_survives(before: float) -> None:
    rng = random.Random(before)
    for _ in range(100):
        telegram = Telegram(rng, 0.01)
        first = telegram.start_bot(0)
        second = telegram.start_bot(before + rng.random())
        telegram.run(before + 60)
        assert telegram.surviving == [first]
        assert second.ended is not None
        assert second.ended < before + 5


def test_restarted_newcomer_ends_each_time() -> None:
    telegram = Telegram(random.Random(1), 0.01)
    first = telegram.start_bot(0)
    for life in range(OLD_CONFLICTS // 4):
        telegram.start_bot(100.0 + 6 * life)
    telegram.run(1000)
    assert telegram.surviving == [first]


def test_one_of_two_old_bots_ends() -> None:
    telegram = Telegram(random.Random(1), 0.01)
    first, second = telegram.start_bot(1000), telegram.start_bot(1001)
    first.contest.undisturbed_since = second.contest.undisturbed_since = 0.0
    telegram.run(1100)
    assert len(telegram.surviving) == 1


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


def count_conflicts_to_end(undisturbed: float) -> int:
    """Return the number of the conflict that ends a bot which polled undisturbed before the first."""
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
    assert count_conflicts_to_end(undisturbed) == conflicts


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
