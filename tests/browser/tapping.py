"""Three ways to tap an expression on a page: by touch, by the keyboard, by the accessibility tree alone.

An expression is turned into taps by arithmetic of its own, so that the page's is not believed.
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
    """A number on the table, and what is written on it where that is a letter."""

    value: Fraction
    label: str = ""

    @property
    def name(self) -> str:
        """What the tile is called to who doesn't see it."""
        top, bottom = self.value.as_integer_ratio()
        said = f"{abs(top)} over {bottom}" if bottom > 1 else f"{abs(top)}"
        said = f"−{said}" if top < 0 else said
        return f"{self.label}, {said}" if self.label else said

    @property
    def typed(self) -> str:
        """What it is called by who types."""
        return self.label.lower() or str(abs(self.value))


@dataclass(frozen=True, slots=True)
class Tap:
    """A tap on a tile (the others that lie there beside it) or on a sign."""

    place: int = -1
    tile: Tile | None = None
    others: tuple[Tile, ...] = ()
    sign: str = ""


Way = Callable[["Page", Tap], Awaitable[None]]


class Table:
    """The tiles as they should lie, while an expression is tapped."""

    def __init__(self, tiles: list[Tile]) -> None:
        self._places: list[Tile | None] = list(tiles)
        self._taken = set[int]()
        """Places of dealt numbers that the expression has used."""
        self._chosen = -1

    def taps(self, expression: str) -> Iterator[Tap]:
        """What is to be tapped, in turn."""
        yield from self._made(ast.parse(expression, mode="eval").body)

    def _made(self, node: ast.expr) -> Generator[Tap, None, int]:
        """Taps that make what the node says; returns the place where it lies then."""
        if not isinstance(node, ast.BinOp):
            return self._dealt(node)
        first = yield from self._made(node.left)
        second = yield from self._made(node.right)
        if self._chosen != first:
            yield self._on(first)
        yield Tap(sign=SIGNS[type(node.op)])
        self._chosen = first
        yield self._on(second)
        self._join(OPERATIONS[type(node.op)], first, second)
        return second

    def _dealt(self, node: ast.expr) -> int:
        """A place of that number, which is used from now on."""
        assert isinstance(node, ast.Constant)
        value, free = node.value, [at for at in range(len(self._places)) if at not in self._taken]
        place = next(at for at in free if (tile := self._places[at]) and tile.value == value)
        self._taken.add(place)
        return place

    def _on(self, place: int) -> Tap:
        others = tuple(each for at, each in enumerate(self._places) if each and at != self._chosen)
        return Tap(place, self._places[place], others)

    def _join(self, operation: Callable[[Fraction, Fraction], Fraction], first: int, second: int) -> None:
        one, other = self._places[first], self._places[second]
        assert one
        assert other
        self._places[first], self._places[second] = None, Tile(Fraction(operation(one.value, other.value)))
        self._taken.add(second)
        self._chosen = second


async def tiles(page: "Page") -> list[Tile]:
    """The tiles as a page has them, from what it tells those who don't see."""
    names = await page.locator(".tiles .place .tile:visible .spoken").all_inner_texts()
    parts = [name.rpartition(", ") for name in names]
    return [
        Tile(Fraction(value.replace("−", "-").replace(" over ", "/")), label) for label, _, value in parts
    ]


async def by_touch(page: "Page", tap: Tap) -> None:
    """By its place on the screen."""
    if tap.sign:
        await page.locator(".sign").nth("+-*/".index(tap.sign)).tap()
    else:
        await page.locator(".tiles .place").nth(tap.place).locator(".tile").tap()


async def by_keys(page: "Page", tap: Tap) -> None:
    """By as much of its name as tells it from the others; Enter settles what could go on."""
    if tap.tile is None:
        return await page.keyboard.press(tap.sign)
    name, typed = tap.tile.typed, ""
    for key in name:
        typed += key
        await page.keyboard.press(key)
        every = {text for each in tap.others for text in (each.typed, str(abs(each.value)))}
        if {text for text in every if text.startswith(typed)} == {name}:
            return None
    return await page.keyboard.press("Enter")


async def by_names(page: "Page", tap: Tap) -> None:
    """By its role and name, and nothing that is seen."""
    if tap.tile is None:
        signs = page.get_by_role("group", name="Operations")
        return await signs.get_by_role("button", name=SPOKEN[tap.sign], exact=True).press("Enter")
    numbers = page.get_by_role("list", name="Numbers")
    tile = numbers.get_by_role("button", name=tap.tile.name, exact=True, pressed=False)
    return await tile.first.press("Enter")


async def play(page: "Page", expression: str, way: Way, *, but: int = 0) -> list[Tap]:
    """Tap an expression, but for its last few taps, which are returned."""
    taps = list(Table(await tiles(page)).taps(expression))
    for tap in taps[: len(taps) - but]:
        await way(page, tap)
    return taps[len(taps) - but :]
