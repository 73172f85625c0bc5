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
from bot.board.todays import Days, Tried
from bot.database import Tx
from bot.i18n import named, plain, words
from bot.modes.contest import queries as contests
from bot.modes.contest import view as contest
from bot.modes.contest.rules import Sheet
from bot.players import queries as people
from bot.rounds.known import CONTESTS, GAMES
from bot.rounds.puzzle import Kind
from bot.rounds.receipts import scene
from bot.rounds.rules import Round, State, is_hurried, starting
from bot.rounds.scene import Scene
from bot.rounds.view import living
from bot.standings.leaderboard.view import masked
from bot.telegram.messages import App, Copy, Keyboard, Link

# How the data of buttons begins that do on a page what they do in the chat.
OFFERED = ("h", "s", "x", "n", "e", "r", "dr", "pr", contest.PLAY, contest.END)
TODAYS = "do:"  # The data of the button that shows today's hand, from which on somebody's time for it runs
DEAL = "st:deal"  # The data of the button that deals a hand where nothing else leads on
NOBODY = 0  # No person's id
EVERY_LINE, EVERY_FIND = 400, 200  # Lines of a message and people in it that a page has room for


@dataclass(frozen=True, slots=True)
class Shown:
    """All that is the same for every reader of a language."""

    place: Place
    language: str
    now: float
    round: Round | None = None
    scene: Scene = field(default_factory=Scene)
    lines: Sequence[str] = ()
    buttons: Sequence[Sequence[Mapping[str, str]]] = ()
    days: Days = field(default_factory=Days)
    challenges: Sequence[duels.Challenge] = ()
    named: frozenset[int] = frozenset()  # Of whom a page may tell, so that their own say that it is they
    # The hand that was played while that contest ran, or the contest that ran while that hand was played.
    beside: "Shown | None" = None

    @property
    def parts(self) -> Iterator["Shown"]:
        """Both."""
        yield self
        if self.beside:
            yield self.beside


def shown(tx: Tx, place: Place, language: str, now: float) -> Shown:
    """What stands at a place at `now`, by Telegram's clock."""
    days = Days() if place.watches else todays.standing(tx, now)
    empty = Shown(place, language, now, days=days, challenges=duels.waiting(tx, place))
    first, second = (find_linked_round(tx, place), None) if place.watches else select_rounds(tx, place, now)
    beside = _laid(tx, empty, second)
    return replace(_laid(tx, empty, first), beside=beside if beside.round else None)


def _laid(tx: Tx, empty: Shown, there: Round | None) -> Shown:
    """The page with that round on it, where it can be read."""
    place, now, speech = empty.place, empty.now, words(empty.language)
    found = None if there is None else scene(tx, there.id, now)
    if found is None:
        return empty
    round, around = found
    if round.message_id is None and not round.seen:
        round = starting(round, now)
    around = _as_seen(tx, place, around)
    text, keyboard = living(_without_clock(round), speech, around)
    lines = _lines(round, plain(named(text, around.names)))
    buttons = [] if place.watches else _buttons(keyboard)
    told_of = company.named(round, around)
    return replace(empty, round=round, scene=around, lines=lines, buttons=buttons, named=told_of)


def of_today(tx: Tx, shown: Shown, now: float) -> Shown:
    """The same at `now`, with the hand of today: nothing may have changed at the place since."""
    hands = shown.days if shown.place.watches else todays.renewed(tx, shown.days, now)
    return replace(shown, now=now, days=hands)


def _as_seen(tx: Tx, place: Place, around: Scene) -> Scene:
    """The scene on a page: with all of a list, and without what only the chat needs."""
    names = around.names
    if place.watches:  # a link may lead anybody here
        names = company.apart(
            {who: masked(n) if people.is_masked(tx, who) else n for who, n in names.items()}
        )
    practice = around.practice
    if practice is not None and place.watches:
        practice = replace(practice, entry="")
    page = replace(around, heard=True, waiting=(), door="", board="", proven=False, most=EVERY_FIND)
    return replace(page, names=names, practice=practice, looks_on=place.watches)


def _without_clock(round: Round) -> Round:
    """The round as its message would be without the time left: the page has a clock of its own."""
    return round if is_hurried(round) else replace(round, deadline=None)


