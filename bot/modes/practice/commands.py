"""Practise weak skills in private with `/practice`; hands are dealt by the player's record."""

from dataclasses import replace
from functools import cache, partial

from bot.database import Tx
from bot.i18n import get_words, list_languages
from bot.modes.practice import queries as practices
from bot.modes.practice import view
from bot.modes.practice.rules import choose_level, choose_skill, compute_weaknesses, parse_skill
from bot.modes.practice.view import GAMES_BY_SKILL
from bot.queue.admission import UpdateKind
from bot.rounds import attempts, secrecy
from bot.rounds import commands as play
from bot.rounds import queries as rounds
from bot.rounds.puzzle import (
    Entry,
    Kind,
    Level,
    Options,
    UnknownWordError,
    normalize_word,
    parse_hand_numbers,
)
from bot.rounds.registry import GAMES
from bot.rounds.round_end import show_end_and_deal_next
from bot.rounds.rules import Round, State, is_in_time, win_round
from bot.telegram import messages
from bot.telegram.context import Context, Effect, send_only
from bot.telegram.messages import Link, Request
from bot.telegram.routes import ButtonRoute, CommandRoute, Routes
from bot.workers.pool import SolvingError

WON_REACTION, NEAR_REACTION = "🏆", "👌"
LINK_PREFIX = "practice"
# Skills that are practised by default; others are once the player has played a hand that needs them.
DEFAULT_SKILLS = {skill for skill, game in GAMES_BY_SKILL.items() if game.default_kind is Kind.FIRST}


async def practise(context: Context) -> Effect:
    """Deal a hand of the named skill, or of a weak one; in a group link to the private chat."""
    try:
        skill = parse_skill(context.argument.replace("_", " "), _list_skills_by_name())
    except UnknownWordError as error:
        return play.make_notice_effect(context, view.render_usage(context.words, error.fragment))
    if not context.chat.private:
        words = context.words
        payload = f"{LINK_PREFIX}_{skill}" if skill else LINK_PREFIX
        text = words.translate("Practice is between you and me: hands by what is hard for you.")
        link = Link(f"https://t.me/{context.services.me.username}?start={payload}")
        return send_only(context.reply(text, keyboard=[[(words.translate_plain("Practise"), link)]]))
    return await _deal_next_hand(context, skill, reports_all_skills=True)


@cache
def _list_skills_by_name() -> dict[str, str]:
    """Return all skills by their names in all languages, and by their keys."""
    words_of_languages = [get_words(language) for language in list_languages()]
    return {
        normalize_word(name): skill
        for skill in GAMES_BY_SKILL
        for name in (skill, *(view.get_skill_name(words, skill) for words in words_of_languages))
    }


async def press_next(context: Context) -> Effect:
    """Deal the next hand; the button is under a practice round that is over."""
    pressed = await play.load_pressed_round(context)
    if pressed is None or pressed.kind is not Kind.PRACTICE or pressed.state is State.OPEN:
        return play.refuse_old_button(context)
    # A skill that the bot chose is chosen anew for each hand
    chosen = pressed.options["skill"] if pressed.options["chosen"] else None
    return await _deal_next_hand(context, chosen, reports_all_skills=False)


async def _deal_next_hand(context: Context, chosen: str | None, *, reports_all_skills: bool) -> Effect:
    """Deal a hand of the chosen skill or of a weak one; refuse if a hand is open or none is to be found."""
    refusal = await play.load_deal_refusal(context)
    if refusal is not None:
        return refusal
    services = context.services
    player_id = context.chat.id  # A private chat has the player's id
    skill, level, excluded = await services.store.read(lambda tx: _plan_hand(tx, player_id, chosen))
    game = GAMES_BY_SKILL[skill]
    try:
        puzzle = await play.draw_puzzle(
            context,
            lambda: game.deal_practice(services.solver_pool, skill, level, services.make_seed(), excluded),
            partial(secrecy.explain_secret, context),
        )
    except SolvingError:
        return play.apologize_for_timeout(context)
    except ValueError:  # no hand of that skill was found
        return play.make_notice_effect(context, view.render_no_free_hand(context.words))
    new = play.make_round(
        context, game, puzzle, Options(kind=Kind.PRACTICE), play.get_round_seconds(context, game)
    )
    # Stored with the round, for `load_report` and the next hand
    options = {"skill": skill, "level": level, "chosen": chosen is not None, "asked": reports_all_skills}
    return lambda tx: _open_practice(context, tx, replace(new, options=options))


def _open_practice(context: Context, tx: Tx, new: Round) -> list[Request]:
    """Open a practice round and show it; refuse if every hand that was drawn is secret for the player."""
    if secrecy.explain_secret(context, tx, parse_hand_numbers(new.line)):
        return play.make_notice(context, tx, view.render_no_free_hand(context.words))
    return play.open_and_show_round(context, tx, new)


def _plan_hand(tx: Tx, player_id: int, chosen: str | None) -> tuple[str, Level, set[tuple[int, ...]]]:
    """Return the skill and level of the next hand, and the numbers of the latest, which it may not have.

    The skill is `chosen`, or a weak one of those that the player has met.
    """
    practised = practices.load_practised_hands(tx, player_id)
    skill = chosen
    if skill is None:
        played = practices.load_played_hands(tx, player_id)
        met_skills = DEFAULT_SKILLS.union(*(hand.skills for hand in played))
        weaknesses = compute_weaknesses(played, [each for each in GAMES_BY_SKILL if each in met_skills])
        skill = choose_skill(weaknesses, len(practised))
    level = choose_level([hand for hand in practised if skill in hand.skills])
    return skill, level, practices.load_latest_numbers(tx, player_id, GAMES_BY_SKILL[skill].key)


def apply_right_answer(context: Context, tx: Tx, round: Round, answer: str) -> list[Request]:
    """End the round with a best answer; store one that can be bettered as an entry and keep the round open.

    Return an empty list if the round is over or belongs to another player.
    """
    if context.player is None or context.player.id != round.dealer_id:
        return []
    game = GAMES[round.game]
    if is_in_time(round, context.sent_at) and not game.is_best_answer(round.puzzle, answer):
        attempts.store_entry(tx, round.id, Entry(round.dealer_id, answer, context.sent_at))
        shown = game.format_answer(round.puzzle, answer)
        text = context.words.translate("{shown}: good, and nearer is possible.", shown=shown)
        return [*play.react(context, NEAR_REACTION), play.reply(context, text), messages.show_round(round)]
    round_and_award = win_round(round, round.dealer_id, answer, context.sent_at, streak=0)
    if round_and_award is None:
        return []
    won_round, _ = round_and_award  # practice earns no points
    if not rounds.close_round(tx, won_round):
        return []
    return [*play.react(context, WON_REACTION), *show_end_and_deal_next(tx, won_round, context.clock_start)]


ROUTES = Routes(
    commands=[
        CommandRoute(
            "practice",
            practise,
            UpdateKind.RARE_DEAL,
            lambda words: words.translate_plain("hands by what is hard for you"),
        )
    ],
    buttons=[ButtonRoute(view.NEXT_BUTTON, press_next, UpdateKind.DEAL_PRESS)],
    deep_links={LINK_PREFIX: practise},
)
