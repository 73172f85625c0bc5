"""What a page shows of a place, as JSON: the hand on its table, who plays, what may be tapped.

Nothing that would give a hand away is in it before that is over: all of it comes from what the round's own
message says, from the numbers that were dealt, and from the reader's own card.
"""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import chain
from math import floor, inf
from typing import Any

from bot.board import round_details
from bot.board.rules import Place
from bot.database import Tx
from bot.i18n import get_words, insert_names, strip_tags
from bot.modes.contest import queries as contests
from bot.modes.contest import view as contest
from bot.modes.contest.rules import PlayerCard
from bot.modes.daily import queries as days
from bot.modes.daily.rules import ATTEMPT_SECONDS, format_utc_date, is_attempt_open
from bot.players import queries as people
from bot.rounds import queries as rounds
from bot.rounds.puzzle import Kind, Tiles
from bot.rounds.registry import CONTEST_GAMES, GAMES
from bot.rounds.round_message import load_snapshot
from bot.rounds.rules import Round, State, is_deadline_shortened, start_clock
from bot.rounds.view import Snapshot, render_message
from bot.standings.leaderboard.view import mask_name
from bot.telegram.messages import CopyText, Keyboard, Link, WebApp

# The days whose hand somebody was dealt, the newer first, and whether they are done with it; none whose time
# has run out.
DailyStatus = tuple[tuple[str, bool], ...]


@dataclass(frozen=True, slots=True)
class DailyHands:
    """The hands of two days, which are the same for every reader."""

    today: str = ""  # What names today's; empty where none is shown
    # What names each that anybody was dealt, and its numbers: the newer first.
    hands: Sequence[tuple[str, Tiles]] = ()


def load_daily_hands(tx: Tx, now: float) -> DailyHands:
    """Those of the day of `now` and of the day before."""
    return DailyHands(
        format_utc_date(now), _dealt(tx, [format_utc_date(now), format_utc_date(now - ATTEMPT_SECONDS)])
    )


def refresh_daily_hands(tx: Tx, before: DailyHands, now: float) -> DailyHands:
    """The same at `now`: somebody may be dealt today's hand while nothing changes at a place."""
    if before.today != format_utc_date(now):
        return load_daily_hands(tx, now)
    if any(day == before.today for day, _ in before.hands):
        return before
    return replace(before, hands=[*_dealt(tx, [before.today]), *before.hands])


def load_daily_status(
    tx: Tx, shown: DailyHands, people: Collection[int], now: float
) -> dict[int, DailyStatus]:
    """How each of these people stands with them."""
    found = dict[int, DailyStatus]()
    for day, _ in shown.hands:
        for who, attempt in days.load_attempts_by_player(tx, day, people).items():
            if attempt.is_over or is_attempt_open(attempt, now):
                found[who] = (*found.get(who, ()), (day, attempt.is_over))
    return found


def build_daily_hand(shown: DailyHands, mine: DailyStatus) -> dict[str, Any] | None:
    """The hand on one reader's page, once their time for it runs: seen before that it would give them time.

    It is the newest one that may still be solved; with none, today's as it ended.
    """
    day = next((day for day, is_done in mine if not is_done), shown.today)
    tiles = dict(shown.hands).get(day)
    if day not in dict(mine) or tiles is None:
        return None
    numbers = {"numbers": list(tiles.numbers), "shown": list(tiles.labels), "target": tiles.target}
    rules = {"every": tiles.uses_all, "whole": tiles.whole_numbers_only, "near": tiles.accepts_near}
    return {"day": day, **numbers, **rules, "done": dict(mine)[day]}


def list_finished_days(mine: DailyStatus) -> list[str]:
    """The days whose hands the reader is done with, for pages on which one of them still lies."""
    return [day for day, is_done in mine if is_done]


def has_todays_hand(shown: DailyHands, mine: DailyStatus) -> bool:
    """Whether the reader was dealt today's."""
    return shown.today in dict(mine)


