"""The round's one message, drawn from the round as it stands."""

from collections.abc import Sequence

from bot.i18n import Html, Words, named, safe
from bot.modes.contest import queries as contests
from bot.modes.contest import view as contest
from bot.modes.duel import view as duel
from bot.modes.lesson import view as lesson
from bot.modes.practice import view as practice
from bot.modes.race.view import RANKS_SHOWN, Standings, finish, heading
from bot.rounds import proof
from bot.rounds.ended import unsolved
from bot.rounds.known import GAMES
from bot.rounds.puzzle import Find, Kind, level_name
from bot.rounds.rules import COARSE, FINE, STREAK_FROM, TICK, Round, State, is_hurried, ranked, time_left
from bot.rounds.scene import FINDS_SHOWN as FINDS_SHOWN
from bot.rounds.scene import Scene, buttons, to_board
from bot.rounds.tries import Note
from bot.standings.achievements.view import told
from bot.telegram.messages import Keyboard, player, short_time

SHOWN = 5  # Answers that a round lists when nobody found one
MORE = 2  # … and beside the winner's
NOTES_SHOWN = 8


def living(round: Round, words: Words, scene: Scene) -> tuple[Html, Keyboard]:
    """The round's one message, as the round stands; of a race, its hand on the table or its end."""
    text, keyboard = _living(round, words, scene)
    return text, [*keyboard, *to_board(round, words, scene.board)]


def _living(round: Round, words: Words, scene: Scene) -> tuple[Html, Keyboard]:
    if round.kind is Kind.LESSON:
        return lesson.living(round, words, looks_on=scene.looks_on)
    if scene.practice is not None:
        left = clock(round, words, scene.now)
        return practice.living(round, words, scene.practice, left, looks_on=scene.looks_on)
    honours = told(words, scene.honours, scene.names)
    if round.kind is Kind.CONTEST:
        standings = contests.standings(round, scene.entries)
        text, keyboard = contest.living(words, round, standings, scene.names, scene.votes)
        return Html("\n".join([text, *honours])), keyboard
    if scene.standings:
        if not scene.standings.race.open:
            lines = [_finish(scene.standings, words, scene), *honours, *_waiting(words, scene)]
            lines += _committed(round, scene, scene.proofs)
            return Html("\n".join(lines)), buttons(round, words, scene)
        lines = [*_heading(scene.standings, words, scene), *_lines(round, words, scene)]
    else:
        lines = _lines(round, words, scene)
    return Html("\n".join([*lines, *honours])), buttons(round, words, scene)


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
    over = [*_over_lines(round, words, scene), *_waiting(words, scene)]
    return [*dealt, *over, *_committed(round, scene, scene.proofs)]


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
    task = game.task(words, round, scene.finds, private=scene.heard)
    if scene.looks_on:
        task = game.rule(words, round, scene.finds)
    lines = [task, *_secrecy(words, scene)]
    lines.append(_worth(round, words))
    lines += clock(round, words, scene.now)
    lines += [Html(f"💡 {game.hint(words, round.puzzle, number)}") for number in range(round.hints)]
    lines += _committed(round, scene) + _in(words, scene) + _waiting(words, scene)
    return lines + _finds(round, words, scene) + _notes(scene)


def _secrecy(words: Words, scene: Scene) -> list[Html]:
    """Where nobody but their author reads answers, and how they stay so."""
    return [Html(f"🤫 {words.say('Secret answers: by the button.')}")] if scene.door else []


def _committed(round: Round, scene: Scene, before: Sequence[str] = ()) -> list[Html]:
    """What the deal was committed to, and at its end the proof, with those of the hands before it."""
    if not scene.proven:
        return []
    own = GAMES[round.game].proof(round.puzzle)
    return proof.lines(own, over=False) if round.state is State.OPEN else proof.folded([*before, own])


