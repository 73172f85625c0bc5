"""Verdicts on nasty answers, compared with a referee of our own, and on many answers at once."""

import doctest
import pickle
from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import solver
from solver import answer, verdicts
from tests.solver import referee

TYPE_CHECKING = False
if TYPE_CHECKING:
    from solver.verdicts import Item

HAND = (3, 8, 3, 8)
NASTY = [
    *(
        "8/(3-8/3)",
        "8/(3-8/3)#24",
        "8/(3-8/3) # = 24",
        "8/(3-8/3)=24=24",
        "24=8/(3-8/3)=24",
        "24=8/(3-8/3)=25",
    ),
    *(
        "8/(3-8/3)=23.99999999999999",
        "8/(3-8/3)==24",
        "=24",
        "24=",
        "=",
        "24",
        "24=24",
        "24=24=24",
        "8/(3-8/3)≠24",
    ),
    *(
        "__import__('os').system('true')",
        "eval('24')",
        "(lambda: 24)()",
        "8if 3else 8",
        "8 and 3",
        "not 8",
        "True*8",
    ),
    *(
        "9**9**9**9",
        "3^8",
        "8//3",
        "8%3",
        "8<<3",
        "8|3",
        "~8",
        "8@3",
        "8!",
        "8e1-3",
        "3e1",
        "0x18",
        "0b11",
        "0o30",
        "3j",
    ),
    *(
        "3_8",
        "38-3-8",
        "3 8*3-8",
        "83-38",
        "3,8",
        "3.8",
        "8/.3",
        "8.",
        "03*008",
        "000000003*8",
        "0000000003*8",
    ),
    *(
        "8/(3-3)",
        "8/0",
        "0/0",
        "8/(3-8/3)/0",
        "8*3/(8-8)*0",
        "-0",
        "0",
        "-8",
        "+8",
        "8--3",
        "8+-3",
        "8-(-3)",
        "8*-3",
    ),
    *(
        "",
        " ",
        "\0",
        "8\0*3",
        "8/(3-8/3)\0",
        "\n8/\n(3-8/3)\n",
        "8/(3-8/3)\u200b",
        "\ufeff8/(3-8/3)",
        "8\u00a0/(3-8/3)",
    ),
    *(
        "８÷（３−８÷３）＝２４",
        "８/(３-8/3)",
        "８8-3",
        "٣*٨",
        "三*八",
        "³*8",
        "8²",
        "①*8",
        "Ⅷ*3",
        "८*३",
        "8×3",
        "8х3",
        "8∗3",
    ),
    *(
        "½*8",
        "8⁄3",
        "8∕3",
        "−8",
        "8−3",
        "8‑3",
        "8˗3",
        "８＋３",
        "8⊕3",
        "8٪3",
        "\u202e8-3",
        "8\u20e33",
        "ａ*Ｋ",
        "a*K",
        "A8",
        "8A",
    ),
    *(
        "(" * 10_000 + "8" + ")" * 10_000,
        "(" * 16 + "8" + ")" * 16,
        "(" * 17 + "8" + ")" * 17,
        "9" * 10_000,
        "8+" * 200,
    ),
    *(
        "1" * 256,
        "1" * 257,
        " " * 300,
        "8" + "+0" * 31,
        "8" + "+0" * 32,
        "()",
        "(8",
        "8)",
        "(8]",
        "[8)",
        "{[(8)]}",
        "8(3)",
    ),
    *(
        "8/(3-8/3), 24",
        "24 = 8/(3-8/3) lol",
        "The answer is 8/(3-8/3)",
        "\\boxed{8/(3-8/3)}",
        "8/(3-8/3).",
        "'8/(3-8/3)'",
    ),
    *(
        "8÷(3−8÷3)",
        "8:(3-8:3)",
        "(3+8)*(3-8)",
        "3*8+3-8",
        "3*8*3/8",
        "3*8",
        "8*3+3-3",
        "8/(3-8/3)+0",
        "8/(3-8/3)*1",
    ),
]
SIGNS = "0123456789+-*/=() []{}AJQKajqkx×÷−８３（）＝.,^_%#e!\0\n：:"


