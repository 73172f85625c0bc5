from io import BytesIO

import pytest
from PIL import Image

from bot.pictures.canvas import Canvas
from bot.pictures.hands import CARD, MEDIUM_CARD, SUITS, draw_hand, draw_pips, get_card_face
from bot.pictures.palette import FELT, INK, IVORY, RED
from bot.pictures.values import Card, HandPicture, Suit

SUITS_OF: tuple[Suit, ...] = ("♠", "♥", "♦", "♣")
MOST_BYTES = 60_000
HAND = [Card(number, "♠") for number in range(1, 8)]


def faces(number: int, size: tuple[int, int] = CARD) -> list[bytes]:
    return [get_card_face(Card(number, suit), size).tobytes() for suit in SUITS_OF]


@pytest.mark.parametrize("size", [CARD, MEDIUM_CARD])
@pytest.mark.parametrize("number", range(1, 14))
def test_no_two_cards_look_the_same(number: int, size: tuple[int, int]) -> None:
    assert len(set(faces(number, size))) == 4
    assert not set(faces(number, size)) & set(faces(number % 13 + 1, size))


@pytest.mark.parametrize(("suit", "printed"), [("♠", INK), ("♥", RED), ("♦", RED), ("♣", INK)])
def test_suits_have_their_colours(suit: Suit, printed: int) -> None:
    shown = get_card_face(Card(7, suit), CARD).tobytes()
    assert shown.count(printed) > 2000
    assert shown.count(INK if printed == RED else RED) == 0
    assert SUITS.index(suit) >= 0


@pytest.mark.parametrize("face", range(1, 7))
def test_a_die_has_as_many_pips_as_its_face(face: int) -> None:
    canvas = Canvas(200, 200, ground=IVORY)
    draw_pips(canvas, face, (0, 0), 200, INK, IVORY)
    one = Canvas(200, 200, ground=IVORY)
    draw_pips(one, 1, (0, 0), 200, INK, IVORY)
    assert canvas.image.tobytes().count(INK) == face * one.image.tobytes().count(INK)


@pytest.mark.parametrize("count", [4, 6])
def test_a_hand_of_the_busiest_courts_is_small_enough_to_send(count: int) -> None:
    courts = [Card(number, suit) for number in (11, 12, 13) for suit in SUITS_OF]
    busiest = sorted(courts, key=lambda court: len(draw_hand(HandPicture([court], 24))))[-count:]
    assert len(draw_hand(HandPicture(busiest, 888))) <= MOST_BYTES


@pytest.mark.parametrize("target", [7, 24, 100, 1000])
def test_the_target_is_the_largest_thing(target: int) -> None:
    """Below the cards there is felt, then a number taller than any on a card."""
    with Image.open(BytesIO(draw_hand(HandPicture(HAND[:4], target)))) as drawn:
        below = drawn.crop((0, 64 + CARD[1] + 16, drawn.width, drawn.height))
        box = below.point([255 * (index != FELT) for index in range(256)], "L").getbbox()
    assert box
    assert box[3] - box[1] > 140
    assert box[0] > 64
    assert box[2] < 1280 - 64
