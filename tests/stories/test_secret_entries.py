"""Secret entries of Countdown, and each way on which their verdict comes, taken by force."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

import solver
from bot.i18n import get_words
from bot.queue import inbox
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot, RestartBot, read_reactions
from tests.stories.test_countdown import find_entry, read_draw, start_countdown
from tests.telegram import Chat, Request, User, World

LANGUAGES = ["en", "ru"]
WRONG = "1234567+1"  # Of tiles that no box holds


@dataclass
class Party:
    """Four people and the bot in a group, and what of theirs nobody else may read."""

    world: World
    chat: Chat
    people: Sequence[User]
    secrets: list[tuple[User, str]] = field(default_factory=list)

    def hide(self, user: User, text: str) -> str:
        """Note that this is `user`'s own until the end."""
        self.secrets.append((user, text))
        return text

    def is_kept(self) -> None:
        """No request of the bot showed an entry to another player: each is searched, and each message."""
        for request in self.world.requests:
            for user, text in self.secrets:
                said = json.dumps(request.params, ensure_ascii=False)
                if text in said or text.replace("*", "×") in said:
                    assert request.status != 200 or self._is_for(user, request), request
        for other in self.people:
            seen = [m for m in self.world.seen_by(other, self.chat) if m.sender is self.world.bot]
            for user, text in self.secrets:
                told = [m for m in seen if text in m.text or any(text in old for old, _ in m.edits)]
                assert user is other or not told

    def _is_for(self, user: User, request: Request) -> bool:
        """Whether nobody but that person got what was sent."""
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


async def secretly(bot: LiveBot, user: User, chat: Chat, text: str) -> None:
    bot.world.say_secretly(user, chat, text)
    await bot.settle()


def says_no(told: str) -> bool:
    """Whether it is the verdict on `WRONG`: it names what is no tile."""
    return "1234567" in told


async def test_an_ephemeral_command_is_an_entry_and_its_verdict_comes_back_so(
    bot: LiveBot, party: Party, clock: Clock
) -> None:
    world, family = bot.world, party.chat
    ann, bob, cem, _ = party.people
    deal = await start_countdown(bot, ann, family, "2")
    tiles, target = read_draw(deal)
    near = party.hide(ann, find_entry(tiles, target, 2))
    far = party.hide(bob, find_entry(tiles, target, 7))
    await secretly(bot, ann, family, f"/a {near}")
    trial, told = world.told(ann, family)
    assert near not in trial.text
    assert near in told.text
    await secretly(bot, bob, family, f"/a {far}")
    (told,) = world.told(bob, family)  # that the server knows such was seen
    assert far in told.text
    await secretly(bot, cem, family, f"/a {WRONG}")
    assert says_no(world.told(cem, family)[-1].text)
    assert "✋ \u2068Ann\u2069, \u2068Bob\u2069" in deal.text.splitlines()
    assert len(world.posts(family)) == 1
    assert not world.calls("setMessageReaction")
    party.is_kept()
    clock.advance(70)
    await bot.run_timers()
    assert any(line.startswith("🏆") and near in line for line in deal.text.splitlines())
    assert not world.violations


async def test_an_entry_too_late_for_that_is_told_in_private(
    party: Party, restart_bot: RestartBot, clock: Clock
) -> None:
    bot, world, family = await restart_bot(party.world), party.world, party.chat
    ann, bob, *_ = party.people
    world.start(bob)
    await bot.settle()
    deal = await start_countdown(bot, ann, family)
    await secretly(
        bot, ann, family, f"/a {party.hide(ann, find_entry(*read_draw(deal), 3))}"
    )  # so the trial is over
    held = world.faults.add("sendMessage", chat=family.id, status=502)
    world.say_secretly(bob, family, f"/a {WRONG}")
    await world.wait_until(lambda: held.hits)
    clock.advance(20)
    world.faults.remove(held)
    bot = await restart_bot(world)
    await bot.settle()
    assert not world.told(bob, family)
    line = next(line for line in deal.text.splitlines() if "→" in line)
    said = world.posts(bob)[-1].text.splitlines()
    assert (said[0], says_no(said[1])) == (line, True)
    party.is_kept()
    assert not world.violations


