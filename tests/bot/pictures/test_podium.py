import pytest

from bot.pictures.look import CLEAR, MARGIN, WIDTH
from bot.pictures.podium import BROAD, _order, podium
from bot.pictures.values import Place, Podium
from tests.bot.pictures.ink import rows


@pytest.mark.parametrize(
    ("places", "shown"),
    [([1], [1]), ([1, 2], [1, 2]), ([1, 2, 3], [2, 1, 3]), ([1, 1, 3], [1, 1, 3]), ([1, 2, 2, 4], [2, 1, 2])],
)
def test_the_first_stands_in_the_middle_of_three(places: list[int], shown: list[int]) -> None:
    podium = Podium("…", [Place(rank, f"Ann {n}", 10 - rank) for n, rank in enumerate(places)])
    ordered = _order(podium)
    assert [place.rank for place in ordered] == shown
    if len(shown) > 1:
        assert ordered[1 if len(shown) == 3 else 0].name == "Ann 0"


def test_no_letter_reaches_down_to_a_step() -> None:
    drawn = podium(Podium("…", [Place(1, "علي", 10)]))
    middle = WIDTH // 2
    name, step = rows(drawn, (middle - BROAD // 2, MARGIN + 70, middle + BROAD // 2, 500), CLEAR - 2)
    assert name[1] < step[0] - CLEAR + 2
