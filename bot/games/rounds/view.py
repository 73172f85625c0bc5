"""The round's one message, drawn from the round as it stands."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bot.games.race.view import RANKS_SHOWN, Standings, finish, heading, marked
from bot.games.rounds.queries import Miss, Note
from bot.games.rounds.rules import (
    COARSE,
    FINE,
    STREAK_FROM,
    VOTES_TO_SKIP,
    Find,
    Kind,
    Round,
    State,
    missing,
    ranked,
    time_left,
)
from bot.i18n import Html, Words, named, safe
from bot.telegram.messages import SIGNS, Keyboard, cards, level, mixed, player, seconds

IDEAS_SHOWN = 5
"""Ideas that a round lists when nobody found one."""
MORE_IDEAS = 2
"""… and beside the winner's."""
FINDS_SHOWN = 15
NOTES_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Earlier:
    """What was found of a hand before it was given away."""

    line: str
    """The hand as every deal shows it."""
    target: int
    finds: Sequence[Find]


@dataclass(frozen=True, slots=True)
class Scene:
    """What the message of a round shows beside the round itself."""

    now: float = 0.0
    names: Mapping[int, str] = field(default_factory=dict)
    notes: Sequence[Note] = ()
    votes: int = 0
    points: int = 0
    """That the round gave."""
    private: bool = False
    hints: bool = True
    """Whether hints may be bought."""
    finds: Sequence[Find] = ()
    earlier: Sequence[Earlier] = ()
    """The hands in this one's place that were given away, the first one first."""
    miss: Miss | None = None
    standings: Standings | None = None


def living(round: Round, words: Words, scene: Scene) -> tuple[Html, Keyboard]:
    """The round's one message, as the round stands; of a race, its hand on the table or its end."""
    if scene.standings:
        if not scene.standings.race.open:
            return finish(scene.standings, words, scene.names), _buttons(round, words, scene)
        lines = [*heading(scene.standings, words, scene.names), *_lines(round, words, scene)]
    else:
        lines = _lines(round, words, scene)
    return Html("\n".join(lines)), _buttons(round, words, scene)


def _lines(round: Round, words: Words, scene: Scene) -> list[Html]:
    dealt = [Html(f"🃏 <b>{safe(cards(round.numbers))}</b>"), Html(safe(round.line))]
    if round.state is State.OPEN:
        return dealt + _open_lines(round, words, scene)
    if round.kind is Kind.ALL:
        return dealt + _found_lines(round, words, scene)
    if round.state is State.WON and round.winner_id is not None:
        return dealt + _won_lines(round, words, scene)
    return dealt + _unsolved_lines(round, words, scene)


def _open_lines(round: Round, words: Words, scene: Scene) -> list[Html]:
    lines = [_task(round, words, scene)]
    worth = words.count("{n} point", "{n} points", round.points)
    lines.append(words.say("{level} · {worth}", level=level(words, round.level), worth=worth))
    lines += _clock(round, words, scene)
    lines += [Html(f"💡 {hint(words, value)}") for value in round.hint_values[: round.hints]]
    return lines + _finds(round, scene) + _earlier(words, scene) + _notes(scene)


def _task(round: Round, words: Words, scene: Scene) -> Html:
    if round.kind is Kind.ALL and not round.whole:
        return words.say("Find every idea: {found} so far. Use each number once.", found=len(scene.finds))
    if round.kind is Kind.ALL:
        return words.say(
            "Find every idea: {found} of {all}. Use each number once.",
            found=len(round.ideas) - len(missing(round, scene.finds)),
            all=len(round.ideas),
        )
    if scene.private:
        return words.say("Use each number once. Send your answer.")
    return words.say("Use each number once. Reply to this message with your answer.")


