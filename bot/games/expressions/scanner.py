"""The places in a text where an expression stands: the longest ones, by tokens and brackets.

Cutting and matching take one pass each, whatever the text is.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import solver

# The signs of dates, times and telephone numbers (a colon divides).
PLAIN: tuple[set[str], ...] = ({"-"}, {"/"})
MOST_CLAIMED = 40  # Characters of a result
# The result that stands behind an expression and its `=`.
CLAIMED = re.compile(
    r"\s*+(?P<minus>-?)\s*+(?P<whole>[0-9]++)(?:/(?P<under>[0-9]++))?+(?:[.](?P<decimals>[0-9]++))?+"
    r"(?!\s*[-+*/(]\s*[0-9AJQK(])"
)
# The same, before the `=` and the expression.
NAMED = re.compile(r"(?:^|[^-+*/([{.,0-9\s]|,(?=\s))\s*(?P<whole>[0-9]{1,9})(?:/(?P<under>[0-9]{1,9}))?\s*$")
TOKEN = re.compile(
    r"(?P<decimal>[0-9]+[.][0-9]+|[0-9]{10,})|(?P<number>[0-9]+|[AJQK])|(?P<sign>[-+*/])|(?P<open>[(\[{])"
    r"|(?P<close>[)\]}])|(?P<line>\n)|(?P<space>\s+)|(?P<beyond>[\^√%²³⁴⁵⁶⁷⁸⁹⁰¹])|(?P<other>.)"
)
# The same, where numbers may have decimals behind a comma as well.
MIXED = re.compile(TOKEN.pattern.replace("[.]", "[.,．]"))
BEGINNING = {"number", "open", "decimal", "sign"}  # Kinds of tokens with which an expression may begin
CLOSING = {"(": ")", "[": "]", "{": "}"}


@dataclass(frozen=True, slots=True)
class ExpressionSpan:
    """A place in a text where an expression with a sign stands. Few of them are looked at closely."""

    scan: "ScannedText"
    start: int  # Its first token …
    end: int  # … and the one behind it

    @property
    def text(self) -> str:
        """The expression."""
        tokens = self.scan.tokens
        return self.scan.text[tokens[self.start].start() : tokens[self.end - 1].end()]

    @property
    def number_count(self) -> int:
        """How many numbers it has."""
        return self.scan.kinds[self.start : self.end].count("number")

    @property
    def numbers(self) -> tuple[int, ...]:
        """These, in their order."""
        inside = (self.scan.tokens[at][0] for at in self._all_of("number"))
        return tuple(solver.CARDS.get(text) or int(text) for text in inside)

    def _all_of(self, kind: str) -> Iterator[int]:
        """Where its tokens of that kind are."""
        return (at for at in range(self.start, self.end) if self.scan.kinds[at] == kind)

    @property
    def signs(self) -> frozenset[str]:
        """Its signs."""
        return frozenset(self.scan.tokens[at][0] for at in self._all_of("sign"))

    @property
    def is_broken(self) -> bool:
        """Whether what stands beside it belongs to it and can't be read: a bracket that is never closed."""
        return self.scan.is_broken_before(self.start) or self.scan.is_broken_behind(self.end)

    @property
    def is_flat(self) -> bool:
        """Whether no bracket stands in it."""
        return "open" not in self.scan.kinds[self.start : self.end]

    @property
    def lacks_sign_before(self) -> bool:
        """Whether a number stands before it, and nothing between the two."""
        return self.scan.get_kind(self.start - 1) in ("number", "decimal")

    @property
    def has_equals_behind(self) -> bool:
        """Whether a `=` stands behind it …"""
        return self.scan.is_equals(self.end)

    @property
    def may_be_date(self) -> bool:
        """Whether it may be a date, a time or a telephone number."""
        return self.signs in PLAIN

    @property
    def claimed_value(self) -> Fraction | None:
        """… and a number behind that, which its author takes for the value."""
        return _claimed(self.scan.text, self.scan.tokens[self.end].end()) if self.has_equals_behind else None

    @property
    def named_value(self) -> Fraction | None:
        """The number before it and its `=`, by which another step may speak of it."""
        if not self.scan.is_equals(self.start - 1):
            return None
        behind = self.scan.tokens[self.start - 1].start()
        hit = NAMED.search(self.scan.text[max(0, behind - MOST_CLAIMED) : behind])
        if hit is None or not int(hit["under"] or 1):
            return None
        return Fraction(int(hit["whole"]), int(hit["under"] or 1))

    def parse(self) -> solver.Expression | None:
        """What it says; None for a division by zero and more than the solver reads."""
        try:
            return solver.parse(self.text)
        except solver.ExpressionError:
            return None


