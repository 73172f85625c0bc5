"""A chat's records as text."""

from bot.i18n import Html, Words, mention
from bot.rounds.puzzle import level_name
from bot.standings.records.queries import Mark, Records
from bot.telegram.messages import seconds


def shown(words: Words, held: Records) -> Html:
    """A line a record: what, who, how much, when."""
    lines = [
        _line(f"⏱ {level_name(words, level)}", mark, seconds(words, mark.amount))
        for level, mark in held.fastest.items()
    ]
    if held.row:
        lines.append(_line(f"🔥 {words.say('in a row')}", held.row, _number(held.row)))
    if held.day:
        lines.append(_line(f"📈 {words.say('points in a day (UTC)')}", held.day, _number(held.day)))
    if held.finds:
        lines.append(_line(f"🧠 {words.say('ideas of one hand')}", held.finds, _number(held.finds)))
    if not lines:
        return words.say("There are no records here yet. /play deals a hand.")
    return Html("\n".join([Html(f"<b>{words.say('Records of this chat')}</b>"), *lines]))


def _line(what: str, mark: Mark, amount: str) -> Html:
    return Html(f"{what} · {mention(mark.player_id)} · {amount} · {mark.day}")


def _number(mark: Mark) -> str:
    return str(round(mark.amount))
