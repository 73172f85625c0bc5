"""Achievements by what they are called."""

from collections.abc import Mapping, Sequence

from bot.i18n import Html, Words
from bot.standings.achievements.queries import PlayerAchievements
from bot.telegram.messages import format_player_name

SEPARATOR = " · "


def get_achievement_titles(words: Words) -> dict[str, tuple[str, Html]]:
    """A sign and what it is called, by the name under which it is kept."""
    return {
        "fiendish": ("👹", words.translate("Fiend tamer")),
        "lightning": ("⚡", words.translate("Lightning")),
        "undaunted": ("🧗", words.translate("Undaunted")),
        "row": ("🔥", words.translate("Ten in a row")),
        "every idea": ("🧠", words.translate("Every idea")),
        "hundred": ("💯", words.translate("A hundred hands")),
        "early bird": ("🐦", words.translate("Early bird")),
        "night owl": ("🦉", words.translate("Night owl")),
        "week": ("🗓", words.translate("Seven days")),
        "month": ("🌙", words.translate("Thirty days")),
    }


def render_achievement_lines(
    words: Words, honours: Sequence[PlayerAchievements], names: Mapping[int, str]
) -> list[Html]:
    """A line for each person with what they have just earned."""
    return [
        Html(f"🏅 {format_player_name(names, honour.player_id)}: {_listed(words, honour.names)}")
        for honour in honours
    ]


def render_own_achievement_lines(words: Words, honours: Sequence[PlayerAchievements]) -> list[Html]:
    """The line for whoever reads it alone."""
    return [Html(f"🏅 {_listed(words, honour.names)}") for honour in honours]


def _listed(words: Words, names: Sequence[str]) -> str:
    known = get_achievement_titles(words)
    return SEPARATOR.join(known[name][1] for name in names)
