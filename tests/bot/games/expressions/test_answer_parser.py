"""Answers in messages, with the corpus of 300 messages."""

from collections import Counter
from fractions import Fraction
from unicodedata import name, numeric

import pytest
from hypothesis import given
from hypothesis import strategies as st

import solver
from bot.formats import format_fraction
from bot.games.expressions.answer_parser import (
    MAX_LENGTH,
    Step,
    combine_steps,
    find_computation,
    is_answer,
    judge_answer,
    looks_like_answer,
)
from bot.games.expressions.spelling import normalize_spelling
from bot.games.expressions.view import render_reading_error
from bot.games.twentyfour.rules import Hand
from bot.i18n import get_words
from bot.rounds.puzzle import VerdictKind
from bot.rounds.registry import GAMES, may_contain_answer
from solver import parse
from tests.messages import LANGUAGES, MESSAGES, MessageCase, count_by_verdict

FITS = {
    "win": {VerdictKind.RIGHT},
    "value": {VerdictKind.WRONG},
    "numbers": {VerdictKind.WRONG_NUMBERS},
    "reason": {VerdictKind.UNREADABLE},
    "silence": {VerdictKind.TALK},
}
UNMEANT = {
    VerdictKind.TALK,
    VerdictKind.WRONG_NUMBERS,
    VerdictKind.UNREADABLE,
}  # What is never judged where nobody meant the bot


def list_allowed_verdicts(said: MessageCase) -> set[VerdictKind]:
    """Return the verdicts that the message may get."""
    if said.must == "silence" and said.how == "plain":
        return UNMEANT
    return {VerdictKind.TALK} if said.how == "command" and said.must == "reason" else FITS[said.must]


def find_right_answer(text: str, numbers: tuple[int, ...], target: int) -> solver.Expression | None:
    """Return the right answer in a text; None if it has none."""
    verdict, _ = judge_answer(text, numbers, target)
    return verdict.expression if isinstance(verdict, solver.Correct) else None


def test_corpus_has_three_hundred_messages_in_five_languages() -> None:
    print(f"{len(MESSAGES)} messages: {count_by_verdict(MESSAGES)}")
    for language in LANGUAGES:
        print(f"{language}: {count_by_verdict(one for one in MESSAGES if one.language == language)}")
    assert len({(one.text, one.how, one.numbers) for one in MESSAGES}) >= 300
    assert min(Counter(one.language for one in MESSAGES).values()) >= 35
    assert {one.must for one in MESSAGES} == set(FITS)


@pytest.mark.parametrize("language", LANGUAGES)
def test_messages_of_the_corpus_get_their_verdicts(language: str) -> None:
    spoken = [one for one in MESSAGES if one.language == language]
    for one in spoken:
        hand = Hand(one.numbers, one.target, "fiendish", 30.0, ())
        verdict = GAMES["24"].check(hand, one.text)
        assert verdict.kind in list_allowed_verdicts(one), one
        if one.must == "value":
            assert format_fraction(verdict.value or Fraction()) == one.value, one
        if one.must == "win":
            assert solver.check(verdict.answer, one.numbers, one.target) == solver.Correct(
                solver.parse(verdict.answer)
            )
    print(f"{language}: {count_by_verdict(spoken)}")


@pytest.mark.parametrize("must", ["win", "value"])
def test_answers_of_the_corpus_pass_the_message_filter(must: str) -> None:
    heard = [one for one in MESSAGES if one.must == must and one.how in ("plain", "race")]
    assert heard
    assert [one for one in heard if not may_contain_answer(one.text)] == []


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("8*3-8/3, 8*3+3-8, 8-3-8/3, 8/(3-8/3)", None),
        ("8*3-8/3, 8*3-8/3, 8*3-8/3, 8/(3-8/3)", "8/(3-8/3)"),
        ("8*3-8/3, 8+3-8/3, 8/(3-8/3)", "8/(3-8/3)"),
        ("3-8/3, 8/(1/3)", None),
        ("3-8/3=1/2, 8/(1/2)=24", None),
        ("8/(3-8/3) = 23", None),
        ("2(8/(3-8/3))", None),
        ("(8/(3-8/3))8", None),
        ("8/(3-8/3)^2", None),
        ("8/(3-8/3)²", None),
        ("√8/(3-8/3)", None),
        ("-8/(3-8/3)", None),
        ("24=-8/(3-8/3)", None),
        ("0.8/(3-8/3)", None),
        ("8/(3-8/3)*2.5", None),
        ("2**8/(3-8/3)", None),
        (" " * MAX_LENGTH + "8/(3-8/3)", None),
    ],
)
def test_right_attempt_among_others_is_found(text: str, answer: str | None) -> None:
    found = find_right_answer(text, (3, 8, 3, 8), 24)
    assert (None if found is None else str(found)) == answer


