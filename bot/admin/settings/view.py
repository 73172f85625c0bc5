"""The settings menu: one message that lists the present choices, or explains one setting."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, partial

from bot import zones
from bot.formats import format_duration
from bot.i18n import Html, Words, escape_value, get_words, list_languages
from bot.levels import ANY_LEVEL, LEVELS, render_level
from bot.players import post_hours
from bot.players.choices import Choice, Setting, make_number_choices, tick
from bot.players.post_hours import format_local_time, format_minute
from bot.players.preferences import (
    ADMINS_DEAL_KEY,
    GIVING_UP_KEY,
    PICTURES_KEY,
    SECRET_KEY,
    TIMEZONE_KEY,
    GivingUp,
    Pictures,
    Preferences,
    QuietHours,
    pack_quiet_hours,
    parse_quiet_hours,
)
from bot.rounds.registry import GAMES, ask_safely
from bot.telegram.messages import Keyboard

PAGES = FIRST_PAGE, SECOND_PAGE = "", "more"  # Codes of the menu's pages
DONE = "done"  # The code of the button that ends the menu
MAX_LINES = 12  # Settings on the first page
TYPE = "?"  # The code of the button that asks for a typed value


@dataclass(frozen=True, slots=True)
class MenuPlace:
    """The chat, topic and time for which a menu is rendered."""

    private: bool
    topic: int  # The topic of a forum; 0 if there is none
    now: float


def render_menu(words: Words, settings: Sequence[Setting], page: str = "") -> tuple[Html, Keyboard]:
    """Render a page of the menu: a line and a button for each setting; the first instead of an empty one."""
    first, second = settings[:MAX_LINES], settings[MAX_LINES:]
    shown, turn_page = first, []
    if page == SECOND_PAGE and second:
        shown, turn_page = second, [(words.translate_plain("‹ Back"), f"o:{FIRST_PAGE}")]
    elif second:
        turn_page = [(words.translate_plain("More…"), f"o:{SECOND_PAGE}")]
    buttons = [(s.title, f"o:{s.key}") for s in shown]
    rows = [buttons[at : at + 2] for at in range(0, len(buttons), 2)]
    lines = [_render_line(words, s) for s in shown]
    return Html("\n".join(lines)), [*rows, [*turn_page, (words.translate_plain("Done"), f"o:{DONE}")]]


def find_page_code(settings: Sequence[Setting], key: str) -> str:
    is_on_second = any(setting.key == key for setting in settings[MAX_LINES:])
    return SECOND_PAGE if is_on_second else FIRST_PAGE


def _render_line(words: Words, setting: Setting) -> Html:
    return words.translate("<b>{title}</b>: {value}", title=setting.title, value=setting.value)


def render_setting(
    words: Words,
    setting: Setting,
    *,
    asking: bool = False,
    trouble: str = "",
    back_to: str = "",
    offered: Sequence[Choice] = (),
) -> tuple[Html, Keyboard]:
    """Render the page of one setting.

    `asking` explains how to type a value, `trouble` why a value can't be used. `back_to` is the code behind
    the back button: of a page of the menu, a setting or a submenu. `offered` choices replace the setting's
    own: a submenu, or suggestions for a typed value.
    """
    lines = [_render_line(words, setting), setting.explanation, escape_value(trouble)]
    if trouble and offered:
        lines.append(words.translate("Did you mean one of these?"))
    if asking and setting.typing_help:
        lines += [setting.typing_help, words.translate("Reply to this message. /cancel leaves it.")]
    shown = offered if offered or asking else setting.choices
    buttons = [(c.label, f"o:{setting.key}:{c.code}") for c in shown]
    if setting.typing_help and shown is setting.choices:
        buttons.append((words.translate_plain("Another…"), f"o:{setting.key}:{TYPE}"))
    rows = [buttons[at : at + 3] for at in range(0, len(buttons), 3)]
    return Html("\n".join(filter(None, lines))), [*rows, [(words.translate_plain("‹ Back"), f"o:{back_to}")]]


def make_settings(words: Words, preferences: Preferences, place: MenuPlace) -> list[Setting]:
    """Make the settings of a chat in the order of the menu, with a tick at each present choice."""
    about_hints = words.translate("On: anybody may ask for a hint. Each costs the winner a point.")
    settings = [
        _make_language_setting(words, preferences, place),
        _make_level_setting(words, preferences),
        _make_seconds_setting(words, preferences),
        _make_switch(words, "hints", words.translate_plain("Hints"), about_hints, is_on=preferences.hints),
        *_make_place_settings(words, preferences, place),
        _make_timezone_setting(words, preferences, place),
        _make_pictures_setting(words, preferences),
    ]
    if not place.private:
        settings += [*_make_class_settings(words, preferences), _make_rounds_setting(words, preferences)]
    for game in GAMES.values():
        listing = partial(game.options.list_settings, words, preferences.stored)
        settings += ask_safely(game, listing, ())
    return [replace(setting, choices=_tick_present(setting)) for setting in settings]


def _tick_present(setting: Setting) -> list[Choice]:
    return [
        replace(choice, label=tick(choice.label, is_on=choice.label == setting.value))
        for choice in setting.choices
    ]


def _make_place_settings(words: Words, preferences: Preferences, place: MenuPlace) -> list[Setting]:
    """Make the settings that only a private chat has, or only a group."""
    if place.private:
        return [post_hours.make_reminder_setting(words, preferences, place.now)]
    plain, secret = words.translate_plain("Answers without /a"), words.translate_plain("Secret answers")
    about_plain = words.translate(
        "On: just write 8/(3-8/3), without /a and without a reply. I have to see all messages: /doctor"
    )
    about_secret = words.translate(
        "On: 🤫 under a hand answers it in secret. Wrong answers written in the chat I delete, if I may."
    )
    is_secret = preferences.secret_answers
    settings = [
        _make_switch(words, "plain", plain, about_plain, is_on=preferences.reads_plain_answers),
        _make_switch(words, SECRET_KEY, secret, about_secret, is_on=is_secret, default=False),
        post_hours.make_posts_setting(words, preferences, place.now),
        _make_quiet_setting(words, preferences, place),
    ]
    if place.topic or preferences.topic:  # In a group without topics there is nothing to choose
        settings.append(_make_topic_setting(words, preferences, place))
    return settings


def _make_class_settings(words: Words, preferences: Preferences) -> list[Setting]:
    """Make the settings that classes need most: who gives a hand up, and whether only admins deal."""
    title = words.translate_plain("Only admins deal")
    about = words.translate("On: nobody but admins deals hands. Good for a class.")
    return [
        _make_giving_up_setting(words, preferences),
        _make_switch(words, ADMINS_DEAL_KEY, title, about, is_on=preferences.admins_deal, default=False),
    ]


def _make_language_setting(words: Words, preferences: Preferences, place: MenuPlace) -> Setting:
    """Make the setting of the language, which a group has from its first user on."""
    following = words.translate_plain("same as Telegram")
    names = {code: get_words(code).name for code in list_languages()}
    choices = [Choice(code, name, stored=code) for code, name in names.items()]
    if not place.private:
        language = preferences.language or words.language
        return Setting("language", words.translate_plain("Language"), names[language], Html(""), choices)
    return Setting(
        key="language",
        title=words.translate_plain("Language"),
        value=names.get(preferences.language or "", following),
        explanation=words.translate("“Same as Telegram”: I answer in the language of your app."),
        choices=[Choice("auto", following), *choices],
    )


def _make_level_setting(words: Words, preferences: Preferences) -> Setting:
    following = words.translate_plain("adapts to you")
    return Setting(
        key="level",
        title=words.translate_plain("Level"),
        value=render_level(words, preferences.level) if preferences.level else following,
        explanation=words.translate("How hard hands are. “Adapts to you”: you find about three of four."),
        choices=[
            Choice("follow", following),
            *(Choice(name, render_level(words, name), stored=name) for name in (*LEVELS, ANY_LEVEL)),
        ],
        affects_deals=True,
    )


TIME_LIMITS = (1, 2, 5, 10, 30, 60)  # Minutes


def _make_seconds_setting(words: Words, preferences: Preferences) -> Setting:
    return Setting(
        key="seconds",
        title=words.translate_plain("Time limit"),
        value=format_duration(words, preferences.seconds),
        explanation=words.translate("How long you have before I show how it is done."),
        choices=[
            Choice(str(limit), format_duration(words, limit * 60), stored=limit * 60) for limit in TIME_LIMITS
        ],
    )


def _make_switch(
    words: Words, key: str, title: str, explanation: Html, *, is_on: bool, default: bool = True
) -> Setting:
    """Make a setting with the choices on and off; the `default` is stored as None."""
    labels = {True: words.translate_plain("on"), False: words.translate_plain("off")}
    codes = {True: "1", False: "0"}
    choices = [
        Choice(codes[value], label, stored=None if value is default else value)
        for value, label in labels.items()
    ]
    return Setting(key, title, labels[is_on], explanation, choices)


def _make_timezone_setting(words: Words, preferences: Preferences, place: MenuPlace) -> Setting:
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
        key=TIMEZONE_KEY,
        title=words.translate_plain("Time zone"),
        value=f"{zones.format_zone(preferences.zone)} · {format_local_time(preferences.zone, place.now)}",
        explanation=words.translate("My clock for hours, days and weeks here."),
        choices=[
            Choice("UTC", "UTC", stored="UTC"),
            *(Choice(code, name, submenu=_make_city_choices(code)) for code, name in regions.items()),
        ],
        typing_help=words.translate("Type a city or a zone, like this: Europe/Madrid"),
        parse=zones.find_zone,
        suggest=lambda typed: [
            Choice(name, zones.format_zone(zones.get_zone(name)), stored=name)
            for name in zones.suggest_zones(typed)
        ],
    )


MAX_CITIES = 24  # On one page


@cache
def _make_city_choices(region: str) -> Sequence[Choice]:
    """Make a button for each city of a region; if they need several pages, one for each page."""
    names = [name for name in zones.list_city_zones() if name.startswith(f"{region}/")]
    # The city of `America/Argentina/Buenos_Aires` is Buenos Aires
    cities = [Choice(name, name.rpartition("/")[2].replace("_", " "), stored=name) for name in names]
    cities.sort(key=lambda city: city.label)
    pages = [cities[at : at + MAX_CITIES] for at in range(0, len(cities), MAX_CITIES)]
    if len(pages) == 1:
        return cities
    spans = [f"{page[0].label} – {page[-1].label}" for page in pages]
    return [Choice(f"{region}:{n}", spans[n], submenu=page) for n, page in enumerate(pages)]


def _make_rounds_setting(words: Words, preferences: Preferences) -> Setting:
    unlimited = words.translate_plain("no limit")
    return Setting(
        key="rounds_an_hour",
        title=words.translate_plain("Hands an hour"),
        value=str(preferences.rounds_an_hour or unlimited),
        explanation=words.translate("How many hands I deal in an hour at most."),
        choices=[Choice("any", unlimited), *make_number_choices((3, 6, 12, 30))],
    )


def _make_giving_up_setting(words: Words, preferences: Preferences) -> Setting:
    labels = {
        GivingUp.ONE: words.translate_plain("one is enough"),
        GivingUp.FEW: words.translate_plain("a few agree"),
        GivingUp.ADMINS: words.translate_plain("only admins"),
    }
    return Setting(
        key=GIVING_UP_KEY,
        title=words.translate_plain("Giving up"),
        value=labels[preferences.giving_up],
        explanation=words.translate(
            "Who has to give a hand up before I show the solution. “A few”: two of three players, five of 28."
        ),
        choices=[Choice(each.value, label, stored=each.value) for each, label in labels.items()],
    )


PRESET_NIGHTS = ((22, 7), (23, 6), (8, 13))  # Hours


def _make_quiet_setting(words: Words, preferences: Preferences, place: MenuPlace) -> Setting:
    off = words.translate_plain("none")
    presets = [(f"{start}-{end}", QuietHours(start * 60, end * 60)) for start, end in PRESET_NIGHTS]
    nights = [Choice(code, format_quiet_hours(each), stored=pack_quiet_hours(each)) for code, each in presets]
    return Setting(
        key="quiet",
        title=words.translate_plain("Quiet hours"),
        value=format_quiet_hours(preferences.quiet) if preferences.quiet else off,
        explanation=words.translate(
            "No hands in these hours, and my answers make no sound. Now it is {time} ({zone}).",
            time=format_local_time(preferences.zone, place.now),
            zone=zones.format_zone(preferences.zone),
        ),
        choices=[Choice("off", off), *nights],
        typing_help=words.translate("Type the hours, like this: 22:30-7:00"),
        parse=lambda typed: pack_quiet_hours(parse_quiet_hours(typed)),
    )


def format_quiet_hours(quiet: QuietHours) -> str:
    return f"{format_minute(quiet.start)}–{format_minute(quiet.end)}"


def _make_topic_setting(words: Words, preferences: Preferences, place: MenuPlace) -> Setting:
    anywhere, here = words.translate_plain("any topic"), words.translate_plain("this topic")
    value = preferences.topic_name or words.translate_plain("one topic")
    if not preferences.topic:
        value = anywhere
    elif preferences.topic == place.topic:
        value = here
    return Setting(
        key="topic",
        title=words.translate_plain("Topic"),
        value=value,
        explanation=words.translate("I play in any topic, or only where you choose “this topic”."),
        choices=[
            Choice("any", anywhere),
            *([Choice("here", here, stored=place.topic)] if place.topic else []),
        ],
    )


def _make_pictures_setting(words: Words, preferences: Preferences) -> Setting:
    labels = {
        Pictures.OFF: words.translate_plain("off"),
        Pictures.CARDS: words.translate_plain("cards only"),
        Pictures.ALL: words.translate_plain("all"),
    }
    return Setting(
        key=PICTURES_KEY,
        title=words.translate_plain("Pictures"),
        value=labels[preferences.pictures],
        explanation=words.translate(
            "“Cards only”: cards, tiles and dice as pictures. “All”: results, tables and statistics too."
        ),
        choices=[Choice(each.value, label, stored=each.value) for each, label in labels.items()],
    )
