"""The command line: what it prints, and the code it leaves with."""

import io
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from solver import parse
from solver.__main__ import main

ROOT = Path(__file__).parents[2]
RUN = [sys.executable, "-m", "solver"]


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(arguments)
    out, err = capsys.readouterr()
    return code, out, err


def run_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    code, out, _ = run(capsys, *arguments, "--json")
    assert code == 0
    answer = json.loads(out)
    assert isinstance(answer, dict)
    return answer


def test_solve_shows_ideas_and_forms(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "solve", "3", "3", "3", "8") == (0, "3+3*8-3\n", "")
    forms = "3+3*8-3\n3*3*8/3\n3*(3+8-3)\n8*(3+3-3)\n"
    assert run(capsys, "solve", "3,3", "3 8", "--forms") == (0, forms, "")
    assert run(capsys, "solve", "3", "3", "3", "8", "--forms", "--limit", "1") == (0, "3+3*8-3\n", "")
    assert run(capsys, "solve", "2", "4", "8", "10", "--count") == (0, "11\n", "")
    assert run(capsys, "solve", "2", "4", "8", "10", "--first", "--count") == (0, "1\n", "")


def test_solve_reads_cards_and_targets(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "solve", "a", "K", "--target", "14") == (0, "1+13\n", "")


def test_solve_explains(capsys: pytest.CaptureFixture[str]) -> None:
    steps = "8/(3-8/3)\n  8/3 = 8/3\n  3-8/3 = 1/3\n  8/(1/3) = 24\n"
    assert run(capsys, "solve", "3", "8", "3", "8", "--explain") == (0, steps, "")
    answer = run_json(capsys, "solve", "3", "8", "3", "8", "--explain")
    assert answer["steps"] == [["8/3 = 8/3", "3-8/3 = 1/3", "8/(1/3) = 24"]]


def test_solve_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    answer = run_json(capsys, "solve", "3", "8", "3", "8")
    assert isinstance(answer.pop("seconds"), float)
    assert answer == {"numbers": [3, 8, 3, 8], "target": 24, "solutions": ["8/(3-8/3)"], "count": 1}


def test_no_solution_leaves_with_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "solve", "1", "1", "1", "1") == (1, "no solution\n", "")
    assert run(capsys, "solve", "1", "1", "1", "1", "--count") == (1, "0\n", "")
    code, out, _ = run(capsys, "solve", "1", "1", "1", "1", "--json")
    assert (code, json.loads(out)["solutions"]) == (1, [])
    assert run(capsys, "rate", "1", "1", "1", "1") == (1, "no solution\n", "")
    assert run(capsys, "countdown", "5", "6", "--target", "1", "--rules", "classic") == (0, "6-5 = 1\n", "")
    assert run(capsys, "countdown", "2", "2", "--target", "0", "--rules", "classic") == (0, "2-2 = 0\n", "")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("solve", "required: NUMBER"),
        ("solve x", "not 'x'"),
        ("solve 1 -2", "not '-2'"),
        ("solve 1.5", "not '1.5'"),
        ("solve 1 ２", "not '２'"),
        ("solve ,", "not ','"),
        ("solve 1 2 --target -3", "not '-3'"),
        ("solve 1 2 --target", "--target"),
        ("solve 1 2 --limit 0", "at least 1 is wanted, not '0'"),
        ("solve 1 2 --limit -1", "at least 1 is wanted, not '-1'"),
        ("solve 1 2 --log ", "can't write ''"),
        ("solve 1 2 --lim 1", "--lim"),
        ("solve 1 2 --color", "--color"),
        ("solve " + "9" * 101, "100 digits"),
        ("solve 1 2 --log /no/such/folder/log", "can't write /no/such/folder/log"),
        ("countdown 1 2", "--target"),
        ("countdown --target 5", "numbers"),
        ("countdown 1 2 --target 5 --rules poker", "poker"),
        ("rate", "required: NUMBER"),
        ("deal --level silly", "silly"),
        ("deal --cards 1", "cards"),
        ("deal --seed x", "'x'"),
        ("sovle 1 2", "sovle"),
        ("--log /no/such/folder/log", "can't write /no/such/folder/log"),
    ],
)
def test_bad_input_is_one_line_and_2(capsys: pytest.CaptureFixture[str], arguments: str, said: str) -> None:
    code, out, err = run(capsys, *arguments.split(" "))
    assert (code, out) == (2, "")
    assert re.fullmatch("twentyfour: .*\n", err)
    assert said in err


def test_countdown(capsys: pytest.CaptureFixture[str]) -> None:
    answer = run_json(capsys, "countdown", "1", "2", "3", "4", "7", "25", "--target", "573")
    assert (answer["value"], answer["distance"]) == (573, 0)
    assert parse(str(answer["expression"])).value == 573
    assert run(capsys, "countdown", "5", "6", "--target", "40") == (0, "6*5 = 30, 10 away\n", "")


def test_countdown_reads_lines(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("1 2 3 4 7 25 573\r\n\n1 1 1 1 1 1 1000\n"))
    code, out, _ = run(capsys, "countdown")
    first, expression, second, _ = out.splitlines()
    assert (code, first, second) == (0, "573", "9")
    assert sorted(parse(expression).numbers) == [1, 2, 3, 4, 7, 25]


@pytest.mark.parametrize(("command", "line"), [("countdown", "1 2 3"), ("yahtzee", "1 2 3 4 7")])
def test_a_bad_line_is_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, command: str, line: str
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"\n{line}\n"))
    code, out, err = run(capsys, command)
    assert (code, out) == (2, "")
    assert err.startswith("twentyfour: line 2: ")


