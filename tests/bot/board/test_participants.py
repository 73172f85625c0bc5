"""Participants and winners of a round on a page."""

from dataclasses import replace

from bot.board import view
from bot.board.page_state import NearestWinner, WinnerView
from bot.i18n import get_words
from bot.modes.duel.rules import Duel, DuelState
from bot.modes.duel.view import DuelStandings
from bot.modes.race.rules import Race
from bot.modes.race.view import RaceHand, RaceStandings
from bot.rounds.puzzle import Entry, Find, Kind
from bot.rounds.rules import Round, State
from bot.rounds.view import Snapshot
from tests.sample_rounds import make_round
from tests.stories.clock import NOON

ANN, BOB, CEM = 1, 2, 3
NAMES = {ANN: "Ann", BOB: "Bob"}
RACE = Race(4, ANN, 3, hands_played=1)


def describe_participants(
    round_scene: Snapshot, mistaken: tuple[int, ...] = (), present: tuple[int, ...] = (), **of: object
) -> list[tuple[str, int | None, str]]:
    round = replace(make_round(), **of)  # type: ignore[arg-type]
    found = view.list_participants(round, round_scene, get_words("en"), mistaken, present)
    return [(p.name, p.points, p.activity) for p in found]


def find_winner(round: Round, round_scene: Snapshot, reader: int | None) -> WinnerView | None:
    return view.choose_winner(list(view.list_winners(round, round_scene, get_words("en"))), reader)


def test_participants_are_ordered_by_points() -> None:
    finds = [Find(ANN, "4*6", "4*6", 2), Find(BOB, "3*8", "3*8", 1), Find(BOB, "2*12", "2*12", 2)]
    around = Snapshot(names=NAMES, finds=finds)
    assert describe_participants(around, (CEM,), kind=Kind.ALL) == [
        ("Bob", 3, "solved it"),
        ("Ann", 2, "solved it"),
        ("•", None, "tried"),
    ]


def test_those_with_an_open_page_are_thinking_until_the_end() -> None:
    around = Snapshot(names=NAMES)
    assert describe_participants(around, (BOB,), (ANN, BOB)) == [
        ("Bob", None, "tried"),
        ("Ann", None, "thinking"),
    ]
    assert describe_participants(around, (BOB,), (ANN, BOB), state=State.SKIPPED) == [("Bob", None, "tried")]


def test_activity_is_described_in_the_readers_language() -> None:
    def describe(language: str, kind: Kind) -> object:
        around = Snapshot(names=NAMES, entries=[Entry(ANN, "100*2", 0.0)])
        round = replace(make_round(), kind=kind)
        return next(view.list_participants(round, around, get_words(language))).activity

    assert describe("en", Kind.BEST) == "handed in"
    assert describe("es", Kind.BEST) == "respuesta entregada"
    assert describe("ru", Kind.BEST) == "ответ отправлен"
    assert describe("zh_Hans", Kind.FIRST) == "已解出"


def test_race_points_count_for_participants_and_winner() -> None:
    hands = [RaceHand(make_round(), points) for points in ({BOB: 4}, {ANN: 5})]
    around = Snapshot(names=NAMES, frame=RaceStandings(RACE, hands))
    assert describe_participants(around, race_id=4) == [("Ann", 5, "thinking"), ("Bob", 4, "thinking")]
    over = replace(around, frame=RaceStandings(replace(RACE, is_open=False), hands))
    result = find_winner(replace(make_round(), state=State.WON, winner_id=BOB, answer="x"), over, ANN)
    assert result == WinnerView(ANN, "Ann")


def test_drawn_race_has_no_winner() -> None:
    over = RaceStandings(replace(RACE, is_open=False), [RaceHand(make_round(), {BOB: 7, ANN: 7})])
    round, around = replace(make_round(), state=State.EXPIRED), Snapshot(names=NAMES, frame=over)
    assert [find_winner(round, around, reader) for reader in (ANN, BOB, None)] == [None] * 3


def test_shared_win_names_the_reader() -> None:
    near = replace(make_round(), game="countdown", kind=Kind.BEST, state=State.OVER)
    finds = [Find(BOB, "100*2", "200", 3), Find(ANN, "4*50", "200", 3), Find(CEM, "199", "199", 1)]
    result = [find_winner(near, Snapshot(names=NAMES, finds=finds), reader) for reader in (ANN, BOB, CEM)]
    anns = NearestWinner(ANN, "Ann", "4*50", "+3 points", "200")
    bobs = NearestWinner(BOB, "Bob", "100*2", "+3 points", "200")
    assert result == [anns, bobs, anns]


def test_duel_lists_both_players_by_hands_won() -> None:
    duel = Duel(1, -7, 0, ANN, BOB, "24", NOON, state=DuelState.OPEN, race_id=4)
    around = Snapshot(names=NAMES, frame=DuelStandings(RACE, [RaceHand(make_round(), {ANN: 5})], duel=duel))
    assert describe_participants(around, (), (CEM,), race_id=4) == [
        ("Ann", 1, "thinking"),
        ("Bob", None, "thinking"),
    ]
    drawn = DuelStandings(replace(RACE, is_open=False), [], duel=replace(duel, state=DuelState.DRAWN))
    assert find_winner(replace(make_round(), state=State.EXPIRED), replace(around, frame=drawn), ANN) is None


def test_forgotten_players_are_left_out() -> None:
    won = replace(make_round(), state=State.WON, winner_id=0, answer="8/(3-8/3)")
    assert find_winner(won, Snapshot(), ANN) is None
    around = Snapshot(finds=[Find(0, "x", "")])
    assert not list(view.list_participants(won, around, get_words("en")))


def test_nearest_answer_has_its_value() -> None:
    near = replace(make_round(), game="countdown", kind=Kind.BEST, state=State.OVER)
    around = Snapshot(names=NAMES, finds=[Find(BOB, "(1+1)*100-3", "197", 3)])
    result = find_winner(near, around, ANN)
    assert result == NearestWinner(BOB, "Bob", "(1+1)*100-3", "+3 points", "197")
