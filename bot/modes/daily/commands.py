"""Play the daily hand: open it with `/daily`, show it, its hints and its end, and make its pictures.

Answers take the road of all rounds, see `DailyMode`. A `game: str` here is a name in `DAILY_GAMES`.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any, cast

from bot.database import Tx
from bot.i18n import Html, Words, get_words, translate_later
from bot.modes.daily import group_tables, queries, rules, view
from bot.modes.daily.rules import Attempt, DailyHand
from bot.players.choices import NO_CHOICES
from bot.players.post_hours import read_reminder_minute
from bot.players.preferences import Pictures, read_preferences
from bot.queue.admission import UpdateKind
from bot.queue.outgoing import PictureRequest
from bot.queue.rendering import UNKNOWN_CONTENT, DescribedPicture
from bot.queue.timers import make_hourly_cleanup
from bot.rounds import chains, hint, secrecy
from bot.rounds import commands as play
from bot.rounds.game import Game, check_daily
from bot.rounds.give_up import end_given_up_round, make_wish
from bot.rounds.mode import Mode
from bot.rounds.puzzle import Kind, Options, Verdict, VerdictKind, parse_hand_numbers
from bot.rounds.registry import DAILY_GAMES, GAMES, find_game_by_name
from bot.rounds.round_end import show_end_in_chat
from bot.rounds.rules import Round, State, expire_if_due, is_in_time
from bot.rounds.view import TITLE_LOADERS, make_review_button
from bot.telegram.context import Context, Effect, Handler, Response
from bot.telegram.incoming import Message, RepliedMessage
from bot.telegram.messages import Keyboard
from bot.telegram.routes import ButtonRoute, CommandRoute, DeliveredRequest, Routes

# Kinds of receipts: of a hand that starts its clock on delivery, and of a hand that was shown before
HAND_RECEIPT, REPEAT_RECEIPT = "hand", "again"
RESULT_PICTURE = "daily result"  # A kind of picture


async def show_daily(context: Context) -> Effect:
    """Open today's hand in private; in a group post its table of today. Refuse an unknown game's name."""
    name = context.argument.strip()
    asked = find_game_by_name(name) if name else GAMES.default
    daily_names = [daily_name for daily_name, game in DAILY_GAMES.items() if game is asked]
    if not daily_names:
        return play.make_notice_effect(context, view.render_usage(context.words, context.argument))
    return await _open_hand_or_post_table(context, daily_names[0])


async def _open_hand_or_post_table(context: Context, game: str) -> Effect:
    """Open today's hand of a game in private; in a group post its table of today."""
    if context.chat.private:
        return await _open_hand(context, game)
    return lambda tx: group_tables.post_table(context, tx, game)


def _make_link_handler(game: str) -> Handler:
    """Make the handler of a table's deep link: open the hand, and list members of the group in its table."""

    async def open_from_link(context: Context) -> Effect:
        """Open the hand; list the player if the payload is genuine. In a group post its own table."""
        if not context.chat.private:
            return await _open_hand_or_post_table(context, game)
        group_id = group_tables.get_group_links(context).read_payload(context.argument)
        player = context.player
        if group_id is None or player is None or not await context.is_member(group_id, player.id):
            group_id = None  # In whose table the player is not listed
        return await _open_hand(context, game, group_id)

    return open_from_link


async def press_open_hand(context: Context) -> Effect:
    """Open today's hand of a game; the button is under a reminder or a result in another game."""
    game = context.button_argument
    if game not in DAILY_GAMES or not context.chat.private or not context.is_genuine_press:
        return play.refuse_old_button(context)
    return await _open_hand(context, game)


async def _open_hand(context: Context, game: str, group_id: int | None = None) -> Effect:
    """Deal today's hand if needed, open an attempt, list it in the group's table, and show hand or result."""
    day = rules.make_day_key(rules.format_utc_date(context.sent_at), game)
    stored = await context.services.store.read(lambda tx: queries.load_hand(tx, day))
    dealt = stored or await _deal_hand(context, day, DAILY_GAMES[game])

    def effect(tx: Tx) -> list[Response]:
        if context.player is None:
            return []
        hand = queries.insert_hand(tx, dealt)  # Another update may have stored it meanwhile
        attempt = queries.open_attempt(tx, hand, context.player.id, context.sent_at)
        if group_id is not None:
            queries.add_to_table(tx, day, group_id, context.player.id)
        return [
            _post_attempt(context, tx, attempt),
            *context.answer_press(),
            *group_tables.redraw_tables(context, tx, attempt),
        ]

    return effect