@pytest.mark.long
async def test_who_never_started_the_bot_finds_the_word_behind_a_button(bot: LiveBot, party: Party) -> None:
    world, family = bot.world, party.chat
    ann, bob, cem, _ = party.people
    deal = await start_countdown(bot, ann, family)
    assert read_reactions(await bot.say(bob, family, WRONG, reply_to=deal)) == "👀"
    assert "📬 \u2068Bob\u2069" in deal.text.splitlines()
    assert len(world.posts(family)) == 1
    await bot.say(bob, family, "2000+1", reply_to=deal)
    assert len([call for call in world.calls("sendMessage") if call.chat == bob.id]) == 2  # one an answer
    await bot.say(cem, family, WRONG, reply_to=deal)
    assert deal.text.splitlines()[-1] == "📬 \u2068Bob\u2069, \u2068Cem\u2069"
    assert len(world.posts(family)) == 1
    press = world.press(ann, deal, "📬")
    assert "1234567" not in await world.answer_to(press)
    press = world.press(bob, deal, "📬")
    assert "2000" in await world.answer_to(press)  # the last one counts
    assert press.answer is not None
    assert press.answer["show_alert"]
    await bot.settle()
    assert "📬 \u2068Cem\u2069" in deal.text.splitlines()
    world.open_link(cem, deal, "🤫")
    await bot.settle()
    assert says_no(world.posts(cem)[-1].text)
    assert "📬" not in deal.text
    assert not world.violations


async def test_a_word_is_let_go_once_its_author_has_done_better(bot: LiveBot, party: Party) -> None:
    ann, bob, *_ = party.people
    deal = await start_countdown(bot, ann, party.chat)
    await bot.say(bob, party.chat, WRONG, reply_to=deal)
    assert "📬 \u2068Bob\u2069" in deal.text.splitlines()
    good = await bot.say(bob, party.chat, find_entry(*read_draw(deal), 3), reply_to=deal)
    assert read_reactions(good) == "👌"
    assert "📬" not in deal.text
    assert not any("📬" in label for label in deal.labels)
    assert not bot.world.violations


async def test_a_word_that_is_unread_at_the_end_still_waits_below_it(
    bot: LiveBot, party: Party, clock: Clock
) -> None:
    world, (ann, bob, *_) = bot.world, party.people
    deal = await start_countdown(bot, ann, party.chat)
    await bot.say(bob, party.chat, WRONG, reply_to=deal)
    clock.advance(70)
    await bot.run_timers()
    assert "⏳" not in deal.text
    assert "📬 \u2068Bob\u2069" in deal.text.splitlines()
    assert says_no(await world.answer_to(world.press(bob, deal, "📬")))
    await bot.settle()
    assert "📬" not in deal.text
    assert not any("📬" in label for label in deal.labels)
    assert not world.violations


