"""Which picture a round's message shows."""

from dataclasses import replace

from bot.admin.settings.rules import Pictures
from bot.i18n import words
from bot.modes.duel.rules import Duel, Progress
from bot.modes.race.rules import Race
from bot.modes.race.view import Leg, Standings
from bot.pictures import values
from bot.pictures.content import content, names_people
from bot.rounds.pictures import picture
from bot.rounds.puzzle import Kind
from bot.rounds.rules import Round, State
from bot.rounds.scene import Scene
from tests.hands import deal
from tests.stories.hours import NOON

OPEN = deal()
WON = replace(OPEN, state=State.WON, winner_id=1, answer="8/(3-8/3)", closed=NOON + 9)
NAMES = {1: "Ann", 2: "Bob"}
ALL, CARDS = Scene(names=NAMES, points=5, pictures=Pictures.ALL), Scene(names=NAMES, pictures=Pictures.CARDS)
ENGLISH = words("en")
RACE = Race(3, -7, 0, 1, 3, NOON, played=3, open=False)


def shown(round: Round, scene: Scene) -> values.Picture | None:
    return picture(round, ENGLISH, scene)


def test_an_open_hand_lies_on_felt() -> None:
    for scene in (ALL, CARDS, replace(ALL, pictures=Pictures.OFF)):
        found = shown(OPEN, scene)
        assert isinstance(found, values.Deal)
        assert not names_people(found)


def test_a_won_hand_shows_how_where_all_is_shown() -> None:
    found = shown(WON, ALL)
    assert isinstance(found, values.Solution)
    assert (found.name, found.earned) == ("Ann", "+5 points")
    assert names_people(found)
    assert isinstance(shown(WON, CARDS), values.Deal)


def test_a_hand_that_nobody_found_keeps_its_cards() -> None:
    for over in (State.EXPIRED, State.SKIPPED):
        assert isinstance(shown(replace(OPEN, state=over), ALL), values.Deal)
    assert isinstance(shown(replace(WON, kind=Kind.ALL), ALL), values.Deal)


def test_a_contest_is_told_in_words() -> None:
    assert shown(replace(OPEN, kind=Kind.CONTEST), ALL) is None


def test_the_same_hand_has_the_same_picture_wherever_it_is_dealt() -> None:
    names = {content(found, "en") for n in range(3) if (found := shown(replace(OPEN, id=n, chat_id=-n), ALL))}
    assert len(names) == 1


def test_a_race_ends_in_its_table() -> None:
    scene = replace(ALL, standings=Standings(RACE, [], {1: 4, 2: 9}))
    found = shown(WON, scene)
    assert isinstance(found, values.Race)
    assert [(line.rank, line.name, line.points) for line in found.lines] == [(1, "Bob", 9), (2, "Ann", 4)]
    assert isinstance(shown(WON, replace(ALL, standings=Standings(RACE, [], {}))), values.Deal)


def test_a_duel_ends_in_its_score() -> None:
    duel = Duel(5, -7, 0, 1, 2, "24", NOON, state=Progress.GIVEN_UP, winner_id=2)
    legs = [Leg(WON, {1: 3}), Leg(WON, {2: 3}), Leg(WON, {}), Leg(WON, {1: 2, 2: 2})]
    standings = Standings(RACE, legs, {}, duel=duel, score={1: 1, 2: 1})
    found = shown(WON, replace(ALL, standings=standings))
    assert found == values.Duel("Given up", ("Ann", "Bob"), (1, 1), [(0,), (1,), (), (0, 1)], 1)
