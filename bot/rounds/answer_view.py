"""Make answers of messages (/a EXPRESSION, replies to a deal, plain expressions), and reply to them.

In a group the reason stands in a note below the hand. The verdict on a secret answer goes to its author
alone; a secret answer that all could read is deleted at once where the bot may, else it gets a reaction.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from bot.database import Tx
from bot.formats import format_duration, format_expression, format_fraction
from bot.i18n import (
    Html,
    Words,
    escape_value,
    find_mentions,
    insert_names,
    make_mention,
    strip_tags,
    translate_later,
)
from bot.players import preferences
from bot.players import queries as people
from bot.queue.admission import UpdateKind
from bot.rounds import answer as referee
from bot.rounds import attempts, secret_answers
from bot.rounds import queries as rounds
from bot.rounds.answer import (
    Answer,
    EntryStored,
    FoundBefore,
    Ignored,
    NoOpenHand,
    NotCounted,
    Outcome,
    Talk,
    TooLate,
    Won,
    Wrong,
    WrongAndLate,
    WrongInRun,
    WrongInTutorial,
)
from bot.rounds.commands import (
    find_meant_round,
    make_notice,
    point_to_open_hand,
    refuse_old_button,
    reply,
    reply_no_open_hand,
    write_note,
)
from bot.rounds.game import require
from bot.rounds.mode import find_mode
from bot.rounds.phrases import Phrase, find_phrase, names_bot
from bot.rounds.puzzle import Audience, Kind, Verdict, VerdictKind
from bot.rounds.registry import GAMES, is_answer, looks_like_answer, suggest_command
from bot.rounds.round_end import RoundEnd, show_end_in_chat
from bot.rounds.rules import Round, State
from bot.rounds.view import NOTE_BUTTON
from bot.telegram import messages, private_replies
from bot.telegram.context import Context, Effect, Handler, Response, do_nothing
from bot.telegram.routes import ButtonRoute, CommandRoute, Routes


async def answer_command(context: Context) -> Effect:
    """Handle /a: judge the expression behind it, or explain the command; ignore an edited message."""
    answer = make_answer(context)
    if answer is None:
        return do_nothing
    if answer.text:
        return await _judge(context, answer)

    def explain(tx: Tx) -> list[Response]:
        """Reply with an example for the game of the round here, else for the default game."""
        table_round = referee.find_table_round(tx, answer)
        example = (GAMES[table_round.game] if table_round else GAMES.default).example_answer
        text = context.words.translate("Write your answer after the command: /a {example}", example=example)
        return make_notice(context, tx, text)

    return explain


async def answer_text(context: Context) -> Effect:
    """Judge a new message as an answer: in private or in reply to the bot always.

    Other messages of a group only if they look like an answer and the group lets the bot read them. A phrase
    gets a note there, and in private what it asks for. A private message that is forwarded or has no text is
    told how to play. Texts come here from `read_typed_value` of the settings.
    """
    answer = make_answer(context)
    if answer is None or not answer.text:
        return (lambda tx: explain_play(context, tx)) if context.chat.private else do_nothing
    is_addressed = answer.chat.private or answer.is_hidden or answer.replied is not None
    if not is_addressed and not preferences.read_preferences(answer.chat).reads_plain_answers:
        return do_nothing
    phrase = find_phrase(answer.text, private=answer.chat.private)
    command = await _find_phrase_command(context, phrase) if answer.chat.private else None
    if command is not None:
        return await command(replace(context, argument=""))
    if phrase is not None and not answer.chat.private:
        return lambda tx: _note_phrase(context, tx, answer, phrase)
    if not is_addressed and not looks_like_answer(answer.text):
        return do_nothing
    return await _judge(context, answer)


COMMANDS = {Phrase.GIVE_UP: "skip", Phrase.HINT: "hint", Phrase.HELP: "help", Phrase.NEXT: "next"}


async def _find_phrase_command(context: Context, phrase: Phrase | None) -> Handler | None:
    """Return the command for a phrase in private; None for how to play, and for help without a hand."""
    if phrase not in COMMANDS:
        return None
    if phrase is Phrase.HELP:
        hand = await context.services.store.read(lambda tx: find_meant_round(context, tx))
        if hand is None:
            return None
    handlers = {command.name: command.handler for command in context.services.commands}
    return handlers[COMMANDS[phrase]]


def make_answer(context: Context) -> Answer | None:
    """Return a new message or submission as an answer; None if it is none, or of no player."""
    if context.player is None or not context.is_new_message:
        return None
    return Answer(
        text=context.argument,
        player_id=context.player.id,
        chat=context.chat,
        topic=context.topic,
        sent_at=context.sent_at,
        handled_at=context.handled_at,
        next_hand_at=context.clock_start,
        message_id=context.message_id,
        is_command=context.is_command,
        is_hidden=context.is_hidden,
        replied=context.replied_bot_message,
        page_round_id=context.submission.round_id if context.submission else 0,
        page_day=context.submission.day if context.submission else "",
    )


def is_answer_to_private_hand(context: Context, tx: Tx) -> bool:
    """Whether the text has the numbers of a hand that the player may answer in this private chat now."""
    answer = make_answer(context)
    return answer is not None and referee.fits_private_hand(tx, answer)


async def _judge(context: Context, answer: Answer) -> Effect:
    """Return the effect that judges an answer and replies; it refuses a former member of a linked group."""
    refusal = await _refuse_former_member(context, answer)
    if refusal is not None:
        return refusal
    context = await _decide_message_deletion(context)
    return lambda tx: render_outcome(context, tx, answer, referee.referee_answer(tx, answer))


async def _refuse_former_member(context: Context, answer: Answer) -> Effect | None:
    """Return the effect that refuses a former member's answer and deletes the group's links, else None."""
    if not answer.chat.private:
        return None
    round = await context.services.store.read(lambda tx: referee.find_linked_round(tx, answer))
    if round is None or not referee.fits(round, answer.text):
        return None
    group_id = round.chat_id
    if await secret_answers.is_member(context, answer.player_id, group_id):
        return None
    text = context.words.translate("That link leads to no round that you can answer now.")

    def effect(tx: Tx) -> list[Response]:
        secret_answers.delete_links_to_chat(tx, answer.player_id, group_id)
        return [context.reply(text)]

    return effect


async def _decide_message_deletion(context: Context) -> Context:
    """Return the context, with `can_hide_message` set if the bot may delete an answer to a secret round."""
    permissions = context.services.permissions
    if context.chat.private or context.is_hidden or permissions is None:
        return context

    def has_secret_round(tx: Tx) -> bool:
        live = rounds.load_open_round(tx, context.chat.id, context.topic)
        return live is not None and secret_answers.has_secret_answers(tx, live)

    if not await context.services.store.read(has_secret_round):
        return context
    return replace(context, can_hide_message=(await permissions.load(context.chat.id)).can_delete)


# Render outcomes

WRONG, UNREADABLE, WON, FOUND_BEFORE, ENTRY_STORED = "👎", "🤔", messages.WIN_REACTION, "🤝", "👌"
NO_POINTS = "👏"  # To a right answer that came too late or is not counted


def render_outcome(context: Context, tx: Tx, answer: Answer, outcome: Outcome) -> Sequence[Response]:
    """Return the replies, reactions and redrawn messages that tell what became of the answer."""
    match outcome:
        case Ignored():
            return _note_lone_number(context, tx, answer)
        case NoOpenHand(over):
            return _render_no_open_hand(context, tx, answer, over)
        case Talk(round) if find_mode(round).deletes_answers and round.state is State.OPEN:
            hint = find_mode(round).describe_progress(tx, round, answer.player_id, context.words)
            attempts.set_note(tx, round.id, answer.player_id, f"{UNREADABLE} {hint}")
            delete = messages.delete_message(context.chat.id, context.message_id)
            return [delete, messages.show_round(round.chat_id, round.id)]
        case Talk(round):
            number = LONE_NUMBER.fullmatch(answer.text)
            if number and round.state is State.OPEN:
                return [reply(context, _explain_number(context, tx, round, number[1]))]
            return explain_play(context, tx, round)
        case WrongAndLate():
            return _render_wrong_and_late(context, tx, answer, outcome)
    reason = explain_outcome(context.words, tx, answer, outcome)
    return [*_render_reply(context, tx, answer, outcome, reason), *redraw_round(context, tx, outcome)]


def _render_reply(
    context: Context, tx: Tx, answer: Answer, outcome: Outcome, reason: Html
) -> Sequence[Response]:
    """Return the reply and the reaction to an answer for a round."""
    match outcome:
        case Won(round=round) | WrongInRun(round=round) if find_mode(round).deletes_answers:
            return [messages.delete_message(context.chat.id, context.message_id)]
        case Won():
            return context.react(WON)
        case EntryStored():
            return _render_entry(context, answer, outcome, reason)
        case WrongInTutorial():
            return [*context.react(WRONG), reply(context, reason)]
        case FoundBefore(round):
            is_secret = answer.is_hidden or secret_answers.has_secret_answers(tx, round)
            return _react_and_explain(context, tx, answer, round, FOUND_BEFORE, reason, is_secret=is_secret)
        case NotCounted():
            return _render_not_counted(context, tx, answer, outcome, reason)
        case TooLate():
            return _render_too_late(context, tx, answer, outcome, reason)
        case Wrong(round, verdict, is_secret):
            is_noted = not (is_secret or answer.chat.private)
            text = _shorten_reason(verdict, reason) if is_noted else reason
            emoji = _get_reaction(verdict)
            return _react_and_explain(context, tx, answer, round, emoji, text, is_secret=is_secret)
    return []


def redraw_round(context: Context, tx: Tx, outcome: Outcome) -> Sequence[Response]:
    """Return the requests that show in the chat what the answer changed in its round."""
    match outcome:
        case WrongInRun(round):
            _note_in_run(context.words, tx, outcome)
            end = outcome.end
            return (
                show_end_in_chat(context, tx, end) if end else [messages.show_round(round.chat_id, round.id)]
            )
        case Won(round=round, end=None) | EntryStored(round=round) | WrongInTutorial(hinted=Round() as round):
            return [messages.show_round(round.chat_id, round.id)]
        case Won(end=RoundEnd() as end) | NotCounted(end=RoundEnd() as end):
            return show_end_in_chat(context, tx, end)
    return []


def _note_in_run(words: Words, tx: Tx, wrong: WrongInRun) -> None:
    """Write why an answer is not right, and what it costs, into the message of the run."""
    render_reason = wrong.verdict.render_reason
    parts = [render_reason(words)] if render_reason else []
    if wrong.cost:
        parts.append(Html(f"−{format_duration(words, wrong.cost)}"))
    note = f"{_get_reaction(wrong.verdict)} {' · '.join(parts)}"
    attempts.set_note(tx, wrong.round.id, wrong.round.dealer_id, note)


def explain_outcome(words: Words, tx: Tx, answer: Answer, outcome: Outcome) -> Html:
    """Return what the answer's author may be told in words; "" if there is nothing to say."""
    match outcome:
        case NoOpenHand(over=Round() as over):
            return find_mode(over).explain_end(over, words) or Html("")
        case Won(round):
            return find_mode(round).describe_win(tx, round, words)
        case EntryStored(round, text):
            entry = GAMES[round.game].format_answer(round.puzzle, text)
            if find_mode(round).awaits_best_answer:
                return words.translate("{shown}: good, and nearer is possible.", shown=entry)
            return words.translate("{entry} — that stands now. Your last one counts.", entry=entry)
        case FoundBefore():
            return _explain_repeat(words, answer, outcome)
        case NotCounted(round=round, is_spectator=True):
            return find_mode(round).explain_no_points(tx, round, answer.player_id, words) or Html("")
        case NotCounted():
            return words.translate("Right, but you asked me about these numbers after the deal: no points.")
        case TooLate(round=Round(winner_id=int(winner))) if not answer.is_hidden:
            return words.translate("Right as well! {name} was first.", name=make_mention(winner))
        case TooLate():
            return _explain_late_answer(words, tx, outcome)
        case Wrong() | WrongInRun() | WrongInTutorial() | WrongAndLate():
            render_reason = outcome.verdict.render_reason
            return render_reason(words) if render_reason else Html("")
    return Html("")


