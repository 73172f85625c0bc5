"""`parse`: from what players write to an Expression, or an ExpressionError that says what is wrong and where.

Each method of the reader has its line of the grammar.
"""

from __future__ import annotations

from solver.expression import Expression
from solver.names import CARDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Literal, NoReturn

    from solver.expression import Op

    Reason = Literal[
        "empty",
        "too long",
        "too many",
        "too deep",
        "number too long",
        "unknown",
        "no name",
        "no power",
        "no decimal",
        "no sign",
        "no operator",
        "no number",
        "unfinished",
        "unclosed",
        "unopened",
        "unexpected",
        "other target",
        "division by zero",
    ]

MAX_CHARACTERS = 256  # The longest text that is read at all
MAX_TOKENS = 64  # The most numbers, signs and brackets in one text
MAX_DEPTH = 16  # The most brackets open at once
MAX_DIGITS = 9  # The longest number


class ExpressionError(ValueError):
    """A text that is no expression: what is wrong, and where."""

    reason: Reason  # What is wrong, as a fixed code: for callers that word it themselves
    position: int  # Where it is wrong: an index into the text, or its length for something missing at the end
    fragment: str  # The piece of text, or the number, that the reason is about; may be empty

    def __init__(self, reason: Reason, position: int, fragment: str = "") -> None:
        super().__init__(reason, position, fragment)
        self.reason = reason
        self.position = position
        self.fragment = fragment

    @property
    def message(self) -> str:
        """One English sentence without the position."""
        return _MESSAGES[self.reason].format(self.fragment)

    def __str__(self) -> str:
        return f"{self.message} (at character {self.position + 1})"


_MESSAGES: dict[Reason, str] = {
    "empty": "there is nothing to read",
    "too long": f"the text is longer than {MAX_CHARACTERS} characters",
    "too many": f"there are more than {MAX_TOKENS} numbers, signs and brackets",
    "too deep": f"brackets are nested deeper than {MAX_DEPTH}",
    "number too long": f"numbers have at most {MAX_DIGITS} digits: '{{}}'",
    "unknown": "this character has no meaning here: '{}'",
    "no name": "only numbers and A J Q K are read, not '{}'",
    "no power": "powers are not part of the game: '{}'",
    "no decimal": "numbers are whole, without a point or comma: '{}'",
    "no sign": "a number takes no sign of its own; write 27-3 rather than -3+27: '{}'",
    "no operator": "a sign such as * is missing before '{}'",
    "no number": "a number is missing before '{}'",
    "unfinished": "a number is missing at the end",
    "unclosed": "this bracket is never closed: '{}'",
    "unopened": "this bracket was never opened: '{}'",
    "unexpected": "nothing may stand here any more: '{}'",
    "other target": "the target is another number than '{}'",
    "division by zero": "this divides by zero: '{}'",
}

_BRACKETS = {"(": ")", "[": "]", "{": "}"}
_SIGNS = "+-*/=()[]{}"
_SPELLINGS = {
    "+": "＋﹢➕",
    "-": "−－–—‐‑‒﹣➖",
    "*": "×·xXхХ＊∗∙⋅•✕✖✗ｘＸ⨯・",
    "/": "÷／:：∕⁄➗",
    "=": "＝",
    "(": "（❨⟮﹙",
    ")": "）❩⟯﹚",
    "[": "［【〔",
    "]": "］】〕",
    "{": "｛",
    "}": "｝",
    " ": "\u200b\u200c\u200d\u2060\ufeff\ufe0e\ufe0f\u200e\u200f",
    **{str(digit): chr(0xFF10 + digit) for digit in range(10)},
    **{card: card.lower() + chr(ord(card) + 0xFEE0) + chr(ord(card) + 0xFF00) for card in CARDS},
}
# What people type, one character for one, to the character that the grammar knows.
_PLAIN = str.maketrans({other: plain for plain, others in _SPELLINGS.items() for other in others})


def plain(text: str) -> str:
    """The text in the characters that the grammar knows, one for one: `８×（3−a）` is `8*(3-A)`.

    What it doesn't know stays as it is.
    """
    return text.translate(_PLAIN)


def parse(text: str, *, target: int = 24) -> Expression:
    """The expression that `text` writes.

    Read are whole numbers and A J Q K (1 11 12 13, also small), + - * / with their look-alikes on
    keyboards and phones (`× · x ÷ : −`, full-width forms), round, square and curly brackets, spaces anywhere,
    and the target at the end (`= 24`) or at the beginning (`24 =`), whether or not it is true. Anything else
    is an ExpressionError, and so is division by zero.
    """
    return Reader(text, target).read()