async def _deal_hand(context: Context, day: str, game: Game[Any]) -> DailyHand:
    """Deal the hand that the day and the chain of these hands determine. Raises SolvingError or DealError."""
    chain = await context.services.store.write(
        lambda tx: chains.load_or_insert_chain(tx, chains.EVERY_CHAT, game.key)
    )
    origin = rules.make_origin(chain.id, day)
    seed = chain.derive_seed(chain.compute_link(origin.link), origin)
    options = Options(rules.get_day_level(day))
    # No chat's settings, since the hand is the same for all
    puzzle = await game.deal(context.services.solver_pool, settings=NO_CHOICES, options=options, seed=seed)
    return DailyHand(day, game.key, puzzle)


def _post_attempt(context: Context, tx: Tx, attempt: Attempt, *, asks_to_give_up: bool = False) -> Response:
    """Post the open hand or the result; refuse a solution while an open round hides it.

    Delivering the first message with the hand starts the attempt's clock.
    """
    if attempt.state is State.SKIPPED:
        numbers = parse_hand_numbers(attempt.line)
        refusal = secrecy.refuse_open_hand(context, tx, numbers)
        if refusal:
            return refusal[0]  # The only response
        secrecy.record_solution_shown(tx, attempt.player_id, numbers, context.sent_at)
    text, keyboard = render_attempt(context, tx, attempt, asks_to_give_up=asks_to_give_up)
    if attempt.state is State.WON:
        request = context.reply(text, keyboard=keyboard)
        return context.add_picture(request, RESULT_PICTURE, day=attempt.day, player=attempt.player_id)
    if attempt.state is not State.OPEN:
        return context.reply(text, keyboard=keyboard)
    is_first = attempt.shown_at is None
    about = f"{HAND_RECEIPT if is_first else REPEAT_RECEIPT}:{attempt.day}:{attempt.player_id}"
    request = context.reply(text, keyboard=keyboard, about=about, timed=is_first)
    return context.add_picture(request, view.HAND_PICTURE, required=Pictures.CARDS, day=attempt.day)


def render_attempt(
    context: Context,
    tx: Tx,
    attempt: Attempt,
    *,
    offers_reminder: bool = True,
    asks_to_give_up: bool = False,
) -> tuple[Html, Keyboard | None]:
    """Render the open hand, or how the attempt ended; `offers_reminder` to a player who has none.

    `asks_to_give_up` adds the question whether to give the open hand up.
    """
    words, chosen = context.words, read_preferences(context.chat)
    if attempt.state is State.SKIPPED:
        return view.render_given_up(words, attempt), [[make_review_button(words, attempt)]]
    if attempt.state is State.VOID:
        return view.render_offline_hand(words, attempt), None
    if attempt.state is State.OPEN:
        has_picture = bool(attempt.photo) or chosen.pictures is not Pictures.OFF
        if asks_to_give_up:
            return view.render_give_up_question(words, attempt, has_picture=has_picture)
        return view.render_hand(words, attempt, offers_hints=chosen.hints, has_picture=has_picture)
    return view.render_result(
        words,
        attempt,
        queries.load_streak(tx, attempt.player_id, attempt.day),
        str(context.services.me.username),
        [titles for load_titles in TITLE_LOADERS for titles in load_titles(tx, [attempt])],
        offers_reminder=offers_reminder and read_reminder_minute(chosen) is None,
        covers_answer=chosen.pictures is Pictures.ALL,  # Only then is the result a picture
    )


def _start_clock(tx: Tx, about: str, now: float) -> bool:
    """Start the clock of the hand that is about to be sent; False if it was started before."""
    _, day, player_id = about.split(":")
    return queries.start_clock_before_sending(tx, day, int(player_id), now)


def _record_delivery(tx: Tx, request: DeliveredRequest) -> None:
    """Store which message shows a hand; set the clock of a first one, or clear it if it did not arrive."""
    receipt, day, player_id = request.about.split(":")
    if receipt == HAND_RECEIPT:
        shown_at = request.delivered_at if request.has_arrived else None
        queries.update_shown_hand(tx, day, int(player_id), shown=shown_at)
    if request.has_arrived:
        shown_by = {"message_id": request.message_id, "picture": request.picture_key or None}
        queries.update_shown_hand(tx, day, int(player_id), **shown_by)


