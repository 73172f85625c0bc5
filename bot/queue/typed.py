"""A command as people type it, on whatever keyboard."""

import re
from collections.abc import Collection

NAME = re.compile(r"/[A-Za-z0-9_]{1,32}(?:@[A-Za-z0-9_]{1,32})?")
# Digits as Chinese and Japanese keyboards type them. Telegram sees no command where one stands behind it.
WIDE_DIGITS = "０-９"
PLAIN = str.maketrans("０１２３４５６７８９　，", "0123456789 ,")
# Digits right behind a name. Telegram takes them for a part of it, which they are where a bot is named.
GLUED_DIGITS = "[0-9][0-9AJQKajqkxX]*(?![A-Za-z0-9_@])"
GLUED = re.compile(f"/([A-Za-z_]{{1,32}})(?={GLUED_DIGITS})")


def normalize_command(text: str, names: Collection[str] = ()) -> str:
    """The command with a space before what stands behind it, which is in plain digits and spaces.

    `/play１３` and `/play　１３` are `/play 13`, and so is `/play13` where `play` is among the `names` of
    commands; whatever is no command stays as it is.
    """
    glued = GLUED.match(text)
    named = glued if glued and glued[1].lower() in names else NAME.match(text)
    if named is None:
        return text
    behind = text[named.end() :]
    gap = " " if named is glued or re.match(f"[{WIDE_DIGITS}]", behind) else ""
    return named[0] + gap + behind.translate(PLAIN)