def _render_entry(context: Context, answer: Answer, stored: EntryStored, text: Html) -> list[Response]:
    """Confirm an entry to its author.

    A visible message gets a reaction, or a reply if that is forbidden. A message that is deleted or that
    nobody else can read, and one in practice, is also confirmed in words.
    """
    replies = _tell_author(context, stored.round, text, may_wait=context.can_hide_message)
    is_hidden = context.can_hide_message or answer.is_hidden_from_group(stored.round)
    if is_hidden or find_mode(stored.round).awaits_best_answer:
        return [*_delete_or_react(context, ENTRY_STORED), *replies]
    return context.react(ENTRY_STORED, fallback=replies[0])  # the only one


def _explain_repeat(words: Words, answer: Answer, repeat: FoundBefore) -> Html:
    """Say who found the idea of the answer earlier, and by which answer if it differs."""
    earlier = repeat.earlier
    is_same = earlier.answer == repeat.answer
    pair = {"one": format_expression(earlier.answer), "other": format_expression(repeat.answer)}
    if earlier.player_id == answer.player_id:
        if is_same:
            return words.translate("You have found that one already.")
        return words.translate("You have that way already, written differently: {one} and {other}.", **pair)
    name = make_mention(earlier.player_id)
    if is_same:
        return words.translate("Right as well! {name} was first.", name=name)
    return words.translate("Same way as {name}’s, written differently: {one} and {other}.", name=name, **pair)


