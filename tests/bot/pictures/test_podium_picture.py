import pytest

from bot.pictures.canvas import CLEAR, MARGIN, WIDTH
from bot.pictures.tables import STEP_WIDTH, _order, draw_podium
from bot.pictures.values import PodiumPicture, PodiumPlace
from tests.bot.pictures.ink import rows


@pytest.mark.parametrize(
    ("places", "shown"),
    [([1], [1]), ([1, 2], [1, 2]), ([1, 2, 3], [2, 1, 3]), ([1, 1, 3], [1, 1, 3]), ([1, 2, 2, 4], [2, 1, 2])],
)
def test_the_first_stands_in_the_middle_of_three(places: list[int], shown: list[int]) -> None:
    podium = PodiumPicture("…", [PodiumPlace(rank, f"Ann {n}", 10 - rank) for n, rank in enumerate(places)])
    ordered = _order(podium)
    assert [place.rank for place in ordered] == shown
    if len(shown) > 1:
        assert ordered[1 if len(shown) == 3 else 0].name == "Ann 0"


def test_no_letter_reaches_down_to_a_step() -> None:
    drawn = draw_podium(PodiumPicture("…", [PodiumPlace(1, "علي", 10)]))
    middle = WIDTH // 2
    name, step = rows(
        drawn, (middle - STEP_WIDTH // 2, MARGIN + 70, middle + STEP_WIDTH // 2, 500), CLEAR - 2
    )
    assert name[1] < step[0] - CLEAR + 2
