"""Whole contests as a chat shows them, against the referee."""

import random
import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from bot.games.yahtzee import rules
from bot.i18n import Html, get_words, strip_tags
from bot.modes.contest import view
from bot.modes.contest.rules import PlayerCard, collect_totals, compute_awards
from bot.rounds.puzzle import Kind
from bot.rounds.registry import CONTEST_GAMES
from bot.rounds.rules import Round, State
from solver.yahtzee import best_card
from tests.bot.games.yahtzee.test_rules import compute_total, find_largest_gain

EN = get_words("en")
GAME = CONTEST_GAMES["yahtzee"]
NAMES = {1: "Ann", 2: "Bob", 3: "Cem", 4: "Dee"}
ROLL = re.compile(r"[1-6](?: [1-6]){4}")
RANK = re.compile(r"(\d+)\. \u2068(\w+)\u2069 — (\d+)")


def make_contest(seed: int, chat_id: int = -100) -> Round:
    """Return a contest that has just been dealt."""
    return Round(
        id=seed + 1,
        chat_id=chat_id,
        topic=0,
        kind=Kind.CONTEST,
        game=GAME.key,
        puzzle=rules.deal_rolls(seed),
        dealer_id=1,
        opened=0.0,
        deadline=None,
        state=State.RUNNING,
    )


def make_card(who: int, done: int, total: int | None = None) -> PlayerCard:
    return PlayerCard(who, None, float(who), turns_played=done, total=total)


def split_lines(shown: str) -> list[str]:
    """Return the lines of a message without tags."""
    return strip_tags(Html(shown)).splitlines()


def play_turns(
    round: Round, sheet: PlayerCard, rng: random.Random
) -> Iterator[tuple[tuple[int, ...], int, int]]:
    """Play a card by its buttons; yield each roll, its category and the points the button promised."""
    while True:
        text, keyboard = view.render_card(EN, round, sheet)
        buttons = [button for row in keyboard for button in row]
        if not buttons:
            return
        (line,) = (line for line in split_lines(text) if ROLL.fullmatch(line))
        greedy = max(buttons, key=lambda button: int(button[0].rpartition(" ")[2]))
        label, data = greedy if rng.random() < 0.7 else rng.choice(buttons)
        _, _, turn, choice = data.split(":")
        card = GAME.play_turn(sheet.card, int(turn), int(choice))
        assert card is not None
        assert GAME.play_turn(card, int(turn), int(choice)) is None
        sheet = replace(sheet, card=card)
        yield tuple(map(int, line.split())), int(choice), int(label.rpartition(" ")[2])


def play_card(round: Round, player_id: int, rng: random.Random) -> tuple[PlayerCard, list[tuple[int, ...]]]:
    """Play a whole card and check it against the referee; return it and the rolls."""
    blank = PlayerCard(player_id, GAME.create_card(), 0.0)
    turns = list(play_turns(round, blank, rng))
    rolls, put = [roll for roll, _, _ in turns], tuple(choice for _, choice, _ in turns)
    full = replace(blank, card=GAME.unpack_card({"v": 1, "put": list(put)}))
    total = compute_total(rolls, put)
    assert GAME.compute_total(round.puzzle, full.card) == total
    assert total - sum(promised for _, _, promised in turns) in (0, 35)
    last = split_lines(view.render_card(EN, round, full)[0])[-1]
    gain, best = find_largest_gain(rolls, put), best_card(rolls).total
    result = re.fullmatch(r"You (\d+)(?:, best (\d+))?(?:: the .* \(\+(\d+)\))?.*\.", last)
    assert result is not None, last
    assert int(result[1]) == total
    assert int(result[2] or total) == best
    assert int(result[3] or 0) == gain
    return replace(full, turns_played=13, total=total), rolls


