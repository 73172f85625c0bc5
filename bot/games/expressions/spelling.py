"""Normalize what people write: spellings of signs, emoji, words, addresses, labels, dates and amounts."""

import re
from collections.abc import Iterable
from typing import NamedTuple
from unicodedata import normalize

from solver import use_plain_signs

WORD = "¦"  # Replaces every word of a text; it ends an expression like any sign that has no meaning

# Other spellings of signs that the solver reads, and invisible characters (of the digit 8️⃣ all but the 8).
SPELLINGS = str.maketrans(
    {**dict.fromkeys("⁄∕➗", "/"), **dict.fromkeys("∗∙⋅•✕✖✗⨯", "*"), **dict.fromkeys("‐‑‒—﹣➖", "-")}
    | {"➕": "+", "∶": ":", "［": "[", "］": "]", "｛": "{", "｝": "}"}
    | dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\ufe0e\ufe0f\u20e3\u200e\u200f")
)
DIGIT = re.compile(r"(?![0-9])\d")  # Of any other script
DECIMAL_ZEROS = re.compile(r"(?<=[0-9])[.,]0{1,2}(?![0-9])")  # `8.0` is 8
BESIDE = r"[-+*/:=()\[\]{}＋﹢−－–×·xXхХ＊ｘＸ・÷／：＝（）【】]"
# A fraction in one sign or in small digits, perhaps after a whole number, and next to a sign or a bracket:
# `1½ hours` is no answer.
FRACTION_SIGN = re.compile(
    rf"(?P<beside>(?<={BESIDE})|(?<={BESIDE} ))?(?:(?<![0-9.,])(?P<whole>[0-9]{{1,9}})[ \u2009\u202f]?)?"
    rf"(?P<sign>[¼½¾⅐-⅞↉]|⅟[0-9₀-₉]{{1,9}}|[⁰¹²³⁴-⁹]{{1,9}}/[₀-₉]{{1,9}})(?(beside)|(?= ?{BESIDE}))"
)
MAX_FRACTIONS = 12  # Fractions of a text that are converted
# Fractions and signs in LaTeX.
MAX_NESTED = 3  # Levels of fractions in fractions that are converted
PART = r"\s*(?:\{([^{}]{1,99})\}|([0-9AJQK]))"  # In braces or one sign: of its two groups, one is empty
FRACTION = re.compile(rf"\\[dt]?frac{PART}{PART}")
COMMANDS = re.compile(r"\\(?P<name>[A-Za-z]{1,9})")
COMMAND_SIGNS = {"cdot": "*", "times": "*", "div": "/"}


def normalize_spelling(text: str) -> str:
    """Replace other spellings of digits, signs and fractions by the usual ones: `８÷½` becomes `8/(1/2)`."""
    if not text.isascii():
        text = text.translate(SPELLINGS)
        text = FRACTION_SIGN.sub(_spell_out_fraction, text, count=MAX_FRACTIONS)
        text = DIGIT.sub(lambda digit: str(int(digit[0])), text)
    if "\\" in text:  # LaTeX
        for _ in range(MAX_NESTED):  # Each time, the innermost fractions
            text = FRACTION.sub(r"((\1\2)/(\3\4))", text)
        text = COMMANDS.sub(lambda command: COMMAND_SIGNS.get(command["name"], ""), text)
    return DECIMAL_ZEROS.sub("", text)


def _spell_out_fraction(match: re.Match[str]) -> str:
    """Return a match of `FRACTION_SIGN` as a division or a sum: `(1/2)` for `½`, `(1+1/2)` for `1½`."""
    fraction = normalize("NFKC", match["sign"]).replace("⁄", "/")
    return f"({match['whole']}+{fraction})" if match["whole"] else f"({fraction})"


