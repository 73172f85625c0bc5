"""Secret entries of Countdown, and every way in which their verdicts are delivered."""

import asyncio
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

import solver
from bot.formats import format_duration, format_expression
from bot.i18n import get_words
from bot.queue import inbox
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot, RestartBot, read_reactions
from tests.stories.test_countdown import find_entry, read_draw, start_countdown
from tests.telegram import Chat, Message, Request, User, World

pytestmark = pytest.mark.long

LANGUAGES = ["en", "ru"]
WRONG = "1234567+1"  # uses a number that is no tile


def list_entrants(deal: Message) -> list[str]:
    """Return the players whom an open deal names as having answered."""
    (line,) = (line for line in deal.text.splitlines() if line.startswith("✋"))
    return re.findall(r"\u2068(\w+)\u2069", line)


@dataclass
class Party:
    """A group of four people and the bot, and the texts that only their authors may read."""

    world: World
    chat: Chat
    people: Sequence[User]
    secrets: list[tuple[User, str]] = field(default_factory=list)

    def mark_secret(self, user: User, text: str) -> str:
        """Note that only `user` may read a text; return the text."""
        self.secrets.append((user, text))
        return text

    def check_secrets(self) -> None:
        """Assert that no request and no message of the bot showed a secret to another person."""
        for request in self.world.requests:
            for user, text in self.secrets:
                params = json.dumps(request.params, ensure_ascii=False)
                if text in params or format_expression(text) in params:
                    assert request.status != 200 or self._is_only_for(user, request), request
        for other in self.people:
            seen = [m for m in self.world.seen_by(other, self.chat) if m.sender is self.world.bot]
            texts = [text for m in seen for text in (m.text, *(old for old, _ in m.edits))]
            for user, secret in self.secrets:
                is_shown = any(secret in text or format_expression(secret) in text for text in texts)
                assert user is other or not is_shown

    def _is_only_for(self, user: User, request: Request) -> bool:
        """Whether a request reached nobody but that person."""
        params, result = request.params, request.result
        receiver = params.get("ephemeral_message_parameters", params).get("receiver_user_id")
        ephemeral = result is True or "ephemeral_message_id" in result
        presses = {press.id for press in self.world.answered if press.user is user}
        pressed = params.get("callback_query_id") in presses
        return params.get("chat_id") == user.id or (receiver == user.id and ephemeral) or pressed


@pytest.fixture(params=LANGUAGES)
def party(world: World, request: pytest.FixtureRequest) -> Party:
    people = [world.user(name, language_code=request.param) for name in ("Ann", "Bob", "Cem", "Dee")]
    return Party(world, world.group("Family", *people), people)


async def send_secretly(bot: LiveBot, user: User, chat: Chat, text: str) -> None:
    """Send an ephemeral command and wait until it is handled."""
    bot.world.say_secretly(user, chat, text)
    await bot.settle()


def is_wrong_verdict(text: str) -> bool:
    """Whether a text is the verdict on `WRONG`: it names the number that is no tile."""
    return "1234567" in text


async def test_ephemeral_entry_gets_an_ephemeral_verdict(bot: LiveBot, party: Party, clock: Clock) -> None:
    world, family = bot.world, party.chat
    ann, bob, cem, _ = party.people
    deal = await start_countdown(bot, ann, family, "2")
    tiles, target = read_draw(deal)
    near = party.mark_secret(ann, find_entry(tiles, target, 2))
    far = party.mark_secret(bob, find_entry(tiles, target, 7))
    await send_secretly(bot, ann, family, f"/a {near}")
    trial, verdict = world.told(ann, family)
    assert format_expression(near) not in trial.text
    assert format_expression(near) in verdict.text
    await send_secretly(bot, bob, family, f"/a {far}")
    (verdict,) = world.told(bob, family)  # without a trial: the server is known to have ephemeral messages
    assert format_expression(far) in verdict.text
    await send_secretly(bot, cem, family, f"/a {WRONG}")
    assert is_wrong_verdict(world.told(cem, family)[-1].text)
    assert list_entrants(deal) == ["Ann", "Bob"]
    assert len(world.posts(family)) == 1
    assert not world.calls("setMessageReaction")
    party.check_secrets()
    clock.advance(70)
    await bot.run_timers()
    assert any(line.startswith("🏆") and format_expression(near) in line for line in deal.text.splitlines())
    assert not world.violations


