"""The output and exit codes of the command line."""

import io
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import solver
from solver.__main__ import main
from solver.arguments import COMMANDS

ROOT = Path(__file__).parents[2]
RUN = [sys.executable, "-m", "solver"]
WHOLE_NUMBER_WANTED = "a whole number that is not negative is wanted"
NO_FOLDER = "can't write /no/such/folder/log: No such file or directory"
WELCOME = "Type a target, then hands such as 3 8 3 8; ? helps, q ends.\n"


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(arguments)
    out, err = capsys.readouterr()
    return code, out, err


def mask_times(text: str) -> str:
    """Replace the milliseconds, which differ each time."""
    return re.sub(r"\d+\.\d ms", "… ms", text)


def run_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    code, out, _ = run(capsys, *arguments, "--json")
    assert code == 0
    answer = json.loads(out)
    assert isinstance(answer, dict)
    return answer


def test_solve_prints_ideas_or_forms(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "solve", "3", "3", "3", "8") == (0, "3+3*8-3\n", "")
    forms = "3+3*8-3\n3*3*8/3\n3*(3+8-3)\n8*(3+3-3)\n"
    assert run(capsys, "solve", "3,3", "3 8", "--forms") == (0, forms, "")
    assert run(capsys, "solve", "3", "3", "3", "8", "--forms", "--limit", "1") == (0, "3+3*8-3\n", "")
    assert run(capsys, "solve", "2", "4", "8", "10", "--count") == (0, "11\n", "")
    assert run(capsys, "solve", "2", "4", "8", "10", "--first", "--count") == (0, "1\n", "")
    assert run(capsys, "solve", "3", "3", "3", "8", "--count", "--forms") == (0, "4\n", "")


def test_solve_reads_cards_and_target(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "solve", "a", "K", "--target", "14") == (0, "1+13\n", "")


@pytest.mark.parametrize(
    "typed",
    [
        *("3 8 3 8 = 24", "3 8 3 8 =24", "3 8 3 8=24", "24 = 3 8 3 8", "24=3 8 3 8", "3 8 3 8 ="),
        *("３ ８ ３ ８", "３，８，３，８＝２４", "3 8 3 8 → 24"),
        *("--first 3 8 3 8 = 24", "3 8 3 8 = 24 --first"),
    ],
)
def test_target_may_follow_numbers_in_any_digits(capsys: pytest.CaptureFixture[str], typed: str) -> None:
    assert run(capsys, "solve", *typed.split()) == (0, "8/(3-8/3)\n", "")
    assert run(capsys, "solve", typed)[1] == ("8/(3-8/3)\n" if "--" not in typed else "")


@pytest.mark.parametrize(
    ("line", "printed"),
    [
        ("solve 1 2 3 = 6 --first", "1+2+3"),
        ("solve a ｋ = 14", "1+13"),
        ("solve 4 6 = ２４ --target 24", "4*6"),
        ("countdown 5 6 = 40", "6*5 = 30, 10 away"),
        ("check 7*25 25 7 = 175", "7*25 = 175"),
        (
            "rate 36 = 1 1 2 9",
            (
                "easy: a guess, 5 s, 97% of people find it; people's times are known for four cards"
                " from 1 to 13 that make 24"
            ),
        ),
        ("hint 36 = 1 1 2 9", "1. the last operation is *"),
    ],
)
def test_every_command_reads_target_after_numbers(
    capsys: pytest.CaptureFixture[str], line: str, printed: str
) -> None:
    assert run(capsys, *line.split()) == (0, f"{printed}\n", "")


def test_solve_explain_prints_steps(capsys: pytest.CaptureFixture[str]) -> None:
    steps = "8/(3-8/3)\n  3-8/3 = 1/3\n  8/(1/3) = 24\n"
    assert run(capsys, "solve", "3", "8", "3", "8", "--explain") == (0, steps, "")
    answer = run_json(capsys, "solve", "3", "8", "3", "8", "--explain")
    assert answer["steps"] == [["3-8/3 = 1/3", "8/(1/3) = 24"]], "the step 8/3 = 8/3 is left out"
    shortened = "8*(4-6/4)\n  6/4 = 3/2\n  4-3/2 = 5/2\n  8*(5/2) = 20\n"
    asked = ("4", "4", "6", "8", "--target", "20", "--forms", "--explain")
    assert shortened in run(capsys, "solve", *asked)[1], "a step that reduces a fraction is kept"


