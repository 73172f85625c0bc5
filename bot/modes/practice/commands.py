"""Practise weak skills in private with `/practice`; hands are dealt by the player's record."""

from dataclasses import dataclass, replace
from functools import cache

from bot.database import Tx
from bot.i18n import get_words, list_languages
from bot.modes.practice import queries as practices
from bot.modes.practice import view
from bot.modes.practice.rules import choose_level, choose_skill, compute_weaknesses, parse_skill
from bot.queue.admission import UpdateKind
from bot.rounds import attempts, secrecy
from bot.rounds import queries as rounds
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

MAX_DRAWS = 5  # Hands drawn to find one that is not secret for the player
WON_REACTION, NEAR_REACTION = "🏆", "👌"
LINK_PREFIX = "practice"
GAMES_BY_SKILL = {skill: game for game in GAMES.values() for skill in game.skills}
# Skills that are practised by default; others are once the player has played a hand that needs them.
DEFAULT_SKILLS = {skill for skill, game in GAMES_BY_SKILL.items() if game.default_kind is Kind.FIRST}


@dataclass(frozen=True, slots=True)
class PracticePlan:
    """The next hand that a player practises."""

    skill: str
    level: Level
    chosen: bool  # Whether the player named the skill
    asked: bool  # Whether it was requested by the command, whose message reports on all skills
    excluded: frozenset[tuple[int, ...]]  # Numbers of the hands practised lately

    @property
    def options(self) -> dict[str, object]:
        """The plan as stored with the round."""
        return {"skill": self.skill, "level": self.level, "chosen": self.chosen, "asked": self.asked}


async def practise(context: Context) -> Effect:
    """Deal a hand of the named skill, or of a weak one; in a group link to the private chat."""
    try:
        skill = parse_skill(context.argument.replace("_", " "), _list_skills_by_name())
    except UnknownWordError as error:
        return make_notice_effect(context, view.render_usage(context.words, error.fragment))
    if not context.chat.private:
        text, keyboard = view.render_group_reply(context.words, context.services.me.username or "", skill)
        return send_only(context.reply(text, keyboard=keyboard))
    return await _deal_next_hand(context, skill, asked=True)


@cache
def _list_skills_by_name() -> dict[str, str]:
    """Return all skills by their names in all languages, and by their keys."""
    translated = {
        normalize_word(game.get_skill_name(get_words(language), skill)): skill
        for language in list_languages()
        for skill, game in GAMES_BY_SKILL.items()
    }
    return translated | {normalize_word(skill): skill for skill in GAMES_BY_SKILL}


async def press_next(context: Context) -> Effect:
    """Deal the next hand; the button is under a practice round that is over."""
    pressed = await load_pressed_round(context)
    if pressed is None or pressed.kind is not Kind.PRACTICE or pressed.state is State.OPEN:
        return refuse_old_button(context)
    skill = str(pressed.options.get("skill", ""))
    chosen = skill if pressed.options.get("chosen") and skill in GAMES_BY_SKILL else None
    return await _deal_next_hand(context, chosen, asked=False)


async def _deal_next_hand(context: Context, skill: str | None, *, asked: bool) -> Effect:
    if context.player is None:
        return send_only(*context.answer_press())
    if (refusal := await load_deal_refusal(context)) is not None:
        return refusal
    player_id = context.player.id
    plan = await context.services.store.read(lambda tx: _plan_hand(tx, player_id, skill, asked=asked))
    try:
        puzzle = await _deal_puzzle(context, plan)
    except SolvingError:
        return apologize_for_timeout(context)
    except ValueError:
        return make_notice_effect(context, view.render_no_free_hand(context.words))
    game = GAMES_BY_SKILL[plan.skill]
    new = make_round(context, game, puzzle, Options(kind=Kind.PRACTICE), get_round_seconds(context, game))

    def effect(tx: Tx) -> list[Request]:
        # The hand may have been dealt elsewhere since it was drawn.
        if secrecy.find_secret(context, tx, parse_hand_numbers(puzzle.line)):
            return make_notice_effect(context, view.render_no_free_hand(context.words))(tx)
        return open_and_show_round(context, tx, replace(new, options=plan.options))

    return effect


def _plan_hand(tx: Tx, player_id: int, chosen: str | None, *, asked: bool) -> PracticePlan:
    practised = practices.load_practised_hands(tx, player_id)
    skill = chosen or _choose_weak_skill(tx, player_id, len(practised))
    level = choose_level([hand for hand in practised if hand.skill == skill])
    latest = practices.load_latest_numbers(tx, player_id, GAMES_BY_SKILL[skill].key)
    return PracticePlan(skill, level, chosen is not None, asked, frozenset(latest))


def _choose_weak_skill(tx: Tx, player_id: int, turn: int) -> str:
    played = practices.load_played_hands(tx, player_id)
    known = DEFAULT_SKILLS.union(*(hand.skills for hand in played))
    return choose_skill(compute_weaknesses(played, [s for s in GAMES_BY_SKILL if s in known]), turn)


async def _deal_puzzle(context: Context, plan: PracticePlan) -> Puzzle:
    """Deal a puzzle whose solution the player may see. Raises ValueError if none is found, SolvingError."""
    services, game = context.services, GAMES_BY_SKILL[plan.skill]
    for _ in range(MAX_DRAWS):
        puzzle: Puzzle = await game.deal_practice(
            services.solver_pool, plan.skill, plan.level, services.make_seed(), plan.excluded
        )
        numbers = parse_hand_numbers(puzzle.line)
        if not await services.store.read(lambda tx, n=numbers: secrecy.find_secret(context, tx, n)):  # type: ignore[misc]
            return puzzle
    raise ValueError(f"every hand drawn is secret: {plan.skill!r}")


def apply_right_answer(context: Context, tx: Tx, round: Round, answer: str) -> list[Request]:
    """End the round with a right answer; store a near answer as an entry and keep the round open.

    Return an empty list if the round is over or belongs to another player.
    """
    if context.player is None or context.player.id != round.dealer_id:
        return []
    game = GAMES[round.game]
    if is_in_time(round, context.sent_at) and not game.is_best_answer(round.puzzle, answer):
        attempts.store_entry(tx, round.id, Entry(round.dealer_id, answer, context.sent_at))
        text = view.render_nearer_is_possible(context.words, game.format_answer(round.puzzle, answer))
        return [*react(context, NEAR_REACTION), reply(context, text), messages.show_round(round)]
    won = win_round(round, round.dealer_id, answer, context.sent_at, streak=0)
    if won is None or not rounds.close_round(tx, won[0]):
        return []
    return [*react(context, WON_REACTION), *show_end_and_deal_next(tx, won[0], context.clock_start)]


ROUTES = Routes(
    commands=[
        CommandRoute(
            "practice",
            practise,
            UpdateKind.RARE_DEAL,
            lambda words: words.translate_plain("hands by what is hard for you"),
        )
    ],
    buttons=[ButtonRoute("pr", press_next, UpdateKind.DEAL_PRESS)],
    deep_links={LINK_PREFIX: practise},
)
