"""Build the state of a page: the round on its table, the players and what may be pressed.

A `SharedView` is loaded once for all readers of a place and a `PersonalView` for each reader; pure functions
make the state of the two.

Nothing in it gives an open hand away: all comes from the round's message, its numbers and the reader's card.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any

import solver
from bot.board.page_state import (
    NO_TILES,
    NOBODY,
    Button,
    CardRow,
    CardView,
    DailyHandView,
    GameTab,
    HandResult,
    NearestWinner,
    PageState,
    Part,
    Participant,
    PlaceView,
    RoundView,
    RunView,
    Status,
    WinnerView,
)
from bot.board.rules import Place
from bot.database import Tx
from bot.durations import DAY
from bot.i18n import INVISIBLE_NAME, Html, Words, format_name, get_words, strip_tags
from bot.modes.classroom import lessons
from bot.modes.classroom import queries as classrooms
from bot.modes.classroom.rules import Lesson
from bot.modes.contest import queries as contests
from bot.modes.contest import view as contest_view
from bot.modes.contest.rules import PlayerCard, collect_totals
from bot.modes.daily import queries as days
from bot.modes.daily import view as daily_view
from bot.modes.daily.rules import Attempt, DailyHand, format_utc_date
from bot.modes.duel import queries as duels
from bot.modes.duel import view as duel_view
from bot.modes.duel.rules import MAX_HANDS, Duel, DuelState, get_other_player
from bot.modes.duel.view import DuelStandings
from bot.modes.race.view import RaceStandings
from bot.modes.runs.mode import RunMode
from bot.modes.runs.view import SKIP_BUTTON as SKIP_IN_RUN_BUTTON
from bot.modes.runs.view import START_BUTTON, RunFrame
from bot.pictures.values import Node
from bot.players import queries as people
from bot.rounds import attempts as answering
from bot.rounds import queries as rounds
from bot.rounds import secrecy
from bot.rounds.contest_game import LayoutLine
from bot.rounds.game import Game, format_solution
from bot.rounds.mode import MODES
from bot.rounds.puzzle import RUN_KINDS, Audience, Kind, Tiles, parse_hand_numbers
from bot.rounds.registry import CONTEST_GAMES, GAMES
from bot.rounds.round_message import load_snapshot
from bot.rounds.rules import Round, State, is_in_time, rank_by_points, start_clock
from bot.rounds.view import (
    REVIEW_BUTTON,
    Snapshot,
    render_difficulty,
    render_difficulty_and_points,
    render_message,
    render_shortened_deadline,
    render_unsolved,
)
from bot.standings.leaderboard.view import mask_name
from bot.telegram.messages import CopyText, Keyboard, Link, WebApp, format_player_name

# The hands of the day


@dataclass(frozen=True, slots=True)
class DailyHands:
    """The hands of today and yesterday, which are the same for every reader."""

    today: str = ""  # the date; empty if a page shows no daily hands
    hands: Mapping[str, DailyHand] = field(default_factory=dict)  # those with tiles, by date, the newer first


def load_daily_hands(tx: Tx, place: Place, now: float) -> DailyHands:
    """Load the hands of today and of the day before, as far as they can be tapped.

    Empty for spectators and guests.
    """
    if place.watch_only or place.is_guests:
        return DailyHands()
    today, yesterday = format_utc_date(now), format_utc_date(now - DAY)
    stored = days.load_hands(tx, [today, yesterday])
    dealt = [stored[day] for day in (today, yesterday) if day in stored]
    return DailyHands(today, {hand.day: hand for hand in dealt if _make_tiles(hand) is not None})


def _make_tiles(hand: DailyHand | Attempt) -> Tiles | None:
    return GAMES[hand.game].tile_board.make_tiles(hand.puzzle)


# One player's attempts at the hands that they were dealt, by day, the newer first, without those whose time
# has run out.
DailyAttempts = Mapping[str, Attempt]


def load_daily_attempts(
    tx: Tx, daily_hands: DailyHands, player_ids: Collection[int], now: float
) -> Mapping[int, DailyAttempts]:
    """Return the attempts of each player who was dealt one of the hands and has time left or is done."""
    attempts = defaultdict[int, dict[str, Attempt]](dict)
    for day in daily_hands.hands:
        for player_id, attempt in days.load_attempts_by_player(tx, day, player_ids).items():
            if _is_done(attempt) or is_in_time(attempt, now):
                attempts[player_id][day] = attempt
    return attempts


def _is_done(attempt: Attempt) -> bool:
    return attempt.state is not State.OPEN


def load_daily_hand_view(
    tx: Tx, daily_hands: DailyHands, attempts: DailyAttempts, words: Words
) -> DailyHandView | None:
    """Return the newest hand that the reader can still solve, else today's; None if that was not dealt.

    A hand stays hidden until it is dealt to the reader, who would have more time than others otherwise.
    """
    open_days = [day for day, attempt in attempts.items() if not _is_done(attempt)]
    attempt = attempts.get(open_days[0] if open_days else daily_hands.today)
    tiles = _make_tiles(attempt) if attempt else None
    if attempt is None or tiles is None:
        return None
    began = attempt.opened if attempt.shown_at is None else attempt.shown_at
    shown = DailyHandView(attempt.day, tiles, is_done=_is_done(attempt), began=began)
    return _add_daily_result(tx, shown, attempt, words) if shown.is_done else shown


def _add_daily_result(tx: Tx, shown: DailyHandView, attempt: Attempt, words: Words) -> DailyHandView:
    """Return the view with the end of the attempt, without a solution that an open hand keeps secret."""
    game, player_id, is_won = GAMES[attempt.game], attempt.player_id, attempt.state is State.WON
    answer, result, share = attempt.answer or "", [words.translate("Given up.")], ""
    if is_won:
        streak = days.load_streak(tx, player_id, attempt.day)
        result = [*daily_view.render_time_and_streak(words, attempt, streak)]
        username = people.load_fact(tx, people.USERNAME_FACT) or ""  # the bot's
        share_text = daily_view.render_share_text(words, attempt, streak)
        share = daily_view.make_share_link(share_text, attempt.day, username)
    elif attempt.state is State.VOID:
        result = [daily_view.render_too_late(words, attempt)]
    elif secrecy.find_open_hand(tx, player_id, player_id, parse_hand_numbers(attempt.line)) is None:
        answer = next(iter(game.solutions(attempt.puzzle)), "")
    return replace(
        shown,
        answer=game.format_answer(attempt.puzzle, answer) if answer else "",
        is_solved=attempt.state is not State.SKIPPED,
        result=tuple(map(strip_tags, result)),
        share=share,
        tree=_make_tree(attempt, answer),
    )


def _make_tree(round: Round, answer: str) -> Node | None:
    """Return the answer as a tree; None without one, and if it can't be drawn."""
    return GAMES[round.game].pictures.make_solution_tree(round.puzzle, answer) if answer else None


