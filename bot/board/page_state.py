"""The state of one reader's page, and the JSON that the page gets, with the same names.

What all readers share is one object in all their states: only the encoder decides whom a page calls `you`.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from enum import StrEnum
from functools import partial
from typing import Any

from bot.pictures.values import Node
from bot.rounds.puzzle import Kind, Tiles

NOBODY = 0  # no player: aliases of deleted players are below, players above


@dataclass(frozen=True, slots=True)
class Button:
    label: str
    press: str  # the data that a press sends


class Status(StrEnum):
    """A player's progress in a round."""

    THINKING = "thinking"  # plays, and has sent nothing yet
    TRIED = "tried"  # has sent a wrong answer
    DONE = "done"  # has solved it, or handed something in
    NONE = ""  # has only points, of a race that is over


@dataclass(frozen=True, slots=True)
class Participant:
    player_id: int
    name: str
    points: int | None
    status: Status
    activity: str  # the status in words


@dataclass(frozen=True, slots=True)
class WinnerView:
    player_id: int
    name: str
    answer: str = ""  # of a contest its total; empty if no single answer won
    earned: str = ""  # such as `+5 points`; empty if the round gives no points of its own


@dataclass(frozen=True, slots=True)
class NearestWinner(WinnerView):
    """The winner of a round in which the nearest answer wins."""

    value: str = ""  # of the answer


@dataclass(frozen=True, slots=True)
class HandResult:
    """The end of one hand of a race, with the player who solved it or with a text that it is unsolved."""

    answer: str  # the right answer, or a solution
    player_id: int = NOBODY
    name: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class RunView:
    """The place of a hand in a storm or streak, and the hands that follow it."""

    id: int
    number: int  # of the hand, from 1
    ahead: tuple[Tiles, ...]  # of the next hands, for a page that does not wait for the bot


NO_TILES = Tiles((), (), target="", uses_all=False)  # of a game without tiles to tap


@dataclass(frozen=True, slots=True)
class RoundView:
    id: int
    game: str  # its title; empty for the game whose name the page itself has
    kind: Kind
    state: str  # open, running (of a contest) or over
    tiles: Tiles = NO_TILES
    about: str = ""  # of an open round: its level and points, or how many of its ideas were found
    hints: tuple[str, ...] = ()  # so far, of an open round
    worth: str = ""  # such as `now worth 2 points`, of an open round
    is_hint_costly: bool = False  # whether the next hint takes a point away
    hurry: str = ""  # why the time was shortened
    race_hand: str = ""  # such as `Hand 2 of 5`, of a lesson or of a race or duel that goes on; else empty
    race_end: str = ""  # the result of a race or duel that is over, as told to the reader
    run: RunView | None = None
    last_result: HandResult | None = None  # of a race or duel; None before its first hand is over
    deadline: float | None = None  # in seconds since 1970
    entry_value: str = ""  # what the reader's own entry makes; empty without one
    best_solution: str = ""  # once the round is over, where the nearest answer wins


@dataclass(frozen=True, slots=True)
class CardRow:
    name: str  # of the category
    score: int | None  # None while it is open
    preview: int | None  # what the present roll scores there; None if nothing can be put there
    press: str | None  # what a tap on it sends; None if nothing can be put there


@dataclass(frozen=True, slots=True)
class CardView:
    """The reader's own card in a contest."""

    turn: int  # how many rolls were put
    turns: int  # how many there are
    dice: tuple[int, ...]  # of the present roll; empty once nothing can be put
    total: int
    bonus: int
    missing: int  # points that lack for the bonus
    rows: tuple[CardRow, ...]


@dataclass(frozen=True, slots=True)
class DailyHandView:
    day: str  # the date
    tiles: Tiles
    is_done: bool  # whether the reader has solved it or given it up
    began: float  # when the reader's time began, in seconds since 1970
    answer: str = ""  # the reader's own, or a solution of a hand that was given up; empty while it is open
    is_solved: bool = False
    result: tuple[str, ...] = ()  # the reader's time and streak, or how it ended; empty while it is open
    share: str = ""  # the address that shares the result in Telegram; empty if it was not solved
    tree: Node | None = None  # of the answer


@dataclass(frozen=True, slots=True)
class Part:
    """One round with its people and buttons; a page may show two of them, a hand and a contest."""

    round: RoundView | None = None
    card: CardView | None = None
    notice: str = ""  # of a duel of others, a challenge or a lesson; empty without
    buttons: tuple[tuple[Button, ...], ...] = ()
    people: tuple[Participant, ...] = ()
    winner: WinnerView | None = None
    solution: str = ""  # of a hand that nobody solved; else empty
    tree: Node | None = None  # of the winner's answer, else of the solution; None while the round goes on

    @property
    def presses(self) -> Iterator[str]:
        """The data of all buttons and of the categories that can be chosen."""
        for buttons in self.buttons:
            for button in buttons:
                yield button.press
        if self.card:
            for row in self.card.rows:
                if row.press:
                    yield row.press


@dataclass(frozen=True, slots=True)
class GameTab:
    game: str  # its title, as in `RoundView`
    press: str | None  # the data that deals it; None while that can't be


@dataclass(frozen=True, slots=True)
class PlaceView:
    kind: str  # private, group, class for the pupils of one, or watch for spectators
    title: str  # of the group, or a pupil's name; empty in private, for spectators and if unknown


@dataclass(frozen=True, slots=True)
class PageState:
    """All that one reader's page shows; equal whenever nothing but the time has changed."""

    # Telegram's time, in seconds since 1970, by which the page sets its clock
    now: float = field(compare=False)
    language: str  # a language tag, of all texts here
    place: PlaceView
    reader_id: int | None  # not in the JSON; None for spectators
    day: DailyHandView | None  # None until it is dealt
    finished_days: tuple[str, ...]  # the dates whose hands the reader is done with
    main: Part
    beside: Part | None = None  # a second round
    games: tuple[GameTab, ...] = ()  # none for spectators

    @property
    def parts(self) -> tuple[Part, ...]:
        return (self.main, self.beside) if self.beside else (self.main,)

    @property
    def presses(self) -> Iterator[str]:
        """The data of everything that can be pressed."""
        for part in self.parts:
            yield from part.presses
        for tab in self.games:
            if tab.press:
                yield tab.press


def encode_state(state: PageState) -> bytes:
    encode_value = partial(_list_values, reader_id=state.reader_id)
    return json.dumps(state, ensure_ascii=False, default=encode_value).encode()


INLINED = ("main", "tiles")  # fields whose values stand among those of the object that holds them


def _list_values(value: Any, reader_id: int | None) -> dict[str, Any]:
    """Return a dataclass's values by name, with `you`, whether that is the reader, for a player's id."""
    values = {each.name: getattr(value, each.name) for each in fields(value)}
    values.pop("reader_id", None)
    if "player_id" in values:
        values["you"] = values.pop("player_id") == reader_id
    for name in INLINED:
        if name in values:
            values |= _list_values(values.pop(name), reader_id)
    return values
