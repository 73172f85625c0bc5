"""The round's one message, drawn from the round as it stands."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bot.games.contest import queries as contests
from bot.games.contest import view as contest
from bot.games.duel import view as duel
from bot.games.known import GAMES
from bot.games.lesson import view as lesson
from bot.games.puzzle import Entry, Find, Kind, easier, level_name
from bot.games.race.view import RANKS_SHOWN, Standings, finish, heading
from bot.games.rounds.rules import (
    COARSE,
    FINE,
    STREAK_FROM,
    VOTES_TO_SKIP,
    Round,
    State,
    ranked,
    time_left,
)
from bot.games.rounds.tries import Miss, Note
from bot.i18n import Html, Words, named, safe
from bot.people.achievements.queries import Honour
from bot.people.achievements.view import told
from bot.telegram.messages import Button, Keyboard, player, short_time
from solver import commitment

SHOWN = 5
"""Answers that a round lists when nobody found one."""
MORE = 2
"""… and beside the winner's."""
FINDS_SHOWN = 15
NOTES_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Earlier:
    """What was found of a hand before it was given away."""

    round: Round
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
    heard: bool = False
    """Whether an answer needs no reply."""
    hints: bool = True
    """Whether hints may be bought."""
    finds: Sequence[Find] = ()
    entries: Sequence[Entry] = ()
    """What was handed in, in a round in which everybody may; while it is open, only by whom is shown."""
    earlier: Sequence[Earlier] = ()
    """The hands in this one's place that were given away, the first one first."""
    miss: Miss | None = None
    standings: Standings | None = None
    best: float | None = None
    """Seconds of the winner's quickest answer before this one, at its level."""
    honours: Sequence[Honour] = ()
    """What was earned here, for the first time in somebody's life."""


def living(round: Round, words: Words, scene: Scene) -> tuple[Html, Keyboard]:
    """The round's one message, as the round stands; of a race, its hand on the table or its end."""
    if round.kind is Kind.LESSON:
        return lesson.living(round, words)
    honours = told(words, scene.honours, scene.names)
    if round.kind is Kind.CONTEST:
        standings = contests.standings(round, scene.entries)
        text, keyboard = contest.living(words, round, standings, scene.names, scene.votes)
        return Html("\n".join([text, *honours])), keyboard
    if scene.standings:
        if not scene.standings.race.open:
            lines = [_finish(scene.standings, words, scene), *honours]
            return Html("\n".join(lines)), _buttons(round, words, scene)
        lines = [*_heading(scene.standings, words, scene), *_lines(round, words, scene)]
    else:
        lines = _lines(round, words, scene)
    return Html("\n".join([*lines, *honours])), _buttons(round, words, scene)


def _heading(standings: Standings, words: Words, scene: Scene) -> list[Html]:
    if standings.duel:
        return duel.heading(standings, standings.duel, words, scene.names)
    return heading(standings, words, scene.names)


def _finish(standings: Standings, words: Words, scene: Scene) -> Html:
    if standings.duel:
        return duel.finish(standings, standings.duel, words, scene.names)
    return finish(standings, words, scene.names)


def _lines(round: Round, words: Words, scene: Scene) -> list[Html]:
    dealt = GAMES[round.game].dealt(round.puzzle)
    if round.state is State.OPEN:
        return dealt + _open_lines(round, words, scene)
    return [*dealt, *_over_lines(round, words, scene), *_committed(round)]


def _over_lines(round: Round, words: Words, scene: Scene) -> list[Html]:
    if round.kind is Kind.BEST:
        return _best_lines(round, words, scene)
    if round.kind is Kind.ALL:
        return _found_lines(round, words, scene)
    if round.state is State.WON and round.winner_id is not None:
        return _won_lines(round, words, scene)
    return _unsolved_lines(round, words, scene)


def _open_lines(round: Round, words: Words, scene: Scene) -> list[Html]:
    game = GAMES[round.game]
    lines = [game.task(words, round, scene.finds, private=scene.heard)]
    lines.append(_worth(round, words))
    lines += _clock(round, words, scene)
    lines += [Html(f"💡 {game.hint(words, round.puzzle, number)}") for number in range(round.hints)]
    lines += _committed(round)
    return lines + _in(scene) + _finds(round, scene) + _earlier(words, scene) + _notes(scene)