@pytest.mark.parametrize(
    ("text", "numbers", "answer"),
    [
        ("8*6*½", (1, 2, 6, 8), "8*6*1/2"),
        ("½×８×６", (1, 2, 6, 8), "1/2*8*6"),
        ("3*6*(1+⅓)", (1, 1, 3, 3, 6), "3*6*(1+1/3)"),
        ("3*6*1⅓", (1, 1, 3, 3, 6), "3*6*(1+1/3)"),
        ("it is 3*6*1 ⅓!", (1, 1, 3, 3, 6), "3*6*(1+1/3)"),
        ("6/¼", (1, 4, 6), "6/(1/4)"),
        ("6(3+½·2)", (1, 2, 2, 3, 6), "6*(3+1/2*2)"),
        ("3-8/3 = ⅓, 8/⅓ = 24", (3, 8, 3, 8), "8/(3-8/3)"),
    ],
)
def test_fraction_in_one_sign_is_two_numbers(text: str, numbers: tuple[int, ...], answer: str) -> None:
    assert str(find_right_answer(text, numbers, 24)) == answer
    assert is_answer(text) is ("it is" not in text)


@pytest.mark.parametrize(
    ("text", "numbers", "answer"),
    [
        ("(4 + 😍 * 2 * 1", (1, 2, 4, 8), "(4+8)*2*1"),
        ("(4 + 😍 * 2 * 1 😍", (1, 2, 4, 8), "(4+8)*2*1"),
        ("8 🙁 3 - 8:3)", (3, 8, 3, 8), "8/(3-8/3)"),
        ("8 😕 3 - 8:3)", (3, 8, 3, 8), "8/(3-8/3)"),
        ("2 * 😔 2 + 2)", (2, 2, 2, 3), "2*3*(2+2)"),
        ("(Q * 2 * J) 😏 * 1", (1, 2, 11, 11, 12), "12*2*11/11*1"),
        ("8/(3-8/3) 😍", (3, 8, 3, 8), "8/(3-8/3)"),
        ("8/(3-8/3) 🙁 too late :)", (3, 8, 3, 8), "8/(3-8/3)"),
        ("(4+😍*2*1", (1, 2, 4, 8), "(4+8)*2*1"),
        ("2*1*(4+😍", (1, 2, 4, 8), "2*1*(4+8)"),
        ("8 😕3-8/3)", (3, 8, 3, 8), "8/(3-8/3)"),
        ("8 🙁3-8/3)", (3, 8, 3, 8), "8/(3-8/3)"),
        ("2*😔2+2)", (2, 2, 2, 3), "2*3*(2+2)"),
        ("(4 + 😎 * 2 * 1", (1, 2, 4, 8), "(4+8)*2*1"),
        ("8 ☹️ 3 - 8 / 3)", (3, 8, 3, 8), "8/(3-8/3)"),
        ("8😞3-8/3) 😎", (3, 8, 3, 8), "8/(3-8/3)"),
    ],
)
def test_emoji_of_apps_are_read_as_signs(text: str, numbers: tuple[int, ...], answer: str) -> None:
    assert str(find_right_answer(text, numbers, 24)) == answer
    assert may_contain_answer(text)


@pytest.mark.parametrize(
    "text", ["8 😕 3 - 8:3", "(8 🙂 3) * 8 + 3", "3 😚 8 + 3 - 8", "3 😞 8", "8😕3-8:3", "8☹️3"]
)
def test_other_emoji_of_apps_are_named_in_the_error(text: str) -> None:
    verdict, is_one = judge_answer(text, (3, 8, 3, 8), 24)
    assert isinstance(verdict, solver.Unreadable)
    assert is_one
    assert "app" in render_reading_error(get_words("en"), verdict.reason, verdict.fragment)
    found = find_computation(text)
    assert isinstance(found, solver.ExpressionError)
    assert (found.reason, found.fragment) == (verdict.reason, verdict.fragment)


def test_smile_after_an_expression_is_no_sign() -> None:
    verdict, _ = judge_answer("8+8+3 🙂", (3, 8, 3, 8), 24)
    assert isinstance(verdict, solver.WrongNumbers)
    assert not judge_answer("nice - 🙂", (3, 8, 3, 8), 24)[1]