# Emoji that apps put where somebody types these signs, most of them only between spaces.
EMOJI_SIGNS = {
    **dict.fromkeys("😍😎", "8)"),
    **dict.fromkeys("😕🙁☹😞", ":("),
    "😔": "3(",
    "😩": ":((",
    "😏": ":J",
}
# Emoji that may stand for signs. 😎 after a number is rather a smile, as is 😏 at the end.
EMOJI = re.compile(r"([😍😔😕🙁☹😞😩]|(?<![0-9])(?<![0-9] )😎|😏(?=\s*[-+*/×÷−–:)\]}]))")
# All emoji that apps put for signs: also `:)`, `:*`, `:X` and others that no expression has in a row.
APP_EMOJI = "😍😎😔😕🙁☹😞😩😏🙂😊😌😚😷😈"
MAX_EMOJI = 7  # In a text with more of them, none stands for signs
GOES_ON = r"(?:[-+*/×÷−–:]\s*)?(?:[0-9([{]|[AJQK]\b)"
# An emoji after a sign of an expression, or between two of its numbers.
AMID_SIGNS = re.compile(
    rf"[0-9AJQK)\]}}]\s*(?:[-+*/×÷−–:([{{]+\s*([{APP_EMOJI}])|([{APP_EMOJI}])\ufe0f?\s*{GOES_ON})"
)


class Bracket(NamedTuple):
    """A bracket of a text that is split into parts: texts with an even index, emoji with an odd one."""

    part_index: int
    place: int  # In the part
    is_opening: bool

    @property
    def is_typed(self) -> bool:
        return self.part_index % 2 == 0


def restore_emoji_signs(text: str) -> str:
    """Replace each emoji that an app put for signs by these signs: `(4 + 😍 * 2` becomes `(4 + 8) * 2`.

    An emoji stays if its bracket would have no partner among the unpaired brackets of the text.
    """
    parts = EMOJI.split(text)  # A text, an emoji, a text, …
    emoji_count = len(parts) // 2
    if emoji_count == 0 or emoji_count > MAX_EMOJI:
        return text
    restored = parts.copy()
    emoji_parts = slice(1, None, 2)
    restored[emoji_parts] = [EMOJI_SIGNS[emoji] for emoji in parts[emoji_parts]]
    brackets = [
        Bracket(index, place, is_opening=sign in "([{")
        for index, part in enumerate(restored)
        for place, sign in enumerate(use_plain_signs(part))
        if sign in "([{)]}"
    ]
    # Typed brackets are paired first; those that are left over may have a partner in an emoji
    left_over = _find_unpaired(bracket for bracket in brackets if bracket.is_typed)
    unpaired = _find_unpaired(bracket for bracket in brackets if not bracket.is_typed or bracket in left_over)
    for bracket in unpaired:
        restored[bracket.part_index] = parts[bracket.part_index]
    return "".join(restored)


def _find_unpaired(brackets: Iterable[Bracket]) -> set[Bracket]:
    """Return the brackets without a partner; one of any shape closes the latest open one."""
    opened: list[Bracket] = []
    unpaired: set[Bracket] = set()
    for bracket in brackets:
        if bracket.is_opening:
            opened.append(bracket)
        elif opened:
            opened.pop()
        else:
            unpaired.add(bracket)
    return unpaired.union(opened)


def find_emoji_amid_signs(text: str) -> str:
    """Return the first emoji that an app put for signs of an expression; empty if there is none."""
    match = AMID_SIGNS.search(text)
    if match is None:
        return ""
    after_sign, between_numbers = match.groups()
    return after_sign or between_numbers


ADDRESS = re.compile(r"(?:https?://|www\.|t\.me/|[@#])\S+", re.IGNORECASE)
BOLD = re.compile(r"(?<![\w)\]}])\*\*(?P<words>\S[^*\n]*(?:\*[^*\n]+)*)\*\*(?![\w(\[{])")


def strip_addresses(text: str) -> str:
    """Normalize the spelling, replace addresses and names with @ or # by `WORD`, and remove stars of bold."""
    without_stars = BOLD.sub(r" \g<words> ", normalize_spelling(text))
    return ADDRESS.sub(WORD, without_stars)


LETTERS = re.compile(r"[^\W\d_²³¹⁰⁴-⁹]+")
# Letters that stand for cards, and the x between two of them.
CARD_LETTERS = re.compile(r"\*?[AJQK](?:\*[AJQK])*\*?|\*")


