"""The round's one message, drawn from the round as it stands."""

from collections.abc import Sequence

from bot.i18n import Html, Words, insert_names, escape_value
from bot.modes.contest import queries as contests
from bot.modes.contest import view as contest
from bot.modes.duel import view as duel
from bot.modes.lesson import view as lesson
from bot.modes.practice import view as practice
from bot.modes.race.view import MAX_RANKS, RaceStandings, render_race_result, render_race_heading
from bot.rounds import proof
from bot.rounds.ended import render_unsolved
from bot.rounds.known import GAMES
from bot.rounds.puzzle import Find, Kind, render_level
from bot.rounds.rules import MINUTE_CLOCK_LIMIT, FINE_CLOCK_LIMIT, MIN_STREAK_SHOWN, CLOCK_STEP, Round, State, is_deadline_shortened, rank_by_points, get_displayed_time_left
from bot.rounds.scene import MAX_LINES as MAX_LINES
from bot.rounds.scene import Snapshot, make_buttons, make_board_button
from bot.rounds.tries import AnswerNote
from bot.standings.achievements.view import render_achievement_lines
from bot.telegram.messages import Keyboard, format_player_name, format_short_duration

SHOWN = 5  # Answers that a round lists when nobody found one
MORE = 2  # … and beside the winner's
NOTES_SHOWN = 8


def render_message(round: Round, words: Words, scene: Snapshot) -> tuple[Html, Keyboard]:
    """The round's one message, as the round stands; of a race, its hand on the table or its end."""
    text, keyboard = _living(round, words, scene)
    return text, [*keyboard, *make_board_button(round, words, scene.board_link)]


def _living(round: Round, words: Words, scene: Snapshot) -> tuple[Html, Keyboard]:
    if round.kind is Kind.LESSON:
        return lesson.render_lesson_message(round, words, for_spectator=scene.is_spectator)
    if scene.practice_session is not None:
        left = render_time_left(round, words, scene.now)
        return practice.render_practice_message(round, words, scene.practice_session, left, for_spectator=scene.is_spectator)
    honours = render_achievement_lines(words, scene.honours, scene.names)
    if round.kind is Kind.CONTEST:
        standings = contests.read_progress(round, scene.entries)
        text, keyboard = contest.render_contest(words, round, standings, scene.names, scene.skip_votes)
        return Html("\n".join([text, *honours])), keyboard
    if scene.standings:
        if not scene.standings.race.open:
            lines = [_finish(scene.standings, words, scene), *honours, *_waiting(words, scene)]
            lines += _committed(round, scene, scene.earlier_proofs)
            return Html("\n".join(lines)), make_buttons(round, words, scene)
        lines = [*_heading(scene.standings, words, scene), *_lines(round, words, scene)]
    else:
        lines = _lines(round, words, scene)
    return Html("\n".join([*lines, *honours])), make_buttons(round, words, scene)


def _heading(standings: RaceStandings, words: Words, scene: Snapshot) -> list[Html]:
    if standings.duel:
        return duel.render_duel_heading(standings, standings.duel, words, scene.names)
    return render_race_heading(standings, words, scene.names)


def _finish(standings: RaceStandings, words: Words, scene: Snapshot) -> Html:
    if standings.duel:
        return duel.render_duel_result(standings, standings.duel, words, scene.names)
    return render_race_result(standings, words, scene.names)


def _lines(round: Round, words: Words, scene: Snapshot) -> list[Html]:
    dealt = GAMES[round.game].render_deal(round.puzzle)
    if round.state is State.OPEN:
        return dealt + _open_lines(round, words, scene)
    over = [*_over_lines(round, words, scene), *_waiting(words, scene)]
    return [*dealt, *over, *_committed(round, scene, scene.earlier_proofs)]


def _over_lines(round: Round, words: Words, scene: Snapshot) -> list[Html]:
    if round.kind is Kind.BEST:
        return _best_lines(round, words, scene)
    if round.kind is Kind.ALL:
        return _found_lines(round, words, scene)
    if round.state is State.WON and round.winner_id is not None:
        return _won_lines(round, words, scene)
    return _unsolved_lines(round, words, scene)