def test_solve_json(capsys: pytest.CaptureFixture[str]) -> None:
    answer = run_json(capsys, "solve", "3", "8", "3", "8")
    assert isinstance(answer.pop("seconds"), float)
    assert answer == {"numbers": [3, 8, 3, 8], "target": 24, "solutions": ["8/(3-8/3)"], "count": 1}


def test_no_solution_exits_with_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "solve", "1", "1", "1", "1") == (1, "no solution\n", "")
    assert run(capsys, "solve", "1", "1", "1", "1", "--count") == (1, "0\n", "")
    code, out, _ = run(capsys, "solve", "1", "1", "1", "1", "--json")
    assert (code, json.loads(out)["solutions"]) == (1, [])
    assert run(capsys, "rate", "1", "1", "1", "1") == (1, "no solution\n", "")
    assert run(capsys, "countdown", "5", "6", "--target", "1", "--rules", "classic") == (0, "6-5 = 1\n", "")
    assert run(capsys, "countdown", "2", "2", "--target", "0", "--rules", "classic") == (0, "2-2 = 0\n", "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("solve", "the following arguments are required: NUMBER"),
        ("solve x", f"argument NUMBER: {WHOLE_NUMBER_WANTED}, not 'x'"),
        ("solve 1 -2", f"argument NUMBER: {WHOLE_NUMBER_WANTED}, not '-2'"),
        ("solve 1.5", f"argument NUMBER: {WHOLE_NUMBER_WANTED}, not '1.5'"),
        ("solve 1 ②", f"argument NUMBER: {WHOLE_NUMBER_WANTED}, not '②'"),
        ("solve 3 8 = x", f"argument NUMBER: {WHOLE_NUMBER_WANTED}, not 'x'"),
        ("solve 3 8 = 24 = 24", "only one target can be asked for, not '24 = 24'"),
        ("solve 3 8 = 24 25", "only one target can be asked for, not '24 25'"),
        ("solve 3 8 = 24 --target 25", "only one target can be asked for, not '24' and '25'"),
        ("solve = 24", "argument NUMBER: a number is wanted, not '= 24'"),
        ("solve ３８３８", "put spaces between the numbers: 3 8 3 8"),
        ("３ 8 3 8", "name a command before the numbers: solve ３ 8 3 8"),
        ("solve ,", "argument NUMBER: a number is wanted, not ','"),
        ("solve 1 2 --target -3", f"argument --target: {WHOLE_NUMBER_WANTED}, not '-3'"),
        ("solve 1 2 --target", "argument --target: expected one argument"),
        ("solve 1 2 --limit 0", "argument --limit: at least 1 is wanted, not '0'"),
        ("solve 1 2 --limit -1", "argument --limit: at least 1 is wanted, not '-1'"),
        ("solve 1 2 --log ", "can't write '': No such file or directory"),
        ("solve 1 2 --lim 1", "unrecognized arguments: --lim 1"),
        ("solve 1 2 --color", "unrecognized arguments: --color"),
        ("solve " + "9" * 101, "argument NUMBER: a number has at most 100 digits: '9999999999...'"),
        ("solve 1 2 --log /no/such/folder/log", NO_FOLDER),
        ("countdown 1 2", "countdown needs a target behind the numbers: = 573, or --target 573"),
        (
            "countdown --target 5",
            "countdown needs numbers when --target is given; lines that are read bring their own",
        ),
        ("countdown 1 2 --target 5 --rules poker", "argument --rules: invalid choice: 'poker'"),
        ("rate", "the following arguments are required: NUMBER"),
        ("solve 3838", "put spaces between the numbers: 3 8 3 8"),
        ("solve A5JK --json", "put spaces between the numbers: A 5 J K"),
        ("rate 3838 --target 10", "put spaces between the numbers: 3 8 3 8"),
        ("hint 1010", "put spaces between the numbers: 10 10"),
        ("check 8/(3-8/3) 3838", "put spaces between the numbers: 3 8 3 8"),
        ("3838", "name a command, and put spaces between the numbers: solve 3 8 3 8"),
        ("3 8 3 8", "name a command before the numbers: solve 3 8 3 8"),
        ("hint 3 8", "at least three numbers are wanted: a hint for fewer would be the answer"),
        ("hint 3 8 3 8 --number 0", "argument --number: at least 1 is wanted, not '0'"),
        ("hint 3 8 3 8 --number 4", "argument --number: invalid choice: 4"),
        ("hint 3 8 3 8 --number 1 --all", "argument --all: not allowed with argument --number"),
        ("check 8*3", "the following arguments are required: NUMBER"),
        ("check 8*3 3 8 --target -24", f"argument --target: {WHOLE_NUMBER_WANTED}, not '-24'"),
        ("deal --level silly", "argument --level: invalid choice: 'silly'"),
        ("deal --cards 1", "cards must be 2 to 8: 1"),
        ("deal --seed x", f"argument --seed: {WHOLE_NUMBER_WANTED}, not 'x'"),
        ("sovle 1 2", "no command is called 'sovle'; did you mean solve?"),
        ("x 1 2", f"no command is called 'x'; there are {', '.join(COMMANDS)}"),
        ("--log /no/such/folder/log", NO_FOLDER),
    ],
)
def test_bad_input_prints_one_line_and_exits_with_2(
    capsys: pytest.CaptureFixture[str], arguments: str, message: str
) -> None:
    code, out, err = run(capsys, *arguments.split(" "))
    assert (code, out) == (2, "")
    # Each version of Python lists choices in its own way.
    line = re.sub(r" \(choose from .*\)\n$", "\n", err) if "invalid choice" in message else err
    assert line == f"twentyfour: {message}\n"


