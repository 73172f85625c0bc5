"""Parse a hand that somebody names: after /solve and /play, in inline mode, or by its numbers in private.

People decorate hands as they decorate answers: `what is 3, 8, 3, 8? 🙏`, `24 = 3 8 3 8`. Signs without
meaning are removed, then the words before the first number and after the last one.
"""

import re
from dataclasses import dataclass
from unicodedata import category

import solver
from bot.games.expressions.spelling import restore_emoji_signs
from bot.games.twentyfour import view
from bot.games.twentyfour.dealing import is_in_one_pack
from bot.games.twentyfour.rules import (
    CARD_COUNTS,
    HAND_CODE,
    MAX_TARGET,
    format_code,
    format_line,
    separate_cards,
)
from bot.i18n import Html, Words, quote_fragment
from bot.rounds.puzzle import normalize_word

DEFAULT_TARGET = 24
MAX_LENGTH = 256  # Characters
MAX_NUMBERS = 10
MAX_NUMBER = 10**6


@dataclass(frozen=True, slots=True)
class Question:
    """Numbers and a target whose solutions somebody asks for."""

    numbers: tuple[int, ...]
    target: int

    @property
    def line(self) -> str:
        """The numbers and the target as a deal shows them."""
        return format_line(self.numbers, self.target)

    def __str__(self) -> str:
        """Return the question as /solve reads it."""
        target = "" if self.target == DEFAULT_TARGET else f" = {self.target}"
        return " ".join(map(str, self.numbers)) + target


def is_playable(question: Question) -> bool:
    """Whether the numbers can be dealt from one pack of cards, with an allowed target."""
    is_code = bool(HAND_CODE.fullmatch(format_code(question.numbers, question.target)))
    return is_code and question.target <= MAX_TARGET and is_in_one_pack(question.numbers)


OPENING, CLOSING = "¿¡([{\"'«“„‘「", "?!.…)]}\"'»”’」？！。"


def parse_hand(words: Words, text: str) -> Question | Html:
    """Return the question in a text, or a line that says what to write instead."""
    if len(text) > MAX_LENGTH:
        return words.translate("That is too long: at most {most} numbers.", most=MAX_NUMBERS)
    if (separated := separate_cards(_strip_decorations(text).strip(OPENING + CLOSING + " "))) is not None:
        return view.render_spacing_hint(words, separated)
    hand, target = _split_sides(text)
    wrong = next((piece for piece in hand.pieces if _parse_number(piece) is None), None)
    if wrong is not None:
        return words.translate(
            "“{piece}” is no whole number from 0 to {most}. Like this: /solve 3 8 3 8",
            piece=quote_fragment(wrong[:30]),
            most=MAX_NUMBER,
        )
    if not hand.pieces:
        return words.translate("Write numbers, and a target if it isn't 24: /solve 3 8 3 8 = 24")
    if len(hand.pieces) > MAX_NUMBERS:
        return words.translate("That is too long: at most {most} numbers.", most=MAX_NUMBERS)
    if (question := _make_question(hand, target)) is None:
        return words.translate(
            "The target “{piece}” is no whole number from 0 to {most}.",
            piece=quote_fragment(" ".join(target.pieces)[:30]),
            most=MAX_NUMBER,
        )
    return question


# Limits of a message without a command.
MAX_BARE_LENGTH, MAX_BARE_NUMBER, MAX_BARE_TARGET = 100, 100, 9999
# Words that may be beside the numbers of a message without a command.
POLITE_WORDS = """
please pls plz thanks thx ty solve show how help
por favor porfa gracias resuelve cómo ayuda
пожалуйста плиз пж спасибо реши решите как помоги помогите
请 谢谢 求解 怎么算 怎么做 請 謝謝 怎麼算 怎麼做
"""
NORMALIZED_POLITE_WORDS = {normalize_word(word) for word in POLITE_WORDS.split()}