async def test_verdict_too_late_for_an_ephemeral_reply_is_sent_in_private(
    party: Party, restart_bot: RestartBot, clock: Clock
) -> None:
    bot, world, family = await restart_bot(party.world), party.world, party.chat
    ann, bob, *_ = party.people
    world.start(bob)
    await bot.settle()
    deal = await start_countdown(bot, ann, family)
    entry = party.mark_secret(ann, find_entry(*read_draw(deal), 3))
    await send_secretly(bot, ann, family, f"/a {entry}")  # ends the trial
    held = world.faults.add("sendMessage", chat=family.id, status=502)
    world.say_secretly(bob, family, f"/a {WRONG}")
    await world.wait_until(lambda: held.hits)
    clock.advance(20)
    world.faults.remove(held)
    bot = await restart_bot(world)
    await bot.settle()
    assert not world.told(bob, family)
    line = next(line for line in deal.text.splitlines() if "→" in line)
    lines = world.posts(bob)[-1].text.splitlines()
    assert (lines[0], is_wrong_verdict(lines[1])) == (line, True)
    party.check_secrets()
    assert not world.violations


@pytest.mark.long
async def test_verdict_waits_behind_a_button_without_a_private_chat(bot: LiveBot, party: Party) -> None:
    world, family = bot.world, party.chat
    ann, bob, cem, _ = party.people
    deal = await start_countdown(bot, ann, family)
    assert read_reactions(await bot.say(bob, family, WRONG, reply_to=deal)) == "👎"
    assert "📬 \u2068Bob\u2069" in deal.text
    assert len(world.posts(family)) == 1
    await bot.say(bob, family, "2000+1", reply_to=deal)
    tries = [call for call in world.calls("sendMessage") if call.chat == bob.id]
    assert len(tries) == 2, "one for each answer"
    await bot.say(cem, family, WRONG, reply_to=deal)
    assert deal.text.splitlines()[-1].startswith("📬 \u2068Bob\u2069, \u2068Cem\u2069")
    assert len(world.posts(family)) == 1
    press = world.press(ann, deal, "📬")
    assert "1234567" not in await world.answer_to(press)
    press = world.press(bob, deal, "📬")
    assert "2000" in await world.answer_to(press)  # the verdict on the last entry
    assert press.answer is not None
    assert press.answer["show_alert"]
    await bot.settle()
    assert "📬 \u2068Cem\u2069" in deal.text
    world.open_link(cem, deal, "🤫")
    await bot.settle()
    assert is_wrong_verdict(world.posts(cem)[-1].text)
    assert "📬" not in deal.text
    assert not world.violations


async def test_waiting_verdict_is_dropped_after_a_better_entry(bot: LiveBot, party: Party) -> None:
    ann, bob, *_ = party.people
    deal = await start_countdown(bot, ann, party.chat)
    await bot.say(bob, party.chat, WRONG, reply_to=deal)
    assert "📬 \u2068Bob\u2069" in deal.text
    good = await bot.say(bob, party.chat, find_entry(*read_draw(deal), 3), reply_to=deal)
    assert read_reactions(good) == "👌"
    assert "📬" not in deal.text
    assert not any("📬" in label for label in deal.labels)
    assert not bot.world.violations


async def test_unread_verdict_still_waits_after_the_end(bot: LiveBot, party: Party, clock: Clock) -> None:
    world, (ann, bob, *_) = bot.world, party.people
    deal = await start_countdown(bot, ann, party.chat)
    await bot.say(bob, party.chat, WRONG, reply_to=deal)
    clock.advance(70)
    await bot.run_timers()
    assert "⏳" not in deal.text
    assert "📬 \u2068Bob\u2069" in deal.text
    assert is_wrong_verdict(await world.answer_to(world.press(bob, deal, "📬")))
    await bot.settle()
    assert "📬" not in deal.text
    assert not any("📬" in label for label in deal.labels)
    assert not world.violations