# The rounds that a page shows


def load_round_of_link(tx: Tx, place: Place) -> Round | None:
    """Return the round whose link led to the page; None if there is none in that chat."""
    round = rounds.load_round(tx, place.round_id)
    return round if round is not None and round.chat_id == place.chat_id else None


def choose_rounds(tx: Tx, place: Place, now: float) -> tuple[Round | None, Round | None]:
    """Return the round to show first, and the other one if a hand and a contest went on at the same time.

    First comes a running contest whose link led to the page, then an open hand, then any running contest,
    then whichever ended last.
    """
    open_hand = rounds.load_open_round(tx, place.chat_id, place.topic)
    hand = open_hand or rounds.load_latest_round(tx, place.chat_id, place.topic)
    contest = _find_contest(tx, place, now)
    if hand is None or contest is None:
        return (hand or contest), None
    is_running = contest.state is State.RUNNING
    if hand.state is State.OPEN:
        is_contest_first = is_running and contest.id == place.round_id
    else:
        is_contest_first = is_running or _get_end(contest) > _get_end(hand)
    first, second = (contest, hand) if is_contest_first else (hand, contest)
    has_overlap = _get_end(hand) > contest.opened and _get_end(contest) > hand.opened
    return first, (second if has_overlap else None)


ENDED_CONTEST_SECONDS = 24 * 3600.0  # an ended contest stays for this long on pages that others led to


def _find_contest(tx: Tx, place: Place, now: float) -> Round | None:
    """Return the running contest whose link led to the page, else any running one, else one that ended.

    Of two that ended it is the later one: the last contest of the past day, and the contest, of any age,
    whose link led to the page. None if there is no contest.
    """
    linked = load_round_of_link(tx, place) if place.round_id else None
    if linked is not None and linked.kind is not Kind.CONTEST:
        linked = None
    if linked is not None and linked.state is State.RUNNING:
        return linked
    running = contests.load_running_contest(tx, place.chat_id, place.topic)
    if running is not None:
        return running
    ended = contests.load_ended_contest(tx, place.chat_id, place.topic, now - ENDED_CONTEST_SECONDS)
    if linked is None or ended is None:
        return linked or ended
    return max(linked, ended, key=_get_end)


def _get_end(round: Round) -> float:
    """Return the time at which the round ended; infinity while it goes on."""
    return inf if round.state in (State.OPEN, State.RUNNING) else round.closed or 0.0


# The people of a round

MAX_PARTICIPANTS = 50


def list_participants(
    round: Round,
    snapshot: Snapshot,
    words: Words,
    mistaken_ids: Collection[int] = (),
    present_ids: Collection[int] = (),
) -> Iterator[Participant]:
    """Yield up to 50 players who have points, have answered rightly or wrongly, those with most points first.

    While anybody may play, those follow who have a page open (`present_ids`). Nobody has a status once a
    race is over, since its last hand does not decide it. People whose data was deleted are left out.
    """
    points = _count_points(round, snapshot)
    done = _find_active_players(round, snapshot)
    is_live = round.state in LIVE_STATES
    may_join = is_live and round.kind is not Kind.CONTEST and not isinstance(snapshot.frame, DuelStandings)
    player_ids = _order_players(snapshot, points, [*done, *mistaken_ids, *(present_ids if may_join else ())])
    for player_id in player_ids[:MAX_PARTICIPANTS]:
        if player_id <= NOBODY:  # an alias
            continue
        status = Status.THINKING if is_live else Status.NONE
        if player_id in mistaken_ids:
            status = Status.TRIED
        if player_id in done:
            status = Status.DONE
        if snapshot.frame.is_over:
            status = Status.NONE
        name, activity = _get_name(snapshot, player_id), _render_status(status, round.kind, words)
        yield Participant(player_id, name, points.get(player_id), status, activity)


