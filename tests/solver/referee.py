"""A slow referee for answers, which reads them with Python's `ast` instead of the solver's parser."""

import ast
import re
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

SIGNS = str.maketrans("−–‑×·х∗÷∕⁄：（）＝＋ａＫ\u200b\ufeff", "---****////()=+AK  ")  # Some that people type
DIGITS = str.maketrans("０１２３４５６７８９", "0123456789")
CARDS = {"A": "1", "J": "11", "Q": "12", "K": "13"}
TOKEN = re.compile(r"[0-9]+|[AJQK]|[-+*/=(){}\[\]]")
CLOSING = {"(": ")", "[": "]", "{": "}"}
OPERATIONS = {
    ast.Add: Fraction.__add__,
    ast.Sub: Fraction.__sub__,
    ast.Mult: Fraction.__mul__,
    ast.Div: Fraction.__truediv__,
}


class RefusedError(Exception):
    """A text that is no answer."""


def judge(text: str, numbers: Sequence[int], target: int) -> str:
    """Return the name of the verdict's class, with the value of a wrong one."""
    try:
        tree = read(text, target)
        value = evaluate(tree)
    except (RefusedError, ZeroDivisionError):
        return "Unreadable"
    used = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    if Counter(used) != Counter(numbers):
        return "WrongNumbers"
    return "Correct" if value == target else f"WrongValue {value}"


def read(text: str, target: int) -> ast.expr:
    """Parse the sum of an answer. Raises RefusedError."""
    tokens = split(text)
    parts: list[list[str]] = [[]]
    for token in tokens:
        if token == "=":  # noqa: S105
            parts.append([])
        else:
            parts[-1].append(token)
    if (
        len(parts) > 1
        and parts[0]
        and parts[0][0] not in "-+*/([{"
        and len(parts[0]) == 1
        and len(tokens) > 3
    ):
        check_target(parts.pop(0), target)
    if len(parts) > 1:
        check_target(parts.pop(), target)
    if len(parts) != 1 or not parts[0]:
        raise RefusedError
    check_brackets(parts[0])
    plain = " ".join(parts[0]).translate(str.maketrans("[]{}", "()()"))
    try:
        return ast.parse(plain, mode="eval").body
    except SyntaxError:
        raise RefusedError from None


def split(text: str) -> list[str]:
    """Return the tokens of a text, numbers without leading zeros. Raises RefusedError."""
    if len(text) > 256:
        raise RefusedError
    plain = "".join(" " if char.isspace() else char for char in text)
    plain = plain.translate(SIGNS).translate(DIGITS).upper().replace("X", "*").replace(":", "/")
    tokens = TOKEN.findall(plain)
    if len(tokens) > 64 or sum(map(len, tokens)) + plain.count(" ") != len(plain):
        raise RefusedError
    if any(len(token) > 9 for token in tokens):
        raise RefusedError
    return [str(int(token)) if token.isdigit() else CARDS.get(token, token) for token in tokens]


def check_target(tokens: list[str], target: int) -> None:
    if tokens != [str(target)]:
        raise RefusedError


def check_brackets(tokens: list[str]) -> None:
    """Raise RefusedError for brackets of different kinds, or nested too deep."""
    wanted: list[str] = []
    for token in tokens:
        if token in CLOSING:
            wanted.append(CLOSING[token])
        elif token in CLOSING.values() and (not wanted or wanted.pop() != token):
            raise RefusedError
        if len(wanted) > 16:
            raise RefusedError


def evaluate(node: ast.expr) -> Fraction:
    """Return the exact value. Raises RefusedError for what is not part of the game, such as a power."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return Fraction(node.value)
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATIONS:
        value = OPERATIONS[type(node.op)](evaluate(node.left), evaluate(node.right))
        assert isinstance(value, Fraction)
        return value
    raise RefusedError
