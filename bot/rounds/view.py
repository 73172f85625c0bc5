"""Render the message of a round, from its snapshot: its text, its buttons, and the caption below its picture.

A snapshot has a frame: what the round's mode adds to the message, or shows instead.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby
from operator import attrgetter

from bot.database import Tx
from bot.formats import format_duration, format_expression, format_fraction
from bot.i18n import Html, Words, escape_value, insert_names
from bot.levels import get_easier_level, render_level
from bot.pictures.values import Picture
from bot.players.preferences import Pictures
from bot.queue.rendering import CAPTION_LIMIT, count_utf16_units, truncate_caption, truncate_name
from bot.rounds import rules, votes
from bot.rounds.attempts import AnswerNote, NearMiss
from bot.rounds.game import list_steps, require
from bot.rounds.puzzle import Audience, Entry, Find, Kind, count_finders_of_ten, is_time_measured
from bot.rounds.registry import GAMES
from bot.rounds.rules import Round, State
from bot.telegram.messages import Button, Keyboard, Link, WebApp, format_player_name

# Snapshot

MAX_LINES = 7  # Of a list of answers, so that the message fits a phone's screen
MAX_NAMES = 5  # In a line


@dataclass(frozen=True, slots=True)
class EarnedTitles:
    """The titles of the achievements that a player has earned with a hand."""

    player_id: int
    render: Callable[[Words], str]


# Each loads the titles earned in these rounds; `bot.features` fills the list
TITLE_LOADERS: list[Callable[[Tx, Sequence[Round]], Sequence[EarnedTitles]]] = []


class Frame:
    """The parts of a round's message that belong to its mode; here none."""

    shown_rounds: Sequence[Round] = ()  # The last one in full; empty for the round alone
    entry: str = ""  # The player's latest answer, where a nearer one is possible; empty without

    @property
    def is_over(self) -> bool:
        """Whether the message shows the end of a race instead of a hand."""
        return False

    def list_players(self) -> Collection[int]:
        """Return the players whom the frame may name."""
        return ()

    def render_message(
        self, round: Round, words: Words, snapshot: "Snapshot"
    ) -> tuple[Html, Keyboard] | None:
        """Return the whole text and the buttons; None for those of a hand with what the frame adds."""
        return None

    def render_heading(self, words: Words, names: Mapping[int, str]) -> list[Html]:
        """Return the lines above the hand."""
        return []

    def render_end(self, words: Words, names: Mapping[int, str]) -> list[Html]:
        """Return the lines that stand in place of the hand if `is_over`."""
        return []

    def make_buttons(self, round: Round, words: Words) -> Keyboard:
        """Return the rows below those of the hand; if `is_over`, in place of them."""
        return []

    def render_place(self, words: Words) -> str:
        """Return the number of the hand in its mode, for the head of the board; empty for none."""
        return ""

    def render_notice(self, round: Round, words: Words, now: float) -> str:
        """Return a line below the hand on the board; empty for none."""
        return ""

    def make_end_picture(self, words: Words, names: Mapping[int, str]) -> Picture | None:
        """Return the picture of the end if `is_over`; None for the one of the last deal."""
        return None