def blank_words(text: str) -> str:
    """Write a normalized text in the solver's own signs, with `WORD` for each word."""

    def blank_unless_cards(letters: re.Match[str]) -> str:
        return letters[0] if CARD_LETTERS.fullmatch(use_plain_signs(letters[0])) else WORD

    return use_plain_signs(LETTERS.sub(blank_unless_cards, text))


FACE = re.compile(r"(?<!\S)[:;=][-'^]?(?:[()DPpOo|\\*/]+|3)(?!\S)")
COLON = re.compile(r"^[^:：\n]*[:：]", re.MULTILINE)
# The number of a list's item, and a colon that ends a label.
LABEL = re.compile(
    r"^[ \t]*[0-9]+(?:[.)][ \t]*(?![0-9])|[ \t]?[:/-]+[ \t]+|[ \t]*：)|[:：](?=\s)", re.MULTILINE
)
# A list number without a space after it
NUMBERED = re.compile(r"^[ \t]*[1-9][0-9]?[.)](?=[0-9])", re.MULTILINE)


def strip_smileys(text: str) -> str:
    """Replace smileys, which would read as a division, by `WORD`."""
    return FACE.sub(WORD, text)


def strip_labels(text: str) -> str:
    """Replace smileys, list numbers and all before a colon by `WORD`, although a colon may also divide."""
    without_list_numbers = LABEL.sub(WORD, strip_smileys(text))
    return COLON.sub(WORD, without_list_numbers)


def strip_list_numbers(text: str) -> str:
    """Replace list numbers that touch the text of their item by `WORD`."""
    return NUMBERED.sub(WORD, text)


# The place where a bracket stands next to a number or another bracket: both are multiplied
IMPLIED = re.compile(r"(?<=[0-9AJQK)\]}]) ?(?=[(\[{])|(?<=[)\]}]) ?(?=[0-9AJQK])")


def insert_multiplications(text: str) -> str:
    """Write a `*` between a bracket and a number or bracket that touches it, since they are multiplied."""
    return IMPLIED.sub("*", text)


ENDS, BEGINS = r"(?<=[0-9AJQKajqk¼½¾⅐-⅞)\]}）］】])", r"(?=[0-9AJQKajqk¼½¾⅐-⅞(\[{（［【])"
# Operations in words.
SPOKEN = {
    "*": (
        "times|multiplied by|multiplicado por|por|乘以|乘上|乘"
        "|умножить на|умножаем на|умножим на|умножь на|умноженное на"
    ),
    "/": (
        "divided by|over|dividido por|dividido entre|entre|除以|除"
        "|разделить на|поделить на|делить на|делим на|делённое на|деленное на"
    ),
    "+": "plus|más|mas|плюс|加上|加",
    "-": "minus|menos|минус|减去|減去|减|減",
}
SIGN_OF = {word: sign for sign, words in SPOKEN.items() for word in words.split("|")}
WORDS = "|".join(SIGN_OF).replace(" ", r"\s+")
INITIALS = "".join(sorted({word[0] for word in SIGN_OF}))
SPOKEN_SIGN = re.compile(rf"{ENDS}\s*(?=[{INITIALS}])(?P<words>{WORDS})\s*{BEGINS}", re.IGNORECASE)
CIRCLED = {
    first + n: f" {n + 1} "
    for first, count in ((0x2460, 20), (0x2776, 10), (0x2780, 10), (0x278A, 10))
    for n in range(count)
} | {ord("⓪"): " 0 "}
SUITS = re.compile("[♠♥♦♣♤♡♢♧]")
# A dash before a sentence, or after a heading.
DASH_OF_TEXT = re.compile(r"^([ \t]*)—+|([^\W\d_]{2}[ \t]*|[^\W\d_A-Za-zхХ][ \t]*)—+", re.MULTILINE)


