"""Achievements as text."""

from collections.abc import Mapping, Sequence

from bot.i18n import Html, Words
from bot.standings.achievements.queries import PlayerAchievements
from bot.telegram.messages import format_player_name

SEPARATOR = " · "


def get_achievement_titles(words: Words) -> dict[str, tuple[str, Html]]:
    """Return an emoji and a title for each achievement, by its name in the database."""
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
    words: Words, earned: Sequence[PlayerAchievements], names: Mapping[int, str]
) -> list[Html]:
    """Render a line for each player, with the player's name."""
    return [Html(f"🏅 {format_player_name(names, who)}: {join_titles(words, own)}") for who, own in earned]


def join_titles(words: Words, names: Sequence[str]) -> str:
    titles = {name: title for name, (_emoji, title) in get_achievement_titles(words).items()}
    return SEPARATOR.join(titles[name] for name in names)