def _open_lines(round: Round, words: Words, scene: Snapshot) -> list[Html]:
    game = GAMES[round.game]
    task = game.task(words, round, scene.finds, private=scene.reads_all_messages)
    if scene.is_spectator:
        task = game.render_rule(words, round, scene.finds)
    lines = [task, *_secrecy(words, scene)]
    lines.append(_worth(round, words))
    lines += render_time_left(round, words, scene.now)
    lines += [Html(f"💡 {game.render_hint(words, round.puzzle, number)}") for number in range(round.hints_shown)]
    lines += _committed(round, scene) + _in(words, scene) + _waiting(words, scene)
    return lines + _finds(round, words, scene) + _notes(scene)


def _secrecy(words: Words, scene: Snapshot) -> list[Html]:
    """Where nobody but their author reads answers, and how they stay so."""
    return [Html(f"🤫 {words.translate('Secret answers: by the button.')}")] if scene.answer_link else []


def _committed(round: Round, scene: Snapshot, before: Sequence[str] = ()) -> list[Html]:
    """What the deal was committed to, and at its end the proof, with those of the hands before it."""
    if not scene.shows_proofs:
        return []
    own = GAMES[round.game].get_proof(round.puzzle)
    return proof.render_proof(own, over=False) if round.state is State.OPEN else proof.render_folded_proofs([*before, own])


def _worth(round: Round, words: Words) -> Html:
    """The level, and the points of a right answer where it has any before the round's end."""
    level = render_level(words, round.level)
    if round.kind in (Kind.BEST, Kind.CHOSEN):
        return level
    worth = words.translate_plural("{n} point", "{n} points", round.points)
    return words.translate("{level} · {worth}", level=level, worth=worth)