class ScannedText:
    """A text in the solver's own signs, cut into tokens. `signed`: a number may have a sign and decimals."""

    def __init__(self, text: str, *, joined: bool = False, signed: bool = False) -> None:
        self.text = text
        self.joined = joined
        self.signed = signed
        hits = (MIXED if signed else TOKEN).finditer(text)
        dropped = {"space", "line"} if joined else {"space"}
        self.tokens = [hit for hit in hits if hit.lastgroup not in dropped]
        """Numbers, signs, brackets, ends of lines and what has no meaning: as they were matched, and fast."""
        self.kinds = [str(hit.lastgroup) for hit in self.tokens]
        self.closing_ends: dict[int, int] = {}
        """By each bracket that opens a whole expression: the token behind the one that closes it."""
        self._match_brackets()

    def get_kind(self, at: int) -> str:
        """What the token there is; empty beyond the ends."""
        return self.kinds[at] if 0 <= at < len(self.kinds) else ""

    def is_equals(self, at: int) -> bool:
        """Whether the token there is a `=`."""
        return 0 <= at < len(self.kinds) and self.tokens[at][0] == "="

    def is_glued(self, at: int) -> bool:
        """Whether nothing stands between the token there and the one before."""
        return 0 < at < len(self.tokens) and self.tokens[at - 1].end() == self.tokens[at].start()

    def _match_brackets(self) -> None:
        opened: list[int] = []
        for at, kind in enumerate(self.kinds):
            if kind == "open":
                opened.append(at)
            elif kind == "close" and opened and CLOSING[self.tokens[opened[-1]][0]] == self.tokens[at][0]:
                if self._sum(opened[-1] + 1) == at:
                    self.closing_ends[opened[-1]] = at + 1
                opened.pop()
            elif kind == "close":
                opened.clear()

    def _operand(self, at: int) -> int:
        """The token behind the number or the whole bracket there; `at` itself where there is none."""
        kind = self.get_kind(at)
        if kind == "number" or (kind == "decimal" and self.signed):
            return at + 1
        if self.signed and kind == "sign" and self.tokens[at][0] in "+-" and self.is_glued(at + 1):
            after = self._operand(at + 1) if self.get_kind(at + 1) != "sign" else at + 1
            return after if after > at + 1 else at
        return self.closing_ends.get(at, at)

    def _sum(self, at: int) -> int:
        """The token behind the longest expression that begins there; `at` itself where none does."""
        end = self._operand(at)
        while end > at and self.get_kind(end) == "sign":
            after = self._operand(end + 1)
            if after == end + 1:
                break
            end = after
        return end

    def _beginnings(self) -> list[int]:
        """The tokens with which an expression may begin."""
        if self.signed:
            return [at for at, kind in enumerate(self.kinds) if kind in BEGINNING]
        return [at for at, kind in enumerate(self.kinds) if kind == "number" or at in self.closing_ends]

    def find_expressions(self) -> Iterator[ExpressionSpan]:
        """The longest expressions with a sign in them, in their order."""
        behind = 0
        for at in self._beginnings():
            if at < behind:
                continue
            behind = self._sum(at)
            if behind > at + 1 and "sign" in self.kinds[at + 1 : behind]:
                yield ExpressionSpan(self, at, behind)

    def is_broken_before(self, at: int) -> bool:
        """Whether what stands before belongs to the expression."""
        kind, before = self.get_kind(at - 1), self.get_kind(at - 2)
        if kind in ("number", "decimal", "beyond"):
            return self.is_glued(at)
        if kind == "open":
            return before in ("sign", "open", "number") and self.is_glued(at - 1)
        if kind != "sign":
            return False
        if before in ("decimal", "beyond") and self.is_glued(at - 1):
            return True
        if (
            before == "sign"
            and self.get_kind(at - 3) in ("number", "close", "decimal")
            and self.is_glued(at - 2)
        ):
            return self.is_glued(at - 1)
        dash = before in ("other", "close", "number") and self.is_glued(at - 1) and not self.is_equals(at - 2)
        return self.tokens[at - 1][0] == "-" and self.is_glued(at) and not dash

    def is_broken_behind(self, end: int) -> bool:
        """Whether what stands behind belongs to the expression."""
        kind = self.get_kind(end)
        if kind in ("number", "decimal", "open", "beyond"):
            return self.is_glued(end)
        if kind != "sign" or not self.is_glued(end + 1):
            return False
        return self.get_kind(end + 1) in ("decimal", "open", "beyond") or (
            self.get_kind(end + 1) == "sign"
            and self.get_kind(end + 2) in ("number", "open")
            and self.is_glued(end + 2)
        )

    def find_longest_run(self) -> str:
        """The longest stretch of the text without words and signs of no meaning."""
        parts = re.split(r"[^0-9AJQK+\-*/()\[\]{}\s.,\^√%²³=]+", self.text)
        return max(parts, key=lambda part: sum(c in "0123456789AJQK+-*/" for c in part)).strip(" \t\n.,")


def _claimed(text: str, at: int) -> Fraction | None:
    """The number behind a `=`; None where there is none, or more than a number."""
    hit = CLAIMED.match(text, at)
    if hit is None or len(hit[0]) > MOST_CLAIMED or not int(hit["under"] or 1):
        return None
    whole = Fraction(int(hit["whole"]), int(hit["under"] or 1)) + Fraction(f"0.{hit['decimals'] or 0}")
    return -whole if hit["minus"] else whole
