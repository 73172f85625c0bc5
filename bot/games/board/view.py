"""What a page shows of a place, as JSON: the hand on its table, who plays, what may be tapped.

Nothing that would give a hand away is in it before that is over: all of it comes from what the round's own
message says, from the numbers that were dealt, and from the reader's own card.
"""

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

from bot.database import Tx
from bot.games.board import company, hands
from bot.games.board.rules import Place
from bot.games.contest import queries as contests
from bot.games.contest import view as contest
from bot.games.contest.rules import Sheet
from bot.games.daily import queries as days
from bot.games.daily.rules import day_of
from bot.games.known import CONTESTS, GAMES
from bot.games.puzzle import Kind, Tiles
from bot.games.rounds import queries as rounds
from bot.games.rounds.receipts import scene
from bot.games.rounds.rules import Round, State, is_hurried, starting
from bot.games.rounds.scene import Scene
from bot.games.rounds.view import living
from bot.i18n import named, plain, words
from bot.people import queries as people
from bot.people.leaderboard.view import masked
from bot.telegram.messages import App, Copy, Keyboard, Link

OFFERED = ("h", "s", "x", "n", "e", "r", "dr", "pr", contest.PLAY, contest.END)
"""How the data of buttons begins that do on a page what they do in the chat."""
TODAYS = "do:"
"""The data of the button that shows today's hand, from which on somebody's time for it runs."""
ENDED = 24 * 3600.0
"""Seconds for which a contest that is over stands on a table to which no message of it led."""
DEAL = "st:deal"
"""The data of the button that deals a hand where nothing else leads on."""
NOBODY = 0
"""No person's id."""
EVERY_LINE, EVERY_FIND = 400, 200
"""Lines of a message and people in it that a page has room for."""


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
    day: str = ""
    """What names the hand of the day …"""
    todays: Tiles | None = None
    """… and its numbers, once somebody was dealt it."""
    named: frozenset[int] = frozenset()
    """Of whom a page may tell, so that their own say that it is they."""


def shown(tx: Tx, place: Place, language: str, now: float) -> Shown:
    """What stands at a place at `now`, by Telegram's clock."""
    found, speech = _found(tx, place, now), words(language)
    day = day_of(now)
    todays = None if place.watches else _todays(tx, day)
    if found is None:
        return Shown(place, language, now, day=day, todays=todays)
    round, around = found
    around = _as_seen(tx, place, around)
    text, keyboard = living(_without_clock(round), speech, around)
    lines = _lines(round, plain(named(text, around.names)))
    buttons = [] if place.watches else _buttons(keyboard)
    told_of = company.named(round, around)
    return Shown(place, language, now, round, around, lines, buttons, day, todays, told_of)


def of_today(tx: Tx, shown: Shown, now: float) -> Shown:
    """The same at `now`, with the day's hand: somebody may be dealt it while nothing changes at the place."""
    day = day_of(now)
    if shown.place.watches or (shown.todays is not None and shown.day == day):
        return replace(shown, now=now)
    return replace(shown, now=now, day=day, todays=_todays(tx, day))


def _todays(tx: Tx, day: str) -> Tiles | None:
    hand = days.hand(tx, day)
    return GAMES[hand.game].tiles(hand.puzzle) if hand else None


def _found(tx: Tx, place: Place, now: float) -> tuple[Round, Scene] | None:
    """The round that stands there, with what its message shows."""
    standing = _watched(tx, place) if place.watches else _standing(tx, place, now)
    found = None if standing is None else scene(tx, standing.id, now)
    if found is None:
        return None
    round, around = found
    fresh = round.message_id is None and not round.seen
    return (starting(round, now) if fresh else round), around


def _watched(tx: Tx, place: Place) -> Round | None:
    found = rounds.by_id(tx, place.round_id)
    return found if found is not None and found.chat_id == place.chat_id else None


def _standing(tx: Tx, place: Place, now: float) -> Round | None:
    """A contest whose message led here while it runs, the hand on the table, any contest that runs, and else
    what was there last.
    """
    table = place.chat_id, place.topic
    linked = _watched(tx, place) if place.round_id else None
    led = linked if linked is not None and linked.kind is Kind.CONTEST else None
    if led is not None and led.state is State.RUNNING:
        return led
    live = rounds.live(tx, *table) or contests.running_here(tx, *table)
    if live is not None:
        return live
    ended = contests.ended_here(tx, *table, now - ENDED)
    last = [each for each in (led, ended, rounds.latest(tx, *table)) if each is not None]
    return max(last, key=lambda each: each.closed or 0.0, default=None)


