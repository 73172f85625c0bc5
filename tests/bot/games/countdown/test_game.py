"""Countdown as the rest of the bot sees it."""

import pytest

import solver
from bot.games.countdown import dealing
from bot.games.countdown.game import Countdown
from bot.games.countdown.rules import Draw, line_of
from bot.i18n import languages, words
from bot.rounds.puzzle import Entry, Fit, Kind
from bot.rounds.rules import Round
from tests.screen import too_long
from tests.stories.hours import NOON

GAME = Countdown()
EXACT = "(25+50)*(7+1)-9*3"
DRAW = Draw((25, 50, 7, 3, 9, 1), 573, EXACT, 573, 880, "fiendish", 50.0)
ROUND = Round(7, -1, 0, Kind.BEST, "countdown", DRAW, 1, NOON, NOON + 60)


@pytest.mark.parametrize(
    ("text", "fit", "answer"),
    [
        *((EXACT, Fit.RIGHT, EXACT), ("(25 + 50) × (7 + 1) − 9 × 3 = 573!", Fit.RIGHT, EXACT)),
        *(("25+50=75, 7+1=8, 75*8=600, 9*3=27, 600-27=573", Fit.RIGHT, EXACT), ("50", Fit.WRONG, "50")),
        *(
            ("25+50 or " + EXACT, Fit.RIGHT, EXACT),
            ("25+50", Fit.WRONG, "25+50"),
            ("7/3*9", Fit.WRONG, "7/3*9"),
        ),
        *(("(25+50)*7+50", Fit.OTHER, ""), ("100*5+73", Fit.OTHER, ""), ("nice tiles", Fit.TALK, "")),
        *(("51", Fit.TALK, ""), ("3-7+(25+50)*9", Fit.WRONG, "3-7+(25+50)*9")),
    ],
)
def test_what_a_text_is_to_a_draw(text: str, fit: Fit, answer: str) -> None:
    verdict = GAME.check(DRAW, text)
    assert (verdict.fit, verdict.answer) == (fit, answer)
    assert (verdict.why is None) == (fit is Fit.RIGHT or text == "51")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("25+50", "75 is 498 away from 573: only up to 10 away counts."),
        ("7/3", "7/3 = 7/3: only whole numbers on the way."),
        ("(3-7)*50+25", "3-7 = -4: nothing below zero on the way."),
        ("100*5+7*7", "Not among the tiles: 5, 100. There are 25 50 7 3 9 1."),
        ("75+75*2", "Not among the tiles: 2, 75. There are 25 50 7 3 9 1."),
        ("25*25-25", "Too often: 25. There are 25 50 7 3 9 1."),
    ],
)
def test_why_something_does_not_count_is_one_line(text: str, told: str) -> None:
    why = GAME.check(DRAW, text).why
    assert why is not None
    assert why(words("en")) == told
    assert all("\n" not in why(words(language)) for language in languages())


def test_a_tile_alone_may_be_the_nearest() -> None:
    near = Draw((100, 50, 7, 3, 9, 1), 101, "100+1", 101, 880, "easy", 10.0)
    assert GAME.check(near, " 100 ").fit is Fit.RIGHT
    assert GAME.check(near, "100").answer == "100"


def test_an_exact_entry_ends_it_at_once_only_for_who_plays_alone() -> None:
    exact = [Entry(1, DRAW.best, NOON + 9)]
    assert GAME.closes(ROUND, exact, NOON + 9) == NOON + 14
    alone = Round(8, 5, 0, Kind.BEST, "countdown", DRAW, 1, NOON, NOON + 60)
    assert GAME.closes(alone, exact, NOON + 30) == NOON + 9
    assert GAME.closes(ROUND, [], NOON + 9) is None


@pytest.mark.parametrize("language", languages())
def test_its_words_fit_a_phone(language: str) -> None:
    said = words(language)
    for private in (False, True):
        assert not too_long("\n".join([*GAME.dealt(DRAW), GAME.task(said, ROUND, (), private=private)]))
    shown = GAME.solutions(said, ROUND, (), 5)
    assert len(shown) == 2 + len(solver.parse(DRAW.best).steps())
    assert "880" in shown[-1]


def test_a_question_and_a_line_are_told_from_those_of_cards() -> None:
    assert GAME.asks(line_of(DRAW.tiles, 573))
    assert not any(GAME.asks(line) for line in ("3 8 3 8 → 24", "25 25 → 573", "1 2 11 → 573"))
    own = [GAME.owns(solver.parse(text)) for text in (EXACT, "8/(3-8/3)", "8*3", "9*8*7", "25*3", "25*25")]
    assert own == [True, False, False, True, True, False]


def test_options_are_kept_for_the_next_deal() -> None:
    wanted = GAME.options(words("en"), "3")
    assert GAME.unpack_options(GAME.pack_options(wanted), Kind.BEST) == wanted
    assert GAME.alike(DRAW, Kind.BEST).large == 2
    assert GAME.race(None).large is None
    assert GAME.usual() == {"0", "1", "2", "3", "4"}


@pytest.mark.parametrize(
    ("stored", "seconds"), [({}, 60), ({"countdown_seconds": 90}, 90), ({"countdown_seconds": 7}, 60)]
)
def test_how_long_a_round_lasts(stored: dict[str, object], seconds: int) -> None:
    assert GAME.seconds(stored) == seconds
    (setting,) = GAME.settings(words("en"), stored)
    assert setting.value == f"{seconds} s"


@pytest.mark.long
@pytest.mark.parametrize("large", [0, None])
def test_the_best_ends_the_hand_of_a_day_however_far_it_is(large: int | None) -> None:
    for seed in range(60):
        drawn = dealing.draw(seed, large)
        assert GAME.check_of_the_day(drawn, drawn.best).fit is Fit.RIGHT


def test_of_the_hand_of_a_day_everything_else_is_told_that_it_can_be_done_nearer() -> None:
    draw = Draw((1, 1, 2, 2, 3, 3), 900, "3*3*(2+2)*(1+1)", 72, 0, "fiendish", 50.0)
    assert GAME.check_of_the_day(draw, "3*3*(2+2)*(1+1)").fit is Fit.RIGHT
    near = GAME.check_of_the_day(draw, "3*3*2*2*1")
    assert (near.fit, near.why and near.why(words("en"))) == (
        Fit.WRONG,
        "36 is 864 away from 900. It can be done nearer.",
    )
    barred = GAME.check_of_the_day(draw, "1-2")
    assert barred.why
    assert "below zero" in barred.why(words("en"))


def test_a_page_has_its_tiles_and_nothing_of_its_answer() -> None:
    laid = GAME.tiles(DRAW)
    numbers = ("25", "50", "7", "3", "9", "1")
    assert (laid.numbers, laid.shown, laid.target) == (numbers, numbers, "573")
    assert (laid.every, laid.whole, laid.near) == (False, True, True)
