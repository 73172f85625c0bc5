"""The round's one message, drawn from the round as it stands."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from bot.admin.settings.preferences import Pictures
from bot.i18n import Html, Words, escape_value, insert_names
from bot.modes.contest import queries as contests
from bot.modes.contest import view as contest
from bot.modes.duel import view as duel
from bot.modes.lesson import view as lesson
from bot.modes.practice import view as practice
from bot.modes.practice.rules import PracticeReport
from bot.modes.race.view import MAX_RANKS, RaceStandings, render_race_heading, render_race_result
from bot.queue.queries import DRAWN_POST_PREFIX
from bot.rounds import message_lines
from bot.rounds.attempts import AnswerNote, NearMiss
from bot.rounds.message_lines import render_unsolved
from bot.rounds.puzzle import Entry, Find, Kind, get_easier_level, render_level
from bot.rounds.registry import GAMES
from bot.rounds.rules import (
    CLOCK_STEP,
    FINE_CLOCK_LIMIT,
    MIN_STREAK_SHOWN,
    MINUTE_CLOCK_LIMIT,
    VOTES_NEEDED,
    Round,
    State,
    get_displayed_time_left,
    is_deadline_shortened,
    rank_by_points,
)
from bot.standings.achievements.queries import PlayerAchievements
from bot.standings.achievements.view import render_achievement_lines
from bot.telegram.messages import Button, Keyboard, Link, WebApp, format_player_name, format_short_duration
from bot.telegram.photo_messages import CAPTION_LIMIT, count_utf16_units, truncate_caption, truncate_name

MAX_LINES = 15


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What the message of a round shows beside the round itself."""

    now: float = 0.0
    names: Mapping[int, str] = field(default_factory=dict)
    notes: Sequence[AnswerNote] = ()
    skip_votes: int = 0
    points: int = 0  # That the round gave
    is_private: bool = False
    reads_all_messages: bool = False  # Whether an answer needs no reply
    is_spectator: bool = False  # Whether whoever reads only looks on
    offers_hints: bool = True  # Whether hints may be bought
    finds: Sequence[Find] = ()
    # What was handed in, in a round in which everybody may; while it is open, only by whom is shown.
    entries: Sequence[Entry] = ()
    nearest_miss: NearMiss | None = None
    standings: RaceStandings | None = None
    earlier_proofs: Sequence[str] = ()  # Of the hands of its race before this one
    best_seconds: float | None = None  # Seconds of the winner's quickest answer before this one, at its level
    waiting_players: Sequence[int] = ()  # People for whom a word waits that is theirs alone
    # The address at which answers to the round can be given in private; empty where there is none.
    answer_link: str = ""
    board_link: str = (
        ""  # The address of the page on which the round can be tapped; empty where there is none
    )
    honours: Sequence[PlayerAchievements] = ()  # What was earned here, for the first time in somebody's life
    pictures: Pictures = Pictures.OFF  # What the chat sees as pictures
    # What names the picture that the message shows by now; empty for a text, and before it is posted.
    shown_picture: str = ""
    max_lines: int = MAX_LINES  # Lines of a list
    shows_proofs: bool = True  # Whether it is shown what a deal was committed to
    practice_session: PracticeReport | None = None  # What a hand that is practised tells of the person


def make_buttons(round: Round, words: Words, scene: Snapshot) -> Keyboard:
    """What may be pressed below the round as it stands."""
    if scene.standings and not scene.standings.race.open:
        if scene.standings.duel:
            return [[(words.translate_plain("Rematch"), f"dr:{round.id}")], *_secret(round, words, scene)]
        return [[(words.translate_plain("Race again"), f"r:{round.id}")], *_secret(round, words, scene)]
    if round.state is not State.OPEN:
        return [_more(round, words, scene), *_secret(round, words, scene)]
    skip = words.translate_plain("Give up")
    if scene.skip_votes:
        skip = words.translate_plain("Give up {votes}/{needed}", votes=scene.skip_votes, needed=VOTES_NEEDED)
    row = [(skip, f"s:{round.id}")]
    if scene.offers_hints and round.hints_shown < GAMES[round.game].count_hints(round.puzzle):
        row.insert(0, (words.translate_plain("Hint"), f"h:{round.id}"))
    return [row, *_secret(round, words, scene), *_stop(round, words, scene)]