def _render_status(status: Status, kind: Kind, words: Words) -> str:
    """Return how far a person has come, such as `thinking`; empty for no status."""
    done = words.translate_plain("solved it")
    if kind is Kind.CONTEST:
        done = words.translate_plain("filled the card")
    elif kind is Kind.BEST:
        done = words.translate_plain("handed in")
    return {
        Status.THINKING: words.translate_plain("thinking"),
        Status.TRIED: words.translate_plain("tried"),
        Status.DONE: done,
        Status.NONE: "",
    }[status]


def _get_standings(snapshot: Snapshot) -> RaceStandings | None:
    """Return the standings of the round's race or duel; None for a single hand."""
    return snapshot.frame if isinstance(snapshot.frame, RaceStandings) else None


def _get_name(snapshot: Snapshot, player_id: int) -> str:
    return snapshot.names.get(player_id) or INVISIBLE_NAME


def _order_players(snapshot: Snapshot, points: Mapping[int, int], active: Iterable[int]) -> list[int]:
    """Return the players with points, then those whom the round's message names in its order, then others."""
    player_ids = [player_id for _, player_id, _ in rank_by_points(points)]
    if isinstance(snapshot.frame, DuelStandings):
        player_ids += snapshot.frame.duel.player_ids
    for answers in (snapshot.finds, snapshot.entries):
        player_ids += [answer.player_id for answer in answers]
    player_ids += active
    return list(dict.fromkeys(player_ids))  # each once, at the first place


def _count_points(round: Round, snapshot: Snapshot) -> Mapping[int, int]:
    """Return points by player: of the race (hands won in a duel), else of the round; {} in a live contest."""
    if isinstance(snapshot.frame, DuelStandings):
        return snapshot.frame.hands_won
    if isinstance(snapshot.frame, RaceStandings):
        return snapshot.frame.points
    if round.game in CONTEST_GAMES:
        if round.state is not State.OVER:
            return {}
        return collect_totals(contests.read_cards(round, snapshot.entries))
    if round.kind is Kind.FIRST and round.state is State.WON and round.winner_id:
        return {round.winner_id: snapshot.points}
    points = Counter[int]()
    for find in snapshot.finds:
        points[find.player_id] += find.points
    return points


def _find_active_players(round: Round, snapshot: Snapshot) -> set[int]:
    """Return the players who have solved the round or handed something in."""
    if round.game in CONTEST_GAMES:
        totals_by_player = collect_totals(contests.read_cards(round, snapshot.entries))
        return set(totals_by_player)
    active = {answer.player_id for answers in (snapshot.finds, snapshot.entries) for answer in answers}
    if round.winner_id:
        active.add(round.winner_id)
    return active


def number_equal_names(names: Mapping[int, str]) -> dict[int, str]:
    """Return the names by player, with a number behind each that several players share."""
    counts = Counter(names.values())
    last_numbers = Counter[str]()  # by name
    unique = dict(names)
    for player_id in sorted(names):
        name = names[player_id]
        if counts[name] > 1:
            last_numbers[name] += 1
            unique[player_id] = f"{name} {last_numbers[name]}"
    return unique


# Winner and solution


def list_winners(round: Round, snapshot: Snapshot, words: Words) -> Iterator[WinnerView]:
    """Yield all who share the first place of a round, or the winner of its race once that is over.

    None while the round is open, if nobody has won or if a race is drawn. People whose data was deleted are
    left out.
    """
    for player_id, answer in _find_winning_answers(round, snapshot):
        if player_id > NOBODY:  # aliases are below
            name, earned = _get_name(snapshot, player_id), _render_earned(round, snapshot, player_id, words)
            if answer and round.kind is Kind.BEST:
                yield NearestWinner(player_id, name, answer, earned, evaluate_answer(answer))
            else:
                yield WinnerView(player_id, name, answer, earned)


def _render_earned(round: Round, snapshot: Snapshot, player_id: int, words: Words) -> str:
    """Return the points that the player won with the hand; empty for none, in races and contests."""
    points = _count_points(round, snapshot).get(player_id, 0)
    if not points or _get_standings(snapshot) is not None or round.kind is Kind.CONTEST:
        return ""
    return f"+{strip_tags(words.translate_plural('{n} point', '{n} points', points))}"


def choose_winner(winners: Sequence[WinnerView], reader_id: int | None) -> WinnerView | None:
    """Return the reader if among the winners, else the first one; None without winners."""
    own = [winner for winner in winners if winner.player_id == reader_id]
    return next(iter([*own, *winners]), None)


def evaluate_answer(answer: str) -> str:
    """Return the value of an expression as text."""
    return str(solver.parse(answer).value)


