"""Achievements by what they are called."""

from collections.abc import Mapping, Sequence

from bot.i18n import Html, Words
from bot.standings.achievements.queries import Honour
from bot.telegram.messages import player

BETWEEN = " · "


def titles(words: Words) -> dict[str, tuple[str, Html]]:
    """A sign and what it is called, by the name under which it is kept."""
    return {
        "fiendish": ("👹", words.say("Fiend tamer")),
        "lightning": ("⚡", words.say("Lightning")),
        "undaunted": ("🧗", words.say("Undaunted")),
        "row": ("🔥", words.say("Ten in a row")),
        "every idea": ("🧠", words.say("Every idea")),
        "hundred": ("💯", words.say("A hundred hands")),
        "early bird": ("🐦", words.say("Early bird")),
        "night owl": ("🦉", words.say("Night owl")),
        "week": ("🗓", words.say("Seven days")),
        "month": ("🌙", words.say("Thirty days")),
    }


def told(words: Words, honours: Sequence[Honour], names: Mapping[int, str]) -> list[Html]:
    """A line for each person with what they have just earned."""
    return [
        Html(f"🏅 {player(names, honour.player_id)}: {_listed(words, honour.names)}") for honour in honours
    ]


def own(words: Words, honours: Sequence[Honour]) -> list[Html]:
    """The line for whoever reads it alone."""
    return [Html(f"🏅 {_listed(words, honour.names)}") for honour in honours]


def _listed(words: Words, names: Sequence[str]) -> str:
    known = titles(words)
    return BETWEEN.join(known[name][1] for name in names)
