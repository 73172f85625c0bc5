"""Leaderboards and a player's figures."""

from collections.abc import Sequence

from bot.reply import seconds
from bot.store.boards import Record, Standing
from bot.words import Html, Words, name


def leaderboard(words: Words, standings: Sequence[Standing], own: Standing | None) -> Html:
    """The leaders, one line each, and the caller's own line when it isn't among them."""
    if not standings:
        return words.say("Nobody has scored here yet. /play deals a hand.")
    lines = [_standing(s) for s in standings]
    if own and all(own.player_id != s.player_id for s in standings):
        lines += [Html("…"), _standing(own)]
    return Html("\n".join([Html(f"<b>{words.say('Leaderboard')}</b>"), *lines]))


def _standing(s: Standing) -> Html:
    return Html(f"{s.rank}. {name(s.name or '•')} — {s.points}")


def stats(words: Words, who: str, record: Record | None) -> Html:
    """A player's figures in this chat."""
    if record is None:
        return words.say("{name} has not won a round here yet. /play deals a hand.", name=name(who))
    lines = [
        Html(f"<b>{name(who)}</b>"),
        words.count("{n} round won", "{n} rounds won", record.wins),
        words.count("{n} point", "{n} points", record.points),
        words.say("mean time: {time}", time=seconds(words, record.mean_seconds)),
        words.say("best time: {time}", time=seconds(words, record.best_seconds)),
        words.say("rank here: {rank}", rank=record.rank),
    ]
    return Html("\n".join(lines))