NO_FRAME = Frame()  # Of rounds without a mode


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything that the message of a round shows besides the round itself."""

    now: float = 0.0
    names: Mapping[int, str] = field(default_factory=dict)  # By player
    notes: Sequence[AnswerNote] = ()
    skip_voters: Sequence[int] = ()  # Who has given the hand up
    votes_needed: int = 0  # To give it up, once somebody has voted
    late_players: Sequence[int] = ()  # Whose right answer came after the end
    points: int = 0  # That the round earned
    reads_all_messages: bool = False  # Whether an answer needs no reply to the deal
    is_early: bool = False  # Whether the chat is new to the bot
    offers_hints: bool = True
    offers_review: bool = False
    finds: Sequence[Find] = ()
    entries: Sequence[Entry] = ()  # While the round is open, only the names are shown
    nearest_miss: NearMiss | None = None
    frame: Frame = NO_FRAME  # Of its mode
    fair_link: str = ""  # To verify the hand; empty while it is open, and if nobody can
    best_seconds: float | None = None  # The winner's best time before, at this level
    waiting_players: Sequence[int] = ()  # For whom a private reply waits
    answer_link: str = ""  # To answer in private; empty if answers are not secret
    board_link: str = ""  # Empty if there is no board
    achievements: Sequence[EarnedTitles] = ()  # Earned in the round
    pictures: Pictures = Pictures.OFF  # The chat's choice
    shown_picture: str = ""  # The name of the picture that the message shows; empty for a text
    is_caption: bool = False  # Whether the text stands below a picture


# Text

MAX_NOTES = 3  # The latest, with different texts
MAX_NOTE_NAMES = 3  # Players whom one note names
MAX_RANKS = 10  # Lines of a ranking
MAX_ALL_RANKS = MAX_ALL_FINDS = 3  # Lines of the ranking and of finds where every idea scores
MAX_COMPLETE_FINDS = 8  # Lines of finds once every idea is found
MAX_ALL_LINES = 9  # Of the result where every idea scores, so that the message fits a phone's screen
MAX_ACHIEVEMENT_LINES = MAX_ACHIEVERS = 3  # Lines about achievements, and players named in each
MAX_SOLUTIONS = 5  # That nobody found
MAX_SOLUTIONS_BESIDE_WINNER = 2
MAX_ENTRIES_BESIDE_STEPS = 3  # With more entries the best answer is shown without its steps


def render_message(round: Round, words: Words, snapshot: Snapshot) -> tuple[Html, Keyboard]:
    """Return the text and the buttons of a round's message; for a race, of its open hand or its end."""
    achievements = _render_achievements(words, snapshot)
    whole = snapshot.frame.render_message(round, words, snapshot)
    if whole is not None:
        text, keyboard = whole
        lines = [text, *achievements]
    else:
        lines = _render_lines(round, words, snapshot, achievements)
        keyboard = make_buttons(round, words, snapshot)
    return Html("\n".join(lines)), [*keyboard, *make_board_button(round, words, snapshot.board_link)]


def _render_achievements(words: Words, snapshot: Snapshot) -> list[Html]:
    """Return a line for the players who have earned the same achievements, with their titles."""
    players: dict[str, list[int]] = {}
    for each in snapshot.achievements:
        players.setdefault(each.render(words), []).append(each.player_id)
    lines = [
        Html(f"🏅 {_join_names(words, snapshot.names, earners, MAX_ACHIEVERS)}: {titles}")
        for titles, earners in list(players.items())[:MAX_ACHIEVEMENT_LINES]
    ]
    omitted = sum(map(len, list(players.values())[MAX_ACHIEVEMENT_LINES:]))
    return [*lines, *_render_omitted(words, omitted)]


def _render_lines(round: Round, words: Words, snapshot: Snapshot, achievements: Sequence[Html]) -> list[Html]:
    """Return the lines of a hand within the frame of its mode; of a race that is over, its end."""
    frame = snapshot.frame
    waiting = _render_waiting(words, snapshot)
    fair_link = render_fair_link(words, snapshot)
    notes = _render_notes(words, snapshot)
    if frame.is_over:
        return [*frame.render_end(words, snapshot.names), *notes, *achievements, *waiting, *fair_link]
    heading = [*frame.render_heading(words, snapshot.names), *render_deal(round, snapshot)]
    if round.state is State.OPEN:
        return [*heading, *_render_open_round(round, words, snapshot), *achievements]
    late = [*_render_late_players(words, snapshot), *notes]
    return [*heading, *_render_result(round, words, snapshot), *late, *waiting, *achievements, *fair_link]


def _render_late_players(words: Words, snapshot: Snapshot) -> list[Html]:
    names = _join_names(words, snapshot.names, snapshot.late_players)
    return [Html(f"👏 {words.translate('Right as well: {names}', names=names)}")] if names else []


