"""Render a race in its one message: the hands already played, and the ranking at the end."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bot.i18n import INVISIBLE_NAME, Html, Words, escape_value
from bot.modes.duel.rules import Duel
from bot.modes.race.rules import MAX_UNTRIED, Race
from bot.pictures.values import RankedLine, RankingPicture
from bot.rounds.message_lines import render_unsolved
from bot.rounds.registry import GAMES
from bot.rounds.rules import Round, State, rank_by_points
from bot.telegram.messages import format_duration, format_player_name

BLANK_LINE = Html("")
MAX_LATEST_HANDS = 3  # Finished hands shown while the race goes on
MAX_LEADERS = 5  # Players shown in the heading
MAX_WINNERS = 2  # Players shown for a hand in which several score
MAX_RANKS = 20  # Players shown in the ranking


@dataclass(frozen=True, slots=True)
class RaceHand:
    """A finished hand of a race."""

    round: Round
    points: Mapping[int, int]  # Points by player
    answer: str = ""  # The first of the answers that scored, where several may score


@dataclass(frozen=True, slots=True)
class RaceStandings:
    """The state of a race with all that its message shows."""

    race: Race
    hands: Sequence[RaceHand]  # Finished hands
    points: Mapping[int, int]  # Points by player
    stop_votes: int = 0
    duel: Duel | None = None  # The duel that the race belongs to
    hands_won: Mapping[int, int] = field(default_factory=dict)  # Hands won in the duel, by player


def render_race_heading(standings: RaceStandings, words: Words, names: Mapping[int, str]) -> list[Html]:
    """Render the lines above the open hand: its number, the leaders and the latest hands."""
    number = standings.race.hands_played + 1
    title = words.translate("Race: hand {number} of {length}", number=number, length=standings.race.length)
    lines = [Html(f"🏁 {title}")]
    if standings.points:
        lines.append(_render_leaders(standings.points, names, MAX_LEADERS))
    return [*lines, *render_hands(standings, words, names)[-MAX_LATEST_HANDS:], BLANK_LINE]


def render_race_result(standings: RaceStandings, words: Words, names: Mapping[int, str]) -> Html:
    """Render the end of a race: the ranking and all hands."""
    lines = [
        Html(f"🏁 {words.translate('The race is over.')}"),
        *render_untried(standings.race, words),
        *(
            Html(f"{rank}. {format_player_name(names, player)} — {points}")
            for rank, player, points in rank_by_points(standings.points)[:MAX_RANKS]
        ),
        BLANK_LINE,
        *render_hands(standings, words, names),
    ]
    return Html("\n".join(lines))


def render_untried(race: Race, words: Words) -> list[Html]:
    """Render that the race ended early because nobody tried the last hands; else an empty list."""
    untried = race.untried_in_a_row
    if race.hands_played == race.length or untried < MAX_UNTRIED:
        return []
    return [
        words.translate_plural("Nobody tried the last {n} hand.", "Nobody tried the last {n} hands.", untried)
    ]


def render_hands(standings: RaceStandings, words: Words, names: Mapping[int, str]) -> list[Html]:
    """Render one line for each finished hand: the winners with their answer, or the solution."""
    return [_render_hand(number, hand, words, names) for number, hand in enumerate(standings.hands, 1)]


def _render_hand(number: int, hand: RaceHand, words: Words, names: Mapping[int, str]) -> Html:
    """Render the winner with answer, time and points; else the players who scored, or the solution."""
    round = hand.round
    game = GAMES[round.game]
    if round.state is State.WON and round.winner_id is not None:
        winner = format_player_name(names, round.winner_id)
        answer = escape_value(game.format_answer(round.puzzle, round.answer or ""))
        took = format_duration(words, (round.closed or 0) - round.opened)
        return Html(f"#{number} 🏆 {winner}: {answer} · {took} · +{sum(hand.points.values())}")
    if hand.points:
        answer = game.format_answer(round.puzzle, hand.answer) if hand.answer else ""
        suffix = f": {escape_value(answer)}" if answer else ""
        return Html(f"#{number} 🏆 {_render_leaders(hand.points, names, MAX_WINNERS)}{suffix}")
    solution = escape_value(game.solution(round.puzzle)) or render_unsolved(round, words)
    return Html(f"#{number} — {solution}")


def _render_leaders(points: Mapping[int, int], names: Mapping[int, str], limit: int) -> Html:
    leaders = rank_by_points(points)[:limit]
    return Html(" · ".join(f"{format_player_name(names, player)} {n}" for _, player, n in leaders))


def make_race_picture(words: Words, standings: RaceStandings, names: Mapping[int, str]) -> RankingPicture:
    """Make the picture of a race that is over: its ranking."""
    ranking = rank_by_points(standings.points)[:MAX_RANKS]
    return RankingPicture(
        words.translate_plain("The race is over."),
        [RankedLine(rank, names.get(player, INVISIBLE_NAME), points) for rank, player, points in ranking],
    )
