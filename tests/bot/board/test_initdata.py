"""initData: what Telegram made is read, and nothing else opens anything."""

import json
import random
import string
import sys
from base64 import urlsafe_b64encode
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qsl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.board.initdata import (
    MAX_AGE,
    MAX_CLOCK_LEAD,
    MAX_INIT_DATA_CHARS,
    InitDataError,
    MissingPackageError,
    verify_init_data,
    verify_init_data_by_public_key,
)
from bot.board.rules import Person
from tests.bot.board.signing import ANN, NOW, TOKEN, hashed, init_data, joined, written

VECTOR = (
    "auth_date=1790000000&chat_instance=-42&chat_type=supergroup&signature=AAAA&start_param=g7&user=%7B%22id%22"
    "%3A7%2C%22first_name%22%3A%22Ann%20%26%20Bo%22%2C%22language_code%22%3A%22en%22%7D"
    "&hash=3f1b490e9ad0e02b9fad6157c63fb76872bf35ec844893639f40b182827db878"
)
PUBLISHED = (
    # https://docs.telegram-mini-apps.com/platform/init-data#using-telegram-public-key
    "user=%7B%22id%22%3A279058397%2C%22first_name%22%3A%22Vladislav%20%2B%20-%20%3F%20%5C%2F%22%2C%22last_name%22"
    "%3A%22Kibenko%22%2C%22username%22%3A%22vdkfrost%22%2C%22language_code%22%3A%22ru%22%2C%22is_premium%22%3Atrue"
    "%2C%22allows_write_to_pm%22%3Atrue%2C%22photo_url%22%3A%22https%3A%5C%2F%5C%2Ft.me%5C%2Fi%5C%2Fuserpic%5C%2F320"
    "%5C%2F4FPEE4tmP3ATHa57u6MqTDih13LTOiMoKoLDRG4PnSA.svg%22%7D&chat_instance=8134722200314281151"
    "&chat_type=private&auth_date=1733584787&hash=2174df5b000556d044f3f020384e879c8efcab55ddea2ced4eb752e93e7080d6"
    "&signature=zL-ucjNyREiHDE8aihFwpfR9aggP2xiAo3NSpfe-p7IbCisNlDKlo7Kb6G4D0Ao2mBrSgEk4maLSdv6MLIlADQ"
)


def test_known_vector_is_valid() -> None:
    read = verify_init_data(VECTOR, TOKEN, 1_790_000_100.0)
    assert read.person == Person(7, "Ann & Bo", None, "en")
    assert (read.start_param, read.chat_type, read.chat_instance) == ("g7", "supergroup", "-42")
    assert read.auth_date == 1_790_000_000


def test_user_is_parsed() -> None:
    assert verify_init_data(init_data(), TOKEN, NOW).person == Person(7, "Ann & Bo", "ann", "pt-br")


def test_digest_ignores_the_encoding() -> None:
    plain = init_data()
    turned = "&".join(reversed(plain.split("&"))).replace("%20", "+").replace("%7B", "%7b")
    assert turned != plain
    digests = {verify_init_data(each, TOKEN, NOW).digest for each in (plain, turned)}
    assert len(digests) == 1
    assert verify_init_data(init_data(at=NOW + 1), TOKEN, NOW).digest not in digests


@pytest.mark.parametrize("late", [0.0, MAX_AGE, -MAX_CLOCK_LEAD])
def test_init_data_is_valid_for_an_hour(late: float) -> None:
    assert verify_init_data(init_data(), TOKEN, NOW + late).auth_date == NOW


@pytest.mark.parametrize("late", [MAX_AGE + 1, -MAX_CLOCK_LEAD - 1, 1e9])
def test_old_or_future_init_data_is_refused(late: float) -> None:
    with pytest.raises(InitDataError):
        verify_init_data(init_data(), TOKEN, NOW + late)


USERS: list[object] = [
    *("", "null", "[]", "{}", "7", '"Ann"', "[" * 3000, "{", json.dumps(ANN) + " x", "9" * 3000),
    *({**ANN, "id": odd} for odd in ("7", 7.0, 7.5, True, None, 0, -7, 2**52, 2**63, [7], {"id": 7})),
    {**ANN, "is_bot": True},
    {"first_name": "Ann"},
]


@pytest.mark.parametrize("user", USERS)
def test_invalid_users_are_refused(user: object) -> None:
    with pytest.raises(InitDataError):
        verify_init_data(init_data(user=user), TOKEN, NOW)


@pytest.mark.parametrize(
    "more",
    [
        *(
            {"auth_date": odd}
            for odd in ("", "0", "-1", "1e9", " 1790000000", "+1790000000", "१७९", "9" * 400)
        ),
        {"chat_type": "elsewhere"},
        {"start_param": "a b"},
        {"start_param": "x" * 513},
    ],
)
def test_invalid_fields_are_refused(more: dict[str, Any]) -> None:
    with pytest.raises(InitDataError):
        verify_init_data(init_data(**more), TOKEN, NOW)


def test_odd_names_are_cleaned() -> None:
    odd = {"id": 7, "first_name": 5, "username": "no good", "language_code": "<b>"}
    assert verify_init_data(init_data(user=odd), TOKEN, NOW).person == Person(7, "", None, "")
    long = json.dumps({"id": 7, "first_name": "x" * 500 + "\ud800"})
    assert verify_init_data(init_data(user=long), TOKEN, NOW).person.name == "x" * 128


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
    init_data() + "&",
    "&" + init_data(),
    init_data() + "&auth_date=1790000000",
    init_data() + "&hash=" + "0" * 64,
    init_data().replace("&hash", "&&hash"),
    init_data().replace("user=", "user=="),
    init_data().replace("user", "User"),
    init_data().replace("Ann", "Änn"),
    init_data() + "\n",
    init_data().replace("&hash=", "&hash=+"),
    init_data() + "&x=" + "y" * MAX_INIT_DATA_CHARS,
    "&".join(f"a{n}=1" for n in range(200)),
    "&".join(f"a{n}=1" for n in range(31)) + "&" + init_data(),
]


