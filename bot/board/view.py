"""Build the state of a page as JSON values: the round on its table, the players and what may be pressed.

Nothing in it gives an open hand away: all comes from the round's message, its numbers and the reader's card.
"""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from math import floor, inf
from typing import Any

from bot.board import round_details
from bot.board.rules import Place
from bot.database import Tx
from bot.durations import DAY
from bot.i18n import get_words, insert_names, strip_tags
from bot.modes.contest import queries as contests
from bot.modes.contest import view as contest_view
from bot.modes.contest.rules import LayoutLine, PlayerCard
from bot.modes.daily import queries as days
from bot.modes.daily.rules import format_utc_date, is_attempt_open
from bot.players import queries as people
from bot.rounds import queries as rounds
from bot.rounds.puzzle import Kind, Tiles
from bot.rounds.registry import CONTEST_GAMES, GAMES
from bot.rounds.round_message import load_snapshot
from bot.rounds.rules import Round, State, is_deadline_shortened, start_clock
from bot.rounds.view import Snapshot, render_message
from bot.standings.leaderboard.view import mask_name
from bot.telegram.messages import CopyText, Keyboard, Link, WebApp

# The hands of the day


@dataclass(frozen=True, slots=True)
class DailyHands:
    """The hands of today and yesterday, which are the same for every reader."""

    today: str = ""  # the date; empty if a page shows no daily hands
    hands: Mapping[str, Tiles] = field(default_factory=dict)  # each that exists, by date, the newer first


def load_daily_hands(tx: Tx, place: Place, now: float) -> DailyHands:
    """Load the hands of today and of the day before, as far as they can be tapped; none for spectators."""
    if place.watch_only:
        return DailyHands()
    today, yesterday = format_utc_date(now), format_utc_date(now - DAY)
    stored = days.load_hands(tx, [today, yesterday])
    hands = dict[str, Tiles]()
    for day in (today, yesterday):
        if day not in stored:
            continue
        hand = stored[day]
        tiles = GAMES[hand.game].get_tiles(hand.puzzle)
        if tiles is not None:
            hands[day] = tiles
    return DailyHands(today, hands)


# The days whose hand one player was dealt, the newer first, and whether the player is done with it. Hands
# whose time has run out are left out.
DailyStatus = tuple[tuple[str, bool], ...]


def load_daily_status(
    tx: Tx, daily_hands: DailyHands, player_ids: Collection[int], now: float
) -> dict[int, DailyStatus]:
    """Return the status of each player who was dealt one of the hands and has time left or is done."""
    status = dict[int, DailyStatus]()
    for day in daily_hands.hands:
        for player_id, attempt in days.load_attempts_by_player(tx, day, player_ids).items():
            if attempt.is_over or is_attempt_open(attempt, now):
                newer_days = status.get(player_id, ())
                status[player_id] = (*newer_days, (day, attempt.is_over))
    return status


def build_daily_hand(daily_hands: DailyHands, status: DailyStatus) -> dict[str, Any] | None:
    """Return the newest hand that the reader can still solve, else today's; None if that was not dealt.

    A hand stays hidden until it is dealt to the reader, who would have more time than others otherwise.
    """
    is_done_by_day = dict(status)
    open_days = [day for day, is_done in status if not is_done]
    day = open_days[0] if open_days else daily_hands.today
    tiles = daily_hands.hands.get(day)
    if day not in is_done_by_day or tiles is None:
        return None
    return {"day": day, **_describe_tiles(tiles), "done": is_done_by_day[day]}


def _describe_tiles(tiles: Tiles | None) -> dict[str, Any]:
    """Return the numbers to tap, their labels, the target and the rules; all are empty without tiles."""
    if tiles is None:
        return {"numbers": [], "shown": [], "target": None, "every": False, "whole": False, "near": False}
    return {
        "numbers": list(tiles.numbers),
        "shown": list(tiles.labels),
        "target": tiles.target,
        "every": tiles.uses_all,
        "whole": tiles.whole_numbers_only,
        "near": tiles.accepts_near,
    }


# The rounds that a page shows


