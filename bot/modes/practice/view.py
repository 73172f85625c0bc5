"""The message of a hand that is practised: what it is for, how it went, what got better."""

from collections.abc import Sequence

from bot.i18n import Html, Words, quoted, safe
from bot.modes.practice.rules import HALF, Progress, Session
from bot.rounds.known import GAMES
from bot.rounds.puzzle import Find, level_name
from bot.rounds.rules import Round, State
from bot.telegram.messages import Keyboard, Link, short_time

MOST = 3  # Solutions that are shown, and skills that got better


def skill_name(words: Words, skill: str) -> str:
    """What a skill is called; itself where no game knows it any more."""
    game = next((game for game in GAMES.values() if skill in game.skills), None)
    return skill if game is None else game.skill_name(words, skill)


def living(
    round: Round, words: Words, session: Session, clock: Sequence[Html], *, looks_on: bool = False
) -> tuple[Html, Keyboard]:
    """The hand as it stands, or its end with the way to the next one; `looks_on`: for who only reads."""
    game = GAMES[round.game]
    heading = Html(f"🏋️ {words.say('Practice · {skill}', skill=skill_name(words, session.skill))}")
    if round.state is not State.OPEN:
        lines = [heading, *game.dealt(round.puzzle), *_end(round, words, session), *_told(words, session)]
        return Html("\n".join(lines)), [[(words.plain("Next"), f"pr:{round.id}")]]
    task = game.rule(words, round, ()) if looks_on else game.task(words, round, (), private=True)
    lines = [
        *_told(words, session),
        heading,
        *game.dealt(round.puzzle),
        task,
        words.say("{level} · no points", level=level_name(words, round.level)),
        *clock,
        *_handed_in(round, words, session),
        *(Html(f"💡 {game.hint(words, round.puzzle, number)}") for number in range(round.hints)),
    ]
    row = [(words.plain("Give up"), f"s:{round.id}")]
    if round.hints < game.hints(round.puzzle):
        row.insert(0, (words.plain("Hint"), f"h:{round.id}"))
    return Html("\n".join(lines)), [row]


def _handed_in(round: Round, words: Words, session: Session) -> list[Html]:
    if not session.entry:
        return []
    shown = GAMES[round.game].shown(round.puzzle, session.entry)
    return [words.say("Handed in: {shown}", shown=shown)]


def _end(round: Round, words: Words, session: Session) -> list[Html]:
    """How it went, in one line, and how it could have been done."""
    game, answer = GAMES[round.game], round.answer or session.entry
    found = [Find(round.dealer_id, answer, "")] if answer else []
    if round.state is State.WON:
        won = [Html(f"🏆 <b>{safe(game.shown(round.puzzle, answer))}</b>"), _pace(round, words)]
        return [*won, *game.solutions(words, round, found, 1)]
    over = words.say("Time’s up – no harm done.") if round.state is State.EXPIRED else words.say("Like this:")
    return [*_handed_in(round, words, session), over, *game.solutions(words, round, found, MOST)]


def _pace(round: Round, words: Words) -> Html:
    """The time, beside the usual one where that is known."""
    took = max(0.0, (round.closed or 0.0) - round.opened)
    if not GAMES[round.game].is_measured(round.puzzle):
        return Html(f"⏱ {short_time(words, took)}")
    times = {"took": short_time(words, took), "usual": short_time(words, round.expected)}
    if took <= round.expected:
        return Html(f"⏱ {words.say('{took}: the usual is {usual}. Well done!', **times)}")
    return Html(f"⏱ {words.say('{took}; the usual is {usual}.', **times)}")


def _told(words: Words, session: Session) -> list[Html]:
    """What got better; else what to try, where it is time for that."""
    better = [Html(f"📈 {_better(words, each)}") for each in session.progress[:MOST]]
    if better or not session.advised:
        return better
    game = next((game for game in GAMES.values() if session.skill in game.skills), None)
    return [Html(f"💭 {words.say('Worth a try:')} {game.advice(words, session.skill)}")] if game else []


def _better(words: Words, progress: Progress) -> Html:
    skill = skill_name(words, progress.skill)
    if progress.quicker and progress.seconds is not None:
        before, after = (short_time(words, seconds) for seconds in progress.seconds)
        return words.say(
            "{skill}: {before} → {after} over your last ten", skill=skill, before=before, after=after
        )
    found = dict(zip(("before", "after"), progress.found, strict=True))
    return words.say(
        "{skill}: {before} → {after} of {all} found over your last ten", skill=skill, all=HALF, **found
    )


def nearer(words: Words, shown: str) -> Html:
    """Said to who came near, where something nearer can be made."""
    return words.say("{shown}: good, and nearer is possible.", shown=shown)


def elsewhere(words: Words, username: str, skill: str | None) -> tuple[Html, Keyboard]:
    """Said in a group."""
    door = Link(f"https://t.me/{username}?start=practice{f'_{skill}' if skill else ''}")
    text = words.say("Practice is between you and me: hands by what is hard for you.")
    return text, [[(words.plain("Practise"), door)]]


def usage(words: Words, fragment: str) -> Html:
    """What the command takes, said to somebody who wrote `fragment` behind it."""
    names = [game.skill_name(words, skill) for game in GAMES.values() for skill in game.skills]
    return words.say(
        "“{fragment}”? Behind /practice there is room for one of these: {names}.",
        fragment=quoted(fragment),
        names=", ".join(names),
    )


def none_free(words: Words) -> Html:
    """When every hand that was found is on a table, or was there a moment ago."""
    return words.say("I have no such hand free at the moment. Please try again.")
