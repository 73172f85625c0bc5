"""Practise weak skills in private with `/practice`; hands are dealt by the player's record."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial

from bot.database import Tx
from bot.i18n import get_words, list_languages, translate_later
from bot.levels import normalize_word
from bot.modes.practice import queries as practices
from bot.modes.practice import view
from bot.modes.practice.rules import PracticeOptions, parse_skill, plan_hand, wish_for_hand
from bot.modes.practice.view import get_game_of_skill, list_skills
from bot.queue.admission import UpdateKind
from bot.rounds import commands as play
from bot.rounds import secrecy
from bot.rounds.game import require
from bot.rounds.mode import Mode
from bot.rounds.puzzle import DealtPuzzle, Kind, Options, PracticeWish, UnknownWordError, parse_hand_numbers
from bot.rounds.registry import GAMES
from bot.rounds.rules import Round, State
from bot.rounds.view import Frame
from bot.telegram.context import Context, Effect, Response, send_only
from bot.telegram.messages import Link
from bot.telegram.routes import ButtonRoute, CommandRoute, Routes

LINK_PREFIX = "practice"


async def practise(context: Context) -> Effect:
    """Deal a hand of the named skill, or of a weak one; in a group link to the private chat."""
    try:
        skill = parse_skill(context.argument.replace("_", " "), _list_skills_by_name())
    except UnknownWordError as error:
        return play.make_notice_effect(context, view.render_usage(context.words, error.fragment))
    if not context.chat.private:
        words = context.words
        payload = f"{LINK_PREFIX}_{skill}" if skill else LINK_PREFIX
        text = words.translate("Practice is in private: hands chosen by what is hard for you.")
        link = Link(f"https://t.me/{context.services.me.username}?start={payload}")
        return send_only(context.reply(text, keyboard=[[(words.translate_plain("Practise"), link)]]))
    return await _deal_next_hand(context, skill, reports_all_skills=True)


@cache
def _list_skills_by_name() -> dict[str, str]:
    """Return all skills by their names in all languages, and by their keys."""
    words_of_languages = [get_words(language) for language in list_languages()]
    return {
        normalize_word(name): skill
        for skill in list_skills()
        for name in (skill, *(view.get_skill_name(words, skill) for words in words_of_languages))
    }


async def press_next(context: Context) -> Effect:
    """Deal the next hand; the button is under a practice round that is over."""
    pressed = await play.load_pressed_round(context)
    if pressed is None or pressed.kind is not Kind.PRACTICE or pressed.state is State.OPEN:
        return play.refuse_old_button(context)
    # A skill that the bot chose is chosen anew for each hand
    options = PracticeOptions.parse(pressed.options)
    chosen = options.skill if options.is_chosen else None
    return await _deal_next_hand(context, chosen, reports_all_skills=False)


async def _deal_next_hand(context: Context, chosen: str | None, *, reports_all_skills: bool) -> Effect:
    """Deal a hand of the chosen skill or of a weak one; refuse if a hand is open or none is to be found."""
    refusal = await play.load_deal_refusal(context)
    if refusal is not None:
        return refusal
    services = context.services
    player_id = context.chat.id  # A private chat has the player's id
    wish = await services.store.read(lambda tx: _plan_hand(tx, player_id, chosen, context.sent_at))
    game = get_game_of_skill(wish.skill)
    practice = require(game.practice)
    try:
        puzzle = await play.draw_puzzle(
            context,
            lambda: practice.deal(services.solver_pool, wish, services.make_seed()),
            partial(secrecy.explain_secret, context),
        )
    except ValueError:  # no hand of that skill was found
        return play.make_notice_effect(context, view.render_no_free_hand(context.words))
    seconds = play.get_round_seconds(context, game)
    new = play.make_round(context, game, DealtPuzzle(puzzle), Options(kind=Kind.PRACTICE), seconds)
    # Stored with the round, for `load_report` and the next hand
    options = PracticeOptions(wish.skill, chosen is not None, reports_all_skills=reports_all_skills)
    return lambda tx: _open_practice(context, tx, replace(new, options=str(options)))


def _open_practice(context: Context, tx: Tx, new: Round) -> Sequence[Response]:
    """Open a practice round and show it; refuse if every hand that was drawn is secret for the player."""
    if secrecy.explain_secret(context, tx, parse_hand_numbers(new.line)):
        return play.make_notice(context, tx, view.render_no_free_hand(context.words))
    return play.open_and_show_round(context, tx, new)


def _plan_hand(tx: Tx, player_id: int, named: str | None, now: float) -> PracticeWish:
    """Return the wish for a hand of the named skill, or else of one that the bot chooses."""
    played = practices.load_played_hands(tx, player_id)
    if named is not None:
        return wish_for_hand(played, named)
    met_skills = {met for hand in played for met in hand.skills}
    # Skills of other kinds of rounds are practised once the player has met them
    skills = {
        skill: traits
        for game in GAMES.values()
        if game.practice
        for skill, traits in game.practice.skills.items()
        if game.default_kind is Kind.FIRST or skill in met_skills
    }
    return plan_hand(played, skills, practices.load_latest_skills(tx, player_id), now)


class PracticeMode(Mode):
    kind = Kind.PRACTICE
    awaits_best_answer = True

    def record_end(self, tx: Tx, over: Round) -> None:
        practices.insert_practised_hand(tx, over)

    def load_frame(self, tx: Tx, round: Round) -> Frame:
        report = practices.load_report(tx, round)
        return view.PracticeFrame(report, report.entry)


MENU_LINE = translate_later("hands by what is hard for you")
ROUTES = Routes(
    commands=[CommandRoute("practice", practise, UpdateKind.RARE_DEAL, MENU_LINE)],
    buttons=[ButtonRoute(view.NEXT_BUTTON, press_next, UpdateKind.DEAL_PRESS)],
    deep_links={LINK_PREFIX: practise},
)
