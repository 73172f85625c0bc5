"""The command line on a terminal."""

import sys

from tests.bot.console.pseudo import TerminalProgram


def run_solver(*arguments: str, rows: int = 24) -> TerminalProgram:
    return TerminalProgram([sys.executable, "-m", "solver", *arguments], rows=rows)


def test_yahtzee_labels_its_numbers() -> None:
    with run_solver("yahtzee") as program:
        program.type_keys("1 2 3 4 5\n" * 13 + "\x04")
        assert program.wait_for_exit() == 0
        lines = program.screen.text
    card = lines[lines.index("ones              1") :]
    assert card[5:8] == ["sixes             0", "chance           15", "three of a kind   0"]
    assert card[13:] == ["bonus             0", "total            90", "", ""]
