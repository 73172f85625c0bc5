"""What a race's one message shows beside the hand on the table: the hands before, the table at the end."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bot.i18n import Html, Words, escape_value
from bot.modes.duel.rules import Duel
from bot.modes.race.rules import MAX_UNTRIED, Race
from bot.rounds.message_lines import render_unsolved
from bot.rounds.registry import GAMES
from bot.rounds.rules import Round, State, rank_by_points
from bot.telegram.messages import format_duration, format_player_name

LEGS_SHOWN = 3  # Hands that are shown while the race goes on; at its end, all of them
LEADERS_SHOWN = 5
WINNERS_SHOWN = 2  # Of each hand in which several score
MAX_RANKS = 20  # Lines of a table at most


@dataclass(frozen=True, slots=True)
class RaceHand:
    """A hand of a race that is over."""

    round: Round
    points: Mapping[int, int]  # Points by player
    answer: str = ""  # The first of those that earned them, where several may


@dataclass(frozen=True, slots=True)
class RaceStandings:
    """How a race stands."""

    race: Race
    hands: Sequence[RaceHand]
    points: Mapping[int, int]  # By player
    stop_votes: int = 0  # Votes to end it
    duel: Duel | None = None  # The duel whose hands these are
    hands_won: Mapping[int, int] = field(default_factory=dict)  # Hands of the duel that were won, by player


def render_race_heading(standings: RaceStandings, words: Words, names: Mapping[int, str]) -> list[Html]:
    """Above the hand on the table: which one it is, who leads, and how the last ones went."""
    race = standings.race
    title = words.translate(
        "Race: hand {number} of {length}", number=race.hands_played + 1, length=race.length
    )
    lines = [Html(f"🏁 {title}")]
    if standings.points:
        lines.append(_leaders(standings.points, names, LEADERS_SHOWN))
    return [*lines, *render_latest_hands(standings, words, names), Html("")]


def render_race_result(standings: RaceStandings, words: Words, names: Mapping[int, str]) -> Html:
    """The race is over: its table, and how each hand went."""
    race = standings.race
    lines = [Html(f"🏁 {words.translate('The race is over.')}")]
    if race.hands_played < race.length and race.untried_in_a_row >= MAX_UNTRIED:
        lines.append(
            words.translate_plural(
                "Nobody tried the last {n} hand.", "Nobody tried the last {n} hands.", race.untried_in_a_row
            )
        )
    lines += [
        Html(f"{rank}. {format_player_name(names, who)} — {n}")
        for rank, who, n in rank_by_points(standings.points)[:MAX_RANKS]
    ]
    return Html("\n".join([*lines, Html(""), *render_all_hands(standings, words, names)]))


def render_latest_hands(standings: RaceStandings, words: Words, names: Mapping[int, str]) -> list[Html]:
    """How the last hands went, a line each."""
    return render_all_hands(standings, words, names)[-LEGS_SHOWN:]


def render_all_hands(standings: RaceStandings, words: Words, names: Mapping[int, str]) -> list[Html]:
    """How each hand went, a line each."""
    return [_leg(number, leg, words, names) for number, leg in enumerate(standings.hands, 1)]


def _leaders(points: Mapping[int, int], names: Mapping[int, str], most: int) -> Html:
    """Up to `most` players who have most of the points, in a line."""
    first = rank_by_points(points)[:most]
    return Html(" · ".join(f"{format_player_name(names, who)} {n}" for _, who, n in first))


def _leg(number: int, leg: RaceHand, words: Words, names: Mapping[int, str]) -> Html:
    """How one hand went, in a line."""
    won = leg.round
    if won.state is State.WON and won.winner_id is not None:
        took = format_duration(words, (won.closed or 0) - won.opened)
        solved = escape_value(GAMES[won.game].format_answer(won.puzzle, won.answer or ""))
        worth = sum(leg.points.values())
        return Html(f"#{number} 🏆 {format_player_name(names, won.winner_id)}: {solved} · {took} · +{worth}")
    if leg.points:
        shown = GAMES[won.game].format_answer(won.puzzle, leg.answer) if leg.answer else ""
        solved = Html(f": {escape_value(shown)}") if shown else ""
        return Html(f"#{number} 🏆 {_leaders(leg.points, names, WINNERS_SHOWN)}{solved}")
    shown = escape_value(GAMES[won.game].solution(won.puzzle)) or render_unsolved(won, words)
    return Html(f"#{number} — {shown}")