def _committed(round: Round) -> list[Html]:
    """What the deal was committed to, and at its end the proof, which anybody can check."""
    proof = GAMES[round.game].proof(round.puzzle)
    if not proof:
        return []
    if round.state is State.OPEN:
        return [Html(f"🔒 <code>{commitment(proof)}</code>")]
    return [Html(f"🔑 <code>{safe(proof)}</code>")]


def _worth(round: Round, words: Words) -> Html:
    """The level, and the points of a right answer where it has any before the round's end."""
    level = level_name(words, round.level)
    if round.kind in (Kind.BEST, Kind.CHOSEN):
        return level
    worth = words.count("{n} point", "{n} points", round.points)
    return words.say("{level} · {worth}", level=level, worth=worth)


def _clock(round: Round, words: Words, scene: Scene) -> list[Html]:
    left = time_left(round.deadline, scene.now)
    if left is None:
        return []
    if left > COARSE:
        text = words.count("{n} hour left", "{n} hours left", left // 3600)
    elif left >= FINE:
        text = words.count("{n} minute left", "{n} minutes left", left // 60)
    else:
        text = words.count("{n} second left", "{n} seconds left", left)
    return [Html(f"⏳ {text}")]


def _in(scene: Scene) -> list[Html]:
    """Who has handed in, and never what."""
    names = [player(scene.names, entry.player_id) for entry in scene.entries[:FINDS_SHOWN]]
    more = [Html("…")] if len(scene.entries) > FINDS_SHOWN else []
    return [Html(f"✋ {', '.join([*names, *more])}")] if names else []


def _finds(round: Round, scene: Scene) -> list[Html]:
    return [_found(f, round, scene) for f in scene.finds[-FINDS_SHOWN:]]


def _earlier(words: Words, scene: Scene) -> list[Html]:
    """What was found of each hand that was given away, below that hand's line, where there is room for it."""
    room, lines = FINDS_SHOWN - len(scene.finds), list[Html]()
    for hand in reversed(scene.earlier):
        shown = [_found(f, hand.round, scene) for f in hand.finds[-room:]] if room > 0 else []
        room -= len(shown)
        if shown:
            lines = [words.say("Of the hand before, {line}:", line=hand.round.line), *shown, *lines]
    return lines


def _found(found: Find, round: Round, scene: Scene) -> Html:
    who, shown = player(scene.names, found.player_id), GAMES[round.game].shown(round.puzzle, found.answer)
    return Html(f"🏆 {who}: <b>{safe(shown)}</b> · +{found.points}")


def _notes(scene: Scene) -> list[Html]:
    return [_note(n, scene) for n in scene.notes[-NOTES_SHOWN:]]


def _note(noted: Note, scene: Scene) -> Html:
    """One line; without a name where no person wrote what it is about."""
    text = named(noted.note, scene.names)
    return Html(f"💬 {player(scene.names, noted.player_id)}: {text}" if noted.player_id else f"💬 {text}")


def _won_lines(round: Round, words: Words, scene: Scene) -> list[Html]:
    who = player(scene.names, round.winner_id or 0)
    shown = GAMES[round.game].shown(round.puzzle, round.answer or "")
    lines = [Html(f"🏆 {who}: <b>{safe(shown)}</b>"), _earned(round, words, scene)]
    lines += [*_pace(round, words, scene), *_usual(round, words)]
    if round.day_first:
        lines.append(Html(f"🌅 {words.say('First of the day: one point more')}"))
    if round.streak >= STREAK_FROM:
        row = words.count(
            "{name} has won {n} in a row!", "{name} has won {n} in a row!", round.streak, name=who
        )
        lines.append(Html(f"🔥 {row}"))
    # what was earned takes an idea's place: it all fits a phone's screen
    more = GAMES[round.game].solutions(words, round, scene.finds, MORE - bool(scene.honours))
    return [*lines, *more, *_miss(round, words, scene)]


def _earned(round: Round, words: Words, scene: Scene) -> Html:
    if round.kind is Kind.CHOSEN:
        return words.say("No points: you chose the hand.")
    return Html(f"+{words.count('{n} point', '{n} points', scene.points)}")


def _pace(round: Round, words: Words, scene: Scene) -> list[Html]:
    """How long it took, beside the winner's best before; nothing where the answer is older than the deal."""
    took = (round.closed or 0) - round.opened
    if took < 0:
        return []
    told = {"took": short_time(words, took), "level": level_name(words, round.level)}
    if scene.best is None or round.kind is Kind.CHOSEN:
        return [Html(f"⏱ {told['took']}")]
    told["best"] = short_time(words, scene.best)
    if took < scene.best:
        text = words.say("{took} · new best ({level}), was {best}", **told)
    else:
        text = words.say("{took} · own best ({level}): {best}", **told)
    return [Html(f"⏱ {text}")]


def _usual(round: Round, words: Words) -> list[Html]:
    """How long people need, where that is known."""
    if not GAMES[round.game].is_measured(round.puzzle):
        return []
    return [words.say("Practised players: about {usual}", usual=short_time(words, round.expected))]


def _unsolved_lines(round: Round, words: Words, scene: Scene) -> list[Html]:
    over = words.say("Nobody found it in time.") if round.state is State.EXPIRED else words.say("Given up.")
    more = GAMES[round.game].solutions(words, round, scene.finds, SHOWN)
    return [over, *more, *_usual(round, words), *_miss(round, words, scene)]


def _found_lines(round: Round, words: Words, scene: Scene) -> list[Html]:
    """How a round ended in which every idea was to be found."""
    found = [*(f for hand in scene.earlier for f in hand.finds), *scene.finds]
    if not found:
        return _unsolved_lines(round, words, scene)
    over = GAMES[round.game].progress(words, round, scene.finds)
    points: dict[int, int] = {}
    for f in found:
        points[f.player_id] = points.get(f.player_id, 0) + f.points
    table = [
        Html(f"{rank}. {player(scene.names, who)} — {n}") for rank, who, n in ranked(points)[:RANKS_SHOWN]
    ]
    more = GAMES[round.game].solutions(words, round, scene.finds, SHOWN)
    return [over, *table, *_finds(round, scene), *more, *_earlier(words, scene)]


def _best_lines(round: Round, words: Words, scene: Scene) -> list[Html]:
    """How a round ended in which everybody could hand in: winners, what others had, the best possible."""
    if not scene.entries and not scene.finds:
        return _unsolved_lines(round, words, scene)
    game, won = GAMES[round.game], {f.player_id for f in scene.finds}
    others = [e for e in scene.entries if e.player_id not in won][: FINDS_SHOWN - len(scene.finds)]
    shown = [
        Html(f"{player(scene.names, e.player_id)}: {safe(game.shown(round.puzzle, e.answer))}")
        for e in others
    ]
    return [*_finds(round, scene), *shown, *game.solutions(words, round, scene.finds, SHOWN)]


def _miss(round: Round, words: Words, scene: Scene) -> list[Html]:
    if scene.miss is None:
        return []
    return [
        words.say(
            "Nearest miss: {name}, {expression} = {value}",
            name=player(scene.names, scene.miss.player_id),
            expression=scene.miss.answer,
            value=GAMES[round.game].value(scene.miss.value),
        )
    ]


def _buttons(round: Round, words: Words, scene: Scene) -> Keyboard:
    if scene.standings and not scene.standings.race.open:
        if scene.standings.duel:
            return [[(words.plain("Rematch"), f"dr:{round.id}")]]
        return [[(words.plain("Race again"), f"r:{round.id}")]]
    if round.state is not State.OPEN:
        return [_more(round, words, scene)]
    skip = words.plain("Give up")
    if scene.votes:
        skip = words.plain("Give up {votes}/{needed}", votes=scene.votes, needed=VOTES_TO_SKIP)
    row = [(skip, f"s:{round.id}")]
    if scene.hints and round.hints < GAMES[round.game].hints(round.puzzle):
        row.insert(0, (words.plain("Hint"), f"h:{round.id}"))
    return [row, *_stop(round, words, scene)]


def _stop(round: Round, words: Words, scene: Scene) -> list[list[Button]]:
    """Where somebody wants to end the race or the duel: the button by which others join in."""
    if not (scene.standings and scene.standings.stops):
        return []
    votes = words.plain("Stop {votes}/{needed}", votes=scene.standings.stops, needed=VOTES_TO_SKIP)
    return [[(votes, f"x:{round.id}")]]


def _more(round: Round, words: Words, scene: Scene) -> list[Button]:
    """What may follow a hand: the next, a duel with its winner, an easier one that nobody found in time."""
    found = scene.finds or any(hand.finds for hand in scene.earlier)
    row = [(words.plain("Next hand"), f"n:{round.id}")]
    if round.state is State.WON and round.winner_id and round.kind is Kind.FIRST and not scene.private:
        row.append((words.plain("Duel"), f"d:{round.id}"))
    if round.state is State.EXPIRED and not found and easier(round.level):
        row.append((words.plain("An easier one"), f"e:{round.id}"))
    return row
