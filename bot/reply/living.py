"""The round's one message, drawn from the round as it stands."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.reply import SIGNS, Keyboard, cards, level, player, seconds
from bot.round import VOTES_TO_SKIP, Round, State
from bot.store.rounds import Note
from bot.words import Html, Words, safe

IDEAS_SHOWN = 5
"""Ideas that a closed round lists."""


@dataclass(frozen=True, slots=True)
class Scene:
    """What the message of a round shows beside the round itself."""

    names: Mapping[int, str]
    notes: Sequence[Note] = ()
    votes: int = 0
    points: int = 0
    """That the winner earned."""
    private: bool = False


def living(round: Round, words: Words, scene: Scene) -> tuple[Html, Keyboard]:
    """The round's one message, as the round stands."""
    lines = [Html(f"🃏 <b>{safe(cards(round.numbers))}</b>"), Html(safe(round.line))]
    if round.state is State.OPEN:
        lines += _open_lines(round, words, scene)
    else:
        lines += _end_lines(round, words, scene)
    return Html("\n".join(lines)), _buttons(round, words, scene)


def _open_lines(round: Round, words: Words, scene: Scene) -> list[Html]:
    ask = (
        words.say("Use each number once. Send your answer.")
        if scene.private
        else words.say("Use each number once. Reply to this message with your answer.")
    )
    worth = words.count("{n} point", "{n} points", round.points)
    lines = [ask, words.say("{level} · {worth}", level=level(words, round.level), worth=worth)]
    lines += [Html(f"💡 {hint(words, value)}") for value in round.hint_values[: round.hints]]
    return lines + _notes(scene)


def _notes(scene: Scene) -> list[Html]:
    return [Html(f"✗ {player(scene.names, n.player_id)}: {safe(n.note)}") for n in scene.notes]


def _end_lines(round: Round, words: Words, scene: Scene) -> list[Html]:
    if round.state is State.WON and round.winner_id is not None:
        took = seconds(words, (round.closed or 0) - round.opened)
        who = player(scene.names, round.winner_id)
        worth = words.count("{n} point", "{n} points", scene.points)
        solution = f"{safe(round.expression)} = {round.target}"
        lines = [Html(f"🏆 {who}: <b>{solution}</b>"), Html(f"{took} · +{worth}")]
        others = len(round.ideas) - 1
        if others > 0:
            lines.append(words.count("There was {n} other idea.", "There were {n} other ideas.", others))
        return lines + _notes(scene)
    over = words.say("Nobody found it in time.") if round.state is State.EXPIRED else words.say("Given up.")
    shown = [Html(f"<b>{safe(idea)} = {round.target}</b>") for idea in round.ideas[:IDEAS_SHOWN]]
    more = len(round.ideas) - len(shown)
    tail = [words.count("… and {n} more idea.", "… and {n} more ideas.", more)] if more > 0 else []
    return [over, *shown, *tail]


def _buttons(round: Round, words: Words, scene: Scene) -> Keyboard:
    if round.state is not State.OPEN:
        return [[(words.plain("Next hand"), f"n:{round.id}")]]
    skip = words.plain("Reveal")
    if scene.votes:
        skip = words.plain("Skip {votes}/{needed}", votes=scene.votes, needed=VOTES_TO_SKIP)
    return [[(words.plain("Hint"), f"h:{round.id}"), (skip, f"s:{round.id}")]]


def hint(words: Words, packed: str) -> Html:
    """One hint in words."""
    kind, *values = json.loads(packed)
    if kind == "last":
        return words.say("The last step is {sign}.", sign=SIGNS.get(values[0], values[0]))
    if kind == "make":
        value, numbers = values
        return words.say("Make {value} out of {numbers}.", value=value, numbers=", ".join(numbers.split()))
    return words.say("It looks like this: {shape}", shape=values[0])
