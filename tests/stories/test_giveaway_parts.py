"""A solution that stands in another part of a message than its text is given away all the same."""

from itertools import product
from typing import Any

import pytest

from tests.stories.conftest import Evening
from tests.stories.test_giveaway import LINE, NEXT, NEXT_SOLUTION, SOLUTION, Place
from tests.stories.test_giveaway import place as place

ORIGIN = {"type": "hidden_user", "date": 1_795_262_800, "sender_user_name": "Dan"}
OPTION = {"persistent_id": "1", "voter_count": 0}
POLL = {
    "id": "1",
    "question": "24?",
    "options": [{"text": "yes", **OPTION}, {"text": "no", **OPTION}],
    "total_voter_count": 0,
    "is_closed": False,
    "is_anonymous": True,
    "type": "regular",
    "allows_multiple_answers": False,
    "allows_revoting": True,
    "members_only": False,
}
FILE = {"file_id": "f", "file_unique_id": "u"}
PLACED = {"location": {"latitude": 1.0, "longitude": 1.0}, "title": "x", "address": "y"}
PARTS: dict[str, dict[str, Any]] = {
    "a quote": {"quote": {"text": SOLUTION, "position": 0}, "external_reply": {"origin": ORIGIN}},
    "a poll in another chat": {
        "external_reply": {"origin": ORIGIN, "poll": POLL | {"question": f"{SOLUTION}=24?"}}
    },
    "a poll's question": {"poll": POLL | {"question": f"is it {SOLUTION}?"}},
    "a poll's options": {"poll": POLL | {"options": [{"text": SOLUTION, **OPTION}]}},
    "a list": {"checklist": {"title": SOLUTION, "tasks": [{"id": 1, "text": "x"}]}},
    "a list's tasks": {"checklist": {"title": "24", "tasks": [{"id": 1, "text": f"try {SOLUTION}"}]}},
    "a venue": {"venue": PLACED | {"title": SOLUTION}},
    "an address": {"venue": PLACED | {"address": SOLUTION}},
    "a file's name": {"document": {**FILE, "file_name": "8÷(3-8÷3).txt"}},
    "a title of music": {"audio": {**FILE, "duration": 1, "title": SOLUTION}},
    "a contact": {"contact": {"phone_number": "1", "first_name": "8", "last_name": SOLUTION}},
    "a link": {
        "entities": [{"type": "text_link", "offset": 0, "length": 1, "url": f"https://a.b/{SOLUTION}"}]
    },
}


@pytest.mark.long
@pytest.mark.parametrize("replied", [True, False])
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("privacy", [False])
async def test_in_whatever_part_it_stands(bot: Evening, place: Place, part: str, replied: bool) -> None:
    text = "this!" if PARTS[part].keys() & {"quote", "external_reply", "entities"} else ""
    deal = await bot.dealt(place.bob, place.group, 3, 8, 3, 8)
    below = deal if replied else None
    place.world.say(place.cid, place.group, text, content=PARTS[part], reply_to=below)
    await bot.settled()
    assert LINE in deal.text.splitlines()  # who was shown nothing gives nothing away
    assert SOLUTION in await place.looks_up(bot, place.ann)
    bot.rig(*NEXT)
    place.world.say(place.ann, place.group, text, content=PARTS[part], reply_to=below)
    await bot.settled()
    assert "1 5 5 5 → 24" in deal.text.splitlines()
    await bot.says(place.bob, place.group, SOLUTION, reply_to=deal)
    assert await place.points(bot, place.bob) == 0
    await bot.says(place.cid, place.group, NEXT_SOLUTION, reply_to=deal)
    assert await place.points(bot, place.cid) == 6


@pytest.mark.long
@pytest.mark.parametrize("privacy", [False])
async def test_a_poll_that_the_library_refuses_is_read_all_the_same(bot: Evening, place: Place) -> None:
    """As of a Bot API server that is older than the library."""
    deal = await bot.dealt(place.bob, place.group, 3, 8, 3, 8)
    assert SOLUTION in await place.looks_up(bot, place.ann)
    bot.rig(*NEXT)
    older = POLL | {"options": [{"text": SOLUTION, "voter_count": 0}]}
    place.world.say(place.ann, place.group, "", content={"poll": older})
    await bot.settled()
    assert "1 5 5 5 → 24" in deal.text.splitlines()
    assert all("persistent_id: missing" in said for said in place.world.violations)
    place.world.violations.clear()


DECOYS = ["".join(parts) for parts in product("8", "+-*/", "3", "+-*/", "8", "+-*/", "3")]
BEYOND = {
    "below many wrong ones": "\n".join([*DECOYS, f"no: {SOLUTION}"]),
    "below many wrong ones of other numbers": "\n".join([*DECOYS, "8/(3-8/(6/2))"]),
    "in what is too long to be read": SOLUTION + "+0" * 300,
    "in words after a long speech": "so " * 300 + "8 over (3 minus 8 over 3)",
    "in circles after a long speech": "so " * 300 + "⑧/(③-⑧/③)",
}


@pytest.mark.long
@pytest.mark.parametrize("by", ["Ann", "a channel"])
@pytest.mark.parametrize("where", BEYOND)
@pytest.mark.parametrize("privacy", [False])
async def test_where_more_is_written_than_is_read(bot: Evening, place: Place, where: str, by: str) -> None:
    deal = await bot.dealt(place.bob, place.group, 3, 8, 3, 8)
    await bot.says(place.cid, place.group, "\n".join(DECOYS))  # who was shown nothing gives nothing away
    assert LINE in deal.text.splitlines()
    bot.rig(*NEXT)
    if by == "a channel":
        place.world.say_as_channel(place.group, place.world.channel("Channel", place.ann), BEYOND[where])
    else:
        assert SOLUTION in await place.looks_up(bot, place.ann)
        place.world.say(place.ann, place.group, BEYOND[where])
    await bot.settled()
    assert "1 5 5 5 → 24" in deal.text.splitlines()


@pytest.mark.parametrize("privacy", [False])
async def test_many_sums_of_other_numbers_are_no_giveaway(bot: Evening, place: Place) -> None:
    deal = await bot.dealt(place.bob, place.group, 3, 8, 3, 8)
    sums = "\n".join(f"{n}+{n + 1}*{n + 2}-1" for n in range(10, 100))
    place.world.say_as_channel(place.group, place.world.channel("Channel", place.ann), sums)
    await bot.settled()
    assert LINE in deal.text.splitlines()
    await place.looks_up(bot, place.ann)
    await bot.says(place.ann, place.group, "so we say 3-8 and 8-3 at 8:30\n" * 90)
    assert LINE in deal.text.splitlines()
