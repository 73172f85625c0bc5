"""/practice, its hands and the button that goes on. They are played in private as all others are there."""

from dataclasses import dataclass, replace
from functools import cache

from bot.database import Tx
from bot.i18n import get_words, list_languages
from bot.modes.practice import queries as practices
from bot.modes.practice import view
from bot.modes.practice.rules import choose_level, choose_skill, compute_weaknesses, parse_skill
from bot.queue.admission import UpdateKind
from bot.rounds import attempts as handing
from bot.rounds import queries as rounds
from bot.rounds import secrecy
from bot.rounds.commands import (
    apologize_for_timeout,
    get_round_seconds,
    load_deal_refusal,
    load_pressed_round,
    make_notice_effect,
    make_round,
    open_and_show_round,
    react,
    refuse_old_button,
    reply,
)
from bot.rounds.puzzle import (
    Entry,
    Kind,
    Level,
    Options,
    Puzzle,
    UnknownWordError,
    normalize_word,
    parse_hand_numbers,
)
from bot.rounds.registry import GAMES
from bot.rounds.round_end import show_end_and_deal_next
from bot.rounds.rules import Round, State, is_in_time, win_round
from bot.telegram import messages
from bot.telegram.context import Context, Effect, send_only
from bot.telegram.messages import Request
from bot.telegram.routes import ButtonRoute, CommandRoute, Routes
from bot.workers.pool import SolvingError

DRAWS = 5  # Hands that are drawn at most to get one that is on no table
WON, NEAR = "🏆", "👌"
DOOR = "practice"
GAME_OF = {skill: game for game in GAMES.values() for skill in game.skills}
# What is practised unless something else is named; the rest too, once somebody has played it.
USUAL = tuple(skill for game in GAMES.values() if game.default_kind is Kind.FIRST for skill in game.skills)


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
        skill = parse_skill(context.argument.replace("_", " "), _names())
    except UnknownWordError as error:
        return make_notice_effect(context, view.render_usage(context.words, error.fragment))
    if not context.chat.private:
        text, keyboard = view.render_group_reply(context.words, context.services.me.username or "", skill)
        return send_only(context.reply(text, keyboard=keyboard))
    return await _go_on(context, skill, asked=True)


@cache
def _names() -> dict[str, str]:
    """Every skill by what it is called in each language, and by its own name."""
    spoken = {
        normalize_word(game.get_skill_name(get_words(language), skill)): skill
        for language in list_languages()
        for skill, game in GAME_OF.items()
    }
    return spoken | {normalize_word(skill): skill for skill in GAME_OF}


async def next_pressed(context: Context) -> Effect:
    """The button under a practised hand that is over: the next one."""
    pressed = await load_pressed_round(context)
    if pressed is None or pressed.kind is not Kind.PRACTICE or pressed.state is State.OPEN:
        return refuse_old_button(context)
    skill = str(pressed.options.get("skill", ""))
    named = skill if pressed.options.get("chosen") and skill in GAME_OF else None
    return await _go_on(context, named, asked=False)


async def _go_on(context: Context, skill: str | None, *, asked: bool) -> Effect:
    """Deal the next hand, by the record or of the skill named."""
    if context.player is None:
        return send_only(*context.answer_press())
    if (instead := await load_deal_refusal(context)) is not None:
        return instead
    player_id = context.player.id
    after = await context.services.store.read(lambda tx: _next(tx, player_id, skill, asked=asked))
    try:
        puzzle = await _deal(context, after)
    except SolvingError:
        return apologize_for_timeout(context)
    except ValueError:
        return make_notice_effect(context, view.render_no_free_hand(context.words))
    return _opening(context, after, puzzle)


def _next(tx: Tx, player_id: int, skill: str | None, *, asked: bool) -> Next:
    before = practices.load_practised_hands(tx, player_id)
    hard = skill or _hardest(tx, player_id, len(before))
    level = choose_level([one for one in before if one.skill == hard])
    lately = practices.load_latest_numbers(tx, player_id, GAME_OF[hard].key)
    return Next(hard, level, skill is not None, asked, frozenset(lately))


def _hardest(tx: Tx, player_id: int, turn: int) -> str:
    """What is hardest for the person by what they played, with some variation."""
    played = practices.load_played_hands(tx, player_id)
    known = {skill for hand in played for skill in hand.skills}
    skills = [skill for skill in GAME_OF if skill in USUAL or skill in known]
    return choose_skill(compute_weaknesses(played, skills), turn)


async def _deal(context: Context, after: Next) -> Puzzle:
    """Deal a puzzle whose solution the person may see. Raises ValueError for none, SolvingError."""
    services, game = context.services, GAME_OF[after.skill]
    for _ in range(DRAWS):
        seed = services.make_seed()
        puzzle: Puzzle = await game.deal_practice(
            services.solver_pool, after.skill, after.level, seed, after.but
        )
        numbers = parse_hand_numbers(puzzle.line)
        if not await services.store.read(lambda tx, n=numbers: secrecy.find_secret(context, tx, n)):  # type: ignore[misc]
            return puzzle
    raise ValueError(f"every hand is on a table: {after.skill!r}")


def _opening(context: Context, after: Next, puzzle: Puzzle) -> Effect:
    game = GAME_OF[after.skill]
    new = make_round(context, game, puzzle, Options(kind=Kind.PRACTICE), get_round_seconds(context, game))

    def effect(tx: Tx) -> list[Request]:
        if secrecy.find_secret(
            context, tx, parse_hand_numbers(puzzle.line)
        ):  # somebody was dealt it meanwhile
            return make_notice_effect(context, view.render_no_free_hand(context.words))(tx)
        return open_and_show_round(context, tx, replace(new, options=after.options))

    return effect


def apply_right_answer(context: Context, tx: Tx, round: Round, answer: str) -> list[Request]:
    """A right answer: it ends the hand, unless nearer is possible. Nothing where that is over."""
    if context.player is None or context.player.id != round.dealer_id:
        return []
    game = GAMES[round.game]
    if is_in_time(round, context.sent_at) and not game.is_best_answer(round.puzzle, answer):
        handing.store_entry(tx, round.id, Entry(round.dealer_id, answer, context.sent_at))
        told = view.render_nearer_is_possible(context.words, game.format_answer(round.puzzle, answer))
        return [*react(context, NEAR), reply(context, told), messages.show_round(round)]
    result = win_round(round, round.dealer_id, answer, context.sent_at, streak=0)
    if result is None or not rounds.close_round(tx, result[0]):
        return []
    return [*react(context, WON), *show_end_and_deal_next(tx, result[0], context.clock_start)]


ROUTES = Routes(
    commands=[
        CommandRoute(
            "practice",
            practice,
            UpdateKind.RARE_DEAL,
            lambda speech: speech.translate_plain("hands by what is hard for you"),
        )
    ],
    buttons=[ButtonRoute("pr", next_pressed, UpdateKind.DEAL_PRESS)],
    deep_links={DOOR: practice},
)
