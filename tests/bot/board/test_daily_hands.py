"""Daily hands of today and yesterday on a page."""

from dataclasses import replace

from bot.board import queries as pages
from bot.board import view
from bot.board.page_state import DailyHandView
from bot.board.rules import Place
from bot.database import Tx
from bot.i18n import get_words
from bot.modes.daily import queries as days
from bot.modes.daily.rules import ATTEMPT_SECONDS, DailyHand, format_utc_date
from bot.pictures.values import Operation
from bot.players import queries as people
from bot.rounds.rules import State
from tests.bot.databases import Database
from tests.sample_rounds import make_round, store_round
from tests.stories.clock import NOON

ANN, BOB = 11, 12
TODAY, TOMORROW = format_utc_date(NOON), format_utc_date(NOON + ATTEMPT_SECONDS)
EVENING, NIGHT = NOON + 11 * 3600, NOON + 13 * 3600
ONE, OTHER = (3, 8, 3, 8), (1, 2, 3, 4)


def deal_daily_hand(tx: Tx, day: str, at: float, *players: int, numbers: tuple[int, ...] = ONE) -> None:
    """Store the hand of a day and open an attempt of each player."""
    hand = days.insert_hand(tx, DailyHand(day, "24", make_round(numbers=numbers).puzzle))
    for player in players:
        people.insert_or_update_player(tx, people.Player(player, f"P{player}", None))
        days.open_attempt(tx, hand, player, at)


def load_daily_status(tx: Tx, player: int, now: float) -> tuple[str | None, bool | None, list[str]]:
    """Return the shown hand's day, whether it is done, and all days that are done."""
    shown = view.load_daily_hands(tx, Place(player), now)
    mine = view.load_daily_attempts(tx, shown, [player], now).get(player, {})
    done_days = [day for day, attempt in mine.items() if attempt.state is not State.OPEN]
    laid = view.load_daily_hand_view(tx, shown, mine, get_words("en"))
    return (laid.day, laid.is_done, done_days) if laid else (None, None, done_days)


async def test_yesterdays_hand_stays_until_the_players_time_ends(db: Database) -> None:
    def story(tx: Tx) -> None:
        deal_daily_hand(tx, TODAY, EVENING, ANN)
        assert load_daily_status(tx, ANN, EVENING) == (TODAY, False, [])
        assert load_daily_status(tx, ANN, NIGHT) == (TODAY, False, [])
        assert load_daily_status(tx, BOB, NIGHT) == (None, None, [])
        assert load_daily_status(tx, ANN, EVENING + ATTEMPT_SECONDS) == (TODAY, False, [])
        assert load_daily_status(tx, ANN, EVENING + ATTEMPT_SECONDS + 1) == (None, None, [])

    await db(story)


async def test_newest_unsolved_hand_is_shown(db: Database) -> None:
    def story(tx: Tx) -> None:
        deal_daily_hand(tx, TODAY, EVENING, ANN, BOB)
        deal_daily_hand(tx, TOMORROW, NIGHT, ANN, BOB, numbers=OTHER)
        assert load_daily_status(tx, ANN, NIGHT) == (TOMORROW, False, [])
        attempt = days.load_attempt(tx, TOMORROW, ANN)
        assert attempt
        days.update_open_attempt(tx, replace(attempt, state=State.SKIPPED, closed=NIGHT + 1))
        assert load_daily_status(tx, ANN, NIGHT + 2) == (TODAY, False, [TOMORROW])
        pages.insert_offline_solution(tx, ANN, TODAY, "8/(3-8/3)", NIGHT, NIGHT + 3)
        assert load_daily_status(tx, ANN, NIGHT + 4) == (TOMORROW, True, [TOMORROW, TODAY])
        assert load_daily_status(tx, BOB, NIGHT + 4) == (TOMORROW, False, [])

    await db(story)


async def test_end_of_the_days_hand_is_its_own(db: Database) -> None:
    def story(tx: Tx) -> None:
        deal_daily_hand(tx, TODAY, NOON, ANN, BOB)
        people.store_fact(tx, people.USERNAME_FACT, "TwentyFourBot")
        for player, state, answer in ((ANN, State.WON, "8/(3-8/3)"), (BOB, State.SKIPPED, None)):
            attempt = days.load_attempt(tx, TODAY, player)
            assert attempt
            days.update_open_attempt(tx, replace(attempt, state=state, closed=NOON + 42, answer=answer))
        solved, given_up = [load_shown_day(tx, player) for player in (ANN, BOB)]
        assert (solved.is_solved, given_up.is_solved) == (True, False)
        assert "24" in solved.answer
        assert given_up.answer
        assert solved.result[1] == "Your streak: 1 day"
        assert given_up.result == ("Given up.",)
        assert solved.share.startswith("https://t.me/share/url?url=https%3A%2F%2Ft.me%2FTwentyFourBot")
        assert given_up.share == ""
        assert isinstance(solved.tree, Operation)
        store_round(tx, make_round(numbers=ONE, chat_id=BOB))
        assert (load_shown_day(tx, BOB).answer, load_shown_day(tx, BOB).tree) == ("", None)

    await db(story)


def load_shown_day(tx: Tx, player: int) -> DailyHandView:
    shown = view.load_daily_hands(tx, Place(player), NOON + 60)
    mine = view.load_daily_attempts(tx, shown, [player], NOON + 60)[player]
    day = view.load_daily_hand_view(tx, shown, mine, get_words("en"))
    assert day
    return day
