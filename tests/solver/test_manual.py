"""The pages of the manual for those who use the solver alone: their examples, and their length."""

import doctest
import re
import shlex
from pathlib import Path

import pytest

import solver
from solver import yahtzee
from solver.__main__ import main

ROOT = Path(__file__).parents[2]
NAMES = ("language-models", "programmers", "puzzle-books")
PAGES = [ROOT / "docs" / "developers" / f"{name}.md" for name in NAMES]
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ twentyfour (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
MAX_WORDS = 700


def test_readme_names_the_pages() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    assert all(f"(docs/developers/{page.name})" in readme for page in PAGES)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page_is_short(page: Path) -> None:
    assert len(page.read_text("utf-8").split()) < MAX_WORDS


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_python_examples_run(page: Path) -> None:
    result = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert result.attempted
    assert not result.failed


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_shell_examples_run(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    blocks = "".join(BLOCK.findall(page.read_text("utf-8")))
    examples = COMMAND.findall(blocks)
    assert len(examples) == len(re.findall(r"^\$ ", blocks, re.MULTILINE)) > 0
    for command, printed in examples:
        main(shlex.split(command))
        out, err = capsys.readouterr()
        assert out + err == printed, command


def test_reference_has_every_public_name() -> None:
    page = (ROOT / "docs" / "developers" / "reference.md").read_text("utf-8")
    constants = page.partition("## Constants")[2]
    cells = re.findall(r"^\| (`.+?) \|", constants, re.MULTILINE)
    documented = [
        *re.findall(r"^::: solver\.(\S+)$", page, re.MULTILINE),
        *re.findall(r"`(.+?)`", "\n".join(cells)),
    ]
    public = {*solver.__all__} - {"yahtzee"} | {f"yahtzee.{name}" for name in yahtzee.__all__}
    # Functions that hide their modules are named with these
    assert sorted(re.sub(r"^(\w+)\.\1$", r"\1", name) for name in documented) == sorted(public)