def _find_winning_answers(round: Round, snapshot: Snapshot) -> list[tuple[int, str]]:
    """Return each winner's player and answer: of a contest the total, empty if no single answer won."""
    if round.state in (State.OPEN, State.RUNNING):
        return []
    standings = _get_standings(snapshot)
    if standings is not None and standings.is_over:
        winner_id = _find_race_winner(standings)
        return [(winner_id, "")] if winner_id else []
    if round.state is State.WON and round.winner_id:
        return [(round.winner_id, round.answer or "")]
    points = _count_points(round, snapshot)
    answers = dict[int, str]()
    if round.game in CONTEST_GAMES:
        answers = {player_id: str(total) for player_id, total in points.items()}
    elif round.kind is Kind.BEST:
        answers = {find.player_id: find.answer for find in snapshot.finds}
    return [(player_id, answers.get(player_id, "")) for player_id in _find_leaders(points)]


def _find_race_winner(standings: RaceStandings) -> int | None:
    """Return the winner of a race or duel that is over; None if it is drawn."""
    if isinstance(standings, DuelStandings):
        return standings.duel.winner_id
    leaders = _find_leaders(standings.points)
    return leaders[0] if len(leaders) == 1 else None


def _find_leaders(points: Mapping[int, int]) -> list[int]:
    """Return all players who share the first place; empty if nobody has points."""
    return [player_id for rank, player_id, _ in rank_by_points(points) if rank == 1]


def find_missed_answer(round: Round) -> str:
    """Return a solution of a round that ended without any, or where the nearest answer wins; else empty."""
    has_no_solution = round.state in (State.SKIPPED, State.EXPIRED, State.VOID)
    if round.state in LIVE_STATES or not (has_no_solution or round.kind is Kind.BEST):
        return ""
    return next(iter(GAMES[round.game].solutions(round.puzzle)), "")


LIVE_STATES = {State.OPEN: "open", State.RUNNING: "running"}  # the page's names; all others are "over" there


def get_shown_title(game: Game[Any]) -> str:
    """Return the game's title; empty for the game that the page is named after."""
    return "" if game is GAMES.default else game.title


def make_round_view(round: Round, snapshot: Snapshot, words: Words) -> RoundView:
    """Return a round as spectators see it, with its hints while it is open, with a best solution after it."""
    game = GAMES[round.game]
    hint_count = round.hints_shown if round.state is State.OPEN else 0
    hinted = game.hints.find_hinted(round.puzzle, snapshot.finds)
    worth = Html("")
    if round.state is State.OPEN and round.kind in (Kind.FIRST, Kind.ALL):
        worth = words.translate_plural("now worth {n} point", "now worth {n} points", round.points)
    is_hurried = round.state is State.OPEN and round.first_deadline is not None
    is_live = round.state in LIVE_STATES
    return RoundView(
        id=round.id,
        game=get_shown_title(game),
        kind=round.kind,
        state=LIVE_STATES.get(round.state, "over"),
        tiles=game.tile_board.make_tiles(round.puzzle) or NO_TILES,
        about=_describe_round(round, snapshot, words) if round.state is State.OPEN else "",
        hints=tuple(map(strip_tags, game.hints.render_first(words, hinted, hint_count))),
        worth=strip_tags(worth),
        is_hint_costly=bool(worth) and round.points > 1,
        hurry=strip_tags(render_shortened_deadline(words)) if is_hurried else "",
        race_hand=_render_race_hand(snapshot, words),
        run=_make_run_view(round, snapshot),
        last_result=_make_last_result(snapshot, words),
        deadline=round.deadline if is_live and round.kind is not Kind.STREAK else None,
        best_solution="" if is_live or round.kind is not Kind.BEST else format_solution(game, round.puzzle),
    )


def _make_run_view(round: Round, snapshot: Snapshot) -> RunView | None:
    frame = snapshot.frame
    if not isinstance(frame, RunFrame):
        return None
    make_tiles = GAMES[round.game].tile_board.make_tiles
    ahead = tuple(make_tiles(each) or NO_TILES for each in frame.hands_ahead)
    return RunView(frame.run.id, frame.number, ahead)


def _describe_round(round: Round, snapshot: Snapshot, words: Words) -> str:
    """Return the difficulty and the points as below the deal; for every idea, how many were found."""
    if round.kind is Kind.ALL:
        return strip_tags(GAMES[round.game].task(words, round, snapshot.finds, Audience.SPECTATORS))
    if round.kind is Kind.BEST:
        return ""
    describe = render_difficulty_and_points if round.kind is Kind.FIRST else render_difficulty
    return strip_tags(describe(round, words))


# Races and duels


def _render_race_hand(snapshot: Snapshot, words: Words) -> str:
    """Return the number of the hand in its race, duel or lesson; empty elsewhere, and once a race is over."""
    standings = _get_standings(snapshot)
    if standings is None:
        return snapshot.frame.render_place(words)
    if standings.is_over:
        return ""
    length = MAX_HANDS if isinstance(standings, DuelStandings) else standings.race.length
    number = standings.race.hands_played + 1
    return words.translate_plain("Hand {number} of {length}", number=number, length=length)


