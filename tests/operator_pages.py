"""Read the commands in the operators' pages of the manual."""

import re
from pathlib import Path
from textwrap import dedent

FOLDER = Path(__file__).parent.parent / "docs" / "operators"
PAGES = sorted(FOLDER.glob("*.md"))
BLOCK = re.compile(r"^( *)```(\w+)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)


def read_page(name: str) -> str:
    return (FOLDER / f"{name}.md").read_text("utf-8")


def list_blocks(language: str) -> list[str]:
    """Return the code blocks of all pages in a language, without their indentation."""
    found = (match for page in PAGES for match in BLOCK.finditer(page.read_text("utf-8")))
    return [dedent(text) for _, name, text in (match.groups() for match in found) if name == language]


def list_commands() -> list[str]:
    """Return every command of the pages, without prompt and remark."""
    lines = [line for block in list_blocks("console") for line in block.splitlines()]
    return [line[2:].partition("  #")[0].strip() for line in lines if line.startswith(("$ ", "# "))]


def read_script(text: str) -> str:
    """Return the only block with a command that contains `text`, as a script that ends at the first error."""
    (block,) = (block for block in list_blocks("console") if text in block)
    return "\n".join(["set -e", *(line[2:] for line in block.splitlines())])
