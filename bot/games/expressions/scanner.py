"""Find the longest expressions in a text, by its tokens and brackets.

Splitting into tokens and matching brackets take one pass each, whatever the text is.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import solver

SIGNS_OF_DATES: tuple[set[str], ...] = ({"-"}, {"/"})  # Also of times and telephone numbers: a colon divides
MAX_RESULT_LENGTH = 40
# The result after an expression and its `=`
RESULT_BEHIND = re.compile(
    r"\s*+(?P<minus>-?)\s*+(?P<whole>[0-9]++)(?:/(?P<divisor>[0-9]++))?+(?:[.](?P<decimals>[0-9]++))?+"
    r"(?!\s*[-+*/(]\s*[0-9AJQK(])"
)
TOKEN = re.compile(
    r"(?P<decimal>[0-9]+[.][0-9]+|[0-9]{10,})|(?P<number>[0-9]+|[AJQK])|(?P<sign>[-+*/])|(?P<open>[(\[{])"
    r"|(?P<close>[)\]}])|(?P<line>\n)|(?P<space>\s+)|(?P<unsupported>[\^√%²³⁴⁵⁶⁷⁸⁹⁰¹]|(?<=[0-9)])!(?=\)?\s*[-+*/]\s*[0-9AJQK(]))|(?P<other>.)"
)
TOKEN_WITH_COMMA = re.compile(TOKEN.pattern.replace("[.]", "[.,．]"))  # Decimals after a comma too
FIRST_KINDS = {"number", "open", "decimal", "sign"}  # Kinds of tokens with which an expression may begin
CLOSING = {"(": ")", "[": "]", "{": "}"}


@dataclass(frozen=True, slots=True)
class ExpressionSpan:
    """The place of an expression with a sign in a text. Its properties are computed when they are read."""

    scan: "ScannedText"
    start: int  # The index of its first token
    end: int  # The index of the token behind it

    @property
    def text(self) -> str:
        first, last = self.scan.tokens[self.start], self.scan.tokens[self.end - 1]
        return self.scan.text[first.start() : last.end()]

    @property
    def number_count(self) -> int:
        return self.scan.kinds[self.start : self.end].count("number")

    @property
    def numbers(self) -> tuple[int, ...]:
        return tuple(solver.CARDS.get(text) or int(text) for text in self._list_tokens("number"))

    def _list_tokens(self, kind: str) -> Iterator[str]:
        return (token.group() for token in self.scan.tokens[self.start : self.end] if token.lastgroup == kind)

    @property
    def is_broken(self) -> bool:
        """Whether text beside it belongs to it and can't be read, such as a bracket that is never closed."""
        return self.scan.is_broken_before(self.start) or self.scan.is_broken_behind(self.end)

    @property
    def has_brackets(self) -> bool:
        return "open" in self.scan.kinds[self.start : self.end]

    @property
    def lacks_sign_before(self) -> bool:
        """Whether a number stands directly before it."""
        return self.scan.get_kind(self.start - 1) in ("number", "decimal")

    @property
    def may_be_date(self) -> bool:
        """Whether its signs are those of a date, a time or a telephone number."""
        return set(self._list_tokens("sign")) in SIGNS_OF_DATES

    @property
    def has_equals_behind(self) -> bool:
        return self.scan.is_equals(self.end)

    @property
    def claimed_value(self) -> Fraction | None:
        """The number after the `=` behind it, which its author takes for its value; None if there is none."""
        if not self.has_equals_behind:
            return None
        equals_end = self.scan.tokens[self.end].end()
        result = RESULT_BEHIND.match(self.scan.text, equals_end)
        if result is None or len(result[0]) > MAX_RESULT_LENGTH:
            return None
        divisor = int(result["divisor"] or 1)
        if divisor == 0:
            return None
        size = Fraction(int(result["whole"]), divisor) + Fraction(f"0.{result['decimals'] or 0}")
        return -size if result["minus"] else size

    @property
    def has_result(self) -> bool:
        """Whether a `=` stands behind it or before it."""
        return self.has_equals_behind or self.scan.is_equals(self.start - 1)

    def parse(self) -> solver.Expression | None:
        """Return the expression; None if it divides by zero or is more than the solver reads."""
        try:
            return solver.parse(self.text)
        except solver.ExpressionError:
            return None