def _clock(round: Round, words: Words, scene: Scene) -> list[Html]:
    left = time_left(round.deadline, scene.now)
    if left is None:
        return []
    if left > COARSE:
        return [marked("⏳", words.count("{n} hour left", "{n} hours left", left // 3600))]
    if left >= FINE:
        return [marked("⏳", words.count("{n} minute left", "{n} minutes left", left // 60))]
    return [marked("⏳", words.count("{n} second left", "{n} seconds left", left))]


def _finds(round: Round, scene: Scene) -> list[Html]:
    return [_found(f, round.target, scene) for f in scene.finds[-FINDS_SHOWN:]]


def _earlier(words: Words, scene: Scene) -> list[Html]:
    """What was found of each hand that was given away, below that hand's line, where there is room for it."""
    room, lines = FINDS_SHOWN - len(scene.finds), list[Html]()
    for hand in reversed(scene.earlier):
        shown = [_found(f, hand.target, scene) for f in hand.finds[-room:]] if room > 0 else []
        room -= len(shown)
        if shown:
            lines = [words.say("Of the hand before, {line}:", line=hand.line), *shown, *lines]
    return lines


def _found(found: Find, target: int, scene: Scene) -> Html:
    who = player(scene.names, found.player_id)
    return Html(f"🏆 {who}: <b>{safe(found.expression)} = {target}</b> · +{found.points}")


def _notes(scene: Scene) -> list[Html]:
    return [_note(n, scene) for n in scene.notes[-NOTES_SHOWN:]]


def _note(noted: Note, scene: Scene) -> Html:
    """One line; without a name where no person wrote what it is about."""
    said = named(noted.note, scene.names)
    return Html(f"💬 {player(scene.names, noted.player_id)}: {said}" if noted.player_id else f"💬 {said}")


def _won_lines(round: Round, words: Words, scene: Scene) -> list[Html]:
    who = player(scene.names, round.winner_id or 0)
    worth = words.count("{n} point", "{n} points", scene.points)
    lines = [Html(f"🏆 {who}: <b>{safe(round.expression)} = {round.target}</b>"), Html(f"+{worth}")]
    lines.append(_pace(round, words))
    if round.day_first:
        lines.append(marked("🌅", words.say("The first right answer of the day here earns one more.")))
    if round.streak >= STREAK_FROM:
        row = words.count(
            "{name} has won {n} in a row!", "{name} has won {n} in a row!", round.streak, name=who
        )
        lines.append(marked("🔥", row))
    return [*lines, *_ideas(round, words, scene, MORE_IDEAS), *_miss(words, scene), *_notes(scene)]


def _pace(round: Round, words: Words) -> Html:
    """How long it took, unless the answer is older than the deal that is known, and how long people need."""
    took, usual = (round.closed or 0) - round.opened, seconds(words, round.expected)
    if took < 0:
        return words.say("People usually need {usual}.", usual=usual)
    return words.say("Solved in {took}; people usually need {usual}.", took=seconds(words, took), usual=usual)


def _unsolved_lines(round: Round, words: Words, scene: Scene) -> list[Html]:
    over = words.say("Nobody found it in time.") if round.state is State.EXPIRED else words.say("Given up.")
    usual = words.say("People usually need {usual}.", usual=seconds(words, round.expected))
    ideas = _ideas(round, words, scene, IDEAS_SHOWN)
    return [over, *ideas, usual, *_miss(words, scene), *_notes(scene)]


def _found_lines(round: Round, words: Words, scene: Scene) -> list[Html]:
    """How a round ended in which every idea was to be found."""
    found = [*(f for hand in scene.earlier for f in hand.finds), *scene.finds]
    if not found:
        return _unsolved_lines(round, words, scene)
    over = _how_many_found(round, words, scene)
    points: dict[int, int] = {}
    for f in found:
        points[f.player_id] = points.get(f.player_id, 0) + f.points
    table = [
        Html(f"{rank}. {player(scene.names, who)} — {n}") for rank, who, n in ranked(points)[:RANKS_SHOWN]
    ]
    ideas = _ideas(round, words, scene, IDEAS_SHOWN)
    return [over, *table, *_finds(round, scene), *ideas, *_earlier(words, scene), *_notes(scene)]


def _how_many_found(round: Round, words: Words, scene: Scene) -> Html:
    if not (round.whole and round.ideas):
        n = len(scene.finds)
        return words.count("{n} idea was found.", "{n} ideas were found.", n)
    left = missing(round, scene.finds)
    if not left:
        return words.say("Every idea is found!")
    found = len(round.ideas) - len(left)
    return words.say("{found} of {all} ideas were found.", found=found, all=len(round.ideas))


def _ideas(round: Round, words: Words, scene: Scene, most: int) -> list[Html]:
    """The easiest ideas that nobody found, and how many more there are, if that is known."""
    left = missing(round, scene.finds)
    shown = [Html(f"💭 <b>{safe(idea)} = {round.target}</b>") for idea in left[:most]]
    more = len(left) - len(shown)
    if more <= 0:
        return shown
    if not round.whole:
        return [*shown, words.say("… and there are more ideas.")]
    return [*shown, words.count("… and {n} more idea.", "… and {n} more ideas.", more)]


def _miss(words: Words, scene: Scene) -> list[Html]:
    if scene.miss is None:
        return []
    return [
        words.say(
            "The nearest miss: {name}, {expression} = {value}.",
            name=player(scene.names, scene.miss.player_id),
            expression=scene.miss.expression,
            value=mixed(scene.miss.value),
        )
    ]


def _buttons(round: Round, words: Words, scene: Scene) -> Keyboard:
    if round.state is not State.OPEN:
        return [[(words.plain("Next hand"), f"n:{round.id}")]]
    skip = words.plain("Reveal")
    if scene.votes:
        skip = words.plain("Skip {votes}/{needed}", votes=scene.votes, needed=VOTES_TO_SKIP)
    row = [(skip, f"s:{round.id}")]
    if scene.hints and round.hints < len(round.hint_values):
        row.insert(0, (words.plain("Hint"), f"h:{round.id}"))
    return [row]


def hint(words: Words, packed: str) -> Html:
    """One hint in words."""
    kind, *values = json.loads(packed)
    if kind == "last":
        return words.say("The last step is {sign}.", sign=SIGNS.get(values[0], values[0]))
    if kind == "make":
        value, numbers = values
        return words.say("Make {value} out of {numbers}.", value=value, numbers=", ".join(numbers.split()))
    return words.say("It looks like this: {shape}", shape=values[0])