def _as_seen(tx: Tx, place: Place, around: Scene) -> Scene:
    """The scene on a page: with all of a list, and without what only the chat needs."""
    names = around.names
    if place.watches:  # a link may lead anybody here
        names = _apart({who: masked(n) if people.is_masked(tx, who) else n for who, n in names.items()})
    practice = around.practice
    if practice is not None and place.watches:
        practice = replace(practice, entry="")
    page = replace(around, heard=True, waiting=(), door="", board="", proven=False, most=EVERY_FIND)
    return replace(page, names=names, practice=practice, looks_on=place.watches)


def _apart(names: Mapping[int, str]) -> dict[int, str]:
    """The names, with a number behind each that several share, which says nothing but that they differ."""
    shared, told = Counter(names.values()), dict(names)
    counted = Counter[str]()
    for who in sorted(names):
        name = names[who]
        if shared[name] > 1:
            counted[name] += 1
            told[who] = f"{name} {counted[name]}"
    return told


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

    reader: int | None
    """None for whoever only watches, and `NOBODY` for a person of whom nothing is told."""
    entered: bool = False
    """Whether something stands that the reader has handed in."""
    day: bool | None = None
    """Whether the reader is done with today's hand; None where their time for it does not run yet."""
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
    people, round = [reader for reader in readers if reader is not None], shown.round
    sheets = contests.sheets_among(tx, round, people) if round and round.game in CONTESTS else {}
    done = _done(tx, shown, people)
    known = {shown.place.chat_id, *sheets, *shown.named}
    for reader in readers:
        if reader is None:
            yield reader, Own(None)
            continue
        entered = round is not None and _has_entered(round, shown.scene, reader)
        name = reader if reader in known else NOBODY
        yield reader, Own(name, entered, done.get(reader), sheets.get(reader))


def _done(tx: Tx, shown: Shown, people: Collection[int]) -> dict[int, bool]:
    """Whether each is done with today's hand, of those whose time for it runs."""
    tried = {} if shown.todays is None else days.attempts_among(tx, shown.day, people)
    return {who: attempt.is_over for who, attempt in tried.items()}


def _state(shown: Shown, own: Own) -> dict[str, Any]:
    reader, card, today = own.reader, _card(shown, own), _day(shown, own)
    told = {
        "language": shown.language,
        "place": {"kind": _kind(shown.place), "title": ""},
        "round": _round(shown, own),
        "card": card,
        "day": today,
        "lines": list(shown.lines),
        "buttons": _offered(shown, reader, card=card, today=today),
        "people": company.people(shown.round, shown.scene, reader) if shown.round else [],
        "winner": company.winner(shown.round, shown.scene, reader) if shown.round else None,
        "solution": hands.solution(shown.round) if shown.round else "",
    }
    version = sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:24]
    return {"version": version, "now": shown.now, **told}


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
        "opened": round.opened,
        "deadline": round.deadline if going_on else None,
        "entered": own.entered,
        "best": "" if going_on else hands.best(round),
    }


def _has_entered(round: Round, around: Scene, reader: int) -> bool:
    """Whether something stands that the reader has handed in."""
    if around.practice is not None:
        return bool(around.practice.entry)
    return round.kind is Kind.BEST and any(entry.player_id == reader for entry in around.entries)


NAMES = {"24": "twentyfour"}
"""What pages call a game that has another key in the database."""


def _card(shown: Shown, own: Own) -> dict[str, Any] | None:
    """The reader's own card in a contest, with what may be done now."""
    round, sheet = shown.round, own.sheet
    if round is None or sheet is None:
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


def _day(shown: Shown, own: Own) -> dict[str, Any] | None:
    """Today's hand, once the reader's time for it runs: whoever sees it before that would gain time."""
    tiles = shown.todays
    if own.day is None or tiles is None:
        return None
    numbers = {"numbers": list(tiles.numbers), "shown": list(tiles.shown), "target": tiles.target}
    rules = {"every": tiles.every, "whole": tiles.whole, "near": tiles.near}
    return {"day": shown.day, **numbers, **rules, "done": own.day}


def _offered(
    shown: Shown, reader: int | None, *, card: Mapping[str, Any] | None, today: Mapping[str, Any] | None
) -> list[list[dict[str, str]]]:
    """What the reader may press: a card or today's hand only where they have none yet."""
    if reader is None:
        return []
    taken = f"{contest.PLAY}:" if card else ""
    rows = [[dict(b) for b in row if not (taken and b["press"].startswith(taken))] for row in shown.buttons]
    round = shown.round
    if round is None or (round.kind is Kind.CONTEST and round.state is not State.RUNNING):
        rows.append([_button(words(shown.language).plain("Deal a hand"), DEAL)])
    if shown.place.chat_id == reader and today is None:
        rows.append([_button(f"🗓 {words(shown.language).plain('Solve today’s hand')}", TODAYS)])
    return [row for row in rows if row]