def _render_open_round(round: Round, words: Words, snapshot: Snapshot) -> list[Html]:
    """Return the lines below an open deal: task, worth, time left, hints, players, finds, notes."""
    lines = [
        render_task(round, words, snapshot),
        *_render_worth(round, words),
        *render_time_left(round, words, snapshot.now),
        *render_hints(round, words, snapshot.finds),
    ]
    entrants = _join_names(words, snapshot.names, [entry.player_id for entry in snapshot.entries])
    if entrants:
        lines.append(Html(f"✋ {words.translate('Answered: {names}', names=entrants)}"))
    latest_finds = snapshot.finds[-MAX_LINES:]
    lines += [*_render_waiting(words, snapshot), *_render_finds(round, words, snapshot, latest_finds)]
    lines += _render_votes(words, snapshot)
    return [*lines, *_render_notes(words, snapshot)]


def _group_notes(notes: Sequence[AnswerNote]) -> list[tuple[str, list[int]]]:
    """Return each text of the notes with its players, in the order of the latest note of each."""
    players: dict[str, list[int]] = {}
    for note in notes:
        players[note.text] = [*players.pop(note.text, []), note.player_id]
    return list(players.items())


def _render_notes(words: Words, snapshot: Snapshot) -> list[Html]:
    """Return the latest notes, each after the names of the players whom it tells."""
    lines: list[Html] = []
    for note_text, authors in _group_notes(snapshot.notes)[-MAX_NOTES:]:
        emoji, _, text = insert_names(note_text, snapshot.names).partition(" ")
        lines.append(Html(f"{emoji} {_join_names(words, snapshot.names, authors, MAX_NOTE_NAMES)}: {text}"))
    return lines


def render_deal(round: Round, snapshot: Snapshot) -> list[Html]:
    """Return the lines that show the deal; below its picture only the one with its numbers."""
    if snapshot.is_caption:
        return [Html(escape_value(round.line))]
    return GAMES[round.game].render_deal(round.puzzle)


def _render_votes(words: Words, snapshot: Snapshot) -> list[Html]:
    """Say who gives the hand up and how many more have to; empty while nobody does."""
    voters = snapshot.skip_voters
    if not voters:
        return []
    names = _join_names(words, snapshot.names, voters)
    return [votes.render_skip_voters(words, names, len(voters), snapshot.votes_needed)]


def render_task(round: Round, words: Words, snapshot: Snapshot) -> Html:
    """Return the task of the hand; in a new chat all that one must know."""
    game = GAMES[round.game]
    audience = Audience.HEARD if snapshot.reads_all_messages else Audience.GROUP
    if snapshot.answer_link and round.kind is not Kind.BEST:  # Its button says how to answer
        audience = Audience.SPECTATORS
    explained = game.explain_task(words, round, audience) if snapshot.is_early else None
    return explained or game.task(words, round, snapshot.finds, audience)


def render_hints(round: Round, words: Words, finds: Sequence[Find] = ()) -> list[Html]:
    """Return a line for each hint that was shown for what is still to be found."""
    game_hints = GAMES[round.game].hints
    hinted = game_hints.find_hinted(round.puzzle, finds)
    return [Html(f"💡 {hint}") for hint in game_hints.render_first(words, hinted, round.hints_shown)]


def _render_worth(round: Round, words: Words) -> list[Html]:
    """Return the line with the difficulty, and the points if a right answer scores at once.

    Where every idea scores, it has the points alone: the difficulty is that of the first idea. Where the
    nearest answer wins, there is no line.
    """
    if round.kind is Kind.BEST:
        return []
    if round.kind is Kind.ALL:
        return [words.translate_plural("{n} point for each", "{n} points for each", round.points)]
    if round.kind is Kind.CHOSEN:
        return [render_difficulty(round, words)]
    return [render_difficulty_and_points(round, words)]


def render_difficulty_and_points(round: Round, words: Words) -> Html:
    worth = words.translate_plural("{n} point", "{n} points", round.points)
    return words.translate("{level} · {worth}", level=render_difficulty(round, words), worth=worth)


def render_difficulty(round: Round, words: Words) -> Html:
    """Return how many of ten people find the hand; if that was not measured, its level."""
    return next(iter(render_solved_share(round, words)), render_level(words, round.level))


def render_time_left(round: Round, words: Words, now: float, step: float = rules.CLOCK_STEP) -> list[Html]:
    """Return the line with the time left, rounded as in `get_displayed_time_left`; empty if none is left."""
    left = rules.get_displayed_time_left(round.deadline, now, step)
    if left is None:
        return []
    if round.first_deadline is not None:
        return [render_shortened_deadline(words)]
    return [Html(f"⏳ {words.translate('{time} left', time=format_duration(words, left))}")]


