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
from tests.bot.pictures.ink import rows


def counted(canvas: Canvas, colour: int) -> int:
    return canvas.image.tobytes().count(colour)


def test_columns_are_in_proportion_to_the_largest() -> None:
    canvas = Canvas(200, 100)
    draw_columns(canvas, (10, 10, 190, 90), (0, 1, 40, 0), 40, (20, 10), BRASS)
    drawn = canvas.image
    heights = [sum(drawn.getpixel((x, y)) == BRASS for y in range(100)) for x in (20, 50, 80, 110)]
    assert heights == [0, 10, 80, 0]
    assert drawn.getpixel((20, 88)) == drawn.getpixel((110, 88)) == GLOW


DEEP = "مرحبا بالعالم علي"


@pytest.mark.parametrize("rank", [1, 2])
def test_no_letter_touches_its_bar(rank: int) -> None:
    drawn = draw_ranking(RankingPicture("…", [RankedLine(rank, DEEP, 7)]))
    _, below = rows(drawn, (MARGIN + RANK_WIDTH, 140, WIDTH // 2, 1000), CLEAR - 2)
    assert below[1] - below[0] == BAR - 1


def test_no_letter_touches_the_hands_of_a_duel() -> None:
    drawn = draw_duel(DuelPicture("…", (DEEP, "Bob"), (1, 0), ((0,),), 0))
    assert len(rows(drawn, (MARGIN, 140, WIDTH // 2, 320), CLEAR - 2)) == 2


def test_zeros_are_stubs() -> None:
    canvas = Canvas(200, 100)
    draw_columns(canvas, (10, 10, 190, 90), (0, 0), 0, (20, 10), BRASS)
    assert counted(canvas, BRASS) == 0


def test_no_letter_touches_a_step() -> None:
    drawn = draw_podium(PodiumPicture("…", [RankedLine(1, "علي", 10)]))
    middle = WIDTH // 2
    name, step = rows(
        drawn, (middle - STEP_WIDTH // 2, MARGIN + 70, middle + STEP_WIDTH // 2, 500), CLEAR - 2
    )
    assert name[1] < step[0] - CLEAR + 2