def find_linked_round(tx: Tx, place: Place) -> Round | None:
    """Return the round whose link led to the page; None if there is none in that chat."""
    round = rounds.load_round(tx, place.round_id)
    return round if round is not None and round.chat_id == place.chat_id else None


def select_rounds(tx: Tx, place: Place, now: float) -> tuple[Round | None, Round | None]:
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
    linked = find_linked_round(tx, place) if place.round_id else None
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


@dataclass(frozen=True, slots=True)
class SharedView:
    """Everything that is the same for all readers of a place in one language."""

    place: Place
    language: str
    now: float
    round: Round | None = None
    snapshot: Snapshot = field(default_factory=Snapshot)
    lines: Sequence[str] = ()
    buttons: Sequence[Sequence[Mapping[str, str]]] = ()
    daily_hands: DailyHands = field(default_factory=DailyHands)
    challenges: Sequence[round_details.PendingChallenge] = ()
    identifiable: frozenset[int] = frozenset()  # players to whom their own page may say `you`
    beside: "SharedView | None" = None  # the contest that ran while this hand was played, or the other way

    @property
    def parts(self) -> Iterator["SharedView"]:
        """This view and the one beside it."""
        yield self
        if self.beside:
            yield self.beside


def load_shared_view(tx: Tx, place: Place, language: str, now: float) -> SharedView:
    """Load what all readers of a place see, spectators the linked round alone; `now` is Telegram's time."""
    daily_hands = load_daily_hands(tx, place, now)
    challenges = round_details.load_pending_challenges(tx, place)
    empty_view = SharedView(place, language, now, daily_hands=daily_hands, challenges=challenges)
    if place.watch_only:
        return _add_round(tx, empty_view, find_linked_round(tx, place))
    first, second = select_rounds(tx, place, now)
    beside = _add_round(tx, empty_view, second)
    return replace(_add_round(tx, empty_view, first), beside=beside if beside.round else None)


def refresh_shared_view(tx: Tx, shared: SharedView, now: float) -> SharedView:
    """Return the view with the daily hands of another time, and all else as it was."""
    return replace(shared, now=now, daily_hands=load_daily_hands(tx, shared.place, now))


MAX_LINES, MAX_FINDS = 400, 200  # lines of a message, and finds that it lists


def _add_round(tx: Tx, empty_view: SharedView, selected: Round | None) -> SharedView:
    """Return the view with the round, its message's lines and its buttons; unchanged if there is none."""
    loaded = load_snapshot(tx, selected.id, empty_view.now) if selected else None
    if loaded is None:
        return empty_view
    round, snapshot = loaded
    # Until the deal is delivered, which starts the clock, show the time as if it started now.
    if round.message_id is None and not round.was_displayed:
        round = start_clock(round, empty_view.now)
    snapshot = _adapt_snapshot(tx, empty_view.place, snapshot)
    # Pages count the time left themselves; a shortened deadline stays, since its line tells why.
    rendered_round = round if is_deadline_shortened(round) else replace(round, deadline=None)
    text, keyboard = render_message(rendered_round, get_words(empty_view.language), snapshot)
    return replace(
        empty_view,
        round=round,
        snapshot=snapshot,
        lines=_split_lines(round, strip_tags(insert_names(text, snapshot.names))),
        buttons=[] if empty_view.place.watch_only else _list_offered_rows(keyboard),
        identifiable=round_details.find_identifiable_players(round, snapshot),
    )


def _adapt_snapshot(tx: Tx, place: Place, snapshot: Snapshot) -> Snapshot:
    """Return the snapshot as a page shows it: with long lists, and without links and proofs.

    For spectators, who may be anybody, hidden names are masked and the entry of practice is left out.
    """
    names = dict(snapshot.names)
    practice = snapshot.practice_session
    if place.watch_only:
        for player_id, name in snapshot.names.items():
            if people.is_name_masked(tx, player_id):
                names[player_id] = mask_name(name)
        names = round_details.number_equal_names(names)
        practice = replace(practice, entry="") if practice else None
    return replace(
        snapshot,
        names=names,
        practice_session=practice,
        is_spectator=place.watch_only,
        reads_all_messages=True,
        waiting_players=(),
        answer_link="",
        board_link="",
        shows_proofs=False,
        max_lines=MAX_FINDS,
    )


