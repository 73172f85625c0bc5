"""The terminal: typed settings, talk with digits, shared results, names and help."""

import re
from pathlib import Path

import pytest

from tests.bot.console.talking import Talk, make_talk, split_lines


@pytest.fixture
def talk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Talk:
    return make_talk(monkeypatch, tmp_path)


def find_button(shown: str, label: str) -> str:
    """Return the latest number of a button, such as `!3`."""
    return str(re.findall(rf"\[(!\d+)\] {label}", shown)[-1])


@pytest.mark.long
@pytest.mark.parametrize(
    ("language", "hours", "another", "none", "saved", "cant"),
    [
        (
            "en_US.UTF-8",
            "Quiet hours",
            "Another…",
            "Quiet hours: none",
            "Quiet hours: 22:30–7:00",
            "Sorry, I can’t read that.",
        ),
        (
            "es_ES.UTF-8",
            "Horas de silencio",
            "Otro…",
            "Horas de silencio: ninguna",
            "Horas de silencio: 22:30–7:00",
            "Lo siento, no lo entiendo.",
        ),
    ],
)
async def test_setting_is_read_from_the_next_line(
    talk: Talk, language: str, hours: str, another: str, none: str, saved: str, cant: str
) -> None:
    menu = await talk("/settings", language=language)
    page = await talk("/settings", find_button(menu, hours), language=language)
    asking = await talk("/settings", find_button(menu, hours), find_button(page, another), language=language)
    assert none in split_lines(asking)
    # started anew, while the menu waits
    typed = await talk("good night", "@ann 22-23", "@", "22:30-7", "/settings", language=language)
    shown_lines = split_lines(typed)
    assert cant in shown_lines, "the next line of the same player is read"
    assert shown_lines.count(saved) == 2, "in the reply and in the menu"
    assert shown_lines.index(cant) < shown_lines.index(saved)
    assert not any("22:00–23:00" in line for line in shown_lines), "a line of another player is talk"
    after = await talk("22-23", language=language)
    assert not any("22:00–23:00" in line for line in split_lines(after)), "no value is expected any more"


@pytest.mark.long
@pytest.mark.parametrize(
    ("language", "missing", "won"),
    [
        (
            "en_US.UTF-8",
            "👎 Ann: 1+1 = 2, but 1 is not in this hand: 3 8 3 8",
            "🏆 Ann: 8÷(3−8÷3) = 24",
        ),
        (
            "ru_RU.UTF-8",
            "👎 Ann: 1+1 = 2, но числа 1 в этой раздаче нет: 3 8 3 8",
            "🏆 Ann: 8÷(3−8÷3) = 24",
        ),
    ],
)
async def test_talk_with_digits_in_the_terminal_is_no_answer(
    talk: Talk, language: str, missing: str, won: str
) -> None:
    chatter = (
        "see you at 8:30",
        "8:30",
        "2-1",
        "I got 23 :(",
        "3 8 3 8",
        "page 3-8",
        "100%",
        "24",
        "встреча в 8",
    )
    shown = await talk("/play", *chatter, "@ann 1+1", "8/(3-8/3)", language=language)
    shown_lines = split_lines(shown)
    deal = shown_lines.index("3 8 3 8 → 24")
    assert [line for line in shown_lines[deal:] if "←" in line] == ["👎 ← Ann: 1+1", "🏆 ← Ann: 8/(3-8/3)"]
    assert shown_lines.count(missing) == 1
    assert won in shown_lines


async def test_ignored_line_is_said_to_be_ignored(talk: Talk) -> None:
    shown = split_lines(await talk("hello", "/xyzzy", "@ann > /xyzzy", "/play", "1+1", "1+1"))
    assert shown.count("(The bot ignores that in a group.)") == 1
    assert shown.count("I don’t know that command. /help shows those I do.") == 2


