"""Lists that stop after a page, without a terminal."""

from collections.abc import Iterator

import pytest

import solver
from solver import listing
from solver.expression import Expression
from solver.listing import Listing

IDEAS = ["1+2+3+4", "2*3+1*4", "3+2*4-1", "1*3*4-2", "2+4*(3-1)", "4*(1+3/2)", "4*(3-1/2)"]


class PrintedList:
    """A list of the seven solutions that make 10 from 1 2 3 4, and what it printed."""

    def __init__(self, stops_at: int = 7) -> None:
        self.printed: list[str] = []
        self.stops_at = stops_at  # The place of the solution at which Ctrl-C arrives
        self.listing = Listing(self._search(), self._print_solution)

    def _search(self) -> Iterator[Expression]:
        for place, solution in enumerate(solver.ideas([1, 2, 3, 4], 10)):
            if place == self.stops_at:
                raise KeyboardInterrupt
            yield solution

    def _print_solution(self, solution: Expression) -> int:
        self.printed.append(str(solution))
        return 2


def test_page_is_printed_and_the_rest_counted() -> None:
    page = PrintedList()
    page.listing.print_lines(3)
    assert page.printed == IDEAS[:2], "the second takes the third line and one more"
    assert (page.listing.count, page.listing.is_over) == ("7", True)
    assert page.listing.write_rest("`all`") == "… 5 more; `all` shows them"
    page.listing.print_lines(float("inf"))
    assert page.printed == IDEAS
    assert page.listing.count == "7"
    assert page.listing.write_rest("`all`") is None


def test_long_search_pauses_behind_its_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "COUNTING_SECONDS", 0.0)
    page = PrintedList()
    page.listing.print_lines(6)
    assert page.printed == IDEAS[:3]
    assert page.listing.count == "at least 4"
    assert page.listing.write_rest("--all") == "… at least 1 more; --all shows them"
    page.listing.print_lines(float("inf"))
    assert page.printed == IDEAS
    assert (page.listing.count, page.listing.is_over) == ("7", True)


def test_stopped_search_keeps_what_it_found() -> None:
    page = PrintedList(stops_at=5)
    with pytest.raises(KeyboardInterrupt):
        page.listing.print_lines(6)
    page.listing.stop()
    assert page.listing.count == "5"
    assert page.listing.write_rest("`all`") == "… 2 more; `all` shows them"
    page.listing.print_lines(float("inf"))
    assert page.printed == IDEAS[:5]