def _render_not_counted(
    context: Context, tx: Tx, answer: Answer, outcome: NotCounted, reason: Html
) -> list[Response]:
    """Say why a right answer earns nothing, to its author alone if nobody else knows the answer."""
    if outcome.end is None:
        return [*_mark_secretly(context, NO_POINTS), *_tell_author(context, outcome.round, reason)]
    if answer.is_hidden_from_group(outcome.round):
        return _tell_author(context, outcome.round, reason)
    return make_notice(context, tx, reason, emoji=NO_POINTS)


def _render_too_late(context: Context, tx: Tx, answer: Answer, late: TooLate, text: Html) -> list[Response]:
    """React to a right answer that came too late, and explain a player's first one in the round.

    In a group its author is named below the hand; in a note where it may have missed the target, and in a
    race, whose message shows the next hand.
    """
    if answer.is_hidden:
        return _tell_author(context, late.round, text, may_wait=False)
    if answer.chat.private:
        return [*context.react(NO_POINTS), context.reply(text)]
    is_by_winner = late.round.winner_id == answer.player_id
    if late.round.kind is Kind.BEST or (late.round.race_id is not None and not is_by_winner):
        return write_note(context, tx, late.round, NO_POINTS, text)
    shown = [messages.show_round(late.round.chat_id, late.round.id)] if late.is_explained else []
    return [*context.react(NO_POINTS), *shown]


