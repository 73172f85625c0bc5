"""Forged, mutated, stale and foreign buttons and links are answered and change nothing."""

import random
import string
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.faults.conftest import choose_amount, report
from tests.faults.stored_state import read_state
from tests.stories.conftest import LiveBot, run_bot
from tests.telegram import Chat, Message, Press, User, World

pytestmark = pytest.mark.faults
MUTATIONS = choose_amount(100_000, 1_500)
BATCH = 100
KEYS = ("h", "s", "n", "e", "r", "d", "da", "dn", "dr", "x", "v", "o", "lb", "dg", "q", "w", "")


@dataclass
class Attack:
    """A group with a live round, a member without rights, and a stranger from another group."""

    world: World
    evening: LiveBot
    owner: User
    member: User
    stranger: User
    group: Chat
    den: Chat
    live: Message
    over: Message
    help: Message

    async def press_all(self, presses: list[tuple[User, Message, str]]) -> list[Press]:
        """Press all these buttons and wait until each press is answered."""
        made = [self.world.press(user, message, data=data) for user, message, data in presses]
        await self.world.wait_until(
            lambda: all(press.answer is not None for press in made), 60, "an answer to each"
        )
        return made


@pytest.fixture
async def attack(tmp_path: Path) -> AsyncIterator[Attack]:
    world = World(seed=24)
    owner, member, stranger = world.user("Owner"), world.user("Member"), world.user("Stranger")
    group, den = world.group("Group", owner, member), world.group("Den", owner, stranger)
    async with run_bot(world, tmp_path / "twentyfour.sqlite3") as opened:
        over = await opened.deal(owner, group, 1, 2, 3, 4)
        await opened.say(owner, group, "1*2*3*4", reply_to=over)
        live = await opened.deal(owner, group, 3, 8, 3, 8)
        for place in (group, den):
            await opened.say(owner, place, f"/help@{world.bot.username}")
        shown = world.posts(den)[-1]
        yield Attack(world, opened, owner, member, stranger, group, den, live, over, shown)


def mutate_data(rng: random.Random, data: str) -> str:
    """Return a variant of `data` of at most 64 bytes."""
    key, _, rest = data.partition(":")
    choice = rng.randrange(7)
    if choice == 0:
        data = f"{rng.choice(KEYS)}:{rest}"
    elif choice == 1:
        data = f"{key}:{rng.choice((0, -1, 1, 2, 3, 10**18, 2**63, 2**64, rng.randrange(50)))}"
    elif choice == 2:
        data = f"{key}:0{rest}"
    elif choice == 3:
        place = rng.randrange(len(data) + 1)
        data = data[:place] + rng.choice(string.printable + "٣３²\u200b\u202e\x00é😀") + data[place:]
    elif choice == 4:
        place = rng.randrange(len(data))
        data = data[:place] + data[place + 1 :]
    elif choice == 5:
        data = f"{rng.choice(KEYS)}:{rest}' OR 1=1 --"
    else:
        data = "".join(rng.choices(string.printable, k=rng.randrange(1, 64)))
    return data.encode()[:64].decode(errors="ignore") or "?"