def render_shortened_deadline(words: Words) -> Html:
    """Explain why a round with a shortened deadline ends so soon."""
    return Html(f"⏳ {words.translate('Somebody has it: five more seconds for all.')}")


def render_fair_link(words: Words, snapshot: Snapshot) -> list[Html]:
    """Return the line with the link to verify the hand; empty without a link."""
    if not snapshot.fair_link:
        return []
    return [Html(f'🔒 <a href="{snapshot.fair_link}">{words.translate("How the cards are drawn")}</a>')]


def _render_waiting(words: Words, snapshot: Snapshot) -> list[Html]:
    """Name the players for whom a private reply waits; empty if there are none."""
    names = _join_names(words, snapshot.names, snapshot.waiting_players)
    button = words.translate("Read mine")
    return (
        [words.translate("📬 {names}: press “{button}” for my reply", names=names, button=button)]
        if names
        else []
    )


def _join_names(
    words: Words, names: Mapping[int, str], players: Sequence[int], limit: int = MAX_NAMES
) -> Html:
    """Return the first names and the number of further players; empty without players."""
    listed = ", ".join(format_player_name(names, player) for player in players[:limit])
    return Html(" ".join([listed, *_render_omitted(words, len(players) - limit)]))


def _render_omitted(words: Words, count: int) -> list[Html]:
    """Return the number of players or answers that a list leaves out; empty for none."""
    return [words.translate_plural("… and {n} more", "… and {n} more", count)] if count > 0 else []


def _format_name(snapshot: Snapshot, player_id: int) -> Html:
    return format_player_name(snapshot.names, player_id)


def _render_finds(round: Round, words: Words, snapshot: Snapshot, finds: Sequence[Find]) -> list[Html]:
    """Return a line for each find, with its answer and points."""
    lines: list[Html] = []
    for find in finds:
        name, answer = _format_name(snapshot, find.player_id), _render_answer(round, words, find.answer)
        is_first_of_day = round.kind is Kind.ALL and find.points > replace(round, hints_shown=0).points
        worth = render_earned_points(words, find.points, is_first_of_day=is_first_of_day)
        lines.append(Html(f"🏆 {name}: <b>{answer}</b> · {worth}"))
    return lines


def _render_answer(round: Round, words: Words, answer: str) -> Html:
    """Return an answer with its value, and an entry's distance from the target if there is one."""
    game = GAMES[round.game]
    shown = Html(escape_value(game.format_answer(round.puzzle, answer)))
    distance = game.entries.get_distance(round.puzzle, answer) if game.entries else 0
    return Html(f"{shown} ({words.translate('{n} away', n=distance)})") if distance else shown


def render_ranking(
    words: Words, points: Mapping[int, int], names: Mapping[int, str], limit: int = MAX_RANKS
) -> list[Html]:
    """Return a line for each rank with all who share it, and the number of players below `limit` ranks."""
    ranks = [list(players) for _, players in groupby(rules.rank_by_points(points), key=attrgetter("rank"))]
    lines: list[Html] = []
    for players in ranks[:limit]:
        who = _join_names(words, names, [player.player_id for player in players])
        lines.append(Html(f"{players[0].rank}. {who} — {players[0].points}"))
    return [*lines, *_render_omitted(words, sum(map(len, ranks[limit:])))]


def _render_result(round: Round, words: Words, snapshot: Snapshot) -> list[Html]:
    """Return the lines that say how the round ended: who won or scored, or how nobody did, and solutions."""
    if round.kind is Kind.BEST and (snapshot.entries or snapshot.finds):
        return _render_best_result(round, words, snapshot)
    if round.kind is Kind.ALL and snapshot.finds:
        return _render_all_result(round, words, snapshot)
    if round.winner_id is not None:
        return _render_win(round, words, snapshot)
    solutions = GAMES[round.game].render_solutions(words, round, snapshot.finds, MAX_SOLUTIONS)
    lines = [render_unsolved(round, words), *solutions, *render_solved_share(round, words)]
    return [*lines, *_render_nearest_miss(round, words, snapshot)]


