"""A command as people type it, on whatever keyboard."""

import re

NAME = re.compile(r"/[A-Za-z0-9_]{1,32}(?:@[A-Za-z0-9_]{1,32})?")
WIDE = "０-９"
"""Digits as Chinese and Japanese keyboards type them. Telegram sees no command where one stands behind it."""
PLAIN = str.maketrans("０１２３４５６７８９　，", "0123456789 ,")


def command(text: str) -> str:
    """The command with a space before what stands behind it, which is in plain digits and spaces.

    `/play１３` and `/play　１３` are `/play 13`; whatever is no command stays as it is.
    """
    named = NAME.match(text)
    if named is None:
        return text
    behind = text[named.end() :]
    gap = " " if re.match(f"[{WIDE}]", behind) else ""
    return named[0] + gap + behind.translate(PLAIN)
