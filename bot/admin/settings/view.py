"""The settings menu: one message that lists what holds, or explains one setting and offers its choices."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from bot import zones
from bot.admin.settings.choices import Choice, Setting, make_number_choices
from bot.admin.settings.post_hours import format_local_time, format_minute, make_setting
from bot.admin.settings.preferences import (
    GENERAL_TOPIC,
    PICTURES_KEY,
    SECRET_KEY,
    TIMEZONE_KEY,
    Pictures,
    Preferences,
    QuietHours,
    pack_quiet_hours,
    parse_quiet_hours,
)
from bot.i18n import Html, Words, escape_value, format_name, list_languages
from bot.rounds.game import Game
from bot.rounds.puzzle import LEVELS, render_level
from bot.rounds.registry import DEFAULT_GAME, GAMES, ask_game_safely
from bot.telegram.messages import Keyboard

LANGUAGE_NAMES = {
    "en": "English",
    "zh_Hans": "简体中文",
    "zh_Hant": "繁體中文",
    "es": "Español",
    "ru": "Русский",
}
LIMITS = (1, 2, 5, 10, 30, 60)  # Minutes
RATES = (3, 6, 12, 30)
NIGHTS = ((22, 7), (23, 6), (8, 13))  # Hours
SUPERGROUP = 10**12  # What the id of a supergroup lies under zero beyond the number in its links
CITIES = 24  # Cities that one page lists at most
LINES = 13  # Settings that one page of the menu lists at most
PAGES = ("", "more")  # Codes of the menu's pages
TYPE = "?"  # The code of the button that asks for a typed value


@dataclass(frozen=True, slots=True)
class MenuPlace:
    """Where and when the menu stands."""

    private: bool
    topic: int  # The topic of a forum that is at hand; 0 where there are none
    now: float


def render_menu(words: Words, every: Sequence[Setting], page: str = "") -> tuple[Html, Keyboard]:
    """What holds now, a line a setting, with a button for each; `page` is the code of the page to show."""
    pages = _pages(every)
    here = page if page in pages else PAGES[0]
    buttons = [(s.title, f"o:{s.key}") for s in pages[here]]
    rows = [buttons[at : at + 2] for at in range(0, len(buttons), 2)]
    turns = [(words.translate_plain("More…"), f"o:{code}") for code in pages if code != here]
    lines = [_held(words, s) for s in pages[here]]
    return Html("\n".join(lines)), [*rows, [*turns, (words.translate_plain("Done"), "o:done")]]


def _pages(every: Sequence[Setting]) -> dict[str, Sequence[Setting]]:
    """The settings by pages that fit a phone's screen, under their codes."""
    parts = (every[:LINES], every[LINES:])
    return {code: part for code, part in zip(PAGES, parts, strict=True) if part}


def find_page_code(every: Sequence[Setting], key: str) -> str:
    """The code of the page that lists a setting."""
    return next((code for code, part in _pages(every).items() if key in {s.key for s in part}), PAGES[0])


def _held(words: Words, setting: Setting) -> Html:
    """A setting's name and what holds now, with the colon of the language."""
    return words.translate("<b>{title}</b>: {value}", title=setting.title, value=setting.value)


def render_setting(
    words: Words,
    setting: Setting,
    *,
    asking: bool = False,
    trouble: str = "",
    back_to: str = "",
    choices: Sequence[Choice] | None = None,
) -> tuple[Html, Keyboard]:
    """One setting and its choices; `asking` says how to type a value, `trouble` why the last one won't do.

    `back_to` is what the button back sends behind `o:`. `choices` are shown in place of the setting's own:
    those that one of these opens, or those that a typed value may have meant.
    """
    lines = [_held(words, setting), setting.explanation, escape_value(trouble)]
    if trouble and choices:
        lines.append(words.translate("Did you mean one of these?"))
    if asking and setting.typing_help:
        lines += [setting.typing_help, words.translate("Reply to this message. /cancel leaves it.")]
    shown = choices or (() if asking else setting.choices)
    buttons = [(c.label, f"o:{setting.key}:{c.code}") for c in shown]
    if setting.typing_help and shown is setting.choices:
        buttons.append((words.translate_plain("Another…"), f"o:{setting.key}:{TYPE}"))
    rows = [buttons[at : at + 3] for at in range(0, len(buttons), 3)]
    return Html("\n".join(filter(None, lines))), [*rows, [(words.translate_plain("‹ Back"), f"o:{back_to}")]]