def compare(text: str, numbers: Sequence[int], target: int = 24) -> None:
    verdict = solver.check(text, numbers, target)
    name = type(verdict).__name__
    if isinstance(verdict, solver.WrongValue):
        name = f"{name} {verdict.value}"
    assert name == referee.judge(text, numbers, target), (text, numbers, target)
    if not isinstance(verdict, solver.Unreadable):
        assert verdict.expression == solver.parse(text, target=target)
    if isinstance(verdict, solver.WrongNumbers):
        used, dealt = Counter(solver.parse(text, target=target).numbers), Counter(numbers)
        assert (verdict.missing, verdict.extra) == tuple(
            tuple(sorted(part.elements())) for part in (dealt - used, used - dealt)
        )


@pytest.mark.parametrize("text", NASTY, ids=range(len(NASTY)))
def test_nasty_answer_is_judged_as_by_the_referee(text: str) -> None:
    compare(text, HAND)


@st.composite
def make_answers(draw: st.DrawFn) -> tuple[str, list[int], int]:
    """Make an answer, often right in form, in which some characters may be replaced."""
    hand = draw(st.lists(st.integers(0, 13), min_size=2, max_size=5))
    target = draw(st.sampled_from([24, 24, 24, 0, 7]))
    parts = [str(number) for number in draw(st.permutations(hand))]
    while len(parts) > 1:
        at = draw(st.integers(0, len(parts) - 2))
        joined = draw(st.sampled_from("+-*/×÷−")).join(parts[at : at + 2])
        parts[at : at + 2] = [draw(st.sampled_from(["{}", "({})", "[ {} ]"])).format(joined)]
    text = draw(st.sampled_from(["{}", "{}", "{} = 24", "24={}", "{}=7"])).format(parts[0])
    for _ in range(draw(st.sampled_from([0, 0, 1, 2]))):
        at = draw(st.integers(0, len(text)))
        text = text[:at] + draw(st.sampled_from(SIGNS) | st.just("")) + text[at + draw(st.integers(0, 1)) :]
    return text, hand, target


ANSWERS = make_answers() | st.tuples(
    st.text(SIGNS, max_size=24), st.lists(st.integers(0, 13), max_size=5), st.just(24)
)


@given(ANSWERS)
@settings(max_examples=300)
def test_made_answer_is_judged_as_by_the_referee(item: tuple[str, list[int], int]) -> None:
    compare(*item)


@pytest.mark.long
@pytest.mark.exhaustive
@given(st.lists(ANSWERS, min_size=10, max_size=10))
@settings(max_examples=10_000, deadline=None)
def test_100_000_made_answers_are_judged_as_by_the_referee(items: list[tuple[str, list[int], int]]) -> None:
    for item in items:
        compare(*item)


def test_few_answers_are_judged_in_order() -> None:
    items: list[Item] = [("8/(3-8/3)", HAND), ("3*8", (3, 8, 1)), ("6*7", [6, 7], 42)]
    assert solver.verify_batch(iter(items)) == [solver.check(*item) for item in items]
    assert solver.verify_batch([]) == []


def test_processes_give_the_same_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdicts, "MIN_PARALLEL", 2)
    monkeypatch.setattr(verdicts, "CHUNK_SIZE", 7)
    items = [(text, HAND) for text in NASTY]
    assert solver.verify_batch(items, workers=2) == [solver.check(*item) for item in items]


def test_verdict_survives_pickle() -> None:
    for text in NASTY:
        verdict = solver.check(text, HAND)
        assert pickle.loads(pickle.dumps(verdict)) == verdict  # noqa: S301


def test_docstring_examples_run() -> None:
    for module in (answer, verdicts):
        result = doctest.testmod(module)
        assert result.attempted
        assert not result.failed
