"""Print the section of CHANGELOG.md for the notes of a release: `python -m docs.release_notes v1.0.0`."""

import re
import sys
from pathlib import Path

from solver import __version__

CHANGELOG = Path(__file__).parent.parent / "CHANGELOG.md"


def read_notes(tag: str) -> str:
    """Return the section about the version of the tag. Raises ValueError if the code or the changelog has
    another version.
    """
    if tag != f"v{__version__}":
        raise ValueError(f"the tag is {tag}, but solver/__init__.py has {__version__}")
    title = re.escape(f"## [{__version__}] - ") + r"\d{4}-\d\d-\d\d"
    text = CHANGELOG.read_text("utf-8")
    section = re.search(rf"^{title}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    if section is None:
        raise ValueError(f"CHANGELOG.md has no title such as: ## [{__version__}] - 2026-11-29")
    return section[1].strip()


if __name__ == "__main__":
    try:
        print(read_notes(sys.argv[1]))
    except ValueError as error:
        sys.exit(str(error))