def make_settings(words: Words, chosen: Preferences, place: MenuPlace) -> list[Setting]:
    """What can be chosen in a chat, in the order of the menu; what other games than the usual have, last."""
    every = [
        _language(words, chosen),
        _level(words, chosen),
        *DEFAULT_GAME.list_settings(words, chosen.stored),
        _seconds(words, chosen),
        _hints(words, chosen),
        _timezone(words, chosen, place),
        make_setting(words, chosen, private=place.private, now=place.now),
        *([] if place.private else _of_groups(words, chosen, place)),
        *([] if place.private else [_secret(words, chosen)]),
        _pictures(words, chosen),
        *(
            own
            for game in GAMES.values()
            if game is not DEFAULT_GAME
            for own in _of_game(words, chosen, game)
        ),
    ]
    return [replace(s, choices=[_marked(s, c) for c in s.choices]) for s in every]


def _of_game(words: Words, chosen: Preferences, game: Game[Any]) -> Sequence[Setting]:
    return ask_game_safely(game, lambda game: game.list_settings(words, chosen.stored), ())


def _of_groups(words: Words, chosen: Preferences, place: MenuPlace) -> list[Setting]:
    """What only matters where several people play."""
    return [
        _rounds(words, chosen),
        _quiet(words, chosen, place),
        _plain(words, chosen),
        _topic(words, chosen, place),
    ]


def _marked(setting: Setting, choice: Choice) -> Choice:
    """The choice with a tick if it is what holds now."""
    return replace(choice, label=f"✓ {choice.label}") if choice.label == setting.value else choice


def _language(words: Words, chosen: Preferences) -> Setting:
    automatic = words.translate_plain("automatic")
    names = [(code, LANGUAGE_NAMES.get(code, code)) for code in list_languages()]
    return Setting(
        "language",
        words.translate_plain("Language"),
        dict(names).get(chosen.language or "", automatic),
        words.translate("Automatic: as you speak to me."),
        [Choice("auto", automatic), *(Choice(code, name, code) for code, name in names)],
    )


def _level(words: Words, chosen: Preferences) -> Setting:
    return Setting(
        "level",
        words.translate_plain("Level"),
        render_level(words, chosen.level) if chosen.level else words.translate_plain("any"),
        words.translate("How hard the hands are."),
        [
            Choice("any", words.translate_plain("any")),
            *(Choice(name, render_level(words, name), name) for name in LEVELS),
        ],
        affects_deals=True,
    )


def _seconds(words: Words, chosen: Preferences) -> Setting:
    minutes, rest = divmod(chosen.seconds, 60)
    seconds = words.translate_plural("{n} second", "{n} seconds", chosen.seconds)
    return Setting(
        "seconds",
        words.translate_plain("Time limit"),
        seconds if rest else _minutes(words, minutes),
        words.translate("How long you have before I show how it is done."),
        [Choice(str(m), _minutes(words, m), m * 60) for m in LIMITS],
    )


def _minutes(words: Words, minutes: int) -> str:
    return words.translate_plural("{n} minute", "{n} minutes", minutes)


def _rounds(words: Words, chosen: Preferences) -> Setting:
    unlimited = words.translate_plain("no limit")
    return Setting(
        "rounds_an_hour",
        words.translate_plain("Rounds an hour"),
        str(chosen.rounds_an_hour or unlimited),
        words.translate("How many hands I deal in an hour at most."),
        [Choice("any", unlimited), *make_number_choices(RATES)],
    )


def _quiet(words: Words, chosen: Preferences, place: MenuPlace) -> Setting:
    off = words.translate_plain("none")
    presets = [QuietHours(start * 60, end * 60) for start, end in NIGHTS]
    nights = [
        Choice(f"{q.start // 60}-{q.end // 60}", format_quiet_hours(q), pack_quiet_hours(q)) for q in presets
    ]
    return Setting(
        "quiet",
        words.translate_plain("Quiet hours"),
        format_quiet_hours(chosen.quiet) if chosen.quiet else off,
        words.translate(
            "No hands in these hours. I go by {zone}: it is {time} there now.",
            time=format_local_time(chosen.zone, place.now),
            zone=zones.format_zone(chosen.zone),
        ),
        [Choice("off", off), *nights],
        words.translate("Type the hours, like this: 22:30-7:00"),
        lambda typed: pack_quiet_hours(parse_quiet_hours(typed)),
    )


def _timezone(words: Words, chosen: Preferences, place: MenuPlace) -> Setting:
    regions = {
        "Africa": words.translate_plain("Africa"),
        "America": words.translate_plain("America"),
        "Antarctica": words.translate_plain("Antarctica"),
        "Asia": words.translate_plain("Asia"),
        "Atlantic": words.translate_plain("Atlantic Ocean"),
        "Australia": words.translate_plain("Australia"),
        "Europe": words.translate_plain("Europe"),
        "Indian": words.translate_plain("Indian Ocean"),
        "Pacific": words.translate_plain("Pacific Ocean"),
    }
    return Setting(
        TIMEZONE_KEY,
        words.translate_plain("Time zone"),
        f"{zones.format_zone(chosen.zone)} · {format_local_time(chosen.zone, place.now)}",
        words.translate("Hours, days and weeks here go by it."),
        [
            Choice("UTC", "UTC", "UTC"),
            *(Choice(code, name, submenu=_cities(code)) for code, name in regions.items()),
        ],
        words.translate("Type a city or a zone, like this: Europe/Madrid"),
        zones.find_zone,
        lambda typed: [
            Choice(name, zones.format_zone(zones.get_zone(name)), name) for name in zones.suggest_zones(typed)
        ],
    )