def _make_last_result(snapshot: Snapshot, words: Words) -> HandResult | None:
    """Return the result of the last hand of a race that is over; None outside races and before its first one.

    It is unsolved, too, if the solver's data was deleted.
    """
    standings = _get_standings(snapshot)
    if standings is None or not standings.hands:
        return None
    hand = standings.hands[-1]
    round, game = hand.round, GAMES[hand.round.game]
    leaders = _find_leaders(hand.points) or [NOBODY]
    player_id = round.winner_id or leaders[0]  # a hand that goes to the nearest answer has no `winner_id`
    answer = round.answer or hand.answer
    if player_id <= NOBODY or not answer:
        return HandResult(format_solution(game, round.puzzle), text=strip_tags(render_unsolved(round, words)))
    return HandResult(game.format_answer(round.puzzle, answer), player_id, _get_name(snapshot, player_id))


def render_race_end(snapshot: Snapshot, words: Words, reader_id: int | None) -> str:
    """Return a sentence with the winner and the score of a race or duel, as told to this reader.

    Of a run its score. Empty for single hands, and while a race or run goes on.
    """
    standings, names = _get_standings(snapshot), snapshot.names
    if isinstance(snapshot.frame, RunFrame) and snapshot.frame.is_over:
        return snapshot.frame.render_place(words)
    if standings is None or not standings.is_over:
        return ""
    if not isinstance(standings, DuelStandings):
        return _render_points_end(standings.points, words, names, reader_id)
    duel = standings.duel
    if reader_id is None or duel.state is not DuelState.WON or duel.winner_id != reader_id:
        return strip_tags(duel_view.render_duel_winner(standings, words, names))
    own_score = standings.hands_won.get(reader_id, 0)
    other_score = standings.hands_won.get(get_other_player(duel, reader_id), 0)
    return words.translate_plain("You won the duel, {score} to {other}.", score=own_score, other=other_score)


def _render_points_end(
    points: Mapping[int, int], words: Words, names: Mapping[int, str], reader_id: int | None
) -> str:
    """Return a sentence with the winner of a race and the scores of the first two, as told to this reader."""
    if not points:
        return words.translate_plain("The race is over.")
    first, *others = rank_by_points(points)
    score = first.points
    other = others[0].points if others else 0  # of the second player
    if score == other:
        return words.translate_plain("The race ends in a draw, {score} to {other}.", score=score, other=other)
    if first.player_id == reader_id:
        return words.translate_plain("You won the race, {score} to {other}.", score=score, other=other)
    values = {"name": format_player_name(names, first.player_id), "score": score, "other": other}
    return strip_tags(words.translate("{name} won the race, {score} to {other}.", **values))


def load_pending_challenges(tx: Tx, place: Place) -> Sequence[Duel]:
    """Return the topic's open challenges whose messages were sent; none in private and for spectators."""
    if place.watch_only or place.chat_id > 0:
        return ()
    challenges = duels.load_open_challenges(tx, place.chat_id)
    return [duel for duel in challenges if duel.topic == place.topic and duel.message_id is not None]


def find_challenge_for(challenges: Sequence[Duel], reader_id: int | None) -> Duel | None:
    """Return the newest challenge to or by the reader, else the newest to anybody; None for spectators."""
    if reader_id is None:
        return None
    own = [duel for duel in challenges if reader_id in duel.player_ids]
    candidates = own or [duel for duel in challenges if duel.is_for_anybody]
    return max(candidates, key=lambda duel: duel.id, default=None)


def make_challenge_row(words: Words, challenge: Duel, reader_id: int) -> tuple[Button, ...]:
    """Return the buttons by which the reader answers a challenge, or takes back their own."""
    if reader_id == challenge.challenger_id:
        return (Button(*duel_view.make_withdraw_button(words, challenge)),)
    accept, decline_or_withdraw = duel_view.make_challenge_buttons(words, challenge)
    if challenge.is_for_anybody:  # only the challenger may withdraw it
        return (Button(*accept),)
    return (Button(*accept), Button(*decline_or_withdraw))


def find_foreign_duel(snapshot: Snapshot, reader_id: int | None) -> Duel | None:
    """Return the round's duel if the reader, perhaps a spectator, is not one of its players; else None."""
    duel = snapshot.frame.duel if isinstance(snapshot.frame, DuelStandings) else None
    return None if duel is None or reader_id in duel.player_ids else duel


# The state of a page


@dataclass(frozen=True, slots=True)
class SharedView:
    """Everything that is the same for all readers of a place in one language."""

    place: Place
    language: str
    now: float
    title: str = ""  # of the group, or the guest's name; see `PageState`
    present_ids: Collection[int] = ()  # players who have a page of the place open
    round: Round | None = None
    snapshot: Snapshot = field(default_factory=Snapshot)
    part: Part = field(default_factory=Part)  # without what depends on the reader; with all buttons
    winners: tuple[WinnerView, ...] = ()
    daily_hands: DailyHands = field(default_factory=DailyHands)
    challenges: Sequence[Duel] = ()  # to duels, which nobody has answered yet
    challenger_names: Mapping[int, str] = field(default_factory=dict)  # of those who are known
    homework: int = 0  # hands that the guest may begin with; 0 for none
    beside: "SharedView | None" = None  # the contest that ran while this hand was played, or the other way

    @property
    def parts(self) -> Iterator["SharedView"]:
        """This view and the one beside it."""
        yield self
        if self.beside:
            yield self.beside


