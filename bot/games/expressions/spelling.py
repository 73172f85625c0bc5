"""What people write in the signs in which expressions are looked for: spellings, words, addresses, labels."""

import re
from collections.abc import Iterable
from unicodedata import normalize

from solver import plain as in_its_signs

WORD = "¦"  # Stands for every word in a text, and ends an expression like any sign that has no meaning
# What the solver reads as well, and what is nothing to the eye (of the digit 8️⃣ all but the 8).
SPELLINGS = str.maketrans(
    {**dict.fromkeys("⁄∕➗", "/"), **dict.fromkeys("∗∙⋅•✕✖✗⨯", "*"), **dict.fromkeys("‐‑‒—﹣➖", "-")}
    | {"➕": "+", "∶": ":", "［": "[", "］": "]", "｛": "{", "｝": "}"}
    | dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\ufe0e\ufe0f\u20e3\u200e\u200f")
)
BESIDE = r"[-+*/:=()\[\]{}＋﹢−－–×·xXхХ＊ｘＸ・÷／：＝（）【】]"
# A fraction in one sign or in small digits, perhaps behind a whole number, where a sign or a bracket stands
# beside it; `1½ hours` are no answer.
FRACTION_SIGN = re.compile(
    rf"((?<={BESIDE})|(?<={BESIDE} ))?(?:(?<![0-9.,])([0-9]{{1,9}})[ \u2009\u202f]?)?"
    rf"([¼½¾⅐-⅞↉]|⅟[0-9₀-₉]{{1,9}}|[⁰¹²³⁴-⁹]{{1,9}}/[₀-₉]{{1,9}})(?(1)|(?= ?{BESIDE}))"
)
MOST_FRACTIONS = 12  # As many as an answer may have; others stay as they are
# Emoji that apps put where somebody types these signs, most of them only between spaces.
REPLACED = {
    "😍": "8)",
    "😎": "8)",
    "😔": "3(",
    "😕": ":(",
    "🙁": ":(",
    "☹": ":(",
    "😞": ":(",
    "😩": ":((",
    "😏": ":J",
}
# Those that may stand for signs: 😎 behind a number is rather a smile, as is 😏 at the end.
EMOJI = re.compile(r"([😍😔😕🙁☹😞😩]|(?<![0-9])(?<![0-9] )😎|😏(?=\s*[-+*/×÷−–:)\]}]))")
# The same, and what apps put for `:)`, `:*`, `:X` and other signs that no expression has in a row.
APP_EMOJI = "😍😎😔😕🙁☹😞😩😏🙂😊😌😚😷😈"
MOST_EMOJI = 8  # Of a text with more of them, none stands for signs
GOES_ON = r"(?:[-+*/×÷−–:]\s*)?(?:[0-9([{]|[AJQK]\b)"
# An emoji behind a sign of an expression, or between two numbers of one.
AMID_SIGNS = re.compile(
    rf"[0-9AJQK)\]}}]\s*(?:[-+*/×÷−–:([{{]+\s*([{APP_EMOJI}])|([{APP_EMOJI}])\ufe0f?\s*{GOES_ON})"
)
DIGIT = re.compile(r"(?![0-9])\d")  # Of any other script
ZEROS = re.compile(r"(?<=[0-9])[.,]0{1,2}(?![0-9])")  # `8.0` is 8
NESTED = 3  # Fractions in fractions that are looked into
PART = r"\s*(?:\{([^{}]{1,99})\}|([0-9AJQK]))"
FRACTION = re.compile(rf"\\[dt]?frac{PART}{PART}")
COMMANDS = re.compile(r"\\([A-Za-z]{1,9})")
MEANT = {"cdot": "*", "times": "*", "div": "/"}

