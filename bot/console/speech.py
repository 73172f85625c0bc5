"""In which language the terminal is spoken to: as gettext chooses it, by the environment."""

from collections.abc import Mapping

from bot.i18n import SOURCE, spoken

UNSPOKEN = {"", "C", "POSIX"}
"""Locales that are no language."""


def language(environment: Mapping[str, str]) -> str:
    """The language of a person at this terminal, as a tag such as zh-CN; English where none is set.

    LC_ALL goes before LC_MESSAGES and that before LANG; LANGUAGE, a list in order of preference, goes before
    all of them unless they say that no language is wanted.
    """
    names = ("LC_ALL", "LC_MESSAGES", "LANG")
    locale = next((environment[name] for name in names if environment.get(name)), "")
    if _tag(locale) in UNSPOKEN:
        return SOURCE
    wanted = [_tag(each) for each in environment.get("LANGUAGE", "").split(":")]
    return next((tag for tag in wanted if _is_spoken(tag)), _tag(locale))


def _tag(locale: str) -> str:
    return locale.partition(".")[0].partition("@")[0].replace("_", "-")


def _is_spoken(tag: str) -> bool:
    return tag not in UNSPOKEN and (spoken(tag) != SOURCE or tag.lower().partition("-")[0] == SOURCE)
