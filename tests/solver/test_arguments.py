"""Reading of command lines; bad ones print one error line."""

import io
import sys
from contextlib import redirect_stderr, redirect_stdout
from unittest.mock import patch

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from solver.__main__ import MAX_MESSAGE, main
from solver.arguments import COMMANDS, parse_arguments
from solver.hands import BadInputError

NUMBERS = st.sampled_from(["1", "3", "8", "K", "24", "3838", "3,8", "8 8", "0", "-2", "1.5", "\u0663"])
SWITCHES = st.sampled_from(["--forms", "--first", "--count", "--explain", "--json", "--all"])
OPTIONS = st.sampled_from(["--target", "--target=10", "--limit", "--rules", "--level", "--seed", "--number"])
VALUES = st.sampled_from(["classic", "hard", "7", "2", "--", "-h", "--help", "--version"])
EXPRESSIONS = st.sampled_from(
    ["8/(3-8/3)", "8/(3-8/", "-5+3", "8*3=25", "=", "--5", "８÷（３−８÷３）", "1/0"]
)
STRANGE = st.one_of(st.text(max_size=12), st.just("x\ny\x1b[2J"))
WORDS = st.one_of(NUMBERS, SWITCHES, OPTIONS, VALUES, EXPRESSIONS, STRANGE)


def run_main(arguments: list[str]) -> tuple[int, str, str]:
    """Return the exit code, standard output and standard error of a command line."""
    out, error = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(error), patch.object(sys, "stdin", io.StringIO()):
        try:
            code = main(arguments)
        except SystemExit as left:
            code = int(left.code or 0)
    return code, out.getvalue(), error.getvalue()


def is_log_option(word: str) -> bool:
    """Whether a word may be read as `--log`, which would write a file."""
    return word.startswith("--lo")


@pytest.mark.long
@example("check", ["-5+3", "5", "3"])
@example("solve", ["3", "--x\ny"])
@example("3838", [])
@example("--help", [])
@given(
    st.one_of(st.sampled_from([*COMMANDS, "", "sovle", "3838", "3"]), st.text(max_size=8)),
    st.lists(WORDS.filter(lambda word: not is_log_option(word)), max_size=5),
)
def test_bad_input_prints_one_error_line(command: str, words: list[str]) -> None:
    if is_log_option(command):
        return
    code, _, error = run_main([command, *words])
    assert code in (0, 1, 2)
    if code < 2:
        assert error == ""
    else:
        assert error.startswith("twentyfour: ")
        assert error.endswith("\n")
        assert error[:-1].isprintable(), "one line, and nothing that moves the cursor"
        assert 13 < len(error) < MAX_MESSAGE + 20


def test_long_error_message_is_cut() -> None:
    code, out, error = run_main(["solve", "3", "--" + "x" * 1000])
    assert (code, out) == (2, "")
    assert len(error) == len("twentyfour: ") + MAX_MESSAGE + len("...\n")


def test_single_number_may_be_hand_without_spaces() -> None:
    assert parse_arguments(["solve", "24"]).numbers == [24]
    assert parse_arguments(["solve", "3838", "--target", "3838"]).numbers == [3838]
    assert parse_arguments(["solve", "38", "38"]).numbers == [38, 38]
    assert parse_arguments(["solve", "7"]).numbers == [7]
    assert parse_arguments(["countdown", "3838", "--target", "4000"]).numbers == [3838]
    with pytest.raises(BadInputError, match=r"^put spaces between the numbers: 1 2$"):
        parse_arguments(["solve", "12"])


def test_expression_may_begin_with_minus() -> None:
    assert parse_arguments(["check", "-5+3", "5", "3", "--target", "2"]).expression == "-5+3"
    assert parse_arguments(["check", "--target", "2", "-A+3", "1", "3"]).expression == "-A+3"
    assert parse_arguments(["check", "--", "--5", "5"]).expression == "--5"
