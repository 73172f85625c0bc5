from dataclasses import replace

from bot.pictures.canvas import CLEAR, MARGIN, WIDTH
from bot.pictures.scorecard import TOTAL, draw_score_card
from bot.pictures.values import ScoreCardPicture, ScoreRow
from tests.bot.pictures.ink import find_ink_rows

CARD = ScoreCardPicture(
    "Ann",
    [ScoreRow("Ones", 3, (1, 1, 1, 2, 4))],
    ScoreRow("Bonus", 0),
    [ScoreRow("Chance", 20, (6, 6, 4, 3, 1))],
    23,
    "Total",
)


def draw(lower: list[ScoreRow]) -> bytes:
    return draw_score_card(replace(CARD, lower=lower))


def test_open_category_differs_from_a_score_of_0() -> None:
    assert draw([ScoreRow("Chance")]) != draw([ScoreRow("Chance", 0)])


def test_score_without_its_roll_differs_from_one_with_it() -> None:
    assert draw([ScoreRow("Chance", 20)]) != draw_score_card(CARD)


def test_title_does_not_touch_the_total() -> None:
    draw = draw_score_card(replace(CARD, title="مرحبا بالعالم علي"))
    assert (
        len(find_ink_rows(draw, (MARGIN, 0, WIDTH // 2, round(MARGIN + TOTAL.cap_height) + 2), CLEAR - 2))
        == 2
    )
