"""24 as a game among others: four cards, the four operations, each card once."""

import json
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import solver
from bot.admin.settings.choices import Setting
from bot.games.twentyfour import dealing, hand, pictures, skills
from bot.games.twentyfour.asked import is_playable, offered
from bot.games.twentyfour.hand import COUNTS, FIRST_HANDS, MEASURED_TARGET, Hand, Wanted
from bot.games.twentyfour.hinted import hinted_first
from bot.games.twentyfour.view import (
    advice,
    cards,
    choice,
    crammed,
    mixed,
    no_such_hand,
    own_numbers,
    skill_names,
    tiles,
    too_many_ideas,
    usage,
    wrong,
)
from bot.games.written import reading
from bot.games.written.game import Written
from bot.games.written.trees import SIGNS
from bot.i18n import Html, Words, languages, safe
from bot.i18n import words as spoken_in
from bot.pictures.values import Deal, Node
from bot.rounds.puzzle import LEVELS, DealError, Find, Fit, Kind, Level, Options, Tiles, Verdict, level_names
from bot.rounds.rules import Round
from bot.telegram.messages import Keyboard
from bot.workers.pool import Pool


class TwentyFour(Written[Hand]):
    """The game of 24."""

    key = "24"
    command = "play"
    example = "8/(3-8/3)"
    skills = skills.SKILLS

    def menu(self, words: Words) -> str:
        return words.plain("deal a hand")

    def options(self, words: Words, text: str) -> Wanted:
        """`hard`, `36`, `5`, `all`. Raises UnknownWordError."""
        return hand.wanted(text, level_names(words), words.plain("all"))

    def usage(self, words: Words, fragment: str) -> Html:
        return usage(words, fragment)

    def own(self, words: Words, text: str, *, private: bool) -> tuple[Html, Keyboard | None] | None:
        """In private the choice that typed numbers get, elsewhere a line."""
        asked = offered(text)
        if asked is None:
            return None
        if not private:
            return own_numbers(words, str(asked)), None
        return choice(words, asked.numbers, asked.target, playable=is_playable(asked))

    async def deal(self, pool: Pool, chosen: Mapping[str, Any], options: Options, seed: int) -> Hand:
        """A hand; where every idea is to be found, one that has several, and not too many."""
        usual, wanted = hand.chosen(chosen), _wanted(options)
        draw = dealing.deal_all if options.kind is Kind.ALL else dealing.deal
        count = wanted.cards or usual.cards
        try:
            return await draw(
                pool, seed, count, usual.highest, wanted.target or usual.target, options.level or usual.level
            )
        except dealing.TooManyIdeasError:
            raise DealError(lambda words: too_many_ideas(words, count)) from None
        except ValueError:
            raise DealError(no_such_hand) from None

    async def lesson(self, pool: Pool, seed: int) -> Hand:
        """A hand that is done by one kind of step, or nearly."""
        return await dealing.of(pool, FIRST_HANDS[seed % len(FIRST_HANDS)], MEASURED_TARGET)

    def of_the_day(self, level: Level) -> Options:
        return Options(level)

    def alike(self, puzzle: Hand, kind: Kind) -> Wanted:
        """The same level, count of cards and target."""
        level = next((known for known in LEVELS if known == puzzle.level), None)
        return Wanted(level, kind, len(puzzle.numbers), puzzle.target)

    def pack_options(self, options: Options) -> dict[str, Any]:
        return hand.pack_wanted(_wanted(options))

    def unpack_options(self, packed: Mapping[str, Any], kind: Kind) -> Wanted:
        return hand.unpack_wanted(packed, kind)

    def usual(self) -> Collection[str]:
        """Levels and counts of cards."""
        return _level_names() | {str(count) for count in dealing.QUICK_CARDS}

    def settings(self, words: Words, stored: Mapping[str, Any]) -> list[Setting]:
        """The highest card, the count of cards, the target."""
        return hand.settings(words, hand.chosen(stored))

    def pack(self, puzzle: Hand) -> dict[str, Any]:
        return hand.pack(puzzle)

    def unpack(self, packed: Mapping[str, Any], level: str, expected: float) -> Hand:
        return hand.unpack(packed, level, expected)

    def answers(self, puzzle: Hand) -> tuple[str, ...]:
        """The plainest expression of each idea."""
        return puzzle.ideas

    def proof(self, puzzle: Hand) -> str:
        return puzzle.proof

    # Right answers

    def check(self, puzzle: Hand, text: str) -> Verdict:
        """By exact fractions, whatever stands around the answer."""
        verdict, is_one = reading.judge(text, puzzle.numbers, puzzle.target)
        if isinstance(verdict, solver.Correct):
            return Verdict(Fit.RIGHT, str(verdict.expression))

        def why(words: Words) -> Html:
            return wrong(words, verdict, puzzle.target)

        if not is_one:
            return Verdict(Fit.TALK, why=why)
        if isinstance(verdict, solver.WrongValue):
            off = float(abs(verdict.value - puzzle.target))
            return Verdict(Fit.WRONG, str(verdict.expression), verdict.value, off, why)
        fit = Fit.OTHER if isinstance(verdict, solver.WrongNumbers) else Fit.UNREADABLE
        return Verdict(fit, why=why)

    def part(self, round: Round, answer: str, found: Sequence[Find]) -> str:
        """The idea, by its plainest expression or the one that was found first."""
        return hand.name_idea(answer, [*_of(round).ideas, *(f.part for f in found)])

    def is_done(self, round: Round, found: Sequence[Find]) -> bool:
        """Whether every idea is found, where the list is whole."""
        return _of(round).whole and not hand.missing(_of(round), found)

    # What can be practised

    def skill_name(self, words: Words, skill: str) -> str:
        return skill_names(words)[skill]

    def advice(self, words: Words, skill: str) -> Html:
        return advice(words, skill)

    def skills_of(self, puzzle: Hand) -> frozenset[str]:
        return skills.skills_of(puzzle)

    async def practise(
        self, pool: Pool, skill: str, level: Level, seed: int, but: Collection[tuple[int, ...]]
    ) -> Hand:
        return await dealing.practise(pool, skill, level, seed, but)

    # What is said

    def about(self, words: Words) -> Html:
        """The rules in two short lines."""
        return words.say("<b>Twenty-Four</b>: I deal four numbers.\nUse each once to make 24: + − × ÷ ( ).")

    def greeting(self, words: Words) -> Html:
        """An invitation in one short line."""
        return words.say("Hi! Four numbers make 24. Who’s first?")

    def dealt(self, puzzle: Hand) -> list[Html]:
        """The hand as cards, and its line."""
        return [Html(f"🃏 <b>{safe(cards(puzzle.numbers))}</b>"), Html(safe(puzzle.line))]

    def table(self, puzzle: Hand) -> Deal | None:
        return pictures.of(puzzle) if len(puzzle.numbers) in COUNTS else None

    def tiles(self, puzzle: Hand) -> Tiles:
        return tiles(puzzle)

    def tree(self, puzzle: Hand, answer: str) -> Node | None:
        return pictures.tree(puzzle, answer) if len(puzzle.numbers) in COUNTS else None

    def task(self, words: Words, round: Round, found: Sequence[Find], *, private: bool) -> Html:
        """Each number once; how to answer, or how many ideas are found."""
        held = _of(round)
        if round.kind is Kind.ALL and not held.whole:
            return words.say("Find every idea: {found} so far. Use each number once.", found=len(found))
        if round.kind is Kind.ALL:
            return words.say(
                "Find every idea: {found} of {all}. Use each number once.",
                found=len(held.ideas) - len(hand.missing(held, found)),
                all=len(held.ideas),
            )
        if private:
            return words.say("Use each number once. Send your answer.")
        return words.say("Use each number once. Reply to answer.")

    def rule(self, words: Words, round: Round, found: Sequence[Find]) -> Html:
        """Each number once, or how many ideas are found."""
        if round.kind is Kind.ALL:
            return self.task(words, round, found, private=True)
        return words.say("Use each number once.")

    def shown(self, puzzle: Hand, answer: str) -> str:
        """The expression with what it makes."""
        return f"{answer} = {puzzle.target}"

    def progress(self, words: Words, round: Round, found: Sequence[Find]) -> Html:
        """How many ideas were found, of how many if that is known."""
        held = _of(round)
        if not (held.whole and held.ideas):
            return words.count("{n} idea was found.", "{n} ideas were found.", len(found))
        left = hand.missing(held, found)
        if not left:
            return words.say("Every idea is found!")
        count = len(held.ideas) - len(left)
        return words.say("{found} of {all} ideas were found.", found=count, all=len(held.ideas))

    def solutions(self, words: Words, round: Round, found: Sequence[Find], most: int) -> list[Html]:
        """The easiest ideas that nobody found, and how many more there are, if that is known.

        The one on which the hints are comes first; a single one more is shown too.
        """
        held = _of(round)
        left = hinted_first(held, hand.missing(held, found, None if round.kind is Kind.ALL else round.answer))
        room = most + 1 if len(left) == most + 1 else most  # a line that counts one could as well show it
        shown = [Html(f"💭 <b>{safe(self.shown(held, idea))}</b>") for idea in left[:room]]
        more = len(left) - len(shown)
        if more <= 0:
            return shown
        if not held.whole:
            return [*shown, words.say("… and there are more ideas.")]
        return [*shown, words.count("… and {n} more idea.", "… and {n} more ideas.", more)]

    def instead(self, words: Words, text: str) -> Html | None:
        """The hand with spaces, for one in a word: `3838`. A word of letters may be any word."""
        apart = hand.set_apart(text) if any(c.isdigit() for c in text) else None
        return None if apart is None else crammed(words, apart)

    def solution(self, puzzle: Hand) -> str:
        """The idea on which the hints are, or the easiest."""
        return self.shown(puzzle, hinted_first(puzzle, puzzle.ideas)[0]) if puzzle.ideas else ""

    def is_measured(self, puzzle: Hand) -> bool:
        return solver.is_measured(puzzle.numbers, puzzle.target)

    def value(self, value: Fraction) -> str:
        """`23 1/9`."""
        return mixed(value)

    def hints(self, puzzle: Hand) -> int:
        """Three for most hands."""
        return len(puzzle.hints)

    def hint(self, words: Words, puzzle: Hand, number: int) -> Html:
        """One hint in words."""
        kind, *values = json.loads(puzzle.hints[number])
        if kind == "last":
            return words.say("The last step is {sign}.", sign=SIGNS.get(values[0], values[0]))
        if kind == "make":
            value, numbers = values
            return words.say(
                "Make {value} out of {numbers}.", value=value, numbers=", ".join(numbers.split())
            )
        return words.say("It looks like this: {shape}", shape=values[0])


def _wanted(options: Options) -> Wanted:
    """The options as this game has them."""
    return options if isinstance(options, Wanted) else Wanted(options.level, options.kind)


def _of(round: Round) -> Hand:
    if not isinstance(round.puzzle, Hand):
        raise TypeError(f"a round of another game: {round.game!r}")
    return round.puzzle


@cache
def _level_names() -> frozenset[str]:
    """What the levels are called, in all languages."""
    return frozenset(LEVELS).union(*(level_names(spoken_in(language)) for language in languages()))