def _dealt(tx: Tx, of: Sequence[str]) -> list[tuple[str, Tiles]]:
    found: Mapping[str, Any] = days.load_hands(tx, of)
    read = ((day, GAMES[found[day].game].get_tiles(found[day].puzzle)) for day in of if day in found)
    return [(day, tiles) for day, tiles in read if tiles is not None]


def find_linked_round(tx: Tx, place: Place) -> Round | None:
    """Return the round whose link led there, if it is of that chat."""
    found = rounds.load_round(tx, place.round_id)
    return found if found is not None and found.chat_id == place.chat_id else None


def select_rounds(tx: Tx, place: Place, now: float) -> tuple[Round | None, Round | None]:
    """Return the round to show first, and the other one of hand and contest if both went on at a time.

    First comes a contest whose message led here while it runs, then the hand on the table, then any contest
    that runs, and else what was there last.
    """
    hand, contest = _hand(tx, place), _contest(tx, place, now)
    if hand is None or contest is None:
        return hand or contest, None
    runs, led = contest.state is State.RUNNING, contest.id == place.round_id
    first = runs and led if hand.state is State.OPEN else runs or _end_of(contest) > _end_of(hand)
    pair = (contest, hand) if first else (hand, contest)
    together = _end_of(hand) > contest.opened and _end_of(contest) > hand.opened
    return pair if together else (pair[0], None)


def _hand(tx: Tx, place: Place) -> Round | None:
    """Return the hand on the table, or what was there last."""
    return rounds.load_open_round(tx, place.chat_id, place.topic) or rounds.load_latest_round(
        tx, place.chat_id, place.topic
    )


# Seconds for which a contest that is over stands on a table to which no message of it led.
ENDED = 24 * 3600.0


def _contest(tx: Tx, place: Place, now: float) -> Round | None:
    """Return the contest that led here while it runs, any that runs, or the last one that ended."""
    linked = find_linked_round(tx, place) if place.round_id else None
    led = linked if linked is not None and linked.kind is Kind.CONTEST else None
    if led is not None and led.state is State.RUNNING:
        return led
    if running := contests.load_running_contest(tx, place.chat_id, place.topic):
        return running
    ended = contests.load_ended_contest(tx, place.chat_id, place.topic, now - ENDED)
    return max((each for each in (led, ended) if each), key=_end_of, default=None)


def _end_of(round: Round) -> float:
    """Return the time at which it ended; infinite while it goes on."""
    return inf if round.state in (State.OPEN, State.RUNNING) else round.closed or 0.0


# How the data of buttons begins that do on a page what they do in the chat.
OFFERED_PREFIXES = ("h", "s", "x", "n", "e", "r", "dr", "pr", contest.PLAY_BUTTON, contest.END_BUTTON)
SHOW_TODAY_PRESS = (
    "do:"  # The data of the button that shows today's hand, from which on somebody's time for it runs
)
DEAL_PRESS = "st:deal"  # The data of the button that deals a hand where nothing else leads on
NOBODY = 0  # No person's id
EVERY_LINE, EVERY_FIND = 400, 200  # Lines of a message and people in it that a page has room for


@dataclass(frozen=True, slots=True)
class SharedView:
    """All that is the same for every reader of a language."""

    place: Place
    language: str
    now: float
    round: Round | None = None
    scene: Snapshot = field(default_factory=Snapshot)
    lines: Sequence[str] = ()
    buttons: Sequence[Sequence[Mapping[str, str]]] = ()
    daily_hands: DailyHands = field(default_factory=DailyHands)
    challenges: Sequence[round_details.PendingChallenge] = ()
    identifiable: frozenset[int] = (
        frozenset()
    )  # Of whom a page may tell, so that their own say that it is they
    # The hand that was played while that contest ran, or the contest that ran while that hand was played.
    beside: "SharedView | None" = None

    @property
    def parts(self) -> Iterator["SharedView"]:
        """Both."""
        yield self
        if self.beside:
            yield self.beside