class ScannedText:
    """A text in the solver's own signs, split into tokens; `signed` numbers may be negative or decimal."""

    def __init__(self, text: str, *, signed: bool = False) -> None:
        self.text = text
        self.signed = signed
        pattern = TOKEN_WITH_COMMA if signed else TOKEN
        self.tokens = [token for token in pattern.finditer(text) if token.lastgroup != "space"]
        self.kinds = [str(token.lastgroup) for token in self.tokens]  # The names of the groups of `TOKEN`
        # For each bracket that opens a complete expression, the index of the token behind its closing bracket
        self.closing_ends: dict[int, int] = {}
        self._match_brackets()

    def get_kind(self, at: int) -> str:
        """Return the kind of the token at an index; empty if there is no such token."""
        return self.kinds[at] if 0 <= at < len(self.kinds) else ""

    def is_equals(self, at: int) -> bool:
        return 0 <= at < len(self.kinds) and self.tokens[at].group() == "="

    def is_glued(self, at: int) -> bool:
        """Whether no space separates the token at an index from the one before."""
        return 0 < at < len(self.tokens) and self.tokens[at - 1].end() == self.tokens[at].start()

    def _match_brackets(self) -> None:
        """Fill `closing_ends`, except for brackets around one that has no partner."""
        opened: list[int] = []
        for at, kind in enumerate(self.kinds):
            if kind == "open":
                opened.append(at)
            if kind != "close":
                continue
            partner = opened.pop() if opened else None
            if partner is None or CLOSING[self.tokens[partner].group()] != self.tokens[at].group():
                opened.clear()  # The brackets around one without a partner have none either
            elif self._find_sum_end(partner + 1) == at:  # All between them is one expression
                self.closing_ends[partner] = at + 1

    def _find_operand_end(self, at: int) -> int:
        """Return the index behind the number or complete bracket at `at`; `at` itself if there is none."""
        kind = self.get_kind(at)
        if kind == "number" or (kind == "decimal" and self.signed):
            return at + 1
        may_be_own_sign = kind == "sign" and self.tokens[at].group() in "+-" and self.is_glued(at + 1)
        if self.signed and may_be_own_sign and self.get_kind(at + 1) != "sign":  # No operand has two signs
            end = self._find_operand_end(at + 1)
            has_operand = end > at + 1
            return end if has_operand else at
        return self.closing_ends.get(at, at)

    def _find_sum_end(self, at: int) -> int:
        """Return the index behind the longest expression that begins at `at`; `at` itself if none does."""
        end = self._find_operand_end(at)
        while end > at and self.get_kind(end) == "sign":
            next_end = self._find_operand_end(end + 1)
            if next_end == end + 1:  # No operand follows the sign
                break
            end = next_end
        return end

    def find_expressions(self) -> Iterator[ExpressionSpan]:
        """Yield the longest expressions that have a sign between numbers, in the order of the text."""
        end = 0  # Of the latest expression
        for at, kind in enumerate(self.kinds):
            may_begin = kind == "number" or at in self.closing_ends  # A number or a complete bracket
            if self.signed:
                may_begin = kind in FIRST_KINDS
            if not may_begin or at < end:
                continue
            end = self._find_sum_end(at)
            if "sign" in self.kinds[at + 1 : end]:  # A sign at the beginning is that of a number
                yield ExpressionSpan(self, at, end)

    def is_broken_before(self, at: int) -> bool:
        """Whether unreadable text touches an expression that begins at that index, and belongs to it."""
        kind_before = self.get_kind(at - 1)
        kind_two_before = self.get_kind(at - 2)
        if kind_before in ("number", "decimal", "unsupported"):  # As in `2(3+4)`, without a sign
            return self.is_glued(at)
        if kind_before == "open":  # `2*(3+4`, without a partner
            return kind_two_before in ("sign", "open", "number") and self.is_glued(at - 1)
        if kind_before != "sign":
            return False
        if kind_two_before in ("decimal", "unsupported") and self.is_glued(at - 1):  # `1.5*2+3`
            return True
        is_operand_before = self.get_kind(at - 3) in ("number", "close", "decimal")
        if kind_two_before == "sign" and is_operand_before and self.is_glued(at - 2):  # `5*-2+3`
            return self.is_glued(at - 1)
        if self.tokens[at - 1].group() != "-" or not self.is_glued(at):
            return False
        # `-2+3` begins with a negative number; a dash touches what is before it, unless that is a `=`
        is_dash = kind_two_before in ("other", "close", "number") and self.is_glued(at - 1)
        return not is_dash or self.is_equals(at - 2)

    def is_broken_behind(self, end: int) -> bool:
        """Whether unreadable text from an index on belongs to an expression that ends there."""
        kind_behind = self.get_kind(end)
        if kind_behind in ("number", "decimal", "open", "unsupported"):  # As in `(3+4)2`, without a sign
            return self.is_glued(end)
        if kind_behind != "sign" or not self.is_glued(end + 1):
            return False
        next_kind = self.get_kind(end + 1)
        if next_kind == "sign":  # `2+3*-4`
            return self.get_kind(end + 2) in ("number", "open") and self.is_glued(end + 2)
        return next_kind in ("decimal", "open", "unsupported")  # `2+3*1.5`
