"""Checks of requests, results and updates, compiled from the Bot API's description.

`bot-api.json` comes from https://github.com/PaulSonOfLars/telegram-bot-api-spec (MIT), cut down by `trim`;
`bot-api-new.json` adds the ephemeral messages of Bot API 10.2 and 10.3, and settings of the bot of 10.5, as
aiogram (MIT) describes them.
Unknown and missing fields, wrong types and wrong lengths are problems.
"""

import json
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

Check = Callable[[Any, str, list[str]], None]  # (value, where it is, problems found so far, to which it adds)

LIST = "Array of "
SCALARS: dict[str, tuple[type, ...]] = {
    "Integer": (int,),
    "Float": (int, float),
    "String": (str,),
    "Boolean": (bool,),
}
TRUTH = {"true": True, "True": True, "1": True, "false": False, "False": False, "0": False}


class Schema:
    """All methods and types of the Bot API; checks are compiled at first use."""

    def __init__(self, description: Mapping[str, Any]) -> None:
        self.version: str = description["version"]
        self._methods = {name.lower(): (name, entry) for name, entry in description["methods"].items()}
        self._types: Mapping[str, Any] = description["types"]
        self._checks: dict[str, Check] = {}
        self._parameters: dict[str, dict[str, tuple[tuple[str, ...], Check]]] = {}
        self._required: dict[str, tuple[str, ...]] = {}

    def find_method(self, method: str) -> str | None:
        """Return the method's documented name (the API ignores case); None if there is no such method."""
        found = self._methods.get(method.lower())
        return found[0] if found else None

    def result_types(self, method: str) -> list[str]:
        """Return the types that the method's result may have."""
        kinds: list[str] = self._methods[method.lower()][1]["returns"]
        return kinds

    def read(self, method: str, raw: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
        """Return the request's parameters as values (form fields are text), and their problems."""
        values = self.decode(method, raw)
        known = self._parameters[method]
        problems = [f"{method}.{name}: missing" for name in self._required[method] if name not in raw]
        for name, value in values.items():
            if name in known:
                known[name][1](value, f"{method}.{name}", problems)
            else:
                problems.append(f"{method}.{name}: unknown parameter")
        return values, problems

    def decode(self, method: str, raw: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters as values, unchecked."""
        if method not in self._parameters:
            self._compile_method(method)
        known = self._parameters[method]
        return {
            name: decode_value(given, known[name][0]) if name in known else given
            for name, given in raw.items()
        }

    def find_problems(self, kind: str, value: Any) -> list[str]:
        """Return the problems of a value of a `kind`, such as `Update` or `Array of User`."""
        found: list[str] = []
        self.compile_check(kind)(value, kind, found)
        return found

    def compile_check(self, kind: str) -> Check:
        """Return the compiled check for a kind."""
        found = self._checks.get(kind)
        if found is None:
            # Types refer to themselves (a message in a message), so the name is bound before the body.
            self._checks[kind] = lambda value, at, problems: self._checks[kind](value, at, problems)
            self._checks[kind] = found = self._compile(kind)
        return found

    def _compile(self, kind: str) -> Check:
        if kind.startswith(LIST):
            return _make_list_check(self.compile_check(kind.removeprefix(LIST)))
        if kind in SCALARS:
            return _make_scalar_check(kind)
        if kind == "InputFile":
            return _check_file
        entry = self._types[kind]
        if "subtypes" in entry:
            return self._make_union_check(entry["subtypes"])
        return self._make_object_check(entry.get("fields", ()))

    def _make_union_check(self, kinds: list[str]) -> Check:
        """Return a check that chooses a type by its field with a fixed value, or takes any type that fits."""
        tagged: dict[str, dict[Any, Check]] = {}
        rest: list[Check] = []
        for kind in kinds:
            tag = self._find_tag(kind)
            if tag:
                tagged.setdefault(tag[0], {}).setdefault(tag[1], self.compile_check(kind))
            else:
                rest.append(self.compile_check(kind))

        def check(value: Any, at: str, problems: list[str]) -> None:
            candidates = rest
            if isinstance(value, dict):
                candidates = rest + [c[value[t]] for t, c in tagged.items() if value.get(t) in c]
            _check_any(candidates, value, at, problems)

        return check

    def _find_tag(self, kind: str) -> tuple[str, str] | None:
        fields = self._types[kind].get("fields", ()) if kind in self._types else ()
        return next(((field["name"], field["value"]) for field in fields if "value" in field), None)

    def _make_object_check(self, fields: list[dict[str, Any]]) -> Check:
        checks = {field["name"]: self._make_field_check(field) for field in fields}
        required = tuple(field["name"] for field in fields if field["required"])

        def check(value: Any, at: str, problems: list[str]) -> None:
            if not isinstance(value, dict):
                problems.append(f"{at}: not an object: {value!r}")
                return
            problems += [f"{at}.{name}: missing" for name in required if name not in value]
            for name, part in value.items():
                inner = checks.get(name)
                if inner is None:
                    problems.append(f"{at}.{name}: unknown field")
                else:
                    inner(part, f"{at}.{name}", problems)

        return check

    def _make_field_check(self, field: dict[str, Any]) -> Check:
        kinds = [self.compile_check(kind) for kind in field["types"]]
        check: Check = kinds[0]
        if len(kinds) > 1:

            def check(value: Any, at: str, problems: list[str]) -> None:
                _check_any(kinds, value, at, problems)

        if "value" in field:
            check = _make_value_check(field["value"])
        if "length" in field:
            check = _make_length_check(check, *field["length"])
        return check

    def field_types(self, kind: str) -> dict[str, list[str]]:
        """Return the kinds that each field of an object may have."""
        return {field["name"]: field["types"] for field in self._types[kind].get("fields", ())}

    def make_sample(self, kind: str) -> Any:
        """Return a minimal value of a kind without problems."""
        plain: dict[str, Any] = {"Integer": 1, "Float": 1.0, "String": "sample", "Boolean": True}
        if kind in plain:
            return plain[kind]
        if kind.startswith(LIST):
            return []
        entry = self._types[kind]
        if "subtypes" in entry:
            return self.make_sample(entry["subtypes"][0])
        required = (field for field in entry.get("fields", ()) if field["required"])
        return {f["name"]: f["value"] if "value" in f else self.make_sample(f["types"][0]) for f in required}

    def _compile_method(self, method: str) -> None:
        fields = self._methods[method.lower()][1].get("fields", ())
        self._parameters[method] = {f["name"]: (tuple(f["types"]), self._make_field_check(f)) for f in fields}
        self._required[method] = tuple(field["name"] for field in fields if field["required"])


@cache
def bot_api() -> Schema:
    """Return the schema of `bot-api.json` and `bot-api-new.json`."""
    whole, newer = (_read(name) for name in ("bot-api.json", "bot-api-new.json"))
    for group in ("methods", "types"):
        for name, entry in newer[group].items():
            known = whole[group].setdefault(name, {"fields": []} | entry)
            fields = {field["name"]: field for field in (*known["fields"], *entry["fields"])}
            known["fields"] = list(fields.values())
    return Schema(whole)


def _read(name: str) -> Any:
    return json.loads(Path(__file__).with_name(name).read_text(encoding="utf-8"))


def decode_value(given: Any, kinds: tuple[str, ...]) -> Any:
    """Return a parameter's value; forms and queries carry numbers, booleans and objects as text."""
    if not isinstance(given, str) or kinds == ("String",):
        return given
    if "Boolean" in kinds:
        return TRUTH.get(given, given)
    if "Integer" in kinds and given.lstrip("-").isascii() and given.lstrip("-").isdigit():
        return int(given)
    if "String" in kinds or "Integer" in kinds:
        return given
    try:
        return json.loads(given)
    except ValueError:
        return given


def _make_scalar_check(kind: str) -> Check:
    allowed = SCALARS[kind]

    def check(value: Any, at: str, problems: list[str]) -> None:
        if not isinstance(value, allowed) or (kind != "Boolean" and isinstance(value, bool)):
            problems.append(f"{at}: not of type {kind}: {value!r}")

    return check


def _make_list_check(each: Check) -> Check:
    def check(value: Any, at: str, problems: list[str]) -> None:
        if not isinstance(value, list):
            problems.append(f"{at}: not a list: {value!r}")
            return
        for index, part in enumerate(value):
            each(part, f"{at}[{index}]", problems)

    return check


def _make_value_check(fixed: str) -> Check:
    def check(value: Any, at: str, problems: list[str]) -> None:
        if value != fixed:
            problems.append(f"{at}: must be {fixed!r}: {value!r}")

    return check


def _make_length_check(inner: Check, least: int, most: int, unit: str) -> Check:
    def check(value: Any, at: str, problems: list[str]) -> None:
        inner(value, at, problems)
        length = len(value.encode() if unit == "bytes" else value) if isinstance(value, str) else least
        if not least <= length <= most:
            problems.append(f"{at}: {length} {unit}, not {least}-{most}")

    return check


def _check_file(value: Any, at: str, problems: list[str]) -> None:
    """Check a file: uploaded bytes, an id, an address, or `attach://` with a part's name."""
    if not isinstance(value, bytes | str):
        problems.append(f"{at}: not a file: {value!r}")


def _check_any(checks: list[Check], value: Any, at: str, problems: list[str]) -> None:
    """Require one of the checks to pass; otherwise add the problems of the closest."""
    closest: list[str] | None = None
    for check in checks:
        found: list[str] = []
        check(value, at, found)
        if not found:
            return
        if closest is None or len(found) < len(closest):
            closest = found
    problems += closest if closest is not None else [f"{at}: no known kind: {value!r}"]
