"""Three ways to enter an expression on a page: by touch, by keyboard, and by the accessibility tree.

The taps are planned by arithmetic of this module, so that an error in the page's own is found.
"""

import ast
from collections.abc import Awaitable, Callable, Generator, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from tests.browser.fake_service import OPERATIONS

if TYPE_CHECKING:
    from playwright.async_api import Page

SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
SPOKEN = {"+": "plus", "-": "minus", "*": "times", "/": "divided by"}


@dataclass(frozen=True, slots=True)
class Tile:
    """A number on the table, with its letter if it shows one."""

    value: Fraction
    label: str = ""

    @property
    def name(self) -> str:
        """Return the tile's name for screen readers."""
        top, bottom = self.value.as_integer_ratio()
        text = f"{abs(top)} over {bottom}" if bottom > 1 else f"{abs(top)}"
        text = f"−{text}" if top < 0 else text
        return f"{self.label}, {text}" if self.label else text

    @property
    def keys(self) -> str:
        """Return the keys that choose the tile."""
        return self.label.lower() or str(abs(self.value))


@dataclass(frozen=True, slots=True)
class Tap:
    """A tap on a tile, with the other tiles on the table, or on an operation."""

    place: int = -1
    tile: Tile | None = None
    others: tuple[Tile, ...] = ()
    sign: str = ""


Way = Callable[["Page", Tap], Awaitable[None]]


class Table:
    """The tiles on the table as an expression changes them."""

    def __init__(self, tiles: list[Tile]) -> None:
        self._places: list[Tile | None] = list(tiles)
        self._taken = set[int]()  # Places of dealt numbers that the expression has used
        self._chosen = -1

    def plan_taps(self, expression: str) -> Iterator[Tap]:
        """Yield the taps of an expression in order."""
        yield from self._plan_node(ast.parse(expression, mode="eval").body)

    def _plan_node(self, node: ast.expr) -> Generator[Tap, None, int]:
        """Yield the taps for a node; return the place of its result."""
        if not isinstance(node, ast.BinOp):
            return self._take_number(node)
        first = yield from self._plan_node(node.left)
        second = yield from self._plan_node(node.right)
        if self._chosen != first:
            yield self._plan_tap(first)
        yield Tap(sign=SIGNS[type(node.op)])
        self._chosen = first
        yield self._plan_tap(second)
        self._merge(OPERATIONS[type(node.op)], first, second)
        return second

    def _take_number(self, node: ast.expr) -> int:
        """Take a place with that number, and return it."""
        assert isinstance(node, ast.Constant)
        value, free = node.value, [at for at in range(len(self._places)) if at not in self._taken]
        place = next(at for at in free if (tile := self._places[at]) and tile.value == value)
        self._taken.add(place)
        return place

    def _plan_tap(self, place: int) -> Tap:
        others = tuple(each for at, each in enumerate(self._places) if each and at != self._chosen)
        return Tap(place, self._places[place], others)

    def _merge(self, operation: Callable[[Fraction, Fraction], Fraction], first: int, second: int) -> None:
        one, other = self._places[first], self._places[second]
        assert one
        assert other
        self._places[first], self._places[second] = None, Tile(Fraction(operation(one.value, other.value)))
        self._taken.add(second)
        self._chosen = second


async def read_tiles(page: "Page") -> list[Tile]:
    """Read the tiles of a page from their names for screen readers."""
    names = await page.locator(".tiles .place .tile:visible .visually-hidden").all_inner_texts()
    parts = [name.rpartition(", ") for name in names]
    return [
        Tile(Fraction(value.replace("−", "-").replace(" over ", "/")), label) for label, _, value in parts
    ]


async def tap_by_touch(page: "Page", tap: Tap) -> None:
    """Tap by the place on the screen."""
    if tap.sign:
        await page.locator(".sign").nth("+-*/".index(tap.sign)).tap()
    else:
        await page.locator(".tiles .place").nth(tap.place).locator(".tile").tap()


async def tap_by_keyboard(page: "Page", tap: Tap) -> None:
    """Type the tile's name until no other tile begins so; press Enter if one still does."""
    if tap.tile is None:
        return await page.keyboard.press(tap.sign)
    name, typed = tap.tile.keys, ""
    for key in name:
        typed += key
        await page.keyboard.press(key)
        every = {text for each in tap.others for text in (each.keys, str(abs(each.value)))}
        if {text for text in every if text.startswith(typed)} == {name}:
            return None
    return await page.keyboard.press("Enter")


async def tap_by_name(page: "Page", tap: Tap) -> None:
    """Press Enter on the button with the role and name of the tap."""
    if tap.tile is None:
        signs = page.get_by_role("group", name="Operations")
        return await signs.get_by_role("button", name=SPOKEN[tap.sign], exact=True).press("Enter")
    numbers = page.get_by_role("list", name="Numbers")
    tile = numbers.get_by_role("button", name=tap.tile.name, exact=True, pressed=False)
    return await tile.first.press("Enter")


async def tap_expression(page: "Page", expression: str, way: Way, *, but: int = 0) -> list[Tap]:
    """Tap an expression except for its last `but` taps, which are returned."""
    taps = list(Table(await read_tiles(page)).plan_taps(expression))
    for tap in taps[: len(taps) - but]:
        await way(page, tap)
    return taps[len(taps) - but :]