async def test_verdict_is_sent_ephemerally_if_its_alert_is_too_late(
    bot: LiveBot, party: Party, clock: Clock
) -> None:
    world, family = bot.world, party.chat
    ann, bob, cem, _ = party.people
    deal = await start_countdown(bot, ann, family)
    for user in (bob, cem):
        await bot.say(user, family, WRONG, reply_to=deal)
    world.faults.add("answerCallbackQuery", status=400, count=1)
    world.press(bob, deal, "📬")
    await bot.settle()
    assert is_wrong_verdict(world.told(bob, family)[-1].text)
    assert "📬 \u2068Cem\u2069" in deal.text
    fault = world.faults.add("*Message*", chat=family.id, status=403)
    world.faults.add("answerCallbackQuery", status=403, count=1)
    world.press(cem, deal, "📬")
    await bot.settle()
    world.faults.remove(fault)
    assert len(world.told(cem, family)) == 0
    assert is_wrong_verdict(await world.answer_to(world.press(cem, deal, "📬")))  # the verdict waits again
    assert not world.violations


async def test_plain_entry_is_not_heard_in_privacy_mode(bot: LiveBot, party: Party) -> None:
    world, family = bot.world, party.chat
    ann, bob, *_ = party.people
    deal = await start_countdown(bot, ann, family)
    entry = find_entry(*read_draw(deal), 3)
    await bot.say(bob, family, entry)
    assert "✋" not in deal.text
    message = await bot.say(bob, family, f"/a@{world.bot.username} {entry}")
    assert read_reactions(message) == "👌"
    await send_secretly(bot, ann, family, f"/a {party.mark_secret(ann, find_entry(*read_draw(deal), 4))}")
    assert list_entrants(deal) == ["Bob", "Ann"]
    party.check_secrets()


async def test_verdict_waits_behind_a_button_if_the_bot_is_blocked(bot: LiveBot, party: Party) -> None:
    world, family = bot.world, party.chat
    ann, bob, *_ = party.people
    world.start(bob)
    await bot.settle()
    world.block(bob)
    deal = await start_countdown(bot, ann, family)
    await bot.say(bob, family, WRONG, reply_to=deal)
    assert "📬 \u2068Bob\u2069" in deal.text


async def test_bot_admin_deletes_entries_and_replies_ephemerally(
    bot: LiveBot, party: Party, clock: Clock
) -> None:
    world, family = bot.world, party.chat
    ann, bob, cem, _ = party.people
    world.promote(world.bot, family)
    deal = await start_countdown(bot, ann, family)
    tiles, target = read_draw(deal)
    entry = party.mark_secret(bob, find_entry(tiles, target, 1))
    message = await bot.say(bob, family, entry)  # an admin gets all messages
    assert message.deleted
    assert format_expression(entry) in world.told(bob, family)[-1].text
    assert list_entrants(deal) == ["Bob"]
    wrong = await bot.say(cem, family, WRONG, reply_to=deal)
    assert wrong.deleted
    assert is_wrong_verdict(world.told(cem, family)[-1].text)
    talk = await bot.say(cem, family, "what a draw", reply_to=deal)
    assert not talk.deleted
    assert not world.calls("setMessageReaction")
    party.check_secrets()
    clock.advance(70)
    await bot.run_timers()
    assert format_expression(entry) in deal.text
    assert not world.violations


@pytest.mark.long
async def test_bot_admin_without_the_right_to_delete_reacts(bot: LiveBot, party: Party) -> None:
    world, family = bot.world, party.chat
    ann, bob, *_ = party.people
    world.promote(world.bot, family, "can_pin_messages")
    deal = await start_countdown(bot, ann, family)
    message = await bot.say(bob, family, WRONG, reply_to=deal)
    assert read_reactions(message) == "👎"
    assert not message.deleted
    assert is_wrong_verdict(world.told(bob, family)[-1].text)
    world.demote(world.bot, family)
    await bot.settle()
    await bot.say(bob, family, "2000+1", reply_to=deal)
    assert "📬 \u2068Bob\u2069" in deal.text