def _split_lines(round: Round, text: str) -> list[str]:
    """Return up to 400 lines of a message, without the proof of a contest's deal, which is for the chat."""
    proof_lines = contest_view.render_commitment(round) if round.kind is Kind.CONTEST else ()
    left_out = {strip_tags(line) for line in proof_lines}
    lines = [line for line in text.split("\n") if line.strip() and line not in left_out]
    return lines[:MAX_LINES]


# Prefixes of the buttons that do the same on a page as in the chat.
GIVE_UP_BUTTON, REMATCH_BUTTON = "s", "dr"
OFFERED_PREFIXES = (
    *(GIVE_UP_BUTTON, REMATCH_BUTTON, contest_view.PLAY_BUTTON, contest_view.END_BUTTON),
    *("h", "x", "n", "e", "r", "pr"),  # hint, stop, next, easier, race again, next of practice
)


def _list_offered_rows(keyboard: Keyboard) -> list[list[dict[str, str]]]:
    """Return the rows of the buttons with an offered prefix; no links, and no empty rows."""
    rows = []
    for buttons in keyboard:
        row = []
        for label, data in buttons:
            if isinstance(data, Link | WebApp | CopyText):
                continue
            prefix, _, _ = data.partition(":")
            if prefix in OFFERED_PREFIXES:
                row.append(_make_button(label, data))
        if row:
            rows.append(row)
    return rows


def _make_button(label: str, data: Any) -> dict[str, str]:
    return {"label": label, "press": data}


@dataclass(frozen=True, slots=True)
class PersonalView:
    """Everything by which one reader's page differs from others': equal values make equal pages."""

    reader_id: int | None  # None for spectators; NOBODY for players whom the page never calls `you`
    entry_value: str = ""  # what the reader's own entry makes; empty without one
    daily_status: DailyStatus = ()
    card: PlayerCard | None = field(default=None, hash=False)


def build_state(tx: Tx, shared: SharedView, player_id: int | None) -> dict[str, Any]:
    """Return the state of one reader's page; `player_id` is None for a spectator."""
    _, state = build_states(tx, shared, [player_id])[0]
    return state


def build_states(
    tx: Tx, shared: SharedView, reader_ids: Collection[int | None]
) -> list[tuple[list[int | None], dict[str, Any]]]:
    """Return the different states of these readers' pages, each with the readers who see it."""
    groups = dict[PersonalView, list[int | None]]()
    for reader_id, personal in _load_personal_views(tx, shared, reader_ids):
        groups.setdefault(personal, []).append(reader_id)
    return [(group, _build_page_state(shared, personal)) for personal, group in groups.items()]


def _load_personal_views(
    tx: Tx, shared: SharedView, reader_ids: Collection[int | None]
) -> Iterator[tuple[int | None, PersonalView]]:
    """Yield each reader with what is particular to their page; all spectators have the same."""
    player_ids = [] if shared.place.watch_only else [each for each in reader_ids if each is not None]
    parts = [(part.round, part.snapshot) for part in shared.parts if part.round]
    contest = next((round for round, _ in parts if round.game in CONTEST_GAMES), None)
    all_cards = contests.load_cards(tx, contest) if contest else []
    cards = {card.player_id: card for card in all_cards if card.player_id in player_ids}
    daily_status = load_daily_status(tx, shared.daily_hands, player_ids, shared.now)
    own_page_ids = {*cards, *_find_mentioned_players(shared, contest)}
    for reader_id in reader_ids:
        if reader_id is None or shared.place.watch_only:
            yield reader_id, PersonalView(reader_id=None)
            continue
        entry_values = [_evaluate_entry(round, snapshot, reader_id) for round, snapshot in parts]
        personal = PersonalView(
            # All readers without anything of their own get one value, and so share one state.
            reader_id if reader_id in own_page_ids else round_details.NOBODY,
            entry_value=next(filter(None, entry_values), ""),  # at most one has text: a contest has none
            daily_status=daily_status.get(reader_id, ()),
            card=cards.get(reader_id),
        )
        yield reader_id, personal


