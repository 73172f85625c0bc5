"""A player's profile, on one screen of a phone."""

from bot.games.daily.rules import longest, streak
from bot.games.puzzle import level_name
from bot.i18n import Html, Words, name
from bot.people.achievements.view import BETWEEN, titles
from bot.people.stats.queries import Profile, Tally
from bot.people.stats.rules import LINES, calendar, filled, sparkline


def stats(words: Words, who: str, profile: Profile | None, today: str) -> Html:
    """What somebody has done; None of whom nothing is known here."""
    if profile is None or profile.empty:
        return words.say("{name} has not played a round here yet. /play deals a hand.", name=name(who))
    lines = [Html(f"<b>{name(who)}</b>")]
    if profile.here:
        lines.append(_here(words, profile.here))
    if profile.across:
        lines.append(words.say("In all: {score}", score=_score(words, profile.across)))
    if profile.longest:
        row = {"now": profile.streak, "best": profile.longest}
        lines.append(words.say("Won in a row: {now}, at best {best}", **row))
    lines += _best(words, profile)
    if any(profile.duels):
        won, lost = profile.duels
        lines.append(words.say("Duels: {won} won, {lost} lost", won=won, lost=lost))
    lines += [*_days(words, profile, today), *_points(words, profile)]
    return Html("\n".join([*lines, *_earned(words, profile, LINES - len(lines))]))


def _here(words: Words, tally: Tally) -> Html:
    score = _score(words, tally)
    if not tally.rank:
        return words.say("Here: {score}", score=score)
    return words.say("Here: {score}, #{rank}", score=score, rank=tally.rank)


def _score(words: Words, tally: Tally) -> Html:
    points = words.count("{n} point", "{n} points", tally.points)
    return words.say("{points}, won {won} of {played}", points=points, won=tally.wins, played=tally.rounds)


def _best(words: Words, profile: Profile) -> list[Html]:
    times = [f"{level_name(words, level)} {_time(best)}" for level, best in profile.best.items()]
    return [Html(line) for line in filled(times, BETWEEN, "⏱ ")]


def _time(seconds: float) -> str:
    """`1:08`."""
    return f"{round(seconds) // 60}:{round(seconds) % 60:02}"


def _days(words: Words, profile: Profile, today: str) -> list[Html]:
    """How many daily hands were solved and how many in a row, and the calendar of the last weeks."""
    if not profile.days:
        return []
    row = {"now": streak(profile.days, today), "best": longest(profile.days)}
    solved = words.say("Daily hands: {n}, in a row {now}, at best {best}", n=len(profile.days), **row)
    return [solved, Html(calendar(profile.days, today))]


def _points(words: Words, profile: Profile) -> list[Html]:
    if not any(profile.points):
        return []
    return [words.say("30 days: {line}", line=sparkline(profile.points))]


def _earned(words: Words, profile: Profile, room: int) -> list[Html]:
    """What was earned, by name; by their signs alone, where there is no room for all the names."""
    known = titles(words)
    earned = [known[each] for each in profile.earned if each in known]
    lines = filled([title for _, title in earned], BETWEEN, "🏅 ")
    signs = filled([sign for sign, _ in earned], " ", "🏅 ")
    return [Html(line) for line in (lines if len(lines) <= room else signs)]
