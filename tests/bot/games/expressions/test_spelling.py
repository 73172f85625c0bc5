"""Normalized spellings of what people write."""

from unicodedata import name, numeric

import pytest

from bot.games.expressions.spelling import (
    RANGE_OR_MONEY,
    WORD,
    blank_words,
    expand_mixed_numbers,
    find_emoji_amid_signs,
    has_words,
    normalize_spelling,
    restore_emoji_signs,
    strip_addresses,
    strip_figures,
    strip_labels,
    translate_spoken_signs,
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("8.0/(3-8/3.00)", "8/(3-8/3)"),
        ("8️⃣", "8"),
        ("٨/٣", "8/3"),
        (r"\frac{8}{3}", "((8)/(3))"),
        (r"\dfrac8{3-\dfrac83}", "((8)/(3-((8)/(3))))"),
        ("8∶3", "8:3"),
        (r"8\div 3\cdot 2", "8/ 3* 2"),
        ("8.5", "8.5"),
        ("²", "²"),
        ("8*6*½", "8*6*(1/2)"),
        ("8✖️¼ ➗ ⅞", "8*(1/4) / (7/8)"),
        ("⅟3+⅟₁₂", "(1/3)+(1/12)"),
        ("²⁄₃-¹²/₂₅", "(2/3)-(12/25)"),
        ("1½ * 10 ⅓", "(1+1/2) * (10+1/3)"),
        ("(2²⁄₃)", "((2+2/3))"),
        ("2.5½=", "2.5(1/2)="),
        ("1½ h, ½", "1½ h, ½"),
    ],
)
def test_other_spellings_are_normalized(text: str, found: str) -> None:
    assert normalize_spelling(text) == found


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("(4 + 😍 * 2 * 1", "(4 + 8) * 2 * 1"),
        ("(2 + 1) * [4 - 😍", "(2 + 1) * [4 - 8)"),
        ("8 / 😔 8 - 5)", "8 / 3( 8 - 5)"),
        ("8 🙁 3 - 8:3)", "8 :( 3 - 8:3)"),
        ("8 😕 3 - 😍 + 1", "8 :( 3 - 8) + 1"),
        ("8 😩 3 - 1) : 2)", "8 :(( 3 - 1) : 2)"),
        ("(Q + 2) 😏 * 4", "(Q + 2) :J * 4"),
        ("（4 ＋ 😍 × 2", "（4 ＋ 8) × 2"),
        ("8/(3-8/3) 😍", "8/(3-8/3) 😍"),
        ("(4 + 😍 * 2 😍", "(4 + 8) * 2 😍"),
        ("8/(3-8/3) 🙁", "8/(3-8/3) 🙁"),
        ("8 😩 3 - 1)", "8 😩 3 - 1)"),
        ("(4 + 8)😍", "(4 + 8)😍"),
        ("(4 😕 2) * 3", "(4 😕 2) * 3"),
        ("(4 + (2 * 😍 )", "(4 + (2 * 8) )"),
        ("Q * 2 😏", "Q * 2 😏"),
        ("(4+😍*2*1", "(4+8)*2*1"),
        ("(4 + 😎 * 2", "(4 + 8) * 2"),
        ("(4 + 4 😎", "(4 + 4 😎"),
        ("8 ☹️ 3 - 8:3)", "8 :(\ufe0f 3 - 8:3)"),
        ("8😞3-8:3)", "8:(3-8:3)"),
        ("8/😔8-5)", "8/3(8-5)"),
        ("(Q+2)😏*4", "(Q+2):J*4"),
    ],
)
def test_emoji_are_restored_if_their_bracket_has_a_partner(text: str, meant: str) -> None:
    assert restore_emoji_signs(text) == meant


@pytest.mark.parametrize(
    ("text", "emoji"),
    [
        ("4 😕 2 * 3", "😕"),
        ("8 + 🙂", "🙂"),
        ("(8 😚 3)", "😚"),
        ("J 😷 (2 + 1)", "😷"),
        ("2 🙂 * 3", "🙂"),
        ("8/(3-8/3) 🙂", ""),
        ("8+8 🙂 or 3+3", ""),
        ("🙂 8+8", ""),
        ("8 + 🐌", ""),
        ("4😕2*3", "😕"),
        ("2*(🙂+3", "🙂"),
        ("(8 ☹️ 3", "☹"),
        ("8+8 😊 Julia", ""),
        ("(🙂)", ""),
        ("10🙂)", ""),
    ],
)
def test_other_emoji_amid_signs_are_found(text: str, emoji: str) -> None:
    assert find_emoji_amid_signs(text) == emoji


