"""A chat's records as text."""

from bot.i18n import Html, Words, make_mention
from bot.rounds.puzzle import render_level
from bot.standings.records.queries import Record, ChatRecords
from bot.telegram.messages import format_duration


def render_records(words: Words, held: ChatRecords) -> Html:
    """A line a record: what, who, how much, when."""
    lines = [
        _line(f"⏱ {render_level(words, level)}", mark, format_duration(words, mark.value))
        for level, mark in held.fastest_by_level.items()
    ]
    if held.win_streak:
        lines.append(_line(f"🔥 {words.translate('in a row')}", held.win_streak, _number(held.win_streak)))
    if held.points_in_a_day:
        lines.append(_line(f"📈 {words.translate('points in a day (UTC)')}", held.points_in_a_day, _number(held.points_in_a_day)))
    if held.ideas_of_one_hand:
        lines.append(_line(f"🧠 {words.translate('ideas of one hand')}", held.ideas_of_one_hand, _number(held.ideas_of_one_hand)))
    if not lines:
        return words.translate("There are no records here yet. /play deals a hand.")
    return Html("\n".join([Html(f"<b>{words.translate('Records of this chat')}</b>"), *lines]))


def _line(what: str, mark: Record, amount: str) -> Html:
    return Html(f"{what} · {make_mention(mark.player_id)} · {amount} · {mark.day}")


def _number(mark: Record) -> str:
    return str(round(mark.value))
