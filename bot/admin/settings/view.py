"""The settings menu: one message that lists what holds, or explains one setting and offers its choices."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from bot import zones
from bot.admin.settings.choices import Choice, Setting, numbered
from bot.admin.settings.hours import clock_face, local_clock, setting
from bot.admin.settings.rules import (
    GENERAL,
    PICTURES,
    SECRET,
    TIMEZONE,
    Pictures,
    Preferences,
    Quiet,
    packed,
    read_quiet,
)
from bot.i18n import Html, Words, languages, name, safe
from bot.rounds.game import Game
from bot.rounds.known import GAMES, USUAL, in_passing
from bot.rounds.puzzle import LEVELS, level_name
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
class Place:
    """Where and when the menu stands."""

    private: bool
    topic: int  # The topic of a forum that is at hand; 0 where there are none
    now: float


def menu(words: Words, every: Sequence[Setting], page: str = "") -> tuple[Html, Keyboard]:
    """What holds now, a line a setting, with a button for each; `page` is the code of the page to show."""
    pages = _pages(every)
    here = page if page in pages else PAGES[0]
    buttons = [(s.title, f"o:{s.key}") for s in pages[here]]
    rows = [buttons[at : at + 2] for at in range(0, len(buttons), 2)]
    turns = [(words.plain("More…"), f"o:{code}") for code in pages if code != here]
    lines = [_held(words, s) for s in pages[here]]
    return Html("\n".join(lines)), [*rows, [*turns, (words.plain("Done"), "o:done")]]


def _pages(every: Sequence[Setting]) -> dict[str, Sequence[Setting]]:
    """The settings by pages that fit a phone's screen, under their codes."""
    parts = (every[:LINES], every[LINES:])
    return {code: part for code, part in zip(PAGES, parts, strict=True) if part}


def page_of(every: Sequence[Setting], key: str) -> str:
    """The code of the page that lists a setting."""
    return next((code for code, part in _pages(every).items() if key in {s.key for s in part}), PAGES[0])


def _held(words: Words, setting: Setting) -> Html:
    """A setting's name and what holds now, with the colon of the language."""
    return words.say("<b>{title}</b>: {value}", title=setting.title, value=setting.value)