def render_unsolved(round: Round, words: Words) -> Html:
    """Say how a round without a winner ended."""
    if round.state is State.VOID:
        return words.translate("Found by a spectator, or with my help elsewhere: no points.")
    if round.state is State.EXPIRED:
        return words.translate("Nobody found it in time.")
    return words.translate("Given up.")


def _render_win(round: Round, words: Words, snapshot: Snapshot) -> list[Html]:
    """Return the winner's answer, points, time, bonus and streak, other solutions and the nearest miss."""
    game = GAMES[round.game]
    winner = _format_name(snapshot, round.winner_id or 0)
    lines = render_win(round, words, winner, snapshot.points)
    lines += [*_render_pace(round, words, snapshot), *render_solved_share(round, words)]
    if round.streak >= rules.MIN_STREAK_SHOWN:
        streak = words.translate_plural(
            "{name} has won {n} in a row!", "{name} has won {n} in a row!", round.streak, name=winner
        )
        lines.append(Html(f"🔥 {streak}"))
    limit = MAX_SOLUTIONS_BESIDE_WINNER
    if snapshot.achievements:
        limit -= 1  # so that the message fits a phone's screen
    solutions = game.render_solutions(words, round, snapshot.finds, limit)
    return [*lines, *solutions, *_render_nearest_miss(round, words, snapshot)]


def render_win(round: Round, words: Words, winner: Html, points: int) -> list[Html]:
    """Return two lines: the winner with the answer, and the points."""
    answer = escape_value(GAMES[round.game].format_answer(round.puzzle, round.answer or ""))
    if round.kind is Kind.CHOSEN:
        worth = words.translate("No points: you chose the hand.")
    else:
        worth = render_earned_points(words, points, is_first_of_day=round.day_first)
    return [Html(f"🏆 {winner}: <b>{answer}</b>"), worth]


def render_earned_points(words: Words, points: int, *, is_first_of_day: bool) -> Html:
    """Return the points of a win after a plus sign; `is_first_of_day`: one of them is for that."""
    earned = Html(f"+{words.translate_plural('{n} point', '{n} points', points)}")
    if not is_first_of_day:
        return earned
    return words.translate("{points} (one for the first of the day)", points=earned)


def _render_pace(round: Round, words: Words, snapshot: Snapshot) -> list[Html]:
    """Return the winner's time, and whether it is their best; empty if the answer came before the deal."""
    seconds = (round.closed or 0) - round.opened
    if seconds < 0:
        return []
    best = snapshot.best_seconds
    if best is None or seconds >= best or round.kind is Kind.CHOSEN:
        return [render_time_taken(round, words, seconds)]
    took = format_duration(words, seconds)
    return [Html(f"⏱ {words.translate('{took} · your personal best', took=took)}")]


def render_time_taken(round: Round, words: Words, seconds: float) -> Html:
    """Return the line with a winner's time; with the usual time if that was measured and is longer."""
    took = format_duration(words, seconds)
    usual = format_duration(words, round.expected)
    if not is_time_measured(round.puzzle) or seconds >= round.expected or took == usual:
        return Html(f"⏱ {took}")
    return Html(f"⏱ {words.translate('{took} · usually {usual}', took=took, usual=usual)}")


def render_solved_share(round: Round, words: Words) -> list[Html]:
    """Return how many of ten people find the hand, 1 to 9; empty if that was not measured."""
    count = count_finders_of_ten(round.puzzle)
    if count is None:
        return []
    return [words.translate_plural("{n} of 10 people finds it", "{n} of 10 people find it", count)]


def _render_all_result(round: Round, words: Words, snapshot: Snapshot) -> list[Html]:
    """Return how much was found, the table of points, the finds and what nobody found."""
    game = GAMES[round.game]
    points = Counter[int]()
    for find in snapshot.finds:
        points[find.player_id] += find.points
    progress = require(game.finds).render_progress(words, round, snapshot.finds)
    ranking = render_ranking(words, points, snapshot.names, MAX_ALL_RANKS)
    max_finds = MAX_COMPLETE_FINDS if round.state is State.WON else MAX_ALL_FINDS
    finds = _render_finds(round, words, snapshot, snapshot.finds[-max_finds:])
    lines = [progress, *ranking, *finds]
    limit = max(1, min(MAX_SOLUTIONS, MAX_ALL_LINES - len(lines)))
    return [*lines, *game.render_solutions(words, round, snapshot.finds, limit)]