@pytest.mark.long
@pytest.mark.parametrize("started", [True, False])
async def test_old_server_gets_no_secret_in_public(
    bot: LiveBot, party: Party, clock: Clock, *, started: bool
) -> None:
    world, family = bot.world, party.chat
    ann, bob, *_ = party.people
    world.ephemerals.old = True
    world.promote(world.bot, family)
    if started:
        world.start(bob)
        await bot.settle()
    deal = await start_countdown(bot, ann, family)
    await bot.say(bob, family, party.mark_secret(bob, WRONG), reply_to=deal)
    trial = [m for m in family.messages.values() if m.sender is world.bot and m is not deal]
    assert [(m.deleted, WRONG in m.text, "1234567" in m.text) for m in trial] == [(True, False, False)]
    text = world.posts(bob)[-1].text if started else deal.text
    assert is_wrong_verdict(text) if started else "📬 \u2068Bob\u2069" in text
    await bot.say(ann, family, "2000+1", reply_to=deal)  # the trial is not repeated
    assert len([m for m in family.messages.values() if m.sender is world.bot]) == 2
    party.check_secrets()
    world.ephemerals.old = False
    clock.advance(86_500)
    await bot.run_timers()
    deal = await start_countdown(bot, ann, family)
    await bot.say(bob, family, "3000+1", reply_to=deal)
    assert "3000" in world.told(bob, family)[-1].text
    assert not world.violations


async def test_deleted_entry_is_confirmed_behind_a_button(bot: LiveBot, party: Party) -> None:
    world, (ann, bob, *_) = bot.world, party.people
    world.ephemerals.old = True
    world.promote(world.bot, party.chat)
    deal = await start_countdown(bot, ann, party.chat)
    entries = [party.mark_secret(bob, find_entry(*read_draw(deal), distance)) for distance in (5, 2)]
    for entry in entries:
        message = await bot.say(bob, party.chat, entry, reply_to=deal)
        assert message.deleted
        assert "📬 \u2068Bob\u2069" in deal.text
    assert format_expression(entries[1]) in await world.answer_to(world.press(bob, deal, "📬"))
    await bot.settle()
    assert "📬" not in deal.text
    party.check_secrets()
    assert not world.violations


async def test_server_that_loses_ephemeral_messages_is_noticed(bot: LiveBot, party: Party) -> None:
    # The first message is public for a moment, as the change can't be foreseen; the bot deletes it.
    world, family = bot.world, party.chat
    ann, bob, *_ = party.people
    world.promote(world.bot, family)
    deal = await start_countdown(bot, ann, family)
    await bot.say(bob, family, WRONG, reply_to=deal)
    assert len(world.told(bob, family)) == 2
    world.ephemerals.old = True
    await bot.say(bob, family, "2000+1", reply_to=deal)
    await bot.say(ann, family, "2000+1", reply_to=deal)
    own = [m for m in family.messages.values() if m.sender is world.bot and m is not deal]
    assert [m.deleted for m in own] == [True]
    assert "📬 \u2068Ann\u2069, \u2068Bob\u2069" in deal.text


async def test_entry_may_be_sent_in_private(bot: LiveBot, party: Party, clock: Clock) -> None:
    world, family = bot.world, party.chat
    ann, bob, *_ = party.people
    words = get_words(bob.language_code)
    deal = await start_countdown(bot, ann, family)
    tiles, target = read_draw(deal)
    clock.advance(12)
    world.open_link(bob, deal, "🤫")
    await bot.settle()
    open_bot = world.posts(bob)[-1]
    assert "Family" in open_bot.text
    assert (
        open_bot.text.splitlines()[-1]
        == f"⏳ {words.translate('{time} left', time=format_duration(words, 48))}"
    )
    assert f"{' '.join(map(str, tiles))} → {target}" in open_bot.text.splitlines()
    (back,) = open_bot.buttons
    assert back["text"] == f"↩️ {words.translate_plain('Back to the group')}"
    assert back["url"] == f"https://t.me/c/{-family.id - 10**12}/{deal.id}"
    entry = party.mark_secret(bob, find_entry(tiles, target, 4))
    sent = await bot.say(bob, world.chat_of(bob), entry)
    assert read_reactions(sent) == "👌"
    assert format_expression(entry) in world.posts(bob)[-1].text
    for command in ("/hint", "/skip"):
        await bot.say(bob, world.chat_of(bob), command)
        there = "The hand that you answer here is on its group’s table: hints and giving up are there."
        assert world.posts(bob)[-1].text == words.translate_plain(there)
    assert list_entrants(deal) == ["Bob"]
    await bot.say(bob, world.chat_of(bob), WRONG)
    assert is_wrong_verdict(world.posts(bob)[-1].text)
    party.check_secrets()
    clock.advance(70)
    await bot.run_timers()
    assert f"🏆 \u2068Bob\u2069: {format_expression(entry)} = " in deal.text
    await bot.say(bob, world.chat_of(bob), entry)
    assert "🏆" not in world.posts(bob)[-1].text
    await bot.say(bob, world.chat_of(bob), "/skip")
    none = words.translate_plain("No hand is on the table.")
    assert world.posts(bob)[-1].text.startswith(none)
    assert not world.violations


