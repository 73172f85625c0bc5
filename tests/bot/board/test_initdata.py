"""initData: only what Telegram signed for this bot is accepted."""

import random
import string
from contextlib import suppress
from urllib.parse import parse_qsl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.board.authentication import (
    MAX_AGE,
    MAX_CLOCK_LEAD,
    MAX_INIT_DATA_CHARS,
    InitDataError,
    verify_init_data,
)
from bot.board.rules import Person
from tests.bot.board.signing import NOW, TOKEN, encode_pairs, join_pairs, make_init_data, sign_pairs

VECTOR = (
    "auth_date=1790000000&chat_instance=-42&chat_type=supergroup&signature=AAAA&start_param=g7&user=%7B%22id%22"
    "%3A7%2C%22first_name%22%3A%22Ann%20%26%20Bo%22%2C%22language_code%22%3A%22en%22%7D"
    "&hash=3f1b490e9ad0e02b9fad6157c63fb76872bf35ec844893639f40b182827db878"
)


def test_known_vector_is_valid() -> None:
    read = verify_init_data(VECTOR, TOKEN, 1_790_000_100.0)
    assert read.person == Person(7, "Ann & Bo", None, "en")
    assert (read.start_param, read.auth_date) == ("g7", 1_790_000_000)


def test_user_is_parsed() -> None:
    assert verify_init_data(make_init_data(), TOKEN, NOW).person == Person(7, "Ann & Bo", "ann", "pt-br")


def test_digest_ignores_the_encoding() -> None:
    plain = make_init_data()
    turned = "&".join(reversed(plain.split("&"))).replace("%20", "+").replace("%7B", "%7b")
    assert turned != plain
    digests = {verify_init_data(each, TOKEN, NOW).digest for each in (plain, turned)}
    assert len(digests) == 1
    assert verify_init_data(make_init_data(at=NOW + 1), TOKEN, NOW).digest not in digests


@pytest.mark.parametrize("late", [0.0, MAX_AGE, -MAX_CLOCK_LEAD])
def test_init_data_is_valid_for_an_hour(late: float) -> None:
    assert verify_init_data(make_init_data(), TOKEN, NOW + late).auth_date == NOW


@pytest.mark.parametrize("late", [MAX_AGE + 1, -MAX_CLOCK_LEAD - 1, 1e9])
def test_old_or_future_init_data_is_refused(late: float) -> None:
    with pytest.raises(InitDataError):
        verify_init_data(make_init_data(), TOKEN, NOW + late)


BROKEN = [
    *(
        "",
        "&",
        "=",
        "hash",
        "hash=",
        "a=b",
        "user",
        "%",
        "user=%",
        "user=%7",
        "user=%zz",
        "user=%ff",
        "a=%C3",
    ),
    make_init_data() + "&",
    "&" + make_init_data(),
    make_init_data() + "&auth_date=1790000000",
    make_init_data() + "&hash=" + "0" * 64,
    make_init_data().replace("&hash", "&&hash"),
    make_init_data().replace("user=", "user=="),
    make_init_data().replace("user", "User"),
    make_init_data().replace("Ann", "Änn"),
    make_init_data() + "\n",
    make_init_data().replace("&hash=", "&hash=+"),
    make_init_data() + "&x=" + "y" * MAX_INIT_DATA_CHARS,
    "&".join(f"a{n}=1" for n in range(200)),
    "&".join(f"a{n}=1" for n in range(31)) + "&" + make_init_data(),
]


@pytest.mark.parametrize("raw", BROKEN)
def test_ambiguous_encodings_are_refused(raw: str) -> None:
    with pytest.raises(InitDataError):
        verify_init_data(raw, TOKEN, NOW)


def test_line_feed_in_a_value_is_refused() -> None:
    # Lines are joined before they are signed, so a line feed would move a pair into another.
    plain = make_init_data()
    merged = plain.replace("&chat_type=", "%0Achat_type=")
    assert merged != plain
    assert join_pairs(dict(parse_qsl(merged))) == join_pairs(dict(parse_qsl(plain))), "it would be signed"
    with pytest.raises(InitDataError):
        verify_init_data(merged, TOKEN, NOW)


def test_init_data_of_another_bot_is_refused() -> None:
    with pytest.raises(InitDataError):
        verify_init_data(make_init_data(token="123456:OTHER"), TOKEN, NOW)  # noqa: S106 - made up
    with pytest.raises(InitDataError):
        verify_init_data(make_init_data().upper(), TOKEN, NOW)


def mutate(raw: str, chance: random.Random) -> str:
    """Return another text than `raw`, made by one to three small changes."""
    while True:
        text = raw
        for _ in range(chance.randint(1, 3)):
            at, way = chance.randrange(len(text)), chance.randrange(4)
            letter = chance.choice(string.ascii_letters + string.digits + "%&=+-_{}\n")
            if way == 0:
                text = text[:at] + letter + text[at + 1 :]
            elif way == 1:
                text = text[:at] + text[at + 1 :]
            elif way == 2:
                text = text[:at] + letter + text[at:]
            else:
                parts = text.split("&")
                parts.insert(chance.randrange(len(parts)), parts.pop(chance.randrange(len(parts))))
                text = "&".join(parts)
        if sorted(parse_qsl(text, keep_blank_values=True)) != sorted(parse_qsl(raw)):
            return text


def test_mutated_init_data_is_refused() -> None:
    chance, plain = random.Random(24), make_init_data()
    accepted = []
    for _ in range(1000):
        text = mutate(plain, chance)
        with suppress(InitDataError):
            accepted.append((text, verify_init_data(text, TOKEN, NOW)))
    assert accepted == []


@given(st.text(max_size=300))
def test_any_text_is_refused_with_init_data_error(raw: str) -> None:
    with pytest.raises(InitDataError):
        verify_init_data(raw, TOKEN, NOW)


@given(st.dictionaries(st.from_regex(r"[a-z_]{1,8}", fullmatch=True), st.text(max_size=40), max_size=6))
def test_signed_pairs_without_a_user_are_refused(pairs: dict[str, str]) -> None:
    sound = {k: v.encode("utf-8", "ignore").decode() for k, v in pairs.items() if k != "hash"}
    with pytest.raises(InitDataError):  # there is no user in it
        verify_init_data(
            encode_pairs(sound | {"user": "{}", "hash": sign_pairs(sound | {"user": "{}"})}), TOKEN, NOW
        )
