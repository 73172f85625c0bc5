"""A hand that somebody names: behind /solve and /play, behind the bot's name, or by its numbers in private.

People dress it as they dress answers: `what is 3, 8, 3, 8? 🙏`, `24 = 3 8 3 8`. Signs that say nothing are
taken away, then words before the first number and behind the last one. A message in private without a command
is heard only where hardly anything stands beside a hand that people may hold.
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

USUAL_TARGET = 24
MAX_LENGTH = 256
MOST_NUMBERS = 10
LARGEST = 10**6
# Of a message that is no command: its characters, its numbers and its target at most.
LONGEST_OFFERED, LARGEST_OFFERED, LARGEST_TARGET_OFFERED = 100, 100, 9999
PLAIN = str.maketrans("０１２３４５６７８９ＡＪＱＫ，、；＝→⇒➡", "0123456789AJQK,,;====")
ARROW = re.compile("[-=]>")
FACE = re.compile(r"(?<!\S)(?:[:;][-'^]?[()\[\]DPpOo|\\*/3]+|<3|\^\^)(?!\S)")
ARTICLE = re.compile(r"\ba\s+(?=[^\W\d_]{2})")  # `a lot`: no ace
BESIDE_CHINESE = re.compile("(?<=[0-9])(?=[\u4e00-\u9fff])|(?<=[\u4e00-\u9fff])(?=[0-9])")
# `1,000,000`: one number.
THOUSANDS = re.compile(r"(?<![0-9,])[1-9][0-9]{0,2}(?:,[0-9]{3})*,0[0-9]{2}(?:,[0-9]{3})*(?![0-9,])")
OPENING, CLOSING = "¿¡([{\"'«“„‘「", "?!.…)]}\"'»”’」？！。"
WORD = re.compile(r"(?:[^\W\d_]{2,}(?:['’-][^\W\d_]+)*|[\u4e00-\u9fff]):?")
KIND = {
    "en": "please pls plz thanks thx ty solve show how help",
    "es": "por favor porfa gracias resuelve cómo ayuda",
    "ru": "пожалуйста плиз пж спасибо реши решите как помоги помогите",
    "zh": "请 谢谢 求解 怎么算 怎么做 請 謝謝 怎麼算 怎麼做",
}
# What may stand beside numbers that are a question.
KIND_WORDS = {normalize_word(word) for words in KIND.values() for word in words.split()}


@dataclass(frozen=True, slots=True)
class Question:
    """A hand and its target."""

    numbers: tuple[int, ...]
    target: int

    @property
    def line(self) -> str:
        """As a deal would put it."""
        return format_line(self.numbers, self.target)

    def __str__(self) -> str:
        """As /solve reads it."""
        goal = "" if self.target == USUAL_TARGET else f" = {self.target}"
        return " ".join(map(str, self.numbers)) + goal


@dataclass(frozen=True, slots=True)
class _Side:
    """What stands on one side of a `=`."""

    pieces: list[str]
    beside: list[str]  # The words before and behind the numbers


def parse_hand(words: Words, text: str) -> Question | Html:
    """The hand in `text`, or one line that says what to write instead."""
    if len(text) > MAX_LENGTH:
        return words.translate("That is too long: at most {most} numbers.", most=MOST_NUMBERS)
    if (apart := separate_cards(_bare(text).strip(OPENING + CLOSING + " "))) is not None:
        return view.render_spacing_hint(words, apart)
    hand, goal = _sides(text)
    wrong = next((piece for piece in hand.pieces if _number(piece) is None), None)
    if wrong is not None:
        return words.translate(
            "“{piece}” is no whole number from 0 to {most}. Like this: /solve 3 8 3 8",
            piece=quote_fragment(wrong[:30]),
            most=LARGEST,
        )
    if not hand.pieces:
        return words.translate("Write numbers, and a target if it isn't 24: /solve 3 8 3 8 = 24")
    if len(hand.pieces) > MOST_NUMBERS:
        return words.translate("That is too long: at most {most} numbers.", most=MOST_NUMBERS)
    if (asked := _asked(hand, goal)) is None:
        return words.translate(
            "The target “{piece}” is no whole number from 0 to {most}.",
            piece=quote_fragment(" ".join(goal.pieces)[:30]),
            most=LARGEST,
        )
    return asked


def parse_bare_hand(text: str) -> Question | None:
    """The hand that a message asks about without a command: no date, no telephone number, no price."""
    if len(text) > LONGEST_OFFERED:
        return None
    hand, goal = _sides(text)
    if any(piece.startswith("0") and piece != "0" for piece in hand.pieces + goal.pieces):
        return None
    if not all(normalize_word(word.rstrip(":")) in KIND_WORDS for word in hand.beside + goal.beside):
        return None
    asked = _asked(hand, goal)
    if asked is None or len(asked.numbers) not in CARD_COUNTS or asked.target > LARGEST_TARGET_OFFERED:
        return None
    return asked if max(asked.numbers) <= LARGEST_OFFERED else None


def is_playable(asked: Question) -> bool:
    """Whether it can be dealt from a pack."""
    is_code = bool(HAND_CODE.fullmatch(format_code(asked.numbers, asked.target)))
    return is_code and asked.target <= MAX_TARGET and is_in_one_pack(asked.numbers)


def _asked(hand: _Side, goal: _Side) -> Question | None:
    numbers = [number for piece in hand.pieces if (number := _number(piece)) is not None]
    if not goal.pieces:
        target: int | None = USUAL_TARGET
    else:
        target = _number(goal.pieces[0]) if len(goal.pieces) == 1 else None
    if target is None or len(numbers) < len(hand.pieces):
        return None
    return Question(tuple(numbers), target)


def _number(piece: str) -> int | None:
    if piece.upper() in solver.CARDS:
        return solver.CARDS[piece.upper()]
    if not re.fullmatch(r"[0-9]{1,7}", piece) or int(piece) > LARGEST:
        return None
    return int(piece)


def _sides(text: str) -> tuple[_Side, _Side]:
    """The hand and its target, whichever of them comes first."""
    first, equals, behind = _bare(text).partition("=")
    one, other = _side(first, 1 if equals else 2), _side(behind, 1)
    return (other, one) if len(one.pieces) == 1 < len(other.pieces) else (one, other)


def _side(text: str, least: int) -> _Side:
    """The numbers, if there are at least so many of them, without the words around; else every piece."""
    cut = (piece.lstrip(OPENING).rstrip(CLOSING) for piece in re.split(r"[\s,;]+", text))
    pieces = [piece for piece in cut if piece]
    places = [place for place, piece in enumerate(pieces) if _number(piece) is not None]
    if len(places) < least:
        return _Side(pieces, [])
    begin, end = places[0], places[-1] + 1
    beside = pieces[:begin] + pieces[end:]
    return _Side(pieces[begin:end], beside) if all(map(WORD.fullmatch, beside)) else _Side(pieces, [])


def _bare(text: str) -> str:
    """The text in plain signs, without faces, suits and the like."""
    plain = ARROW.sub("=", FACE.sub(" ", restore_emoji_signs(text).translate(PLAIN)))
    seen = "".join(map(_seen, plain))
    return THOUSANDS.sub(
        lambda number: number[0].replace(",", ""), BESIDE_CHINESE.sub(" ", ARTICLE.sub("", seen))
    )


def _seen(character: str) -> str:
    """The character; nothing for a mark on the one before it, a space for a picture."""
    kind = category(character)
    return "" if kind in ("Mn", "Me", "Cf") else " " if kind in ("So", "Sk") else character