def _find_mentioned_players(shared: SharedView, contest: Round | None) -> set[int]:
    """Return the players whom the page may call `you` or give a button of their own."""
    mentioned = {shared.place.chat_id}  # a private chat has its player's id
    mentioned.update(*(challenge.duel.player_ids for challenge in shared.challenges))
    mentioned.update(*(part.identifiable for part in shared.parts))
    if contest and contest.dealer_id:
        mentioned.add(contest.dealer_id)  # has a button to end the contest, even without a card
    return mentioned


def _evaluate_entry(round: Round, snapshot: Snapshot, reader_id: int) -> str:
    """Return what the reader's own entry makes; empty without one."""
    answer = ""
    if round.kind is Kind.BEST:
        own = [entry.answer for entry in snapshot.entries if entry.player_id == reader_id]
        answer = own[0] if own else ""
    elif snapshot.practice_session:
        answer = snapshot.practice_session.entry
    return round_details.evaluate_answer(answer) if answer else ""


VERSION_CHARS = 24


def _build_page_state(shared: SharedView, personal: PersonalView) -> dict[str, Any]:
    """Return the state of a page, still without its title, and with a version: a hash of all but the time."""
    beside = shared.beside
    place_kind = "private" if shared.place.chat_id > 0 else "group"
    if shared.place.watch_only:
        place_kind = "watch"
    state = {
        "language": shared.language,
        "place": {"kind": place_kind, "title": ""},
        "day": build_daily_hand(shared.daily_hands, personal.daily_status),
        "over": [day for day, is_done in personal.daily_status if is_done],
        **_describe_part(shared, personal, beside),
        "beside": _describe_part(beside, personal, shared) if beside else None,
    }
    content = json.dumps(state, sort_keys=True)
    version = sha256(content.encode()).hexdigest()[:VERSION_CHARS]
    return {"version": version, "now": shared.now, **state}


def _describe_part(shared: SharedView, personal: PersonalView, beside: SharedView | None) -> dict[str, Any]:
    """Describe one round with its people and buttons; `beside` is the other part of the page, if any."""
    round, snapshot, words = shared.round, shared.snapshot, get_words(shared.language)
    reader_id = personal.reader_id
    card = _describe_card(shared, personal)
    is_hand_beside = beside is not None and beside.round is not None and beside.round.state is State.OPEN
    challenge = round_details.find_challenge_for(shared.challenges, reader_id)
    return {
        "round": _describe_round(round, shared, personal) if round else None,
        "card": card,
        "lines": list(shared.lines),
        "aside": round_details.render_duel_notice(round, snapshot, challenge, words, reader_id),
        "buttons": _list_buttons(shared, personal, has_card=card is not None, offers_deal=not is_hand_beside),
        "people": round_details.list_participants(round, snapshot, words, reader_id) if round else [],
        "winner": round_details.describe_winner(round, snapshot, reader_id) if round else None,
        "solution": round_details.format_missed_solution(round) if round else "",
    }


PAGE_NAMES = {"24": "twentyfour"}  # the page's name of games that have another key in the database


LIVE_STATES = {State.OPEN: "open", State.RUNNING: "running"}  # the page's names; all others are "over" there


def _describe_round(round: Round, shared: SharedView, personal: PersonalView) -> dict[str, Any]:
    """Describe a round: tiles, hints, race, deadline and own entry; a best solution once it is over."""
    words = get_words(shared.language)
    is_live = round.state in LIVE_STATES
    entry_value = "" if round.kind is Kind.CONTEST else personal.entry_value
    return {
        "id": round.id,
        "game": PAGE_NAMES.get(round.game, round.game),
        "kind": round.kind.value,
        "state": LIVE_STATES.get(round.state, "over"),
        **_describe_tiles(GAMES[round.game].get_tiles(round.puzzle)),
        **round_details.describe_hints(round, words),
        **round_details.describe_race(shared.snapshot, words, personal.reader_id),
        "deadline": _estimate_deadline(round) if is_live else None,
        "entered": bool(entry_value),
        "stands": entry_value,
        "best": "" if is_live or round.kind is not Kind.BEST else GAMES[round.game].solution(round.puzzle),
    }