@pytest.mark.parametrize("raw", BROKEN)
def test_ambiguous_encodings_are_refused(raw: str) -> None:
    with pytest.raises(InitDataError):
        verify_init_data(raw, TOKEN, NOW)


def test_line_feed_in_a_value_is_refused() -> None:
    """Lines are joined before they are signed, so a line's end in a value would move a pair into another."""
    plain = init_data()
    merged = plain.replace("&chat_type=", "%0Achat_type=")
    assert merged != plain
    assert joined(dict(parse_qsl(merged))) == joined(dict(parse_qsl(plain))), "it would be signed"
    with pytest.raises(InitDataError):
        verify_init_data(merged, TOKEN, NOW)


def test_init_data_of_another_bot_is_refused() -> None:
    with pytest.raises(InitDataError):
        verify_init_data(init_data(token="123456:OTHER"), TOKEN, NOW)  # noqa: S106 - made up
    with pytest.raises(InitDataError):
        verify_init_data(init_data().upper(), TOKEN, NOW)


def mutated(raw: str, chance: random.Random) -> str:
    """Another text than `raw`, by one to three small changes."""
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
    chance, plain = random.Random(24), init_data()
    accepted = []
    for _ in range(1000):
        text = mutated(plain, chance)
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
        verify_init_data(written(sound | {"user": "{}", "hash": hashed(sound | {"user": "{}"})}), TOKEN, NOW)


# By Telegram's public key


def signed(bot_id: int = 123456, **more: str) -> tuple[str, bytes]:
    """initData that is signed by a key of ours, and the key's public half."""
    keys = pytest.importorskip("cryptography.hazmat.primitives.asymmetric.ed25519")
    private = keys.Ed25519PrivateKey.from_private_bytes(b"k" * 32)
    pairs = {"auth_date": str(NOW), "user": json.dumps(ANN), "chat_type": "private"} | more
    signature = private.sign(f"{bot_id}:WebAppData\n{joined(pairs)}".encode())
    pairs["signature"] = urlsafe_b64encode(signature).decode().rstrip("=")
    public: bytes = private.public_key().public_bytes_raw()
    return written(pairs | {"hash": "0" * 64}), public


def test_published_vector_is_valid_by_telegrams_key() -> None:
    pytest.importorskip("cryptography")
    read = verify_init_data_by_public_key(PUBLISHED, 7342037359, 1_733_584_800.0)
    assert read.person == Person(279058397, "Vladislav + - ? /", "vdkfrost", "ru")
    with pytest.raises(InitDataError):
        verify_init_data_by_public_key(PUBLISHED, 7342037358, 1_733_584_800.0)


def test_user_is_parsed_by_public_key() -> None:
    raw, key = signed()
    assert verify_init_data_by_public_key(raw, 123456, NOW, key).person.id == 7


def test_both_verifications_give_the_same_digest() -> None:
    raw, key = signed()
    pairs = {k: v for k, v in parse_qsl(raw) if k != "hash"}
    both = written(pairs | {"hash": hashed(pairs)})
    assert (
        verify_init_data(both, TOKEN, NOW).digest
        == verify_init_data_by_public_key(both, 123456, NOW, key).digest
    )


def test_other_bots_keys_and_contents_are_refused_by_public_key() -> None:
    raw, key = signed()
    for bot_id, text, by in (
        (123457, raw, key),
        (123456, raw, b"\1" * 32),
        (123456, raw.replace("private", "group"), key),
        (123456, raw.replace("&signature=", "&x="), key),
        (123456, raw.replace("private", "private%0Ax=1"), key),
    ):
        with pytest.raises(InitDataError):
            verify_init_data_by_public_key(text, bot_id, NOW, by)
    with pytest.raises(InitDataError):
        verify_init_data_by_public_key(raw, 123456, NOW + MAX_AGE + 1, key)


def test_mutated_init_data_is_refused_by_public_key() -> None:
    raw, key = signed()
    chance = random.Random(24)
    accepted = []
    for _ in range(1000):
        text = mutated(raw, chance)
        same = [dict(parse_qsl(each, keep_blank_values=True)) for each in (text, raw)]
        for each in same:
            each.pop("hash", None)  # which this way does not read
        try:
            accepted.append((text, verify_init_data_by_public_key(text, 123456, NOW, key)))
        except InitDataError:
            continue
        if same[0] == same[1]:
            accepted.pop()
    assert accepted == []


def test_unused_bits_of_a_signature_are_refused() -> None:
    raw, key = signed()
    start, _, rest = raw.partition("signature=")
    signature, rest = rest[:86], rest[86:]
    alphabet = string.ascii_uppercase + string.ascii_lowercase + string.digits + "-_"
    last = alphabet.index(signature[-1])
    for other in range(last - last % 16, last - last % 16 + 16):
        text = f"{start}signature={signature[:-1]}{alphabet[other]}{rest}"
        if text == raw:
            assert verify_init_data_by_public_key(text, 123456, NOW, key).person.id == 7
        else:
            with pytest.raises(InitDataError):
                verify_init_data_by_public_key(text, 123456, NOW, key)


def test_missing_package_raises_its_own_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cryptography.exceptions", None)
    with pytest.raises(MissingPackageError):
        verify_init_data_by_public_key(PUBLISHED, 7342037359, 1_733_584_800.0)