def load_shared_view(
    tx: Tx, place: Place, language: str, now: float, title: str = "", present_ids: Collection[int] = ()
) -> SharedView:
    """Load what all readers of a place see, spectators the linked round alone; `now` is Telegram's time."""
    daily_hands = load_daily_hands(tx, place, now)
    challenges = load_pending_challenges(tx, place)
    names = people.load_names(tx, [duel.challenger_id for duel in challenges]) if challenges else {}
    homework: Lesson | None = None
    if place.is_guests:
        pupil = classrooms.load_pupil(tx, place.chat_id)
        title = pupil.name if pupil else ""
        homework = lessons.find_homework(tx, place.chat_id, now)
    empty_view = SharedView(
        *(place, language, now, title, present_ids),
        daily_hands=daily_hands,
        challenges=challenges,
        challenger_names=names,
        homework=homework.count if homework else 0,
    )
    if place.watch_only:
        return _add_round(tx, empty_view, load_round_of_link(tx, place))
    first, second = choose_rounds(tx, place, now)
    beside = _add_round(tx, empty_view, second)
    return replace(_add_round(tx, empty_view, first), beside=beside if beside.round else None)


def _add_round(tx: Tx, empty_view: SharedView, selected: Round | None) -> SharedView:
    """Return the view with the round as spectators or players see it; unchanged if there is none."""
    loaded = load_snapshot(tx, selected.id, empty_view.now) if selected else None
    if loaded is None:
        return empty_view
    round, snapshot = loaded
    # Until the deal is delivered, which starts the clock, show the time as if it started now.
    if round.message_id is None and not round.was_displayed:
        round = start_clock(round, empty_view.now)
    mistaken_ids = answering.load_mistaken_players(tx, round.id)
    snapshot = replace(snapshot, names=_load_shown_names(tx, empty_view, snapshot, mistaken_ids))
    words = get_words(empty_view.language)
    winners = tuple(list_winners(round, snapshot, words))
    part = _build_shared_part(round, snapshot, words)
    if not empty_view.place.is_guests:  # a guest is alone
        people_of_round = list_participants(round, snapshot, words, mistaken_ids, empty_view.present_ids)
        part = replace(part, people=tuple(people_of_round))
    return replace(empty_view, round=round, snapshot=snapshot, part=part, winners=winners)


def _build_shared_part(round: Round, snapshot: Snapshot, words: Words) -> Part:
    """Return the round with all buttons of its message, without people and what depends on the reader.

    If nobody solved it, with a solution and its tree.
    """
    _, keyboard = render_message(round, words, snapshot)
    game, missed = GAMES[round.game], find_missed_answer(round)
    return Part(
        round=make_round_view(round, snapshot, words),
        buttons=_list_offered_rows(keyboard),
        solution=game.format_answer(round.puzzle, missed) if missed and round.kind is not Kind.BEST else "",
        tree=_make_tree(round, missed),
    )


def _load_shown_names(
    tx: Tx, view: SharedView, snapshot: Snapshot, mistaken_ids: Sequence[int]
) -> dict[int, str]:
    """Return the names of all who may be shown; for spectators, who may be anybody, mask hidden ones."""
    names = people.load_names(tx, [*view.present_ids, *mistaken_ids]) | dict(snapshot.names)
    if not view.place.watch_only:
        return names
    masked = {
        player_id: mask_name(name)
        for player_id, name in names.items()
        if people.is_name_masked(tx, player_id)
    }
    return number_equal_names(names | masked)


# Prefixes of the buttons that do the same on a page as in the chat.
GIVE_UP_BUTTON, REMATCH_BUTTON = "s", "dr"
OFFERED_PREFIXES = (
    *(GIVE_UP_BUTTON, REMATCH_BUTTON, contest_view.PLAY_BUTTON, contest_view.END_BUTTON, lessons.NEXT_BUTTON),
    *(START_BUTTON, SKIP_IN_RUN_BUTTON, REVIEW_BUTTON),
    *("h", "x", "n", "e", "r", "pr"),  # hint, stop, next, easier, race again, next of practice
)


def _list_offered_rows(keyboard: Keyboard) -> tuple[tuple[Button, ...], ...]:
    """Return the rows of the buttons with an offered prefix; no links, and no empty rows."""
    rows = [tuple(Button(label, data) for label, data in row if _is_offered(data)) for row in keyboard]
    return tuple(filter(None, rows))


def _is_offered(data: str) -> bool:
    return not isinstance(data, Link | WebApp | CopyText) and data.partition(":")[0] in OFFERED_PREFIXES


@dataclass(frozen=True, slots=True)
class PersonalView:
    """Everything by which one reader's page differs from others'."""

    reader_id: int | None  # None for spectators
    entry_value: str = ""  # what the reader's own entry makes; empty without one
    daily_attempts: DailyAttempts = field(default_factory=dict)
    day: DailyHandView | None = None
    card: PlayerCard | None = None


def build_state(tx: Tx, shared: SharedView, player_id: int | None) -> PageState:
    """Return the state of one reader's page; `player_id` is None for a spectator."""
    return build_states(tx, shared, [player_id])[player_id]


