"""What solves a hand, a page at a time."""

from collections.abc import Sequence

from bot.games.twentyfour.hand import line_of
from bot.i18n import Html, Words, safe
from bot.telegram.messages import Keyboard

PAGE = 10
"""Ideas on a page."""


def solutions(
    words: Words, numbers: Sequence[int], target: int, ideas: Sequence[str], *, complete: bool, page: int = 0
) -> tuple[Html, Keyboard | None]:
    """One page of what solves a hand."""
    line = Html(safe(line_of(numbers, target)))
    if not ideas:
        said = words.say("There is no way.") if complete else words.say("I found no way in the time I take.")
        return Html(f"{line}\n{said}"), None
    pages = -(-len(ideas) // PAGE)
    page = min(max(page, 0), pages - 1)
    here = ideas[page * PAGE : (page + 1) * PAGE]
    shown = [Html(f"<b>{safe(idea)} = {target}</b>") for idea in here]
    count = (
        words.count("{n} idea", "{n} ideas", len(ideas))
        if complete
        else words.count("{n} idea, and there are more", "{n} ideas, and there are more", len(ideas))
    )
    text = Html("\n".join([line, *shown, count]))
    data = f"v:{','.join(map(str, numbers))}={target}:"
    row = [(label, f"{data}{to}") for label, to in (("‹", page - 1), ("›", page + 1)) if 0 <= to < pages]
    return text, [row] if row and all(len(data.encode()) <= 64 for _, data in row) else None