def translate_spoken_signs(text: str, target: int | None) -> str:
    """Replace operations in words and numbers in circles, and remove suits and dashes that are no minus.

    A dash with spaces around it before the `target` at the end of the text becomes `=`.
    """
    if not text.isascii():
        if "—" in text:  # Before a sentence or after a heading, it is no minus
            text = DASH_OF_TEXT.sub(rf"\1\2{WORD}", text)  # What precedes the dash stays
        text = SUITS.sub("", text).translate(CIRCLED)
    # The words of an operation may have several spaces between them
    text = SPOKEN_SIGN.sub(lambda match: SIGN_OF[" ".join(match["words"].lower().split())], text)
    if target is None:
        return text
    return re.sub(rf"(?<=\S)\s+[-−–—]+\s+(?={target}\W*$)", " = ", text, flags=re.ASCII)


MIXED = re.compile(r"(?<![0-9.,/*])([0-9]{1,9}) +([0-9]{1,9})/([0-9]{1,9})(?![0-9.,/])")


def expand_mixed_numbers(text: str) -> str:
    """Replace each mixed number by a sum in brackets: `1 1/2` becomes `(1+1/2)`."""

    def expand_proper_fraction(match: re.Match[str]) -> str:
        whole, numerator, denominator = match.groups()
        is_proper = 0 < int(numerator) < int(denominator)
        return f"({whole}+{numerator}/{denominator})" if is_proper else match[0]

    return MIXED.sub(expand_proper_fraction, text)


HEADING = re.compile(r"^\s*[^\W\d_]+\s*[:：]")  # The label of an answer: `Answer:`
# A letter with no sign beside it, which is a word rather than a card: `a 3+4`.
LONE_LETTER = re.compile(r"(?<![-+*/(\[{=])(?<![-+*/(\[{=] )[AJQK](?! ?[-+*/)\]}=])")


def has_words(text: str) -> bool:
    """Whether a normalized text has words other than a label such as `Answer:` at its beginning."""
    text_after_label = HEADING.sub("", text)
    blanked = blank_words(strip_smileys(text_after_label))
    return WORD in blanked or LONE_LETTER.search(blanked) is not None


# Figures that look like answers but are not. They have nothing before or behind them with which they would
# form an expression.
ALONE = r"(?<![0-9)\]}.,:：*/+=–−－-])(?<![*/+=–−－-] )"
WHOLE = r"(?![0-9(\[{]|[)\]]\s?[-–−－*/+×÷·]|[.,:：][0-9]|\s?[-–−－*/+×÷·]\s?[0-9(\[{]|\s?=)"
TO = r"\s?[-–−－~～]\s?"
CLOCK = r"(?:[01]?[0-9]|2[0-4])[:：][0-5][0-9](?:[:：][0-5][0-9])?"
AMOUNT = rf"[0-9]+(?:[.,][0-9]+)?(?:{TO}[0-9]+(?:[.,][0-9]+)?)?"
CURRENCY = "[$€£¥₽₴₹₩＄￥]"
RANGES = rf"{ALONE}(?:{CLOCK}{TO}(?:{CLOCK}|[0-9]{{1,2}})|[0-9]{{1,2}}{TO}{CLOCK}){WHOLE}"
MONEY = rf"{CURRENCY}\s?{AMOUNT}{WHOLE}|{ALONE}{AMOUNT}\s?{CURRENCY}"
DAY = rf"{ALONE}[0-9]{{1,4}}([-/.])[0-9]{{1,2}}\1[0-9]{{1,4}}{WHOLE}"
TELEPHONE = rf"{ALONE}[+][0-9]{{1,3}}[ ().-]*[0-9]{{2,4}}(?:[ ().-]{{1,2}}[0-9]{{2,4}}){{1,4}}{WHOLE}"
RANGE_OR_MONEY = re.compile(f"{RANGES}|{MONEY}")
FIGURE = re.compile(f"{DAY}|{TELEPHONE}|{RANGES}|{MONEY}|{ALONE}{CLOCK}{WHOLE}")


def strip_figures(text: str, figures: re.Pattern[str] = FIGURE) -> str:
    """Replace dates, telephone numbers, times and amounts of money, or only `figures`, by `WORD`."""
    return figures.sub(WORD, text)