ADDRESS = re.compile(r"(?:https?://|www\.|t\.me/|[@#])\S+", re.IGNORECASE)
BOLD = re.compile(r"(?<![\w)\]}])\*\*(\S[^*\n]*(?:\*[^*\n]+)*)\*\*(?![\w(\[{])")
LETTERS = re.compile(r"[^\W\d_²³¹⁰⁴-⁹]+")
# Letters that stand for cards, and the x between two of them.
CARD_LETTERS = re.compile(r"\*?[AJQK](?:\*[AJQK])*\*?|\*")
NUMBER = re.compile(r"[0-9]+|[AJQK]")
# A letter beside no sign, which is a word rather than a card: `a 3+4`.
LONE = re.compile(r"(?<![-+*/(\[{=])(?<![-+*/(\[{=] )[AJQK](?! ?[-+*/)\]}=])")
HEADING = re.compile(r"^\s*[^\W\d_]+\s*[:：]")  # What an answer may have before it: `Answer:`
# A number before a line of a list, and a colon behind which something new begins.
LABEL = re.compile(
    r"^[ \t]*[0-9]+(?:[.)][ \t]*(?![0-9])|[ \t]?[:/-]+[ \t]+|[ \t]*：)|[:：](?=\s)", re.MULTILINE
)
NUMBERED = re.compile(r"^[ \t]*[1-9][0-9]?[.)](?=[0-9])", re.MULTILINE)  # The same, without a space behind it
# Where a bracket stands beside a number or another bracket: both are multiplied.
IMPLIED = re.compile(r"(?<=[0-9AJQK)\]}]) ?(?=[(\[{])|(?<=[)\]}]) ?(?=[0-9AJQK])")
COLON = re.compile(r"^[^:：\n]*[:：]", re.MULTILINE)
FACE = re.compile(r"(?<!\S)[:;=][-'^]?(?:[()DPpOo|\\*/]+|3)(?!\S)")

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
SPOKEN_SIGN = re.compile(rf"{ENDS}\s*(?=[{INITIALS}])({WORDS})\s*{BEGINS}", re.IGNORECASE)
CIRCLED = {
    first + n: f" {n + 1} "
    for first, count in ((0x2460, 20), (0x2776, 10), (0x2780, 10), (0x278A, 10))
    for n in range(count)
} | {ord("⓪"): " 0 "}
SUITS = re.compile("[♠♥♦♣♤♡♢♧]")
# A dash before what somebody says, or behind a heading.
HEADED = re.compile(r"^([ \t]*)—+|([^\W\d_]{2}[ \t]*|[^\W\d_A-Za-zхХ][ \t]*)—+", re.MULTILINE)
MIXED = re.compile(r"(?<![0-9.,/*])([0-9]{1,9}) +([0-9]{1,9})/([0-9]{1,9})(?![0-9.,/])")


def normalize_spelling(text: str) -> str:
    """The text in the signs that are looked for."""
    if not text.isascii():
        text = FRACTION_SIGN.sub(_in_brackets, text.translate(SPELLINGS), MOST_FRACTIONS)
        text = DIGIT.sub(lambda digit: str(int(digit[0])), text)
    if "\\" in text:
        for _ in range(NESTED):
            text = FRACTION.sub(r"((\1\2)/(\3\4))", text)
        text = COMMANDS.sub(lambda command: MEANT.get(command[1], ""), text)
    return ZEROS.sub("", text)


def _in_brackets(found: re.Match[str]) -> str:
    """A fraction as a division, a mixed number as a sum: `½` is `(1/2)`, `1½` is `(1+1/2)`."""
    whole, fraction = found[2], normalize("NFKC", found[3]).replace("⁄", "/")
    return f"({whole}+{fraction})" if whole else f"({fraction})"


# In which part of a text it stands, at which place of that, and whether it opens.
Bracket = tuple[int, int, bool]


def restore_emoji_signs(text: str) -> str:
    """The text with the signs that an app replaced by an emoji: `(4 + 😍 * 2` is `(4 + 8) * 2`.

    An emoji stays where its bracket would find no partner among the text's other brackets that have none.
    """
    parts = EMOJI.split(text)
    if not 1 < len(parts) < 2 * MOST_EMOJI:
        return text
    signs = [REPLACED[part] if at % 2 else part for at, part in enumerate(parts)]
    brackets = [
        (at, place, sign in "([{")
        for at, part in enumerate(signs)
        for place, sign in enumerate(in_its_signs(part))
        if sign in "([{)]}"
    ]
    typed = _without_partner(bracket for bracket in brackets if not bracket[0] % 2)
    alone = _without_partner(bracket for bracket in brackets if bracket[0] % 2 or bracket in typed)
    kept = {at for at, _, _ in alone}
    return "".join(parts[at] if at in kept else sign for at, sign in enumerate(signs))


def _without_partner(brackets: Iterable[Bracket]) -> set[Bracket]:
    """Those of the brackets, in their order, that open or close nothing."""
    opened, alone = list[Bracket](), set[Bracket]()
    for bracket in brackets:
        if bracket[2]:
            opened.append(bracket)
        elif opened:
            opened.pop()
        else:
            alone.add(bracket)
    return alone.union(opened)


def find_emoji_amid_signs(text: str) -> str:
    """The first emoji that an app put for signs amid an expression; empty where there is none."""
    found = AMID_SIGNS.search(text)
    return (found[1] or found[2]) if found else ""