def check_contest(seed: int, rng: random.Random) -> None:
    """Check one contest of some players from the deal to the ranks."""
    round = make_contest(seed)
    both = [play_card(round, player, rng) for player in list(NAMES)[: rng.randint(1, 4)]]
    standings, rolls = [standing for standing, _ in both], both[0][1]
    assert all(seen == rolls for _, seen in both)
    over = split_lines(view.render_contest(EN, replace(round, state=State.OVER), standings, NAMES, 0)[0])
    assert [tuple(map(int, line.split())) for line in over if ROLL.fullmatch(line)] == rolls
    assert f"Best possible: {best_card(rolls).total}" in over
    shown = [RANK.fullmatch(line) for line in over]
    own = {NAMES[each.player_id]: each.total for each in standings}
    result = [(int(line[1]), line[2], int(line[3])) for line in shown if line]
    assert {name: total for _, name, total in result} == own
    assert [total for _, _, total in result] == sorted(own.values(), reverse=True)  # type: ignore[type-var]
    assert [rank for rank, _, _ in result] == [
        1 + sum((other or 0) > total for other in own.values()) for _, _, total in result
    ]
    worth = {who: total // 10 for who, total in collect_totals(standings).items()}
    given = compute_awards(standings, worth)
    assert {a.player_id: a.points for a in given} == (worth if len(standings) > 1 else {})
    assert ("No points: nobody else finished." in over) is (len(standings) == 1)
    first = max(worth, key=lambda who: collect_totals(standings)[who])
    tops = {
        who for who, total in collect_totals(standings).items() if total == collect_totals(standings)[first]
    }
    assert {a.player_id for a in given if a.is_win} == (tops if len(standings) > 1 else set())


@pytest.mark.long
def test_whole_games_agree_with_the_referee() -> None:
    rng = random.Random(11)
    for seed in range(25):
        check_contest(seed, rng)


@pytest.mark.long
@pytest.mark.exhaustive
def test_two_thousand_whole_games_agree_with_the_referee() -> None:
    rng = random.Random(24)
    for seed in range(2000):
        check_contest(1000 + seed, rng)


def test_group_sees_progress_and_no_rolls() -> None:
    round = make_contest(5)
    standings = [make_card(1, 13, 240), make_card(2, 13, 250), make_card(3, 5)]
    text, keyboard = view.render_contest(EN, round, standings, NAMES, 0)
    shown = split_lines(text)
    assert shown[-2:] == ["✓ \u2068Ann\u2069, \u2068Bob\u2069", "✍️ \u2068Cem\u2069 5/13"]
    assert not re.search("240|250", text)  # whoever is behind may as well finish
    assert not any(ROLL.fullmatch(line) for line in shown)
    assert [label for label, _ in keyboard[0]] == ["🎲 Play", "🏁 End"]
    soon = view.render_contest(EN, round, standings[:2], NAMES, 0)
    assert split_lines(soon[0])[-1] == "⏳ Over in a minute, unless somebody else begins."
    assert [label for label, _ in soon[1][0]] == ["🎲 Play"]
    voted = view.render_contest(EN, round, standings, NAMES, 1)[1]
    assert [label for label, _ in voted[0]] == ["🎲 Play", "🏁 End 1/2"]
    assert [label for label, _ in view.render_contest(EN, round, [], NAMES, 0)[1][0]] == ["🎲 Play"]


def test_button_carries_its_turn_in_64_bytes() -> None:
    round = replace(make_contest(5), id=2**62)
    _, keyboard = view.render_card(
        EN, round, PlayerCard(1, GAME.unpack_card({"v": 1, "put": list(range(10))}), 0.0)
    )
    data = [data for row in keyboard for _, data in row]
    assert data == [f"ct:{2**62}:10:{category}" for category in (10, 11, 12)]
    assert all(len(each.encode()) <= 64 for each in data)
    assert [len(row) for row in keyboard] == [2, 1]


def test_result_of_many_players_fits_a_message() -> None:
    round = replace(make_contest(6), state=State.OVER)
    crowd = [make_card(who, 13, 200) for who in range(1, 200)]
    text, _ = view.render_contest(EN, round, crowd, dict.fromkeys(range(1, 200), "W" * 60), 0)
    assert len(text) < 4096
    assert split_lines(text).count("…") == 1