@pytest.mark.long
@pytest.mark.parametrize(
    ("language", "share", "copy", "head"),
    [
        ("en_US.UTF-8", "Share", "Copy the result", "Twenty-Four "),
        ("zh_CN.UTF-8", "分享", "复制结果", "二十四点 "),
    ],
)
async def test_shared_result_is_printed(talk: Talk, language: str, share: str, copy: str, head: str) -> None:
    await talk("@ann > /daily", "> 8/(3-8/3)", language=language)
    solved = await talk("@ann > /daily", language=language)
    pressed = {find_button(solved, share), find_button(solved, copy)}
    shown = split_lines(await talk("@ann > /daily", *pressed, language=language))
    result = re.compile(rf"{head}\S+(?: \S+)? · .+ · 🟩 ⏱ \d (?:s|秒) 🔥 1")
    places = [i for i, line in enumerate(shown) if result.fullmatch(line)]
    assert places
    assert shown[places[0] + 1] == "https://t.me/TwentyFourBot?start=daily"
    assert not any("https://t.me/share" in line for line in shown), "the link is no text to read"


@pytest.mark.long
async def test_host_has_a_name_in_the_terminals_language(talk: Talk) -> None:
    shown = await talk(
        "/play", "8/(3-8/3)", "@ann /stats @player", "@игрок /leaderboard", language="ru_RU.UTF-8"
    )
    assert "🏆 Игрок: 8÷(3−8÷3) = 24" in split_lines(shown)
    assert "1. Игрок — 6" in split_lines(shown)
    again = await talk("/leaderboard", language="es_ES.UTF-8")
    assert "1. Jugador — 6" in split_lines(again), "the same person, whatever the language"


@pytest.mark.long
@pytest.mark.parametrize(
    ("language", "task", "how", "back"),
    [
        (
            "en_US.UTF-8",
            "Send your answer, for example",
            "> TEXT talks to the bot in private.",
            "@ alone speaks as Player again, the admin here.",
        ),
        (
            "es_ES.UTF-8",
            "Envía tu respuesta, por ejemplo",
            "> TEXTO habla con el bot en privado.",
            "@ a secas vuelve a hablar como Jugador, quien administra aquí.",
        ),
        (
            "ru_RU.UTF-8",
            "Отправьте ответ, например",
            "> ТЕКСТ пишет боту лично.",
            "@ без имени — снова говорит Игрок, здесь это администратор.",
        ),
    ],
)
async def test_terminal_explains_its_own_input(
    talk: Talk, language: str, task: str, how: str, back: str
) -> None:
    dealt = split_lines(await talk("/play", language=language))
    assert any(line.startswith(task) for line in dealt), "no reply is needed"
    assert sum(line.endswith(how) for line in dealt) == 1, "once, at the beginning"
    assert back not in dealt
    for asking in ("/help", "@bob > /HELP@TwentyFourBot"):
        helped = split_lines(await talk(asking, language=language))
        assert sum(line.endswith(how) for line in helped) == 2
        assert helped.count(back) == 1
    menu = await talk("/settings", language=language)
    assert back not in split_lines(menu)
    for asking in ("/settings", find_button(menu, "")):
        refused = split_lines(await talk("/settings", f"@bob {asking}", language=language))
        assert refused.count(back) == 1
        assert refused[-2:] == [back, ""]
    alone = await talk("@bob > /settings", language=language)
    assert back not in split_lines(await talk("@bob > /settings", find_button(alone, ""), language=language))


@pytest.mark.long
async def test_duel_in_the_terminal_names_its_opponent(talk: Talk) -> None:
    shown = split_lines(
        await talk("@Ann /duel @ann", "@ /duel @Ann", "@bob !1", "@ann !1", language="en_US.UTF-8")
    )
    assert "Nobody duels with themselves: /duel alone challenges anybody." in shown
    assert "⚔️ Player challenges @Ann!" in shown
    assert "(This challenge is for @Ann.)" in shown
    assert "⚔️ Player 0 : 0 Ann · Hand 1 of 5" in shown
    asked = await talk("/stop", language="en_US.UTF-8")
    await talk("/stop", find_button(asked, "Yes, give up"))
    again = split_lines(await talk("@ann hm", "@bob /duel @ANN", language="en_US.UTF-8"))
    assert "⚔️ Bob challenges Ann!" in again, "a known player is called by name"