def _load_hand_picture(tx: Tx, asked: PictureRequest, _: float) -> DescribedPicture | None:
    """Load a day's hand and make its picture; None without such a hand or if its game draws none."""
    hand = queries.load_hand(tx, asked.arguments["day"])
    picture = GAMES[hand.game].pictures.make_deal_picture(hand.puzzle) if hand else None
    return DescribedPicture(picture) if picture else None


def _load_result_picture(tx: Tx, asked: PictureRequest, _: float) -> DescribedPicture | None:
    """Load a player's attempt and make its picture; None without that hand or attempt."""
    attempt = queries.load_attempt(tx, asked.arguments["day"], asked.arguments["player"])
    if attempt is None:
        return None
    words = get_words(asked.language)
    streak = queries.load_streak(tx, attempt.player_id, attempt.day)
    description = []
    if attempt.wrong_answers:
        wrong = words.translate_plural("{n} wrong answer", "{n} wrong answers", attempt.wrong_answers)
        description.append(wrong)
    return DescribedPicture(view.make_result_picture(words, attempt, streak), description)


def _make_press_handler(act: Callable[[Context, Tx, Attempt], Sequence[Response]]) -> Handler:
    """Make the handler of a button under a hand: call `act` unless the hand is solved or given up."""

    async def press(context: Context) -> Effect:
        player, message = context.player, context.message
        refuse = play.refuse_old_button(context)
        if player is None or message is None or not (context.chat.private and context.is_genuine_press):
            return refuse

        def effect(tx: Tx) -> Sequence[Response]:
            attempt = queries.load_attempt(tx, context.button_argument, player.id)
            if attempt is None or attempt.state in (State.WON, State.SKIPPED):
                return refuse(tx)
            attempt = _place_in_message(attempt, message)
            if attempt.state is State.VOID:  # solved offline, perhaps unknown to the message
                return [_edit_message(context, tx, attempt), *play.explain_no_open_hand(context, tx, attempt)]
            return act(context, tx, attempt)

        return effect

    return press


def _place_in_message(attempt: Attempt, message: Message | RepliedMessage) -> Attempt:
    """Return the attempt as shown by that message, so that it changes there."""
    return replace(attempt, message_id=message.id, photo=UNKNOWN_CONTENT if message.has_photo else "")


def _show_hint(context: Context, tx: Tx, attempt: Attempt) -> Sequence[Response]:
    """Show a hint in the hand's message; refuse if the player can no longer solve it."""
    if not is_in_time(attempt, context.sent_at):
        return play.refuse_old_button(context)(tx)
    return hint.show_hint(context, tx, attempt)


def _ask_to_give_up(context: Context, tx: Tx, attempt: Attempt) -> Sequence[Response]:
    """Ask in the hand's message; refuse while another round hides the solutions."""
    refusal = secrecy.refuse_open_hand(context, tx, parse_hand_numbers(attempt.line))
    return refusal or [_edit_message(context, tx, attempt, asks_to_give_up=True), *context.answer_press()]


def _keep_hand(context: Context, tx: Tx, attempt: Attempt) -> Sequence[Response]:
    return [_edit_message(context, tx, attempt), *context.answer_press()]


def _give_up(context: Context, tx: Tx, attempt: Attempt) -> Sequence[Response]:
    """Give an open attempt up, also after its 24 hours; refuse while another round hides the solutions."""
    refusal = secrecy.refuse_open_hand(context, tx, parse_hand_numbers(attempt.line))
    if refusal is not None:
        return refusal
    end = end_given_up_round(tx, attempt, make_wish(context))
    shown = show_end_in_chat(context, tx, end) if end else []
    return [*shown, *context.answer_press()]


def _edit_message(context: Context, tx: Tx, attempt: Attempt, *, asks_to_give_up: bool = False) -> Response:
    text, keyboard = render_attempt(context, tx, attempt, asks_to_give_up=asks_to_give_up)
    return view.edit_hand_message(context.words, attempt, text, keyboard)


def _load_attempt(tx: Tx, day: str, player_id: int, now: float) -> Attempt | None:
    """Load the player's attempt, as expired if its time is over; None if the hand was not opened."""
    attempt = queries.load_attempt(tx, day, player_id)
    if attempt is None:
        return None
    return replace(attempt, state=expire_if_due(attempt, now).state)