def parse_bare_hand(text: str) -> Question | None:
    """Return the question in a message without a command; None for dates, prices and talk."""
    if len(text) > MAX_BARE_LENGTH:
        return None
    hand, target = _split_sides(text)
    if any(piece.startswith("0") and piece != "0" for piece in hand.pieces + target.pieces):
        return None
    if not all(
        normalize_word(word.rstrip(":")) in NORMALIZED_POLITE_WORDS for word in hand.words + target.words
    ):
        return None
    question = _make_question(hand, target)
    if question is None or len(question.numbers) not in CARD_COUNTS or question.target > MAX_BARE_TARGET:
        return None
    return question if max(question.numbers) <= MAX_BARE_NUMBER else None


@dataclass(frozen=True, slots=True)
class _Side:
    """The text on one side of a `=`."""

    pieces: list[str]  # Numbers, or all pieces if there are other words than before and after the numbers
    words: list[str]  # The words before and after the numbers


def _make_question(hand: _Side, target_side: _Side) -> Question | None:
    """Return the question of two sides; None if a number or the target can't be read."""
    numbers = [number for piece in hand.pieces if (number := _parse_number(piece)) is not None]
    target: int | None = DEFAULT_TARGET
    if target_side.pieces:
        target = _parse_number(target_side.pieces[0]) if len(target_side.pieces) == 1 else None
    if target is None or len(numbers) < len(hand.pieces):
        return None
    return Question(tuple(numbers), target)


def _parse_number(piece: str) -> int | None:
    if piece.upper() in solver.CARDS:
        return solver.CARDS[piece.upper()]
    if not re.fullmatch(r"[0-9]{1,7}", piece) or int(piece) > MAX_NUMBER:
        return None
    return int(piece)


def _split_sides(text: str) -> tuple[_Side, _Side]:
    """Return the sides of the hand and of the target, whichever is first in the text."""
    before, equals, behind = _strip_decorations(text).partition("=")
    left, right = _read_side(before, 1 if equals else 2), _read_side(behind, 1)
    return (right, left) if len(left.pieces) == 1 < len(right.pieces) else (left, right)


WORD = re.compile(r"(?:[^\W\d_]{2,}(?:['’-][^\W\d_]+)*|[\u4e00-\u9fff]):?")


def _read_side(text: str, min_numbers: int) -> _Side:
    """Separate the words around the numbers, if there are at least `min_numbers`."""
    stripped = (piece.lstrip(OPENING).rstrip(CLOSING) for piece in re.split(r"[\s,;]+", text))
    pieces = [piece for piece in stripped if piece]
    places = [place for place, piece in enumerate(pieces) if _parse_number(piece) is not None]
    if len(places) < min_numbers:
        return _Side(pieces, [])
    start, end = places[0], places[-1] + 1
    around = pieces[:start] + pieces[end:]
    return _Side(pieces[start:end], around) if all(map(WORD.fullmatch, around)) else _Side(pieces, [])


PLAIN_SIGNS = str.maketrans("０１２３４５６７８９ＡＪＱＫ，、；＝→⇒➡", "0123456789AJQK,,;====")
ARROW = re.compile("[-=]>")
SMILEY = re.compile(r"(?<!\S)(?:[:;][-'^]?[()\[\]DPpOo|\\*/3]+|<3|\^\^)(?!\S)")
ARTICLE = re.compile(r"\ba\s+(?=[^\W\d_]{2})")  # `a lot`: not the ace
BESIDE_CHINESE = re.compile("(?<=[0-9])(?=[\u4e00-\u9fff])|(?<=[\u4e00-\u9fff])(?=[0-9])")


def _strip_decorations(text: str) -> str:
    """Write the text in plain signs, without smileys, suits and emoji."""
    plain = ARROW.sub("=", SMILEY.sub(" ", restore_emoji_signs(text).translate(PLAIN_SIGNS)))
    # Combined marks vanish, symbols become spaces
    kinds = {"Mn": "", "Me": "", "Cf": "", "So": " ", "Sk": " "}
    visible = "".join(kinds.get(category(character), character) for character in plain)
    return BESIDE_CHINESE.sub(" ", ARTICLE.sub("", visible))