def _explain_late_answer(words: Words, tx: Tx, late: TooLate) -> Html:
    """Say that the answer was right but too late, without praise after the solution was shown.

    Of an entry that missed the target, say just its value. In a race the next hand stands above the note.
    """
    round = late.round
    game = GAMES[round.game]
    misses_target = (
        round.kind is Kind.BEST and require(game.entries).get_distance(round.puzzle, late.answer) > 0
    )
    if misses_target or round.state is State.SKIPPED or round.race_id is not None:
        return _render_late_entry(words, tx, round, game.format_answer(round.puzzle, late.answer))
    return words.translate("Right, but the hand was over. Well found!")


def _render_late_entry(words: Words, tx: Tx, round: Round, entry: str) -> Html:
    live = rounds.load_open_round(tx, round.chat_id, round.topic)
    if live is not None and live.id != round.id:
        return words.translate("{entry}, for the hand before.", entry=entry)
    return words.translate("{entry}, but the hand was over.", entry=entry)


def _shorten_reason(verdict: Verdict, reason: Html) -> Html:
    """Return the answer and its value alone: a note stands below the target. Without a value, the reason."""
    if verdict.value is None:
        return reason
    return Html(escape_value(f"{format_expression(verdict.answer)} = {format_fraction(verdict.value)}"))


def _get_reaction(verdict: Verdict) -> str:
    """Return the emoji for an answer that is not right."""
    return WRONG if verdict.kind in (VerdictKind.WRONG, VerdictKind.WRONG_NUMBERS) else UNREADABLE


