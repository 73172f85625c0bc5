"""Cut the published description of the Bot API down to what `schema` checks.

    python -m tests.telegram.trim api.json > tests/telegram/bot-api.json

`api.json` is https://github.com/PaulSonOfLars/telegram-bot-api-spec (MIT). A field keeps its name,
types and whether it is required; of its description a fixed value (`must be photo`, `always "emoji"`) and a
length (`1-64 bytes`). Lengths "after entities parsing" are checked by the methods.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

FIXED = re.compile(r'\b(?:must be|always) ["“]?([a-z_0-9]+)["”]?(?: or ["“]?([a-z_0-9]+)["”]?)?$')
LENGTH = re.compile(r"(\d+)-(\d+) (characters|bytes)")
DISCRIMINATORS = frozenset({"type", "status", "source"})
COUNTED_BY_METHODS = frozenset({"message_text", "caption", "callback_data"})


def trim_field(field: dict[str, Any]) -> dict[str, Any]:
    """Return a field without its description; `value` is a fixed value, `length` is [least, most, unit]."""
    kept: dict[str, Any] = {"name": field["name"], "types": field["types"], "required": field["required"]}
    prose = field["description"]
    fixed = FIXED.search(prose)
    if field["name"] in DISCRIMINATORS and fixed:
        kept["value"] = fixed[1]
    length = LENGTH.search(prose)
    if length and "after entities" not in prose and field["name"] not in COUNTED_BY_METHODS:
        kept["length"] = [int(length[1]), int(length[2]), length[3]]
        if int(length[2]) == 4096:
            del kept["length"]
    return kept


def trim_entry(entry: dict[str, Any]) -> dict[str, Any]:
    """Return a method or type without its description."""
    kept: dict[str, Any] = {key: entry[key] for key in ("returns", "subtypes") if key in entry}
    if "fields" in entry:
        kept["fields"] = [trim_field(field) for field in entry["fields"]]
    return kept


def main(path: str) -> None:
    whole = json.loads(Path(path).read_text(encoding="utf-8"))
    lines = [
        f'"version": {json.dumps(whole["version"])}',
        '"source": "PaulSonOfLars/telegram-bot-api-spec, MIT"',
    ]
    for group in ("methods", "types"):
        entries = (
            f"{json.dumps(name)}: {json.dumps(trim_entry(entry), separators=(',', ':'))}"
            for name, entry in whole[group].items()
        )
        lines.append(f'"{group}": {{\n' + ",\n".join(entries) + "\n}")
    sys.stdout.write("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main(sys.argv[1])
