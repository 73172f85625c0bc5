"""What people write in the signs in which expressions are looked for: spellings, words, addresses, labels."""

import re

from solver import plain as in_its_signs

WORD = "¦"
"""Stands for every word in a text, and ends an expression like any sign that has no meaning."""
SPELLINGS = str.maketrans(
    {**dict.fromkeys("⁄∕➗", "/"), **dict.fromkeys("∗∙⋅•✕✖✗⨯", "*"), **dict.fromkeys("‐‑‒—﹣➖", "-")}
    | {"➕": "+", "［": "[", "］": "]", "｛": "{", "｝": "}"}
    | dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\ufe0e\ufe0f\u20e3\u200e\u200f")
)
"""What the solver reads as well, and what is nothing to the eye (of the digit 8️⃣ all but the 8)."""
DIGIT = re.compile(r"\d")
"""Of any script."""
ZEROS = re.compile(r"(?<=[0-9])[.,]0{1,2}(?![0-9])")
"""`8.0` is 8."""
NESTED = 3
"""Fractions in fractions that are looked into."""
FRACTION = re.compile(r"\\[dt]?frac\s*\{([^{}]{1,99})\}\s*\{([^{}]{1,99})\}")
COMMANDS = re.compile(r"\\([A-Za-z]{1,9})")
MEANT = {"cdot": "*", "times": "*", "div": "/"}

ADDRESS = re.compile(r"(?:https?://|www\.|t\.me/|[@#])\S+", re.IGNORECASE)
BOLD = re.compile(r"(?<![\w)\]}])\*\*(\S[^*\n]*(?:\*[^*\n]+)*)\*\*(?![\w(\[{])")
LETTERS = re.compile(r"[^\W\d_²³¹⁰⁴-⁹½¼¾]+")
CARDS = re.compile(r"\*?[AJQK](?:\*[AJQK])*\*?|\*")
"""Letters that stand for cards, and the x between two of them."""
LONE = re.compile(r"(?<![-+*/(\[{=])(?<![-+*/(\[{=] )[AJQK](?! ?[-+*/)\]}=])")
"""A letter beside no sign, which is a word rather than a card: `a 3+4`."""
HEADING = re.compile(r"^\s*[^\W\d_]+\s*[:：]")
"""What an answer may have before it: `Answer:`."""
LABEL = re.compile(
    r"^[ \t]*[0-9]+(?:[.)][ \t]*(?![0-9])|[ \t]?[:/-]+[ \t]+|[ \t]*：)|[:：](?=\s)", re.MULTILINE
)
"""A number before a line of a list, and a colon behind which something new begins."""
NUMBERED = re.compile(r"^[ \t]*[1-9][0-9]?[.)](?=[0-9])", re.MULTILINE)
"""The same, without a space behind it."""
IMPLIED = re.compile(r"(?<=[0-9AJQK)\]}]) ?(?=[(\[{])")
"""Where a bracket follows a number or another bracket: both are multiplied."""
COLON = re.compile(r"^[^:：\n]*[:：]", re.MULTILINE)
FACE = re.compile(r"(?<!\S)[:;=][-'^]?(?:[()DPpOo|\\*/]+|3)(?!\S)")


def plain(text: str) -> str:
    """The text in the signs that are looked for."""
    if not text.isascii():
        text = DIGIT.sub(lambda digit: str(int(digit[0])), text.translate(SPELLINGS))
    if "\\" in text:
        for _ in range(NESTED):
            text = FRACTION.sub(r"((\1)/(\2))", text)
        text = COMMANDS.sub(lambda command: MEANT.get(command[1], ""), text)
    return ZEROS.sub("", text)


def written(text: str) -> str:
    """The plain text without addresses, names and the stars around bold words."""
    return ADDRESS.sub(WORD, BOLD.sub(r" \1 ", plain(text)))


def blanked(text: str) -> str:
    """The plain text in the solver's own signs, with `WORD` for each word."""
    return in_its_signs(LETTERS.sub(_card_or_word, text))


def _card_or_word(word: re.Match[str]) -> str:
    return word[0] if CARDS.fullmatch(in_its_signs(word[0])) else WORD


def without_faces(text: str) -> str:
    """The plain text without smileys, which begin like a division."""
    return FACE.sub(WORD, text)


def without_labels(text: str) -> str:
    """The plain text without smileys and what stands before a colon, which may divide as well."""
    return COLON.sub(WORD, LABEL.sub(WORD, without_faces(text)))


def multiplied(text: str) -> str:
    """The text with a `*` before each bracket that multiplies without one."""
    return IMPLIED.sub("*", text)


def unnumbered(text: str) -> str:
    """The text without numbers of a list that touch what is listed."""
    return NUMBERED.sub(WORD, text)


def has_words(text: str) -> bool:
    """Whether a plain text says more than an expression, and `Answer:` before it."""
    said = blanked(without_faces(HEADING.sub("", text)))
    return WORD in said or LONE.search(said) is not None
