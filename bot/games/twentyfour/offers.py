"""What inline mode offers: a hand to solve, or what solves the one that was typed, to post in any chat."""

from collections.abc import Sequence
from typing import Any

from bot.games.twentyfour.hand import line_of
from bot.games.twentyfour.solutions import solutions
from bot.games.twentyfour.view import cards
from bot.i18n import Html, Words, safe
from bot.telegram.messages import Keyboard, Link, Request, markup

MOST = 20
"""Ideas offered one by one."""
CACHED = 0
"""Seconds for which Telegram may repeat an answer to the same person: the hand may be dealt meanwhile."""


def answer_inline(
    person_id: int, query_id: str, offers: Sequence[dict[str, Any]], button: tuple[str, str]
) -> Request:
    """The answer to an inline query; `button` stands above the offers: what it says, and its `?start=`."""
    text, door = button
    params = {
        "inline_query_id": query_id,
        "results": list(offers),
        "cache_time": CACHED,
        "is_personal": True,
        "button": {"text": text, "start_parameter": door},
    }
    return Request(person_id, {"method": "answerInlineQuery", "params": params})


def hand(words: Words, numbers: Sequence[int], target: int, bot: str) -> dict[str, Any]:
    """A hand to post, with a button that deals it in private."""
    code = "-".join(map(str, [*numbers, target]))
    line = line_of(numbers, target)
    text = Html(f"🃏 <b>{safe(cards(numbers))}</b>\n{safe(line)}\n{words.say('Who finds it?')}")
    keyboard = [[(words.plain("Solve it"), Link(f"https://t.me/{bot}?start=hand_{code}"))]]
    return _article("hand", words.plain("A hand to solve"), line, text, keyboard)


def solved(
    words: Words, numbers: Sequence[int], target: int, ideas: Sequence[str], *, complete: bool
) -> list[dict[str, Any]]:
    """What solves a hand: all of it in one message, and each idea by itself."""
    line = line_of(numbers, target)
    whole, _ = solutions(words, numbers, target, ideas, complete=complete)
    if not ideas:
        return [_article("none", words.plain("There is no way."), line, whole)] if complete else []
    ones = [
        _article(str(n), f"{idea} = {target}", line, Html(f"{safe(line)}\n<b>{safe(idea)} = {target}</b>"))
        for n, idea in enumerate(ideas[:MOST])
    ]
    count = words.count("{n} idea", "{n} ideas", len(ideas))
    return [*([_article("all", str(count), line, whole)] if len(ideas) > 1 and complete else []), *ones]


def _article(
    key: str, title: str, description: str, text: Html, keyboard: Keyboard | None = None
) -> dict[str, Any]:
    content = {"message_text": text, "parse_mode": "HTML", "link_preview_options": {"is_disabled": True}}
    article: dict[str, Any] = {"type": "article", "id": key, "title": title, "description": description}
    article["input_message_content"] = content
    return article | ({"reply_markup": markup(keyboard)} if keyboard else {})