async def test_repeated_secret_link_is_looked_up_once_a_minute(
    bot: LiveBot, party: Party, clock: Clock
) -> None:
    world = bot.world
    ann, bob, *_ = party.people
    deal = await start_countdown(bot, ann, party.chat)

    async def open_links(times: int) -> tuple[int, int]:
        """Open the link several times; return the numbers of lookups and replies."""
        lookups, replies = len(world.requests), len(world.posts(bob))
        for _ in range(times):
            world.open_link(bob, deal, "🤫")
        await bot.settle()
        requests = [r for r in world.requests[lookups:] if r.method in ("getChat", "getChatMember")]
        return len(requests), len(world.posts(bob)) - replies

    assert await open_links(5) == (2, 1)
    clock.advance(12)
    assert await open_links(5) == (0, 1)
    tiles, target = read_draw(deal)
    assert f"{' '.join(map(str, tiles))} → {target}" in world.posts(bob)[-1].text.splitlines()
    clock.advance(9)
    assert await open_links(5) == (0, 0)
    entry = party.mark_secret(bob, find_entry(tiles, target, 4))
    await bot.say(bob, world.chat_of(bob), entry)
    assert list_entrants(deal) == ["Bob"]


async def test_forged_secret_link_is_refused(bot: LiveBot, party: Party) -> None:
    world, family = bot.world, party.chat
    ann, *_ = party.people
    stranger = world.user("Eve", language_code=ann.language_code)
    deal = await start_countdown(bot, ann, family)
    link = deal.button("🤫")["url"].partition("?start=")[2]
    lines = set()
    for payload in (link, "secret_999", "secret_", "secret_0x1", "secret_-1"):
        world.start(stranger, payload)
        await bot.settle()
        lines.add(world.posts(stranger)[-1].text)
    assert len(lines) == 1
    assert "→" not in lines.pop()
    await bot.say(stranger, world.chat_of(stranger), find_entry(*read_draw(deal), 3))
    assert "✋" not in deal.text
    assert len(world.posts(stranger)) == 6
    assert not world.violations


async def test_private_entry_goes_to_the_round_with_its_tiles(bot: LiveBot, party: Party) -> None:
    world, family = bot.world, party.chat
    ann, bob, *_ = party.people
    others = world.group("Others", ann, bob)
    one, other = await start_countdown(bot, ann, family), await start_countdown(bot, ann, others)
    for deal in (one, other, one):
        world.open_link(bob, deal, "🤫")
        await bot.settle()
    await bot.say(bob, world.chat_of(bob), find_entry(*read_draw(one), 3))
    assert "✋" in one.text
    assert "✋" not in other.text


@pytest.mark.long
async def test_secret_link_also_serves_the_next_round(bot: LiveBot, party: Party, clock: Clock) -> None:
    world, family = bot.world, party.chat
    ann, bob, *_ = party.people
    deal = await start_countdown(bot, ann, family)
    world.open_link(bob, deal, "🤫")
    await bot.settle()
    clock.advance(70)
    await bot.run_timers()
    deal = await start_countdown(bot, ann, family)
    await bot.say(bob, world.chat_of(bob), find_entry(*read_draw(deal), 3))
    assert list_entrants(deal) == ["Bob"]


