"""The game of Countdown."""

import pytest

import solver
from bot.formats import format_duration
from bot.games.countdown import rules
from bot.games.countdown.game import Countdown, check_best_answer
from bot.games.countdown.rules import Draw
from bot.i18n import get_words, list_languages
from bot.pictures.values import TilesPicture
from bot.players.choices import StoredChoices
from bot.rounds.puzzle import Audience, Kind, VerdictKind
from bot.rounds.rules import Round
from tests.phone_screen import find_overflow
from tests.stories.clock import NOON

GAME = Countdown()
EXACT = "(25+50)*(7+1)-9*3"
DRAW = Draw((25, 50, 7, 3, 9, 1), 573, EXACT, 573, "fiendish", 50.0)
ROUND = Round(7, -1, 0, Kind.BEST, "countdown", DRAW, 1, NOON, NOON + 60)


@pytest.mark.parametrize(
    ("text", "fit", "answer"),
    [
        *(
            (EXACT, VerdictKind.RIGHT, EXACT),
            ("(25 + 50) × (7 + 1) − 9 × 3 = 573!", VerdictKind.RIGHT, EXACT),
        ),
        *(
            ("25+50=75, 7+1=8, 75*8=600, 9*3=27, 600-27=573", VerdictKind.RIGHT, EXACT),
            ("50", VerdictKind.WRONG, "50"),
        ),
        *(
            ("25+50 or " + EXACT, VerdictKind.RIGHT, EXACT),
            ("25+50", VerdictKind.WRONG, "25+50"),
            ("7/3*9", VerdictKind.WRONG, "7/3*9"),
        ),
        *(
            ("(25+50)*7+50", VerdictKind.WRONG_NUMBERS, ""),
            ("100*5+73", VerdictKind.WRONG_NUMBERS, ""),
            ("nice tiles", VerdictKind.TALK, ""),
        ),
        *(("51", VerdictKind.TALK, ""), ("3-7+(25+50)*9", VerdictKind.WRONG, "3-7+(25+50)*9")),
    ],
)
def test_text_gets_its_verdict(text: str, fit: VerdictKind, answer: str) -> None:
    verdict = GAME.check(DRAW, text)
    assert (verdict.kind, verdict.answer) == (fit, answer)
    assert (verdict.render_reason is None) == (fit is VerdictKind.RIGHT or text == "51")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("25+50", "75 is 498 away from 573: only up to 10 away counts."),
        ("7/3", "7÷3 = 2 1/3: only whole numbers on the way."),
        ("(3-7)*50+25", "3−7 = −4: nothing below zero on the way."),
        ("100*5+7*7", "Not among the tiles: 5, 100."),
        ("75+75*2", "Not among the tiles: 2, 75."),
        ("25*25-25", "Too often: 25."),
    ],
)
def test_reason_against_an_entry_is_one_line(text: str, expected: str) -> None:
    why = GAME.check(DRAW, text).render_reason
    assert why is not None
    assert why(get_words("en")) == expected
    assert all("\n" not in why(get_words(language)) for language in list_languages())


def test_single_tile_is_an_entry() -> None:
    near = Draw((100, 50, 7, 3, 9, 1), 101, "100+1", 101, "easy", 10.0)
    assert GAME.check(near, " 100 ").kind is VerdictKind.RIGHT
    assert GAME.check(near, "100").answer == "100"


@pytest.mark.parametrize("language", list_languages())
def test_texts_fit_a_phone(language: str) -> None:
    words = get_words(language)
    for audience in Audience:
        assert not find_overflow("\n".join([*GAME.render_deal(DRAW), GAME.task(words, ROUND, (), audience)]))
    shown = GAME.render_solutions(words, ROUND, (), 5)
    assert len(shown) == 1 + len(solver.parse(DRAW.best).steps())
    assert GAME.render_solutions(words, ROUND, (), 1) == shown[:1]


def test_questions_and_expressions_of_draws_are_recognised() -> None:
    assert GAME.questions.can_explain(DRAW.line)
    assert not any(
        GAME.questions.can_explain(line) for line in ("3 8 3 8 → 24", "25 25 → 573", "1 2 11 → 573")
    )
    own = [
        GAME.questions.claims_expression(solver.parse(text))
        for text in (EXACT, "8/(3-8/3)", "8*3", "9*8*7", "25*3", "25*25")
    ]
    assert own == [True, False, False, True, True, False]


def test_next_deal_keeps_the_large_tiles() -> None:
    assert GAME.options.find_similar(DRAW, Kind.BEST).large == 2
    assert GAME.options.get_quick_words() == {"0", "1", "2", "3", "4"}


def test_setting_names_the_units_of_its_choices() -> None:
    stored = StoredChoices({"countdown_seconds": 90})
    (setting,) = GAME.options.list_settings(get_words("en"), stored)
    assert setting.value == "1 min 30 s"
    assert [choice.label for choice in setting.choices] == ["30 s", "45 s", "1 min", "1 min 30 s", "2 min"]


@pytest.mark.parametrize(
    ("stored", "seconds"), [({}, 60), ({"countdown_seconds": 90}, 90), ({"countdown_seconds": 7}, 60)]
)
def test_time_limit_follows_the_setting(stored: dict[str, object], seconds: int) -> None:
    settings = StoredChoices(stored)
    assert GAME.entries.get_time_limit(settings) == seconds
    (setting,) = GAME.options.list_settings(get_words("en"), settings)
    assert setting.value == format_duration(get_words("en"), seconds)


@pytest.mark.long
@pytest.mark.parametrize("large", [0, None])
def test_best_answer_solves_a_daily_draw_at_any_distance(large: int | None) -> None:
    for seed in range(60):
        drawn = rules.deal_draw(seed, large)
        assert check_best_answer(drawn, drawn.best).kind is VerdictKind.RIGHT


def test_other_answers_to_a_daily_draw_can_be_nearer() -> None:
    draw = Draw((1, 1, 2, 2, 3, 3), 900, "3*3*(2+2)*(1+1)", 72, "fiendish", 50.0)
    assert check_best_answer(draw, "3*3*(2+2)*(1+1)").kind is VerdictKind.RIGHT
    near = check_best_answer(draw, "3*3*2*2*1")
    assert (near.kind, near.render_reason and near.render_reason(get_words("en"))) == (
        VerdictKind.WRONG,
        "36 is 864 away from 900. It can be done nearer.",
    )
    barred = check_best_answer(draw, "1-2")
    assert barred.render_reason
    assert "below zero" in barred.render_reason(get_words("en"))


def test_tiles_and_pictures_have_nothing_of_the_answer() -> None:
    assert GAME.pictures.make_deal_picture(DRAW) == TilesPicture((25, 50, 7, 3, 9, 1), 573)
    laid = GAME.tile_board.make_tiles(DRAW)
    numbers = ("25", "50", "7", "3", "9", "1")
    assert (laid.numbers, laid.labels, laid.target) == (numbers, numbers, "573")
    assert (laid.uses_all, laid.whole_numbers_only, laid.accepts_near) == (False, True, True)
