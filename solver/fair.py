"""Verifiable deals: everything that is dealt follows from a seed that was fixed before.

A *proof* is one line: a seed of 128 random bits and a *recipe*, the kind of deal, such as
`7xKq2TmVbE5wRd9NsLhYuC 24:4:13:24`. The dealer publishes the *commitment* to the proof together with the
deal, and the proof after the game. Then everybody can verify that the deal was random and fixed in advance:

- the commitment is the first 32 hexadecimal digits of the proof's SHA-256. A short seed could be found by
  trying all seeds, so a seed has 22 characters of base58 (letters and digits that are hard to confuse; more
  than 128 bits);
- number n of a seed, from 0, is `first 53 bits of SHA-256("SEED n") / 2**53`, at least 0 and below 1;
- a deal uses these numbers in turn. A choice among k is `floor(k * number)`.

The recipes:

- `24:CARDS:HIGHEST:TARGET`, optionally followed by `:LEVEL` (the first letter of a level) and `:NTH`: the
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

COMMITMENT_DIGITS = 32  # Hexadecimal digits, too many to find two proofs with the same
SEED_ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
SEED_LENGTH = 22  # Characters that 128 bits need
SEED_PATTERN = re.compile(f"[{SEED_ALPHABET}]{{{SEED_LENGTH}}}")
_BITS = 53  # Random bits of a number: as many as a float holds
_RECIPE_PATTERN = re.compile(
    r"24:(?P<cards>\d{1,2}):(?P<highest>\d{1,4}):(?P<target>\d{1,9})(?::(?P<level>[emhf]))?(?::(?P<nth>[1-9]\d?))?"
    r"|countdown(?::(?P<large>\d))?"
    r"|yahtzee",
    re.ASCII,
)


class Stream(Random):
    """A random generator that returns the numbers of a seed. Only `random()` gives the same numbers in every
    version of Python.
    """

    def __init__(self, seed: str) -> None:
        self._seed_text = seed
        self._next_index = 0  # of the number that `random()` returns next
        super().__init__(0)  # any seed: `random()` does not use Python's generator

    def random(self) -> float:
        """Return the next number of the seed, at least 0 and below 1: see the module for its calculation."""
        digest = sha256(f"{self._seed_text} {self._next_index}".encode()).digest()
        self._next_index += 1
        first_64_bits = int.from_bytes(digest[:8], "big")
        random_bits = first_64_bits >> (64 - _BITS)  # the highest ones
        return random_bits / float(1 << _BITS)


@dataclass(frozen=True, slots=True)
class Recipe:
    """The kind of deal that a seed gives."""

    game: str  # "24", "countdown" or "yahtzee"
    cards: int = 4
    highest: int = 13
    target: int = 24
    level: Level | None = None
    nth: int = 1  # Ordinal of the dealt hand among those that `deal` finds, from 1
    large: int | None = None  # Large tiles of Countdown; None for a random number

    def __str__(self) -> str:
        """Write the recipe as `parse_recipe` reads it. What is not set, and NTH for the first hand, is left
        out.
        """
        fields: list[object] = [self.game]
        if self.game == "24":
            fields += [self.cards, self.highest, self.target]
            if self.level:
                fields.append(self.level[0])
            if self.nth > 1:
                fields.append(self.nth)
        elif self.large is not None:
            fields.append(self.large)
        return ":".join(map(str, fields))


def spell_seed(seed: int) -> str:
    """Write a number of 128 bits as the 22 characters of a seed, in base 58. Raises ValueError for a larger
    or negative number.
    """
    if not 0 <= seed < 2**128:
        raise ValueError("a seed has 128 bits")
    characters = []
    for _ in range(SEED_LENGTH):
        seed, digit = divmod(seed, len(SEED_ALPHABET))  # the lowest digit first
        characters.append(SEED_ALPHABET[digit])
    return "".join(reversed(characters))


def commitment(proof: str) -> str:
    """Return the commitment to a proof, which is published before it: the start of its SHA-256 in hexadecimal
    digits.
    """
    return sha256(proof.encode()).hexdigest()[:COMMITMENT_DIGITS]


def parse_recipe(text: str) -> Recipe:
    """Parse a recipe; its forms are listed at the top of the module. Raises ValueError for any other text."""
    match = _RECIPE_PATTERN.fullmatch(text)
    if match is None:
        raise ValueError(f"no recipe such as 24:4:13:24, countdown:2 or yahtzee: {text[:40]!r}")
    given = {key: value for key, value in match.groupdict().items() if value is not None}
    game = text.partition(":")[0]
    level = next((known for known in LEVELS if known[0] == given.get("level")), None)  # by its first letter
    numbers = {key: int(value) for key, value in given.items() if key != "level"}
    return Recipe(game, level=level, **numbers)


def list_dealt_lines(proof: str) -> list[str]:
    """Return the lines that a proof deals: one, such as `3 8 3 8 → 24`, for numbers and target, or for
    Yahtzee a line for each roll. Raises ValueError for a text that is no proof, and for a proof for which no
    hand is found.
    """
    seed, _, recipe_text = proof.partition(" ")
    if not SEED_PATTERN.fullmatch(seed):
        raise ValueError(f"a seed is 22 letters and digits, without 0, O, I and l: {seed[:40]!r}")
    recipe = parse_recipe(recipe_text)
    stream = Stream(seed)
    if recipe.game == "yahtzee":
        return [" ".join(map(str, roll)) for roll in roll_all(stream)]
    if recipe.game == "countdown":
        puzzle = draw(stream, recipe.large)
    else:
        options = {"cards": recipe.cards, "highest": recipe.highest, "target": recipe.target}
        puzzles = [deal(stream, **options, level=recipe.level) for _ in range(recipe.nth)]
        puzzle = puzzles[-1]  # the dealer used the hands before it for earlier deals
    return [f"{' '.join(map(str, puzzle.numbers))} → {puzzle.target}"]
