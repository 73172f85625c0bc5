"""What a game must provide, and what it may.

Rounds, races, daily hands, hints, boards and figures know games only through this. All of it is pure but
what is awaited, which asks the workers. A game is one object without state; what was dealt is a `Puzzle`, and
how it stands a `Round`. Its numbers keep it secret: see `bot.rounds.secrecy`.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar, Generic, TypeVar, cast

import solver
from bot.admin.settings.choices import Setting
from bot.i18n import Html, Words, escape_value
from bot.pictures.values import Node, Picture
from bot.rounds.puzzle import (
    LEVELS,
    Entry,
    Explanation,
    Find,
    Kind,
    Level,
    Options,
    PlayerResult,
    Puzzle,
    Tiles,
    UnknownWordError,
    Verdict,
    get_levels_by_name,
    normalize_word,
    render_level,
    split_argument,
    unpack_level,
)
from bot.rounds.rules import Award, Round
from bot.standings.ratings.rules import Match, Result
from bot.telegram.messages import Keyboard
from bot.workers.pool import SolverPool

P = TypeVar("P", bound=Puzzle)


class Game(ABC, Generic[P]):
    """One game."""

    key: ClassVar[str]  # Names it in the database, for good: small letters and digits, and no other game's
    command: ClassVar[str]  # That deals it
    aliases: ClassVar[tuple[str, ...]] = ()  # Other names of that command, which no menu lists
    title: ClassVar[str] = ""  # What it is called, in every language; its key where it has no other name
    # Whether a level can be asked for. Where not, who asks a race or a duel for one is told so.
    has_levels: ClassVar[bool] = True
    default_kind: ClassVar[Kind] = Kind.FIRST  # What ends its rounds, unless something else is asked for
    skills: ClassVar[tuple[str, ...]] = ()  # What can be practised in it, by the names that the database has
    example_answer: ClassVar[str] = "…"  # An answer as people write it, to show how

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.title = cls.title or getattr(cls, "key", "")

    @abstractmethod
    def render_menu_line(self, words: Words) -> str:
        """What the command does, in the menu."""

    @abstractmethod
    async def deal(self, pool: SolverPool, chosen: Mapping[str, Any], options: Options, seed: int) -> P:
        """A puzzle by what the chat `chosen` and somebody asked for; the same for the same `seed`.

        Raises DealError when there is none, SolvingError when it can't be had in time.
        """

    async def deal_lesson(self, pool: SolverPool, seed: int) -> P:
        """One of the easiest puzzles, for somebody who never played. Raises as `deal`."""
        return await self.deal(pool, {}, Options(LEVELS[0]), seed)

    @abstractmethod
    def check(self, puzzle: P, text: str) -> Verdict:
        """What a text is to the puzzle."""

    @abstractmethod
    def pack(self, puzzle: P) -> dict[str, Any]:
        """The puzzle as JSON, with the version `v` of that."""

    @abstractmethod
    def unpack(self, packed: Mapping[str, Any], level: str, expected: float) -> P:
        """The puzzle as it was packed by this version or an earlier one. Raises ValueError."""

    def parse_options(self, words: Words, text: str) -> Options:
        """What stands behind the command: a level, where the game has `levels`. Raises UnknownWordError."""
        level: Level | None = None
        for word in split_argument(text):
            named = (
                get_levels_by_name(words).get(normalize_word(word))
                if self.has_levels and level is None
                else None
            )
            if named is None:
                raise UnknownWordError(word)
            level = named
        return Options(level, self.default_kind)

    def get_race_options(self, level: Level | None) -> Options:
        """The options of every hand of a race. Raises DealError, which says so, where it has no races."""
        return Options(level, self.default_kind)

    def pack_options(self, options: Options) -> dict[str, Any]:
        """What was asked of a deal as JSON, but for the kind, which its round has."""
        return {"level": options.level} if options.level else {}

    def unpack_options(self, packed: Mapping[str, Any], kind: Kind) -> Options:
        """What was asked again; what can't be read of it counts as not asked."""
        return Options(unpack_level(packed), kind)

    def render_usage(self, words: Words, fragment: str) -> Html:
        """What the command takes, said to somebody who wrote `fragment` behind it."""
        if self.has_levels:
            return words.translate(
                "“{fragment}”? /{name} takes a level: {levels}.",
                fragment=fragment,
                name=self.command,
                levels=", ".join(render_level(words, level) for level in LEVELS),
            )
        return words.translate(
            "“{fragment}”? /{name} takes nothing more.", fragment=fragment, name=self.command
        )

    def render_own_puzzle(
        self, words: Words, text: str, *, private: bool
    ) -> tuple[Html, Keyboard | None] | None:
        """What works for a puzzle of somebody's own, named behind the command; None where none is."""
        return None

    def get_similar_options(self, puzzle: P, kind: Kind) -> Options:
        """The options by which another puzzle of the same kind is dealt."""
        return Options(kind=kind)

    def get_quick_words(self) -> Collection[str]:
        """Words behind the command with which a puzzle is found at once, `folded`, in all languages."""
        return ()

    def list_settings(self, words: Words, stored: Mapping[str, Any]) -> Sequence[Setting]:
        """What admins may choose of it, where `stored` holds."""
        return ()

    def list_best_answers(self, puzzle: P) -> tuple[str, ...]:
        """The right answers, or the best ones, plainest first; they are shown once the puzzle is over."""
        return ()

    def get_proof(self, puzzle: P) -> str:
        """What proves that chance dealt it (see `solver.fair`); empty where nothing was committed to."""
        return ""

    # The hand of a day

    def get_daily_options(self, level: Level) -> Options | None:
        """The options of the hand of a day on which that level is due; None where it has no such hands."""
        return None

    def check_daily(self, puzzle: P, text: str) -> Verdict:
        """What a text is to the hand of a day, which only a right answer ends, however long that takes."""
        return self.check(puzzle, text)

    def render_daily_task(self, words: Words) -> Html | None:
        """What is to be done with the hand of a day, where its line and the game's name don't say it."""
        return None

    # What people write

    def looks_like_answer(self, text: str) -> bool:
        """A quick look that spares ordinary talk its work."""
        return self.is_answer(text)

    def is_answer(self, text: str) -> bool:
        """Whether a text can be read as an answer to some puzzle of it."""
        return False

    def may_contain_answer(self, text: str) -> bool:
        """Whether an answer may stand in a text, also among words; what holds none is not stored."""
        return self.is_answer(text)

    # Right answers

    def identify_part(self, round: Round, answer: str, found: Sequence[Find]) -> str:
        """What of the puzzle a right answer is, where all is to be found: the same for the same idea."""
        return answer

    def is_everything_found(self, round: Round, found: Sequence[Find]) -> bool:
        """Whether nothing is left to find."""
        return False

    def get_time_limit(self, chosen: Mapping[str, Any]) -> float | None:
        """How long a round of it lasts by what the chat `chosen`; None: as long as rounds last there."""
        return None

    def get_early_deadline(self, round: Round, entries: Sequence[Entry], told: float) -> float | None:
        """When a round of the kind *best* is over by what was handed in; None: when its time is.

        Nobody knows of an end before `told`, when the last of it was dealt with; then it is final.
        """
        return None

    def is_valid_entry(self, answer: str) -> bool:
        """Whether what is stored of an entry can be read."""
        return True

    def award_entries(self, round: Round, entries: Sequence[Entry]) -> tuple[Award, ...]:
        """What the entries earn at the end, best first, in a round of the kind *best*.

        The points are the game's own: what is to be taken off for `round.hints`, it takes off here.
        """
        return ()

    def make_rating_match(self, round: Round, played: Sequence[PlayerResult]) -> Match:
        """Who of those who tried did how well in a round that is over, and against what: ratings follow it.

        Here by points; whoever has some has beaten the puzzle, no opponent in a round of the kind *best*.
        """
        took = [p.seconds if round.kind is Kind.FIRST and p.points else None for p in played]
        results = [Result(p.player_id, -p.points or 1, t) for p, t in zip(played, took, strict=True)]
        return Match(
            results, expected=None if round.kind is Kind.BEST else round.expected, hints=round.hints_shown
        )

    # What is explained, and what can be practised

    def list_steps(self, answer: str) -> Sequence[str]:
        """A right answer worked out, a line for each step; nothing where the game shows none of its own."""
        return ()

    def claims_expression(self, expression: solver.Expression) -> bool:
        """Whether an expression alone looks like an answer to this game rather than to another."""
        return False

    def can_explain(self, line: str) -> bool:
        """Whether somebody who names that line asks what `explain` answers."""
        return False

    def render_question_error(self, words: Words, line: str) -> Html | None:
        """What is wrong with a line that almost asks for a puzzle of this game; None for any other."""
        return None

    async def explain(self, pool: SolverPool, line: str) -> Explanation:
        """The best answer to such a line. Raises SolvingError when it can't be had in time."""
        raise LookupError(f"no question of this game: {line!r}")

    def get_skill_name(self, words: Words, skill: str) -> str:
        """What one of its `skills` is called."""
        return skill

    def render_advice(self, words: Words, skill: str) -> Html:
        """What to try, for somebody who finds it hard."""
        return Html("")

    def get_skills(self, puzzle: P) -> Collection[str]:
        """The skills that a puzzle needs."""
        return ()

    async def deal_practice(
        self, pool: SolverPool, skill: str, level: Level, seed: int, but: Collection[tuple[int, ...]]
    ) -> P:
        """A puzzle that needs the skill, of that level or the nearest, without the numbers in `but` (sorted).

        Raises ValueError when none turns up, SolvingError when it can't be had in time.
        """
        raise LookupError(f"nothing is practised in this game: {skill!r}")

    def is_best_answer(self, puzzle: P, answer: str) -> bool:
        """Whether there is nothing better than a right answer; in practice it ends the hand."""
        return True

    # What is said

    def render_about(self, words: Words) -> Html:
        """What the game is, on top of the help."""
        return Html(escape_value(self.render_menu_line(words)))

    def render_greeting(self, words: Words) -> Html:
        """The first word in a group, where it is the game that is played unless another is named."""
        return self.render_about(words)

    def render_deal(self, puzzle: P) -> list[Html]:
        """What is on the table, with its line on a line of its own."""
        return [Html(escape_value(puzzle.line))]

    def make_deal_picture(self, puzzle: P) -> Picture | None:
        """What is on the table as a picture, the same for the same puzzle."""
        return None

    def get_tiles(self, puzzle: P) -> Tiles | None:
        """What is on the table as numbers to tap; None where it isn't played so."""
        return None

    def make_solution_tree(self, puzzle: P, answer: str) -> Node | None:
        """How a right answer makes what it makes, of what is on the table."""
        return None

    def get_missed_target(self, puzzle: P, answer: str) -> str:
        """What was to be made, where the best answer makes something else; a picture of it says so."""
        return ""

    @abstractmethod
    def task(self, words: Words, round: Round, found: Sequence[Find], *, private: bool) -> Html:
        """What is to be done, in a sentence or two; `private`: an answer needs no reply."""

    def render_rule(self, words: Words, round: Round, found: Sequence[Find]) -> Html:
        """The same to who only looks on, and is asked for nothing."""
        return self.task(words, round, found, private=True)

    def format_answer(self, puzzle: P, answer: str) -> str:
        """A right answer as people read it."""
        return answer

    def render_progress(self, words: Words, round: Round, found: Sequence[Find]) -> Html:
        """How much was found at the end, where all was to be found."""
        return words.translate_plural("{n} answer was found.", "{n} answers were found.", len(found))

    def render_solutions(self, words: Words, round: Round, found: Sequence[Find], limit: int) -> list[Html]:
        """Up to `most` answers that nobody found, as a round's end shows them; here some of `answers`."""
        puzzle, known = cast("P", round.puzzle), {round.answer, *(find.answer for find in found)}
        left = [answer for answer in self.list_best_answers(puzzle) if answer not in known]
        return [
            Html(f"💭 <b>{escape_value(self.format_answer(puzzle, answer))}</b>") for answer in left[:limit]
        ]

    def suggest_command(self, words: Words, text: str) -> Html | None:
        """What to write instead of a text that no hand is for; None for any other."""
        return None

    def solution(self, puzzle: P) -> str:
        """One answer, in short; empty where there is none to show, and the message then says how it ended."""
        return ""

    def is_time_measured(self, puzzle: P) -> bool:
        """Whether the time that practised players need for such puzzles is known, and not only reckoned."""
        return False

    def format_value(self, value: Fraction) -> str:
        """What a wrong answer makes, as people read it."""
        return str(value)

    def count_hints(self, puzzle: P) -> int:
        """How many hints there are."""
        return 0

    def render_hint(self, words: Words, puzzle: P, number: int) -> Html:
        """The hint of that number, from 0."""
        return Html("")
