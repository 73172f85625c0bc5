"""Deals that nobody could choose: all that is dealt follows from a seed that was committed to before.

A *proof* is one line: a seed of 128 random bits and the *recipe* of what is dealt from it, such as
`7xKq2TmVbE5wRd9NsLhYuC 24:4:13:24`. Whoever deals shows its *commitment* with the deal, and the proof when
all is over. Then everybody can see that the deal was fixed before anybody played, and by nothing but chance:

- the commitment is the first 32 hexadecimal digits of the proof's SHA-256. A short seed could be found from
  it by trying them all, so a seed is 22 letters and digits, none of which are easily taken for another
  (those of base58: more than 128 bits);
- number n of a seed, from 0, is `first 53 bits of SHA-256("SEED n") / 2**53`, at least 0 and below 1;
- what is dealt takes these numbers in turn. A choice among k is `floor(k * number)`.

The recipes:

- `24:CARDS:HIGHEST:TARGET`, with `:LEVEL` (the first letter of a level) and `:NTH` where they are given: the
  first or NTH hand that `solver.deal` finds;
- `countdown` or `countdown:LARGE`: tiles and a target, as `solver.draw` draws them;
- `yahtzee`: thirteen rolls of five dice.

>>> commitment("7xKq2TmVbE5wRd9NsLhYuC countdown:2")
'3a97424595151e0d658ef4441006fce2'
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256
from random import Random

from solver.deal import deal, draw
from solver.names import LEVELS
from solver.yahtzee import roll_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from solver.names import Level

SHOWN = 32  # Hexadecimal digits of a commitment: nobody finds two proofs that agree in so many
SIGNS = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
SEED = re.compile(f"[{SIGNS}]{{22}}")
_BITS = 53
_RECIPE = re.compile(
    r"24:(?P<cards>\d{1,2}):(?P<highest>\d{1,4}):(?P<target>\d{1,9})(?::(?P<level>[emhf]))?(?::(?P<nth>[1-9]\d?))?"
    r"|countdown(?::(?P<large>\d))?"
    r"|yahtzee",
    re.ASCII,
)


class Stream(Random):
    """The numbers of a seed. Only `random()` is sure to stay the same."""

    def __init__(self, seed: str) -> None:
        self._text = seed
        self._next = 0
        super().__init__(0)

    def random(self) -> float:
        """The next number, at least 0 and below 1."""
        digest = sha256(f"{self._text} {self._next}".encode()).digest()
        self._next += 1
        return (int.from_bytes(digest[:8], "big") >> (64 - _BITS)) / float(1 << _BITS)


@dataclass(frozen=True, slots=True)
class Recipe:
    """The kind of deal that a seed gives."""

    game: str  # 24, countdown or yahtzee
    cards: int = 4
    highest: int = 13
    target: int = 24
    level: Level | None = None
    nth: int = 1  # Which of the hands that are found, from 1
    large: int | None = None  # Large tiles of Countdown; None leaves that to chance

    def __str__(self) -> str:
        if self.game == "24":
            level = [self.level[0]] if self.level else []
            nth = [self.nth] if self.nth > 1 else []
            return ":".join(map(str, [self.game, self.cards, self.highest, self.target, *level, *nth]))
        return self.game if self.large is None else f"{self.game}:{self.large}"


def spelled(seed: int) -> str:
    """A seed of 128 bits as it is written. Raises ValueError for a larger or a negative one."""
    if not 0 <= seed < 2**128:
        raise ValueError("a seed has 128 bits")
    signs = []
    for _ in range(22):
        seed, digit = divmod(seed, len(SIGNS))
        signs.append(SIGNS[digit])
    return "".join(reversed(signs))


def commitment(proof: str) -> str:
    """Return the commitment to a proof: the text that is published before the proof."""
    return sha256(proof.encode()).hexdigest()[:SHOWN]


def recipe(text: str) -> Recipe:
    """The recipe that a text is. Raises ValueError for one that is none."""
    read = _RECIPE.fullmatch(text)
    if read is None:
        raise ValueError(f"no recipe such as 24:4:13:24, countdown:2 or yahtzee: {text[:40]!r}")
    given = {key: value for key, value in read.groupdict().items() if value is not None}
    level = next((known for known in LEVELS if known[0] == given.get("level")), None)
    numbers = {key: int(value) for key, value in given.items() if key != "level"}
    return Recipe(text.partition(":")[0], level=level, **numbers)


def dealt(proof: str) -> list[str]:
    """Return the lines that a proof deals, as deals show them: numbers and target, or one for each roll.

    Raises ValueError for a proof that is none, and for one that deals nothing.
    """
    seed, _, text = proof.partition(" ")
    if not SEED.fullmatch(seed):
        raise ValueError(f"a seed is 22 letters and digits, without 0, O, I and l: {seed[:40]!r}")
    asked, stream = recipe(text), Stream(seed)
    if asked.game == "yahtzee":
        return [" ".join(map(str, roll)) for roll in roll_all(stream)]
    if asked.game == "countdown":
        puzzle = draw(stream, asked.large)
    else:
        kind = {"cards": asked.cards, "highest": asked.highest, "target": asked.target}
        puzzle = [deal(stream, **kind, level=asked.level) for _ in range(asked.nth)][-1]
    return [f"{' '.join(map(str, puzzle.numbers))} → {puzzle.target}"]