def test_countdown_prints_nearest_value(capsys: pytest.CaptureFixture[str]) -> None:
    answer = run_json(capsys, "countdown", "1", "2", "3", "4", "7", "25", "--target", "573")
    assert (answer["value"], answer["distance"], answer["expression"]) == (573, 0, "(25*3*2-7)*4+1")
    assert run(capsys, "countdown", "5", "6", "--target", "40") == (0, "6*5 = 30, 10 away\n", "")


def test_countdown_reads_lines(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("1 2 3 4 7 25 573\r\n\n1 1 1 1 1 1 1000\n"))
    answers = "573\n(25*3*2-7)*4+1\n9\n(1+1+1)*(1+1+1)\n"
    assert run(capsys, "countdown") == (0, answers, "")
    monkeypatch.setattr(sys, "stdin", io.StringIO("61 75 28 78 97 65 0\n"))
    assert run(capsys, "countdown") == (1, "none\nnone\n", "")


def test_byte_order_mark_is_skipped(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some editors begin files with it; in concatenated files it is in the middle."""
    given = {
        "countdown": (
            "\ufeff1 2 3 4 7 25 573\n\ufeff1 2 3 4 7 25 573\n\ufeff\n",
            "573\n(25*3*2-7)*4+1\n" * 2,
        ),
        "yahtzee": (("\ufeff" + "1 2 3 4 5\n" * 13) * 2, "1 2 3 4 5 0 15 0 0 0 25 35 0 0 90\n" * 2),
    }
    for command, (lines, answers) in given.items():
        monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
        assert run(capsys, command) == (0, answers, "")
    assert run(capsys, "solve", "\ufeff3", "8", "3", "8") == (0, "8/(3-8/3)\n", "")
    monkeypatch.setattr(sys, "stdin", io.StringIO("\ufeff24\n\ufeff3 8 3 8\n\ufeffq\n"))
    assert "hand for 24: 8/(3-8/3)\n" in run(capsys)[1]


@pytest.mark.parametrize(
    ("command", "line", "message"),
    [
        ("countdown", "1 2 3", "six numbers and a target are needed: '1 2 3'"),
        ("yahtzee", "1 2 3 4 7", "a die shows 1 to 6, not '7'"),
    ],
)
def test_error_names_bad_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, command: str, line: str, message: str
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"\n{line}\n"))
    assert run(capsys, command) == (2, "", f"twentyfour: line 2: {message}\n")


def test_yahtzee_prints_best_cards(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rolls = "1 2 3 4 5\n" * 13
    card = "1 2 3 4 5 0 15 0 0 0 25 35 0 0 90\n"
    monkeypatch.setattr(sys, "stdin", io.StringIO(rolls * 2))
    assert run(capsys, "yahtzee") == (0, card * 2, "")
    monkeypatch.setattr(sys, "stdin", io.StringIO(rolls))
    scores = [1, 2, 3, 4, 5, 0, 15, 0, 0, 0, 25, 35, 0]
    game = {"scores": scores, "bonus": 0, "total": 90, "assignment": list(range(13))}
    assert run_json(capsys, "yahtzee") == {"games": [game]}


def test_rate_and_deal_print_results(capsys: pytest.CaptureFixture[str]) -> None:
    answer = run_json(capsys, "rate", "3", "8", "3", "8")
    assert answer.pop("seconds") == pytest.approx(67.9, abs=0.05)
    assert answer.pop("solved") == pytest.approx(0.37, abs=0.05)
    assert answer == {"numbers": [3, 8, 3, 8], "target": 24, "level": "fiendish", "measured": True}
    other = run_json(capsys, "rate", "2", "9", "3")
    assert other.pop("seconds") == pytest.approx(22.1, abs=0.05)
    assert other.pop("solved") == pytest.approx(0.69, abs=0.05)
    assert other == {"numbers": [2, 9, 3], "target": 24, "level": "hard", "measured": False}
    assert run(capsys, "rate", "1", "1", "3", "8") == (0, "easy: 4.7 s, 99% of people find it\n", "")
    hard = ("deal", "--level", "hard", "--seed", "7")
    assert run_json(capsys, *hard) == {"numbers": [3, 8, 9, 5], "target": 24}
    assert run(capsys, *hard) == (0, "3 8 9 5 → 24\n", "")


def test_verify_checks_a_hand_and_a_history(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    links = solver.list_links(bytes(32))
    commitment, link = links[0].hex(), links[2].hex()
    record = f"{commitment} 2 {link} -1001234567890 4711 24:4:13:24"
    dealt = run(capsys, "verify", *record.split())[1].splitlines()[0]
    assert run(capsys, "verify", *record.split()) == (0, f"{dealt}\nverified\n", "")
    hand = dealt.replace(" →", "").split()
    assert run_json(capsys, "verify", *record.split(), *hand) == {"hands": 1, "dealt": [dealt], "faults": []}
    other = f"link 2, message 4711 deals {dealt}, not 3 8 3 8 24"
    wrong = [*record.split(), "3", "8", "3", "8", "24"]
    assert run(capsys, "verify", *wrong) == (1, f"{dealt}\n{other}\n", "")
    assert run(capsys, "verify", commitment)[0] == 2
    history = f"{record} {' '.join(hand)}\n\n{record.replace(' 2 ', ' 4 ').replace(link, links[4].hex())}\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(history))
    assert run(capsys, "verify") == (1, "link 3 was left out\n", "")
    monkeypatch.setattr("sys.stdin", io.StringIO(record))
    assert run(capsys, "verify") == (0, "verified\n", "")
    monkeypatch.setattr("sys.stdin", io.StringIO("\n"))
    assert run(capsys, "verify")[0] == 2


def test_hint_prints_requested_hints(capsys: pytest.CaptureFixture[str]) -> None:
    hand = ("3", "8", "3", "8")
    first, second, third = (
        "1. the last operation is /",
        "2. make 8/3 out of 3 8",
        "3. it looks like □/(□-□/□)",
    )
    assert run(capsys, "hint", *hand) == (0, f"{first}\n", "")
    assert run(capsys, "hint", *hand, "--number", "2") == (0, f"{second}\n", "")
    assert run(capsys, "hint", "3,8", "3 8", "--number", "3") == (0, f"{third}\n", "")
    assert run(capsys, "hint", *hand, "--all") == (0, f"{first}\n{second}\n{third}\n", "")
    assert run(capsys, "hint", "1", "2", "3", "4", "--target", "10") == (
        0,
        "1. the last operation is -\n",
        "",
    )
    assert run(capsys, "hint", "1", "1", "1", "1") == (1, "no solution\n", "")
    assert run_in_shell("solver hint 3 8 3 8 --number 3", PYTHONIOENCODING="ascii") == (
        0,
        b"3. it looks like _/(_-_/_)\n",
        b"",
    )


def test_hint_json(capsys: pytest.CaptureFixture[str]) -> None:
    printed = [
        {"number": 1, "kind": "last operation", "operation": "/"},
        {"number": 2, "kind": "result on the way", "value": "8/3", "numbers": [3, 8]},
        {"number": 3, "kind": "skeleton", "text": "□/(□-□/□)"},
    ]
    answer = run_json(capsys, "hint", "3", "8", "3", "8", "--all")
    assert answer == {"numbers": [3, 8, 3, 8], "target": 24, "hints": printed}
    assert run_json(capsys, "hint", "3", "8", "3", "8")["hints"] == printed[:1]
    code, out, _ = run(capsys, "hint", "1", "1", "1", "1", "--json")
    assert (code, json.loads(out)) == (1, {"numbers": [1, 1, 1, 1], "target": 24, "hints": []})


@pytest.mark.parametrize(
    ("arguments", "code", "printed"),
    [
        ("8/(3-8/3) 3 8 3 8", 0, "8/(3-8/3) = 24\n"),
        ("８÷（３−８÷３）＝２４ 3 8 3 8", 0, "8/(3-8/3) = 24\n"),
        ("7*25=175 25 7 --target 175", 0, "7*25 = 175\n"),
        ("24=8/(3-8/3) 3 8 3 8", 0, "8/(3-8/3) = 24\n"),
        ("175=7*25 25 7 --target 175", 0, "7*25 = 175\n"),
        ("8*3-8/3 3 8 3 8", 1, "8*3-8/3 = 21 1/3, not 24\n"),
        ("3-8/3*3 3 8 3 3", 1, "3-8/3*3 = -5, not 24\n"),
        ("8*3 3 8 3 8", 1, "missing: 3 8\n"),
        ("8*3+5-5 3 8", 1, "too many: 5 5\n"),
        ("8*5 3 8 3 8", 1, "missing: 3 3 8; too many: 5\n"),
    ],
)
def test_check_prints_verdict(
    capsys: pytest.CaptureFixture[str], arguments: str, code: int, printed: str
) -> None:
    assert run(capsys, "check", *arguments.split()) == (code, printed, "")


@pytest.mark.parametrize(
    ("text", "printed_text", "message"),
    [
        ("8/(3-8/", "8/(3-8/\n       ^\n", "a number is missing at the end (at character 8)"),
        ("8 3", "8 3\n  ^\n", "a sign such as * is missing before '3' (at character 3)"),
        ("8/(3-3)", "8/(3-3)\n  ^\n", "this divides by zero: '(3-3)' (at character 3)"),
        ("8*3 = 25", "8*3 = 25\n      ^\n", "the target is another number than '25' (at character 7)"),
        ("25 = 8*3", "25 = 8*3\n^\n", "the target is another number than '25' (at character 1)"),
        ("8*3 lol", "8*3 lol\n    ^\n", "only numbers and A J Q K are read, not 'lol' (at character 5)"),
        (
            "-5+3",
            "-5+3\n^\n",
            "a number takes no sign of its own; write 27-3 rather than -3+27: '-' (at character 1)",
        ),
        ("", "\n^\n", "there is nothing to read (at character 1)"),
    ],
)
def test_check_marks_error_in_unreadable_answer(
    capsys: pytest.CaptureFixture[str], text: str, printed_text: str, message: str
) -> None:
    assert run(capsys, "check", text, "3", "8") == (2, printed_text, f"twentyfour: {message}\n")


def test_check_json(capsys: pytest.CaptureFixture[str]) -> None:
    def check_as_json(text: str) -> tuple[int, object]:
        code, out, _ = run(capsys, "check", text, "8", "8", "3", "--json")
        answer = json.loads(out)
        assert (answer.pop("numbers"), answer.pop("target")) == ([8, 8, 3], 24)
        return code, answer

    assert check_as_json("8*3+8") == (1, {"verdict": "wrong value", "expression": "8*3+8", "value": "32"})
    assert check_as_json("8/(3+8)") == (
        1,
        {"verdict": "wrong value", "expression": "8/(3+8)", "value": "8/11"},
    )
    wrong = {"verdict": "wrong numbers", "expression": "8*3", "missing": [8], "extra": []}
    assert check_as_json("8*3") == (1, wrong)
    unread = {"verdict": "unreadable", "message": "a number is missing at the end", "position": 2}
    assert check_as_json("8*") == (2, unread)
    right = run_json(capsys, "check", "8*3", "8", "3")
    assert right == {"numbers": [8, 3], "target": 24, "verdict": "correct", "expression": "8*3"}


def test_every_command_prints_version(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ((), *((name,) for name in COMMANDS)):
        for option in ("--version", "-V"):
            with pytest.raises(SystemExit) as left:
                main([*command, option])
            assert left.value.code == 0
            assert capsys.readouterr() == (f"twentyfour {solver.__version__}\n", "")


def test_help_has_examples_and_fits_one_screen(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ((), *((name,) for name in COMMANDS)):
        with pytest.raises(SystemExit) as left:
            main([*command, "--help"])
        assert left.value.code == 0
        printed_text = capsys.readouterr().out
        assert f"examples:\n  python -m solver {' '.join(command)}" in printed_text
        assert len(printed_text.splitlines()) <= 24, "one screen"
        assert max(map(len, printed_text.splitlines())) <= 80


def test_prompt_answers_and_times_each_hand(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    lines = "\n３　８ 3 8\n1 1 1 1\nnine\n3838\n10 = 1 2 3 4\n= 5\n2 3 ＝\nq\n1 2\n"
    monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
    log = tmp_path / "workflow.log"
    code, out, err = run(capsys, "--log", str(log))
    assert (code, err) == (0, "")
    assert mask_times(out) == (
        f"{WELCOME}target (24): hand for 24: 8/(3-8/3)\n1 solution in … ms\n"
        "hand for 24: no solution in … ms\n"
        f"hand for 24: {WHOLE_NUMBER_WANTED}, not 'nine'\n"
        "hand for 24: put spaces between the numbers: 3 8 3 8\n"
        "hand for 24: 1+2+3+4\n2*3+1*4\n3+2*4-1\n1*3*4-2\n2+4*(3-1)\n4*(1+3/2)\n4*(3-1/2)\n"
        "7 solutions in … ms\n"
        "hand for 10: hand for 5: 2+3\n1 solution in … ms\n"
        "hand for 5: "
    )
    written = mask_times(log.read_text())
    assert written[written.index("1 1 1 1") : written.index("1 2 3 4")] == (
        "1 1 1 1 -> 24\n"
        "  make 23 from 1 1 1: dead end\n"
        "  make 24 from 1 1 1: dead end\n"
        "  make 25 from 1 1 1: dead end\n"
        "  make 1/24 from 1 1 1: dead end\n"
        "  make 24 from 1 1 1 1: dead end\n"
        "  no solution in … ms\n"
    )
    assert written.endswith("2 3 -> 5\n  2+3 = 5\n  1 solution in … ms\n")


def test_log_contains_search_steps(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    log = tmp_path / "log"
    assert run(capsys, "solve", "3", "8", "3", "8", "--log", str(log))[0] == 0
    assert log.read_text().endswith("make 24 from 3 3 8 8: hit\n")


def test_prompt_flushes_each_answer() -> None:
    with subprocess.Popen(RUN, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT) as prompt:
        assert prompt.stdin
        assert prompt.stdout
        prompt.stdin.write("24\n3 8 3 8\n")
        prompt.stdin.flush()
        prompt.stdout.readline()
        assert prompt.stdout.readline() == "target (24): hand for 24: 8/(3-8/3)\n"
        assert mask_times(prompt.stdout.readline()) == "1 solution in … ms\n"
        prompt.stdin.close()
        assert prompt.wait(60) == 0


def run_in_shell(command: str, typed: bytes = b"", **environment: str) -> tuple[int, bytes, bytes]:
    line = command.replace("solver", f"'{sys.executable}' -m solver")
    done = subprocess.run(
        ["sh", "-c", line],
        input=typed,
        capture_output=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, **environment},
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.long
def test_readme_shows_actual_output() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    block = re.search(r"^```console\n(\$ python -m solver .*?)^```$", readme, re.MULTILINE | re.DOTALL)
    assert block is not None
    printed_text = re.findall(r"^\$ python -m (.*)\n((?:(?!\$ ).*\n)+)", block[1], re.MULTILINE)
    assert len(printed_text) == block[1].count("$ ") == 3
    for command, printed in printed_text:
        _, out, err = run_in_shell(command)
        assert (out + err).decode() == printed, command


def test_solve_loads_no_slow_modules() -> None:
    code = "import sys; from solver.__main__ import main; main(sys.argv[1:]); print(*sys.modules)"
    solving = ("solve", "3", "8", "3", "8")
    done = subprocess.run(
        [sys.executable, "-S", "-c", code, *solving], capture_output=True, text=True, check=True, cwd=ROOT
    )
    slow = {"json", "shutil", "pathlib", "dataclasses", "fractions", "solver.wording", "solver.difficulty"}
    assert not slow & set(done.stdout.split())


def test_unencodable_characters_are_escaped() -> None:
    plain = run_in_shell("solver deal --seed 7", PYTHONIOENCODING="ascii")
    assert plain == (0, b"5 2 9 1 -> 24\n", b"")
    for encoding, printed_text in (("ascii", r"\\xc3\\xa9"), ("utf-8", "é")):
        code, out, err = run_in_shell(
            "solver", "24\né\n3 8 3 8\n".encode() + b"\xff", PYTHONIOENCODING=encoding
        )
        assert (code, err) == (0, b"")
        assert mask_times(out.decode()) == (
            f"{WELCOME}target (24): hand for 24: {WHOLE_NUMBER_WANTED}, not '{printed_text}'\n"
            "hand for 24: 8/(3-8/3)\n1 solution in … ms\n"
            f"hand for 24: {WHOLE_NUMBER_WANTED}, not '\\\\xff'\nhand for 24: \n"
        )


def test_closed_streams_count_as_empty() -> None:
    assert run_in_shell("solver <&-")[::2] == (0, b"")
    assert run_in_shell("solver solve 3 8 3 8 >&-") == (0, b"", b"")
    assert run_in_shell("solver solve x 2>&-") == (2, b"", b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no disk that is always full here")
def test_full_disk_prints_one_line() -> None:
    message = b"twentyfour: can't read or write: No space left on device\n"
    assert run_in_shell("solver solve 3 8 3 8 >/dev/full") == (2, b"", message)
    assert run_in_shell("solver solve 3 8 3 8 --log /dev/full")[::2] == (2, message)


def test_countdown_without_allowed_value_exits_with_1(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "countdown", "5", "6", "--target", "0", "--rules", "classic", "--json")
    assert (code, json.loads(out)["value"], err) == (1, None, "")


def _restore_default_sigint() -> None:
    """Make Ctrl-C end a child process, even if the tests run in the background, where it is ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_ctrl_c_is_ignored_in_background() -> None:
    """A shell makes programs in the background ignore SIGINT, which is meant for the one in front."""
    line = "24\n3 8 3 8\n"
    with subprocess.Popen(
        RUN,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    ) as prompt:
        assert prompt.stdout
        prompt.stdout.readline()
        prompt.send_signal(signal.SIGINT)
        out, error = prompt.communicate(line, timeout=60)
    assert (prompt.returncode, error) == (0, "")
    # The first question may have been read together with the welcome.
    answer = mask_times(out.removeprefix("target (24): "))
    assert answer == "hand for 24: 8/(3-8/3)\n1 solution in … ms\nhand for 24: \n"


def test_ctrl_c_prints_no_traceback() -> None:
    with subprocess.Popen(
        RUN,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        preexec_fn=_restore_default_sigint,
    ) as prompt:
        assert prompt.stdout
        assert prompt.stderr
        prompt.stdout.readline()
        prompt.send_signal(signal.SIGINT)
        assert prompt.wait(60) == 130
        assert prompt.stderr.read() == ""


@pytest.mark.parametrize(
    "line", ["--help", "--version", "check 8 8", "hint 3 8 3 8", "solve 3 8 3 8 --explain"]
)
def test_broken_pipe_exits_quietly(line: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer) as broken:
        done = subprocess.run(
            [*RUN, *line.split()], stdout=broken, stderr=subprocess.PIPE, check=False, cwd=ROOT
        )
    assert (done.returncode, done.stderr) == (141, b"")


def test_pipe_closed_during_search_prints_no_traceback() -> None:
    with subprocess.Popen(
        [*RUN, "solve", "1", "2", "3", "4", "5", "7", "8", "--forms"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    ) as solving:
        assert solving.stdout
        assert solving.stderr
        solving.stdout.readline()
        solving.stdout.close()
        assert solving.wait(60) == 141
        assert solving.stderr.read() == ""
