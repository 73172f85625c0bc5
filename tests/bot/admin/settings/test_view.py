"""Pages of the settings menu."""

from bot.admin.settings import view as choices
from bot.admin.settings.choices import Choice, Setting
from bot.i18n import Html, get_words

SAID = get_words("en")


def make_settings(count: int) -> list[Setting]:
    return [
        Setting(f"k{n}", f"Title {n}", "on", Html("What it does."), [Choice("1", "on")]) for n in range(count)
    ]


def test_few_settings_are_one_page() -> None:
    text, keyboard = choices.render_menu(SAID, make_settings(12))
    assert text.splitlines() == [f"<b>Title {n}</b>: on" for n in range(12)]
    assert keyboard[-1] == [("Done", "o:done")]
    assert sum(map(len, keyboard)) == 13


def test_many_settings_are_two_pages_with_links() -> None:
    every = make_settings(16)
    first, keyboard = choices.render_menu(SAID, every)
    assert keyboard[-1] == [("More…", "o:more"), ("Done", "o:done")]
    second, back = choices.render_menu(SAID, every, "more")
    assert back[-1] == [("More…", "o:"), ("Done", "o:done")]
    assert [*first.splitlines(), *second.splitlines()] == [f"<b>Title {n}</b>: on" for n in range(16)]
    assert len(first.splitlines()) == 12
    assert choices.render_menu(SAID, make_settings(3), "more") == choices.render_menu(SAID, make_settings(3))


def test_a_setting_leads_back_to_its_page() -> None:
    every = make_settings(16)
    assert [choices.find_page_code(every, f"k{n}") for n in (0, 11, 12, 13)] == ["", "", "more", "more"]
    assert choices.find_page_code(every, "gone") == ""
    _, keyboard = choices.render_setting(SAID, every[12], back_to=choices.find_page_code(every, "k12"))
    assert keyboard[-1] == [("‹ Back", "o:more")]