async def test_entry_waiting_in_private_at_the_deadline_counts(
    bot: LiveBot, party: Party, clock: Clock
) -> None:
    # The private chat has its own lane, in which something may be slow.
    world, family = bot.world, party.chat
    ann, bob, *_ = party.people
    deal = await start_countdown(bot, ann, family)
    world.open_link(bob, deal, "🤫")
    await bot.settle()
    entry, slow = find_entry(*read_draw(deal), 3), asyncio.Event()
    fault = world.faults.add("getChatMember", held=slow)
    world.say(bob, bob, find_entry(*read_draw(deal), 4))
    await world.wait_until(lambda: fault.hits)
    clock.advance(59)
    world.say(bob, bob, entry)
    await world.wait_until_taken()
    clock.advance(10)
    await bot.timers.run_due()
    await bot.wait_until_received()
    await bot.timers.run_due()
    await bot.service.outbox.wait_until_idle()
    assert "🤫" in " ".join(deal.labels)
    slow.set()
    await bot.settle()
    await bot.run_timers()
    assert format_expression(entry) in deal.text


@pytest.mark.long
async def test_slow_private_entries_do_not_hold_up_the_group(
    bot: LiveBot, party: Party, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inbox, "PATIENCE", 0.0)
    world, family = bot.world, party.chat
    ann, bob, *_ = party.people
    deal = await start_countdown(bot, ann, family)
    world.open_link(bob, deal, "🤫")
    await bot.settle()
    near, slow = find_entry(*read_draw(deal), 3), asyncio.Event()
    await bot.say(ann, family, near, reply_to=deal)
    fault = world.faults.add("getChatMember", held=slow)
    clock.advance(55)
    for _ in range(3):
        world.say(bob, bob, find_entry(*read_draw(deal), 4))
    await world.wait_until(lambda: fault.hits)
    clock.advance(8)
    for _ in range(2):
        await bot.timers.run_due()
        if bot.service.inbox.watermark.is_awaited:
            await bot.wait_until_received()
    await bot.service.outbox.wait_until_idle()
    assert format_expression(near) in deal.text
    world.say(ann, family, "/countdown@TwentyFourTestBot")
    await world.wait_until(
        lambda: "→" in world.posts(family)[-1].text and world.posts(family)[-1] is not deal
    )
    slow.set()
    await bot.settle()


async def test_restart_after_the_trial_keeps_the_verdict_secret(
    party: Party, restart_bot: RestartBot, clock: Clock
) -> None:
    bot, world, family = await restart_bot(party.world), party.world, party.chat
    ann, bob, *_ = party.people
    world.promote(world.bot, family)
    deal = await start_countdown(bot, ann, family)
    fault = world.faults.add("sendMessage", chat=family.id, close=True, effect=True)
    world.say(bob, family, WRONG, reply_to=deal)
    await world.wait_until(lambda: fault.hits >= 1)
    world.faults.remove(fault)
    bot = await restart_bot(world)
    await bot.settle()
    *trials, verdict = world.told(bob, family)
    assert not any("1234567" in trial.text for trial in trials)
    assert is_wrong_verdict(verdict.text)
    assert len(world.posts(family)) == 1
    assert not world.violations


async def test_restart_after_a_public_trial_keeps_the_verdict_secret(
    party: Party, restart_bot: RestartBot
) -> None:
    bot, world, family = await restart_bot(party.world), party.world, party.chat
    ann, bob, *_ = party.people
    world.ephemerals.old = True
    world.promote(world.bot, family)
    deal = await start_countdown(bot, ann, family)
    fault = world.faults.add("sendMessage", chat=family.id, close=True, effect=True)
    world.say(bob, family, WRONG, reply_to=deal)
    await world.wait_until(lambda: fault.hits >= 1)
    world.faults.remove(fault)
    bot = await restart_bot(world)
    await bot.settle()
    assert world.posts(family) == [deal]
    assert "📬 \u2068Bob\u2069" in deal.text
    assert not any("1234567" in json.dumps(call.params) for call in world.requests if call.chat != bob.id)
    assert not world.violations