def _render_wrong_and_late(
    context: Context, tx: Tx, answer: Answer, wrong: WrongAndLate
) -> Sequence[Response]:
    """Give the reason in a note below the open hand, or below that one; else say that the time is up."""
    reason = explain_outcome(context.words, tx, answer, wrong)
    live = rounds.load_open_round(tx, wrong.round.chat_id, wrong.round.topic)
    is_answer_to_it = wrong.verdict.kind is VerdictKind.WRONG
    if is_answer_to_it and live is not None and live.id != wrong.round.id:
        entry = _shorten_reason(wrong.verdict, Html(escape_value(format_expression(wrong.verdict.answer))))
        text = _render_late_entry(context.words, tx, wrong.round, entry)
        return _react_and_explain(context, tx, answer, live, WRONG, text, is_secret=answer.is_hidden)
    if answer.chat.id != wrong.round.chat_id:
        text = context.words.translate("Time’s up! I only wait for answers that were sent in time.")
        return [context.reply(text)]
    if answer.chat.private or answer.is_hidden:
        return _render_no_open_hand(context, tx, answer, wrong.round)
    emoji = _get_reaction(wrong.verdict)
    return write_note(context, tx, wrong.round, emoji, _shorten_reason(wrong.verdict, reason))


def _render_no_open_hand(context: Context, tx: Tx, answer: Answer, over: Round | None) -> Sequence[Response]:
    """Reply that no hand is open for a message; `over` is the ended round that it belongs to.

    In private the reply may suggest a command instead, and talk is told how to play. In a group a reply to an
    old deal is pointed to the open hand if it is an answer to some game, else it is ignored.
    """
    is_talk = not answer.is_command and not is_answer(answer.text)
    suggestion = suggest_command(context.words, answer.text) if answer.chat.private else None
    if is_talk and answer.chat.private:
        return [context.reply(suggestion)] if suggestion else explain_play(context, tx)
    explanation = explain_outcome(context.words, tx, answer, NoOpenHand(over))
    if explanation:
        return [] if is_talk else [reply(context, explanation)]
    is_reply_to_old_deal = over is not None and answer.replied is not None
    if is_reply_to_old_deal and not answer.is_command:
        return [] if is_talk else point_to_open_hand(context, tx)
    return [context.reply(suggestion)] if suggestion else reply_no_open_hand(context, tx)


# Each renders what to begin with in private; `bot.features` fills the list
START_RENDERERS: list[Callable[[Context, Tx], Response]] = []


def explain_play(context: Context, tx: Tx, hand: Round | None = None) -> list[Response]:
    """Reply with the task of the open `hand`, by default the one here; without one, with how to begin."""
    words = context.words
    hand = hand or rounds.load_open_round(tx, context.chat.id, context.topic)
    if hand is None or hand.state is not State.OPEN:
        return [render_start(context, tx) for render_start in START_RENDERERS]
    task = _explain_task(context, tx, hand)
    if hand.chat_id != context.chat.id or hand.kind is Kind.DAILY:
        rest = words.translate("/help shows what else I can do.")
    elif GAMES[hand.game].hints.count(hand.puzzle):
        rest = words.translate("/hint helps, /giveup shows how it is done. /help tells the rest.")
    else:
        rest = words.translate("/giveup shows how it is done. /help tells the rest.")
    return [context.reply(Html("\n".join([escape_value(hand.line), task, rest])))]


def _explain_task(context: Context, tx: Tx, hand: Round) -> Html:
    """Return the rule of an open hand, if possible with an example."""
    is_heard = context.chat.private or preferences.read_preferences(context.chat).hears_all
    audience = Audience.HEARD if is_heard else Audience.GROUP
    finds = rounds.load_finds(tx, hand.id) if hand.kind is Kind.ALL else []
    game = GAMES[hand.game]
    explained = game.explain_task(context.words, hand, audience)
    return explained or game.task(context.words, hand, finds, audience)


def _note_phrase(context: Context, tx: Tx, answer: Answer, phrase: Phrase) -> list[Response]:
    """Note the rule, or the command that gives up the open hand.

    Without a hand, say how to begin to who names the bot or replies to it; ignore anybody else.
    """
    live = rounds.load_open_round(tx, answer.chat.id, answer.topic)
    if live is not None and phrase is Phrase.GIVE_UP:
        return make_notice(context, tx, context.words.translate("/giveup shows the solution."))
    if live is not None:
        return make_notice(context, tx, _explain_shown_task(context, tx, live))
    is_to_bot = answer.replied is not None or names_bot(answer.text)
    if phrase is Phrase.GIVE_UP or not is_to_bot:
        return []
    begin = context.words.translate("/play deals a hand. /help shows what else I can do.")
    return make_notice(context, tx, Html(f"{GAMES.default.render_about(context.words)}\n{begin}"))


