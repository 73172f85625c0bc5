"""Parse a hand that somebody names: after /solve and /play, in inline mode, or by its numbers in private.

People decorate hands as they decorate answers: `what is 3, 8, 3, 8? 🙏`, `24 = 3 8 3 8`. Signs without
meaning are removed, then the words before the first number and after the last one.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple
from unicodedata import category

import solver
from bot.games.expressions.spelling import restore_emoji_signs
from bot.games.twentyfour import view
from bot.games.twentyfour.rules import (
    CARD_COUNTS,
    DEFAULT_TARGET,
    HAND_CODE,
    MAX_TARGET,
    Question,
    separate_cards,
)
from bot.i18n import Html, Words, quote_fragment
from bot.levels import normalize_word

MAX_LENGTH = 256  # Characters
MAX_NUMBERS = 10
MAX_NUMBER = 10**6


def is_playable(question: Question) -> bool:
    """Whether the numbers can be dealt from one pack of cards, with an allowed target."""
    if not HAND_CODE.fullmatch(question.code) or question.target > MAX_TARGET:
        return False
    return max(map(question.numbers.count, question.numbers)) <= len(view.SUITS)


OPENING, CLOSING = "¿¡([{\"'«“„‘「", "?!.…)]}\"'»”’」？！。"


def parse_hand(words: Words, text: str) -> Question | Html:
    """Return the question in a text, or a line that says what to write instead: `3 8 3 8` for `3838`."""
    if len(text) > MAX_LENGTH:
        return words.translate("That is too long: at most {most} numbers.", most=MAX_NUMBERS)
    separated = separate_cards(_strip_decorations(text).strip(OPENING + CLOSING + " "))
    if separated is not None:
        return view.render_spacing_hint(words, separated)
    hand, target = _split_sides(text)
    question = _make_question(hand, target)
    if question is None or len(hand.pieces) > MAX_NUMBERS:
        return _render_hand_error(words, hand, target)
    return question


MAX_QUOTED = 30  # Characters of a wrong piece that the error quotes


def _render_hand_error(words: Words, hand: "_Side", target: "_Side") -> Html:
    """Say what is wrong with two sides that are no question: a piece, too few or too many, or the target."""
    wrong_pieces = [piece for piece in hand.pieces if _parse_number(piece) is None]
    if wrong_pieces:
        return words.translate(
            "“{piece}” is no whole number from 0 to {most}. Like this: /solve 3 8 3 8",
            piece=quote_fragment(wrong_pieces[0][:MAX_QUOTED]),
            most=MAX_NUMBER,
        )
    if not hand.pieces:
        return words.translate("Write numbers, and a target if it isn’t 24: /solve 3 8 3 8 = 24")
    if len(hand.pieces) > MAX_NUMBERS:
        return words.translate("That is too long: at most {most} numbers.", most=MAX_NUMBERS)
    return words.translate(
        "The target “{piece}” is no whole number from 0 to {most}.",
        piece=quote_fragment(" ".join(target.pieces)[:MAX_QUOTED]),
        most=MAX_NUMBER,
    )


# Limits of a message without a command
MAX_BARE_LENGTH, MAX_BARE_NUMBER, MAX_BARE_TARGET = 100, 100, 9999
# Words that may be beside the numbers of a message without a command
POLITE_WORDS = """
please pls plz thanks thx ty solve show how help
por favor porfa gracias resuelve cómo ayuda
пожалуйста плиз пж спасибо реши решите как помоги помогите
请 谢谢 求解 怎么算 怎么做 請 謝謝 怎麼算 怎麼做
"""
NORMALIZED_POLITE_WORDS = {normalize_word(word) for word in POLITE_WORDS.split()}


def parse_bare_hand(text: str) -> Question | None:
    """Return the question in a message of a hand and perhaps polite words; None for dates, prices, talk."""
    if len(text) > MAX_BARE_LENGTH:
        return None
    hand, target = _split_sides(text)
    if any(piece.startswith("0") and piece != "0" for piece in hand.pieces + target.pieces):
        return None  # `05` is rather part of a date
    words = {normalize_word(word.rstrip(":")) for word in hand.words + target.words}
    if not words <= NORMALIZED_POLITE_WORDS:
        return None
    question = _make_question(hand, target)
    if question is None or len(question.numbers) not in CARD_COUNTS:
        return None
    if max(question.numbers) > MAX_BARE_NUMBER or question.target > MAX_BARE_TARGET:
        return None
    return question


class _Side(NamedTuple):
    """One side of a `=`."""

    pieces: list[str]  # The numbers, or everything if something beside them is no word
    words: list[str]  # The words around the numbers


def _make_question(hand: _Side, target: _Side) -> Question | None:
    """Return the question of two sides; None if a piece is no number, without a hand, or with two targets."""
    numbers = _parse_numbers(hand.pieces)
    targets = _parse_numbers(target.pieces)
    if not numbers or targets is None or len(targets) > 1:
        return None
    return Question(numbers, targets[0] if targets else DEFAULT_TARGET)


def _parse_numbers(pieces: Sequence[str]) -> tuple[int, ...] | None:
    """Return the values of the pieces; None if one of them is no number."""
    values = [_parse_number(piece) for piece in pieces]
    numbers = tuple(value for value in values if value is not None)
    return numbers if len(numbers) == len(pieces) else None


def _parse_number(piece: str) -> int | None:
    """Return the value of a number up to `MAX_NUMBER` or of a card's letter; None for any other text."""
    if piece.upper() in solver.CARDS:
        return solver.CARDS[piece.upper()]
    has_digits_only = re.fullmatch(r"[0-9]{1,7}", piece) is not None
    if not has_digits_only or int(piece) > MAX_NUMBER:
        return None
    return int(piece)


