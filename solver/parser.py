"""`parse`: read an Expression from a text, or raise an ExpressionError that says what is wrong and where.

`Reader` is a recursive descent parser: the docstring of a method quotes the grammar rule that it reads.
"""

from __future__ import annotations

from solver.expression import Expression
from solver.names import CARDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Literal, NoReturn

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

MAX_CHARACTERS = 256  # The longest text
MAX_TOKENS = 64  # The most numbers, signs and brackets in one text
MAX_DEPTH = 16  # The most nested brackets
MAX_DIGITS = 9  # The most digits of a number
MAX_FRAGMENT = 20  # Characters of a wrong word that an error shows


class ExpressionError(ValueError):
    """An error in a text that is no expression."""

    reason: Reason  # A fixed code, for callers with messages of their own
    position: int  # Index of the error in the text; its length if something is missing at the end
    fragment: str  # The part of the text that the reason refers to; may be empty

    def __init__(self, reason: Reason, position: int, fragment: str = "") -> None:
        super().__init__(reason, position, fragment)
        self.reason = reason
        self.position = position
        self.fragment = fragment

    @property
    def message(self) -> str:
        """The error as an English sentence, without the position."""
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
_LOOKALIKES = {
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
# Maps each character that people type to the one that the grammar knows.
TRANSLATION: dict[int, str] = {}
for _plain, _others in _LOOKALIKES.items():
    TRANSLATION |= dict.fromkeys(map(ord, _others), _plain)


def use_plain_signs(text: str) -> str:
    """Replace characters by those of the grammar, one for one: `８×（3−a）` becomes `8*(3-A)`. Unknown
    characters are kept, and positions stay the same.
    """
    return text.translate(TRANSLATION)


def parse(text: str, *, target: int = 24) -> Expression:
    """Read an expression.

    It may contain whole numbers and A J Q K (1 11 12 13, also in lower case), + - * / and similar signs of
    keyboards and phones (`× · x ÷ : −`, full-width forms), round, square and curly brackets, spaces anywhere,
    and the target at the end (`= 24`) or at the beginning (`24 =`); the value need not be the target. Raises
    ExpressionError for anything else, for another target, and for division by zero.
    """
    return Reader(text, target).read_text()


class Reader:
    """A text, its tokens, and the index of the next token to read. `solver.working` extends the grammar."""

    def __init__(self, text: str, target: int) -> None:
        """Split the text into tokens. Raises ExpressionError if it is too long or contains anything else."""
        if len(text) > MAX_CHARACTERS:
            raise ExpressionError("too long", MAX_CHARACTERS)
        self.text = text
        self.target = target
        self.plain = use_plain_signs(text)
        # Each token with its position; an empty one marks the end.
        self.tokens = list(self._generate_tokens())
        self.index = 0
        self.depth = 0  # brackets that are open at the index

    def _generate_tokens(self) -> Iterator[tuple[str, int]]:
        """Generate token := digit+ | "A" | "J" | "Q" | "K" | one of "+-*/=()[]{}", each with its position.
        Spaces are skipped. The last token is empty. Raises ExpressionError for any other character, a number
        with too many digits, and too many tokens.
        """
        plain = self.plain
        end = 0  # of the token before
        count = 0
        while end < len(plain):
            start = end
            char = plain[start]
            end = start + 1
            if char.isspace():
                continue
            if "0" <= char <= "9":
                end = self.find_number_end(start)
                if end - start > MAX_DIGITS:
                    raise ExpressionError("number too long", start, self.text[start:end])
            elif char not in CARDS and char not in _SIGNS:
                self._refuse_character(start)
            count += 1
            if count > MAX_TOKENS:
                raise ExpressionError("too many", start)
            yield plain[start:end], start
        yield "", len(plain)

    def find_number_end(self, at: int) -> int:
        """Return the position after the digits that begin at `at`."""
        while at < len(self.plain) and "0" <= self.plain[at] <= "9":
            at += 1
        return at

    def _refuse_character(self, at: int) -> NoReturn:
        """Raise the ExpressionError for a character that begins no token: no decimal for a point or comma, no
        power for `^`, no name for a word, else unknown.
        """
        char = self.text[at]
        if char in ".,．，。、٫":
            raise ExpressionError("no decimal", at, char)
        if char in "^＾":
            raise ExpressionError("no power", at, char)
        end = at
        while end < len(self.text) and self.text[end].isalpha():
            end += 1
        if end > at:
            raise ExpressionError("no name", at, self.text[at:end][:MAX_FRAGMENT])
        if not char.isprintable():
            char = ascii(char)[1:-1]  # without its quotes
        raise ExpressionError("unknown", at, char)

    @property
    def current(self) -> str:
        """The current token; empty at the end of the text."""
        return self.tokens[self.index][0]

    @property
    def position(self) -> int:
        """The position of the current token in the text."""
        return self.tokens[self.index][1]

    def refuse_token(self, reason: Reason) -> NoReturn:
        """Raise an ExpressionError with the position and text of the current token."""
        token, position = self.tokens[self.index]
        raise ExpressionError(reason, position, self.text[position : position + len(token)])

    def take_token(self) -> tuple[str, int]:
        """Return the current token with its position in the text, and go on to the next token."""
        taken = self.tokens[self.index]
        self.index += 1
        return taken

    def read_text(self) -> Expression:
        """Read text := [ target "=" ] sum [ "=" target ], and return the sum. Raises ExpressionError unless
        the whole text is read.
        """
        if not self.current:
            raise ExpressionError("empty", 0)
        if self.has_target():
            self.read_target()
            self.take_token()  # the "="
        whole = self.read_sum()
        if self.current == "=":
            self.take_token()
            self.read_target()
        if self.current:
            self._refuse_surplus_token()
        return whole

    def _refuse_surplus_token(self) -> NoReturn:
        """Raise the ExpressionError for the current token, which stands after a whole sum: unopened for a
        closing bracket, else unexpected.
        """
        if self.current in _BRACKETS.values():
            self.refuse_token("unopened")
        self.refuse_token("unexpected")

    def has_target(self) -> bool:
        """Whether the text begins with a target: `24 = 3*8` does, but in `5 = 24` the 5 is the sum."""
        first_tokens = [token for token, _ in self.tokens[:4]]  # an empty one ends the text
        if len(first_tokens) < 4:
            return False
        first, second, _, fourth = first_tokens
        ends_after_third = fourth == ""  # as 5 = 24 does
        return first not in _SIGNS and second == "=" and not ends_after_third

    def read_target(self) -> None:
        """Read target := number. Raises ExpressionError if it is no number, or not the target of the hand."""
        if not self.current or self.current in _SIGNS:
            self.refuse_missing_number()
        self.check_target()

    def check_target(self) -> None:
        """Read a number. Raises ExpressionError if it is not the target of the hand."""
        if self.read_number() != self.target:
            self.index -= 1  # back to the number, which the error shows
            self.refuse_token("other target")

    def read_sum(self) -> Expression:
        """Read sum := product { ( "+" | "-" ) product }."""
        left = self.read_product()
        while True:
            if self.current == "+":
                self.take_token()
                left = Expression.join("+", left, self.read_product())
            elif self.current == "-":
                self.take_token()
                left = Expression.join("-", left, self.read_product())
            else:
                return left

    def read_product(self) -> Expression:
        """Read product := part { "*" part | "/" divisor }. Raises ExpressionError if a number or an opening
        bracket follows, as in 3(4).
        """
        left = self.read_part()
        while True:
            if self.current == "*":
                self.take_token()
                left = Expression.join("*", left, self.read_part())
            elif self.current == "/":
                self.take_token()
                left = Expression.join("/", left, self.read_divisor())
            elif not self.current:
                return left
            elif self.current not in _SIGNS or self.current in _BRACKETS:
                self.refuse_token("no operator")
            else:
                return left

    def read_divisor(self) -> Expression:
        """Read divisor := part. Raises ExpressionError if it is zero."""
        start = self.position
        divisor = self.read_part()
        if self.is_zero(divisor):
            end = self.position
            raise ExpressionError("division by zero", start, self.text[start:end].rstrip())
        return divisor

    def is_zero(self, divisor: Expression) -> bool:
        """Whether the value of a divisor is 0. Its own divisors were checked when they were read."""
        numerator, _ = divisor.ratio
        return not numerator

    def read_part(self) -> Expression:
        """Read part := number | "(" sum ")" | "[" sum "]" | "{" sum "}". Raises ExpressionError for anything
        else, and for a bracket nested too deep or never closed.
        """
        if self.current and self.current not in _SIGNS:
            return self.read_leaf()
        if self.current not in _BRACKETS:
            self.refuse_missing_number()
        if self.depth == MAX_DEPTH:
            raise ExpressionError("too deep", self.position)
        opening, position = self.take_token()
        self.depth += 1
        inside = self.read_sum()
        if self.current != _BRACKETS[opening]:
            if self.current:
                self._refuse_surplus_token()
            raise ExpressionError("unclosed", position, self.text[position])
        self.take_token()
        self.depth -= 1
        return inside

    def read_leaf(self) -> Expression:
        """Read a number, and return the expression of it."""
        return Expression.leaf(self.read_number())

    def read_number(self) -> int:
        """Read number := digit+ | "A" | "J" | "Q" | "K"."""
        token, _ = self.take_token()
        return CARDS[token] if token in CARDS else int(token)

    def refuse_missing_number(self) -> NoReturn:
        """Raise the ExpressionError for the current token, which stands where a number is needed: no power
        for the second sign of `**`, no sign for a plus or minus, unfinished at the end, else no number.
        """
        before = self.tokens[self.index - 1][0] if self.index else ""
        if self.current == "*" and before == "*":
            self.refuse_token("no power")
        if self.current in ("+", "-") and before not in ("+", "-"):  # not in 3+-4: there a number is missing
            self.refuse_token("no sign")
        if not self.current:
            self.refuse_token("unfinished")
        self.refuse_token("no number")