def strip_addresses(text: str) -> str:
    """The plain text without addresses, names and the stars around bold words."""
    return ADDRESS.sub(WORD, BOLD.sub(r" \1 ", normalize_spelling(text)))


def blank_words(text: str) -> str:
    """The plain text in the solver's own signs, with `WORD` for each word."""
    return in_its_signs(LETTERS.sub(_card_or_word, text))


def _card_or_word(word: re.Match[str]) -> str:
    return word[0] if CARD_LETTERS.fullmatch(in_its_signs(word[0])) else WORD


def strip_smileys(text: str) -> str:
    """The plain text without smileys, which begin like a division."""
    return FACE.sub(WORD, text)


def strip_labels(text: str) -> str:
    """The plain text without smileys and what stands before a colon, which may divide as well."""
    return COLON.sub(WORD, LABEL.sub(WORD, strip_smileys(text)))


def insert_multiplications(text: str) -> str:
    """The text with a `*` before each bracket that multiplies without one."""
    return IMPLIED.sub("*", text)


def translate_spoken_signs(text: str, target: int | None) -> str:
    """The text in signs where it has words for them, digits in circles, suits and dashes that are no minus.

    A dash before what is said is none, and neither is one with spaces around it before the target at the end.
    """
    if not text.isascii():
        headed = HEADED.sub(rf"\1\2{WORD}", text) if "—" in text else text
        text = SUITS.sub("", headed).translate(CIRCLED)
    text = SPOKEN_SIGN.sub(lambda match: SIGN_OF[" ".join(match[1].lower().split())], text)
    if target is None:
        return text
    return re.sub(rf"(?<=\S)\s+[-−–—]+\s+(?={target}\W*$)", " = ", text, flags=re.ASCII)


def expand_mixed_numbers(text: str) -> str:
    """The plain text with a sum in brackets for each mixed number: `1 1/2`."""
    return MIXED.sub(lambda m: f"({m[1]}+{m[2]}/{m[3]})" if 0 < int(m[2]) < int(m[3]) else m[0], text)


def strip_list_numbers(text: str) -> str:
    """The text without numbers of a list that touch what is listed."""
    return NUMBERED.sub(WORD, text)


def has_words(text: str) -> bool:
    """Whether a plain text says more than an expression, and `Answer:` before it."""
    rest = blank_words(strip_smileys(HEADING.sub("", text)))
    return WORD in rest or LONE.search(rest) is not None


# Nothing that would make an expression of it stands before …
ALONE = r"(?<![0-9)\]}.,:：*/+=–−－-])(?<![*/+=–−－-] )"
WHOLE = r"(?![0-9(\[{]|[)\]]\s?[-–−－*/+×÷·]|[.,:：][0-9]|\s?[-–−－*/+×÷·]\s?[0-9(\[{]|\s?=)"  # … or behind
TO = r"\s?[-–−－~～]\s?"
CLOCK = r"(?:[01]?[0-9]|2[0-4])[:：][0-5][0-9](?:[:：][0-5][0-9])?"
AMOUNT = rf"[0-9]+(?:[.,][0-9]+)?(?:{TO}[0-9]+(?:[.,][0-9]+)?)?"
CURRENCY = "[$€£¥₽₴₹₩＄￥]"
RANGES = rf"{ALONE}(?:{CLOCK}{TO}(?:{CLOCK}|[0-9]{{1,2}})|[0-9]{{1,2}}{TO}{CLOCK}){WHOLE}"
MONEY = rf"{CURRENCY}\s?{AMOUNT}{WHOLE}|{ALONE}{AMOUNT}\s?{CURRENCY}"
DAY = rf"{ALONE}[0-9]{{1,4}}([-/.])[0-9]{{1,2}}\1[0-9]{{1,4}}{WHOLE}"
TELEPHONE = rf"{ALONE}[+][0-9]{{1,3}}[ ().-]*[0-9]{{2,4}}(?:[ ().-]{{1,2}}[0-9]{{2,4}}){{1,4}}{WHOLE}"
NO_TRY = re.compile(f"{RANGES}|{MONEY}")
NOTHING_TO_COMPUTE = re.compile(f"{DAY}|{TELEPHONE}|{RANGES}|{MONEY}|{ALONE}{CLOCK}{WHOLE}")


def strip_ranges_and_money(text: str) -> str:
    """The plain text without times of day from and to, and without money."""
    return NO_TRY.sub(WORD, text)


def strip_figures(text: str) -> str:
    """The plain text without dates, telephone numbers and any time as well."""
    return NOTHING_TO_COMPUTE.sub(WORD, text)