def _render_best_result(round: Round, words: Words, snapshot: Snapshot) -> list[Html]:
    """Return the winners, the entries of others, the nearest first, and the best answer if it is nearer."""
    game = GAMES[round.game]
    get_distance = partial(require(game.entries).get_distance, round.puzzle)
    winners = {find.player_id for find in snapshot.finds}
    losing_entries = [entry for entry in snapshot.entries if entry.player_id not in winners]
    lines = _render_finds(round, words, snapshot, snapshot.finds)
    for entry in sorted(losing_entries, key=lambda entry: get_distance(entry.answer)):  # else by time
        answer = _render_answer(round, words, entry.answer)
        lines.append(Html(f"{_format_name(snapshot, entry.player_id)}: {answer}"))
    limit = MAX_SOLUTIONS if len(lines) <= MAX_ENTRIES_BESIDE_STEPS else 1
    solutions = game.render_solutions(words, round, snapshot.finds, limit)
    return [*lines[:MAX_LINES], *_render_omitted(words, len(lines) - MAX_LINES), *solutions]


def _render_nearest_miss(round: Round, words: Words, snapshot: Snapshot) -> list[Html]:
    miss = snapshot.nearest_miss
    if miss is None:
        return []
    text = words.translate(
        "Nearest miss: {name}, {expression} = {value}",
        name=_format_name(snapshot, miss.player_id),
        expression=format_expression(miss.answer),
        value=format_fraction(miss.value),
    )
    return [text]


# Buttons. The letters before the colon choose the handler: see each `ButtonRoute`.

HINT_BUTTON, SKIP_BUTTON, NEXT_BUTTON = "h", "s", "n"
NOTE_BUTTON = "wn"
REVIEW_BUTTON = "rv"  # Followed by the key of a hand
SKIP_AND_RACE_BUTTON, SKIP_AND_DUEL_BUTTON = "sr", "sd"


def make_buttons(round: Round, words: Words, snapshot: Snapshot) -> Keyboard:
    """Return the buttons that a round's state allows, except the button of the board."""
    private = _make_private_buttons(round, words, snapshot)
    frame_rows = snapshot.frame.make_buttons(round, words)
    if snapshot.frame.is_over:
        return [*frame_rows, *private]
    if round.state is not State.OPEN:
        return [_make_next_buttons(round, words, snapshot), *private]
    row: list[Button] = []
    game_hints = GAMES[round.game].hints
    hint_count = game_hints.count(game_hints.find_hinted(round.puzzle, snapshot.finds))
    if snapshot.offers_hints and round.hints_shown < hint_count:
        row.append((words.translate_plain("Hint"), f"{HINT_BUTTON}:{round.id}"))
    give_up = words.translate_plain("Give up")
    skip = votes.render_button(give_up, len(snapshot.skip_voters), snapshot.votes_needed)
    row.append((skip, f"{SKIP_BUTTON}:{round.id}"))
    return [row, *_make_awaited_rows(round, words), *private, *frame_rows]


def _make_awaited_rows(round: Round, words: Words) -> Keyboard:
    """Return the buttons to give the hand up for the race and the duel that wait for its end."""
    race = (words.translate_plain("Give up and race"), f"{SKIP_AND_RACE_BUTTON}:{round.id}")
    duel = (words.translate_plain("Give up and duel"), f"{SKIP_AND_DUEL_BUTTON}:{round.id}")
    return [*([[race]] if round.awaited_race else []), *([[duel]] if round.awaited_duel else [])]


def make_give_up_rows(round: Round, words: Words) -> Keyboard:
    """Return the buttons that give the hand up, for a message that says that it is open."""
    give_up = (words.translate_plain("Give up"), f"{SKIP_BUTTON}:{round.id}")
    return [[give_up], *_make_awaited_rows(round, words)]


def make_review_button(words: Words, round: Round) -> Button:
    """Return the button that shows each player what went wrong in the race, run or sitting of the round."""
    return words.translate_plain("Review"), f"{REVIEW_BUTTON}:{round.hand_key}"


