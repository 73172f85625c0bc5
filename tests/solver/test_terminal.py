"""The command line and the prompt on a terminal."""

import re
import sys

from tests.bot.console.pseudo import TerminalProgram

LONG_HAND = "1 2 3 4 5 6 7 8 9 10 11 = 999999937"  # Searched for minutes, and without a solution


def run_solver(*arguments: str, rows: int = 24) -> TerminalProgram:
    return TerminalProgram([sys.executable, "-m", "solver", *arguments], rows=rows)


def list_lines(*arguments: str, rows: int = 24) -> list[str]:
    """Run a command on a terminal, and return the lines that it shows at the end."""
    with run_solver(*arguments, rows=rows) as program:
        assert program.wait_for_exit() == 0
        lines = program.screen.text
    assert lines.pop() == ""
    return lines


def type_line(prompt: TerminalProgram, text: str) -> list[str]:
    """Type a line at the prompt, and return the lines of the answer."""
    start = len(prompt.screen.lines)
    prompt.type_keys(f"{text}\n")
    prompt.wait_until(lambda: is_asked(prompt, start), text)
    return [re.sub(r"\d+\.\d ms", "… ms", line) for line in prompt.screen.text[start:-1]]


def is_asked(prompt: TerminalProgram, start: int) -> bool:
    """Whether the last line, which is at least the one with the number `start`, is a question."""
    lines = prompt.screen.text
    return len(lines) > start and re.fullmatch(r"(target|hand for) .*:", lines[-1]) is not None


def press_ctrl_c(prompt: TerminalProgram) -> list[str]:
    """Press Ctrl-C, and return the lines before the next question."""
    start = len(prompt.screen.lines)
    prompt.type_keys("\x03")
    prompt.wait_until(lambda: is_asked(prompt, start), "Ctrl-C")
    return prompt.screen.text[start:-1]


def test_solve_stops_after_a_page() -> None:
    whole = list_lines("solve", "1", "2", "3", "4", "--target", "10")
    assert len(whole) == 7
    assert list_lines("solve", "1", "2", "3", "4", "= 10", rows=7) == [
        *whole[:3],
        "… 4 more; --all shows them",
    ]
    assert list_lines("solve", "1", "2", "3", "4", "= 10", "--all", rows=7) == whole
    assert list_lines("solve", "1", "2", "3", "4", "= 10", "--limit", "5", rows=7) == whole[:5]
    steps = ["2*3+1*4", "  2*3 = 6", "  1*4 = 4", "  6+4 = 10"]
    explained = list_lines("solve", "1", "2", "3", "4", "= 10", "--explain", rows=9)
    assert explained[4:] == [*steps, "… 5 more; --all shows them"]


def test_prompt_stops_after_a_page_and_shows_the_rest() -> None:
    with run_solver(rows=7) as prompt:
        prompt.wait_for_text("target (24):")
        assert type_line(prompt, "10") == []
        assert type_line(prompt, "all") == ["There is no more to show."]
        shown = type_line(prompt, "1 2 3 4")
        assert shown[:2] == ["1+2+3+4", "2*3+1*4"]
        assert shown[3:] == ["… 4 more; `all` shows them", "7 solutions in … ms"]
        rest = type_line(prompt, "all")
        assert len(rest) == 4 + 1
        assert rest[-2:] == ["4*(3-1/2)", "7 solutions in … ms"]
        assert type_line(prompt, "all") == ["There is no more to show."]
        many = type_line(prompt, "1 2 3 4 5 6 = 24")
        assert many[3:] == ["… 770 more; `all` shows them", "773 solutions in … ms"]


def test_prompt_explains_what_can_be_typed() -> None:
    with run_solver() as prompt:
        prompt.wait_for_text("target (24):")
        explained = type_line(prompt, "help")
        assert explained[0].startswith("3 8 3 8 ")
        assert type_line(prompt, "") == []
        assert type_line(prompt, "?") == explained
        prompt.type_keys("q\n")
        assert prompt.wait_for_exit() == 0


def test_ctrl_c_stops_the_search_and_not_the_prompt() -> None:
    with run_solver() as prompt:
        prompt.wait_for_text("target (24):")
        assert press_ctrl_c(prompt) == ["q ends."]
        type_line(prompt, "")
        prompt.type_keys(f"{LONG_HAND}\n")
        prompt.wait_for_text("searching: ")
        prompt.type_keys("\x03")
        prompt.wait_for_text("hand for 999999937:")
        assert re.fullmatch(r"stopped after \d+\.\d s, 0 found", prompt.screen.text[-2])
        assert not any("searching" in line for line in prompt.screen.text)
        assert type_line(prompt, "3 8 3 8 = 24") == ["8/(3-8/3)", "1 solution in … ms"]
        assert press_ctrl_c(prompt) == ["q ends."]
        assert type_line(prompt, "4 6") == ["4*6", "1 solution in … ms"]
        assert press_ctrl_c(prompt) == ["q ends."], "counted anew behind a hand"
        prompt.type_keys("\x03")
        assert prompt.wait_for_exit() == 130


def test_long_commands_show_their_time() -> None:
    for command in ("countdown 3 4 5 6 7 8 9 10 11 --target 9999991", f"rate {LONG_HAND}"):
        with run_solver(*command.split()) as program:
            program.wait_for_text("searching: ")
            program.type_keys("\x03")
            assert program.wait_for_exit() == 130


def test_yahtzee_labels_its_numbers() -> None:
    with run_solver("yahtzee") as program:
        program.type_keys("1 2 3 4 5\n" * 13 + "\x04")
        assert program.wait_for_exit() == 0
        lines = program.screen.text
    card = lines[lines.index("ones              1") :]
    assert card[5:8] == ["sixes             0", "chance           15", "three of a kind   0"]
    assert card[13:] == ["bonus             0", "total            90", "", ""]