def _estimate_deadline(round: Round) -> float | None:
    """Return the deadline, rounded down until the round's message has arrived.

    The clock starts at the message's date, which is in whole seconds: so the state need not change then.
    """
    is_posted = (round.message_id or 0) > 0
    if is_posted or round.deadline is None:
        return round.deadline
    return float(floor(round.deadline))


def _describe_card(shared: SharedView, personal: PersonalView) -> dict[str, Any] | None:
    """Return the reader's own card in a contest, with the choices that are open; None without one."""
    round = shared.round
    if round is None or personal.card is None or round.game not in CONTEST_GAMES:
        return None
    game = CONTEST_GAMES[round.game]
    card = personal.card.card
    layout = game.build_layout(get_words(shared.language), round.puzzle, card)
    if layout is None:
        return None
    turn = game.count_turns_played(card)
    can_play = round.state is State.RUNNING and turn < game.turn_count
    press = f"{contest_view.TURN_BUTTON}:{round.id}:{turn}"  # before the chosen line
    return {
        "turn": turn,
        "turns": game.turn_count,
        "dice": list(layout.dice) if can_play else [],
        "total": layout.total,
        "bonus": layout.bonus,
        "missing": layout.bonus_missing,
        "rows": [_describe_card_line(line, press if can_play else None) for line in layout.lines],
    }


def _describe_card_line(line: LayoutLine, press: str | None) -> dict[str, Any]:
    """Describe a category of a card; `press` begins the data of its button, None if none can be chosen."""
    row: dict[str, Any] = {"name": line.name, "score": line.score, "preview": None, "press": None}
    if press is not None:
        row["preview"] = line.preview
        if line.choice is not None:
            row["press"] = f"{press}:{line.choice}"
    return row


SHOW_TODAY_PRESS = "do:"  # shows today's hand; from then on the player's time runs
DEAL_PRESS = "st:deal"  # deals a hand


def _list_buttons(
    shared: SharedView, personal: PersonalView, *, has_card: bool, offers_deal: bool
) -> list[list[dict[str, str]]]:
    """Return the reader's rows of buttons: of the round's message, of a challenge, to deal, and of the day.

    None for spectators. `has_card` if the reader takes part in the contest; `offers_deal` if no hand is open
    on the other part of the page, so that one may be dealt during a contest.
    """
    reader_id = personal.reader_id
    if reader_id is None:
        return []
    round, words = shared.round, get_words(shared.language)
    prefixes = _list_forbidden_prefixes(shared, reader_id, has_card=has_card)
    rows = [
        [dict(button) for button in row if not button["press"].startswith(prefixes)] for row in shared.buttons
    ]
    challenge = round_details.find_challenge_for(shared.challenges, reader_id)
    if challenge is not None:
        keyboard = round_details.render_challenge_buttons(words, challenge, reader_id)
        rows += [[_make_button(label, data) for label, data in row] for row in keyboard]
    if round is None or (round.kind is Kind.CONTEST and offers_deal):
        rows.append([_make_button(words.translate_plain("Deal a hand"), DEAL_PRESS)])
    dealt_days = {day for day, _is_done in personal.daily_status}
    is_private = shared.place.chat_id == reader_id
    if is_private and shared.daily_hands.today not in dealt_days:
        rows.append([_make_button(f"🗓 {words.translate_plain('Solve today’s hand')}", SHOW_TODAY_PRESS)])
    return [row for row in rows if row]


def _list_forbidden_prefixes(shared: SharedView, reader_id: int, *, has_card: bool) -> tuple[str, ...]:
    """Return the prefixes of the message's buttons that the reader may not press.

    A duel's players alone may give it up or ask for another. Readers with a card in the contest need no
    button to join it; they and its dealer may end it.
    """
    forbidden = []
    if round_details.find_foreign_duel(shared.snapshot, reader_id) is not None:
        forbidden += [GIVE_UP_BUTTON, REMATCH_BUTTON]
    if has_card:
        forbidden.append(contest_view.PLAY_BUTTON)
    elif shared.round is None or reader_id != shared.round.dealer_id:
        forbidden.append(contest_view.END_BUTTON)
    return tuple(f"{button}:" for button in forbidden)