def page(
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
    lines = [_held(words, setting), setting.sentence, safe(trouble)]
    if trouble and choices:
        lines.append(words.say("Did you mean one of these?"))
    if asking and setting.howto:
        lines += [setting.howto, words.say("Reply to this message. /cancel leaves it.")]
    shown = choices or (() if asking else setting.choices)
    buttons = [(c.label, f"o:{setting.key}:{c.code}") for c in shown]
    if setting.howto and shown is setting.choices:
        buttons.append((words.plain("Another…"), f"o:{setting.key}:{TYPE}"))
    rows = [buttons[at : at + 3] for at in range(0, len(buttons), 3)]
    return Html("\n".join(filter(None, lines))), [*rows, [(words.plain("‹ Back"), f"o:{back_to}")]]


def settings(words: Words, chosen: Preferences, place: Place) -> list[Setting]:
    """What can be chosen in a chat, in the order of the menu; what other games than the usual have, last."""
    every = [
        _language(words, chosen),
        _level(words, chosen),
        *USUAL.settings(words, chosen.stored),
        _seconds(words, chosen),
        _hints(words, chosen),
        _timezone(words, chosen, place),
        setting(words, chosen, private=place.private, now=place.now),
        *([] if place.private else _of_groups(words, chosen, place)),
        *([] if place.private else [_secret(words, chosen)]),
        _pictures(words, chosen),
        *(own for game in GAMES.values() if game is not USUAL for own in _of_game(words, chosen, game)),
    ]
    return [replace(s, choices=[_marked(s, c) for c in s.choices]) for s in every]


def _of_game(words: Words, chosen: Preferences, game: Game[Any]) -> Sequence[Setting]:
    return in_passing(game, lambda game: game.settings(words, chosen.stored), ())


def _of_groups(words: Words, chosen: Preferences, place: Place) -> list[Setting]:
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
    automatic = words.plain("automatic")
    names = [(code, LANGUAGE_NAMES.get(code, code)) for code in languages()]
    return Setting(
        "language",
        words.plain("Language"),
        dict(names).get(chosen.language or "", automatic),
        words.say("Automatic: as you speak to me."),
        [Choice("auto", automatic), *(Choice(code, name, code) for code, name in names)],
    )


def _level(words: Words, chosen: Preferences) -> Setting:
    return Setting(
        "level",
        words.plain("Level"),
        level_name(words, chosen.level) if chosen.level else words.plain("any"),
        words.say("How hard the hands are."),
        [
            Choice("any", words.plain("any")),
            *(Choice(name, level_name(words, name), name) for name in LEVELS),
        ],
        deals=True,
    )


def _seconds(words: Words, chosen: Preferences) -> Setting:
    minutes, rest = divmod(chosen.seconds, 60)
    seconds = words.count("{n} second", "{n} seconds", chosen.seconds)
    return Setting(
        "seconds",
        words.plain("Time limit"),
        seconds if rest else _minutes(words, minutes),
        words.say("How long you have before I show how it is done."),
        [Choice(str(m), _minutes(words, m), m * 60) for m in LIMITS],
    )


def _minutes(words: Words, minutes: int) -> str:
    return words.count("{n} minute", "{n} minutes", minutes)


def _rounds(words: Words, chosen: Preferences) -> Setting:
    unlimited = words.plain("no limit")
    return Setting(
        "rounds_an_hour",
        words.plain("Rounds an hour"),
        str(chosen.rounds_an_hour or unlimited),
        words.say("How many hands I deal in an hour at most."),
        [Choice("any", unlimited), *numbered(RATES)],
    )


def _quiet(words: Words, chosen: Preferences, place: Place) -> Setting:
    off = words.plain("none")
    presets = [Quiet(start * 60, end * 60) for start, end in NIGHTS]
    nights = [Choice(f"{q.start // 60}-{q.end // 60}", hours(q), packed(q)) for q in presets]
    return Setting(
        "quiet",
        words.plain("Quiet hours"),
        hours(chosen.quiet) if chosen.quiet else off,
        words.say(
            "No hands in these hours. I go by {zone}: it is {time} there now.",
            time=local_clock(chosen.zone, place.now),
            zone=zones.title(chosen.zone),
        ),
        [Choice("off", off), *nights],
        words.say("Type the hours, like this: 22:30-7:00"),
        lambda typed: packed(read_quiet(typed)),
    )


def _timezone(words: Words, chosen: Preferences, place: Place) -> Setting:
    regions = {
        "Africa": words.plain("Africa"),
        "America": words.plain("America"),
        "Antarctica": words.plain("Antarctica"),
        "Asia": words.plain("Asia"),
        "Atlantic": words.plain("Atlantic Ocean"),
        "Australia": words.plain("Australia"),
        "Europe": words.plain("Europe"),
        "Indian": words.plain("Indian Ocean"),
        "Pacific": words.plain("Pacific Ocean"),
    }
    return Setting(
        TIMEZONE,
        words.plain("Time zone"),
        f"{zones.title(chosen.zone)} · {local_clock(chosen.zone, place.now)}",
        words.say("Hours, days and weeks here go by it."),
        [
            Choice("UTC", "UTC", "UTC"),
            *(Choice(code, name, opens=_cities(code)) for code, name in regions.items()),
        ],
        words.say("Type a city or a zone, like this: Europe/Madrid"),
        zones.find,
        lambda typed: [Choice(name, zones.title(zones.named(name)), name) for name in zones.suggest(typed)],
    )


@cache
def _cities(region: str) -> Sequence[Choice]:
    """The cities of a region; where they don't fit a screen, buttons that open parts of the alphabet."""
    here = [name for name in zones.cities() if name.startswith(f"{region}/")]
    cities = [Choice(name, name.rpartition("/")[2].replace("_", " "), name) for name in here]
    cities.sort(key=lambda city: city.label)
    parts = [cities[at : at + CITIES] for at in range(0, len(cities), CITIES)]
    if len(parts) == 1:
        return cities
    spans = [f"{part[0].label} – {part[-1].label}" for part in parts]
    return [Choice(f"{region}:{n}", spans[n], opens=part) for n, part in enumerate(parts)]


def hours(quiet: Quiet) -> str:
    """`22:00–7:00`."""
    return f"{clock_face(quiet.start)}–{clock_face(quiet.end)}"


def _plain(words: Words, chosen: Preferences) -> Setting:
    return _switch(
        words,
        "plain",
        words.plain("Plain messages"),
        words.say("Whether an answer counts without a reply or /a."),
        on=chosen.plain,
    )


def _secret(words: Words, chosen: Preferences) -> Setting:
    """Off unless somebody chooses it, so the stored values are the other way round."""
    sentence = words.say(
        "Whether only its author sees a wrong answer and why it is wrong; /a is secret then."
    )
    switch = _switch(words, SECRET, words.plain("Secret answers"), sentence, on=chosen.secret)
    stored = {"1": True, "0": None}
    return replace(switch, choices=[replace(c, stored=stored[c.code]) for c in switch.choices])


def _hints(words: Words, chosen: Preferences) -> Setting:
    sentence = words.say("Whether there are hints. Each costs the winner a point.")
    return _switch(words, "hints", words.plain("Hints"), sentence, on=chosen.hints)


def _pictures(words: Words, chosen: Preferences) -> Setting:
    labels = {
        Pictures.OFF: words.plain("off"),
        Pictures.CARDS: words.plain("cards only"),
        Pictures.ALL: words.plain("all"),
    }
    return Setting(
        PICTURES,
        words.plain("Pictures"),
        labels[chosen.pictures],
        words.say(
            "Whether I show cards, tiles and dice as pictures. "
            "With “all” also how rounds ended, figures, boards and weeks."
        ),
        [Choice(each.value, label, each.value) for each, label in labels.items()],
    )


def _switch(words: Words, key: str, title: str, sentence: Html, *, on: bool) -> Setting:
    labels = words.plain("on"), words.plain("off")
    return Setting(
        key, title, labels[0 if on else 1], sentence, [Choice("1", labels[0]), Choice("0", labels[1], False)]
    )


def _topic(words: Words, chosen: Preferences, place: Place) -> Setting:
    anywhere, here = words.plain("any topic"), words.plain("this topic")
    tied = chosen.topic_name or words.plain("one topic")
    value = anywhere if not chosen.topic else here if chosen.topic == place.topic else tied
    choices = [Choice("any", anywhere)]
    if place.topic:
        choices.append(Choice("here", here, place.topic))
    return Setting(
        "topic",
        words.plain("Topic"),
        value,
        words.say("In any topic, or only where you choose “this topic”."),
        choices,
    )


def tied(words: Words, chat_id: int, chosen: Preferences) -> Html:
    """The one topic that a chat plays in, as a link to it."""
    shown = name(chosen.topic_name) if chosen.topic_name else words.say("that topic")
    if chosen.topic == GENERAL and not chosen.topic_name:
        shown = words.say("General")
    number = -chat_id - SUPERGROUP
    return (
        Html(f'<a href="https://t.me/c/{number}/{chosen.topic}">{safe(shown)}</a>') if number > 0 else shown
    )


def elsewhere(words: Words, chat_id: int, chosen: Preferences) -> Html:
    """A kind line for somebody who asks for a hand in another topic."""
    return words.say("This group plays in {topic}: see you there!", topic=tied(words, chat_id, chosen))
