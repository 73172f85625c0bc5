"""Fair deals: nobody can choose a hand, neither who deals nor who asks for it.

- A chat has a *chain*: the dealer takes 32 secret random bytes as its *end*, link 10 000, and makes every
  other link as the SHA-256 of the next one. Link 0 is the *commitment*, which is published before any hand.
- A request for hands uses the chain's next link: the first link 1, and so on. Nobody can compute the next
  link from the links before it.
- The *seed* of a hand is the first 128 bits of HMAC-SHA-256 with the link as key and the text
  `CHAT:MESSAGE:ORDINAL`: Telegram's ids of the chat and of the message that asked for the hand, and the
  ordinal of the hand among those that the message asked for, from 1. It is written in base58 (letters and
  digits that are hard to confuse), as 22 characters.
- Number n of a seed, from 0, is `first 53 bits of SHA-256("SEED n") / 2**53`, at least 0 and below 1. A deal
  uses these numbers in turn. A choice among k is `floor(k * number)`.
- The *recipe* is the kind of deal. `24:CARDS:HIGHEST:TARGET`, optionally followed by `:LEVEL` (the first
  letter of a level) or `:SHARE%` (of people who should find the hand), and by `:NTH`: the first or NTH hand
  that `solver.deal` finds; `countdown` or `countdown:LARGE`: tiles and a target, as `solver.draw` draws them;
  `yahtzee`: thirteen rolls of five dice.

After the game the dealer publishes the link. Then everybody can verify with a *record* that the link leads to
the commitment, and that link, message and recipe give the hand. A record is one line:

    COMMITMENT NUMBER LINK CHAT MESSAGE[/ORDINAL] RECIPE [HAND]

The hand is its numbers and the target, or all dice.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, replace
from hashlib import sha256
from hmac import digest
from random import Random

from solver.deal import deal, draw
from solver.names import LEVELS
from solver.yahtzee import roll_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from solver.deal import Puzzle
    from solver.names import Level

CHAIN_LENGTH = 10_000  # Links of a chain, without its commitment
SEED_ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
SEED_LENGTH = 22  # Characters that 128 bits need
_SEED_BYTES = 16  # Of a digest that become a seed
_BITS = 53  # Random bits of a number: as many as a float holds
_RECIPE_PATTERN = re.compile(
    r"24:(?P<cards>\d{1,2}):(?P<highest>\d{1,4}):(?P<target>\d{1,9})"
    r"(?::(?:(?P<level>[emhf])|(?P<solved>[1-9]\d?)%))?(?::(?P<nth>[1-9]\d?))?"
    r"|countdown(?::(?P<large>\d))?"
    r"|yahtzee",
    re.ASCII,
)
_RECORD_PATTERN = re.compile(
    r"(?P<commitment>[0-9a-f]{64}) (?P<number>[1-9]\d{0,4}) (?P<link>[0-9a-f]{64}) (?P<chat>-?\d{1,19})"
    r" (?P<message>\d{1,19})(?:/(?P<ordinal>[1-9]\d{0,3}))? (?P<recipe>[0-9a-z:%]+)(?P<hand>(?: \d{1,9})*)",
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
        """Return the next number of the seed, at least 0 and below 1; `solver/fair.py` says how."""
        hashed = sha256(f"{self._seed_text} {self._next_index}".encode()).digest()
        self._next_index += 1
        first_64_bits = int.from_bytes(hashed[:8], "big")
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
    solved: int | None = None  # Percentage of people who should find the hand; None for any
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
            if self.solved is not None:
                fields.append(f"{self.solved}%")
            if self.nth > 1:
                fields.append(self.nth)
        elif self.large is not None:
            fields.append(self.large)
        return ":".join(str(field) for field in fields)


@dataclass(frozen=True, slots=True)
class Record:
    """A hand, and all from which it follows."""

    commitment: str  # Of its chain
    number: int  # Of its link in the chain, from 1
    link: str  # Hexadecimal, as the commitment
    chat_id: int
    message_id: int  # That asked for the hand; 0 where a page did
    recipe: str
    ordinal: int = 1  # Among the hands that the message asked for
    hand: tuple[int, ...] = ()  # Numbers with the target, or all dice; empty if they are not known

    def __str__(self) -> str:
        """Write the record as `parse_record` reads it."""
        message = str(self.message_id)
        if self.ordinal > 1:
            message += f"/{self.ordinal}"
        words = (self.commitment, self.number, self.link, self.chat_id, message, self.recipe, *self.hand)
        return " ".join(str(word) for word in words)


def hash_link(link: bytes, times: int = 1) -> bytes:
    """Return the link that stands `times` before this one in its chain."""
    for _ in range(times):
        link = sha256(link).digest()
    return link


def compute_link(end: bytes, number: int) -> bytes:
    """Return a link of the chain with that end; number 0 is the commitment."""
    return hash_link(end, CHAIN_LENGTH - number)


def list_links(end: bytes) -> list[bytes]:
    """Return all links of the chain with that end, the commitment first."""
    links = [end]
    for _ in range(CHAIN_LENGTH):
        links.append(hash_link(links[-1]))
    links.reverse()
    return links


def derive_seed(link: bytes, chat_id: int, message_id: int, ordinal: int = 1) -> int:
    """Return the seed of a hand as a number of 128 bits."""
    text = f"{chat_id}:{message_id}:{ordinal}"
    hashed = digest(link, text.encode(), "sha256")
    return int.from_bytes(hashed[:_SEED_BYTES], "big")


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


def parse_recipe(text: str) -> Recipe:
    """Parse a recipe; its forms are listed at the top of the module. Raises ValueError for any other text."""
    match = _RECIPE_PATTERN.fullmatch(text)
    if match is None:
        raise ValueError(f"no recipe such as 24:4:13:24, countdown:2 or yahtzee: {text[:40]!r}")
    game, _, _ = text.partition(":")
    given = {key: value for key, value in match.groupdict().items() if value is not None}
    letter = given.pop("level", "")
    levels = [level for level in LEVELS if level[0] == letter]
    numbers = {key: int(value) for key, value in given.items()}
    return Recipe(game, level=levels[0] if levels else None, **numbers)


def parse_record(text: str) -> Record:
    """Parse a record, as described at the top of `solver/fair.py`. Raises ValueError for any other text."""
    match = _RECORD_PATTERN.fullmatch(" ".join(text.split()))
    if match is None:
        start = text.strip()[:40]
        raise ValueError(f"no record COMMITMENT NUMBER LINK CHAT MESSAGE RECIPE [HAND]: {start!r}")
    parse_recipe(match["recipe"])
    return Record(
        match["commitment"],
        int(match["number"]),
        match["link"],
        int(match["chat"]),
        int(match["message"]),
        match["recipe"],
        int(match["ordinal"] or 1),
        tuple(int(number) for number in match["hand"].split()),
    )


def deal_by_recipe(rng: Random, recipe: Recipe) -> Puzzle:
    """Deal the next hand of 24 that a recipe describes. Raises ValueError if none is found."""
    return deal(
        rng,
        cards=recipe.cards,
        highest=recipe.highest,
        target=recipe.target,
        level=recipe.level,
        solved=None if recipe.solved is None else recipe.solved / 100,
    )


def list_dealt_lines(seed: int, recipe_text: str) -> list[str]:
    """Return the lines that a seed deals: one, such as `3 8 3 8 → 24`, for numbers and target, or for Yahtzee
    a line for each roll. Raises ValueError for a bad recipe, and for one for which no hand is found.
    """
    recipe = parse_recipe(recipe_text)
    stream = Stream(spell_seed(seed))
    if recipe.game == "yahtzee":
        return [_join_numbers(roll) for roll in roll_all(stream)]
    if recipe.game == "countdown":
        puzzle = draw(stream, recipe.large)
    else:
        for _ in range(recipe.nth):  # the dealer used the hands before it for earlier deals
            puzzle = deal_by_recipe(stream, recipe)
    return [f"{_join_numbers(puzzle.numbers)} → {puzzle.target}"]


def _join_numbers(numbers: Iterable[int]) -> str:
    return " ".join(str(number) for number in numbers)


def verify_record(record: Record) -> list[str]:
    """Return why a record is wrong, a sentence each; empty if its link leads to the commitment, and link,
    message and recipe give its hand, as far as it is known.
    """
    faults = _verify_hand(record)
    commitment = hash_link(bytes.fromhex(record.link), record.number)
    if commitment.hex() != record.commitment:
        faults.insert(0, _describe_wrong_link(record))
    return faults


def verify_history(records: Iterable[Record]) -> Iterator[str]:
    """Yield all that is wrong with the records of one or more chats, a sentence each: what `verify_record`
    finds, and links and hands that were left out.
    """
    chains: defaultdict[str, list[Record]] = defaultdict(list)
    for record in records:
        chains[record.commitment].append(record)
    for chain in chains.values():
        chain.sort(key=lambda record: (record.number, record.ordinal))
        yield from _verify_links(chain)
        for record in chain:
            yield from _verify_hand(record)
        yield from _find_skipped_hands(chain)


def _verify_links(chain: Sequence[Record]) -> Iterator[str]:
    """Yield what is wrong with the links of a chain, whose records come in the order of their numbers."""
    # The last link that leads to the commitment
    known_number = 0
    known_link = chain[0].commitment
    previous: Record | None = None
    for record in chain:
        distance = record.number - known_number
        if hash_link(bytes.fromhex(record.link), distance).hex() == known_link:
            known_number = record.number
            known_link = record.link
        else:
            yield _describe_wrong_link(record)
        if previous and record.number > previous.number + 1:
            yield f"{_name_links(previous.number + 1, record.number - 1)} left out"
        request = (record.chat_id, record.message_id)
        is_same_link = previous is not None and record.number == previous.number
        if previous and is_same_link and request != (previous.chat_id, previous.message_id):
            yield f"link {record.number} was used for messages {previous.message_id} and {record.message_id}"
        previous = record


def _name_links(first: int, last: int) -> str:
    if first == last:
        return f"link {first} was"
    return f"links {first} to {last} were"


def _describe_wrong_link(record: Record) -> str:
    return f"link {record.number} does not lead to the commitment {record.commitment[:8]}…"


def _verify_hand(record: Record) -> list[str]:
    """Return a sentence if the record's hand is known and is not the one that follows; else an empty list."""
    dealt = deal_record(record)
    if not record.hand or record.hand == _read_numbers(dealt):
        return []
    played = _join_numbers(record.hand)
    return [f"link {record.number}, message {record.message_id} deals {' '.join(dealt)}, not {played}"]


def _find_skipped_hands(chain: Sequence[Record]) -> Iterator[str]:
    """Yield a sentence for each hand between those that a message asked for which was not played."""
    expected: dict[int, int] = {}  # the next ordinal by number of link
    for record in chain:
        for ordinal in range(expected.get(record.number, 1), record.ordinal):
            hand = " ".join(deal_record(replace(record, ordinal=ordinal)))
            yield (f"message {record.message_id} skipped {hand}: right only if that was a hand of the day")
        expected[record.number] = record.ordinal + 1


def deal_record(record: Record) -> tuple[str, ...]:
    """Return the lines that a record deals. Raises ValueError if there are none."""
    seed = derive_seed(bytes.fromhex(record.link), record.chat_id, record.message_id, record.ordinal)
    return tuple(list_dealt_lines(seed, record.recipe))


def _read_numbers(lines: Iterable[str]) -> tuple[int, ...]:
    digits = re.findall(r"\d+", " ".join(lines))
    return tuple(int(number) for number in digits)
