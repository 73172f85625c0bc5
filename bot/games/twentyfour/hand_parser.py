"""Parse a hand that somebody names: after /solve and /play, in inline mode, or by its numbers in private.

People decorate hands as they decorate answers: `what is 3, 8, 3, 8? 🙏`, `24 = 3 8 3 8`. Signs without
meaning are removed, then the words before the first number and after the last one.
"""

import re
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
from bot.rounds.puzzle import normalize_word

MAX_LENGTH = 256  # Characters
MAX_NUMBERS = 10
MAX_NUMBER = 10**6


def is_playable(question: Question) -> bool:
    """Whether the numbers can be dealt from one pack of cards, with an allowed target."""
    is_in_one_pack = max(map(question.numbers.count, question.numbers)) <= len(view.SUITS)
    return bool(HAND_CODE.fullmatch(question.code)) and question.target <= MAX_TARGET and is_in_one_pack


OPENING, CLOSING = "¿¡([{\"'«“„‘「", "?!.…)]}\"'»”’」？！。"


def parse_hand(words: Words, text: str) -> Question | Html:
    """Return the question in a text, or a line that says what to write instead: `3 8 3 8` for `3838`."""
    if len(text) > MAX_LENGTH:
        return words.translate("That is too long: at most {most} numbers.", most=MAX_NUMBERS)
    separated = separate_cards(_strip_decorations(text).strip(OPENING + CLOSING + " "))
    if separated is not None:
        return view.render_spacing_hint(words, separated)
    (hand, _), (target, _) = _split_sides(text)
    wrong = next((piece for piece in hand if _parse_number(piece) is None), None)
    if wrong is not None:
        return words.translate(
            "“{piece}” is no whole number from 0 to {most}. Like this: /solve 3 8 3 8",
            piece=quote_fragment(wrong[:30]),
            most=MAX_NUMBER,
        )
    if not hand:
        return words.translate("Write numbers, and a target if it isn't 24: /solve 3 8 3 8 = 24")
    if len(hand) > MAX_NUMBERS:
        return words.translate("That is too long: at most {most} numbers.", most=MAX_NUMBERS)
    question = _make_question(hand, target)
    if question is None:
        return words.translate(
            "The target “{piece}” is no whole number from 0 to {most}.",
            piece=quote_fragment(" ".join(target)[:30]),
            most=MAX_NUMBER,
        )
    return question


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
    (hand, words), (target, target_words) = _split_sides(text)
    if any(piece.startswith("0") and piece != "0" for piece in hand + target):
        return None  # `05` is rather part of a date
    if not {normalize_word(word.rstrip(":")) for word in words + target_words} <= NORMALIZED_POLITE_WORDS:
        return None
    question = _make_question(hand, target)
    if question is None or len(question.numbers) not in CARD_COUNTS or question.target > MAX_BARE_TARGET:
        return None
    return question if max(question.numbers) <= MAX_BARE_NUMBER else None


# The numbers on one side of a `=`, or all pieces if there are words among them; and the words around these
_Side = tuple[list[str], list[str]]


def _make_question(hand: list[str], target: list[str]) -> Question | None:
    """Return the question of the pieces of two sides; None if one is no number, or there are two targets."""
    numbers = [number for piece in hand if (number := _parse_number(piece)) is not None]
    targets = [number for piece in target if (number := _parse_number(piece)) is not None]
    if len(numbers) < len(hand) or len(targets) < len(target) or len(targets) > 1:
        return None
    return Question(tuple(numbers), targets[0] if targets else DEFAULT_TARGET)


def _parse_number(piece: str) -> int | None:
    """Return the value of a number up to `MAX_NUMBER` or of a card's letter; None for any other text."""
    if piece.upper() in solver.CARDS:
        return solver.CARDS[piece.upper()]
    if not re.fullmatch(r"[0-9]{1,7}", piece) or int(piece) > MAX_NUMBER:
        return None
    return int(piece)


def _split_sides(text: str) -> tuple[_Side, _Side]:
    """Return the side of the hand and that of the target, which may be in the other order in the text."""
    before, equals, behind = _strip_decorations(text).partition("=")
    left = _read_side(before, min_numbers=1 if equals else 2)
    right = _read_side(behind, min_numbers=1)
    is_target_first = len(left[0]) == 1 and len(right[0]) > 1  # as in `24 = 3 8 3 8`
    return (right, left) if is_target_first else (left, right)


WORD = re.compile(r"(?:[^\W\d_]{2,}(?:['’-][^\W\d_]+)*|[\u4e00-\u9fff]):?")


def _read_side(text: str, min_numbers: int) -> _Side:
    """Return the numbers of a side and the words around them.

    All pieces and no words if there are fewer than `min_numbers`, or if something around them is no word.
    """
    stripped = (piece.lstrip(OPENING).rstrip(CLOSING) for piece in re.split(r"[\s,;]+", text))
    pieces = [piece for piece in stripped if piece]
    places = [place for place, piece in enumerate(pieces) if _parse_number(piece) is not None]
    if len(places) < min_numbers:
        return pieces, []
    start, end = places[0], places[-1] + 1
    around = pieces[:start] + pieces[end:]
    if not all(map(WORD.fullmatch, around)):
        return pieces, []
    return pieces[start:end], around


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