async def test_an_alert_that_comes_too_late_is_a_message_that_one_person_sees(
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
    assert says_no(world.told(bob, family)[-1].text)
    assert "📬 \u2068Cem\u2069" in deal.text.splitlines()
    broken = world.faults.add("*Message*", chat=family.id, status=403)
    world.faults.add("answerCallbackQuery", status=403, count=1)
    world.press(cem, deal, "📬")
    await bot.settle()
    world.faults.remove(broken)
    assert len(world.told(cem, family)) == 0
    assert says_no(await world.answer_to(world.press(cem, deal, "📬")))  # it waits again
    assert not world.violations


async def test_privacy_mode_hides_what_is_plain(bot: LiveBot, party: Party) -> None:
    world, family = bot.world, party.chat
    ann, bob, *_ = party.people
    deal = await start_countdown(bot, ann, family)
    entry = find_entry(*read_draw(deal), 3)
    await bot.say(bob, family, entry)
    assert "✋" not in deal.text
    said = await bot.say(bob, family, f"/a@{world.bot.username} {entry}")
    assert read_reactions(said) == "👌"
    await secretly(bot, ann, family, f"/a {party.hide(ann, find_entry(*read_draw(deal), 4))}")
    assert "✋ \u2068Bob\u2069, \u2068Ann\u2069" in deal.text.splitlines()
    party.is_kept()


async def test_a_blocked_private_chat_is_passed_over(bot: LiveBot, party: Party) -> None:
    world, family = bot.world, party.chat
    ann, bob, *_ = party.people
    world.start(bob)
    await bot.settle()
    world.block(bob)
    deal = await start_countdown(bot, ann, family)
    await bot.say(bob, family, WRONG, reply_to=deal)
    assert "📬 \u2068Bob\u2069" in deal.text.splitlines()


async def test_an_administrator_speaks_at_any_time_and_deletes_what_is_read(
    bot: LiveBot, party: Party, clock: Clock
) -> None:
    world, family = bot.world, party.chat
    ann, bob, cem, _ = party.people
    world.promote(world.bot, family)
    deal = await start_countdown(bot, ann, family)
    tiles, target = read_draw(deal)
    entry = party.hide(bob, find_entry(tiles, target, 1))
    said = await bot.say(bob, family, entry)  # an administrator hears all
    assert said.deleted
    assert entry in world.told(bob, family)[-1].text
    assert "✋ \u2068Bob\u2069" in deal.text.splitlines()
    wrong = await bot.say(cem, family, WRONG, reply_to=deal)
    assert wrong.deleted
    assert says_no(world.told(cem, family)[-1].text)
    talk = await bot.say(cem, family, "what a draw", reply_to=deal)
    assert not talk.deleted
    assert not world.calls("setMessageReaction")
    party.is_kept()
    clock.advance(70)
    await bot.run_timers()
    assert entry in deal.text
    assert not world.violations


@pytest.mark.long
async def test_an_administrator_who_may_not_delete_reacts(bot: LiveBot, party: Party) -> None:
    world, family = bot.world, party.chat
    ann, bob, *_ = party.people
    world.promote(world.bot, family, "can_pin_messages")
    deal = await start_countdown(bot, ann, family)
    said = await bot.say(bob, family, WRONG, reply_to=deal)
    assert read_reactions(said) == "👀"
    assert not said.deleted
    assert says_no(world.told(bob, family)[-1].text)
    world.demote(world.bot, family)
    await bot.settle()
    await bot.say(bob, family, "2000+1", reply_to=deal)
    assert "📬 \u2068Bob\u2069" in deal.text.splitlines()


@pytest.mark.long
@pytest.mark.parametrize("started", [True, False])
async def test_an_old_server_is_told_nothing_secret_in_public(
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
    await bot.say(bob, family, party.hide(bob, WRONG), reply_to=deal)
    trial = [m for m in family.messages.values() if m.sender is world.bot and m is not deal]
    assert [(m.deleted, WRONG in m.text, "1234567" in m.text) for m in trial] == [(True, False, False)]
    where = world.posts(bob)[-1].text if started else deal.text
    assert says_no(where) if started else "📬 \u2068Bob\u2069" in where
    await bot.say(ann, family, "2000+1", reply_to=deal)  # nothing is tried again
    assert len([m for m in family.messages.values() if m.sender is world.bot]) == 2
    party.is_kept()
    world.ephemerals.old = False
    clock.advance(86_500)
    await bot.run_timers()
    deal = await start_countdown(bot, ann, family)
    await bot.say(bob, family, "3000+1", reply_to=deal)
    assert "3000" in world.told(bob, family)[-1].text
    assert not world.violations


async def test_an_entry_that_is_deleted_is_confirmed_to_who_has_no_other_way(
    bot: LiveBot, party: Party
) -> None:
    world, (ann, bob, *_) = bot.world, party.people
    world.ephemerals.old = True
    world.promote(world.bot, party.chat)
    deal = await start_countdown(bot, ann, party.chat)
    entries = [party.hide(bob, find_entry(*read_draw(deal), off)) for off in (5, 2)]
    for entry in entries:
        said = await bot.say(bob, party.chat, entry, reply_to=deal)
        assert said.deleted
        assert "📬 \u2068Bob\u2069" in deal.text.splitlines()
    assert entries[1] in await world.answer_to(world.press(bob, deal, "📬"))
    await bot.settle()
    assert "📬" not in deal.text
    party.is_kept()
    assert not world.violations


async def test_a_server_that_grows_old_is_noticed(bot: LiveBot, party: Party) -> None:
    """The message is public for a moment, which nobody can know before; then it is gone, and none follows."""
    world, family = bot.world, party.chat
    ann, bob, *_ = party.people
    world.promote(world.bot, family)
    deal = await start_countdown(bot, ann, family)
    await bot.say(bob, family, WRONG, reply_to=deal)
    assert len(world.told(bob, family)) == 2
    world.ephemerals.old = True
    await bot.say(bob, family, "2000+1", reply_to=deal)
    await bot.say(ann, family, "2000+1", reply_to=deal)
    mine = [m for m in family.messages.values() if m.sender is world.bot and m is not deal]
    assert [m.deleted for m in mine] == [True]
    assert "📬 \u2068Ann\u2069, \u2068Bob\u2069" in deal.text.splitlines()


async def test_the_private_chat_is_a_way_in(bot: LiveBot, party: Party, clock: Clock) -> None:
    world, family = bot.world, party.chat
    ann, bob, *_ = party.people
    said = get_words(bob.language_code)
    deal = await start_countdown(bot, ann, family)
    tiles, target = read_draw(deal)
    clock.advance(12)
    world.open_link(bob, deal, "🤫")
    await bot.settle()
    open_bot = world.posts(bob)[-1]
    assert "Family" in open_bot.text
    assert (
        open_bot.text.splitlines()[-1]
        == f"⏳ {said.translate_plural('{n} second left', '{n} seconds left', 48)}"
    )
    assert f"{' '.join(map(str, tiles))} → {target}" in open_bot.text.splitlines()
    (back,) = open_bot.buttons
    assert back["text"] == f"↩️ {said.translate_plain('Back to the group')}"
    assert back["url"] == f"https://t.me/c/{-family.id - 10**12}/{deal.id}"
    entry = party.hide(bob, find_entry(tiles, target, 4))
    sent = await bot.say(bob, world.chat_of(bob), entry)
    assert read_reactions(sent) == "👌"
    assert entry in world.posts(bob)[-1].text
    for command in ("/hint", "/skip"):
        await bot.say(bob, world.chat_of(bob), command)
        there = "The hand that you answer here is on its group’s table: hints and giving up are there."
        assert world.posts(bob)[-1].text == said.translate_plain(there)
    assert "✋ \u2068Bob\u2069" in deal.text.splitlines()
    await bot.say(bob, world.chat_of(bob), WRONG)
    assert says_no(world.posts(bob)[-1].text)
    party.is_kept()
    clock.advance(70)
    await bot.run_timers()
    assert any(line.startswith("🏆 \u2068Bob\u2069") and entry in line for line in deal.text.splitlines())
    await bot.say(bob, world.chat_of(bob), entry)
    assert "🏆" not in world.posts(bob)[-1].text
    await bot.say(bob, world.chat_of(bob), "/skip")
    assert world.posts(bob)[-1].text == said.translate_plain("No hand is on the table. /play deals one.")
    assert not world.violations


async def test_a_link_that_is_opened_again_and_again_is_looked_up_once_a_minute(
    bot: LiveBot, party: Party, clock: Clock
) -> None:
    world = bot.world
    ann, bob, *_ = party.people
    deal = await start_countdown(bot, ann, party.chat)

    async def opens(times: int) -> tuple[int, int]:
        """How many lookups and replies come of it."""
        lookups, replies = len(world.requests), len(world.posts(bob))
        for _ in range(times):
            world.open_link(bob, deal, "🤫")
        await bot.settle()
        asked = [r for r in world.requests[lookups:] if r.method in ("getChat", "getChatMember")]
        return len(asked), len(world.posts(bob)) - replies

    assert await opens(5) == (2, 1)
    clock.advance(12)
    assert await opens(5) == (0, 1)
    tiles, target = read_draw(deal)
    assert f"{' '.join(map(str, tiles))} → {target}" in world.posts(bob)[-1].text.splitlines()
    clock.advance(9)
    assert await opens(5) == (0, 0)
    entry = party.hide(bob, find_entry(tiles, target, 4))
    await bot.say(bob, world.chat_of(bob), entry)
    assert "✋ \u2068Bob\u2069" in deal.text.splitlines()


async def test_a_forged_link_gets_one_line(bot: LiveBot, party: Party) -> None:
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


async def test_of_several_rounds_that_counts_whose_tiles_an_entry_has(bot: LiveBot, party: Party) -> None:
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
async def test_a_link_leads_on_to_the_next_hand(bot: LiveBot, party: Party, clock: Clock) -> None:
    world, family = bot.world, party.chat
    ann, bob, *_ = party.people
    deal = await start_countdown(bot, ann, family)
    world.open_link(bob, deal, "🤫")
    await bot.settle()
    clock.advance(70)
    await bot.run_timers()
    deal = await start_countdown(bot, ann, family)
    await bot.say(bob, world.chat_of(bob), find_entry(*read_draw(deal), 3))
    assert "✋ \u2068Bob\u2069" in deal.text.splitlines()


async def test_what_waits_in_private_at_the_deadline_counts(bot: LiveBot, party: Party, clock: Clock) -> None:
    """Whoever answers from the private chat has a lane of their own there, in which something may be slow."""
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
    await bot.service.inbox.watermark.wait_until_received()
    await bot.timers.run_due()
    await bot.service.outbox.wait_until_idle()
    assert "🤫" in " ".join(deal.labels)
    slow.set()
    await bot.settle()
    await bot.run_timers()
    assert entry in deal.text


@pytest.mark.long
async def test_nobody_keeps_a_group_waiting_by_what_they_send_in_private(
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
            await bot.service.inbox.watermark.wait_until_received()
    await bot.service.outbox.wait_until_idle()
    assert near in deal.text
    world.say(ann, family, "/countdown@TwentyFourTestBot")
    await world.wait_until(
        lambda: "→" in world.posts(family)[-1].text and world.posts(family)[-1] is not deal
    )
    slow.set()
    await bot.settle()


async def test_a_restart_between_the_trial_and_the_word(
    party: Party, restart_bot: RestartBot, clock: Clock
) -> None:
    bot, world, family = await restart_bot(party.world), party.world, party.chat
    ann, bob, *_ = party.people
    world.promote(world.bot, family)
    deal = await start_countdown(bot, ann, family)
    lost = world.faults.add("sendMessage", chat=family.id, close=True, effect=True)
    world.say(bob, family, WRONG, reply_to=deal)
    await world.wait_until(lambda: lost.hits >= 1)
    world.faults.remove(lost)
    bot = await restart_bot(world)
    await bot.settle()
    *trials, told = world.told(bob, family)
    assert not any("1234567" in trial.text for trial in trials)
    assert says_no(told.text)
    assert len(world.posts(family)) == 1
    assert not world.violations


async def test_a_restart_behind_a_trial_that_an_old_server_showed_to_all(
    party: Party, restart_bot: RestartBot
) -> None:
    bot, world, family = await restart_bot(party.world), party.world, party.chat
    ann, bob, *_ = party.people
    world.ephemerals.old = True
    world.promote(world.bot, family)
    deal = await start_countdown(bot, ann, family)
    lost = world.faults.add("sendMessage", chat=family.id, close=True, effect=True)
    world.say(bob, family, WRONG, reply_to=deal)
    await world.wait_until(lambda: lost.hits >= 1)
    world.faults.remove(lost)
    bot = await restart_bot(world)
    await bot.settle()
    assert world.posts(family) == [deal]
    assert "📬 \u2068Bob\u2069" in deal.text.splitlines()
    assert not any("1234567" in json.dumps(call.params) for call in world.requests if call.chat != bob.id)
    assert not world.violations


async def test_a_restart_before_an_alert_and_before_the_button(party: Party, restart_bot: RestartBot) -> None:
    bot, world, family = await restart_bot(party.world), party.world, party.chat
    ann, bob, *_ = party.people
    deal = await start_countdown(bot, ann, family)
    cut = world.faults.add("editMessageText", chat=family.id, status=502)
    world.say(bob, family, WRONG, reply_to=deal)
    await world.wait_until(lambda: cut.hits)
    assert "📬" not in deal.text
    world.faults.remove(cut)
    bot = await restart_bot(world)
    await bot.settle()
    assert "📬 \u2068Bob\u2069" in deal.text.splitlines()
    cut = world.faults.add("answerCallbackQuery", status=502)
    press = world.press(bob, deal, "📬")
    await world.wait_until(lambda: cut.hits)
    world.faults.remove(cut)
    bot = await restart_bot(world)
    await bot.settle()
    assert says_no(await world.answer_to(press))
    assert "📬" not in deal.text
    assert len(world.posts(family)) == 1
    party.is_kept()


@pytest.mark.long
@pytest.mark.parametrize("effect", [True, False])
async def test_a_restart_before_a_private_word_is_known_to_have_come(
    party: Party, restart_bot: RestartBot, *, effect: bool
) -> None:
    bot, world, family = await restart_bot(party.world), party.world, party.chat
    ann, bob, *_ = party.people
    world.start(bob)
    await bot.settle()
    deal = await start_countdown(bot, ann, family)
    cut = world.faults.add("sendMessage", chat=bob.id, status=502, effect=effect, count=1)
    world.say(bob, family, WRONG, reply_to=deal)
    await world.wait_until(lambda: cut.hits)
    bot = await restart_bot(world)
    await bot.settle()
    assert [says_no(post.text) for post in world.posts(bob)].count(True) == 1
    assert "📬" not in deal.text
    assert not world.violations


def test_the_search_finds_what_is_there_to_be_found(party: Party) -> None:
    ann, *_ = party.people
    expression = str(solver.parse("1+2"))
    party.hide(ann, expression)
    party.world.say(party.world.bot, party.chat, f"{expression} = 3")
    with pytest.raises(AssertionError):
        party.is_kept()


async def test_who_was_removed_answers_no_more_from_private(
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


async def test_what_cannot_be_read_is_told_in_private_and_talk_is_talk(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    deal = await start_countdown(bot, ann, family)
    world.open_link(bob, deal, "🤫")
    await bot.settle()
    posts = len(world.posts(bob))
    await bot.say(bob, world.chat_of(bob), "25*(100+7")
    assert world.posts(bob)[-1].text == "A bracket is never closed."
    await bot.say(bob, world.chat_of(bob), "hello there")
    assert len(world.posts(bob)) == posts + 1


async def test_guesses_of_who_may_not_score_learn_nothing_of_what_others_handed_in(
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
    told = []
    for guess in (entry, other):
        guessed = await bot.say(cid, world.chat_of(cid), guess)
        told.append((world.posts(cid)[-1].text, guessed.reactions))
    assert told[0] == told[1]
    assert "no points" in told[0][0]
