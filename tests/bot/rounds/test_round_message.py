"""Choice of a round's picture."""

from dataclasses import replace

from bot.i18n import get_words
from bot.modes.duel.rules import Duel, DuelState
from bot.modes.duel.view import DuelStandings
from bot.modes.race.rules import Race
from bot.modes.race.view import RaceHand, RaceStandings
from bot.pictures import values
from bot.pictures.picture_key import compute_picture_key, shows_names
from bot.players.preferences import Pictures
from bot.rounds.puzzle import Kind
from bot.rounds.round_message import choose_picture
from bot.rounds.rules import Round, State
from bot.rounds.view import Snapshot
from tests.sample_rounds import make_round
from tests.stories.clock import NOON

OPEN = make_round()
WON = replace(OPEN, state=State.WON, winner_id=1, answer="8/(3-8/3)", closed=NOON + 9)
NAMES = {1: "Ann", 2: "Bob"}
ALL, CARDS = (
    Snapshot(names=NAMES, points=5, pictures=Pictures.ALL),
    Snapshot(names=NAMES, pictures=Pictures.CARDS),
)
ENGLISH = get_words("en")
RACE = Race(3, 1, 3, hands_played=3, is_open=False)


def choose(round: Round, scene: Snapshot) -> values.Picture | None:
    return choose_picture(round, ENGLISH, scene)


def test_open_hand_shows_deal_picture() -> None:
    for scene in (ALL, CARDS, replace(ALL, pictures=Pictures.OFF)):
        found = choose(OPEN, scene)
        assert isinstance(found, values.HandPicture)
        assert not shows_names(found)


def test_won_hand_shows_solution_picture() -> None:
    found = choose(WON, ALL)
    assert isinstance(found, values.SolutionPicture)
    assert (found.name, found.earned) == ("Ann", "+5 points")
    assert shows_names(found)
    assert isinstance(choose(WON, CARDS), values.HandPicture)


def test_unsolved_hand_keeps_deal_picture() -> None:
    for over in (State.EXPIRED, State.SKIPPED):
        assert isinstance(choose(replace(OPEN, state=over), ALL), values.HandPicture)
    assert isinstance(choose(replace(WON, kind=Kind.ALL), ALL), values.HandPicture)


def test_contest_has_no_picture() -> None:
    assert choose(replace(OPEN, kind=Kind.CONTEST), ALL) is None


def test_same_hand_has_same_picture() -> None:
    names = {
        compute_picture_key(found, "en")
        for n in range(3)
        if (found := choose(replace(OPEN, id=n, chat_id=-n), ALL))
    }
    assert len(names) == 1


def test_ended_race_shows_table_picture() -> None:
    scene = replace(ALL, frame=RaceStandings(RACE, [RaceHand(WON, {1: 4, 2: 9})]))
    found = choose(WON, scene)
    assert isinstance(found, values.RankingPicture)
    assert [(line.rank, line.name, line.points) for line in found.lines] == [(1, "Bob", 9), (2, "Ann", 4)]
    assert isinstance(choose(WON, replace(ALL, frame=RaceStandings(RACE, []))), values.HandPicture)


def test_ended_duel_shows_score_picture() -> None:
    duel = Duel(5, -7, 0, 1, 2, "24", NOON, state=DuelState.GIVEN_UP, winner_id=2)
    legs = [RaceHand(WON, {1: 3}), RaceHand(WON, {2: 3}), RaceHand(WON, {}), RaceHand(WON, {1: 2, 2: 2})]
    standings = DuelStandings(RACE, legs, duel=duel)
    found = choose(WON, replace(ALL, frame=standings))
    assert found == values.DuelPicture("Given up", ("Ann", "Bob"), (2, 2), [(0,), (1,), (), (0, 1)], 1)