def _worth(round: Round, words: Words) -> Html:
    """The level, and the points of a right answer where it has any before the round's end."""
    level = level_name(words, round.level)
    if round.kind in (Kind.BEST, Kind.CHOSEN):
        return level
    worth = words.count("{n} point", "{n} points", round.points)
    return words.say("{level} · {worth}", level=level, worth=worth)


def clock(round: Round, words: Words, now: float, tick: float = TICK) -> list[Html]:
    """How much time is left; `tick` as in `time_left`."""
    left = time_left(round.deadline, now, tick)
    if left is None:
        return []
    if is_hurried(round):
        return [hurry(words)]
    if left > COARSE:
        text = words.count("{n} hour left", "{n} hours left", left // 3600)
    elif left >= FINE:
        text = words.count("{n} minute left", "{n} minutes left", left // 60)
    else:
        text = words.count("{n} second left", "{n} seconds left", left)
    return [Html(f"⏳ {text}")]


def hurry(words: Words) -> Html:
    """Why a hand that `is_hurried` ends so soon."""
    return Html(f"⏳ {words.say('Somebody has it: five more seconds for all.')}")


def _in(words: Words, scene: Scene) -> list[Html]:
    """Who has handed in, and never what."""
    names = _names(words, scene, [entry.player_id for entry in scene.entries])
    return [Html(f"✋ {names}")] if names else []


def _waiting(words: Words, scene: Scene) -> list[Html]:
    """For whom a word waits, which the button leads to."""
    names = _names(words, scene, scene.waiting)
    return [Html(f"📬 {names}")] if names else []


def _names(words: Words, scene: Scene, who: Sequence[int]) -> Html:
    """The first of them by name, and how many there are more."""
    names = Html(", ".join(player(scene.names, one) for one in who[: scene.most]))
    more = len(who) - scene.most
    return Html(f"{names} {words.count('… and {n} more', '… and {n} more', more)}") if more > 0 else names


def _finds(round: Round, words: Words, scene: Scene) -> list[Html]:
    """What was found; where that is too much to be shown, the latest, or of the nearest ones the first."""
    more = len(scene.finds) - scene.most
    if round.kind is not Kind.BEST or more <= 0:
        return [_found(f, round, scene) for f in scene.finds[-scene.most :]]
    shown = [_found(f, round, scene) for f in scene.finds[: scene.most]]
    return [*shown, words.count("… and {n} more", "… and {n} more", more)]


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
    more = GAMES[round.game].solutions(words, round, scene.finds, SHOWN)
    return [unsolved(round, words), *more, *_usual(round, words), *_miss(round, words, scene)]


def _found_lines(round: Round, words: Words, scene: Scene) -> list[Html]:
    """How a round ended in which every idea was to be found."""
    if not scene.finds:
        return _unsolved_lines(round, words, scene)
    over = GAMES[round.game].progress(words, round, scene.finds)
    points: dict[int, int] = {}
    for f in scene.finds:
        points[f.player_id] = points.get(f.player_id, 0) + f.points
    table = [
        Html(f"{rank}. {player(scene.names, who)} — {n}") for rank, who, n in ranked(points)[:RANKS_SHOWN]
    ]
    more = GAMES[round.game].solutions(words, round, scene.finds, SHOWN)
    return [over, *table, *_finds(round, words, scene), *more]


def _best_lines(round: Round, words: Words, scene: Scene) -> list[Html]:
    """How a round ended in which everybody could hand in: winners, what others had, the best possible."""
    if not scene.entries and not scene.finds:
        return _unsolved_lines(round, words, scene)
    game, won = GAMES[round.game], {f.player_id for f in scene.finds}
    others = [e for e in scene.entries if e.player_id not in won][: max(0, scene.most - len(scene.finds))]
    shown = [
        Html(f"{player(scene.names, e.player_id)}: {safe(game.shown(round.puzzle, e.answer))}")
        for e in others
    ]
    best = game.solutions(words, round, scene.finds, SHOWN)
    return [*_finds(round, words, scene), *shown, *best]


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