async def test_mutated_button_data_changes_nothing(attack: Attack) -> None:
    rng = random.Random(24)
    offered = {b["callback_data"] for m in (attack.live, attack.over) for b in m.buttons}
    models = [*offered, "v:3,3,8,8=24:0", "o:level:hard", "o:target", "lb:h:a", "dg:2026-11-21"]
    targets = [
        (attack.member, attack.live),
        (attack.member, attack.over),
        (attack.stranger, attack.help),
    ]
    before = await read_state(attack.evening.services.store)
    shown = [(message, message.text) for _, message in targets]
    begun = time.monotonic()
    for _ in range(MUTATIONS // BATCH):
        presses: list[tuple[User, Message, str]] = []
        while len(presses) < BATCH:
            user, message = rng.choice(targets)
            data = mutate_data(rng, rng.choice(models))
            if data not in {b["callback_data"] for b in message.buttons}:
                presses.append((user, message, data))
        await attack.press_all(presses)
        attack.world.requests.clear()
        attack.world.updates.sent.clear()
    await attack.evening.settle()
    after = await read_state(attack.evening.services.store)
    changed = [name for name in before if before[name] != after[name]]
    each = (time.monotonic() - begun) / MUTATIONS * 1000
    report(f"{MUTATIONS} mutated presses: all answered, {len(changed)} tables changed, {each:.1f} ms each")
    assert not changed
    assert all(message.text == text for message, text in shown)


async def test_button_data_in_another_place_changes_nothing(attack: Attack) -> None:
    before = await read_state(attack.evening.services.store)
    real = [b["callback_data"] for b in attack.live.buttons]
    elsewhere = [attack.help, attack.world.posts(attack.group)[-1], attack.over]
    await attack.press_all([(attack.owner, message, data) for message in elsewhere for data in real])
    assert await read_state(attack.evening.services.store) == before


async def test_buttons_of_an_ended_round_change_nothing(attack: Attack) -> None:
    """A screen may still show the buttons of an ended round."""
    old = [b["callback_data"] for b in attack.live.buttons]
    await attack.evening.say(attack.owner, attack.group, "8/(3-8/3)", reply_to=attack.live)
    before = await read_state(attack.evening.services.store)
    presses = await attack.press_all([(attack.member, attack.live, data) for data in old])
    assert [press.answer_text for press in presses] == ["That hand is over."] * len(old)
    attack.world.delete(attack.live)
    await attack.press_all([(attack.member, attack.live, data) for data in old])
    assert await read_state(attack.evening.services.store) == before


async def test_repeated_press_counts_once(attack: Attack) -> None:
    data = attack.live.button("Hint")["callback_data"]
    (press,) = await attack.press_all([(attack.member, attack.live, data)])
    before = await read_state(attack.evening.services.store)
    vote = attack.world.press(attack.member, attack.live, 1)
    await attack.world.answer_to(vote)
    once = await read_state(attack.evening.services.store)
    attack.world.press_again(vote)
    await attack.evening.settle()
    assert before != once
    assert await read_state(attack.evening.services.store) == once
    assert press.answer_text == ""


async def test_admin_rights_are_checked_at_each_press(attack: Attack) -> None:
    world, group, member = attack.world, attack.group, attack.member
    world.promote(member, group)
    await attack.evening.say(member, group, f"/settings@{world.bot.username}")
    menu = world.posts(group)[-1]
    every = [b["callback_data"] for b in menu.buttons]
    before = await read_state(attack.evening.services.store)
    world.demote(member, group)
    presses = await attack.press_all([(member, menu, data) for data in every])
    assert {press.answer_text for press in presses} == {"Only admins can change the settings here."}
    await attack.press_all([(member, menu, f"{data}:hard") for data in every])
    assert await read_state(attack.evening.services.store) == before


async def test_press_on_an_inline_message_is_answered(attack: Attack) -> None:
    message = attack.live
    message.inline_id = "forged"
    before = await read_state(attack.evening.services.store)
    await attack.press_all([(attack.stranger, message, b["callback_data"]) for b in message.buttons])
    assert await read_state(attack.evening.services.store) == before


async def test_forged_start_links_change_nothing_of_other_chats(attack: Attack) -> None:
    rng = random.Random(24)
    groups = [attack.group.id, attack.den.id]
    payloads = ["daily_", "daily_AAAA", "play_x", "settings", "reset", f"daily_{attack.group.id}"]
    payloads += [f"daily_{''.join(rng.choices(string.ascii_letters + '-_', k=24))}" for _ in range(20)]
    world = attack.world
    await attack.evening.say(attack.stranger, world.chat_of(attack.stranger), "/start")
    said = len(world.posts(attack.stranger))
    before = await read_state(attack.evening.services.store)
    for payload in payloads:
        world.start(attack.stranger, payload)
        await attack.evening.settle()  # more at once would be refused unread
    after = await read_state(attack.evening.services.store)
    assert not [row for row in after["seats"] if row["chat_id"] in groups]
    assert after["awards"] == before["awards"]
    assert [r for r in after["rounds"] if r["chat_id"] in groups] == before["rounds"]
    assert len(world.posts(attack.stranger)) == said + len(payloads)