def make_board_button(round: Round, words: Words, address: str) -> list[list[Button]]:
    """The way to the page on which a round that goes on can be tapped: within Telegram, or by a link."""
    if not address or round.state not in (State.OPEN, State.RUNNING):
        return []
    label = f"🔢 {words.translate_plain('Board')}"
    return [[(label, WebApp(address) if round.chat_id > 0 else Link(address))]]


def _secret(round: Round, words: Words, scene: Snapshot) -> list[list[Button]]:
    """The ways to the bot that nobody else sees."""
    row: list[Button] = []
    if scene.answer_link:
        row.append((f"🤫 {words.translate_plain('Answer secretly')}", Link(scene.answer_link)))
    if scene.waiting_players:
        row.append((f"📬 {words.translate_plain('Read mine')}", f"wd:{round.id}"))
    return [row] if row else []


def _stop(round: Round, words: Words, scene: Snapshot) -> list[list[Button]]:
    """Where somebody wants to end the race or the duel: the button by which others join in."""
    if not (scene.standings and scene.standings.stop_votes):
        return []
    votes = words.translate_plain(
        "Stop {votes}/{needed}", votes=scene.standings.stop_votes, needed=VOTES_NEEDED
    )
    return [[(votes, f"x:{round.id}")]]


def _more(round: Round, words: Words, scene: Snapshot) -> list[Button]:
    """What may follow a hand: the next, a duel with its winner, an easier one that nobody found in time."""
    row = [(words.translate_plain("Next hand"), f"n:{round.id}")]
    if any(GAMES[round.game].list_steps(find.answer) for find in scene.finds):
        row.append((words.translate_plain("Step by step"), f"w:{round.id}"))
    if round.state is State.WON and round.winner_id and round.kind is Kind.FIRST and not scene.is_private:
        row.append((words.translate_plain("Duel"), f"d:{round.id}"))
    if (
        round.state is State.EXPIRED
        and not scene.finds
        and GAMES[round.game].has_levels
        and get_easier_level(round.level)
    ):
        row.append((words.translate_plain("An easier one"), f"e:{round.id}"))
    return row


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
        return practice.render_practice_message(
            round, words, scene.practice_session, left, for_spectator=scene.is_spectator
        )
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
    lines += [
        Html(f"💡 {game.render_hint(words, round.puzzle, number)}") for number in range(round.hints_shown)
    ]
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
    return (
        message_lines.render_proof(own, over=False)
        if round.state is State.OPEN
        else message_lines.render_folded_proofs([*before, own])
    )


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
    return (
        Html(f"{names} {words.translate_plural('… and {n} more', '… and {n} more', more)}")
        if more > 0
        else names
    )


def _finds(round: Round, words: Words, scene: Snapshot) -> list[Html]:
    """What was found; where that is too much to be shown, the latest, or of the nearest ones the first."""
    more = len(scene.finds) - scene.max_lines
    if round.kind is not Kind.BEST or more <= 0:
        return [_found(f, round, scene) for f in scene.finds[-scene.max_lines :]]
    shown = [_found(f, round, scene) for f in scene.finds[: scene.max_lines]]
    return [*shown, words.translate_plural("… and {n} more", "… and {n} more", more)]


def _found(found: Find, round: Round, scene: Snapshot) -> Html:
    who, shown = (
        format_player_name(scene.names, found.player_id),
        GAMES[round.game].format_answer(round.puzzle, found.answer),
    )
    return Html(f"🏆 {who}: <b>{escape_value(shown)}</b> · +{found.points}")


def _notes(scene: Snapshot) -> list[Html]:
    return [_note(n, scene) for n in scene.notes[-NOTES_SHOWN:]]


