"""What a race's one message shows beside the hand on the table: the hands before, the table at the end."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bot.i18n import Html, Words, safe
from bot.modes.duel.rules import Duel
from bot.modes.race.rules import LEFT_ALONE, Race
from bot.rounds.ended import unsolved
from bot.rounds.known import GAMES
from bot.rounds.rules import Round, State, ranked
from bot.telegram.messages import player, seconds

LEGS_SHOWN = 3  # Hands that are shown while the race goes on; at its end, all of them
LEADERS_SHOWN = 5
WINNERS_SHOWN = 2  # Of each hand in which several score
RANKS_SHOWN = 20  # Lines of a table at most


@dataclass(frozen=True, slots=True)
class Leg:
    """A hand of a race that is over."""

    round: Round
    earned: Mapping[int, int]  # Points by player
    answer: str = ""  # The first of those that earned them, where several may


@dataclass(frozen=True, slots=True)
class Standings:
    """How a race stands."""

    race: Race
    legs: Sequence[Leg]
    points: Mapping[int, int]  # By player
    stops: int = 0  # Votes to end it
    duel: Duel | None = None  # The duel whose hands these are
    score: Mapping[int, int] = field(default_factory=dict)  # Hands of the duel that were won, by player


def heading(standings: Standings, words: Words, names: Mapping[int, str]) -> list[Html]:
    """Above the hand on the table: which one it is, who leads, and how the last ones went."""
    race = standings.race
    title = words.say("Race: hand {number} of {length}", number=race.played + 1, length=race.length)
    lines = [Html(f"🏁 {title}")]
    if standings.points:
        lines.append(_leaders(standings.points, names, LEADERS_SHOWN))
    return [*lines, *latest_legs(standings, words, names), Html("")]


def finish(standings: Standings, words: Words, names: Mapping[int, str]) -> Html:
    """The race is over: its table, and how each hand went."""
    race = standings.race
    lines = [Html(f"🏁 {words.say('The race is over.')}")]
    if race.played < race.length and race.unanswered >= LEFT_ALONE:
        lines.append(
            words.count(
                "Nobody tried the last {n} hand.", "Nobody tried the last {n} hands.", race.unanswered
            )
        )
    lines += [
        Html(f"{rank}. {player(names, who)} — {n}") for rank, who, n in ranked(standings.points)[:RANKS_SHOWN]
    ]
    return Html("\n".join([*lines, Html(""), *all_legs(standings, words, names)]))


def latest_legs(standings: Standings, words: Words, names: Mapping[int, str]) -> list[Html]:
    """How the last hands went, a line each."""
    return all_legs(standings, words, names)[-LEGS_SHOWN:]


def all_legs(standings: Standings, words: Words, names: Mapping[int, str]) -> list[Html]:
    """How each hand went, a line each."""
    return [_leg(number, leg, words, names) for number, leg in enumerate(standings.legs, 1)]


def _leaders(points: Mapping[int, int], names: Mapping[int, str], most: int) -> Html:
    """Up to `most` players who have most of the points, in a line."""
    first = ranked(points)[:most]
    return Html(" · ".join(f"{player(names, who)} {n}" for _, who, n in first))


def _leg(number: int, leg: Leg, words: Words, names: Mapping[int, str]) -> Html:
    """How one hand went, in a line."""
    won = leg.round
    if won.state is State.WON and won.winner_id is not None:
        took = seconds(words, (won.closed or 0) - won.opened)
        solved = safe(GAMES[won.game].shown(won.puzzle, won.answer or ""))
        worth = sum(leg.earned.values())
        return Html(f"#{number} 🏆 {player(names, won.winner_id)}: {solved} · {took} · +{worth}")
    if leg.earned:
        shown = GAMES[won.game].shown(won.puzzle, leg.answer) if leg.answer else ""
        solved = Html(f": {safe(shown)}") if shown else ""
        return Html(f"#{number} 🏆 {_leaders(leg.earned, names, WINNERS_SHOWN)}{solved}")
    shown = safe(GAMES[won.game].solution(won.puzzle)) or unsolved(won, words)
    return Html(f"#{number} — {shown}")
