from dataclasses import replace

from bot.pictures.canvas import CLEAR, MARGIN, WIDTH
from bot.pictures.scorecard import TOTAL, draw_score_card
from bot.pictures.values import ScoreCardPicture, ScoreRow
from tests.bot.pictures.ink import rows

CARD = ScoreCardPicture(
    "Ann",
    [ScoreRow("Ones", 3, (1, 1, 1, 2, 4))],
    ScoreRow("Bonus", 0),
    [ScoreRow("Chance", 20, (6, 6, 4, 3, 1))],
    23,
    "Total",
)


def drawn(lower: list[ScoreRow]) -> bytes:
    return draw_score_card(replace(CARD, lower=lower))


def test_an_open_category_is_not_a_score_of_nothing() -> None:
    assert drawn([ScoreRow("Chance")]) != drawn([ScoreRow("Chance", 0)])


def test_a_score_without_its_roll_is_not_the_same_as_with_it() -> None:
    assert drawn([ScoreRow("Chance", 20)]) != draw_score_card(CARD)


def test_no_letter_of_the_title_reaches_down_to_the_total() -> None:
    drawn = draw_score_card(replace(CARD, title="مرحبا بالعالم علي"))
    assert len(rows(drawn, (MARGIN, 0, WIDTH // 2, round(MARGIN + TOTAL.cap_height) + 2), CLEAR - 2)) == 2
