"""Tab in the terminal: commands and names are completed at once, before the next key is looked at."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from prompt_toolkit.completion import Completer
    from prompt_toolkit.key_binding.key_processor import KeyPressEvent

COMPLETED = re.compile(r"(@\w+\s+)?(>\s*)?/\w*|@\w*")
"""A line that begins with a command or a name and goes no further."""


def completer(typed: str, words: Mapping[str, str]) -> "Completer | None":
    """What completes the line typed so far; None where nothing is to be completed."""
    from prompt_toolkit.completion import WordCompleter

    if not COMPLETED.fullmatch(typed):
        return None
    return WordCompleter(list(words), ignore_case=True, meta_dict=words, pattern=re.compile(r"[/@]\w*"))


def complete(event: "KeyPressEvent", by: "Completer | None") -> None:
    """What all completions share stands there at once: Enter may follow. Of several there is a menu."""
    from prompt_toolkit.completion import CompleteEvent, get_common_complete_suffix

    buffer = event.current_buffer
    if buffer.complete_state or by is None:
        buffer.complete_next()
        return
    found = list(by.get_completions(buffer.document, CompleteEvent(completion_requested=True)))
    if len(found) == 1:
        buffer.apply_completion(found[0])
    elif found:
        buffer.insert_text(get_common_complete_suffix(buffer.document, found))
        buffer.start_completion()