def test_every_fraction_of_unicode_is_two_numbers() -> None:
    for sign in filter(lambda c: name(c, "").startswith("VULGAR FRACTION"), map(chr, range(0x3000))):
        top, under = normalize_spelling(f"{sign}=").strip("()=").split("/")
        assert int(top) / int(under) == pytest.approx(numeric(sign)), sign


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("it is 8x3", f"{WORD} {WORD} 8*3"),
        ("Kx(q-J)", "K*(Q-J)"),
        ("答案８÷３", f"{WORD}8/3"),
        ("jajaja", WORD),
        ("3х8 а", f"3*8 {WORD}"),
    ],
)
def test_words_are_blanked_and_cards_are_not(text: str, found: str) -> None:
    assert blank_words(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see https://example.com/3-8/3 now", f"see {WORD} now"),
        ("@ann3 8/3", f"{WORD} 8/3"),
        ("**8/3**", " 8/3 "),
        ("2**3**4", "2**3**4"),
    ],
)
def test_addresses_and_stars_are_stripped(text: str, found: str) -> None:
    assert strip_addresses(text) == found


@pytest.mark.parametrize("text", ["2: 8/3", "2) 8/3", "2. 8/3", "试2：8/3", "8/3 :3"])
def test_labels_and_smileys_are_stripped(text: str) -> None:
    assert strip_labels(text).replace(WORD, "").strip() in ("8/3", " 8/3")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("8/3 😀!", False),
        ("Answer: 8/3", False),
        ("(K-J)*A*Q", False),
        ("8/3 lol", True),
        ("a 3+4", True),
        ("K", True),
    ],
)
def test_words_are_detected(text: str, words: bool) -> None:
    assert has_words(text) is words


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1 times 2 Divided  by 3", "1*2/3"),
        ("2加3乘以（4", "2+3*（4"),
        ("A♠*K♥", "A*K"),
        ("⑧/⑫", " 8 / 12 "),
        *((text, " 1  10 ") for text in ("❶❿", "➀➉", "➊➓")),
        ("—8/3", f"{WORD}8/3"),
        ("答案——8/3", f"答案{WORD}8/3"),
        ("8—3", "8—3"),
        ("K—A", "K—A"),
        ("4*6 - 24!", "4*6 = 24!"),
        ("4*6-24", "4*6-24"),
        ("4*6 - 24 + 1", "4*6 - 24 + 1"),
        ("4*6 - 23", "4*6 - 23"),
        ("sometimes 3", "sometimes 3"),
        ("½ times ¾", "½*¾"),
    ],
)
def test_spoken_and_drawn_signs_are_translated(text: str, found: str) -> None:
    assert translate_spoken_signs(text, 24) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [("1 1/2 + 2", "(1+1/2) + 2"), ("3 8/3", "3 8/3"), ("2*1 1/2", "2*1 1/2"), ("-1 1/2", "-(1+1/2)")],
)
def test_mixed_numbers_are_expanded(text: str, found: str) -> None:
    assert expand_mixed_numbers(text) == found


@pytest.mark.parametrize(
    "text",
    ["10:00-18:00", "8:30–9", "8-9:30", "10：00－18：00", "$3-8", "3-8 €", "£3.50", "8:30-9:30, 10:00-11:00"],
)
def test_ranges_of_times_and_money_are_stripped(text: str) -> None:
    assert strip_figures(text, RANGE_OR_MONEY).replace(WORD, "").strip(", ") == ""


@pytest.mark.parametrize(
    "text",
    [
        "8:30",
        "8:3-3",
        "8:30-9*2",
        "3+8:30-9",
        "(8:30-9)*3",
        "$8/(3-8/3)$",
        "$1-2-3-4",
        "25:00-3",
        "8-30",
        "8:30-9=2",
    ],
)
def test_expressions_are_not_stripped_as_ranges_or_money(text: str) -> None:
    assert strip_figures(text, RANGE_OR_MONEY) == text


@pytest.mark.parametrize(
    "text",
    ["2026-11-21", "21.11.2026", "11/21/26", "8:30", "10:15:30", "+34 600 123 456", "+1 (555) 123-4567"],
)
def test_dates_and_telephone_numbers_are_stripped(text: str) -> None:
    assert strip_figures(text) == WORD


@pytest.mark.parametrize("text", ["24/2/3 = 4", "8/(1/3)", "1-2/3", "12/3/4*2", "3+2-1-1", "5+34 600"])
def test_expressions_are_not_stripped_as_figures(text: str) -> None:
    assert strip_figures(text) == text