def _explain_shown_task(context: Context, tx: Tx, live: Round) -> Html:
    """Return the rule of the open hand; where it stands in the hand's message, what else helps."""
    more = GAMES[live.game].explain_more(context.words) if rounds.is_early(tx, live) else None
    return more or _explain_task(context, tx, live)


LONE_NUMBER = re.compile(r"[\s=]*(\d+)[\s.!?]*")


def _note_lone_number(context: Context, tx: Tx, answer: Answer) -> list[Response]:
    """Note what to answer instead of a number alone that replies to the open hand; [] for other talk."""
    live = rounds.load_open_round(tx, answer.chat.id, answer.topic)
    number = LONE_NUMBER.fullmatch(answer.text)
    if live is None or number is None:
        return []
    is_to_hand = answer.replied is not None and answer.replied.id == live.message_id
    return make_notice(context, tx, _explain_number(context, tx, live, number[1])) if is_to_hand else []


def _explain_number(context: Context, tx: Tx, round: Round, number: str) -> Html:
    """Return what to answer instead of a number alone."""
    render_reason = referee.check(round, number).render_reason
    return render_reason(context.words) if render_reason else _explain_task(context, tx, round)


# Say it to the right people


def _react_and_explain(
    context: Context,
    tx: Tx,
    answer: Answer,
    round: Round,
    emoji: str,
    reason: Html,
    *,
    is_secret: bool,
) -> list[Response]:
    """React and give the reason: in a group below the hand, for a secret answer to its author alone."""
    if is_secret:
        replies = _tell_author(context, round, reason) if reason else []
        return [*_mark_secretly(context, emoji), *replies]
    if answer.chat.private:
        return [*context.react(emoji), reply(context, reason)]
    return write_note(context, tx, round, emoji, reason) if reason else context.react(emoji)


def _mark_secretly(context: Context, emoji: str) -> list[Response]:
    """Delete the message, or react without the reason; where the reaction is forbidden, reply instead."""
    words = context.words
    # Each text stands here in full, so that it is found for translation.
    if emoji == WRONG:
        text = words.translate(
            "That isn’t right. To learn why, press 🤫 under the hand: nobody else sees it."
        )
    elif emoji == UNREADABLE:
        text = words.translate(
            "I can’t read that. To learn why, press 🤫 under the hand: nobody else sees it."
        )
    else:
        text = words.translate(
            "That doesn’t count. To learn why, press 🤫 under the hand: nobody else sees it."
        )
    return _delete_or_react(context, emoji, fallback=reply(context, text))


def _delete_or_react(context: Context, emoji: str, fallback: Response | None = None) -> list[Response]:
    """Delete a secret answer where possible, else react to it; `fallback` as in `react`."""
    if context.can_hide_message:
        return [messages.delete_message(context.chat.id, context.message_id)]
    return context.react(emoji, fallback=fallback)


def _tell_author(context: Context, round: Round, text: Html, *, may_wait: bool = True) -> list[Response]:
    """Tell the author alone; with `may_wait` the text is kept if it can't be told now."""
    if context.chat.private:
        return [reply(context, text)]
    heading = escape_value(round.line)
    return [context.tell_privately(text, round_id=round.id, heading=heading, may_wait=may_wait)]


async def press_note_button(context: Context) -> Effect:
    """Tell the presser's own note below a round (`wn:ROUND`), which others have pushed out."""
    player, number = context.player, context.button_argument
    if player is None or not context.is_genuine_press or not number.isdecimal():
        return refuse_old_button(context)

    def effect(tx: Tx) -> list[Response]:
        notes = attempts.load_notes(tx, int(number))
        text = next((note.text for note in notes if note.player_id == player.id), "")
        text = insert_names(text, people.load_names(tx, list(find_mentions(text))))
        own = strip_tags(Html(text) or private_replies.render_nothing_waits(context.words))
        return context.answer_press(own, alert=True)

    return effect


MENU_LINE = translate_later("answer: /a 8/(3-8/3)")
ROUTES = Routes(
    commands=[CommandRoute("a", answer_command, UpdateKind.ANSWER, MENU_LINE, groups_only=True)],
    buttons=[ButtonRoute(NOTE_BUTTON, press_note_button)],
)