def test_yahtzee(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    rolls = "1 2 3 4 5\n" * 13
    card = "1 2 3 4 5 0 15 0 0 0 25 35 0 0 90\n"
    monkeypatch.setattr(sys, "stdin", io.StringIO(rolls * 2))
    assert run(capsys, "yahtzee") == (0, card * 2, "")
    monkeypatch.setattr(sys, "stdin", io.StringIO(rolls))
    games = run_json(capsys, "yahtzee")["games"]
    assert isinstance(games, list)
    assert (games[0]["total"], games[0]["bonus"], len(games[0]["assignment"])) == (90, 0, 13)


def test_rate_and_deal(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_json(capsys, "rate", "3", "8", "3", "8")["level"] == "fiendish"
    assert re.fullmatch(r"easy: \d\.\d s\n", run(capsys, "rate", "1", "1", "3", "8")[1])
    dealt = run_json(capsys, "deal", "--level", "hard", "--seed", "7")
    assert dealt == run_json(capsys, "deal", "--level", "hard", "--seed", "7")
    numbers = dealt["numbers"]
    assert isinstance(numbers, list)
    assert run(capsys, "deal", "--level", "hard", "--seed", "7")[1] == f"{' '.join(map(str, numbers))} → 24\n"


def test_help_teaches(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ((), ("solve",), ("countdown",), ("yahtzee",), ("rate",), ("deal",)):
        with pytest.raises(SystemExit) as left:
            main([*command, "--help"])
        assert left.value.code == 0
        assert "examples:\n  python -m solver" in capsys.readouterr().out


def test_the_prompt_answers_and_times_each_hand(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    lines = "\n3 8 3 8\n1 1 1 1\nnine\n1 2 3 4 = 10\n= 5\n2 3\nq\n1 2\n"
    monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
    log = tmp_path / "workflow.log"
    code, out, err = run(capsys, "--log", str(log))
    assert (code, err) == (0, "")
    assert "hand for 24: 8/(3-8/3)\n1 solution in " in out
    assert "hand for 24: no solution in " in out
    assert "not 'nine'" in out
    assert "hand for 10: hand for 5: 2+3\n" in out
    assert out.endswith(" ms\nhand for 5: ")
    written = log.read_text()
    assert "3 8 3 8 -> 24\n" in written
    assert "  make 1/3 from 3 3 8: hit\n" in written
    assert "  make 25 from 1 1 1: dead end\n" in written


def test_the_search_of_one_hand_is_written(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    log = tmp_path / "log"
    assert run(capsys, "solve", "3", "8", "3", "8", "--log", str(log))[0] == 0
    assert log.read_text().endswith("make 24 from 3 3 8 8: hit\n")


def test_an_answer_at_the_prompt_is_not_kept_waiting() -> None:
    with subprocess.Popen(RUN, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT) as prompt:
        assert prompt.stdin
        assert prompt.stdout
        prompt.stdin.write("24\n3 8 3 8\n")
        prompt.stdin.flush()
        prompt.stdout.readline()
        assert prompt.stdout.readline() == "target (24): hand for 24: 8/(3-8/3)\n"
        assert prompt.stdout.readline().startswith("1 solution in ")
        prompt.stdin.close()
        assert prompt.wait(60) == 0


def in_shell(command: str, typed: bytes = b"", **environment: str) -> tuple[int, bytes, bytes]:
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


def test_no_character_is_too_much() -> None:
    plain = in_shell("solver deal --seed 7", PYTHONIOENCODING="ascii")
    assert (plain[0], plain[2]) == (0, b"")
    assert re.fullmatch(rb"\d+ \d+ \d+ \d+ -> 24\n", plain[1])
    for encoding in ("ascii", "utf-8"):
        code, out, err = in_shell("solver", "24\né\n3 8 3 8\n".encode() + b"\xff", PYTHONIOENCODING=encoding)
        assert (code, err) == (0, b"")
        assert b"8/(3-8/3)\n" in out
        assert b"\\xff" in out


def test_closed_streams_are_empty_ones() -> None:
    assert in_shell("solver <&-")[::2] == (0, b"")
    assert in_shell("solver solve 3 8 3 8 >&-") == (0, b"", b"")
    assert in_shell("solver solve x 2>&-") == (2, b"", b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no disk that is always full here")
def test_a_full_disk_is_one_line() -> None:
    said = b"twentyfour: can't read or write: No space left on device\n"
    assert in_shell("solver solve 3 8 3 8 >/dev/full") == (2, b"", said)
    assert in_shell("solver solve 3 8 3 8 --log /dev/full")[::2] == (2, said)


def test_a_target_out_of_reach(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "countdown", "5", "6", "--target", "0", "--rules", "classic", "--json")
    assert (code, json.loads(out)["value"], err) == (1, None, "")


def _as_at_a_terminal() -> None:
    """Started in the background the tests ignore Ctrl-C, and so would what they start: as it should be."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_ctrl_c_is_ignored_where_the_shell_says_so() -> None:
    """A program in the background goes on when Ctrl-C is meant for the one in front."""
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
    assert "8/(3-8/3)" in out


def test_ctrl_c_leaves_no_traceback() -> None:
    with subprocess.Popen(
        RUN,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        preexec_fn=_as_at_a_terminal,
    ) as prompt:
        assert prompt.stdout
        assert prompt.stderr
        prompt.stdout.readline()
        prompt.send_signal(signal.SIGINT)
        assert prompt.wait(60) == 130
        assert prompt.stderr.read() == ""


def test_a_closed_pipe_leaves_no_traceback() -> None:
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
