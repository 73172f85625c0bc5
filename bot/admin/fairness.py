"""/fair and the link under ended hands: explain why hands are fair, and show how anybody can verify them."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select

import solver
from bot.database import Tx, parse_number
from bot.database.schema import chains as chains_table
from bot.durations import DAY
from bot.i18n import Html, Words, escape_value, translate_later
from bot.modes.daily import queries as dailies
from bot.modes.daily import rules as daily_rules
from bot.queue.admission import UpdateKind
from bot.queue.outgoing import Outgoing
from bot.rounds import chains
from bot.rounds import queries as rounds
from bot.rounds.chains import FAIR_LINK, Chain
from bot.rounds.commands import refuse_old_button
from bot.rounds.puzzle import Origin, Puzzle, get_recipe
from bot.rounds.registry import DAILY_GAMES, GAMES
from bot.rounds.rules import Round
from bot.rounds.topics import SUPERGROUP_OFFSET
from bot.telegram.context import Context, Effect, send_only
from bot.telegram.messages import Keyboard
from bot.telegram.routes import ButtonRoute, CommandRoute, Routes


@dataclass(frozen=True, slots=True)
class DealtHand:
    """A hand with the chain from which it was dealt."""

    name: str  # Its line, or the game's title
    game: str
    puzzle: Puzzle
    origin: Origin
    chain: Chain
    chat_id: int  # Of the chat today; the one in the chain may be older

    def make_record(self, links: Sequence[bytes]) -> solver.Record:
        """Return the record of the hand; `links` are those of its chain, the commitment first."""
        return solver.Record(
            links[0].hex(),
            self.origin.link,
            links[self.origin.link].hex(),
            self.chain.chat_id,
            self.origin.message_id,
            get_recipe(self.puzzle),
            self.origin.ordinal,
            GAMES[self.game].list_dealt_numbers(self.puzzle),
        )


def load_dealt_hand(tx: Tx, round: Round) -> DealtHand | None:
    """Return the hand of a round with its chain; None if it has none."""
    origin = round.origin
    chain = chains.load_chain_by_id(tx, origin.chain_id) if origin else None
    if origin is None or chain is None:
        return None
    name = round.line or GAMES[round.game].title
    return DealtHand(name, round.game, round.puzzle, origin, chain, round.chat_id)


@dataclass(frozen=True, slots=True)
class Announcement:
    """The codes that /fair shows in a chat."""

    chains: Sequence[tuple[str, Chain]]  # Each with the title of its game
    last_hand: DealtHand | None  # That may be verified; None if there is none
    daily_chains: Sequence[tuple[str, Chain]]
    daily_hands: Sequence[DealtHand]  # The last one of each game that nobody can play any more


ANNOUNCED_FROM = 100  # Links left in a chain from which the commitment of the next one is shown


def load_announcement(tx: Tx, context: Context) -> Announcement:
    """Load the codes of a chat; make the chains that don't exist yet."""
    announced = _load_announced_chains(tx, context.chat.id)
    last_rounds = [rounds.load_last_verifiable_round(tx, context.chat.id, chain.id) for _, chain in announced]
    latest = max(filter(None, last_rounds), key=lambda round: round.id, default=None)
    daily_chains: list[tuple[str, Chain]] = []
    daily_hands: list[DealtHand] = []
    for name, game in DAILY_GAMES.items():
        chain = chains.load_or_insert_chain(tx, chains.EVERY_CHAT, game.key)
        daily_chains.append((game.title, chain))
        # The latest day whose hand nobody can have open any more
        day = daily_rules.make_day_key(daily_rules.format_utc_date(context.sent_at - 2 * DAY), name)
        hand = dailies.load_hand(tx, day)
        if hand is not None:
            origin = daily_rules.make_origin(chain.id, day)
            daily_hands.append(DealtHand(day, game.key, hand.puzzle, origin, chain, chains.EVERY_CHAT))
    return Announcement(announced, load_dealt_hand(tx, latest) if latest else None, daily_chains, daily_hands)