def load_shared_view(tx: Tx, place: Place, language: str, now: float) -> SharedView:
    """What stands at a place at `now`, by Telegram's clock."""
    days = DailyHands() if place.watch_only else load_daily_hands(tx, now)
    empty = SharedView(
        place, language, now, daily_hands=days, challenges=round_details.load_pending_challenges(tx, place)
    )
    first, second = (
        (find_linked_round(tx, place), None) if place.watch_only else select_rounds(tx, place, now)
    )
    beside = _laid(tx, empty, second)
    return replace(_laid(tx, empty, first), beside=beside if beside.round else None)


def _laid(tx: Tx, empty: SharedView, there: Round | None) -> SharedView:
    """The page with that round on it, where it can be read."""
    place, now, speech = empty.place, empty.now, get_words(empty.language)
    found = None if there is None else load_snapshot(tx, there.id, now)
    if found is None:
        return empty
    round, around = found
    if round.message_id is None and not round.was_displayed:
        round = start_clock(round, now)
    around = _as_seen(tx, place, around)
    text, keyboard = render_message(_without_clock(round), speech, around)
    lines = _lines(round, strip_tags(insert_names(text, around.names)))
    buttons = [] if place.watch_only else _buttons(keyboard)
    told_of = round_details.find_identifiable_players(round, around)
    return replace(empty, round=round, scene=around, lines=lines, buttons=buttons, identifiable=told_of)


def refresh_shared_view(tx: Tx, shown: SharedView, now: float) -> SharedView:
    """The same at `now`, with the hand of today: nothing may have changed at the place since."""
    round_details = (
        shown.daily_hands if shown.place.watch_only else refresh_daily_hands(tx, shown.daily_hands, now)
    )
    return replace(shown, now=now, daily_hands=round_details)


def _as_seen(tx: Tx, place: Place, around: Snapshot) -> Snapshot:
    """The scene on a page: with all of a list, and without what only the chat needs."""
    names = around.names
    if place.watch_only:  # a link may lead anybody here
        names = round_details.number_equal_names(
            {who: mask_name(n) if people.is_name_masked(tx, who) else n for who, n in names.items()}
        )
    practice = around.practice_session
    if practice is not None and place.watch_only:
        practice = replace(practice, entry="")
    page = replace(
        around,
        reads_all_messages=True,
        waiting_players=(),
        answer_link="",
        board_link="",
        shows_proofs=False,
        max_lines=EVERY_FIND,
    )
    return replace(page, names=names, practice_session=practice, is_spectator=place.watch_only)


def _without_clock(round: Round) -> Round:
    """The round as its message would be without the time left: the page has a clock of its own."""
    return round if is_deadline_shortened(round) else replace(round, deadline=None)


def _lines(round: Round, text: str) -> list[str]:
    """The lines of a message, without what a contest's deal is committed to: proofs are for the chat."""
    committed = (
        set(map(strip_tags, contest.render_commitment(round))) if round.kind is Kind.CONTEST else set()
    )
    return [line for line in text.split("\n") if line.strip() and line not in committed][:EVERY_LINE]


def _buttons(keyboard: Keyboard) -> list[list[dict[str, str]]]:
    rows = [[_button(label, data) for label, data in row if _is_offered(data)] for row in keyboard]
    return [row for row in rows if row]


def _button(label: str, data: str) -> dict[str, str]:
    return {"label": label, "press": data}


def _is_offered(data: str) -> bool:
    return not isinstance(data, Link | WebApp | CopyText) and data.partition(":")[0] in OFFERED_PREFIXES


# For each reader


@dataclass(frozen=True, slots=True)
class PersonalView:
    """All in which one reader's page can differ from another's: where it is equal, so are the pages."""

    reader: int | None  # None for whoever only watches, and `NOBODY` for a person of whom nothing is told
    entered_value: str = (
        ""  # What the answer makes that the reader has handed in, and that stands; empty for none
    )
    daily_status: DailyStatus = ()  # How the reader stands with the hands of the day
    sheet: PlayerCard | None = field(default=None, hash=False)


def build_state(tx: Tx, shown: SharedView, player_id: int | None) -> dict[str, Any]:
    """All that one reader's page shows; `player_id` is None for whoever only watches."""
    ((_, found),) = build_states(tx, shown, [player_id])
    return found