async def test_restart_before_the_button_or_the_alert_loses_no_verdict(
    party: Party, restart_bot: RestartBot
) -> None:
    bot, world, family = await restart_bot(party.world), party.world, party.chat
    ann, bob, *_ = party.people
    deal = await start_countdown(bot, ann, family)
    fault = world.faults.add("editMessageText", chat=family.id, status=502)
    world.say(bob, family, WRONG, reply_to=deal)
    await world.wait_until(lambda: fault.hits)
    assert "📬" not in deal.text
    world.faults.remove(fault)
    bot = await restart_bot(world)
    await bot.settle()
    assert "📬 \u2068Bob\u2069" in deal.text
    fault = world.faults.add("answerCallbackQuery", status=502)
    press = world.press(bob, deal, "📬")
    await world.wait_until(lambda: fault.hits)
    world.faults.remove(fault)
    bot = await restart_bot(world)
    await bot.settle()
    assert is_wrong_verdict(await world.answer_to(press))
    assert "📬" not in deal.text
    assert len(world.posts(family)) == 1
    party.check_secrets()


@pytest.mark.long
@pytest.mark.parametrize("effect", [True, False])
async def test_restart_during_a_private_verdict_sends_it_once(
    party: Party, restart_bot: RestartBot, *, effect: bool
) -> None:
    bot, world, family = await restart_bot(party.world), party.world, party.chat
    ann, bob, *_ = party.people
    world.start(bob)
    await bot.settle()
    deal = await start_countdown(bot, ann, family)
    fault = world.faults.add("sendMessage", chat=bob.id, status=502, effect=effect, count=1)
    world.say(bob, family, WRONG, reply_to=deal)
    await world.wait_until(lambda: fault.hits)
    bot = await restart_bot(world)
    await bot.settle()
    assert [is_wrong_verdict(post.text) for post in world.posts(bob)].count(True) == 1
    assert "📬" not in deal.text
    assert not world.violations


def test_secrecy_check_finds_a_leak(party: Party) -> None:
    ann, *_ = party.people
    expression = str(solver.parse("1+2"))
    party.mark_secret(ann, expression)
    party.world.say(party.world.bot, party.chat, f"{expression} = 3")
    with pytest.raises(AssertionError):
        party.check_secrets()


async def test_removed_member_cannot_answer_from_private(
    bot: LiveBot, world: World, ann: User, bob: User
) -> None:
    cid = world.user("Cid")
    club = world.group("Club", ann, bob, cid)
    deal = await start_countdown(bot, ann, club)
    tiles, target = read_draw(deal)
    world.open_link(cid, deal, "🤫")
    await bot.settle()
    world.leave(cid, club, by=ann)
    await bot.say(cid, world.chat_of(cid), find_entry(tiles, target, 1))
    assert world.posts(cid)[-1].text == "That link leads to no round that you can answer now."
    assert "Cid" not in deal.text


async def test_unreadable_private_entry_and_talk_are_explained(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    deal = await start_countdown(bot, ann, family)
    world.open_link(bob, deal, "🤫")
    await bot.settle()
    posts = len(world.posts(bob))
    await bot.say(bob, world.chat_of(bob), "25*(100+7")
    assert world.posts(bob)[-1].text == "A closing bracket ) is missing."
    await bot.say(bob, world.chat_of(bob), "hello there")
    assert "Each tile at most once" in world.posts(bob)[-1].text
    assert len(world.posts(bob)) == posts + 2


async def test_guess_without_points_reveals_no_other_entry(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User
) -> None:
    cid = world.user("Cid")
    club = world.group("Club", ann, bob, cid)
    deal = await start_countdown(bot, ann, club)
    tiles, target = read_draw(deal)
    entry, other = find_entry(tiles, target, 2), find_entry(tiles, target, 5)
    await bot.say(ann, club, entry, reply_to=deal)
    await bot.say(cid, world.chat_of(cid), f"/why {' '.join(map(str, tiles))} = {target}")
    world.open_link(cid, deal, "🤫")
    await bot.settle()
    replies = []
    for guess in (entry, other):
        guessed = await bot.say(cid, world.chat_of(cid), guess)
        replies.append((world.posts(cid)[-1].text, guessed.reactions))
    assert replies[0] == replies[1]
    assert "no points" in replies[0][0]