def _split_sides(text: str) -> tuple[_Side, _Side]:
    """Return the side of the hand, then the side of the target, in whichever order the text has them."""
    before, equals, behind = _strip_decorations(text).partition("=")
    # A single number among words is no hand, unless it may be the target
    left = _read_side(before, min_numbers=1 if equals else 2)
    right = _read_side(behind, min_numbers=1)
    is_target_first = len(left.pieces) == 1 and len(right.pieces) > 1  # As in `24 = 3 8 3 8`
    return (right, left) if is_target_first else (left, right)


WORD = re.compile(r"(?:[^\W\d_]{2,}(?:['’-][^\W\d_]+)*|[\u4e00-\u9fff]):?")


def _read_side(text: str, min_numbers: int) -> _Side:
    """Return the part from the first number to the last one, and the words around it.

    All pieces and no words if there are fewer than `min_numbers`, or if something around them is no word.
    """
    stripped = (piece.lstrip(OPENING).rstrip(CLOSING) for piece in re.split(r"[\s,;]+", text))
    pieces = [piece for piece in stripped if piece]
    number_places = [place for place, piece in enumerate(pieces) if _parse_number(piece) is not None]
    if len(number_places) < min_numbers:
        return _Side(pieces, [])
    start = number_places[0]
    end = number_places[-1] + 1
    around = pieces[:start] + pieces[end:]
    if not all(map(WORD.fullmatch, around)):
        return _Side(pieces, [])
    return _Side(pieces[start:end], around)


PLAIN_SIGNS = str.maketrans("０１２３４５６７８９ＡＪＱＫ，、；＝→⇒➡", "0123456789AJQK,,;====")
ARROW = re.compile("[-=]>")
SMILEY = re.compile(r"(?<!\S)(?:[:;][-'^]?[()\[\]DPpOo|\\*/3]+|<3|\^\^)(?!\S)")
ARTICLE = re.compile(r"\ba\s+(?=[^\W\d_]{2})")  # `a lot`: not the ace
# The place between a digit and a Chinese character, where people write no space
BESIDE_CHINESE = re.compile("(?<=[0-9])(?=[\u4e00-\u9fff])|(?<=[\u4e00-\u9fff])(?=[0-9])")


def _strip_decorations(text: str) -> str:
    """Write the text in plain signs: remove smileys, suits, emoji and the article `a`, which is no ace; write
    arrows as `=`, and put spaces between digits and Chinese characters. Emoji that an app put for signs
    become these signs first.
    """
    plain = restore_emoji_signs(text).translate(PLAIN_SIGNS)
    plain = SMILEY.sub(" ", plain)
    plain = ARROW.sub("=", plain)
    # By Unicode's category: combined marks and invisible characters vanish, symbols become spaces
    replacements = {"Mn": "", "Me": "", "Cf": "", "So": " ", "Sk": " "}
    plain = "".join(replacements.get(category(character), character) for character in plain)
    plain = ARTICLE.sub("", plain)
    return BESIDE_CHINESE.sub(" ", plain)
