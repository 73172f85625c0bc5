"""Rankings, duels, weeks and podiums."""

import pytest

from bot.pictures.canvas import CLEAR, MARGIN, WIDTH, Canvas
from bot.pictures.palette import BRASS, GLOW
from bot.pictures.tables import (
    BAR,
    RANK_WIDTH,
    STEP_WIDTH,
    draw_columns,
    draw_duel,
    draw_podium,
    draw_ranking,
)
from bot.pictures.values import DuelPicture, PodiumPicture, RankedLine, RankingPicture
from tests.bot.pictures.ink import find_ink_rows


def test_columns_are_in_proportion_to_the_largest() -> None:
    canvas = Canvas(200, 100)
    draw_columns(canvas, (10, 10, 190, 90), (0, 1, 40, 0), BRASS, most=40, width=20, gap=10)
    picture = canvas.image
    heights = [sum(picture.getpixel((x, y)) == BRASS for y in range(100)) for x in (20, 50, 80, 110)]
    assert heights == [0, 10, 80, 0]
    assert picture.getpixel((20, 88)) == picture.getpixel((110, 88)) == GLOW


DEEP_NAME = "مرحبا بالعالم علي"


@pytest.mark.parametrize("rank", [1, 2])
def test_name_does_not_touch_its_bar(rank: int) -> None:
    picture = draw_ranking(RankingPicture("…", [RankedLine(rank, DEEP_NAME, 7)]))
    _, below = find_ink_rows(picture, (MARGIN + RANK_WIDTH, 140, WIDTH // 2, 1000), CLEAR - 2)
    assert below[1] - below[0] == BAR - 1


def test_name_does_not_touch_the_hands_of_a_duel() -> None:
    picture = draw_duel(DuelPicture("…", (DEEP_NAME, "Bob"), (1, 0), ((0,),), 0))
    assert len(find_ink_rows(picture, (MARGIN, 140, WIDTH // 2, 320), CLEAR - 2)) == 2


def test_name_does_not_touch_a_step_of_the_podium() -> None:
    picture = draw_podium(PodiumPicture("…", [RankedLine(1, "علي", 10)]))
    middle = WIDTH // 2
    name, step = find_ink_rows(
        picture, (middle - STEP_WIDTH // 2, MARGIN + 70, middle + STEP_WIDTH // 2, 500), CLEAR - 2
    )
    assert name[1] < step[0] - CLEAR + 2