def _note(noted: AnswerNote, scene: Snapshot) -> Html:
    """One line; without a name where no person wrote what it is about."""
    text = insert_names(noted.text, scene.names)
    return Html(
        f"💬 {format_player_name(scene.names, noted.player_id)}: {text}" if noted.player_id else f"💬 {text}"
    )


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
    return [
        words.translate(
            "Practised players: about {usual}", usual=format_short_duration(words, round.expected)
        )
    ]


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
        Html(f"{rank}. {format_player_name(scene.names, who)} — {n}")
        for rank, who, n in rank_by_points(points)[:MAX_RANKS]
    ]
    more = GAMES[round.game].render_solutions(words, round, scene.finds, SHOWN)
    return [over, *table, *_finds(round, words, scene), *more]


def _best_lines(round: Round, words: Words, scene: Snapshot) -> list[Html]:
    """How a round ended in which everybody could hand in: winners, what others had, the best possible."""
    if not scene.entries and not scene.finds:
        return _unsolved_lines(round, words, scene)
    game, won = GAMES[round.game], {f.player_id for f in scene.finds}
    others = [e for e in scene.entries if e.player_id not in won][
        : max(0, scene.max_lines - len(scene.finds))
    ]
    shown = [
        Html(
            f"{format_player_name(scene.names, e.player_id)}: {escape_value(game.format_answer(round.puzzle, e.answer))}"
        )
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


# The method of the request for the reply with all seeds, where a caption has no room for them.
SEEDS_METHOD = f"{DRAWN_POST_PREFIX}seeds"
# Hands up to which a caption holds what each was committed to, and its seed, if it has room for that.
PROVEN_BELOW = 5
SHORTEST = 8  # UTF-16 units of a name of which no more is cut off


def render_caption(round: Round, words: Words, scene: Snapshot) -> tuple[Html, Keyboard]:
    """The round's text, folded as far as it has to be, and its buttons."""
    text, keyboard = render_message(round, words, scene)
    if not has_room_for_seeds(round, words, scene):
        scene = replace(scene, earlier_proofs=(), shows_proofs=False)
        text, _ = render_message(round, words, scene)
    for leaner in _leaner(scene):
        if count_utf16_units(text) <= CAPTION_LIMIT:
            break
        text, _ = render_message(round, words, leaner)
    return truncate_caption(text), keyboard


def has_room_for_seeds(round: Round, words: Words, scene: Snapshot) -> bool:
    """Whether the caption of a round that is over, or of its race, has room for all seeds; while it is open,
    none is told.

    That goes by what stays as it is from then on, so that whenever it is drawn the answer is the same.
    """
    if round.state is State.OPEN:
        return True
    if len(scene.earlier_proofs) >= PROVEN_BELOW:
        return False
    names = dict.fromkeys(scene.names, "n" * SHORTEST)
    return (
        count_utf16_units(render_message(round, words, replace(_leanest(scene), names=names))[0])
        <= CAPTION_LIMIT
    )


def _leaner(scene: Snapshot) -> Iterator[Snapshot]:
    """The scene with less and less beside the round."""
    scene = replace(scene, notes=scene.notes[-4:], nearest_miss=None)
    yield scene
    scene = replace(scene, names=_shortened(scene, 32))
    yield scene
    scene = replace(scene, notes=scene.notes[-2:], honours=scene.honours[:2], names=_shortened(scene, 16))
    yield scene
    yield (scene := replace(scene, notes=(), honours=(), names=_shortened(scene, 12)))
    yield (scene := replace(scene, max_lines=8))
    yield (scene := replace(scene, names=_shortened(scene, SHORTEST)))
    yield (scene := _leanest(scene))
    yield replace(scene, earlier_proofs=(), shows_proofs=False)


def _leanest(scene: Snapshot) -> Snapshot:
    """The scene with nothing beside the round but what was dealt, found and proven."""
    return replace(scene, notes=(), nearest_miss=None, honours=(), waiting_players=(), max_lines=8)


def _shortened(scene: Snapshot, most: int) -> dict[int, str]:
    return {who: truncate_name(name, most) for who, name in scene.names.items()}