@pytest.mark.parametrize("text", ["1½ hours", "it took ½ an hour", "2½", "¼ 8"])
def test_amount_is_no_answer(text: str) -> None:
    assert not judge_answer(text, (1, 2, 48), 24)[1]
    assert not is_answer(text)
    assert not may_contain_answer(text)


@pytest.mark.parametrize(
    "text",
    [
        *("10:00-18:00", "8:30–9", "10：00－18：00", "$3-8", "3-8 €", "£3.50", "8:30-9:30, 10:00-11:00"),
        *("2026-11-21", "21.11.2026", "11/21/26", "8:30", "10:15:30", "+34 600 123 456", "+1 (555) 123-4567"),
    ],
)
def test_times_dates_money_and_telephone_numbers_are_no_answers(text: str) -> None:
    assert not judge_answer(f"see {text} there", (1, 2, 3, 4), 24)[1]


@pytest.mark.parametrize(
    "text", ["8:3-3", "8:30-9*2", "(8:30-9)*3", "25*1-3", "12/3/4*2", "3+2-1-1", "1-2/3"]
)
def test_expressions_are_no_times_or_dates(text: str) -> None:
    assert judge_answer(text, (1, 2, 3, 4), 24)[1]


def test_every_fraction_sign_is_two_numbers() -> None:
    for sign in filter(lambda c: name(c, "").startswith("VULGAR FRACTION"), map(chr, range(0x3000))):
        top, under = normalize_spelling(f"{sign}=").strip("()=").split("/")
        assert int(top) / int(under) == pytest.approx(numeric(sign)), sign


def test_mixed_number_is_a_sum() -> None:
    verdict, is_one = judge_answer("8*6½", (1, 2, 6, 8), 24)
    assert (verdict, is_one) == (solver.WrongValue(Fraction(52), solver.parse("8*(6+1/2)")), True)


def test_up_to_three_attempts_are_read() -> None:
    tried = "3+8+3+8 or 3*8+3+8 or 3*8-3-8"
    assert find_right_answer(f"{tried} or 8/(3-8/3)", (3, 8, 3, 8), 24) is None
    verdict, is_one = judge_answer(tried, (3, 8, 3, 8), 24)
    assert (verdict, is_one) == (solver.WrongValue(Fraction(22), solver.parse("3+8+3+8")), True)


@pytest.mark.parametrize(
    ("text", "reason", "fragment"),
    [
        ("8/(3-8/3", "unclosed", "("),
        ("8/(3-8/3) = 25", "other target", "25"),
        ("8/0+3+3", "division by zero", "0"),
        ("3.5*2+8", "no decimal", "."),
        ("3**8", "no power", "*"),
        ("8++3*8+3", "no number", "+"),
        ("½*8²*3", "unknown", "²"),
    ],
)
def test_unreadable_answer_has_a_reason(text: str, reason: str, fragment: str) -> None:
    verdict, is_one = judge_answer(text, (3, 8, 3, 8), 24)
    assert isinstance(verdict, solver.Unreadable)
    assert (verdict.reason, verdict.fragment, is_one) == (reason, fragment, True)


def test_wrong_steps_are_judged_as_their_expression() -> None:
    verdict = GAMES["24"].check(Hand((1, 2, 3, 4), 24, "easy", 9.0, ()), "1+2=3, 3+4=7, 7*3=21")
    assert verdict.render_reason
    assert verdict.render_reason(get_words("en")) == "(1+2+4)×3 = 21, not 24."


@pytest.mark.parametrize(
    ("text", "written", "value"),
    [
        ("-5+3", "-5+3", Fraction(-2)),
        ("3.5*2", "3.5*2", Fraction(7)),
        ("3,5*2", "3.5*2", Fraction(7)),
        ("(-2)*(-3)", "-2*(-3)", Fraction(6)),
        ("0,5+0,5 = 1", "0.5+0.5", Fraction(1)),
        ("why is -5+3 = -2?", "-5+3", Fraction(-2)),
        ("it's 2*-3 lol", "2*(-3)", Fraction(-6)),
        ("Answer: 8/(3-8/3)", "8/(3-8/3)", Fraction(24)),
        ("答案：８÷（３－８÷３）", "8/(3-8/3)", Fraction(24)),
        ("-(2+3)", "-1*(2+3)", Fraction(-5)),
        ("2½*4", "(2+1/2)*4", Fraction(10)),
        ("(4 + 😍 * 2", "(4+8)*2", Fraction(24)),
        ("why is 8/2 😏", "8/2", Fraction(4)),
        ("-1½+¾", "-1*(1+1/2)+3/4", Fraction(-3, 4)),
    ],
)
def test_computation_is_found_in_a_text(text: str, written: str, value: Fraction) -> None:
    found = find_computation(text)
    assert not isinstance(found, solver.ExpressionError)
    assert (str(found), found.value) == (written, value)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("8/(3-8/3) 😀", True),
        ("24 = 8/(3-8/3)", True),
        ("Answer: 8/(3-8/3)", True),
        ("it is 8/(3-8/3)", False),
        ("a 3+4", False),
        ("8.5", False),
        ("K", False),
    ],
)
def test_text_with_words_is_no_answer(text: str, answer: bool) -> None:
    assert is_answer(text) is answer