def build_states(
    tx: Tx, shown: SharedView, readers: Collection[int | None]
) -> list[tuple[list[int | None], dict[str, Any]]]:
    """What the pages of these readers show, with those who are shown the same together."""
    alike = dict[PersonalView, list[int | None]]()
    for reader, own in _owns(tx, shown, readers):
        alike.setdefault(own, []).append(reader)
    return [(who, _state(shown, own)) for own, who in alike.items()]


def _owns(
    tx: Tx, shown: SharedView, readers: Collection[int | None]
) -> Iterator[tuple[int | None, PersonalView]]:
    if shown.place.watch_only:
        yield from ((reader, PersonalView(None)) for reader in readers)
        return
    people = [reader for reader in readers if reader is not None]
    contest = next(
        (part.round for part in shown.parts if part.round and part.round.game in CONTEST_GAMES), None
    )
    sheets = contests.load_cards_by_player(tx, contest, people) if contest else {}
    tried = load_daily_status(tx, shown.daily_hands, people, shown.now)
    known = {shown.place.chat_id, *sheets, *round_details.list_challenge_players(shown.challenges)}
    known |= {*chain.from_iterable(part.identifiable for part in shown.parts)}
    if contest and contest.dealer_id:
        known.add(contest.dealer_id)  # who may end it by a button, without a card
    for reader in readers:
        if reader is None:
            yield reader, PersonalView(None)
            continue
        stands = (_stands(part.round, part.scene, reader) for part in shown.parts if part.round)
        entered = next(filter(None, stands), "")
        name = reader if reader in known else NOBODY
        yield reader, PersonalView(name, entered, tried.get(reader, ()), sheets.get(reader))


def _state(shown: SharedView, own: PersonalView) -> dict[str, Any]:
    beside = shown.beside
    told = {
        "language": shown.language,
        "place": {"kind": _kind(shown.place), "title": ""},
        "day": build_daily_hand(shown.daily_hands, own.daily_status),
        "over": list_finished_days(own.daily_status),
        **_part(shown, own, beside),
        "beside": _part(beside, own, shown) if beside else None,
    }
    version = sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:24]
    return {"version": version, "now": shown.now, **told}


def _part(shown: SharedView, own: PersonalView, beside: SharedView | None) -> dict[str, Any]:
    """One round with all that is told of it; `beside` is what goes on, or went on, beside it."""
    reader, card = own.reader, _card(shown, own)
    open_beside = beside is not None and beside.round is not None and beside.round.state is State.OPEN
    challenge = round_details.find_challenge_for(shown.challenges, reader)
    return {
        "round": _round(shown, own),
        "card": card,
        "lines": list(shown.lines),
        "aside": round_details.render_duel_notice(
            shown.round, shown.scene, challenge, get_words(shown.language), reader
        ),
        "buttons": _offered(shown, own, card=card, deals=not open_beside),
        "people": round_details.list_participants(shown.round, shown.scene, get_words(shown.language), reader)
        if shown.round
        else [],
        "winner": round_details.describe_winner(shown.round, shown.scene, reader) if shown.round else None,
        "solution": round_details.format_missed_solution(shown.round) if shown.round else "",
    }


def _kind(place: Place) -> str:
    if place.watch_only:
        return "watch"
    return "private" if place.chat_id > 0 else "group"


def _round(shown: SharedView, own: PersonalView) -> dict[str, Any] | None:
    round = shown.round
    if round is None:
        return None
    tiles = GAMES[round.game].get_tiles(round.puzzle)
    states = {State.OPEN: "open", State.RUNNING: "running"}
    going_on = round.state in states
    stands = "" if round.kind is Kind.CONTEST else own.entered_value
    return {
        "id": round.id,
        "game": NAMES.get(round.game, round.game),
        "kind": round.kind.value,
        "state": states.get(round.state, "over"),
        "numbers": list(tiles.numbers) if tiles else [],
        "shown": list(tiles.labels) if tiles else [],
        "target": tiles.target if tiles else None,
        "every": bool(tiles and tiles.uses_all),
        "whole": bool(tiles and tiles.whole_numbers_only),
        "near": bool(tiles and tiles.accepts_near),
        **round_details.describe_hints(round, shown.language),
        "hurry": round_details.describe_shortened_deadline(round, shown.language),
        **round_details.describe_race(shown.scene, shown.language, own.reader),
        "deadline": _deadline(round) if going_on else None,
        "entered": bool(stands),
        "stands": stands,
        "best": "" if going_on else round_details.format_best_answer(round),
    }


