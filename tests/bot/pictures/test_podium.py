import pytest

from bot.pictures.podium import _order
from bot.pictures.values import Place, Podium


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
