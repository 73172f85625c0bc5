"""Mutants of valid texts."""

import random
import string
from collections.abc import Iterator

LETTERS = string.ascii_letters + string.digits + "_-=+/%. \n\x00é"


def make_mutants(sound: str, count: int, seed: int = 24) -> Iterator[str]:
    """Yield texts with one to three letters changed, removed, added or reversed."""
    chance = random.Random(seed)
    for _ in range(count):
        text = sound
        while text == sound:
            text = _mutate(sound, chance)
        yield text


def _mutate(text: str, chance: random.Random) -> str:
    for _ in range(chance.randint(1, 3)):
        at, letter = chance.randrange(len(text)), chance.choice(LETTERS)
        ways = (
            text[:at] + letter + text[at + 1 :],
            text[:at] + text[at + 1 :],
            text[:at] + letter + text[at:],
            text[:at] + text[at:][::-1],
            text[:at] + text[at : at + 1].swapcase() + text[at + 1 :],
        )
        text = chance.choice(ways) or letter
    return text
