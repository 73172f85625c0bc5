"""A setting as the menu shows it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bot.i18n import Html


@dataclass(frozen=True, slots=True)
class Choice:
    """A button of a setting."""

    code: str  # In the button's data
    label: str
    stored: object = None  # The value to store; None is the default
    submenu: "Sequence[Choice]" = ()  # If there are any, the button opens them and stores nothing


@dataclass(frozen=True, slots=True)
class Setting:
    """One line of the menu, and the page behind it."""

    key: str  # In the chat's stored settings
    title: str
    value: str  # The present choice, as text
    explanation: Html
    choices: Sequence[Choice]
    typing_help: Html | None = None  # How to type a value; None if that can't be done
    parse: Callable[[str], object] | None = None  # The value to store for a typed text; None if unreadable
    suggest: Callable[[str], "Sequence[Choice]"] = lambda _: ()  # Choices near to an unreadable text
    affects_deals: bool = False  # Whether there might be no hands with some values


def find_choice(choices: Sequence[Choice], code: str, parent: str = "") -> tuple[Choice | None, str]:
    """Return the choice with that code and the code of the one that opens it, else (None, "")."""
    for choice in choices:
        if choice.code == code:
            return choice, parent
        found, opener = find_choice(choice.submenu, code, parent=choice.code)
        if found:
            return found, opener
    return None, ""


def make_number_choices(values: Sequence[int]) -> list[Choice]:
    return [Choice(str(n), str(n), n) for n in values]