@cache
def _cities(region: str) -> Sequence[Choice]:
    """The cities of a region; where they don't fit a screen, buttons that open parts of the alphabet."""
    here = [name for name in zones.list_city_zones() if name.startswith(f"{region}/")]
    cities = [Choice(name, name.rpartition("/")[2].replace("_", " "), name) for name in here]
    cities.sort(key=lambda city: city.label)
    parts = [cities[at : at + CITIES] for at in range(0, len(cities), CITIES)]
    if len(parts) == 1:
        return cities
    spans = [f"{part[0].label} – {part[-1].label}" for part in parts]
    return [Choice(f"{region}:{n}", spans[n], submenu=part) for n, part in enumerate(parts)]


def format_quiet_hours(quiet: QuietHours) -> str:
    """`22:00–7:00`."""
    return f"{format_minute(quiet.start)}–{format_minute(quiet.end)}"


def _plain(words: Words, chosen: Preferences) -> Setting:
    return _switch(
        words,
        "plain",
        words.translate_plain("Plain messages"),
        words.translate("Whether an answer counts without a reply or /a."),
        on=chosen.reads_plain_answers,
    )


def _secret(words: Words, chosen: Preferences) -> Setting:
    """Off unless somebody chooses it, so the stored values are the other way round."""
    sentence = words.translate(
        "Whether only its author sees a wrong answer and why it is wrong; /a is secret then."
    )
    switch = _switch(
        words, SECRET_KEY, words.translate_plain("Secret answers"), sentence, on=chosen.secret_answers
    )
    stored = {"1": True, "0": None}
    return replace(switch, choices=[replace(c, stored=stored[c.code]) for c in switch.choices])


def _hints(words: Words, chosen: Preferences) -> Setting:
    sentence = words.translate("Whether there are hints. Each costs the winner a point.")
    return _switch(words, "hints", words.translate_plain("Hints"), sentence, on=chosen.hints)


def _pictures(words: Words, chosen: Preferences) -> Setting:
    labels = {
        Pictures.OFF: words.translate_plain("off"),
        Pictures.CARDS: words.translate_plain("cards only"),
        Pictures.ALL: words.translate_plain("all"),
    }
    return Setting(
        PICTURES_KEY,
        words.translate_plain("Pictures"),
        labels[chosen.pictures],
        words.translate(
            "Whether I show cards, tiles and dice as pictures. "
            "With “all” also how rounds ended, figures, boards and weeks."
        ),
        [Choice(each.value, label, each.value) for each, label in labels.items()],
    )


def _switch(words: Words, key: str, title: str, sentence: Html, *, on: bool) -> Setting:
    labels = words.translate_plain("on"), words.translate_plain("off")
    return Setting(
        key, title, labels[0 if on else 1], sentence, [Choice("1", labels[0]), Choice("0", labels[1], False)]
    )


def _topic(words: Words, chosen: Preferences, place: MenuPlace) -> Setting:
    anywhere, here = words.translate_plain("any topic"), words.translate_plain("this topic")
    tied = chosen.topic_name or words.translate_plain("one topic")
    value = anywhere if not chosen.topic else here if chosen.topic == place.topic else tied
    choices = [Choice("any", anywhere)]
    if place.topic:
        choices.append(Choice("here", here, place.topic))
    return Setting(
        "topic",
        words.translate_plain("Topic"),
        value,
        words.translate("In any topic, or only where you choose “this topic”."),
        choices,
    )


def render_topic_link(words: Words, chat_id: int, chosen: Preferences) -> Html:
    """The one topic that a chat plays in, as a link to it."""
    shown = format_name(chosen.topic_name) if chosen.topic_name else words.translate("that topic")
    if chosen.topic == GENERAL_TOPIC and not chosen.topic_name:
        shown = words.translate("General")
    number = -chat_id - SUPERGROUP
    return (
        Html(f'<a href="https://t.me/c/{number}/{chosen.topic}">{escape_value(shown)}</a>')
        if number > 0
        else shown
    )


def render_plays_elsewhere(words: Words, chat_id: int, chosen: Preferences) -> Html:
    """A kind line for somebody who asks for a hand in another topic."""
    return words.translate(
        "This group plays in {topic}: see you there!", topic=render_topic_link(words, chat_id, chosen)
    )