def _deadline(round: Round) -> float | None:
    """When it ends. A deal's clock starts at its message's date, which is in whole seconds: until Telegram
    has told that, pages are told what it will most likely be, and need not be told twice.
    """
    posted = (round.message_id or 0) > 0
    return round.deadline if posted or round.deadline is None else float(floor(round.deadline))


def _stands(round: Round, around: Snapshot, reader: int) -> str:
    """What the answer makes that stands, of those that the reader has handed in; empty for none."""
    answer = around.practice_session.entry if around.practice_session else ""
    if round.kind is Kind.BEST:
        answer = next((entry.answer for entry in around.entries if entry.player_id == reader), "")
    return round_details.evaluate_answer(answer) if answer else ""


NAMES = {"24": "twentyfour"}  # What pages call a game that has another key in the database


def _card(shown: SharedView, own: PersonalView) -> dict[str, Any] | None:
    """The reader's own card in a contest, with what may be done now."""
    round, sheet = shown.round, own.sheet
    if round is None or sheet is None or round.game not in CONTEST_GAMES:
        return None
    game = CONTEST_GAMES[round.game]
    laid = game.build_layout(get_words(shown.language), round.puzzle, sheet.card)
    if laid is None:
        return None
    turn = game.count_turns_played(sheet.card)
    plays = round.state is State.RUNNING and turn < game.turn_count
    rows = [
        {
            "name": line.name,
            "score": line.score,
            "preview": line.preview if plays else None,
            "press": None
            if line.choice is None or not plays
            else f"{contest.TURN_BUTTON}:{round.id}:{turn}:{line.choice}",
        }
        for line in laid.lines
    ]
    totals = {"total": laid.total, "bonus": laid.bonus, "missing": laid.bonus_missing}
    dice = list(laid.dice) if plays else []
    return {"turn": turn, "turns": game.turn_count, "dice": dice, **totals, "rows": rows}


def _offered(
    shown: SharedView, own: PersonalView, *, card: Mapping[str, Any] | None, deals: bool
) -> list[list[dict[str, str]]]:
    """What the reader may press: a card or today's hand only where they have none yet, the end of a contest
    only where the button can bring it, a challenge where it is theirs. `deals`: no hand is on the table
    beside this.
    """
    reader, round = own.reader, shown.round
    if reader is None:
        return []
    may_end = card or (round is not None and reader == round.dealer_id)
    hidden = [
        data for data, hides in ((contest.PLAY_BUTTON, card), (contest.END_BUTTON, not may_end)) if hides
    ]
    not_for = tuple(
        f"{data}:" for data in (*hidden, *round_details.list_forbidden_press_prefixes(shown.scene, reader))
    )
    rows = [[dict(b) for b in row if not b["press"].startswith(not_for)] for row in shown.buttons]
    if challenge := round_details.find_challenge_for(shown.challenges, reader):
        answers = round_details.render_challenge_buttons(get_words(shown.language), challenge, reader)
        rows += [[_button(label, data) for label, data in row] for row in answers]
    if round is None or (round.kind is Kind.CONTEST and deals):
        rows.append([_button(get_words(shown.language).translate_plain("Deal a hand"), DEAL_PRESS)])
    if shown.place.chat_id == reader and not has_todays_hand(shown.daily_hands, own.daily_status):
        rows.append(
            [
                _button(
                    f"🗓 {get_words(shown.language).translate_plain('Solve today’s hand')}", SHOW_TODAY_PRESS
                )
            ]
        )
    return [row for row in rows if row]