class DailyMode(Mode):
    """The hand of the day, whose attempts have a table of their own."""

    kind = Kind.DAILY
    late_answer_seconds = 0.0  # Nobody else has taken part

    def check(self, round: Round, text: str) -> Verdict:
        return check_daily(GAMES[round.game], round.puzzle, text)

    def load_private_rounds(self, tx: Tx, player_id: int, now: float) -> Sequence[Round]:
        return queries.load_open_attempts(tx, player_id, now)

    def load_page_round(self, tx: Tx, player_id: int, day: str, now: float) -> Round | None:
        return _load_attempt(tx, day, player_id, now)

    def load_replied_round(self, tx: Tx, player_id: int, message: RepliedMessage, now: float) -> Round | None:
        if not message.text.startswith(view.CALENDAR):
            return None
        day = view.find_shown_day(message.text, queries.load_latest_days(tx, player_id))
        attempt = _load_attempt(tx, day, player_id, now) if day else None
        return attempt and _place_in_message(attempt, message)

    def ask_to_give_up(self, context: Context, tx: Tx, round: Round) -> Sequence[Response]:
        refusal = secrecy.refuse_open_hand(context, tx, parse_hand_numbers(round.line))
        return refusal or [_post_attempt(context, tx, cast(Attempt, round), asks_to_give_up=True)]

    def update_round(self, tx: Tx, changed: Round) -> bool:
        return queries.update_open_attempt(tx, cast(Attempt, changed))

    def count_wrong_answer(self, tx: Tx, round: Round, text: str, verdict: Verdict, sent_at: float) -> bool:
        if verdict.kind in (VerdictKind.WRONG, VerdictKind.WRONG_NUMBERS):
            attempt = cast(Attempt, round)
            queries.update_open_attempt(tx, replace(attempt, wrong_answers=attempt.wrong_answers + 1))
        return True

    def show_in_chat(self, context: Context, tx: Tx, round: Round) -> Sequence[Response]:
        """Post the result of a solved hand and add it to the groups' tables; else edit the hand's message.

        A hand without a message is posted.
        """
        attempt = cast(Attempt, round)
        if attempt.state is State.WON:
            queries.add_to_tables_of_groups(tx, attempt, context.sent_at)
        is_post = attempt.state is State.WON or attempt.message_id is None
        message = _post_attempt(context, tx, attempt) if is_post else _edit_message(context, tx, attempt)
        if attempt.state is State.OPEN:
            return [message]
        return [message, *group_tables.redraw_tables(context, tx, attempt)]

    def explain_end(self, round: Round, words: Words) -> Html:
        return view.render_too_late(words, cast(Attempt, round))

    def describe_win(self, tx: Tx, round: Round, words: Words) -> Html:
        """Return the time and the streak; the whole result is posted in the chat."""
        attempt = cast(Attempt, round)
        streak = queries.load_streak(tx, attempt.player_id, attempt.day)
        return Html("\n".join(view.render_time_and_streak(words, attempt, streak)))

    def is_solution_secret(self, tx: Tx, player_id: int | None, numbers: Collection[int], now: float) -> bool:
        return queries.is_solution_secret(tx, player_id, numbers, now)


def make_routes(games: Iterable[str]) -> Routes:
    return Routes(
        commands=[
            CommandRoute("daily", show_daily, UpdateKind.QUESTION, translate_later("the hand of the day"))
        ],
        buttons=[
            ButtonRoute(view.ASK_BUTTON, _make_press_handler(_ask_to_give_up)),
            ButtonRoute(view.GIVE_UP_BUTTON, _make_press_handler(_give_up)),
            ButtonRoute(view.KEEP_BUTTON, _make_press_handler(_keep_hand)),
            ButtonRoute(view.HINT_BUTTON, _make_press_handler(_show_hint)),
            ButtonRoute(view.OTHER_GAME_BUTTON, press_open_hand, UpdateKind.DEAL_PRESS),
            ButtonRoute(view.TODAY_BUTTON, press_open_hand, UpdateKind.DEAL_PRESS),
        ],
        deep_links={view.get_link_prefix(game): _make_link_handler(game) for game in games},
        delivery_handlers=dict.fromkeys((HAND_RECEIPT, REPEAT_RECEIPT), _record_delivery),
        picture_finders={view.HAND_PICTURE: _load_hand_picture, RESULT_PICTURE: _load_result_picture},
        before_send_handlers={HAND_RECEIPT: _start_clock},
        timed_tasks=[
            make_hourly_cleanup("hands of the day long ago", queries.delete_old_alias_attempts),
            make_hourly_cleanup("tables of the day long ago", queries.delete_old_tables),
        ],
    )