def _load_announced_chains(tx: Tx, chat_id: int) -> list[tuple[str, Chain]]:
    """Return the chain in use for the default game and each other game that was dealt in a chat.

    The next chain follows where few links are left.
    """
    played = tx.scalars(select(chains_table.c.game).where(chains_table.c.chat_id == chat_id).distinct())
    announced: list[tuple[str, Chain]] = []
    for game in sorted({GAMES.default.key, *played}.intersection(GAMES)):
        present = chains.load_unused_chains(tx, chat_id, game) or [chains.insert_chain(tx, chat_id, game)]
        if len(present) == 1 and present[0].used > solver.CHAIN_LENGTH - ANNOUNCED_FROM:
            present.append(chains.insert_chain(tx, chat_id, game))
        announced += [(GAMES[game].title, chain) for chain in present[:2]]
    return announced


def load_history(tx: Tx, chat_id: int) -> list[DealtHand]:
    """Return all hands of a chat that may be verified."""
    chain_ids = select(chains_table.c.id).where(chains_table.c.chat_id == chat_id).order_by(chains_table.c.id)
    found = [
        load_dealt_hand(tx, round)
        for chain_id in tx.scalars(chain_ids).all()
        for round in rounds.load_verifiable_rounds(tx, chat_id, chain_id)
    ]
    return [hand for hand in found if hand is not None]


# Texts


BUTTON_PREFIX = "fa"  # Followed by one of these
CODES, BACK = "codes", ""  # In the data of buttons


def render_summary(words: Words) -> tuple[list[Html], Keyboard]:
    """Render why nobody can choose the cards, with a button for the codes."""
    lines = [Html(f"🔒 <b>{words.translate('Fair hands')}</b>"), *_render_reasons(words)]
    return lines, [[(words.translate_plain("Show the codes"), f"{BUTTON_PREFIX}:{CODES}")]]


def _render_reasons(words: Words) -> list[Html]:
    return [
        words.translate("Nobody can choose the cards, neither whoever runs the bot nor a player."),
        words.translate(
            "How: each hand follows from a secret fixed beforehand and from the message that asks for it."
            " Anybody can check that afterwards."
        ),
    ]


def render_codes(words: Words, announced: Announcement) -> tuple[list[Html], Keyboard]:
    """Render the commitments of a chat and how to verify its last hand and those of the day."""
    lines = [
        words.translate("This chat’s codes, fixed before the hands. Copy one now: later hands must fit it."),
        *(_render_commitment(title, chain) for title, chain in announced.chains),
    ]
    if announced.last_hand:
        lines += render_hand(words, announced.last_hand)
        lines.append(words.translate("All hands of this chat in a file: /fair all"))
    daily = [
        words.translate("The hands of the day, the same for all chats:"),
        *(_render_commitment(title, chain) for title, chain in announced.daily_chains),
        *(_render_command(hand) for hand in announced.daily_hands),
    ]
    how = words.translate(
        "“twentyfour verify” checks them: see docs/players/fairness.md in the source of this bot."
    )
    lines += [_fold(daily), how]
    return lines, [[(words.translate_plain("‹ Back"), f"{BUTTON_PREFIX}:{BACK}")]]


def _fold(lines: Sequence[Html]) -> Html:
    return Html("<blockquote expandable>" + "\n".join(lines) + "</blockquote>")


def _render_commitment(title: str, chain: Chain) -> Html:
    return Html(f"{escape_value(title)}: <code>{chain.commitment}</code>")


def render_hand(words: Words, hand: DealtHand) -> list[Html]:
    """Say from which link and message a hand was dealt, and how to verify that."""
    name = Html(f"<b>{escape_value(hand.name)}</b>")
    number = hand.origin.link
    if hand.origin.message_id:
        text = words.translate(
            "{hand} came from secret {number} and message {message}. To check that on a computer:",
            hand=name,
            number=number,
            message=_link_message(hand),
        )
    else:
        text = words.translate(
            "{hand} came from secret {number} and was asked for on the page. To check that on a computer:",
            hand=name,
            number=number,
        )
    return [text, _fold([_render_command(hand)])]


def _render_command(hand: DealtHand) -> Html:
    record = hand.make_record(hand.chain.list_links())
    return Html(f"<code>twentyfour verify {escape_value(str(record))}</code>")