def make_board_button(round: Round, words: Words, address: str) -> list[list[Button]]:
    """Return the button that opens the board, in Telegram or by a link; empty without one or at the end."""
    if not address or round.state not in (State.OPEN, State.RUNNING):
        return []
    label = f"🔢 {words.translate_plain('Board')}"
    return [[(label, WebApp(address) if round.is_private else Link(address))]]


def _make_private_buttons(round: Round, words: Words, snapshot: Snapshot) -> list[list[Button]]:
    """Return a row with the buttons to answer secretly and to read one's own reply; empty for none.

    That is a waiting reply, else one's note, as long as not all notes are shown.
    """
    row: list[Button] = []
    if snapshot.answer_link:
        row.append((f"🤫 {words.translate_plain('Answer secretly')}", Link(snapshot.answer_link)))
    if snapshot.waiting_players:
        row.append((f"📬 {words.translate_plain('Read mine')}", f"wd:{round.id}"))
    elif len(_group_notes(snapshot.notes)) > MAX_NOTES:
        row.append((f"📬 {words.translate_plain('Read mine')}", f"{NOTE_BUTTON}:{round.id}"))
    return [row] if row else []


def _make_next_buttons(round: Round, words: Words, snapshot: Snapshot) -> list[Button]:
    """Return the buttons after an ended hand: the next one and, where they fit, others."""
    game = GAMES[round.game]
    is_won = round.state is State.WON and round.winner_id
    row: list[Button] = [(words.translate_plain("Next hand"), f"{NEXT_BUTTON}:{round.id}")]
    if any(list_steps(game, find.answer) for find in snapshot.finds):
        row.append((words.translate_plain("Step by step"), f"w:{round.id}"))
    if is_won and round.kind is Kind.FIRST and not round.is_private:
        row.append((words.translate_plain("Duel"), f"d:{round.id}"))
    is_unsolved = round.state is State.EXPIRED and not snapshot.finds
    if is_unsolved and game.options.takes_levels and get_easier_level(round.level):
        row.append((words.translate_plain("An easier one"), f"e:{round.id}"))
    if snapshot.offers_review:
        row.append(make_review_button(words, round))
    return row


# Captions

MIN_NAME_UNITS = 8  # UTF-16 units that stay of a long name
REDUCTIONS = ((4, 32), (2, 16), (0, 12))  # Notes and achievements, and UTF-16 units of a name, that stay


def render_caption(round: Round, words: Words, snapshot: Snapshot) -> tuple[Html, Keyboard]:
    """Return the text below a picture and the buttons; what matters least is left out until it fits.

    The line of the puzzle, the winner with answer and points, and the best answer always stay.
    """
    snapshot = replace(snapshot, is_caption=True)
    text, keyboard = render_message(round, words, snapshot)
    for reduced in _reduce_step_by_step(snapshot):
        if count_utf16_units(text) <= CAPTION_LIMIT:
            break
        text, _ = render_message(round, words, reduced)
    return truncate_caption(text), keyboard  # the buttons of the full message


def _reduce_step_by_step(snapshot: Snapshot) -> Iterator[Snapshot]:
    """Yield the snapshot with fewer notes and achievements and shorter names."""
    for count, name_units in REDUCTIONS:
        notes = snapshot.notes[-count:] if count else ()  # [-0:] would keep all
        achievements = snapshot.achievements[:count]
        reduced = replace(snapshot, nearest_miss=None, notes=notes, achievements=achievements)
        yield _truncate_names(reduced, name_units)
    yield _reduce_fully(snapshot)


def _reduce_fully(snapshot: Snapshot) -> Snapshot:
    """Return the snapshot with short names and nothing but what was dealt and found."""
    reduced = replace(
        snapshot,
        notes=(),
        nearest_miss=None,
        achievements=(),
        waiting_players=(),
        late_players=(),
    )
    return _truncate_names(reduced, MIN_NAME_UNITS)


def _truncate_names(snapshot: Snapshot, units: int) -> Snapshot:
    names = {player: truncate_name(name, units) for player, name in snapshot.names.items()}
    return replace(snapshot, names=names)
