"""The first messages and a won hand fit a phone's screen in every language."""

import pytest

from bot.i18n import list_languages
from tests.phone_screen import COLUMNS, LINES, find_overflow, measure_width
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot
from tests.telegram import Chat, Message, User, World

CODES = [language.replace("_", "-").lower() for language in list_languages()]


def test_width_counts_columns_of_a_phone() -> None:
    assert measure_width("3 8 3 8 → 24") == 12
    assert measure_width("目标") == 4
    assert measure_width("🏆 \u2068Ann\u2069: 8÷(3−8÷3) = 24") == 22
    assert find_overflow("a" * COLUMNS) == []
    assert find_overflow("目" * (COLUMNS // 2 + 1)) == ["目" * (COLUMNS // 2 + 1)]
    assert find_overflow("\n".join("abcdefghijklm")) == ["m"]
    assert LINES == 12


async def win_hand(bot: LiveBot, clock: Clock, user: User, chat: Chat) -> Message:
    """Win hands until one shows a streak, a near miss, further ideas and achievements; return it."""
    for seconds, wrong in ((83, 1), (83, 1), (4, 3)):
        deal = await bot.deal(user, chat, 2, 4, 8, 10)
        clock.advance(seconds)
        for _ in range(wrong):
            await bot.say(user, chat, "2*8+10-4", reply_to=deal)
        await bot.say(user, chat, "8+10+2+4", reply_to=deal)
    return deal


@pytest.mark.long
@pytest.mark.parametrize("language", CODES)
async def test_first_screens_and_won_hand_fit_a_phone(
    bot: LiveBot,
    world: World,
    clock: Clock,
    ann: User,
    bob: User,
    language: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    private, family = world.chat_of(ann), world.group("Family", ann, bob, bot=False)
    shown: dict[str, str] = {}
    world.join(world.bot, family, by=ann)
    shown["greeting"] = (await world.next_post(family)).text
    for chat, where in ((private, "in private"), (family, "in a group")):
        for command in ("start", "help", "settings"):
            await bot.say(ann, chat, f"/{command}@{world.bot.username}" if chat is family else f"/{command}")
            shown[f"/{command} {where}"] = world.posts(chat)[-1].text
        shown[f"a won hand {where}"] = (await win_hand(bot, clock, ann, chat)).text
    with capsys.disabled():
        for name, text in shown.items():
            print(f"\n[{language}] {name}\n{text}")
    assert {name: lines for name, text in shown.items() if (lines := find_overflow(text))} == {}
    assert len(shown["greeting"].splitlines()) == 3
    assert len(shown["/start in private"].splitlines()) == 4
