"""Stories of the terminal: settings that are typed, talk with digits, results to share."""

import re
from pathlib import Path

import pytest

from tests.bot.console.talking import Talk, conversation, lines


@pytest.fixture
def talk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Talk:
    return conversation(monkeypatch, tmp_path)


def button(shown: str, label: str) -> str:
    """The last number under which a button was printed."""
    return str(re.findall(rf"\[(!\d+)\] {label}", shown)[-1])


@pytest.mark.long
@pytest.mark.parametrize(
    ("language", "hours", "another", "none", "kept", "cant"),
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
async def test_a_setting_takes_the_next_line(
    talk: Talk, language: str, hours: str, another: str, none: str, kept: str, cant: str
) -> None:
    menu = await talk("/settings", language=language)
    page = await talk("/settings", button(menu, hours), language=language)
    asking = await talk("/settings", button(menu, hours), button(page, another), language=language)
    assert none in lines(asking)
    # started anew, while the menu waits
    typed = await talk("good night", "@ann 22-23", "@", "22:30-7", "/settings", language=language)
    said = lines(typed)
    assert cant in said, "the next line of who asked"
    assert said.count(kept) == 2, "where it was asked, and in the menu"
    assert said.index(cant) < said.index(kept)
    assert not any("22:00–23:00" in line for line in said), "of somebody else it is talk"
    after = await talk("22-23", language=language)
    assert not any("22:00–23:00" in line for line in lines(after)), "nothing is waited for any more"


@pytest.mark.long
@pytest.mark.parametrize(
    ("language", "missing", "won"),
    [
        (
            "en_US.UTF-8",
            "Use each number once. Missing: 3, 3, 8, 8; too many: 1, 1.",
            "🏆 Ann: 8/(3-8/3) = 24",
        ),
        (
            "ru_RU.UTF-8",
            "Каждое число — один раз. Не хватает: 3, 3, 8, 8; лишние: 1, 1.",
            "🏆 Ann: 8/(3-8/3) = 24",
        ),
    ],
)
async def test_talk_with_digits_is_no_answer(talk: Talk, language: str, missing: str, won: str) -> None:
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
    said = lines(shown)
    deal = said.index("3 8 3 8 → 24")
    assert [line for line in said[deal:] if "←" in line] == ["👀 ← Ann: 1+1", "🏆 ← Ann: 8/(3-8/3)"]
    assert said.count(missing) == 1
    assert won in said


@pytest.mark.long
@pytest.mark.parametrize(
    ("language", "share", "copy", "head"),
    [
        ("en_US.UTF-8", "Share", "Copy the result", "Twenty-Four "),
        ("zh_CN.UTF-8", "分享", "复制结果", "二十四点 "),
    ],
)
async def test_a_result_to_share_is_printed(
    talk: Talk, language: str, share: str, copy: str, head: str
) -> None:
    await talk("@ann > /daily", "> 8/(3-8/3)", language=language)
    solved = await talk("@ann > /daily", language=language)
    pressed = {button(solved, share), button(solved, copy)}
    shown = lines(await talk("@ann > /daily", *pressed, language=language))
    result = re.compile(rf"{head}[0-9-]{{10}} · .+ · 🟩 ⏱ 0:0\d 🔥 1")
    told = [i for i, line in enumerate(shown) if result.fullmatch(line)]
    assert told
    assert shown[told[0] + 1] == "https://t.me/TwentyFourBot?start=daily"
    assert not any("https://t.me/share" in line for line in shown), "it is for people to read"


@pytest.mark.long
async def test_the_host_is_called_by_the_terminals_language(talk: Talk) -> None:
    shown = await talk(
        "/play", "8/(3-8/3)", "@ann /stats @player", "@игрок /leaderboard", language="ru_RU.UTF-8"
    )
    assert "🏆 Игрок: 8/(3-8/3) = 24" in lines(shown)
    assert "1. Игрок — 6" in lines(shown)
    again = await talk("/leaderboard", language="es_ES.UTF-8")
    assert "1. Jugador — 6" in lines(again), "the same person, whatever the language"


@pytest.mark.long
@pytest.mark.parametrize(
    ("language", "task", "how", "back"),
    [
        (
            "en_US.UTF-8",
            "Use each number once. Send your answer.",
            "> TEXT talks to the bot in private.",
            "@ alone speaks as Player again, the admin here.",
        ),
        (
            "es_ES.UTF-8",
            "Usa cada número una vez. Envía tu respuesta.",
            "> TEXTO habla con el bot en privado.",
            "@ a secas vuelve a hablar como Jugador, quien administra aquí.",
        ),
        (
            "ru_RU.UTF-8",
            "Используйте каждое число один раз. Отправьте ответ.",
            "> ТЕКСТ пишет боту лично.",
            "@ без имени — снова говорит Игрок, здесь это администратор.",
        ),
    ],
)
async def test_what_only_the_terminal_has_is_told_there(
    talk: Talk, language: str, task: str, how: str, back: str
) -> None:
    dealt = lines(await talk("/play", language=language))
    assert task in dealt, "no reply is needed"
    assert sum(line.endswith(how) for line in dealt) == 1, "once, at the beginning"
    assert back not in dealt
    for asking in ("/help", "@bob > /HELP@TwentyFourBot"):
        helped = lines(await talk(asking, language=language))
        assert sum(line.endswith(how) for line in helped) == 2
        assert helped.count(back) == 1
    menu = await talk("/settings", language=language)
    assert back not in lines(menu)
    for asking in ("/settings", button(menu, "")):
        refused = lines(await talk("/settings", f"@bob {asking}", language=language))
        assert refused.count(back) == 1
        assert refused[-2:] == [back, ""]
    alone = await talk("@bob > /settings", language=language)
    assert back not in lines(await talk("@bob > /settings", button(alone, ""), language=language))


@pytest.mark.long
async def test_a_duel_by_username(talk: Talk) -> None:
    shown = lines(await talk("@Ann /duel @ann", "@ /duel @Ann", "@bob !1", "@ann !1", language="en_US.UTF-8"))
    assert "Nobody duels with themselves: /duel alone challenges anybody." in shown
    assert "⚔️ Player challenges @Ann!" in shown
    assert "(This challenge is for @Ann.)" in shown
    assert "⚔️ Player 0 : 0 Ann · Hand 1 of 5" in shown
    await talk("/stop")
    again = lines(await talk("@ann hm", "@bob /duel @ANN", language="en_US.UTF-8"))
    assert "⚔️ Bob challenges Ann!" in again, "who is known is called by name"