def _lines(round: Round, text: str) -> list[str]:
    """The lines of a message, without what a contest's deal is committed to: proofs are for the chat."""
    committed = set(map(plain, contest.committed(round))) if round.kind is Kind.CONTEST else set()
    return [line for line in text.split("\n") if line.strip() and line not in committed][:EVERY_LINE]


def _buttons(keyboard: Keyboard) -> list[list[dict[str, str]]]:
    rows = [[_button(label, data) for label, data in row if _is_offered(data)] for row in keyboard]
    return [row for row in rows if row]


def _button(label: str, data: str) -> dict[str, str]:
    return {"label": label, "press": data}


def _is_offered(data: str) -> bool:
    return not isinstance(data, Link | App | Copy) and data.partition(":")[0] in OFFERED


# For each reader


@dataclass(frozen=True, slots=True)
class Own:
    """All in which one reader's page can differ from another's: where it is equal, so are the pages."""

    reader: int | None  # None for whoever only watches, and `NOBODY` for a person of whom nothing is told
    entered: str = ""  # What the answer makes that the reader has handed in, and that stands; empty for none
    tried: Tried = ()  # How the reader stands with the hands of the day
    sheet: Sheet | None = field(default=None, hash=False)


def state(tx: Tx, shown: Shown, player_id: int | None) -> dict[str, Any]:
    """All that one reader's page shows; `player_id` is None for whoever only watches."""
    ((_, found),) = states(tx, shown, [player_id])
    return found


def states(
    tx: Tx, shown: Shown, readers: Collection[int | None]
) -> list[tuple[list[int | None], dict[str, Any]]]:
    """What the pages of these readers show, with those who are shown the same together."""
    alike = dict[Own, list[int | None]]()
    for reader, own in _owns(tx, shown, readers):
        alike.setdefault(own, []).append(reader)
    return [(who, _state(shown, own)) for own, who in alike.items()]


def _owns(tx: Tx, shown: Shown, readers: Collection[int | None]) -> Iterator[tuple[int | None, Own]]:
    if shown.place.watches:
        yield from ((reader, Own(None)) for reader in readers)
        return
    people = [reader for reader in readers if reader is not None]
    contest = next((part.round for part in shown.parts if part.round and part.round.game in CONTESTS), None)
    sheets = contests.sheets_among(tx, contest, people) if contest else {}
    tried = todays.tried(tx, shown.days, people, shown.now)
    known = {shown.place.chat_id, *sheets, *duels.parties(shown.challenges)}
    known |= {*chain.from_iterable(part.named for part in shown.parts)}
    if contest and contest.dealer_id:
        known.add(contest.dealer_id)  # who may end it by a button, without a card
    for reader in readers:
        if reader is None:
            yield reader, Own(None)
            continue
        stands = (_stands(part.round, part.scene, reader) for part in shown.parts if part.round)
        entered = next(filter(None, stands), "")
        name = reader if reader in known else NOBODY
        yield reader, Own(name, entered, tried.get(reader, ()), sheets.get(reader))


def _state(shown: Shown, own: Own) -> dict[str, Any]:
    beside = shown.beside
    told = {
        "language": shown.language,
        "place": {"kind": _kind(shown.place), "title": ""},
        "day": todays.laid(shown.days, own.tried),
        "over": todays.done(own.tried),
        **_part(shown, own, beside),
        "beside": _part(beside, own, shown) if beside else None,
    }
    version = sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:24]
    return {"version": version, "now": shown.now, **told}


def _part(shown: Shown, own: Own, beside: Shown | None) -> dict[str, Any]:
    """One round with all that is told of it; `beside` is what goes on, or went on, beside it."""
    reader, card = own.reader, _card(shown, own)
    open_beside = beside is not None and beside.round is not None and beside.round.state is State.OPEN
    challenge = duels.concerning(shown.challenges, reader)
    return {
        "round": _round(shown, own),
        "card": card,
        "lines": list(shown.lines),
        "aside": duels.aside(shown.round, shown.scene, challenge, words(shown.language), reader),
        "buttons": _offered(shown, own, card=card, deals=not open_beside),
        "people": company.people(shown.round, shown.scene, words(shown.language), reader)
        if shown.round
        else [],
        "winner": company.winner(shown.round, shown.scene, reader) if shown.round else None,
        "solution": hands.solution(shown.round) if shown.round else "",
    }


def _kind(place: Place) -> str:
    if place.watches:
        return "watch"
    return "private" if place.chat_id > 0 else "group"


