"""/practice, its hands and the button that goes on. They are played in private as all others are there."""

from dataclasses import dataclass, replace
from functools import cache

from bot.database import Tx
from bot.i18n import languages, words
from bot.modes.practice import queries as practices
from bot.modes.practice import view
from bot.modes.practice.rules import choose, level_after, read, weaknesses
from bot.queue.intake import Work
from bot.rounds import entries as handing
from bot.rounds import queries as rounds
from bot.rounds import secrecy
from bot.rounds.commands import (
    hindered,
    limit,
    new_round,
    open_hand,
    out_of_date,
    pressed_round,
    react,
    refusing,
    reply,
    sorry,
)
from bot.rounds.endings import follow
from bot.rounds.known import GAMES
from bot.rounds.puzzle import Entry, Kind, Level, Options, Puzzle, UnknownWordError, folded, numbers_of
from bot.rounds.rules import Round, State, in_time, win
from bot.telegram import messages
from bot.telegram.context import Context, Effect, saying
from bot.telegram.messages import Request
from bot.telegram.routes import Button, Command, Routes
from bot.workers.pool import SolvingError

DRAWS = 5  # Hands that are drawn at most to get one that is on no table
WON, NEAR = "🏆", "👌"
DOOR = "practice"
GAME_OF = {skill: game for game in GAMES.values() for skill in game.skills}
# What is practised unless something else is named; the rest too, once somebody has played it.
USUAL = tuple(skill for game in GAMES.values() if game.kind is Kind.FIRST for skill in game.skills)


@dataclass(frozen=True, slots=True)
class Next:
    """What somebody practises next."""

    skill: str
    level: Level
    chosen: bool  # Whether they named it
    asked: bool  # Whether by the command, which tells what got better
    but: frozenset[tuple[int, ...]]  # the numbers of the puzzles that they practised lately

    @property
    def options(self) -> dict[str, object]:
        """What its round keeps of that."""
        return {"skill": self.skill, "level": self.level, "chosen": self.chosen, "asked": self.asked}


async def practice(context: Context) -> Effect:
    """/practice, alone or with what is to be practised; in a group the way to the private chat."""
    try:
        skill = read(context.argument.replace("_", " "), _names())
    except UnknownWordError as error:
        return refusing(context, view.usage(context.words, error.fragment))
    if not context.chat.private:
        text, keyboard = view.elsewhere(context.words, context.services.me.username or "", skill)
        return saying(context.say(text, keyboard=keyboard))
    return await _go_on(context, skill, asked=True)


@cache
def _names() -> dict[str, str]:
    """Every skill by what it is called in each language, and by its own name."""
    spoken = {
        folded(game.skill_name(words(language), skill)): skill
        for language in languages()
        for skill, game in GAME_OF.items()
    }
    return spoken | {folded(skill): skill for skill in GAME_OF}


async def next_pressed(context: Context) -> Effect:
    """The button under a practised hand that is over: the next one."""
    pressed = await pressed_round(context)
    if pressed is None or pressed.kind is not Kind.PRACTICE or pressed.state is State.OPEN:
        return out_of_date(context)
    skill = str(pressed.options.get("skill", ""))
    named = skill if pressed.options.get("chosen") and skill in GAME_OF else None
    return await _go_on(context, named, asked=False)


async def _go_on(context: Context, skill: str | None, *, asked: bool) -> Effect:
    """Deal the next hand, by the record or of the skill named."""
    if context.player is None:
        return saying(*context.answer())
    if (instead := await hindered(context)) is not None:
        return instead
    player_id = context.player.id
    after = await context.services.store.read(lambda tx: _next(tx, player_id, skill, asked=asked))
    try:
        puzzle = await _deal(context, after)
    except SolvingError:
        return sorry(context)
    except ValueError:
        return refusing(context, view.none_free(context.words))
    return _opening(context, after, puzzle)


def _next(tx: Tx, player_id: int, skill: str | None, *, asked: bool) -> Next:
    before = practices.of_player(tx, player_id)
    hard = skill or _hardest(tx, player_id, len(before))
    level = level_after([one for one in before if one.skill == hard])
    lately = practices.lately(tx, player_id, GAME_OF[hard].key)
    return Next(hard, level, skill is not None, asked, frozenset(lately))


def _hardest(tx: Tx, player_id: int, turn: int) -> str:
    """What is hardest for the person by what they played, with some variation."""
    played = practices.played(tx, player_id)
    known = {skill for hand in played for skill in hand.skills}
    skills = [skill for skill in GAME_OF if skill in USUAL or skill in known]
    return choose(weaknesses(played, skills), turn)


async def _deal(context: Context, after: Next) -> Puzzle:
    """Deal a puzzle whose solution the person may see. Raises ValueError for none, SolvingError."""
    services, game = context.services, GAME_OF[after.skill]
    for _ in range(DRAWS):
        seed = services.seed()
        puzzle: Puzzle = await game.practise(services.solving, after.skill, after.level, seed, after.but)
        numbers = numbers_of(puzzle.line)
        if not await services.store.read(lambda tx, n=numbers: secrecy.find_secret(context, tx, n)):  # type: ignore[misc]
            return puzzle
    raise ValueError(f"every hand is on a table: {after.skill!r}")


def _opening(context: Context, after: Next, puzzle: Puzzle) -> Effect:
    game = GAME_OF[after.skill]
    new = new_round(context, game, puzzle, Options(kind=Kind.PRACTICE), limit(context, game))

    def effect(tx: Tx) -> list[Request]:
        if secrecy.find_secret(context, tx, numbers_of(puzzle.line)):  # somebody was dealt it meanwhile
            return refusing(context, view.none_free(context.words))(tx)
        return open_hand(context, tx, replace(new, options=after.options))

    return effect


def right(context: Context, tx: Tx, round: Round, answer: str) -> list[Request]:
    """A right answer: it ends the hand, unless nearer is possible. Nothing where that is over."""
    if context.player is None or context.player.id != round.dealer_id:
        return []
    game = GAMES[round.game]
    if in_time(round, context.now) and not game.settles(round.puzzle, answer):
        handing.hand_in(tx, round.id, Entry(round.dealer_id, answer, context.now))
        told = view.nearer(context.words, game.shown(round.puzzle, answer))
        return [*react(context, NEAR), reply(context, told), messages.show(round)]
    result = win(round, round.dealer_id, answer, context.now, streak=0)
    if result is None or not rounds.close(tx, result[0]):
        return []
    return [*react(context, WON), *follow(tx, result[0], context.begins)]


ROUTES = Routes(
    commands=[
        Command("practice", practice, Work.WISH, lambda speech: speech.plain("hands by what is hard for you"))
    ],
    buttons=[Button("pr", next_pressed, Work.DEALING)],
    doors={DOOR: practice},
)
