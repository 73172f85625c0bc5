"""Choices: as they are stored, and as the settings menu shows them."""

import json
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field

from bot.database import parse_object
from bot.i18n import Html


@dataclass(frozen=True, slots=True)
class StoredChoices:
    """The choices made in a chat or for a deal: a stored JSON object, without what was not chosen.

    A value that is not allowed, or of another type than is read, counts as not chosen.
    """

    values: Mapping[str, object] = field(default_factory=dict)

    @classmethod
    def parse(cls, text: str | None) -> "StoredChoices":
        return cls(parse_object(text))

    def __str__(self) -> str:
        return json.dumps(self.values)

    def replace(self, key: str, value: object) -> "StoredChoices":
        """Return the choices with this one in place of an earlier; None removes it."""
        others = {name: choice for name, choice in self.values.items() if name != key}
        return StoredChoices(others if value is None else {**others, key: value})

    def get_number(self, key: str, allowed: Container[int]) -> int | None:
        value = self.values.get(key)
        # `isinstance` would accept a bool
        return value if type(value) is int and value in allowed else None

    def get_text(self, key: str) -> str:
        """Return the chosen text; an empty one if none was chosen."""
        value = self.values.get(key)
        return value if isinstance(value, str) else ""

    def get_switch(self, key: str, *, default: bool = False) -> bool:
        value = self.values.get(key)
        return value if isinstance(value, bool) else default

    def get_list(self, key: str) -> Sequence[object]:
        """Return the chosen list; an empty one if none was chosen."""
        value = self.values.get(key)
        return value if isinstance(value, list) else ()


NO_CHOICES = StoredChoices()


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


def tick(label: str, *, is_on: bool) -> str:
    return f"✓ {label}" if is_on else label
