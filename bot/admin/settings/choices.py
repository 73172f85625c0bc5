"""One setting as the menu shows it, whoever owns it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bot.i18n import Html


@dataclass(frozen=True, slots=True)
class Choice:
    """A button of a setting."""

    code: str  # Stands in the button's data
    label: str
    stored: object = None  # What is kept; None is the default
    submenu: "Sequence[Choice]" = ()  # The choices that the button leads to; it then stores nothing itself


@dataclass(frozen=True, slots=True)
class Setting:
    """One line of the menu."""

    key: str  # The name under which it is stored
    title: str
    value: str  # What holds now
    explanation: Html  # What it does
    choices: Sequence[Choice]
    typing_help: Html | None = None  # How to type a value, where that can be done
    parse: Callable[[str], object] | None = None  # The value that was typed; None where it can't be read
    # The choices that may have been meant by a text that can't be read.
    suggest: Callable[[str], "Sequence[Choice]"] = lambda _: ()
    affects_deals: bool = False  # Whether it decides which puzzles there are


def find_choice(choices: Sequence[Choice], code: str, parent: str = "") -> tuple[Choice | None, str]:
    """Return the choice of that code, None if there is none; and the code of the choice that opens it, empty
    where none does.
    """
    for choice in choices:
        found = (choice, parent) if choice.code == code else find_choice(choice.submenu, code, choice.code)
        if found[0]:
            return found
    return None, ""


def make_number_choices(values: Sequence[int]) -> list[Choice]:
    """A button for each number."""
    return [Choice(str(n), str(n), n) for n in values]