def test_right_answer_may_have_a_label() -> None:
    for text in ("8/(3-8/3)", "Try 2: 8/(3-8/3)", "2: 8.0/(3-8/3)"):
        verdict, is_one = judge_answer(text, (3, 8, 3, 8), 24)
        assert (verdict, is_one) == (solver.Correct(solver.parse("8/(3-8/3)")), True), text


@pytest.mark.parametrize(
    "text",
    [
        "8/(3-8/3)",
        "8 over (3 minus 8 over 3)",
        "so A+K",
        "⑧/(③-⑧/③)",
        "is 4(1+2+3)",
        "24",
        "AKQJ",
        "J A K Q, X?",
    ],
)
def test_texts_that_look_like_answers(text: str) -> None:
    assert looks_like_answer(text)


@pytest.mark.parametrize(
    "text", ["who is next?", "see you at the table", "да, конечно", "好的", "1" * (MAX_LENGTH + 1)]
)
def test_texts_that_do_not_look_like_answers(text: str) -> None:
    assert not looks_like_answer(text)


@given(st.text())
def test_every_answer_looks_like_an_answer(text: str) -> None:
    if is_answer(text):
        assert looks_like_answer(text)


def combine(numbers: tuple[int, ...], *steps: str) -> list[str]:
    """Return the expressions that the steps stand for, each with a written result."""
    written = [Step(parse(step), has_result=True) for step in steps]
    return [str(whole) for whole in combine_steps(written, numbers)]


@pytest.mark.parametrize(
    ("numbers", "steps", "whole"),
    [
        ((3, 8, 3, 8), ("3-8/3", "8/(1/3)"), "8/(3-8/3)"),
        ((3, 8, 3, 8), ("8/3", "3-8/3", "8/(1/3)"), "8/(3-8/3)"),
        ((1, 2, 3, 4), ("4*2", "8*3", "24*1"), "4*2*3*1"),
        ((1, 2, 3, 4), ("1+3", "4+2", "6*4"), "(1+3+2)*4"),
        ((5, 5, 5, 1), ("1/5", "5-1/5", "24/5*5"), "(5-1/5)*5"),
        ((2, 3, 4, 8), ("2+3", "5+4", "9-8"), "2+3+4-8"),
        ((3, 8, 3, 8), ("8/(1/3)", "3-8/3"), "8/(3-8/3)"),
    ],
)
def test_step_may_use_results_of_other_steps(
    numbers: tuple[int, ...], steps: tuple[str, ...], whole: str
) -> None:
    assert whole in combine(numbers, *steps)


@pytest.mark.parametrize(
    ("numbers", "steps"),
    [
        ((3, 8, 3, 8), ("3-8/3",)),
        ((3, 8, 3, 8), ("3-8/3", "8/(1/4)")),
        ((3, 8, 3, 8), ("3*8", "24+3")),
        ((1, 2, 3, 4), ("4*2", "8*3", "24*2")),
    ],
)
def test_steps_that_do_not_use_each_number_once_mean_nothing(
    numbers: tuple[int, ...], steps: tuple[str, ...]
) -> None:
    assert combine(numbers, *steps) == []


def test_result_that_is_not_written_is_not_used() -> None:
    steps = [Step(parse("3-8/3"), has_result=False), Step(parse("8/(1/3)"), has_result=True)]
    assert list(combine_steps(steps, (3, 8, 3, 8))) == []


def test_results_may_be_written_before_their_steps() -> None:
    assert str(find_right_answer("24 = 4*6, 6 = 1+2+3", (1, 2, 3, 4), 24)) == "4*(1+2+3)"
