"""What a page shows of a place, as JSON: the hand on its table, who plays, what may be tapped.

Nothing that would give a hand away is in it before that is over: all of it comes from what the round's own
message says, from the numbers that were dealt, and from the reader's own card.
"""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import chain
from math import floor
from typing import Any

from bot.board import company, duels, hands, todays
from bot.board.rules import Place
from bot.board.selection import find_linked_round, select_rounds
from bot.board.todays import DailyHands, DailyStatus
from bot.database import Tx
from bot.i18n import insert_names, strip_tags, get_words
from bot.modes.contest import queries as contests
from bot.modes.contest import view as contest
from bot.modes.contest.rules import PlayerCard
from bot.players import queries as people
from bot.rounds.known import CONTEST_GAMES, GAMES
from bot.rounds.puzzle import Kind
from bot.rounds.receipts import load_snapshot
from bot.rounds.rules import Round, State, is_deadline_shortened, start_clock
from bot.rounds.scene import Snapshot
from bot.rounds.view import render_message
from bot.standings.leaderboard.view import mask_name
from bot.telegram.messages import WebApp, CopyText, Keyboard, Link

# How the data of buttons begins that do on a page what they do in the chat.
OFFERED_PREFIXES = ("h", "s", "x", "n", "e", "r", "dr", "pr", contest.PLAY_BUTTON, contest.END_BUTTON)
SHOW_TODAY_PRESS = "do:"  # The data of the button that shows today's hand, from which on somebody's time for it runs
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
    challenges: Sequence[duels.PendingChallenge] = ()
    identifiable: frozenset[int] = frozenset()  # Of whom a page may tell, so that their own say that it is they
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
    days = DailyHands() if place.watch_only else todays.load_daily_hands(tx, now)
    empty = SharedView(place, language, now, daily_hands=days, challenges=duels.load_pending_challenges(tx, place))
    first, second = (find_linked_round(tx, place), None) if place.watch_only else select_rounds(tx, place, now)
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
    told_of = company.find_identifiable_players(round, around)
    return replace(empty, round=round, scene=around, lines=lines, buttons=buttons, named=told_of)


def refresh_shared_view(tx: Tx, shown: SharedView, now: float) -> SharedView:
    """The same at `now`, with the hand of today: nothing may have changed at the place since."""
    hands = shown.daily_hands if shown.place.watch_only else todays.refresh_daily_hands(tx, shown.daily_hands, now)
    return replace(shown, now=now, days=hands)


def _as_seen(tx: Tx, place: Place, around: Snapshot) -> Snapshot:
    """The scene on a page: with all of a list, and without what only the chat needs."""
    names = around.names
    if place.watch_only:  # a link may lead anybody here
        names = company.number_equal_names(
            {who: mask_name(n) if people.is_name_masked(tx, who) else n for who, n in names.items()}
        )
    practice = around.practice_session
    if practice is not None and place.watch_only:
        practice = replace(practice, entry="")
    page = replace(around, heard=True, waiting=(), door="", board="", proven=False, most=EVERY_FIND)
    return replace(page, names=names, practice=practice, looks_on=place.watch_only)


def _without_clock(round: Round) -> Round:
    """The round as its message would be without the time left: the page has a clock of its own."""
    return round if is_deadline_shortened(round) else replace(round, deadline=None)


def _lines(round: Round, text: str) -> list[str]:
    """The lines of a message, without what a contest's deal is committed to: proofs are for the chat."""
    committed = set(map(strip_tags, contest.render_commitment(round))) if round.kind is Kind.CONTEST else set()
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
    entered_value: str = ""  # What the answer makes that the reader has handed in, and that stands; empty for none
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


def _owns(tx: Tx, shown: SharedView, readers: Collection[int | None]) -> Iterator[tuple[int | None, PersonalView]]:
    if shown.place.watch_only:
        yield from ((reader, PersonalView(None)) for reader in readers)
        return
    people = [reader for reader in readers if reader is not None]
    contest = next((part.round for part in shown.parts if part.round and part.round.game in CONTEST_GAMES), None)
    sheets = contests.load_cards_by_player(tx, contest, people) if contest else {}
    tried = todays.load_daily_status(tx, shown.daily_hands, people, shown.now)
    known = {shown.place.chat_id, *sheets, *duels.list_challenge_players(shown.challenges)}
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
        "day": todays.build_daily_hand(shown.daily_hands, own.daily_status),
        "over": todays.list_finished_days(own.daily_status),
        **_part(shown, own, beside),
        "beside": _part(beside, own, shown) if beside else None,
    }
    version = sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:24]
    return {"version": version, "now": shown.now, **told}


def _part(shown: SharedView, own: PersonalView, beside: SharedView | None) -> dict[str, Any]:
    """One round with all that is told of it; `beside` is what goes on, or went on, beside it."""
    reader, card = own.reader, _card(shown, own)
    open_beside = beside is not None and beside.round is not None and beside.round.state is State.OPEN
    challenge = duels.find_challenge_for(shown.challenges, reader)
    return {
        "round": _round(shown, own),
        "card": card,
        "lines": list(shown.lines),
        "aside": duels.render_duel_notice(shown.round, shown.scene, challenge, get_words(shown.language), reader),
        "buttons": _offered(shown, own, card=card, deals=not open_beside),
        "people": company.list_participants(shown.round, shown.scene, get_words(shown.language), reader)
        if shown.round
        else [],
        "winner": company.describe_winner(shown.round, shown.scene, reader) if shown.round else None,
        "solution": hands.format_missed_solution(shown.round) if shown.round else "",
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
        **hands.describe_hints(round, shown.language),
        "hurry": hands.describe_shortened_deadline(round, shown.language),
        **hands.describe_race(shown.scene, shown.language, own.reader),
        "deadline": _deadline(round) if going_on else None,
        "entered": bool(stands),
        "stands": stands,
        "best": "" if going_on else hands.format_best_answer(round),
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
    return company.evaluate_answer(answer) if answer else ""


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
    hidden = [data for data, hides in ((contest.PLAY_BUTTON, card), (contest.END_BUTTON, not may_end)) if hides]
    not_for = tuple(f"{data}:" for data in (*hidden, *duels.list_forbidden_press_prefixes(shown.scene, reader)))
    rows = [[dict(b) for b in row if not b["press"].startswith(not_for)] for row in shown.buttons]
    if challenge := duels.find_challenge_for(shown.challenges, reader):
        answers = duels.render_challenge_buttons(get_words(shown.language), challenge, reader)
        rows += [[_button(label, data) for label, data in row] for row in answers]
    if round is None or (round.kind is Kind.CONTEST and deals):
        rows.append([_button(get_words(shown.language).translate_plain("Deal a hand"), DEAL_PRESS)])
    if shown.place.chat_id == reader and not todays.has_todays_hand(shown.daily_hands, own.daily_status):
        rows.append([_button(f"🗓 {get_words(shown.language).translate_plain('Solve today’s hand')}", SHOW_TODAY_PRESS)])
    return [row for row in rows if row]