def render_time_left(round: Round, words: Words, now: float, tick: float = CLOCK_STEP) -> list[Html]:
    """How much time is left; `tick` as in `time_left`."""
    left = get_displayed_time_left(round.deadline, now, tick)
    if left is None:
        return []
    if is_deadline_shortened(round):
        return [render_shortened_deadline(words)]
    if left > MINUTE_CLOCK_LIMIT:
        text = words.translate_plural("{n} hour left", "{n} hours left", left // 3600)
    elif left >= FINE_CLOCK_LIMIT:
        text = words.translate_plural("{n} minute left", "{n} minutes left", left // 60)
    else:
        text = words.translate_plural("{n} second left", "{n} seconds left", left)
    return [Html(f"⏳ {text}")]


def render_shortened_deadline(words: Words) -> Html:
    """Why a hand that `is_hurried` ends so soon."""
    return Html(f"⏳ {words.translate('Somebody has it: five more seconds for all.')}")


def _in(words: Words, scene: Snapshot) -> list[Html]:
    """Who has handed in, and never what."""
    names = _names(words, scene, [entry.player_id for entry in scene.entries])
    return [Html(f"✋ {names}")] if names else []


def _waiting(words: Words, scene: Snapshot) -> list[Html]:
    """For whom a word waits, which the button leads to."""
    names = _names(words, scene, scene.waiting_players)
    return [Html(f"📬 {names}")] if names else []


def _names(words: Words, scene: Snapshot, who: Sequence[int]) -> Html:
    """The first of them by name, and how many there are more."""
    names = Html(", ".join(format_player_name(scene.names, one) for one in who[: scene.max_lines]))
    more = len(who) - scene.max_lines
    return Html(f"{names} {words.translate_plural('… and {n} more', '… and {n} more', more)}") if more > 0 else names


def _finds(round: Round, words: Words, scene: Snapshot) -> list[Html]:
    """What was found; where that is too much to be shown, the latest, or of the nearest ones the first."""
    more = len(scene.finds) - scene.max_lines
    if round.kind is not Kind.BEST or more <= 0:
        return [_found(f, round, scene) for f in scene.finds[-scene.max_lines :]]
    shown = [_found(f, round, scene) for f in scene.finds[: scene.max_lines]]
    return [*shown, words.translate_plural("… and {n} more", "… and {n} more", more)]


def _found(found: Find, round: Round, scene: Snapshot) -> Html:
    who, shown = format_player_name(scene.names, found.player_id), GAMES[round.game].format_answer(round.puzzle, found.answer)
    return Html(f"🏆 {who}: <b>{escape_value(shown)}</b> · +{found.points}")


def _notes(scene: Snapshot) -> list[Html]:
    return [_note(n, scene) for n in scene.notes[-NOTES_SHOWN:]]


def _note(noted: AnswerNote, scene: Snapshot) -> Html:
    """One line; without a name where no person wrote what it is about."""
    text = insert_names(noted.text, scene.names)
    return Html(f"💬 {format_player_name(scene.names, noted.player_id)}: {text}" if noted.player_id else f"💬 {text}")


def _won_lines(round: Round, words: Words, scene: Snapshot) -> list[Html]:
    who = format_player_name(scene.names, round.winner_id or 0)
    shown = GAMES[round.game].format_answer(round.puzzle, round.answer or "")
    lines = [Html(f"🏆 {who}: <b>{escape_value(shown)}</b>"), _earned(round, words, scene)]
    lines += [*_pace(round, words, scene), *_usual(round, words)]
    if round.day_first:
        lines.append(Html(f"🌅 {words.translate('First of the day: one point more')}"))
    if round.streak >= MIN_STREAK_SHOWN:
        row = words.translate_plural(
            "{name} has won {n} in a row!", "{name} has won {n} in a row!", round.streak, name=who
        )
        lines.append(Html(f"🔥 {row}"))
    # what was earned takes an idea's place: it all fits a phone's screen
    more = GAMES[round.game].render_solutions(words, round, scene.finds, MORE - bool(scene.honours))
    return [*lines, *more, *_miss(round, words, scene)]


def _earned(round: Round, words: Words, scene: Snapshot) -> Html:
    if round.kind is Kind.CHOSEN:
        return words.translate("No points: you chose the hand.")
    return Html(f"+{words.translate_plural('{n} point', '{n} points', scene.points)}")


def _pace(round: Round, words: Words, scene: Snapshot) -> list[Html]:
    """How long it took, beside the winner's best before; nothing where the answer is older than the deal."""
    took = (round.closed or 0) - round.opened
    if took < 0:
        return []
    told = {"took": format_short_duration(words, took), "level": render_level(words, round.level)}
    if scene.best_seconds is None or round.kind is Kind.CHOSEN:
        return [Html(f"⏱ {told['took']}")]
    told["best"] = format_short_duration(words, scene.best_seconds)
    if took < scene.best_seconds:
        text = words.translate("{took} · new best ({level}), was {best}", **told)
    else:
        text = words.translate("{took} · own best ({level}): {best}", **told)
    return [Html(f"⏱ {text}")]


def _usual(round: Round, words: Words) -> list[Html]:
    """How long people need, where that is known."""
    if not GAMES[round.game].is_time_measured(round.puzzle):
        return []
    return [words.translate("Practised players: about {usual}", usual=format_short_duration(words, round.expected))]


def _unsolved_lines(round: Round, words: Words, scene: Snapshot) -> list[Html]:
    more = GAMES[round.game].render_solutions(words, round, scene.finds, SHOWN)
    return [render_unsolved(round, words), *more, *_usual(round, words), *_miss(round, words, scene)]


def _found_lines(round: Round, words: Words, scene: Snapshot) -> list[Html]:
    """How a round ended in which every idea was to be found."""
    if not scene.finds:
        return _unsolved_lines(round, words, scene)
    over = GAMES[round.game].render_progress(words, round, scene.finds)
    points: dict[int, int] = {}
    for f in scene.finds:
        points[f.player_id] = points.get(f.player_id, 0) + f.points
    table = [
        Html(f"{rank}. {format_player_name(scene.names, who)} — {n}") for rank, who, n in rank_by_points(points)[:MAX_RANKS]
    ]
    more = GAMES[round.game].render_solutions(words, round, scene.finds, SHOWN)
    return [over, *table, *_finds(round, words, scene), *more]


def _best_lines(round: Round, words: Words, scene: Snapshot) -> list[Html]:
    """How a round ended in which everybody could hand in: winners, what others had, the best possible."""
    if not scene.entries and not scene.finds:
        return _unsolved_lines(round, words, scene)
    game, won = GAMES[round.game], {f.player_id for f in scene.finds}
    others = [e for e in scene.entries if e.player_id not in won][: max(0, scene.max_lines - len(scene.finds))]
    shown = [
        Html(f"{format_player_name(scene.names, e.player_id)}: {escape_value(game.format_answer(round.puzzle, e.answer))}")
        for e in others
    ]
    best = game.render_solutions(words, round, scene.finds, SHOWN)
    return [*_finds(round, words, scene), *shown, *best]


def _miss(round: Round, words: Words, scene: Snapshot) -> list[Html]:
    if scene.nearest_miss is None:
        return []
    return [
        words.translate(
            "Nearest miss: {name}, {expression} = {value}",
            name=format_player_name(scene.names, scene.nearest_miss.player_id),
            expression=scene.nearest_miss.answer,
            value=GAMES[round.game].format_value(scene.nearest_miss.value),
        )
    ]