def _link_message(hand: DealtHand) -> Html:
    """Return the number of the message; in a supergroup that has been one since then, as a link."""
    message_id = hand.origin.message_id
    group = -hand.chain.chat_id - SUPERGROUP_OFFSET
    if group <= 0 or hand.chain.chat_id != hand.chat_id:
        return Html(str(message_id))
    return Html(f'<a href="https://t.me/c/{group}/{message_id}">{message_id}</a>')


def format_history(hands: Sequence[DealtHand]) -> str:
    """Return the records of hands, a line each."""
    links_by_chain = {hand.chain: hand.chain.list_links() for hand in hands}
    return "".join(f"{hand.make_record(links_by_chain[hand.chain])}\n" for hand in hands)


# Handlers


async def show_fairness(context: Context) -> Effect:
    """Reply why hands are fair; with `all`, send the records of every hand."""
    if context.argument.strip().lower() == "all":
        return await _send_history(context)
    lines, keyboard = render_summary(context.words)
    return send_only(context.reply(Html("\n".join(lines)), keyboard=keyboard))


async def press_fair_button(context: Context) -> Effect:
    """Change the message to the codes of the chat, or back."""
    if context.button_argument not in (CODES, BACK) or not context.is_genuine_press or not context.message:
        return refuse_old_button(context)
    lines, keyboard = render_summary(context.words)
    if context.button_argument == CODES:
        # Not in the effect: other writers would wait while the links are computed
        announced = await context.services.store.write(lambda tx: load_announcement(tx, context))
        lines, keyboard = await asyncio.to_thread(render_codes, context.words, announced)
    return send_only(context.edit(Html("\n".join(lines)), keyboard=keyboard), *context.answer_press())


async def _send_history(context: Context) -> Effect:
    """Send a file with the records of all hands of the chat."""
    chat_id = context.chat.id
    hands = await context.services.store.read(lambda tx: load_history(tx, chat_id))
    if not hands:
        return send_only(context.reply(context.words.translate("No hand of this chat can be verified yet.")))
    caption = context.words.translate_plain(
        "Every hand of this chat. To check them on a computer: twentyfour verify < twenty-four.txt"
    )
    document = {"name": "twenty-four.txt", "text": await asyncio.to_thread(format_history, hands)}
    parameters: dict[str, object] = {"chat_id": chat_id, "document": document, "caption": caption}
    if context.topic:
        parameters["message_thread_id"] = context.topic
    return send_only(Outgoing(chat_id, "sendDocument", parameters))


async def open_fair_link(context: Context) -> Effect:
    """Reply how to verify the hand of the link, for members of its chat; without a hand as /fair."""
    round_id = parse_number(context.argument)
    if round_id is None:
        return await show_fairness(context)
    words, store = context.words, context.services.store
    round = await store.read(lambda tx: rounds.load_round(tx, round_id))
    if round is None or not await _is_in_chat(context, round.chat_id):
        return send_only(context.reply(words.translate("That link leads to no hand of a chat of yours.")))
    is_verifiable = await store.read(lambda tx: rounds.is_verifiable(tx, round))
    found = await store.read(lambda tx: load_dealt_hand(tx, round)) if is_verifiable else None
    if found is None:
        text = words.translate("A hand that began before is still played. When it is over, try again.")
        return send_only(context.reply(text))
    lines = [*_render_reasons(words), *await asyncio.to_thread(render_hand, words, found)]
    return send_only(context.reply(Html("\n".join(lines))))


async def _is_in_chat(context: Context, chat_id: int) -> bool:
    """Whether the sender is in the chat, whose id stands in the record of each hand."""
    if chat_id == context.chat.id:
        return True
    is_group = chat_id < 0
    return is_group and context.player is not None and await context.is_member(chat_id, context.player.id)


MENU_LINE = translate_later("why nobody can choose the cards")

ROUTES = Routes(
    commands=[CommandRoute("fair", show_fairness, UpdateKind.LOOKUP, MENU_LINE)],
    buttons=[ButtonRoute(BUTTON_PREFIX, press_fair_button)],
    deep_links={FAIR_LINK: open_fair_link},
)