class Reader:
    """A text and how far it has been read."""

    def __init__(self, text: str, target: int) -> None:
        if len(text) > MAX_CHARACTERS:
            raise ExpressionError("too long", MAX_CHARACTERS)
        self.text = text
        self.target = target
        self.plain = plain(text)
        self.tokens = list(self._tokens())
        """Each token and where it begins; the last one is empty and stands at the end."""
        self.next = 0
        self.depth = 0

    def _tokens(self) -> Iterator[tuple[str, int]]:
        """token := digit+ | "A" | "J" | "Q" | "K" | one of "+-*/=()[]{}", with spaces between"""
        plain, at, count = self.plain, 0, 0
        while at < len(plain):
            start, char = at, plain[at]
            at += 1
            if char.isspace():
                continue
            if "0" <= char <= "9":
                at = self.end_of_number(start)
                if at - start > MAX_DIGITS:
                    raise ExpressionError("number too long", start, self.text[start:at])
            elif char not in CARDS and char not in _SIGNS:
                self._unknown(start)
            count += 1
            if count > MAX_TOKENS:
                raise ExpressionError("too many", start)
            yield plain[start:at], start
        yield "", len(plain)

    def end_of_number(self, at: int) -> int:
        """number := digit+"""
        while at < len(self.plain) and "0" <= self.plain[at] <= "9":
            at += 1
        return at

    def _unknown(self, at: int) -> NoReturn:
        char = self.text[at]
        if char in ".,．，。、٫":
            raise ExpressionError("no decimal", at, char)
        if char in "^＾":
            raise ExpressionError("no power", at, char)
        end = at
        while end < len(self.text) and self.text[end].isalpha():
            end += 1
        if end > at:
            raise ExpressionError("no name", at, self.text[at : min(end, at + 20)])
        raise ExpressionError("unknown", at, char if char.isprintable() else ascii(char)[1:-1])

    @property
    def ahead(self) -> str:
        return self.tokens[self.next][0]

    def refuse(self, reason: Reason) -> NoReturn:
        """Refuse the next token."""
        token, position = self.tokens[self.next]
        raise ExpressionError(reason, position, self.text[position : position + len(token)])

    def take(self) -> tuple[str, int]:
        self.next += 1
        return self.tokens[self.next - 1]

    def read(self) -> Expression:
        """text := [ target "=" ] sum [ "=" target ]"""
        if not self.ahead:
            raise ExpressionError("empty", 0)
        if self.has_target():
            self.result()
            self.take()
        whole = self.sum()
        if self.ahead == "=":
            self.take()
            self.result()
        if self.ahead:
            self.refuse("unopened" if self.ahead in _BRACKETS.values() else "unexpected")
        return whole

    def has_target(self) -> bool:
        """Whether a target stands before the sum: in `5 = 24` the 5 is the sum, and it stands behind."""
        begun = [token for token, _ in self.tokens[:4]]
        return len(begun) == 4 and begun[0] not in _SIGNS and begun[1] == "=" and begun[3] != ""

    def result(self) -> None:
        """target := number, and it is the one that is asked for"""
        if not self.ahead or self.ahead in _SIGNS:
            self.missing()
        if self.number() != self.target:
            self.next -= 1
            self.refuse("other target")

    def sum(self) -> Expression:
        """sum := product { ( "+" | "-" ) product }"""
        left = self.product()
        while self.ahead == "+" or self.ahead == "-":
            op: Op = "+" if self.take()[0] == "+" else "-"
            left = Expression.join(op, left, self.product())
        return left

    def product(self) -> Expression:
        """product := part { ( "*" | "/" ) part }, and nothing is divided by zero"""
        left = self.part()
        while True:
            if self.ahead == "*":
                self.take()
                left = Expression.join("*", left, self.part())
            elif self.ahead == "/":
                self.take()
                left = Expression.join("/", left, self.divisor())
            elif self.ahead and (self.ahead not in _SIGNS or self.ahead in _BRACKETS):
                self.refuse("no operator")
            else:
                return left

    def divisor(self) -> Expression:
        """divisor := part, and it is not zero"""
        start = self.tokens[self.next][1]
        divisor = self.part()
        if self.is_zero(divisor):
            end = self.tokens[self.next][1]
            raise ExpressionError("division by zero", start, self.text[start:end].rstrip())
        return divisor

    def is_zero(self, divisor: Expression) -> bool:
        """Whether it is worth nothing."""
        return not divisor.ratio[0]

    def part(self) -> Expression:
        """part := number | "(" sum ")" | "[" sum "]" | "{" sum "}" """
        if self.ahead and self.ahead not in _SIGNS:
            return self.leaf()
        if self.ahead not in _BRACKETS:
            self.missing()
        if self.depth == MAX_DEPTH:
            raise ExpressionError("too deep", self.tokens[self.next][1])
        opening, position = self.take()
        self.depth += 1
        inside = self.sum()
        if self.ahead != _BRACKETS[opening]:
            if self.ahead:
                self.refuse("unopened" if self.ahead in _BRACKETS.values() else "unexpected")
            raise ExpressionError("unclosed", position, self.text[position])
        self.take()
        self.depth -= 1
        return inside

    def leaf(self) -> Expression:
        """The next number as an expression."""
        return Expression.leaf(self.number())

    def number(self) -> int:
        """number := digit+ | "A" | "J" | "Q" | "K" """
        token = self.take()[0]
        return CARDS.get(token) or int(token)

    def missing(self) -> NoReturn:
        """Say what stands where a number should."""
        before = self.tokens[self.next - 1][0] if self.next else ""
        if self.ahead == "*" and before == "*":
            self.refuse("no power")
        if self.ahead in ("+", "-") and before not in ("+", "-"):
            self.refuse("no sign")
        self.refuse("no number" if self.ahead else "unfinished")