def build_states(
    tx: Tx, shared: SharedView, reader_ids: Collection[int | None]
) -> dict[int | None, PageState]:
    """Return the state of each reader's page; all spectators see the same."""
    if shared.place.watch_only:
        return dict.fromkeys(reader_ids, _build_page_state(shared, PersonalView(reader_id=None)))
    player_ids = [each for each in reader_ids if each is not None]
    parts = [(part.round, part.snapshot) for part in shared.parts if part.round]
    contest = next((round for round, _ in parts if round.game in CONTEST_GAMES), None)
    cards = {card.player_id: card for card in contests.load_cards(tx, contest)} if contest else {}
    daily_attempts = load_daily_attempts(tx, shared.daily_hands, player_ids, shared.now)
    states = dict[int | None, PageState]()
    for reader_id in reader_ids:
        personal = PersonalView(reader_id)
        if reader_id is not None:
            entry_values = [_evaluate_entry(round, snapshot, reader_id) for round, snapshot in parts]
            entry_value = next(filter(None, entry_values), "")  # at most one has text: a contest has none
            own_attempts = daily_attempts.get(reader_id, {})
            day = load_daily_hand_view(tx, shared.daily_hands, own_attempts, get_words(shared.language))
            personal = PersonalView(reader_id, entry_value, own_attempts, day, cards.get(reader_id))
        states[reader_id] = _build_page_state(shared, personal)
    return states


def _evaluate_entry(round: Round, snapshot: Snapshot, reader_id: int) -> str:
    """Return what the reader's own entry makes; empty without one."""
    answer = ""
    if round.kind is Kind.BEST:
        own = [entry.answer for entry in snapshot.entries if entry.player_id == reader_id]
        answer = own[0] if own else ""
    else:
        answer = snapshot.frame.entry
    return evaluate_answer(answer) if answer else ""


def _build_page_state(shared: SharedView, personal: PersonalView) -> PageState:
    beside = shared.beside
    return PageState(
        now=shared.now,
        language=shared.language,
        place=PlaceView(_get_place_kind(shared.place), shared.title),
        reader_id=personal.reader_id,
        day=personal.day,
        finished_days=tuple(day for day, attempt in personal.daily_attempts.items() if _is_done(attempt)),
        main=_build_part(shared, personal, beside),
        beside=_build_part(beside, personal, shared) if beside else None,
        games=_list_games(shared),
    )


def _get_place_kind(place: Place) -> str:
    if place.watch_only:
        return "watch"
    if place.is_guests:
        return "class"
    return "private" if place.chat_id > 0 else "group"


def _list_games(shared: SharedView) -> tuple[GameTab, ...]:
    """Return all games, with the data that deals those that may be dealt now.

    Empty for spectators and guests.
    """
    if shared.place.watch_only or shared.place.is_guests:
        return ()
    states = {part.round.state for part in shared.parts if part.round}
    tabs = []
    for game in sorted(GAMES.values(), key=lambda game: game is not GAMES.default):  # the default one first
        is_free = (State.RUNNING if game.key in CONTEST_GAMES else State.OPEN) not in states
        press = f"{PLAY_PRESS}{game.command}" if is_free else None
        tabs.append(GameTab(get_shown_title(game), press))
    return tuple(tabs)


def _build_part(shared: SharedView, personal: PersonalView, beside: SharedView | None) -> Part:
    """Return one round as the reader sees it; `beside` is the other part of the page, if any."""
    card = _make_card_view(shared, personal)
    winner = choose_winner(shared.winners, personal.reader_id)
    tree = shared.part.tree
    if winner is not None and shared.round is not None and shared.round.kind is not Kind.CONTEST:
        tree = _make_tree(shared.round, winner.answer)
    is_hand_beside = beside is not None and beside.round is not None and beside.round.state is State.OPEN
    return replace(
        shared.part,
        round=_personalise_round(shared, personal),
        card=card,
        notice=_render_notice(shared, personal.reader_id),
        buttons=_list_buttons(shared, personal, has_card=card is not None, offers_deal=not is_hand_beside),
        winner=winner,
        tree=tree,
    )


def _render_notice(shared: SharedView, reader_id: int | None) -> str:
    """Return the notice of the round's mode, of a duel of others, or of a challenge; empty without any."""
    words, snapshot = get_words(shared.language), shared.snapshot
    names = snapshot.names
    notice = snapshot.frame.render_notice(shared.round, words, snapshot.now) if shared.round else ""
    if notice:
        return notice
    duel = find_foreign_duel(snapshot, reader_id)
    is_open = shared.round is not None and shared.round.state is State.OPEN
    if reader_id is not None and duel is not None and is_open:
        one, other = (format_player_name(names, player_id) for player_id in duel.player_pair)
        notice = words.translate(
            "This is {one} and {other}’s duel: a right answer of yours gives no points.", one=one, other=other
        )
        return strip_tags(notice)
    challenge = find_challenge_for(shared.challenges, reader_id)
    if challenge is None:
        return ""
    name = format_name(shared.challenger_names.get(challenge.challenger_id))
    return strip_tags(duel_view.render_challenge(words, challenge, name))