def _round(shown: Shown, own: Own) -> dict[str, Any] | None:
    round = shown.round
    if round is None:
        return None
    tiles = GAMES[round.game].tiles(round.puzzle)
    states = {State.OPEN: "open", State.RUNNING: "running"}
    going_on = round.state in states
    stands = "" if round.kind is Kind.CONTEST else own.entered
    return {
        "id": round.id,
        "game": NAMES.get(round.game, round.game),
        "kind": round.kind.value,
        "state": states.get(round.state, "over"),
        "numbers": list(tiles.numbers) if tiles else [],
        "shown": list(tiles.shown) if tiles else [],
        "target": tiles.target if tiles else None,
        "every": bool(tiles and tiles.every),
        "whole": bool(tiles and tiles.whole),
        "near": bool(tiles and tiles.near),
        **hands.hints(round, shown.language),
        "hurry": hands.hurry(round, shown.language),
        **hands.in_race(shown.scene, shown.language, own.reader),
        "deadline": _deadline(round) if going_on else None,
        "entered": bool(stands),
        "stands": stands,
        "best": "" if going_on else hands.best(round),
    }


def _deadline(round: Round) -> float | None:
    """When it ends. A deal's clock starts at its message's date, which is in whole seconds: until Telegram
    has told that, pages are told what it will most likely be, and need not be told twice.
    """
    posted = (round.message_id or 0) > 0
    return round.deadline if posted or round.deadline is None else float(floor(round.deadline))


def _stands(round: Round, around: Scene, reader: int) -> str:
    """What the answer makes that stands, of those that the reader has handed in; empty for none."""
    answer = around.practice.entry if around.practice else ""
    if round.kind is Kind.BEST:
        answer = next((entry.answer for entry in around.entries if entry.player_id == reader), "")
    return company.value(answer) if answer else ""


NAMES = {"24": "twentyfour"}  # What pages call a game that has another key in the database


def _card(shown: Shown, own: Own) -> dict[str, Any] | None:
    """The reader's own card in a contest, with what may be done now."""
    round, sheet = shown.round, own.sheet
    if round is None or sheet is None or round.game not in CONTESTS:
        return None
    game = CONTESTS[round.game]
    laid = game.layout(words(shown.language), round.puzzle, sheet.card)
    if laid is None:
        return None
    turn = game.done(sheet.card)
    plays = round.state is State.RUNNING and turn < game.turns
    rows = [
        {
            "name": line.name,
            "score": line.score,
            "preview": line.preview if plays else None,
            "press": None
            if line.choice is None or not plays
            else f"{contest.PUT}:{round.id}:{turn}:{line.choice}",
        }
        for line in laid.lines
    ]
    totals = {"total": laid.total, "bonus": laid.bonus, "missing": laid.missing}
    dice = list(laid.dice) if plays else []
    return {"turn": turn, "turns": game.turns, "dice": dice, **totals, "rows": rows}


def _offered(
    shown: Shown, own: Own, *, card: Mapping[str, Any] | None, deals: bool
) -> list[list[dict[str, str]]]:
    """What the reader may press: a card or today's hand only where they have none yet, the end of a contest
    only where the button can bring it, a challenge where it is theirs. `deals`: no hand is on the table
    beside this.
    """
    reader, round = own.reader, shown.round
    if reader is None:
        return []
    may_end = card or (round is not None and reader == round.dealer_id)
    hidden = [data for data, hides in ((contest.PLAY, card), (contest.END, not may_end)) if hides]
    not_for = tuple(f"{data}:" for data in (*hidden, *duels.barred(shown.scene, reader)))
    rows = [[dict(b) for b in row if not b["press"].startswith(not_for)] for row in shown.buttons]
    if challenge := duels.concerning(shown.challenges, reader):
        answers = duels.answers(words(shown.language), challenge, reader)
        rows += [[_button(label, data) for label, data in row] for row in answers]
    if round is None or (round.kind is Kind.CONTEST and deals):
        rows.append([_button(words(shown.language).plain("Deal a hand"), DEAL)])
    if shown.place.chat_id == reader and not todays.is_dealt(shown.days, own.tried):
        rows.append([_button(f"🗓 {words(shown.language).plain('Solve today’s hand')}", TODAYS)])
    return [row for row in rows if row]
