import pytest

from bot.pictures.canvas import Canvas
from bot.pictures.hands import CARD, MEDIUM_CARD, SUITS, draw_hand, draw_pips, get_card_face
from bot.pictures.palette import INK, IVORY, RED
from bot.pictures.values import Card, HandPicture, Suit

ALL_SUITS: tuple[Suit, ...] = ("♠", "♥", "♦", "♣")
MAX_BYTES = 60_000


def draw_faces(number: int, size: tuple[int, int] = CARD) -> list[bytes]:
    return [get_card_face(Card(number, suit), size).tobytes() for suit in ALL_SUITS]


@pytest.mark.parametrize("size", [CARD, MEDIUM_CARD])
@pytest.mark.parametrize("number", range(1, 14))
def test_no_two_cards_look_the_same(number: int, size: tuple[int, int]) -> None:
    assert len(set(draw_faces(number, size))) == 4
    assert not set(draw_faces(number, size)) & set(draw_faces(number % 13 + 1, size))


@pytest.mark.parametrize(("suit", "colour"), [("♠", INK), ("♥", RED), ("♦", RED), ("♣", INK)])
def test_suits_have_their_colours(suit: Suit, colour: int) -> None:
    pixels = get_card_face(Card(7, suit), CARD).tobytes()
    assert pixels.count(colour) > 2000
    assert pixels.count(INK if colour == RED else RED) == 0
    assert SUITS.index(suit) >= 0


@pytest.mark.parametrize("face", range(1, 7))
def test_die_has_as_many_pips_as_its_face(face: int) -> None:
    canvas = Canvas(200, 200, ground=IVORY)
    draw_pips(canvas, face, (0, 0), 200, INK, IVORY)
    single = Canvas(200, 200, ground=IVORY)
    draw_pips(single, 1, (0, 0), 200, INK, IVORY)
    assert canvas.image.tobytes().count(INK) == face * single.image.tobytes().count(INK)


@pytest.mark.parametrize("count", [4, 6])
def test_hand_of_the_largest_court_cards_is_small_enough_to_send(count: int) -> None:
    courts = [Card(number, suit) for number in (11, 12, 13) for suit in ALL_SUITS]
    largest = sorted(courts, key=lambda court: len(draw_hand(HandPicture([court], 24))))[-count:]
    assert len(draw_hand(HandPicture(largest, 888))) <= MAX_BYTES
