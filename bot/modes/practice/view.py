"""The message of a hand that is practised: what it is for, how it went, what got better."""

from collections.abc import Sequence

from bot.i18n import Html, Words, escape_value, quote_fragment
from bot.modes.practice.rules import HALF, PracticeReport, SkillTrend
from bot.rounds.puzzle import Find, render_level
from bot.rounds.registry import GAMES
from bot.rounds.rules import Round, State
from bot.telegram.messages import Keyboard, Link, format_short_duration

MOST = 3  # Solutions that are shown, and skills that got better


def get_skill_name(words: Words, skill: str) -> str:
    """What a skill is called; itself where no game knows it any more."""
    game = next((game for game in GAMES.values() if skill in game.skills), None)
    return skill if game is None else game.get_skill_name(words, skill)


def render_practice_message(
    round: Round, words: Words, report: PracticeReport, clock: Sequence[Html], *, for_spectator: bool = False
) -> tuple[Html, Keyboard]:
    """The hand as it stands, or its end with the way to the next one; `looks_on`: for who only reads."""
    game = GAMES[round.game]
    heading = Html(f"🏋️ {words.translate('Practice · {skill}', skill=get_skill_name(words, report.skill))}")
    if round.state is not State.OPEN:
        lines = [heading, *game.render_deal(round.puzzle), *_end(round, words, report), *_told(words, report)]
        return Html("\n".join(lines)), [[(words.translate_plain("Next"), f"pr:{round.id}")]]
    task = game.render_rule(words, round, ()) if for_spectator else game.task(words, round, (), private=True)
    lines = [
        *_told(words, report),
        heading,
        *game.render_deal(round.puzzle),
        task,
        words.translate("{level} · no points", level=render_level(words, round.level)),
        *clock,
        *_handed_in(round, words, report),
        *(Html(f"💡 {game.render_hint(words, round.puzzle, number)}") for number in range(round.hints_shown)),
    ]
    row = [(words.translate_plain("Give up"), f"s:{round.id}")]
    if round.hints_shown < game.count_hints(round.puzzle):
        row.insert(0, (words.translate_plain("Hint"), f"h:{round.id}"))
    return Html("\n".join(lines)), [row]


def _handed_in(round: Round, words: Words, session: PracticeReport) -> list[Html]:
    if not session.entry:
        return []
    shown = GAMES[round.game].format_answer(round.puzzle, session.entry)
    return [words.translate("Handed in: {shown}", shown=shown)]


def _end(round: Round, words: Words, session: PracticeReport) -> list[Html]:
    """How it went, in one line, and how it could have been done."""
    game, answer = GAMES[round.game], round.answer or session.entry
    found = [Find(round.dealer_id, answer, "")] if answer else []
    if round.state is State.WON:
        won = [
            Html(f"🏆 <b>{escape_value(game.format_answer(round.puzzle, answer))}</b>"),
            _pace(round, words),
        ]
        return [*won, *game.render_solutions(words, round, found, 1)]
    over = (
        words.translate("Time’s up – no harm done.")
        if round.state is State.EXPIRED
        else words.translate("Like this:")
    )
    return [*_handed_in(round, words, session), over, *game.render_solutions(words, round, found, MOST)]


def _pace(round: Round, words: Words) -> Html:
    """The time, beside the usual one where that is known."""
    took = max(0.0, (round.closed or 0.0) - round.opened)
    if not GAMES[round.game].is_time_measured(round.puzzle):
        return Html(f"⏱ {format_short_duration(words, took)}")
    times = {
        "took": format_short_duration(words, took),
        "usual": format_short_duration(words, round.expected),
    }
    if took <= round.expected:
        return Html(f"⏱ {words.translate('{took}: the usual is {usual}. Well done!', **times)}")
    return Html(f"⏱ {words.translate('{took}; the usual is {usual}.', **times)}")


def _told(words: Words, session: PracticeReport) -> list[Html]:
    """What got better; else what to try, where it is time for that."""
    better = [Html(f"📈 {_better(words, each)}") for each in session.trends[:MOST]]
    if better or not session.gives_advice:
        return better
    game = next((game for game in GAMES.values() if session.skill in game.skills), None)
    return (
        [Html(f"💭 {words.translate('Worth a try:')} {game.render_advice(words, session.skill)}")]
        if game
        else []
    )


def _better(words: Words, progress: SkillTrend) -> Html:
    skill = get_skill_name(words, progress.skill)
    if progress.is_quicker and progress.median_seconds is not None:
        before, after = (format_short_duration(words, seconds) for seconds in progress.median_seconds)
        return words.translate(
            "{skill}: {before} → {after} over your last ten", skill=skill, before=before, after=after
        )
    found = dict(zip(("before", "after"), progress.solved_counts, strict=True))
    return words.translate(
        "{skill}: {before} → {after} of {all} found over your last ten", skill=skill, all=HALF, **found
    )


def render_nearer_is_possible(words: Words, shown: str) -> Html:
    """Said to who came near, where something nearer can be made."""
    return words.translate("{shown}: good, and nearer is possible.", shown=shown)


def render_group_reply(words: Words, username: str, skill: str | None) -> tuple[Html, Keyboard]:
    """Said in a group."""
    door = Link(f"https://t.me/{username}?start=practice{f'_{skill}' if skill else ''}")
    text = words.translate("Practice is between you and me: hands by what is hard for you.")
    return text, [[(words.translate_plain("Practise"), door)]]


def render_usage(words: Words, fragment: str) -> Html:
    """What the command takes, said to somebody who wrote `fragment` behind it."""
    names = [game.get_skill_name(words, skill) for game in GAMES.values() for skill in game.skills]
    return words.translate(
        "“{fragment}”? Behind /practice there is room for one of these: {names}.",
        fragment=quote_fragment(fragment),
        names=", ".join(names),
    )


def render_no_free_hand(words: Words) -> Html:
    """When every hand that was found is on a table, or was there a moment ago."""
    return words.translate("I have no such hand free at the moment. Please try again.")