def _personalise_round(shared: SharedView, personal: PersonalView) -> RoundView | None:
    """Return the round with the reader's own entry, and the end of a race as told to the reader."""
    round, snapshot = shared.part.round, shared.snapshot
    if round is None:
        return None
    if personal.entry_value and round.kind is not Kind.CONTEST:
        round = replace(round, entry_value=personal.entry_value)
    end = render_race_end(snapshot, get_words(shared.language), personal.reader_id)
    return replace(round, race_end=end)


def _make_card_view(shared: SharedView, personal: PersonalView) -> CardView | None:
    """Return the reader's own card in a contest; None without one."""
    round = shared.round
    if round is None or personal.card is None or round.game not in CONTEST_GAMES:
        return None
    game = CONTEST_GAMES[round.game]
    card = personal.card.card
    layout = game.build_layout(get_words(shared.language), round.puzzle, card)
    turn = game.count_turns_played(card)
    can_play = round.state is State.RUNNING and turn < game.turn_count
    press = f"{contest_view.TURN_BUTTON}:{round.id}:{turn}" if can_play else ""
    return CardView(
        turn=turn,
        turns=game.turn_count,
        dice=layout.dice if can_play else (),
        total=layout.total,
        bonus=layout.bonus,
        missing=layout.bonus_missing,
        rows=tuple(_make_card_row(line, press) for line in layout.lines),
    )


def _make_card_row(line: LayoutLine, press: str) -> CardRow:
    """Return a category of a card; `press` begins what a tap on it sends, empty if nothing can be put."""
    if not press:
        return CardRow(line.name, line.score, preview=None, press=None)
    choose = f"{press}:{line.choice}" if line.choice is not None else None
    return CardRow(line.name, line.score, line.preview, choose)


SHOW_TODAY_PRESS = "do:"  # shows today's hand; from then on the player's time runs
DEAL_PRESS = "st:deal"  # deals a hand
PLAY_PRESS = "st:play:"  # deals the game whose command follows


def _list_buttons(
    shared: SharedView, personal: PersonalView, *, has_card: bool, offers_deal: bool
) -> tuple[tuple[Button, ...], ...]:
    """Return the reader's rows of buttons: of the round's message, of a challenge, to deal, and of the day.

    Empty for spectators. `has_card` if the reader takes part in the contest; `offers_deal` if no hand is open
    on the other part of the page, so that one may be dealt during a contest.
    """
    reader_id = personal.reader_id
    if reader_id is None:
        return ()
    round, words = shared.round, get_words(shared.language)
    forbidden = _list_forbidden_prefixes(shared, reader_id, has_card=has_card)
    rows = [
        tuple(button for button in row if not button.press.startswith(forbidden))
        for row in shared.part.buttons
    ]
    challenge = find_challenge_for(shared.challenges, reader_id)
    if challenge is not None:
        rows.append(make_challenge_row(words, challenge, reader_id))
    is_over = round is None or round.state not in LIVE_STATES
    is_run = round is not None and round.kind in RUN_KINDS
    may_deal = round is None or (is_run and is_over) or (round.kind is Kind.CONTEST and offers_deal)
    if may_deal and not shared.place.is_guests:
        rows.append((Button(words.translate_plain("Deal a hand"), DEAL_PRESS),))
    if shared.homework:
        label = words.translate_plain("Begin: {n} hands", n=shared.homework)
        rows.append((Button(label, lessons.BEGIN_PRESS),))
    is_private = _is_own_place(shared.place, reader_id)
    if is_private and is_over:
        kind = round.kind if round else None  # the message of a run that is over has a button for another one
        modes = [mode for mode in MODES if isinstance(mode, RunMode) and mode.kind is not kind]
        row = [Button(mode.texts.make_label(words), f"{START_BUTTON}:{mode.kind}") for mode in modes]
        rows.append(tuple(row))
    if is_private and (is_over or not is_run) and shared.daily_hands.today not in personal.daily_attempts:
        label = f"🗓 {words.translate_plain('Solve today’s hand')}"
        rows.append((Button(label, SHOW_TODAY_PRESS),))
    return tuple(filter(None, rows))


def _is_own_place(place: Place, reader_id: int) -> bool:
    """Whether the page shows the reader's private chat."""
    return place.chat_id == reader_id and not place.is_guests


def _list_forbidden_prefixes(shared: SharedView, reader_id: int, *, has_card: bool) -> tuple[str, ...]:
    """Return the prefixes of the message's buttons that the reader may not press.

    A duel's players alone may give it up or ask for another. Readers with a card in the contest need no
    button to join it; they and its dealer may end it. A review is posted in private, so it is offered there.
    """
    forbidden = [] if _is_own_place(shared.place, reader_id) else [REVIEW_BUTTON]
    if find_foreign_duel(shared.snapshot, reader_id) is not None:
        forbidden += [GIVE_UP_BUTTON, REMATCH_BUTTON]
    if has_card:
        forbidden.append(contest_view.PLAY_BUTTON)
    elif shared.round is None or reader_id != shared.round.dealer_id:
        forbidden.append(contest_view.END_BUTTON)
    return tuple(f"{button}:" for button in forbidden)
